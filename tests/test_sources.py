"""Files of models on a Hub: what is fetched, when, and what happens where it can't be."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
import torch
from hub_client import BIG, MODEL, NOBODY, PART, fresh_client, kept_file, point_client_at, serve
from hub_server import COMMIT, GOOD_TOKEN, Fault, HubServer, Repo, running_hub
from huggingface_hub import constants, hf_hub_download
from model_files import model_files, table

from beaver_compat.embeddings import load_table
from beaver_compat.errors import ModelNotFoundError, TableError


@pytest.fixture(scope="module")
def server() -> Iterator[HubServer]:
    with running_hub() as hub:
        yield hub


@pytest.fixture
def hub(server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HubServer:
    server.reset()
    fresh_client(server.endpoint, tmp_path, monkeypatch)
    return server


def test_only_the_tables_bytes_are_fetched(hub: HubServer) -> None:
    files = model_files("safetensors sharded", weight=BIG)
    shard = next(name for name in files if name.endswith("2-of-00002.safetensors"))
    stuffing = 500_000  # bytes that aren't the table's
    files[shard] += b"\0" * stuffing  # a file larger than any read of its header
    hub.repos[MODEL] = Repo(files)
    assert torch.equal(load_table(MODEL).weight, BIG)
    assert sum(seen.sent for seen in hub.seen) < stuffing
    assert not hub.bodies("1-of-00002.safetensors")
    assert {seen.host for seen in hub.bodies(shard)} == {"localhost"}
    assert all(COMMIT in seen.path for seen in hub.seen if "/resolve/" in seen.path and shard in seen.path)


def test_a_second_start_asks_once_for_the_commit_and_fetches_nothing(hub: HubServer) -> None:
    serve(hub)
    load_table(MODEL)
    hub.seen.clear()
    load_table(MODEL)
    assert [(seen.method, seen.path) for seen in hub.seen] == [("HEAD", f"/{MODEL}/resolve/main/config.json")]


@pytest.mark.parametrize("config", [{"revision": COMMIT}, {"local_files_only": True}])
def test_a_second_start_without_network(hub: HubServer, config: dict[str, Any]) -> None:
    serve(hub)
    load_table(MODEL)
    hub.seen.clear()
    assert torch.equal(load_table(MODEL, model_config=config).weight, table())
    assert not hub.seen


def test_a_second_start_in_offline_mode(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(hub)
    load_table(MODEL)
    hub.seen.clear()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert torch.equal(load_table(MODEL).weight, table())
    assert not hub.seen


def test_a_second_start_when_the_hub_is_gone(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(hub)
    load_table(MODEL)
    point_client_at(NOBODY, monkeypatch)
    assert torch.equal(load_table(MODEL).weight, table())


def test_a_new_commit_brings_a_new_table(hub: HubServer) -> None:
    serve(hub)
    load_table(MODEL)
    later = "f" * 40
    hub.repos[MODEL] = Repo(model_files(weight=table(seed=7)), commit=later)
    assert torch.equal(load_table(MODEL).weight, table(seed=7))
    assert torch.equal(load_table(MODEL, model_config={"revision": COMMIT}).weight, table())
    assert kept_file(commit=later).is_file()


def test_a_model_the_user_has_whole_is_mapped_where_it_lies(hub: HubServer) -> None:
    serve(hub, "safetensors sharded")
    for file in hub.repos[MODEL].files:
        hf_hub_download(MODEL, file)
    hub.seen.clear()
    assert torch.equal(load_table(MODEL, model_config={"local_files_only": True}).weight, table())
    assert not hub.seen
    assert not kept_file().exists()


def test_the_hubs_cache_follows_cache_dir(hub: HubServer, tmp_path: Path) -> None:
    serve(hub)
    load_table(MODEL, model_config={"cache_dir": str(tmp_path / "mine")})
    assert list((tmp_path / "mine").rglob("tokenizer.json"))
    assert not (tmp_path / "hub").exists()


def test_a_gated_model_opens_with_a_token_that_stays_with_the_hub(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(hub)
    hub.repos[MODEL].gated = True
    with pytest.raises(ModelNotFoundError, match=rf"'{MODEL}' is gated: ask for access .*HF_TOKEN"):
        load_table(MODEL)
    monkeypatch.setenv("HF_TOKEN", GOOD_TOKEN)
    assert torch.equal(load_table(MODEL).weight, table())
    assert {seen.token for seen in hub.seen if "/cdn/" in seen.path} == {None}


def test_a_token_in_model_config(hub: HubServer) -> None:
    serve(hub)
    hub.repos[MODEL].gated = True
    assert torch.equal(load_table(MODEL, model_config={"token": GOOD_TOKEN}).weight, table())


def test_a_model_with_a_converted_tokenizer_works_offline_later(hub: HubServer) -> None:
    files = model_files(name="bert.embeddings.word_embeddings.weight")
    del files["tokenizer.json"]
    files["config.json"] = b'{"model_type": "bert"}'
    files["vocab.txt"] = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nworld"
    files["tokenizer_config.json"] = b'{"tokenizer_class": "BertTokenizer"}'
    hub.repos[MODEL] = Repo(files)
    for config in ({}, {"local_files_only": True}):
        loaded = load_table(MODEL, model_config=config)
        assert loaded.tokenizer.encode("hello world", add_special_tokens=False).ids == [5, 6]


@pytest.mark.parametrize("name", ["no/such-model", "nothing"])
def test_an_unknown_model_is_named(hub: HubServer, name: str) -> None:
    with pytest.raises(ModelNotFoundError, match=rf"'{name}' isn't on http.*check the name.*HF_TOKEN.*local folder"):
        load_table(name)


@pytest.mark.parametrize("name", ["", "/no/such/folder", "./here", "a/b/c", "x" * 200, "a\0b", "mit leer"])
def test_a_name_that_can_be_neither_folder_nor_model(hub: HubServer, name: str) -> None:
    with pytest.raises(ModelNotFoundError, match="is neither a folder here nor a name that the Hub allows"):
        load_table(name)
    assert not hub.seen


def test_an_unknown_revision_is_named(hub: HubServer) -> None:
    serve(hub)
    with pytest.raises(ModelNotFoundError, match=r"has no revision 'v9': check model_config\['revision'\]"):
        load_table(MODEL, model_config={"revision": "v9"})


def test_an_unreachable_hub_is_named(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    point_client_at(NOBODY, monkeypatch)
    with pytest.raises(ModelNotFoundError, match=r"127.0.0.1:9 can't be reached.*check the name, the network"):
        load_table(MODEL)


def test_an_unreachable_hub_is_told_soon(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    point_client_at(NOBODY, monkeypatch)
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    with pytest.raises(ModelNotFoundError, match=r"can't be reached.*\(ConnectError: .*check the name, the network"):
        load_table(MODEL)
    assert sum(pauses) <= 1
    assert not caplog.records


class ConnectError(Exception):
    """Stands in for the HTTP library's."""


