"""Times of values and gradients on Dask arrays, beside one call and beside plain Dask: `python benchmarks/distributed.py`.

Every case is run twice, and the second run counts: texts are compiled then. Threads and processes are two; data is where the
workers are. `--small` runs everything at a fraction of the size; `calls`, `plain`, `pairs` or `stores` runs one part. The results are in
`results/distributed.md`, part by part.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "2")
HERE = Path(__file__).resolve().parent
# This file has the name of the package that it measures with, and a script's folder is searched first.
sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != HERE]

import dask  # noqa: E402
import dask.array as da  # noqa: E402
import distributed  # noqa: E402
import numpy as np  # noqa: E402
import zarr  # noqa: E402

import tadc  # noqa: E402
import tadc.dask  # noqa: E402

ROOT = HERE.parent
RESULTS = HERE / "results" / "distributed.md"
WAVE = """size X, Y, Z
input u[X,Y,Z], before[X,Y,Z], v[X,Y,Z]
next[x: X, y: Y, z: Z] = 2*u[x,y,z] - before[x,y,z] + v[x,y,z]*(u[pad(x-1),y,z] + u[pad(x+1),y,z]
    + u[x,pad(y-1),z] + u[x,pad(y+1),z] + u[x,y,pad(z-1)] + u[x,y,pad(z+1)] - 6*u[x,y,z])"""
SOFTMAX = "m[i] = max{j} x[i,j]\ne[i,j] = exp(x[i,j]-m[i])\ny[i,j] = e[i,j]/sum{l} e[i,l]"
CONVOLUTION = "y[n,o,p,q] = sum{c,r,s} x[n,c,p+r,q+s]*w[o,c,r,s]"
GAUSSIANS = "y[i] = sum{j} w[j]*exp(-g*sum{k} (x[i,k]-z[j,k])**2)"


@dataclass(frozen=True)
class Case:
    """A formula, the shapes of its inputs, and their chunks."""

    name: str
    text: str
    shapes: Mapping[str, tuple[int, ...]]
    chunks: Mapping[str, tuple[int, ...]]


def cases(n: int) -> list[Case]:
    """Those of the table; extents are divided by `n`."""

    def wave(*chunks: int) -> Case:
        names = ("u", "before", "v")
        shape = (256 // n,) * 3
        return Case(
            f"wave {shape[0]}³, chunks {chunks}".replace(" ", " "),
            WAVE,
            dict.fromkeys(names, shape),
            dict.fromkeys(names, chunks),
        )

    images, size, points = 256 // n, 2048 // n, 10_000 // n
    return [
        wave(128 // n, 128 // n, 256 // n),
        wave(64 // n, 64 // n, 256 // n),
        Case(
            f"convolution, {images} images 8 x 64²",
            CONVOLUTION,
            {"x": (images, 8, 64, 64), "w": (8, 8, 3, 3)},
            {"x": (images // 4, 8, 64, 64), "w": (8, 8, 3, 3)},
        ),
        Case(
            f"product {size}³, all cut in 2",
            "c[i,j] = sum{k} a[i,k]*b[k,j]",
            {"a": (size, size), "b": (size, size)},
            {"a": (size // 2, size // 2), "b": (size // 2, size // 2)},
        ),
        Case(
            f"hankel {40_000 // n} by {10_000 // n}",
            "y[i] = sum{j} h[i+j]*x[j]",
            {"h": (50_000 // n,), "x": (10_000 // n,)},
            {"h": (10_000 // n,), "x": (5_000 // n,)},
        ),
        Case(
            "softmax, rows whole",
            SOFTMAX,
            {"x": (8192 // n, 2048)},
            {"x": (2048 // n, 2048)},
        ),
        Case("softmax, rows cut in 4", SOFTMAX, {"x": (8192 // n, 2048)}, {"x": (2048 // n, 512)}),
        Case(
            f"Gaussians {points} by {points}",
            GAUSSIANS,
            {"w": (points,), "g": (), "x": (points, 3), "z": (points, 3)},
            {"w": (points // 8,), "g": (), "x": (points // 4, 3), "z": (points // 8, 3)},
        ),
    ]


def building(build: Callable[[], Any]) -> float:
    """Seconds of one processor that it takes."""
    start = time.process_time()
    build()
    return time.process_time() - start


def best(call: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds of the second run, and its result."""
    call()
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def arrays(case: Case) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    made = {n: rng.standard_normal(s, dtype=np.float32) for n, s in case.shapes.items()}
    return {n: np.float32(0.5) * np.ones((), np.float32) if n == "g" else np.asarray(a) for n, a in made.items()}  # fmt: skip


