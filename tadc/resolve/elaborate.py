"""From the syntax of a statement's right side to its expression, once every index has its range.

Facts about a read that depend on where it stands, its span and the conditions there, are kept as a `ReadUse`
for the proof that reads stay inside (`bounds.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

from tadc.errors import RangeError, ShapeError, Span, SyntaxError
from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import EVERYWHERE, FALSE, Condition, Domain, Looked, at_least_zero
from tadc.ir.expr import Call, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.functions import ALIASES, FUNCTIONS, OPERATORS
from tadc.ir.sparse import Sparse
from tadc.ir.walk import descend
from tadc.resolve.arguments import CASES, check_arguments
from tadc.resolve.boundary import Choice, boundary_choices
from tadc.resolve.data import BOUNDARY_FORMS, elements_in
from tadc.resolve.formula import (
    And,
    Formula,
    Not,
    all_of,
    by_cases,
    conjunction,
    formula,
    is_index_expression,
    known_where,
    selected,
)
from tadc.resolve.index_expression import IndexExpressions
from tadc.resolve.known import NOTHING, Known
from tadc.resolve.reductions import REDUCTIONS, Points
from tadc.resolve.scope import Scope
from tadc.resolve.shapes import Shapes
from tadc.resolve.sparse import read_of
from tadc.resolve.spelling import declared, spelled
from tadc.resolve.survey import Survey, as_bracket, as_guard, factors
from tadc.syntax import ast
from tadc.syntax.arithmetic import arithmetic
from tadc.syntax.nodes import conjuncts

__all__ = ["CONSTANTS", "ReadUse", "elaborate"]

CONSTANTS: Mapping[str, float] = {
    "pi": 3.141592653589793,
    "inf": float("inf"),
    "nan": float("nan"),
}
ORDERS = range(1000)  # of `polygamma`
MOST_DIGITS = (
    300  # of a value that is kept as an integer: with more it may be too large for a float
)
FEW_PIECES = 32  # of a read while sizes have no numbers
MOST_READS = 4096  # of one read in the text
PERIODIC_FORMS = ("wrap", "reflect", "symmetric")  # with numbers they have a piece or two
_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div", "**": "pow"}

Walk: TypeAlias = Generator[Any, Any, Expr]

_ONE_OF_SEVERAL = r"`i` is `\lfloor k/M \rfloor`, `j` is `k \bmod M`"


@dataclass(frozen=True, slots=True, eq=False)
class ReadUse:
    """A read where it stands: `around` is known there, and the ranges of the indices in scope."""

    tensor: str
    subscripts: tuple[Affine, ...]
    span: Span
    scope: Scope
    around: Known
    places: tuple[Span, ...] = ()  # of the subscripts

    @property
    def known(self) -> Known:
        used = self.around.symbols.union(*(form.symbols for form in self.subscripts))
        return self.around & Domain.of(self.scope.conditions_on(used))

    @property
    def is_under_data(self) -> bool:
        """Whether some index around it is an element of a tensor."""
        return any(isinstance(d, Looked) for scope in self.scope.chain for d in scope.derived)


@dataclass(frozen=True, slots=True)
class _Context:
    """The context of an expression: its scope, and the facts that the conditions around it establish."""

    scope: Scope
    around: Known

    def under(self, f: Formula, fresh: Callable[[str], str]) -> _Context:
        return _Context(self.scope, self.around & known_where(f, fresh))

    def within(self, domain: Domain) -> _Context:
        return _Context(self.scope, self.around & domain)


def elaborate(
    definition: ast.Definition,
    survey: Survey,
    shapes: Shapes,
    indexing: IndexExpressions,
    sparse: Mapping[str, Sparse],
) -> tuple[Expr, list[ReadUse]]:
    """The expression of a definition, and its reads."""
    elaborator = _Elaborator(survey, shapes, indexing, sparse, [])
    scope = survey.scopes[definition]
    body = descend(elaborator.value(definition.body, _Context(scope, NOTHING)))
    return body, elaborator.uses


@dataclass(frozen=True, slots=True)
class _Elaborator:
    survey: Survey
    shapes: Shapes
    indexing: IndexExpressions
    sparse: Mapping[str, Sparse]
    uses: list[ReadUse]
    stored: set[Expr] = field(default_factory=set)  # sums that are elements of sparse tensors

    def value(self, e: ast.Expression, context: _Context) -> Walk:
        """The expression that `e` is where a value is expected."""
        match e:
            case ast.Number(text):
                whole = text.isdecimal() and len(text) < MOST_DIGITS
                return Const(int(text) if whole else float(text))
            case ast.Name(name):
                return self._name(e, name, context)
            case ast.Element():
                return self._read(e, context)
            case ast.Unary() | ast.Binary("*" | "/"):
                brackets, _ = factors(e)
                if not brackets:
                    return (yield self._arithmetic(e, context))
                self._note_conditions([b.condition for b in brackets], context)
                every = all_of(
                    [formula(b.condition, context.scope, self.indexing) for b in brackets]
                )
                body = yield self._arithmetic(e, context.under(every, self._fresh))
                return (yield self._select(every, body, Const(0), context))
            case ast.Binary("//" | "%"):
                return self._index_value(e, context)
            case ast.Binary():
                return (yield self._arithmetic(e, context))
            case ast.Application():
                return (yield self._application(e, context))
            case ast.Choice(condition, then, otherwise):
                self._note_conditions([condition], context)
                f = formula(condition, context.scope, self.indexing)
                yes = yield self.value(then, context.under(f, self._fresh))
                no = yield self.value(otherwise, context.under(Not(f), self._fresh))
                return (yield self._select(f, yes, no, context))
            case ast.Bracket(condition):
                self._note_conditions([condition], context)
                f = formula(condition, context.scope, self.indexing)
                return (yield self._select(f, Const(1), Const(0), context))
            case ast.Reduction():
                return (yield self._reduction(e, context))

    def _arithmetic(self, e: ast.Expression, context: _Context) -> Walk:
        """Signs and operators. A bracket in a product is 1 here: `value` has put its condition around the whole."""
        match e:
            case ast.Unary(operand):
                x = yield self._factor(operand, context)
                match x:
                    case Const(value) if value:
                        return Const(-value)
                    case IndexValue(form):
                        return IndexValue(-form)
                    case Reduce() if x in self.stored:
                        return self._inside(x, Call("neg", (x.body,)))
                    case _:
                        return Call("neg", (x,))
            case ast.Binary("*", left, right):
                a, b = (yield self._factor(left, context)), (yield self._factor(right, context))
                if as_guard(left) is not None:
                    return b
                return a if as_guard(right) is not None else self._combined("*", a, b)
            case ast.Binary("/", left, right):
                a = yield self._factor(left, context)
                return self._combined("/", a, (yield self.value(right, context)))
            case ast.Binary(operator, left, right):
                a, b = (yield self.value(left, context)), (yield self.value(right, context))
                return _combined(operator, a, b)
        raise AssertionError("not arithmetic")

    def _factor(self, e: ast.Expression, context: _Context) -> Walk:
        if as_guard(e) is not None:
            return _one()
        if isinstance(e, (ast.Unary, ast.Binary)) and not (
            isinstance(e, ast.Binary) and e.operator in ("//", "%")
        ):
            return self._arithmetic(e, context)
        return self.value(e, context)

    def _select(self, f: Formula, then: Expr, otherwise: Expr, context: _Context) -> Walk:
        def value(e: ast.Expression, known: Known) -> Walk:
            return self.value(e, _Context(context.scope, context.around & known))

        return selected(f, then, otherwise, value, self._fresh)

    def _name(self, e: ast.Name, name: str, context: _Context) -> Expr:
        if context.scope.lookup(name) is not None or self.indexing.sizes.lookup(name) is not None:
            return IndexValue(self.indexing.form(e, context.scope))
        if name not in self.shapes and name in CONSTANTS:
            return Const(CONSTANTS[name])
        return self._read(ast.Element(e, (), e.span), context)

    def _refuse_unequal_ranges(self, delta: ast.Application, scope: Scope) -> None:
        r"""Raise for `\delta_{jt}` of indices that do not run over one set: it is rather an element of data than Kronecker's."""
        indices = [scope.lookup(a.name) if isinstance(a, ast.Name) else None for a in delta.args]
        extents = {
            index.extent and self.shapes.settled(index.extent)
            for index in indices
            if index is not None
        }
        if delta.span.source.lang != "tex" or len(indices) != 2 or None in indices:
            return
        if len(extents) == 2 and None not in extents:
            i, j = (a.span.text for a in delta.args)
            raise SyntaxError(
                delta.span,
                f"`{delta.span.text}` may be Kronecker's delta or an element of `delta`: `{i}` and `{j}` have different ranges",
                fix=rf"write `\mathbf{{1}}[{i} = {j}]` for Kronecker's delta, or declare the tensor, `%!tadc input delta[N, M]`",
            )

    def _application(self, e: ast.Application, context: _Context) -> Walk:
        name = ALIASES.get(e.function.name, e.function.name)
        check_arguments(e)
        if name == "where":
            condition, then, otherwise = e.args
            if not isinstance(condition, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)):
                raise SyntaxError(
                    condition.span,
                    "the first argument of `where` is a condition",
                    fix="compare it with something: "
                    + spelled(e.span, "`where(x[i] > 0, .., ..)`", CASES),
                )
            return (
                yield self.value(
                    ast.Choice(condition, _value(then), _value(otherwise), e.span), context
                )
            )
        if name == "delta":
            self._refuse_unequal_ranges(e, context.scope)
            return (yield self.value(as_bracket(e), context))
        if name == "clamp" and len(e.args) == 3:
            return self._index_value(e, context)
        function = FUNCTIONS.get(name)
        if function is None or name in OPERATORS:
            assert name in BOUNDARY_FORMS, "the survey has refused what is unknown"
            form = spelled(e.span, f"`x[{name}(..)]`", rf"`x_{{\operatorname{{{name}}}(..)}}`")
            raise SyntaxError(
                e.function.span,
                f"`{name}` is a boundary form, and stands for a subscript",
                fix=f"write {form}",
            )
        args = []
        for arg in e.args:
            args.append((yield self.value(_value(arg), context)))
        if name == "polygamma" and not (isinstance(args[0], Const) and args[0].value in ORDERS):
            raise SyntaxError(
                e.span,
                f"the order of `polygamma` is not an integer from 0 to {ORDERS[-1]}",
                fix="write "
                + spelled(e.span, "`polygamma(1, x)`", r"`\operatorname{polygamma}(1, x)`"),
            )
        return Call(name, tuple(args))

    def _index_value(self, e: ast.Expression, context: _Context) -> Expr:
        """The value of an index expression in pieces."""
        *pieces, (_, last) = self.indexing.pieces(e, context.scope)
        result: Expr = IndexValue(last)
        for conditions, form in reversed(pieces):
            result = Select(Domain.of(conditions), IndexValue(form), result)
        return result

    def _reduction(self, e: ast.Reduction, context: _Context) -> Walk:
        scope = self.survey.scopes[e]
        op = e.op.name
        if op in ("argmax", "argmin") and len(e.ranges) > 1:
            raise SyntaxError(
                e.op.span,
                f"`{op}` has one index",
                fix="make one index of several: "
                + spelled(e.span, "`i = k // M`, `j = k % M`", _ONE_OF_SEVERAL),
            )
        outer = inner = _Context(scope, context.around)
        bounds = [b for r in e.ranges for b in (r.extent, r.low, r.high) if b is not None]
        if any(element for bound in bounds for element in elements_in(bound)):
            where = outer  # a bound is a condition too, which is read where the others hold
            if e.condition is not None:
                holds = formula(e.condition, scope, self.indexing)
                where = outer.within(known_where(holds, self._fresh).domain)
            for bound in bounds:
                self._note_data(bound, where)
        if e.condition is not None:
            self._note_conditions([e.condition], outer)
        domain = Domain.of(c for i in scope.indices.values() for c in i.range)
        tests = [by_cases(c) for i in scope.indices.values() for c in i.cases]
        if e.condition is not None:
            tests.append(formula(e.condition, scope, self.indexing))
        test: Formula | None = None
        if tests:
            test = all_of(tests)
            inner = inner.under(test, self._fresh)
            affine = conjunction(test)
            if affine is not None:
                domain, test = domain & affine, None

        def tested(value: Expr, otherwise: Expr) -> Expr:
            if test is None:
                return value
            return descend(self._select(test, value, otherwise, outer))

        body = yield self.value(e.body, inner)
        tested(body, body)  # the divisions of its subscripts become indices of the scope
        indices = tuple(i.symbol for i in scope.indices.values())
        points = Points(indices, tuple(scope.derived), domain, tested, self.indexing.base)
        return REDUCTIONS[op](points, body)

    def _note_data(self, e: ast.Expression, context: _Context) -> None:
        """Note the reads that an index expression has where it stands."""
        for element in elements_in(e):
            for subscript in element.subscripts:
                self._note_data(subscript, context)
            for given, subscripts in self.indexing.subscripts(element, context.scope):
                here = context.within(Domain.of(given))
                self.uses.append(
                    ReadUse(
                        element.name.name,
                        subscripts,
                        element.span,
                        here.scope,
                        here.around,
                        tuple(s.span for s in element.subscripts),
                    )
                )

    def _note_conditions(self, conditions: Sequence[ast.Condition], context: _Context) -> None:
        """Note the reads of conditions that hold together: each is read where the others hold."""
        parts = [part for c in conditions for part in conjuncts(c)]
        reading = [list(self._reading(part, context.scope)) for part in parts]
        if not any(reading):
            return
        # All in the order of the text, in which data get their names.
        formulas = [formula(part, context.scope, self.indexing) for part in parts]
        for n, indices in enumerate(reading):
            if indices:
                others = (*formulas[:n], *formulas[n + 1 :])
                here = context.within(known_where(And(others), self._fresh).domain)
                for e in indices:
                    self._note_data(e, here)

    def _reading(self, condition: ast.Condition, scope: Scope) -> Iterator[ast.Expression]:
        """The index expressions that the condition compares and that read data."""
        for comparison in _comparisons(condition):
            for e in comparison.operands:
                if is_index_expression(e, scope, self.indexing) and any(elements_in(e)):
                    yield e

    def _read(self, e: ast.Element, context: _Context) -> Expr:
        tensor = e.name.name
        for subscript in e.subscripts:
            self._note_data(subscript, context)
        shape = self.shapes.shape(tensor)
        options = [
            self._subscript(subscript, extent, context)
            for subscript, extent in zip(e.subscripts, shape, strict=True)
        ]
        pieces = prod(map(_pieces, options))
        if pieces > FEW_PIECES:
            self._too_many(e, shape, pieces)
        return self._chosen(e, options, (), context)

    def _too_many(self, e: ast.Element, shape: Sequence[Affine], pieces: int) -> None:
        """Raises ShapeError if numbers for the sizes would make fewer pieces, or if the pieces are too many anyway."""
        open_ = [
            extent
            for s, extent in zip(e.subscripts, shape, strict=True)
            if isinstance(s, ast.Application)
            and s.function.name in PERIODIC_FORMS
            and not extent.is_constant
        ]
        if not open_ and pieces <= MOST_READS:
            return
        error = ShapeError(
            e.span,
            f"`{e.span.text}` falls into {pieces} pieces",
            fix=f"give its sizes numbers: {declared(e.span, 'size N = 8')}, or `--size N=8`"
            if open_
            else "split it over several statements",
        )
        raise self.indexing.sizes.without_numbers(error, *open_) if open_ else error

    def _chosen(
        self,
        e: ast.Element,
        options: Sequence[Sequence[Choice]],
        subscripts: tuple[Affine, ...],
        context: _Context,
    ) -> Expr:
        """The read, with further subscripts chosen by their tests, the leftmost first."""
        if len(subscripts) == len(options):
            self.uses.append(
                ReadUse(
                    e.name.name,
                    subscripts,
                    e.span,
                    context.scope,
                    context.around,
                    tuple(s.span for s in e.subscripts),
                )
            )
            if e.name.name in self.sparse:
                return self._element(e, subscripts, context)
            return Read(e.name.name, subscripts)
        chosen: list[tuple[Domain, Expr]] = []
        around = context.around
        for tests, target in options[len(subscripts)]:
            domain = Domain.of(tests)
            here = _Context(context.scope, around & domain)
            match target:
                case Const():
                    value: Expr = target
                case Affine():
                    value = self._chosen(e, options, (*subscripts, target), here)
                case choices:
                    at = len(subscripts)
                    options_here = [*options[:at], choices, *options[at + 1 :]]
                    value = self._chosen(e, options_here, subscripts, here)
            chosen.append((domain, value))
            match tests:
                case (Condition(">=", form),):
                    around &= Domain.of((at_least_zero(-form - 1),))
                case _:
                    pass
        last, result = chosen[-1]
        if any(len(domain) > 1 for domain, _ in chosen) and last != EVERYWHERE:
            # Derivatives look data up where this holds, and what fails of several conditions says nothing of them.
            result = Select(last, result, Const(1))  # which is nowhere
        for domain, value in reversed(chosen[:-1]):
            result = Select(domain, value, result)
        return result

    def _element(self, e: ast.Element, subscripts: tuple[Affine, ...], context: _Context) -> Expr:
        """The element of a sparse tensor."""
        names, data = self.indexing.names, self.indexing.data
        sparse = self.sparse[e.name.name]
        (count,) = self.shapes.shape(sparse.values)
        result = read_of(sparse, count, subscripts, context.scope, e.span, names, data)
        self.stored.add(result)
        return result

    def _combined(self, operator: str, a: Expr, b: Expr) -> Expr:
        """`a operator b`. A factor that is an element of a sparse tensor has the term inside of its sum: what is not stored
        multiplies nothing.
        """
        if isinstance(a, Reduce) and a in self.stored:
            return self._inside(a, self._combined(operator, a.body, b))
        if isinstance(b, Reduce) and b in self.stored and operator == "*":
            return self._inside(b, self._combined(operator, a, b.body))
        return _combined(operator, a, b)

    def _inside(self, element: Reduce, term: Expr) -> Expr:
        result = Reduce(element.op, element.indices, element.derived, element.domain, term)
        self.stored.add(result)
        return result

    def _subscript(self, e: ast.Expression, extent: Affine, context: _Context) -> Sequence[Choice]:
        """The values that the subscript may have, with tests that are made in order; the last needs none."""
        base = self.indexing.base
        if not (isinstance(e, ast.Application) and e.function.name in BOUNDARY_FORMS) or (
            e.function.name == "clamp" and len(e.args) == 3
        ):
            return [(c, form - base) for c, form in self.indexing.pieces(e, context.scope)]
        name = e.function.name
        outside = Const(0)
        most = 2 if name == "pad" else 1
        if not 1 <= len(e.args) <= most:
            raise SyntaxError(
                e.span,
                f"`{name}` takes {'one or two arguments' if most == 2 else 'one argument'}",
                fix="write " + spelled(e.span, f"`{name}(e)`", rf"`\operatorname{{{name}}}(e)`"),
            )
        if len(e.args) == 2:
            given = (
                descend(self.value(_value(e.args[1]), context))
                if self._is_constant(_value(e.args[1]))
                else None
            )
            if not isinstance(given, Const):
                raise SyntaxError(
                    e.args[1].span,
                    "the value outside is not a constant",
                    fix="write a number, `inf` or `-inf`",
                )
            outside = given
        pieces = self.indexing.pieces(_value(e.args[0]), context.scope)
        each: list[Choice] = []
        for conditions, form in pieces:
            here = context.within(Domain.of(conditions)) if conditions else context
            each.append((conditions, self._boundary(e, name, form - base, extent, outside, here)))
        if len(each) > 1:
            return each
        ((_, choices),) = each
        assert isinstance(choices, list)
        return choices

    def _boundary(
        self,
        e: ast.Expression,
        name: str,
        form: Affine,
        extent: Affine,
        outside: Const,
        context: _Context,
    ) -> list[Choice]:
        """The choices of `name(form)` where it stands."""

        def holds(*given: Condition) -> bool:
            *assumed, wanted = given
            derived = self.indexing.sizes.derived
            made = (c for d in derived for c in d.conditions)
            ranges = Domain.of((*context.scope.conditions, *made, *assumed))
            inner = set().union(*(scope.symbols for scope in context.scope.chain))
            inner |= {d.name for d in derived}
            symbols = (*ranges.symbols, *wanted.form.symbols)
            least = self.indexing.sizes.least
            positive = (symbol(s) - least(s) for s in symbols if s not in inner)
            last = () if extent.is_constant else (extent - 1,)
            sizes = Domain.of(map(at_least_zero, (*last, *positive)))
            return (context.around & (ranges & sizes)).implies(wanted)

        if extent == Affine.of({}) and name != "pad":
            if holds(FALSE):
                return [((), Const(0))]
            raise RangeError(
                e.span,
                f"`{e.span.text}` reads a tensor of extent 0",
                fix="give it an element, or use "
                + spelled(e.span, "`pad`", r"`x_{\operatorname{pad}(i)}`"),
            )

        def divided(f: Affine, m: int) -> Affine:
            return self.indexing.divided(f, m, context.scope)

        try:
            return boundary_choices(name, form, extent, outside, divided, holds, e.span)
        except SyntaxError as error:
            raise self.indexing.sizes.without_numbers(error, extent) from None

    def _is_constant(self, e: ast.Expression) -> bool:
        """Whether `e` is made of numbers alone: nothing else in a subscript has been looked at for reads."""

        def is_part(node: ast.Expression | ast.Condition) -> bool:
            match node:
                case ast.Name(name):
                    return name in CONSTANTS and name not in self.shapes
                case _:
                    return isinstance(node, (ast.Number, ast.Unary, ast.Binary))

        return all(map(is_part, arithmetic(e)))

    def _fresh(self, hint: str) -> str:
        return self.indexing.names.fresh(hint)


