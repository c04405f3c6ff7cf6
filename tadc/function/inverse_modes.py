"""The inverse modes of a function: J⁻¹v, J⁻ᵀw and log |det J|, step by step, without the Jacobian."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np

from tadc.bounded_cache import BoundedCache
from tadc.errors import ArgumentError, BackendError, DerivativeError, ShapeError
from tadc.function import inverse_on_gpu
from tadc.function.derivatives import Wrt, chosen_inputs
from tadc.function.foreign import framework_of
from tadc.function.krylov import Solver
from tadc.function.rolled import Rolled
from tadc.function.signature import with_names
from tadc.function.step_costs import ModeCost, StepCost
from tadc.function.steps import Array, Step, Values
from tadc.function.sweeps import Change, Sides, Sweep, sweep_of
from tadc.function.walk import MEMORIES, Memory
from tadc.ir.names import Names
from tadc.options import one_of
from tadc.runtime.arguments import as_array
from tadc.runtime.binding import bind_sizes
from tadc.runtime.cuda.arrays import is_gpu_array, module_of
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
    "planned_steps",
    "relative",
    "returned",
    "shape_of",
    "sides_of",
    "tangent_change",
    "vectors_of",
]

Mode: TypeAlias = Literal["inverse-tangent", "inverse-adjoint", "logdet"]
MOST_CLOSED = 64  # sets of sizes for which steps are kept
MOST_PLANNED = 64  # statements of a program whose plan lists its steps too


def sides_of(f: Function | Rolled, wrt: Wrt, of: Wrt) -> Sides:
    """The sides of an inverse: by default the states, without states all real inputs and all outputs."""
    states = f.states
    chosen = chosen_inputs(f, wrt, tuple(states) or f.real_inputs)
    for x in chosen:
        if x not in f.real_inputs:
            raise DerivativeError(
                None,
                f"`{x}` has no derivative: it is no tensor of reals",
                fix="leave it out of `wrt`",
            )
    if not isinstance(of, (str, Iterable, NoneType)):
        raise ArgumentError(None, f"`of` is {of!r}", fix="give the name of an output, or several")
    every = tuple(states.values()) or f.outputs
    names = every if of is None else (of,) if isinstance(of, str) else tuple(of)
    for name in names:
        if not isinstance(name, str) or (name not in f.outputs and name not in states):
            raise ArgumentError(
                None, f"`{name}` is no output", fix=f"the outputs are {', '.join(f.outputs)}"
            )
    outputs = tuple(states.get(n, n) if n not in f.outputs else n for n in names)
    for k, name in enumerate(outputs):
        if name in outputs[:k]:
            raise ArgumentError(None, f"`{name}` stands twice in `of`", fix="name it once")
    if not chosen or not outputs:
        raise ArgumentError(
            None,
            f"an inverse is by inputs and of outputs, and {'`of`' if chosen else '`wrt`'} has none",
            fix="name those that replace one another: `wrt`, `of`",
        )
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
    dtype = np.dtype(g.calls.element_type(call))
    values: dict[str, Any] = {
        n: np.asarray(a, dtype if g._program.tensors[n].dtype is None else None)
        for n, a in call.arrays.items()
    }
    # Those of indices keep the lists that the parts of all steps make.
    return (g.fix(**sizes) if sizes else g), {**values, **call.indices}


@dataclass(frozen=True, slots=True)
class StepPlan:
    """A step: the values that it replaces (`l` numbers) and those it reads besides (`k` numbers), and how it is solved, and why so."""

    number: int
    writes: tuple[str, ...]
    l: int  # noqa: E741  # the letters of the theory
    k: int
    kind: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line else ""
        return f"step {self.number}: {', '.join(self.writes)}{where}: l = {self.l}, k = {self.k}, {self.kind}: {self.reason}"


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
        self._f = f
        self.mode = mode
        self._sides = sides
        self.solver = solver
        self.batch_dims = batch_dims
        chosen = "auto" if memory is None else memory
        self._memory: Memory = one_of(*MEMORIES)("`memory`", chosen)
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
        # The names of the vectors of a call, by the value that they belong to.
        self.given = {n: names.derivative(f"d{f.shown(n)}") for n in given}
        after = Names((*f.inputs, *f.sizes))
        self.outputs = tuple(after.derivative(f"d{f.shown(n)}") for n in results) or ("logdet",)
        self._results = results
        self.inputs = (*f.inputs, *self.given.values())
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
        rest = (self._f, self.mode, self._sides, self.solver, self.batch_dims, self._memory)
        return _rebuilt, rest

    def rank(self, name: str) -> int | None:
        """The number of dimensions of an input; None for any other name."""
        value = {d: n for n, d in self.given.items()}.get(name, name)
        return self._f.rank(value)

    def plan(self, /, **sizes: int) -> StepsPlan:
        """The steps, with their structure, for these sizes; in loops that run round by round those of a round, once.

        Raises ShapeError where a size is missing.
        """
        f: Function | Rolled = self._f.fix(**sizes)
        if f.sizes:
            raise ShapeError(
                None,
                f"the steps depend on the sizes, and {', '.join(f.sizes)} {'are' if len(f.sizes) > 1 else 'is'} missing",
                fix=f"give it: `{f.sizes[0]}=8`, to a command `--size {f.sizes[0]}=8`",
            )
        return StepsPlan(tuple(map(_planned, self._sweep(f, {}).steps)))

    def cost(self, /, **sizes: int) -> ModeCost:
        """The operations of a call for these sizes, step by step. Entries are counted as tangents, one for each column of a system.

        Raises ShapeError where a size has no number.
        """
        steps = self._sweep(self._written_out("cost", sizes), {}).steps
        last = len(steps) - 1
        return ModeCost(
            tuple(StepCost.of(s, self.mode, is_last=k == last) for k, s in enumerate(steps))
        )

    def function(self, /, **sizes: int) -> Function:
        """The mode as a `Function` for these sizes: with text, kernels and derivatives. Blocks, bands and triangles are eliminated by
        its statements, a few for each row of a system.

        Its values are those of IEEE arithmetic at points where a step is singular. Raises BackendError for systems of
        more than 32 rows, ShapeError where a size has no number.
        """
        f = self._written_out("function", sizes)
        for step in self._sweep(f, {}).steps:
            step.check_written_out(solves=self.mode != "logdet")
        if self.batch_dims:
            raise DerivativeError(
                None, "a function is of all samples together", fix="ask for `batch_dims=0`"
            )
        names = (*self._sides.wrt, "|", *self._sides.of)
        return f._derivative(self.mode, names)

    def _written_out(self, what: str, sizes: Mapping[str, int]) -> Function:
        """The function for these sizes. Raises BackendError where its loops run round by round, ShapeError where a size is missing."""
        self.plan(**sizes)
        f: Function | Rolled = self._f.fix(**sizes)
        if isinstance(f, Rolled):
            raise f.refusal(what)
        return f

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
        return self.at(*self._bound(arrays, named), check=check)

    def at(self, f: Function | Rolled, values: Values, vectors: Values, *, check: bool) -> Any:
        """The output, or a tuple of them, of arrays of numpy or all of CuPy: `vectors` are by the value that they belong to."""
        sweep = self._sweep(f, values)
        match self.mode:
            case "inverse-tangent":
                result = self._backward(sweep, values, vectors, check=check)
                return returned(result, self._results)
            case "inverse-adjoint":
                result = sweep.forward(values, vectors, adjoint_change(check=check))
                return returned(result, self._results)
            case "logdet":
                return logdet(sweep, values, self._sides, self.batch_dims, check=check)

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
        """The mode as a program for inputs of these shapes; None for systems that are too large for one, and for long loops."""
        f = self.closed(shapes, sizes)
        if isinstance(f, Rolled) or self.batch_dims:
            return None
        numbers = (
            {} if isinstance(self._f, Rolled) else {s: f._options.sizes[s] for s in self.sizes}
        )
        self.plan(**numbers)  # a Jacobian that is singular at every point is an error here
        try:
            return self.function(**numbers)
        except (BackendError, DerivativeError):
            return None

    def obstacle(self, f: Function | Rolled) -> str:
        """What has no program, where `of_shapes` finds none for the function `f` of a call."""
        if self.batch_dims:
            return "a determinant for each sample (`batch_dims=0` is that of all)"
        return (
            "a mode of loops this long"
            if isinstance(f, Rolled)
            else "a mode with systems this large"
        )

    def closed(
        self, shapes: Mapping[str, tuple[int, ...]], sizes: Mapping[str, int]
    ) -> Function | Rolled:
        """The function whose mode this is, for inputs of these shapes: its sizes are numbers."""
        f = self._f
        if isinstance(f, Rolled):
            return f
        shapes = {n: shapes[n] for n in f.inputs}
        closed = f.fix(**(f._numbers_of(shapes, sizes) if f.open_sizes else {}))
        if isinstance(closed, Rolled):
            return closed
        every = bind_sizes(closed._program, shapes, sizes, closed._resolved.places)
        return closed.fix(**{s: every[s] for s in closed.sizes})

    def transposed(self) -> InverseMode:
        """The inverse adjoint of an inverse tangent, and the other way round."""
        mode: Mode = "inverse-adjoint" if self.mode == "inverse-tangent" else "inverse-tangent"
        return InverseMode(
            cast("Function", self._f), mode, self._sides, solver=self.solver, memory=self._memory
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
            key, lambda: sweep_of(f, values, self._sides, self.solver, self._memory)
        )

    def _bound(
        self, arrays: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Function | Rolled, Values, Values]:
        """The function for the call's sizes, its arrays, and the vectors by the value that they belong to."""
        given = with_names(self.inputs, arrays, named)
        vectors = {}
        for value, name in self.given.items():
            if name not in given:
                raise ArgumentError(
                    None, f"`{name}` is missing", fix=f"the inputs are {', '.join(self.inputs)}"
                )
            vectors[value] = given.pop(name)
        f, values = closed_call(self._f, given)
        return f, values, self.vectors(f, values, vectors)

    def vectors(self, f: Function | Rolled, values: Values, given: Mapping[str, Any]) -> Values:
        """The vectors of a call, by the value that they belong to. Raises ShapeError and ArgumentError."""
        return vectors_of(f, values, given, self.given)


