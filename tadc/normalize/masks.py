"""Analysis of values that may be zeros put there by a mask, or not finite although all inputs are.

A branch that is not taken is a zero in a derivative, and what was computed for it may be infinite or NaN: a statement
does not know who reads it. So where the two can meet in a product it is a `gate`, and otherwise plain.
Both properties are judged from the text of a program alone, for it may be a derivative that was printed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import TypeVar

from tadc.integer import implies
from tadc.ir.bounds import bounded
from tadc.ir.domain import EVERYWHERE, Condition, Domain, at_least_zero
from tadc.ir.expr import Call, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.functions import FUNCTIONS
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder

__all__ = ["Judge", "Marks", "is_never_empty", "may_be_infinite", "where_not_empty"]

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Marks:
    """Properties of tensors, as sets of names: `masked` may contain zeros of masks, `infinite` elements that are
    infinite or NaN; `nonnegative` contain no negative number.

    `known` are conditions on the sizes. Inputs are taken to be finite.
    """

    known: Domain
    masked: set[str] = field(default_factory=set)
    infinite: set[str] = field(default_factory=set)
    nonnegative: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, program: Program) -> Marks:
        marks = cls(program.known)
        for statement in program.statements:
            marks.note(statement)
        return marks

    def note(self, statement: Statement, masked: bool | None = None) -> None:
        """Judge the target of a statement, from the marks of the tensors that it reads."""
        judge = self.judge(statement)
        name = statement.target.name
        if judge.may_be_masked(statement.body) if masked is None else masked:
            self.masked.add(name)
        if judge.may_be_infinite(statement.body):
            self.infinite.add(name)
        if judge.is_nonnegative(statement.body):
            self.nonnegative.add(name)

    def judge(self, statement: Statement) -> Judge:
        return Judge(self, self.known & statement.box)


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges expressions of one statement; `known` holds of its indices and the sizes. Each node is judged once."""

    marks: Marks
    known: Domain
    _masked: dict[Expr, bool] = field(default_factory=dict)
    _infinite: dict[Expr, bool] = field(default_factory=dict)
    _becomes_infinite: dict[Expr, bool] = field(default_factory=dict)
    _signs: dict[Expr, int] = field(default_factory=dict)

    def may_be_masked(self, e: Expr) -> bool:
        """Whether it may be a zero that stands for a value not taken, or not read."""
        return _judged(e, self._is_masked, self._masked)

    def may_be_infinite(self, e: Expr) -> bool:
        """Whether it may be infinite or NaN where it stands."""
        return _judged(e, self._is_infinite, self._infinite)

    def may_become_infinite(self, e: Expr) -> bool:
        """Whether it may be infinite or NaN although all tensors that it reads are finite."""
        return _judged(e, self._turns_infinite, self._becomes_infinite)

    def is_nonnegative(self, e: Expr) -> bool:
        """Whether it is never a negative number (it may be NaN)."""
        return _judged(e, self._sign, self._signs) > 0

    def is_number(self, e: Expr) -> bool:
        """Whether it is a number other than 0, whatever the inputs are."""
        if isinstance(e, Const):
            return isfinite(e.value) and e.value != 0
        return self._is_positive(e)

    def _sign(self, e: Expr, done: dict[Expr, int]) -> int:
        """1 if `e` is never negative, -1 if never positive, 0 if nothing is known."""
        match e:
            case Const(value):
                return (value >= 0) - (value < 0)
            case Read(tensor):
                return int(tensor in self.marks.nonnegative)
            case Call(function) if FUNCTIONS[function].nonnegative:
                return 1
            case Call("mul", (a, b)) if a is b:
                return 1
            case Call("pow", (a, n)):
                return int(done[a] > 0 or (isinstance(n, Const) and n.value % 2 == 0))
            case Call("mul" | "div" | "gate", (a, b)):
                return done[a] * done[b]
            case Call("neg", (a,)):
                return -done[a]
            case Call("add", (a, b)) | Select(_, a, b):
                return done[a] if done[a] == done[b] else 0
            case Reduce("sum", _, _, _, a):
                return done[a]
            case Reduce("prod" | "min", _, _, _, a):
                return int(done[a] > 0)
            case _:
                return 0

    def _is_masked(self, e: Expr, done: dict[Expr, bool]) -> bool:
        match e:
            case Read(tensor):
                return tensor in self.marks.masked
            case Select(_, then, otherwise):
                return any(_is_zero(e) or done[e] for e in (then, otherwise))
            case Reduce("sum", _, _, _, body):
                return done[body] or not is_never_empty(e, self.known)
            case Call("add" | "sub", (a, b)):
                return done[a] and done[b]
            case Call("mul" | "gate", (a, b)):
                return done[a] or done[b]
            case Call("neg", (a,)) | Call("div", (a, _)) | Reduce("prod", _, _, _, a):
                return done[a]
            case _:
                return False

    def _is_infinite(self, e: Expr, done: dict[Expr, bool]) -> bool:
        if isinstance(e, Read):
            return e.tensor in self.marks.infinite
        return self._turns_infinite(e, done)

    def _turns_infinite(self, e: Expr, done: dict[Expr, bool]) -> bool:
        match e:
            case Call("div", (a, divisor)) if self._is_positive(divisor):
                return done[a]
            case Call("exp", (a,)) if _judged(a, self._sign, self._signs) < 0:
                return done[a]  # at most 1, as the Gaussian is
            case Reduce("max" | "min", _, _, _, body):
                return done[body] or not is_never_empty(e, self.known)
            case _:
                return may_be_infinite(e) or any(done[o] for o in _values(e))

    def _is_positive(self, e: Expr) -> bool:
        """Whether it is a product of numbers of elements, as in a mean."""
        match e:
            case IndexValue(form):
                return implies(self.known, at_least_zero(form - 1))
            case Call("mul", operands):
                return all(map(self._is_positive, operands))
            case _:
                return False


