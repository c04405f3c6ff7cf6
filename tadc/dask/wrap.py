"""`tadc.dask.wrap`: a function on Dask arrays, with choices about how it is computed, a plan, and advice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dask.array as da
import numpy as np

from tadc.dask.advice import Advice, chunks_of, coarser
from tadc.dask.arguments import bound_call, check_shape, refuse_out, source_of
from tadc.dask.choices import LIMIT, Choices
from tadc.dask.halves import Halves
from tadc.dask.plan import Plan
from tadc.dask.tasks import warm
from tadc.errors import ArgumentError
from tadc.function.derivatives import HALVES, Wrt, chosen_inputs
from tadc.function.function import Function
from tadc.function.sparse import SparseFunction

__all__ = ["DaskFunction", "SparseDaskFunction", "wrap"]


def wrap(
    f: Function,
    *,
    chunks: Mapping[str, Any] | None = None,
    keep: Sequence[str] | None = None,
    split: Mapping[str, Any] | tuple[()] | None = None,
    limit: float = LIMIT,
    slices: bool | None = None,
) -> DaskFunction | SparseDaskFunction:
    """The function for Dask arrays, and for arrays in stores such as zarr's; results are lazy Dask arrays.

    `chunks` are those of results by name, as Dask writes them; `keep` names the intermediates that become Dask arrays, instead
    of those that are chosen; `split` has the indices of a reduction that are computed in parts, by its tensor (`()` for none),
    or is `()`: nothing is in parts;
    `limit` is in bytes a task; `slices` says whether pieces of chunks are cut off before they are sent, by default where there
    are other processes. Raises ArgumentError for what does not fit.
    """
    made = Choices.of(chunks, keep, split, limit, slices)
    if isinstance(f, SparseFunction):
        return SparseDaskFunction(f, made)
    if not isinstance(f, Function):
        raise ArgumentError(
            None, f"`f` is {type(f).__name__}", fix="give what `tadc.compile` or `load` returned"
        )
    return DaskFunction(f, made)


class DaskFunction:
    """A function of tadc on Dask arrays: nothing is computed before Dask is asked to.

    Errors of a call are raised by the call, from the shapes of the whole arrays; tasks raise none.
    """

    def __init__(self, function: Function, choices: Choices) -> None:
        self.function = function
        self.choices = choices

    def __repr__(self) -> str:
        return f"tadc.dask.wrap({self.function!r})"

    def __call__(
        self, /, *arrays: Any, out: Any = None, accumulate: bool = False, **named: Any
    ) -> Any:
        """The output as a Dask array, or a tuple of them in the order of `outputs`. Raises ArgumentError for `out`."""
        refuse_out(out, accumulate)
        bound = bound_call(self.function, arrays, named, self.choices)
        call = bound.call(bound.f.program, bound.sources, _follow(bound.f))
        return _returned([call.array(n) for n in bound.f.outputs])

    def vjp(
        self, /, *arrays: Any, wrt: Wrt = None, out: Any = None, **named: Any
    ) -> tuple[Any, Callable[..., dict[str, Any]]]:
        """The outputs, and the pullback from cotangents, with any chunks, to a dict of gradients, with those of their inputs."""
        refuse_out(out, False)
        bound = bound_call(self.function, arrays, named, self.choices, HALVES)
        halves = Halves(bound, chosen_inputs(bound.f, wrt, bound.f.real_inputs))
        return _returned([halves.first.array(n) for n in bound.f.outputs]), halves.pullback

    def value_and_gradients(
        self, /, *arrays: Any, cotangent: Any = None, wrt: Wrt = None, **named: Any
    ) -> tuple[Any, dict[str, Any]]:
        """The outputs and a dict of gradients; the cotangent of a scalar output is 1 if it is left out."""
        values, pullback = self.vjp(*arrays, wrt=wrt, **named)
        if cotangent is None:
            if isinstance(values, tuple) or values.ndim:
                raise ArgumentError(
                    None,
                    "`cotangent` is missing",
                    fix="give one: only that of a scalar output is 1",
                )
            cotangent = np.ones((), values.dtype)
        return values, pullback(cotangent)

    def jvp(
        self,
        primals: Mapping[str, Any],
        tangents: Mapping[str, Any],
        *,
        out: Any = None,
        accumulate: bool = False,
    ) -> tuple[Any, Any]:
        """The outputs and their tangents. An input left out of `tangents` is not differentiated by."""
        refuse_out(out, accumulate)
        bound = bound_call(self.function, (), primals, self.choices, ("jvp",))
        f = bound.f
        chosen = tuple(x for x in f.inputs if x in tangents)
        chosen_inputs(f, tuple(tangents), ())
        both = f._derivative("jvp", chosen)
        sources = dict(bound.sources)
        for x, name in zip(chosen, both.inputs[len(f.inputs) :], strict=True):
            sources[name] = source_of(f"the tangent of {x}", tangents[x], bound.choices)
            check_shape(f"the tangent of {x}", sources[name].shape, bound.sources[x].shape)
        call = bound.call(both.program, sources, {})
        results = [call.array(n) for n in both.outputs]
        count = len(f.outputs)
        return _returned(results[:count]), _returned(results[count:])

    # ------------------------------------------------------------------ plans

    def plan(self, /, *arrays: Any, wrt: Wrt = None, gradients: bool = False, **named: Any) -> Plan:
        """How a call is computed: `.kept`, `.inside`, `.chunks`, `.splits`, `.tasks`, `.task_bytes`, `.moved_bytes`; with `gradients` of `vjp`."""
        bound = bound_call(
            self.function, arrays, named, self.choices, HALVES if gradients else ("primal",)
        )
        if not gradients:
            return bound.call(bound.f.program, bound.sources, _follow(bound.f)).plan
        halves = Halves(bound, chosen_inputs(bound.f, wrt, bound.f.real_inputs))
        shapes = [halves.first.array(n) for n in bound.f.outputs]
        seed = tuple(da.zeros(y.shape, chunks=y.chunks, dtype=y.dtype) for y in shapes)
        second = halves.second(seed)
        plans = halves.first.plan, second.plan
        return Plan(tuple(t for p in plans for t in p.tensors), second.backend)

    def advice(self, /, *arrays: Any, **named: Any) -> Advice:
        """Chunks of the inputs with fewer tasks, and with less to move, each with its plan; the present plan first."""
        bound = bound_call(self.function, arrays, named, self.choices)
        plans = [(chunks_of(bound.sources), self.plan(*arrays, **named))]
        for change in (2, 4):
            for dimensions in ("all", "last"):
                sources = {n: coarser(s, change, dimensions) for n, s in bound.sources.items()}
                try:
                    call = bound.call(bound.f.program, sources, _follow(bound.f))
                except ArgumentError:
                    continue  # such chunks are larger than the limit
                plans.append((chunks_of(sources), call.plan))
        return Advice(tuple(plans))

    def warm(self, client: Any, /, *arrays: Any, **named: Any) -> None:
        """Compile the texts of a call in every worker of a `distributed` client, before it is needed."""
        bound = bound_call(self.function, arrays, named, self.choices)
        call = bound.call(bound.f.program, bound.sources, _follow(bound.f))
        for t in call.tensors:
            code, sizes = call.codes[t.name]
            client.run(warm, code, sizes, bound.dtype)


class SparseDaskFunction:
    """A function with sparse tensors, which are whole, beside Dask arrays; choices name the tensors of its function of arrays.

    A result with the pattern of a sparse array is a Dask array of one chunk, which is such an array; that of a tuple is a
    tuple, its values a Dask array.
    """

    def __init__(self, function: SparseFunction, choices: Choices) -> None:
        self.function = function
        self.choices = choices
        self._plain = DaskFunction(function.plain, choices)
        self._calls = function.run_by(self._plain)

    def __repr__(self) -> str:
        return f"tadc.dask.wrap({self.function!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return SparseDaskFunction, (self.function, self.choices)

    def __call__(
        self, /, *arrays: Any, out: Any = None, accumulate: bool = False, **named: Any
    ) -> Any:
        """As that of a `DaskFunction`."""
        refuse_out(out, accumulate)
        return self._calls(*arrays, **named)

    def vjp(
        self, /, *arrays: Any, wrt: Wrt = None, out: Any = None, **named: Any
    ) -> tuple[Any, Callable[..., dict[str, Any]]]:
        """As that of a `DaskFunction`."""
        refuse_out(out, False)
        return self._calls.vjp(*arrays, wrt=wrt, **named)

    def value_and_gradients(
        self, /, *arrays: Any, cotangent: Any = None, wrt: Wrt = None, **named: Any
    ) -> tuple[Any, dict[str, Any]]:
        """As that of a `DaskFunction`."""
        return self._calls.value_and_gradients(*arrays, cotangent=cotangent, wrt=wrt, **named)

    def jvp(
        self,
        primals: Mapping[str, Any],
        tangents: Mapping[str, Any],
        *,
        out: Any = None,
        accumulate: bool = False,
    ) -> tuple[Any, Any]:
        """As that of a `DaskFunction`."""
        refuse_out(out, accumulate)
        return self._calls.jvp(primals, tangents)

    def plan(self, /, *arrays: Any, wrt: Wrt = None, gradients: bool = False, **named: Any) -> Plan:
        """As that of a `DaskFunction`."""
        values, sizes = self.function.plain_call(arrays, named)
        chosen = self.function.plain_names(wrt)
        return self._plain.plan(*values, wrt=chosen, gradients=gradients, **sizes)

    def advice(self, /, *arrays: Any, **named: Any) -> Advice:
        """As that of a `DaskFunction`."""
        values, sizes = self.function.plain_call(arrays, named)
        return self._plain.advice(*values, **sizes)

    def warm(self, client: Any, /, *arrays: Any, **named: Any) -> None:
        """As that of a `DaskFunction`."""
        values, sizes = self.function.plain_call(arrays, named)
        self._plain.warm(client, *values, **sizes)


def _follow(f: Function) -> dict[str, str]:
    """The inputs whose chunks the outputs of an adjoint have."""
    mode, wrt = (f._origin.derivations or (("primal", ()),))[-1]
    return dict(zip(f.outputs, wrt, strict=True)) if mode in ("adjoint", "gradient") else {}


def _returned(results: Sequence[Any]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)
