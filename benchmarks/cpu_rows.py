"""The rows of the benchmark on a CPU: formulas in the language of tadc, with sizes at which a framework takes some
milliseconds for the value and the gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["ROWS", "Row"]


@dataclass(frozen=True)
class Row:
    """`text` of tadc, and the shapes of its inputs.

    Inputs are random from `-scale` to `scale`; where they are `distinct` no two elements are equal. `by_hand`: there is
    a function in `by_hand.c`, of the name that the row has in `ROWS` and in `cpu_rivals.py`.
    """

    name: str
    text: str
    shapes: tuple[tuple[int, ...], ...]
    scale: float = 1.0
    distinct: bool = False
    by_hand: bool = False

    def arrays(self, dtype: str) -> list[Any]:
        random = np.random.default_rng(0)
        if not self.distinct:
            return [random.uniform(-self.scale, self.scale, s).astype(dtype) for s in self.shapes]
        counts = [int(np.prod(s)) for s in self.shapes]
        return [
            ((2 * random.permutation(n) - n) * (self.scale / n)).astype(dtype).reshape(s)
            for n, s in zip(counts, self.shapes, strict=True)
        ]


_ATTENTION = (
    "size H, N, D\ninput q[H,N,D], k[H,N+127,D], v[H,N+127,D]\n"
    "s[h,i,r: 128] = sum{d} q[h,i,d]*k[h,i+r,d]\nm[h,i] = max{r} s[h,i,r]\n"
    "e[h,i,r] = exp(s[h,i,r] - m[h,i])\no[h,i,d] = sum{r} e[h,i,r]*v[h,i+r,d]/sum{r} e[h,i,r]"
)
_NORM = (
    "size N, M\ninput x[N,M], g[M], b[M]\nm[i] = mean{j} x[i,j]\nv[i] = mean{j} (x[i,j] - m[i])**2\n"
    "h[i,j] = (x[i,j] - m[i])/sqrt(v[i] + 1e-5)*g[j] + b[j]\nt[i] = max{j} h[i,j]\n"
    "e[i,j] = exp(h[i,j] - t[i])\ny[i,j] = e[i,j]/sum{k} e[i,k]"
)
_WAVE = (
    "size N\ninput u[N,N,N], p[N,N,N], c[N,N,N]\n"
    "v[i: N-2, j: N-2, k: N-2] = 2*u[i+1,j+1,k+1] - p[i+1,j+1,k+1] + c[i+1,j+1,k+1]*(u[i,j+1,k+1] + u[i+2,j+1,k+1]"
    " + u[i+1,j,k+1] + u[i+1,j+2,k+1] + u[i+1,j+1,k] + u[i+1,j+1,k+2] - 6*u[i+1,j+1,k+1])"
)

# fmt: off
ROWS = {
    "paper": Row(
        "the paper's formula", "size N, M, K\ninput a[N,K], b[M,K], c[N,N], d[N+K-1]\n"
        "f[i: N, j: M] = exp(-sum{k} ((a[i,k] + b[j,k])**2*c[i,i] + d[i+k]**3))",
        ((512, 64), (512, 64), (512, 512), (575,)), scale=0.3, by_hand=True),
    "rbf": Row(
        "a sum of Gaussians", "size N, M, D\ninput x[N,D], y[M,D], w[M]\n"
        "f[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j]",
        ((2000, 3), (2000, 3), (2000,)), by_hand=True),
    "conv1d": Row(
        "conv1d, 64 channels", "size N, C, O, L, R\ninput x[N,C,L], w[O,C,R]\n"
        "y[n,o,p: L-R+1] = sum{c, r} x[n,c,p+r]*w[o,c,r]",
        ((16, 64, 1028), (64, 64, 5)), by_hand=True),
    "conv2d": Row(
        "conv2d, stride 2, dilated", "size N, C, O, H, W, R, S\ninput x[N,C,H,W], w[O,C,R,S]\n"
        "y[n,o,p: (H-R)//2+1, q: W-2*(S-1)] = sum{c, r, s} x[n,c,2*p+r,q+2*s]*w[o,c,r,s]",
        ((8, 32, 129, 68), (32, 32, 3, 3))),
    "collide": Row(
        "colliding broadcast", "size N, M\ninput x[N], y[M]\nf[i,j] = x[i]*x[i]*y[j]", ((2048,), (2048,))),
    "hankel": Row(
        "Hankel product", "size N\ninput x[2*N-1], v[N]\ny[i: N] = sum{j} x[i+j]*v[j]",
        ((7999,), (4000,)), by_hand=True),
    "reshape": Row(
        "reshape", "size N, M\ninput x[N,M]\ny[j: N*M] = exp(x[j//M, j%M])", ((2000, 2000),)),
    "diagonal": Row(
        "diagonal", "size N\ninput a[N,N], x[N]\ny[i,j] = a[i,j]*x[j] + a[i,i]*x[i]", ((2000, 2000), (2000,))),
    "bias": Row(
        "scalar bias", "size N, M\ninput x[N,M], b\ny[i,j] = tanh(x[i,j] + b)", ((2000, 2000), ())),
    "local": Row(
        "locally connected", "size N, P, R\ninput x[N,P+R-1], w[P,R]\ny[n,p] = sum{r} x[n,p+r]*w[p,r]",
        ((64, 4096 + 15), (4096, 16))),
    "attention": Row(
        "sliding-window attention", _ATTENTION, ((4, 1024, 64), (4, 1024 + 127, 64), (4, 1024 + 127, 64)), scale=0.5),
    "lnsm": Row(
        "layer norm and softmax", _NORM, ((4096, 1024), (1024,), (1024,)), by_hand=True),
    "matmul": Row(
        "matrix product", "size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = sum{k} a[i,k]*b[k,j]", ((1024, 1024),) * 2),
    "mttkrp": Row(
        "MTTKRP", "size I, J, K, L\ninput B[I,K,L], C[K,J], D[L,J]\nA[i,j] = sum{k, l} B[i,k,l]*C[k,j]*D[l,j]",
        ((128, 128, 128), (128, 64), (128, 64)), by_hand=True),
    "upsample": Row(
        "up-sampling", "size N, H, W\ninput x[N,H,W]\ny[n,i: 2*H,j: 2*W] = x[n,i//2,j//2]",
        ((64, 128, 128),), by_hand=True),
    "maxpool": Row(
        "max pooling", "size N, C, H, W\ninput x[N,C,H,W]\n"
        "y[n,c,p: (H-3)//2+1,q: (W-3)//2+1] = max{r: 3, s: 3} x[n,c,2*p+r,2*q+s]",
        ((16, 32, 113, 113),), distinct=True, by_hand=True),
    "wave": Row("a wave step, 7 points", _WAVE, ((192,) * 3,) * 3, by_hand=True),
}
# fmt: on
