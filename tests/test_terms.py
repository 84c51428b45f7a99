"""Terms over what is said of them: each is kept with its own text, and no text under another's term."""

from __future__ import annotations

import re

import pytest
from kept_texts import kept
from line_readings import boundaries_of, names

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.terms import find_terms
from beaver_compat.structure.units import with_units
from beaver_compat.text.lined_text import read_lines

DEFINITIONS = """1. Definitions

1.1. "Miller"
    means whoever grinds grain in the mill or has it ground by others.

1.2. "Flour Dealer"
    means a person who buys flour of the Miller, or of another dealer,
    to sell it on, and whoever such a person works for.

1.3. "Flour"
    means what was ground.

1.4. "Grain"
    means the seeds of rye, of wheat and of barley, whether these were
    grown in the parish or were brought to it over the river and by
    road.

1.5. "Tolls"
    means any of the following:

    (a) what the bridge costs; or

    (b) what is paid for the ferry.

1.6. "Water Rights" of a Miller
    means the right to dam the river above the mill, and to lead as
    much of it over the wheel as the Miller needs in a day for what is
    to be ground.

1.7. "Secondary Mill"
    means either the wind mill on the hill, the horse mill of Alder,
    the hand mill in the cellar of the parish, or any later mills of
    those kinds.

1.8. "Stone"
    means the stone that turns.

2. Lease of the Mill

2.1. Lease

Each Owner hereby lends the mill to the Miller for a year, and lets nobody else use it in that time.
"""
MANUAL = """NAME
       tide - keeps what the sea leaves

OPTIONS
       -b, --basket DIR
              Where finds are put. The directory must be there before, or else
              tide refuses to run.

       -d, --depth METRES
              How far out to look. More than 3 seldom helps and makes
              the crew wet.

       --wait MINUTES
              Wait for the ebb, not for the flood. Finds that bear a
              tag named "gull" are never taken, whatever the crew says.

       -q, --quiet
              Print nothing but errors.

FILES
       ~/.config/tide
              Defaults for all that can be set.
"""
CODE = """module Ferry
  def pay
    tickets.sum
  end

  def row
    oars.each(&:pull)
  end

  def sink
    crew.leave
  end
"""


def hard(text: str) -> list[str]:
    return [text[start:].split("\n", 1)[0].strip() for start in boundaries_of(text).hard_lines.tolist()]


def misplaced(compressor: BeaverPromptCompressor, text: str, question: str, budget: int) -> list[str]:
    """What is kept of definitions below the number of another one."""
    result = compressor.compress(text, question=question, target_token=budget, concate_question=False)
    numbers = [(match.start(), match[0]) for match in re.finditer(r"(?m)^\d\.\d?", text)]
    found, above = [], ""
    for span in result.spans:
        place = span.start
        for line in text[span.start : span.end].splitlines(keepends=True):
            own = [number for start, number in numbers if start <= place][-1]
            if line.strip() and line.startswith(own):
                above = own
            elif line.strip() and above[2:] and above != own:
                found.append(line)
            place += len(line)
    return found


QUESTIONS = [
    "Which mills of the parish are secondary mills?",
    "What does flour mean?",
    "Where may grain be grown?",
    "Which tolls are there?",
    "Who may dam the river above the mill?",
]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize("indent", ["    ", ""])
def test_no_definition_stands_under_another(
    compressor: BeaverPromptCompressor, question: str, quoted: bool, indent: str
) -> None:
    text = DEFINITIONS if quoted else DEFINITIONS.replace('"', "")
    text = text.replace("\n    ", f"\n{indent}")
    assert [misplaced(compressor, text, question, budget) for budget in range(30, 200, 10)] == 17 * [[]]


def test_a_definition_is_kept_with_its_term(compressor: BeaverPromptCompressor) -> None:
    for budget in (80, 100, 140):
        context = kept(compressor, DEFINITIONS, QUESTIONS[0], budget)
        assert '1.7. "Secondary Mill"\n    means either' in context


def test_text_under_terms_is_unwrapped() -> None:
    assert hard(MANUAL)[3:12] == [
        "-b, --basket DIR",
        "Where finds are put. The directory must be there before, or else",
        "-d, --depth METRES",
        "How far out to look. More than 3 seldom helps and makes",
        "--wait MINUTES",
        "Wait for the ebb, not for the flood. Finds that bear a",
        "-q, --quiet",
        "Print nothing but errors.",
        "FILES",
    ]
    assert not {"to sell it on, and whoever such a person works for.", "road.", "those kinds."} & {*hard(DEFINITIONS)}


def test_an_option_is_kept_with_what_it_does(compressor: BeaverPromptCompressor) -> None:
    for budget in (60, 80, 110):
        context = kept(compressor, MANUAL, "How far out does it look for finds?", budget)
        assert "-d, --depth METRES\n              How far out to look." in context


def test_terms_are_no_lines_of_code() -> None:
    assert not find_terms(with_units(read_lines([CODE])))[0].size


STACKED = """‘-q’
‘--quiet’
     Print nothing at all, not even the name of the file that is
     being read.

‘-E’
‘--adjust’
     Give the suffix to each file that lacks it. The old name
     was ‘--html’.

‘-U AGENT’
‘--agent=AGENT’
     Call yourself AGENT when asked by a server. Some of them
     care.
"""


def test_another_term_may_stand_over_a_term() -> None:
    found = names(STACKED)
    (labels,) = (labels for line, labels in found.items() if line.startswith("Give the suffix"))
    assert labels == {"‘-E’", "‘--adjust’"}


TERMS = """<dl>{0}<dt>
<code>%r</code>
</dt>{0}<dd>
The number of running edges.
</dd>{0}<dt>
<code>%u</code>
</dt>{0}<dd>
The number of edges that remain.
</dd></dl>
<p>There are no others.</p>
"""


@pytest.mark.parametrize("joint", ["", "\n"])
@pytest.mark.parametrize("inner", ["", "\n"])
def test_a_term_of_html_names_its_definition(joint: str, inner: str) -> None:
    text = TERMS.format(joint).replace(">\n<code>", f">{inner}<code>").replace("</code>\n<", f"</code>{inner}<")
    found = names(text, units=True)
    for sign, said in (("%r", "The number of running edges."), ("%u", "The number of edges that remain.")):
        (label,) = found[said]
        assert sign in label
        assert label.startswith("<dt>")
    assert found["<p>There are no others.</p>"] == set()


def test_a_directive_names_what_is_below_it() -> None:
    text = "\n".join(
        f".. {kind}:: {name}(x)\n\n   Does {name} with it. It takes a while.\n\n   Returns nothing at all for {name}.\n"
        for kind, name in (("function", "turn"), ("py:method", "stop"), ("c:macro", "WAIT"))
    )
    found = names(f"{text}\nThere are no others here. So it is.\n")
    for kind, name in (("function", "turn"), ("py:method", "stop"), ("c:macro", "WAIT")):
        assert found[f"Returns nothing at all for {name}."] == {f".. {kind}:: {name}(x)"}
    assert found["There are no others here. So it is."] == set()
