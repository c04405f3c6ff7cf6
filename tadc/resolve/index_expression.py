"""Index expressions (language, section 2): from syntax to affine forms over indices, derived indices and sizes.

`min`, `max`, `clamp` and `abs` make several *pieces*: disjoint conditions that cover everything, and a form under each.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias

from tadc.errors import ShapeError, Span, SyntaxError
from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.domain import EMPTY, TRUE, Condition, Domain, at_least_zero
from tadc.ir.expr import Const
from tadc.ir.names import Names
from tadc.ir.walk import descend
from tadc.resolve.boundary import boundary_choices
from tadc.resolve.data import BOUNDARY_FORMS, IndexTensors
from tadc.resolve.scope import Scope
from tadc.resolve.shapes import Shapes
from tadc.resolve.sizes import Sizes, bounded, integer, with_number
from tadc.resolve.spelling import declared, spelled
from tadc.syntax import ast

__all__ = ["IndexExpressions", "Piece"]

MOST_PIECES = 256

Piece: TypeAlias = tuple[tuple[Condition, ...], Affine]
Walk: TypeAlias = Generator[Any, Any, list[Piece]]
# The subscripts of a data index, or its value where it is not read.
_Place: TypeAlias = tuple[tuple[Condition, ...], tuple[Affine, ...] | int]

_IN_LATEX = (
    r"integers, indices and sizes joined by `+ - \cdot`, `\lfloor i/2 \rfloor` and `i \bmod 3`"
)


@dataclass(frozen=True, slots=True)
class IndexExpressions:
    """Reads index expressions of one program. Indices count from `base` in the text and from 0 in the forms' symbols."""

    sizes: Sizes
    names: Names
    base: int
    data: IndexTensors
    shapes: Shapes

    def form(self, e: ast.Expression, scope: Scope) -> Affine:
        """The one affine form that `e` is. Raises SyntaxError where it is not affine."""
        pieces = self.pieces(e, scope)
        if len(pieces) > 1:
            raise SyntaxError(
                e.span,
                f"`{e.span.text}` is not affine",
                fix=spelled(
                    e.span,
                    "here only integers, indices and sizes joined by `+ - * // %` may stand",
                    rf"here only {_IN_LATEX} may stand",
                ),
            )
        return pieces[0][1]

    def pieces(self, e: ast.Expression, scope: Scope) -> list[Piece]:
        """`e` as forms under conditions that exclude each other and cover everything."""
        return descend(self._pieces(e, scope))

    def _pieces(self, e: ast.Expression, scope: Scope) -> Walk:
        match e:
            case ast.Number(text, span):
                if not text.isdecimal():
                    raise SyntaxError(
                        span,
                        f"`{text}` is not an integer",
                        fix="index expressions have integers only",
                    )
                return [((), constant(integer(text, span)))]
            case ast.Name():
                return [((), self._name(e, scope))]
            case ast.Unary(operand):
                return [(c, -f) for c, f in (yield self._pieces(operand, scope))]
            case ast.Binary("*", ast.Binary("/", ast.Number(), ast.Number()) as half, factor):
                raise SyntaxError(
                    e.span,
                    f"`{half.span.text}` is a rational coefficient",
                    fix=f"write {_multiple_rounded_down(half, factor)}, which rounds down",
                )
            case ast.Binary("+" | "-" | "*" | "//" | "%", left, right):
                return self._combined(
                    e, (yield self._pieces(left, scope)), (yield self._pieces(right, scope)), scope
                )
            case ast.Binary("/"):
                raise SyntaxError(
                    e.span,
                    f"`{e.span.text}` has a rational coefficient",
                    fix=f"write {_rounded_down(e)}, which rounds down",
                )
            case ast.Application(ast.Name("min" | "max" as op), args) if len(args) >= 2:
                parts = []
                for arg in args:
                    parts.append((yield self._pieces(_expression(arg), scope)))
                return self._extreme(e, "min" if op == "min" else "max", parts, scope)
            case ast.Application(ast.Name("clamp"), (value, low, high)):
                padded = yield self._pieces(_expression(value), scope)
                lows = yield self._pieces(_expression(low), scope)
                highs = yield self._pieces(_expression(high), scope)
                above = self._extreme(e, "max", [padded, lows], scope)
                return self._extreme(e, "min", [above, highs], scope)
            case ast.Application(ast.Name("abs"), (arg,)):
                return self._absolute(e, (yield self._pieces(_expression(arg), scope)), scope)
            case ast.Application(ast.Name(name)) if name in BOUNDARY_FORMS:
                raise SyntaxError(
                    e.span,
                    f"`{name}` is a whole subscript, and stands inside an expression here",
                    fix="write it around the whole subscript: "
                    + spelled(e.span, f"`x[{name}(..)]`", rf"`x_{{\operatorname{{{name}}}(..)}}`"),
                )
            case ast.Application(ast.Name("floor" | "ceil" | "round")):
                raise SyntaxError(
                    e.span,
                    f"`{e.span.text}` is a value, and an index must stand here",
                    fix="give it a statement of its own, "
                    + spelled(e.span, f"`k[..] = {e.span.text}`", f"`k_{{..}} = {e.span.text}`")
                    + ", and write the element of that here",
                )
            case ast.Element(ast.Name(name), subscripts):
                if name in self.data:
                    return self._looked(e, (yield from self._subscripts(e, scope)), scope)
                if subscripts:
                    raise SyntaxError(
                        e.span,
                        f"a read, `{e.span.text}`, stands where an index expression must stand",
                        fix="a bound by a value is a condition: "
                        + spelled(
                            e.span, "`sum{k | k <= n[i]} ..`", r"`\sum_{k \mid k \le n_i} ..`"
                        ),
                    )
        raise SyntaxError(
            e.span,
            f"`{e.span.text}` is not an index expression",
            fix=spelled(
                e.span,
                "write integers, indices and sizes, joined by `+ - * // %`",
                f"write {_IN_LATEX}",
            ),
        )

    def subscripts(
        self, e: ast.Element, scope: Scope
    ) -> list[tuple[tuple[Condition, ...], tuple[Affine, ...]]]:
        """The subscripts of a data index, zero-based, in pieces under conditions: those where it is read."""
        pieces: list[_Place] = descend(self._subscripts(e, scope))
        return [(given, forms) for given, forms in pieces if not isinstance(forms, int)]

    def _subscripts(self, e: ast.Element, scope: Scope) -> Generator[Any, Any, list[_Place]]:
        """The subscripts of a data index, zero-based, in pieces; a number where a boundary form reads nothing."""
        several: list[_Place] = [((), ())]
        for d, subscript in enumerate(e.subscripts):
            match subscript:
                case ast.Application(ast.Name(name), args) if (
                    name in BOUNDARY_FORMS and len(args) < 3
                ):
                    inner = yield self._pieces(_expression(args[0]), scope)
                    pieces = self._inside(e, d, subscript, inner, scope)
                case _:
                    plain = yield self._pieces(subscript, scope)
                    pieces = [(c, (form - self.base,)) for c, form in plain]
            several = [
                ((*around, *given), _joined(before, form))
                for around, before in several
                for given, form in pieces
                if Domain.of((*around, *given)) != EMPTY
            ]
            self._few(e, several)
        return several

    def _inside(
        self,
        e: ast.Element,
        dimension: int,
        form: ast.Application,
        inner: list[Piece],
        scope: Scope,
    ) -> list[_Place]:
        """A boundary form as a subscript of an index tensor: the subscripts that it may be, and what `pad` reads outside."""
        name, tensor = form.function.name, e.name.name
        if tensor not in self.shapes:
            raise SyntaxError(
                form.span,
                f"`{name}` needs the extents of `{tensor}`, which are not known here",
                fix=f"declare it: {declared(e.span, f'input {tensor}[N]: index')}",
            )
        extent = self.shapes.shape(tensor)[dimension]
        outside = Const(_whole(form.args[1]) if len(form.args) == 2 else 0)

        def divided(f: Affine, m: int) -> Affine:
            return self.divided(f, m, scope)

        pieces: list[_Place] = []
        for given, value in inner:
            around = given
            for tests, target in boundary_choices(
                name, value - self.base, extent, outside, divided, lambda *_: False, form.span
            ):
                assert not isinstance(target, list), "the choices of one form are flat"
                whole = int(target.value) if isinstance(target, Const) else (target,)
                pieces.append(((*around, *tests), whole))
                for test in tests:  # one inequality, or none
                    around = (*around, at_least_zero(-test.form - 1))
        return pieces

    def _looked(self, e: ast.Element, several: list[_Place], scope: Scope) -> list[Piece]:
        """The data index of each piece: an element as the text counts, from the same base as every index."""
        name = e.name.name
        values = self.data.values.get(name)
        return [
            (
                given,
                constant(place)
                if isinstance(place, int)
                else scope.looked(name, place, values, self.names),
            )
            for given, place in several
        ]

    def _name(self, e: ast.Name, scope: Scope) -> Affine:
        index = scope.lookup(e.name)
        if index is not None:
            return symbol(index.symbol) + self.base
        size = self.sizes.lookup(e.name)
        if size is None and e.name in self.data:
            return scope.looked(e.name, (), self.data.values.get(e.name), self.names)
        if size is None:
            raise SyntaxError(
                e.span,
                f"`{e.name}` is neither an index in scope nor a size",
                fix=self._undeclared(e),
            )
        return size

    def _undeclared(self, e: ast.Name) -> str:
        size = declared(e.span, f"size {e.name}")
        if e.name[0].isupper():
            counts = self.base == 0 and e.span.source.lang == "tex" and _ends_a_sum_from_1(e.span)
            one = ", and `%!tadc base 1` where sums begin at 1" if counts else ""
            return f"declare it: {size}{one}"
        over = spelled(e.span, f"`sum{{{e.name}}} ..`", rf"`\sum_{{{e.span.text}}} ..`")
        repeated = re.findall(rf"\b{re.escape(e.name)}\b", e.span.source.text)
        einstein = spelled(e.span, "; the line `einstein` sums over all repeated indices", "")
        return f"sum over it, {over}, put it on the left side, or declare a size: {size}" + (
            einstein if len(repeated) > 1 else ""
        )

    def _combined(
        self, e: ast.Binary, left: list[Piece], right: list[Piece], scope: Scope
    ) -> list[Piece]:
        pieces = []
        for first, a in left:
            for second, b in right:
                conditions = (*first, *second)
                if Domain.of(conditions) != EMPTY:
                    form = bounded(self._combine(e, a, b, scope), e.span)
                    pieces.append((conditions, form))
            self._few(e, pieces)
        return pieces

    def _combine(self, e: ast.Binary, a: Affine, b: Affine, scope: Scope) -> Affine:
        match e.operator:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*" if a.is_constant:
                return b * a.constant
            case "*" if b.is_constant:
                return a * b.constant
            case "*":
                indices = _indices(scope)
                of_index = not indices.isdisjoint(a.symbols) and not indices.isdisjoint(b.symbols)
                error = SyntaxError(
                    e.span,
                    f"`{e.span.text}` is a product of two "
                    + ("indices" if of_index else "terms without numbers"),
                    fix="subscripts must be affine: declare two dimensions instead, or make it a statement of its own, "
                    f"`m[..]: index = {e.span.text}`, and read `m[..]`"
                    if of_index
                    else f"give the size a number: {with_number(a if indices & set(b.symbols) else b, e.span)}",
                )
                raise self.sizes.without_numbers(error, a if indices & set(b.symbols) else b)
        if not b.is_constant:
            error = SyntaxError(
                e.right.span,
                f"the divisor `{e.right.span.text}` has no number",
                fix="divide by a positive integer, or by a size that has a number",
            )
            raise self.sizes.without_numbers(error, b)
        if b.constant <= 0:
            raise SyntaxError(
                e.right.span, f"the divisor is {b.constant}", fix="divide by a positive integer"
            )
        quotient = self.divided(a, b.constant, scope)
        return quotient if e.operator == "//" else a - quotient * b.constant

    def divided(self, form: Affine, divisor: int, scope: Scope) -> Affine:
        """`form // divisor`: a derived index, or of sizes alone a derived size."""
        if set(form.symbols) & _indices(scope):
            return scope.divided(form, divisor, self.names)
        return self.sizes.floor(form, divisor)

    def _extreme(
        self, e: ast.Expression, op: Literal["min", "max"], parts: list[list[Piece]], scope: Scope
    ) -> list[Piece]:
        """The smallest or largest: of sizes alone a derived size, else a piece for each form that it may be."""
        indices = _indices(scope)
        if all(len(p) == 1 and indices.isdisjoint(p[0][1].symbols) for p in parts):
            return [((), self.sizes.extreme(op, [form for ((_, form),) in parts]))]
        sign = 1 if op == "min" else -1
        pieces: list[Piece] = []
        for combination in product(*parts):
            around = [c for conditions, _ in combination for c in conditions]
            forms = list(dict.fromkeys(form for _, form in combination))
            for t, form in enumerate(forms):
                # Of equal ones the first is taken.
                comparisons = [
                    at_least_zero((other - form) * sign - (s < t))
                    for s, other in enumerate(forms)
                    if s != t
                ]
                conditions = tuple(c for c in (*around, *comparisons) if c != TRUE)
                if Domain.of(conditions) != EMPTY:
                    pieces.append((conditions, form))
            self._few(e, pieces)
        return pieces

    def _absolute(self, e: ast.Expression, inner: list[Piece], scope: Scope) -> list[Piece]:
        """The absolute value: of sizes alone a derived size, else a piece for each sign."""
        pieces: list[Piece] = []
        for given, form in inner:
            if _indices(scope).isdisjoint(form.symbols):
                pieces.append((given, self.sizes.extreme("max", [form, -form])))
                continue
            for sign, test in ((1, at_least_zero(form)), (-1, at_least_zero(-form - 1))):
                if Domain.of((*given, test)) != EMPTY:
                    pieces.append(((*given, test), form * sign))
        return self._few(e, pieces)

    def _few(self, e: ast.Expression, pieces: list[Any]) -> list[Any]:
        if len(pieces) > MOST_PIECES:
            raise ShapeError(
                e.span,
                f"`{e.span.text}` falls into more than {MOST_PIECES} pieces",
                fix="split it over several statements",
            )
        return pieces


