"""Formulas of many kinds on a CPU: tadc against PyTorch, which has an operator, or a few, for each of them.

    python benchmarks/cpu_kinds.py [--repetitions 7] [--only NAME]... [--dtype float64] [--threads 2] [--output DIR]

Convolutions, stencils, sums over pairs, normalisations, products with structured matrices, pooling, correlation volumes, prefix sums and
attentions, as formulas and as a user of PyTorch writes them. Times are of a whole call, `value`, and `value and gradients`: the CPU's
on one thread, else those on the clock. Repetitions are interleaved, and the minimum counts, after results were compared. PyTorch is not
compiled: `cpu.py` has that, and more libraries, for other formulas. Writes `cpu_kinds.md`, with the type and the threads in the name where they are others than float32 and one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # of BLAS

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from cpu import cpu_name
from cpu_further_kinds import FURTHER
from cpu_kind import Kind
from cpu_reshaped_kinds import RESHAPED

import tadc


def gravity(apart: torch.Tensor, m: torch.Tensor) -> torch.Tensor:
    squares = (apart**2).sum(-1, keepdim=True)
    return (m[None, :, None] * apart / (squares + 0.01) ** 1.5).sum(1)


# fmt: off
KINDS = [
    Kind(
        "depthwise convolution, 5 x 5",
        "size N, C, H, W\n"
        "input x[N,C,H,W], w[C,5,5]\n"
        "y[n,c,i: H,j: W] = sum{r, s} x[n,c,pad(i+r-2),pad(j+s-2)]*w[c,r,s]",
        ((4, 64, 56, 56), (64, 5, 5)),
        lambda x, w: F.conv2d(x, w[:, None], padding=2, groups=64),
    ),
    Kind(
        "depthwise convolution, dilated",
        "size N, C, H, W\n"
        "input x[N,C,H,W], w[C,3,3]\n"
        "y[n,c,i: H-4,j: W-4] = sum{r, s} x[n,c,i+2*r,j+2*s]*w[c,r,s]",
        ((8, 48, 60, 60), (48, 3, 3)),
        lambda x, w: F.conv2d(x, w[:, None], dilation=2, groups=48),
    ),
    Kind(
        "grouped convolution",
        "size N, G, C, O, H, W\n"
        "input x[N,G,C,H,W], w[G,O,C,3,3]\n"
        "y[n,g,o,i: H-2,j: W-2] = sum{c, r, s} x[n,g,c,i+r,j+s]*w[g,o,c,r,s]",
        ((4, 8, 8, 34, 34), (8, 8, 8, 3, 3)),
        lambda x, w: F.conv2d(x.reshape(4, 64, 34, 34), w.reshape(64, 8, 3, 3), groups=8).reshape(4, 8, 8, 32, 32),
    ),
    Kind(
        "transposed convolution, stride 2",
        "size N, C, O, H, W\n"
        "input x[N,C,H,W], w[C,O,4,4]\n"
        "y[n,o,i: 2*H+2, j: 2*W+2] = sum{c, p, q | i-2*p >= 0 and i-2*p < 4 and j-2*q >= 0 and j-2*q < 4} x[n,c,p,q]*w[c,o,i-2*p,j-2*q]",
        ((4, 32, 28, 28), (32, 16, 4, 4)),
        lambda x, w: F.conv_transpose2d(x, w, stride=2),
    ),
    Kind(
        "convolution of volumes",
        "size N, C, O, D, H, W\n"
        "input x[N,C,D,H,W], w[O,C,3,3,3]\n"
        "y[n,o,d: D-2,i: H-2,j: W-2] = sum{c, t, r, s} x[n,c,d+t,i+r,j+s]*w[o,c,t,r,s]",
        ((1, 16, 18, 34, 34), (16, 16, 3, 3, 3)),
        lambda x, w: F.conv3d(x, w),
    ),
    Kind(
        "1 x 1 convolution, bias, ReLU",
        "size N, C, O, H, W\n"
        "input x[N,C,H,W], w[O,C], b[O]\n"
        "y[n,o,i,j] = max(0, sum{c} x[n,c,i,j]*w[o,c] + b[o])",
        ((4, 64, 56, 56), (64, 64), (64,)),
        lambda x, w, b: F.relu(F.conv2d(x, w[:, :, None, None], b)),
    ),
    Kind(
        "diffusion with coefficients",
        "size N\n"
        "input u[N,N], k[N,N]\n"
        "v[i: N-2, j: N-2] = u[i+1,j+1] + 0.1*((k[i+1,j+1]+k[i+2,j+1])*(u[i+2,j+1]-u[i+1,j+1]) - (k[i+1,j+1]+k[i,j+1])*(u[i+1,j+1]-u[i,j+1]) + (k[i+1,j+1]+k[i+1,j+2])*(u[i+1,j+2]-u[i+1,j+1]) - (k[i+1,j+1]+k[i+1,j])*(u[i+1,j+1]-u[i+1,j]))",
        ((1500, 1500), (1500, 1500)),
        lambda u, k: u[1:-1, 1:-1] + 0.1 * ((k[1:-1, 1:-1] + k[2:, 1:-1]) * (u[2:, 1:-1] - u[1:-1, 1:-1]) - (k[1:-1, 1:-1] + k[:-2, 1:-1]) * (u[1:-1, 1:-1] - u[:-2, 1:-1]) + (k[1:-1, 1:-1] + k[1:-1, 2:]) * (u[1:-1, 2:] - u[1:-1, 1:-1]) - (k[1:-1, 1:-1] + k[1:-1, :-2]) * (u[1:-1, 1:-1] - u[1:-1, :-2])),
    ),
    Kind(
        "Coulomb potential",
        "size N\n"
        "input x[N,3], q[N]\n"
        "f[i] = q[i]*sum{j | j != i} q[j]/sqrt(sum{d} (x[i,d] - x[j,d])**2 + 0.01)",
        ((2000, 3), (2000,)),
        lambda x, q: q * (q[None] / torch.sqrt(((x[:, None] - x[None]) ** 2).sum(-1) + 0.01) * (1 - torch.eye(2000))).sum(1),
    ),
    Kind(
        "exponential of distances",
        "size N, M, D\n"
        "input x[N,D], y[M,D], w[M]\n"
        "f[i] = sum{j} exp(-sqrt(sum{d} (x[i,d] - y[j,d])**2 + 1e-6))*w[j]",
        ((2000, 5), (2000, 5), (2000,)),
        lambda x, y, w: torch.exp(-torch.sqrt(torch.cdist(x, y) ** 2 + 1e-06)) @ w,
    ),
    Kind(
        "mean of Gaussians of all pairs",
        "size N, M, D\n"
        "input x[N,D], y[M,D]\n"
        "d = mean{i, j} exp(-0.5*sum{k} (x[i,k] - y[j,k])**2)",
        ((2000, 8), (1500, 8)),
        lambda x, y: torch.exp(-0.5 * torch.cdist(x, y) ** 2).mean(),
        scale=0.5,
    ),
    Kind(
        "batch norm",
        "size N, C, H, W\n"
        "input x[N,C,H,W], g[C], b[C]\n"
        "m[c] = mean{n, i, j} x[n,c,i,j]\n"
        "v[c] = mean{n, i, j} (x[n,c,i,j] - m[c])**2\n"
        "y[n,c,i,j] = (x[n,c,i,j] - m[c])/sqrt(v[c] + 1e-5)*g[c] + b[c]",
        ((16, 64, 32, 32), (64,), (64,)),
        lambda x, g, b: F.batch_norm(x, None, None, g, b, True),
    ),
    Kind(
        "instance norm",
        "size N, C, H, W\n"
        "input x[N,C,H,W]\n"
        "m[n,c] = mean{i, j} x[n,c,i,j]\n"
        "v[n,c] = mean{i, j} (x[n,c,i,j] - m[n,c])**2\n"
        "y[n,c,i,j] = (x[n,c,i,j] - m[n,c])/sqrt(v[n,c] + 1e-5)",
        ((16, 64, 32, 32),),
        lambda x: F.instance_norm(x),
    ),
    Kind(
        "layer norm",
        "size N, M\n"
        "input x[N,M], g[M], b[M]\n"
        "m[i] = mean{j} x[i,j]\n"
        "v[i] = mean{j} (x[i,j] - m[i])**2\n"
        "y[i,j] = (x[i,j] - m[i])/sqrt(v[i] + 1e-5)*g[j] + b[j]",
        ((2048, 768), (768,), (768,)),
        lambda x, g, b: F.layer_norm(x, (768,), g, b),
    ),
    Kind(
        "softmax",
        "size N, M\n"
        "input x[N,M]\n"
        "m[i] = max{j} x[i,j]\n"
        "e[i,j] = exp(x[i,j] - m[i])\n"
        "y[i,j] = e[i,j]/sum{k} e[i,k]",
        ((2048, 1000),),
        lambda x: torch.softmax(x, 1),
    ),
    Kind(
        "cross entropy",
        "size N, M\n"
        "input x[N,M], t[N,M]\n"
        "l = -mean{i} sum{j} t[i,j]*(x[i,j] - logsumexp{k} x[i,k])",
        ((2048, 1000), (2048, 1000)),
        lambda x, t: -(t * torch.log_softmax(x, 1)).sum(1).mean(),
    ),
    Kind(
        "group norm",
        "size N, G, C, L\n"
        "input x[N,G,C,L], g[G,C]\n"
        "m[n,k] = mean{c, l} x[n,k,c,l]\n"
        "v[n,k] = mean{c, l} (x[n,k,c,l] - m[n,k])**2\n"
        "y[n,k,c,l] = (x[n,k,c,l] - m[n,k])/sqrt(v[n,k] + 1e-5)*g[k,c]",
        ((8, 8, 16, 784), (8, 16)),
        lambda x, g: F.group_norm(x.reshape(8, 128, 784), 8, g.reshape(128)).reshape(8, 8, 16, 784),
    ),
    Kind(
        "banded product",
        "size N, B\n"
        "input a[N,17], x[N,B]\n"
        "y[i,b] = sum{k | i+k-8 >= 0 and i+k-8 < N} a[i,k]*x[i+k-8,b]",
        ((2000, 17), (2000, 64)),
        lambda a, x: (a[:, :, None] * F.pad(x, (0, 0, 8, 8)).unfold(0, 17, 1).transpose(1, 2)).sum(1),
    ),
    Kind(
        "Toeplitz product",
        "size N, B\n"
        "input t[2*N-1], x[B,N]\n"
        "y[b,i] = sum{j} t[i-j+N-1]*x[b,j]",
        ((2047,), (64, 1024)),
        lambda t, x: x @ t[torch.arange(1024)[:, None] - torch.arange(1024)[None] + 1023].T,
    ),
    Kind(
        "pooling and up-sampling",
        "size N, H, W\n"
        "input x[N,2*H,2*W]\n"
        "p[n,i: H,j: W] = max{r: 2, s: 2} x[n,2*i+r,2*j+s]\n"
        "y[n,i,j] = x[n,i,j] - p[n,i//2,j//2]",
        ((64, 64, 64),),
        lambda x: x - F.interpolate(F.max_pool2d(x[:, None], 2), scale_factor=2)[:, 0],
    ),
    Kind(
        "average pooling",
        "size N, C, H, W\n"
        "input x[N,C,H,W]\n"
        "y[n,c,p: (H-3)//2+1,q: (W-3)//2+1] = mean{r: 3, s: 3} x[n,c,2*p+r,2*q+s]",
        ((16, 32, 113, 113),),
        lambda x: F.avg_pool2d(x, 3, 2),
    ),
    Kind(
        "correlation volume",
        "size C, H, W\n"
        "input a[C,H,W], b[C,H,W]\n"
        "v[u: 9, w: 9, i: H, j: W] = mean{k} a[k,i,j]*b[k,pad(i+u-4),pad(j+w-4)]",
        ((16, 96, 96), (16, 96, 96)),
        lambda a, b: torch.stack([(a * F.pad(b, (4, 4, 4, 4))[:, u:u + 96, w:w + 96]).mean(0) for u in range(9) for w in range(9)]).reshape(9, 9, 96, 96),
    ),
    Kind(
        "correlation volume of a row",
        "size B, C, H, W\n"
        "input a[B,C,H,W], b[B,C,H,W]\n"
        "v[n,d: 24,i: H,j: W] = mean{k} a[n,k,i,j]*b[n,k,i,pad(j-d)]",
        ((2, 32, 40, 80), (2, 32, 40, 80)),
        lambda a, b: torch.stack([(a * F.pad(b, (d, 0))[..., :80]).mean(1) for d in range(24)], 1),
    ),
    Kind(
        "prefix sums of rows",
        "size N, M\n"
        "input x[N,M]\n"
        "y[i,j: M] = sum{k=0..j} x[i,k]",
        ((1000, 1000),),
        lambda x: x.cumsum(1),
    ),
    Kind(
        "prefix sums of columns",
        "size N, M\n"
        "input x[N,M]\n"
        "y[i: N,j] = sum{k=0..i} x[k,j]",
        ((1000, 1000),),
        lambda x: x.cumsum(0),
    ),
    Kind(
        "prefix logsumexp",
        "size N, M\n"
        "input x[N,M]\n"
        "y[i,j: M] = logsumexp{k=0..j} x[i,k]",
        ((500, 1000),),
        lambda x: x.logcumsumexp(1),
    ),
    Kind(
        "causal attention",
        "size H, N, D\n"
        "input q[H,N,D], k[H,N,D], v[H,N,D]\n"
        "s[h,i,j] = 0.125*sum{d} q[h,i,d]*k[h,j,d]\n"
        "m[h,i: N] = max{j=0..i} s[h,i,j]\n"
        "z[h,i: N] = sum{j=0..i} exp(s[h,i,j] - m[h,i])\n"
        "o[h,i: N,d] = sum{j=0..i} exp(s[h,i,j] - m[h,i])/z[h,i]*v[h,j,d]",
        ((8, 256, 64), (8, 256, 64), (8, 256, 64)),
        lambda q, k, v: F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True, scale=0.125)[0],
    ),
    Kind(
        "attention with relative bias",
        "size H, N, D\n"
        "input q[H,N,D], k[H,N,D], v[H,N,D], b[2*N-1]\n"
        "s[h,i,j] = 0.125*sum{d} q[h,i,d]*k[h,j,d] + b[i-j+N-1]\n"
        "m[h,i] = max{j} s[h,i,j]\n"
        "e[h,i,j] = exp(s[h,i,j] - m[h,i])\n"
        "o[h,i,d] = sum{j} e[h,i,j]*v[h,j,d]/sum{j} e[h,i,j]",
        ((8, 256, 64), (8, 256, 64), (8, 256, 64), (511,)),
        lambda q, k, v, b: torch.softmax(0.125 * q @ k.transpose(1, 2) + b[torch.arange(256)[:, None] - torch.arange(256)[None] + 255], -1) @ v,
    ),
    Kind(
        "linear attention",
        "size H, N, D\n"
        "input q[H,N,D], k[H,N,D], v[H,N,D]\n"
        "s[h,d,e] = sum{j} k[h,j,d]*v[h,j,e]\n"
        "o[h,i,e] = sum{d} q[h,i,d]*s[h,d,e]",
        ((8, 512, 64), (8, 512, 64), (8, 512, 64)),
        lambda q, k, v: q @ (k.transpose(1, 2) @ v),
    ),
    Kind(
        "bilinear layer",
        "size B, I, J, O\n"
        "input x[B,I], y[B,J], w[O,I,J]\n"
        "z[b,o] = sum{i, j} x[b,i]*w[o,i,j]*y[b,j]",
        ((256, 64), (256, 64), (32, 64, 64)),
        lambda x, y, w: torch.einsum('bi,oij,bj->bo', x, w, y),
    ),
    Kind(
        "total variation",
        "size C, H, W\n"
        "input x[C,H,W]\n"
        "e = sum{c, i: H-1, j: W-1} sqrt((x[c,i+1,j] - x[c,i,j])**2 + (x[c,i,j+1] - x[c,i,j])**2 + 1e-6)",
        ((16, 256, 256),),
        lambda x: torch.sqrt((x[:, 1:, :-1] - x[:, :-1, :-1]) ** 2 + (x[:, :-1, 1:] - x[:, :-1, :-1]) ** 2 + 1e-06).sum(),
    ),
    Kind(
        "separable blur",
        "size N, H, W\n"
        "input x[N,H,W], g[11]\n"
        "t[n,i: H,j: W-10] = sum{s} x[n,i,j+s]*g[s]\n"
        "y[n,i: H-10,j: W-10] = sum{r} t[n,i+r,j]*g[r]",
        ((16, 138, 138), (11,)),
        lambda x, g: F.conv2d(F.conv2d(x[:, None], g[None, None, None]), g[None, None, :, None])[:, 0],
    ),
    Kind(
        "periodic stencil, 7 points",
        "size N\n"
        "input u[N,N,N]\n"
        "v[i: N,j: N,k: N] = u[wrap(i+1),j,k]+u[wrap(i-1),j,k]+u[i,wrap(j+1),k]+u[i,wrap(j-1),k]+u[i,j,wrap(k+1)]+u[i,j,wrap(k-1)] - 6*u[i,j,k]",
        ((128, 128, 128),),
        lambda u: sum(u.roll(s, d) for d in range(3) for s in (1, -1)) - 6 * u,
    ),
    Kind(
        "two layers with GELU",
        "size N, D, H\n"
        "input x[N,D], w[D,H], b[H], v[H,D]\n"
        "h[n,k] = gelu(sum{d} x[n,d]*w[d,k] + b[k])\n"
        "y[n,e] = sum{k} h[n,k]*v[k,e]",
        ((512, 128), (128, 512), (512,), (512, 128)),
        lambda x, w, b, v: F.gelu(x @ w + b) @ v,
        scale=0.3,
    ),
    Kind(
        "Gaussians of points with themselves",
        "size N, D\n"
        "input x[N,D], w[N]\n"
        "f[i] = sum{j} exp(-sum{d} (x[i,d] - x[j,d])**2)*w[j]",
        ((2000, 3), (2000,)),
        lambda x, w: torch.exp(-torch.cdist(x, x) ** 2) @ w,
    ),
    Kind(
        "Gaussians, 16 dimensions",
        "size N, M, D\n"
        "input x[N,D], y[M,D], w[M]\n"
        "f[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j]",
        ((1500, 16), (1500, 16), (1500,)),
        lambda x, y, w: torch.exp(-torch.cdist(x, y) ** 2) @ w,
        scale=0.3,
    ),
    Kind(
        "Gaussians, 64 dimensions",
        "size N, M, D\n"
        "input x[N,D], y[M,D], w[M]\n"
        "f[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j]",
        ((1000, 64), (1000, 64), (1000,)),
        lambda x, y, w: torch.exp(-torch.cdist(x, y) ** 2) @ w,
        scale=0.15,
    ),
    Kind(
        "gravity",
        "size N\n"
        "input x[N,3], m[N]\n"
        "a[i,d] = sum{j} m[j]*(x[j,d] - x[i,d])/(sum{e} (x[j,e] - x[i,e])**2 + 0.01)**1.5",
        ((2000, 3), (2000,)),
        lambda x, m: gravity(x[None] - x[:, None], m),
    ),
    Kind(
        "Lennard-Jones energy",
        "size N\n"
        "input x[N,3]\n"
        "e = sum{i, j | i < j} ((sum{d} (x[i,d] - x[j,d])**2 + 0.3)**(-6) - (sum{d} (x[i,d] - x[j,d])**2 + 0.3)**(-3))",
        ((1500, 3),),
        lambda x: (lambda r: torch.triu(r ** (-6) - r ** (-3), 1).sum())(torch.cdist(x, x) ** 2 + 0.3),
    ),
    *FURTHER,
    *RESHAPED,
]
# fmt: on


@dataclass(frozen=True)
class Row:
    """Milliseconds of the value, and of the value and the gradients."""

    name: str
    tadc: tuple[float, float]
    torch: tuple[float, float]

    @property
    def ratios(self) -> tuple[float, float]:
        return self.tadc[0] / self.torch[0], self.tadc[1] / self.torch[1]


def row(kind: Kind, repetitions: int, dtype: str, threads: int) -> Row:
    """The least times of interleaved calls. Raises AssertionError where results differ."""
    random = np.random.default_rng(0)
    arrays = [random.uniform(-kind.scale, kind.scale, s).astype(dtype) for s in kind.shapes]
    f = tadc.compile(kind.text, backend="native", threads=threads)
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    result = kind.in_torch(*tensors)
    cotangent = random.uniform(-1, 1, tuple(result.shape)).astype(dtype)
    seed = torch.tensor(cotangent)
    value, gradients = f.value_and_gradients(*arrays, cotangent=cotangent)
    expected = [result, *torch.autograd.grad(result, tensors, seed)]
    for found, right in zip([value, *gradients.values()], expected, strict=True):
        wanted = right.detach().numpy()
        assert np.abs(found - wanted).max() <= kind.tolerance * np.abs(wanted).max(), kind.name

    def in_torch() -> None:
        with torch.no_grad():
            kind.in_torch(*tensors)

    runs: Sequence[Callable[[], Any]] = (
        lambda: f(*arrays),
        in_torch,
        lambda: f.value_and_gradients(*arrays, cotangent=cotangent),
        lambda: torch.autograd.grad(kind.in_torch(*tensors), tensors, seed),
    )
    clock = time.process_time if threads == 1 else time.perf_counter
    least = [float("inf")] * len(runs)
    for _ in range(repetitions + 1):
        for n, run in enumerate(runs):
            run()  # what another tool left of memory and caches is not this one's time
            start = clock()
            run()
            least[n] = min(least[n], 1e3 * (clock() - start))
    return Row(kind.name, (least[0], least[2]), (least[1], least[3]))


def table(rows: Sequence[Row], command: str, dtype: str, threads: int) -> str:
    """As Markdown."""

    def mean(values: Sequence[float]) -> float:
        return exp(sum(map(log, values)) / len(values))

    value, both = ([r.ratios[n] for r in rows] for n in range(2))
    lines = [
        f"# Formulas of many kinds, {dtype}, {'one thread' if threads == 1 else f'{threads} threads'}",
        "",
        f"Made by `{command}` on {cpu_name()}, {time.strftime('%Y-%m-%d')}: tadc {tadc.__version__}, torch {torch.__version__},",
        f"milliseconds {'of CPU time' if threads == 1 else 'on the clock'}, minima of interleaved repetitions, each behind a call of the same tool. PyTorch is not compiled.",
        "",
        f"{len(rows)} formulas: in the geometric mean tadc takes {mean(value):.2f} of PyTorch's time for values, {mean(both):.2f} with gradients.",
        "",
        "| | value, ms | torch, ms | ratio | with gradients, ms | torch, ms | ratio |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for r in rows:
        v, b = r.ratios
        lines.append(
            f"| {r.name} | {r.tadc[0]:.2f} | {r.torch[0]:.2f} | {v:.2f} | {r.tadc[1]:.2f} | {r.torch[1]:.2f} | {b:.2f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--only", action="append", help="the name of a kind, or a part of it")
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_default_dtype(getattr(torch, options.dtype))
    chosen = [k for k in KINDS if not options.only or any(o in k.name for o in options.only)]
    rows = []
    for kind in chosen:
        rows.append(row(kind, options.repetitions, options.dtype, options.threads))
        print(rows[-1].name, *(f"{r:.2f}" for r in rows[-1].ratios), flush=True)
    if not options.only:
        options.output.mkdir(parents=True, exist_ok=True)
        names = ("dtype", "threads", "repetitions")
        given = {
            n: v for n, v in vars(options).items() if n in names and v != parser.get_default(n)
        }
        command = " ".join(
            ["python benchmarks/cpu_kinds.py", *(f"--{n} {v}" for n, v in given.items())]
        )
        file = "_".join(["cpu_kinds", *(str(v) for n, v in given.items() if n != "repetitions")])
        text = table(rows, command, options.dtype, options.threads)
        (options.output / f"{file}.md").write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
