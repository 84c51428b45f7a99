"""The embedding table and the tokenizer that belongs to it.

`load_table` brings both, from the bundled `wordllama` package, a local folder or the Hugging Face Hub; of a
model on the Hub only tokenizer, configuration and the one tensor are fetched.  Nothing here knows what the
vectors are used for.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beaver_compat.errors import InputValueError, ModelNotFoundError, shown, wrong_type
from beaver_compat.models.checkpoints import StoredTensor, broken, find_table, open_checkpoint, read_json
from beaver_compat.models.sources import HubModel, LocalFolder, open_source
from beaver_compat.models.table_cache import keep_table, keep_tensor, open_table, table_header, table_path
from beaver_compat.models.tokenizer_files import fitting_tokenizer, load_tokenizer, read_tokenizer

if TYPE_CHECKING:
    import tokenizers
    import torch

DEFAULT_MODEL = "wordllama"
_BUNDLED_WIDTH = 256
_BUNDLED_KEY = "embedding.weight"
_LENGTH_KEYS = ("max_position_embeddings", "n_positions")  # config.json's names for the longest input


@dataclass(frozen=True, eq=False, repr=False)
class EmbeddingTable:
    """A model's input embeddings and its tokenizer.

    Args:
        weight: `[V, d]` float16, bfloat16 or float32, on `device`, without gradient; may be memory-mapped.
        tokenizer: every id it gives is a row of `weight`; no truncation, no padding.
        name: what the caller passed, or "wordllama".
        max_position_embeddings: the model's longest input in tokens, where its configuration tells.
    """

    weight: torch.Tensor
    tokenizer: tokenizers.Tokenizer
    name: str
    max_position_embeddings: int | None

    @property
    def vocab_size(self) -> int:
        """Rows of the table, V."""
        return self.weight.shape[0]

    @property
    def width(self) -> int:
        """Columns of the table, d."""
        return self.weight.shape[1]

    @property
    def device(self) -> torch.device:
        """Where the table lies."""
        return self.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """Number type of the table."""
        return self.weight.dtype

    def __repr__(self) -> str:
        dtype = str(self.dtype).removeprefix("torch.")
        return f"EmbeddingTable({self.name!r}, {self.vocab_size} x {self.width}, {dtype}, {self.device})"


def load_table(
    model_name: str | os.PathLike[str] | None = None,
    *,
    device: str | torch.device = "cpu",
    model_config: Mapping[str, Any] | None = None,
) -> EmbeddingTable:
    """The embedding table and tokenizer of a model.

    Args:
        model_name: a local folder, a model's name on the Hugging Face Hub, or None for the bundled table.
        device: where the table is to lie.
        model_config: LLMLingua's keyword arguments for transformers.  `revision`, `token`, `cache_dir`,
            `local_files_only` and `torch_dtype` (or `dtype`; None and "auto" mean as stored) are honoured.
            Others, `trust_remote_code` too, are accepted without effect: a model's own code is never run.

    Raises:
        ModelNotFoundError: the model can't be reached or isn't there, or the disk refuses.
        TableError: it has no usable table, or its tokenizer gives ids beyond the table.
        TokenizerError: it has no tokenizer that can be used.
        InputTypeError, InputValueError: a wrong name, dtype or `model_config`.

    >>> load_table()
    EmbeddingTable('wordllama', 32000 x 256, float16, cpu)
    """
    config = {} if model_config is None else model_config
    if not isinstance(config, Mapping):
        raise wrong_type("model_config", config, "a dict")
    dtype = _wanted_dtype(config)
    if model_name is None or model_name == DEFAULT_MODEL:
        weight, tokenizer = _load_bundled()
        return EmbeddingTable(weight.to(device, dtype), tokenizer, DEFAULT_MODEL, None)
    source = open_source(model_name, config)
    tokenizer = load_tokenizer(source)
    weight = _load_weight(source, dtype, tokenizer.get_vocab_size(with_added_tokens=False))
    tokenizer = fitting_tokenizer(tokenizer, weight.shape[0], source.name)
    return EmbeddingTable(weight.to(device, dtype), tokenizer, source.name, _longest_input(source))


def _wanted_dtype(config: Mapping[str, Any]) -> torch.dtype | None:
    """The dtype that a `model_config` asks for; None for the stored one."""
    import torch

    asked = config.get("torch_dtype") or config.get("dtype")
    if asked is None or asked == "auto":
        return None
    found = getattr(torch, asked.removeprefix("torch."), None) if isinstance(asked, str) else asked
    if found not in (torch.float16, torch.bfloat16, torch.float32):
        raise InputValueError(f"torch_dtype {shown(asked)} isn't one of 'auto', float16, bfloat16, float32.")
    dtype: torch.dtype = found
    return dtype


def _load_bundled() -> tuple[torch.Tensor, tokenizers.Tokenizer]:
    """Table and tokenizer that the wordllama package carries, the table memory-mapped in its float16.

    `WordLlama.load` would copy the table to float32, and by itself finds no tokenizer without a download, so
    only its file look-up is used, pointed at the package's own folder.
    """
    with _root_logger_kept():
        import wordllama
        from wordllama.config import WordLlamaModels
    try:
        weights, vocabulary = (
            wordllama.WordLlama.resolve_file(
                config_name="l2_supercat",
                model_uri=WordLlamaModels.l2_supercat,
                dim=_BUNDLED_WIDTH,
                binary=False,
                file_type=file_type,
                cache_dir=Path(wordllama.__file__).parent,
                disable_download=True,
            )
            for file_type in ("weights", "tokenizer")
        )
    except FileNotFoundError as error:
        raise ModelNotFoundError(
            f"the installed wordllama package lacks the default table ({error}): run "
            "`pip install --force-reinstall wordllama`, or pass a model name or a local folder."
        ) from error
    return _map_tensor(weights, _BUNDLED_KEY), read_tokenizer(vocabulary)


@contextmanager
def _root_logger_kept() -> Iterator[None]:
    """Undo what wordllama does to the root logger when it is imported."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    try:
        yield
    finally:
        root.setLevel(level)
        for handler in set(root.handlers) - set(handlers):
            root.removeHandler(handler)


