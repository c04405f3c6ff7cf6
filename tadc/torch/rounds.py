"""Long loops of tensors: round by round, each segment an operation of torch, so that derivatives of all orders follow.

What a backward pass reads of each round is kept until then, as torch does for its own operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch
from torch import _C, Tensor

from tadc.function.function import Function
from tadc.function.operator import Operator
from tadc.function.rolled import Part, Rolled
from tadc.function.rolled_derivatives import RolledDerivative
from tadc.function.rolled_volume import RolledVolume
from tadc.function.walk import Place, Walk
from tadc.torch.autograd import SizedOperator, apply

__all__ = ["Long", "by_rounds"]

Long: TypeAlias = Rolled | RolledDerivative | RolledVolume
Values: TypeAlias = dict[str, Tensor]


def by_rounds(
    f: Long, inputs: Sequence[Tensor], sizes: Mapping[str, int], dtype: torch.dtype
) -> list[Tensor]:
    """The outputs, for inputs of the types that `f` reads; `dtype` is that of tensors without a declared one.

    A tangent or an adjoint is torch's of the rounds, which is one of tadc for each of them.
    """
    if isinstance(f, Rolled):
        return _Rounds(f, sizes, dtype)(inputs)
    if isinstance(f, RolledVolume):
        return [_Rounds(f.of_function, sizes, dtype).volume(inputs, f.programs)]
    count = len(f.of_function.inputs)
    point, vectors = inputs[:count], inputs[count:]
    run = _Rounds(f.of_function, sizes, dtype)
    moving = [f.of_function.inputs.index(x) for x in f.wrt]

    def moved(*at: Tensor) -> tuple[Tensor, ...]:
        every = dict(enumerate(point)) | dict(zip(moving, at, strict=True))
        return tuple(run([*every.values()]))

    found: Sequence[Tensor]
    start = tuple(point[k] for k in moving)
    if f.mode == "tangent":
        _, found = torch.func.jvp(moved, start, tuple(vectors))
    else:
        _, pullback, *_ = torch.func.vjp(moved, *start)
        found = pullback(tuple(vectors))
    return list(found)


@dataclass(frozen=True)
class _Rounds:
    f: Rolled
    sizes: Mapping[str, int]
    dtype: torch.dtype
    _operators: dict[Function, Operator] = field(default_factory=dict)

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        after, _ = self._walked(inputs, {}, self._after)
        return [after[self.f.shown(y)] for y in self.f.outputs]

    def volume(self, inputs: Sequence[Tensor], programs: Mapping[Part, Function]) -> Tensor:
        """The sum of what these programs of segments give in all rounds."""

        def visit(part: Part, values: Values, sums: Values, place: Place) -> tuple[Values, Values]:
            values_after, _ = self._after(part, values, sums, place)
            if part in programs:
                (volume,) = self._called(programs[part], values, {})
                sums = {"": sums[""] + volume}
            return values_after, sums

        zero = torch.zeros((), dtype=self.dtype, device=inputs[0].device)
        return self._walked(inputs, {"": zero}, visit)[1][""]

    def _walked(
        self, inputs: Sequence[Tensor], sums: Values, visit: Callable[..., tuple[Values, Values]]
    ) -> tuple[Values, Values]:
        f = self.f
        walk: Any = Walk(f, f.numbers(), "materialize")  # of tensors in place of arrays
        after: tuple[Values, Values] = walk.forward(
            dict(zip(f.inputs, inputs, strict=True)), sums, visit
        )
        return after

    def _after(
        self, part: Part, values: Values, sums: Values, place: Place
    ) -> tuple[Values, Values]:
        """The tensors after a segment."""
        outputs = self._called(part.function, values, part.rounds(place.at))
        return {**values, **dict(zip(part.written, outputs, strict=True))}, sums

    def _called(self, f: Function, values: Values, rounds: Mapping[str, int]) -> Sequence[Tensor]:
        operator = self._operators.get(f) or self._operator(f)
        inputs = [values[n] for n in f.inputs]
        known = {s: n for s, n in self.sizes.items() if s in operator.program.sizes}
        sizes = operator.sizes(tuple([tuple(x.shape) for x in inputs]), {**known, **rounds})
        # torch finds out from tensors where to compute
        given = inputs or [torch.empty(0, dtype=self.dtype)]
        return apply(SizedOperator.of(operator, sizes, self.dtype), given)

    def _operator(self, f: Function) -> Operator:
        operator = Operator.of(f)
        if _C._get_deterministic_algorithms():
            operator = operator.reproducible
        self._operators[f] = operator
        return operator
