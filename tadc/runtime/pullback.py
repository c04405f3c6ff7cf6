"""The two halves of `vjp`: outputs with residuals, and the pullback, which makes gradients of them.

A pullback holds the inputs and the residuals, and no output: whoever has those may do with them what he likes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any

import numpy as np

from tadc.errors import ArgumentError
from tadc.runtime.arguments import targets
from tadc.runtime.calls import Calls, Place, place_of

__all__ = ["Halves", "Pullback", "seeds"]


@dataclass(frozen=True, slots=True)
class Halves:
    """What `vjp` runs for calls of one signature: `forward` gives the outputs, then the residuals.

    `backward` takes the inputs, the residuals, then the cotangents. `types` are those of the gradients by `wrt`.
    """

    forward: Calls
    backward: Calls
    outputs: tuple[str, ...]
    wrt: tuple[str, ...]
    types: tuple[Any, ...]

    def run(
        self, inputs: Sequence[Any], sizes: Mapping[str, int], out: Sequence[Any]
    ) -> tuple[list[Any], Pullback]:
        """The outputs, in the arrays of `out` where there are some, and the pullback."""
        if out:
            inputs = self.forward.unwritten(inputs, out)
            out = (*out, *(None,) * (len(self.forward.outputs) - len(self.outputs)))
        results = self.forward(inputs, sizes, out)
        count = len(self.outputs)
        values, residuals = results[:count], results[count:]
        forms = tuple([(v.shape, v.dtype, place_of(v)) for v in values])
        return values, Pullback(self, (*inputs, *residuals), sizes, forms)


@dataclass(frozen=True, slots=True, eq=False)
class Pullback:
    """A function from cotangents, one for each output, to a dict of gradients by input.

    It takes one cotangent, a tuple, or several; None is zero. `out` is a dict of arrays by input, or a tuple of them in
    the order of `wrt`, to write to; `accumulate` adds to them instead.
    """

    _halves: Halves
    _kept: tuple[Any, ...]  # inputs and residuals
    _sizes: Mapping[str, int]
    _forms: tuple[tuple[tuple[int, ...], np.dtype[Any], Place], ...]  # of the outputs

    def __call__(
        self, *cotangents: Any, out: Any = None, accumulate: bool = False
    ) -> dict[str, Any]:
        halves = self._halves
        given = seeds(halves.outputs, cotangents[0] if len(cotangents) == 1 else cotangents)
        if not isinstance(out, (dict, tuple, NoneType)):
            raise ArgumentError(
                None, "`out` is neither a dict nor a tuple", fix="give one by input"
            )
        into = targets(halves.wrt, out, "gradients")
        seeded = [
            halves.backward.zeros(*form) if c is None else c
            for c, form in zip(given, self._forms, strict=True)
        ]
        arrays = (*self._kept, *seeded)
        results = halves.backward(arrays, self._sizes, into, accumulate, halves.types)
        return dict(zip(halves.wrt, results, strict=True))


def seeds(outputs: Sequence[str], cotangents: Any) -> tuple[Any, ...]:
    """A cotangent for each output."""
    given = cotangents if isinstance(cotangents, tuple) else (cotangents,)
    if len(given) != len(outputs):
        raise ArgumentError(
            None,
            f"{len(given)} cotangents are given, and there are {len(outputs)} outputs",
            fix="give a tuple, of one for each output; None is zero",
        )
    return given
