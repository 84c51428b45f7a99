"""Code that is kept can be read: lines come with what opens their blocks, signatures and docstrings whole."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from kept_texts import kept
from numpy.typing import NDArray
from text_kinds import CODE

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.statements import find_statements
from beaver_compat.text.lined_text import read_lines


@pytest.mark.parametrize("budget", [70, 100, 120, 160, 220])
@pytest.mark.parametrize(
    "question", ["What happens if withdraw exceeds the balance?", "How does transfer undo a failed deposit?"]
)
def test_lines_of_a_body_come_with_its_signature(
    compressor: BeaverPromptCompressor, question: str, budget: int
) -> None:
    """Each kept body line's function stands before it (and its class, where it is a method's)."""
    signature, owner = None, {}
    for line in CODE.split("\n"):
        if re.match(r"\s*(def|class) ", line):
            signature = line
        elif line.strip():
            owner.setdefault(line, set()).add(signature)
    last = None
    for line in kept(compressor, CODE, question, budget).split("\n"):
        if re.match(r"\s*(def|class) ", line):
            last = line
        elif line.startswith("        ") or (line.startswith("    ") and last and last.startswith("def")):
            assert last in owner[line], line


SCRIPT = """import { api } from './api'

export class Basket {
  constructor(owner) {
    this.owner = owner
    this.items = []
  }

  add(item, count) {
    if (count < 1) {
      throw new RangeError(`count is ${count}`)
    }
    for (const own of this.items) {
      if (own.item === item) {
        own.count += count
        return own
      }
    }
    this.items.push({ item, count })
  }

  async order(address) {
    if (this.items.length === 0) {
      return null
    } else if (!address) {
      throw new TypeError('an address is missing')
    } else {
      const bill = await api.post('/orders', { items: this.items, address })
      this.items = []
      return bill.number
    }
  }
}
"""


@pytest.mark.parametrize("budget", range(40, 240, 14))
@pytest.mark.parametrize(
    ("code", "question"),
    [
        (CODE, "What happens if withdraw exceeds the balance?"),
        (CODE, "How does transfer undo a failed deposit?"),
        (SCRIPT, "What happens when an address is missing?"),
        (SCRIPT, "What does add do if the item is already in the basket?"),
    ],
)
def test_what_opens_a_block_comes_with_a_line_of_it(
    compressor: BeaverPromptCompressor, code: str, question: str, budget: int
) -> None:
    source = code.split("\n")
    lines = kept(compressor, code, question, budget).split("\n")
    for line, following in itertools.pairwise([*lines, ""]):
        indent = len(line) - len(line.lstrip())
        behind = source[source.index(line) + 1]
        if line.endswith((":", "{")) and len(behind) - len(behind.lstrip()) > indent:
            assert len(following) - len(following.lstrip()) > indent, line


BODY = """
{0}    started = clock.now()
{0}    lock(customer)
{0}    if stock.of(items) < 1:
{0}        raise SoldOut(items)
{0}    bill = post(customer, items)
{0}    return bill.number
"""
SIGNATURES = [
    "def place_order(\n    customer: int,\n    items: list[str],\n    express: bool = False,\n) -> Order:",
    "def place_order(customer: int, items: list[str],\n                express=False,\n                tries=3):",
    "export function placeOrder(\n  customer: number,\n  items: string[],\n  tries = 3,\n): Order {",
    "  public Order placeOrder(\n      int customer,\n      List<String> items,\n      boolean express\n  ) {",
]


@pytest.mark.parametrize("signature", SIGNATURES)
def test_of_a_signature_all_parameters_are_kept_or_none(compressor: BeaverPromptCompressor, signature: str) -> None:
    indent = signature[: len(signature) - len(signature.lstrip())]
    other = BODY.replace("customer", "owner").replace("bill", "note")
    code = f"{indent}import shop\n{signature}{BODY.format(indent)}{indent}run(4){other.format(indent)}"
    prepared = compressor.prepare(code)
    whole = headed = 0
    for question in ("What are the parameters of place order?", "When is SoldOut raised?", "What is the bill number?"):
        for budget in range(20, 240, 7):
            result = compressor.compress(prepared, question=question, target_token=budget, concate_question=False)
            text = result.compressed_context
            lines = [line.strip() in text for line in signature.split("\n")[:-1]]
            assert all(lines) or not any(lines)
            assert all(lines) == (signature in text)
            whole += all(lines)
            headed += all(lines) and bool(re.search(f"\n{indent}    [a-z]", text.partition(signature)[2]))
    assert whole > 40
    assert headed > 0.9 * whole  # with a line of the body, where it fits


@pytest.mark.parametrize(
    "question", ["How many tries are there?", "What is a surcharge?", "When is SoldOut raised?", "What does it place?"]
)
def test_docstrings_are_closed(compressor: BeaverPromptCompressor, question: str) -> None:
    told = """
    {0}Place an order.

    Args:
        customer: who orders.
        express: whether it comes the next day, at a surcharge.
        tries: how many there are, at most, at reaching the shop.
    {0}""".format('"""')
    prepared = compressor.prepare(f"import shop\n\n{SIGNATURES[0]}{told}{BODY.format('')}\nplace_order(7, [])")
    for budget in range(100, 260, 8):
        result = compressor.compress(prepared, question=question, target_token=budget, concate_question=False)
        text = result.compressed_context
        assert text.count('"""') in (0, 2)
        assert SIGNATURES[0] in text or '"""' not in text
        assert '"""' in text or ("at a surcharge" not in text and "how many there are" not in text)


