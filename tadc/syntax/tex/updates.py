r"""Programs that work in place, in LaTeX: `\gets` updates what a line declares as a state, and lines hold the braces.

%!tadc state u[N]
%!tadc repeat T {
\[ u_i \gets u_i + r (u_{i+1} - u_i) \]
%!tadc }
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tadc.errors import Source, Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.idx.blocks import Nesting, head
from tadc.syntax.tex.document import Region
from tadc.syntax.tex.sequences import GETS
from tadc.syntax.tex.statement import Statement

__all__ = ["Brace", "brace_of", "is_update", "nested", "refuse_range", "states_of", "update"]

_OPENING = re.compile(r"(?:step[ \t]*|repeat(?:[ \t:].*)?)\{")


@dataclass(frozen=True, slots=True)
class Brace:
    """A line that opens a block, with its head, or closes the last one."""

    span: Span
    head: ast.Block | ast.Loop | None


def states_of(items: Sequence[ast.Item]) -> frozenset[str]:
    """The states that lines declare."""
    declared = (i for i in items if isinstance(i, ast.TensorDeclaration))
    return frozenset(i.name.name for i in declared if i.kind == "state")


def brace_of(source: Source, region: Region) -> Brace | None:
    """The brace that a `%!tadc` line holds alone, if it does. Raises SyntaxError for rounds that cannot be read."""
    text = source.text[region.start : region.end].strip()
    span = Span(source, region.start, region.end)
    if text == "}":
        return Brace(span, None)
    if _OPENING.fullmatch(text):
        return Brace(span, head(source, region.start, region.start + len(text)))
    return None


def is_update(statement: Statement, states: frozenset[str]) -> bool:
    r"""Whether it is `u_i \gets ..` of a state."""
    place = statement.equal
    arrow = place < len(statement.tokens) and statement.tokens[place].value in GETS
    return arrow and statement.target in states


def refuse_range(definition: ast.Definition, ranges: Mapping[str, ast.Range]) -> None:
    """Raise SyntaxError for an update of a part: a range of an index on its left side."""
    for left in definition.lefts:
        if left.name.name in ranges:
            raise SyntaxError(
                ranges[left.name.name].span,
                f"an update runs over all of `{definition.target.name}`, and `{left.name.name}` has a range here",
                fix=r"remove the range, write `\begin{cases}` with the old value elsewhere, or the program as .idx text",
            )


def update(d: ast.Definition) -> ast.Update:
    """The update that was read as a definition of its state."""
    return ast.Update(d.target, d.lefts, None, d.body, d.span)


def nested(items: Sequence[ast.Item], braces: Sequence[Brace]) -> list[ast.Item]:
    """The items, in their order, in the blocks that lines open and close; with such lines it is that of the text. Raises SyntaxError."""
    if not braces:  # definitions may have been moved
        return list(items)
    nesting = Nesting()
    places = [*((b.span.start, b) for b in braces), *((i.span.start, i) for i in items)]
    depth = 0
    for _, item in sorted(places, key=lambda pair: pair[0]):
        if not isinstance(item, Brace):
            nesting.add((item,))
        elif item.head is not None:
            nesting.open(item.head)
            depth += 1
        elif depth == 0:
            raise SyntaxError(item.span, "this `}` closes nothing", fix="remove it")
        else:
            nesting.close(item.span)
            depth -= 1
    return nesting.finished()
