"""Times of a program, for its value and for its value with all gradients, next to the work it has to do.

Of native code the kernels are timed too, each next to the least time that its work takes on this machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice, permutations
from math import inf
from statistics import median
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tadc.check import random_inputs, small_sizes
from tadc.errors import Error
from tadc.runtime.cpu.limits import Limits, limits
from tadc.runtime.cpu.native import NativeRunner, TimedLaunch, available_threads
from tadc.runtime.cuda.arrays import cupy
from tadc.runtime.cuda.tune import tuning
from tadc.runtime.index import Index
from tadc.runtime.run import resolved_backend
from tadc.schedule.nest.cost import program_cost
from tadc.schedule.nest.special import special_calls
from tadc.schedule.plan import cpu_plan
from tadc.tables import columns

if TYPE_CHECKING:
    from tadc.emit.clike.spelling import DType
    from tadc.function import Function

__all__ = ["Bench", "KernelRow", "Row", "bench", "large_sizes", "mode_with_gradients"]

WORK = 3e8  # operations of the value and its gradients that sizes are chosen for
BYTES = 2**28  # of all tensors together
RATIOS = (8, 4, 12, 6, 16, 10, 3, 5)  # of sizes that are chosen
MOST_ORDERS = 24  # of them that are tried
INTEGERS = ("int32", "int64", "bool")
COPIED = 2**26  # bytes of the copy that measures the memory's bandwidth


@dataclass(frozen=True, slots=True)
class Row:
    """A task: seconds of the fastest repetition and of the middle one, operations, and bytes that it has to touch."""

    task: str
    best: float
    middle: float
    operations: int
    bytes: int


@dataclass(frozen=True, slots=True)
class KernelRow:
    """A kernel of a task: seconds of the fastest repetition, and of the model, the greatest of the least times for its bytes,
    its arithmetic and its special functions; which of these that is; and how many times the model's time it took.

    Bytes are those of memory: a kernel whose tensors are in a cache may take less than the model says.
    """

    task: str
    kernel: str
    seconds: float
    limit: str
    model: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Bench:
    """All rows for some sizes, and the machine's limits where kernels are timed. Prints as tables."""

    sizes: Mapping[str, int]
    rows: tuple[Row, ...]
    kernels: tuple[KernelRow, ...] = ()
    limits: Limits | None = None

    def __str__(self) -> str:
        named = ", ".join(f"{s} = {n}" for s, n in self.sizes.items())
        lines = [f"sizes: {named}"] * bool(named) + self._tasks()
        if self.limits is not None:
            lines += ["", *self._kernels(), "", self._machine(self.limits)]
        return "\n".join(lines)

    def _tasks(self) -> list[str]:
        table = [("", "fastest, ms", "median, ms", "operations", "Gflop/s", "GB/s")]
        table += [
            (
                r.task,
                f"{r.best * 1e3:.3f}",
                f"{r.middle * 1e3:.3f}",
                f"{r.operations:,}" if r.operations else "",
                f"{r.operations / r.best / 1e9:.2f}" if r.operations else "",
                f"{r.bytes / r.best / 1e9:.2f}",
            )
            for r in self.rows
        ]
        return columns(table, left=1)

    def _kernels(self) -> list[str]:
        table = [("kernel", "limited by", "fastest, ms", "model, ms", "times the model")]
        table += [
            (k.kernel, k.limit, f"{k.seconds * 1e3:.3f}", f"{k.model * 1e3:.3f}", f"{k.ratio:.1f}")
            for k in self.kernels
        ]
        return columns(table, left=2)

    @staticmethod
    def _machine(limits: Limits) -> str:
        return (
            f"this machine: {limits.bytes_per_second / 1e9:.1f} GB/s of memory,"
            f" {limits.operations_per_second / 1e9:.1f} Gflop/s,"
            f" {limits.functions_per_second / 1e9:.2f} G exponentials/s"
        )


def large_sizes(f: Function, given: Mapping[str, int]) -> dict[str, int]:
    """The given sizes, and others that grow together until there is enough to do for a time to be measured."""
    open_ = [s for s in f.program.sizes if s not in given]
    small = small_sizes(f, given)
    candidates = [{s: small[s] for s in f.program.sizes}]
    for numbers in islice(permutations(RATIOS[: len(open_)]), MOST_ORDERS):
        candidates.append({**given, **dict(zip(open_, numbers, strict=False))})
    # Of `y[i: L - N + 1]` with L = N there would be one element, however long the sum.
    sizes = max(candidates, key=lambda c: _work(f, c) or 0)
    while open_:
        larger = {s: n if s in given else 2 * n for s, n in sizes.items()}
        work = _work(f, larger)
        if work is None or work > WORK:
            break
        sizes = larger
    return sizes


def _work(f: Function, sizes: Mapping[str, int]) -> int | None:
    """The operations of the value and its gradients; None for sizes that do not fit together, or need much memory."""
    program = f.program
    if sizes.keys() != set(program.sizes):
        return None
    try:
        numbers = program.size_values(sizes)
        shapes = {t.name: tuple(n.at(numbers) for n in t.shape) for t in program.inputs}
        numbers = f.calls.sizes(shapes, sizes)
        if sum(t.bytes_at(numbers, "float64") for t in program.tensors.values()) > BYTES:
            return None
        return f.cost(mode=mode_with_gradients(f), **sizes).operations
    except Error:
        return None


def mode_with_gradients(f: Function) -> str:
    """The mode that is timed besides the value: `vjp` if any input has a gradient, else `primal` alone."""
    real = any(t.dtype not in INTEGERS for t in f.program.inputs)
    return "vjp" if real else "primal"


