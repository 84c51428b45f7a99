"""Comments right above a line of code or settings are kept with it, those above a definition with that."""

from __future__ import annotations

import pytest
from kept_texts import kept
from line_readings import leads_of, needs

from beaver_compat import BeaverPromptCompressor

JAVA = """/**
 * Sends reminders for bills that are overdue.
 */
public class Reminders {
    private final Mailer mailer;

    private void send(Bill bill) {
        String subject = "Reminder " + (bill.reminders() + 1) + " for bill " + bill.number();
        mailer.send(bill.customer().email(), subject, body(bill));
        bill.addReminder(clock.today(), feeFor(bill));
    }

    /**
     * The first reminder is free of charge.
     * From the second on it costs a fee.
     */
    @Nullable
    private Money feeFor(Bill bill) {
        return bill.reminders() == 0 ? Money.ZERO : FEE;
    }

    // Bills of the last ten days.
    Stream<Bill> recent() {
        return bills.stream().filter(this::isRecent);
    }
}
"""
DOCKERFILE = """# syntax=docker/dockerfile:1.7
# Image of the ferry's booking service

FROM golang:1.22.3-bookworm AS backend
WORKDIR /src/backend
RUN CGO_ENABLED=0 go build -trimpath -o /out/ferry ./cmd/ferry
# Dates in bills are printed in the time zone of the office.
ENV TZ=Europe/Lisbon
ENV FERRY_LISTEN=:8088
USER 10014:10014
# The service drains open requests for 25 seconds.
# Keep the grace period above that.
STOPSIGNAL SIGTERM
CMD ["serve", "--workers", "16"]
"""
REMINDERS = '''def total(lines):
    """Return the total of all lines, shipping included."""
    amount = 0
    for line in lines:
        amount += line.price
    return amount


def reminders(invoices, today):
    """Sort the unpaid invoices by the reminder to be sent."""
    soft, hard = [], []
    for invoice in invoices:
        overdue = (today - invoice.due).days
        # Beyond 45 days the letter goes by registered mail
        if overdue > FORMAL_NOTICE:
            hard.append(invoice)
        elif overdue > FIRST_REMINDER:
            soft.append(invoice)
    # The monastery is never to be reminded in August
    return soft, hard
'''


def test_the_comment_of_a_definition_needs_it_and_its_first_line() -> None:
    found = needs(JAVA)
    fee = {
        "public class Reminders {",
        "@Nullable",
        "return bill.reminders() == 0 ? Money.ZERO : FEE;",
        "private Money feeFor(Bill bill) {",
    }
    assert found["* The first reminder is free of charge."] == fee
    assert found["* From the second on it costs a fee."] == fee
    assert "Stream<Bill> recent() {" in found["// Bills of the last ten days."]
    assert "return bills.stream().filter(this::isRecent);" in found["// Bills of the last ten days."]
    assert found["* Sends reminders for bills that are overdue."] == {
        "public class Reminders {",
        "private final Mailer mailer;",
    }
    lines, leads = leads_of(JAVA)
    assert leads is not None
    assert {line.strip() for line, bare in zip(lines, leads.bare, strict=True) if bare} == {"/**", "*/"}


