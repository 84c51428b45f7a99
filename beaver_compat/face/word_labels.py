"""LLMLingua-2's list of words with the label 1 for kept and 0 for dropped.  It knows texts and kept stretches only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from beaver_compat.result import KeptSpan


def labeled_words(contexts: Sequence[str], spans: Iterable[KeptSpan], word_sep: str, label_sep: str) -> str:
    """Every word of the contexts with its label, ``word + label_sep + label``, joined by ``word_sep``.

    Words are what stands between white space; one that holds a separator is split there, and one that is kept in part
    at the edge of the kept part.

    Args:
        contexts: the original texts.
        spans: what is kept of them.
        word_sep: between words.
        label_sep: between a word and its label.
    """
    pattern = re.compile("|".join([r"\s+", *(re.escape(mark) for mark in (word_sep, label_sep) if mark)]))
    kept: list[list[tuple[int, int]]] = [[] for _ in contexts]
    for span in spans:
        kept[span.context_index].append((span.start, span.end))
    labeled = []
    for context, stretches in zip(contexts, kept, strict=True):
        position = 0
        for start, end in [*stretches, (len(context), len(context))]:
            for text, label in ((context[position:start], 0), (context[start:end], 1)):
                labeled += [f"{word}{label_sep}{label}" for word in pattern.split(text) if word]
            position = end
    return word_sep.join(labeled)
