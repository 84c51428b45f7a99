"""The `beaver` command as a Unix tool."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

DOCUMENT = str(Path(__file__).resolve().parent.parent / "docs/demo/gpl-3.0.txt")
COMMAND = [sys.executable, "-m", "beaver_compat.cli", "compress", "--token-counter", "table"]


def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], input=given, capture_output=True, timeout=120, check=False)


def test_text_from_a_file_and_from_standard_input() -> None:
    options = ("-t", "200", "-q", "Who may convey verbatim copies?")
    from_file = run(DOCUMENT, *options)
    from_input = run(*options, given=Path(DOCUMENT).read_bytes())
    assert from_file.returncode == from_input.returncode == 0
    assert from_file.stdout == from_input.stdout
    assert from_file.stdout.endswith(b"Who may convey verbatim copies?\n")
    assert from_file.stderr == b""


def test_json_has_llmlinguas_fields_and_the_spans() -> None:
    result = json.loads(run(DOCUMENT, "-", "--json", "-t", "150", given=b"Another context. ").stdout)
    assert result["compressed_tokens"] <= 150
    assert {span["context_index"] for span in result["spans"]} <= {0, 1}
    assert result["ratio"].endswith("x")


def test_bytes_that_are_no_utf8_survive() -> None:
    assert run("-r", "1", given=b"a\xff b\xfe").stdout == b"a\xff b\xfe\n"


def test_errors_name_the_command_and_go_to_standard_error() -> None:
    missing = run("no-such-file", "-t", "10")
    assert missing.returncode == 1
    assert missing.stdout == b""
    assert missing.stderr == b"beaver: no-such-file: No such file or directory\n"
    for wrong in (("-t", "x"), ("-r", "1.5"), (), ("-t", "5", "-r", "0.5")):
        assert run(DOCUMENT, *wrong).returncode == 2