def _rebuilt(
    f: Function | Rolled, mode: Mode, sides: Sides, solver: Solver, batch: int, memory: str
) -> InverseMode:
    return InverseMode(f, mode, sides, solver=solver, batch_dims=batch, memory=memory)


def _planned(step: Step) -> StepPlan:
    def count(names: Sequence[str]) -> int:
        shapes = (step.function.program.tensors[n].shape for n in names)
        return sum(int(np.prod([e.constant for e in shape], dtype=int)) for shape in shapes)

    line = step.place.line if step.place else None
    lump = step.lump
    s = step.structure
    kind = str(s) if step.analysis.places is None else f"{s}, its rows turned"
    return StepPlan(
        step.number, lump.after, count(lump.after), count(lump.kept), kind, line, s.reason
    )


def shape_of(f: Function | Rolled, values: Values, value: str) -> tuple[int, ...]:
    """The shape of an input or an output."""
    if isinstance(f, Rolled):
        return values[f.shown(value)].shape
    return tuple(e.constant for e in f.program.tensors[value].shape)


def vectors_of(
    f: Function | Rolled, values: Values, vectors: Mapping[str, Any], called: Mapping[str, str]
) -> Values:
    """The vectors as arrays of the kind and type of the call, each of the shape of its value. Raises ShapeError."""
    checked = {}
    floats = [a.dtype for a in values.values() if a.dtype.kind == "f"]
    dtype = np.result_type(*floats) if floats else np.dtype(float)
    xp = module_of(next(iter(values.values()), None))
    for value, vector in vectors.items():
        shape = shape_of(f, values, value)
        array = xp.asarray(as_array(called[value], vector)).astype(dtype, copy=False)
        if array.shape != shape:
            raise ShapeError(
                None,
                f"`{called[value]}` has the shape {array.shape}, and `{f.shown(value)}` {shape}",
                fix="pass an array of that shape",
            )
        checked[value] = array
    return checked


