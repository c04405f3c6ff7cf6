"""First look at a statement: its scopes, the explicit ranges, and every plain subscript, with where it stands.

The survey decides the ranges of the indices (`ranges.py`); only then can the expression be made (`elaborate.py`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tadc.errors import Span, SyntaxError
from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Domain, at_least_zero
from tadc.ir.walk import descend
from tadc.resolve.arguments import check_arguments
from tadc.resolve.data import BOUNDARY_FORMS, elements_in
from tadc.resolve.declarations import names_in
from tadc.resolve.index_expression import IndexExpressions
from tadc.resolve.rational import Piece as RationalPiece
from tadc.resolve.rational import rational
from tadc.resolve.remedies import check_function, check_quotient
from tadc.resolve.scope import MOST_INDICES, Index, Scope
from tadc.resolve.spelling import spelled
from tadc.syntax import ast
from tadc.syntax.arithmetic import arithmetic

__all__ = ["Subscript", "Survey", "as_bracket", "as_guard", "factors", "surveyed"]

Walk: TypeAlias = Generator[Any, Any, None]


@dataclass(frozen=True, slots=True, eq=False)
class Subscript:
    """One subscript of one read, in the symbols of its scope, zero-based.

    `restricted` are the symbols that conditions around the read speak of. One `in_bound` of a reduction gives no index its
    whole range: `ptr[i]` and `ptr[i+1]` stand side by side.
    """

    tensor: str
    dimension: int
    form: Affine
    span: Span
    scope: Scope
    restricted: frozenset[Symbol]
    in_bound: bool = False

    @property
    def dimension_name(self) -> str:
        return f"dimension {self.dimension} of {self.tensor}"


@dataclass(slots=True)
class Survey:
    """The survey of a definition. `scopes` has the scope of the definition and of each of its reductions, by node."""

    scopes: dict[ast.Definition | ast.Reduction, Scope] = field(default_factory=dict)
    subscripts: list[Subscript] = field(default_factory=list)
    reads: list[ast.Element | ast.Name] = field(default_factory=list)

    @property
    def indices(self) -> list[Index]:
        """Every index of the statement, outermost first."""
        return [i for scope in self.scopes.values() for i in scope.indices.values()]


def surveyed(definition: ast.Definition, indexing: IndexExpressions) -> Survey:
    """Find scopes, explicit ranges, and subscripts. Raises SyntaxError for names and subscripts that cannot be."""
    survey = Survey()
    left = Scope(None, {})
    survey.scopes[definition] = left
    for range_ in definition.lefts:
        name = range_.name.name
        if name in left.indices:
            raise SyntaxError(
                range_.span,
                f"the index `{name}` stands twice on the left",
                fix="left indices are distinct: write a second index, and "
                + spelled(
                    range_.span,
                    f"`if {name} = j then .. else 0`",
                    rf"`\begin{{cases}} .. & {name} = j \\ 0 & \text{{otherwise}} \end{{cases}}`",
                ),
            )
        _refuse_later_index(range_, definition, indexing, left)
        _bind(range_, left, indexing)
        if range_.extent is not None and left.indices[name].extent is None:
            raise SyntaxError(
                range_.extent.span,
                f"the extent of `{name}` depends on another index, and a tensor is a box",
                fix="give it its largest extent, and write `if .. then .. else 0` on the right",
            )
    scanner = _Surveyor(survey, indexing, set(left.indices))
    descend(scanner.walk(definition.body, left, frozenset()))
    return survey


def factors(term: ast.Expression) -> tuple[list[ast.Bracket], list[ast.Expression]]:
    """The Iverson brackets among the factors of a flattened product, and its other factors and denominators.

    `as_guard` decides what counts as a bracket. For anything but a product: the term itself, alone.
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
            case factor, is_factor:
                guard = as_guard(factor) if is_factor else None
                if guard is None:
                    others.append(factor)
                else:
                    brackets.append(guard)
    return brackets, others


