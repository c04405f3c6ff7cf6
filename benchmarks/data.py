"""Sums over what data lead to, against torch, JAX, scipy and numpy: values, and values with all gradients, on one processor.

Times are of the process's processor, in milliseconds, the least of several runs, which take turns; short ones are repeated at once.
`given` has lists that a `tadc.Index` keeps, `built` those that each call builds. Ends of edges are uniform, follow Zipf's law (one
list has a quarter of all edges), are sorted, or are all one.

    python benchmarks/data.py [--edges 1000000] [--nodes 100000] [--width 16] [--runs 3]
                              [--only rows passing] [--kind Zipf] [--markdown FILE]
    python benchmarks/data.py --memory     # lists beside data; and that messages are never stored

Torch and JAX are compared where they are installed.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)

import numpy as np  # noqa: E402 (the variables say with how many threads)

import tadc  # noqa: E402
from tadc.compiler import atomic_module, atomic_values_module  # noqa: E402
from tadc.emit.c.file import emit_c  # noqa: E402
from tadc.emit.clike.launcher import workspace_places  # noqa: E402
from tadc.ir.affine import constant  # noqa: E402
from tadc.runtime.cpu.c_compiler import loaded  # noqa: E402
from tadc.runtime.index import ListArrays, lists_of  # noqa: E402
from tadc.schedule.lowered import CpuModule  # noqa: E402
from tadc.schedule.rewrite.list_tensors import Key, SortedList  # noqa: E402

try:
    import torch
except ImportError:
    torch = None
try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None

PASSING = "size N\ny[i: N, c] = sum{e | dst[e] = i} w[e]*x[src[e], c]"
EMBEDDING = "size B\ny[b: B, c] = sum{e = off[b]..off[b+1]-1} x[k[e], c]"
ROWS = "input A[N, M]: csr\ny[i, c] = sum{j} A[i,j]*x[j,c]"
PLACES = "input A[N, M]: coo\ny[i, c] = sum{j} A[i,j]*x[j,c]"
ASSEMBLY = "size N\nr[n: N] = sum{t, a | T[t,a] = n} f[t,a]"
DEPOSIT = (
    "size G\noutput r\ncell[p]: index = floor(u[p])\n"
    "r[g: G] = sum{p, a=0..1 | cell[p] + a = g} q[p]*(if a = 0 then 1 + cell[p] - u[p] else u[p] - cell[p])"
)
SOFTMAX = "size N\noutput a\nl[i: N] = logsumexp{e | d[e] = i} u[e]\na[e] = exp(u[e] - l[d[e]])"
BY_MAXIMA = (
    "size N\noutput a\nm[i: N] = max{e | d[e] = i} u[e]\nz[i: N] = sum{e | d[e] = i} exp(u[e] - m[i])\n"
    "a[e] = exp(u[e] - m[d[e]])/z[d[e]]"
)
ENTROPY = "l = sum{i} (logsumexp{j} z[i,j] - z[i, t[i]])"

Run = Callable[[], Any]
Row = tuple[str, Run, Run]  # the value, and the value with gradients

SHORT = 0.05  # seconds that runs in a row take together
MOST_IN_A_ROW = 10


@dataclass(frozen=True)
class Size:
    nodes: int
    edges: int
    width: int
    kind: str = "uniform"

    def ends(self, seed: int) -> np.ndarray:
        """The nodes at one end of each edge."""
        rng = np.random.default_rng(seed)
        match self.kind:
            case "Zipf":
                return np.minimum(rng.zipf(1.3, self.edges) - 1, self.nodes - 1)
            case "sorted":
                return np.sort(rng.integers(0, self.nodes, self.edges))
            case "all equal":
                return np.full(self.edges, self.nodes // 2)
            case _:
                return rng.integers(0, self.nodes, self.edges)

    def reals(self, *shape: int, seed: int = 9) -> np.ndarray:
        return np.random.default_rng(seed).random(shape, dtype=np.float32)


# ---------------------------------------------------------------------- rows of a table


def by_tadc(
    text: str,
    wrt: tuple[str, ...],
    indices: dict[str, Any],
    given: dict[str, Any],
    further: str = "",
) -> Iterator[Row]:
    """tadc with lists that are given, and with lists that are built; and its form with atomic additions."""
    f = tadc.compile(text, backend="native", threads=1)
    kept = {n: tadc.index(k) for n, k in indices.items()}
    for name, some in (("tadc, given", kept), ("tadc, built", indices)):
        arrays = {**given, **some}
        y = f(**arrays)
        seed = np.ones_like(y)

        def both(arrays: Any = arrays, seed: Any = seed) -> Any:
            return f.vjp(wrt=wrt, **arrays)[1](seed)

        yield f"{name}{further}", partial(f, **arrays), both
    yield from by_atomics(f, wrt, {**given, **indices})


def by_atomics(
    f: Any, wrt: tuple[str, ...], arrays: dict[str, Any], further: str = ""
) -> Iterator[Row]:
    """tadc's own form with atomic additions, a thread a position; nothing for what has none. Nothing is checked in it."""
    f = getattr(f, "plain", f)  # of a sparse operand its arrays
    parts = [(n, a) for n, k in arrays.items() for n, a in _parts_of(n, k)]
    arrays, numbers = {}, {}
    for n, a in parts:
        if isinstance(a, int):
            numbers[n] = a
        else:
            arrays[n] = a.astype(np.int32) if a.dtype.kind == "i" else a
    try:
        value = atomic_values_module(f.program, points=True)
        both = atomic_module(f.program, [n for n in arrays if n in _values_of(wrt)], points=True)
    except tadc.BackendError:  # indices that are computed, maxima over lists
        return
    inputs = [t.name for t in f.program.inputs]
    sizes = f.calls.bound([arrays[n] for n in inputs], numbers).sizes
    dtype = next(str(a.dtype) for a in arrays.values() if a.dtype.kind == "f")
    of_value = launched(value, arrays, sizes, dtype)
    (output,) = f.program.outputs
    shape = value.program.tensors[output].shape_at(value.program.size_values(sizes))
    seed = {f"d{output}": np.ones(shape, dtype)}
    of_gradients = launched(both, {**arrays, **seed}, sizes, dtype)
    yield f"tadc, atomic additions{further}", of_value, lambda: (of_value(), of_gradients())


