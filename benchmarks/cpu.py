"""Formulas on the CPU: tadc against numpy, PyTorch and JAX as a user would write them, against plain C with OpenMP,
against the adjoint with atomic additions, and against the machine's limits.

    python benchmarks/cpu.py [--repetitions 7] [--only NAME]... [--threads N] [--output benchmarks/results]

Times are of a whole call on arrays in memory, `value` and `value and gradients`. Every competitor's results are compared
with tadc's before its time counts; one that is not installed is left out. Repetitions are interleaved, the minimum
counts. The form with atomic additions is the better of a thread an output element and a thread a point; three formulas
are written in C by hand (`plain.c`). The floor is the greater of the compulsory bytes over the bandwidth and the operations over the peak, both
measured here in the same run. Writes `cpu.json`, `cpu.md` and, where matplotlib is installed, `cpu.svg`.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tadc
from tadc.compiler import atomic_module
from tadc.emit.c.file import emit_c
from tadc.emit.clike.launcher import workspace_places
from tadc.runtime.cpu.c_compiler import compiler, loaded
from tadc.runtime.cpu.native import available_threads
from tadc.schedule.lowered import CpuModule

Run = Callable[[], Any]
# With their marks and colours in the plot.
COMPETITORS = {"numpy": ("s", "C0"), "torch": ("o", "C1"), "jax": ("^", "C2"), "C": ("d", "C3"), "atomic": ("x", "C4")}  # fmt: skip


@dataclass(frozen=True)
class Formula:
    """`text` of tadc, the shapes of its inputs, the element type, and the same in the words of other libraries."""

    name: str
    text: str
    shapes: list[tuple[int, ...]]
    dtype: str = "float64"
    numpy: Callable[..., Any] | None = None
    torch: Callable[..., Any] | None = None
    jax: Callable[..., Any] | None = None
    plain: str = ""  # the function in `plain.c`, and in `plain.cu`
    fixed: str = ""  # the sizes that stay as they are where the formula is run with more points


def wave_numpy(u: Any, p: Any, c: Any) -> Any:
    m = u[1:-1, 1:-1, 1:-1]
    near = u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1]
    near = near + u[1:-1, 2:, 1:-1] + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:]
    return 2 * m - p[1:-1, 1:-1, 1:-1] + c[1:-1, 1:-1, 1:-1] * (near - 6 * m)


def gaussians(np_: Any) -> Callable[..., Any]:
    def f(x: Any, y: Any, w: Any) -> Any:
        d = ((x[:, None, :] - y[None, :, :]) ** 2).sum(-1)
        return np_.exp(-d) @ w

    return f


def softmax(np_: Any) -> Callable[..., Any]:
    def f(x: Any) -> Any:
        m = np_.amax(x, -1)[:, None] if np_.__name__ == "torch" else np_.max(x, -1)[:, None]
        e = np_.exp(x - m)
        return e / e.sum(-1)[:, None]

    return f


def conv_numpy(x: Any, w: Any) -> Any:
    padded = np.pad(x, 1)
    n = x.shape[0]
    return sum(padded[r : r + n, s : s + n] * w[r, s] for r in range(3) for s in range(3))


def conv_torch(x: Any, w: Any) -> Any:
    import torch

    return torch.nn.functional.conv2d(x[None, None], w[None, None], padding=1)[0, 0]


def conv_jax(x: Any, w: Any) -> Any:
    import jax

    return jax.lax.conv_general_dilated(x[None, None], w[None, None], (1, 1), "SAME")[0, 0]


def channels_torch(x: Any, w: Any) -> Any:
    import torch

    return torch.nn.functional.conv2d(x, w)


def channels_jax(x: Any, w: Any) -> Any:
    import jax

    return jax.lax.conv_general_dilated(x, w, (1, 1), "VALID")


def correlation(np_: Any) -> Callable[..., Any]:
    def f(a: Any, b: Any) -> Any:
        n = a.shape[1]
        rows = [[(a * b[:, u : u + n, v : v + n]).mean(0) for v in range(9)] for u in range(9)]
        return np_.stack([np_.stack(row) for row in rows])

    return f


def formulas() -> list[Formula]:
    found: dict[str, Any] = {}
    for name in ("torch", "jax.numpy"):
        try:
            found[name] = __import__(name, fromlist=["*"])
        except ImportError:
            print(f"{name.partition('.')[0]} is not installed, and left out", file=sys.stderr)
    torch, jnp = found.get("torch"), found.get("jax.numpy")
    size = "size N\n"
    stencil = (
        size + "input u[N,N,N], p[N,N,N], c[N,N,N]\n"
        "v[i: N-2, j: N-2, k: N-2] = 2*u[i+1,j+1,k+1] - p[i+1,j+1,k+1] + c[i+1,j+1,k+1]*(u[i,j+1,k+1] + u[i+2,j+1,k+1]"
        " + u[i+1,j,k+1] + u[i+1,j+2,k+1] + u[i+1,j+1,k] + u[i+1,j+1,k+2] - 6*u[i+1,j+1,k+1])"
    )
    kernel = (
        "size N, M, D\ninput x[N,D], y[M,D], w[M]\n"
        "f[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j]"
    )
    rows = (
        "size N, M\ninput x[N,M]\nm[i] = max{j} x[i,j]\ne[i,j] = exp(x[i,j] - m[i])\n"
        "y[i,j] = e[i,j]/sum{k} e[i,k]"
    )
    border = (
        size + "input x[N,N], w[3,3]\ny[i: N, j: N] = sum{r, s} x[pad(i+r-1), pad(j+s-1)]*w[r,s]"
    )
    inside = size + "input x[N+2,N+2], w[3,3]\ny[i: N, j: N] = sum{r, s} x[i+r, j+s]*w[r,s]"
    many = (
        "size B, C, H, W, O\ninput x[B,C,H,W], k[O,C,3,3]\n"
        "y[b,o,i,j] = sum{c, r, s} x[b,c,i+r,j+s]*k[o,c,r,s]"
    )
    cost_volume = (
        "size K, N\ninput a[K,N,N], b[K,N+8,N+8]\n"
        "c[u: 9, v: 9, i: N, j: N] = mean{k} a[k,i,j]*b[k,i+u,j+v]"
    )
    return [
        Formula("a wave step, 7 points", stencil, [(256,) * 3] * 3, numpy=wave_numpy, torch=wave_numpy, jax=wave_numpy, plain="wave"),
        Formula("a sum of Gaussians", kernel, [(3000, 3), (3000, 3), (3000,)], numpy=gaussians(np), torch=torch and gaussians(torch), jax=jnp and gaussians(jnp), plain="gaussians", fixed="D"),
        Formula("softmax of rows", rows, [(4000, 1000)], numpy=softmax(np), torch=torch and softmax(torch), jax=jnp and softmax(jnp)),
        Formula("3x3 filter with a border", border, [(2000, 2000), (3, 3)], numpy=conv_numpy, torch=torch and conv_torch, jax=jnp and conv_jax, plain="filter"),
        Formula("3x3 filter without", inside, [(2002, 2002), (3, 3)]),
        Formula("convolution, 16 to 32 channels", many, [(4, 16, 64, 64), (32, 16, 3, 3)], dtype="float32", torch=torch and channels_torch, jax=jnp and channels_jax, fixed="C O"),
        Formula("cost volume, 9x9 shifts", cost_volume, [(16, 96, 96), (16, 104, 104)], numpy=correlation(np), torch=torch and correlation(torch), jax=jnp and correlation(jnp), fixed="K"),
        Formula("elementwise", size + "input x[N], y[N]\nz[i] = x[i]*tanh(y[i]) + exp(-x[i]**2)", [(4_000_000,)] * 2, numpy=lambda x, y: x * np.tanh(y) + np.exp(-x * x), torch=torch and (lambda x, y: x * torch.tanh(y) + torch.exp(-x * x)), jax=jnp and (lambda x, y: x * jnp.tanh(y) + jnp.exp(-x * x))),
        Formula("matrix product", "size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = sum{k} a[i,k]*b[k,j]", [(512, 512)] * 2, numpy=lambda a, b: a @ b, torch=torch and (lambda a, b: a @ b), jax=jnp and (lambda a, b: a @ b)),
        Formula("a sum of squares", size + "input x[N]\ns = sum{i} x[i]**2", [(10_000_000,)], numpy=lambda x: x @ x, torch=torch and (lambda x: x @ x), jax=jnp and (lambda x: x @ x)),
    ]  # fmt: skip


@dataclass
class Row:
    """Seconds of every repetition by who ran it, for one formula and one task."""

    formula: str
    task: str
    floor: float
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def best(self, who: str) -> float | None:
        return min(self.seconds[who]) if self.seconds.get(who) else None


def tasks(formula: Formula, threads: int) -> tuple[dict[str, dict[str, Run]], Any]:
    """What is run for each task, by who runs it; results are checked against tadc's."""
    random = np.random.default_rng(0)
    arrays = [random.uniform(-1, 1, s).astype(formula.dtype) for s in formula.shapes]
    f = tadc.compile(formula.text, backend="native", threads=threads)
    value = f(*arrays)
    cotangent = random.uniform(-1, 1, np.shape(value)).astype(formula.dtype)

    def both() -> tuple[Any, ...]:
        y, pullback = f.vjp(*arrays)
        return (y, *pullback(cotangent).values())

    expected = both()
    found: dict[str, dict[str, Run]] = {
        "value": {"tadc": lambda: f(*arrays)},
        "value and gradients": {"tadc": both},
    }
    tolerance = 1e-9 if formula.dtype == "float64" else 2e-3

    def agree(results: Any, who: str) -> None:
        for x, y in zip(results, expected, strict=False):
            scale = np.max(np.abs(y)) or 1
            if not np.allclose(np.asarray(x), y, rtol=tolerance, atol=tolerance * scale):
                raise SystemExit(f"{formula.name}: {who} computes something else")

    if formula.numpy:
        run = formula.numpy
        agree([run(*arrays)], "numpy")
        found["value"]["numpy"] = lambda: run(*arrays)
    if formula.torch:
        import torch

        torch.set_num_threads(threads)
        given = [torch.from_numpy(a).requires_grad_() for a in arrays]
        seed = torch.from_numpy(np.asarray(cotangent))
        torch_f = formula.torch

        def torch_value() -> Any:
            with torch.no_grad():
                return torch_f(*given)

        def torch_both() -> Any:
            y = torch_f(*given)
            return (y.detach(), *torch.autograd.grad(y, given, seed))

        agree(torch_both(), "torch")
        found["value"]["torch"] = torch_value
        found["value and gradients"]["torch"] = torch_both
    if formula.jax:
        import jax

        jax.config.update("jax_enable_x64", True)
        device = [jax.numpy.asarray(a) for a in arrays]
        seed_ = jax.numpy.asarray(cotangent)
        compiled = jax.jit(formula.jax)

        def gradients(seed: Any, *xs: Any) -> Any:
            y, pullback = jax.vjp(formula.jax, *xs)
            return (y, *pullback(seed))

        compiled_both = jax.jit(gradients)
        agree(compiled_both(seed_, *device), "jax")
        found["value"]["jax"] = lambda: compiled(*device).block_until_ready()
        found["value and gradients"]["jax"] = lambda: jax.block_until_ready(
            compiled_both(seed_, *device)
        )
    sizes = f.calls.sizes({n: a.shape for n, a in zip(f.inputs, arrays, strict=True)}, {})
    if formula.plain:
        by_task = plain(formula.plain, arrays, value, cotangent, threads)
        for task, by_hand in by_task.items():
            agree(by_hand(), "plain C")
            found[task]["C"] = by_hand
    scatter = atomic(f, arrays, cotangent, sizes, threads)
    agree(scatter(), "the form with atomic additions")
    found["value and gradients"]["atomic"] = scatter
    return found, (f, {s: sizes[s] for s in f.program.sizes})


