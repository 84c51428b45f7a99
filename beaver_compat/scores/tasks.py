"""Which questions ask for the whole text, so that their words tell nothing of what is looked for."""

from __future__ import annotations

import re

_TASK = re.compile(
    r"\W*(?:please |kindly |can you |could you |bitte |por favor,? |s'il (?:te|vous) plaît,? |请|請)?"
    r"(?:(?:condense|correct|outline|paraphrase|proofread|rephrase|rewrite|shorten|simplify|summari[sz]e|translate"
    r"|write a (?:\w+ ){,2}(?:abstract|summary)|fass(?:e|en sie)?|kürze|übersetze?n?|reformule[rz]?|résume[rz]?"
    r"|tradui(?:re|s|sez)|reescrib[ae]|resum[aei]|riassumi|tradu(?:ce|ci|zca|za)|vertaal|переведи|перескажи|сократи)\b"
    r"|总结|總結|概括|翻译|翻譯|改写|改寫|要約|翻訳|요약|번역)",
    re.I,
)


def asks_for_all(question: str) -> bool:
    """Whether a question is a task that takes all of the text: to summarize, translate or rewrite it.

    >>> asks_for_all("Please summarize the text above."), asks_for_all("Who wrote the summary?")
    (True, False)
    """
    return _TASK.match(question) is not None
