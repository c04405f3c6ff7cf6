"""Times of a program, for its value and for its value with all gradients, next to the work it has to do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice, permutations
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from tadc.check import random_arrays, small_sizes
from tadc.errors import Error
from tadc.runtime.cuda.arrays import cupy
from tadc.runtime.cuda.tune import tuning

if TYPE_CHECKING:
    from tadc.function import Function

__all__ = ["Bench", "Row", "bench", "large_sizes"]

WORK = 3e8  # operations of the value and its gradients that sizes are chosen for
BYTES = 2**28  # of all tensors together
RATIOS = (8, 4, 12, 6, 16, 10, 3, 5)  # of sizes that are chosen
MOST_ORDERS = 24  # of them that are tried
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
class Bench:
    """All rows for some sizes. Prints as a table."""

    sizes: Mapping[str, int]
    rows: tuple[Row, ...]

    def __str__(self) -> str:
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
        widths = [max(len(row[c]) for row in table) for c in range(6)]
        lines = [
            "  ".join((row[0].ljust(widths[0]), *(t.rjust(w) for t, w in zip(row[1:], widths[1:], strict=True)))).rstrip()
            for row in table
        ]  # fmt: skip
        named = ", ".join(f"{s} = {n}" for s, n in self.sizes.items())
        return "\n".join([f"sizes: {named}"] * bool(named) + lines)


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
        return f.cost(mode=_mode(f), **sizes).operations
    except Error:
        return None


def _mode(f: Function) -> str:
    """The mode that is timed besides the value: `vjp` if any input has a gradient, else `primal` alone."""
    real = any(t.dtype not in ("int32", "int64", "bool") for t in f.program.inputs)
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

    With `tune` its kernels are tuned before, and so are they from then on for these sizes on this GPU.

    Bytes are those of inputs and results, each once. `progress` gets the numbers of the repetitions to go through.
    """
    random = np.random.default_rng(seed)
    program = f.program
    arrays = random_arrays(program, f.program.size_values(sizes), random)
    xp: Any = cupy() if on_gpu else np
    given = [xp.asarray(arrays[x]) for x in f.inputs]
    named: dict[str, Any] = _named(f, sizes)
    copied = xp.asarray(np.ones(COPIED // 8))
    tasks: dict[str, Callable[[], Any]] = {"value": lambda: f(*given, **named)}
    value = f.cost(mode="primal", **sizes)
    tensors = program.tensors
    numbers = program.size_values(sizes)
    bytes_ = {n: t.bytes_at(numbers, "float64") for n, t in tensors.items()}
    touched = sum(bytes_[n] for n in {*f.inputs, *f.outputs})
    work = {"value": (value.operations, touched)}
    if _mode(f) == "vjp":
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
    for _ in progress(range(repetitions)):
        for task, run in tasks.items():
            start = time.perf_counter()
            run()
            if on_gpu:
                xp.cuda.get_current_stream().synchronize()
            times[task].append(time.perf_counter() - start)
    rows = (Row(task, min(t), median(t), *work[task]) for task, t in times.items())
    return Bench(dict(sizes), tuple(rows))


def _named(f: Function, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes that no shape shows."""
    shown = {s for t in f.program.inputs for n in t.shape for s in [n.as_symbol()] if s}
    return {s: n for s, n in sizes.items() if s not in shown}
