"""Arguments that several callers of LLMLingua pass, and what holds for every result."""

from __future__ import annotations

import json
import re
from typing import Any

from beaver_compat import BeaverPromptCompressor

INSTRUCTION = "Write a short answer to the question, using only the given search results."
NOTEBOOK = {
    "condition_compare": True,
    "condition_in_question": "after",
    "rank_method": "longllmlingua",
    "use_sentence_level_filter": False,
    "context_budget": "+100",
    "dynamic_context_compression_ratio": 0.4,
    "reorder_context": "sort",
}
SHOTS = "\n\n".join(
    f"Question: A box holds {number} pens and costs ${number * 2}. How much are 3 boxes?\nLet's think step by step\n"
    f"One box costs ${number * 2}.\nThree boxes cost 3 * {number * 2} = {number * 6} dollars.\n"
    f"The answer is {number * 6}"
    for number in range(3, 12)
)


def check(made: BeaverPromptCompressor, result: dict[str, Any], bound: float) -> None:
    """The shape, the counts and the budget of a result."""
    texts = {
        key: value
        for key, value in result.items()
        if key not in ("compressed_prompt_list", "fn_labeled_original_prompt")
    }
    assert list(texts) == ["compressed_prompt", "origin_tokens", "compressed_tokens", "ratio", "rate", "saving"]
    assert result["compressed_tokens"] == made.counter(result["compressed_prompt"]) <= bound
    assert re.fullmatch(r"\d+\.\dx", result["ratio"])
    assert re.fullmatch(r"\d+\.\d%", result["rate"])
    assert re.fullmatch(r", Saving \$\d+\.\d in GPT-4\.", result["saving"])
    assert json.loads(json.dumps(result)) == result
