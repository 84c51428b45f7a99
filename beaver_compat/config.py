"""The settings of the method, one field for every choice; it does not know how any of them is carried out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from typing_extensions import Self

from beaver_compat.arguments import checked_integer, checked_share
from beaver_compat.errors import InputTypeError, InputValueError, shown

ItfUse = Literal["all", "scores", "none"]
LexicalScore = Literal["maxsim", "overlap"]
SelectionRole = Literal["anchor", "flow", "flash"]
_MOST = 2**31 - 1  # tokens or pages; sums of a few stay far inside int64


@dataclass(frozen=True)
class BeaverConfig:
    """How pages are made, scored and chosen: one field for every choice.

    The defaults are what ``benchmarks/run.py`` found best; :meth:`paper` gives the paper to the letter.  Every row of
    the paper's ablation table is one field, named in brackets.

    Attributes:
        page_size: M, the most tokens of a page ["Page Size"].
        join_lines: whether lines that belong together, of a wrapped paragraph or an item of a list, are one for pages.
        fold_words: whether words behind brackets and at line ends are read as behind a space, and match in any case.
        pooling_weight: gamma of Eq. 5; 1 is mean pooling alone, 0 max pooling alone ["w/o Max/Mean-Pooling"].
        itf: where Eq. 2 weighs: in pooling and scores (``"all"``), in scores only, nowhere ["w/o ITF Score"].
        late_interaction: whether Eq. 6 has one vector for each query token, not one for all ["w/o Multi-Token Query"].
        late_interaction_tokens: the shortest query, in tokens, that Eq. 6 takes token by token.
        semantic_weight: lambda, the share of meaning against words ["Semantic Only" is 1, "Lexical Only" 0].
        lexical_score: exact overlap (Eq. 7) or MaxSim, overlap softened by cosine.
        maxsim_floor: cosines below this count as no match.
        norm_weight: how far a row shorter than usual, as words of grammar have, lessens a question token's weight in
            MaxSim; 0 is not at all.
        phrase_weight: what an exact match gains for each neighbour that it shares with the query.
        neighbor_weight: share of each neighbouring page's score that a page gets.
        sentence_weight: weight of a sentence's own score against its page's; 0 keeps whole pages.
        record_weight: the same of a line of data or code, which has less to do with the lines around it.
        heading_weight: share of its heading's, document title's or speaker's score that a sentence gets.
        number_weight: what a sentence with a number gains where the question asks how many, how long, when.
        information_weight: share of what a sentence says by itself, where the query looks for nothing: the end of a
            text without a question, or a task such as ``Summarize this``.
        repeats_last: whether a sentence that stood word for word before is kept only when all others are.
        anchor_pages, flow_window: k_anc and w_flow, pages kept for where they stand, at the beginning and at the end.
        prior_share: the most of the budget that anchors, and flow, may each take; 1 is no bound.
        selection: what is kept ["Flow/Anchor/Flash Only"].
        part_labels: whether text of a numbered document, a section or a long turn is kept with what names it.
        sentence_smoothing: whether what is kept is rounded out to whole sentences ["w/o Sentence Smooth"].

    >>> BeaverConfig.paper().pooling_weight
    0.7
    >>> BeaverConfig(page_size=0)
    Traceback (most recent call last):
    ...
    beaver_compat.errors.InputValueError: page_size is 0; give an integer of 1 or more
    """

    # Segmenter
    page_size: int = 64
    join_lines: bool = True
    # PageEncoder
    fold_words: bool = True
    pooling_weight: float = 1.0
    itf: ItfUse = "scores"
    late_interaction: bool = False
    late_interaction_tokens: int = 4
    # QueryPlanner: scores
    semantic_weight: float = 0.5
    lexical_score: LexicalScore = "maxsim"
    maxsim_floor: float = 0.3
    norm_weight: float = 1.0
    phrase_weight: float = 0.3
    neighbor_weight: float = 0.15
    sentence_weight: float = 0.3
    record_weight: float = 0.7
    heading_weight: float = 0.45
    number_weight: float = 0.2
    information_weight: float = 0.5
    repeats_last: bool = True
    # QueryPlanner: selection
    anchor_pages: int = 4
    flow_window: int = 4
    prior_share: float = 0.125
    selection: tuple[SelectionRole, ...] = ("anchor", "flow", "flash")
    part_labels: bool = True
    sentence_smoothing: bool = True

    def __post_init__(self) -> None:
        for name in ("page_size", "late_interaction_tokens"):
            object.__setattr__(self, name, _checked_integer(name, getattr(self, name), least=1))
        for name in ("anchor_pages", "flow_window"):
            object.__setattr__(self, name, _checked_integer(name, getattr(self, name), least=0))
        for name in (
            "pooling_weight",
            "semantic_weight",
            "maxsim_floor",
            "norm_weight",
            "phrase_weight",
            "neighbor_weight",
            "sentence_weight",
            "record_weight",
            "heading_weight",
            "number_weight",
            "information_weight",
            "prior_share",
        ):
            object.__setattr__(self, name, checked_share(name, getattr(self, name)))
        for name in (
            "join_lines",
            "fold_words",
            "late_interaction",
            "repeats_last",
            "part_labels",
            "sentence_smoothing",
        ):
            if not isinstance(getattr(self, name), bool):
                raise InputTypeError(f"{name} is {shown(getattr(self, name))}; give True or False")
        _check_choice("itf", self.itf, get_args(ItfUse))
        _check_choice("lexical_score", self.lexical_score, get_args(LexicalScore))
        object.__setattr__(self, "selection", _checked_roles(self.selection))

    @classmethod
    def paper(cls, **changes: Any) -> Self:
        """The paper to the letter (M=64, gamma=0.7, lambda=0.7, k_anc=w_flow=4), with ``changes`` on top."""
        letter: dict[str, Any] = {
            "page_size": 64,
            "join_lines": False,
            "fold_words": False,
            "pooling_weight": 0.7,
            "itf": "all",
            "late_interaction": True,
            "semantic_weight": 0.7,
            "lexical_score": "overlap",
            "norm_weight": 0.0,
            "phrase_weight": 0.0,
            "neighbor_weight": 0.0,
            "sentence_weight": 0.0,
            "record_weight": 0.0,
            "heading_weight": 0.0,
            "number_weight": 0.0,
            "information_weight": 0.0,
            "repeats_last": False,
            "anchor_pages": 4,
            "flow_window": 4,
            "prior_share": 1.0,
            "part_labels": False,
        }
        return cls(**{**letter, **changes})

    def __repr__(self) -> str:
        changed = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) != f.default]
        return f"BeaverConfig({', '.join(changed)})"


def _checked_integer(name: str, value: object, least: int) -> int:
    number = checked_integer(name, value)
    if number < least:
        raise InputValueError(f"{name} is {shown(value)}; give an integer of {least} or more")
    if number > _MOST:
        raise InputValueError(f"{name} is {shown(value)}; give an integer up to {_MOST}")
    return number


def _checked_roles(selection: object) -> tuple[SelectionRole, ...]:
    roles = () if isinstance(selection, str) or not isinstance(selection, Iterable) else tuple(selection)
    if not roles:
        raise InputTypeError(f"selection is {shown(selection)}; give a tuple of roles such as ('flash',)")
    for role in roles:
        _check_choice("selection", role, get_args(SelectionRole))
    return roles


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputValueError(f"{name} is {shown(value)}; give one of {', '.join(map(repr, choices))}")
