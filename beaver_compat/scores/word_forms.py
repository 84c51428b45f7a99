"""Words in the one form that they are scored in, wherever they stand, so that the question's meet the text's.

A vocabulary spells a word behind a space in other pieces than behind a bracket, a quote or a line end, as in the cells
of a table, and one in capitals in pieces that mean nothing.  Here each is read as it is spelt behind a space, and
LIABILITY as liability.  Only the ids change: a token keeps its place.  Case and number of pieces are no part of a word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from beaver_compat.models.offsets import byte_alphabet
from beaver_compat.segmenter import mixed
from beaver_compat.text.ascending import among, any_between, nexts, rises, union
from beaver_compat.text.characters import CHARACTERS_AT_ONCE, DIGIT, UPPER, WIDE, WORD, Characters, is_any
from beaver_compat.tokenization import Tokenized, Tokenizer

Positions = NDArray[np.int64]

_LEAST_CAPITALS = 4  # shorter ones are mostly names without a small form: IBM, USA; not the parts of CACHE_TTL
_LEAST_LETTERS, _MOST_LETTERS = 2, 40
_CONNECTORS = "-'\u2019./@&+_"  # between letters they make one word of two, spelt alike wherever it stands
_MARKERS = " \u2581#"  # what vocabularies write before words, or within them

_known: WeakKeyDictionary[Tokenizer, tuple[Positions, Positions, Positions]] = WeakKeyDictionary()


class OddWords(NamedTuple):
    """Words that stand in another form.

    Attributes:
        starts, ends: their characters, ascending, int64 [W].
        capital: True for those in capitals, bool [W].
    """

    starts: Positions
    ends: Positions
    capital: NDArray[np.bool_]


def odd_words(characters: Characters) -> OddWords:
    """Words of letters that no space stands before, and words of nothing but capitals."""
    capitals, capital_ends = _capital_words(characters)
    glued, glued_ends = _glued_words(characters)
    starts = union(capitals, glued)
    ends = np.empty_like(starts)
    ends[starts.searchsorted(glued)] = glued_ends
    ends[starts.searchsorted(capitals)] = capital_ends
    return OddWords(starts, ends, among(starts, capitals))


def _capital_words(characters: Characters) -> tuple[Positions, Positions]:
    """Long words of nothing but capitals, and shorter ones of names such as ``CACHE_TTL``."""
    points, classes = characters.points, characters.classes
    capitals = characters.places(UPPER)
    first = np.flatnonzero(rises(capitals, -2) > 1)
    lengths = nexts(first, capitals.size) - first
    likely = lengths >= _LEAST_LETTERS
    starts, lengths = capitals[first[likely]], lengths[likely]
    if not starts.size:
        return starts, starts
    ends = starts + lengths
    before, behind = np.maximum(starts - 1, 0), np.minimum(ends, points.size - 1)
    inside = ((starts > 0) & ((classes[before] & WORD) != 0)) | ((ends < points.size) & ((classes[behind] & WORD) != 0))
    whole = ~inside & ((lengths >= _LEAST_CAPITALS) | (points[before] == ord("_")) | (points[behind] == ord("_")))
    return starts[whole], ends[whole]


def _glued_words(characters: Characters) -> tuple[Positions, Positions]:
    """Words that no space stands before; what follows a connector within a word is none."""
    found = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    for low in range(0, characters.size, CHARACTERS_AT_ONCE):
        reach = CHARACTERS_AT_ONCE + _MOST_LETTERS + 1
        signs, kinds = _with_two_before(characters.points, low, reach), _with_two_before(characters.classes, low, reach)
        letter = (kinds & (WORD | DIGIT)) == WORD
        first = np.flatnonzero((letter[2:] > letter[1:-1])[:CHARACTERS_AT_ONCE]) + 2
        first = first[signs[first - 1] != ord(" ")]
        others = np.append(np.flatnonzero(~letter), letter.size)
        ends = others[others.searchsorted(first)]
        free = ((kinds[first - 1] | np.append(kinds, 0)[ends]) & (WORD | WIDE)) == 0  # a digit is of a word, too
        within = is_any(signs[first - 1], _CONNECTORS) & letter[first - 2]
        kept = free & ~within & (ends - first >= _LEAST_LETTERS) & (ends - first <= _MOST_LETTERS)
        found.append((first[kept] + low - 2, ends[kept] + low - 2))
    starts, ends = (np.concatenate(column) for column in zip(*found, strict=True))
    return starts, ends


def words_of(characters: Characters, starts: Positions, ends: Positions) -> tuple[Positions, NDArray[np.bool_]]:
    """The number of tokens of the word that each of some successive tokens is of, and whether the word has a digit.

    Args:
        characters: of the text.
        starts, ends: of the tokens, int64 [K].

    Returns:
        int64 [K] and bool [K].
    """
    numeric = any_between(characters.places(DIGIT), starts, ends)
    if not starts.size:
        return starts, numeric
    before, first = (characters.classes.take(starts + step, mode="clip") for step in (-1, 0))
    goes_on = ((before & first & WORD) != 0) & (starts > 0)
    goes_on |= starts == ends  # they share a character with others
    goes_on[0] = False
    word = np.cumsum(~goes_on) - 1
    return np.bincount(word)[word], np.bincount(word, numeric)[word] > 0


def forms_of(tokenizer: Tokenizer, ids: NDArray[np.int32]) -> tuple[Positions, Positions]:
    """The vocabulary ids that spell the same as some others but for case.

    Args:
        tokenizer: whose vocabulary it is.
        ids: int32 [K].

    Returns:
        Vocabulary ids, those given among them, and the index of the one that each is a form of, int64 [T] each.
    """
    groups, members, ordered = _cases(tokenizer)
    own = groups[ids]
    low = ordered.searchsorted(own)
    counts = ordered.searchsorted(own, side="right") - low
    formed = np.arange(ids.size).repeat(counts)
    within = np.arange(formed.size) - (counts.cumsum() - counts)[formed]
    return members[low[formed] + within], formed


def _cases(tokenizer: Tokenizer) -> tuple[Positions, Positions, Positions]:
    """For each vocabulary id the first that spells the same but for case; the ids in its order, and it for these.

    Each is int64 [V].
    """
    if tokenizer not in _known:
        vocabulary = tokenizer.backend.get_vocab(with_added_tokens=True)
        space = byte_alphabet()[ord(" ")]
        groups, first = np.arange(tokenizer.vocab_size), dict[str, int]()
        for token, index in vocabulary.items():
            spelt = token.replace(space, " ") if tokenizer.bytewise else token
            if len(spelt.strip(_MARKERS)) >= _LEAST_LETTERS and (spelt.isascii() or not tokenizer.bytewise):
                groups[index] = first.setdefault(spelt.lower(), index)
        members = np.argsort(groups, kind="stable")
        _known[tokenizer] = groups, members, groups[members]
    return _known[tokenizer]


def _with_two_before(values: NDArray[Any], low: int, reach: int) -> NDArray[Any]:
    """Values from two before a place on; 0 stands for those before the first."""
    part = values[max(low - 2, 0) : low + reach]
    return part if low >= 2 else np.concatenate([np.zeros(2 - low, dtype=values.dtype), part])


def formed_ids(
    ids: NDArray[np.int32],
    token_starts: Positions,
    token_ends: Positions,
    text: str,
    words: OddWords,
    encode: Callable[[Sequence[str]], Tokenized],
) -> NDArray[np.int32]:
    """Ids in which the tokens of each word are those of its one form: in order if it has as many, else by their place.

    Args:
        ids: int32 [L].
        token_starts, token_ends: characters of each token in ``text``, int64 [L].
        text: what was tokenized.
        words: of the text (`odd_words`).
        encode: the tokenizer.
    """
    low = token_ends.searchsorted(words.starts, side="right")
    counts = np.maximum(token_starts.searchsorted(words.ends) - low, 0)
    if not counts.any():
        return ids
    starts, ends, capital = (column[counts > 0] for column in words)
    low, counts = low[counts > 0], counts[counts > 0]
    limits = np.concatenate([[0], np.cumsum(counts)])
    at = np.repeat(low - limits[:-1], counts) + np.arange(limits[-1])
    # The same tokens in the same form are the same word: each is spelt only once.
    known = mixed(ids[at], limits) ^ capital.astype(np.uint64)
    _, first, which = np.unique(known, return_index=True, return_inverse=True)
    forms = [
        text[start:end].lower() if small else text[start:end]
        for start, end, small in zip(starts[first].tolist(), ends[first].tolist(), capital[first].tolist(), strict=True)
    ]
    found = encode([" " + " ".join(forms)])
    places = found.offsets[:, 0].astype(np.int64)
    begins = np.cumsum([1, *(len(form) + 1 for form in forms[:-1])])
    own_low = places.searchsorted(begins, side="right") - 1
    own_counts = places.searchsorted(begins + [len(form) for form in forms]) - own_low
    sizes = counts[first]
    own_limits = np.concatenate([[0], np.cumsum(sizes)])
    form = np.arange(first.size).repeat(sizes)  # of each token, as the words spell it
    word = first[form]
    token = np.arange(form.size) - own_limits[form]
    inside = (token_starts[low[word] + token] - starts[word]).clip(0, ends[word] - starts[word] - 1)
    by_place = places.searchsorted(begins[form] + inside, side="right") - 1
    chosen = np.where((own_counts == sizes)[form], own_low[form] + token, by_place)
    result = ids.copy()
    result[at] = found.ids[chosen][np.repeat(own_limits[which] - limits[:-1], counts) + np.arange(limits[-1])]
    return result
