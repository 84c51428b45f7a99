"""Side by side: the table, the page, and what is said of a compressor that can't run."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import beaver_compat
from beaver_compat import BeaverPromptCompressor, Comparison, InputTypeError, InputValueError, comparison
from beaver_compat.answers import stands_in
from beaver_compat.rivals import RIVALS, Compress, using

TEXT = "".join(f"Fact {n} is that mill {n} stood in valley {n * 7}.\n" for n in range(200))
TEXT = f"{TEXT}The zebra hid under the wooden bridge.\n{TEXT}"
QUESTION = "Where did the zebra hide?"
HOSTILE = "<script>alert(\"x\")</script> & 'quoted' \ud800 \0 </pre></body>"


def first_words(name: str) -> Compress:
    """Stands in for a rival: keeps the first words, and far too many of them if it is called greedy."""
    return lambda context, question, target: " ".join(
        context.split()[: target * (9 if name == "llmlingua" else 1) // 3]
    )


@pytest.fixture
def rivals(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> Compress:
        if name == "longllmlingua":
            raise OSError("no weights at all\nand a long story")
        if name == "llmlingua2-small":
            raise ModuleNotFoundError("No module named 'accelerate'", name="accelerate")
        if name == "selective-context":
            raise ModuleNotFoundError("No module named 'selective_context'", name="selective_context")
        return first_words(name)

    monkeypatch.setattr(comparison, "load_rival", load)


def compared(
    compressor: BeaverPromptCompressor, context: str = TEXT, answer: str | None = "wooden bridge"
) -> Comparison:
    return beaver_compat.compare(TEXT, QUESTION, 100, against=list(RIVALS), answer=answer, compressor=compressor)


def test_the_same_budget_and_counter_for_all(compressor: BeaverPromptCompressor, rivals: None) -> None:
    found = compared(compressor)
    by_name = {row.name: row for row in found.rows}
    assert list(by_name) == ["beaver", *RIVALS]
    for row in found.rows:
        assert row.tokens == (compressor.counter(row.prompt) if row.prompt else 0)
        assert row.prompt.endswith(QUESTION) or row.error
    assert (by_name["beaver"].answer_kept, by_name["llmlingua2"].answer_kept) == (True, False)
    assert by_name["beaver"].tokens <= found.budget < by_name["llmlingua"].tokens


def test_the_table(compressor: BeaverPromptCompressor, rivals: None) -> None:
    header, original, ours, *others = compared(compressor).table().split("\n")
    assert header.split() == ["compressor", "tokens", "ratio", "budget", "ms", "answer"]
    assert original.split()[0] == "original"
    assert ours.split()[3::2] == ["kept", "kept"]
    assert "missed by" in others[0]
    assert others[1] == "longllmlingua      not run: OSError: no weights at all"
    step = "pip install --no-deps selective-context==0.1.4; pip install nltk 'spacy>=3.7'; python -m spacy download"
    assert others[-1].endswith(f"not run: selective_context isn't installed: {step} en_core_web_sm")
    assert others[3].endswith("not run: accelerate isn't installed: pip install accelerate")
    assert compared(compressor, answer=None).table().split("\n")[0].split()[-1] == "ms"


def test_what_is_printed_is_the_table(compressor: BeaverPromptCompressor) -> None:
    found = beaver_compat.compare(TEXT, QUESTION, 100, compressor=compressor)
    assert str(found) == found.table()
    assert repr(found) == f"Comparison(beaver: {found.origin_tokens:,} tokens to 100, counter='table')"


class Reader(HTMLParser):
    """Collects tags and text, as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_text_stays_text(compressor: BeaverPromptCompressor, rivals: None) -> None:
    hostile = beaver_compat.compare(
        HOSTILE + TEXT, HOSTILE, 150, against=["llmlingua2"], answer=HOSTILE, compressor=compressor
    )
    page = hostile.html()
    reader = Reader()
    reader.feed(page)
    harmless = beaver_compat.compare(TEXT, "Where?", 150, against=["llmlingua2"], compressor=compressor).html()
    plain = Reader()
    plain.feed(harmless)
    assert set(reader.tags) == set(plain.tags)
    assert "script" not in reader.tags
    assert 'alert("x")' in reader.text
    page.encode("utf-8")


