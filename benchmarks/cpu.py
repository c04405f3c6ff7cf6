"""Sixteen formulas and a wave step on the CPU: tadc against PyTorch and JAX, as a formula is written and as an expert
reformulates it, against C tuned by hand, against the adjoint with atomic additions, and against the machine's limits.

    python benchmarks/cpu.py [--repetitions 7] [--dtype float64] [--only NAME]... [--without WHO]... [--threads N] [--output DIR]

Times are of a whole call on arrays in memory: `value`, and `value and gradients` (`f.value_and_gradients`). Every
competitor's results are compared with tadc's before its time counts; one that is not installed, fails or computes something
else is left out, with the reason. Repetitions are interleaved, and the minimum counts. The rows are in `cpu_rows.py`, other
libraries' words for them in `cpu_rivals.py`, the C by hand in `by_hand.c`.

The floor is the least time of the compulsory bytes, of tadc's arithmetic and of its special functions at the rates that
were measured between the rows: the greatest of the three. It knows nothing of caches, and nothing of cheaper
algorithms, such as a Fourier transform. Writes `cpu.json`, `cpu.md` and, where matplotlib is installed, `cpu.svg`
(`cpu_float64.*` with that type).
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
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from cpu_rivals import jax_forms, torch_forms
from cpu_rows import ROWS, Row

import tadc
from tadc.compiler import atomic_module, module
from tadc.emit.c.file import emit_c
from tadc.emit.clike.launcher import workspace_places
from tadc.emit.clike.text import REAL
from tadc.runtime.cpu.c_compiler import compiler, loaded
from tadc.runtime.cpu.limits import Limits, limits
from tadc.runtime.cpu.native import available_threads
from tadc.schedule.lowered import CpuModule
from tadc.schedule.nest.special import special_calls

VALUE, BOTH = "value", "value and gradients"
Run = Callable[[], Any]
Runs = dict[str, Run]  # by task

# With their colours in the plot; those that end in `expert` reformulate the formula.
COMPETITORS = {
    "tadc": "black", "C": "grey", "torch": "#f4a582", "torch, expert": "#d6604d", "torch.compile": "#92c5de",
    "torch.compile, expert": "#4393c3", "JAX": "#a6d96a", "JAX, expert": "#1a9641", "atomic": "#dddddd",
}  # fmt: skip
LIBRARIES = [who for who in COMPETITORS if who.startswith(("torch", "JAX"))]
TOLERANCES = {"float32": 2e-3, "float64": 1e-9}
HAND_FLAGS = "-O3 -ffp-contract=fast"
# The compiled gradient of `unfold` and `amax` in PyTorch 2.13 is wrong, and writes where it should not: the process may end.
BROKEN = {("maxpool", "torch.compile"): "its gradient is wrong, and spoils memory"}
PAUSE = 0.002  # seconds in which threads of the competitor before go to sleep
SHORT = 0.05  # seconds: what takes less is repeated more
LONG = 0.5  # seconds: what takes longer is not repeated much
FAR_TOO_LONG = 3.0  # seconds: additions by atomics that take longer are left out
WAVE = "wave"  # whose adjoint is to take at most 1.3 times its value


@dataclass(frozen=True)
class Problem:
    """A row with its arrays, and what tadc computes of them: the value and the gradients."""

    key: str
    row: Row
    dtype: str
    threads: int
    f: Any
    sizes: dict[str, int]  # those that follow from others, too
    arrays: list[Any]
    cotangent: Any
    expected: tuple[Any, ...]

    @property
    def own_sizes(self) -> dict[str, int]:
        return {s: self.sizes[s] for s in self.f.program.sizes}

    @classmethod
    def of(cls, key: str, dtype: str, threads: int) -> Problem:
        row = ROWS[key]
        arrays = row.arrays(dtype)
        f = tadc.compile(row.text, backend="native", threads=threads)
        f, _ = f.of_call(dict(zip(f.inputs, arrays, strict=True)))
        value = f(*arrays)
        cotangent = np.random.default_rng(1).uniform(-1, 1, value.shape).astype(dtype)
        value, gradients = f.value_and_gradients(*arrays, cotangent=cotangent)
        sizes = f.calls.sizes({n: a.shape for n, a in zip(f.inputs, arrays, strict=True)}, {})
        expected = (value, *gradients.values())
        return cls(key, row, dtype, threads, f, sizes, arrays, cotangent, expected)

    def check(self, results: Any) -> None:
        """Raises ValueError where results differ from tadc's."""
        tolerance = TOLERANCES[self.dtype]
        for k, (x, y) in enumerate(zip(results, self.expected, strict=True)):
            error = np.max(np.abs(np.asarray(x) - y)) / (np.max(np.abs(y)) or 1)
            if not error <= tolerance:
                what = f"the gradient by {self.f.inputs[k - 1]}" if k else "the value"
                raise ValueError(f"{what} differs by {error:.1e} of its largest element")

    def work(self, task: str) -> dict[str, int]:
        """Compulsory bytes, and the arithmetic operations and special functions of the programs that tadc runs."""
        inputs = sum(a.nbytes for a in self.arrays)
        output = self.expected[0].nbytes
        f, dtype = self.f, self.dtype
        parts: Any = (f,)
        if task == BOTH:
            inputs, output = 2 * inputs, 2 * output
            parts = f._value_and_gradients.parts(f.inputs, self.sizes, dtype)
        functions = 0
        for part in parts:
            given = part._program.size_values(self.own_sizes)
            m = module(part._program, part._mode, given, dtype, f._options)
            values = m.program.size_values(self.own_sizes)
            functions += sum(special_calls(k, values) for k in m.kernels)
        mode = "primal" if task == VALUE else "value_and_gradients"
        operations = f.cost(mode=mode, **self.own_sizes).operations - functions
        return {"bytes_": inputs + output, "operations": operations, "functions": functions}


