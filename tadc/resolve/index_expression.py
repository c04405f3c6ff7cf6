"""Index expressions (language, section 2): from syntax to affine forms over indices, derived indices and sizes.

`min`, `max` and `clamp` make several *pieces*: disjoint conditions that cover everything, and a form under each.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias

from tadc.errors import ShapeError, SyntaxError
from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.domain import FALSE, TRUE, Condition, at_least_zero
from tadc.ir.names import Names
from tadc.ir.walk import descend
from tadc.resolve.scope import Scope
from tadc.resolve.sizes import Sizes, integer
from tadc.syntax import ast

__all__ = ["BOUNDARY_FORMS", "IndexExpressions", "Piece"]

BOUNDARY_FORMS = ("pad", "clamp", "wrap", "reflect", "symmetric")
MOST_PIECES = 32

Piece: TypeAlias = tuple[tuple[Condition, ...], Affine]
Walk: TypeAlias = Generator[Any, Any, list[Piece]]


@dataclass(frozen=True, slots=True)
class IndexExpressions:
    """Reads index expressions of one program. Indices count from `base` in the text and from 0 in the forms' symbols."""

    sizes: Sizes
    names: Names
    base: int

    def form(self, e: ast.Expression, scope: Scope) -> Affine:
        """The one affine form that `e` is. Raises SyntaxError where it is not affine."""
        pieces = self.pieces(e, scope)
        if len(pieces) > 1:
            raise SyntaxError(
                e.span,
                f"`{e.span.text}` is not affine",
                fix="here only integers, indices and sizes joined by `+ - * // %` may stand",
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
            case ast.Binary("+" | "-" | "*" | "//" | "%", left, right):
                return self._combined(
                    e, (yield self._pieces(left, scope)), (yield self._pieces(right, scope)), scope
                )
            case ast.Binary("/"):
                raise SyntaxError(
                    e.span,
                    f"`{e.span.text}` has a rational coefficient",
                    fix=f"write `{e.left.span.text} // {e.right.span.text}`, which rounds down",
                )
            case ast.Application(ast.Name("min" | "max" as op), args) if len(args) >= 2:
                best: list[Piece] = []
                for arg in args:
                    pieces = yield self._pieces(_expression(arg), scope)
                    best = self._extreme(e, op, best, pieces) if best else pieces
                return best
            case ast.Application(ast.Name("clamp"), (value, low, high)):
                inside = yield self._pieces(_expression(value), scope)
                lows = yield self._pieces(_expression(low), scope)
                highs = yield self._pieces(_expression(high), scope)
                return self._extreme(e, "min", self._extreme(e, "max", inside, lows), highs)
            case ast.Application(ast.Name(name)) if name in BOUNDARY_FORMS:
                raise SyntaxError(
                    e.span,
                    f"`{name}` is a whole subscript, and stands inside an expression here",
                    fix=f"write it around the whole subscript: `x[{name}(..)]`",
                )
            case ast.Element(ast.Name(name), subscripts):
                if subscripts:
                    raise SyntaxError(
                        e.span,
                        f"a read, `{e.span.text}`, stands where an index expression must stand",
                        fix="subscripts and bounds are made of indices, sizes and integers",
                    )
        raise SyntaxError(
            e.span,
            f"`{e.span.text}` is not an index expression",
            fix="write integers, indices and sizes, joined by `+ - * // %`",
        )

    def _name(self, e: ast.Name, scope: Scope) -> Affine:
        index = scope.lookup(e.name)
        if index is not None:
            return symbol(index.symbol) + self.base
        size = self.sizes.lookup(e.name)
        if size is None:
            raise SyntaxError(
                e.span,
                f"`{e.name}` is neither an index in scope nor a size",
                fix=f"put it on the left side, sum over it with `sum{{{e.name}}}`, or declare `size {e.name}`",
            )
        return size

    def _combined(
        self, e: ast.Binary, left: list[Piece], right: list[Piece], scope: Scope
    ) -> list[Piece]:
        pieces = []
        for first, a in left:
            for second, b in right:
                pieces.append(((*first, *second), self._combine(e, a, b, scope)))
        return self._few(e, pieces)

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
                    fix="subscripts must be affine: declare two dimensions instead"
                    if of_index
                    else "give the size a number: `size M = 8`, or `--size M=8`",
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
        self, e: ast.Expression, op: str, left: list[Piece], right: list[Piece]
    ) -> list[Piece]:
        pieces: list[Piece] = []
        sign = 1 if op == "min" else -1
        for first, a in left:
            for second, b in right:
                takes_a = at_least_zero((b - a) * sign)  # a <= b for min
                takes_b = at_least_zero((a - b) * sign - 1)
                for condition, form in ((takes_a, a), (takes_b, b)):
                    if condition != FALSE:
                        own = () if condition == TRUE else (condition,)
                        pieces.append(((*first, *second, *own), form))
        return self._few(e, pieces)

    def _few(self, e: ast.Expression, pieces: list[Piece]) -> list[Piece]:
        if len(pieces) > MOST_PIECES:
            raise ShapeError(
                e.span,
                f"`{e.span.text}` falls into more than {MOST_PIECES} pieces",
                fix="split it over several statements",
            )
        return pieces


def _indices(scope: Scope) -> set[str]:
    return set().union(*(s.symbols for s in scope.chain))


def _expression(arg: ast.Expression | ast.Condition) -> ast.Expression:
    if isinstance(arg, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)):
        raise SyntaxError(
            arg.span,
            f"the condition `{arg.span.text}` stands where an expression must stand",
            fix="write `if .. then .. else ..` around the whole",
        )
    return arg
