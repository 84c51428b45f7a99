"""Finding the embedding table in checkpoints of a local folder."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
import torch
from model_files import ROWS, VOCAB_SIZE, WIDTH, bin_bytes, checkpoint, other_tensors, table, write_folder

from beaver_compat.errors import TableError
from beaver_compat.models.checkpoints import StoredTensor, find_table, open_checkpoint, read_json
from beaver_compat.models.sources import LocalFolder

KINDS = ["safetensors", "safetensors sharded", "bin", "bin sharded"]


def folder_of(path: Path, tensors: dict[str, torch.Tensor], kind: str = "safetensors") -> LocalFolder:
    return LocalFolder("a-model", write_folder(path, checkpoint(tensors, kind)))


@pytest.mark.parametrize(
    "name",
    [
        "model.embed_tokens.weight",
        "language_model.model.embed_tokens.weight",
        "model.language_model.embed_tokens.weight",
        "model.decoder.embed_tokens.weight",
        "encoder.embed_tokens.weight",
        "embed_tokens.weight",
        "transformer.wte.weight",
        "wte.weight",
        "transformer.embd.wte.weight",
        "bert.embeddings.word_embeddings.weight",
        "roberta.embeddings.word_embeddings.weight",
        "embeddings.word_embeddings.weight",
        "transformer.word_embeddings.weight",
        "word_embeddings.weight",
        "shared.weight",
        "model.shared.weight",
        "gpt_neox.embed_in.weight",
        "tok_embeddings.weight",
        "model.embeddings.tok_embeddings.weight",
        "backbone.embeddings.weight",
        "text_model.embeddings.token_embedding.weight",
    ],
)
def test_usual_names_are_found_beside_other_tall_matrices(tmp_path: Path, name: str) -> None:
    tensors = {
        **other_tensors(),
        "lm_head.weight": table(seed=1),
        "vision.patches.weight": table(99),
        name: table(),
    }
    assert find_table(open_checkpoint(folder_of(tmp_path, tensors)), VOCAB_SIZE) == name


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_same_tensor(tmp_path: Path, kind: str) -> None:
    opened = open_checkpoint(folder_of(tmp_path, {**other_tensors(), "wte.weight": table()}, kind))
    assert set(opened.names) == {*other_tensors(), "wte.weight"}
    found = opened.find("wte.weight")
    if isinstance(found, torch.Tensor):
        assert torch.equal(found, table())
    else:
        stored = (tmp_path / found.file).read_bytes()[found.start : found.stop]
        assert (found.dtype, found.shape) == ("F16", (ROWS, WIDTH))
        assert stored == table().numpy().tobytes()


def test_shared_table_wins_over_its_two_users(tmp_path: Path) -> None:
    names = ["model.decoder.embed_tokens.weight", "model.encoder.embed_tokens.weight", "model.shared.weight"]
    tensors = {name: table(seed=i) for i, name in enumerate(names)}
    assert find_table(open_checkpoint(folder_of(tmp_path, tensors)), VOCAB_SIZE) == "model.shared.weight"


def test_a_layers_own_embedding_is_not_the_table(tmp_path: Path) -> None:
    tensors = {"model.layers.61.embed_tokens.weight": table(VOCAB_SIZE - 1), "tokens": table()}
    assert find_table(open_checkpoint(folder_of(tmp_path, tensors)), VOCAB_SIZE) == "tokens"


def test_of_several_with_one_name_the_outermost_is_taken(tmp_path: Path) -> None:
    tensors = {"model.audio.encoder.wte.weight": table(seed=1), "model.wte.weight": table()}
    assert find_table(open_checkpoint(folder_of(tmp_path, tensors)), VOCAB_SIZE) == "model.wte.weight"


@pytest.mark.parametrize("kind", KINDS)
def test_an_odd_name_is_found_by_shape(tmp_path: Path, kind: str) -> None:
    tensors = {
        **other_tensors(),
        "tokens": table(),
        "short": table(VOCAB_SIZE - 1),
        "lm_head.weight": table(),
    }
    assert find_table(open_checkpoint(folder_of(tmp_path, tensors, kind)), VOCAB_SIZE) == "tokens"


def test_two_candidates_by_shape_are_an_error_that_lists_them(tmp_path: Path) -> None:
    opened = open_checkpoint(folder_of(tmp_path, {**other_tensors(), "one": table(), "two": table(30)}))
    with pytest.raises(TableError, match=r"two \[30, 8\], one \[24, 8\]") as caught:
        find_table(opened, VOCAB_SIZE)
    assert "2 matrices" in str(caught.value)
    assert f"{VOCAB_SIZE} tokens" in str(caught.value)


def test_two_towers_of_one_name_are_an_error_that_lists_them(tmp_path: Path) -> None:
    towers = {f"{tower}.word_embeddings.weight": table() for tower in ("question", "passage")}
    opened = open_checkpoint(folder_of(tmp_path, towers))
    with pytest.raises(TableError, match=r"question.word_embeddings.weight \[24, 8\]"):
        find_table(opened, VOCAB_SIZE)


def test_no_candidate_is_an_error_that_lists_the_matrices(tmp_path: Path) -> None:
    opened = open_checkpoint(folder_of(tmp_path, {f"m{i:02}": table(i) for i in range(1, 16)}))
    with pytest.raises(TableError, match=r"0 matrices.*m15 \[15, 8\], m14 \[14, 8\].* and 3 more"):
        find_table(opened, VOCAB_SIZE)


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_a_quantised_table_is_refused(tmp_path: Path, kind: str) -> None:
    quantised = torch.ones(ROWS, WIDTH, dtype=torch.int8)
    opened = open_checkpoint(folder_of(tmp_path, {"wte.weight": quantised}, kind))
    with pytest.raises(TableError, match=r"wte.weight is stored as (I8|int8), not as one of F16, BF16, F32"):
        find_table(opened, VOCAB_SIZE)


def test_a_named_vector_is_refused(tmp_path: Path) -> None:
    opened = open_checkpoint(folder_of(tmp_path, {"wte.weight": torch.ones(ROWS)}))
    with pytest.raises(TableError, match=r"shape \[24\]"):
        find_table(opened, VOCAB_SIZE)


def test_a_folder_without_checkpoint_names_the_files_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"a-model.*model\.safetensors, .*pytorch_model\.bin\.index\.json"):
        open_checkpoint(LocalFolder("a-model", tmp_path))


def test_safetensors_come_before_bin(tmp_path: Path) -> None:
    folder_of(tmp_path, {"wte.weight": table(seed=1)}, "bin")
    opened = open_checkpoint(folder_of(tmp_path, {"wte.weight": table()}, "safetensors sharded"))
    assert isinstance(opened.find("wte.weight"), StoredTensor)


def test_a_bin_file_in_the_old_format_is_read(tmp_path: Path) -> None:
    write_folder(tmp_path, {"pytorch_model.bin": bin_bytes({"wte.weight": table()}, zipped=False)})
    found = open_checkpoint(LocalFolder("a-model", tmp_path)).find("wte.weight")
    assert isinstance(found, torch.Tensor)
    assert torch.equal(found, table())


def test_a_saved_parameter_comes_without_gradient(tmp_path: Path) -> None:
    write_folder(tmp_path, {"pytorch_model.bin": bin_bytes({"wte.weight": torch.nn.Parameter(table())})})
    found = open_checkpoint(LocalFolder("a-model", tmp_path)).find("wte.weight")
    assert isinstance(found, torch.Tensor)
    assert not found.requires_grad


class _Runs:
    """An object whose pickle runs code."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("ran",)


