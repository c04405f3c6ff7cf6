r"""What printed ranges say: the base of the indices, extents of results and inputs, sizes, and where a dimension begins.

\sum_{j=1}^{J} x_j                     the file is one-based, J is a size, x has J elements
y_i = .., \quad i = 2, \dots, N-1      y holds N-2 elements; its subscripts keep their labels, y_2 is the first
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from tadc.errors import Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Binary, Definition, Element, Expression, Name, Number, Range
from tadc.syntax.nodes import (
    Node,
    free_names,
    fresh_name,
    key,
    nodes,
    parts,
    rewritten,
    substituted,
)
from tadc.syntax.tex.index_values import lowest
from tadc.syntax.tex.zero_starts import beginning_at_zero

__all__ = ["Start", "base_of", "bound_sizes", "inputs_of", "with_extents"]


LARGEST_SUBSCRIPT = 50  # nodes of it that are looked at


@dataclass(frozen=True, slots=True)
class Start:
    """A printed range of an index that stands in subscripts: where it starts, if that is a number, and the place."""

    low: int | None
    span: Span
    reaches: int | None = None  # the lowest subscript that can be told from the start alone


def base_of(definitions: Sequence[Definition]) -> tuple[int | None, str, Span | None]:
    """The base that the printed ranges tell, if they do, the reason, and a place.

    Raises SyntaxError where some begin at 0 and others at 1, so that both readings fit.
    """
    starts = [s for d in definitions for s in _starts(d)]
    ones = [s for s in starts if s.low == 1 or s.reaches == 1]
    zeros = [s for s in starts if s.low == 0]
    reaching = [s for s in starts if s.low is not None and s.reaches is not None and s.reaches < 1]
    reaching += [Start(None, e.span) for d in definitions for e in _at_zero(d)]
    if ones and not zeros and not reaching:
        return 1, f"every range starts at 1: `{_shown(ones[0].span)}`", ones[0].span
    if ones and reaching and not zeros and beginning_at_zero(definitions):
        return 1, f"every range starts at 1: `{_shown(ones[0].span)}`", ones[0].span
    if ones and reaching and not zeros and beginning_at_zero(definitions) is None:
        raise SyntaxError(
            ones[0].span,
            f"a range starts at 1 here, and a subscript is 0 or less, `{_shown(reaching[0].span)}`: is the first element `x_0` or `x_1`?",
            fix="write `%!tadc base 0` or `%!tadc base 1`, and the ranges of all indices",
        )
    if reaching:
        return 0, f"a subscript is 0: `{_shown(reaching[0].span)}`", reaching[0].span
    if ones and zeros:
        raise SyntaxError(
            ones[0].span,
            f"a range starts at 1 here and another one at 0, `{_shown(zeros[0].span)}`: is the first element `x_0` or `x_1`?",
            fix="write `%!tadc base 0` or `%!tadc base 1`",
        )
    if zeros:
        return 0, f"ranges start at 0: `{_shown(zeros[0].span)}`", zeros[0].span
    if later := [s for s in starts if s.reaches is not None]:
        raise SyntaxError(
            later[0].span,
            f"the range begins at a later element, and nothing tells whether the first one is `x_0` or `x_1`: `{_shown(later[0].span)}`",
            fix="write `%!tadc base 0` or `%!tadc base 1`",
        )
    return None, "", None


def _at_zero(definition: Definition) -> Iterator[Expression]:
    """The subscripts that are 0."""
    for node in nodes((definition.body,)):
        for s in node.subscripts if isinstance(node, Element) else ():
            if isinstance(s, Number) and s.text == "0":
                yield s


def _shown(span: Span) -> str:
    return " ".join(span.text.split())


def _starts(definition: Definition) -> Iterator[Start]:
    """The printed ranges of a definition whose indices stand in subscripts, those of the left side first."""
    subscripts = _subscripts_by_index(definition.body)
    for r in definition.lefts:
        reading = subscripts.get(r.name.name, [])
        start = _start(r, reading) if r.low is not None else None
        if start is not None and start.reaches is not None:
            yield start
    for node in nodes((definition.body,)):
        for r in node.ranges if isinstance(node, ast.Reduction) else ():
            reading = subscripts.get(r.name.name, [])
            if r.low is not None and reading:
                yield _start(r, reading)
            elif r.low is None and r.extent is not None and reading:
                yield Start(1, r.span)  # `\sum_i^N`


def _start(r: Range, subscripts: Sequence[Expression]) -> Start:
    low = r.low
    if not isinstance(low, Number) or not low.text.isdigit():
        return Start(None, r.span)
    first = int(low.text)
    reached = [
        value
        for value in (lowest(s, {r.name.name: first}) for s in subscripts)
        if value is not None
    ]
    return Start(first, r.span, min(reached, default=None))


def _subscripts_by_index(body: Expression) -> dict[str, list[Expression]]:
    """The subscripts that each name stands in."""
    found: dict[str, list[Expression]] = {}
    for node in nodes((body,)):
        for s in node.subscripts if isinstance(node, Element) else ():
            names = {n.name for n in islice(nodes((s,)), LARGEST_SUBSCRIPT) if isinstance(n, Name)}
            for name in names:
                found.setdefault(name, []).append(s)
    return found


# ---------------------------------------------------------------------- results


def with_extents(definitions: Sequence[Definition], base: int) -> list[tuple[Definition, str]]:
    """The definitions with extents in place of printed ranges on their left sides, and what is to be said of each.

    A dimension that begins elsewhere than at the base is moved there, in its statement and wherever it is read.
    """
    moved: dict[str, list[Expression | None]] = {}
    result: list[tuple[Definition, str]] = []
    for d in definitions:
        offsets = [_offset(r, base) for r in d.lefts]
        said = ""
        if any(o is not None for o in offsets):
            moved[d.target.name] = offsets
            said = ", ".join(
                f"`{d.target.span.text}` holds its elements from `{r.name.name} = {r.low.span.text}` on"
                for r, o in zip(d.lefts, offsets, strict=True)
                if o is not None and r.low is not None
            )
        values = {
            r.name.name: Binary("+", r.name, o, r.span)
            for r, o in zip(d.lefts, offsets, strict=True)
            if o is not None
        }
        body = substituted(d.body, values, set()) if values else d.body
        lefts = tuple(Range(r.name, r.span, extent=_extent(r, base)) for r in d.lefts)
        result.append((replace(d, lefts=lefts, body=body), said))
    if not moved:
        return result

    def labelled(node: Node) -> Node:
        if not isinstance(node, Element) or len(node.subscripts) != len(
            moved.get(node.name.name, ())
        ):
            return node
        subscripts = tuple(
            s if o is None else Binary("-", s, o, s.span)
            for s, o in zip(node.subscripts, moved[node.name.name], strict=True)
        )
        return replace(node, subscripts=subscripts)

    return [(replace(d, body=rewritten(d.body, labelled)), said) for d, said in result]


def _offset(r: Range, base: int) -> Expression | None:
    """How much further than the base the range begins; None where it begins there."""
    if r.low is None:
        return None
    if isinstance(r.low, Number) and r.low.text.isdigit():
        distance = int(r.low.text) - base
        if distance == 0:
            return None
        return (
            Number(str(distance), r.low.span)
            if distance > 0
            else ast.Unary(Number(str(-distance), r.low.span), r.low.span)
        )
    return r.low if base == 0 else Binary("-", r.low, Number("1", r.low.span), r.low.span)


def _extent(r: Range, base: int) -> Expression | None:
    if r.low is None or r.high is None:
        return r.extent
    return _length(r.low, r.high)


def _length(low: Expression, high: Expression) -> Expression:
    """`high - low + 1`, where it can be told simpler."""
    if isinstance(low, Number) and low.text == "1":
        return high
    if isinstance(low, Number) and low.text == "0":
        match high:
            case Binary("-", whole, Number("1")):
                return whole
            case _:
                return Binary("+", high, Number("1", high.span), high.span)
    whole = Binary("-", high, low, high.span)
    return Binary("+", whole, Number("1", high.span), high.span)


# ---------------------------------------------------------------------- sizes and inputs


def bound_sizes(definitions: Sequence[Definition], known: set[str]) -> list[Name]:
    """The names in bounds and extents that nothing else declares, defines, binds or reads with subscripts: sizes."""
    tensors = {d.target.name for d in definitions}
    tensors |= {
        n.name.name for d in definitions for n in nodes((d.body,)) if isinstance(n, Element)
    }
    found: dict[str, Name] = {}
    for d in definitions:
        bound = {r.name.name for r in d.lefts}
        todo: list[tuple[Node, frozenset[str]]] = [(d.body, frozenset(bound))]
        names = [
            n
            for r in d.lefts
            for b in (r.extent, r.low, r.high)
            if b
            for n in free_names(b).values()
        ]
        while todo:
            node, inner = todo.pop()
            if isinstance(node, ast.Reduction):
                inner |= {r.name.name for r in node.ranges}
                bounds = [
                    b for r in node.ranges for b in (r.extent, r.low, r.high) if b is not None
                ]
                names += [n for b in bounds for n in free_names(b).values() if n.name not in inner]
            todo += [(part, inner) for part in parts(node)]
        for name in names:
            if name.name not in known | tensors | bound and name.name not in ("inf", "pi", "nan"):
                found.setdefault(name.name, name)
    return list(found.values())


@dataclass(slots=True, eq=False)
class _Index:
    """An index of one scope: its printed extent, if it has one, and whether that is only a part of a dimension."""

    extent: Expression | None = None
    is_partial: bool = False


@dataclass(slots=True)
class _Dimension:
    """A dimension of an input: the indices that read it, and whether something else does."""

    indices: list[_Index] = field(default_factory=list)
    is_open: bool = False
    extent: Expression | None = None


def inputs_of(
    definitions: Sequence[Definition],
    base: int,
    sizes: set[str],
    shapes: Mapping[str, Sequence[Expression] | None],
    trailing: Mapping[str, Sequence[Expression]],
    taken: set[str],
) -> list[ast.Item]:
    r"""Declarations of undeclared inputs that are read over printed ranges alone: `x[J]` for `\sum_{j=1}^{J} x_j`.

    A dimension is told where every index that reads it, bare, has the same whole range or none of its own. With one such
    input all are declared, in the order of first use, so that they keep it. `shapes` are those that the document declares,
    `trailing` the last extents of tensors whose rows it declares.
    """
    targets = {d.target.name for d in definitions}
    found: dict[str, list[_Dimension]] = {}
    places: dict[str, Element | Name] = {}
    bare: list[tuple[_Index, Expression]] = []  # and extents of declared tensors that it reads
    defined = {d.target.name: [r.extent for r in d.lefts] for d in definitions}
    for node, around in (r for d in definitions for r in _reads(d, base)):
        name = node.name if isinstance(node, Name) else node.name.name
        subscripts = node.subscripts if isinstance(node, Element) else ()
        if isinstance(node, Name) and (name in around or name in sizes or name in _CONSTANTS):
            continue
        indices = [around.get(s.name) if isinstance(s, Name) else None for s in subscripts]
        if shapes.get(name) is not None:
            extents = shapes[name] or ()
            bare += [(i, e) for i, e in zip(indices, extents, strict=False) if i is not None]
        elif name in targets:
            extents = [e for e in defined[name] if e is not None]
            if len(extents) == len(indices):
                bare += [(i, e) for i, e in zip(indices, extents, strict=True) if i is not None]
        else:
            dimensions = found.setdefault(name, [_Dimension() for _ in subscripts])
            places.setdefault(name, node)
            for d, i in zip(dimensions, indices, strict=False):
                d.is_open = d.is_open or i is None or i.is_partial
                d.indices += [] if i is None else [i]
    for index, extent in bare:
        index.extent = index.extent or extent
    for name, last in trailing.items():
        for d, extent in zip(reversed(found.get(name, [])), reversed(last), strict=False):
            d.extent, d.is_open = extent, False
            for i in d.indices:
                i.extent = i.extent or extent
    _unify([d for dimensions in found.values() for d in dimensions])
    if not any(d.extent for dimensions in found.values() for d in dimensions):
        return []
    order = [name for name in shapes if name in places] + [n for n in places if n not in shapes]
    return [item for n in order for item in _declared(places[n], n, found[n], taken)]


_CONSTANTS = frozenset(("pi", "inf", "nan"))


def _unify(dimensions: Sequence[_Dimension]) -> None:
    """Give each dimension the one extent of its indices, and these that of their dimensions, as long as more is told."""
    is_more = True
    while is_more:
        is_more = False
        for d in dimensions:
            told = {key(i.extent): i.extent for i in d.indices if i.extent is not None}
            if d.extent is not None or d.is_open or len(told) != 1:
                continue
            d.extent, is_more = next(iter(told.values())), True
            for i in d.indices:
                i.extent = d.extent


def _declared(
    place: Element | Name, name: str, dimensions: Sequence[_Dimension], taken: set[str]
) -> Iterator[ast.Item]:
    named = place if isinstance(place, Name) else place.name
    extents: list[Expression] = []
    for number, d in enumerate(dimensions):
        if d.extent is None and any(other.extent for other in dimensions):
            size = Name(fresh_name(taken, (f"{name}_{number}",)), place.span)
            yield ast.SizeDeclaration(size, None, place.span)
            extents.append(size)
        elif d.extent is not None:
            extents.append(d.extent)
    is_told = len(extents) == len(dimensions)
    yield ast.TensorDeclaration(
        "input", named, tuple(extents) if is_told else None, None, place.span
    )


def _reads(
    definition: Definition, base: int
) -> Iterator[tuple[Element | Name, Mapping[str, _Index]]]:
    """The reads of a definition with the indices around them."""
    lefts = {r.name.name: _Index(r.extent) for r in definition.lefts}
    todo: list[tuple[Node, Mapping[str, _Index]]] = [(definition.body, lefts)]
    while todo:
        node, around = todo.pop()
        if isinstance(node, (Element, Name)):
            yield node, around
        inner: Sequence[Node] = parts(node)
        if isinstance(node, Element):
            inner = [s for s in node.subscripts if not isinstance(s, Name)]
        if isinstance(node, ast.Reduction):
            around = {**around, **{r.name.name: _index_of(r, base, around) for r in node.ranges}}
        todo += [(part, around) for part in reversed(inner)]


def _index_of(r: Range, base: int, around: Mapping[str, _Index]) -> _Index:
    if r.extent is None and (r.low is None or r.high is None):
        return _Index()
    extent = r.extent
    if r.low is not None and r.high is not None:
        begins = isinstance(r.low, Number) and r.low.text == str(base)
        extent = _length(r.low, r.high) if begins else None
    names = free_names(extent) if extent is not None else {}
    is_whole = bool(names) and not any(name in around for name in names)
    return _Index(extent) if is_whole else _Index(None, is_partial=True)