def plain(name: str, arrays: list[Any], value: Any, cotangent: Any, threads: int) -> dict[str, Run]:
    """The formula in `plain.c`. What is returned is new each time, as tadc's results are."""
    flags = os.environ.get("CFLAGS", "")
    os.environ["CFLAGS"] = f"{flags} -O3 -ffast-math"
    library = loaded(Path(__file__).with_name("plain.c").read_text("utf-8"))
    os.environ["CFLAGS"] = flags
    last = [ctypes.c_int64(len(arrays[0])), ctypes.c_int(threads)]

    def called(function: Any, inputs: list[Any], results: list[Any]) -> list[Any]:
        function(*(ctypes.c_void_p(a.ctypes.data) for a in (*inputs, *results)), *last)
        return results

    def both() -> list[Any]:
        results = [np.empty_like(a) for a in (value, *arrays)]
        return called(getattr(library, f"{name}_both"), [*arrays, cotangent], results)

    value_only = getattr(library, name)
    return {
        "value": lambda: called(value_only, arrays, [np.empty_like(value)]),
        "value and gradients": both,
    }


def atomic(f: Any, arrays: list[Any], cotangent: Any, sizes: dict[str, int], threads: int) -> Run:
    """The value, and the gradients by the better one of two forms with atomic additions."""
    dtype = arrays[0].dtype.name
    runs: list[Run] = []
    for points in (False, True):
        mode = atomic_module(f.program, f.inputs, points=points)
        text = emit_c([CpuModule.of(mode, dtype)], dtype, "int64")
        launcher = getattr(loaded(text), mode.launcher)
        numbers = [ctypes.c_int64(sizes[s]) for s in f.program.sizes]
        work = np.empty(workspace_places(mode.temporaries, sizes, dtype)[1] + 1, np.uint8)

        def run(launcher: Any = launcher, numbers: Any = numbers, work: Any = work) -> list[Any]:
            results = [np.empty_like(a) for a in arrays]
            given = (*arrays, cotangent, *results, work)
            pointers = (ctypes.c_void_p(a.ctypes.data) for a in given)
            assert launcher(*pointers, *numbers, ctypes.c_int(threads)) == 0
            return results

        runs.append(run)
    best = min(runs, key=lambda run: min(timed(run) for _ in range(2)))
    return lambda: (f(*arrays), *best())