class ConnectTimeoutError(Exception):
    """As HTTP libraries have it: not one of their connection errors."""


@pytest.mark.parametrize(("error", "times"), [(ConnectError, 2), (ConnectTimeoutError, 1)])
def test_a_connection_that_comes_late_is_used(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch, error: type[Exception], times: int
) -> None:
    def late(*given: Any, **named: Any) -> Any:
        tries.append(given)
        if len(tries) == 1:
            raise error
        return metadata(*given, **named)

    serve(hub)
    tries: list[Any] = []
    metadata = huggingface_hub.get_hf_file_metadata
    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", late)
    assert torch.equal(load_table(MODEL).weight, table())
    assert len(tries) == times


def test_local_files_only_without_files(hub: HubServer) -> None:
    serve(hub)
    with pytest.raises(ModelNotFoundError, match="isn't in the local cache"):
        load_table(MODEL, model_config={"local_files_only": True})
    assert not hub.seen


def test_local_files_only_without_the_table(hub: HubServer) -> None:
    serve(hub)
    for file in ("config.json", "tokenizer.json"):
        hf_hub_download(MODEL, file)
    with pytest.raises(ModelNotFoundError, match=r"model\.safetensors isn't in the local cache, and local_files_only"):
        load_table(MODEL, model_config={"local_files_only": True})


def test_a_repository_that_is_no_model(hub: HubServer) -> None:
    hub.repos[MODEL] = Repo({"README.md": b"hello"})
    with pytest.raises(ModelNotFoundError, match=r"none of config\.json"):
        load_table(MODEL)


def test_a_repository_without_checkpoint(hub: HubServer) -> None:
    files = model_files()
    hub.repos[MODEL] = Repo({name: files[name] for name in ("config.json", "tokenizer.json")})
    with pytest.raises(TableError, match="has no checkpoint that can be read"):
        load_table(MODEL)


