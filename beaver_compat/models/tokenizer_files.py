"""Reading a model's tokenizer from its files.

Knows tokenizer.json and, by way of transformers, what else a model may have in its place.  Does not know how
text is tokenized.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from beaver_compat.errors import TableError, TokenizerError, shown
from beaver_compat.models.sources import HubModel, LocalFolder

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def load_tokenizer(source: LocalFolder | HubModel) -> Tokenizer:
    """A model's tokenizer, without truncation and padding.

    Raises:
        TokenizerError: the model has none that can be used; ModelNotFoundError: it can't be reached.
    """
    path = source.path("tokenizer.json")
    tokenizer = _convert(source) if path is None else read_tokenizer(path)
    if tokenizer.get_vocab_size() <= len(tokenizer.get_added_tokens_decoder()):
        # what transformers makes of a model without vocabulary files
        raise TokenizerError(
            f"model {shown(source.name)} has a tokenizer without vocabulary: pass one with a tokenizer.json."
        )
    return tokenizer


def read_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer in a tokenizer.json, without truncation and padding."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain Exception
        raise TokenizerError(f"{path} is no tokenizer ({error}): delete it and fetch it again.") from error
    return _bare(tokenizer)


def fitting_tokenizer(tokenizer: Tokenizer, rows: int, model: str) -> Tokenizer:
    """The tokenizer without the added tokens that have no row in the table.

    Llama-2's first tokenizers, for one, add a padding token beyond the table.  Text that holds the name of a
    token so dropped is tokenized like any other.

    Args:
        tokenizer: the model's tokenizer.
        rows: rows of the model's table.
        model: its name, for the error.

    Raises:
        TableError: ids of the tokenizer's own vocabulary lie beyond the table.
    """
    from tokenizers import Tokenizer

    if max(tokenizer.get_vocab(with_added_tokens=True).values()) < rows:
        return tokenizer
    largest = max(tokenizer.get_vocab(with_added_tokens=False).values(), default=0)
    if largest >= rows:
        raise TableError(
            f"model {shown(model)}: its tokenizer gives ids up to {largest}, its embedding table has "
            f"{rows} rows: pass a model whose tokenizer and checkpoint belong together."
        )
    settings = json.loads(tokenizer.to_str())
    settings["added_tokens"] = [token for token in settings["added_tokens"] if token["id"] < rows]
    return Tokenizer.from_str(json.dumps(settings))


def _convert(source: LocalFolder | HubModel) -> Tokenizer:
    """The tokenizer of a model without tokenizer.json, converted by transformers."""
    model, settings = source.pretrained()
    try:
        from transformers import AutoTokenizer

        fast = AutoTokenizer.from_pretrained(model, use_fast=True, trust_remote_code=False, **settings)
        tokenizer: Tokenizer = fast.backend_tokenizer
    except ImportError as error:
        raise TokenizerError(
            f"model {shown(source.name)} has no tokenizer.json, and to convert what it has needs more "
            f"packages ({error}): run `pip install transformers sentencepiece protobuf`."
        ) from error
    except Exception as error:  # whatever a conversion of foreign files may raise
        raise TokenizerError(
            f"model {shown(source.name)} has no tokenizer.json, and transformers can't convert what it has "
            f"({type(error).__name__}: {error}): pass a model with a tokenizer.json."
        ) from error
    return _bare(tokenizer)


def _bare(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