def _parts_of(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A sparse matrix as the arrays that it stands for."""
    if hasattr(value, "indptr"):
        yield from ((f"{name}_val", value.data), (f"{name}_ptr", value.indptr), (f"{name}_1", value.indices))  # fmt: skip
        yield from ((f"{n}", int(s)) for n, s in zip("NM", value.shape, strict=True))
    elif hasattr(value, "row"):
        yield from ((f"{name}_val", value.data), (f"{name}_0", value.row), (f"{name}_1", value.col))
        yield from ((f"{n}", int(s)) for n, s in zip("NM", value.shape, strict=True))
    else:
        yield name, value


def _values_of(wrt: tuple[str, ...]) -> set[str]:
    return {*wrt, *(f"{n}_val" for n in wrt)}


def launched(module: Any, arrays: dict[str, Any], sizes: dict[str, int], dtype: str) -> Run:
    """The call of a module's launcher by one thread, with arrays of its own for what it writes."""
    launcher = loaded(emit_c([CpuModule.of(module, dtype)], dtype, "int64"))[module.launcher]
    values = module.program.size_values(sizes)
    work = np.empty(workspace_places(module.temporaries, values, dtype)[1] + 1, np.uint8)
    outputs = [module.program.tensors[n] for n in module.program.outputs]
    results = [np.empty(t.shape_at(values), t.dtype or dtype) for t in outputs]
    inputs = [arrays[t.name] for t in module.program.inputs]
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*inputs, *results, work)]
    numbers = [ctypes.c_int64(sizes[s]) for s in module.program.sizes]

    def run(held: Any = (inputs, work)) -> Any:
        assert launcher(*pointers, *numbers, ctypes.c_int(1)) == 0
        return results

    return run


def by_torch(name: str, value: Callable[..., Any], reals: list[Any], *others: Any) -> Iterator[Row]:
    if torch is None:
        return
    torch.set_num_threads(1)
    leaves = [torch.from_numpy(a).requires_grad_() for a in reals]
    plain = [x.detach() for x in leaves]
    fixed = [torch.from_numpy(k) for k in others]

    def both() -> Any:
        return torch.autograd.grad(value(*leaves, *fixed).sum(), leaves)

    yield f"torch, {name}", lambda: value(*plain, *fixed), both


def by_jax(name: str, value: Callable[..., Any], reals: list[Any], *others: Any) -> Iterator[Row]:
    if jax is None:
        return
    arrays, fixed = [jnp.asarray(a) for a in reals], [jnp.asarray(k) for k in others]
    run = jax.jit(value)
    grad = jax.jit(
        jax.value_and_grad(lambda *a: value(*a).sum(), argnums=tuple(range(len(arrays))))
    )
    yield (
        f"JAX, {name}",
        lambda: jax.block_until_ready(run(*arrays, *fixed)),
        lambda: jax.block_until_ready(grad(*arrays, *fixed)),
    )