# ---------------------------------------------------------------------- competitors


def by_tadc(p: Problem) -> Runs:
    return {
        VALUE: lambda: p.f(*p.arrays),
        BOTH: lambda: p.f.value_and_gradients(*p.arrays, cotangent=p.cotangent),
    }


def by_hand(p: Problem) -> Runs | None:
    """The functions of `by_hand.c`. What is returned is new each time, as tadc's results are."""
    if not p.row.by_hand:
        return None
    text = Path(__file__).with_name("by_hand.c").read_text("utf-8")
    flags = os.environ.get("CFLAGS", "")
    os.environ["CFLAGS"] = f"{flags} {HAND_FLAGS}"
    try:
        library = loaded(f"#define REAL {REAL[p.dtype]}\n{text}")
    finally:
        os.environ["CFLAGS"] = flags
    sizes = np.array([*p.own_sizes.values()], np.int64)

    def called(name: str, inputs: list[Any], like: tuple[Any, ...]) -> list[Any]:
        results = [np.empty_like(a) for a in like]
        pointers = (ctypes.c_void_p(a.ctypes.data) for a in (*inputs, *results, sizes))
        library[name](*pointers, ctypes.c_int(p.threads))
        return results

    def both() -> list[Any]:
        return called(f"{p.key}_both", [*p.arrays, p.cotangent], p.expected)

    p.check(both())
    p.check([*called(p.key, p.arrays, p.expected[:1]), *p.expected[1:]])
    return {VALUE: lambda: called(p.key, p.arrays, p.expected[:1]), BOTH: both}


def by_torch(p: Problem, form: Any, compiled: bool) -> Runs:
    import torch

    torch.set_num_threads(p.threads)
    if compiled:
        torch.compiler.reset()
        form = torch.compile(form, dynamic=False)
    given = [torch.from_numpy(a).requires_grad_() for a in p.arrays]
    seed = torch.from_numpy(p.cotangent)

    def value() -> Any:
        with torch.no_grad():
            return form(*given)

    def both() -> Any:
        y = form(*given)
        return (y.detach(), *torch.autograd.grad(y, given, seed))

    p.check(both())
    p.check((value(), *p.expected[1:]))
    return {VALUE: value, BOTH: both}


