"""The `beaver` command as a Unix tool."""

from __future__ import annotations

import codecs
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from huggingface_hub import constants

import beaver_compat
from beaver_compat.cli import _read, main
from beaver_compat.errors import InputValueError

DOCUMENT = str(Path(__file__).resolve().parent.parent / "docs/demo/gpl-3.0.txt")
COMMAND = [sys.executable, "-m", "beaver_compat.cli"]


def run(*arguments: str, given: bytes = b"", command: str = "compress") -> subprocess.CompletedProcess[bytes]:
    whole = [*COMMAND, command, "--token-counter", "table", *arguments]
    return subprocess.run(whole, input=given, capture_output=True, timeout=120, check=False)


def test_text_from_a_file_and_from_standard_input() -> None:
    options = ("-t", "200", "-q", "Who may convey verbatim copies?")
    from_file = run(DOCUMENT, *options)
    from_input = run(*options, given=Path(DOCUMENT).read_bytes())
    assert from_file.returncode == from_input.returncode == 0
    assert from_file.stdout == from_input.stdout
    assert from_file.stdout.endswith(b"Who may convey verbatim copies?\n")
    assert from_file.stderr == b""
    assert run("-t", "9" * 400, given=b"One. Two.\n").stdout == b"One. Two.\n"


def test_json_has_llmlinguas_fields_and_the_spans() -> None:
    result = json.loads(run(DOCUMENT, "-", "--json", "-t", "150", given=b"Another context. ").stdout)
    assert result["compressed_tokens"] <= 150
    assert {span["context_index"] for span in result["spans"]} <= {0, 1}
    assert result["ratio"].endswith("x")
    assert (result["budget"], result["within_budget"]) == (150, True)


def test_a_budget_that_instruction_and_question_alone_exceed_is_told() -> None:
    options = (DOCUMENT, "-q", "Who may convey verbatim copies of it?", "--instruction", "Read this.")
    done = run(*options, "-t", "3")
    assert (done.returncode, done.stdout) == (0, b"Read this.\n\nWho may convey verbatim copies of it?\n")
    told = b"beaver: warning: instruction and question alone have %d tokens, and the budget is 3; "
    as_json = run(*options, "-t", "3", "--json")
    result = json.loads(as_json.stdout)
    assert (result["budget"], result["within_budget"]) == (3, False)
    assert done.stderr == as_json.stderr
    assert done.stderr.startswith(told % result["compressed_tokens"])
    assert done.stderr.count(b"\n") == 1
    assert run(*options, "-t", str(result["compressed_tokens"])).stderr == b""


def test_an_empty_input_is_told() -> None:
    done = run("-t", "50", "-q", "Who?", given=b" \n")
    assert (done.returncode, done.stdout) == (0, b" \n\n\nWho?\n")
    assert done.stderr == b"beaver: warning: there is no text to compress; the input is empty\n"


