"""A Haystack component; needs the extra ``haystack``.

From Haystack 3 on, ``Pipeline.loads(..., allowed_modules=["beaver_compat.*"])`` reads pipelines that hold it, or
``HAYSTACK_DESERIALIZATION_ALLOWLIST="beaver_compat.*"`` in the environment.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from beaver_compat.compressor import BeaverPromptCompressor
from beaver_compat.integrations.documents import SPANS_KEY, check_settings, shortened


@component
class BeaverCompressor:
    """Shortens retrieved documents together to the sentences that answer the query best, within one budget.

    Order, ids, metadata and scores stay; ``meta["kept_spans"]`` says which characters were kept, with role and score.
    Documents that nothing is kept of are left out, those without text (``content`` is None) stay as they are; the
    originals are not written to.

    Args:
        model_name: a Hugging Face model or a local folder whose embedding table ranks; None is the bundled one.
        rate: share of the tokens of documents and query that the documents may keep, where no target is set.
        target_token: tokens that the documents may have together; -1 leaves it to ``rate``.
        dynamic_context_compression_ratio: how much more the better documents keep of their text, from 0 to 1.
        token_counter: what the budget counts in, as in :class:`BeaverPromptCompressor`.
        compressor: ranks and counts in the place of one made from ``model_name`` and ``token_counter``; it is not
            serialised.

    Raises:
        InputTypeError, InputValueError: a setting that can't be used.
    """

    def __init__(
        self,
        model_name: str | None = None,
        rate: float = 0.5,
        target_token: float = -1,
        dynamic_context_compression_ratio: float = 1.0,
        token_counter: str | None = None,
        compressor: BeaverPromptCompressor | None = None,
    ) -> None:
        check_settings(rate, target_token, dynamic_context_compression_ratio)
        self.model_name = model_name
        self.rate = rate
        self.target_token = target_token
        self.dynamic_context_compression_ratio = dynamic_context_compression_ratio
        self.token_counter = token_counter
        self.compressor = compressor
        self._compressor = compressor

    def warm_up(self) -> None:
        """Load the embedding table."""
        self._warm()

    def to_dict(self) -> dict[str, Any]:
        """The component as a dictionary."""
        return default_to_dict(
            self,
            model_name=self.model_name,
            rate=self.rate,
            target_token=self.target_token,
            dynamic_context_compression_ratio=self.dynamic_context_compression_ratio,
            token_counter=self.token_counter,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> BeaverCompressor:
        """The component that :meth:`to_dict` wrote."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, documents: list[Document], rate: float | None = None, target_token: float | None = None
    ) -> dict[str, list[Document]]:
        """Shorten documents.

        Args:
            query: ranks their sentences.
            documents: retrieved for the query.
            rate: in the place of the component's.
            target_token: in the place of the component's.

        Returns:
            ``documents``: new documents.

        Raises:
            InputTypeError, InputValueError: a setting that can't be used.
        """
        kept = shortened(
            self._warm(),
            [document.content or "" for document in documents],
            query,
            rate=self.rate if rate is None else rate,
            target_token=self.target_token if target_token is None else target_token,
            dynamic_context_compression_ratio=self.dynamic_context_compression_ratio,
        )
        shortened_documents = [
            replace(document, content=kept[index].text, meta={**document.meta, SPANS_KEY: kept[index].metadata})
            if index in kept
            else document
            for index, document in enumerate(documents)
            if index in kept or document.content is None
        ]
        return {"documents": shortened_documents}

    def _warm(self) -> BeaverPromptCompressor:
        if self._compressor is None:
            self._compressor = BeaverPromptCompressor(self.model_name, token_counter=self.token_counter)
        return self._compressor
