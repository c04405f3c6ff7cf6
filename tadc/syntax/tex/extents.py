r"""Extents that printed ranges tell: `\sum_{j=1}^{J} x_j` reads `J` elements of `x`.

    \sum_{i=1}^{N-1} (x_{i+1} - x_i)^2                `x` is read from 1 to N: it has N elements
    \sum_{i=1}^{N-1} \sum_{j=i+1}^{N} c_{ij}          pairs of one set: both dimensions have N
    m = \sum_{c=1}^{C} p_c, \quad p_c = u_c^2         what an index of `p` reads is as long as `p`

A dimension is told where every subscript on it reaches from the first element to one bound, or is an index that
has no range but this dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from tadc.syntax import ast
from tadc.syntax.ast import Definition, Element, Expression, Name, Range
from tadc.syntax.nodes import Node, free_names, fresh_name, nodes, parts
from tadc.syntax.tex.left_ranges import length
from tadc.syntax.tex.linear import Linear, linear
from tadc.syntax.tex.periods import wrapped_index

__all__ = ["Extents"]

_CONSTANTS = frozenset(("pi", "inf", "nan"))
_OPAQUE = "\\"  # begins names that stand for bounds without a linear form, such as `\\lfloor N/2 \\rfloor`


@dataclass(slots=True, eq=False)
class _Index:
    """An index of one scope. `ends` are its first and last value, over sizes and outer indices, once they are told.

    `hull` are those of the set that it runs over a part of. An index without a printed range is free:
    it has that of the dimensions that it reads.
    """

    is_free: bool
    ends: tuple[Linear, Linear] | None = None
    extent: Expression | None = (
        None  # as it is printed, where the index begins at the first element
    )
    hull: tuple[Linear, Linear] | None = None
    is_moved: bool = False  # whether its range was printed with another first value
    is_inside: bool = False  # whether it is inside of such a one: where it ends tells no extent
    depth: int = 0  # the number of indices around it


@dataclass(slots=True)
class _Dimension:
    """A dimension of a tensor whose shape the document does not say: what reads it, each with the indices in scope."""

    reads: list[tuple[Expression, Mapping[str, _Index]]] = field(default_factory=list)
    extent: Expression | None = None


class Extents:
    r"""What the definitions tell. `shapes` are those that the document declares, `trailing` the last extents of tensors whose rows it
    declares; `sizes` are names that are numbers, `moved` results whose first index was another one than the base.
    """

    def __init__(
        self,
        definitions: Sequence[Definition],
        base: int,
        sizes: Set[str],
        shapes: Mapping[str, Sequence[Expression] | None],
        trailing: Mapping[str, Sequence[Expression]],
        moved: Set[str],
    ) -> None:
        self.definitions = definitions
        self.base = Linear((), base)
        self.sizes = sizes
        self.shapes = shapes
        self.targets = {d.target.name for d in definitions}
        self.places: dict[str, Element | Name] = {}  # of inputs
        self.dimensions: dict[str, list[_Dimension]] = {}
        self.lefts: list[list[_Index]] = []
        for definition in definitions:
            self._collect(definition, is_moved=definition.target.name in moved)
        for name, last in trailing.items():
            for d, extent in zip(
                reversed(self.dimensions.get(name, [])), reversed(last), strict=False
            ):
                d.extent = extent
        self._settle()

    def inputs(self, taken: set[str]) -> list[ast.Item]:
        """Declarations of undeclared inputs: of all, in the order of first use, so that they keep it; none where nothing is told."""
        undeclared = {n: self.dimensions.get(n, []) for n in self.places}
        if not any(d.extent for dimensions in undeclared.values() for d in dimensions):
            return []
        order = [n for n in self.shapes if n in self.places]
        order += [n for n in self.places if n not in self.shapes]
        return [item for n in order for item in _declared(self.places[n], n, undeclared[n], taken)]

    def with_lefts(self) -> list[Definition]:
        """The definitions, with extents of left indices that stand in no subscript of the right side, where their readers tell them."""
        return [self._with_lefts(d, i) for d, i in zip(self.definitions, self.lefts, strict=True)]

    def _with_lefts(self, definition: Definition, indices: Sequence[_Index]) -> Definition:
        elements = (n for n in nodes((definition.body,)) if isinstance(n, Element))
        used = {
            name
            for e in elements
            for s in e.subscripts
            for name in ((s.name,) if isinstance(s, Name) else _names(s))
        }
        if self.shapes.get(definition.target.name) is not None:
            return definition
        lefts = tuple(
            replace(r, extent=i.extent) if r.extent is None and r.name.name not in used else r
            for r, i in zip(definition.lefts, indices, strict=True)
        )
        return replace(definition, lefts=lefts)

    # ------------------------------------------------------------------ what is read

    def _collect(self, definition: Definition, *, is_moved: bool) -> None:
        indices = [_left_index(r, self.base, is_moved=is_moved) for r in definition.lefts]
        self.lefts.append(indices)
        around = {r.name.name: i for r, i in zip(definition.lefts, indices, strict=True)}
        self._note(definition.target.name, [r.name for r in definition.lefts], around)
        for node, scope in _reads(definition, around, self.base):
            named = node.name.name if isinstance(node, Element) else node.name
            if isinstance(node, Element):
                self._note(named, node.subscripts, scope)
            elif named in scope or named in self.sizes or named in _CONSTANTS:
                continue
            if self.shapes.get(named) is None and named not in self.targets:
                self.places.setdefault(named, node)

    def _note(
        self, name: str, subscripts: Sequence[Expression], scope: Mapping[str, _Index]
    ) -> None:
        dimensions = self.dimensions.setdefault(name, [_Dimension() for _ in subscripts])
        for dimension, extent in zip(dimensions, self.shapes.get(name) or (), strict=False):
            dimension.extent = extent
        for dimension, subscript in zip(dimensions, subscripts, strict=False):
            dimension.reads.append((wrapped_index(subscript) or subscript, scope))

    # ------------------------------------------------------------------ what that tells

    def _settle(self) -> None:
        """Give each dimension the one bound of its reads, and its free indices that range, as long as more is told."""
        todo = [d for dimensions in self.dimensions.values() for d in dimensions]
        is_more = True
        while is_more:
            is_more = False
            waiting = []
            for dimension in todo:
                dimension.extent = dimension.extent or self._told(dimension)
                if dimension.extent is None:
                    waiting.append(dimension)
                else:
                    is_more = True
                    self._give(dimension, dimension.extent)
            todo = waiting

    def _give(self, dimension: _Dimension, extent: Expression) -> None:
        last = linear(extent)
        if last is not None:
            last = last.plus(self.base).plus(Linear((), -1))
        for subscript, scope in dimension.reads:
            index = scope.get(subscript.name) if isinstance(subscript, Name) else None
            if index is None:
                continue
            whole = None if last is None else (self.base, last)
            running = self._running(index, scope)
            for free in [index] if index.is_free else running:
                if free.extent is None:
                    free.extent, free.ends = extent, whole

    def _waits(self, index: _Index | None, scope: Mapping[str, _Index]) -> bool:
        r"""Whether the range of the index, or of the `t` of `\sum_{s=1}^{t}` that it goes to, is not told yet."""
        if index is None:
            return False
        waiting = [index] if index.is_free else self._running(index, scope)
        return any(i.extent is None for i in waiting)

    def _running(self, index: _Index, scope: Mapping[str, _Index]) -> list[_Index]:
        r"""The free `t` of `\sum_{s=1}^{t} x_s`: it goes as far as `x`."""
        if index.ends is None or index.ends[0] != self.base:
            return []
        last = index.ends[1]
        alone = [i for n, i in scope.items() if last == Linear(((n, 1),), 0)]
        return [i for i in alone if i.is_free]

    def _told(self, dimension: _Dimension) -> Expression | None:
        """The extent, where all reads are inside of one of them, and one begins at the first element."""
        printed: dict[Linear, Expression] = {}
        reached: list[tuple[Linear, Linear]] = []
        told: list[Linear] = []
        for subscript, scope in dimension.reads:
            index = scope.get(subscript.name) if isinstance(subscript, Name) else None
            if isinstance(subscript, Element) or self._waits(index, scope):
                continue  # data are inside, and what has no range tells none
            ends = self._ends(subscript, scope)
            if ends is None:
                return None
            reached.append(ends)
            told += [] if _is_inside(subscript, scope) else ends[1:]
            if index is not None and index.extent is not None and index.ends is not None:
                printed.setdefault(index.ends[1], index.extent)
        last = next((h for h in told if all(g.is_at_most(h) for _, g in reached)), None)
        begins = any(low == self.base for low, _ in reached)
        is_inside = all(self.base.is_at_most(low) for low, _ in reached)
        if last is None or not last.terms or not begins or not is_inside:
            return None
        if last in printed or any(name.startswith(_OPAQUE) for name, _ in last.terms):
            return printed.get(last)
        counted = last.plus(self.base, -1).plus(Linear((), 1))
        return counted.expression(dimension.reads[0][0].span)

    def _ends(
        self, subscript: Expression, scope: Mapping[str, _Index]
    ) -> tuple[Linear, Linear] | None:
        """The lowest and the highest value of a subscript, over sizes alone."""
        form = linear(subscript)
        if form is None:
            return None
        low = high = form
        for _ in range(len(scope) + 1):
            inside = [n for f in (low, high) for n, _ in f.terms if n in scope]
            if not inside:
                is_told = all(self._is_size(n) for f in (low, high) for n, _ in f.terms)
                return (low, high) if is_told else None
            name = max(inside, key=lambda n: scope[n].depth)  # its ends may have outer ones
            ends = scope[name].hull or scope[name].ends
            if ends is None:
                return None
            low, high = _with_end(low, name, ends), _with_end(high, name, ends[::-1])
        return None

    def _is_size(self, name: str) -> bool:
        return name in self.sizes or name.startswith(_OPAQUE)


def _is_inside(subscript: Expression, scope: Mapping[str, _Index]) -> bool:
    return any(scope[n].is_inside for n in _names(subscript) if n in scope)


def _with_end(form: Linear, name: str, ends: tuple[Linear, Linear]) -> Linear:
    """The form with the first of the ends where it grows with the name, else the other one."""
    coefficient = dict(form.terms).get(name, 0)
    return form.with_value(name, ends[coefficient < 0])


# ---------------------------------------------------------------------- scopes


def _reads(
    definition: Definition, lefts: Mapping[str, _Index], base: Linear
) -> Iterator[tuple[Element | Name, Mapping[str, _Index]]]:
    """The reads of a definition with the indices around them."""
    todo: list[tuple[Node, Mapping[str, _Index]]] = [(definition.body, lefts)]
    while todo:
        node, around = todo.pop()
        if isinstance(node, (Element, Name)):
            yield node, around
        inner: Sequence[Node] = parts(node)
        if isinstance(node, Element):
            inner = [s for s in node.subscripts if not isinstance(s, Name)]
        if isinstance(node, ast.Reduction):
            scope = dict(around)
            for r in node.ranges:
                scope[r.name.name] = _index(r, scope, base)
            around = scope
        todo += [(part, around) for part in reversed(inner)]


def _left_index(r: Range, base: Linear, *, is_moved: bool) -> _Index:
    if r.extent is None:
        return _Index(is_free=True)
    ends = base, _form(r.extent).plus(base).plus(Linear((), -1))
    return _Index(is_free=False, ends=ends, extent=r.extent, is_moved=is_moved)


def _index(r: Range, around: Mapping[str, _Index], base: Linear) -> _Index:
    """The index of a reduction inside of others."""
    index = _Index(is_free=False, depth=len(around) + 1)
    if r.extent is not None:
        index.ends, index.extent = (base, _form(r.extent).plus(base).plus(Linear((), -1))), r.extent
    elif r.low is not None and r.high is not None:
        index.ends = _form(r.low), _form(r.high)
        begins = index.ends[0] == base
        index.extent = length(r.low, r.high) if begins else None
    else:
        index.is_free = True
        return index
    outer = {
        n for e in (r.extent, r.low, r.high) if e is not None for n in free_names(e) if n in around
    }
    if r.name.name in outer or _depends(around.values(), r.name.name):
        index.ends = index.extent = None
    elif outer:
        index.extent = None
        index.is_inside = any(around[n].is_moved for n in outer)
        if not index.is_inside:
            _find_pairs(index, around, base)
    return index


def _depends(indices: Iterable[_Index], name: str) -> bool:
    """Whether the ends of one of these have an index of this name, which another one hides."""
    forms = (f for i in indices for f in (*(i.ends or ()), *(i.hull or ())))
    return any(n == name for f in forms for n, _ in f.terms)


def _names(subscript: Expression) -> Iterator[str]:
    """The names in a subscript that is no element: those inside of one are met by themselves."""
    todo: list[Node] = [subscript]
    while todo:
        node = todo.pop()
        if isinstance(node, Name):
            yield node.name
        todo += () if isinstance(node, Element) else parts(node)


def _form(e: Expression) -> Linear:
    """The linear form of a bound; of another one a name that stands for it."""
    return linear(e) or Linear(((_OPAQUE + e.span.text, 1),), 0)


def _find_pairs(inner: _Index, around: Mapping[str, _Index], base: Linear) -> None:
    r"""Give both indices of `\sum_{i=1}^{N-1} \sum_{j=i+1}^{N}` the whole range: they run over pairs of one set."""
    assert inner.ends is not None, "an index with bounds"
    low, high = inner.ends
    for name, outer in around.items():
        if outer.ends is None or outer.is_free:
            continue
        first, last = outer.ends
        alone = Linear(((name, 1),), 0)
        above, below = low.plus(alone, -1), alone.plus(high, -1)
        if not above.terms and above.constant >= 0 and _is_near(high, last, above.constant):
            inner.hull = outer.hull = (first, high)
        elif not below.terms and below.constant >= 0 and _is_near(first, low, below.constant):
            inner.hull = outer.hull = (low, last)


def _is_near(a: Linear, b: Linear, most: int) -> bool:
    """Whether `0 <= a - b <= most`."""
    difference = a.plus(b, -1)
    return not difference.terms and 0 <= difference.constant <= most


# ---------------------------------------------------------------------- declarations


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
