"""Readers against a real HTTP server, and a small transformers model."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from chat_server import Step, answer, failing, hang_up, serving, slow

from benchmarks.errors import ReaderError, UnavailableError
from benchmarks.readers import Cache, Endpoint, Local, make_reader

pytest.importorskip("openai")
NOW = {"retry-after-ms": "1"}


def test_a_prompt_is_asked_as_the_settings_say() -> None:
    with serving() as (url, asked):
        assert Endpoint(url, "some-model")("Who was it? Ann", 32) == "Ann"
    assert asked == [
        {
            "model": "some-model",
            "messages": [{"role": "user", "content": "Who was it? Ann"}],
            "max_tokens": 32,
            "temperature": 0.0,
            "seed": 42,
        }
    ]


@pytest.mark.parametrize(
    "trouble",
    [failing(500, **NOW), failing(503, **NOW), failing(429, **NOW), hang_up],
    ids=["500", "503", "429", "cut"],
)
def test_trouble_that_passes_is_waited_out(trouble: Step) -> None:
    with serving(trouble, trouble, answer) as (url, asked):
        assert Endpoint(url, "m")("say yes", 8) == "yes"
    assert len(asked) == 3


def test_a_slow_answer_is_asked_for_again() -> None:
    with serving(slow(2.0), answer) as (url, asked):
        assert Endpoint(url, "m", timeout=0.2)("say yes", 8) == "yes"
    assert len(asked) == 2


@pytest.mark.parametrize(("status", "tries"), [(500, 3), (401, 1), (400, 1)])
def test_trouble_that_stays_is_told_in_one_line(status: int, tries: int) -> None:
    with (
        serving(*[failing(status, **NOW)] * 3) as (url, asked),
        pytest.raises(ReaderError, match=f"reader m at {url}: .*status {status}") as told,
    ):
        Endpoint(url, "m", retries=2)("say yes", 8)
    assert len(asked) == tries
    assert "\n" not in str(told.value)


def test_an_address_where_nothing_listens() -> None:
    with serving() as (url, _):
        pass
    with pytest.raises(ReaderError, match="Connection error"):
        Endpoint(url, "m", retries=0)("say yes", 8)


def test_answers_are_kept_by_content(tmp_path: Path) -> None:
    with serving() as (url, asked):
        for _ in range(2):  # as two runs
            cache = Cache(tmp_path / "deep" / "answers.sqlite")
            reader = Endpoint(url, "m", cache)
            assert [reader("say a", 8), reader("say b", 8), reader("say a", 8)] == ["a", "b", "a"]
            cache.close()
        assert len(asked) == 2
        cache = Cache(tmp_path / "deep" / "answers.sqlite")
        Endpoint(url, "m", cache)("say a", 9)
        Endpoint(url, "other", cache)("say a", 8)
        cache.close()
    assert len(asked) == 4


def test_what_failed_is_not_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "answers.sqlite")
    with serving(failing(400)) as (url, _):
        reader = Endpoint(url, "m", cache)
        with pytest.raises(ReaderError):
            reader("say a", 8)
        assert reader("say a", 8) == "a"
    cache.close()


def test_prompts_are_answered_side_by_side(tmp_path: Path) -> None:
    together = threading.Barrier(4)

    def meet(chat: Any, request: dict[str, Any]) -> None:
        together.wait(timeout=10)  # breaks unless four are at work at a time
        answer(chat, request)

    cache = Cache(tmp_path / "answers.sqlite")
    with serving(*[meet] * 4) as (url, _), ThreadPoolExecutor(4) as pool:
        reader = Endpoint(url, "m", cache)
        assert list(pool.map(lambda n: reader(f"say {n}", 8), range(4))) == ["0", "1", "2", "3"]
    cache.close()


def test_readers_by_name() -> None:
    assert make_reader("none", "", None) is None
    reader = make_reader("http://127.0.0.1:1/v1", "m", None)
    assert reader
    assert reader.name == "m at http://127.0.0.1:1/v1"
    with pytest.raises(UnavailableError, match="no reader 'oracle'; give an address or one of none, endpoint"):
        make_reader("oracle", "m", None)
    with pytest.raises(UnavailableError, match="needs --reader-model NAME"):
        make_reader("transformers", "", None)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny GPT-2 with random weights."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("model")
    words = Tokenizer(models.WordLevel({"<unk>": 0, "say": 1, "yes": 2, "no": 3}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>", pad_token="<unk>").save_pretrained(folder)
    config = GPT2Config(vocab_size=4, n_positions=32, n_embd=8, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0)
    with torch.random.fork_rng():
        torch.manual_seed(0)  # other weights may repeat the prompt by chance
        GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def test_a_local_model_answers_the_same_twice(model: Path, tmp_path: Path) -> None:
    reader = Local(str(model))
    first = reader("say yes", 4)
    assert first == reader("say yes", 4)
    assert len(first.split()) <= 4
    assert "say yes" not in first
    cache = Cache(tmp_path / "answers.sqlite")
    assert Local(str(model), cache)("say yes", 4) == first
    cache.close()


def test_a_local_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=f"reader {tmp_path}: "):
        Local(str(tmp_path))