STUB = """class Stub(Protocol):
    name: str

    def count(self, text: str) -> int: ...

    def count_many(self, texts: Sequence[str], batch: int, progress: bool) -> Iterator[int]: ...

    def split_many(self, texts: Sequence[str], batch: int, progress: bool) -> Iterator[str]: ...
"""
_NUMBERS = ", ".join(str(1757 + 7 * index) for index in range(30))
ENDINGS = f"""import registry

names: tuple[Name, ...] = ()
numbers = set([{_NUMBERS}] + list(range(6068, 6070)))
registry.add("numbers", about="They are counted from one. None is left out.")


def find(name, names=names):
    if not name:
        raise ValueError("The name is empty. Give one that the registry of names may hold!")
    for one in names:  # There are few. None is found twice.
        if one == name:
            return registry.found(one, about="It is the first of all those that have this very name.")
    raise KeyError(f"No such name among those that the registry holds, {{name}} or any like it.")
"""


@pytest.mark.parametrize("code", [STUB, ENDINGS])
@pytest.mark.parametrize("question", ["What does count_many return?", "Who?", "Which number is the first of all?"])
def test_lines_that_end_like_sentences_or_are_long_are_not_broken_off(
    compressor: BeaverPromptCompressor, code: str, question: str
) -> None:
    """Of one line alone a part may be kept, where no whole one fits."""
    source, several = code.split("\n"), 0
    for budget in range(40, 125, 5):
        lines = [line for line in kept(compressor, code, question, budget).split("\n") if line]
        assert len(lines) == 1 or all(line in source for line in lines), (budget, lines)
        several += len(lines) > 1
    assert several > 5


PROSE = [
    "With x = 3 the sum is 5. For all others (see below.) it is not; f(x) grows, as def and class do. Stop.",
    "Note: he said 'no.' and went on to say that this was all: nothing else, ever again, would be said by him.",
    "if he comes (he may not.) we leave. Let us see, then, what happens to those who stay until he has come.",
    'level=info request=17 msg="The request took long. It was given up."',
    'description: "What it does. What it does not."',
]


@pytest.mark.parametrize("line", PROSE)
def test_prose_is_no_statement(line: str) -> None:
    assert not statements(line).any()


STATEMENTS = [
    *(line for line in f"{STUB}{ENDINGS}".split("\n") if line.endswith("...") or line[64:]),
    'panic!("No way!")',
    '.named("The first of all.")',
    'help="How many there are.",',
    "title: 'It was found.',",
    ") -> Iterator[int]: ...",
]


@pytest.mark.parametrize("line", STATEMENTS)
def test_statements_are_known_by_how_they_begin_and_end(line: str) -> None:
    assert statements(line).all()


def statements(line: str) -> NDArray[np.bool_]:
    return find_statements(read_lines([line]))


ORDER = """class Order(Base):
    def refund(self):
        if self.state == "refunded" and self.refunded_at < utcnow() - GRACE:
            raise AlreadyRefunded(self.id)
        gateway.refund(self.id, self.total)
        self.state = "refunded"
        self.refunded_at = utcnow()
"""


def test_a_line_never_loses_the_condition_that_it_stands_under(compressor: BeaverPromptCompressor) -> None:
    lines = ORDER.splitlines()
    for budget in range(12, 90):
        context = kept(compressor, ORDER, "What does refund raise?", budget)
        assert lines[3].strip() in context
        found = context.splitlines()
        opened = ["class Order", "    def refund", "        if self.state"]
        above = [beginning for beginning in opened if any(line.startswith(beginning) for line in found)]
        assert above == opened[len(opened) - len(above) :], budget  # the innermost go first
        assert above or len(found) == 1, budget
