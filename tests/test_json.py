"""JSON objects: values of the same types, bounds of each key, pairs that may vanish."""

from __future__ import annotations

import copy
import json
import threading
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_samples import HARBOUR, OBSERVATORY, ORCHARD, kept_words

from beaver_compat import BeaverPromptCompressor, InputTypeError, InputValueError
from beaver_compat.face.json_values import dumped

DATA: dict[str, Any] = {
    "id": 987654,
    "name": "Crane Hill, Observatory; est. 1888",
    "open": True,
    "tags": ["comets, planets", "variable stars", "chess", "school visits", "paper maps"],
    "history": OBSERVATORY,
}
CONFIG: dict[str, Any] = {
    "id": {"rate": 1, "compress": False, "value_type": "int", "pair_remove": True},
    "name": {"rate": 0.7, "compress": False, "value_type": "str", "pair_remove": False},
    "open": {"rate": 0.5, "compress": True, "value_type": "bool", "pair_remove": False},
    "tags": {"rate": 0.4, "compress": True, "value_type": "list", "pair_remove": True},
    "history": {"rate": 0.3, "compress": True, "value_type": "str", "pair_remove": True},
}


def settings_of(
    rate: float = 0.3, value_type: str = "str", compress: bool = True, remove: bool = False
) -> dict[str, Any]:
    return {"rate": rate, "compress": compress, "value_type": value_type, "pair_remove": remove}


