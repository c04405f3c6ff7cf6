"""Exponents made of forms of indices times values that these do not change, and whether a running sum may gain its terms one by one.

A sum so far that is multiplied by a factor at each step is the sum itself only if no term is beyond the floats when it is new, and within them
later. So the exponents of all terms must be multiples, with the sign of the change, of what they change by:

    exp(-(t - s)*a), a**(t - s)        1 for the newest term, s = t: then all are smaller, or all are larger
    exp(2*a - (t - s)*a)               is infinite for a = 400 and s = t, and may be any number later
    a**(t - s - 2)                     is infinite for a = 0 and s = t, and 0 later

What a term has of its own is left out, as keys in `exp(k[s] - (t - s)*a)`: where `exp(k[s])` is infinite, so is the formula at s = t, and the sum
stays so; where it is 0, the term is left out, also if it would grow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Domain, at_least_zero
from tadc.ir.expr import Call, Const, Expr, IndexValue, Reduce

__all__ = ["Step", "forms_in", "stay_in_range"]

MOST = 8.0  # exp(8) is what is lost of the range of floats at most


@dataclass(frozen=True, slots=True)
class Step:
    """The sum `e` over `inner`, whose range grows with `index` (`sign` is 1) or as it falls (-1), by the condition `moving`.

    `known` holds of the index and those around it.
    """

    e: Reduce
    index: Symbol
    inner: Symbol
    moving: Condition
    known: Domain

    @property
    def sign(self) -> int:
        return 1 if self.moving.form.coefficient(self.index) > 0 else -1

    @property
    def newest(self) -> Affine:
        """The value of `inner` for the term that is new at the index."""
        return symbol(self.inner) + self.moving.form * self.sign

    @property
    def without_newest(self) -> Step:
        """The step of the sum without that term."""
        moving = self.moving.substitute(self.before)
        domain = Domain.of(moving if c == self.moving else c for c in self.e.domain)
        e = Reduce(self.e.op, self.e.indices, self.e.derived, domain, self.e.body)
        return replace(self, e=e, moving=moving)

    @property
    def before(self) -> Mapping[Symbol, Affine]:
        """The index at the value before."""
        return {self.index: symbol(self.index) - self.sign}

    @property
    def known_before(self) -> Domain:
        """The facts about the terms at the value before."""
        return self.known & self.e.domain.substitute(self.before)


def stay_in_range(factor: Expr, step: Step) -> bool:
    """Whether powers or exponentials, the factor of each term, only fall, or only grow, from 1 or about 1 on (false if in doubt)."""
    match factor:
        case Call("pow", (base, IndexValue(form))):
            forms: Mapping[Expr, Affine] | None = {base: form}
        case Call("exp", (exponent,)):
            forms = forms_in(exponent, step)
        case _:
            return False
    if forms is None:
        return False
    forms = {e: f for e, f in forms.items() if f != constant(0) and not _is_about_one(factor, e, f, step)}  # fmt: skip
    if len(forms) > 1:
        return _change_together(list(forms.values()), step)
    return all(_have_sign_of_change(f, step) for f in forms.values())


def _is_about_one(factor: Expr, value: Expr, form: Affine, step: Step) -> bool:
    """Whether a power of a number is one of at most MOST by e when it is new."""
    new = form.substitute({step.inner: step.newest})
    match factor, value:
        case _, Const(c) if not new.is_constant:
            return False
        case Call("exp"), Const(c):
            return abs(new.constant * c) <= MOST
        case _, Const(c) if c:
            return abs(new.constant * log(abs(c))) <= MOST
        case _:
            return False


def _have_sign_of_change(form: Affine, step: Step) -> bool:
    change = form.coefficient(step.index) * step.sign
    if not change:
        return True
    least = at_least_zero(form if change > 0 else -form)
    return implies(step.known & step.e.domain, least)


def _change_together(forms: list[Affine], step: Step) -> bool:
    """Whether the exponents of a new term are one multiple of what they change by."""
    news = [f.substitute({step.inner: step.newest}) for f in forms]
    changes = [f.coefficient(step.index) * step.sign for f in forms]
    return all(
        n.is_constant
        and n.constant * changes[0] == news[0].constant * d
        and n.constant * d >= 0
        and (d or not n.constant)
        for n, d in zip(news, changes, strict=True)
    )


def forms_in(e: Expr, step: Step) -> Mapping[Expr, Affine] | None:
    """The exponent as a sum of these values, which the indices do not change, each times its form, beside what each term has of its own;
    None if it is none.
    """
    indices = {step.index, step.inner}
    if indices.isdisjoint(e.symbols):
        return {e: constant(1)}
    match e:
        case IndexValue(form):
            return {Const(1): form}
        case Call("neg", (a,)):
            of = forms_in(a, step)
            return of and {v: -f for v, f in of.items()}
        case Call("add" | "sub" as function, (a, b)):
            left, right = forms_in(a, step), forms_in(b, step)
            if left is None or right is None:
                return None
            total: dict[Expr, Affine] = defaultdict(lambda: constant(0), left)
            for v, f in right.items():
                total[v] += f if function == "add" else -f
            return total
        case Call("mul" | "div" as function, (a, b)) if indices.isdisjoint(b.symbols):
            return _scaled(function, forms_in(a, step), b)
        case Call("mul", (a, b)) if indices.isdisjoint(a.symbols):
            return _scaled("mul", forms_in(b, step), a)
        case _:
            return {} if step.index not in e.symbols else None


def _scaled(
    function: str, of: Mapping[Expr, Affine] | None, factor: Expr
) -> Mapping[Expr, Affine] | None:
    match function, factor:
        case _ if of is None:
            return None
        case "mul", Const(int(c)):
            return {v: f * c for v, f in of.items()}
        case "mul", _ if of.keys() == {Const(1)}:
            (form,) = of.values()
            return {factor: form}
        case _:
            return {_folded(function, v, factor): f for v, f in of.items()}


def _folded(function: str, value: Expr, factor: Expr) -> Expr:
    match value, factor:
        case Const(a), Const(b) if function == "mul":
            return Const(a * b)
        case Const(a), Const(b) if b:
            return Const(a / b)
        case _:
            return Call(function, (value, factor))
