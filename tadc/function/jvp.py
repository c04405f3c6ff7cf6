"""`f.jvp`: outputs and their tangents in one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tadc.function.derivatives import chosen_inputs
from tadc.runtime.arguments import targets

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["Jvp"]


class Jvp:
    """The program that `jvp` of a function runs."""

    def __init__(self, f: Function) -> None:
        self._function = f
        # One object, by which calls know that they are of the same form.
        self._types = self._types_of

    def __call__(
        self, primals: Mapping[str, Any], tangents: Mapping[str, Any], out: Any, accumulate: bool
    ) -> tuple[list[Any], list[Any]]:
        """The outputs, and their tangents, which `out` and `accumulate` are for."""
        f = self._function
        into = targets(f.outputs, out, "output")
        arrays, sizes = f.calls.ordered((), primals)
        chosen = tuple([x for x in f.inputs if x in tangents])
        if len(chosen) < len(tangents):
            chosen_inputs(f, tuple(tangents), ())
        count = len(f.outputs)
        both = f._derivative("jvp", chosen).calls(
            (*arrays, *map(tangents.__getitem__, chosen)),
            sizes,
            (*(None,) * count, *into) if into else (),
            accumulate,
            self._types,
        )
        return both[:count], both[count:]

    def _types_of(self, arrays: Sequence[Any], sizes: Mapping[str, int]) -> tuple[Any, ...]:
        """Those of the function's own outputs, from its primals; and the tangents', as they are computed."""
        f = self._function
        primals = arrays[: len(f.inputs)]
        return (*f.calls.types(f.calls.bound(primals, sizes)), *(None,) * len(f.outputs))
