r"""Matrices whose vectors are their columns: with `X \in \mathbb{R}^{D \times N}` and an `i` that runs to `N`, `x_i` is the column `i`.
So it is in `w^\top x_i` and `W x_i`, where `w` and the rows of `W` have `D` elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary, Definition, Element, Expression, Name, Number
from tadc.syntax.nodes import Node, all_ranges, key, nodes

__all__ = ["columns"]


def columns(
    definitions: Sequence[Definition], shapes: Mapping[str, Sequence[Expression]], base: int
) -> dict[str, Element]:
    """The matrices that are read at one subscript, which runs as far as their second dimension is long wherever something says
    how far it runs, or how long what is read is; and where each is read.
    """
    found: dict[str, Element] = {}
    rows: set[str] = set()
    for definition in definitions:
        lengths = _lengths(definition, shapes, base)
        factors = _factors(definition, shapes)
        for read in _reads(definition, shapes):
            first, second = map(key, shapes[read.name.name])
            (index,) = read.subscripts
            known = lengths.get(index.name, set()) if isinstance(index, Name) else set()
            beside = factors.get(id(read), set())
            if (second in known and first not in known) or (first in beside - {second}):
                found.setdefault(read.name.name, read)
            if first in known or second in beside:
                rows.add(read.name.name)
    return {name: read for name, read in found.items() if name not in rows}


def _reads(definition: Definition, shapes: Mapping[str, Sequence[Expression]]) -> Iterator[Element]:
    """The reads of declared matrices at one subscript."""
    for node in nodes((definition.body,)):
        is_read = isinstance(node, Element) and len(node.subscripts) == 1
        if is_read and isinstance(node, Element) and len(shapes.get(node.name.name, ())) == 2:
            yield node


def _factors(
    definition: Definition, shapes: Mapping[str, Sequence[Expression]]
) -> dict[int, set[object]]:
    """The lengths of the vectors that reads, by their identity, are multiplied with."""
    found: dict[int, set[object]] = {}
    for node in nodes((definition.body,)):
        match node:
            case Binary("*", left, right) | Application(Name("\\cdot" | "\\inner"), (left, right)):
                pass
            case _:
                continue
        for read, length in (
            (_bare(right), _length_before(left, shapes)),
            (_bare(left), _length_behind(right, shapes)),
        ):
            if isinstance(read, Element) and length is not None:
                found.setdefault(id(read), set()).add(length)
    return found


def _bare(e: Node) -> Node:
    """What is transposed, or the expression itself."""
    match e:
        case Application(Name("\\top"), (inner,)):
            return inner
        case _:
            return e


def _length_before(e: Node, shapes: Mapping[str, Sequence[Expression]]) -> object:
    """The length of a vector that may stand behind the expression: that of a vector, or of the rows of a matrix."""
    match e:
        case Binary("*", _, right):
            return _length_before(right, shapes)
        case Application(Name("\\top"), (Name(name),)) if len(shapes.get(name, ())) == 2:
            return key(shapes[name][0])
        case _:
            named = _bare(e)
            extents = shapes.get(named.name, ()) if isinstance(named, Name) else ()
            return key(extents[-1]) if len(extents) in (1, 2) else None


def _length_behind(e: Node, shapes: Mapping[str, Sequence[Expression]]) -> object:
    """The length of a row that may stand in front of the expression."""
    match e:
        case Application(Name("\\top"), (Name(name),)) if len(shapes.get(name, ())) == 2:
            return key(shapes[name][1])
        case _:
            extents = shapes.get(e.name, ()) if isinstance(e, Name) else ()
            return key(extents[0]) if len(extents) in (1, 2) else None


def _lengths(
    definition: Definition, shapes: Mapping[str, Sequence[Expression]], base: int
) -> dict[str, Set[object]]:
    """How far the indices run, by their ranges and by what is read with all its subscripts."""
    found: dict[str, set[object]] = {}
    for r in all_ranges(definition):
        length = _length(r, base)
        if length is not None:
            found.setdefault(r.name.name, set()).add(key(length))
    for node in nodes((definition.body,)):
        extents = shapes.get(node.name.name, ()) if isinstance(node, Element) else ()
        if isinstance(node, Element) and len(extents) == len(node.subscripts):
            for subscript, extent in zip(node.subscripts, extents, strict=True):
                if isinstance(subscript, Name):
                    found.setdefault(subscript.name, set()).add(key(extent))
    return {name: lengths for name, lengths in found.items() if len(lengths) == 1}


def _length(r: ast.Range, base: int) -> Expression | None:
    """The number of values of a range that begins with the first index."""
    if r.extent is not None or not isinstance(r.low, Number) or r.low.text != str(base):
        return r.extent
    match r.high:
        case high if base == 1:
            return high
        case Binary("-", length, Number("1")):
            return length
        case _:
            return None
