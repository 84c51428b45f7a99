"""Items of lists: what is kept of one stands under its own first line, and is found by it."""

from __future__ import annotations

import itertools
import json
import random
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_texts import kept
from line_readings import leads_of, needs, units_of

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.items import item_contents
from beaver_compat.structure.units import with_units
from beaver_compat.text.lined_text import read_lines


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ("- rye", 2),
        ("*   rye", 4),
        ("+ r", 2),
        ("\u2022 rye", 2),
        ("7. rye", 3),
        ("123) rye", 5),
        ("    - rye", 2),
        ("-    rye", 0),
        ("-rye", 0),
        ("--- rye", 0),
        ("**rye** bread", 0),
        ("1234. rye", 0),
        ("7.5 kg", 0),
        ("7 kg", 0),
        ("rye - oats", 0),
        ("-", 0),
        ("7. ", 0),
    ],
)
def test_items_are_known_by_their_mark(line: str, content: int) -> None:
    text = f"{line}\nnext"
    assert item_contents(read_lines([text])).tolist() == [content, 0]


MANIFEST = """kind: Deployment
containers:
- name: web
  image: shop/web:2
  env:
  - name: MODE
    value: fast
  resources:
    limits:
      memory: 256Mi
- name: worker
  resources:
    limits:
      memory: 1Gi
replicas: 2
"""


def test_lines_of_an_item_need_its_first_line_and_that_what_leads_to_the_list() -> None:
    found = needs(MANIFEST)
    web, worker = {"- name: web", "containers:"}, {"- name: worker", "containers:"}
    assert found["image: shop/web:2"] == web
    assert found["value: fast"] == {"- name: MODE", "env:", *web}
    assert found["memory: 256Mi"] == {"limits:", "resources:", *web}
    assert found["memory: 1Gi"] == {"limits:", "resources:", *worker}
    assert found["- name: worker"] == {"containers:"}
    assert found["containers:"] == {"- name: web"}
    assert found["replicas: 2"] == found["kind: Deployment"] == set()


def test_items_of_text_lists() -> None:
    text = "We sell:\n* Fruit\n  * Apples\n\n    They are red.\n* Bread\n\n2. Work\n   - Plough.\n3. Rest\nThe end."
    found = needs(text)
    assert found["They are red."] == {"* Apples", "* Fruit", "We sell:"}
    assert found["* Bread"] == {"We sell:"}
    assert found["- Plough."] == {"2. Work", "We sell:"}
    assert found["The end."] == set()
    assert needs("- It is " + "very " * 40 + "old.\n  - It fell.\n- And:\n  - It rose.")["- It fell."] == set()
    assert leads_of("- one\n context\n+ two\n context")[1] is None  # one space is a diff's


OBJECTS = """{
  "users": [
    {
      "name": "Mona",
      "address": {
        "city": "Oslo"
      }
    },
    {
      "name": "Bob",
      "age": 22
    }
  ]
}"""


def test_lines_of_an_object_need_its_first_key() -> None:
    found = needs(OBJECTS)
    head = {'"users": [', "{"}
    assert found['"age": 22'] == {'"name": "Bob",', *head}
    assert found['"city": "Oslo"'] == {'"address": {', '"name": "Mona",', *head}
    assert found['"name": "Bob",'] == head
    assert needs("if (x)\n{\n    y();\n    z();\n}")["z();"] == {"if (x)"}