def row(case: Case, client: Any) -> list[str]:
    """Values and all gradients: one call, two threads, two processes."""
    f = tadc.compile(case.text, name="f")
    x = arrays(case)
    lazy = {n: da.from_array(a, chunks=case.chunks[n]) for n, a in x.items()}

    def single() -> Any:
        value, pullback = f.vjp(**x)
        return value, pullback(value)

    def graphs(inputs: Mapping[str, Any], slices: bool) -> Any:
        y, pullback = tadc.dask.wrap(f, slices=slices).vjp(**inputs)
        return y, pullback(y)

    alone, (value, gradients) = best(single)
    graph = graphs(lazy, False)
    plan = tadc.dask.wrap(f, slices=True).plan(gradients=True, **lazy)
    built = min(building(lambda: graphs(lazy, True)) for _ in range(4))
    with dask.config.set(scheduler="threads", num_workers=2):
        threads, found = best(lambda: dask.compute(*graph))
    there = dict(zip(lazy, client.persist(list(lazy.values())), strict=True))
    distributed.wait(list(there.values()))

    def on_processes() -> None:
        parts = client.persist(list(flat(graphs(there, True))))
        distributed.wait(parts)

    processes, _ = best(on_processes)
    client.cancel(list(there.values()))
    whole = [value, *gradients.values()]
    parts = [found[0], *found[1].values()]
    same = all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))
    error = max(np.abs(a - b).max() / np.abs(a).max() for a, b in zip(whole, parts, strict=True))
    return [
        case.name,
        str(plan.tasks),
        f"{built / plan.tasks * 1e3:.2f} ms",
        f"{plan.task_bytes / 1e6:.0f} MB",
        f"{plan.moved_bytes / 1e6:.0f} MB",
        f"{alone:.2f} s",
        f"{threads:.2f} s",
        f"{processes:.2f} s",
        "bits equal" if same else f"{error:.0e}",
    ]


def flat(pair: tuple[Any, Mapping[str, Any]]) -> Sequence[Any]:
    return [pair[0], *pair[1].values()]


def stencil(u: np.ndarray) -> np.ndarray:
    """Seven points of a block with its halo, as `map_overlap` hands it over."""
    out = -6 * u
    for axis in range(3):
        for shift in (1, -1):
            out += np.roll(u, shift, axis)
    return out


