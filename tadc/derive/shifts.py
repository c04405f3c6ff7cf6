"""Values that what follows them does not depend on: the maximum that a softmax subtracts before it exponentiates.

    m[i] = max{j} x[i,j];  e[i,j] = exp(x[i,j] - m[i]);  y[i,j] = e[i,j]/sum{k} e[i,k]

Whatever `m` is, `y` is the same: every `e[i,j]` has the factor `exp(-m[i])`, and so has their sum. The derivative of `y` by `m` is 0, which a
sweep over the statements would find as a sum that cancels but for rounding, after it has counted the maximum's ties.

So it is proved once: a value is what it would be were `m` zero, plus a combination of elements of `m`, or times the exponential of one. Sums,
quotients and logarithms of such values are again of this kind, or are not looked at further.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Literal, TypeAlias

from tadc.ir.affine import Symbol, symbol
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, substitute

__all__ = ["is_only_a_shift"]


@dataclass(frozen=True, slots=True)
class _Shift:
    """`plus` the sum of the terms, each times a number, or `times` its exponential; without terms nothing at all."""

    kind: Literal["plus", "times"]
    terms: Mapping[Expr, Fraction]

    def __bool__(self) -> bool:
        return bool(self.terms)

    @classmethod
    def of(cls, kind: Literal["plus", "times"], terms: Iterable[tuple[Expr, Fraction]]) -> _Shift:
        """The shift by all of these terms, of which several may be equal."""
        total: dict[Expr, Fraction] = defaultdict(Fraction)
        for e, c in terms:
            total[e] += c
        left = {e: c for e, c in total.items() if c}
        return cls(kind, left) if left else _NONE

    def scaled(self, factor: Fraction) -> _Shift:
        return _Shift.of(self.kind, ((e, c * factor) for e, c in self.terms.items()))

    def with_(self, other: _Shift) -> _Shift:
        """The shift by both, of one kind."""
        kind = self.kind if self else other.kind
        return _Shift.of(kind, (*self.terms.items(), *other.terms.items()))

    def each(self, change: Callable[[Expr], Expr]) -> _Shift:
        """The shift with other terms."""
        return _Shift.of(self.kind, ((change(e), c) for e, c in self.terms.items()))

    def depends_on(self, symbols: Iterable[Symbol]) -> bool:
        return not {s for e in self.terms for s in e.symbols}.isdisjoint(symbols)


_NONE = _Shift("plus", {})
_Found: TypeAlias = _Shift | None  # None: in doubt
_Shifted: TypeAlias = tuple[tuple[Symbol, ...], _Found]  # a tensor's, with its indices


def is_only_a_shift(program: Program, statement: Statement) -> bool:
    """Whether no output of the program depends on the statement's target, were it any other value (false if in doubt).

    The target itself is none of the outputs then.
    """
    target = statement.target.name
    itself = Read(target, tuple(map(symbol, statement.indices)))
    shifts: dict[str, _Shifted] = {
        target: (statement.indices, _Shift("plus", {itself: Fraction(1)}))
    }
    for s in program.statements:
        if s.reads.isdisjoint(shifts):
            continue
        shift = _of(s.body, shifts)
        if shift and (s.target.name in s.reads or shift.depends_on(d.name for d in s.derived)):
            shift = None  # a recurrence would hand its own on
        if shift != _NONE:
            shifts[s.target.name] = (s.indices, shift)
    return shifts.keys().isdisjoint(program.outputs)


def _of(root: Expr, tensors: Mapping[str, _Shifted]) -> _Found:
    """How the value of an expression is shifted with the tensors that it reads."""
    found: dict[Expr, _Found] = {}
    for e in postorder(root):
        match e:
            case Read(tensor, subscripts) if tensor in tensors:
                indices, shift = tensors[tensor]
                at = dict(zip(indices, subscripts, strict=True))
                found[e] = shift and shift.each(partial(substitute, values=at))
            case Const() | IndexValue() | Read():
                found[e] = _NONE
            case Call(function, args):
                found[e] = _of_call(function, args, [found[a] for a in args])
            case Select(condition, then, otherwise):
                found[e] = _same((then, otherwise), (found[then], found[otherwise]))
                if isinstance(condition, Comparison):
                    compared = (condition.left, condition.right)
                    if _same(compared, [found[c] for c in compared]) is None:
                        found[e] = None
            case Reduce(op, indices, derived, _, body):
                found[e] = shift = found[body]
                if shift and (
                    not (op in ("max", "min") or (op == "sum" and shift.kind == "times"))
                    or shift.depends_on((*indices, *(d.name for d in derived)))
                ):
                    found[e] = None
    return found[root]


def _of_call(function: str, args: tuple[Expr, ...], found: list[_Found]) -> _Found:
    shifts = [s for s in found if s is not None]
    if len(shifts) < len(found):
        return None
    if not any(shifts):
        return _NONE
    kinds = {s.kind for s in shifts if s}
    if kinds == {"plus"}:
        return _of_sums(function, args, shifts)
    return _of_products(function, args, shifts) if kinds == {"times"} else None


def _of_sums(function: str, args: tuple[Expr, ...], shifts: list[_Shift]) -> _Found:
    match function, args:
        case "add", _:
            return shifts[0].with_(shifts[1])
        case "sub", _:
            return shifts[0].with_(shifts[1].scaled(Fraction(-1)))
        case "neg", _:
            return shifts[0].scaled(Fraction(-1))
        case (("mul" | "div"), (_, factor)) if not shifts[1]:
            return shifts[0].each(lambda e: Call(function, (e, factor)))
        case "mul", (factor, _) if not shifts[0]:
            return shifts[1].each(lambda e: Call(function, (e, factor)))
        case "exp", _:
            return replace(shifts[0], kind="times")
        case (("max" | "min"), _):
            return _same(args, shifts)
        case _:
            return None


def _of_products(function: str, args: tuple[Expr, ...], shifts: list[_Shift]) -> _Found:
    match function, args:
        case (("mul" | "gate"), _):
            return shifts[0].with_(shifts[1])
        case "div", _:
            return shifts[0].with_(shifts[1].scaled(Fraction(-1)))
        case (("neg" | "abs" | "relu"), _):
            return shifts[0]
        case "sqrt", _:
            return shifts[0].scaled(Fraction(1, 2))
        case "pow", (_, Const(int(c))):
            return shifts[0].scaled(Fraction(c))
        case "log", _:
            return replace(shifts[0], kind="plus")
        case (("add" | "sub" | "max" | "min" | "hypot"), _):
            return _same(args, shifts)
        case _:
            return None


def _same(values: Sequence[Expr], shifts: Sequence[_Found]) -> _Found:
    """The shift that all of the values have; 0 times a factor is 0."""
    pairs = list(zip(values, shifts, strict=True))
    first = next((s for e, s in pairs if s != _NONE or e != Const(0)), _NONE)
    is_factor = first is not None and first.kind == "times"
    return first if all(s == first or (is_factor and e == Const(0)) for e, s in pairs) else None
