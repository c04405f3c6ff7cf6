"""`tadc.dask.wrap`: a function on Dask arrays, with choices about how it is computed, a plan, and advice."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import dask.array as da
import numpy as np

from tadc import compiler
from tadc.dask.call import LazyCall
from tadc.dask.choices import LIMIT, Choices
from tadc.dask.plan import Plan
from tadc.dask.sources import Source
from tadc.dask.tasks import warm
from tadc.errors import ArgumentError, BackendError, ShapeError
from tadc.function.derivatives import HALVES, Wrt, chosen_inputs
from tadc.function.foreign import other_kinds
from tadc.function.function import Function
from tadc.function.operator import arguments
from tadc.function.sparse import SparseFunction
from tadc.function.vjp import seeds
from tadc.ir.element_types import ELEMENT_TYPES, INDEX
from tadc.ir.program import Program
from tadc.runtime.arguments import NUMBERS
from tadc.runtime.calls import Call

__all__ = ["DaskFunction", "wrap"]

LARGE = 10_000_000  # bytes of a numpy array that becomes one chunk


def wrap(
    f: Function,
    *,
    chunks: Mapping[str, Any] | None = None,
    keep: Sequence[str] | None = None,
    split: Mapping[str, Any] | tuple[()] | None = None,
    limit: float = LIMIT,
    slices: bool | None = None,
) -> DaskFunction:
    """The function for Dask arrays, and for arrays in stores such as zarr's; results are lazy Dask arrays.

    `chunks` are those of results by name, as Dask writes them; `keep` names the intermediates that become Dask arrays, instead
    of those that are chosen; `split` has the indices of a reduction that are computed in parts, by its tensor (`()` for none),
    or is `()`: nothing is in parts;
    `limit` is in bytes a task; `slices` says whether pieces of chunks are cut off before they are sent, by default where there
    are other processes. Raises ArgumentError for what does not fit.
    """
    if isinstance(f, SparseFunction):
        raise ArgumentError(
            None,
            "`f` has sparse tensors, and what a block reads then depends on their patterns",
            fix="call it on whole arrays, or on blocks of rows: `f(A[first:last], x)`",
        )
    if not isinstance(f, Function):
        raise ArgumentError(
            None, f"`f` is {type(f).__name__}", fix="give what `tadc.compile` or `load` returned"
        )
    return DaskFunction(f, Choices.of(chunks, keep, split, limit, slices))


class DaskFunction:
    """A function of tadc on Dask arrays: nothing is computed before Dask is asked to.

    Errors of a call are raised by the call, from the shapes of the whole arrays; tasks raise none.
    """

    def __init__(self, function: Function, choices: Choices) -> None:
        self.function = function
        self.choices = choices

    def __repr__(self) -> str:
        return f"tadc.dask.wrap({self.function!r})"

    def __call__(self, /, *arrays: Any, **named: Any) -> Any:
        """The output as a Dask array, or a tuple of them in the order of `outputs`."""
        bound = _bound(self.function, arrays, named, self.choices)
        call = bound.call(bound.f.program, bound.sources, _follow(bound.f))
        return _returned([call.array(n) for n in bound.f.outputs])

    def vjp(
        self, /, *arrays: Any, wrt: Wrt = None, **named: Any
    ) -> tuple[Any, Callable[..., dict[str, Any]]]:
        """The outputs, and the pullback from cotangents, with any chunks, to a dict of gradients, with those of their inputs."""
        bound = _bound(self.function, arrays, named, self.choices, HALVES)
        halves = _Halves(bound, chosen_inputs(bound.f, wrt, bound.f.real_inputs))
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

    def jvp(self, primals: Mapping[str, Any], tangents: Mapping[str, Any]) -> tuple[Any, Any]:
        """The outputs and their tangents. An input left out of `tangents` is not differentiated by."""
        bound = _bound(self.function, (), primals, self.choices, ("jvp",))
        f = bound.f
        chosen = tuple(x for x in f.inputs if x in tangents)
        chosen_inputs(f, tuple(tangents), ())
        both = f._derivative("jvp", chosen)
        sources = dict(bound.sources)
        for x, name in zip(chosen, both.inputs[len(f.inputs) :], strict=True):
            sources[name] = _source(f"the tangent of {x}", tangents[x], bound.choices)
            _check_shape(f"the tangent of {x}", sources[name].shape, bound.sources[x].shape)
        call = bound.call(both.program, sources, {})
        results = [call.array(n) for n in both.outputs]
        count = len(f.outputs)
        return _returned(results[:count]), _returned(results[count:])

    # ------------------------------------------------------------------ plans

    def plan(self, /, *arrays: Any, wrt: Wrt = None, gradients: bool = False, **named: Any) -> Plan:
        """How a call is computed: `.kept`, `.inside`, `.chunks`, `.splits`, `.tasks`, `.task_bytes`, `.moved_bytes`; with `gradients` of `vjp`."""
        bound = _bound(
            self.function, arrays, named, self.choices, HALVES if gradients else ("primal",)
        )
        if not gradients:
            return bound.call(bound.f.program, bound.sources, _follow(bound.f)).plan
        halves = _Halves(bound, chosen_inputs(bound.f, wrt, bound.f.real_inputs))
        shapes = [halves.first.array(n) for n in bound.f.outputs]
        seed = tuple(da.zeros(y.shape, chunks=y.chunks, dtype=y.dtype) for y in shapes)
        second = halves.second(seed)
        plans = halves.first.plan, second.plan
        return Plan(tuple(t for p in plans for t in p.tensors), second.backend)

    def advice(self, /, *arrays: Any, **named: Any) -> Advice:
        """Chunks of the inputs with fewer tasks, and with less to move, each with its plan; the present plan first."""
        bound = _bound(self.function, arrays, named, self.choices)
        plans = [(_chunks_of(bound.sources), self.plan(*arrays, **named))]
        for change in (2, 4):
            for dimensions in ("all", "last"):
                sources = {n: _coarser(s, change, dimensions) for n, s in bound.sources.items()}
                try:
                    call = bound.call(bound.f.program, sources, _follow(bound.f))
                except ArgumentError:
                    continue  # such chunks are larger than the limit
                plans.append((_chunks_of(sources), call.plan))
        return Advice(tuple(plans))

    def warm(self, client: Any, /, *arrays: Any, **named: Any) -> None:
        """Compile the texts of a call in every worker of a `distributed` client, before it is needed."""
        bound = _bound(self.function, arrays, named, self.choices)
        call = bound.call(bound.f.program, bound.sources, _follow(bound.f))
        for t in call.tensors:
            code, sizes = call.codes[t.name]
            client.run(warm, code, sizes, bound.dtype)


@dataclass(frozen=True, slots=True)
class Advice:
    """Chunks of the inputs, each with the plan of the call; the present ones first."""

    plans: tuple[tuple[Mapping[str, Any], Plan], ...]

    @property
    def best(self) -> tuple[Mapping[str, Any], Plan]:
        """The chunks with the fewest tasks among those that move no more than now."""
        now = self.plans[0][1]
        fitting = [p for p in self.plans if p[1].moved_bytes <= now.moved_bytes]
        return min(fitting, key=lambda p: (p[1].tasks, p[1].task_bytes))

    def __str__(self) -> str:
        lines = []
        for k, (chunks, plan) in enumerate(self.plans):
            grid = ", ".join(f"{n} {c}" for n, c in chunks.items())
            what = "now" if not k else "with"
            lines.append(
                f"{what} {grid}: {plan.tasks} tasks, {plan.task_bytes / 1e6:.1f} MB a task, {plan.moved_bytes / 1e6:.1f} MB read"
            )
        return "\n".join(lines)


# ---------------------------------------------------------------------- arguments


@dataclass(frozen=True, slots=True)
class _Bound:
    """A call whose arguments were checked."""

    f: Function
    sources: dict[str, Source]
    sizes: Mapping[str, int]
    dtype: str
    choices: Choices

    def call(
        self,
        program: Program,
        sources: Mapping[str, Source],
        follow: Mapping[str, str],
        residuals: Sequence[str] = (),
        one_call: Program | None = None,
    ) -> LazyCall:
        options, sizes, choices = self.f._options, self.sizes, self.choices
        _check_places(sources)
        return LazyCall(
            program, options, sources, sizes, self.dtype, choices, follow, residuals, one_call
        )


def _bound(
    f: Function,
    arrays: Sequence[Any],
    named: Mapping[str, Any],
    choices: Choices,
    modes: Sequence[str] = ("primal",),
) -> _Bound:
    """The call, checked; its choices may name what the programs of these modes compute."""
    if choices.slices is None:
        choices = replace(choices, slices=_has_processes())
    values, given = arguments(f, arrays, named)
    by_name = dict(zip(f.inputs, values, strict=True))
    scalars = {n for n, v in by_name.items() if type(v) in NUMBERS}
    sources = {n: _source(n, v, choices) for n, v in by_name.items()}
    shapes = {n: s.shape for n, s in sources.items()}
    if f.open_sizes:
        f, given = f.of_shapes(shapes, given)
    _check_indices(f, sources)
    if choices.chunks or choices.keep or choices.split:
        choices.check([_in_mode(f, mode) for mode in modes])
    sizes = f.calls.sizes(shapes, given)
    types = {n: np.empty((0,) * len(s.shape), s.dtype) for n, s in sources.items()}
    dtype = f.calls.element_type(Call(types, scalars, given, sizes))
    if f.program.sizes and f.program.is_empty(sizes):
        f = f._of_numbers({s: sizes[s] for s in f.program.sizes})
        sources = dict(zip(f.inputs, sources.values(), strict=True))
        sizes = f.program.size_values({})
        choices = replace(choices, split=choices.split and {})  # what was a reduction may be none
    return _Bound(f, sources, sizes, dtype, choices)


def _check_indices(f: Function, sources: Mapping[str, Source]) -> None:
    """Raises ArgumentError for index tensors that the program computes, and for arrays of others that are no integers."""
    if computed := compiler.computed_indices(f.program):
        raise ArgumentError(
            None,
            f"elements of `{computed[0]}` are subscripts, and the program computes it",
            fix=f"compute `{computed[0]}` by a function of its own, and give it to this one as an input",
        )
    for t in f.program.inputs:
        if t.dtype == INDEX and sources[t.name].dtype.kind not in "iu":
            raise ArgumentError(
                None,
                f"`{t.name}` is used as an index here, and is {sources[t.name].dtype}",
                fix="give integers: `.astype('int64')`",
            )


def _in_mode(f: Function, mode: str) -> Program:
    return f.program if mode == "primal" else f._derivative(mode, f.real_inputs).program


def _has_processes() -> bool:
    """Whether a cluster's workers will run the tasks, as far as is known now."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.default_client()
    except ValueError:
        return False
    return True


