"""Finding the input embedding table in a model's checkpoint, and reading it alone.

Knows the two checkpoint formats (safetensors and PyTorch's `.bin`, each whole or in shards) and the names
that architectures give to the table.  Does not know where files come from, nor what becomes of the table.
"""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from beaver_compat.errors import TableError, shown
from beaver_compat.models.sources import HubModel, LocalFolder

if TYPE_CHECKING:
    import torch

_T = TypeVar("_T")

# The input table's usual names, by their last parts; an earlier line wins over a later one.
_USUAL_NAMES = (
    "shared.weight",  # T5, BART, Marian: one table for encoder and decoder
    "encoder.embed_tokens.weight",
    "embed_tokens.weight",  # Llama, Qwen, Mistral, Gemma, Phi, OPT
    "wte.weight",  # GPT-2, GPT-J, MPT, the first Qwen
    "word_embeddings.weight",  # BERT, RoBERTa, DeBERTa, BLOOM, Falcon, ChatGLM
    "word_embedding.weight",  # XLNet
    "embed_in.weight",  # GPT-NeoX
    "tok_embeddings.weight",  # InternLM2, ModernBERT, Meta's own names
    "tokens_embed.weight",  # the first GPT
    "backbone.embeddings.weight",  # Mamba
    "backbone.embedding.weight",
    "rwkv.embeddings.weight",
    "token_embedding.weight",  # CLIP
)
# Matrices with a row for each token, too, but at the model's other end.
_OUTPUT_NAMES = ("lm_head.weight", "embed_out.weight", "output.weight", "decoder.weight")

_SAFETENSORS, _BIN, _INDEX = "model.safetensors", "pytorch_model.bin", ".index.json"
_FILES = (_SAFETENSORS, _SAFETENSORS + _INDEX, _BIN, _BIN + _INDEX)

FORMAT_DTYPES = {"float16": "F16", "bfloat16": "BF16", "float32": "F32"}  # torch's and the format's names
_DTYPE_BYTES = {"F16": 2, "BF16": 2, "F32": 4}  # what a table may be stored in
_LENGTH_BYTES = 8  # a safetensors file begins with its header's length
_FIRST_READ = 100_000  # bytes asked for at first; most headers fit, so one request does
_MAX_HEADER = 100_000_000  # bytes; the format's own limit
_LISTED = 12  # tensors that an error message lists


@dataclass(frozen=True)
class StoredTensor:
    """A tensor in a safetensors file: the format's name of its dtype, its shape, its bytes' place."""

    file: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


class Checkpoint:
    """The tensors of a model, by name.

    Args:
        source: where the files come from.
        file: the checkpoint's one file, or its index: the format goes by this name.
    """

    def __init__(self, source: LocalFolder | HubModel, file: str) -> None:
        self.source = source
        self._is_bin = file.startswith(_BIN)
        self._opened: dict[str, Mapping[str, StoredTensor | torch.Tensor]] = {}
        self._shards: Mapping[str, str]
        if file.endswith(_INDEX):
            self._shards = _weight_map(source, file)
        else:
            self._shards = dict.fromkeys(self._open(file), file)

    @property
    def names(self) -> list[str]:
        """Names of all tensors."""
        return list(self._shards)

    def find(self, name: str) -> StoredTensor | torch.Tensor:
        """Where a tensor lies (safetensors), or the tensor, mapped where the file allows it (`.bin`).

        Of safetensors only the header of the file is read; a `.bin` file is fetched whole.
        """
        file = self._shards[name]
        tensors = self._open(file)
        if name not in tensors:
            raise TableError(f"{self.source.name}: {file} lacks {name}, which the index puts there.")
        return tensors[name]

    def _open(self, file: str) -> Mapping[str, StoredTensor | torch.Tensor]:
        if file not in self._opened:
            self._opened[file] = (_load_bin if self._is_bin else _read_header)(self.source, file)
        return self._opened[file]


def open_checkpoint(source: LocalFolder | HubModel) -> Checkpoint:
    """The checkpoint of a model: one that is on this disk where there is one, safetensors before `.bin`.

    Raises:
        TableError: the model has none in a format that can be read, or it is broken.
        ModelNotFoundError: it can't be reached.
    """
    for file in sorted(_FILES, key=lambda file: source.held(file) is None):
        there = source.path(file) if file != _SAFETENSORS else source.read(file, 0, _LENGTH_BYTES)
        if there is not None:
            return Checkpoint(source, file)
    raise TableError(
        f"model {shown(source.name)} has no checkpoint that can be read (none of {', '.join(_FILES)}): "
        "pass a model that has one."
    )


def find_table(checkpoint: Checkpoint, vocab_size: int) -> str:
    """Name of the tensor that holds the input embeddings.

    It goes by the usual names; where none is there, the only matrix with a row for each token is taken.

    Args:
        checkpoint: the checkpoint.
        vocab_size: tokens of the tokenizer's own vocabulary.

    Raises:
        TableError: no tensor, or several, could be it (the message lists them), or it is quantised or no matrix.
    """
    name = _table_name(checkpoint, vocab_size)
    tensor, model = checkpoint.find(name), shown(checkpoint.source.name)
    dtype = str(tensor.dtype).removeprefix("torch.")
    dtype = FORMAT_DTYPES.get(dtype, dtype)
    if len(tensor.shape) != 2 or 0 in tensor.shape:
        raise TableError(f"model {model}: {name} has shape {list(tensor.shape)}, a table needs rows and columns.")
    if dtype not in _DTYPE_BYTES:
        raise TableError(
            f"model {model}: {name} is stored as {dtype}, not as one of {', '.join(_DTYPE_BYTES)}: "
            "pass the model's unquantised checkpoint."
        )
    return name


