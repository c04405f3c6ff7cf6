"""Calls of a program: arguments bound and checked, sizes found, results written where they are wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from tadc.errors import Error
from tadc.ir.program import Program
from tadc.options import Options
from tadc.resolve.resolve import Resolved
from tadc.runtime.arguments import bound_arguments, element_type, prepared
from tadc.runtime.binding import bind_sizes
from tadc.runtime.run import Runners

__all__ = ["Call", "Calls"]

MOST_SIGNATURES = 256  # sets of shapes whose sizes are kept


@dataclass(frozen=True, slots=True)
class Call:
    """Arrays by input, which of them are Python's numbers, the sizes that the caller gave, and all sizes."""

    arrays: Mapping[str, NDArray[Any]]
    scalars: Set[str]
    given: Mapping[str, int]
    sizes: Mapping[str, int]


class Calls:
    """Runs one program. `resolved` has what a call must show before it runs."""

    def __init__(self, program: Program, resolved: Resolved, options: Options) -> None:
        self._program = program
        self._resolved = resolved
        self._options = options
        self._runners = Runners(program)
        self._sizes: dict[object, dict[str, int]] = {}

    def bound(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> Call:
        """The call with these arguments. Raises ArgumentError, ShapeError and RangeError for those that do not fit."""
        bound = bound_arguments(self._program, arrays, named)
        shapes = {n: a.shape for n, a in bound.arrays.items()}
        return Call(bound.arrays, bound.scalars, bound.sizes, self.sizes(shapes, bound.sizes))

    def sizes(
        self, shapes: Mapping[str, tuple[int, ...]], given: Mapping[str, int]
    ) -> dict[str, int]:
        """The sizes of a call, after all that depends on them has been checked; remembered by signature."""
        key = (tuple(shapes.items()), tuple(sorted(given.items())))
        if key not in self._sizes:
            sizes = bind_sizes(self._program, shapes, given)
            for fact in self._resolved.facts:
                fact.verify(sizes)
            for unproved in self._resolved.checks:
                unproved.verify(sizes)
            if len(self._sizes) >= MOST_SIGNATURES:
                self._sizes.clear()
            self._sizes[key] = sizes
        return self._sizes[key]

    def run(self, call: Call) -> dict[str, NDArray[Any]]:
        """The outputs by name."""
        options = self._options
        dtype = element_type(self._program, call.arrays, options.dtype, call.scalars)
        arrays = prepared(self._program, call.arrays, dtype)
        try:
            return self._runners.run(options.backend, dtype, arrays, call.sizes)
        except MemoryError:
            raise Error(
                None, "there is not enough memory for this call", fix="use smaller arrays"
            ) from None
