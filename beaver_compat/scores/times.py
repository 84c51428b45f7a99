"""Whether a question asks at what time of a recording something is said: its words in a few languages."""

from __future__ import annotations

import re

_REACH = 400  # characters of a question that are looked at
_RECORDING = r"(?:video|film|movie|episode|recording|podcast|clip|audio|aufnahme|folge|épisode|vídeo|grabación)"
_SAYS = r"(?:sa(?:y|id)|mention|talk|discuss|sp(?:ea|o)k|explain)"
_ASKED = re.compile(
    r"\btime[ -]?(?:stamp|code)|\bzeitstempel|\bhorodat|\bmarcas? de tiempo"
    r"|\b(?:which|what|welche[rnms]?|quel(?:le)?|qu[eé]|quale) (?:minut|second|se[kg]und|moment|point in time)"
    rf"|\b(?:when|where|what time|how far)\b.{{0,80}}\b{_RECORDING}\b"
    rf"|\bwhen (?:do|does|did|is|are|was|were|he|she|they|the)\b.{{0,80}}\b{_SAYS}"
    r"|\bwann\b.{0,80}\b(?:gesag|sag|sprich|gesproch|erwähn|geredet|rede|erklär)"
    r"|\bquand\b.{0,80}\b(?:parl|dit|mentionn|expli)|\bcu[aá]ndo\b.{0,80}\b(?:habl|dice|dijo|mencion|expli)",
    re.I | re.S,
)


def asks_for_times(question: str) -> bool:
    """Whether a question asks when in a recording something is said.

    >>> asks_for_times("When does she talk about the mite?"), asks_for_times("When did the mite come to Wales?")
    (True, False)
    """
    return bool(_ASKED.search(question[-_REACH:]))
