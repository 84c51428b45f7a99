"""Contexts, questions and tagged text that the tests of LLMLingua's face share."""

from __future__ import annotations

import re
from collections.abc import Sequence

HARBOUR = (
    "The harbour of Vessel Bay was built in 1871 by the engineer Clara Dunmore. It has three stone piers and a small"
    " lighthouse. The lighthouse keeper paints the railing every spring. Ferries leave for the islands at 7:15 and"
    " 16:40 each day. A ticket costs 12 crowns, and children travel free. In winter the second pier is closed because"
    " of the ice. Fishermen mend their nets in the long shed beside the ice house."
)
ORCHARD = (
    "The orchard at Millbrook grows 48 kinds of apples and nine kinds of pears. Its oldest tree was planted by the"
    " monks of Saint Aldwin. Wasps are kept away with bowls of sweet beer. The cider press is driven by a water wheel."
    " Visitors may taste the juice on Saturdays. The harvest begins in the second week of September. Two donkeys carry"
    " the baskets down to the road."
)
OBSERVATORY = (
    "The observatory on Crane Hill owns a refractor with a lens of 66 centimetres. The comet of 1910 was photographed"
    " there by Ilse Varga. On cloudy nights the astronomers play chess in the library. The dome turns on forty iron"
    " wheels. A radio mast was added after the fire of 1954. School classes come on Tuesdays and leave with paper"
    " star maps. The current director is Tomas Lindqvist, who studies variable stars."
)
CONTEXTS = [HARBOUR, ORCHARD, OBSERVATORY]
QUESTION = "Who photographed the comet of 1910?"
ANSWER = "Ilse Varga"

TAGGED = (
    "<llmlingua, compress=False>Chair:</llmlingua><llmlingua, rate=0.4> Thank you all for coming. We have eleven items"
    " tonight, and the budget is the longest. Please keep your comments short.</llmlingua><llmlingua, compress=False>\n"
    "Clerk:</llmlingua><llmlingua, rate=0.3> Item one is a grant of 500 dollars to the jazz school. Item two is the new"
    " roof of the library. Item three is the parking rule on Elm Street. Item four is a letter from the neighbours of"
    " the quarry.</llmlingua><llmlingua, compress=False>\nChair:</llmlingua><llmlingua, rate=0.6> We have a motion and"
    " a second. Are there any comments from the public?</llmlingua>"
)
TAGGED_JSON = (
    '<llmlingua, compress=False>{\n  "id": "</llmlingua><llmlingua, rate=0.8>987654</llmlingua>'
    '<llmlingua, compress=False>",\n  "biography": "</llmlingua><llmlingua, rate=0.4>'
    + OBSERVATORY
    + '</llmlingua><llmlingua, compress=False>",\n  "notes": [{"title": "Visit", "text": "</llmlingua>'
    + "<llmlingua, rate=0.4>"
    + HARBOUR
    + '</llmlingua><llmlingua, compress=False>"}]\n}</llmlingua>'
)


def kept_words(kept: str, original: str) -> bool:
    """Whether the words of ``kept`` stand in the original in this order."""
    words = iter(re.findall(r"\S+", original))
    return all(word in words for word in re.findall(r"\S+", kept))


def kept_contexts(prompt: str, contexts: Sequence[str]) -> list[int]:
    """Which of the contexts each blank-line separated piece of a prompt was cut from, in print order."""
    return [
        next(index for index, context in enumerate(contexts) if kept_words(piece, context))
        for piece in prompt.split("\n\n")
        if piece
    ]