def _comparisons(condition: ast.Condition) -> Iterator[ast.Comparison]:
    """The comparisons that a condition is made of. Those inside of what is compared have scopes of their own."""
    waiting = [condition]
    while waiting:
        match waiting.pop():
            case ast.Comparison() as comparison:
                yield comparison
            case ast.Logical(_, left, right):
                waiting += (right, left)
            case ast.Not(operand):
                waiting.append(operand)
            case ast.IsInteger():
                pass


def _pieces(choices: Sequence[Choice]) -> int:
    """The number of subscripts among the choices, nested ones included."""
    return sum(
        _pieces(target) if isinstance(target, list) else isinstance(target, Affine)
        for _, target in choices
    )


def _is_real(form: Affine) -> bool:
    """Whether its numbers are in the range of a float."""
    return all(abs(n) < 10**MOST_DIGITS for n in (form.constant, *(c for _, c in form.terms)))


def _combined(operator: str, a: Expr, b: Expr) -> Expr:
    """`a operator b`; an affine form of indices and integers stays one value of an index expression."""
    if isinstance(a, (Const, IndexValue)) and isinstance(b, (Const, IndexValue)):
        f, g = _form(a), _form(b)
        if f is not None and g is not None:
            form = None
            match operator:
                case "+":
                    form = f + g
                case "-":
                    form = f - g
                case "*" if f.is_constant or g.is_constant:
                    form = g * f.constant if f.is_constant else f * g.constant
            if form is not None and _is_real(form):
                return Const(form.constant) if form.is_constant else IndexValue(form)
    return Call(_ARITHMETIC[operator], (a, b))


def _form(e: Const | IndexValue) -> Affine | None:
    match e:
        case IndexValue(form):
            return form
        case Const(int() as value):
            return Affine.of({}, value)
        case _:
            return None


def _one() -> Walk:
    return Const(1)
    yield


def _value(arg: ast.Expression | ast.Condition) -> ast.Expression:
    if isinstance(arg, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)):
        raise SyntaxError(
            arg.span,
            f"the condition `{arg.span.text}` stands where a value must stand",
            fix="write "
            + spelled(arg.span, f"`[{arg.span.text}]`", rf"`\mathbf{{1}}[{arg.span.text}]`")
            + " for 1 or 0",
        )
    return arg