def bench(
    f: Function,
    sizes: dict[str, int],
    repetitions: int,
    seed: int = 0,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
    on_gpu: bool = False,
    tune: bool = False,
) -> Bench:
    """Time a program on random input of these sizes, the tasks in turns; `on_gpu` with arrays that are there.

    With `tune` its kernels are tuned before, and so are they from then on for these sizes on this GPU. Native code is
    compiled once more to time its kernels, by the names that `f.plan()` has for them.

    Bytes are those of inputs and results, each once. `progress` gets the numbers of the repetitions to go through.
    """
    random = np.random.default_rng(seed)
    program = f.program
    numbers = program.size_values(sizes)
    arrays = random_inputs(f, numbers, random, "bench")
    xp: Any = cupy() if on_gpu else np
    given = [Index(arrays[x]) if x in f.index_inputs else xp.asarray(arrays[x]) for x in f.inputs]
    named: dict[str, Any] = _named(f, sizes)
    copied = xp.asarray(np.ones(COPIED // 8))
    tasks: dict[str, Callable[[], Any]] = {"value": lambda: f(*given, **named)}
    value = f.cost(mode="primal", **sizes)
    tensors = program.tensors
    bytes_ = {n: t.bytes_at(numbers, "float64") for n, t in tensors.items()}
    touched = sum(bytes_[n] for n in {*f.inputs, *f.outputs})
    work = {"value": (value.operations, touched)}
    if mode_with_gradients(f) == "vjp":
        ones = (np.ones([n.at(numbers) for n in tensors[o].shape]) for o in f.outputs)
        cotangents = tuple(map(xp.asarray, ones))
        tasks["value and gradients"] = lambda: f.vjp(*given, **named)[1](cotangents)
        both = touched + sum(bytes_[n] for n in (*f.inputs, *f.outputs))
        work["value and gradients"] = f.cost(mode="vjp", **sizes).operations, both
    tasks["copying memory"] = copied.copy
    work["copying memory"] = 0, 2 * COPIED
    times: dict[str, list[float]] = {task: [] for task in tasks}
    with tuning() if tune else nullcontext():
        for run in tasks.values():
            run()  # compiles, and allocates memory
    timed = [] if on_gpu else _timed(f, sizes, given)
    for _ in progress(range(repetitions)):
        for task, run in tasks.items():
            start = time.perf_counter()
            run()
            if on_gpu:
                xp.cuda.get_current_stream().synchronize()
            times[task].append(time.perf_counter() - start)
        for part in timed:
            part.run()
    rows = (Row(task, min(t), median(t), *work[task]) for task, t in times.items())
    if not timed:
        return Bench(dict(sizes), tuple(rows))
    measured = limits(f._options.threads or available_threads(), timed[0].dtype)
    kernels = (k for part in timed for k in part.rows(measured))
    return Bench(dict(sizes), tuple(rows), tuple(kernels), measured)


@dataclass(slots=True)
class _Timed:
    """A program of a task as timed native code, its inputs, and the least seconds of each kernel so far."""

    task: str
    mode: str
    launch: TimedLaunch
    sizes: Mapping[str, int]
    dtype: DType
    inputs: Sequence[Any]
    best: list[float]

    def run(self) -> list[Any]:
        """The outputs."""
        outputs, seconds = self.launch(self.inputs)
        self.best = list(map(min, self.best, seconds))
        return outputs

    def rows(self, limits: Limits) -> Iterator[KernelRow]:
        module = self.launch.lowered.module
        values = module.program.size_values(self.sizes)
        cost = program_cost(module.program, module.kernels, values, self.dtype)
        plans = cpu_plan(self.launch.lowered, self.mode, values, self.dtype).kernels
        for plan, kernel, work, seconds in zip(
            plans, module.kernels, cost.kernels, self.best, strict=True
        ):
            functions = special_calls(kernel, values)
            least = limits.seconds(
                work.bytes_read + work.bytes_written, work.operations - functions, functions
            )
            limit = max(least, key=least.__getitem__)
            model = least[limit]
            yield KernelRow(
                self.task, plan.name, seconds, limit, model, seconds / model if model else inf
            )


def _timed(f: Function, sizes: Mapping[str, int], inputs: Sequence[Any]) -> list[_Timed]:
    """The programs that the tasks run, where native code runs them: that of the value, and what `vjp` runs besides."""
    options = f._options
    if resolved_backend(options.backend) != "native" or f.program.is_empty(
        f.program.size_values(sizes)
    ):
        return []
    dtype = cast("DType", options.dtype or "float64")

    def timed(task: str, part: Function, arrays: Sequence[Any]) -> _Timed:
        named = dict(zip(part.inputs, arrays, strict=True))
        program, given, values = part.calls.native_program(named, part._program.size_values(sizes))
        launch = NativeRunner(program, dtype, part._options).timed(values)
        best = [inf] * len(launch.lowered.kernels)
        return _Timed(
            task, part._mode, launch, values, dtype, [given[t.name] for t in program.inputs], best
        )

    found = [timed("value", f, inputs)]
    if mode_with_gradients(f) == "vjp":
        wrt = tuple(t.name for t in f.program.inputs if t.dtype not in INTEGERS)
        forward, backward = f._vjp.parts(wrt, f.program.size_values(sizes), dtype)
        first = found[0] if forward is f else timed("value and gradients", forward, inputs)
        results = first.run()
        count = len(f.outputs)
        arrays = (*inputs, *results[count:], *map(np.ones_like, results[:count]))
        found += [] if forward is f else [first]
        found.append(timed("value and gradients", backward, arrays))
    return found


def _named(f: Function, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes that no shape shows."""
    shown = {s for t in f.program.inputs for n in t.shape for s in [n.as_symbol()] if s}
    return {s: n for s, n in sizes.items() if s not in shown}
