"""The bounds that a reduction's domain gives its indices, in order: what loops and printed ranges are made of."""

from __future__ import annotations

from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Condition, Derived
from tadc.ir.expr import Reduce

__all__ = ["Bounded", "Bounds", "bounded"]


@dataclass(frozen=True, slots=True)
class Bounded:
    """`index` runs from the greatest of `lows` to the least of `highs`.

    A low `(e, c)` is `ceil(e / c)`, a high `floor(e / c)`, over what is further out. `tests` are conditions that
    bound nothing and have this index as their innermost. `derived` are the derived indices that it completes.
    """

    index: Symbol
    lows: tuple[tuple[Affine, int], ...]
    highs: tuple[tuple[Affine, int], ...]
    derived: tuple[Derived, ...]
    tests: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """`tests` and `derived` need no index of the reduction; `each` has its indices, outermost first."""

    tests: tuple[Condition, ...]
    derived: tuple[Derived, ...]
    each: tuple[Bounded, ...]


def bounded(reduce: Reduce) -> Bounds:
    """The domain of a reduction as bounds of its indices, each over what is further out."""
    depth = {s: k for k, s in enumerate(reduce.indices)}
    for d in reduce.derived:
        depth[d.name] = _innermost(d.form, depth)
    outside: list[Condition] = []
    own: list[list[Condition]] = [[] for _ in reduce.indices]
    for condition in reduce.domain:
        k = _innermost(condition.form, depth)
        (outside if k < 0 else own[k]).append(condition)
    completed = [
        tuple(d for d in reduce.derived if depth[d.name] == k) for k in range(-1, len(own))
    ]
    each = zip(reduce.indices, own, completed[1:], strict=True)
    return Bounds(tuple(outside), completed[0], tuple(_bounded(*e) for e in each))


def _innermost(form: Affine, depth: dict[Symbol, int]) -> int:
    return max((depth.get(s, -1) for s in form.symbols), default=-1)


def _bounded(index: Symbol, conditions: list[Condition], derived: tuple[Derived, ...]) -> Bounded:
    lows, highs, tests = [], [], []
    own = {d.name for d in derived}
    for condition in conditions:
        c = condition.form.coefficient(index)
        rest = Affine.of(
            {s: k for s, k in condition.form.terms if s != index}, condition.form.constant
        )
        if condition.relation != ">=" or not c or not own.isdisjoint(rest.symbols):
            tests.append(condition)
        elif c > 0:
            lows.append((-rest, c))
        else:
            highs.append((rest, -c))
    return Bounded(
        index,
        tuple(sorted(lows, key=_order)),
        tuple(sorted(highs, key=_order)),
        derived,
        tuple(tests),
    )


def _order(bound: tuple[Affine, int]) -> tuple[object, ...]:
    """Constants first, then what has few symbols."""
    form, divisor = bound
    return len(form.terms), divisor, form.terms, form.constant
