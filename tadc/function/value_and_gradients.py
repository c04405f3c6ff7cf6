"""`f.value_and_gradients`: outputs and gradients from one call, and whether one program or two compute them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

from tadc import compiler
from tadc.bounded_cache import BoundedCache
from tadc.cache import disk_cached
from tadc.errors import ArgumentError, counted
from tadc.function.derivatives import Wrt, chosen_inputs
from tadc.function.vjp import gradient_types, seeds
from tadc.ir.element_types import HALF_TYPES
from tadc.runtime.calls import MOST_SIGNATURES, Calls, signature

if TYPE_CHECKING:
    from tadc.function.function import Function
    from tadc.function.vjp import Vjp

__all__ = ["ValueAndGradients"]

MOST_DECIDED = 64  # sets of sizes for which it is kept which programs run

# From inputs in their order, sizes, and a cotangent for each output: the outputs, and the gradients by input.
Run: TypeAlias = Callable[
    [Sequence[Any], Mapping[str, int], Sequence[Any]], tuple[list[Any], dict[str, Any]]
]


class ValueAndGradients:
    """The implementation of a function's `value_and_gradients`; how a call is run is kept by its signature."""

    def __init__(self, f: Function) -> None:
        self._function = f
        self._runs: BoundedCache[Run] = BoundedCache(MOST_SIGNATURES)
        self._decided: BoundedCache[tuple[Function, ...]] = BoundedCache(MOST_DECIDED)

    def __call__(
        self, arrays: Sequence[Any], named: Mapping[str, Any], cotangent: Any, wrt: Wrt
    ) -> tuple[list[Any], dict[str, Any]]:
        """The outputs, and the gradients by input."""
        f = self._function
        given = self._seeds(cotangent)
        inputs, sizes = f.calls.ordered(arrays, named)
        chosen = wrt if isinstance(wrt, (str, NoneType)) else chosen_inputs(f, wrt, ())
        key = signature((*inputs, *[c for c in given if c is not None]), sizes)
        zeros = tuple([c is None for c in given])
        run = None if key is None else self._runs.get((key, zeros, chosen))
        if run is None:
            run = self._run(inputs, sizes, given, chosen)
            if key is not None:
                self._runs.keep((key, zeros, chosen), run)
        return run(inputs, sizes, given)

    def _seeds(self, cotangent: Any) -> tuple[Any, ...]:
        """A cotangent for each output: 1 for a scalar, if there is none."""
        f = self._function
        if cotangent is not None:
            return seeds(f.outputs, cotangent)
        if len(f.outputs) > 1:
            raise ArgumentError(
                None,
                f"there are {len(f.outputs)} outputs, {', '.join(f.outputs)}, and no `cotangent`",
                fix=f"give one for each, `cotangent=({', '.join(f'd{o}' for o in f.outputs)})`; None is zero",
            )
        (output,) = f.outputs
        if f.rank(output):
            raise ArgumentError(
                None,
                f"{output} has {counted(f.rank(output) or 0, 'dimension')}, and there is no `cotangent`",
                fix=f"give an array of its shape, `cotangent=d{output}`, or sum over it in the formula",
            )
        return (1.0,)

    def _run(
        self, inputs: Sequence[Any], sizes: Mapping[str, int], given: Sequence[Any], wrt: Wrt
    ) -> Run:
        f = self._function
        bound = f.calls.bound(inputs, sizes)
        chosen, types = gradient_types(f, bound, wrt)
        halves = _InHalves(f._vjp, chosen)
        # Zeros are made from an output, and an extent of 0 asks for other programs: both are the business of `vjp`.
        if any(c is None for c in given) or f._program.is_empty(bound.sizes):
            return halves
        dtype = f.calls.element_type(bound)
        parts = self.parts(chosen, bound.sizes, dtype)
        if len(parts) > 1:
            return halves
        calls = parts[0].calls
        # A cotangent of more digits would change how the outputs are computed.
        if calls.element_type(calls.bound((*inputs, *given), sizes)) != dtype:
            return halves
        return _AtOnce(calls, len(f.outputs), chosen, types)

    def parts(
        self, wrt: tuple[str, ...], sizes: Mapping[str, int], dtype: str
    ) -> tuple[Function, ...]:
        """The functions that run, for numbers of all sizes: one with outputs and gradients, or the two of `vjp`.

        One program shares what both need, writes no residuals, and is one launch. Two are cheaper where the one would
        compute again what residuals hold. With elements of 16 bits there are two, since a gradient reads
        what the program computes, and not the outputs, which are rounded.
        """
        f = self._function
        if dtype in HALF_TYPES:
            return f._vjp.parts(wrt, sizes, dtype)
        key = (wrt, dtype, tuple(sizes[s] for s in f._program.sizes))
        return self._decided.of(key, lambda: self._cheaper(*key))

    def _cheaper(
        self, wrt: tuple[str, ...], dtype: str, numbers: tuple[int, ...]
    ) -> tuple[Function, ...]:
        """The cheaper ones for these values of the program's sizes; remembered on disk."""
        f, options = self._function, self._function._options
        sizes = f._program.size_values(dict(zip(f._program.sizes, numbers, strict=True)))

        def halves() -> tuple[Function, ...]:
            return f._vjp.parts(wrt, sizes, dtype)

        def seconds(parts: Sequence[Function]) -> float:
            return sum(compiler.cpu_seconds(p.program, sizes, dtype, options) for p in parts)

        whole = (f._derivative("vjp", wrt),)
        chosen = (options.dtype, options.storage, options.memory_limit, f._vjp.rounds(dtype))
        key = ("at once", f._origin.key, wrt, dtype, numbers, *chosen)
        one = disk_cached(key, lambda: seconds(whole) <= seconds(halves()))
        return whole if one else halves()


@dataclass(frozen=True, slots=True)
class _AtOnce:
    """One program, of the inputs and then the cotangents; it gives the outputs, then the gradients by `wrt`, of `types`."""

    calls: Calls
    outputs: int
    wrt: tuple[str, ...]
    types: tuple[Any, ...]

    def __call__(
        self, inputs: Sequence[Any], sizes: Mapping[str, int], given: Sequence[Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        results = self.calls((*inputs, *given), sizes, types=(*(None,) * self.outputs, *self.types))
        values, gradients = results[: self.outputs], results[self.outputs :]
        return values, dict(zip(self.wrt, gradients, strict=True))


@dataclass(frozen=True, slots=True)
class _InHalves:
    """The two programs of `vjp`, one after the other."""

    vjp: Vjp
    wrt: tuple[str, ...]

    def __call__(
        self, inputs: Sequence[Any], sizes: Mapping[str, int], given: Sequence[Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        values, pullback = self.vjp(inputs, sizes, self.wrt, None)
        return values, pullback(*given)
