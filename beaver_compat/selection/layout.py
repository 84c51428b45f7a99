"""How a prompt is put together from parts that may be shortened.

The parts are what the pipeline knows as contexts.  A list of contexts has one part each; tagged text has one for each
segment, JSON one for each text in its values.  Nothing here knows how parts are shortened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from beaver_compat.document import SPAN_SEPARATOR
from beaver_compat.text.lined_text import CONTEXT_SEPARATOR

_REFERENCE = re.compile(r"\s*(<#ref\d+#>)\s*")
_BLANK_LINES = re.compile(r"\n\s*\n")

Compose = Callable[[Sequence[str], Sequence[int]], str]
"""Puts kept texts of parts ("" where nothing is kept) together, contexts in the order given."""


@dataclass(frozen=True)
class Limit:
    """The most tokens that some parts may have together.

    Attributes:
        parts: which.
        tokens: how many.
        text: what is counted, from the kept text of every part.
    """

    parts: tuple[int, ...]
    tokens: int
    text: Callable[[Sequence[str]], str]


@dataclass(frozen=True)
class Layout:
    """A prompt in parts.

    Attributes:
        parts: their texts.
        contexts: the parts of each context.
        compose: puts the kept text together.
        frame: puts the prompt around it.
        separator: what stands between two kept pieces of one part, from the text left out between them.
        fixed: parts that are kept to the letter.
        atomic: parts that are kept whole or not at all.
        staying: contexts that no bound on contexts removes.
        limits: bounds on single parts or groups of them; no part has two.
        inside: for a part that is less than its context, the context's text and where in it the part begins.
    """

    parts: list[str]
    contexts: list[tuple[int, ...]]
    compose: Compose
    frame: Callable[[str], str] = lambda kept: kept
    separator: Callable[[str], str] = lambda gap: SPAN_SEPARATOR
    fixed: frozenset[int] = frozenset()
    atomic: frozenset[int] = frozenset()
    staying: frozenset[int] = frozenset()
    limits: tuple[Limit, ...] = ()
    inside: Mapping[int, tuple[str, int]] = field(default_factory=dict)

    @property
    def segmented(self) -> bool:
        """Whether parts have rules of their own, so that an end of the text can't simply be kept as the query."""
        return bool(self.fixed or self.atomic or self.limits)

    def prompt(self, kept: Sequence[str], order: Sequence[int]) -> str:
        """The prompt that holds the kept text of each part, contexts in the order given."""
        return self.frame(self.compose(kept, order))

    def text(self, context: int) -> str:
        """A context as it came, but for the white space between its parts."""
        return SPAN_SEPARATOR.join(self.parts[part] for part in self.contexts[context])


def contexts_layout(
    contexts: Sequence[str], frame: Callable[[str], str], blank_lines: bool = False, aligned: bool = False
) -> Layout:
    """Each context is one part.

    A context between two equal reference tags, as LangChain writes them (``<#ref0#> text <#ref0#>``), is printed with
    both tags whenever anything of its text is kept, and without blank lines, which would end it there.

    Args:
        contexts: texts.
        frame: puts the prompt around the kept text.
        blank_lines: whether a blank line that is left out between two pieces is printed.
        aligned: whether a context that nothing is kept of has an empty place in the prompt.
    """
    tagged = {index: parts for index, text in enumerate(contexts) if (parts := _untagged(text))}

    def printed(context: int, kept: str) -> str:
        if context not in tagged or not kept:
            return kept
        before, _, after = tagged[context]
        return before.lstrip() + _BLANK_LINES.sub(SPAN_SEPARATOR, kept) + after

    def compose(kept: Sequence[str], order: Sequence[int]) -> str:
        texts = (printed(context, kept[context]) for context in order)
        return CONTEXT_SEPARATOR.join(text for text in texts if text or aligned)

    return Layout(
        [tagged[index][1] if index in tagged else text for index, text in enumerate(contexts)],
        [(index,) for index in range(len(contexts))],
        compose,
        frame,
        blank_line_or_end if blank_lines else lambda gap: SPAN_SEPARATOR,
        inside={index: (contexts[index], len(before)) for index, (before, _, _) in tagged.items()},
    )


def _untagged(text: str) -> tuple[str, str, str] | None:
    """A text without its reference tags, and what stands before and behind it; None if it isn't tagged."""
    opening = _REFERENCE.match(text)
    before = opening.end() if opening else 0
    until = len(text.rstrip()) - len(opening[1]) if opening else 0
    if not opening or until < before or not text.startswith(opening[1], until):
        return None
    body = text[before:until].rstrip()
    if opening[1] in body:  # several tagged texts in one string: a text like any other
        return None
    return text[:before], body, text[before + len(body) :].rstrip()


def blank_line_or_end(gap: str) -> str:
    """A blank line where one was left out, else a line end."""
    return CONTEXT_SEPARATOR if CONTEXT_SEPARATOR in gap else SPAN_SEPARATOR


def line_end_or_space(gap: str) -> str:
    """A line end where one was left out, else a space, so that a single line stays one."""
    return SPAN_SEPARATOR if SPAN_SEPARATOR in gap else " "
