"""How a LaTeX document was read: each formula as a statement, ranges with their reason, notes, and what was skipped and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tadc.errors import Span
from tadc.printing.tree_idx import declaration_lines, statement_text
from tadc.resolve.resolve import Range, Resolved
from tadc.syntax import ast
from tadc.syntax.base import declared_base

__all__ = ["reading_lines"]

MOST_SHOWN = 100  # characters of a formula
STATED = 1  # language, section 3
RULES = {2: "by the bare use", 3: "what stays inside"}


def reading_lines(tree: ast.Program, resolved: Resolved) -> Iterator[str]:
    """The lines, without line ends; indices start where the document says. What a statement states is not said again."""
    base = declared_base(tree.items) or 0
    source = next((i.span.source.name for i in tree.items), "")
    yield f"{source} is read as"
    for line in declaration_lines(tree, {}, 0):
        yield f"    {line}"
    for statement in _statements(tree.items):
        yield f"line {statement.span.line}: {_shown(statement.span)}"
        yield f"    {statement_text(statement, tree)}"
        for r in resolved.ranges:
            if r.statement == statement.target.name and r.rule != STATED:
                yield f"    {_range(r, base)}"
    for note in tree.notes:
        kind = "guess" if note.is_guess else "note"
        yield f"{kind}, line {note.span.line}: {note.text}"
    for span, reason in zip(tree.skipped, tree.reasons, strict=True):
        yield f"skipped, line {span.line}: {_shown(span)}: {reason}"


def _statements(items: Sequence[ast.Item]) -> Iterator[ast.Definition | ast.Update]:
    """The definitions and updates, those in blocks too."""
    for item in items:
        match item:
            case ast.Definition() | ast.Update():
                yield item
            case ast.Block(inner) | ast.Loop(items=inner):
                yield from _statements(inner)
            case _:
                pass


def _range(r: Range, base: int) -> str:
    where = f" `{_shown(r.place)}`" if r.place is not None else ""
    said = f"{r.index} = {_counted(r.range, base)}" if ".." in r.range else r.range
    return f"{said} ({RULES[r.rule]}{where})"


def _counted(text: str, base: int) -> str:
    """`0..N - 1` as `1..N` in a document that counts from 1."""
    low, high = text.split("..", 1)
    if base == 0 or low != "0":
        return text
    if high.isdecimal():
        return f"1..{int(high) + 1}"
    return f"1..{high.removesuffix(' - 1')}" if high.endswith(" - 1") else f"1..{high} + 1"


def _shown(span: Span) -> str:
    text = " ".join(span.text.split())
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]} .."
