"""The compressor's tokenizers, called as LLMLingua's are."""

from __future__ import annotations

import pytest
from prompt_samples import HARBOUR

from beaver_compat import BeaverPromptCompressor


def test_tokenizer(compressor: BeaverPromptCompressor) -> None:
    tokenizer = compressor.tokenizer
    text = "The harbour <s> of Vessel Bay, 漢字 \ud800"
    ids = tokenizer(text).input_ids
    assert ids == tokenizer(text)["input_ids"] == tokenizer.encode(text)
    assert ids[1:] == tokenizer(text, add_special_tokens=False).input_ids
    assert tokenizer([text, "a"]).input_ids == [ids, tokenizer.encode("a")]
    assert tokenizer.decode(tokenizer.encode(HARBOUR, add_special_tokens=False)) == HARBOUR
    assert tokenizer.decode(tokenizer.encode(HARBOUR), skip_special_tokens=True) == HARBOUR


def test_oai_tokenizer(compressor: BeaverPromptCompressor) -> None:
    text = "The harbour <|endoftext|> of Vessel Bay"
    assert len(compressor.oai_tokenizer.encode(text)) == compressor.counter(text)
    assert compressor.oai_tokenizer.decode(compressor.oai_tokenizer.encode(HARBOUR, disallowed_special=())) == HARBOUR
    characters = BeaverPromptCompressor(token_counter=len)
    assert len(characters.oai_tokenizer.encode(text)) == len(text)
    with pytest.raises(NotImplementedError, match="has no ids"):
        characters.oai_tokenizer.decode([1])
