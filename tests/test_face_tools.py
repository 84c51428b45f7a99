"""LLMLingua's methods beside the compression of prompts: counts and ranks."""

from __future__ import annotations

import pytest
from prompt_samples import CONTEXTS, QUESTION

from beaver_compat import BeaverPromptCompressor


def test_get_token_length(compressor: BeaverPromptCompressor) -> None:
    text = "The harbour <s> of Vessel Bay"
    assert compressor.get_token_length(text, use_oai_tokenizer=True) == compressor.counter(text)
    assert compressor.get_token_length(text, add_special_tokens=False) == compressor.counter(text)
    assert compressor.get_token_length(text) == compressor.counter(text) + 1
    characters = BeaverPromptCompressor(token_counter=len)
    assert characters.get_token_length(text, use_oai_tokenizer=True) == len(text)


def test_get_rank_results(compressor: BeaverPromptCompressor) -> None:
    ranked = compressor.get_rank_results([*CONTEXTS, ""], QUESTION, "longllmlingua", "after", [0] * 4)
    assert ranked[0][0] == 2
    assert sorted(index for index, _ in ranked) == [0, 1, 2, 3]
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)
    assert {type(part) for pair in ranked for part in pair} == {int, float}
    assert compressor.get_rank_results([], QUESTION, "bm25", "none", []) == []
    assert len(compressor.get_rank_results(CONTEXTS, "", "llmlingua", "none", [0] * 3)) == 3
    with pytest.raises(TypeError, match="rank_method"):
        compressor.get_rank_results(CONTEXTS, QUESTION, "", "none", [])
