"""HTML pages: what was kept of a text and what was dropped, and several compressors' outputs side by side.

A page is one file that loads nothing.  All text on it is escaped: none of it can become markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beaver_compat.comparison import Comparison
    from beaver_compat.result import KeptSpan

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em; color: #222; background: #fff; }
table { border-collapse: collapse; margin: 1em 0; }
td, th { border: 1px solid #ccc; padding: .3em .7em; text-align: left; vertical-align: top; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace; margin: 0; }
.columns { display: flex; flex-wrap: wrap; gap: 1em; align-items: flex-start; }
.columns section { flex: 1 1 20em; min-width: 0; box-sizing: border-box; border: 1px solid #ccc; padding: 0 1em 1em; }
.scroll { overflow: auto; max-height: 40em; border: 1px solid #ccc; padding: 1em; }
mark { background: #d3f2d3; }
mark.forced, mark.query { background: #fde9b0; }
mark.anchor, mark.flow { background: #d5e5fb; }
.dropped { color: #767676; }
.error { color: #a00; }
"""


def comparison_page(comparison: Comparison) -> str:
    """The page of a comparison: its table, what ours kept of the text, and every output in a column."""
    header, *rows = comparison.cells()
    table = [_row("th", header), *(_row("td", row, len(header)) for row in rows)]
    columns = [
        f"<section><h2>{_safe(row.name)}</h2><pre>{_safe(row.prompt)}</pre></section>"
        for row in comparison.rows
        if not row.error
    ]
    question = f"<p>Question: {_safe(comparison.question)}</p>" if comparison.question else ""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f"<title>Prompt compression, {comparison.budget:,} tokens</title><style>{_STYLE}</style></head><body>",
            f"<h1>{comparison.origin_tokens:,} tokens to {comparison.budget:,}</h1>",
            f"{question}<p>Tokens are counted by {_safe(comparison.counter)}; ms are of the second of two runs.</p>",
            f"<table>{''.join(table)}</table>",
            f'<div class="columns">{"".join(columns)}</div>',
            f'<h2>What beaver kept of the text</h2><div class="scroll">{marked(comparison.context, comparison.spans)}',
            "</div></body></html>",
        ]
    )


def marked(context: str, spans: Sequence[KeptSpan]) -> str:
    """One context as HTML, kept spans marked by their role, the rest greyed.

    >>> from beaver_compat.result import KeptSpan
    >>> marked("a <b>", [KeptSpan(0, 2, 5, 1, 2, "flash", 0.5)])
    '<pre><span class="dropped">a </span><mark class="flash" title="flash 0.50">&lt;b&gt;</mark></pre>'
    """
    parts = []
    end = 0
    for span in spans:
        parts.append(_dropped(context[end : span.start]))
        title = span.role if span.score is None else f"{span.role} {span.score:.2f}"
        parts.append(f'<mark class="{span.role}" title="{title}">{_safe(context[span.start : span.end])}</mark>')
        end = span.end
    return f"<pre>{''.join([*parts, _dropped(context[end:])])}</pre>"


def _dropped(text: str) -> str:
    return f'<span class="dropped">{_safe(text)}</span>' if text else ""


def _row(kind: str, cells: Sequence[str], width: int = 0) -> str:
    """A row of the table; one that is too short ends in a cell over what is missing."""
    rest = width - len(cells) + 1
    ends = [""] * (len(cells) - 1) + [f' colspan="{rest}" class="error"' if rest > 1 else ""]
    return f"<tr>{''.join(f'<{kind}{e}>{_safe(cell)}</{kind}>' for cell, e in zip(cells, ends, strict=True))}</tr>"


def _safe(text: str) -> str:
    """Escaped, with what no page can hold (lone surrogates, NUL) as replacement marks."""
    return escape(text.encode("utf-8", "replace").decode().replace("\0", "\ufffd"))
