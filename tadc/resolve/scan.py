"""First look at a statement: its scopes, the explicit ranges, and every plain subscript, with where it stands.

What is found here decides the ranges of the indices (`ranges.py`); only then can the expression be made (`elaborate.py`).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tadc.errors import Span, SyntaxError
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, at_least_zero
from tadc.ir.walk import descend
from tadc.resolve.index_expression import BOUNDARY_FORMS, IndexExpressions
from tadc.resolve.rational import rational
from tadc.resolve.scope import Index, Scope
from tadc.syntax import ast

__all__ = ["Scan", "Subscript", "factors", "scan"]

Walk: TypeAlias = Generator[Any, Any, None]


@dataclass(frozen=True, slots=True, eq=False)
class Subscript:
    """One subscript of one read, in the symbols of its scope, zero-based.

    `restricted` are the symbols that conditions around the read speak of.
    """

    tensor: str
    dimension: int
    form: Affine
    span: Span
    scope: Scope
    restricted: frozenset[Symbol]

    @property
    def dimension_name(self) -> str:
        return f"dimension {self.dimension} of {self.tensor}"


@dataclass(slots=True)
class Scan:
    """What a definition says. `scopes` has the scope of the definition and of each of its reductions, by node."""

    scopes: dict[ast.Definition | ast.Reduction, Scope] = field(default_factory=dict)
    subscripts: list[Subscript] = field(default_factory=list)
    reads: list[ast.Element | ast.Name] = field(default_factory=list)

    @property
    def indices(self) -> list[Index]:
        """Every index of the statement, outermost first."""
        return [i for scope in self.scopes.values() for i in scope.indices.values()]


def scan(definition: ast.Definition, indexing: IndexExpressions) -> Scan:
    """Find scopes, explicit ranges, and subscripts. Raises SyntaxError for names and subscripts that cannot be."""
    found = Scan()
    left = Scope(None, {})
    found.scopes[definition] = left
    for range_ in definition.lefts:
        name = range_.name.name
        if name in left.indices:
            raise SyntaxError(
                range_.span,
                f"the index `{name}` stands twice on the left",
                fix=f"left indices are distinct: write a second index and `if {name} = .. then .. else 0`",
            )
        _bind(range_, left, indexing)
        if range_.extent is not None and left.indices[name].extent is None:
            raise SyntaxError(
                range_.extent.span,
                f"the extent of `{name}` depends on another index, and a tensor is a box",
                fix="give it its largest extent, and write `if .. then .. else 0` on the right",
            )
    scanner = _Scanner(found, indexing, set(left.indices))
    descend(scanner.walk(definition.body, left, frozenset()))
    return found


def factors(term: ast.Expression) -> tuple[list[ast.Bracket], list[ast.Expression]]:
    """The Iverson brackets among the factors of a flattened product, and its other factors and denominators.

    `delta(i, j)` counts as a bracket. For anything but a product: the term itself, alone.
    """
    brackets: list[ast.Bracket] = []
    others: list[ast.Expression] = []
    stack = [(term, True)]  # with whether it is a factor, or a denominator, which is taken as it is
    while stack:
        match stack.pop():
            case ast.Binary("*", left, right), True:
                stack += [(right, True), (left, True)]
            case ast.Binary("/", left, right), True:
                stack += [(right, False), (left, True)]
            case ast.Unary(operand), True:
                stack.append((operand, True))
            case ast.Bracket() as bracket, True:
                brackets.append(bracket)
            case ast.Application(ast.Name("delta")) as delta, True:
                brackets.append(as_bracket(delta))
            case other, _:
                others.append(other)
    return brackets, others


def as_bracket(delta: ast.Application) -> ast.Bracket:
    """`delta(i, j)` as `[i = j]`."""
    if len(delta.args) != 2 or any(
        isinstance(a, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)) for a in delta.args
    ):
        raise SyntaxError(
            delta.span, "`delta` has two index expressions", fix="write `delta(i, j)`"
        )
    equal = ast.Comparison(delta.args, ("==",), delta.span)  # type: ignore[arg-type]
    return ast.Bracket(equal, delta.span)


@dataclass(frozen=True, slots=True)
class _Scanner:
    found: Scan
    indexing: IndexExpressions
    left: set[str]

    def walk(self, e: ast.Expression, scope: Scope, restricted: frozenset[Symbol]) -> Walk:
        match e:
            case ast.Number():
                return
            case ast.Name(name):
                if scope.lookup(name) is None and self.indexing.sizes.lookup(name) is None:
                    self.found.reads.append(e)
            case ast.Element(_, subscripts):
                self.found.reads.append(e)
                for d, subscript in enumerate(subscripts):
                    self._subscript(e.name.name, d, subscript, scope, restricted)
            case ast.Application(_, args):
                for arg in args:
                    if isinstance(arg, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)):
                        restricted |= yield from self._condition(arg, scope, restricted)
                for arg in args:
                    if not isinstance(arg, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)):
                        yield self.walk(arg, scope, restricted)
            case ast.Unary() | ast.Binary("*" | "/"):
                brackets, others = factors(e)
                for bracket in brackets:
                    restricted |= yield from self._condition(bracket.condition, scope, restricted)
                for factor in others:
                    yield self.walk(factor, scope, restricted)
            case ast.Binary(_, left, right):
                yield self.walk(left, scope, restricted)
                yield self.walk(right, scope, restricted)
            case ast.Choice(condition, then, otherwise):
                restricted |= yield from self._condition(condition, scope, restricted)
                yield self.walk(then, scope, restricted)
                yield self.walk(otherwise, scope, restricted)
            case ast.Bracket(condition):
                yield from self._condition(condition, scope, restricted)
            case ast.Reduction():
                yield self._reduction(e, scope, restricted)

    def _reduction(self, e: ast.Reduction, scope: Scope, restricted: frozenset[Symbol]) -> Walk:
        inner = Scope(scope, {})
        self.found.scopes[e] = inner
        for range_ in e.ranges:
            name = range_.name.name
            if name in self.left:
                raise SyntaxError(
                    range_.span,
                    f"`{name}` is an index of the left side and is summed over here",
                    fix="rename one of the two",
                )
            if name in inner.indices:
                raise SyntaxError(
                    range_.span, f"the index `{name}` stands twice here", fix="name it once"
                )
            _bind(range_, inner, self.indexing)
        if e.condition is not None:
            restricted |= yield from self._condition(e.condition, inner, restricted)
        yield self.walk(e.body, inner, restricted)

    def _condition(
        self, condition: ast.Condition, scope: Scope, restricted: frozenset[Symbol]
    ) -> Generator[Any, Any, frozenset[Symbol]]:
        """Walk the operands of a condition; the symbols of indices that it speaks of."""
        stack: list[ast.Condition] = [condition]
        spoken: set[Symbol] = set()
        while stack:
            match stack.pop():
                case ast.Comparison(operands):
                    for operand in operands:
                        spoken |= _index_symbols(operand, scope)
                        yield self.walk(operand, scope, restricted)
                case ast.IsInteger(operand):
                    spoken |= _index_symbols(operand, scope)
                case ast.Logical(_, left, right):
                    stack += [right, left]
                case ast.Not(operand):
                    stack.append(operand)
        return frozenset(spoken)

    def _subscript(
        self,
        tensor: str,
        dimension: int,
        e: ast.Expression,
        scope: Scope,
        restricted: frozenset[Symbol],
    ) -> None:
        if isinstance(e, ast.Application) and e.function.name in BOUNDARY_FORMS and len(e.args) < 3:
            return  # boundary forms determine nothing
        pieces = self.indexing.pieces(e, scope)
        if len(pieces) == 1:
            form = pieces[0][1] - self.indexing.base
            self.found.subscripts.append(
                Subscript(tensor, dimension, form, e.span, scope, restricted)
            )


def _index_symbols(e: ast.Expression, scope: Scope) -> set[Symbol]:
    """The symbols of the indices named anywhere in `e` outside of reads."""
    symbols: set[Symbol] = set()
    stack = [e]
    while stack:
        match stack.pop():
            case ast.Name(name):
                index = scope.lookup(name)
                if index is not None:
                    symbols.add(index.symbol)
            case ast.Unary(operand):
                stack.append(operand)
            case ast.Binary(_, left, right):
                stack += [left, right]
            case ast.Application(_, args):
                stack += [
                    a
                    for a in args
                    if not isinstance(a, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger))
                ]
            case _:
                pass
    return symbols


def _bind(range_: ast.Range, scope: Scope, indexing: IndexExpressions) -> None:
    """Add the index of `range_` to `scope`, with its explicit range if it has one (rule 1)."""
    name = range_.name.name
    # A size of that name is hidden, and so is an outer index: a fresh symbol keeps them apart.
    index = Index(name, indexing.names.fresh(name), range_.span)
    if range_.extent is not None:
        extent = indexing.form(range_.extent, scope)
        if not set(extent.symbols).isdisjoint(set().union(*(s.symbols for s in scope.chain))):
            index.conditions = (
                at_least_zero(symbol(index.symbol)),
                at_least_zero(extent - symbol(index.symbol) - 1),
            )
            index.rule, index.place = 1, range_.extent.span
        else:
            index.within(extent, 1, range_.extent.span)
    elif range_.low is not None and range_.high is not None:
        own = symbol(index.symbol) + indexing.base
        index.conditions = (
            *_bounds(own, range_.low, scope, indexing, low=True),
            *_bounds(own, range_.high, scope, indexing, low=False),
        )
        index.rule, index.place = 1, range_.span
    scope.indices[name] = index


def _bounds(
    own: Affine, e: ast.Expression, scope: Scope, indexing: IndexExpressions, *, low: bool
) -> list[Condition]:
    """`own >= e` for a low, `own <= e` for a high; rational bounds are rounded inwards."""
    list_name = "max" if low else "min"
    match e:
        case ast.Element(ast.Name(name), parts) if name == list_name and parts:
            return [c for p in parts for c in _bounds(own, p, scope, indexing, low=low)]
        case ast.Application(ast.Name(name), parts) if name == list_name and parts:
            return [
                c
                for p in parts
                for c in _bounds(own, p, scope, indexing, low=low)  # type: ignore[arg-type]
            ]
        case ast.Binary("//", left, right):
            divisor = indexing.form(right, scope)
            if divisor.is_constant and divisor.constant > 0:
                form, m = indexing.form(left, scope), divisor.constant
                # own >= floor(form / m) says m*own >= form - (m - 1).
                return [at_least_zero(own * m - form + m - 1 if low else form - own * m)]
    form, divisor_ = rational(e, scope, indexing)
    return [at_least_zero((own * divisor_ - form) * (1 if low else -1))]
