"""The same texts in other wrappings: what is kept of the answers hardly depends on how a program hands a text over."""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from beaver_compat import BeaverPromptCompressor
from benchmarks.samples import Sample, read_samples

TEXTS = Path(__file__).parent.parent / "benchmarks" / "texts" / "english.jsonl.gz"
SAMPLES = list(read_samples(TEXTS))[::4]
BUDGET = 150


def paragraphs(text: str) -> str:
    """As HTML on one line."""
    blocks = (html.escape(block, quote=False).replace("\n", "<br>") for block in text.split("\n\n"))
    return "<html><body>" + "".join(f"<p>{block}</p>" for block in blocks) + "</body></html>"


def unescaped(kept: str) -> str:
    """What a string of JSON or Python stands for, also where it was cut."""
    kept = re.sub(r"\\+n", "\n", kept)
    return re.sub(r"\\+([\"'])", r"\1", kept).replace("\\t", "\t")


# How a text is written, and how what is kept of it is read.
FORMS: dict[str, tuple[Callable[[str], str], Callable[[str], str]]] = {
    "JSON": (lambda text: json.dumps({"id": 7, "text": text, "ok": True}, ensure_ascii=False), unescaped),
    "one value": (lambda text: json.dumps({"text": text}, ensure_ascii=False), unescaped),
    "JSON over lines": (lambda text: json.dumps({"text": text}, ensure_ascii=False, indent=2), unescaped),
    "JSON in JSON": (
        lambda text: json.dumps({"r": json.dumps({"t": text}, ensure_ascii=False)}, ensure_ascii=False),
        unescaped,
    ),
    "JSON lines": (
        lambda text: "\n".join(
            json.dumps({"text": part}, ensure_ascii=False) for part in (text, "No answer stands here.")
        ),
        unescaped,
    ),
    "Python": (repr, unescaped),
    "objects": (lambda text: f"[Document(page_content={text!r}, metadata={{'source': 'a.md'}})]", unescaped),
    "log": (lambda text: f"10:00:02 INFO body={json.dumps(text, ensure_ascii=False)}\n10:00:03 INFO done", unescaped),
    "HTML": (paragraphs, lambda kept: html.unescape(re.sub(r"<[^<>]*>", " ", kept))),
    "YAML": (lambda text: "source: a.md\ncontent: |\n" + textwrap.indent(text, "  "), str),
    "Windows": (lambda text: text.replace("\n", "\r\n"), str),
    "quoted": (lambda text: re.sub(r"(?m)^", "> ", text), lambda kept: re.sub(r"(?m)^> ?", "", kept)),
    "numbered": (
        lambda text: "".join(f"{at:6d}\t{line}\n" for at, line in enumerate(text.split("\n"), 1)),
        lambda kept: re.sub(r"(?m)^ *\d+\t", "", kept),
    ),
}


def retention(compressor: BeaverPromptCompressor, write: Callable[[str], str], read: Callable[[str], str]) -> float:
    """The mean over the samples, in percent."""
    found = []
    for sample in SAMPLES:
        kept = compressor.compress(
            write(sample.context), question=sample.question, target_token=BUDGET, concate_question=False
        )
        assert kept.compressed_tokens <= BUDGET
        found.append(sample.retention(read(kept.compressed_prompt)))
    return 100 * sum(value for value in found if value is not None) / len(found)


@pytest.fixture(scope="module")
def plain(compressor: BeaverPromptCompressor) -> float:
    return retention(compressor, str, str)


def test_the_texts_hold_their_answers() -> None:
    assert len(SAMPLES) == 75
    for write, read in FORMS.values():
        held: list[Sample] = [sample for sample in SAMPLES if sample.retention(read(write(sample.context))) == 1]
        assert len(held) >= len(SAMPLES) - 1


@pytest.mark.parametrize("form", FORMS)
def test_a_text_is_found_in_any_form(compressor: BeaverPromptCompressor, plain: float, form: str) -> None:
    """The wrapping takes a part of the budget, and a few answers may go for it."""
    assert plain > 88
    found = retention(compressor, *FORMS[form])
    assert found > plain - 8, (form, found, plain)
