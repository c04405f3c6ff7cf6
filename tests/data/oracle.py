"""Random programs that read through data, and what they and their derivatives are, by scattering over all points.

A program is a sum of terms `w[..]*x[..]*x[..]` over points of a few loops; which point adds to which element is found by
trying every point. Nothing here knows of lists, of equations or of tadc.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import product

import numpy as np

N, E, R = 4, 6, 2  # of left indices, of edges, of offsets


@dataclass
class Data:
    """A random program: its text, its arrays, and for each point of its loops the elements that it joins."""

    text: str
    arrays: dict[str, np.ndarray]
    terms: list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = field(
        default_factory=list
    )
    shape: tuple[int, ...] = ()

    def value(self, x, w):
        y = np.zeros(self.shape)
        for out, a, b, c in self.terms:
            y[out] += w[c] * x[a] * x[b]
        return y

    def tangent(self, x, w, tx, tw):
        y = np.zeros(self.shape)
        for out, a, b, c in self.terms:
            y[out] += tw[c] * x[a] * x[b] + w[c] * (tx[a] * x[b] + x[a] * tx[b])
        return y

    def adjoint(self, x, w, dy):
        dx, dw = np.zeros_like(x), np.zeros_like(w)
        for out, a, b, c in self.terms:
            dw[c] += dy[out] * x[a] * x[b]
            dx[a] += dy[out] * w[c] * x[b]
            dx[b] += dy[out] * w[c] * x[a]
        return dx, dw

    def second(self, x, w, dy, tx, tw):
        """The tangent of the adjoint by `x`, with `dy` as it is."""
        dx = np.zeros_like(x)
        for out, a, b, c in self.terms:
            dx[a] += dy[out] * (tw[c] * x[b] + w[c] * tx[b])
            dx[b] += dy[out] * (tw[c] * x[a] + w[c] * tx[a])
        return dx


class _Outside(Exception):
    """A padded read: the term is 0."""


def random_data(seed: int) -> Data:
    """A program of up to three index tensors."""
    rng = np.random.default_rng(seed)
    extent = int(rng.integers(2, 6))  # of x
    k = {
        "k": rng.integers(-1, extent + 1, E),  # what it reads may be outside, and is mended
        "m": rng.integers(0, E, E),
        "p": rng.integers(-1, N + 1, E),
        "q": rng.integers(-1, N + 1, E),
        "g": rng.integers(-1, extent + 1, (E, R)),
        "z": np.array(int(rng.integers(0, extent))),
        "n": rng.integers(0, E + 2, N),
        "ptr": np.sort(rng.integers(0, E + 1, N + 1)),
        "lo": rng.integers(0, E, N),
        "s": rng.integers(-1, N + 1, N) * int(rng.choice([1, 1, 2**40])),
    }
    k["both"] = rng.integers(-1, N + 1, (N, E))
    k["hi"] = np.minimum(k["lo"] + rng.integers(-1, 3, N), E - 1)
    subscript, text_of = _subscript(rng, extent, k)
    second, second_text = _subscript(rng, extent, k)
    head, head_text, rank = _head(rng, k)
    with_r = "r" in text_of or "r" in second_text or rng.random() < 0.2
    ranges = head_text(f", r=0..{R - 1}" if with_r else "")
    text = f"size N = {N}\n{ranges} w[e]*x[{text_of}]*x[{second_text}]"
    data = Data(text, {}, shape=(N,) * rank)
    for i, j, e, r in product(range(N), range(N) if rank == 2 else [0], range(E), range(R)):
        if (r and not with_r) or not head(i, j, e):
            continue
        try:
            a, b = subscript(e, r, i), second(e, r, i)
        except _Outside:
            continue
        data.terms.append(((i, j)[:rank], (a,), (b,), (e,)))
    words = re.findall(r"\w+", text)
    data.arrays = {n: a for n, a in k.items() if n in words}
    data.arrays["x"] = rng.standard_normal(extent)
    data.arrays["w"] = rng.standard_normal(E)
    return data


def _head(rng, k):
    """Which points add to which elements."""
    p, q, n, ptr, lo, hi = (k[s] for s in ("p", "q", "n", "ptr", "lo", "hi"))
    heads = [
        (lambda i, j, e: p[e] == i, "y[i: N] = sum{{e{r} | p[e] = i}}", 1),
        (lambda i, j, e: p[e] + 1 == i, "y[i: N] = sum{{e{r} | p[e] + 1 = i}}", 1),
        (lambda i, j, e: 2 * p[e] - 1 == i, "y[i: N] = sum{{e{r} | 2*p[e] - 1 = i}}", 1),
        (lambda i, j, e: p[e] == i and q[e] == j, "y[i: N, j: N] = sum{{e{r} | p[e] = i and q[e] = j}}", 2),
        (lambda i, j, e: p[e] == i and q[e] <= i, "y[i: N] = sum{{e{r} | p[e] = i and q[e] <= i}}", 1),
        (lambda i, j, e: e < n[i], "y[i: N] = sum{{e{r} | e < n[i]}}", 1),
        (lambda i, j, e: ptr[i] <= e < ptr[i + 1], "y[i] = sum{{e=ptr[i]..ptr[i+1]-1{r}}}", 1),
        (lambda i, j, e: lo[i] <= e <= hi[i], "y[i] = sum{{e=lo[i]..hi[i]{r}}}", 1),
        (lambda i, j, e: p[e] // 2 == i, "y[i: N] = sum{{e{r} | p[e] // 2 = i}}", 1),
        (lambda i, j, e: i <= p[e] + 1 and p[e] <= i, "y[i: N] = sum{{e{r} | i <= p[e] + 1 and p[e] <= i}}", 1),
        (lambda i, j, e: True, "y = sum{{e{r}}}", 0),
        (lambda i, j, e: k["both"][i, e] == j, "y[i, j: N] = sum{{e{r} | both[i, e] = j}}", 2),
        (lambda i, j, e: k["both"][j, e] == i and q[e] == j, "y[i: N, j] = sum{{e{r} | both[j, e] = i and q[e] = j}}", 2),
        (lambda i, j, e: p[e] == k["s"][i], "input p[E]: index; input s[N]: index\ny[i: N] = sum{{e{r} | p[e] = s[i]}}", 1),
        (lambda i, j, e: 2 * p[e] + 1 == k["s"][i], "input p[E]: index; input s[N]: index\ny[i: N] = sum{{e{r} | 2*p[e] + 1 = s[i]}}", 1),
        (lambda i, j, e: p[e] == k["s"][j] and q[e] == i, "input p[E]: index; input s[N]: index\ny[i: N, j] = sum{{e{r} | p[e] = s[j] and q[e] = i}}", 2),
        (lambda i, j, e: p[k["m"][e]] == i, "y[i: N] = sum{{e{r} | p[m[e]] = i}}", 1),
    ]  # fmt: skip
    holds, text, rank = heads[rng.integers(len(heads))]
    if rank == 0:
        return (lambda i, j, e: i == 0), (lambda r: text.format(r=r)), 0
    return holds, (lambda r: text.format(r=r)), rank


def _subscript(rng, extent, k):
    """A subscript that is inside of a tensor of this extent, as a function of the point and as text."""
    g, m, kk, z = k["g"], k["m"], k["k"], int(k["z"])

    def padded(v):
        if not 0 <= v < extent:
            raise _Outside
        return v

    def clamped(v):
        return min(max(v, 0), extent - 1)

    kinds = [
        (lambda e, r, i: padded(kk[e]), "pad(k[e])"),
        (lambda e, r, i: clamped(kk[e]), "clamp(k[e])"),
        (lambda e, r, i: clamped(kk[e] + r), "clamp(k[e] + r)"),
        (lambda e, r, i: padded(2 * kk[e] - r), "pad(2*k[e] - r)"),
        (lambda e, r, i: padded(kk[m[e]]), "pad(k[m[e]])"),
        (lambda e, r, i: padded(g[e, r]), "pad(g[e, r])"),
        (lambda e, r, i: kk[e] % extent, f"k[e] % {extent}"),
        (lambda e, r, i: padded(kk[e] // 2), "pad(k[e] // 2)"),
        (lambda e, r, i: padded(e - kk[e]), "pad(e - k[e])"),
        (lambda e, r, i: z, "z[]"),
        (lambda e, r, i: clamped(m[e] - kk[e] + r), "clamp(m[e] - k[e] + r)"),
        (lambda e, r, i: padded(extent - 1 - kk[e]), f"pad({extent - 1} - k[e])"),
    ]
    return kinds[rng.integers(len(kinds))]