def test_text_in_other_encodings(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    text = "Grüße aus Köln, Łódź."
    for given, encoding in (
        (text.encode(), "utf-8"),
        (text.encode("utf-8-sig"), "utf-8"),
        (text.encode("utf-16"), "utf-8"),
        (text.encode("utf-32"), "utf-8"),
        (text.encode("utf-16-be"), "utf-16-be"),
        (text.encode("iso8859-2"), "iso8859-2"),
    ):
        file.write_bytes(given)
        assert _read(str(file), encoding) == text
    done = run("-r", "1", "--encoding", "latin-1", given="Grüße".encode("latin-1"))
    assert done.stdout == "Grüße\n".encode()
    assert run("-r", "1", "--encoding", "klingon", given=b"a").returncode == 2


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    step = "; name the encoding, such as --encoding latin-1, or give a text file\n"
    for data, told in (
        ("Grüße".encode("latin-1"), "byte 2 (0xFC) is no text in utf-8"),
        (codecs.BOM_UTF16_LE + b"a\0\0\xd8", "byte 4 (0x00) is no text in utf-16-le"),
    ):
        done = run("-t", "9", given=data)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode() == f"beaver: standard input: {told}{step}"
    file.write_bytes("Grüße".encode("latin-1"))
    for command in ("compress", "compare"):
        assert run(str(file), "-t", "9", command=command).stderr.startswith(f"beaver: {file}: byte 2 (0xFC)".encode())


@pytest.mark.parametrize("encoding", ["punycode", "utf-7", "unicode_escape"])
def test_what_an_encoding_makes_no_text_of_is_refused(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "damaged.txt"
    file.write_bytes(rb"a\ud800 b. +2AA- x")
    with pytest.raises(
        InputValueError, match=f"damaged.txt: (this|byte .*) is no text in {encoding}; name the encoding"
    ):
        _read(str(file), encoding)


def test_nul_characters_are_kept_where_the_encoding_is_named(tmp_path: Path) -> None:
    file = tmp_path / "nul.txt"
    for data, place, encoding in (
        (b"a\0b. nul here.", 1, "utf-8"),
        (codecs.BOM_UTF8 + "ü\0b".encode(), 5, "utf-8"),
        (codecs.BOM_UTF16_LE + "ü\0b".encode("utf-16-le"), 4, "utf-16-le"),
    ):
        file.write_bytes(data)
        with pytest.raises(InputValueError) as told:
            _read(str(file), None)
        assert str(told.value) == (
            f"{file}: byte {place} is a NUL character; remove it, or name the encoding: such as --encoding utf-16-le "
            f"for UTF-16, or --encoding {encoding} to keep the character"
        )
        assert "\0b" in _read(str(file), encoding)
    done = run("-t", "20", "--encoding", "latin-1", given=b"a\0b. nul here.")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"a\0b. nul here.\n", b"")


def run_closed(stream: str, *arguments: str) -> tuple[int, bytes, bytes]:
    whole = ["sh", "-c", f'exec "$@" {stream}&-', "sh", *COMMAND, *arguments]
    done = subprocess.run(whole, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("options", [["compress"], ["compress", "--json"], ["compare"]])
def test_a_closed_standard_output_or_input_is_told(options: list[str]) -> None:
    told = b"beaver: standard output is closed; send it to a file, a pipe or /dev/null\n"
    assert run_closed(">", *options, DOCUMENT, "-t", "9") == (1, b"", told)
    told = b"beaver: standard input is closed; give a FILE, or pipe the text in\n"
    assert run_closed("<", *options, "-", "-t", "9") == (1, b"", told)


def test_messages_are_no_output_where_standard_error_is_closed() -> None:
    assert run_closed("2>", "compress", "no-such-file", "-t", "9") == (1, b"", b"")


def test_a_page_that_can_not_be_written_is_told_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # the command sets it
    command = ["compare", DOCUMENT, "-t", "9", "--token-counter", "table"]
    for name, reason in ((tmp_path, "Is a directory"), (tmp_path / "no/page.html", "No such file or directory")):
        assert main([*command, "--against", "xx", "--html", str(name)]) == 1
        assert capsys.readouterr() == ("", f"beaver: {name}: {reason}\n")
    (tmp_path / "old.html").write_text("kept")
    for page in ("old.html", "new.html"):
        assert main([*command, "--against", "xx", "--html", str(tmp_path / page)]) == 1
        assert "--against has 'xx'" in capsys.readouterr().err
        assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("old.html", "kept")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_the_table_is_printed_before_the_page_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    assert main(["compare", DOCUMENT, "-t", "9", "--token-counter", "table", "--html", "/dev/full"]) == 1
    printed, told = capsys.readouterr()
    assert printed.startswith("compressor ")
    assert told == "beaver: [Errno 28] No space left on device\n"


def test_the_version() -> None:
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"beaver {beaver_compat.__version__}\n"


def test_errors_name_the_command_and_go_to_standard_error() -> None:
    missing = run("no-such-file", "-t", "10")
    assert missing.returncode == 1
    assert missing.stdout == b""
    assert missing.stderr == b"beaver: no-such-file: No such file or directory\n"
    assert run(DOCUMENT, "-t", "1.5").stderr.endswith(
        b": '1.5' is no number of tokens; give a whole number, such as 500\n"
    )
    for wrong in (("-t", "x"), ("-r", "1.5"), (), ("-t", "5", "-r", "0.5")):
        assert run(DOCUMENT, *wrong).returncode == 2


def test_messages_name_options_not_arguments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # the command sets it
    for command, option, value, begin, end in (
        ("compress", "--device", "foo", "--device 'foo' isn't known: use one of cpu, ", "."),
        ("compress", "--language", "xx", "--language 'xx' has no sentence rules", ", zh, or leave it out"),
        ("compress", "--token-counter", "xx", "--token-counter is 'xx', and tiktoken", 'or "cl100k_base", or "table".'),
        ("compress", "--model", "a/b", "model 'a/b' isn't in", "set HF_TOKEN; or give a local folder, or no --model."),
        ("compare", "--against", "xx", "--against has 'xx'; there are ", ""),
        ("compare", "--answer", "xx", "--answer is 'xx', which doesn't stand in the text; ", "do, or leave it out"),
    ):
        assert main([command, DOCUMENT, "-t", "9", "--token-counter", "table", option, value]) == 1
        told = capsys.readouterr().err
        assert told.startswith(f"beaver: {begin}")
        assert told.endswith(f"{end}\n")


def test_the_warning_of_a_vocabulary_that_can_not_be_had(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    done = subprocess.run([*COMMAND, "compress", "-t", "9"], input=b"a b", capture_output=True, check=True)
    assert done.stdout == b"a b\n"
    assert done.stderr.startswith(b"beaver: warning: tokens are counted with the embedding table's tokenizer")
    assert done.stderr.endswith(b"or give --token-counter table.\n")


@pytest.mark.parametrize(
    ("command", "wrong", "near"),
    [
        (["compress", "--targettoken", "9", DOCUMENT], "--targettoken", "--target-token"),
        (["compress", DOCUMENT, "-t", "9", "--quesion=Why?"], "--quesion", "--question"),
        (["compare", DOCUMENT, "--agianst", "first"], "--agianst", "--against"),
    ],
)
def test_a_misspelt_option(capsys: pytest.CaptureFixture[str], command: list[str], wrong: str, near: str) -> None:
    with pytest.raises(SystemExit) as refused:
        main(command)
    assert refused.value.code == 2
    told = capsys.readouterr().err
    assert f"there is no option {wrong}. Did you mean '{near}'?" in told
