"""isl, the integer set library, as an independent witness of the solver. It knows nothing of tadc's algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import islpy

from tadc.integer import Solution
from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Condition, Domain


def points(parameters: Sequence[Symbol], unknowns: Sequence[Symbol], domain: Domain) -> islpy.Set:
    body = _all(map(_condition, domain))
    return islpy.Set(f"[{', '.join(parameters)}] -> {{ [{', '.join(unknowns)}] : {body} }}")


def visits(parameters: Sequence[Symbol], solution: Solution, known: Domain) -> islpy.Map:
    """From loop indices to unknowns, under the guards."""
    conditions = [_condition(c) for c in (*known, *solution.guards)]
    conditions += [f"{q.modulus}*{q.name} = {_form(q.form)}" for q in solution.quotients]
    for loop in solution.loops:
        conditions += [f"{_form(b.form)} <= {b.divisor}*{loop.index}" for b in loop.lows]
        conditions += [f"{b.divisor}*{loop.index} <= {_form(b.form)}" for b in loop.highs]
    indices = ", ".join(loop.index for loop in solution.loops)
    conditions += [f"u{i} = {_form(v)}" for i, v in enumerate(solution.values)]
    places = ", ".join(f"u{i}" for i in range(len(solution.values)))
    names = ", ".join(q.name for q in solution.quotients)
    body = f"exists {names} : {_all(conditions)}" if names else _all(conditions)
    return islpy.Map(f"[{', '.join(parameters)}] -> {{ [{indices}] -> [{places}] : {body} }}")


def _condition(condition: Condition) -> str:
    form = _form(condition.form)
    if condition.relation == "|":
        return f"({form}) mod {condition.modulus} = 0"
    return f"{form} {'=' if condition.relation == '==' else '>='} 0"


def _form(form: Affine) -> str:
    return " + ".join([*(f"{c}*{s}" for s, c in form.terms), str(form.constant)])


def _all(conditions: Iterable[str]) -> str:
    return " and ".join(conditions) or "true"
