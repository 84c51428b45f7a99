"""Tokenizers of models, and how they fit their tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from model_files import ROWS, model_files, tokenizer_json, write_folder

from beaver_compat.embeddings import load_table
from beaver_compat.errors import TableError, TokenizerError


def test_a_tokenizer_beyond_the_table_names_both_numbers(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, model_files(tokenizer=tokenizer_json(ROWS + 3)))
    with pytest.raises(TableError, match=rf"ids up to {ROWS + 2}, its embedding table has {ROWS} rows"):
        load_table(str(folder))


def test_added_tokens_beyond_the_table_are_dropped(tmp_path: Path) -> None:
    tokenizer = tokenizer_json(ROWS - 1, added=["<in>", "<pad>"])
    loaded = load_table(str(write_folder(tmp_path, model_files(tokenizer=tokenizer))))
    assert loaded.tokenizer.token_to_id("<in>") == ROWS - 1
    assert loaded.tokenizer.token_to_id("<pad>") is None
    assert max(loaded.tokenizer.encode("w1 <in> <pad> w2").ids) < ROWS


def test_a_broken_tokenizer_file_is_named(tmp_path: Path) -> None:
    files = {**model_files(), "tokenizer.json": b'{"version": "1.0"'}
    with pytest.raises(TokenizerError, match=r"tokenizer\.json is no tokenizer"):
        load_table(str(write_folder(tmp_path, files)))


def test_a_model_without_tokenizer_json_is_converted_by_transformers(tmp_path: Path) -> None:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "world"]
    files = model_files(name="bert.embeddings.word_embeddings.weight")
    del files["tokenizer.json"]
    files["vocab.txt"] = "\n".join(words).encode()
    files["tokenizer_config.json"] = b'{"tokenizer_class": "BertTokenizer", "do_lower_case": true}'
    loaded = load_table(str(write_folder(tmp_path, files)))
    assert loaded.tokenizer.encode("Hello world", add_special_tokens=False).ids == [5, 6]


@pytest.mark.parametrize(
    ("model_type", "message"), [("llama", r"has no tokenizer\.json"), ("bert", "without vocabulary")]
)
def test_a_model_without_any_tokenizer_is_an_error(tmp_path: Path, model_type: str, message: str) -> None:
    files = {**model_files(), "config.json": json.dumps({"model_type": model_type}).encode()}
    del files["tokenizer.json"]
    with pytest.raises(TokenizerError, match=message):
        load_table(str(write_folder(tmp_path, files)))