def against_plain_dask(n: int) -> list[list[str]]:
    """A stencil beside `map_overlap`, a product beside `da.matmul`, an elementwise function beside `map_blocks`; two threads."""
    f = tadc.compile(
        "size X, Y, Z\ninput u[X,Y,Z]\ny[x: X, y: Y, z: Z] = u[pad(x-1),y,z] + u[pad(x+1),y,z] + u[x,pad(y-1),z]"
        " + u[x,pad(y+1),z] + u[x,y,pad(z-1)] + u[x,y,pad(z+1)] - 6*u[x,y,z]"
    )
    g = tadc.compile("c[i,j] = sum{k} a[i,k]*b[k,j]")
    h = tadc.compile("y[i,j] = 2*x[i,j] + 1")
    rows = []
    rng = np.random.default_rng(0)
    u = rng.standard_normal((256 // n,) * 3, dtype=np.float32)
    for chunk in (64 // n, 32 // n):
        lazy = da.from_array(u, chunks=chunk)
        theirs = da.map_overlap(stencil, lazy, depth=1, boundary=0, dtype=u.dtype)
        rows.append(compared(f"stencil, chunks of {chunk}³", f(lazy), "map_overlap", theirs))
    a = rng.standard_normal((2048 // n,) * 2, dtype=np.float32)
    lazy = da.from_array(a, chunks=512 // n)
    rows.append(compared("product", g(lazy, lazy), "da.matmul", da.matmul(lazy, lazy)))
    rows.append(compared("2*x + 1", h(lazy), "map_blocks", lazy.map_blocks(lambda x: 2 * x + 1)))
    points = 10_000 // n
    x, z = (rng.standard_normal((points, 3), dtype=np.float32) for _ in range(2))
    w = rng.standard_normal(points, dtype=np.float32)
    lazy_x, lazy_z, lazy_w = (da.from_array(v, chunks=points // 8) for v in (x, z, w))
    squares = sum((lazy_x[:, None, k] - lazy_z[None, :, k]) ** 2 for k in range(3))
    theirs = (lazy_w * da.exp(-np.float32(0.5) * squares)).sum(axis=1)
    ours = tadc.compile(GAUSSIANS)(w=lazy_w, g=np.float32(0.5), x=lazy_x, z=lazy_z)
    rows.append(compared(f"Gaussians {points} by {points}", ours, "da.exp(..).sum", theirs))
    return rows


def compared(name: str, ours: Any, other: str, theirs: Any) -> list[str]:
    with dask.config.set(scheduler="threads", num_workers=2):
        mine, value = best(ours.compute)
        start = time.perf_counter()
        wanted = theirs.compute()
        its = time.perf_counter() - start
    assert np.abs(value - wanted).max() <= 1e-3 * np.abs(wanted).max()
    tasks = [str(len(dict(a.__dask_optimize__(a.dask, a.__dask_keys__())))) for a in (ours, theirs)]
    return [name, tasks[0], f"{mine:.2f} s", other, tasks[1], f"{its:.2f} s"]


def peak() -> int:
    """The most bytes that this process has held."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


LOSS = "size X, Y, Z; input u[X,Y,Z]\nl = sum{x,y,z} u[x,y,z]**2"
WORKER_BYTES = 260 * 10**6


@dataclass(frozen=True)
class Stores:
    """Arrays of one shape in a folder."""

    folder: str
    shape: tuple[int, ...]
    chunks: tuple[int, ...]

    def new(self, name: str) -> Any:
        path = f"{self.folder}/{name}"
        return zarr.create_array(path, shape=self.shape, chunks=self.chunks, dtype="f4", compressors=None)  # fmt: skip

    def random(self, name: str) -> Any:
        store, step = self.new(name), self.chunks[0]
        rng = np.random.default_rng(len(name))
        for low in range(0, self.shape[0], step):
            store[low : low + step] = rng.random((step, *self.shape[1:]), dtype=np.float32)
        return store


def out_of_core(n: int) -> list[list[str]]:
    """A step of the wave, its gradients and a loss, through two workers; each is run again with one of them killed."""
    step = tadc.compile(WAVE)
    programs = {"value": step, "gradients": step.adjoint(), "loss": tadc.compile(LOSS)}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        stores = Stores(folder, (512 // n,) * 3, (8, 512 // n, 512 // n))
        every = {name: stores.random(name) for name in ("u", "before", "v", "dnext")}
        for name, f in programs.items():
            x = {t: every[t] for t in f.inputs}
            before: list[Any] = []
            for killed in (False, True):
                with workers_of(WORKER_BYTES) as client:
                    seconds, most, plan, results = from_stores(f, x, stores, client, killed)
                held = sum(a.nbytes for a in (*x.values(), *results))
                rows.append([
                    name + (", a worker killed" if killed else ""),
                    f"{held / 1e6:.0f} MB", f"{held / (2 * WORKER_BYTES):.1f}",
                    str(plan.tasks), f"{plan.task_bytes / 1e6:.0f} MB", f"{most / 1e6:.0f} MB", f"{seconds:.1f} s",
                    agreement(f, x, results, before),
                ])  # fmt: skip
                before = results
                print(*rows[-1], sep="  ", flush=True)
    return rows


@contextmanager
def workers_of(memory: int | str) -> Iterator[Any]:
    """A client of two processes of so much memory, a thread each."""
    settings = {"distributed.nanny.environ": ENVIRONMENT, "distributed.worker.memory.terminate": 0.99}  # fmt: skip
    with (
        dask.config.set(settings),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=memory, dashboard_address=None) as workers,
        distributed.Client(workers) as client,
    ):  # fmt: skip
        yield client


def from_stores(
    f: Any, x: Mapping[str, Any], stores: Stores, client: Any, killed: bool
) -> tuple[float, int, Any, list[Any]]:
    """The seconds of a run, the most bytes of a worker, the plan, and the results: stores, or a number."""
    data = tadc.dask.wrap(f)
    lazy, plan = data(**x), data.plan(**x)
    lazy = lazy if isinstance(lazy, tuple) else (lazy,)
    data.warm(client, **x)
    results: list[Any] = [stores.new(f"{n} {killed}") for n in f.outputs if lazy[0].ndim]
    start = time.perf_counter()
    work = da.store(list(lazy), results, lock=False, compute=False) if results else lazy
    futures = client.compute(work if isinstance(work, tuple) else (work,))
    if killed:
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    distributed.wait(futures, timeout=250)
    numbers = client.gather(futures)
    results = results or numbers
    return time.perf_counter() - start, max(client.run(peak).values()), plan, results


def pairs(n: int) -> list[list[str]]:
    """A sum over Gaussians of all pairs, value and then gradients too, through two workers; 64 rows are compared with float64."""
    points = 200_000 // n
    case = Case("", GAUSSIANS, {"w": (points,), "g": (), "x": (points, 3), "z": (points, 3)}, {})
    x = arrays(case)
    cuts = {"w": points // 8, "g": (), "x": (points // 4, 3), "z": (points // 8, 3)}
    lazy = {k: da.from_array(a, chunks=cuts[k]) for k, a in x.items()}
    f = tadc.compile(GAUSSIANS)
    data = tadc.dask.wrap(f)
    exact = {k: a.astype("f8") for k, a in x.items()} | {"x": x["x"][:64].astype("f8")}
    wanted = tadc.compile(GAUSSIANS)(**exact)
    rows = []
    for name in ("value", "value and gradients"):
        plan = data.plan(gradients=name != "value", **lazy)
        with workers_of("auto") as client:
            y, pullback = data.vjp(**lazy)
            start = time.perf_counter()
            found, _ = client.gather(client.compute([y, pullback(y) if name != "value" else 0]))
            seconds = time.perf_counter() - start
            most = max(client.run(peak).values())
        start = time.perf_counter()
        whole, back = f.vjp(**x)
        if name != "value":
            back(whole)
        alone = time.perf_counter() - start
        error = np.abs(found[:64] - wanted).max() / np.abs(wanted).max()
        rows.append([name, f"{points**2 * 4 / 1e9:.0f} GB", str(plan.tasks), f"{plan.task_bytes / 1e6:.1f} MB", f"{most / 1e6:.0f} MB", f"{seconds:.1f} s", f"{alone:.1f} s", f"{error:.0e}"])  # fmt: skip
        print(*rows[-1], sep="  ", flush=True)
    return rows


def agreement(f: Any, x: Mapping[str, Any], results: Sequence[Any], before: Sequence[Any]) -> str:
    """How the planes of results compare with one call on their surroundings, and a number with that of the run before."""
    if not np.shape(results[0]):
        return "" if not before else "bits of the run above" if np.array_equal(results, before) else "other bits"  # fmt: skip
    planes = results[0].shape[0]
    for low in (0, planes // 2 - 2, planes - 4):
        first, last = max(0, low - 1), min(planes, low + 5)
        part = f(**{t: a[first:last] for t, a in x.items()})
        part = part if isinstance(part, tuple) else (part,)
        here = slice(low - first, low - first + 4)
        if not all(np.array_equal(r[low : low + 4], p[here]) for r, p in zip(results, part, strict=True)):  # fmt: skip
            return "other bits"
    return "bits of one call"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


ENVIRONMENT = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
CALLS = "Beside one call"
PLAIN = "Beside plain Dask"
STORES = "From store to store"
PAIRS = "Pairs that are never stored"


def calls(n: int) -> str:
    with workers_of("auto") as client:
        rows = []
        for case in cases(n):
            rows.append(row(case, client))
            print(*rows[-1], sep="  ", flush=True)
    head = ["float32, value and all gradients", "tasks", "to build a task", "most of a task", "read", "one call", "2 threads", "2 processes", "against one call"]  # fmt: skip
    return f"""Seconds of the second run of two; one call has two threads. Tasks, the bytes that one holds at most, and the bytes that blocks read are
those of the plan with pieces of chunks (`slices=True`); to build a task is processor time of the graphs, the least of four runs.

{table(head, rows)}"""


def plain(n: int) -> str:
    head = ["value", "tasks", "tadc", "other", "tasks", "other"]
    return f"""Two threads, the second run of two of ours and one run of the other, which compiles nothing; tasks are those after Dask's own optimization,
its arrays included.

{table(head, against_plain_dask(n))}"""


def stores(n: int) -> str:
    head = ["a step of the wave in 512³ elements", "inputs and results", "times the workers' memory", "tasks", "most of a task", "most of a worker", "time", "it has the"]  # fmt: skip
    return f"""Two workers of {WORKER_BYTES / 1e6:.0f} MB, and zarr; planes of the results are compared with one call on their surroundings.

{table(head, out_of_core(n))}"""


def of_pairs(n: int) -> str:
    head = ["of 200,000 by 200,000 points", "all pairs are", "tasks", "most of a task", "most of a worker", "2 processes", "one call", "64 rows, against float64"]  # fmt: skip
    return f"""The sum of Gaussians above in 4 x 8 blocks, by two processes, and by one call on two threads; first runs, which compile. What a worker holds has
Python, numpy and Dask in it, about 150 MB.

{table(head, pairs(n))}"""


SECTIONS = {CALLS: calls, PLAIN: plain, PAIRS: of_pairs, STORES: stores}
PARTS = {"calls": CALLS, "plain": PLAIN, "pairs": PAIRS, "stores": STORES}


def kept() -> dict[str, str]:
    """The sections that were measured before."""
    parts = RESULTS.read_text("utf-8").split("\n## ")[1:] if RESULTS.exists() else []
    return {title: text.strip() for title, _, text in (p.partition("\n") for p in parts)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}: all")
    parser.add_argument(
        "--small", action="store_true", help="a fraction of the size, nothing written"
    )
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    measured = kept()
    for part in options.parts or PARTS:
        title = PARTS[part]
        load = os.getloadavg()[0]
        text = SECTIONS[title](8 if options.small else 1)
        measured[title] = f"{text}\n\n{load:.1f} processes wanted the processors in the minute before this began, those of this program among them."  # fmt: skip
        print(f"\n{title}\n\n{measured[title]}\n", flush=True)
        if not options.small:
            write(measured)


def write(measured: Mapping[str, str]) -> None:
    sections = "\n\n".join(f"## {t}\n\n{measured[t]}" for t in SECTIONS if t in measured)
    head = f"# Blocks on Dask\n\n`python benchmarks/distributed.py`, on {platform.machine()} with {os.cpu_count()} processors; tadc {tadc.__version__}, dask {dask.__version__}, numpy {np.__version__}."
    RESULTS.write_text(f"{head}\n\n{sections}\n", "utf-8")


if __name__ == "__main__":
    main()