PEAK = """
#include <stdint.h>
void peak(double *x, int64_t n, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; t++) {
    double s[64], a = x[0], b = x[1];
    for (int l = 0; l < 64; l++) s[l] = x[l];
    for (int64_t i = 0; i < n; i++) for (int l = 0; l < 64; l++) s[l] = s[l] * a + b;
    for (int l = 0; l < 64; l++) x[64 * t + l] = s[l];
  }
}
"""


def machine(threads: int) -> dict[str, float]:
    """Bytes and double-precision operations a second: the best of copies, and of multiplications and additions."""
    source, target = np.ones(16_000_000), np.ones(16_000_000)
    f = tadc.compile(
        "size N\ninput x[N], y[N]\nz[i] = x[i] + y[i]", backend="native", threads=threads
    )
    f(source, target)
    bandwidth = 24 * source.size / min(timed(lambda: f(source, target)) for _ in range(9))
    library = loaded(PEAK)
    library.peak.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int]
    x, n = np.full(64 * threads, 0.5), 2_000_000
    peak = (
        threads
        * 128
        * n
        / min(timed(lambda: library.peak(x.ctypes.data, n, threads)) for _ in range(5))
    )
    return {"bytes_per_second": bandwidth, "operations_per_second": peak}


def timed(run: Run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measured(
    formula: Formula, repetitions: int, threads: int, limits: dict[str, float]
) -> list[Row]:
    found, (f, sizes) = tasks(formula, threads)
    width = 2 if formula.dtype == "float32" else 1
    rows = []
    for task, runs in found.items():
        cost = f.cost(mode="primal" if task == "value" else "vjp", **sizes)
        kept = sum(int(np.prod(s)) for s in formula.shapes) * 8 // width
        kept *= 1 if task == "value" else 2  # inputs and their gradients
        floor = max(
            kept / limits["bytes_per_second"],
            cost.operations / (width * limits["operations_per_second"]),
        )
        row = Row(formula.name, task, floor, {who: [] for who in runs})
        for _ in range(repetitions):
            for who, run in runs.items():
                row.seconds[who].append(timed(run))
        rows.append(row)
    return rows


def table(rows: list[Row], about: dict[str, Any]) -> str:
    """Milliseconds as Markdown: the minimum of each, with the factor over tadc's."""
    names = [n for n in COMPETITORS if any(n in r.seconds for r in rows)]
    head = ["formula", "task", "floor, ms", "tadc, ms", *(f"{n}, ms (x tadc)" for n in names)]
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join([' --- '] * len(head))}|"]
    for r in rows:
        own = r.best("tadc")
        assert own
        cells = [r.formula, r.task, f"{1e3 * r.floor:.2f}", f"{1e3 * own:.2f}"]
        for n in names:
            best = r.best(n)
            cells.append(f"{1e3 * best:.2f} ({best / own:.2f})" if best else "")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(
        [
            "# On the CPU",
            "",
            f"Made by `{about['command']}` on {about['machine']}, {about['threads']} threads, {about['date']}:",
            f"{about['versions']}. Minima of {about['repetitions']} interleaved repetitions; medians are in `cpu.json`.",
            f"Measured limits: {about['bytes_per_second'] / 1e9:.1f} GB/s, {about['operations_per_second'] / 1e9:.1f} Gflop/s in"
            " float64 without fused operations, `C` is `plain.c` with -O3 -ffast-math, `atomic` tadc's scatter form. Bandwidth is that of two reads and a"
            " write; the floor has the bytes of inputs and their gradients, and knows nothing of caches, nor of what an"
            " exponential takes.",
            "",
            *lines,
            "",
        ]
    )