def _load_weight(source: LocalFolder | HubModel, dtype: torch.dtype | None, vocab_size: int) -> torch.Tensor:
    """The model's table; of a model on the Hub in `dtype` (None: as stored), kept in the cache."""
    if isinstance(source, LocalFolder):
        return _read_weight(source, vocab_size)
    kind = "stored" if dtype is None else str(dtype).removeprefix("torch.")
    path = table_path(source.name, source.commit, kind)
    kept = open_table(path)
    if kept is not None:
        return kept
    if dtype is None:
        return _read_weight(source, vocab_size)
    weight = _load_weight(source, None, vocab_size)
    if weight.dtype == dtype:
        return weight
    return keep_tensor(path, weight, dtype, {"model": source.name, "commit": source.commit})


def _read_weight(source: LocalFolder | HubModel, vocab_size: int) -> torch.Tensor:
    """The table out of the model's checkpoint: mapped where it lies if it can be, else put into the cache."""
    checkpoint = open_checkpoint(source)
    name = find_table(checkpoint, vocab_size)
    found = checkpoint.find(name)
    held = source.held(found.file) if isinstance(found, StoredTensor) else None
    if held is not None:
        return _map_tensor(held, name)
    if isinstance(source, LocalFolder):
        assert not isinstance(found, StoredTensor)  # a folder's files are all on this disk
        return found
    path = table_path(source.name, source.commit, "stored")
    origin = {"model": source.name, "commit": source.commit, "tensor": name}
    if not isinstance(found, StoredTensor):
        return keep_tensor(path, found, found.dtype, origin)
    file, start, stop = found.file, found.start, found.stop
    header = table_header(found.dtype, found.shape, stop - start, origin)
    return keep_table(path, header, stop - start, lambda done: source.stream(file, start + done, stop))


def _map_tensor(path: Path, name: str) -> torch.Tensor:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            tensor: torch.Tensor = file.get_tensor(name)
            return tensor
    except SafetensorError as error:
        raise broken(path, error) from error


def _longest_input(source: LocalFolder | HubModel) -> int | None:
    path = source.path("config.json")
    config = {} if path is None else read_json(path)
    for part in (config, config.get("text_config")):
        for key in _LENGTH_KEYS:
            if isinstance(part, dict) and isinstance(part.get(key), int):
                length: int = part[key]
                return length
    return None