def test_a_bin_file_that_would_run_code_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save({"wte.weight": table(), "trap": _Runs()}, tmp_path / "pytorch_model.bin")
    with pytest.raises(TableError, match=r"pytorch_model.bin is broken"):
        open_checkpoint(LocalFolder("a-model", tmp_path))
    assert capsys.readouterr().out == ""


def header(fields: object) -> bytes:
    text = json.dumps(fields).encode()
    return struct.pack("<Q", len(text)) + text


ENTRY = {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 8,
        b"\xff" * 64,
        struct.pack("<Q", 1 << 40) + b"{}",
        struct.pack("<Q", 1000) + b'{"wte',
        struct.pack("<Q", 50_000) + b"[" * 50_000,
        header([]),
        header({"wte.weight": []}),
        header({"wte.weight": {**ENTRY, "data_offsets": [0, 13]}}),
        header({"wte.weight": {**ENTRY, "data_offsets": [-12, 0]}}),
        header({"wte.weight": {**ENTRY, "shape": [2, 3.0]}}),
        header({"wte.weight": {**ENTRY, "more": 1}}),
    ],
)
def test_a_broken_safetensors_header_says_which_file(tmp_path: Path, content: bytes) -> None:
    write_folder(tmp_path, {"model.safetensors": content})
    with pytest.raises(TableError, match=r"model\.safetensors is broken \(.*\): delete it"):
        open_checkpoint(LocalFolder("a-model", tmp_path))


def test_a_header_longer_than_the_first_read_is_read_whole(tmp_path: Path) -> None:
    tensors = {f"model.layers.{i}.{'long' * 20}": torch.ones(1) for i in range(1000)}
    source = folder_of(tmp_path, {**tensors, "wte.weight": table()})
    assert len(open_checkpoint(source).names) == 1001


@pytest.mark.parametrize("content", [b"[]", b"{}", b"{", b'{"weight_map": {"wte.weight": 3}}'])
def test_a_broken_index_says_which_file(tmp_path: Path, content: bytes) -> None:
    write_folder(tmp_path, {"model.safetensors.index.json": content})
    with pytest.raises(TableError, match=r"index\.json is broken"):
        open_checkpoint(LocalFolder("a-model", tmp_path))


@pytest.mark.parametrize("kind", ["safetensors sharded", "bin sharded"])
def test_a_missing_shard_and_a_wrong_index_are_named(tmp_path: Path, kind: str) -> None:
    source = folder_of(tmp_path, {**other_tensors(), "wte.weight": table()}, kind)
    index = next(tmp_path.glob("*.index.json"))
    first, second = sorted(path for path in tmp_path.iterdir() if path != index)
    shards = json.loads(index.read_text())["weight_map"]
    index.write_text(json.dumps({"weight_map": {**shards, "wte.weight": first.name}}))
    with pytest.raises(TableError, match=f"{first.name} lacks wte.weight"):
        open_checkpoint(source).find("wte.weight")
    second.unlink()
    with pytest.raises(TableError, match=f"no file {second.name}"):
        open_checkpoint(source).find("model.norm.weight")


def test_json_that_is_no_object_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("[1]")
    with pytest.raises(TableError, match="list in place of an object"):
        read_json(tmp_path / "config.json")
