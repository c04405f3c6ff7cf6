"""Factors of running sums that change with the index: what they make of the sum so far, step by step.

    s[j] = sum{k=0..j} t(k)*exp(a(k) - m[j])     is    s[j] = s[j-1]*exp(m[j-1] - m[j]) + t(j)*exp(a(j) - m[j])
    c[j] = sum{k=0..j} (if a(k) = m[j] then t(k) else 0)
                                                 is    c[j] = (c[j-1] where m[j-1] = m[j], else 0) + ..
    r[k] = sum{j=k..N-1} g(j)*prod{l=k+1..j} a(l)    is    r[k] = r[k+1]*a(k+1) + g(k)
    y[j] = sum{k=0..j} t(k)*a**(j - k)     is    y[j] = y[j-1]*a + t(j),    and so with exp((j - k)*a)

Each is a function `f(p, q)` with `f(p, r) = f(p, q)*f(q, r)`. The first two need an `m` that is a running maximum or
minimum: then nothing overflows, for `exp` has arguments of at most 0, and what is equal to a maximum is equal to all
between. A sum in which the other side runs, as in gradients, is split at the index itself:

    sum{j=k..N-1} g(j)*exp(a(k) - m[j])    is    exp(a(k) - m[k]) * sum{j=k..N-1} g(j)*exp(m[k] - m[j])

Infinities stay what they are. A NaN further on does not reach a term that has the weight 0 before it, and a weight that is
the product of two may be 0 where their exponents together are not small enough for that.
"""

from __future__ import annotations

from dataclasses import dataclass

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, Domain, at_least_zero
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select, call
from tadc.ir.program import Program
from tadc.ir.walk import postorder, rewrite, substitute
from tadc.normalize.in_bounds import reads_are_in_bounds
from tadc.normalize.simplify import simplified
from tadc.schedule.rewrite.exponents import Step, stay_in_range

__all__ = [
    "SO_FAR",
    "Telescoped",
    "carried",
    "change_of",
    "constant_factor",
    "is_weight",
    "plain_powers",
    "telescoped",
]

SO_FAR = Read("'so far", ())  # the sum up to the value before
_K = "'k"
_POWERS = ("difference", "sub")


@dataclass(frozen=True, slots=True)
class Telescoped:
    """A sum as one that runs along the places of the values between, and what is applied to it where it has one.

    `total` is over such places, `extent` of them; they have the name of the index. `here` is that of the index itself,
    `factor` is in terms of SO_FAR.
    """

    total: Reduce
    extent: Affine
    here: Affine
    factor: Expr


def carried(step: Step, program: Program) -> Expr | None:
    """What the sum up to the value before is at `index`, in terms of SO_FAR; None if the terms change in another way."""
    factor = _factor(step.e.body, step.index)
    if factor is not None and (further := constant_factor(factor, step)) is not None:
        return Call("gate" if is_weight(factor, step.e.body) else "mul", (SO_FAR, further))
    match factor:
        case Call("exp", (Call(_, (a, b)),)):
            for q, p, sign in ((_plain(b), a, 1), (_plain(a), b, -1)):
                if not isinstance(q, Read) or step.index in p.symbols:
                    continue
                if _growth(q, step, program) * sign > 0:
                    before = substitute(q, step.before)
                    powers = (before, q) if sign > 0 else (q, before)
                    return Select(Comparison("==", before, q), SO_FAR, _scaled(*powers))
        case Select(Comparison("==", a, b), then) if step.index not in then.symbols:
            for q, p in ((_plain(b), _plain(a)), (_plain(a), _plain(b))):
                if not isinstance(q, Read) or step.index in p.symbols:
                    continue
                if _growth(q, step, program) and _is_between(q, p, step, program):
                    return Select(Comparison("==", substitute(q, step.before), q), SO_FAR, Const(0))
        case Reduce() as product:
            further = _further(product, step)
            return None if further is None else Call("mul", (SO_FAR, further))
        case _:
            pass
    return None