@pytest.mark.parametrize("kind", ["drop", "reset"])
def test_a_connection_that_breaks_is_taken_up_again(hub: HubServer, kind: str) -> None:
    serve(hub, weight=BIG)
    hub.faults = [
        Fault("model.safetensors", "none", times=2),
        Fault("model.safetensors", kind, 3, after=1000),
    ]
    assert torch.equal(load_table(MODEL).weight, BIG)
    starts = [int(seen.range.split("=")[1].split("-")[0]) for seen in hub.bodies("model.safetensors") if seen.range]
    reads = starts[2:]  # after those of the header
    assert len(reads) == 4
    assert sorted(set(reads)) == reads


def test_an_answer_shorter_than_asked_is_completed(hub: HubServer) -> None:
    serve(hub, weight=BIG)
    hub.faults = [
        Fault("model.safetensors", "none", times=2),
        Fault("model.safetensors", "short", 3, after=700),
    ]
    assert torch.equal(load_table(MODEL).weight, BIG)


def test_an_answer_longer_than_asked_is_cut(hub: HubServer) -> None:
    weight = BIG.float()
    serve(hub, weight=weight, name="a.wte.weight")  # not the last tensor of its file
    hub.faults = [Fault("model.safetensors", "none", times=2), Fault("model.safetensors", "long")]
    assert torch.equal(load_table(MODEL).weight, weight)


def test_a_server_error_that_passes_is_waited_out(hub: HubServer) -> None:
    serve(hub)
    hub.faults = [Fault("model.safetensors", "status", 2, status=503)]
    assert torch.equal(load_table(MODEL).weight, table())


@pytest.mark.parametrize("status", [403, 416, 500])
def test_a_server_error_that_stays_is_reported(hub: HubServer, status: int) -> None:
    serve(hub)
    hub.faults = [Fault("model.safetensors", "status", 1000, status=status)]
    with pytest.raises(ModelNotFoundError, match=rf"'{MODEL}' can't be fetched .*{status}"):
        load_table(MODEL)


def test_a_download_that_gives_up_goes_on_at_the_next_start(hub: HubServer) -> None:
    serve(hub, weight=BIG)
    hub.faults = [
        Fault("model.safetensors", "none", times=2),
        Fault("model.safetensors", "drop", after=2000),
        Fault("model.safetensors", "drop", times=1000),
    ]
    with pytest.raises(ModelNotFoundError, match=f"'{MODEL}' can't be fetched"):
        load_table(MODEL)
    assert not kept_file().exists()
    hub.faults.clear()
    hub.seen.clear()
    assert torch.equal(load_table(MODEL).weight, BIG)
    assert 0 < hub.bodies("model.safetensors")[-1].sent <= BIG.nbytes - 2000 + 2 * PART + 8


def test_leftovers_of_another_table_are_not_continued(hub: HubServer) -> None:
    serve(hub, weight=BIG)
    part = kept_file().with_suffix(".part")
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 3000)
    assert torch.equal(load_table(MODEL).weight, BIG)


def test_a_checkpoint_cut_short_is_named(hub: HubServer) -> None:
    files = model_files(weight=BIG)
    hub.repos[MODEL] = Repo({**files, "model.safetensors": files["model.safetensors"][:-500]})
    with pytest.raises(TableError, match=rf"{BIG.nbytes - 500} bytes came for the {BIG.nbytes} of the table"):
        load_table(MODEL)
    assert not kept_file().exists()


@pytest.mark.parametrize("kind", ["whole", "other"])
def test_a_server_that_sends_another_range_is_not_believed(hub: HubServer, kind: str) -> None:
    serve(hub)
    hub.faults = [Fault("model.safetensors", "none", times=2), Fault("model.safetensors", kind, 1000)]
    with pytest.raises(ModelNotFoundError, match=r"doesn't send parts of model\.safetensors.*hf download"):
        load_table(MODEL)


@pytest.mark.parametrize("kind", ["drop", "status"])
def test_a_bin_download_that_breaks_starts_clean(hub: HubServer, kind: str) -> None:
    serve(hub, "bin", weight=BIG)
    hub.faults = [Fault("pytorch_model.bin", kind, 1000, after=100, status=500)]
    with pytest.raises(ModelNotFoundError, match=MODEL):
        load_table(MODEL)
    hub.faults.clear()
    assert torch.equal(load_table(MODEL).weight, BIG)
