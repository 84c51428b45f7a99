"""The plan's parts against slow loops, and the plan over a text of numbered sentences."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from beaver_compat import BeaverPromptCompressor
from beaver_compat.selection.fitting import largest_fitting
from beaver_compat.selection.planning import Candidates, Parts, plan
from beaver_compat.selection.runs import Runs, merged, union
from beaver_compat.smoothing import Smoother
from beaver_compat.text.cutting import cut_places
from beaver_compat.text.lined_text import read_lines

stretches = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)).map(lambda p: (p[0], p[0] + p[1])), max_size=12)


def characters(runs: Runs) -> set[int]:
    return {place for start, end in runs for place in range(start, end)}


def is_tidy(runs: Runs) -> bool:
    return all(runs[i][1] < runs[i + 1][0] for i in range(len(runs) - 1)) and all(start < end for start, end in runs)


@given(stretches)
def test_merged_stretches_cover_the_same_characters(found: Runs) -> None:
    starts, ends = np.array(found, dtype=np.int64).reshape(-1, 2).T
    runs = merged(starts, ends)
    assert characters(runs) == characters(found)
    assert is_tidy(runs)


@given(stretches, stretches)
def test_a_union_covers_both(one: Runs, other: Runs) -> None:
    runs = union(one, other)
    assert characters(runs) == characters(one) | characters(other)
    assert is_tidy(runs)


@given(
    st.lists(st.integers(0, 20), max_size=60), st.lists(st.integers(1, 20), max_size=60), st.integers(0, 5), st.data()
)
def test_the_largest_that_fits_is_found_whatever_the_estimates(
    rises: list[int], guesses: list[int], least: int, data: st.DataObject
) -> None:
    size = min(len(rises), len(guesses))
    costs = [least, *(least + np.cumsum(rises[:size], dtype=np.int64)).tolist()]
    budget = data.draw(st.integers(least, costs[-1] + 3))
    calls: list[int] = []

    def cost(count: int) -> int:
        calls.append(count)
        return costs[count]

    found = largest_fitting(cost, least, np.cumsum(guesses[:size], dtype=np.int64), budget)
    assert found == max(count for count in range(size + 1) if costs[count] <= budget)
    assert len(calls) <= 6 + np.ceil(np.log2(size + 1)) + 1
    assert len(calls) == len(set(calls))


def test_good_estimates_need_few_calls() -> None:
    rises = np.random.default_rng(1).integers(10, 40, 5000)
    costs = np.cumsum(rises)
    calls: list[int] = []

    def cost(count: int) -> int:
        calls.append(count)
        return int(costs[count - 1])

    assert largest_fitting(cost, 0, np.cumsum(rises + 1), 30_000) == int(np.searchsorted(costs, 30_000, side="right"))
    assert len(calls) <= 6


def planned(sentences: list[str], budget: int) -> str:
    """What is kept of sentences in order of rank, a word being a token."""
    text = " ".join(sentences)
    ends = np.cumsum([len(sentence) + 1 for sentence in sentences])
    starts = np.concatenate([[0], ends[:-1]])
    tokens = np.array([len(sentence.split()) for sentence in sentences])
    no = np.zeros(len(sentences), dtype=bool)
    lined = read_lines([text])
    smoother = Smoother(lined)

    def cost(runs: Runs) -> int:
        return sum(len(text[start:end].split()) for start, end in runs)

    chosen = plan(
        Candidates(starts, np.minimum(ends, len(text)), tokens, no, no.astype(np.int64), np.zeros(len(sentences))),
        smoother,
        Parts(lambda start, end, torn: cut_places(lined.characters, start, end), lambda start, end, divided: []),
        cost,
        budget,
    )
    return " | ".join(text[start:end].strip() for start, end in chosen.runs)


def numbered(name: str, words: int) -> str:
    return " ".join([name, *(f"w{index}" for index in range(words - 2)), "end."])


def test_a_worse_sentence_that_fits_whole_fills_the_rest() -> None:
    best, next_best, long, short = (numbered(name, words) for name, words in zip("ABCD", (80, 40, 40, 9), strict=True))
    assert planned([best, next_best, long, short], 90) == f"{best} | {short}"


def test_most_of_the_next_best_up_to_a_clause_goes_before_worse_ones() -> None:
    best, next_best, short = (numbered(name, words) for name, words in zip("ABC", (80, 40, 9), strict=True))
    late, early = (next_best.replace(f"{word} ", f"{word}, ") for word in ("w26", "w16"))
    assert planned([best, late, short], 110) == f"{best} " + " ".join(late.split()[:28])
    for other in (next_best, early):
        assert planned([best, other, short], 110) == f"{best} | {short}"


def test_less_of_the_next_best_is_not_kept() -> None:
    best, next_best, long = (numbered(name, words) for name, words in zip("ABC", (80, 40, 40), strict=True))
    assert planned([best, next_best, long], 92) == best
    assert planned([next_best, long], 12) == " ".join(next_best.split()[:12])  # unless nothing else is


def test_a_few_words_are_no_piece_of_their_own() -> None:
    best, next_best = (numbered(name, words) for name, words in zip("AB", (80, 40), strict=True))
    assert planned([best, next_best], 87) == best


def test_the_best_sentence_of_what_does_not_fit_is_kept(compressor: BeaverPromptCompressor) -> None:
    lines = "Returns go to the warehouse. Exchanges take a week. Refunds are paid within 14 days.\nDogs are welcome."

    def kept(budget: int) -> str:
        result = compressor.compress(lines, question="When are refunds paid?", target_token=budget)
        return result.compressed_context

    assert kept(20) == "Refunds are paid within 14 days."
    assert kept(26) == "Exchanges take a week. Refunds are paid within 14 days."
    assert kept(16).startswith("Refunds are paid")


KEEPERS = """class {0}Keeper(BaseKeeperOfTheShip, ReportingMixin, metaclass=RegisteredKeepers):
    def measure_the_{1}(self, vehicle: Vehicle, passengers: list[Passenger], sailing: Sailing) -> float:
        for place in self.places_of_the_{1}:
            # The {1} is swept every {2} hours by order of the harbour master.
            place.swept_hours = {2}
            place.sweeper = "{1} crew"
"""


def test_a_line_without_what_it_needs_has_others_of_its_block_below_it(compressor: BeaverPromptCompressor) -> None:
    rooms = ["lane", "deck", "cabin", "bridge", "galley", "engine"]
    blocks = [KEEPERS.format(room.title(), room, 3 + 2 * at) for at, room in enumerate(rooms)]
    more = 0
    for room, block in zip(rooms, blocks, strict=True):
        question = f"How often is the {room} swept by order of the harbour master?"
        for budget in range(30, 110, 10):
            found = compressor.compress(
                "\n".join(blocks), question=question, target_token=budget, concate_question=False
            )
            lines = found.compressed_context.split("\n")
            assert set(lines) <= set(block.split("\n")), budget
            more += len(lines) > 1
    assert more >= 30
