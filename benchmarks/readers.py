"""Readers: what answers a prompt.  An OpenAI-compatible endpoint, a local transformers model, or none.

Temperature 0 and seed 42.  Answers are kept under a key made of everything that was asked, so that a second run asks
nothing twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from benchmarks.errors import ReaderError, UnavailableError

TEMPERATURE = 0.0
SEED = 42
TIMEOUT = 120.0  # seconds that an endpoint may take for one answer
RETRIES = 6
Options = dict[str, Any]


class Reader(Protocol):
    """Answers prompts; safe to call from several threads."""

    name: str

    def __call__(self, prompt: str, max_tokens: int) -> str: ...


class Cache:
    """Answers by content, in one file that processes and threads may share.

    Args:
        file: made where it isn't there.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._kept = sqlite3.connect(file, check_same_thread=False, timeout=60)
        with self._lock, self._kept:
            self._kept.execute("create table if not exists answers (key text primary key, answer text not null)")

    def answer(self, asked: Options, ask: Callable[[], str]) -> str:
        """The kept answer to `asked`, else that of `ask`, which is kept."""
        key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        with self._lock:
            kept = self._kept.execute("select answer from answers where key = ?", (key,)).fetchone()
        if kept:
            return str(kept[0])
        answer = ask()
        with self._lock, self._kept:
            self._kept.execute("insert or replace into answers values (?, ?)", (key, answer))
        return answer

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._kept.close()


class Endpoint:
    """An OpenAI-compatible endpoint through the `openai` package, which retries errors, rate limits and timeouts.

    Args:
        url: such as http://127.0.0.1:8000/v1.
        model: as the endpoint names it.
        cache: keeps answers.
        timeout: seconds for one answer.
        retries: after the first try, each later than the last or as the server asks.

    Raises:
        UnavailableError: `openai` isn't installed.
        ReaderError: on a call: the endpoint can't be reached or refuses, after all retries.
    """

    def __init__(
        self, url: str, model: str, cache: Cache | None = None, timeout: float = TIMEOUT, retries: int = RETRIES
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise UnavailableError("the endpoint reader needs openai: pip install openai") from error
        self.name = f"{model} at {url}"
        self._model, self._cache, self._error = model, cache, openai.OpenAIError
        key = os.environ.get("OPENAI_API_KEY", "none")  # local servers want none
        self._client = openai.OpenAI(base_url=url, api_key=key, timeout=timeout, max_retries=retries)

    def __call__(self, prompt: str, max_tokens: int) -> str:
        asked: Options = {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": max_tokens,
            "temperature": TEMPERATURE,
            "seed": SEED,
        }

        def ask() -> str:
            try:
                answered = self._client.chat.completions.create(**asked)
            except self._error as error:
                raise ReaderError(f"reader {self.name}: {type(error).__name__}: {error}") from error
            return answered.choices[0].message.content or ""

        return self._cache.answer({"url": str(self._client.base_url), **asked}, ask) if self._cache else ask()


class Local:
    """A transformers model in this process; one prompt at a time.

    Args:
        model: name on the hub, or a folder.
        cache: keeps answers.
        device: such as cpu or cuda.

    Raises:
        UnavailableError: the model can't be had.
    """

    def __init__(self, model: str, cache: Cache | None = None, device: str = "cpu") -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(model)
            loaded: Any = AutoModelForCausalLM.from_pretrained(model, dtype="auto")
        except (OSError, ValueError) as error:
            raise UnavailableError(f"reader {model}: {str(error).splitlines()[0]}") from error
        self._model = loaded.to(device).eval()
        torch.manual_seed(SEED)
        self.name, self._cache, self._lock = model, cache, threading.Lock()

    def __call__(self, prompt: str, max_tokens: int) -> str:
        def ask() -> str:
            with self._lock:
                return self._generate(prompt, max_tokens)

        asked = {"local": self.name, "prompt": prompt, "max_tokens": max_tokens}
        return self._cache.answer(asked, ask) if self._cache else ask()

    def _generate(self, prompt: str, max_tokens: int) -> str:
        import torch

        if self._tokenizer.chat_template:
            prompt = self._tokenizer.apply_chat_template(
                [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
            )
        asked = self._tokenizer(prompt, return_tensors="pt").to(self._model.device)
        with torch.inference_mode():
            made = self._model.generate(**asked, max_new_tokens=max_tokens, do_sample=False)
        answer: str = self._tokenizer.decode(made[0, asked["input_ids"].shape[1] :], skip_special_tokens=True)
        return answer


Builder = Callable[[str, str, "Cache | None"], "Reader | None"]  # url, model, cache

READERS: dict[str, Builder] = {
    "none": lambda url, model, cache: None,
    "endpoint": lambda url, model, cache: Endpoint(url, model, cache),
    "transformers": lambda url, model, cache: Local(model, cache),
}


def make_reader(asked: str, model: str, cache: Cache | None) -> Reader | None:
    """The reader by name; an address stands for the endpoint there.

    Raises:
        UnavailableError: no such reader, no model named, or it can't be had.
    """
    name = "endpoint" if asked.startswith(("http://", "https://")) else asked
    if name not in READERS:
        raise UnavailableError(f"no reader {asked!r}; give an address or one of {', '.join(READERS)}")
    if name != "none" and not model:
        raise UnavailableError(f"reader {asked!r} needs --reader-model NAME")
    url = asked if name != asked else os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
    return READERS[name](url, model, cache)
