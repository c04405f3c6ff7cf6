"""The formulas of the benchmark on a GPU, with the same in the words of numpy, PyTorch and JAX."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Formula", "formulas"]


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
    plain: str = ""  # the function in `plain.cu`
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
