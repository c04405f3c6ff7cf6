"""tadc within PyTorch and JAX, beside the frameworks' own operators: overheads of small calls, times of large ones.

Minima over rounds in which the calls take turns; one thread each, unless `--threads` says more. Write the table with

    python benchmarks/interop.py --output benchmarks/results/interop.md

It needs torch and jax (`pip install 'tadc[torch,jax]'`).
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

import tadc
import tadc.jax
import tadc.torch

PRODUCT = "y[i,j] = sum{k} a[i,k]*b[k,j]"
RBF = "y[i] = sum{j} exp(-sum{d} (x[i,d] - c[j,d])**2)*w[j]"
Calls = dict[str, Callable[[], Any]]


def minima(calls: Calls, rounds: int, seconds: float) -> dict[str, float]:
    """Seconds of a call."""
    many = {}
    for name, call in calls.items():
        call(), call()
        start = perf_counter()
        call()
        many[name] = max(1, int(seconds / (perf_counter() - start)))
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            start = perf_counter()
            for _ in range(many[name]):
                call()
            least[name] = min(least[name], (perf_counter() - start) / many[name])
    return least


class Own(torch.autograd.Function):
    """A matrix product as an `autograd.Function` that a user writes."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        a, b = ctx.saved_tensors
        return g @ b.T, a.T @ g


def small() -> Calls:
    """Calls of a product of two 4 x 4 matrices."""
    f = tadc.compile(PRODUCT)
    m, g = tadc.torch.wrap(f), tadc.jax.wrap(f)
    a, b = np.random.default_rng(0).normal(size=(2, 4, 4))
    ta, tb = torch.tensor(a), torch.tensor(b)
    ra, rb = ta.clone().requires_grad_(), tb.clone().requires_grad_()
    seed = torch.ones_like(ta)
    ja, jb = jnp.asarray(a), jnp.asarray(b)
    ours, own = jax.jit(g), jax.jit(lambda a, b: a @ b)
    our_grad, own_grad = (jax.jit(jax.grad(lambda a, b, h=h: h(a, b).sum(), (0, 1))) for h in (g, jnp.matmul))  # fmt: skip

    def both(h: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: torch.autograd.grad(h(ra, rb), (ra, rb), seed)

    return {
        "numpy: `f(a, b)`": lambda: f(a, b),
        "torch: `m(a, b)`, no gradient": lambda: m(ta, tb),
        "torch: `f(a, b)`, no gradient": lambda: f(ta, tb),
        "torch: `a @ b`, no gradient": lambda: ta @ tb,
        "torch: `m(a, b)`, recorded": lambda: m(ra, rb),
        "torch: `m`, forward and backward": both(m),
        "torch: an `autograd.Function`, forward and backward": both(Own.apply),
        "torch: `a @ b`, forward and backward": both(torch.matmul),
        "jax: `jit(g)`": lambda: ours(ja, jb),
        "jax: `jit(a @ b)`": lambda: own(ja, jb),
        "jax: `jit(grad(g))`": lambda: our_grad(ja, jb),
        "jax: `jit(grad(a @ b))`": lambda: own_grad(ja, jb),
    }


def torch_rbf(x: Any, c: Any, w: Any) -> Any:
    return torch.exp(-((x[:, None] - c[None]) ** 2).sum(-1)) @ w


def jax_rbf(x: Any, c: Any, w: Any) -> Any:
    return jnp.exp(-((x[:, None] - c[None]) ** 2).sum(-1)) @ w


def large(n: int) -> Calls:
    """Calls of an RBF sum over `n` centers at `n` points in 3 dimensions, in float32."""
    f = tadc.compile(RBF)
    random = np.random.default_rng(0)
    arrays = [random.normal(size=s).astype(np.float32) for s in ((n, 3), (n, 3), (n,))]
    m, g = tadc.torch.wrap(f), tadc.jax.wrap(f)
    xs = [torch.tensor(a, requires_grad=True) for a in arrays]
    js = list(map(jnp.asarray, arrays))
    compiled_m, compiled_own = torch.compile(m), torch.compile(torch_rbf)

    def forward_and_backward(h: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: torch.autograd.grad(h(*xs).sum(), xs)

    def double(h: Callable[..., Any]) -> Callable[[], Any]:
        def run() -> Any:
            (first,) = torch.autograd.grad(h(*xs).sum(), xs[0], create_graph=True)
            return torch.autograd.grad((first**2).sum(), xs)

        return run

    def value_and_grad(h: Callable[..., Any]) -> Callable[[], Any]:
        run = jax.jit(jax.value_and_grad(lambda *a: h(*a).sum(), (0, 1, 2)))
        return lambda: jax.block_until_ready(run(*js))

    def product(h: Callable[..., Any]) -> Callable[[], Any]:
        gradient = jax.grad(lambda x: h(x, *js[1:]).sum())
        run = jax.jit(lambda x, v: jax.jvp(gradient, (x,), (v,))[1])
        return lambda: jax.block_until_ready(run(js[0], js[1]))

    return {
        "torch: forward and backward, wrapped": forward_and_backward(m),
        "torch: forward and backward, wrapped and compiled": forward_and_backward(compiled_m),
        "torch: forward and backward, `torch.compile`": forward_and_backward(compiled_own),
        "torch: forward and backward, eager": forward_and_backward(torch_rbf),
        "torch: double backward, wrapped": double(m),
        "torch: double backward, eager": double(torch_rbf),
        "jax: value and gradients, tadc": value_and_grad(g),
        "jax: value and gradients, `jit`": value_and_grad(jax_rbf),
        "jax: Hessian product, tadc": product(g),
        "jax: Hessian product, `jit`": product(jax_rbf),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    tables = []
    for title, unit, scale, calls in (
        ("A product of two 4 x 4 matrices, float64", "us", 1e6, small),
        (f"An RBF sum, {given.size} points and centers, 3 dimensions, float32", "ms", 1e3, lambda: large(given.size)),
    ):  # fmt: skip
        jax.config.update("jax_enable_x64", unit == "us")
        least = minima(calls(), given.rounds, 0.02)
        rows = [f"| {name} | {t * scale:.1f} |" for name, t in least.items()]
        tables.append("\n".join([f"## {title}", "", f"| | {unit} |", "|---|---:|", *rows]))
    head = (
        "# Within PyTorch and JAX\n\nMade by `python benchmarks/interop.py --output benchmarks/results/interop.md`"
        f" with torch {torch.__version__}, jax {jax.__version__}, Python {platform.python_version()} on"
        f" {platform.machine()}, {given.threads} thread(s) for torch; minima over {given.rounds} rounds in which the calls take"
        " turns. The machine was shared: read ratios."
    )
    text = "\n\n".join([head, *tables]) + "\n"
    print(text)
    if given.output:
        given.output.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
