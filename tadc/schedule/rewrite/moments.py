"""Sums of powers of a distance times the distance, which derivatives by the base of the powers have, as running sums of running sums.

    s[i] = sum{j=0..i} (i - j)*a**(i - j - 1)*x[j]      is      q[k] = sum{j=0..k-1} a**(k - j - 1)*x[j];  s[i] = sum{k=0..i} a**(i - k)*q[k]

A pass takes each of the two (`telescoping.py`), while the weights in the first form change by more than a factor from one `i` to the next. Nothing is
subtracted: `i*sum{j} a**(i - j - 1)*x[j] - sum{j} a**(i - j - 1)*j*x[j]` would lose the digits that `i` has more than the distances that count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from tadc.integer import implies, is_empty
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import EVERYWHERE, Domain, at_least_zero
from tadc.ir.expr import Call, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.walk import rewrite, substitute
from tadc.normalize.masks import where_not_empty
from tadc.normalize.reductions import extents_around_body
from tadc.normalize.simplify import simplified
from tadc.normalize.solved import without_implied
from tadc.schedule.rewrite.exponents import Step
from tadc.schedule.rewrite.factor import Factor, factors_of, product_of
from tadc.schedule.rewrite.joined import added, signed_terms
from tadc.schedule.rewrite.running import moving_bound
from tadc.schedule.rewrite.separate import Around, Extents, Separation, separated
from tadc.schedule.rewrite.telescoping import change_of, constant_factor

__all__ = ["moments"]


def moments(program: Program, names: Names) -> Program:
    """The program with such sums as statements."""
    return separated(program, names, _rule)


def _rule(separation: Separation, e: Expr, around: Around) -> Expr:
    """The sum with those of its summands that are such sums as reads, and one sum of the others."""
    if not isinstance(e, Reduce) or e.op != "sum" or e.derived:
        return e
    done: list[tuple[bool, Expr]] = []
    left: list[tuple[bool, Expr]] = []
    for positive, term in signed_terms(e.body):
        alone = Reduce("sum", e.indices, (), e.domain, term)
        new = _as_running_sums(separation, alone, around)
        if new is None:
            left.append((positive, term))
        else:
            done.append((positive, new))
    if not done:
        return e
    if left:
        done.append((True, Reduce("sum", e.indices, (), e.domain, added(left))))
    return added(done)


def _as_running_sums(separation: Separation, e: Reduce, around: Around) -> Expr | None:
    factors = list(_flat(e.body))
    distances = [f for f in factors if f.function != "div" and isinstance(f.value, IndexValue)]
    if len(distances) > 1:
        return None
    distance: Affine | None = None
    indices = e.indices  # a sum over one index alone runs as it is
    match distances:
        case [Factor(_, IndexValue(form))]:
            distance, indices = form, form.symbols
    weights = [
        f for f in factors if isinstance(f.value, Call) and f.value.function in ("pow", "exp")
    ]
    for weight, inner, index in product(weights, e.indices, indices):
        if index != inner and index in weight.value.symbols - separation.sizes:
            rest = [f for f in factors if f is not weight and f not in distances]
            moment = _Moment(e, index, inner, distance, weight, rest)
            new = moment.as_running_sums(separation, around)
            if new is not None:
                return new
    return None


def _flat(e: Expr) -> Iterator[Factor]:
    """The factors of a product, and those of what it is gated by, as gates."""
    for f in factors_of(e):
        if f.function != "gate":
            yield f
            continue
        for part in _flat(f.value):
            yield replace(part, function="gate") if part.function == "mul" else part


@dataclass(frozen=True, slots=True)
class _Moment:
    """The sum `e` over `inner`, whose range ends with `index`, and others, of a `distance` between the two, if there is one, a `weight`, and
    the `rest`.
    """

    e: Reduce
    index: Symbol
    inner: Symbol
    distance: Affine | None
    weight: Factor
    rest: Sequence[Factor]

    def as_running_sums(self, separation: Separation, around: Around) -> Expr | None:
        """The sum with reads of stored ones; None if it is of another kind."""
        e, index, inner = self.e, self.index, self.inner
        terms = [f for f in self.rest if inner in f.value.symbols]
        outside = [f for f in self.rest if inner not in f.value.symbols]
        own = Domain.of(c for c in e.domain if inner in c.form.symbols)
        others = Domain.of(c for c in e.domain if inner not in c.form.symbols)
        further = {*e.indices} - {index, inner}
        extents = extents_around_body(e, around.extents, separation.sizes)
        if (
            index not in extents
            or any(index in f.value.symbols for f in terms)
            or not further.isdisjoint(own.symbols)
        ):
            return None
        sum_of_terms = Reduce("sum", (inner,), (), own, product_of(terms, self.weight.value))
        rest = tuple(i for i in e.indices if i != inner)
        if index in rest:  # that it is inside may follow from the other index alone
            others = others & Domain.box({index: extents[index]})
        if outside:  # what stands outside may be infinite where no term is multiplied by it
            known = separation.program.known & Domain.box(extents) & others
            some = where_not_empty(sum_of_terms, known)
            if some is None:
                return None
            others = others & some
        running = self._running(sum_of_terms, extents, separation)
        if running is None:
            return None
        body = product_of(outside, running)
        if rest:
            return Reduce("sum", rest, (), others, body)
        return body if others == EVERYWHERE else Select(others, body, Const(0))

    def _running(self, e: Reduce, extents: Extents, separation: Separation) -> Read | None:
        """The sum over `inner` alone, which has the terms of `e` times the distance, as one over all values of `index` up to it."""
        index, inner, extent = self.index, self.inner, extents[self.index]
        moving = moving_bound(e, index)
        if moving is None:
            return None
        known = separation.program.known
        step = Step(e, index, inner, moving[1], known & Domain.box(extents))
        weight, sign, end = self.weight.value, step.sign, moving[1]
        at_newest = (
            None if self.distance is None else self.distance.substitute({inner: step.newest})
        )
        used = step.without_newest if at_newest == constant(0) else step
        if constant_factor(weight, used) is None:
            return None
        if self.distance is None or at_newest is None:
            return separation.stored(without_implied(e, step.known)[0], extents, "powers")
        fixed = Domain.of(c for c in e.domain if c != end)
        before = end.substitute({index: extent if sign < 0 else constant(-1)})
        apart = Domain.box({i: n for i, n in extents.items() if i not in (index, inner)})
        if index in at_newest.symbols or not is_empty(known & apart & fixed & Domain.of((before,))):
            return None
        k, term = separation.names.fresh(index), separation.names.fresh(inner)
        domain = step.without_newest.e.domain.substitute({index: symbol(k), inner: symbol(term)})
        body = substitute(e.body, {index: symbol(k), inner: symbol(term)})
        around = {**extents, k: extent}
        powers = Reduce("sum", (term,), (), domain, body)
        known &= Domain.box(around)
        so_far = separation.stored(without_implied(powers, known)[0], around, "powers")
        if so_far is None:
            return None
        value: Expr = so_far
        if (change := self.distance.coefficient(index) * sign) != 1:
            value = Call("mul", (so_far, Const(change)))
        if at_newest != constant(0):
            new: Expr = Call(
                "mul", (substitute(e.body, {inner: step.newest}), IndexValue(at_newest))
            )
            tests = fixed.substitute({inner: step.newest})
            inside = Domain.of(c for c in tests if not implies(known, c))
            new = new if inside == EVERYWHERE else Select(inside, new, Const(0))
            value = Call("add", (value, substitute(new, {index: symbol(k)})))
        passed = symbol(index) - symbol(k)
        first = symbol(k) if sign > 0 else extent - 1 - symbol(k)
        total = Reduce(
            "sum",
            (k,),
            (),
            Domain.of((at_least_zero(first), at_least_zero(passed * sign))),
            replace(self.weight, value=_since(weight, index, passed)).applied(value),
        )
        return separation.stored(total, extents, "moment")


def _since(weight: Expr, index: Symbol, passed: Affine) -> Expr:
    """What the weight is multiplied with while the index becomes so much more."""
    match weight:
        case Call("pow", (base, IndexValue(form))):
            return Call("pow", (base, IndexValue(passed * form.coefficient(index))))
        case Call("exp", (exponent,)) if (change := change_of(exponent, index)) is not None:
            return Call("exp", (rewrite(Call("mul", (IndexValue(passed), change)), simplified),))
        case _:
            raise AssertionError(f"{weight!r} does not change by a factor")
