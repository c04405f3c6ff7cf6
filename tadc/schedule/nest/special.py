"""Calls of functions that cost more than a few multiplications, such as the exponential, counted as operations are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tadc.ir.expr import Call, Const, Expr
from tadc.ir.functions import FUNCTIONS
from tadc.ir.walk import rewrite
from tadc.schedule.nest.cost import INTEGER_POWERS, operations
from tadc.schedule.nest.loop_nest import Kernel, Step, map_bodies, values_of, with_values

__all__ = ["is_special", "special_calls"]


def special_calls(kernel: Kernel, sizes: Mapping[str, int]) -> int:
    """The calls that a kernel does for these values of all sizes, derived ones included.

    They are what is counted more where each of them is negated.
    """
    negated = replace(kernel, body=tuple(_negated(kernel.body)))
    return _counted(negated, sizes) - _counted(kernel, sizes)


def _counted(kernel: Kernel, sizes: Mapping[str, int]) -> int:
    return sum(n * points.count(sizes) for n, points in operations(kernel))


def _negated(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        values = tuple(rewrite(value, _rule) for value in values_of(step))
        yield map_bodies(with_values(step, values), lambda body: tuple(_negated(body)))


def _rule(e: Expr) -> Expr:
    return Call("neg", (e,)) if is_special(e) else e


def is_special(e: Expr) -> bool:
    """Whether the node is such a call."""
    match e:
        case Call("pow", (_, Const(exponent))) if exponent in INTEGER_POWERS:
            return False
        case Call(function):
            return not FUNCTIONS[function].cheap
        case _:
            return False
