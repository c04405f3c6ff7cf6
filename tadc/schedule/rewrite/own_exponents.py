"""What an element of a sum has of its own in an exponent stands outside of the sum, which then runs.

    k[s] = sum{t=s..N-1} g(t)*exp(a(s) - (t - s)*w)    is    exp(a(s)) * sum{t=s..N-1} g(t)*exp(-(t - s)*w)

So it is with the gradients by what each term of a sum that decays has of its own. The rest of the exponent must be 0 for the newest term: then
`exp(a(s))` is the weight of a term, and where it is beyond the floats, so is the sum as it was written
(infinite where that is the NaN of infinite terms of both signs).
"""

from __future__ import annotations

from collections.abc import Iterator

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.expr import Call, Expr, Reduce
from tadc.ir.program import Program
from tadc.ir.walk import rewrite
from tadc.schedule.rewrite.exponents import Step, forms_in
from tadc.schedule.rewrite.telescoping import SO_FAR, Telescoped, carried, is_weight

__all__ = ["with_own_outside"]


def with_own_outside(step: Step, extent: Affine, program: Program) -> Telescoped | None:
    """The sum without what only its element has in the exponent, and that applied to it; None if there is none, or the sum still does not run.

    `extent` is that of the step's index.
    """
    factor = _exponential(step.e.body, step.index)
    if factor is None:
        return None
    own: Expr | None = None
    rest: Expr | None = None
    for term in _terms(factor.args[0]):
        if step.inner in term.symbols:
            rest = term if rest is None else Call("add", (rest, term))
        else:
            own = term if own is None else Call("add", (own, term))
    if own is None or rest is None or step.index not in own.symbols:
        return None
    forms = forms_in(rest, step)
    new = {step.inner: step.newest}
    if forms is None or any(f.substitute(new) != constant(0) for f in forms.values()):
        return None
    power = Call("exp", (rest,))
    body = rewrite(step.e.body, lambda e: power if e is factor else e)
    total = Reduce("sum", step.e.indices, (), step.e.domain, body)
    running = Step(total, step.index, step.inner, step.moving, step.known)
    if carried(running, program) is None:
        return None
    function = "gate" if is_weight(factor, step.e.body) else "mul"
    outside = Call(function, (SO_FAR, Call("exp", (own,))))
    return Telescoped(total, extent, symbol(step.index), outside)


def _exponential(e: Expr, index: Symbol) -> Call | None:
    """The exponential that is the one factor of the term that has the index; behind no choice, which might leave out the newest term."""
    while index in e.symbols:
        match e:
            case Call("exp", (_,)):
                return e
            case Call("mul" | "gate", (a, b)) if index not in b.symbols or index not in a.symbols:
                e = a if index in a.symbols else b
            case Call("neg", (a,)):
                e = a
            case Call("div", (a, b)) if index not in b.symbols:
                e = a
            case _:
                return None
    return None


def _terms(e: Expr) -> Iterator[Expr]:
    """What is added up, in order."""
    waiting = [(e, False)]
    while waiting:
        match waiting.pop():
            case Call("add" | "sub" as function, (a, b)), is_negative:
                waiting += [(b, is_negative != (function == "sub")), (a, is_negative)]
            case Call("neg", (a,)), is_negative:
                waiting.append((a, not is_negative))
            case term, is_negative:
                yield Call("neg", (term,)) if is_negative else term
