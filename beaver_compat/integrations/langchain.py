"""A LangChain document compressor; needs the extra ``langchain``.

It goes where LangChain takes a ``base_compressor``, as in ``ContextualCompressionRetriever``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, PrivateAttr
from pydantic.json_schema import SkipJsonSchema

from beaver_compat.compressor import BeaverPromptCompressor
from beaver_compat.integrations.documents import SPANS_KEY, check_settings, shortened


class BeaverCompressor(BaseDocumentCompressor):
    """Shortens retrieved documents together to the sentences that answer the query best, within one budget.

    Order, ids and metadata stay; ``metadata["kept_spans"]`` says which characters were kept, with role and score.
    Documents that nothing is kept of are left out; the originals are not written to.

    Raises:
        ValidationError: pydantic's, a ValueError; it names the setting that can't be used.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid", protected_namespaces=())

    model_name: str | None = None
    """A Hugging Face model or a local folder whose embedding table ranks; None is the bundled one."""
    rate: float = 0.5
    """Share of the tokens of documents and query that the documents may keep, where no target is set."""
    target_token: float = -1
    """Tokens that the documents may have together; -1 leaves it to ``rate``."""
    dynamic_context_compression_ratio: float = 1.0
    """How much more the better documents keep of their text, from 0 to 1."""
    token_counter: str | None = None
    """What the budget counts in, as in :class:`BeaverPromptCompressor`."""
    compressor: SkipJsonSchema[BeaverPromptCompressor | None] = None
    """Ranks and counts in the place of one made from ``model_name`` and ``token_counter``."""

    _compressor: BeaverPromptCompressor = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        check_settings(self.rate, self.target_token, self.dynamic_context_compression_ratio)
        self._compressor = self.compressor or BeaverPromptCompressor(self.model_name, token_counter=self.token_counter)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Shorten documents; ``acompress_documents`` does the same in a thread.

        Args:
            documents: retrieved for the query.
            query: ranks their sentences.
            callbacks: without effect.

        Returns:
            New documents.

        Raises:
            InputTypeError, InputValueError: a setting that can't be used.
        """
        kept = shortened(
            self._compressor,
            [document.page_content for document in documents],
            query,
            rate=self.rate,
            target_token=self.target_token,
            dynamic_context_compression_ratio=self.dynamic_context_compression_ratio,
        )
        return [
            documents[index].model_copy(
                update={
                    "page_content": own.text,
                    "metadata": {**documents[index].metadata, SPANS_KEY: own.metadata},
                }
            )
            for index, own in kept.items()
        ]