def test_json_data_keeps_its_types(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_json(DATA, CONFIG, question="Who directs it?")
    value = result["compressed_prompt"]
    assert list(value) == list(DATA)
    assert (value["id"], value["name"], value["open"]) == (DATA["id"], DATA["name"], True)
    assert set(value["tags"]) < set(DATA["tags"])
    assert kept_words(value["history"], OBSERVATORY)
    assert json.loads(json.dumps(value)) == value


def test_counts_are_those_of_the_object_written_as_json(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_json(DATA, CONFIG)
    assert result["origin_tokens"] == compressor.counter(json.dumps(DATA, ensure_ascii=False))
    assert result["compressed_tokens"] == compressor.counter(
        json.dumps(result["compressed_prompt"], ensure_ascii=False)
    )


def test_each_rate_bounds_its_key(compressor: BeaverPromptCompressor) -> None:
    count = compressor.counter
    value = compressor.compress_json(DATA, CONFIG, rate=1.0)["compressed_prompt"]
    assert 0 < count(value["history"]) <= 0.3 * count(OBSERVATORY)
    assert 0 < count("\n".join(value["tags"])) <= 0.4 * count("\n".join(DATA["tags"]))


def test_a_rate_of_zero_keeps_nothing(compressor: BeaverPromptCompressor) -> None:
    config = {"text": settings_of(0), "list": settings_of(0, "list")}
    value = compressor.compress_json({"text": HARBOUR, "list": [HARBOUR, 1]}, config)["compressed_prompt"]
    assert value == {"text": "", "list": []}


def test_what_is_not_compressed_is_untouched_whatever_the_rate(compressor: BeaverPromptCompressor) -> None:
    data = {"long": HARBOUR + ' "quoted", [1,, 2]\n\ttab', "nested": {"a": [1, {"b": None}]}, "short": ORCHARD}
    config = {"long": settings_of(compress=False), "nested": settings_of(1.0, "dict"), "short": settings_of(0.4)}
    value = compressor.compress_json(data, config, rate=0.1)["compressed_prompt"]
    assert (value["long"], value["nested"]) == (data["long"], data["nested"])
    assert value["short"]
    value["nested"]["a"].append(2)
    assert data["nested"] == {"a": [1, {"b": None}]}


def test_dicts_and_lists_inside(compressor: BeaverPromptCompressor) -> None:
    data = {
        "d": {"text": HARBOUR, "n": 5, "in": {"t": ORCHARD}},
        "l": [1, 2.5, None, {"k": "v"}, HARBOUR],
        "t": ("a", "b c"),
    }
    config = {"d": settings_of(0.5, "dict"), "l": settings_of(0.9, "list"), "t": settings_of(0.9, "tuple")}
    value = compressor.compress_json(data, config, question="Who built the harbour?")["compressed_prompt"]
    assert value["d"]["n"] == 5
    assert kept_words(value["d"]["text"], HARBOUR)
    assert kept_words(value["d"]["in"]["t"], ORCHARD)
    rest = iter(data["l"][:4])
    assert all(item in rest for item in value["l"] if not isinstance(item, str))
    assert isinstance(value["t"], tuple)


def test_use_keyvalue_level_filter(compressor: BeaverPromptCompressor) -> None:
    kept = compressor.compress_json(DATA, CONFIG, target_token=45)["compressed_prompt"]
    removed = compressor.compress_json(DATA, CONFIG, target_token=45, use_keyvalue_level_filter=True)[
        "compressed_prompt"
    ]
    assert list(kept) == list(DATA)
    assert {"name", "open"} <= set(removed) < set(DATA)
    assert len(dumped(removed)) > 0.5 * len(dumped(kept))


def test_pair_remove_false_keeps_a_pair_whatever_the_target(compressor: BeaverPromptCompressor) -> None:
    value = compressor.compress_json(DATA, CONFIG, target_token=0, use_keyvalue_level_filter=True)["compressed_prompt"]
    assert value == {"name": DATA["name"], "open": True}


def test_question(compressor: BeaverPromptCompressor) -> None:
    config = {**CONFIG, "history": settings_of(0.25)}
    for question, answer in (
        ("Who photographed the comet?", "Ilse Varga"),
        ("What game do astronomers play?", "chess"),
    ):
        assert answer in compressor.compress_json(DATA, config, question=question)["compressed_prompt"]["history"]


def test_target_token(compressor: BeaverPromptCompressor) -> None:
    for target in (60, 80, 120):
        assert compressor.compress_json(DATA, CONFIG, target_token=target)["compressed_tokens"] <= target


def test_rate_grants_what_the_keys_ask_for(compressor: BeaverPromptCompressor) -> None:
    data, config = {"a": HARBOUR, "b": ORCHARD}, {"a": settings_of(0.8), "b": settings_of(0.8)}
    result = compressor.compress_json(data, config, rate=0.1)
    assert 0.6 * result["origin_tokens"] < result["compressed_tokens"] <= 0.8 * result["origin_tokens"] + 10


def test_reorder_keyvalue(compressor: BeaverPromptCompressor) -> None:
    data = {"harbour": HARBOUR, "orchard": ORCHARD, "stars": OBSERVATORY}
    config = dict.fromkeys(data, settings_of(0.5))
    question = "Who photographed the comet of 1910?"
    assert list(compressor.compress_json(data, config, question=question)["compressed_prompt"]) == list(data)
    ordered = compressor.compress_json(data, config, question=question, reorder_keyvalue="sort")["compressed_prompt"]
    assert next(iter(ordered)) == "stars"
    assert set(ordered) == set(data)


def test_context_budget_bounds_the_pairs_that_may_vanish(compressor: BeaverPromptCompressor) -> None:
    data = {"harbour": HARBOUR, "orchard": ORCHARD, "stars": OBSERVATORY}
    config = dict.fromkeys(data, settings_of(0.9, remove=True))
    value = compressor.compress_json(
        data,
        config,
        question="Who photographed the comet?",
        rate=1.0,
        use_keyvalue_level_filter=True,
        context_budget="*0.4",
    )["compressed_prompt"]
    assert list(value) == ["stars"]


def test_json_config_may_be_the_path_of_a_yaml_file(compressor: BeaverPromptCompressor, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")  # JSON is YAML
    expected = compressor.compress_json(DATA, CONFIG)
    assert compressor.compress_json(DATA, str(path)) == compressor.compress_json(DATA, path) == expected


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (b"name: [1, 2\nrate: }", r"It is no YAML: .*config\.yaml\", line 2, column 5$"),
        (b"name: \xff\xfe", r"It is no YAML: .*config\.yaml\", position 6$"),
        (b"- name", r".*config\.yaml is \['name'\]\.$"),
    ],
)
def test_a_file_that_is_no_configuration_is_named(
    compressor: BeaverPromptCompressor, tmp_path: Path, written: bytes, told: str
) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(written)
    with pytest.raises(InputValueError, match=rf"^Invalid json config file\. .* yaml file\. {told}"):
        compressor.compress_json(DATA, path)


def test_keys_that_do_not_match(compressor: BeaverPromptCompressor) -> None:
    for data, config in (({"a": 1}, {"b": settings_of()}), ({}, {"b": settings_of()}), ({"a": 1}, {})):
        with pytest.raises(AssertionError, match=r"Keys in json data and json config file do not match\."):
            compressor.compress_json(data, config)
    with pytest.raises(
        AssertionError, match=r"match\. Only json_data has \['a', 'c'\]; only json_config has \['b'\]\.$"
    ):
        compressor.compress_json({"a": 1, "c": 2}, {"b": settings_of()})


@pytest.mark.parametrize(
    ("data", "config", "error", "words"),
    [
        ({"a": "b"}, 5, ValueError, r"^Invalid json config file.*yaml file\. json_config is 5\.$"),
        (
            {"a": "b"},
            {"a": settings_of(value_type="set")},
            ValueError,
            r"Invalid value type: set in json_config\['a'\]",
        ),
        (
            {"a": "b"},
            {"a": settings_of(value_type="bool")},
            ValueError,
            r"Invalid boolean value: b in json_data\['a'\]",
        ),
        ({"a": "b"}, {"a": settings_of(value_type="int")}, ValueError, r"^json_data\['a'\] is 'b', .* invalid literal"),
        (
            {"a": [1]},
            {"a": settings_of(value_type="int")},
            TypeError,
            r"^json_data\['a'\] is \[1\], .*give a number, or",
        ),
        ({"a": 1e999}, {"a": settings_of(value_type="int")}, ValueError, r"^json_data\['a'\] is inf"),
        ({"a": 10**400}, {"a": settings_of(value_type="float")}, ValueError, r"^json_data\['a'\] is 1000"),
        ({(1, 2): "b"}, {(1, 2): settings_of()}, TypeError, r"^json_data has the key \(1, 2\) of type tuple; give a"),
        ({"a": [{(1,): "b"}]}, {"a": settings_of(compress=False)}, TypeError, r"^json_data\['a'\] has the key \(1,\)"),
        ({"a": "b"}, {"a": settings_of(1.5)}, AssertionError, "'rate' must not exceed"),
        ({"a": "b"}, {"a": {"rate": 0.5}}, KeyError, "has no 'compress', 'value_type', 'pair_remove'; give rate, comp"),
        (
            {"a": "b"},
            {"a": {"rat": 0.5, "type": "str", "compress": True, "pair_remove": True}},
            KeyError,
            r"json_config\['a'\] has the unknown \['rat', 'type'\] and no 'rate', 'value_type'; give rate",
        ),
        ({"a": "b"}, {"a": 0.5}, TypeError, "give a dict"),
        ({"a": "b"}, {"a": settings_of("x")}, TypeError, "give a number"),  # type: ignore[arg-type]
    ],
)
def test_refusals(
    compressor: BeaverPromptCompressor, data: Any, config: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        compressor.compress_json(data, config)


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("kind", ["list", "dict"])
def test_nesting_has_a_bound(compressor: BeaverPromptCompressor, kind: str, compress: bool) -> None:
    def nested(levels: int) -> Any:
        value: Any = HARBOUR
        for _ in range(levels):
            value = [value] if kind == "list" else {"k": value}
        return value

    config = {"a": settings_of(0.9, kind, compress)}
    value = compressor.compress_json({"a": nested(200)}, config, question="Who built it?")["compressed_prompt"]["a"]
    assert compress or value == nested(200)
    itself: list[Any] = [1]
    itself.append(itself)
    for wrong in (nested(201), nested(3000), itself):
        with pytest.raises(InputValueError, match=r"^json_data\['a'\] nests more than 200 levels deep or holds itself"):
            compressor.compress_json({"a": wrong}, config)


class Point(NamedTuple):
    x: int
    y: int


def test_values_of_any_class_stay_as_they_are_where_nothing_is_compressed(compressor: BeaverPromptCompressor) -> None:
    data = {"point": Point(1, 2), "points": [Point(1, 2), (3,)], "set": {1}, "when": date(2020, 1, 2)}
    value = compressor.compress_json(data, dict.fromkeys(data, settings_of(compress=False)))["compressed_prompt"]
    assert value == data
    assert [type(item) for item in (value["point"], *value["points"])] == [Point, Point, tuple]
    assert value["points"] is not data["points"]


def test_values_that_can_not_be_copied_are_passed_on(compressor: BeaverPromptCompressor) -> None:
    lock = threading.Lock()
    data = {"lock": lock, "more": {"lock": lock, "text": HARBOUR}, "list": [1]}
    config = {"lock": settings_of(compress=False), "more": settings_of(0.5, "dict"), "list": settings_of(1.0, "list")}
    value = compressor.compress_json(data, config)["compressed_prompt"]
    assert value["lock"] is value["more"]["lock"] is lock
    assert value["list"] == [1]
    assert value["list"] is not data["list"]


def test_data_that_is_no_object(compressor: BeaverPromptCompressor) -> None:
    with pytest.raises(InputTypeError, match="json_data is of type list"):
        compressor.compress_json([], {})  # type: ignore[arg-type]


def test_an_empty_object_and_empty_values(compressor: BeaverPromptCompressor) -> None:
    assert compressor.compress_json({}, {})["compressed_prompt"] == {}
    data = {"a": "", "b": [], "c": {}, "d": [""], "e": None}
    config = {
        key: settings_of(value_type=kind)
        for key, kind in zip(data, ("str", "list", "dict", "list", "list"), strict=True)
    }
    assert compressor.compress_json(data, config)["compressed_prompt"] == data


def test_arguments_are_not_written_to(compressor: BeaverPromptCompressor) -> None:
    data, config = copy.deepcopy(DATA), copy.deepcopy(CONFIG)
    compressor.compress_json(data, config, use_keyvalue_level_filter=True)["compressed_prompt"]["name"] = "other"
    assert (data, config) == (DATA, CONFIG)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from([HARBOUR, ORCHARD, "a, b,, c", "", '"\\'])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)


@settings(max_examples=25, deadline=None)
@given(
    data=st.dictionaries(st.text(max_size=4), VALUES, max_size=4),
    rate=st.sampled_from([0, 0.2, 0.7, 1]),
    remove=st.booleans(),
    target=st.integers(0, 300),
)
def test_any_object_keeps_its_shape_and_its_budget(
    compressor: BeaverPromptCompressor, data: dict[str, Any], rate: float, remove: bool, target: int
) -> None:
    config = {key: settings_of(rate, "list", remove=remove) for key in data}
    result = compressor.compress_json(data, config, target_token=target, use_keyvalue_level_filter=remove)
    value = result["compressed_prompt"]
    least = compressor.compress_json(data, config, target_token=0, use_keyvalue_level_filter=remove)
    assert result["compressed_tokens"] <= max(target, least["compressed_tokens"])
    assert set(value) == set(data) or remove
    for key, kept in value.items():
        assert type(kept) is type(data[key])
        assert kept == data[key] or rate < 1
