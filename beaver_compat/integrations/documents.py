"""What is kept of each of a list of retrieved texts.  It knows no framework."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from beaver_compat.arguments import checked_goal, checked_share
from beaver_compat.compressor import BeaverPromptCompressor
from beaver_compat.document import SPAN_SEPARATOR
from beaver_compat.result import KeptSpan

SPANS_KEY = "kept_spans"
"""The metadata key under which components store :attr:`KeptText.metadata`."""


class KeptText(NamedTuple):
    """What is kept of one text.

    Attributes:
        text: the kept stretches, joined by line ends.
        spans: the kept stretches.
    """

    text: str
    spans: list[KeptSpan]

    @property
    def metadata(self) -> list[dict[str, Any]]:
        """Start and end (characters of the original text), role and score of each span; JSON-serialisable."""
        return [{"start": s.start, "end": s.end, "role": s.role, "score": s.score} for s in self.spans]


def check_settings(rate: object, target_token: object, dynamic_context_compression_ratio: object) -> None:
    """Refuse settings that :func:`shortened` can't use.

    Raises:
        InputTypeError, InputValueError: a setting that can't be used; the message names it.
    """
    checked_goal(rate, target_token)
    checked_share("dynamic_context_compression_ratio", dynamic_context_compression_ratio)


def shortened(
    compressor: BeaverPromptCompressor,
    texts: Sequence[str],
    query: str,
    *,
    rate: float,
    target_token: float,
    dynamic_context_compression_ratio: float,
) -> dict[int, KeptText]:
    """Compress retrieved texts together.

    Args:
        compressor: ranks and counts.
        texts: in the order in which they stay.
        query: ranks; it is not part of the result.
        rate: share of the tokens of texts and query that the kept texts may have, where no target is set.
        target_token: tokens that the kept texts may have together, the blank lines between them counted; -1 leaves it
            to ``rate``.
        dynamic_context_compression_ratio: how much more the better texts keep, from 0 to 1.

    Returns:
        The kept text by the index of its text; texts that nothing is kept of are absent.

    Raises:
        InputTypeError, InputValueError: a setting that can't be used.
    """
    check_settings(rate, target_token, dynamic_context_compression_ratio)
    result = compressor.compress(
        list(texts),
        question=query,
        rate=rate,
        target_token=target_token,
        concate_question=False,
        dynamic_context_compression_ratio=dynamic_context_compression_ratio,
    )
    spans: dict[int, list[KeptSpan]] = {}
    for span in result.spans:
        spans.setdefault(span.context_index, []).append(span)
    return {index: KeptText(_joined(texts[index], own), own) for index, own in spans.items()}


def _joined(text: str, spans: Sequence[KeptSpan]) -> str:
    """The stretches of a text, those that touch as one."""
    pieces = [text[spans[0].start : spans[0].end]]
    for before, span in pairwise(spans):
        pieces += [SPAN_SEPARATOR] * (before.end < span.start) + [text[span.start : span.end]]
    return "".join(pieces)
