"""The two halves of `vjp` on Dask arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import dask.array as da

from tadc.dask.arguments import Bound, check_shape, refuse_out, source_of
from tadc.dask.call import LazyCall
from tadc.function.derivatives import HALVES
from tadc.function.vjp import seeds

__all__ = ["Halves"]


class Halves:
    """The value and the gradients of a call as one graph: what both need is computed once."""

    def __init__(self, bound: Bound, wrt: tuple[str, ...]) -> None:
        self.bound = bound
        self.wrt = wrt
        self.forward, self.backward = (bound.f._derivative(half, wrt).program for half in HALVES)
        residuals = self.forward.outputs[len(bound.f.outputs) :]
        first = replace(self.forward, outputs=bound.f.outputs)
        self.first = bound.call(first, bound.sources, {}, residuals, self.forward)

    def pullback(
        self, *cotangents: Any, out: Any = None, accumulate: bool = False
    ) -> dict[str, Any]:
        """A dict of gradients by input, as Dask arrays. None is a cotangent of zeros."""
        refuse_out(out, accumulate)
        given = cotangents[0] if len(cotangents) == 1 else cotangents
        call = self.second(seeds(self.bound.f.outputs, given))
        gradients = {}
        for x, name in zip(self.wrt, self.backward.outputs, strict=True):
            own = self.bound.sources[x].dtype
            gradient = call.array(name)
            gradients[x] = gradient.astype(own) if own.kind == "f" else gradient
        return gradients

    def second(self, cotangents: Sequence[Any]) -> LazyCall:
        """The backward half, with the statements of the forward one that it needs and that are not kept."""
        have = {t.name for t in self.forward.inputs} | {
            s.target.name for s in self.forward.statements
        }
        new = [t for t in self.backward.inputs if t.name not in have]
        sources = dict(self.first.sources)
        for t, output, value in zip(new, self.bound.f.outputs, cotangents, strict=True):
            shape = t.shape_at(self.bound.sizes)
            if value is None:
                value = da.zeros_like(self.first.array(output), dtype=self.bound.dtype)
            source = source_of(f"the cotangent of {output}", value, self.bound.choices)
            check_shape(f"the cotangent of {output}", source.shape, shape)
            sources[t.name] = source
        both = replace(
            self.backward,
            inputs=(*self.forward.inputs, *new),
            statements=(*self.forward.statements, *self.backward.statements),
            given=(),
        )
        follow = dict(zip(self.backward.outputs, self.wrt, strict=True))
        return self.bound.call(both, sources, follow, one_call=self.backward)
