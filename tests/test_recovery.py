"""Recovery of quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_samples import CONTEXTS, HARBOUR, OBSERVATORY, QUESTION

from beaver_compat import BeaverPromptCompressor
from beaver_compat.recovery import recovered


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
    assert recovered("a " + "x " * 11 + "b", "a b", "a b") == "a b"


def test_long_repetitive_texts_end() -> None:
    original = "a b " * 20_000
    assert recovered(original, "a a " * 20_000, "a a " * 20_000).split()


@given(st.text(alphabet="ab \n"), st.text(alphabet="ab \n"))
def test_a_response_without_quotes_is_left_alone(original: str, response: str) -> None:
    assert recovered(original, "c d", response) == response
    assert recovered(original, original, original) == original
