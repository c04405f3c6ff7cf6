r"""Sums over an index of the left side: `p_i = x_i / \sum_i x_i` sums over an index of its own, which hides the other one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tadc.syntax import ast
from tadc.syntax.ast import Definition, Name, Note
from tadc.syntax.nodes import (
    Node,
    free_names,
    fresh_name,
    nodes,
    parts,
    rewritten,
    substituted,
    with_parts,
)

__all__ = ["with_inner_indices"]


def with_inner_indices(definition: Definition, taken: set[str], notes: list[Note]) -> Definition:
    """The definition with other names for indices of reductions that are indices of its left side too, where these stand outside as well.

    Where the left index stands nowhere else, the formula says nothing of it, and is left alone.
    """
    lefts = {r.name.name for r in definition.lefts}

    def rule(node: Node) -> Any:
        if not isinstance(node, ast.Reduction):
            return node
        own = [r.name for r in node.ranges if r.name.name in lefts]
        if not own or any(_reads(bound, own) for r in node.ranges for bound in (r.low, r.high)):
            return node
        names = {name.name: Name(fresh_name(taken, "klmnpqrst"), name.span) for name in own}
        ranges = tuple(replace(r, name=names.get(r.name.name, r.name)) for r in node.ranges)
        inner = replace(node, ranges=ranges)
        return with_parts(inner, tuple(substituted(part, names, taken) for part in parts(inner)))

    outside = free_names(definition.body)
    hidden = [r.name.name for r in definition.lefts if _is_bound_in(definition, r.name.name)]
    if not hidden or not all(name in outside for name in hidden):
        return definition
    text = f"the sum over `{hidden[0]}` has an index of its own, not that of the left side"
    notes.append(Note(definition.span, text, is_guess=True))
    return replace(definition, body=rewritten(definition.body, rule))


def _reads(bound: Any, names: list[Name]) -> bool:
    return bound is not None and any(name.name in free_names(bound) for name in names)


def _is_bound_in(definition: Definition, name: str) -> bool:
    reductions = (n for n in nodes((definition.body,)) if isinstance(n, ast.Reduction))
    return any(r.name.name == name for n in reductions for r in n.ranges)
