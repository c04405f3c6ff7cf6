"""State shared by the lines of one numpy statement: names, scalars, and scopes of indices with their ranges.

Every array of a statement has one axis for each index of the target and each level of reductions, in this order; an
index that a value does not depend on has extent 1 there. So values of all scopes broadcast, and shared ones just work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tadc.emit.numpy.spelling import Text
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Derived, Determined
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder

__all__ = ["INDENT", "Axis", "Frame", "Quotient", "Scope", "factor", "folded"]

INDENT = "    "
_WIDTHS = (
    "float16",
    "float32",
    "float64",
    "complex128",
)  # complex numbers for the complex step of checks
_EXTREMES = {"max": max, "min": min}

Quotient: TypeAlias = tuple[Affine, int]  # `(e, c)` is `e / c`, rounded down


@dataclass(frozen=True, slots=True)
class Axis:
    """An index as an axis of arrays: from `low` to before `stop`, two forms of scalars, and never less than empty.

    `least` and `most` bound its values in the whole box of the statement. Where `first` is set, it is the name of an
    array, and the index runs from `first + low` to before `first + stop` at each point of the indices around it.
    """

    index: Symbol
    position: int
    low: Affine
    stop: Affine
    least: Affine
    most: Affine
    first: str | None = None

    @property
    def extent(self) -> Affine:
        return self.stop - self.low


@dataclass(slots=True, eq=False)
class Scope:
    """Indices with one place to compute values that depend on them; `lines` is the Python text of it.

    `known` are values that a name holds from here on, inner scopes included; `arrays` the names of index arrays;
    `empty` the axes that may have no values at all. One that `filters` has some of the rows of the scope around it
    (`points.py`).
    """

    outer: Scope | None
    axes: dict[Symbol, Axis] = field(default_factory=dict)
    derived: Mapping[Symbol, Determined] = field(default_factory=dict)
    empty: set[Symbol] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    known: dict[Expr, Text] = field(default_factory=dict)
    arrays: dict[Symbol, str] = field(default_factory=dict)
    filters: bool = False

    @property
    def chain(self) -> tuple[Scope, ...]:
        """This scope and those around it, outermost first."""
        return (*(self.outer.chain if self.outer else ()), self)

    @property
    def depth(self) -> int:
        """The number of axes of this scope and those around it."""
        return sum(len(s.axes) for s in self.chain)

    @property
    def may_be_empty(self) -> set[Symbol]:
        return {i for s in self.chain for i in s.empty}

    def home(self, symbols: frozenset[Symbol]) -> Scope:
        """The innermost scope that binds one of the symbols."""
        scope = self
        while scope.outer is not None:
            if any(
                not symbols.isdisjoint(own) for own in (scope.axes, scope.derived, scope.arrays)
            ):
                return scope
            scope = scope.outer
        return scope

    def place(self, symbols: frozenset[Symbol]) -> Scope:
        """The scope in which values that depend on the symbols are computed: where they are bound, of fewer rows if it has some."""
        home = self.home(symbols)
        filters = [s for s in self.chain if s.filters and s.outer is not None]
        for inner in filters:
            home = inner if inner.outer is home else home
        return home

    def axis(self, s: Symbol) -> Axis | None:
        return self.home(frozenset((s,))).axes.get(s)

    def division(self, s: Symbol) -> Derived | None:
        made = self.determined(s)
        return made if isinstance(made, Derived) else None

    def determined(self, s: Symbol) -> Determined | None:
        return self.home(frozenset((s,))).derived.get(s)

    def indices(self, symbols: frozenset[Symbol]) -> set[Symbol]:
        """The axes that the symbols depend on, through derived indices too."""
        result: set[Symbol] = set()
        stack = list(symbols)
        while stack:
            s = stack.pop()
            made = self.determined(s)
            if made is not None:
                stack += made.symbols
            elif self.axis(s) is not None:
                result.add(s)
        return result


@dataclass(slots=True)
class Frame:
    """One statement's surroundings: its program's tensors and sizes, their names and types, and its own scalars.

    A scalar is a Python number with a name: a size, a bound, a loop variable. `sizes` are their least values.
    `outside` is the scope without indices.
    `guesses` are plausible values of the scalars: choices between right methods go by them. `pending` are scalars whose
    definition is written when they are first used.
    """

    tensors: dict[str, Tensor]
    names: dict[str, str]
    dtypes: dict[str, str]
    sizes: Mapping[Symbol, int]
    scalars: dict[Symbol, str]
    taken: Names
    dtype: str
    symbols: frozenset[Symbol]
    outside: Scope
    guesses: dict[Symbol, int]
    pending: dict[Symbol, Callable[[], str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        statement: Statement,
        program: Program,
        names: Mapping[str, str],
        dtypes: Mapping[str, str],
        taken: Names,
    ) -> Frame:
        sizes = program.parameters
        return cls(
            dict(program.tensors),
            dict(names),
            dict(dtypes),
            {s: program.least(s) for s in sizes},
            {s: names[s] for s in sizes},
            taken,
            max(
                (
                    t
                    for n in (statement.target.name, *statement.reads)
                    if (t := dtypes[n]) in _WIDTHS
                ),
                key=_WIDTHS.index,
            ),
            _indices(statement),
            Scope(None),
            _guesses(program),
        )

    @property
    def real(self) -> str:
        """The element type of the statement's arithmetic, as text."""
        return f"np.{self.dtype}"

    def text(self, form: Affine) -> str:
        """A form of scalars as text."""
        for s in form.symbols:
            if s in self.pending:
                value = self.pending.pop(s)()
                self.outside.lines.append(f"{self.scalars[s]} = {value}")
        return form.text(self.scalars)

    def is_scalar(self, form: Affine) -> bool:
        return all(s in self.scalars for s in form.symbols)

    def is_known(self, quotient: Quotient) -> bool:
        """Whether a quotient depends on sizes only."""
        return all(s in self.sizes for s in quotient[0].symbols)

    def new_scalar(self, hint: str, guess: int) -> Affine:
        """A new scalar, as a form. It is a symbol distinct from the statement's indices."""
        name = self.taken.fresh(hint)
        while name in self.symbols:
            name = self.taken.fresh(hint)
        self.scalars[name] = name
        self.guesses[name] = guess
        return symbol(name)

    def define(self, hint: str, text: Callable[[], str], guess: int) -> Affine:
        """A new scalar with a value that follows from the sizes."""
        form = self.new_scalar(hint, guess)
        self.pending[form.symbols[0]] = text
        return form

    def guess(self, form: Affine) -> int:
        """A plausible value of a form of scalars."""
        return form.at(self.guesses)

    def surely(self, form: Affine) -> bool:
        """Whether `form >= 0` follows from the least values of sizes. False may mean unknown."""
        return all(c > 0 and s in self.sizes for s, c in form.terms) and form.at(self.sizes) >= 0

    def is_extent(self, form: Affine) -> bool:
        """Whether the form is an extent of a tensor, so that it is not negative."""
        return any(form in t.shape for t in self.tensors.values())

    def extreme(self, form: Affine, scope: Scope, *, highest: bool) -> Affine:
        """The least or greatest value that a form of axes can have, from those of each axis alone."""
        result = constant(form.constant)
        for s, c in form.terms:
            axis, division = scope.axis(s), scope.division(s)
            top = highest == (c > 0)
            if axis is not None:
                result += (axis.most if top else axis.least) * c
            elif division is not None:
                inner = self.extreme(division.form, scope, highest=top)
                if self.is_scalar(inner):
                    result += self.quotient(inner, division.modulus, s) * c
                else:  # of data, of which nothing is known
                    result += symbol(s) * c
            else:
                result += symbol(s) * c
        return result

    def quotient(self, form: Affine, divisor: int, hint: str) -> Affine:
        """`form // divisor`, a new scalar where it is not a form itself."""
        if divisor == 1:
            return form
        if form.is_constant:
            return constant(form.constant // divisor)
        guess = self.guess(form) // divisor
        return self.define(f"{hint}_quotient", lambda: self._divided(form, divisor), guess)

    def bound(self, op: str, quotients: Sequence[Quotient], hint: str) -> Affine:
        """The `max` or `min` of quotients: a new scalar where it is not a form itself."""
        forms = folded(op, quotients)
        if len(forms) == 1:
            return self.quotient(*forms[0], hint)
        guess = _EXTREMES[op](self.guess(e) // c for e, c in forms)
        return self.define(hint, lambda: self.extreme_text(op, forms), guess)

    def extreme_text(self, op: str, quotients: Sequence[Quotient]) -> str:
        """The `max` or `min` of quotients of scalars as text."""
        texts = dict.fromkeys(self._divided(e, c) for e, c in quotients)
        return next(iter(texts)) if len(texts) == 1 else f"{op}({', '.join(texts)})"

    def _divided(self, form: Affine, divisor: int) -> str:
        text = self.text(form)
        return text if divisor == 1 else f"{factor(form, text)} // {divisor}"

    def is_in_bounds(self, e: Read, scope: Scope, dimension: int) -> bool:
        """Whether a subscript is inside its tensor in the whole hull of the indices, for any sizes of at least 1."""
        form, extent = e.subscripts[dimension], self.tensors[e.tensor].shape[dimension]
        return self.surely(self.extreme(form, scope, highest=False)) and self.surely(
            extent - 1 - self.extreme(form, scope, highest=True)
        )

    def add_local(self, hint: str, tensor: Tensor) -> str:
        """Registers an array that only this statement uses; its name in the text, which is a tensor from now on."""
        local = self.taken.fresh(hint)
        while local in self.tensors:
            local = self.taken.fresh(hint)
        self.tensors[local] = replace(tensor, name=local)
        self.names[local] = local
        self.dtypes[local] = self.dtype
        return local


def folded(op: str, quotients: Sequence[Quotient]) -> list[Quotient]:
    """The quotients of a `max` or `min` without repetition, with only that of the numbers which counts, first."""
    numbers = [e.constant // c for e, c in quotients if e.is_constant]
    forms = dict.fromkeys(q for q in quotients if not q[0].is_constant)
    return [*((constant(n), 1) for n in numbers and [_EXTREMES[op](numbers)]), *forms]


def factor(form: Affine, text: str) -> str:
    """The text of a form as a factor of a product: in parentheses unless it is a name or a number."""
    return text if form.is_atom else f"({text})"


def _guesses(program: Program) -> dict[Symbol, int]:
    """Sizes that others are shortened by (`N - K + 1`) are kernels and windows, and small."""
    extents = [n for t in program.tensors.values() for n in t.shape]
    extents += [form for d in program.derived_sizes for form in d.forms]
    small = {s for n in extents for s, c in n.terms if c < 0}
    return program.size_values({s: 8 if s in small else 4096 for s in program.sizes})


def _indices(statement: Statement) -> frozenset[Symbol]:
    """Every index of the statement, bound and derived ones included."""
    names = {*statement.indices, *(d.name for d in statement.derived)}
    for e in postorder(statement.body):
        if isinstance(e, Reduce):
            names |= {*e.indices, *(d.name for d in e.derived)}
    return frozenset(names)