def by_jax(p: Problem, form: Any) -> Runs:
    import jax

    given, seed = [jax.numpy.asarray(a) for a in p.arrays], jax.numpy.asarray(p.cotangent)

    def gradients(seed: Any, *xs: Any) -> Any:
        y, pullback = jax.vjp(form, *xs)
        return (y, *pullback(seed))

    value, both = jax.jit(form), jax.jit(gradients)
    p.check(both(seed, *given))
    p.check((value(*given), *p.expected[1:]))
    return {
        VALUE: lambda: value(*given).block_until_ready(),
        BOTH: lambda: jax.block_until_ready(both(seed, *given)),
    }


def by_atomics(p: Problem) -> Runs:
    """The value, and the gradients by the better one of two forms with atomic additions: a thread an output element or a point."""
    runs: list[Run] = []
    for points in (False, True):
        mode = atomic_module(p.f.program, p.f.inputs, points=points)
        text = emit_c([CpuModule.of(mode, p.dtype)], p.dtype, "int64")
        launcher = loaded(text)[mode.launcher]
        numbers = [ctypes.c_int64(n) for n in p.own_sizes.values()]
        work = np.empty(workspace_places(mode.temporaries, p.sizes, p.dtype)[1] + 1, np.uint8)

        def run(launcher: Any = launcher, numbers: Any = numbers, work: Any = work) -> list[Any]:
            results = [np.empty_like(a) for a in p.arrays]
            given = (*p.arrays, p.cotangent, *results, work)
            pointers = (ctypes.c_void_p(a.ctypes.data) for a in given)
            assert launcher(*pointers, *numbers, ctypes.c_int(p.threads)) == 0
            return results

        runs.append(run)
    seconds = {run: timed(run) for run in runs}
    best = min(runs, key=seconds.__getitem__)
    if seconds[best] > FAR_TOO_LONG:
        raise ValueError(f"it takes {seconds[best]:.1f} s")
    p.check((p.expected[0], *best()))
    return {BOTH: lambda: (p.f(*p.arrays), *best())}


def competitors(p: Problem) -> Iterator[tuple[str, Callable[[], Runs | None]]]:
    """Who is timed, with a function that makes the runs, or None where there is nothing to run."""
    yield "tadc", lambda: by_tadc(p)
    yield "C", lambda: by_hand(p)
    if installed("torch"):
        written, expert = torch_forms()[p.key]
        for who, form in (("", written), (", expert", expert)):
            if form is not None:
                yield f"torch{who}", lambda form=form: by_torch(p, form, compiled=False)
                yield f"torch.compile{who}", lambda form=form: by_torch(p, form, compiled=True)
    if installed("jax"):
        written, expert = jax_forms()[p.key]
        for who, form in (("", written), (", expert", expert)):
            if form is not None:
                yield f"JAX{who}", lambda form=form: by_jax(p, form)
    yield "atomic", lambda: by_atomics(p)


def installed(library: str) -> bool:
    try:
        import_module(library)
    except ImportError:
        return False
    return True


# ---------------------------------------------------------------------- times


@dataclass
class Times:
    """Seconds of every repetition of a task by who ran it, and the work that the floor is of."""

    key: str
    task: str
    work: dict[str, int]
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def best(self, who: str) -> float | None:
        return min(self.seconds[who]) if self.seconds.get(who) else None

    def best_of(self, names: list[str]) -> tuple[float, str] | None:
        """The fastest of these, and who that is."""
        found = [(t, who) for who in names if (t := self.best(who))]
        return min(found) if found else None

    def floor(self, rates: Limits) -> tuple[float, str]:
        """The least time by the machine's limits, and which of them."""
        least = rates.seconds(**self.work)
        limit = max(least, key=least.__getitem__)
        return least[limit], limit