# ---------------------------------------------------------------------- tables


def passing(s: Size) -> Iterator[Row]:
    src, dst, w, x, n = s.ends(1), s.ends(2), s.reals(s.edges), s.reals(s.nodes, s.width), s.nodes
    yield from by_tadc(PASSING, ("w", "x"), {"src": src, "dst": dst}, {"w": w, "x": x, "N": n})

    def added(w: Any, x: Any, src: Any, dst: Any) -> Any:
        return torch.zeros(n, x.shape[1]).index_add(0, dst, w[:, None] * x[src])

    def scattered(w: Any, x: Any, src: Any, dst: Any) -> Any:
        at = dst[:, None].expand(-1, x.shape[1])
        return torch.zeros(n, x.shape[1]).scatter_add(0, at, w[:, None] * x[src])

    yield from by_torch("index_add", added, [w, x], src, dst)
    yield from by_torch("scatter_add", scattered, [w, x], src, dst)
    yield from by_jax("segment_sum", lambda w, x, src, dst: jax.ops.segment_sum(w[:, None] * x[src], dst, n), [w, x], src, dst)  # fmt: skip

    def numpy() -> None:
        np.add.at(np.zeros((n, s.width), np.float32), dst, w[:, None] * x[src])

    yield "numpy, add.at", numpy, None  # type: ignore[misc]
    yield "C by hand, lists given", by_hand(src, dst, w, x), None  # type: ignore[misc]
    yield "tadc, a list alone", lambda: a_list(dst, n), None  # type: ignore[misc]


