"""Recovery of quotes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_samples import CONTEXTS, HARBOUR, OBSERVATORY, QUESTION

from beaver_compat import BeaverPromptCompressor
from beaver_compat.face.recovery import Original, recovered


def test_quotes_of_verbatim_text_come_back_unchanged(compressor: BeaverPromptCompressor) -> None:
    compressed = compressor.compress_prompt(CONTEXTS, question=QUESTION, rate=0.4)["compressed_prompt"]
    original = "\n\n".join([*CONTEXTS, QUESTION])
    for response in (
        compressed,
        "As the text says:  “" + OBSERVATORY[40:160] + "”.\n\n\tYes.",
        "Nothing of it.",
        QUESTION,
    ):
        assert compressor.recover(original, compressed, response) == response


@pytest.mark.parametrize(
    "texts", [("", "", ""), ("a b", "", "a b"), ("", "a b", "a b"), ("a b", "a b", ""), (" ", " ", " \n")]
)
def test_empty_input_is_no_error(compressor: BeaverPromptCompressor, texts: tuple[str, str, str]) -> None:
    assert compressor.recover(*texts) == texts[2]


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("built 1871 engineer Clara", "built in 1871 by the engineer Clara"),
        ("Answer: built 1871 engineer Clara, and more", "Answer: built in 1871 by the engineer Clara, and more"),
        ("built", "built"),
        ("engineer built", "engineer built"),
        ("built  1871", "built in 1871"),
    ],
)
def test_quotes_of_a_prompt_without_some_words(response: str, expected: str) -> None:
    assert recovered(HARBOUR, "harbour built 1871 engineer Clara Clara, lighthouse", response) == expected


SENTENCES = (
    "The observatory owns a refractor of 66 centimetres. The comet of 1910 was photographed there by Ilse Varga."
)
WITHOUT_FULL_STOP = "observatory owns refractor 66 centimetres. comet 1910 photographed Ilse Varga"


@pytest.mark.parametrize(
    ("compressed", "response", "expected"),
    [
        (
            WITHOUT_FULL_STOP,
            "The text says: comet 1910 photographed Ilse Varga",
            "The text says: comet of 1910 was photographed there by Ilse Varga",
        ),
        (
            WITHOUT_FULL_STOP,
            "(comet 1910 photographed Ilse Varga!)",
            "(comet of 1910 was photographed there by Ilse Varga!)",
        ),
        (WITHOUT_FULL_STOP, WITHOUT_FULL_STOP, SENTENCES[len("The ") : -1]),
        (
            "comet of 1910 photographed Varga",
            "comet of 1910 photographed Varga.",
            "comet of 1910 was photographed there by Ilse Varga.",
        ),
    ],
)
def test_signs_do_not_hide_a_quote(compressed: str, response: str, expected: str) -> None:
    assert recovered(SENTENCES, compressed, response) == expected


def test_lines_are_quotes_by_themselves() -> None:
    original = "Ferries leave at 7:15. It rains. The mole is\nlong."
    compressed = "Ferries leave at 7:15.\nThe mole is long."
    assert recovered(original, compressed, compressed) == compressed


def test_the_shortest_stretch_is_taken() -> None:
    assert recovered("a x x b then a y b", "a b", "a b") == "a y b"
    for left_out, expected in ((10, "a " + "x " * 10 + "b"), (11, "a b")):
        assert recovered("a " + "x " * left_out + "b", "a b", "a b") == expected


def test_words_are_quoted_whole() -> None:
    assert recovered("ab a b a b x a", "b a b a", "b a b a") == "b a b x a"


def test_long_repetitive_texts_end() -> None:
    original = "a b " * 20_000
    assert recovered(original, "a a " * 20_000, "a a " * 20_000).split()
    late = ("a " * 29_999 + "b ") * 2 + "a b " * 10_000
    quote = "a " * 30_000
    assert recovered(late, quote, quote) == f"{late[:59_998]}b a "
    assert recovered("a " * 50_000 + "b " * 50_000, "b a", "b a\n" * 25_000) == "b a\n" * 25_000


def slow_window(text: str, quote: tuple[str, ...]) -> tuple[int, int] | None:
    """Every place tried word by word."""
    words = list(re.finditer(r"\w+|[^\w\s]", text))
    found = []
    for first in range(len(words)):
        taken: list[int] = []
        for word in quote:
            near = range(taken[-1] + 1, min(taken[-1] + 12, len(words))) if taken else [first]
            place = next((place for place in near if words[place][0] == word), None)
            if place is None:
                break
            taken.append(place)
        if len(taken) == len(quote):
            found.append((taken[-1] - first, words[first].start(), words[taken[-1]].end()))
        if taken and [match[0] for match in words[first : first + len(quote)]] == [*quote]:
            return None
    return min(found)[1:] if found else None


@given(
    st.lists(st.sampled_from(["a", "b", "ab", ".", " ", "\n", "x " * 5]), max_size=60).map(" ".join),
    st.lists(st.lists(st.sampled_from(["a", "b", "ab", "."]), min_size=2, max_size=9).map(tuple), max_size=9),
)
def test_windows_are_those_of_a_slow_search(text: str, quotes: list[tuple[str, ...]]) -> None:
    source = Original(text)
    assert [source.window(quote) for quote in quotes] == [slow_window(text, quote) for quote in quotes]


@given(st.text(alphabet="ab \n"), st.text(alphabet="ab \n"))
def test_a_response_without_quotes_is_left_alone(original: str, response: str) -> None:
    assert recovered(original, "c d", response) == response
    assert recovered(original, original, original) == original
