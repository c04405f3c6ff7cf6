"""Tables as a notebook shows them: HTML without styles of its own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["html_table"]


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