def may_be_infinite(e: Expr) -> bool:
    """Whether the node may be infinite or NaN although its operands, and the tensors that are read, are finite."""
    match e:
        case Const(value):
            return not isfinite(value)
        case Call("pow", (_, Const(n))):
            return n < 0 or n != int(n)
        case Call("div", (_, Const(divisor))) if divisor:
            return False
        case Call(function):
            return not FUNCTIONS[function].finite
        case Reduce(op):
            return op not in ("sum", "prod")
        case Read() | IndexValue() | Select():
            return False


def is_never_empty(e: Reduce, known: Domain) -> bool:
    """Whether the reduction has a term wherever `known` holds (false if in doubt)."""
    return where_not_empty(e, known) == EVERYWHERE


def where_not_empty(e: Reduce, known: Domain) -> Domain | None:
    """What holds, of what `known` does not say, where the reduction has a term, and nowhere else; None if in doubt."""
    bounds = bounded(e)
    if bounds.tests:
        return None
    where: list[Condition] = []
    for b in bounds.each:
        pairs = [(low, high) for low in b.range.lows for high in b.range.highs]
        if b.tests or any(low.divisor != 1 != high.divisor for low, high in pairs):
            return None
        for low, high in pairs:  # low/m <= high/n, one of these divisors is 1
            has_some = at_least_zero(low.divisor * high.form - high.divisor * low.form)
            if implies(known, has_some):
                continue
            if not set(e.indices).isdisjoint(has_some.form.symbols):
                return None
            where.append(has_some)
        known &= Domain.of(c for c in e.domain if b.range.index in c.form.symbols)
    return Domain.of(where)


def _values(e: Expr) -> tuple[Expr, ...]:
    """The operands that the value of `e` is made of: those of a comparison only decide."""
    return (e.then, e.otherwise) if isinstance(e, Select) else e.operands


def _is_zero(e: Expr) -> bool:
    return isinstance(e, Const) and e.value == 0


def _judged(
    root: Expr, rule: Callable[[Expr, dict[Expr, Result]], Result], done: dict[Expr, Result]
) -> Result:
    """The result of the rule for the root, from its results for the operands; `done` holds those known already."""
    for node in postorder(root, lambda e: () if e in done else _values(e)):
        if node not in done:
            done[node] = rule(node, done)
    return done[root]