def test_the_page_shows_all_of_the_text(compressor: BeaverPromptCompressor, rivals: None) -> None:
    found = compared(compressor)
    reader = Reader()
    reader.feed(found.html())
    assert TEXT in reader.text
    assert reader.tags.count("mark") == len(found.spans)
    assert reader.tags.count("section") == len([row for row in found.rows if not row.error]) > 1
    assert f"Question: {QUESTION}Tokens are counted by table;" in reader.text.replace("\n", "")
    assert reader.text.count("not run: ") == len([row for row in found.rows if row.error]) > 1


def test_the_second_of_two_calls_is_timed(compressor: BeaverPromptCompressor, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    calls = []
    monkeypatch.setattr(comparison, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(
        compressor, "compress", lambda *given, **named: calls.append(next(clock)) or plain(*given, **named)
    )
    monkeypatch.setattr(comparison, "load_rival", lambda name: lambda *given: calls.append(next(clock)) or "text")
    plain = type(compressor).compress.__get__(compressor)
    rows = beaver_compat.compare(TEXT, QUESTION, 100, against=["llmlingua"], compressor=compressor).rows
    assert [row.milliseconds for row in rows] == [2000.0, 2000.0]
    assert calls == [0, 2, 4, 6]


def test_arguments_that_can_not_be_used() -> None:
    with pytest.raises(InputValueError, match="against has 'gzip'; there are llmlingua"):
        beaver_compat.compare(TEXT, against=["gzip"])
    with pytest.raises(InputTypeError, match="give a list of names"):
        beaver_compat.compare(TEXT, against="llmlingua")
    with pytest.raises(InputTypeError, match="compressor is of type str: 'x'; give a BeaverPromptCompressor"):
        beaver_compat.compare(TEXT, "q", 50, compressor="x")  # type: ignore[arg-type]
    for answer in ("a loose bolt", "wooden bri", ""):
        with pytest.raises(InputValueError, match=f"answer is '{answer}', which doesn't stand in the text; give words"):
            beaver_compat.compare(TEXT, answer=answer)
    with pytest.raises(InputTypeError, match="answer is of type int: 7; give a string"):
        beaver_compat.compare(TEXT, answer=7)  # type: ignore[arg-type]


def test_rivals_are_called_as_they_are_published() -> None:
    calls = []

    class Lingua:
        def compress_prompt(self, contexts: list[str], **options: object) -> dict[str, object]:
            calls.append((contexts, options))
            return {"compressed_prompt": "kept"}

    for name in ("longllmlingua", "llmlingua2"):
        assert using(Lingua(), name)("a\n\nb", "q", 7) == "kept"
    (long_contexts, long_options), (contexts, options) = calls
    assert (long_contexts, contexts) == (["a", "b"], ["a\n\nb"])
    assert long_options["rank_method"] == "longllmlingua"
    assert options["force_tokens"] == ["\n", "?", "!", "."]
    assert all(one["target_token"] == 7 and one["concate_question"] is False for one in (long_options, options))


def test_answers() -> None:
    assert not stands_in("", "text")
    assert stands_in("12", "$12.")
    assert not stands_in("12", "112")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, page = tmp_path / "facts.txt", tmp_path / "page.html"
    file.write_text(TEXT)
    command = [sys.executable, "-m", "beaver_compat.cli", "compare", str(file), "-q", QUESTION, "-t", "100"]
    command += ["--answer", "wooden bridge", "--token-counter", "table", "--html", str(page)]
    (tmp_path / "selective_context.py").write_text("print('Loading')\nraise ImportError('no such luck')")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    done = subprocess.run([*command, "--against", "selective-context"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[2].split()[0] == "beaver"
    assert lines[3] == "selective-context  not run: ImportError: no such luck"
    assert done.stderr == f"Loading\nbeaver: outputs side by side in {page}\n"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    refused = subprocess.run([*command, "--against", "gzip"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("beaver: --against has 'gzip'")
