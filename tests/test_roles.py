"""Messages of a chat in a model's template: what is kept of one stands below its own role."""

from __future__ import annotations

import re

import pytest
from kept_texts import kept
from line_readings import leads_of

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.roles import find_roles
from beaver_compat.text.lined_text import read_lines

CHAT = [
    ("system", "You are a travel agent. Only book refundable fares. The agency's fee is 15 EUR per ticket."),
    ("user", "I want to fly from Vienna to Lisbon on 3 May, back on 10 May. My budget is 400 EUR."),
    (
        "assistant",
        "TP1273 leaves at 06:15 for 310 EUR.\n\nOS431 leaves at 14:20 for 240 EUR, not so late.\nAny?",
    ),
    ("user", "The cheaper one. I have a dog of 7 kg, can she come?"),
    ("assistant", "- Dogs up to 8 kg travel in the cabin for 55 EUR each way\n- A bag is at most 40 x 33 x 17 cm"),
    ("user", "Fine, book TP1273. Seat at the window please. My wife Julia comes too."),
    ("assistant", "Booked under QX7L2P: two passengers, seats 14A and 14B, one dog. The total is 760 EUR with fees."),
    ("user", "What is the agency's fee per ticket?"),
]
# What a message is printed as, and what the text ends with where the model is to answer.
TEMPLATES = {
    "chatml": ("<|im_start|>{role}\n{said}<|im_end|>\n", "<|im_start|>assistant\n"),
    "chatml apart": ("<|im_start|>{role}\n{said}\n<|im_end|>\n", "<|im_start|>assistant\n"),
    "llama3": (
        "<|start_header_id|>{role}<|end_header_id|>\n\n{said}<|eot_id|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "phi": ("<|{role}|>\n{said}<|end|>\n", "<|assistant|>\n"),
    "bars": ("<\uff5c{role}\uff5c>{said}", "<\uff5cassistant\uff5c>"),
    "gemma": ("<start_of_turn>{role}\n{said}<end_of_turn>\n", "<start_of_turn>model\n"),
    "channels": ("<|start|>{role}<|message|>{said}<|end|>", "<|start|>assistant"),
    "hashes": ("### {Role}:\n{said}\n\n", "### Assistant:\n"),
    "bold": ("**{Role}:**\n{said}\n\n", "**Assistant:**\n"),
    "names": ("{Role}:\n{said}\n\n", "Assistant:\n"),
}
MARK = re.compile(
    r"<\|(?:im_start|start_header_id|start)\|>(\w+)(?:<\|\w+\|>)?|<[|\uff5c](system|user|assistant)[|\uff5c]>"
    r"|<start_of_turn>(\w+)|^(?:### |\*\*)?(System|User|Assistant):(?:\*\*)?$|(\[/?INST\])(?: <<SYS>>)?|<(</SYS>)>",
    re.M,
)
QUESTIONS = [
    "How much does the dog cost each way?",
    "What is the booking code?",
    "When does OS431 leave?",
    "window seat",
]


def written(template: str, chat: list[tuple[str, str]], begun: bool = False) -> str:
    form, opened = TEMPLATES[template]
    return "".join(form.format(role=role, Role=role.title(), said=said) for role, said in chat) + opened * begun


def under_roles(text: str) -> list[tuple[str, str]]:
    """What stands under each role."""
    marks = list(MARK.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    roles = [next(role for role in mark.groups() if role).lower() for mark in marks]
    return [(role, text[mark.end() : end]) for role, mark, end in zip(roles, marks, ends, strict=True)]


def assert_own_roles(text: str, context: str) -> None:
    whole, parts = under_roles(text), under_roles(context)
    for role, said in parts:
        lines = [line.strip() for line in said.split("\n") if line.strip()]
        assert all(any(own == role and line in other for own, other in whole) for line in lines), context
    assert all(said.strip() for _, said in parts[:-1]), context


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_is_kept_stands_below_its_own_role(compressor: BeaverPromptCompressor, template: str) -> None:
    text = written(template, CHAT[:-1])
    for question in QUESTIONS:
        for budget in range(50, 200, 15):
            assert_own_roles(text, kept(compressor, text, question, budget))
    assert "55 EUR each way" in kept(compressor, text, QUESTIONS[0], 75)
    assert "QX7L2P" in kept(compressor, text, QUESTIONS[1], 75)


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("template", TEMPLATES)
def test_the_last_question_is_the_query_and_keeps_its_role(
    compressor: BeaverPromptCompressor, template: str, begun: bool
) -> None:
    text = written(template, CHAT, begun)
    last = text[[mark.start() for mark in MARK.finditer(text)][-1 - begun] :]
    for budget in range(60, 200, 20):
        context = compressor.compress(text, target_token=budget).compressed_prompt
        assert context.rstrip().endswith(last.rstrip()), budget
        assert_own_roles(text, context)
    assert "fee is 15 EUR" in compressor.compress(text, target_token=110).compressed_prompt


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_last_message_that_asks_nothing_is_the_query(compressor: BeaverPromptCompressor, template: str) -> None:
    said = "Tell me the agency's fee per ticket. Be brief"
    text = written(template, [*CHAT[:-1], ("user", said)], begun=True)
    result = compressor.compress(text, target_token=110).compressed_prompt
    assert said in result
    assert "fee is 15 EUR" in result


LLAMA = (
    "<s>[INST] <<SYS>>\nYou are a helpful pharmacist. Never recommend more than 3 g of paracetamol per day.\n<</SYS>>\n"
    "\nI have a headache, what can I take? [/INST] You can take 500 mg of paracetamol every six hours. </s><s>[INST] "
    "And ibuprofen with it? [/INST] Yes, 400 mg after a meal, at most three times a day, unless you have an ulcer. "
    "It is sold in boxes of twenty. </s><s>[INST] How much paracetamol per day is the limit? [/INST]"
)


def test_a_chat_on_one_line(compressor: BeaverPromptCompressor) -> None:
    asked = LLAMA.partition("\n\n")[2].rpartition("<s>")[0]
    for budget in range(30, 100, 10):
        context = kept(compressor, f"<s>[INST] {asked}", "How often is paracetamol taken?", budget)
        assert "[/INST] You can take 500 mg" in context, budget
        assert_own_roles(f"<s>[INST] {asked}", context)


def test_instructions_in_brackets(compressor: BeaverPromptCompressor) -> None:
    for budget in range(50, 140, 10):
        context = compressor.compress(LLAMA, target_token=budget).compressed_prompt
        assert context.endswith("[INST] How much paracetamol per day is the limit? [/INST]"), budget
        assert_own_roles(LLAMA, context)
    asked = LLAMA.rpartition("<s>")[0]
    for budget in range(40, 140, 10):
        context = kept(compressor, asked, "How much ibuprofen after a meal?", budget)
        assert "[/INST] Yes, 400 mg after a meal" in context, budget
        assert_own_roles(asked, context)


@pytest.mark.parametrize(
    "text",
    [
        "<|im_start|>user\nIt rains.<|im_end|>",
        "The mark `<|im_start|>` begins a message, `<|im_end|>` ends it.\nIt rains.",
        "# System\nIt rains.\n\n# Users\nIt snows.",
        "User: It rains.\nAssistant: It snows.",
        '{"text": "<|im_start|>user It rains.<|im_end|>"}\n{"text": "<|im_start|>user It snows.<|im_end|>"}',
        "INST] is no mark. [inst is none, too.",
        "User interface:\nIt rains.\n\nSystem requirements:\nIt snows.",
    ],
)
def test_what_is_no_role(text: str) -> None:
    assert not find_roles(read_lines([text])).lines.size


def test_roles_reach_into_no_other_context_and_behind_no_closing_mark() -> None:
    chat = written("chatml", CHAT[1:4])
    lines, leads = leads_of(f"{chat}\nSo far the chat. It was of May.", "Fares of dogs are high.")
    assert leads is not None
    assert [lines[at] for at in (-2, -1) if leads.parts[at] >= 0] == []


def test_hostile_roles_come_back() -> None:
    for text in (
        "<|im_start|>user\n" * 20_000,
        "<|im_start|>" * 20_000,
        "<s>[INST]" * 20_000 + "x",
        "x[/INST]" * 20_000,
        "<|im_start|>user\nx<|im_end|><|im_end|>" * 10_000,
        "<|im_end|>\n" * 20_000 + "<|user|>\n<|user|>",
        "<|start|>a<|channel|>b" * 10_000,
        "### User:\n" * 20_000,
        "<|user|>" + "<" * 100_000,
    ):
        leads_of(text)
