"""The inverse modes of a function: J⁻¹v, J⁻ᵀw and log |det J|, step by step, without the Jacobian."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np

from tadc.bounded_cache import BoundedCache
from tadc.errors import ArgumentError, BackendError, DerivativeError, ShapeError
from tadc.function import inverse_on_gpu
from tadc.function.data import refuse_data
from tadc.function.derivatives import Wrt, chosen_inputs
from tadc.function.foreign import framework_of
from tadc.function.krylov import Solver
from tadc.function.rolled import Rolled
from tadc.function.signature import with_names
from tadc.function.step_costs import ModeCost, StepCost
from tadc.function.steps import Array, Step, Values
from tadc.function.sweeps import Change, Memory, Sides, Sweep, sweep_of
from tadc.ir.names import Names
from tadc.runtime.binding import bind_sizes
from tadc.runtime.cuda.arrays import is_gpu_array
from tadc.runtime.linear import Block

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = [
    "InverseMode",
    "StepPlan",
    "StepsPlan",
    "adjoint_change",
    "closed_call",
    "inverse_in_mode",
    "is_inverse",
    "relative",
    "returned",
    "shape_of",
    "sides_of",
    "tangent_change",
    "vectors_of",
]

Mode: TypeAlias = Literal["inverse-tangent", "inverse-adjoint", "logdet"]
MOST_CLOSED = 64  # sets of sizes for which steps are kept


def sides_of(f: Function | Rolled, wrt: Wrt, of: Wrt) -> Sides:
    """The sides of an inverse: by default the states, without states all real inputs and all outputs."""
    refuse_data(f, "an inverse mode", "invert the part of the program without them")
    states = f.states
    chosen = chosen_inputs(f, wrt, tuple(states) or f.real_inputs)
    for x in chosen:
        if x not in f.real_inputs:
            raise DerivativeError(
                None,
                f"`{x}` has no derivative: it is no tensor of reals",
                fix="leave it out of `wrt`",
            )
    names = (of,) if isinstance(of, str) else tuple(of or tuple(states.values()) or f.outputs)
    outputs = tuple(states.get(n, n) if n not in f.outputs else n for n in names)
    for k, name in enumerate(outputs):
        if name not in f.outputs:
            raise ArgumentError(
                None, f"`{name}` is no output", fix=f"the outputs are {', '.join(f.outputs)}"
            )
        if name in outputs[:k]:
            raise ArgumentError(None, f"`{name}` stands twice in `of`", fix="name it once")
    return Sides(chosen, outputs)


def closed_call(f: Function | Rolled, named: Mapping[str, Any]) -> tuple[Function | Rolled, Values]:
    """The function for the sizes of a call with these arguments, and the arrays by name."""
    for value in named.values():
        if framework_of((value,)) is not None or is_gpu_array(value):
            raise BackendError(
                None,
                "this takes arrays of numpy",
                fix="convert them: `numpy.asarray(x)`, `x.numpy()`, `cupy.asnumpy(x)`; `f.inverse_tangent()` and the other modes take tensors",
            )
    g, left = (f, dict(named)) if isinstance(f, Rolled) else f.of_call(named)
    if isinstance(g, Rolled):
        return g, g.bound(left)[0]
    call = g.calls.bound((), left)
    sizes = {s: call.sizes[s] for s in g.sizes}
    dtype = np.result_type(*(_float(a) for a in call.arrays.values())) if call.arrays else float
    values = {
        n: np.asarray(a, dtype if g._program.tensors[n].dtype is None else None)
        for n, a in call.arrays.items()
    }
    return (g.fix(**sizes) if sizes else g), values


def _float(array: Any) -> np.dtype[Any]:
    dtype: np.dtype[Any] = np.asarray(array).dtype
    return dtype if dtype.kind == "f" and dtype.itemsize >= 4 else np.dtype(np.float64)


@dataclass(frozen=True, slots=True)
class StepPlan:
    """A step: the values that it replaces (`l` numbers) and those it reads besides (`k` numbers), and how it is solved."""

    number: int
    writes: tuple[str, ...]
    l: int  # noqa: E741  # the letters of the theory
    k: int
    kind: str
    line: int | None

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line else ""
        return f"step {self.number}: {', '.join(self.writes)}{where}: l = {self.l}, k = {self.k}, {self.kind}"


@dataclass(frozen=True, slots=True)
class StepsPlan:
    """The steps of an inverse mode, in the order of the program."""

    steps: tuple[StepPlan, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps))


class InverseMode:
    """An inverse mode as a function of arrays.

    `inverse-tangent`: the inputs of the function, then `d<output>` for each of `of`; outputs `d<input>` for each of `wrt`.
    `inverse-adjoint`: the inputs, then `d<input>` for each of `wrt`; outputs `d<output>` for each of `of`.
    `logdet`: the inputs; one output, `logdet`, a scalar, or with `batch_dims` one number a sample.
    """

    def __init__(
        self,
        f: Function | Rolled,
        mode: Mode,
        sides: Sides,
        *,
        solver: Solver,
        batch_dims: int = 0,
        memory: str | None = None,
    ) -> None:
        if memory not in (None, "auto", "materialize", "recompute", "reverse"):
            raise ArgumentError(
                None,
                f"`memory` is {memory!r}",
                fix="use 'materialize', 'recompute' or 'reverse'",
            )
        self._f = f
        self.mode = mode
        self._sides = sides
        self._solver = solver
        self._batch_dims = batch_dims
        self._memory: Memory = memory if memory in ("recompute", "reverse") else "materialize"  # type: ignore[assignment]
        self.drift: float | None = None
        for x in (*sides.wrt, *sides.of) if batch_dims else ():
            if (f.rank(x) or 0) < batch_dims:
                raise ArgumentError(
                    None,
                    f"`{f.shown(x)}` has fewer than {batch_dims} dimensions",
                    fix="lower `batch_dims`",
                )
        given, results = {
            "inverse-tangent": (sides.of, sides.wrt),
            "inverse-adjoint": (sides.wrt, sides.of),
            "logdet": ((), ()),
        }[mode]
        names = Names((*f.inputs, *f.sizes))
        self._given = {n: names.derivative(f"d{f.shown(n)}") for n in given}
        after = Names((*f.inputs, *f.sizes))
        self.outputs = tuple(after.derivative(f"d{f.shown(n)}") for n in results) or ("logdet",)
        self._results = results
        self.inputs = (*f.inputs, *self._given.values())
        self._sweeps: BoundedCache[Sweep] = BoundedCache(MOST_CLOSED)
        if not isinstance(f, Rolled) and not f.sizes:
            self._sweep(f, {})  # what is singular at every point is said at once

    @property
    def name(self) -> str:
        return f"{self._f.name}_{self.mode.replace('-', '_')}"

    @property
    def sizes(self) -> tuple[str, ...]:
        return self._f.sizes

    def __repr__(self) -> str:
        return (
            f"<tadc.InverseMode {self.name}: {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        rest = (self._f, self.mode, self._sides, self._solver, self._batch_dims, self._memory)
        return _rebuilt, rest

    def rank(self, name: str) -> int | None:
        """The number of dimensions of an input; None for any other name."""
        value = {d: n for n, d in self._given.items()}.get(name, name)
        return self._f.rank(value)

    def plan(self, /, **sizes: int) -> StepsPlan:
        """The steps, with their structure, for these sizes. Raises ShapeError where one is missing."""
        if isinstance(self._f, Rolled):
            raise BackendError(
                None,
                "the steps of loops that run round by round have no plan",
                fix="ask for that of fewer rounds: every round has the same steps",
            )
        f = self._f.fix(**sizes)
        if f.sizes:
            raise ShapeError(
                None,
                f"the steps depend on the sizes, and {', '.join(f.sizes)} {'are' if len(f.sizes) > 1 else 'is'} missing",
                fix=f"give it: `{f.sizes[0]}=8`, to a command `--size {f.sizes[0]}=8`",
            )
        return StepsPlan(tuple(_planned(f, s) for s in self._sweep(f, {}).steps))

    def cost(self, /, **sizes: int) -> ModeCost:
        """The operations of a call for these sizes, step by step. Entries are counted as tangents, one for each column of a system.

        Raises ShapeError where a size has no number.
        """
        self.plan(**sizes)
        assert not isinstance(self._f, Rolled), "loops have no plan"
        steps = self._sweep(self._f.fix(**sizes), {}).steps
        last = len(steps) - 1
        return ModeCost(
            tuple(StepCost.of(s, self.mode, is_last=k == last) for k, s in enumerate(steps))
        )

    def function(self, /, **sizes: int) -> Function:
        """The mode as a `Function` for these sizes: with text, kernels and derivatives. Blocks, bands and triangles are eliminated by
        its statements, a few for each row of a system.

        Its values are those of IEEE arithmetic at points where a step is singular. Raises DerivativeError for systems of
        more than 32 rows, ShapeError where a size has no number.
        """
        self.plan(**sizes)
        assert not isinstance(self._f, Rolled), "loops have no plan"
        f = self._f.fix(**sizes)
        for step in self._sweep(f, {}).steps:
            step.check_written_out()
        if self._batch_dims:
            raise DerivativeError(
                None, "a function is of all samples together", fix="ask for `batch_dims=0`"
            )
        names = (*self._sides.wrt, "|", *self._sides.of)
        return f._derivative(self.mode, names)

    def __call__(self, /, *arrays: Any, check: bool = True, **named: Any) -> Any:
        """The output, or a tuple of them.

        Tensors of PyTorch and arrays of JAX give such, and take part in their differentiation; arrays of CuPy give such. Raises SingularError where a step
        is singular at this point; with `check=False`, and where a framework traces the call, what depends on it is NaN or infinite.
        """
        framework = framework_of((*arrays, *named.values()))
        if framework is None and any(map(is_gpu_array, (*arrays, *named.values()))):
            framework = inverse_on_gpu
        if hasattr(framework, "solved"):
            return framework.solved(self, *self._in_order(arrays, named), check=check)
        f, values, vectors = self._bound(arrays, named)
        sweep = self._sweep(f, values)
        match self.mode:
            case "inverse-tangent":
                result = self._backward(sweep, values, vectors, check=check)
                return returned(result, self._results)
            case "inverse-adjoint":
                result = sweep.forward(values, vectors, adjoint_change(check=check))
                return returned(result, self._results)
            case "logdet":
                return logdet(sweep, values, self._sides, self._batch_dims, check=check)

    def _backward(self, sweep: Sweep, values: Values, vectors: Values, *, check: bool) -> Values:
        change = tangent_change(check=check)
        if self._memory != "reverse":
            return sweep.backward(values, vectors, change)
        with np.errstate(all="ignore"):
            start, result = sweep.undone(values, vectors, change, check=check)
        given = {x: values[x] for x in self._sides.wrt}
        self.drift = relative({x: start[x] - a for x, a in given.items()}, given)
        return result

    def _in_order(
        self, arrays: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arrays of a call by input, in the order of these, and its sizes. Raises ArgumentError."""
        given = with_names(self.inputs, arrays, named)
        missing = [n for n in self.inputs if n not in given]
        if missing:
            raise ArgumentError(
                None, f"`{missing[0]}` is missing", fix=f"the inputs are {', '.join(self.inputs)}"
            )
        return {n: given.pop(n) for n in self.inputs}, given

    def of_shapes(
        self, shapes: Mapping[str, tuple[int, ...]], sizes: Mapping[str, int]
    ) -> Function | None:
        """The mode as a program for inputs of these shapes; None for systems that are too large for one."""
        if isinstance(self._f, Rolled) or self._batch_dims:
            return None
        shapes = {n: shapes[n] for n in self._f.inputs}
        numbers = self._f._numbers_of(shapes, sizes) if self._f.open_sizes else {}
        f = self._f.fix(**numbers)
        every = bind_sizes(f._program, shapes, sizes, f._resolved.places)
        numbers |= {s: every[s] for s in f.sizes}
        self.plan(**numbers)  # a Jacobian that is singular at every point is an error here
        try:
            return self.function(**numbers)
        except DerivativeError:
            return None

    def transposed(self) -> InverseMode:
        """The inverse adjoint of an inverse tangent, and the other way round."""
        mode: Mode = "inverse-adjoint" if self.mode == "inverse-tangent" else "inverse-tangent"
        return InverseMode(
            cast("Function", self._f), mode, self._sides, solver=self._solver, memory=self._memory
        )

    @property
    def sides(self) -> Sides:
        return self._sides

    @property
    def of_function(self) -> Function | Rolled:
        """The function whose inverse mode this is."""
        return self._f

    def check(self, given: Mapping[str, Any]) -> None:
        """Check that no step is singular at these arrays of numpy, of the inputs of the function. Raises SingularError."""
        f, values = closed_call(self._f, given)
        sweep = self._sweep(f, values)

        run = sweep.backward if self.mode == "inverse-tangent" else sweep.forward
        run(values, {}, _change(lambda *_: None, check=True))

    def _sweep(self, f: Function | Rolled, values: Values) -> Sweep:
        shapes = [(n, a.shape) for n, a in values.items()] if isinstance(f, Rolled) else ()
        key = repr((f._origin.key, shapes))
        return self._sweeps.of(
            key, lambda: sweep_of(f, values, self._sides, self._solver, self._memory)
        )

    def _bound(
        self, arrays: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Function | Rolled, Values, Values]:
        """The function for the call's sizes, its arrays, and the vectors by the value that they belong to."""
        given = with_names(self.inputs, arrays, named)
        vectors = {}
        for value, name in self._given.items():
            if name not in given:
                raise ArgumentError(
                    None, f"`{name}` is missing", fix=f"the inputs are {', '.join(self.inputs)}"
                )
            vectors[value] = given.pop(name)
        f, values = closed_call(self._f, given)
        return f, values, vectors_of(f, values, vectors, self._given)


