"""Loading embedding tables: the bundled one, from local folders, and from a Hub on this machine."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from hub_client import BIG, MODEL, fresh_client, kept_file, serve
from hub_server import HubServer, running_hub
from model_files import ROWS, VOCAB_SIZE, WIDTH, model_files, table, write_folder

from beaver_compat import embeddings
from beaver_compat.embeddings import DEFAULT_MODEL, load_table
from beaver_compat.errors import InputTypeError, InputValueError, ModelNotFoundError

KINDS = ["safetensors", "safetensors sharded", "bin", "bin sharded"]
HANG_GUARD = 60  # seconds that a started process may take


@pytest.fixture(scope="module")
def server() -> Iterator[HubServer]:
    with running_hub() as hub:
        yield hub


@pytest.fixture
def hub(server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HubServer:
    server.reset()
    fresh_client(server.endpoint, tmp_path, monkeypatch)
    return server


@pytest.mark.parametrize("name", [None, DEFAULT_MODEL])
def test_bundled_table(name: str | None) -> None:
    loaded = load_table(name)
    assert (loaded.vocab_size, loaded.width, loaded.dtype) == (32000, 256, torch.float16)
    assert (loaded.name, loaded.max_position_embeddings) == ("wordllama", None)
    assert repr(loaded) == "EmbeddingTable('wordllama', 32000 x 256, float16, cpu)"
    assert not loaded.weight.requires_grad
    assert loaded.tokenizer.get_vocab_size() == 32000
    assert loaded.tokenizer.padding is None


def test_bundled_table_is_what_the_librarys_own_loader_gives() -> None:
    import wordllama

    theirs = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    assert torch.equal(load_table().weight.float(), torch.from_numpy(theirs.embedding))
    text = "Hello, world! 你好"
    assert load_table().tokenizer.encode(text).ids == theirs.tokenizer.encode(text).ids


def test_importing_wordllama_leaves_the_root_logger_alone() -> None:
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    extra = logging.NullHandler()
    with embeddings._root_logger_kept():
        root.setLevel(level + 1)
        root.addHandler(extra)
    assert (root.level, root.handlers) == (level, handlers)


def test_bundled_table_that_is_not_there_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import wordllama

    monkeypatch.setattr(wordllama, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(ModelNotFoundError, match="force-reinstall wordllama"):
        load_table()


def test_the_module_needs_no_heavy_import() -> None:
    heavy = "torch numpy tokenizers safetensors transformers huggingface_hub wordllama"
    code = f"import sys, beaver_compat.embeddings; sys.exit(sum(m in sys.modules for m in {heavy.split()}))"
    env = {**os.environ, "PYTHONPATH": str(Path(embeddings.__file__).parents[1])}
    assert subprocess.run([sys.executable, "-c", code], env=env, timeout=HANG_GUARD, check=False).returncode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_local_folder(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEAVER_CACHE_DIR", str(tmp_path / "beaver"))
    folder = write_folder(tmp_path / "model", model_files(kind))
    loaded = load_table(str(folder))
    assert torch.equal(loaded.weight, table())
    assert (loaded.vocab_size, loaded.width, loaded.name) == (ROWS, WIDTH, str(folder))
    assert loaded.max_position_embeddings == 512
    assert loaded.tokenizer.encode("w1 w2 w3 w4 w5").ids == [
        1,
        2,
        3,
        4,
        5,
    ]  # not cut, though the file says so
    assert loaded.tokenizer.padding is None
    assert not (tmp_path / "beaver").exists()


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_a_local_checkpoint_is_mapped_not_read(tmp_path: Path, kind: str) -> None:
    folder = write_folder(tmp_path, model_files(kind))
    loaded = load_table(str(folder))
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("no list of maps on this system")
    assert any(str(folder) in line for line in maps.read_text().splitlines())
    assert torch.equal(loaded.weight, table())


@pytest.mark.parametrize(
    ("config", "length"),
    [
        ({"n_positions": 1024}, 1024),
        ({"text_config": {"max_position_embeddings": 99}}, 99),
        ({"text_config": None}, None),
        ({}, None),
    ],
)
def test_longest_input(tmp_path: Path, config: dict[str, Any], length: int | None) -> None:
    files = {**model_files(), "config.json": json.dumps(config).encode()}
    assert load_table(str(write_folder(tmp_path, files))).max_position_embeddings == length


def test_a_folder_without_config_serves(tmp_path: Path) -> None:
    files = {name: content for name, content in model_files().items() if name != "config.json"}
    assert load_table(str(write_folder(tmp_path, files))).max_position_embeddings is None


@pytest.mark.parametrize("asked", ["float32", "torch.float32", torch.float32])
@pytest.mark.parametrize("key", ["torch_dtype", "dtype"])
def test_dtype(tmp_path: Path, asked: object, key: str) -> None:
    folder = str(write_folder(tmp_path, model_files()))
    loaded = load_table(folder, model_config={key: asked, "trust_remote_code": True, "load_in_8bit": False})
    assert loaded.dtype == torch.float32
    assert torch.equal(loaded.weight, table().float())
    assert load_table(folder, model_config={key: "auto"}).dtype == torch.float16


@pytest.mark.parametrize("asked", ["float99", "int8", "Tensor", torch.int8, 16])
def test_a_wrong_dtype_is_named(asked: object) -> None:
    with pytest.raises(InputValueError, match=str(asked)):
        load_table(model_config={"torch_dtype": asked})


@pytest.mark.parametrize("name", [3, b"gpt2", ["gpt2"]])
def test_a_name_of_the_wrong_type_is_named(name: Any) -> None:
    told = rf"^model_name is of type {type(name).__name__}: .*; give .* folder, or None"
    with pytest.raises(InputTypeError, match=told):
        load_table(name)


def test_a_model_config_that_is_no_dict() -> None:
    with pytest.raises(InputTypeError, match=r"^model_config is of type list: \[1\]; give a dict$"):
        load_table(model_config=[1])  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_hub_model(hub: HubServer, kind: str, dtype: torch.dtype) -> None:
    serve(hub, kind, weight=table(200, dtype))
    for _ in range(2):
        loaded = load_table(MODEL)
        assert torch.equal(loaded.weight, table(200, dtype))
        assert (loaded.dtype, loaded.name, loaded.max_position_embeddings) == (dtype, MODEL, 512)
    assert kept_file().is_file()
    assert not list(kept_file().parent.glob("*.part"))


def test_a_converted_table_is_kept_too(hub: HubServer) -> None:
    serve(hub, weight=BIG)
    config = {"torch_dtype": torch.float32}
    for _ in range(2):
        assert torch.equal(load_table(MODEL, model_config=config).weight, BIG.float())
    assert kept_file(kind="float32").is_file()
    load_table(MODEL, model_config={"torch_dtype": "float16"})
    assert not kept_file(kind="float16").exists()  # the stored dtype is kept once


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_table_on_the_gpu() -> None:
    loaded = load_table(device="cuda")
    assert loaded.device.type == "cuda"
    assert torch.equal(loaded.weight.cpu(), load_table().weight)


def test_vocabulary_smaller_than_the_table_is_the_normal_case(tmp_path: Path) -> None:
    loaded = load_table(str(write_folder(tmp_path, model_files())))
    assert loaded.tokenizer.get_vocab_size() == VOCAB_SIZE < loaded.vocab_size