@pytest.mark.parametrize(
    ("text", "records"),
    [
        ("a:\n- b: 1\n  c: 2\n- b: 3\n  c: 4\nd: 5", ["- b: 1\n  c: 2", "- b: 3\n  c: 4"]),
        ("* Rye:\n    from the hill\n* Oats", ["* Rye:\n    from the hill"]),
        ("- Fruit\n  - Apples\n    are red\n  - Pears", ["- Apples\n    are red"]),
        ("- b: 1\n\n  c: 2\n- d\n  ```\n  x\n- e", []),
        ("- b: 1\n  c: " + "2 " * 60 + "\n- d", []),
        ("[\n {\n  'a': 1,\n  'b': 2\n },\n {\n  'a': 3\n }\n]", ["{\n  'a': 1,\n  'b': 2\n },", "{\n  'a': 3\n }"]),
        (
            "[\n  {\n    'a': 1,\n    'b': {\n      'c': 2\n    }\n  },\n  {\n    'a': 3",
            ["{\n    'a': 1,\n    'b': {\n      'c': 2\n    }\n  },"],
        ),
    ],
)
def test_short_items_are_records(text: str, records: list[str]) -> None:
    found = units_of(text)
    edges = [*found.hard_lines.tolist(), len(text)]
    lines = [text[start:end].strip() for start, end in itertools.pairwise(edges)]
    assert [line for line, record in zip(lines, found.records, strict=True) if record and "\n" in line] == records


def items_slowly(lines: list[str]) -> list[int]:
    """The first line of the innermost item or the key that each line stands below, by walking upward from each."""
    indents = [len(line) - len(line.lstrip()) + (line.lstrip()[0] == "-") for line in lines]
    found = []
    for at, reach in enumerate(indents):
        item = -1
        for above in range(at - 1, -1, -1):
            if indents[above] < reach:
                reach = indents[above]
                if lines[above].lstrip()[0] == "-" or lines[above][-1] == ":":
                    item = above
                    break
        found.append(item)
    return found


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from(["- a", "- b: c", "d: e", "f", "g:"])), min_size=1, max_size=25
    )
)
@settings(max_examples=300, deadline=None)
def test_items_are_those_that_a_walk_upward_finds(rows: list[tuple[int, str]]) -> None:
    lines, leads = leads_of("\n".join(" " * 3 * indent + row for indent, row in rows))
    found = [-1] * len(lines) if leads is None else leads.items.tolist()
    assert found == items_slowly(lines)


NAMES = ["web", "api", "worker", "metrics", "cron", "mailer", "search", "cache", "proxy", "auth", "billing", "report"]


def _services(keys: int) -> list[dict[str, object]]:
    chance = random.Random(keys)
    others = ["cpu", "region", "port", "owner", "timeout", "retries", "disk", "zone"][:keys]
    return [
        {
            "name": name,
            "image": f"registry.example.com/{name}:{chance.randint(1, 9)}",
            **{key: chance.randint(1, 9) for key in others},
            "replicas": chance.randint(1, 4),
            "memory": chance.choice(["64Mi", "128Mi", "256Mi"]),
        }
        for name in NAMES
    ]


def _written(services: list[dict[str, object]], layout: str) -> str:
    if layout == "json":
        return json.dumps({"services": services}, indent=2)
    if "map" in layout:
        named = {one["name"]: {key: value for key, value in one.items() if key != "name"} for one in services}
        text = json.dumps({"services": named}, indent=2)
        return text if layout == "json map" else re.sub(r"[\",{}]", "", text)
    indent = layout
    items = ("\n".join(f"{indent}  {key}: {value}" for key, value in one.items()) for one in services)
    return "services:\n" + "\n".join(f"{indent}- {item.lstrip()}" for item in items) + "\nversion: 3\n"


@pytest.mark.parametrize("layout", ["", "  ", "json", "map", "json map"])
@pytest.mark.parametrize("keys", [0, 3, 8])
def test_a_value_stands_under_its_own_name_and_is_found(
    compressor: BeaverPromptCompressor, keys: int, layout: str
) -> None:
    services = _services(keys)
    text = _written(services, layout)
    truths = {str(one["name"]): {key: str(value) for key, value in one.items()} for one in services}
    found = 0
    for asked in NAMES[::3]:
        for key, question in (("memory", "How much memory does {} get?"), ("replicas", "How many replicas has {}?")):
            for budget in (40, 90, 200):
                name, right = "", False
                for line in kept(compressor, text, question.format(asked), budget).split("\n"):
                    known, _, value = re.sub(r"[\"',{}\[\]]|^ *- ", "", line).strip().partition(":")
                    value = value.strip()
                    name = value if known == "name" else known if known in NAMES else name
                    if known == key:
                        assert truths[name][key] == value, (asked, key, budget)
                        right |= name == asked
                found += right
    assert found >= (16 if keys == 0 else 12)  # of 24


