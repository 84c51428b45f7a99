"""A LlamaIndex node postprocessor; needs the extra ``llamaindex``."""

from __future__ import annotations

from typing import Any

from llama_index.core.bridge.pydantic import ConfigDict, Field, PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from pydantic.json_schema import SkipJsonSchema

from beaver_compat.compressor import BeaverPromptCompressor
from beaver_compat.errors import InputValueError
from beaver_compat.integrations.documents import SPANS_KEY, KeptText, check_settings, shortened


class BeaverPostprocessor(BaseNodePostprocessor):
    """Shortens retrieved nodes together to the sentences that answer the query best, within one budget.

    Order, ids, metadata and scores stay; ``metadata["kept_spans"]``, which neither the LLM nor an embedding sees, says
    which characters were kept, with role and score.  Nodes that nothing is kept of are left out, those without text
    (images) stay as they are; the originals are not written to.

    Args:
        model_name: a Hugging Face model or a local folder whose embedding table ranks; None is the bundled one.
        rate: share of the tokens of nodes and query that the nodes may keep, where no target is set.
        target_token: tokens that the nodes may have together; -1 leaves it to ``rate``.
        dynamic_context_compression_ratio: how much more the better nodes keep of their text, from 0 to 1.
        token_counter: what the budget counts in, as in :class:`BeaverPromptCompressor`.
        compressor: ranks and counts in the place of one made from ``model_name`` and ``token_counter``; it is not
            serialised.

    Raises:
        ValidationError: pydantic's, a ValueError; it names the setting that can't be used.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid", protected_namespaces=())

    model_name: str | None = Field(default=None, description="Model whose embedding table ranks.")
    rate: float = Field(default=0.5, description="Share of the tokens of nodes and query that the nodes may keep.")
    target_token: float = Field(default=-1, description="Tokens that the nodes may have; -1 leaves it to the rate.")
    dynamic_context_compression_ratio: float = Field(
        default=1.0, description="How much more the better nodes keep of their text, from 0 to 1."
    )
    token_counter: str | None = Field(default=None, description="What the budget counts in.")
    compressor: SkipJsonSchema[BeaverPromptCompressor | None] = Field(default=None, exclude=True)

    _compressor: BeaverPromptCompressor = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        check_settings(self.rate, self.target_token, self.dynamic_context_compression_ratio)
        self._compressor = self.compressor or BeaverPromptCompressor(self.model_name, token_counter=self.token_counter)

    @classmethod
    def class_name(cls) -> str:
        """The name in serialised form."""
        return "BeaverPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            raise InputValueError("query_bundle is None; give a query, it ranks the sentences")
        texts = [node.node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
        kept = shortened(
            self._compressor,
            texts,
            query_bundle.query_str,
            rate=self.rate,
            target_token=self.target_token,
            dynamic_context_compression_ratio=self.dynamic_context_compression_ratio,
        )
        return [
            _with_kept(node, kept[index]) if index in kept else node
            for index, node in enumerate(nodes)
            if index in kept or not texts[index]
        ]


def _with_kept(scored: NodeWithScore, kept: KeptText) -> NodeWithScore:
    """A copy of a node with the kept text."""
    node = scored.node.model_copy(deep=True)
    node.set_content(kept.text)
    node.metadata[SPANS_KEY] = kept.metadata
    node.excluded_llm_metadata_keys.append(SPANS_KEY)
    node.excluded_embed_metadata_keys.append(SPANS_KEY)
    return NodeWithScore(node=node, score=scored.score)
