r"""Vectors that their places tell: the `\beta` of `x_i^\top \beta`, which no document would print behind a transpose were it a number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from tadc.syntax.ast import Application, Binary, Definition, Element, Expression, Name
from tadc.syntax.nodes import nodes

__all__ = ["vectors_behind_transposes"]


def vectors_behind_transposes(
    definitions: Sequence[Definition], ranks: Mapping[str, int], known: Set[str]
) -> dict[str, Name]:
    """The names without subscripts, none of them `known`, that end a product behind the transpose of a vector, each with such a place."""
    every = [n for d in definitions for n in nodes((d.body,))]
    other = {n.name.name for n in every if isinstance(n, Element)} | known
    other |= {d.target.name for d in definitions}
    other |= {r.name.name for n in every for r in getattr(n, "ranges", ())}
    other |= {r.name.name for d in definitions for r in d.lefts}
    found: dict[str, Name] = {}
    for left, right in _products(every):
        if isinstance(right, Name) and right.name not in other and _is_row(left, ranks):
            found.setdefault(right.name, right)
    return found


def _products(every: Sequence[object]) -> Iterator[tuple[Expression, Expression]]:
    """The factors of products that no further factor follows."""
    inner = {id(n.left) for n in every if isinstance(n, Binary) and n.operator == "*"}
    for n in every:
        if isinstance(n, Binary) and n.operator == "*" and id(n) not in inner:
            yield n.left, n.right


def _is_row(e: Expression, ranks: Mapping[str, int]) -> bool:
    """Whether it is the transpose of a vector, with numbers in front or without."""
    while isinstance(e, Binary) and e.operator == "*":
        e = e.right
    match e:
        case Application(Name("\\top"), (Name(name),)):
            return ranks.get(name) == 1
        case Application(Name("\\top"), (Element(Name(name), subscripts),)):
            return ranks.get(name) == len(subscripts) + 1
        case _:
            return False
