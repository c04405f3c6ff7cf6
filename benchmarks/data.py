"""Sums over what data lead to, against torch's and numpy's: message passing, a product of compressed rows, cross entropy.

Values, and values with both gradients, on the CPU, in milliseconds: the least time of several runs. `given` has lists that a
`tadc.Index` keeps, `built` those that each call builds. Destinations are uniform, or follow Zipf's law.

    python benchmarks/data.py [--edges 1000000] [--nodes 100000] [--width 16] [--threads 2]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tadc

PASSING = "size N\ny[i: N, c] = sum{e | dst[e] = i} w[e]*x[src[e], c]"
ROWS = "y[i, c] = sum{e=ptr[i]..ptr[i+1]-1} v[e]*x[col[e], c]"
RUNS = 5


def best(run: Callable[[], Any]) -> float:
    """Milliseconds of the fastest of several runs, after one that compiles."""
    run()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def ends(kind: str, nodes: int, edges: int, rng: np.random.Generator) -> np.ndarray:
    """The nodes at one end of each edge."""
    if kind == "uniform":
        return rng.integers(0, nodes, edges)
    return np.minimum(rng.zipf(1.3, edges) - 1, nodes - 1)


def by_torch(src: Any, dst: Any, w: Any, x: Any, nodes: int, threads: int) -> dict[str, float]:
    """The times of torch, if it is installed."""
    try:
        import torch
    except ImportError:
        return {}
    torch.set_num_threads(threads)
    s, d, weights, values = (torch.from_numpy(a) for a in (src, dst, w, x))

    def value() -> Any:
        zeros = torch.zeros(nodes, values.shape[1], dtype=values.dtype)
        return zeros.index_add(0, d, weights[:, None] * values[s])

    def gradients() -> Any:
        weights.requires_grad_()
        values.requires_grad_()
        return torch.autograd.grad(value().sum(), (weights, values))

    return {"torch, value": best(value), "torch, with gradients": best(gradients)}


def passing(kind: str, nodes: int, edges: int, width: int, threads: int) -> dict[str, float]:
    """The times of message passing."""
    rng = np.random.default_rng(0)
    src, dst = (ends(kind, nodes, edges, rng) for _ in range(2))
    w, x = rng.random(edges, dtype=np.float32), rng.random((nodes, width), dtype=np.float32)
    ones = np.ones((nodes, width), np.float32)
    f = tadc.compile(PASSING, backend="native", threads=threads)
    kept = {"src": tadc.index(src), "dst": tadc.index(dst), "w": w, "x": x, "N": nodes}
    plain = {"src": src, "dst": dst, "w": w, "x": x, "N": nodes}
    times = {
        "value, given": best(lambda: f(**kept)),
        "value, built": best(lambda: f(**plain)),
        "with gradients, given": best(lambda: f.vjp(**kept)[1](ones)),
    }
    times |= by_torch(src, dst, w, x, nodes, threads)

    def scattered() -> None:
        y = np.zeros((nodes, width), np.float32)
        np.add.at(y, dst, w[:, None] * x[src])

    return {**times, "numpy, value": best(scattered)}


def rows(nodes: int, edges: int, width: int, threads: int) -> dict[str, float]:
    """The times of a product of compressed rows."""
    rng = np.random.default_rng(0)
    ptr = np.searchsorted(np.sort(rng.integers(0, nodes, edges)), np.arange(nodes + 1))
    col = rng.integers(0, nodes, edges)
    v, x = rng.random(edges, dtype=np.float32), rng.random((nodes, width), dtype=np.float32)
    ones = np.ones((nodes, width), np.float32)
    f = tadc.compile(ROWS, backend="native", threads=threads)
    kept = {"ptr": tadc.index(ptr), "col": tadc.index(col), "v": v, "x": x}
    times = {
        "value, given": best(lambda: f(**kept)),
        "with gradients, given": best(lambda: f.vjp(**kept)[1](ones)),
    }
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        return times
    a = csr_matrix((v, col, ptr), (nodes, nodes))
    return {**times, "scipy, value": best(lambda: a @ x)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    size = given.nodes, given.edges, given.width, given.threads
    tables = {
        "message passing, uniform": passing("uniform", *size),
        "message passing, Zipf": passing("zipf", *size),
        "compressed rows": rows(*size),
    }
    for title, times in tables.items():
        print(f"{title}: {given.nodes} nodes, {given.edges} edges, {given.width} columns")
        for name, milliseconds in times.items():
            print(f"  {name:24} {milliseconds:9.1f} ms")


if __name__ == "__main__":
    main()