def returned(results: Values, names: Sequence[str]) -> Any:
    arrays = tuple(
        module_of(results[n]).ascontiguousarray(results[n]).reshape(results[n].shape) for n in names
    )
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
    return isinstance(mode, str) and mode in get_args(Mode)  # an array has no truth when compared


def inverse_in_mode(f: Function, mode: str, wrt: Wrt) -> InverseMode:
    """The inverse mode of this name by the inputs `wrt`."""
    match mode:
        case "inverse-tangent":
            return f.inverse_tangent(wrt)
        case "inverse-adjoint":
            return f.inverse_adjoint(wrt)
        case _:
            return f.logdet(wrt)


def planned_steps(f: Function) -> tuple[str, ...]:
    """The steps of a program with states, a line each; why there are none, where it has no inverse. Nothing for long programs, and for
    sizes without numbers.
    """
    if not f.states or f.sizes or len(f.program.statements) > MOST_PLANNED:
        return ()
    try:
        return tuple(map(str, f.inverse_tangent().plan().steps))
    except (BackendError, DerivativeError) as error:
        return (f"no inverse: {error.fact}",)


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
    xp = module_of(values[sides.wrt[0]])
    samples = values[sides.wrt[0]].shape[:batch_dims]
    total = xp.zeros(samples, np.result_type(*(values[x].dtype for x in sides.wrt)))
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
    return cast("Array", xp.asarray(total))