def read_json(path: Path) -> dict[str, Any]:
    """A JSON file's object; TableError where it is none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise broken(path, error) from error
    if not isinstance(value, dict):
        raise broken(path, f"{type(value).__name__} in place of an object")
    return value


def broken(path: Path | str, why: object) -> TableError:
    """The error for a file that can't be read as what it should be."""
    first = str(why).partition("\n")[0]
    return TableError(f"{path} is broken ({first}): delete it and fetch it again.")


def _table_name(checkpoint: Checkpoint, vocab_size: int) -> str:
    names = checkpoint.names
    for usual in _USUAL_NAMES:
        # A numbered part means a layer's own tensor, not the model's input table.
        found = [name for name in names if _ends_with(name, usual) and not any(map(str.isdigit, name.split(".")))]
        if found:
            depth = min(name.count(".") for name in found)
            outermost = [name for name in found if name.count(".") == depth]
            return _only(checkpoint, outermost, outermost, f"several tensors are named {usual}")
    matrices = [name for name in names if len(checkpoint.find(name).shape) == 2]
    inputs = [name for name in matrices if not any(_ends_with(name, output) for output in _OUTPUT_NAMES)]
    tall = [name for name in inputs if checkpoint.find(name).shape[0] >= vocab_size]
    why = f"no usual name, and {len(tall)} matrices have a row for each of the tokenizer's {vocab_size} tokens"
    return _only(checkpoint, tall, tall or matrices, why)


def _ends_with(name: str, usual: str) -> bool:
    return name == usual or name.endswith(f".{usual}")


def _only(checkpoint: Checkpoint, names: list[str], candidates: list[str], why: str) -> str:
    """The one name in a list; where it isn't one, TableError that lists the candidates."""
    if len(names) == 1:
        return names[0]
    shapes = {name: list(checkpoint.find(name).shape) for name in candidates}
    tallest = sorted(shapes, key=lambda name: -shapes[name][0])
    listing = ", ".join(f"{name} {shapes[name]}" for name in tallest[:_LISTED]) or "none at all"
    more = f" and {len(tallest) - _LISTED} more" if len(tallest) > _LISTED else ""
    raise TableError(
        f"model {shown(checkpoint.source.name)}: its input embedding table can't be told ({why}). "
        f"Candidates: {listing}{more}. Pass a model that has one such table."
    )


def _weight_map(source: LocalFolder | HubModel, file: str) -> dict[str, str]:
    """File of each tensor, from a checkpoint's index."""
    path = _there(source, file, source.path(file))
    shards = read_json(path).get("weight_map")
    if not isinstance(shards, dict) or not all(isinstance(shard, str) for shard in shards.values()):
        raise broken(path, "no weight_map")
    return shards


def _read_header(source: LocalFolder | HubModel, file: str) -> dict[str, StoredTensor]:
    """The tensors of a safetensors file: 8 bytes of length, JSON, then the data."""
    head = _there(source, file, source.read(file, 0, _FIRST_READ))
    length = int.from_bytes(head[:_LENGTH_BYTES], "little")
    data = _LENGTH_BYTES + length
    try:
        if not 0 < length <= _MAX_HEADER:
            raise ValueError(f"a header of {length} bytes")
        if data > len(head):
            head += source.read(file, len(head), data) or b""
        header = json.loads(head[_LENGTH_BYTES:data])
        header.pop("__metadata__", None)
        return {name: _stored(file, data, **fields) for name, fields in header.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise broken(source.held(file) or f"{source.name}/{file}", error) from error


def _stored(file: str, data: int, *, dtype: str, shape: list[int], data_offsets: list[int]) -> StoredTensor:
    begin, end = data_offsets
    if not all(isinstance(size, int) and size >= 0 for size in (begin, end, *shape)):
        raise ValueError(f"sizes {shown([begin, end, *shape])}")
    if dtype in _DTYPE_BYTES and end - begin != math.prod(shape) * _DTYPE_BYTES[dtype]:
        raise ValueError(f"{end - begin} bytes for {dtype} {shape}")
    return StoredTensor(file, dtype, tuple(shape), data + begin, data + end)


def _load_bin(source: LocalFolder | HubModel, file: str) -> dict[str, torch.Tensor]:
    import torch

    path = _there(source, file, source.path(file))
    try:
        with path.open("rb") as opened:
            zipped = opened.read(2) == b"PK"  # files of PyTorch before 1.6 are no zip and can't be mapped
        tensors = torch.load(path, map_location="cpu", weights_only=True, mmap=zipped)
    except (RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
        raise broken(path, error) from error
    if not isinstance(tensors, dict):
        raise broken(path, f"{type(tensors).__name__} in place of a dict of tensors")
    return {name: tensor.detach() for name, tensor in tensors.items() if isinstance(tensor, torch.Tensor)}


def _there(source: LocalFolder | HubModel, file: str, found: _T | None) -> _T:
    if found is None:
        raise TableError(f"model {shown(source.name)} has no file {file}, which its index names.")
    return found
