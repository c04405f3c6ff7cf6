r"""Sizes with a number, as displays print them: `\sum_{i=1}^{n} x_i, \quad n = 10`."""

from __future__ import annotations

from collections.abc import Sequence, Set

from tadc.syntax import ast
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.script_tokens import names_in_bounds
from tadc.syntax.tex.statement import Statement

__all__ = ["numbered_sizes"]


def numbered_sizes(
    displays: Sequence[Sequence[Statement]], known: Set[str], text: Expansion
) -> tuple[list[list[Statement]], list[ast.SizeDeclaration]]:
    """The displays without the definitions of bounds of sums by a number, and these sizes; none of tensors that lines declare, the `known`."""
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    bounds = names_in_bounds(s.right for s in definitions)
    numbered = {id(s): s for s in definitions if _is_number(s) and s.target in bounds - known}
    targets = [s.target for s in definitions]
    sizes = [
        ast.SizeDeclaration(
            ast.Name(s.target, text.span(s.tokens[0].start, s.tokens[0].end)),
            ast.Number(s.right[0].value, text.span(s.right[0].start, s.right[0].end)),
            text.span(s.start, s.end),
        )
        for s in numbered.values()
        if targets.count(s.target) == 1
    ]
    named = {size.name.name for size in sizes}
    kept = [[s for s in d if id(s) not in numbered or s.target not in named] for d in displays]
    return kept, sizes


def _is_number(statement: Statement) -> bool:
    kinds = [t.type for t in statement.tokens]
    is_plain = kinds in (["NAME", "EQ", "NUM"], ["NAME", "DEF", "NUM"])
    return is_plain and statement.tokens[2].value.isdecimal() and statement.tokens[2].value != "0"