def _source(name: str, value: Any, choices: Choices) -> Source:
    """The source of an argument. Raises BackendError for arrays of frameworks, ShapeError for unknown chunks."""
    array = value if _is_lazy(value) else _one_chunk(name, value)
    if array.dtype.kind not in "fiub" and array.dtype.name not in ELEMENT_TYPES:
        raise ArgumentError(
            None, f"the elements of `{name}` are no numbers: {array.dtype}", fix="convert the array"
        )
    if any(isnan(n) for n in array.shape):
        raise ShapeError(
            None, f"the shape of `{name}` is not known", fix="call `compute_chunk_sizes()` on it"
        )
    return Source(array, bool(choices.slices))


def _is_lazy(value: Any) -> bool:
    """Whether it is a Dask array, or an array in a store: it has a shape, a type, chunks, and slices."""
    parts = ("shape", "dtype", "chunks", "__getitem__")
    return isinstance(value, da.Array) or all(hasattr(value, part) for part in parts)


def _one_chunk(name: str, value: Any) -> Any:
    """A numpy array, or what can be one, as a Dask array of one chunk."""
    kind = other_kinds(value)
    if kind not in (None, "numpy"):
        raise BackendError(
            None,
            f"`{name}` is an array of {kind}, and another argument one of Dask",
            fix="make all of them Dask arrays",
        )
    array = np.asarray(value)
    if array.nbytes > LARGE:
        warnings.warn(
            f"`{name}` is one chunk of {array.nbytes / 1e6:.0f} MB: give `da.from_array(.., chunks=..)`",
            stacklevel=6,
        )
    return da.from_array(array, chunks=array.shape)


