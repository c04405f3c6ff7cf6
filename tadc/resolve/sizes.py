"""Sizes: declared ones, those that follow from others, and expressions of them.

A size with a number is that number from here on. A size expression that is not affine becomes a derived size, a
parameter of its own with its defining inequalities (design, section 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

from tadc.errors import Error, ShapeError, Span, SyntaxError
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.names import Names
from tadc.ir.program import DerivedSize
from tadc.ir.walk import descend
from tadc.resolve.shapes import Shapes
from tadc.resolve.spelling import declared, spelled
from tadc.syntax import ast

__all__ = ["MOST", "Sizes", "bounded", "integer", "with_number"]

AnyError = TypeVar("AnyError", bound=Error)

MOST_DIGITS = 100  # of an integer in a size or in an index expression
MOST = 2**63 - 1  # of a size: more elements nothing can count


class Sizes:
    """The sizes of one program, as they are found."""

    def __init__(self, names: Names, given: Mapping[str, int], shapes: Shapes) -> None:
        self._names = names
        self._shapes = shapes
        self._given = given
        self._declared: dict[str, Affine] = {}
        self.symbols: list[Symbol] = []
        self.offsets: set[Symbol] = set()  # those of `symbols` that may be 0
        self.derived: list[DerivedSize] = []

    def declare(self, declaration: ast.SizeDeclaration) -> None:
        """Add `size N` or `size N = ..`. Raises SyntaxError for a second declaration, ShapeError for two numbers."""
        name = declaration.name.name
        if name in self._declared:
            raise SyntaxError(
                declaration.name.span,
                f"the size `{name}` is declared twice",
                fix="remove one of the declarations",
            )
        given = self._given.get(name)
        if declaration.value is None:
            self._declared[name] = symbol(name) if given is None else constant(given)
            if given is None:
                self.symbols.append(name)
                self.offsets |= {name} if declaration.is_offset else set()
            return
        form = self._named(name, self.form(declaration.value))
        if given is not None and form != constant(given):
            raise ShapeError(
                declaration.span,
                f"the size `{name}` is given as {given}, but the program says {form}",
                fix=f"leave out the number {given} of the call, or write {declared(declaration.span, f'size {name}')} without one",
            )
        if form.is_constant and not 0 <= form.constant <= MOST:
            self._declared[name] = constant(min(max(0, form.constant), MOST))
            raise ShapeError(
                declaration.span,
                f"the size `{name}` is {form.constant}",
                fix="a size is at least 0" if form.constant < 0 else f"a size is at most {MOST}",
            )
        self._declared[name] = form

    def assume(self, name: str) -> None:
        """Take the name for a size whose declaration is wrong."""
        if name not in self._declared:
            self._declared[name] = symbol(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all declared sizes."""
        return tuple(self._declared)

    def lookup(self, name: str) -> Affine | None:
        """The size of that name, None if there is none."""
        return self._declared.get(name)

    def form(self, expression: ast.Expression) -> Affine:
        """A size expression: integers, sizes, `+ - *`, `//` and `%` by a number, `min`, `max`."""
        return descend(self._form(expression))

    def _form(self, e: ast.Expression):  # type: ignore[no-untyped-def]
        match e:
            case ast.Number(text, span):
                if not text.isdecimal():
                    raise SyntaxError(
                        span, f"the size `{text}` is not an integer", fix="write an integer"
                    )
                return constant(integer(text, span))
            case ast.Name(name, span):
                known = self.lookup(name)
                if known is None:
                    raise SyntaxError(
                        span,
                        f"`{name}` is not a size",
                        fix=f"declare it: {declared(span, f'size {name}')}",
                    )
                return known
            case ast.Unary(operand):
                return -(yield self._form(operand))
            case ast.Binary("+" | "-" | "*" | "//" | "%" as operator, left, right):
                a, b = (yield self._form(left)), (yield self._form(right))
                return bounded(self.combine(operator, a, b, e.span), e.span)
            case ast.Application(ast.Name("min" | "max" as op), args) if args:
                forms = []
                for arg in args:
                    assert not isinstance(
                        arg, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)
                    )
                    forms.append((yield self._form(arg)))
                return self.extreme("min" if op == "min" else "max", forms)
        raise SyntaxError(
            e.span,
            f"`{e.span.text}` is not a size expression",
            fix=spelled(
                e.span,
                "write integers and sizes, joined by `+ - * // %`, `min` and `max`",
                r"write integers and sizes, joined by `+ - \cdot`, `\lfloor \frac{N}{2} \rfloor`, `\bmod`, `\min(N, M)` and `\max(N, M)`",
            ),
        )

    def combine(self, operator: str, a: Affine, b: Affine, span: Span) -> Affine:
        """`a operator b` of size forms, for `+ - * // %`. Raises SyntaxError where it is not affine."""
        match operator:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*" if a.is_constant:
                return b * a.constant
            case "*" if b.is_constant:
                return a * b.constant
            case "*":
                raise self.without_numbers(
                    SyntaxError(
                        span,
                        f"`{span.text}` is a product of two sizes without numbers",
                        fix=f"give one of them a number: {with_number(b, span)}",
                    ),
                    b,
                )
        if not b.is_constant:
            raise self.without_numbers(
                SyntaxError(
                    span,
                    f"the divisor in `{span.text}` has no number",
                    fix=f"give it one: {with_number(b, span)}",
                ),
                b,
            )
        if b.constant <= 0:
            raise SyntaxError(
                span,
                f"the divisor in `{span.text}` is {b.constant}",
                fix="divide by a positive integer",
            )
        quotient = self.floor(a, b.constant)
        return quotient if operator == "//" else a - quotient * b.constant

    def without_numbers(self, error: AnyError, *forms: Affine) -> AnyError:
        """The error, which would not be one if the sizes in the forms, and undeclared extents, had numbers."""
        settled = self._shapes.settled
        needed = {s for form in forms for s in settled(form).symbols}
        for derived in reversed(self.derived):
            if derived.name in needed:
                mentioned = {s for form in derived.forms for s in settled(form).symbols}
                needed = needed - {derived.name} | mentioned
        opened = self._shapes.opened
        if needed <= {*self.symbols, *opened}:
            declared = [s for s in self.symbols if s in needed]
            error.sizes = (*declared, *(name for s, name in opened.items() if s in needed))
        return error

    def least(self, size: Symbol) -> int:
        """The least value of a size in a call that a kernel runs."""
        return 0 if size in self.offsets else 1

    def floor(self, form: Affine, modulus: int) -> Affine:
        """`form // modulus`."""
        if all(c % modulus == 0 for _, c in form.terms):
            return (form - form.constant) // modulus + form.constant // modulus
        return self._derive(DerivedSize("", "floor", (form,), modulus))

    def extreme(self, op: Literal["min", "max"], forms: list[Affine]) -> Affine:
        """The smallest or largest of `forms`; numbers are compared here, the rest when the program is called."""
        pick = min if op == "min" else max
        groups: dict[tuple[tuple[Symbol, int], ...], int] = {}
        for form in forms:
            groups[form.terms] = pick(groups.get(form.terms, form.constant), form.constant)
        distinct = tuple(Affine(terms, c) for terms, c in groups.items())
        return distinct[0] if len(distinct) == 1 else self._derive(DerivedSize("", op, distinct))

    def _derive(self, size: DerivedSize) -> Affine:
        for known in self.derived:
            if (known.op, known.forms, known.modulus) == (size.op, size.forms, size.modulus):
                return symbol(known.name)
        name = self._names.derivative("P")
        self.derived.append(DerivedSize(name, size.op, size.forms, size.modulus))
        return symbol(name)

    def _named(self, name: str, form: Affine) -> Affine:
        """`form` under the name the program gives it, where it is the newest derived size plus an integer."""
        newest = self.derived[-1] if self.derived else None
        if newest is None or (form - form.constant).as_symbol() != newest.name:
            return form
        shifted = tuple(f + form.constant * newest.modulus for f in newest.forms)
        self.derived[-1] = DerivedSize(name, newest.op, shifted, newest.modulus)
        return symbol(name)


def with_number(form: Affine, span: Span) -> str:
    """How to give a number to the size that is all of a form; `M` stands for one of several."""
    name = form.symbols[0] if len(form.symbols) == 1 else "M"
    return f"{declared(span, f'size {name} = 8')}, or `--size {name}=8`"


def bounded(form: Affine, span: Span) -> Affine:
    """The form. Raises ShapeError where one of its integers has too many digits."""
    if max(map(abs, (form.constant, *(c for _, c in form.terms)))) >= 10**MOST_DIGITS:
        raise ShapeError(
            span,
            f"`{span.text:.60}` has an integer of more than {MOST_DIGITS} digits",
            fix=f"indices and sizes have at most {MOST_DIGITS}",
        )
    return form


def integer(digits: str, span: Span) -> int:
    """The integer of so many digits. Raises SyntaxError for too many."""
    if len(digits) > MOST_DIGITS:
        raise SyntaxError(
            span,
            f"the integer has {len(digits)} digits",
            fix=f"indices and sizes have at most {MOST_DIGITS}",
        )
    return int(digits)
