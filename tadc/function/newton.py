"""Newton's method with products by the inverse Jacobian: `x -= J⁻¹ (f(x) - target)`, halved while the residual does not fall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from tadc.errors import ArgumentError, ConvergenceError, counted
from tadc.function.inverse_modes import closed_call, shape_of, tangent_change, vectors_of
from tadc.function.krylov import Solver
from tadc.function.rolled import Rolled
from tadc.function.steps import Array, Values
from tadc.function.sweeps import Sides, Sweep, sweep_of
from tadc.options import one_of, size_number

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["Solution", "newton"]

MOST_HALVINGS = 30


@dataclass(frozen=True, slots=True)
class Solution:
    """`x` by input of `wrt`; the largest residual after each iteration, the start included."""

    x: dict[str, Array]
    history: tuple[float, ...]

    @property
    def iterations(self) -> int:
        return len(self.history) - 1

    @property
    def residual(self) -> float:
        return self.history[-1]


def newton(
    f: Function | Rolled,
    sides: Sides,
    given: Mapping[str, Any],
    target: Any,
    tol: float | None,
    max_iterations: int,
    *,
    line_search: bool,
    solver: Solver,
) -> Solution:
    """The solution of `f = target` from the start `given`, as `Function.newton` says."""
    one_of(False, True)("`line_search`", line_search)
    max_iterations = size_number("`max_iterations`", max_iterations)
    if tol is not None and (not isinstance(tol, Real) or not tol >= 0):
        raise ArgumentError(None, f"`tol` is {tol!r:.40}", fix="give a number that is not negative")
    closed, values = closed_call(f, given)
    sweep = sweep_of(closed, values, sides, solver, "materialize")
    goal = _goal(closed, sides, values, target)
    if tol is None:
        eps = float(np.finfo(np.result_type(*values.values())).eps)
        largest = max((float(np.max(np.abs(g), initial=0)) for g in goal.values()), default=0.0)
        tol = 1e3 * eps * max(1.0, largest)
    x = dict(values)
    error = _error(sweep, x, goal)
    history = [_largest(error)]
    while not history[-1] <= tol:
        if len(history) > max_iterations:
            raise _failed(f"after {max_iterations} iterations", sides, x, history, tol)
        change = sweep.backward(x, error, tangent_change(check=True))
        following, error = _stepped(sweep, sides, x, change, goal, 1.0)
        length = 1.0
        while line_search and not _largest(error) < history[-1]:
            length /= 2
            if length < 0.5**MOST_HALVINGS:
                raise _failed("since no step lowers the residual", sides, x, history, tol)
            following, error = _stepped(sweep, sides, x, change, goal, length)
        x = following
        history.append(_largest(error))
    return Solution({n: x[n] for n in sides.wrt}, tuple(history))


def _stepped(
    sweep: Sweep, sides: Sides, x: Values, change: Values, goal: Values, length: float
) -> tuple[Values, Values]:
    """The point after a step of this length, and the residual there."""
    following = dict(x)
    for n in sides.wrt:
        following[n] = np.asarray(x[n] - length * change[n], x[n].dtype)
    return following, _error(sweep, following, goal)


def _error(sweep: Sweep, x: Values, goal: Values) -> Values:
    return {y: value - goal[y] for y, value in sweep.primal(x).items()}


def _largest(error: Values) -> float:
    return max((float(np.max(np.abs(e), initial=0)) for e in error.values()), default=0.0)


def _goal(f: Function | Rolled, sides: Sides, values: Values, target: Any) -> Values:
    """The target by output."""
    called = {y: f.shown(y) for y in sides.of}
    shapes = {y: shape_of(f, values, y) for y in sides.of}
    if np.isscalar(target):
        by_name = {y: np.full(shape, target) for y, shape in shapes.items()}
    elif isinstance(target, Mapping):
        by_name = {y: target.get(y, target.get(called[y])) for y in sides.of}
        missing = [called[y] for y, v in by_name.items() if v is None]
        if missing:
            raise ArgumentError(
                None, f"`target` has nothing for `{missing[0]}`", fix="give an array of its shape"
            )
    else:
        listed = target if isinstance(target, (tuple, list)) and len(sides.of) > 1 else (target,)
        if len(listed) != len(sides.of):
            raise ArgumentError(
                None,
                f"`target` has {counted(len(listed), 'array')} for {counted(len(sides.of), 'output')}",
                fix=f"pass one for each of {', '.join(called.values())}",
            )
        by_name = dict(zip(sides.of, listed, strict=True))
    return vectors_of(f, values, by_name, called)


def _failed(
    why: str, sides: Sides, x: Values, history: list[float], tol: float
) -> ConvergenceError:
    error = ConvergenceError(
        None,
        f"Newton's method stops {why}: the largest residual is {history[-1]:.3g}, and {tol:.3g} is asked for",
        fix="start closer to the solution, or raise `tol` or `max_iterations`",
    )
    error.result = Solution({n: x[n] for n in sides.wrt}, tuple(history))
    return error
