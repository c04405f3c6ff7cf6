r"""Ranges that a line gives the elements of a defined index tensor: `%!tadc k in 0..N-1`.

In LaTeX, whose definitions have no types, it is what `k[i]: 0..N-1 = ..` says in `.idx` text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tadc.errors import Source, Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.idx.parse import parse_piece
from tadc.syntax.tex.document import Region

__all__ = ["told_range", "with_told_ranges"]

_IN = re.compile(r"\s*(?P<name>\w+)(?P<word>\s+in)\s+.*\.\.", re.DOTALL)
_WORD = " input "  # as long as `%!tadc `


def told_range(source: Source, region: Region) -> ast.TensorDeclaration | None:
    """The range that a line tells, if it tells one. Raises SyntaxError for one that cannot be read."""
    said = _IN.match(source.text, region.start, region.end)
    if said is None or region.start < len(_WORD):
        return None
    # It is read as the declaration of an input, in a text with the same places.
    name, begin, end = said["name"], *said.span("word")
    before = source.text[: said.start("name") - len(_WORD)] + _WORD + name
    text = before + ":".ljust(end - begin) + source.text[end:]
    (item,) = parse_piece(replace(source, text=text), said.start("name") - len(_WORD), region.end)
    assert isinstance(item, ast.TensorDeclaration), "a range is part of a declaration"
    return replace(item, span=Span(source, region.start, region.end))


def with_told_ranges(program: ast.Program, told: Sequence[ast.TensorDeclaration]) -> ast.Program:
    """The program with the ranges at the definitions. Raises SyntaxError for a name that nothing defines."""
    ranges = {item.name.name: item for item in told}
    items: list[ast.Item] = []
    for item in program.items:
        if isinstance(item, ast.Definition) and item.target.name in ranges:
            item = replace(item, values=ranges.pop(item.target.name).values)
        items.append(item)
    for name, item in ranges.items():
        raise SyntaxError(
            item.span,
            f"nothing defines `{name}`, whose elements have a range here",
            fix=f"write it where an input is declared, `%!tadc input {name}[N]: 0..N-1`",
        )
    return replace(program, items=tuple(items))
