"""The exceptions of beaver_compat.

::

    BeaverError
    ├── InputTypeError            (also TypeError)       an argument of the wrong type
    ├── InputValueError           (also ValueError)      an argument of the right type and a wrong value
    │   ├── InputAssertionError   (also AssertionError)  a value that LLMLingua refuses by `assert`
    │   └── InputKeyError         (also KeyError)        a dict that lacks a key
    ├── ModelNotFoundError        (also OSError)         a model that can't be reached or isn't there
    ├── TableError                (also ValueError)      a checkpoint without a usable embedding table
    └── TokenizerError            (also ValueError)      a tokenizer whose offsets or ids can't be trusted

Each class also derives from the built-in that callers of LLMLingua already catch.
"""

from __future__ import annotations

_SHOWN = 80  # characters of a wrong value that a message shows


class BeaverError(Exception):
    """Base of every error that beaver_compat raises on purpose."""


class InputTypeError(BeaverError, TypeError):
    """An argument has the wrong type."""


class InputValueError(BeaverError, ValueError):
    """An argument has the right type and a value that can't be used."""


class InputAssertionError(InputValueError, AssertionError):
    """A value that LLMLingua refuses by ``assert``; the wording is LLMLingua's."""


class InputKeyError(InputValueError, KeyError):
    """A dict lacks a key that it must have."""

    __str__ = BeaverError.__str__  # KeyError would quote the message


class ModelNotFoundError(BeaverError, OSError):
    """A model name can't be reached, or nothing stands there."""


class TableError(BeaverError, ValueError):
    """A checkpoint holds no usable embedding table."""


class TokenizerError(BeaverError, ValueError):
    """A tokenizer's ids or offsets can't be trusted."""


def wrong_type(name: str, value: object, wanted: str) -> InputTypeError:
    """The error for an argument of the wrong type: which one, what it is, and what to give instead.

    >>> wrong_type("rate", "half", "a number")
    InputTypeError("rate is of type str: 'half'; give a number")
    """
    return InputTypeError(f"{name} is of type {type(value).__name__}: {shown(value)}; give {wanted}")


def shown(value: object) -> str:
    """``repr(value)``, shortened to one line that fits into an error message.

    >>> shown("a" * 200)[-12:]
    'aaaaaaaaa...'
    """
    try:
        return shortened(repr(value))
    except (RecursionError, ValueError):  # nested too deeply, or an integer of thousands of digits
        return f"<{type(value).__name__}>"


def shortened(text: str) -> str:
    """A text, cut where it is too long for an error message."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