def constant_factor(factor: Expr, step: Step) -> Expr | None:
    """What the factor is multiplied with from one value of the index to the next, if that is the same for all of them and all terms, and none
    leaves the range of floats and comes back.
    """
    further: Expr
    match factor:
        case Call("pow", (base, IndexValue(form))) if step.index not in base.symbols:
            exponent = form.coefficient(step.index) * step.sign
            further = rewrite(Call("pow", (base, Const(exponent))), simplified)
        case Call("exp", (exponent,)) if (change := change_of(exponent, step.index)) is not None:
            change = Call("mul", (Const(step.sign), change))
            further = Call("exp", (rewrite(change, simplified),))
        case _:
            return None
    return further if step.inner not in further.symbols and stay_in_range(factor, step) else None


def is_weight(factor: Expr, term: Expr) -> bool:
    """Whether the term is 0 where the factor is, whatever the rest is."""
    gates = (e for e in postorder(term) if isinstance(e, Call) and e.function == "gate")
    return any(e is factor for gate in gates for e in postorder(gate.args[1]))


def change_of(e: Expr, index: Symbol) -> Expr | None:
    """By how much a value is more where the index is one more, if that is the same for all values of the index."""
    if index not in e.symbols:
        return Const(0)
    match e:
        case IndexValue(form):
            return Const(form.coefficient(index))
        case Call("mul", (a, b)) if index not in a.symbols:
            change = change_of(b, index)
            return None if change is None else Call("mul", (change, a))
        case Call("mul" | "div" as function, (a, b)) if index not in b.symbols:
            change = change_of(a, index)
            return None if change is None else Call(function, (change, b))
        case Call("add" | "sub", (a, b)) if index not in b.symbols:
            return change_of(a, index)
        case Call("add", (b, a)) if index not in b.symbols:
            return change_of(a, index)
        case Call("add" | "sub" | "neg" as function, args):
            changes = [change_of(a, index) for a in args]
            return Call(function, tuple(c for c in changes if c)) if None not in changes else None
        case _:
            return None


def telescoped(step: Step, program: Program) -> Telescoped | None:
    """The sum with what depends on the index itself outside, if a running maximum or minimum stands between.

    That is the one of the term that is new at the index.
    """
    newest = step.newest
    shift = newest - symbol(step.index)
    factor = _factor(step.e.body, step.index)
    term: Expr = SO_FAR
    result: Expr = SO_FAR
    match factor:
        case Call("exp", (Call(function, (a, b)),)):
            sides = ((_plain(a), _plain(b), 1), (_plain(b), _plain(a), -1))
        case Select(Comparison("==", a, b), then):
            separated = _separated(then, step)
            if separated is None:
                return None
            term, result = separated
            function, sides = "", ((_plain(a), _plain(b), 0), (_plain(b), _plain(a), 0))
        case _:
            return None
    if not shift.is_constant:
        return None
    for p, q, sign in sides:
        if not isinstance(q, Read) or step.index in q.symbols or step.inner in p.symbols:
            continue
        between = substitute(q, {step.inner: symbol(step.index)})
        here = substitute(q, {step.inner: newest})
        extent = _extent(q, step.inner, program)
        if here is p or extent is None or not isinstance(between, Read):
            continue
        if not _is_among(between, p, newest, step, program, sign):
            continue
        if sign:
            powers, rest = ((p, here), (between, q)) if sign > 0 else ((here, p), (q, between))
            new: Expr = call("exp", call(function, *rest))
            outside = _scaled(*powers)
        else:
            new = Select(Comparison("==", between, q), term, Const(0))
            outside = Select(Comparison("==", p, here), result, Const(0))
        place = {step.index: symbol(step.index) - shift}
        body = rewrite(step.e.body, lambda e, new=new: new if e is factor else e)  # type: ignore[misc]
        total = Reduce("sum", step.e.indices, (), step.e.domain.substitute(place), body)
        own = Domain.of(c for c in step.known if step.index not in c.form.symbols)
        known = own & Domain.box({step.index: extent})
        moved = Step(total, step.index, step.inner, step.moving.substitute(place), known)
        if carried(moved, program) is not None:
            return Telescoped(total, extent, newest, outside)
    return None


