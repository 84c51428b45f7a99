"""What a GPU keeps is what the CPU keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from beaver_compat import BeaverConfig, BeaverPromptCompressor
from beaver_compat.page_encoder import cut, max_pool, mean_pool
from beaver_compat.query_planner import mixed_scores
from beaver_compat.scores.lookup import Words, read_context, read_query
from beaver_compat.scores.pieces import read_pieces

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")

LICENCE = (Path(__file__).resolve().parent.parent / "docs/demo/gpl-3.0.txt").read_text(encoding="utf-8")
QUESTIONS = ["How many days do I have to cure a violation?", "What is a covered work?", "patents", ""]
CONFIGS = [BeaverConfig(), BeaverConfig.paper()]
CLOSE = {"rtol": 2e-5, "atol": 2e-6}  # sums of float32 in another order


@pytest.mark.parametrize("config", CONFIGS, ids=["default", "paper"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_spans_are_kept(config: BeaverConfig, question: str) -> None:
    found = []
    for device in ("cpu", "cuda"):
        compressor = BeaverPromptCompressor(device_map=device, config=config, token_counter="table")
        assert compressor.table.device.type == device
        result = compressor.compress(LICENCE, question=question, target_token=400)
        prepared = compressor.prepare(LICENCE)
        assert compressor.compress(prepared, question=question, target_token=400) == result
        found.append([(span.start, span.end, span.role) for span in result.spans])
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("config", CONFIGS, ids=["default", "paper"])
def test_scores_agree(dtype: torch.dtype, config: BeaverConfig) -> None:
    generator = torch.Generator().manual_seed(1)
    table = torch.randn(5000, 512, generator=generator).to(dtype)
    ids = (torch.rand(40_000, generator=generator) ** 3 * 5000).int()
    query = ids[1000:1040]
    limits = [torch.arange(0, 40_001, 50), torch.arange(0, 40_001, 20)]
    scores = []
    for device in ("cpu", "cuda"):
        on_device = table.to(device)
        numbers = (ids % 3 == 0).to(device)
        context = read_context(ids.to(device), on_device, numbers)
        asked = read_query(query.to(device), context, on_device, Words.of_one_token(numbers[1000:1040]))
        pieces = read_pieces(context, [part.to(device) for part in limits])
        scores.append([part.cpu() for part in mixed_scores(context, pieces, asked, config)])
    for cpu, cuda in zip(*scores, strict=True):
        torch.testing.assert_close(cpu, cuda, rtol=1e-4, atol=2e-5)


def test_pools_agree() -> None:
    table = torch.randn(300, 256, generator=torch.Generator().manual_seed(1))
    tokens = torch.arange(3000, dtype=torch.int32) % 300
    limits = torch.tensor([0, 1, 60, 64, 900, 3000])
    weights = torch.rand(300)
    ranges, on_gpu = cut(limits), cut(limits.cuda())
    mean = mean_pool(table, tokens, ranges, weights)[0]
    torch.testing.assert_close(mean_pool(table.cuda(), tokens.cuda(), on_gpu, weights.cuda())[0].cpu(), mean, **CLOSE)
    assert torch.equal(max_pool(table.cuda(), tokens.cuda(), on_gpu)[0].cpu(), max_pool(table, tokens, ranges)[0])


@pytest.mark.parametrize("config", CONFIGS, ids=["default", "paper"])
def test_a_batch_keeps_what_its_prompts_keep_alone(config: BeaverConfig) -> None:
    compressor = BeaverPromptCompressor(device_map="cuda", config=config, token_counter="table")
    pieces = [LICENCE[start : start + 3000] for start in range(0, 30_000, 3000)]
    prompts = [{"context": piece, "question": question} for piece in pieces for question in QUESTIONS]
    found = compressor.compress_prompts(prompts, target_token=150)
    assert found == [compressor.compress_prompt(**prompt, target_token=150) for prompt in prompts]
