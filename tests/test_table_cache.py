"""Kept tables: damage, full disks, several processes."""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from hub_client import BIG, MODEL, PART, fresh_client, kept_file, serve, start
from hub_server import Fault, HubServer, running_hub
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import bin_bytes
from typing_extensions import Self

from beaver_compat.embeddings import load_table
from beaver_compat.errors import ModelNotFoundError
from beaver_compat.models import table_cache

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


@pytest.mark.parametrize("damage", ["cut", "empty", "header", "other"])
def test_a_damaged_kept_table_is_fetched_again(hub: HubServer, damage: str) -> None:
    serve(hub, weight=BIG)
    load_table(MODEL)
    content = kept_file().read_bytes()
    broken = {
        "cut": content[:-100],
        "empty": b"",
        "header": b"\xff" * 16 + content[16:],
        "other": bin_bytes({}),
    }
    kept_file().write_bytes(broken[damage])
    assert torch.equal(load_table(MODEL).weight, BIG)
    assert kept_file().read_bytes() == content


def test_a_damaged_kept_table_without_network_is_named(hub: HubServer) -> None:
    serve(hub)
    load_table(MODEL)
    kept_file().write_bytes(b"")
    with pytest.raises(ModelNotFoundError, match="isn't in the local cache"):
        load_table(MODEL, model_config={"local_files_only": True})


class FullDisk:
    """A file that takes `room` bytes and then refuses."""

    def __init__(self, file: Any, room: int) -> None:
        self.file, self.room = file, room

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def write(self, data: bytes) -> int:
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return int(self.file.write(data))


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_a_full_disk_is_named_and_the_next_start_recovers(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    serve(hub, kind, weight=BIG)
    opened = Path.open

    def full(path: Path, mode: str = "r", *rest: Any, **settings: Any) -> Any:
        file = opened(path, mode, *rest, **settings)
        return FullDisk(file, 2000) if path.suffix == ".part" else file

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        with pytest.raises(ModelNotFoundError, match=r"No space left on device.*free some space") as caught:
            load_table(MODEL)
    assert caught.value.errno == errno.ENOSPC
    assert str(kept_file()) in str(caught.value)
    assert "BEAVER_CACHE_DIR" in str(caught.value)
    assert not kept_file().exists()
    assert torch.equal(load_table(MODEL).weight, BIG)


@given(left=st.integers(0, BIG.nbytes + 300), spoiled=st.booleans())
@settings(max_examples=20, deadline=None)
def test_any_leftover_ends_in_the_same_file(left: int, spoiled: bool) -> None:
    """Whatever a cut-off write left, the next one makes the table whole and asks for what was missing."""
    header = table_cache.table_header("F16", BIG.shape, BIG.nbytes, {"model": MODEL})
    content = BIG.numpy().tobytes()
    asked: list[int] = []

    def parts(done: int) -> Iterator[bytes]:
        asked.append(done)
        yield from (content[i : i + PART] for i in range(done, len(content), PART))

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_cache, "PART_BYTES", PART)
        path = Path(folder) / "table.safetensors"
        leftover = bytes(reversed(header + content)) if spoiled else header + content + b"more" * 99
        path.with_suffix(".part").write_bytes(leftover[:left])
        weight = table_cache.keep_table(path, header, len(content), parts)
        assert path.read_bytes() == header + content
        assert torch.equal(weight, BIG)
    safe = left - len(header) - PART
    assert asked[0] <= max(safe, 0)
    assert spoiled or asked[0] >= min(safe, len(content) - PART) - 8


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stderr", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_a_progress_bar_on_terminals_only(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO, shown: bool
) -> None:
    serve(hub, weight=BIG)
    monkeypatch.setattr(sys, "stderr", stderr)
    load_table(MODEL)
    assert ("embedding table: 100%" in stderr.getvalue()) is shown


def test_a_cache_folder_that_can_not_be_made_is_named(hub: HubServer, tmp_path: Path) -> None:
    serve(hub)
    (tmp_path / "beaver").write_text("a file where the folder should be")
    with pytest.raises(ModelNotFoundError, match="BEAVER_CACHE_DIR"):
        load_table(MODEL)


def test_the_cache_lies_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    monkeypatch.delenv("BEAVER_CACHE_DIR", raising=False)
    assert table_cache.cache_folder() == Path(platformdirs.user_cache_dir("beaver_compat"))
    monkeypatch.setenv("BEAVER_CACHE_DIR", "~/elsewhere")
    assert table_cache.cache_folder() == Path.home() / "elsewhere"


LOAD_IN_PARTS = f"""
    import torch
    from beaver_compat.models import sources
    from beaver_compat.models import table_cache
    from beaver_compat.embeddings import load_table
    sources.PART_BYTES = table_cache.PART_BYTES = {PART}
    print(load_table({MODEL!r}).weight.double().sum().item())
"""


def test_a_killed_download_goes_on_where_it_stopped(hub: HubServer, tmp_path: Path) -> None:
    serve(hub, weight=BIG)
    hub.faults = [Fault("model.safetensors", "none", 2), Fault("model.safetensors", "hang", after=2000)]
    part = kept_file().with_suffix(".part")
    process = start(LOAD_IN_PARTS, hub.endpoint, tmp_path)
    try:
        while process.poll() is None and (not part.exists() or part.stat().st_size < 1500):
            hub.ended.wait(0.02)
        assert process.poll() is None, process.communicate()[1]
    finally:
        process.kill()
        process.communicate(timeout=HANG_GUARD)
    assert not kept_file().exists()
    hub.seen.clear()
    assert torch.equal(load_table(MODEL).weight, BIG)
    assert hub.bodies("model.safetensors")[-1].sent < BIG.nbytes - 1000


def test_two_processes_at_once_fetch_the_table_once(hub: HubServer, tmp_path: Path) -> None:
    serve(hub, weight=BIG)
    hub.faults = [Fault("model.safetensors", "slow", 100)]  # so that they meet
    processes = [start(LOAD_IN_PARTS, hub.endpoint, tmp_path) for _ in range(2)]
    answers = [process.communicate(timeout=HANG_GUARD) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], answers
    assert {float(out) for out, _ in answers} == {BIG.double().sum().item()}
    whole = [seen for seen in hub.bodies("model.safetensors") if seen.sent == BIG.nbytes]
    assert len(whole) == 1
    assert all("\r" not in err for _, err in answers)  # no progress bar where stderr is no terminal
