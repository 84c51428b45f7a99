"""The `beaver` command: text in, compressed prompt out; or the same text through several compressors.

Files are decoded strictly, so that what is kept is what they say; output is UTF-8.  Exit codes: 0 done, 1 an input or
model that can't be used, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import json
import os
import re
import signal
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from beaver_compat import __version__
from beaver_compat.arguments import nearest
from beaver_compat.errors import BeaverError, InputValueError
from beaver_compat.rivals import RIVALS

if TYPE_CHECKING:
    from beaver_compat.compressor import BeaverPromptCompressor
    from beaver_compat.result import CompressionResult

_FAILED, _INTERRUPTED = 1, 128 + signal.SIGINT
_MARKS = {  # byte order marks; UTF-32's begins with UTF-16's
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# How the library's messages name what are options here.
_SUBJECT = re.compile("^(?:token_counter|device_map|language|against|answer)\\b")
_OPTIONS = {"device_map": "--device", "token_counter": "--token-counter"}
_PHRASES = {
    'pass token_counter="table" or a function': "give --token-counter table",
    ', "table", or a function': ', or "table"',
    ", or None": ", or leave it out",
    " (or pass model_config={'token': ...})": "",
    "; or pass a local folder, or nothing for the bundled one": "; or give a local folder, or no --model",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    arguments = _parser().parse_args(argv)
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        if sys.stdout is None:  # its descriptor was closed before the start
            raise InputValueError("standard output is closed; send it to a file, a pipe or /dev/null")
        arguments.run(arguments)
    except (BeaverError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter complains at exit
        else:
            _tell(_told(error))
        return _FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


class _Command(argparse.ArgumentParser):
    """A command's parser, whose error for an option that it lacks names the nearest one, before any other error."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        options = [option for option in self._option_string_actions if option.startswith("--")]
        for name in (given.partition("=")[0] for given in takewhile("--".__ne__, args or ())):
            known = not name.startswith("--") or any(option.startswith(name) for option in options)
            if not known and (near := nearest(name, options)):
                self.error(f"there is no option {name}.{near}")
        return super().parse_known_args(args, namespace)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="beaver", description="Shorten prompts to what answers the question.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Command)
    compress = commands.add_parser(
        "compress",
        help="compress text to a token budget",
        description="Compress the contexts in FILEs (standard input by default) and print the prompt.",
    )
    compress.set_defaults(run=lambda arguments: _write(_compress(arguments), arguments.json))
    add = compress.add_argument
    add("files", nargs="*", metavar="FILE", help="one context each; - is standard input")
    add("--instruction", default="", help="printed before the text")
    budget = compress.add_mutually_exclusive_group(required=True)
    budget.add_argument(
        "-t", "--target-token", type=_tokens, default=-1, metavar="N", help="tokens of the whole prompt"
    )
    budget.add_argument(
        "-r", "--rate", type=_share, default=0.5, metavar="R", help="share of the tokens to keep, 0 to 1"
    )
    add("--no-question", action="store_true", help="use the question, but don't print it")
    add("--json", action="store_true", help="print LLMLingua's result as JSON, with the budget and every kept span")
    _add_shared(compress)
    compare = commands.add_parser(
        "compare",
        help="set compressors side by side on one text",
        description="Compress FILE with BEAVER and with others; print a table and write the outputs as a page. "
        "Each runs twice; the second run is timed.",
    )
    compare.set_defaults(run=_compare)
    add = compare.add_argument
    add("file", metavar="FILE", help="the context; - is standard input")
    add("-t", "--target-token", type=_tokens, required=True, metavar="N", help="tokens of the whole prompt")
    add("--against", default="", metavar="NAMES", help=f"comma-separated, of {', '.join(RIVALS)}")
    add("--answer", metavar="TEXT", help="words of the text; say whether each keeps them")
    add("--html", default="beaver-compare.html", metavar="FILE", help="the page (default: %(default)s)")
    _add_shared(compare)
    return parser


