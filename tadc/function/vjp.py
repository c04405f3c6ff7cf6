"""`f.vjp` in two halves: outputs with residuals, and the pullback, which makes gradients of them.

A pullback holds the inputs and the residuals, and no output: whoever has those may do with them what he likes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from tadc import compiler
from tadc.bounded_cache import BoundedCache
from tadc.errors import ArgumentError, counted
from tadc.function.derivatives import HALVES, Wrt, chosen_inputs
from tadc.function.signature import with_argument_errors
from tadc.ir.element_types import HALF_TYPES
from tadc.runtime.arguments import targets
from tadc.runtime.calls import MOST_SIGNATURES, Call, Calls, Place, place_of, signature
from tadc.runtime.element_types import is_real
from tadc.schedule.nest.memory import WORTH, fits, oversized

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["Pullback", "Vjp", "gradient_types", "seeds"]

MOST_DECIDED = 64  # sets of sizes for which it is kept whether there are residuals


class Vjp:
    """The implementation of a function's `vjp`: decided once per set of sizes, and kept by the signature of calls."""

    def __init__(self, f: Function) -> None:
        self._function = f
        self._halves: BoundedCache[_Halves] = BoundedCache(MOST_SIGNATURES)
        self._decided: BoundedCache[tuple[Function, Function]] = BoundedCache(MOST_DECIDED)

    def __call__(
        self, arrays: Sequence[Any], named: Mapping[str, Any], wrt: Wrt, out: Any
    ) -> tuple[list[Any], Pullback]:
        """The outputs, in the arrays of `out` where there are some, and the pullback."""
        f = self._function
        into = targets(f.outputs, out, "output")
        ordered, sizes = f.calls.ordered(arrays, named)
        ordered = f.calls.held(ordered)  # index tensors may change before the pullback
        chosen = wrt if isinstance(wrt, (str, NoneType)) else chosen_inputs(f, wrt, ())
        key = signature(ordered, sizes)
        halves = None if key is None else self._halves.get((key, chosen))
        if halves is not None:
            return halves.run(ordered, sizes, into)
        bound = f.calls.bound(ordered, sizes)
        made = self._made(bound, chosen)
        if isinstance(made, Vjp):
            return made(ordered, {}, chosen, out)
        if key is not None:
            self._halves.keep((key, chosen), made)
        pairs = zip(f.inputs, ordered, strict=True)
        own = bound.scalars | bound.indices.keys()
        ordered = [a if n in own else bound.arrays[n] for n, a in pairs]
        return made.run(ordered, sizes, into)

    def _made(self, bound: Call, wrt: Wrt) -> _Halves | Vjp:
        """The halves for a call; where an extent is 0, the `Vjp` of the function for these sizes."""
        f = self._function
        chosen, gradients = gradient_types(f, bound, wrt)
        dtype = f.calls.element_type(bound)
        forward, backward = self.parts(chosen, bound.sizes, dtype)
        sizes = {s: bound.sizes[s] for s in f._program.sizes}
        if sizes and any(g._program.is_empty(bound.sizes) for g in (forward, backward)):
            return f._of_numbers(sizes)._vjp
        backward.calls.prepare(bound.sizes, dtype, f.calls.backend(bound))
        return _Halves(forward.calls, backward.calls, f.outputs, chosen, gradients)

    def parts(
        self, wrt: tuple[str, ...], sizes: Mapping[str, int], dtype: str
    ) -> tuple[Function, Function]:
        """The function that runs first, whose outputs are followed by the residuals, and the one that the pullback runs on
        the residuals.

        Where the residuals would be too large, or rounded, there are none, and the second is the whole adjoint.
        """
        f = self._function
        rounds = self.rounds(dtype)
        key = (wrt, rounds, tuple(sizes[s] for s in f._program.sizes))
        return self._decided.of(
            key, lambda: (f, f.adjoint(wrt)) if rounds else self._decide(wrt, sizes)
        )

    def rounds(self, dtype: str) -> bool:
        """Whether residuals would be rounded, since they are results.

        To 16 bits; and by the interpreter, which has float32 nowhere else.
        """
        return dtype in HALF_TYPES or self._function._options.backend == "interpreter"

    def _decide(self, wrt: tuple[str, ...], sizes: Mapping[str, int]) -> tuple[Function, Function]:
        f, options = self._function, self._function._options
        forward, backward = (f._derivative(half, wrt) for half in HALVES)
        residuals = set(forward.outputs) - set(f.outputs)
        inside = replace(forward._program, outputs=f.outputs)  # where residuals are temporaries
        values = inside.size_values({s: sizes[s] for s in inside.sizes})
        dtype = options.dtype or "float64"
        halves = forward, backward
        is_modelled = options.storage == "auto" and not compiler.reads_data(inside)
        on_gpu = is_modelled and options.backend == "cuda"
        decisive = options.storage, options.memory_limit
        if not residuals or not (on_gpu or residuals & oversized(inside, values, dtype, *decisive)):
            return halves
        whole = f, f.adjoint(wrt)
        if not is_modelled or not fits(inside, values, dtype, options.memory_limit):
            return whole

        def seconds(functions: tuple[Function, Function]) -> float:
            of = compiler.gpu_seconds if on_gpu else compiler.cpu_seconds
            return sum(of(g._program, values, dtype, options) for g in functions)

        worth = 1 if on_gpu else WORTH
        return halves if worth * seconds(halves) <= seconds(whole) else whole


@dataclass(frozen=True, slots=True)
class _Halves:
    """The two halves of `vjp` for calls of one signature: `forward` gives the outputs, then the residuals.

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

    _halves: _Halves
    _kept: tuple[Any, ...]  # inputs and residuals
    _sizes: Mapping[str, int]
    _forms: tuple[tuple[tuple[int, ...], np.dtype[Any], Place], ...]  # of the outputs

    @with_argument_errors
    def __call__(
        self, *cotangents: Any, out: Any = None, accumulate: bool = False
    ) -> dict[str, Any]:
        halves = self._halves
        given = seeds(halves.outputs, cotangents[0] if len(cotangents) == 1 else cotangents)
        if not isinstance(out, (dict, tuple, NoneType)):
            raise ArgumentError(
                None, "`out` is neither a dict nor a tuple", fix="give one by input"
            )
        into = targets(halves.wrt, out, "gradient")
        seeded = [
            halves.backward.zeros(*form) if c is None else c
            for c, form in zip(given, self._forms, strict=True)
        ]
        arrays = (*self._kept, *seeded)
        results = halves.backward(arrays, self._sizes, into, accumulate, halves.types)
        return dict(zip(halves.wrt, results, strict=True))


def gradient_types(f: Function, bound: Call, wrt: Wrt) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """The inputs that a call differentiates by, without `wrt` all with real elements, and the types of their gradients.

    A gradient has its input's type; that by integers is of the type that it is computed in, which None stands for.
    """
    types = {n: a.dtype if is_real(a.dtype) else None for n, a in bound.arrays.items()}
    chosen = chosen_inputs(f, wrt, [n for n, t in types.items() if t is not None])
    return chosen, tuple(types[x] for x in chosen)


def seeds(outputs: Sequence[str], cotangents: Any) -> tuple[Any, ...]:
    """A cotangent for each output."""
    given = cotangents if isinstance(cotangents, tuple) else (cotangents,)
    if len(given) != len(outputs):
        raise ArgumentError(
            None,
            f"{counted(len(given), 'cotangent')} for {counted(len(outputs), 'output')}",
            fix="give a tuple, of one for each output; None is zero",
        )
    return given
