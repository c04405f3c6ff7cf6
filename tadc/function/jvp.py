"""`f.jvp`: outputs and their tangents in one run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tadc.bounded_cache import BoundedCache
from tadc.function.derivatives import chosen_inputs
from tadc.runtime.arguments import targets
from tadc.runtime.calls import MOST_SIGNATURES, signature

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["Jvp"]


class Jvp:
    """What `jvp` of a function runs; the types of its outputs are kept by signature of calls."""

    def __init__(self, f: Function) -> None:
        self._function = f
        self._types: BoundedCache[tuple[Any, ...]] = BoundedCache(MOST_SIGNATURES)

    def __call__(
        self, primals: Mapping[str, Any], tangents: Mapping[str, Any], out: Any, accumulate: bool
    ) -> tuple[list[Any], list[Any]]:
        """The outputs, and their tangents, which `out` and `accumulate` are for."""
        f = self._function
        into = targets(f.outputs, out, "outputs")
        arrays, sizes = f.calls.ordered((), primals)
        chosen = tuple([x for x in f.inputs if x in tangents])
        if len(chosen) < len(tangents):
            chosen_inputs(f, tuple(tangents), ())
        key = signature(arrays, sizes)
        types = None if key is None else self._types.get(key)
        if types is None:
            types = f.calls.types(f.calls.bound(arrays, sizes))
            if key is not None:
                self._types.keep(key, types)
        count = len(f.outputs)
        both = f._derivative("jvp", chosen).calls(
            (*arrays, *map(tangents.__getitem__, chosen)),
            sizes,
            (*(None,) * count, *into) if into else (),
            accumulate,
            (*types, *(None,) * count),
        )
        return both[:count], both[count:]