def _check_places(sources: Mapping[str, Source]) -> None:
    """Raises BackendError for chunks on a GPU and in the host's memory; single numbers may be anywhere."""
    on_gpu = [n for n, s in sources.items() if s.is_on_gpu]
    for name, source in sources.items() if on_gpu else ():
        if source.shape and not source.is_on_gpu:
            raise BackendError(
                None,
                f"`{name}` has chunks of numpy, and `{on_gpu[0]}` has chunks of CuPy",
                fix="`array.map_blocks(cupy.asarray)` moves chunks to the GPU",
            )


def _check_shape(what: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    if shape != wanted:
        raise ShapeError(None, f"{what} has the shape {shape}", fix=f"its shape is {wanted}")


def _follow(f: Function) -> dict[str, str]:
    """The inputs whose chunks the outputs of an adjoint have."""
    mode, wrt = (f._origin.derivations or (("primal", ()),))[-1]
    return dict(zip(f.outputs, wrt, strict=True)) if mode in ("adjoint", "gradient") else {}


def _returned(results: Sequence[Any]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


# ---------------------------------------------------------------------- gradients


class _Halves:
    """The value and the gradients of a call as one graph: what both need is computed once."""

    def __init__(self, bound: _Bound, wrt: tuple[str, ...]) -> None:
        self.bound = bound
        self.wrt = wrt
        self.forward, self.backward = (bound.f._derivative(half, wrt).program for half in HALVES)
        residuals = self.forward.outputs[len(bound.f.outputs) :]
        first = replace(self.forward, outputs=bound.f.outputs)
        self.first = bound.call(first, bound.sources, {}, residuals, self.forward)

    def pullback(self, *cotangents: Any) -> dict[str, Any]:
        """A dict of gradients by input, as Dask arrays. None is a cotangent of zeros."""
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
            source = _source(f"the cotangent of {output}", value, self.bound.choices)
            _check_shape(f"the cotangent of {output}", source.shape, shape)
            sources[t.name] = source
        both = replace(
            self.backward,
            inputs=(*self.forward.inputs, *new),
            statements=(*self.forward.statements, *self.backward.statements),
            given=(),
        )
        follow = dict(zip(self.backward.outputs, self.wrt, strict=True))
        return self.bound.call(both, sources, follow, one_call=self.backward)


def _chunks_of(sources: Mapping[str, Source]) -> dict[str, tuple[int, ...]]:
    """The largest chunk of each input."""
    return {n: tuple(max(c, default=0) for c in s.chunks) for n, s in sources.items()}


def _coarser(source: Source, times: int, dimensions: str) -> Source:
    """The source with several chunks in place of one, of all dimensions or of the last: for a plan alone."""
    if not source.is_lazy:
        return source
    rank = len(source.chunks)
    chunks = []
    for d, c in enumerate(source.chunks):
        joined = dimensions == "all" or d == rank - 1
        groups = (
            [c[k : k + times] for k in range(0, len(c), times)] if joined else [(n,) for n in c]
        )
        chunks.append(tuple(map(sum, groups)))
    return Source(da.empty(source.shape, chunks=tuple(chunks), dtype=source.dtype), source.slices)
