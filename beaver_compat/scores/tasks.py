"""Questions that tell what to do with a text: which words these begin with, and which take all of it."""

from __future__ import annotations

import re

_POLITE = r"(?:please |kindly |bitte |por favor,? |s'il (?:te|vous) plaît,? |请|請)?"
_ALL = (
    r"condense|correct|outline|paraphrase|proofread|rephrase|rewrite|shorten|simplify|summari[sz]e|translate"
    r"|fass(?:e|en sie)?|kürze|übersetze?n?|reformule[rz]?|résume[rz]?|tradui(?:re|s|sez)|reescrib[ae]|resum[aei]"
    r"|riassumi|tradu(?:ce|ci|zca|za)|vertaal|переведи|перескажи|сократи"
)
_ALL_WIDE = r"总结|總結|概括|翻译|翻譯|改写|改寫|要約|翻訳|요약|번역"  # no space ends these
# Verbs of recipes and manuals are not there.
_SOME = (
    r"analy[sz]e|classify|convert|describe|draft|explain|extract|give me|identify|list|tell me|write"
    r"|beantworte|beschreibe?|erkläre?|extrahiere|nenne?|schreibe?|explique[rz]?|extrais|extrayez|explica|extra[ei]"
    r"|vat|выдели|напиши|объясни"
)
_SOME_WIDE = r"提取"
_TASK = re.compile(rf"{_POLITE}(?:(?:{_ALL}|{_SOME})\b|{_ALL_WIDE}|{_SOME_WIDE})", re.I)
_TASK_FOR_ALL = re.compile(
    rf"\W*(?:can you |could you )?{_POLITE}(?:(?:{_ALL}|write a (?:\w+ ){{,2}}(?:abstract|summary))\b|{_ALL_WIDE})",
    re.I,
)


def task_at(text: str, start: int) -> re.Match[str] | None:
    """The words at a place of a text that tell what to do with one, such as ``Please list``; None for others."""
    return _TASK.match(text, start)


def asks_for_all(question: str) -> bool:
    """Whether a question is a task that takes all of the text, so that its words tell nothing of what is looked for.

    >>> asks_for_all("Please summarize the text above."), asks_for_all("Who wrote the summary?")
    (True, False)
    """
    return _TASK_FOR_ALL.match(question) is not None