def _separated(term: Expr, step: Step) -> tuple[Expr, Expr] | None:
    """The term without the factors that depend on the index, and these applied to SO_FAR; None if they depend on more."""
    applied: list[tuple[str, Expr]] = []
    while step.index in term.symbols:
        match term:
            case Call("mul" | "gate" | "div" as function, (a, b)) if step.index in b.symbols:
                term, value = a, b
            case Call("mul" | "gate" as function, (b, a)):
                term, value = a, b
            case _:
                return None
        if step.inner in value.symbols:
            return None
        applied.append((function, value))
    result: Expr = SO_FAR
    for name, value in reversed(applied):
        result = Call(name, (result, value))
    return term, result


def _extent(q: Read, index: Symbol, program: Program) -> Affine | None:
    """The extent of the dimension that the index alone reads."""
    places = [d for d, form in enumerate(q.subscripts) if index in form.symbols]
    if len(places) != 1 or q.subscripts[places[0]].as_symbol() != index:
        return None
    return program.tensors[q.tensor].shape[places[0]]


def _scaled(a: Expr, b: Expr) -> Expr:
    """`SO_FAR*exp(a - b)`. A weight of 0 removes a NaN, also one that came of infinities that were subtracted."""
    return call("gate", SO_FAR, call("exp", call("difference", a, b)))


def plain_powers(e: Expr) -> Expr:
    """The expression without powers whose exponents are the difference of a value to itself."""

    def rule(e: Expr) -> Expr:
        match e:
            case Call("exp", (Call("difference", (a, b)),)) if _plain(a) is _plain(b):
                return Select(Comparison("==", a, a), Const(1), Const(float("nan")))
            case Call("pow", (_, IndexValue(form))) if form.is_constant:
                return rewrite(e, simplified)
            case Call("mul" | "gate", (Const(1), x) | (x, Const(1))):
                return x
            case _:
                return e

    return rewrite(e, rule)


def _factor(e: Expr, index: Symbol) -> Expr | None:
    """The one factor of the term that changes with the index, if it is of a known form."""
    while index in e.symbols:
        match e:
            case Call("exp", (Call(function, _),)) if function in _POWERS:
                return e
            case Call("pow", (base, IndexValue())) if index not in base.symbols:
                return e
            case Call("exp", (exponent,)) if change_of(exponent, index) is not None:
                return e
            case Select(Comparison("==", a, b), _, Const(0)) if index in a.symbols | b.symbols:
                return e
            case Reduce("prod", (_,), (), _, body):
                return None if index in body.symbols else e
            case Call("mul" | "gate", (a, b)):
                if index in a.symbols and index in b.symbols:
                    return None
                e = a if index in a.symbols else b
            case Call("neg", (a,)):
                e = a
            case Call("div", (a, b)) if index not in b.symbols:
                e = a
            case Select(condition, a, b) if Const(0) in (a, b):
                mentioned = (
                    set(condition.symbols)
                    if isinstance(condition, Domain)
                    else condition.left.symbols | condition.right.symbols
                )
                if index in mentioned:
                    return None
                e = b if a is Const(0) else a
            case _:
                return None
    return None


def _plain(e: Expr) -> Expr:
    while isinstance(e, Call) and e.function == "detached":
        (e,) = e.args
    return e


def _growth(q: Read, step: Step, program: Program) -> int:
    """Whether `q`, a running maximum or minimum, grows (1) or falls (-1) as the pass goes on; 0 if it is none.

    Its element must exist at every value.
    """
    return (
        _slope(q, step.index, program) * step.sign
        if step.inner not in q.symbols and _is_in_bounds(q, step, program)
        else 0
    )


def _is_in_bounds(q: Read, step: Step, program: Program) -> bool:
    return reads_are_in_bounds(q, step.known, program.tensors)


