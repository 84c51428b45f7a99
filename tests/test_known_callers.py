"""What known callers do around a call: LangChain's and LlamaIndex's, loops, and arguments chosen by the signature."""

from __future__ import annotations

import inspect
import re

import pytest
from call_forms import INSTRUCTION, NOTEBOOK
from prompt_samples import ANSWER, CONTEXTS, HARBOUR, QUESTION, kept_words

from beaver_compat import BeaverPromptCompressor


def test_langchain_finds_its_documents_again(compressor: BeaverPromptCompressor) -> None:
    pages = [*CONTEXTS, "7", "It ends with 12", HARBOUR.replace(". ", ".\n\n\n")]
    contexts = [
        f"\n\n<#ref{index}#> " + page.replace("\n\n", "\n") + f" <#ref{index}#>\n\n" for index, page in enumerate(pages)
    ]
    for arguments in ({"target_token": 60}, {"target_token": 150}, {"rate": 0.9}, {"target_token": 9999}):
        result = compressor.compress_prompt(
            context=contexts,
            instruction="Given this documents, please answer the final question",
            question=QUESTION,
            concate_question=False,
            add_instruction=False,
            **NOTEBOOK,
            **arguments,
        )
        pieces = [piece.strip() for piece in result["compressed_prompt"].split("\n\n")[1:]]
        for piece in pieces:
            match = re.fullmatch(r"<#ref(\d+)#>(.*?)<#ref(\d+)#>", piece, re.DOTALL)
            assert match
            assert match[1] == match[3]
            assert match[2].strip()
            assert kept_words(match[2], pages[int(match[1])])
        assert any(ANSWER in piece for piece in pieces)
        assert result["compressed_tokens"] <= arguments.get("target_token", result["origin_tokens"])


def test_spans_of_contexts_in_reference_tags_are_places_in_them(compressor: BeaverPromptCompressor) -> None:
    contexts = [f"\n\n<#ref{index}#> {page} <#ref{index}#>\n\n" for index, page in enumerate(CONTEXTS)]
    for rate in (0.4, 1.0):
        for span in compressor.compress(contexts, question=QUESTION, rate=rate).spans:
            text = contexts[span.context_index][span.start : span.end]
            assert text in CONTEXTS[span.context_index]
            assert compressor.get_token_length(text, False) == pytest.approx(span.token_end - span.token_start, abs=2)


def test_llamaindex_takes_the_pieces_between_instruction_and_question(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt(
        ["".join(CONTEXTS)], instruction=INSTRUCTION, question=QUESTION, target_token=120, rank_method="longllmlingua"
    )
    first, *pieces, last = result["compressed_prompt"].split("\n\n")
    assert (first, last) == (INSTRUCTION, QUESTION)
    assert ANSWER in "".join(pieces)


def test_loops_that_compress_until_it_is_short_enough_end(compressor: BeaverPromptCompressor) -> None:
    text, counts = "\n".join(CONTEXTS), []
    while compressor.get_token_length(text, use_oai_tokenizer=True) > 10:
        result = compressor.compress_prompt(text, rate=0.7)
        assert result["compressed_tokens"] < result["origin_tokens"]
        text = result["compressed_prompt"]
        counts.append(result["compressed_tokens"])
    assert counts == sorted(counts, reverse=True)


def test_arguments_chosen_by_the_signature(compressor: BeaverPromptCompressor) -> None:
    wanted = {"rate": 0.5, "question": QUESTION, "unknown_option": 1}
    known = inspect.signature(compressor.compress_prompt).parameters
    assert compressor.compress_prompt(CONTEXTS, **{name: value for name, value in wanted.items() if name in known})
