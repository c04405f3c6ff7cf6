r"""Left sides without their indices: `E_x \approx E_{i+1,j} - E_{ij}` is an element at `i, j`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax import ast
from tadc.syntax.ast import Binary, Definition, Element, Expression, Name, Number
from tadc.syntax.nodes import nodes

__all__ = ["with_left_indices"]


def with_left_indices(
    definition: Definition, known: Set[str], shapes: Mapping[str, Sequence[Expression] | None]
) -> Definition:
    """The definition with the free indices of its right side, where all reads have them in one order and some are moved.

    They go as far as every read stays inside. `known` are sizes and numbers. A definition that binds indices itself, or whose
    reads differ, comes back as it is.
    """
    if definition.lefts or definition.arguments:
        return definition
    reads = [node for node in nodes((definition.body,)) if isinstance(node, Element)]
    moves = [_moves(read, known) for read in reads]
    bound = any(isinstance(node, ast.Reduction) for node in nodes((definition.body,)))
    orders = {tuple(name.name for name, _ in m) for m in moves if m is not None}
    tensors = {read.name.name for read in reads}
    if bound or None in moves or len(orders) != 1 or len(tensors) != 1:
        return definition
    first = moves[0]
    assert first is not None, "checked above"
    furthest = [max(offset for _, offset in column) for column in zip(*moves, strict=True)]
    extents = shapes.get(tensors.pop()) or (None,) * len(first)
    is_plain = len({name.name for name, _ in first}) == len(first) == len(extents)
    if not is_plain or not any(furthest):
        return definition
    lefts = tuple(
        ast.Range(name, name.span, extent=None if extent is None else _less(extent, most))
        for (name, _), extent, most in zip(first, extents, furthest, strict=True)
    )
    return replace(definition, lefts=lefts)


def _moves(read: Element, known: Set[str]) -> list[tuple[Name, int]] | None:
    """The index of each subscript, and how far it is moved up; None for any other subscript."""
    moves: list[tuple[Name, int]] = []
    for subscript in read.subscripts:
        match subscript:
            case Name(name) if name not in known:
                moves.append((subscript, 0))
            case Binary("+", Name(name) as index, Number(text)) if (
                name not in known and text.isdigit()
            ):
                moves.append((index, int(text)))
            case _:
                return None
    return moves


def _less(extent: Expression, offset: int) -> Expression:
    return Binary("-", extent, Number(str(offset), extent.span), extent.span) if offset else extent