def _slope(q: Read, index: Symbol, program: Program) -> int:
    """1 if `q`, a running maximum or minimum, does not fall as `index` grows, -1 if it does not grow, 0 if it is none."""
    running = _extreme(q, index, program)
    if running is None:
        return 0
    e, moving = running
    grows = 1 if moving.form.coefficient(_INDEX) > 0 else -1
    return grows if e.op == "max" else -grows


_INDEX = "'index"


def _extreme(q: Read, index: Symbol, program: Program) -> tuple[Reduce, Condition] | None:
    """The maximum or minimum that `q` is, with _INDEX for `index` and _K for its own, and the one bound that moves with the index."""
    s = program.definitions.get(q.tensor)
    places = [d for d, form in enumerate(q.subscripts) if index in form.symbols]
    if s is None or s.derived or len(places) != 1 or len(s.indices) != len(q.subscripts):
        return None
    (d,) = places
    if q.subscripts[d].coefficient(index) != 1:
        return None
    match s.body:
        case Reduce("max" | "min", (_,), ()) as e:
            pass
        case _:
            return None
    values = dict(zip(s.indices, q.subscripts, strict=True))
    values[s.indices[d]] = values[s.indices[d]].substitute({index: symbol(_INDEX)})
    here = substitute(e, values)
    if not isinstance(here, Reduce) or _INDEX in here.body.symbols:
        return None
    named = {here.indices[0]: symbol(_K)}
    domain = here.domain.substitute(named)
    moving = [c for c in domain if _INDEX in c.form.symbols]
    if len(moving) != 1 or moving[0].relation != ">=":
        return None
    return Reduce(here.op, (_K,), (), domain, substitute(here.body, named)), moving[0]


def _is_between(q: Read, p: Expr, step: Step, program: Program) -> bool:
    """Whether each earlier term has its `p` on the side of `q` at the value before that is opposite to `q` here."""
    known = step.known_before
    if p is substitute(q, {step.index: symbol(step.inner)}):
        before = step.before[step.index]
        return implies(known, at_least_zero((before - symbol(step.inner)) * step.sign))
    extreme = _extreme(q, step.index, program)
    assert extreme is not None
    e, _ = extreme
    at = {_INDEX: step.before[step.index], _K: symbol(step.inner)}
    return _plain(substitute(e.body, at)) is p and all(
        implies(known, c) for c in e.domain.substitute(at)
    )


def _is_among(
    between: Read, p: Expr, newest: Affine, step: Step, program: Program, sign: int
) -> bool:
    """Whether `p` is one of the values of which `between` is the extreme at `newest`, and all later terms have larger ranges.

    With a `sign` the extreme must be a maximum (1) or a minimum (-1).
    """
    extreme = _extreme(between, step.index, program)
    if extreme is None:
        return False
    e, moving = extreme
    if sign and e.op != {1: "max", -1: "min"}[sign]:
        return False
    if moving.form.coefficient(_INDEX) * step.sign > 0:
        return False  # later terms lie against the direction of the pass
    at = {_INDEX: newest, _K: symbol(step.index)}
    return _plain(substitute(e.body, at)) is p and all(
        implies(step.known, c) for c in e.domain.substitute(at)
    )


def _further(product: Reduce, step: Step) -> Expr | None:
    """The factor that every product so far gains at the index; None if they change in another way."""
    (factor,) = product.indices
    moving = [c for c in product.domain if step.index in c.form.symbols]
    if len(moving) != 1 or moving[0].relation != ">=":
        return None
    form = moving[0].form
    slope = form.coefficient(step.index)
    if slope != step.sign or form.coefficient(factor) != -slope or step.inner in form.symbols:
        return None
    # slope*index - slope*l + rest >= 0: the factor that is new at the index is the one for which it is 0.
    newest = symbol(factor) + form * slope
    known = step.known_before
    others = (c.substitute({factor: newest}) for c in product.domain if c is not moving[0])
    if not all(implies(known, c) for c in others):
        return None
    further = substitute(product.body, {factor: newest})
    return None if step.inner in further.symbols else further  # another one for each term