def _add_shared(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-q", "--question", default="", help="what the text is to answer; printed after it")
    add(
        "--encoding",
        type=_encoding,
        metavar="NAME",
        help="of the text, unless a byte order mark says it (default: utf-8, without NUL characters)",
    )
    add("--model", metavar="NAME", help="model or folder whose embedding table is used (default: the bundled one)")
    add("--device", default="auto", help="where scores are computed: auto, cpu, cuda ...")
    add("--token-counter", metavar="NAME", help='tiktoken model name, or "table" (default: gpt-3.5-turbo)')
    add("--language", metavar="CODE", help="of the sentence rules, such as en or de (default: by script)")


def _tokens(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of tokens; give a whole number, such as 500")
    return int(text)


def _share(text: str) -> float:
    share = -1.0
    with contextlib.suppress(ValueError):
        share = float(text)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return share


def _encoding(name: str) -> str:
    try:
        "a".encode(name)
    except (LookupError, UnicodeError):
        raise argparse.ArgumentTypeError(f"{name!r} is no encoding of text; give one such as latin-1") from None
    return name


def _compressor(arguments: argparse.Namespace) -> BeaverPromptCompressor:
    from beaver_compat.compressor import BeaverPromptCompressor  # after the files are known to be there: it loads torch

    return BeaverPromptCompressor(
        arguments.model,
        arguments.device,
        token_counter=arguments.token_counter,
        language=arguments.language,
    )


def _compress(arguments: argparse.Namespace) -> CompressionResult:
    contexts = [_read(name, arguments.encoding) for name in arguments.files or ["-"]]
    if not any(map(str.strip, contexts)):
        _tell("warning: there is no text to compress; the input is empty")
    return _compressor(arguments).compress(
        contexts,
        arguments.instruction,
        arguments.question,
        arguments.rate,
        arguments.target_token,
        concate_question=not arguments.no_question,
    )


def _compare(arguments: argparse.Namespace) -> None:
    from beaver_compat.comparison import compare

    context = _read(arguments.file, arguments.encoding)
    _check_writable(arguments.html)
    with contextlib.redirect_stdout(sys.stderr):  # others print while they load
        compared = compare(
            context,
            arguments.question,
            arguments.target_token,
            against=[name for name in arguments.against.split(",") if name],
            answer=arguments.answer,
            compressor=_compressor(arguments),
        )
    print(compared.table(), flush=True)
    with open(arguments.html, "w", encoding="utf-8", errors="replace") as page:
        page.write(compared.html())
    _tell(f"outputs side by side in {arguments.html}")


def _check_writable(name: str) -> None:
    """Refuse a file that can't be written before work is put into what it is to hold; it is left as it is."""
    there = os.path.exists(name)
    if there and not (os.path.isfile(name) or os.path.isdir(name)):
        return  # whoever reads a pipe would take the check for all of it
    with open(name, "ab"):
        pass
    if not there:
        os.remove(os.path.realpath(name))


def _read(name: str, named: str | None) -> str:
    """The text of a file or of standard input; refuses what is none in its encoding, naming the byte.

    A NUL hints at a text in two or four bytes a character, so that it is refused unless the encoding was named.
    """
    source = "standard input" if name == "-" else name
    data = _bytes(name)
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    encoding = _MARKS.get(mark) or named or "utf-8"
    try:
        text = data[len(mark) :].decode(encoding)
        text.encode()  # what some encodings make of damaged text can't be printed
    except UnicodeError as error:
        what = "this"
        if isinstance(error, UnicodeDecodeError):
            place = len(mark) + error.start
            what = f"byte {place} (0x{data[place]:02X})"
        raise InputValueError(
            f"{source}: {what} is no text in {encoding}; "
            "name the encoding, such as --encoding latin-1, or give a text file"
        ) from None
    before, nul, _ = text.partition("\0")
    if nul and not named:
        raise InputValueError(
            f"{source}: byte {len(mark) + len(before.encode(encoding))} is a NUL character; remove it, or name the "
            f"encoding: such as --encoding utf-16-le for UTF-16, or --encoding {encoding} to keep the character"
        )
    return text


def _bytes(name: str) -> bytes:
    if name != "-":
        with open(name, "rb") as file:
            return file.read()
    if sys.stdin is None:  # its descriptor was closed before the start
        raise InputValueError("standard input is closed; give a FILE, or pipe the text in")
    return sys.stdin.buffer.read()


def _write(result: CompressionResult, as_json: bool) -> None:
    text = result.compressed_prompt
    if as_json:
        fields: dict[str, Any] = {
            **result.to_llmlingua(),
            "budget": result.budget,
            "within_budget": result.within_budget,
            "spans": [asdict(span) for span in result.spans],
        }
        text = json.dumps(fields)
    if text and not text.endswith("\n"):
        text += "\n"
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))  # arguments may be any bytes
    sys.stdout.buffer.flush()
    if not result.within_budget:
        _tell(
            f"warning: instruction and question alone have {result.compressed_tokens:,} tokens, and the budget is"
            f" {result.budget:,}; they are never cut: shorten them, or raise the budget"
        )


def _told(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, BeaverError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return _with_options(str(error))


def _show_warning(message: Warning | str, *_: Any) -> None:
    _tell(f"warning: {_with_options(str(message))}")


def _tell(text: str) -> None:
    if sys.stderr is not None:  # else it would be printed among the output
        print(f"beaver: {text}", file=sys.stderr)


def _with_options(message: str) -> str:
    """A message of the library's with the command's options in the place of arguments."""
    for phrase, here in _PHRASES.items():
        message = message.replace(phrase, here)
    return _SUBJECT.sub(lambda found: _OPTIONS.get(found[0], f"--{found[0]}"), message)


if __name__ == "__main__":
    sys.exit(main())
