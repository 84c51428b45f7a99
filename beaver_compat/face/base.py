"""What LLMLingua's methods need of the compressor that has them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from beaver_compat.arguments import Goal
from beaver_compat.counting import TokenCounter
from beaver_compat.face.tokenizers import TableTokenizer
from beaver_compat.prepared import Source
from beaver_compat.result import CompressionResult
from beaver_compat.scoring import Asked, Scored
from beaver_compat.selection.layout import Layout
from beaver_compat.selection.selector import Selection
from beaver_compat.selection.wishes import Wishes
from beaver_compat.structured import Segment

Result = TypeVar("Result")
Steps = Generator[Asked, Scored, Result]
"""A call that stops where it needs its document's scores, so that those of many calls are computed together.

The arguments are checked before it begins.
"""


class FaceBase:
    """Attributes and methods that the compressor brings."""

    use_llmlingua2: bool
    use_slingua: bool
    counter: TokenCounter
    tokenizer: TableTokenizer
    _most_forced_tokens: int

    compress_prompt: Callable[..., dict[str, Any]]
    _prompt: Callable[..., Steps[dict[str, Any]]]

    def _finish(self, steps: Steps[Result]) -> Result:
        raise NotImplementedError

    def _score(self, asked: Sequence[Asked]) -> list[Scored]:
        raise NotImplementedError

    def _source(self, context: object) -> Source:
        raise NotImplementedError

    def _compress(
        self,
        source: Source,
        instruction: str,
        question: str,
        goal: Goal,
        concate_question: bool,
        wishes: Wishes,
        query: str,
        segments: Sequence[Sequence[Segment]] | None = None,
        preserve: bool = True,
    ) -> Steps[CompressionResult]:
        raise NotImplementedError

    def _origin_tokens(self, source: Source, instruction: str = "", question: str = "") -> int:
        raise NotImplementedError

    def _select(
        self,
        source: Source | None,
        layout: Layout,
        question: str,
        wishes: Wishes,
        budget: int,
        count: Callable[[str], int] | None = None,
    ) -> Steps[Selection]:
        raise NotImplementedError

    def _ranked(self, contexts: list[str], question: str) -> list[tuple[int, float]]:
        raise NotImplementedError