def timed(run: Run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def interleaved(runs: dict[str, Run], repetitions: int) -> dict[str, list[float]]:
    """Seconds of each repetition. Each run is repeated at once, until its own threads are awake and caches hold what it uses:
    some share their inputs with the one before, and some do not.
    """
    seconds: dict[str, list[float]] = {who: [] for who in runs}
    for n in range(repetitions):
        for who, run in runs.items():
            if n >= 2 and min(seconds[who]) > LONG:
                continue
            time.sleep(PAUSE)
            first = timed(run)
            seconds[who] += [first, *(timed(run) for _ in range(4 if first < SHORT else 1))]
    return seconds


def measured(
    p: Problem, repetitions: int, without: list[str], left_out: dict[str, str]
) -> list[Times]:
    """The times of a row; `left_out` gets the reasons for competitors that have none."""
    found: dict[str, Runs] = {}
    for who, made in competitors(p):
        if who in without:
            continue
        if reason := BROKEN.get((p.key, who)):
            left_out[f"{p.row.name}, {who}"] = reason
            continue
        try:
            runs = made()
        except Exception as error:  # whatever a library raises
            left_out[f"{p.row.name}, {who}"] = f"{type(error).__name__}: {error}".splitlines()[0]
            continue
        if runs is not None:
            found[who] = runs
    return [
        Times(p.key, task, p.work(task), interleaved({w: r[task] for w, r in found.items() if task in r}, repetitions))
        for task in (VALUE, BOTH)
    ]  # fmt: skip


def adjoint_over_value(p: Problem, repetitions: int) -> float:
    """The time of a pullback over that of the value."""
    _, pullback = p.f.vjp(*p.arrays)
    runs = {VALUE: lambda: p.f(*p.arrays), "adjoint": lambda: pullback(p.cotangent)}
    seconds = interleaved(runs, max(3, repetitions))
    return min(seconds["adjoint"]) / min(seconds[VALUE])


def faster(one: Limits, other: Limits) -> Limits:
    return Limits(*map(max, asdict(one).values(), asdict(other).values()))


# ---------------------------------------------------------------------- results


def report(rows: list[Times], rates: Limits, about: dict[str, Any]) -> str:
    lines = [
        "# On the CPU",
        "",
        f"Made by `{about['command']}` on {about['machine']}, {about['threads']} threads, {about['date']}:",
        f"{about['versions']}. {about['dtype']}; minima of {about['repetitions']} interleaved repetitions, medians are in the JSON.",
        f"Measured limits: {rates.bytes_per_second / 1e9:.1f} GB/s, {rates.operations_per_second / 1e9:.1f} Gflop/s,"
        f" {rates.functions_per_second / 1e9:.2f} G exponentials/s. The floor is the greatest of the least times for"
        " compulsory bytes, tadc's arithmetic and its special functions. `C` is `by_hand.c`, `atomic` tadc's scatter form; `expert`"
        " reformulates the formula for the library. The last column is tadc over the best of PyTorch and JAX, an expert's included.",
    ]
    for task in (VALUE, BOTH):
        names = [w for w in COMPETITORS if any(w in r.seconds for r in rows if r.task == task)]
        head = ["", "floor, ms", "by", *(f"{n}, ms" for n in names), "tadc / best library"]
        lines += ["", f"## {task.capitalize()}", "", f"| {' | '.join(head)} |"]
        lines.append(f"|{'|'.join([' --- ', ' ---: ', ' --- ', *[' ---: '] * (len(names) + 1)])}|")
        for r in (r for r in rows if r.task == task):
            floor, limit = r.floor(rates)
            cells = [ROWS[r.key].name, f"{1e3 * floor:.2f}", limit]
            cells += [f"{1e3 * t:.2f}" if (t := r.best(n)) else "" for n in names]
            own, other = r.best("tadc"), r.best_of(LIBRARIES)
            cells.append(f"{own / other[0]:.2f} ({other[1]})" if own and other else "")
            lines.append(f"| {' | '.join(cells)} |")
    if "adjoint_over_value" in about:
        lines += ["", f"The adjoint of the wave step alone takes {about['adjoint_over_value']:.2f} times what its value takes."]  # fmt: skip
    if about["left_out"]:
        lines += ["", "Left out:", ""]
        lines += [f"- {who}: {why}" for who, why in about["left_out"].items()]
    return "\n".join([*lines, ""])


def plot(rows: list[Times], rates: Limits, path: Path) -> None:
    """Bars of all competitors over the floor, a panel a task."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    names = [n for n in COMPETITORS if any(n in r.seconds for r in rows)]
    keys = list(dict.fromkeys(r.key for r in rows))
    height = 0.85 / len(names)
    figure, panels = pyplot.subplots(
        1,
        2,
        figsize=(12, 1 + 0.16 * len(names) * len(keys)),
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    for axes, task in zip(panels, (VALUE, BOTH), strict=True):
        for r in (r for r in rows if r.task == task):
            floor, _ = r.floor(rates)
            for k, who in enumerate(names):
                best = r.best(who)
                if best:
                    place = keys.index(r.key) + height * (k - (len(names) - 1) / 2)
                    axes.barh(place, best / floor, height, color=COMPETITORS[who], label=who)
        axes.set_xscale("log")
        axes.set_xlabel("time over the floor")
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_title(task)
    panels[0].set_yticks(range(len(keys)), [ROWS[k].name for k in keys])
    panels[0].set_ylim(len(keys) - 0.4, -0.6)
    labels: dict[str, Any] = {}
    for axes in panels:
        labels |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    ordered = [n for n in names if n in labels]
    figure.legend([labels[n] for n in ordered], ordered, loc="outside lower center", ncols=5)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--dtype", choices=TOLERANCES, default="float32")
    parser.add_argument("--only", action="append", choices=ROWS, default=[])
    parser.add_argument("--without", action="append", choices=COMPETITORS, default=[])
    parser.add_argument("--threads", type=int, default=available_threads())
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    if compiler() is None:
        raise SystemExit("there is no C compiler")
    from rich.progress import track

    for library in ("torch", "jax"):
        if not installed(library):
            print(f"{library} is not installed, and left out", file=sys.stderr)
    if installed("jax"):
        import_module("jax").config.update("jax_enable_x64", True)
    about: dict[str, Any] = {"left_out": {}}
    rows: list[Times] = []
    rates = limits(options.threads, options.dtype)
    for key in track(options.only or list(ROWS), "rows"):
        p = Problem.of(key, options.dtype, options.threads)
        rows += measured(p, options.repetitions, options.without, about["left_out"])
        if key == WAVE:
            about["adjoint_over_value"] = adjoint_over_value(p, options.repetitions)
        rates = faster(rates, limits(options.threads, options.dtype))
    written(rows, rates, {**about, **circumstances(options)}, options)


def written(
    rows: list[Times], rates: Limits, about: dict[str, Any], options: argparse.Namespace
) -> None:
    """Writes the results, and prints the tables."""
    name = "cpu" if options.dtype == "float32" else f"cpu_{options.dtype}"
    options.output.mkdir(parents=True, exist_ok=True)
    text = report(rows, rates, about)
    (options.output / f"{name}.md").write_text(text, "utf-8")
    data = [
        {
            "row": r.key,
            "formula": ROWS[r.key].name,
            "task": r.task,
            "floor": r.floor(rates)[0],
            "limit": r.floor(rates)[1],
            **r.work,
            "minima": {n: min(t) for n, t in r.seconds.items()},
            "medians": {n: statistics.median(t) for n, t in r.seconds.items()},
        }
        for r in rows
    ]
    content = {"about": {**about, "limits": asdict(rates)}, "rows": data}
    (options.output / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    plot(rows, rates, options.output / f"{name}.svg")
    print(text)


def circumstances(options: argparse.Namespace) -> dict[str, Any]:
    versions = [f"tadc {tadc.__version__}", f"numpy {np.__version__}"]
    versions += [f"{n} {sys.modules[n].__version__}" for n in ("torch", "jax") if n in sys.modules]
    return {
        "command": " ".join(["python benchmarks/cpu.py", *sys.argv[1:]]),
        "machine": f"{cpu_name()} ({os.cpu_count()} processors visible)",
        "threads": options.threads,
        "dtype": options.dtype,
        "date": time.strftime("%Y-%m-%d"),
        "versions": ", ".join((*versions, f"Python {platform.python_version()}")),
        "repetitions": options.repetitions,
    }


def cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(x.partition(": ")[2] for x in lines if x.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