@pytest.mark.parametrize(
    ("text", "comment", "line"),
    [
        (DOCKERFILE, "# Dates in bills are printed in the time zone of the office.", "ENV TZ=Europe/Lisbon"),
        (DOCKERFILE, "# Keep the grace period above that.", "STOPSIGNAL SIGTERM"),
        ("mill:\n  # In metres\n  wheel: 4\n  dam: 9\n", "# In metres", "wheel: 4"),
        (
            "-- paid by card\nSELECT * FROM bills WHERE card;\nSELECT 1;\n",
            "-- paid by card",
            "SELECT * FROM bills WHERE card;",
        ),
        ("[mill]\nstones = 4\n; metres\nwheel = 9\n", "; metres", "wheel = 9"),
        ("import x\n\n/* Metres. */\n#define WHEEL 9\n", "/* Metres. */", "#define WHEEL 9"),
        ("/// Opens the sluice.\nfn open() {\n    wheel();\n}\n", "/// Opens the sluice.", "fn open() {"),
    ],
)
def test_a_comment_needs_the_line_below_it(text: str, comment: str, line: str) -> None:
    assert line in needs(text)[comment]


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("def f():\n    x\n# The end\n\ny = 2\n", "# The end"),
        ("if x:\n    y\n    # nothing else\nz = 2\n", "# nothing else"),
        ("f({\n  a,\n  // b,\n})\n", "// b,"),
        ("# The mill\nIt is old and stands by the river.\n\ndef f():\n    x\n", "# The mill"),
        ("def f():\n    x\n\n* milk\n* bread\ny = 1\n", "* milk"),
        ("def f():\n    x\n\n#hash tags\ny = 1\n", "#hash tags"),
    ],
)
def test_other_lines_need_none_below_them(text: str, comment: str) -> None:
    lines = [line.strip() for line in text.split("\n")]
    assert not needs(text)[comment] & {*lines[lines.index(comment) + 1 :]}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (DOCKERFILE, "What time zone does the container use?"),
        (DOCKERFILE, "For how long are requests drained?"),
        (JAVA, "What does the first reminder cost?"),
        (JAVA, "Which bills are of the last days?"),
    ],
)
def test_no_comment_is_kept_without_its_line(compressor: BeaverPromptCompressor, text: str, question: str) -> None:
    lines = [line for line in text.split("\n") if line.strip()]
    signs, found = ("#", "*", "//"), 0
    for budget in range(60, 200, 8):
        context = kept(compressor, text, question, budget).split("\n")
        for at, line in enumerate(lines):
            if line in context and line.strip().startswith(signs) and "syntax" not in line and "Image" not in line:
                below = next(other for other in lines[at:] if not other.strip().startswith(signs))
                assert below in context, (budget, line)
                found += 1
    assert found > 5


@pytest.mark.parametrize(
    ("question", "comment", "above"),
    [
        ("When does the letter go by registered mail?", "# Beyond 45 days", ["def reminders(", "for invoice in"]),
        ("Who is never to be reminded in August?", "# The monastery", ["def reminders("]),
    ],
)
def test_a_comment_goes_with_less_of_what_it_needs_before_worse_lines(
    compressor: BeaverPromptCompressor, question: str, comment: str, above: list[str]
) -> None:
    sizes = []
    for budget in range(16, 80):
        context = kept(compressor, REMINDERS, question, budget)
        assert comment in context, budget
        found = [line for line in above if line in context]
        assert found == above[len(above) - len(found) :], budget  # no signature without the block in it
        sizes.append(len(found))
    assert sizes == sorted(sizes)
    assert {0, len(above)} <= {*sizes}


@pytest.mark.parametrize("line", ["# a", "/*", "/**\n * a", "//", "-- a\nx = 1", "# a\n  # b"])
def test_many_comments_do_no_harm(compressor: BeaverPromptCompressor, line: str) -> None:
    text = f"{line}\n" * 20_000 + "fee = '24 crowns'\n"
    assert "24 crowns" in kept(compressor, text, "How high is the fee in crowns?", 60)


def test_no_comment_needs_a_line_of_another_context() -> None:
    _, leads = leads_of("def f():\n    x\n# a", "y = 1")
    assert leads is not None
    assert leads.needed[2].tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("comment", "setting"),
    [
        ("#\n# Range of ids chosen for new users\n#", "UID_MIN 1000"),
        ("/*\n   Range of ids chosen\n   for new users\n*/", "int first = 1000;"),
        ("/* Range of ids chosen\n   for new users */", "int first = 1000;"),
    ],
)
def test_a_comment_needs_what_it_explains(comment: str, setting: str) -> None:
    found = needs(f"{comment}\n{setting}\n\nint other = 5;\n")
    for line in comment.split("\n"):
        if len(line.strip()) > 2:
            assert setting in found[line.strip()]
