"""What ranks a document: the tokens of a question, and the words that they are of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.config import BeaverConfig
from beaver_compat.scores.amounts import NumberWords, asks_for_number, number_words
from beaver_compat.scores.definitions import asked_names
from beaver_compat.scores.tasks import asks_for_all
from beaver_compat.scores.times import asks_for_times
from beaver_compat.scores.word_forms import formed_ids, forms_of, odd_words, words_of
from beaver_compat.text.characters import Characters, inside_number
from beaver_compat.tokenization import Tokenizer

Positions = NDArray[np.int64]


class Query(NamedTuple):
    """What ranks a document.

    Attributes:
        ids: token ids, int32 [K].
        inside: True for each token that begins inside a number, bool [K].
        word_sizes: tokens of the word that each token is of, int64 [K].
        numeric: True for each token of a word with a digit, bool [K].
        forms: vocabulary ids of its tokens in all cases, and the index of the token that each is one of, int64 [T]
            each; none where case counts.
        numbers: where it asks for an amount or a date, or for nothing, the words for one (`number_words`); else None.
        vague: whether it doesn't tell what is looked for.
        names: its words that the text may define (`definitions`).
        times: whether it asks at what time of a recording something is said.
    """

    ids: NDArray[np.int32]
    inside: NDArray[np.bool_]
    word_sizes: Positions
    numeric: NDArray[np.bool_]
    forms: tuple[Positions, Positions]
    numbers: NumberWords | None
    vague: bool
    names: tuple[str, ...]
    times: bool


def read_question(tokenizer: Tokenizer, question: str, config: BeaverConfig) -> Query:
    """A question as a query.

    Args:
        tokenizer: of the embedding table.
        question: its text.
        config: the settings.
    """
    ids, offsets, _ = tokenizer.encode([question])
    characters, (starts, ends) = Characters(question), offsets.T.astype(np.int64)
    if config.fold_words:
        ids = formed_ids(ids, starts, ends, question, odd_words(characters), tokenizer.encode)
    inside = inside_number(characters, starts)
    return make_query(ids, inside, characters, starts, ends, question, tokenizer, config)


def make_query(
    ids: NDArray[np.int32],
    inside: NDArray[np.bool_],
    characters: Characters,
    starts: Positions,
    ends: Positions,
    asked: str,
    tokenizer: Tokenizer,
    config: BeaverConfig,
    asks: bool = True,
) -> Query:
    """A query from its tokens.

    Args:
        ids: int32 [K].
        inside: True for each token that begins inside a number, bool [K].
        characters: of the text that it stands in.
        starts, ends: of its tokens there, int64 [K].
        asked: its text.
        tokenizer: of the embedding table.
        config: the settings.
        asks: False where it is but the end of a text.
    """
    vague = not asks or asks_for_all(asked)
    none = np.zeros(0, dtype=np.int64)
    return Query(
        ids,
        inside,
        *words_of(characters, starts, ends),
        forms_of(tokenizer, ids) if config.fold_words else (none, none),
        number_words(tokenizer) if config.number_weight > 0 and (vague or asks_for_number(asked)) else None,
        vague,
        asked_names(asked) if config.heading_weight > 0 else (),
        asks_for_times(asked),
    )
