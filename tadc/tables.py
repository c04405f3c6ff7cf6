"""Tables as a terminal shows them, and as a notebook does: HTML without styles of its own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["columns", "html_table"]


def html_table(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,), caption: str = "") -> str:
    """The rows, of which the first is the head. The columns of `left` hold text, the others numbers."""
    lines = ["<table>"]
    if caption:
        lines.append(f"<caption>{escape(caption)}</caption>")
    for k, row in enumerate(rows):
        tag = "th" if k == 0 else "td"
        cells = [
            f'<{tag} style="text-align: {"left" if c in left else "right"}">{escape(cell)}</{tag}>'
            for c, cell in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>"])


def columns(table: Sequence[Sequence[str]], left: int) -> list[str]:
    """The lines of a table, of which the first `left` columns hold text, the others numbers."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            t.ljust(w) if c < left else t.rjust(w)
            for c, (t, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
