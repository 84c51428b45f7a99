"""What a compression kept, and LLMLingua's dict of it.  It knows positions and counts, not how they were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ROLES = ("forced", "query", "anchor", "flow", "flash")
"""Why a span was kept: before all that is ranked (the caller's arguments ask for it, or the whole text fits), as the
implicit query, or as one of the paper's three kinds of pages."""

_DOLLARS_PER_TOKEN = 0.06 / 1000  # GPT-4's price that LLMLingua's "saving" is told in


@dataclass(frozen=True)
class KeptSpan:
    """One stretch of a context that was kept, verbatim.

    Attributes:
        context_index: which of the contexts it was cut from.
        start, end: characters of that context, half open.
        token_start, token_end: tokens of that context (the embedding table's tokenizer), half open.
        role: one of :data:`ROLES`.
        score: the mixed score that ranked it; None for forced text and the implicit query, where no score decided.
    """

    context_index: int
    start: int
    end: int
    token_start: int
    token_end: int
    role: str
    score: float | None


@dataclass(frozen=True)
class CompressionResult:
    """A compressed prompt and what it was made of.

    Attributes:
        compressed_prompt: the whole prompt: instruction, kept text and question.
        compressed_context: the kept text alone.
        origin_tokens: tokens of the original prompt.
        compressed_tokens: tokens of ``compressed_prompt``, by the same counter.
        budget: the tokens that were allowed.
        spans: the kept stretches, sorted and disjoint.
        counter: name of the token counter.
    """

    compressed_prompt: str
    compressed_context: str
    origin_tokens: int
    compressed_tokens: int
    budget: int
    spans: tuple[KeptSpan, ...]
    counter: str

    @property
    def ratio(self) -> float:
        """How many times shorter the prompt became; 1.0 where nothing is left."""
        return self.origin_tokens / self.compressed_tokens if self.compressed_tokens else 1.0

    @property
    def rate(self) -> float:
        """The share of the tokens that is left; 1.0 for an empty prompt."""
        return self.compressed_tokens / self.origin_tokens if self.origin_tokens else 1.0

    @property
    def saving(self) -> float:
        """US dollars saved at the GPT-4 price that LLMLingua reckons with."""
        return (self.origin_tokens - self.compressed_tokens) * _DOLLARS_PER_TOKEN

    @property
    def within_budget(self) -> bool:
        """False only where instruction and question alone exceed the budget."""
        return self.compressed_tokens <= self.budget

    def to_llmlingua(self) -> dict[str, Any]:
        """A fresh dict in LLMLingua's format: prompt, Python ints, and its formatted strings."""
        return {
            "compressed_prompt": self.compressed_prompt,
            "origin_tokens": self.origin_tokens,
            "compressed_tokens": self.compressed_tokens,
            "ratio": f"{self.ratio:.1f}x",
            "rate": f"{self.rate * 100:.1f}%",
            "saving": f", Saving ${self.saving:.1f} in GPT-4.",
        }

    def __repr__(self) -> str:
        return (
            f"CompressionResult({self.origin_tokens:,} -> {self.compressed_tokens:,} of {self.budget:,} tokens"
            f" ({self.counter}), {len(self.spans)} spans)"
        )