def by_hand(src: Any, dst: Any, w: Any, x: Any) -> Run:
    """The sum as it is written in C for one number of columns."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "by_hand.so"
        source = Path(__file__).with_name("by_hand_list.c")
        flags = f"-O3 -march=native -ffast-math -fPIC -shared -DCOLUMNS={x.shape[1]}".split()
        subprocess.run(["gcc", *flags, str(source), "-o", str(library)], check=True)
        gather = ctypes.CDLL(str(library)).gather
    perm = np.argsort(dst, kind="stable").astype(np.int32)
    ptr = np.searchsorted(dst[perm], np.arange(len(x) + 1)).astype(np.int32)
    ordered, y = src[perm].astype(np.int32), np.empty_like(x)
    arrays = (ptr, perm, ordered, w, x, y)
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
    return lambda held=arrays: gather(*pointers, ctypes.c_longlong(len(x)))


def a_list(k: Any, keys: int) -> None:
    """An index of an array of 64 bits, with the list of its elements."""
    list_of = (SortedList((Key("k", constant(0), constant(keys - 1)),), *[None] * 4),)
    lists_of(list_of, {"k": tadc.index(k)}, {}, 2**31)


def embedding(s: Size) -> Iterator[Row]:
    """Bags of ten."""
    k, x = s.ends(1), s.reals(s.nodes, s.width)
    off = np.arange(0, s.edges + 1, 10)
    yield from by_tadc(EMBEDDING, ("x",), {"off": off, "k": k}, {"x": x, "B": len(off) - 1})
    yield from by_torch("embedding_bag", lambda x, k, off: torch.nn.functional.embedding_bag(k, x, off, mode="sum"), [x], k, off[:-1])  # fmt: skip
    bags = np.repeat(np.arange(len(off) - 1), 10)
    yield from by_jax("segment_sum", lambda x, k, b: jax.ops.segment_sum(x[k], b, len(off) - 1, indices_are_sorted=True), [x], k, bags)  # fmt: skip


def rows(s: Size) -> Iterator[Row]:
    from scipy.sparse import csr_array

    ptr = np.searchsorted(np.sort(s.ends(2)), np.arange(s.nodes + 1))
    a = csr_array((s.reals(s.edges), s.ends(1), ptr), (s.nodes, s.nodes))
    x = s.reals(s.nodes, s.width)
    yield from by_tadc(ROWS, ("A", "x"), {"A": a}, {"x": x})
    yield "scipy", lambda: a @ x, None  # type: ignore[misc]
    if torch is not None:
        b = torch.sparse_csr_tensor(torch.from_numpy(a.indptr), torch.from_numpy(a.indices), torch.from_numpy(a.data), a.shape)  # fmt: skip
        c, z = torch.from_numpy(x), torch.from_numpy(x).requires_grad_()

        def both() -> Any:
            return torch.autograd.grad((b @ z).sum(), (z,))

        yield "torch, CSR (by x alone)", lambda: b @ c, both


def places(s: Size) -> Iterator[Row]:
    from scipy.sparse import coo_array

    a = coo_array((s.reals(s.edges), (s.ends(2), s.ends(1))), (s.nodes, s.nodes))
    x = s.reals(s.nodes, s.width)
    yield from by_tadc(PLACES, ("A", "x"), {"A": a}, {"x": x})
    yield "scipy", lambda: a @ x, None  # type: ignore[misc]


def assembly(s: Size) -> Iterator[Row]:
    """Triangles, as many corners as edges."""
    corners = s.ends(1)[: s.edges // 3 * 3].reshape(-1, 3)
    f, n = s.reals(*corners.shape), s.nodes
    yield from by_tadc(ASSEMBLY, ("f",), {"T": corners}, {"f": f, "N": n})
    flat = corners.ravel().copy()
    yield from by_torch("index_add", lambda f, t: torch.zeros(n).index_add(0, t, f.reshape(-1)), [f], flat)  # fmt: skip
    yield from by_jax("segment_sum", lambda f, t: jax.ops.segment_sum(f.ravel(), t, n), [f], flat)
    yield "numpy, bincount", lambda: np.bincount(flat, f.ravel(), n), None  # type: ignore[misc]


def deposit(s: Size) -> Iterator[Row]:
    """Particles, as many as edges."""
    rng = np.random.default_rng(3)
    u = (rng.random(s.edges) * (s.nodes - 2)).astype(np.float64)
    q, g = rng.random(s.edges), s.nodes
    yield from by_tadc(DEPOSIT, ("u", "q"), {}, {"u": u, "q": q, "G": g})

    computed = "cell[p]: index = floor(u[p])"
    given = tadc.compile(DEPOSIT.replace(computed, "input cell[P]: index"))
    arrays = {"u": u, "q": q, "cell": np.floor(u).astype(np.int32), "G": g}
    yield from by_atomics(given, ("u", "q"), arrays, ", cells given")

    def added(u: Any, q: Any) -> Any:
        cell = u.detach().long()
        right = u - cell
        r = torch.zeros(g, dtype=u.dtype).index_add(0, cell, q * (1 - right))
        return r.index_add(0, cell + 1, q * right)

    yield from by_torch("index_add", added, [u, q])


def softmax(s: Size) -> Iterator[Row]:
    """Over the edges of each node: the weights of attention."""
    u, d, n = s.reals(s.edges), s.ends(1), s.nodes
    yield from by_tadc(SOFTMAX, ("u",), {"d": d}, {"u": u, "N": n})
    yield from by_tadc(BY_MAXIMA, ("u",), {"d": d}, {"u": u, "N": n}, ", by maxima and sums")

    text = BY_MAXIMA.replace("m[i: N] = max{e | d[e] = i} u[e]\n", "").replace("- m[i]", "").replace("- m[d[e]]", "")  # fmt: skip
    yield from by_atomics(tadc.compile(text), ("u",), {"u": u, "d": d, "N": n}, ", no maxima")

    def scattered(u: Any, d: Any) -> Any:
        m = torch.full((n,), -torch.inf).scatter_reduce(0, d, u.detach(), "amax")
        t = torch.exp(u - m[d])
        return t / torch.zeros(n).index_add(0, d, t)[d]

    def segments(u: Any, d: Any) -> Any:
        m = jax.lax.stop_gradient(jax.ops.segment_max(u, d, n))
        t = jnp.exp(u - m[d])
        return t / jax.ops.segment_sum(t, d, n)[d]

    yield from by_torch("scatter_reduce and index_add", scattered, [u], d)
    yield from by_jax("segment_max and segment_sum", segments, [u], d)


def entropy(s: Size) -> Iterator[Row]:
    """Rows of 100 classes."""
    n = s.edges // 100
    z, t = s.reals(n, 100), np.random.default_rng(1).integers(0, 100, n)
    yield from by_tadc(ENTROPY, ("z",), {"t": t}, {"z": z})
    yield from by_torch("cross_entropy", lambda z, t: torch.nn.functional.cross_entropy(z, t, reduction="sum"), [z], t)  # fmt: skip


TABLES: dict[str, tuple[Callable[[Size], Iterator[Row]], tuple[str, ...]]] = {
    "passing": (passing, ("uniform", "Zipf", "sorted", "all equal")),
    "embedding": (embedding, ("uniform", "Zipf")),
    "rows": (rows, ("uniform", "Zipf")),
    "places": (places, ("uniform",)),
    "assembly": (assembly, ("uniform",)),
    "deposit": (deposit, ("uniform",)),
    "softmax": (softmax, ("uniform", "Zipf")),
    "entropy": (entropy, ("uniform",)),
}


def seconds(run: Run) -> float:
    """Of the processor, in the mean of some runs in a row where these are short: caches hold what they can for everybody, and what
    other threads of a library took for one run may be counted in the next.
    """
    start, runs = time.process_time(), 0
    while not runs or (time.process_time() - start < SHORT and runs < MOST_IN_A_ROW):
        run()
        runs += 1
    return (time.process_time() - start) / runs


def table(rows_: list[Row], runs: int) -> Iterator[str]:
    """The rows of a table, whose runs take turns, after one of each that compiles."""
    tasks = [run for _, *both in rows_ for run in both if run is not None]
    best = {id(run): seconds(run) for run in tasks}
    for _ in range(runs):
        for run in tasks:
            best[id(run)] = min(best[id(run)], seconds(run))
    for title, *both in rows_:
        found = (f"{best[id(run)] * 1e3:.1f}" if run is not None else "" for run in both)
        yield f"| {title} | {' | '.join(found)} |"


def tables(size: Size, only: list[str] | None, among: str | None, runs: int) -> Iterator[str]:
    for name, (rows_, kinds) in TABLES.items():
        if only is not None and name not in only:
            continue
        for kind in kinds:
            if among not in (None, kind):
                continue
            print(f"{name}, {kind}", file=sys.stderr)
            s = Size(size.nodes, size.edges, size.width, kind)
            yield f"\n{name}, {kind}: {s.nodes} nodes, {s.edges} edges, {s.width} columns\n"
            yield "| | value | with gradients |\n| --- | --: | --: |"
            yield from table(list(rows_(s)), runs)


# ---------------------------------------------------------------------- memory


def peak(second: bool, nodes: int, edges: int, width: int) -> tuple[int, int]:
    """MiB of the data, and the most that value, gradients and a product with the Hessian take beyond them."""
    s = Size(nodes, edges, width)
    arrays = {"src": s.ends(1), "dst": s.ends(2), "w": s.reals(edges), "x": s.reals(nodes, width)}
    f = tadc.compile(PASSING, backend="native", threads=1)
    small = {"src": [0], "dst": [0], "w": s.reals(1), "x": s.reals(1, width), "N": 1}
    more = {"dy": s.reals(1, width), "dw": s.reals(1), "dx": s.reals(1, width)}
    twice = f.adjoint().tangent(("w", "x"))
    names = [n for n in twice.inputs if n not in (*arrays, "dy")]
    more = {"dy": more["dy"], names[0]: more["dw"], names[1]: more["dx"]}
    f.vjp(**small)[1](s.reals(1, width))  # compiled before anything is measured
    twice(**small, **more)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if second:
        twice(**arrays, N=nodes, dy=arrays["x"], **{names[0]: arrays["w"], names[1]: arrays["x"]})
    else:
        f.vjp(**arrays, N=nodes)[1](arrays["x"])
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    held = sum(a.nbytes for a in arrays.values())
    return held >> 20, (after - before) >> 10


def memory(size: Size) -> Iterator[str]:
    k = tadc.index(size.ends(1))
    tadc.compile("size N\ny[i: N] = sum{e | k[e] = i} w[e]")(
        k, size.reals(size.edges), N=size.nodes
    )
    lists = sum(a.bytes for a in k._lists.values() if isinstance(a, ListArrays))
    yield f"an index of {size.edges} in 0..{size.nodes - 1}: {k.array.nbytes >> 20} MiB, its lists {lists >> 20} MiB"
    messages = size.edges * size.width * 4 >> 20
    for second in (False, True):
        what = "second derivative" if second else "value and gradients"
        with get_context("spawn").Pool(1) as process:  # with a memory of its own
            data, most = process.apply(peak, (second, size.nodes, size.edges, size.width))
        yield f"{what}: data {data} MiB, at most {most} MiB more; messages would be {messages} MiB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=TABLES, nargs="+")
    parser.add_argument("--kind", choices=("uniform", "Zipf", "sorted", "all equal"))
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    size = Size(given.nodes, given.edges, given.width)
    lines = memory(size) if given.memory else tables(size, given.only, given.kind, given.runs)
    text = []
    for line in lines:
        print(line, flush=True)
        text.append(line)
    if given.markdown is not None:
        given.markdown.write_text("\n".join(text) + "\n", "utf-8")


if __name__ == "__main__":
    main()