def as_guard(factor: ast.Expression) -> ast.Bracket | None:
    """The bracket that a factor is: `[c]`, `delta(i, j)` for `[i = j]`, and `1 - b` for `[not c]` with `b` one of these."""
    negated = False
    while True:
        match factor:
            case ast.Binary("-", ast.Number(text), right) if float(text) == 1:
                factor, negated = right, not negated
                continue
            case ast.Bracket():
                guard = factor
            case ast.Application(ast.Name("delta")):
                guard = as_bracket(factor)
            case _:
                return None
        return ast.Bracket(ast.Not(guard.condition, guard.span), guard.span) if negated else guard


def as_bracket(delta: ast.Application) -> ast.Bracket:
    """`delta(i, j)` as `[i = j]`."""
    check_arguments(delta)
    equal = ast.Comparison(delta.args, ("==",), delta.span)  # type: ignore[arg-type]
    return ast.Bracket(equal, delta.span)


@dataclass(frozen=True, slots=True)
class _Surveyor:
    survey: Survey
    indexing: IndexExpressions
    left: set[str]

    def walk(self, e: ast.Expression, scope: Scope, restricted: frozenset[Symbol]) -> Walk:
        match e:
            case ast.Number():
                return
            case ast.Name(name):
                if scope.lookup(name) is None and self.indexing.sizes.lookup(name) is None:
                    self.survey.reads.append(e)
            case ast.Element():
                yield from self._read(e, scope, restricted)
            case ast.Application(_, args):
                check_function(e, scope, self.indexing.sizes, self.indexing.data)
                if e.function.name not in (
                    "max",
                    "min",
                ):  # of index expressions they have any number
                    check_arguments(e)
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
                check_quotient(e, self.indexing.data)
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

    def _read(
        self, e: ast.Element, scope: Scope, restricted: frozenset[Symbol], *, in_bound: bool = False
    ) -> Walk:
        """A read, with those in its subscripts."""
        self.survey.reads.append(e)
        for d, subscript in enumerate(e.subscripts):
            inner = list(self._data_in(subscript, scope))
            for element in inner:
                if isinstance(element, ast.Name):
                    self.survey.reads.append(element)
                else:
                    yield from self._read(element, scope, restricted, in_bound=in_bound)
            if not inner:
                self._subscript(e.name.name, d, subscript, scope, restricted, in_bound)

    def _data_in(self, e: ast.Expression, scope: Scope) -> Iterator[ast.Element | ast.Name]:
        """The data indices in an index expression: reads, and scalars by their names."""
        yield from elements_in(e)
        for node in arithmetic(e):
            if not isinstance(node, ast.Name) or node.name not in self.indexing.data:
                continue
            if scope.lookup(node.name) is None and self.indexing.sizes.lookup(node.name) is None:
                yield node

    def _reduction(self, e: ast.Reduction, scope: Scope, restricted: frozenset[Symbol]) -> Walk:
        inner = Scope(scope, {})
        self.survey.scopes[e] = inner
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
            for bound in (range_.extent, range_.low, range_.high):
                for element in () if bound is None else self._data_in(bound, inner):
                    if isinstance(element, ast.Name):
                        self.survey.reads.append(element)
                    else:
                        yield from self._read(element, inner, restricted, in_bound=True)
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
        in_bound: bool,
    ) -> None:
        if isinstance(e, ast.Application) and e.function.name in BOUNDARY_FORMS and len(e.args) < 3:
            return  # boundary forms determine nothing
        pieces = self.indexing.pieces(e, scope)
        if len(pieces) == 1:
            form = pieces[0][1] - self.indexing.base
            self.survey.subscripts.append(
                Subscript(tensor, dimension, form, e.span, scope, restricted, in_bound)
            )


def _index_symbols(e: ast.Expression, scope: Scope) -> set[Symbol]:
    """The symbols of the indices named anywhere in `e` outside of reads."""
    names = (node.name for node in arithmetic(e) if isinstance(node, ast.Name))
    return {index.symbol for name in names if (index := scope.lookup(name)) is not None}


def _refuse_later_index(
    range_: ast.Range, definition: ast.Definition, indexing: IndexExpressions, scope: Scope
) -> None:
    """Raises SyntaxError for `y[i: i]`, and for `y[i: j, j: N]`."""
    lefts = {r.name.name for r in definition.lefts}
    for name in names_in(() if range_.extent is None else (range_.extent,)):
        if name.name in lefts - scope.indices.keys() and indexing.sizes.lookup(name.name) is None:
            raise SyntaxError(
                name.span,
                f"the extent of `{range_.name.name}` depends on the index `{name.name}`, and a tensor is a box",
                fix="write a number, or a size: "
                + spelled(name.span, f"`{range_.name.name}: N` with `size N`", "`N`"),
            )


