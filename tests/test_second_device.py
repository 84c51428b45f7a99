"""Calls on a device that isn't the CPU, shown without one: no operation mixes devices, and results are the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from second_device import SecondDevice

from beaver_compat import BeaverConfig, BeaverPromptCompressor

LICENCE = (Path(__file__).resolve().parent.parent / "docs/demo/gpl-3.0.txt").read_text(encoding="utf-8")
PIECES = [LICENCE[start : start + 3000] for start in range(0, 30_000, 3000)]
QUESTIONS = ["How many days do I have to cure a violation?", "patents", "", "What may I convey? " * 20]
CONFIGS = {
    "default": BeaverConfig(),
    "paper": BeaverConfig.paper(),
    "no itf": BeaverConfig(itf="none"),
    "pages": BeaverConfig(sentence_weight=0.0),
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", CONFIGS)
def test_results_are_the_cpus(name: str, dtype: torch.dtype) -> None:
    compressor = BeaverPromptCompressor(token_counter="table", config=CONFIGS[name])
    compressor.table = replace(compressor.table, weight=compressor.table.weight.to(dtype))
    prompts = [{"context": LICENCE, "question": question} for question in QUESTIONS]
    prompts += [{"context": piece, "question": QUESTIONS[0]} for piece in PIECES]
    expected = [compressor.compress_prompt(**prompt, target_token=150) for prompt in prompts]
    with SecondDevice() as device:
        compressor.table = replace(compressor.table, weight=device.put(compressor.table.weight))
        assert compressor.table.device.type == "cuda"
        assert compressor.compress_prompts(prompts, target_token=150) == expected
        prepared = compressor.prepare(LICENCE)
        for question, result in zip(QUESTIONS, expected, strict=False):
            assert compressor.compress_prompt(prepared, question=question, target_token=150) == result


def test_a_batch_waits_for_the_device_less_often_than_its_prompts_alone() -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    with SecondDevice() as device:
        compressor.table = replace(compressor.table, weight=device.put(compressor.table.weight))
        compressor.compress_prompts(PIECES, question=QUESTIONS[0], target_token=150)
        together, device.waits = device.waits, 0
        for piece in PIECES:
            compressor.compress_prompt(piece, question=QUESTIONS[0], target_token=150)
        assert 0 < 3 * together < device.waits


@pytest.mark.parametrize(
    ("mixed", "error"),
    [
        (lambda apart, here: apart + here, "same device"),
        (lambda apart, here: torch.cat([apart, here]), "same device"),
        (lambda apart, here: here[apart.long()], "same device"),
        (lambda apart, here: apart.index_select(0, here.long()), "same device"),
        (lambda apart, here: torch.mm(apart[None], here[:, None]), "same device"),
        (lambda apart, here: apart.numpy(), r"use \.cpu\(\) first"),
        (lambda apart, here: torch.arange(3, device="cuda") + here, "same device"),
        (lambda apart, here: apart[1:] * here[1:], "same device"),
    ],
)
def test_the_second_device_stands_apart(mixed: Callable[[torch.Tensor, torch.Tensor], object], error: str) -> None:
    here = torch.tensor([0.0, 1.0, 2.0])
    with SecondDevice() as device:
        with pytest.raises((RuntimeError, TypeError), match=error):
            mixed(device.put(here), here)
        apart = device.put(here)
        assert (apart * 2 + torch.tensor(1.0)).device.type == "cuda"
        assert apart[here.long()].device.type == "cuda"
        assert apart.cpu().device.type == "cpu"
        assert (apart.cpu() + here).tolist() == [0.0, 2.0, 4.0]
