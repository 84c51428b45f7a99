"""The other side of `rival_worker.py`: starts a rival, hands it texts, and sets its times beside ours."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

import numpy as np

WARM_UPS = 1
RUNS = 3
EXIT_SECONDS = 10.0  # that a process may take to end
MS = 1000.0

Prompt = tuple[str, str]  # text and question


class RivalError(Exception):
    """The rival can't be had, or failed; the message says why."""


class Rival:
    """A rival's process; `about` is the first thing that it said.

    Args:
        command: starts `rival_worker.py`.

    Raises:
        RivalError: it did not load.
    """

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
        except OSError as error:
            raise RivalError(f"{command[0]} can't be started: {error}") from error
        try:
            self.about = self._answer()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Rival:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def compress(self, prompt: Prompt, target: int) -> dict[str, Any]:
        """Seconds of one call, the text's tokens as the rival counts them, and those of the compressed prompt.

        Raises:
            RivalError: the call failed, or the process ended.
        """
        text, question = prompt
        with suppress(BrokenPipeError):  # it has ended: there will be no answer
            print(
                json.dumps({"text": text, "question": question, "target": target}),
                file=self._process.stdin,
                flush=True,
            )
        return self._answer()

    def close(self) -> None:
        """End the process."""
        try:
            self._process.communicate(timeout=EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RivalError(f"its process ended with code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RivalError(answer["error"])
        return answer


def portable_tokenizer() -> str:
    """Llama-2's tokenizer.json, from the default embedding table, in a form that older tokenizers can read."""
    from beaver_compat.embeddings import load_table

    made = json.loads(load_table().tokenizer.to_str())
    made["model"]["merges"] = [" ".join(pair) for pair in made["model"]["merges"]]
    return json.dumps(made)


def measure_rival(
    command: Sequence[str], prompts: Mapping[int, Sequence[Prompt]], targets: Mapping[int, int]
) -> dict[str, Any]:
    """A rival's times, length by length until it fails.

    Args:
        command: starts it.
        prompts: by length in tokens, those of the warm-ups and of the runs.
        targets: tokens to keep, by length.

    Returns:
        `about` and `versions` of the rival, `rows` (a dict for each length) and `error`, each where there is one.
    """
    found: dict[str, Any] = {"rows": []}
    try:
        with Rival(command) as rival:
            found |= rival.about
            for length, texts in prompts.items():
                answers = [rival.compress(prompt, targets[length]) for prompt in texts][WARM_UPS:]
                milliseconds = [MS * answer["seconds"] for answer in answers]
                found["rows"].append(
                    {
                        "length": length,
                        "own_tokens": int(np.median([answer["tokens"] for answer in answers])),
                        "compressed_tokens": int(np.median([answer["compressed_tokens"] for answer in answers])),
                        "p50": round(float(np.median(milliseconds)), 3),
                        "milliseconds": [round(value, 3) for value in milliseconds],
                    }
                )
    except RivalError as error:
        found["error"] = str(error)
    return found
