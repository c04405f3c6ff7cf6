"""Formulas on a GPU, from a thousand to a hundred million points: tadc against its form with atomic additions, CUDA by
hand, PyTorch, JAX, KeOps, Warp, and the machine's limits; without a GPU, what the compiled code does at each point.

    python benchmarks/gpu.py [--code | --model] [--repetitions 20] [--only NAME]... [--points N]... [--collisions N]... [--output benchmarks/results]

Where CuPy finds a GPU: milliseconds of the value and of the value with its gradients in float32, by events on the
default stream, minima of interleaved repetitions (JAX has a stream of its own, and is waited for); then the gradient of
a broadcast and of `x[i % B]` as more and more threads meet at one address. Every competitor's results are compared with
tadc's before its time counts; one that is not installed, fails, or computes something else is left out, with the reason.
Writes `gpu.json`, `gpu.md` and, where matplotlib is installed, `gpu.svg`, and prints the worst rows.

Anywhere, and with `--code` nothing else: operations, loads, stores, atomic additions and bytes per point
(`gpu_code.py`), and what is more than in the last results. Writes `gpu_code.json` and `gpu_code.md`. With `--model`, and nothing else,
the kernels of `gpu_large.py` by the model of a GPU: writes `gpu_model.json` and `gpu_model.md`, and prints what is another than before.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any

import gpu_code
import gpu_model
import gpu_report
import numpy as np
from gpu_formulas import Formula, formulas
from gpu_large import large_formulas
from gpu_plain import launch
from gpu_rivals import Problem, Rival, Run, own, rivals
from sizes import points_of, shapes_at, sizes_at, sizes_of

import tadc
from tadc.errors import BackendError
from tadc.runtime.cuda.arrays import as_gpu_array, cupy, devices, milliseconds
from tadc.runtime.cuda.nvrtc import nvrtc_version

POINTS = [10**k for k in range(3, 9)]
CODE_POINTS = 10**8
COLLISIONS = [10**k for k in range(7)]  # threads that meet at an address
ELEMENTS = 10**7  # of the sweep over collisions
LONG = 300.0  # milliseconds: what takes longer is not repeated much, nor run with more points
COPIED = 2**27  # elements of the copy that shows the bandwidth
LAUNCHES = 20  # of kernels that do nothing
PEAK_BLOCKS, PEAK_TIMES = 4096, 4096  # of the kernel that shows the peak
TOLERANCE = 1e-2  # of the largest element: sums of a hundred million terms in float32

Progress = Callable[[Sequence[Any], str], Iterable[Any]]

# ---- what a run takes


def interleaved(runs: dict[str, Run], repetitions: int) -> dict[str, float]:
    """Milliseconds of the fastest repetition of each, by events on the current stream."""
    best: dict[str, float] = {}
    for n in range(repetitions):
        for who, run in runs.items():
            if n >= 2 and best[who] > LONG:
                continue
            best[who] = min(best.get(who, float("inf")), milliseconds(run))
    return best


def limits(repetitions: int) -> dict[str, float]:
    """Bytes and float32 operations a second, by a copy and by multiplications with additions; an empty launch; the L2."""
    xp = cupy()
    x = xp.asarray(np.ones(COPIED, np.float32))
    y = xp.empty(x.shape, np.float32)

    def copy() -> list[Any]:
        y[...] = x
        return [y]

    def peak() -> list[Any]:
        return [launch("peak", PEAK_BLOCKS, [x, PEAK_TIMES])]

    found = interleaved({"copy": copy, "peak": peak}, repetitions)
    operations = 2 * 8 * PEAK_TIMES * 256 * PEAK_BLOCKS
    return {
        "bytes_per_second": 2e3 * x.nbytes / found["copy"],
        "operations_per_second": 1e3 * operations / found["peak"],
        "launch_ms": min(launch_milliseconds(peak) for _ in range(repetitions)),
        "l2_bytes": xp.cuda.runtime.getDeviceProperties(0).get("l2CacheSize", 0),
    }


def launch_milliseconds(busy: Run) -> float:
    """Between the beginnings of two kernels that do nothing, while the host is ahead."""
    xp = cupy()
    array = xp.empty(1, np.float32)

    def run() -> None:
        for _ in range(LAUNCHES):
            launch("nothing", 1, [array])

    busy()
    return milliseconds(run) / LAUNCHES


# ---- a formula


def problem_of(formula: Formula, sizes: dict[str, int], f: Any) -> Problem:
    random = np.random.default_rng(0)
    xp = cupy()

    def uniform(shape: tuple[int, ...]) -> Any:
        return xp.asarray(np.asarray(random.random(shape, np.float32) + np.float32(0.1)))

    arrays = [uniform(s) for s in shapes_at(f, sizes)]
    (output,) = f.program.outputs
    result = f.program.tensors[output]
    return Problem(formula, f, sizes, arrays, uniform(tuple(n.at(sizes) for n in result.shape)))


def measured(
    p: Problem,
    tasks: Sequence[str],
    others: dict[str, Rival],
    repetitions: int,
    limit: dict[str, float],
) -> list[dict[str, Any]]:
    """A row a task: its floor and the times. Whoever computes something else has none, but a reason."""
    reasons: dict[str, str] = {}
    mine, made = own(p), {}
    for who, rival in others.items():
        try:
            made[who] = rival(p)
        except Exception as error:  # whatever a competitor raises, it is its own affair
            reasons[who] = _reason(error)
    rows = []
    for task in tasks:
        expected = mine[task]()
        runs, left_out = {"tadc": mine[task]}, dict(reasons)
        for who in made:
            if task not in made[who]:
                continue
            try:
                failed = difference(made[who][task](), expected)
            except Exception as error:
                failed = _reason(error)
            if failed:
                left_out[who] = failed
            else:
                runs[who] = made[who][task]
        touched, operations = work(p, task)
        rows.append(
            {
                "formula": p.formula.name,
                "task": task,
                "points": points_of(p.f, p.sizes),
                "bytes": touched,
                "operations": operations,
                "floor": 1e3
                * max(
                    touched / limit["bytes_per_second"],
                    operations / limit["operations_per_second"],
                ),
                "in_l2": touched <= limit["l2_bytes"],
                "ms": interleaved(runs, repetitions),
                "left_out": left_out,
            }
        )
    return rows


def difference(found: Sequence[Any], expected: Sequence[Any]) -> str:
    """What is wrong with results, if anything."""
    if len(found) != len(expected):
        return f"{len(found)} results instead of {len(expected)}"
    for each, mine in zip(found, expected, strict=True):
        result = as_gpu_array("result", each).reshape(mine.shape)
        scale = float(abs(mine).max()) or 1.0
        error = float(abs(result - mine).max()) / scale
        if not error <= TOLERANCE:
            return f"a result differs by {error:.2g} of its largest element"
    return ""


def work(p: Problem, task: str) -> tuple[int, int]:
    """The bytes that have to be touched once, and the operations."""
    inputs, result = [4 * prod(a.shape) for a in p.arrays], 4 * prod(p.cotangent.shape)
    given = {s: p.sizes[s] for s in p.f.program.sizes}
    if task == "value":
        return sum(inputs) + result, p.f.cost(mode="primal", **given).operations
    if task == "value and gradients":
        return 2 * sum(inputs) + 2 * result, p.f.cost(mode="vjp", **given).operations
    # A gradient by the first input, of a formula that is linear in it.
    adjoint = p.f.adjoint(p.f.inputs[:1])
    return sum(inputs) + result, adjoint.cost(
        mode="primal", **{s: p.sizes[s] for s in adjoint.program.sizes}
    ).operations


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


# ---- all formulas, and the sweep over collisions


def times(
    chosen: Sequence[Formula],
    points: Sequence[int],
    collisions: Sequence[int],
    repetitions: int,
    limit: dict[str, float],
    progress: Progress,
) -> Iterator[dict[str, Any]]:
    """The rows of the sweep and of all formulas so far, and who is missing."""
    others, missing = rivals()
    swept: list[dict[str, Any]] = []
    for count, formula in progress([(c, f) for c in collisions for f in meeting(c)], "collisions"):
        f = tadc.compile(formula.text)
        problem = problem_of(formula, sizes_of(f, formula.shapes), f)
        (r,) = measured(problem, ("gradient",), others, repetitions, limit)
        swept.append({**r, "collisions": count})
        yield {"rows": [], "collisions": swept, "missing": missing}
    slow: dict[tuple[str, str], str] = {}
    rows: list[dict[str, Any]] = []
    for formula, number in progress([(f, n) for f in chosen for n in points], "formulas"):
        f = tadc.compile(formula.text)
        fast = {who: r for who, r in others.items() if (formula.name, who) not in slow}
        try:
            problem = problem_of(formula, sizes_at(f, formula, number), f)
            found = measured(problem, ("value", "value and gradients"), fast, repetitions, limit)
        except (
            Exception
        ) as error:  # too little memory for so many points: the others count all the same
            missing[f"{formula.name}, {number:,} points"] = _reason(error)
            continue
        for r in found:
            r["left_out"] |= {w: slow[n, w] for n, w in slow if n == formula.name}
        rows += found
        for r in found:
            for who, ms in r["ms"].items():
                if ms > LONG and who != "tadc":
                    slow[formula.name, who] = f"it took {ms:.0f} ms with {r['points']:,} points"
        yield {"rows": rows, "collisions": swept, "missing": missing}


def meeting(count: int) -> list[Formula]:
    """Formulas with `ELEMENTS` points, so many of which read one element of the first input."""
    b = max(1, ELEMENTS // count)

    def torch_modulo(x: Any, w: Any) -> Any:
        import torch

        return x[torch.arange(len(w), device=x.device) % len(x)] * w

    def jax_modulo(x: Any, w: Any) -> Any:
        import jax

        return x[jax.numpy.arange(len(w)) % len(x)] * w

    def outer(a: Any, b: Any) -> Any:
        return a[:, None] * b

    outer_text = "size N, M\ninput a[N], b[M]\ny[i, j] = a[i]*b[j]"
    modulo_text = f"size N\ninput x[{b}], w[N]\ny[i] = x[i % {b}]*w[i]"
    return [
        Formula("a broadcast", outer_text, [(b,), (count,)], torch=outer, jax=outer),
        Formula("x[i % B]", modulo_text, [(b,), (b * count,)], torch=torch_modulo, jax=jax_modulo),
    ]


# ---- the command


def code(chosen: Sequence[Formula], output: Path, progress: Progress) -> None:
    """Writes the numbers of the compiled code, and prints what has become more."""
    path = output / "gpu_code.json"
    before = json.loads(path.read_text("utf-8")) if path.exists() else []
    pairs = [(f, form) for f in chosen for form in gpu_code.FORMS]
    rows = [gpu_code.row(f, form, CODE_POINTS) for f, form in progress(pairs, "code")]
    path.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    (output / "gpu_code.md").write_text(gpu_code.table(rows), "utf-8")
    print(gpu_code.table(rows))
    for line in gpu_code.worse(rows, before):
        print(f"more than before: {line}")


def model(output: Path) -> None:
    """Writes the times of the model, and prints what has changed."""
    path = output / "gpu_model.json"
    before = json.loads(path.read_text("utf-8")) if path.exists() else []
    rows = list(gpu_model.rows(large_formulas()))
    path.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    (output / "gpu_model.md").write_text(gpu_model.table(rows), "utf-8")
    print(gpu_model.table(rows))
    print("\n".join(gpu_model.changed(rows, before)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--code", action="store_true", help="without a GPU: count, time nothing")
    parser.add_argument("--model", action="store_true", help="without a GPU: the model of one")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--only", action="append", default=[], help="a formula's name")
    parser.add_argument("--points", action="append", type=lambda n: int(float(n)), default=[])
    parser.add_argument("--collisions", action="append", type=lambda n: int(float(n)), default=[])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args(arguments)
    if options.model:
        options.output.mkdir(parents=True, exist_ok=True)
        model(options.output)
        return
    from rich.progress import track

    chosen = [f for f in formulas() if not options.only or f.name in options.only]
    options.output.mkdir(parents=True, exist_ok=True)
    code(chosen, options.output, track)
    if options.code:
        return
    try:
        cupy()
    except BackendError as error:
        print(f"no times: {error}")
        return
    limit = limits(options.repetitions)
    about = {
        "gpu": ", ".join(devices()),
        "versions": f"tadc {tadc.__version__}, CuPy {cupy().__version__}, NVRTC {'.'.join(map(str, nvrtc_version()))}",
        "date": time.strftime("%Y-%m-%d"),
        "repetitions": options.repetitions,
        **limit,
    }
    data: dict[str, Any] = {}
    sizes = options.points or POINTS, options.collisions or COLLISIONS
    for found in times(chosen, *sizes, options.repetitions, limit, track):
        data = {"about": about, **found}
        (options.output / "gpu.json").write_text(json.dumps(data, indent=1) + "\n", "utf-8")
        (options.output / "gpu.md").write_text(gpu_report.table(data), "utf-8")
    gpu_report.plot(data, options.output / "gpu.svg")
    print(gpu_report.table(data))
    print("\n".join(gpu_report.worst(data)))


if __name__ == "__main__":
    main()
