"""Files of small made-up models: tokenizers, and checkpoints in each format."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import save
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

VOCAB_SIZE = 20
ROWS = 24  # padded: more than the vocabulary
WIDTH = 8


def tokenizer_json(vocab_size: int = VOCAB_SIZE, added: Sequence[str] = ()) -> bytes:
    """A word-level tokenizer of `vocab_size` words, and the added tokens after them."""
    words = ["<unk>", *(f"w{i}" for i in range(1, vocab_size))]
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_special_tokens(list(added))
    tokenizer.enable_truncation(max_length=3)  # as sentence encoders' files have it
    tokenizer.enable_padding()
    return tokenizer.to_str().encode()


def table(rows: int = ROWS, dtype: torch.dtype = torch.float16, seed: int = 0) -> torch.Tensor:
    """A random table `[rows, WIDTH]`."""
    return torch.randn(rows, WIDTH, generator=torch.Generator().manual_seed(seed)).to(dtype)


def other_tensors() -> dict[str, torch.Tensor]:
    """What else a checkpoint holds, none of it a table."""
    return {
        "model.layers.0.mlp.up.weight": torch.ones(3, WIDTH),
        "model.layers.0.norm.weight": torch.ones(WIDTH),
        "model.norm.weight": torch.ones(WIDTH),
    }


def safetensors_bytes(tensors: Mapping[str, torch.Tensor]) -> bytes:
    """A safetensors file."""
    return save(dict(tensors))


def bin_bytes(tensors: Mapping[str, torch.Tensor], *, zipped: bool = True) -> bytes:
    """A PyTorch file, in the format of today or of before 1.6."""
    file = io.BytesIO()
    torch.save(dict(tensors), file, _use_new_zipfile_serialization=zipped)
    return file.getvalue()


def checkpoint(tensors: Mapping[str, torch.Tensor], kind: str) -> dict[str, bytes]:
    """The checkpoint files of a model; kind: "safetensors" or "bin", with " sharded" for two shards."""
    is_bin = kind.startswith("bin")
    write = bin_bytes if is_bin else safetensors_bytes
    stem, end = ("pytorch_model", "bin") if is_bin else ("model", "safetensors")
    if not kind.endswith("sharded"):
        return {f"{stem}.{end}": write(tensors)}
    names = list(tensors)
    halves = [names[: len(names) // 2], names[len(names) // 2 :]]
    shards = {f"{stem}-{i:05}-of-00002.{end}": half for i, half in enumerate(halves, 1)}
    index = {"metadata": {}, "weight_map": {name: shard for shard, half in shards.items() for name in half}}
    files = {shard: write({name: tensors[name] for name in half}) for shard, half in shards.items()}
    return {f"{stem}.{end}.index.json": json.dumps(index).encode(), **files}


def model_files(
    kind: str = "safetensors",
    *,
    name: str = "model.embed_tokens.weight",
    weight: torch.Tensor | None = None,
    tokenizer: bytes | None = None,
) -> dict[str, bytes]:
    """All files of a model."""
    tensors = {**other_tensors(), name: table() if weight is None else weight}
    return {
        "config.json": json.dumps({"max_position_embeddings": 512, "model_type": "llama"}).encode(),
        "tokenizer.json": tokenizer_json() if tokenizer is None else tokenizer,
        **checkpoint(tensors, kind),
    }


def write_folder(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Put files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder
