"""Kernels of a few outputs with long sums: all outputs in one pass over the tensors they read.

The gradient by a 3x3 filter is nine sums over the same two images. One after the other they read the images nine times;
side by side, as nine accumulators in the same loops, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Derived, Domain, Looked
from tadc.ir.expr import Expr, Read
from tadc.ir.names import Names
from tadc.ir.walk import rewrite, substitute
from tadc.normalize.simplify import simplified
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Kernel,
    Lanes,
    Let,
    LetIndex,
    Loop,
    Step,
    Store,
    has_loops,
    steps_of,
    symbols_of,
    values_of,
    with_values,
)

__all__ = ["MOST_POINTS", "at_points", "side_by_side", "unrolled"]

MOST_POINTS = 16  # as many accumulators, each with some lanes


def unrolled(kernel: Kernel, outer: int = 0) -> Kernel | None:
    """The kernel with the first `outer` indices of its box alone, whose loops do the work of all values of the others; None where their
    loops differ.
    """
    extents = kernel.extents[outer:]
    if not extents or not all(n.is_constant for n in extents):
        return None
    if not 1 < prod(max(0, n.constant) for n in extents) <= MOST_POINTS:
        return None
    points = list(product(*(range(n.constant) for n in extents)))
    symbols = {s for step in steps_of(kernel.body) for s in symbols_of(step)}
    names = Names((*kernel.locals, *kernel.reads, *kernel.writes, *kernel.indices, *symbols))
    inner = kernel.indices[outer:]
    differing = sorted(Varying.of(set(inner), kernel.body).locals if outer else kernel.locals)
    renamed = [{local: names.fresh(local) for local in differing} for _ in points]
    bodies = []
    for point, locals_ in zip(points, renamed, strict=True):
        values = {i: constant(n) for i, n in zip(inner, point, strict=True)}
        bodies.append(at_points(kernel.body, values, locals_))
    body = side_by_side(bodies)
    if body is None:
        return None
    made = frozenset(name for locals_ in renamed for name in locals_.values())
    return replace(
        kernel,
        indices=kernel.indices[:outer],
        extents=kernel.extents[:outer],
        body=body,
        locals=kernel.locals.difference(differing) | made,
    )


def at_points(
    steps: Sequence[Step], values: Mapping[Symbol, Affine], locals_: Mapping[str, str]
) -> tuple[Step, ...]:
    """The steps for these values of indices, with locals of their own.

    Quotients whose divisor divides the new form take no steps, but for what is left of it.
    """
    result: list[Step] = []
    for step in steps:
        match step:
            case LetIndex(Looked() as d):
                renamed = values.get(d.name, symbol(d.name))
                result.append(LetIndex(d.substitute(values, renamed.as_symbol())))
            case LetIndex(Derived() as d):
                rest, whole = _quotient(d.form.substitute(values), d.modulus)
                value = whole + rest.constant // d.modulus
                if rest.terms:
                    renamed = values.get(d.name, symbol(d.name))
                    name = renamed.as_symbol()
                    assert name is not None, "a derived index is renamed, or stays"
                    result.append(LetIndex(Derived(name, rest, d.modulus)))
                    value = renamed + whole
                values = {**values, d.name: value}
            case _:
                result.append(_at_point(step, values, locals_))
    return tuple(result)


def _quotient(form: Affine, modulus: int) -> tuple[Affine, Affine]:
    """Forms `rest` and `whole` with form = rest + modulus*whole: whole has the terms that the modulus divides."""
    whole = Affine.of({s: c // modulus for s, c in form.terms if c % modulus == 0}, 0)
    return form - modulus * whole, whole


def _at_point(step: Step, values: Mapping[Symbol, Affine], locals_: Mapping[str, str]) -> Step:
    def renamed(e: Expr) -> Expr:
        if isinstance(e, Read) and not e.subscripts and e.tensor in locals_:
            return Read(locals_[e.tensor], ())
        return e

    def at(e: Expr) -> Expr:
        return rewrite(rewrite(substitute(e, values), renamed), simplified)

    step = with_values(step, tuple(map(at, values_of(step))))
    match step:
        case Let(local) | Accumulator(local) | Assign(local) | Accumulate(local):
            return replace(step, local=locals_.get(local, local))
        case Store(_, subscripts):
            return replace(step, subscripts=tuple(f.substitute(values) for f in subscripts))
        case Loop(r, body):
            within = {s: value for s, value in values.items() if s != r.index}  # hides a quotient
            return Loop(r.substitute(values), at_points(body, within, locals_))
        case Branch(condition, then, otherwise):
            if isinstance(condition, Domain):
                condition = condition.substitute(values)
            both = (at_points(steps, values, locals_) for steps in (then, otherwise))
            return Branch(condition, *both)
        case Lanes(body):
            return replace(step, body=at_points(body, values, locals_))
        case _:
            return step


def side_by_side(
    bodies: Sequence[tuple[Step, ...]],
    joined: Callable[[Sequence[Loop]], tuple[Step, ...] | None] = lambda _: None,
) -> tuple[Step, ...] | None:
    """The steps of all bodies, their loops as one; None where an index is another for each body, or loops differ which
    `joined` makes no steps of, or what they do.
    """
    if len({len(steps) for steps in bodies}) > 1:
        return None
    result: list[Step] = []
    for steps in zip(*bodies, strict=True):
        first = steps[0]
        if all(s == first for s in steps[1:]) and not isinstance(first, Store):
            result.append(first)
        elif isinstance(first, Loop):
            loops = [s for s in steps if isinstance(s, Loop)]
            if len(loops) < len(steps):
                return None
            if all(s.range == first.range for s in loops):
                inner = side_by_side([s.body for s in loops], joined)
                together = inner and (Loop(first.range, inner),)
            else:
                together = joined(loops)
            if together is None:
                return None
            result += together
        elif isinstance(first, LetIndex):
            if len(set(steps)) > 1:
                return None
            result.append(first)
        elif (
            isinstance(first, Branch)
            and has_loops((first,))
            and isinstance(first.condition, Domain)
        ):
            branches = [
                s for s in steps if isinstance(s, Branch) and s.condition == first.condition
            ]
            if len(branches) < len(steps):
                return None
            then = side_by_side([s.then for s in branches], joined)
            otherwise = side_by_side([s.otherwise for s in branches], joined)
            if then is None or otherwise is None:
                return None
            result.append(Branch(first.condition, then, otherwise))
        elif has_loops((first,)) or any(
            isinstance(s, Branch) and isinstance(s.condition, Domain) and not s.condition.symbols
            for s in steps_of(steps)
        ):
            return None  # loops inside choices, and choices that a point decides
        else:
            result += steps
    return tuple(result)