def plot(rows: list[Row], path: Path) -> None:
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(9, 0.45 * len(rows) + 1))
    for k, r in enumerate(rows):
        own = r.best("tadc")
        assert own
        for n, (mark, color) in COMPETITORS.items():
            best = r.best(n)
            if best:
                axes.plot(best / own, -k, mark, color=color, label=n)
        axes.plot(r.floor / own, -k, "k|")
    axes.axvline(1, color="grey")
    axes.set_xscale("log")
    axes.set_yticks([-k for k in range(len(rows))], [f"{r.formula}, {r.task}" for r in rows])
    axes.set_xlabel("time over tadc's; a bar is the floor")
    labels = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    axes.legend(labels.values(), labels.keys())
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--threads", type=int, default=available_threads())
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    if compiler() is None:
        raise SystemExit("there is no C compiler")
    from rich.progress import track

    limits = machine(options.threads)
    chosen = [f for f in formulas() if not options.only or f.name in options.only]
    rows: list[Row] = []
    for formula in track(chosen, "formulas"):
        rows += measured(formula, options.repetitions, options.threads, limits)
    versions = [f"tadc {tadc.__version__}", f"numpy {np.__version__}"]
    versions += [f"{n} {sys.modules[n].__version__}" for n in ("torch", "jax") if n in sys.modules]
    about = {
        "command": "python benchmarks/cpu.py",
        "machine": f"{cpu_name()} ({os.cpu_count()} processors visible)",
        "threads": options.threads,
        "date": time.strftime("%Y-%m-%d"),
        "versions": ", ".join((*versions, f"Python {platform.python_version()}")),
        "repetitions": options.repetitions,
        **limits,
    }
    options.output.mkdir(parents=True, exist_ok=True)
    text = table(rows, about)
    (options.output / "cpu.md").write_text(text, "utf-8")
    data = [
        {
            "formula": r.formula,
            "task": r.task,
            "floor": r.floor,
            "minima": {n: min(t) for n, t in r.seconds.items()},
            "medians": {n: statistics.median(t) for n, t in r.seconds.items()},
        }
        for r in rows
    ]
    content = json.dumps({"about": about, "rows": data}, indent=2) + "\n"
    (options.output / "cpu.json").write_text(content, "utf-8")
    plot(rows, options.output / "cpu.svg")
    print(text)


def cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(x.partition(": ")[2] for x in lines if x.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
