"""Code that is kept can be read: lines come with what opens their blocks, signatures and docstrings whole."""

from __future__ import annotations

import itertools
import re

import pytest
from kept_texts import kept
from text_kinds import CODE

from beaver_compat import BeaverPromptCompressor


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
