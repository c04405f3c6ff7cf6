r"""Inputs in a document that counts from 1 whose first element is read by none of their subscripts.

    a_k = x_{2k} + x_{2k+1}                      beside \sum_{i=1}^{n} y_i: `x_2` is the first that is read, or `x_0`
    \sum_{n=2}^{N} \sum_{m=0}^{n} P_{nm}         beside it: `m` begins at 0, and `n` may, too

The range that tells the first index is one of another formula then, and says nothing about these.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence, Set

from tadc.errors import Span, SyntaxError
from tadc.syntax.ast import Definition, Expression, Name
from tadc.syntax.tex.index_values import lowest, with_lasts
from tadc.syntax.tex.linear import Linear, linear
from tadc.syntax.tex.zero_starts import (
    Dimension,
    beginning_at_zero,
    elements_read,
    open_indices,
)

__all__ = ["refuse_unclear_starts", "zeros_by_shape"]


def zeros_by_shape(
    definitions: Sequence[Definition],
    at_zero: Set[Dimension],
    shapes: Mapping[str, Sequence[Expression] | None],
) -> set[Dimension]:
    r"""The other dimensions of inputs with some at 0 whose declared extent is one more than the last subscript: the `N+1` of `\sum_{n=2}^{N}`."""
    found: dict[Dimension, list[bool]] = {}
    for definition in definitions:
        for element, _, _, lasts in elements_read(definition):
            name = element.name.name
            if not any(name == other for other, _ in at_zero):
                continue
            for n, (subscript, extent) in enumerate(
                zip(element.subscripts, shapes.get(name) or (), strict=False)
            ):
                last = lasts.get(subscript.name) if isinstance(subscript, Name) else None
                form = linear(extent)
                is_more = last is not None and form == last.plus(Linear((), 1))
                found.setdefault((name, n), []).append(is_more)
    return {dimension for dimension, more in found.items() if all(more)}


def refuse_unclear_starts(definitions: Sequence[Definition], shaped: Container[str]) -> None:
    """Raise SyntaxError for the first such input of a document whose indices start at 1; the extents of `shaped` ones are declared."""
    targets = {d.target.name for d in definitions}
    leasts: dict[Dimension, list[tuple[int | None, int | None]]] = {}
    places: dict[Dimension, Span] = {}
    for definition in definitions:
        open_ = open_indices(definition)
        for element, firsts, _, lasts in elements_read(definition):
            for n, subscript in enumerate(element.subscripts):
                falling = with_lasts(subscript, lasts)
                pair = tuple(
                    lowest(falling, {**dict.fromkeys(open_, first), **firsts}) for first in (0, 1)
                )
                dimension = (element.name.name, n)
                leasts.setdefault(dimension, []).append((pair[0], pair[1]))
                places.setdefault(dimension, element.span)
    at_zero = beginning_at_zero(definitions) or set()
    with_zero = {name for name, _ in at_zero}
    for dimension, pairs in leasts.items():
        from_zero = [a for a, _ in pairs if a is not None]
        from_one = [b for _, b in pairs if b is not None]
        if dimension[0] in targets or len(from_one) < len(pairs) or min(from_one) < 2:
            continue
        shown = " ".join(places[dimension].text.split())
        if min(from_zero) == 0:
            raise SyntaxError(
                places[dimension],
                f"the first element of `{dimension[0]}` may be that at 0, or at 1, which is never read: `{shown}`",
                fix=r"print the range of the index behind the formula, `\quad k = 0, \dots, K` or `\quad k = 1, \dots, K`",
            )
        if dimension[0] not in shaped and dimension[0] in with_zero - {
            name for name, n in at_zero if n == dimension[1]
        }:
            raise SyntaxError(
                places[dimension],
                f"`{dimension[0]}` begins at 0 along one index, and nothing tells whether it does along the other: `{shown}`",
                fix=f"declare the shape, `%!tadc input {dimension[0]}[N+1, N+1]`, where both begin at 0, or `%!tadc base 0`",
            )