def _joined(
    before: tuple[Affine, ...] | int, more: tuple[Affine, ...] | int
) -> tuple[Affine, ...] | int:
    """The subscripts of further dimensions; the number that the first one has which reads nothing."""
    if isinstance(before, int) or isinstance(more, int):
        return before if isinstance(before, int) else more
    return *before, *more


def _whole(e: ast.Expression | ast.Condition) -> int:
    """The integer that `pad` reads outside of an index tensor."""
    sign, number = (-1, e.operand) if isinstance(e, ast.Unary) else (1, e)
    if isinstance(number, ast.Number) and number.text.isdecimal():
        return sign * integer(number.text, number.span)
    raise SyntaxError(
        e.span,
        "the value outside of an index tensor is no integer",
        fix="write a number, `pad(e, -1)`",
    )


def _indices(scope: Scope) -> set[str]:
    return set().union(*(s.symbols for s in scope.chain))


def _ends_a_sum_from_1(span: Span) -> bool:
    text = span.source.text
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    return re.search(r"= *1 *\}? *\^ *\{?[^{}]*$", line) is not None


def _rounded_down(e: ast.Binary) -> str:
    """`e`, a division, as one that is rounded."""
    text, start = e.span.source.text, e.span.start
    between = text[e.left.span.end : e.right.span.start].replace("/", " // ")
    idx = f"{text[start : e.left.span.end]}{between}{text[e.right.span.start : e.span.end]}"
    return spelled(e.span, f"`{' '.join(idx.split())}`", rf"`\lfloor {e.span.text} \rfloor`")


def _multiple_rounded_down(half: ast.Binary, factor: ast.Expression) -> str:
    """`p/q*factor`, as a division that is rounded."""
    assert isinstance(half.left, ast.Number) and isinstance(half.right, ast.Number)
    p, q, text = half.left.text, half.right.text, factor.span.text
    whole = not isinstance(factor, (ast.Name, ast.Number)) and not text.startswith("(")
    multiple = f"({text})" if whole else text
    idx = f"{multiple} // {q}" if p == "1" else f"{p}*{multiple} // {q}"
    return spelled(half.span, f"`{idx}`", rf"`\lfloor {p} {text} / {q} \rfloor`")


def _expression(arg: ast.Expression | ast.Condition) -> ast.Expression:
    if isinstance(arg, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)):
        raise SyntaxError(
            arg.span,
            f"the condition `{arg.span.text}` stands where an expression must stand",
            fix="write "
            + spelled(arg.span, "`if .. then .. else ..`", r"`\begin{cases}`")
            + " around the whole",
        )
    return arg