def _bind(range_: ast.Range, scope: Scope, indexing: IndexExpressions) -> None:
    """Add the index of `range_` to `scope`, with its explicit range if it has one (rule 1)."""
    name = range_.name.name
    # A size of that name is hidden, and so is an outer index: a fresh symbol makes them different.
    index = Index(name, indexing.names.fresh(name), range_.span)
    if range_.extent is not None:
        pieces = indexing.pieces(range_.extent, scope)
        around = set().union(*(s.symbols for s in scope.chain))
        if len(pieces) == 1 and around.isdisjoint(pieces[0][1].symbols):
            index.within(pieces[0][1], 1, range_.extent.span)
        else:
            last = [(given, extent - 1, 1) for given, extent in pieces]
            value = symbol(index.symbol)
            index.conditions = (at_least_zero(value),)
            _limit(index, value, last, scope, low=False)
            index.rule, index.place = 1, range_.extent.span
    elif range_.low is not None and range_.high is not None:
        value = symbol(index.symbol) + indexing.base
        index.conditions = ()
        _bound(index, value, range_.low, scope, indexing, low=True)
        _bound(index, value, range_.high, scope, indexing, low=False)
        index.rule, index.place = 1, range_.span
    if len(scope.indices) == MOST_INDICES:
        raise SyntaxError(
            range_.span,
            f"`{name}` is index {MOST_INDICES + 1} here, and there may be {MOST_INDICES}",
            fix="make one index of several: "
            + spelled(
                range_.span,
                "`i = k // M`, `j = k % M`",
                r"`i` is `\lfloor k/M \rfloor`, `j` is `k \bmod M`",
            ),
        )
    scope.indices[name] = index


def _bound(
    index: Index,
    value: Affine,
    e: ast.Expression,
    scope: Scope,
    indexing: IndexExpressions,
    *,
    low: bool,
) -> None:
    """Adds `value >= e` for a low, `value <= e` for a high, to the conditions of the index."""
    list_name = "max" if low else "min"
    match e:
        case ast.Element(ast.Name(name), parts) if name == list_name and parts:
            for p in parts:
                _bound(index, value, p, scope, indexing, low=low)
            return
        case ast.Application(ast.Name(name), args) if name == list_name and args:
            for arg in args:
                _bound(index, value, arg, scope, indexing, low=low)  # type: ignore[arg-type]
            return
        case ast.Binary("//", left, right):
            divisor, pieces = indexing.form(right, scope), indexing.pieces(left, scope)
            if divisor.is_constant and divisor.constant > 0:
                m = divisor.constant
                # value >= floor(form / m) says m*value >= form - (m - 1).
                more = m - 1 if low else 0
                floors = [(given, form - more, m) for given, form in pieces]
                _limit(index, value, floors, scope, low=low)
                return
    _limit(index, value, rational(e, scope, indexing), scope, low=low)


def _limit(
    index: Index, value: Affine, pieces: Sequence[RationalPiece], scope: Scope, *, low: bool
) -> None:
    """Adds that `value` is at least, or at most, a form over a divisor in pieces.

    The largest of several forms is a low as one condition each, the smallest a high. Any other is a case distinction.
    """
    sign = 1 if low else -1
    alternatives = tuple(
        (*given, at_least_zero((value * divisor - form) * sign)) for given, form, divisor in pieces
    )
    assert index.conditions is not None
    if _is_extreme(pieces, sign, scope):
        index.conditions += tuple(bound for *_, bound in alternatives)
    else:
        index.cases += (alternatives,)


def _is_extreme(pieces: Sequence[RationalPiece], sign: int, scope: Scope) -> bool:
    """Whether each form is the largest (`sign` 1) or smallest of all where it counts."""
    if len(pieces) == 1:
        return True
    around = Domain.of(scope.conditions)
    return all(
        implies(around & Domain.of(given), at_least_zero((form * e - other * d) * sign))
        for given, form, d in pieces
        for _, other, e in pieces
    )