def test_the_same_words_in_two_items_are_no_repeats(compressor: BeaverPromptCompressor) -> None:
    line = "the gate is painted in dark green with white letters"
    text = "".join(f"- Gate of {name}\n\n  It was built in {1800 + at}.\n  {line}\n" for at, name in enumerate(NAMES))
    prepared = compressor.prepare(text)
    for name in NAMES[1:]:
        question = f"How is the gate of {name} painted?"
        result = compressor.compress(prepared, question=question, target_token=40, concate_question=False)
        assert f"- Gate of {name}\n" in result.compressed_context
        assert line in result.compressed_context.partition(f"- Gate of {name}\n")[2].partition("\n- ")[0]


def test_contexts_share_no_items() -> None:
    text = "[\n  {\n    'a': 1\n\n  }\n]- b\n\n  c"
    starts = np.array([0, text.index("  }"), text.index("  c")])
    assert not with_units(replace(read_lines([text]), context_starts=starts)).boundaries.records.any()
    _, leads = leads_of("- a\n  b\n  c", "  d\n  e")
    assert leads is not None
    assert leads.items.tolist() == [-1, 0, 0, -1, -1]
    assert np.array_equal(leads.parts, leads.items)


_MESSAGES = [
    {"role": "system", "content": "You are a travel agent. The agency's fee is 15 EUR per ticket."},
    {"role": "user", "content": "I want to fly from Vienna to Lisbon on 3 May, back on 10 May. My budget is 400 EUR."},
    {
        "role": "assistant",
        "content": "There are two flights: TP1273 at 06:15 for 310 EUR, refundable, and OS431 at 14:20 for 240 EUR, "
        "not refundable. Which one do you prefer?",
    },
    {"role": "user", "content": "The cheaper one. I have a dog of 7 kg, can she come?"},
    {
        "role": "assistant",
        "content": "Dogs up to 8 kg travel in the cabin for 55 EUR each way, in a bag of at most 40 x 33 x 17 cm.",
    },
]


@pytest.mark.parametrize("listed", [True, False], ids=["list", "one below the other"])
@pytest.mark.parametrize("indent", [1, 2, 4])
@pytest.mark.parametrize("question", ["How heavy may the dog be?", "What does the flight OS431 cost?"])
def test_messages_of_json_over_several_lines_come_with_their_role(
    compressor: BeaverPromptCompressor, question: str, indent: int, listed: bool
) -> None:
    """No role stands alone, and none over another's text; where not even the text fits with it, the text is alone."""
    laid_out = [json.dumps(message, indent=indent) for message in _MESSAGES]
    text = json.dumps(_MESSAGES, indent=indent) if listed else "\n".join(laid_out)
    roles = {message["content"]: message["role"] for message in _MESSAGES}
    for budget in (60, 80, 100, 125, 150, 200, 250):
        role = None
        lines = [line for line in kept(compressor, text, question, budget).split("\n") if any(map(str.isalpha, line))]
        for line in lines:
            key, value = next(iter(json.loads("{" + line.strip().rstrip(",") + "}").items()))
            if key == "role":
                assert role is None, (budget, lines)
                role = value
            else:
                assert role == roles[value] or len(lines) == 1, (budget, lines)
                role = None
        assert role is None, (budget, lines)


@pytest.mark.parametrize("budget", [100, 150])
def test_the_message_that_answers_is_kept(compressor: BeaverPromptCompressor, budget: int) -> None:
    text = json.dumps(_MESSAGES, indent=2)
    found = kept(compressor, text, "What does the flight OS431 cost?", budget)
    assert re.search(r'{\s+"role": "assistant",\s+"content": "There are two flights', found)
