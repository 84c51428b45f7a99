"""What is kept of a text for a question and a budget, and what of it stands over nothing."""

from __future__ import annotations

from collections.abc import Callable

from beaver_compat import BeaverPromptCompressor
from beaver_compat.prepared import PreparedContext


def lonely(text: str, kept: str, is_opener: Callable[[str], bool]) -> list[str]:
    """The lines of a kind that are kept without any of the lines that they stand over, which end at the next such."""
    found = [line for line in kept.split("\n") if line.strip()]
    lines = [line for line in text.split("\n") if line.strip()]
    place = 0
    places = [
        place := next(at for at in range(place, len(lines)) if line.split(". ")[0] in lines[at]) for line in found
    ]
    openers = [at for at, line in enumerate(lines) if is_opener(line)]
    bare = []
    for at, following in zip(places, [*places[1:], len(lines)], strict=True):
        if at in openers:
            later = (other for other in openers if other > at + 1)
            if following != at + 1 and following >= next(later, len(lines)):
                bare.append(lines[at])
    return bare


def kept(compressor: BeaverPromptCompressor, text: str | PreparedContext, question: str, budget: int) -> str:
    return compressor.compress(text, question=question, target_token=budget, concate_question=False).compressed_context