def _rebuilt(
    f: Function | Rolled, mode: Mode, sides: Sides, solver: Solver, batch: int, memory: str
) -> InverseMode:
    return InverseMode(f, mode, sides, solver=solver, batch_dims=batch, memory=memory)


def _planned(f: Function, step: Step) -> StepPlan:
    def count(names: Sequence[str]) -> int:
        shapes = (f.program.tensors[n].shape for n in names)
        return sum(int(np.prod([e.constant for e in shape], dtype=int)) for shape in shapes)

    line = step.place.line if step.place else None
    lump = step.lump
    kind = str(step.analysis.structure)
    return StepPlan(step.number, lump.after, count(lump.after), count(lump.kept), kind, line)


def shape_of(f: Function | Rolled, values: Values, value: str) -> tuple[int, ...]:
    """The shape of an input or an output."""
    if isinstance(f, Rolled):
        return values[f.shown(value)].shape
    return tuple(e.constant for e in f.program.tensors[value].shape)


def vectors_of(
    f: Function | Rolled, values: Values, vectors: Mapping[str, Any], called: Mapping[str, str]
) -> Values:
    """The vectors as arrays of the type of the call, each of the shape of its value. Raises ShapeError."""
    checked = {}
    dtype = np.result_type(*values.values()) if values else np.dtype(float)
    for value, vector in vectors.items():
        shape = shape_of(f, values, value)
        try:
            array = np.asarray(vector)
            if array.dtype.kind not in "fiub":
                raise TypeError
            array = array.astype(dtype, copy=False)
        except (TypeError, ValueError):
            raise ArgumentError(
                None, f"`{called[value]}` is no array of numbers", fix="pass an array of reals"
            ) from None
        if array.shape != shape:
            raise ShapeError(
                None,
                f"`{called[value]}` has the shape {array.shape}, and `{f.shown(value)}` {shape}",
                fix="pass an array of that shape",
            )
        checked[value] = array
    return checked


