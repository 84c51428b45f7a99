"""Where the time of a call is charged: to its stages, each for its own time alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from benchmarks import stages
from benchmarks.prompts import Prompts
from benchmarks.stages import HOOKS, REST, StageClock, profiled


class Ticks:
    """A clock that moves only when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(stages, "perf_counter", lambda: self.now)

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    return Ticks(monkeypatch)


def nothing() -> None:
    pass


def test_a_stage_is_charged_for_its_own_time_alone(ticks: Ticks) -> None:
    waits = []
    clock = StageClock(lambda: waits.append(ticks.now))
    ticks.pass_by(5)  # before the call: nobody's
    with clock.running():
        ticks.pass_by(1)
        with clock.stage("score"):
            ticks.pass_by(2)
            with clock.stage("count"):
                ticks.pass_by(4)
            ticks.pass_by(8)
        ticks.pass_by(16)
    spent = {stage: seconds for stage, seconds in clock.seconds.items() if seconds}
    assert spent == {REST: 17, "score": 10, "count": 4}
    assert waits == [105, 106, 108, 112, 120, 136]


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, ticks: Ticks) -> ModuleType:
    """A module of the package with a stage of two functions and one class, and another that imports them."""
    module, user = ModuleType("beaver_compat.fake"), ModuleType("beaver_compat.fake_user")

    def pieces() -> Iterator[int]:
        for index in range(3):
            ticks.pass_by(1)
            yield index

    def fails() -> None:
        ticks.pass_by(7)
        raise ZeroDivisionError

    class Reader:
        def read(self, seconds: float) -> float:
            ticks.pass_by(seconds)
            return seconds

    for name, value in {"pieces": pieces, "fails": fails, "Reader": Reader}.items():
        setattr(module, name, value)
    vars(user)["imported"] = pieces
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sys.modules, user.__name__, user)
    return user


def test_functions_are_charged_wherever_they_were_imported(package: ModuleType, ticks: Ticks) -> None:
    fake = sys.modules["beaver_compat.fake"]
    before = dict(vars(fake)), package.imported, fake.Reader.read
    clock = StageClock(nothing)
    hooks = {"encode": ("fake:pieces",), "tokenize": ("fake:Reader.read",)}
    with profiled(clock, hooks):
        for _ in package.imported():  # lazy: its seconds come as it is asked
            ticks.pass_by(10)
        assert fake.Reader().read(0.5) == 0.5
    assert {stage: seconds for stage, seconds in clock.seconds.items() if seconds} == {
        "encode": 3,
        "tokenize": 0.5,
        REST: 30,
    }
    assert (dict(vars(fake)), package.imported, fake.Reader.read) == before


def test_hooks_are_taken_off_after_an_error(package: ModuleType) -> None:
    fake = sys.modules["beaver_compat.fake"]
    before = fake.fails
    clock = StageClock(nothing)
    with pytest.raises(ZeroDivisionError), profiled(clock, {"score": ("fake:fails",)}):
        fake.fails()
    assert clock.seconds["score"] == 7
    with pytest.raises(AttributeError), profiled(clock, {"score": ("fake:fails", "fake:gone")}):
        pass
    assert fake.fails is before


def test_every_stage_of_a_real_call_is_found() -> None:
    from beaver_compat import BeaverPromptCompressor

    compressor = BeaverPromptCompressor(device_map="cpu", token_counter="table")
    text = Prompts(compressor.counter).text(500, 0)
    question = "What is a patent license?"
    plain = compressor.compress(text, question=question, target_token=200)
    clock = StageClock(nothing)
    with profiled(clock):
        assert compressor.compress(text, question=question, target_token=200) == plain
    assert min(clock.seconds[stage] for stage in HOOKS) > 0
    spent = dict(clock.seconds)
    compressor.compress(text, question=question, target_token=200)
    assert clock.seconds == spent
