"""Texts with titles of many kinds, and the titles that are found in a text."""

from __future__ import annotations

from beaver_compat.structure.headings import find_headings
from beaver_compat.structure.units import with_units
from beaver_compat.text.lined_text import read_lines

PAGE = """<!DOCTYPE html>
<html><head><title>Alder Mill</title></head><body>
<h1>Alder Mill</h1>
<p>The mill is open from 10am to 4pm on Sundays.</p>
<h2 class="t">Tickets</h2>
<p>A ticket costs 4 crowns, for children 2 crowns.</p>
<h2>Getting here</h2>
<p>Bus 42 stops at the bridge every 20 minutes.</p>
</body></html>
"""
UNDERLINED = """Alder Mill
==========

The mill is open from 10am to 4pm on Sundays. It was built in 1871.

Tickets
-------

A ticket costs 4 crowns. Children pay 2 crowns, dogs nothing.

Getting here
------------
Bus 42 stops at the bridge. It runs every 20 minutes until seven.
"""
TITLES = [
    "9. Acceptance Not Required for Having Copies.",
    "3. TERM AND TERMINATION",
    "14. Revised Versions of this License.",
    "2.1 Late payment",
    "4.1.2. Data and Methods",
    "\u00a7 5 Tierhaltung",
    "\u00a7\u00a7 7a Kosten",
    "Article 5",
    "ARTICLE 5.",
    "Article 12: Right to be Heard",
    "Chapter IV",
    "Appendix B \u2013 Forms",
    "Kapitel 3",
    "\u516d\u3001\u5176\u4ed6",
    "\u7b2c\u5341\u4e8c\u6761 \u8d23\u4efb",
    "TERMS AND CONDITIONS",
    "\u041e\u0411\u0429\u0418\u0415 \u041f\u041e\u041b\u041e\u0416\u0415\u041d\u0418\u042f",
    "## Fields",
    "<h3 id='x'>Dogs</h3>",
]
BELOW = "The mill was built in 1871 by two brothers from Graz, who had come over the hills in a hard winter to stay."
CLAUSES = """1 The Owner lets the mill to the Miller.

4.1 Care. Each party keeps what it learns about the other to itself, as it keeps its own papers. This holds for five \
years after the end of the lease, but for the recipe of the rye bread, which is never told.

4.2 Exclusions. What stands in the parish paper is no secret. Nor is what was known to the other party before, or what \
a third party told it without asking for silence. The weather is no secret either, nor is the height of the water.

5. Late Payment of Rent. Rent that is late bears interest of two in a hundred for each month. The Owner may ask for it \
in flour, at the price that was paid in the market of Alder on the first Monday of that month.
"""
CATALOGUE = f"""1. Cup made from a tin. It was given to the doctor by a miller whom she had nursed. {BELOW}

2. Fan with a plan. It was folded so often that the plan can't be read, and was mended in the year 2022. {BELOW}

3. Goggles. A hunter gave them away for two needles. The slits are two millimetres wide. {BELOW}

4. Letter on bark. It took fourteen months to arrive, handed on by men of the railway. {BELOW}
"""


def headings(text: str) -> tuple[list[str], list[str]]:
    lined = with_units(read_lines([text]))
    titles, fillers = ([lined.line(line) for line in lines.tolist()] for lines in find_headings(lined))
    return titles, fillers


# Paragraphs to stand under headings.
BODY = "The mill was built in 1871 by two brothers from Graz. They came over the hills in a hard winter to stay."
OTHER = "The press was sold for scrap in spring. Nobody knows who bought it, or where it was melted down in the end."