def returned(results: Values, names: Sequence[str]) -> Any:
    arrays = tuple(np.ascontiguousarray(results[n]).reshape(np.shape(results[n])) for n in names)
    return arrays[0] if len(arrays) == 1 else arrays


def relative(error: Values, of: Values) -> float:
    """The largest magnitude of an error, relative to the largest of what it is an error of."""
    largest, wrong = (
        max((float(np.max(np.abs(a), initial=0)) for a in those.values()), default=0.0)
        for those in (of, error)
    )
    return wrong / (largest or 1.0)


def is_inverse(mode: str) -> bool:
    """Whether the name is one of an inverse mode."""
    return mode in get_args(Mode)


def inverse_in_mode(f: Function, mode: str, wrt: Wrt) -> InverseMode:
    """The inverse mode of this name by the inputs `wrt`."""
    match mode:
        case "inverse-tangent":
            return f.inverse_tangent(wrt)
        case "inverse-adjoint":
            return f.inverse_adjoint(wrt)
        case _:
            return f.logdet(wrt)


# ---- What a step does to the vectors


def tangent_change(*, check: bool, blocks: Sequence[Block] = ()) -> Change:
    """A step of the inverse tangent. `blocks` are those of the steps, if they are known."""
    return _change(Step.inverse_tangent, check=check, blocks=blocks)


