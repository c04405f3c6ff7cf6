"""The inverse of a Jacobian at one point: the values of all steps and their factored blocks, for any number of products."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, onenormest

from tadc.errors import ArgumentError, ConditionWarning, counted
from tadc.function.inverse_modes import (
    adjoint_change,
    closed_call,
    relative,
    returned,
    tangent_change,
    vectors_of,
)
from tadc.function.krylov import Solver
from tadc.function.rolled import Rolled
from tadc.function.steps import Array, Step, Values
from tadc.function.sweeps import Sides, Straight, sweep_of
from tadc.options import one_of
from tadc.runtime.linear import Block

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["Inverse", "Refinement"]


@dataclass(frozen=True, slots=True)
class Refinement:
    """What refining a result came to: the largest error of `J v - dy`, relative to the largest of `dy`, before and after."""

    before: float
    after: float


class Inverse:
    """J⁻¹ at a point. `.value` is what a call returns there; `.report` tells of the last refinement, None without one."""

    def __init__(
        self,
        f: Function,
        sweep: Straight,
        sides: Sides,
        values: Values,
        blocks: Sequence[Block],
        *,
        refine: int,
    ) -> None:
        self._f = f
        self._sweep = sweep
        self._steps: Sequence[Step] = sweep.steps
        self._sides = sides
        self._values = values
        self._blocks = blocks
        self._refine = refine
        self.report: Refinement | None = None

    @classmethod
    def at(
        cls,
        f: Function,
        sides: Sides,
        given: Mapping[str, Any],
        *,
        refine: int,
        check: bool,
        solver: Solver,
    ) -> Inverse:
        """The inverse at these arguments of a call. Raises SingularError, DerivativeError, and what a call raises."""
        one_of(False, True)("`check`", check)
        if not isinstance(refine, int) or refine < 0:
            raise ArgumentError(
                None, f"`refine` is {refine!r}", fix="give a number of refinements, 0 or more"
            )
        closed, values = closed_call(f, given)
        if isinstance(closed, Rolled):
            raise closed.refusal("inverse")
        sweep = sweep_of(closed, values, sides, solver, "materialize")
        assert isinstance(sweep, Straight), "loops were refused"
        blocks = []
        every = dict(values)
        for step in sweep.steps:
            blocks.append(step.block(every, {}, check=check))
            every |= step.forward(every, {})
        return cls(closed, sweep, sides, values, blocks, refine=refine)

    @cached_property
    def value(self) -> Any:
        """The outputs, as a call of the function returns them."""
        return self._f(*self._primals())

    def tangent(self, /, *dy: Any) -> Any:
        """J⁻¹dy: one array, a tuple, several, or a dict by output; the result in the order of `wrt`."""
        vectors = self._vectors(dy, self._sides.of)
        result = self.solved(vectors)
        for _ in range(self._refine):
            error = self._residual(result, vectors)
            correction = self.solved(error)
            result = {x: result[x] + correction[x] for x in self._sides.wrt}
            left = self._residual(result, vectors)
            self.report = Refinement(relative(error, vectors), relative(left, vectors))
        return returned(result, self._sides.wrt)

    def adjoint(self, /, *dx: Any) -> Any:
        """J⁻ᵀdx: one array, a tuple, several, or a dict by input; the result in the order of `of`."""
        vectors = self._vectors(dx, self._sides.wrt)
        return returned(self.solved_transposed(vectors), self._sides.of)

    @cached_property
    def logdet(self) -> Array:
        """Log |det J|."""
        with np.errstate(all="ignore"):
            logs = [block.log_pivots.sum() for block in self._blocks]
        return np.asarray(np.sum(logs))

    def condition(self) -> float:
        """The condition number in the 1-norm, estimated from products with J and J⁻¹ (Higham and Tisseur 2000).

        It is a lower bound, seldom below a tenth. Above `1/sqrt(eps)` a ConditionWarning says so.
        """
        wrt, of = self._sides.wrt, self._sides.of
        n = sum(self._values[x].size for x in wrt)
        if not n:
            return 1.0
        dtype = np.result_type(*(self._values[x] for x in wrt))
        products = (
            (
                lambda v: self.forward(self._unpacked(v, wrt)),
                lambda w: self.backward(self._unpacked(w, of)),
                of,
                wrt,
            ),
            (
                lambda v: self.solved(self._unpacked(v, of)),
                lambda w: self.solved_transposed(self._unpacked(w, wrt)),
                wrt,
                of,
            ),
        )
        estimate = 1.0
        for product, transposed, rows, columns in products:
            operator = LinearOperator(
                (n, n),
                matvec=lambda v, p=product, r=rows: self._packed(p(v), r),
                rmatvec=lambda w, p=transposed, c=columns: self._packed(p(w), c),
                dtype=dtype,
            )
            estimate *= float(onenormest(operator))
        if estimate > 1 / np.sqrt(np.finfo(dtype).eps):
            warnings.warn(
                f"the Jacobian has a condition number of about {estimate:.1e}: half of the digits are lost",
                ConditionWarning,
                stacklevel=2,
            )
        return estimate

    # ------------------------------------------------------------------ products

    def solved(self, vectors: Values) -> Values:
        """J⁻¹v, by names."""
        return self._sweep.backward(
            self._values, vectors, tangent_change(check=False, blocks=self._blocks)
        )

    def solved_transposed(self, vectors: Values) -> Values:
        """J⁻ᵀw, by names."""
        return self._sweep.forward(
            self._values, vectors, adjoint_change(check=False, blocks=self._blocks)
        )

    def forward(self, v: Values) -> Values:
        """J v, by names."""
        tangent = self._f.tangent(self._sides.wrt)
        results = tangent.calls((*self._primals(), *(v[x] for x in self._sides.wrt)))
        every = dict(zip(self._f.outputs, results, strict=True))
        return {y: every[y] for y in self._sides.of}

    def backward(self, w: Values) -> Values:
        """Jᵀw, by names."""
        adjoint = self._f.adjoint(self._sides.wrt)
        tensors = self._f.program.tensors
        zeros = {
            y: np.zeros(tuple(e.constant for e in tensors[y].shape))
            for y in self._f.outputs
            if y not in w
        }
        results = adjoint.calls((*self._primals(), *((w | zeros)[y] for y in self._f.outputs)))
        return dict(zip(self._sides.wrt, results, strict=True))

    def _residual(self, result: Values, vectors: Values) -> Values:
        product = self.forward(result)
        return {y: vectors[y] - product[y] for y in self._sides.of}

    def _primals(self) -> list[Array]:
        return [self._values[n] for n in self._f.inputs]

    # ------------------------------------------------------------------ vectors

    def _vectors(self, given: tuple[Any, ...], names: Sequence[str]) -> Values:
        if (
            len(given) == 1
            and isinstance(given[0], (tuple, list, Mapping))
            and (len(names) > 1 or not isinstance(given[0], list))
        ):
            given = given[0]  # type: ignore[assignment]
        called = {n: self._f.shown(n) for n in names}
        if isinstance(given, Mapping):
            by_name = {n: given.get(n, given.get(called[n])) for n in names}
        elif len(given) == len(names):
            by_name = dict(zip(names, given, strict=True))
        else:
            raise ArgumentError(
                None,
                f"{counted(len(given), 'array')} for {len(names)}",
                fix=f"pass one for each of {', '.join(called.values())}",
            )
        missing = [called[n] for n, v in by_name.items() if v is None]
        if missing:
            raise ArgumentError(
                None, f"nothing is given for `{missing[0]}`", fix="pass an array of its shape"
            )
        return vectors_of(self._f, self._values, by_name, called)

    def _packed(self, vectors: Values, names: Sequence[str]) -> Array:
        return np.concatenate([np.ravel(vectors[n]) for n in names])

    def _unpacked(self, packed: Array, names: Sequence[str]) -> Values:
        vectors, start = {}, 0
        for n in names:
            shape = tuple(e.constant for e in self._f.program.tensors[n].shape)
            size = int(np.prod(shape, dtype=int))
            vectors[n] = packed[start : start + size].reshape(shape)
            start += size
        return vectors
