"""Frames of stack traces and lines of trees, which say nothing without what they stand under."""

from __future__ import annotations

from line_readings import needs

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.traces import frames
from beaver_compat.text.lined_text import read_lines

TRACES = """> node dist/server.js

[server] listening on http://0.0.0.0:4000
TypeError: Cannot read properties of undefined (reading 'amount')
    at /app/dist/cart/totals.js:58:57
    at cartTotal (/app/dist/cart/totals.js:58:18)

java.lang.IllegalStateException: Order 88213 could not be priced
	at com.acme.PricingService.price(PricingService.java:74) ~[classes/:na]
	at com.acme.OrderService.place(OrderService.java:131) ~[classes/:na]
Caused by: java.net.SocketTimeoutException: Read timed out
	at com.acme.RateClient.fetch(RateClient.java:48)
	... 48 common frames omitted
"""

TREE = """shop-api@2.8.0 /app
├─┬ express@4.19.2
│ ├─┬ body-parser@1.20.2
│ │ ├── bytes@3.1.2
│ │ └── raw-body@2.5.2
│ └── qs@6.11.0
├─┬ ioredis@5.4.1
│ └── denque@2.1.0
└── zod@3.23.8

config
├── default.yaml
└── test.yaml
"""


def test_frames_need_what_happened() -> None:
    found = needs(TRACES)
    refused = "java.lang.IllegalStateException: Order 88213 could not be priced"
    cause = "Caused by: java.net.SocketTimeoutException: Read timed out"
    wrong = "TypeError: Cannot read properties of undefined (reading 'amount')"
    heads = {
        "at /app/dist/cart/totals.js:58:57": wrong,
        "at cartTotal (/app/dist/cart/totals.js:58:18)": wrong,
        "at com.acme.OrderService.place(OrderService.java:131) ~[classes/:na]": refused,
        "at com.acme.RateClient.fetch(RateClient.java:48)": cause,
        "... 48 common frames omitted": cause,
    }
    for line, head in heads.items():
        assert head in found[line], line


def test_prose_has_no_frames() -> None:
    text = "Opening times:\n  at noon on weekdays, and\n\n  at ten on Sundays, or later.\n\nPrices:\n  five euros\n"
    assert not frames(read_lines([text])).any()


def test_a_kept_frame_has_its_exception() -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    question = "At which line does RateClient fetch?"
    kept = compressor.compress(TRACES, question=question, target_token=60, concate_question=False).compressed_prompt
    assert "Caused by: java.net.SocketTimeoutException: Read timed out\n\tat com.acme.RateClient.fetch" in kept


def test_names_in_a_tree_need_what_they_hang_on() -> None:
    found = needs(TREE)
    assert "├─┬ express@4.19.2" in found["│ └── qs@6.11.0"]
    assert "│ ├─┬ body-parser@1.20.2" in found["│ │ └── raw-body@2.5.2"]
    assert "├─┬ express@4.19.2" in found["│ │ └── raw-body@2.5.2"]
    assert "├─┬ ioredis@5.4.1" in found["│ └── denque@2.1.0"]
    assert not found.get("└── zod@3.23.8")
    assert not found.get("├── default.yaml")


def test_steps_of_an_agent_are_kept_one_by_one() -> None:
    step = "Thought {0}: I look up the {1} of the harbour, since the answer depends on it.\nAction {0}: search[{1}]\n"
    seen = (
        "Observation {0}: The {1} of the harbour is described in {2}. It is measured {2} times a year by the port.\n\n"
    )
    topics = [("depth", "four"), ("width", "six"), ("age", "nine"), ("owner", "twelve"), ("traffic", "three")]
    text = "".join((step + seen).format(number, *topic) for number, topic in enumerate(topics, 1))
    compressor = BeaverPromptCompressor(token_counter="table")
    question = "How often is the age of the harbour measured?"
    kept = compressor.compress(text, question=question, target_token=40, concate_question=False).compressed_prompt
    assert "Observation 3:" in kept
    assert "nine times a year" in kept