def adjoint_change(*, check: bool, blocks: Sequence[Block] = ()) -> Change:
    """A step of the inverse adjoint. `blocks` are those of the steps, if they are known."""
    return _change(Step.inverse_adjoint, check=check, blocks=blocks)


def _change(
    apply: Callable[[Step, Values, Values, Block, Mapping[str, int]], None],
    *,
    check: bool,
    blocks: Sequence[Block] = (),
) -> Change:
    """A change by `apply`, with the block of each step: factored there, unless it is known."""

    def change(
        step: Step,
        at: Values,
        vectors: Values,
        rounds: Mapping[str, int],
        iteration: tuple[int, ...],
        block: Block | None = None,
    ) -> None:
        with np.errstate(all="ignore"):
            known = blocks[step.number] if blocks else block
            apply(
                step, at, vectors, known or step.block(at, rounds, iteration, check=check), rounds
            )

    return change


def logdet(
    sweep: Sweep, values: Values, sides: Sides, batch_dims: int, *, check: bool = True
) -> Array:
    """The sum of log |pivot| over all steps: one number, or one a sample."""
    samples = np.shape(values[sides.wrt[0]])[:batch_dims]
    total = np.zeros(samples, np.result_type(*(values[x] for x in sides.wrt)))
    for step in sweep.steps:
        step.check_samples(batch_dims)

    def add(
        step: Step, at: Values, vectors: Values, block: Block, rounds: Mapping[str, int]
    ) -> None:
        nonlocal total
        logs = block.log_pivots
        axes = (0, *range(1 + batch_dims, logs.ndim)) if logs.ndim else ()
        total = total + logs.sum(axes)

    sweep.forward(values, {}, _change(add, check=check))
    return np.asarray(total)
