"""Formulas at sizes for which a GPU is bought: what the model of a GPU judges, and what is checked on a real one.

`sizes` are those of the model; `check` those at which results are compared with float64, in a few seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Large", "large_formulas"]


@dataclass(frozen=True)
class Large:
    """A formula with its sizes, and options of `tadc.compile`."""

    name: str
    text: str
    sizes: dict[str, int]
    check: dict[str, int]
    options: dict[str, Any] = field(default_factory=dict)


PAPER = """size N, M, K
input a[N, K], b[M, K], c[N, N], d[N + K - 1]
f[i, j] = exp(-sum{k} ((a[i, k] + b[j, k])**2*c[i, i]/K + d[i + k]**3/K))"""
RBF = """size N, M, D
input x[N, D], c[M, D], w[M], gamma[]
f[i] = sum{j} w[j]*exp(-gamma*sum{d} (x[i, d] - c[j, d])**2)"""
PRODUCT = """size N, K, M
input a[N, K], b[K, M]
c[i, j] = sum{k} a[i, k]*b[k, j]"""
PADDED = """size B, C, H, W, O
input x[B, C, H, W], w[O, C, 3, 3]
y[n, o, p: H, q: W] = sum{c, r, t} x[n, c, pad(p + r - 1), pad(q + t - 1)]*w[o, c, r, t]"""
BRACKETS = """size B, C, H, W, O
input x[B, C, H, W], w[O, C, 3, 3]
y[n, o, p, q] = sum{c, r, t} x[n, c, p + r, q + t]*w[o, c, r, t]"""
DEPTHWISE = """size B, C, H, W
input x[B, C, H, W], w[C, 3, 3]
y[n, c, p: H, q: W] = sum{r, t} x[n, c, pad(p + r - 1), pad(q + t - 1)]*w[c, r, t]"""
ATTENTION = """size H, N, D
input q[H, N, D], k[H, N, D], v[H, N, D]
output o
s[h, i, j] = sum{d} q[h, i, d]*k[h, j, d]
m[h, i] = max{j} s[h, i, j]
e[h, i, j] = exp(s[h, i, j] - m[h, i])
o[h, i, d] = (sum{j} e[h, i, j]*v[h, j, d])/sum{j} e[h, i, j]"""
WAVE = """size N
input u[N, N, N], p[N, N, N], c[N, N, N]
v[i: N-2, j: N-2, k: N-2] = 2*u[i+1, j+1, k+1] - p[i+1, j+1, k+1] + c[i+1, j+1, k+1]*(
  u[i, j+1, k+1] + u[i+2, j+1, k+1] + u[i+1, j, k+1] + u[i+1, j+2, k+1] + u[i+1, j+1, k] + u[i+1, j+1, k+2]
  - 6*u[i+1, j+1, k+1])"""
HANKEL = """size L, N
input h[L], x[N]
y[i] = sum{j} h[i + j]*x[j]"""
BIAS = """size N, M
input x[N, M], b[M]
y[i, j] = x[i, j]*b[j]"""
POOLING = """size B, C, H, W
input x[B, C, H, W]
y[n, c, i: H//2, j: W//2] = max{r: 2, t: 2} x[n, c, 2*i + r, 2*j + t]"""
NORM_SOFTMAX = """size N, M
input x[N, M]
output y
mu[i] = mean{j} x[i, j]
va[i] = mean{j} (x[i, j] - mu[i])**2
z[i, j] = (x[i, j] - mu[i])*rsqrt(va[i] + 0.00001)
m[i] = max{j} z[i, j]
e[i, j] = exp(z[i, j] - m[i])
y[i, j] = e[i, j]/sum{k} e[i, k]"""
MTTKRP = """size I, J, K, R
input x[I, J, K], b[J, R], c[K, R]
a[i, r] = sum{j, k} x[i, j, k]*b[j, r]*c[k, r]"""
VARIATION = """size N, M
input u[N, M]
f = sum{i: N-1, j: M-1} sqrt((u[i+1, j] - u[i, j])**2 + (u[i, j+1] - u[i, j])**2 + 0.0001)"""
SQUARES = """size N
input x[N]
f = sum{i} x[i]**2"""
ELEMENTWISE = """size N
input x[N], y[N]
z[i] = x[i]*tanh(y[i]) + exp(-x[i]**2)"""
TRANSPOSE = """size N, M
input x[N, M]
y[i, j] = x[j, i]"""


def large_formulas() -> list[Large]:
    """All of them."""
    no_blas = {"blas": False}
    rows = [
        ("paper", PAPER, {"N": 4096, "M": 4096, "K": 512}, {"N": 1000, "M": 1100, "K": 200}),
        ("rbf, 3 dimensions", RBF, {"N": 10**5, "M": 10**5, "D": 3}, {"N": 5000, "M": 4900, "D": 3}),
        ("rbf, 64 dimensions", RBF, {"N": 10**5, "M": 10**5, "D": 64}, {"N": 2000, "M": 2100, "D": 40}),
        ("matrix product", PRODUCT, {"N": 4096, "K": 4096, "M": 4096}, {"N": 1000, "K": 900, "M": 1100}, no_blas),
        ("convolution, pad", PADDED, {"B": 32, "C": 64, "H": 56, "W": 56, "O": 64}, {"B": 8, "C": 64, "H": 56, "W": 56, "O": 64}),
        ("convolution, brackets", BRACKETS, {"B": 32, "C": 64, "H": 58, "W": 58, "O": 64}, {"B": 8, "C": 64, "H": 58, "W": 58, "O": 64}),
        ("depthwise", DEPTHWISE, {"B": 32, "C": 256, "H": 56, "W": 56}, {"B": 8, "C": 64, "H": 56, "W": 56}),
        ("attention", ATTENTION, {"H": 32, "N": 2048, "D": 64}, {"H": 8, "N": 500, "D": 64}),
        ("wave", WAVE, {"N": 512}, {"N": 100}),
        ("hankel", HANKEL, {"L": 16383, "N": 8192}, {"L": 16383, "N": 8192}),
        ("bias", BIAS, {"N": 1000, "M": 10**5}, {"N": 1000, "M": 10**5}),
        ("max pooling", POOLING, {"B": 32, "C": 64, "H": 112, "W": 112}, {"B": 8, "C": 16, "H": 112, "W": 112}),
        ("layer norm, softmax", NORM_SOFTMAX, {"N": 16384, "M": 1024}, {"N": 20000, "M": 1024}),
        ("mttkrp", MTTKRP, {"I": 512, "J": 512, "K": 512, "R": 32}, {"I": 256, "J": 256, "K": 256, "R": 32}),
        ("total variation", VARIATION, {"N": 8192, "M": 8192}, {"N": 2000, "M": 2100}),
        ("sum of squares", SQUARES, {"N": 10**8}, {"N": 10**8}),
        ("elementwise", ELEMENTWISE, {"N": 10**8}, {"N": 10**7}),
        ("transpose", TRANSPOSE, {"N": 8192, "M": 8192}, {"N": 3000, "M": 2000}),
    ]  # fmt: skip
    return [Large(*row) for row in rows]
