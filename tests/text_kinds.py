"""Realistic prompts of many kinds: Markdown, few-shot examples, dialogue, code, JSON lines, CSV."""

from __future__ import annotations

import json

MARKDOWN = """# Deployment guide

This guide explains how to deploy the service to production. It is meant for operators.

## Requirements

- Python 3.11 or newer
- PostgreSQL 15
- 4 GB of memory

## Configuration

| Variable | Default | Meaning |
| --- | --- | --- |
| `PORT` | 8080 | Port that the server listens on |
| `DB_URL` | none | Address of the database |
| `LOG_LEVEL` | info | How much is logged |
| `CACHE_TTL` | 300 | Seconds that answers are cached |
| `MAX_BODY` | 1048576 | Largest request in bytes |

## Starting

Run the migrations first, then start the server:

```bash
export DB_URL=postgres://localhost/app
python manage.py migrate
python manage.py runserver --port 8080
```

The server prints its address when it is ready. Stop it with Ctrl-C.

## Rolling back

If a release is bad, go back to the one before:

```bash
kubectl rollout undo deployment/app
kubectl rollout status deployment/app
```

Rolling back takes about two minutes. Data migrations are not undone; restore a backup for that.
"""

_SHOTS = [
    (
        "A class of 28 children shares 7 boxes of crayons. Each box holds 16 crayons. How many crayons does each get?",
        "There are 7 * 16 = 112 crayons.\nEach child gets 112 / 28 = 4 crayons.",
        4,
    ),
    (
        "A ferry carries 40 cars on each of its 6 trips a day. On Sunday it makes 2 trips less. How many cars does it"
        " carry on Saturday and Sunday together?",
        "On Saturday it carries 6 * 40 = 240 cars.\nOn Sunday it makes 6 - 2 = 4 trips.\nThat is 4 * 40 = 160 cars.\n"
        "Together 240 + 160 = 400 cars.",
        400,
    ),
    (
        "Rosa buys 3 kilos of pears for $4 a kilo and 5 lemons for 50 cents each. She pays with $20. What is left?",
        "The pears cost 3 * 4 = 12 dollars.\nThe lemons cost 5 * 0.5 = 2.5 dollars.\nShe pays 14.5 dollars.\n"
        "Her change is 20 - 14.5 = 5.5 dollars.",
        5.5,
    ),
    (
        "Three fruit baskets hold 9 apples, 15 oranges and 14 plums each, a fourth holds 2 less of each fruit. How many"
        " fruits are there?",
        "Each of the three holds 9 + 15 + 14 = 38 fruits.\nThat is 3 * 38 = 114.\nThe fourth holds 38 - 6 = 32.\n"
        "Together 114 + 32 = 146.",
        146,
    ),
]
EXAMPLES = [
    f"Question: {question}\nLet's think step by step\n{steps}\nThe answer is {answer}"
    for question, steps, answer in _SHOTS
]
FEW_SHOT = "\n\n".join(EXAMPLES)

DIALOGUE = """Agent: Good morning, this is Alder Telecom, my name is Priya. How can I help you?
Customer: Hi. My internet has been down since Tuesday evening. I already restarted the router twice.
Agent: I'm sorry to hear that. May I have your customer number, please?
Customer: Sure, it's 4471-982.
Agent: Thank you. I can see a fault at the cabinet in Mill Road. A technician is booked for Friday between 8 and 12.
Customer: Friday? I work from home. Is there nothing sooner?
Agent: I can offer you a mobile router until then. It would arrive tomorrow by noon. There is no charge.
Customer: That would help, yes. Will I get money back for the lost days?
Agent: Yes, we refund 3 dollars for each day without service. It is taken off your next bill.
Customer: Great, thank you. Please send the router to my work address instead.
Agent: Of course. What is the address?
Customer: 18 Harbour Lane, second floor.
Agent: Done. Anything else?
Customer: No, that's all. Goodbye.
Agent: Goodbye, and thank you for calling."""

CODE = '''"""Accounts of a small bank."""

from dataclasses import dataclass, field


class InsufficientFunds(Exception):
    """Raised when an account would be overdrawn."""


@dataclass
class Account:
    owner: str
    balance: int = 0
    history: list[tuple[str, int]] = field(default_factory=list)

    def deposit(self, amount: int) -> None:
        """Put money in."""
        if amount <= 0:
            raise ValueError(f"amount is {amount}")
        self.balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount: int, fee: int = 2) -> int:
        """Take money out; a fee is charged."""
        total = amount + fee
        if total > self.balance:
            raise InsufficientFunds(f"{self.owner} has {self.balance}")
        self.balance -= total
        self.history.append(("withdraw", total))
        return amount

    def interest(self, rate: float) -> int:
        """Yearly interest, rounded down."""
        earned = int(self.balance * rate)
        if earned > 0:
            self.balance += earned
            self.history.append(("interest", earned))
        return earned


def transfer(source: Account, target: Account, amount: int) -> None:
    """Move money between accounts, all or nothing."""
    taken = source.withdraw(amount, fee=0)
    try:
        target.deposit(taken)
    except ValueError:
        source.deposit(taken)
        raise


def report(accounts: list[Account]) -> str:
    """One line for each account, richest first."""
    lines = []
    for account in sorted(accounts, key=lambda a: -a.balance):
        lines.append(f"{account.owner}: {account.balance}")
    return "\\n".join(lines)
'''

_GUESTS = [
    ("Ada", "Oslo", "prefers tea"),
    ("Ben", "Lima", "allergic to nuts"),
    ("Chloe", "Kyoto", "needs a wheelchair ramp"),
    ("Dev", "Pune", "speaks Marathi"),
    ("Eve", "Bonn", "arrives by train"),
    ("Finn", "Cork", "brings a dog"),
    ("Gia", "Rome", "vegetarian"),
    ("Hugo", "Quito", "pays in cash"),
]
JSON_LINES = "\n".join(
    json.dumps({"id": 100 + number, "name": name, "city": city, "note": note})
    for number, (name, city, note) in enumerate(_GUESTS)
)

_STOCK = [
    ("copper kettle", "Leeds", 14, 39.95),
    ("oak stool", "York", 3, 75.25),
    ("wool blanket", "Leeds", 120, 55.5),
    ("brass lamp", "Hull", 0, 89.75),
    ("clay pot", "York", 44, 12.25),
    ("linen towel", "Hull", 310, 9.8),
    ("iron hook", "Leeds", 77, 4.15),
    ("glass vase", "York", 12, 31.35),
]
CSV = "sku,product,warehouse,stock,price\n" + "\n".join(
    ",".join(map(str, [1000 + number, *row])) for number, row in enumerate(_STOCK)
)
