"""Usual programs over data, from many fields, that tadc and PyTorch compute: each as one writes it in either."""
# ruff: noqa: N806, RUF012 (letters as in formulas; nobody changes what a kind says of itself)

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
import torch
import torch.nn.functional as F  # noqa: N812

__all__ = ["KINDS", "Kind"]


class Kind:
    """A program and its arrays: `extents` are a small one and a large one, which is timed, by a letter. Of `reals` these are the shapes,
    of `indices` shapes and below what their elements are; `others` adds arrays of another kind, and `given` are sizes that no shape
    says. `in_torch` computes the same of all of them, where a sparse operand `A` is `A_val`, `A_0`, ..
    """

    name: ClassVar[str]
    text: ClassVar[str]
    extents: ClassVar[dict[str, tuple[int, int]]]
    reals: ClassVar[dict[str, str]] = {}
    indices: ClassVar[dict[str, str]] = {}
    given: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def arrays(
        cls, rng: np.random.Generator, large: bool
    ) -> tuple[dict[str, Any], dict[str, np.ndarray], dict[str, int]]:
        """The reals, the index tensors and the sizes."""
        extents = {letter: both[large] for letter, both in cls.extents.items()}

        def shape(letters: str) -> list[int]:
            return [extents[n] if n in extents else int(n) for n in letters.split()]

        reals: dict[str, Any] = {n: uniform(rng, *shape(s)) for n, s in cls.reals.items()}
        indices = {}
        for name, drawn in cls.indices.items():
            of, below = drawn.split(" < ")
            indices[name] = rng.integers(0, extents[below], shape(of))
        cls.others(rng, SimpleNamespace(**extents), reals, indices)
        return reals, indices, {n: extents[n.lower()] for n in cls.given}

    @staticmethod
    def others(
        rng: np.random.Generator,
        s: SimpleNamespace,
        reals: dict[str, Any],
        indices: dict[str, np.ndarray],
    ) -> None:
        """Adds the arrays that are drawn in another way, of the extents `s`."""

    @staticmethod
    def in_torch(a: SimpleNamespace) -> torch.Tensor | tuple[torch.Tensor, ...]:
        raise NotImplementedError


def uniform(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers from -1 to 1."""
    return rng.random(shape) * 2 - 1


def added(nodes: int, at: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return torch.zeros((nodes, *values.shape[1:]), dtype=values.dtype).index_add(0, at, values)


class EdgeconvMax(Kind):
    name = "EdgeConv, max"
    text = (
        "size N\n"
        "output y\n"
        "m[e,h] = relu(sum{c} P[h,c]*x[dst[e],c] + sum{c} Q[h,c]*(x[src[e],c]-x[dst[e],c]))\n"
        "y[i: N,h] = max{e | dst[e] = i} m[e,h]"
    )

    extents = {"n": (5, 5000), "e": (30, 50000), "c": (3, 16), "h": (4, 16)}
    reals = {"x": "n c", "P": "h c", "Q": "h c"}
    indices = {"src": "e < n"}
    given = ("N",)

    @staticmethod
    def others(rng, s, reals, indices):
        indices["dst"] = rng.permutation(np.r_[np.arange(s.n), rng.integers(0, s.n, s.e - s.n)])

    @staticmethod
    def in_torch(a):
        m = F.relu(a.x[a.dst] @ a.P.T + (a.x[a.src] - a.x[a.dst]) @ a.Q.T)
        return torch.full((a.N, m.shape[1]), -torch.inf, dtype=m.dtype).scatter_reduce(
            0, a.dst[:, None].expand_as(m), m, "amax"
        )


class EdgeconvTwoLayersSum(Kind):
    name = "EdgeConv, two layers, sum"
    text = (
        "size N\n"
        "output y\n"
        "m[e,h] = relu(sum{c} P[h,c]*x[dst[e],c] + sum{c} Q[h,c]*(x[src[e],c]-x[dst[e],c]))\n"
        "k[e,o] = sum{h} R[o,h]*m[e,h]\n"
        "y[i: N,o] = sum{e | dst[e] = i} tanh(k[e,o])"
    )

    extents = {"n": (5, 5000), "e": (30, 50000), "c": (3, 16), "h": (4, 16)}
    reals = {"x": "n c", "P": "h c", "Q": "h c", "R": "h h"}
    indices = {"src": "e < n", "dst": "e < n"}
    given = ("N",)

    @staticmethod
    def in_torch(a):
        m = F.relu(a.x[a.dst] @ a.P.T + (a.x[a.src] - a.x[a.dst]) @ a.Q.T)
        return added(a.N, a.dst, torch.tanh(m @ a.R.T))


class EdgeconvInline(Kind):
    name = "EdgeConv inline"
    text = (
        "size N\n"
        "y[i: N,h] = sum{e | dst[e] = i} relu(sum{c} P[h,c]*x[i,c] + sum{c} Q[h,c]*(x[src[e],c]-x[i,c]))"
    )

    extents = {"n": (5, 5000), "e": (30, 50000), "c": (3, 16), "h": (4, 16)}
    reals = {"x": "n c", "P": "h c", "Q": "h c"}
    indices = {"src": "e < n", "dst": "e < n"}
    given = ("N",)

    @staticmethod
    def in_torch(a):
        return added(a.N, a.dst, F.relu(a.x[a.dst] @ a.P.T + (a.x[a.src] - a.x[a.dst]) @ a.Q.T))


class SoftHistogram(Kind):
    name = "soft histogram"
    text = (
        "size B\n"
        "bin[p]: index = floor(u[p])\n"
        "h[b: B] = sum{p, a=-2..2 | bin[p] + a = b} exp(-(u[p] - b)**2)"
    )

    extents = {"p": (20, 200000), "b": (8, 256)}
    given = ("B",)

    @staticmethod
    def others(rng, s, reals, indices):
        reals["u"] = 2 + rng.random(s.p) * (s.b - 5)

    @staticmethod
    def in_torch(a):
        k = torch.floor(a.u).long().detach()[:, None] + torch.arange(-2, 3)
        return added(a.B, k.reshape(-1), torch.exp(-((a.u[:, None] - k) ** 2)).reshape(-1))


class BlockSparseAttention(Kind):
    name = "block-sparse attention"
    text = (
        "size N, B = 16\n"
        "input q[N,B,16], k[N,B,16], v[N,B,16]\n"
        "s[t,i: B,j: B] = sum{c} q[row[t],i,c]*k[col[t],j,c]\n"
        "l[n: N,i: B] = logsumexp{t,j: B | row[t] = n} s[t,i,j]\n"
        "y[n: N,i: B,c: 16] = sum{t,j: B | row[t] = n} exp(s[t,i,j]-l[n,i])*v[col[t],j,c]"
    )

    extents = {"n": (3, 64), "t": (6, 256)}
    reals = {"q": "n 16 16", "k": "n 16 16", "v": "n 16 16"}
    indices = {"col": "t < n"}
    given = ("N",)

    @staticmethod
    def others(rng, s, reals, indices):
        indices["row"] = np.sort(np.r_[np.arange(s.n), rng.integers(0, s.n, s.t - s.n)])

    @staticmethod
    def in_torch(a):
        s = torch.einsum("tic,tjc->tij", a.q[a.row], a.k[a.col])
        m = torch.full((a.N, 16), -torch.inf, dtype=s.dtype).scatter_reduce(
            0, a.row[:, None].expand(-1, 16), s.detach().amax(2), "amax"
        )
        e = torch.exp(s - m[a.row][:, :, None])
        z = added(a.N, a.row, e.sum(2))
        return added(a.N, a.row, torch.einsum("tij,tjc->tic", e, a.v[a.col])) / z[:, :, None]


class InlineGraphAttention(Kind):
    name = "inline graph attention"
    text = (
        "size N\n"
        "y[i: N,c] = sum{e | dst[e] = i} exp(s[src[e]]+t[i] - logsumexp{f | dst[f] = i} (s[src[f]]+t[i]))*x[src[e],c]"
    )

    extents = {"n": (5, 10000), "e": (30, 100000), "c": (3, 16)}
    reals = {"s": "n", "t": "n", "x": "n c"}
    indices = {"src": "e < n", "dst": "e < n"}
    given = ("N",)

    @staticmethod
    def in_torch(a):
        u = a.s[a.src] + a.t[a.dst]
        m = torch.full((a.N,), -torch.inf, dtype=u.dtype).scatter_reduce(
            0, a.dst, u.detach(), "amax"
        )
        w = torch.exp(u - m[a.dst])
        z = added(a.N, a.dst, w)
        return added(a.N, a.dst, (w / z[a.dst])[:, None] * a.x[a.src])


class EmbeddingBag(Kind):
    name = "embedding bag"
    text = "size B\ny[b: B, c] = sum{e = off[b]..off[b+1]-1} x[k[e], c]"

    extents = {"n": (5, 20000), "e": (30, 200000), "b": (7, 4000), "c": (3, 16)}
    reals = {"x": "n c"}
    indices = {"k": "e < n"}
    given = ("B",)

    @staticmethod
    def others(rng, s, reals, indices):
        indices["off"] = np.r_[0, np.sort(rng.integers(0, s.e + 1, s.b - 1)), s.e]

    @staticmethod
    def in_torch(a):
        return F.embedding_bag(a.k, a.x, a.off[:-1], mode="sum")


class HypergraphConvolution(Kind):
    name = "hypergraph convolution"
    text = (
        "size N, M\n"
        "input A[N,M]: coo\n"
        "z[m,c] = sum{n} A[n,m]*x[n,c]/d[m]\n"
        "y[n,c] = sum{m} A[n,m]*w[m]*z[m,c]"
    )

    extents = {"n": (6, 10000), "m": (4, 2000), "e": (12, 50000), "c": (3, 16)}
    reals = {"x": "n c"}

    @staticmethod
    def others(rng, s, reals, indices):
        p = rng.choice(s.n * s.m, s.e, replace=False)
        A = scipy.sparse.coo_array((rng.random(s.e), (p // s.m, p % s.m)), shape=(s.n, s.m))
        reals["A"] = A
        reals["w"] = rng.random(s.m)
        reals["d"] = 1 + rng.random(s.m)

    @staticmethod
    def in_torch(a):
        z = added(a.d.shape[0], a.A_1, a.A_val[:, None] * a.x[a.A_0]) / a.d[:, None]
        return added(a.x.shape[0], a.A_0, a.A_val[:, None] * (a.w[:, None] * z)[a.A_1])


class TripletLoss(Kind):
    name = "triplet loss"
    text = (
        "l = sum{t} relu(1 + sum{c} (x[an[t],c]-x[po[t],c])**2 - sum{c} (x[an[t],c]-x[ne[t],c])**2)"
    )

    extents = {"n": (6, 5000), "t": (12, 50000), "c": (3, 32)}
    reals = {"x": "n c"}
    indices = {"an": "t < n", "po": "t < n", "ne": "t < n"}

    @staticmethod
    def in_torch(a):
        return F.relu(
            1 + ((a.x[a.an] - a.x[a.po]) ** 2).sum(1) - ((a.x[a.an] - a.x[a.ne]) ** 2).sum(1)
        ).sum()


class KNNSmoothing(Kind):
    name = "k-NN smoothing"
    text = "size N,K\ninput nn[N,K]: index\ny[i,c] = (sum{k} w[i,k]*x[nn[i,k],c])/(sum{k} w[i,k])"

    extents = {"n": (6, 20000), "k": (3, 8), "c": (3, 16)}
    reals = {"x": "n c"}
    indices = {"nn": "n k < n"}

    @staticmethod
    def others(rng, s, reals, indices):
        reals["w"] = rng.random((s.n, s.k)) + 0.1

    @staticmethod
    def in_torch(a):
        return (a.w[:, :, None] * a.x[a.nn]).sum(1) / a.w.sum(1)[:, None]


class CRFScoreOfTags(Kind):
    name = "CRF score of tags"
    text = (
        "size B,L,T\n"
        "input tag[B,L]: index, len[B]: 1..L, em[B,L,T], tr[T,T]\n"
        "s[b] = sum{t: L | t < len[b]} em[b,t,tag[b,t]] + sum{t: L-1 | t+1 < len[b]} tr[tag[b,t],tag[b,t+1]]"
    )

    extents = {"b": (4, 500), "l": (5, 60), "t": (3, 20)}
    reals = {"em": "b l t", "tr": "t t"}
    indices = {"tag": "b l < t"}

    @staticmethod
    def others(rng, s, reals, indices):
        indices["len"] = rng.integers(1, s.l + 1, s.b)

    @staticmethod
    def in_torch(a):
        _B, L, _T = a.em.shape
        m = (torch.arange(L)[None] < a.len[:, None]).to(a.em.dtype)
        return (a.em.gather(2, a.tag[:, :, None])[:, :, 0] * m).sum(1) + (
            a.tr[a.tag[:, :-1], a.tag[:, 1:]] * m[:, 1:]
        ).sum(1)


class ProductQuantizationLookup(Kind):
    name = "product quantization lookup"
    text = "size N,M,D\ninput code[N,M]: uint8, book[M,256,D]\ny[n,m,d] = book[m,code[n,m],d]*g[m]"

    extents = {"n": (5, 20000), "m": (2, 8), "d": (3, 8)}
    reals = {"book": "m 256 d", "g": "m"}

    @staticmethod
    def others(rng, s, reals, indices):
        indices["code"] = rng.integers(0, 256, (s.n, s.m)).astype(np.uint8)

    @staticmethod
    def in_torch(a):
        return a.book[torch.arange(a.g.shape[0])[None], a.code.long()] * a.g[None, :, None]


class HashGridEncoding(Kind):
    name = "hash-grid encoding"
    text = (
        "size P,L,T,F\n"
        "input h[L,P,8]: index, g[L,T,F], u[L,P,3]\n"
        "y[l,p,f] = sum{a=0..1,b=0..1,c=0..1} g[l,h[l,p,4*a+2*b+c],f]*(if a = 0 then 1-u[l,p,0] else u[l,p,0])*(if b = 0 then 1-u[l,p,1] else u[l,p,1])*(if c = 0 then 1-u[l,p,2] else u[l,p,2])"
    )

    extents = {"l": (2, 8), "p": (5, 10000), "t": (7, 4096), "f": (2, 2)}
    reals = {"g": "l t f"}
    indices = {"h": "l p 8 < t"}

    @staticmethod
    def others(rng, s, reals, indices):
        reals["u"] = rng.random((s.l, s.p, 3))

    @staticmethod
    def in_torch(a):
        w = torch.stack([1 - a.u, a.u], -1)
        w = (
            w[:, :, 0, :, None, None] * w[:, :, 1, None, :, None] * w[:, :, 2, None, None, :]
        ).reshape(*a.u.shape[:2], 8)
        return (a.g[torch.arange(a.g.shape[0])[:, None, None], a.h] * w[..., None]).sum(2)


class RaggedMaxAndMeanPooling(Kind):
    name = "ragged max and mean pooling"
    text = (
        "size B\n"
        "y[b: B,c] = max{e = ptr[b]..ptr[b+1]-1} x[e,c]\n"
        "z[b: B,c] = (sum{e = ptr[b]..ptr[b+1]-1} x[e,c])/(ptr[b+1]-ptr[b])\n"
        "output y, z"
    )

    extents = {"b": (3, 4000), "e": (12, 100000), "c": (2, 16)}
    reals = {"x": "e c"}
    given = ("B",)

    @staticmethod
    def others(rng, s, reals, indices):
        indices["ptr"] = np.r_[
            0, np.sort(rng.choice(np.arange(1, s.e), s.b - 1, replace=False)), s.e
        ]

    @staticmethod
    def in_torch(a):
        B = a.ptr.shape[0] - 1
        row = torch.repeat_interleave(torch.arange(B), a.ptr[1:] - a.ptr[:-1])
        m = torch.full((B, a.x.shape[1]), -torch.inf, dtype=a.x.dtype).scatter_reduce(
            0, row[:, None].expand_as(a.x), a.x, "amax"
        )
        return m, added(B, row, a.x) / (a.ptr[1:] - a.ptr[:-1])[:, None]


class TreeSumsByParents(Kind):
    name = "tree sums by parents"
    text = (
        "size N\n"
        "y1[i: N,c] = x[i,c] + sum{j | par[j] = i} x[j,c]*w[j]\n"
        "y2[i: N,c] = x[i,c] + sum{j | par[j] = i} tanh(y1[j,c])*w[j]\n"
        "output y2"
    )

    extents = {"n": (7, 50000), "c": (3, 8)}
    reals = {"x": "n c", "w": "n"}

    @staticmethod
    def others(rng, s, reals, indices):
        par = np.array([-1] + [int(rng.integers(0, i)) for i in range(1, s.n)])
        indices["par"] = par

    @staticmethod
    def in_torch(a):
        p = torch.where(a.par < 0, a.x.shape[0], a.par)

        def f(v):
            return a.x + added(a.x.shape[0] + 1, p, v * a.w[:, None])[:-1]

        return f(torch.tanh(f(a.x)))


class COOTensorTimesVector(Kind):
    name = "COO tensor times vector"
    text = "size I,J,K\ninput T[I,J,K]: coo\ny[i,j] = sum{k} T[i,j,k]*v[k]"

    extents = {"i": (3, 100), "j": (4, 100), "k": (5, 100), "e": (15, 50000)}
    reals = {"v": "k"}
    given = ("I", "J")

    @staticmethod
    def others(rng, s, reals, indices):
        reals["T"] = (
            rng.random(s.e),
            rng.integers(0, s.i, s.e),
            rng.integers(0, s.j, s.e),
            rng.integers(0, s.k, s.e),
        )

    @staticmethod
    def in_torch(a):
        return added(a.I * a.J, a.T_0 * a.J + a.T_1, a.T_val * a.v[a.T_2]).reshape(a.I, a.J)


class MTTKRPOfCOO(Kind):
    name = "MTTKRP of COO"
    text = "size I,J,K\ninput T[I,J,K]: coo\nm[i,r] = sum{j,k} T[i,j,k]*B[j,r]*C[k,r]"

    extents = {"i": (3, 300), "j": (4, 300), "k": (5, 300), "e": (15, 100000), "R": (2, 16)}
    reals = {"B": "j R", "C": "k R"}
    given = ("I",)

    @staticmethod
    def others(rng, s, reals, indices):
        reals["T"] = (
            rng.random(s.e),
            rng.integers(0, s.i, s.e),
            rng.integers(0, s.j, s.e),
            rng.integers(0, s.k, s.e),
        )

    @staticmethod
    def in_torch(a):
        return added(a.I, a.T_0, a.T_val[:, None] * a.B[a.T_1] * a.C[a.T_2])


class MixtureOfExperts(Kind):
    name = "mixture of experts"
    text = (
        "size T,E,D,H\n"
        "input ex[T,2]: index, g[T,2], W[E,H,D], x[T,D]\n"
        "y[t,h] = sum{k} g[t,k]*sum{d} W[ex[t,k],h,d]*x[t,d]"
    )

    extents = {"t": (6, 2000), "e": (3, 8), "d": (4, 32), "h": (2, 32)}
    reals = {"W": "e h d", "x": "t d"}
    indices = {"ex": "t 2 < e"}

    @staticmethod
    def others(rng, s, reals, indices):
        reals["g"] = rng.random((s.t, 2))

    @staticmethod
    def in_torch(a):
        y = torch.zeros(a.x.shape[0], a.W.shape[1], dtype=a.x.dtype)
        for e in range(a.W.shape[0]):
            t, k = torch.where(a.ex == e)
            y = y.index_add(0, t, (a.x[t] @ a.W[e].T) * a.g[t, k][:, None])
        return y


class BilinearInterpolationCellsGiven(Kind):
    name = "bilinear interpolation, cells given"
    text = (
        "size P,H,W,C\n"
        "input r[P]: index, s[P]: index, u[P], v[P], z[H,W,C]\n"
        "y[p,c] = (1-u[p])*(1-v[p])*z[r[p],s[p],c] + u[p]*(1-v[p])*z[r[p]+1,s[p],c] + (1-u[p])*v[p]*z[r[p],s[p]+1,c] + u[p]*v[p]*z[r[p]+1,s[p]+1,c]"
    )

    extents = {"p": (9, 50000), "h": (4, 128), "w": (5, 128), "c": (2, 8)}
    reals = {"z": "h w c"}

    @staticmethod
    def others(rng, s, reals, indices):
        reals["u"] = rng.random(s.p)
        reals["v"] = rng.random(s.p)
        indices["r"] = rng.integers(0, s.h - 1, s.p)
        indices["s"] = rng.integers(0, s.w - 1, s.p)

    @staticmethod
    def in_torch(a):
        u, v = a.u[:, None], a.v[:, None]
        return (
            (1 - u) * (1 - v) * a.z[a.r, a.s]
            + u * (1 - v) * a.z[a.r + 1, a.s]
            + (1 - u) * v * a.z[a.r, a.s + 1]
            + u * v * a.z[a.r + 1, a.s + 1]
        )


class BeamSearchGather(Kind):
    name = "beam search gather"
    text = (
        "size B,K,D\n"
        "input bm[B,K]: index, tok[B,K]: index, h[B,K,D], e[V,D]\n"
        "y[b,k,d] = h[b,bm[b,k],d] + e[tok[b,k],d]"
    )

    extents = {"b": (2, 256), "k": (3, 8), "d": (4, 64), "v": (7, 5000)}
    reals = {"h": "b k d", "e": "v d"}
    indices = {"bm": "b k < k", "tok": "b k < v"}

    @staticmethod
    def in_torch(a):
        return a.h.gather(1, a.bm[:, :, None].expand(-1, -1, a.h.shape[2])) + a.e[a.tok]


class FiniteVolumes(Kind):
    name = "finite volumes"
    text = (
        "size N\n"
        "input q[N,C], a[M]: index, b[M]: index\n"
        "f[e,c] = A[e]*(0.5*(q[a[e],c]+q[b[e],c]) - abs(v[e])*(q[b[e],c]-q[a[e],c]))\n"
        "r[i: N,c] = ((sum{e | a[e] = i} f[e,c]) - (sum{e | b[e] = i} f[e,c]))/V[i]\n"
        "output r"
    )

    extents = {"n": (5, 20000), "m": (12, 60000), "c": (2, 5)}
    reals = {"q": "n c", "v": "m"}
    indices = {"a": "m < n", "b": "m < n"}

    @staticmethod
    def others(rng, s, reals, indices):
        reals["A"] = rng.random(s.m)
        reals["V"] = 1 + rng.random(s.n)

    @staticmethod
    def in_torch(a):
        qa, qb = a.q[a.a], a.q[a.b]
        f = a.A[:, None] * (0.5 * (qa + qb) - a.v.abs()[:, None] * (qb - qa))
        return (added(a.q.shape[0], a.a, f) - added(a.q.shape[0], a.b, f)) / a.V[:, None]


class SPHDensityAndPressureForce(Kind):
    name = "SPH density and pressure force"
    text = (
        "size N\n"
        "input x[N,3]\n"
        "rho[i: N] = sum{e | p[e] = i} m[q[e]]*exp(-4*sum{d} (x[i,d]-x[q[e],d])**2)\n"
        "F[i: N,d] = sum{e | p[e] = i} m[q[e]]*(1/rho[i]+1/rho[q[e]])*(x[i,d]-x[q[e],d])*exp(-4*sum{c} (x[i,c]-x[q[e],c])**2)\n"
        "output F"
    )

    extents = {"n": (5, 4000), "k": (3, 20)}

    @staticmethod
    def others(rng, s, reals, indices):
        reals["x"] = rng.random((s.n, 3))
        reals["m"] = 1 + rng.random(s.n)
        indices["p"] = np.r_[np.arange(s.n), rng.integers(0, s.n, s.n * s.k)]
        indices["q"] = np.r_[np.arange(s.n), rng.integers(0, s.n, s.n * s.k)]

    @staticmethod
    def in_torch(a):
        n = a.m.shape[0]
        d = a.x[a.p] - a.x[a.q]
        w = torch.exp(-4 * (d**2).sum(1))
        rho = added(n, a.p, a.m[a.q] * w)
        return added(n, a.p, (a.m[a.q] * (1 / rho[a.p] + 1 / rho[a.q]) * w)[:, None] * d)


class ContactForces(Kind):
    name = "contact forces"
    text = (
        "size N\n"
        "input x[N,3], R[N]\n"
        "d[e] = sqrt(sum{c} (x[i[e],c]-x[j[e],c])**2 + 1e-9)\n"
        "o[e] = relu(R[i[e]]+R[j[e]]-d[e])\n"
        "F[n: N,c] = (sum{e | i[e] = n} o[e]**1.5*(x[i[e],c]-x[j[e],c])/d[e]) - sum{e | j[e] = n} o[e]**1.5*(x[i[e],c]-x[j[e],c])/d[e]\n"
        "output F"
    )

    extents = {"n": (5, 5000), "e": (12, 40000)}

    @staticmethod
    def others(rng, s, reals, indices):
        i = rng.integers(0, s.n, s.e)
        j = (i + 1 + rng.integers(0, s.n - 1, s.e)) % s.n
        reals["x"] = rng.random((s.n, 3))
        reals["R"] = 0.3 + rng.random(s.n)
        indices["i"] = i
        indices["j"] = j

    @staticmethod
    def in_torch(a):
        v = a.x[a.i] - a.x[a.j]
        d = torch.sqrt((v**2).sum(1) + 1e-9)
        f = (F.relu(a.R[a.i] + a.R[a.j] - d) ** 1.5 / d)[:, None] * v
        return added(a.R.shape[0], a.i, f) - added(a.R.shape[0], a.j, f)


class PagerankStep(Kind):
    name = "PageRank step"
    text = (
        "size N\n"
        "y[i: N] = 0.15/N + 0.85*sum{e | dst[e] = i} x[src[e]]/deg[src[e]]\n"
        "output y\n"
        "input deg[N]"
    )

    extents = {"n": (5, 100000), "e": (12, 500000)}
    indices = {"src": "e < n", "dst": "e < n"}

    @staticmethod
    def others(rng, s, reals, indices):
        reals["x"] = rng.random(s.n)
        reals["deg"] = 1 + rng.random(s.n)

    @staticmethod
    def in_torch(a):
        return 0.15 / a.x.shape[0] + 0.85 * added(a.x.shape[0], a.dst, a.x[a.src] / a.deg[a.src])


class TranseLoss(Kind):
    name = "TransE loss"
    text = "l = mean{t} relu(0.5 + (sum{c} abs(E[h[t],c]+R[r[t],c]-E[o[t],c])) - sum{c} abs(E[n[t],c]+R[r[t],c]-E[o[t],c]))"

    extents = {"n": (6, 10000), "k": (2, 50), "t": (9, 20000), "c": (3, 32)}
    reals = {"E": "n c", "R": "k c"}
    indices = {"h": "t < n", "r": "t < k", "o": "t < n", "n": "t < n"}

    @staticmethod
    def in_torch(a):
        return F.relu(
            0.5
            + (a.E[a.h] + a.R[a.r] - a.E[a.o]).abs().sum(1)
            - (a.E[a.n] + a.R[a.r] - a.E[a.o]).abs().sum(1)
        ).mean()


class BPRLoss(Kind):
    name = "BPR loss"
    text = "l = mean{t} softplus(-(sum{c} P[u[t],c]*(Q[i[t],c]-Q[j[t],c]) + b[i[t]] - b[j[t]]))"

    extents = {"n": (4, 5000), "m": (6, 10000), "t": (9, 50000), "c": (3, 32)}
    reals = {"P": "n c", "Q": "m c", "b": "m"}
    indices = {"u": "t < n", "i": "t < m", "j": "t < m"}

    @staticmethod
    def in_torch(a):
        return F.softplus(-((a.P[a.u] * (a.Q[a.i] - a.Q[a.j])).sum(1) + a.b[a.i] - a.b[a.j])).mean()


class DeepsetsBySegment(Kind):
    name = "DeepSets by segment"
    text = (
        "size B\n"
        "h[p,k] = tanh(sum{c} W[k,c]*x[p,c])\n"
        "g[b: B,k] = sum{p | seg[p] = b} h[p,k]\n"
        "y[b: B,o] = sum{k} V[o,k]*g[b,k]\n"
        "output y"
    )

    extents = {"b": (3, 500), "p": (12, 50000), "c": (2, 8), "k": (4, 16), "o": (2, 8)}
    reals = {"x": "p c", "W": "k c", "V": "o k"}
    given = ("B",)

    @staticmethod
    def others(rng, s, reals, indices):
        indices["seg"] = np.sort(rng.integers(0, s.b, s.p))

    @staticmethod
    def in_torch(a):
        return added(a.B, a.seg, torch.tanh(a.x @ a.W.T)) @ a.V.T


class SparseAttentionByCSR(Kind):
    name = "sparse attention by CSR"
    text = (
        "size N\n"
        "input q[N,D], k[N,D], v[N,C]\n"
        "s[e] = sum{i: N | ptr[i] <= e and e < ptr[i+1]} sum{d} q[i,d]*k[col[e],d]\n"
        "z[i: N] = logsumexp{e = ptr[i]..ptr[i+1]-1} s[e]\n"
        "y[i: N,c] = sum{e = ptr[i]..ptr[i+1]-1} exp(s[e]-z[i])*v[col[e],c]\n"
        "output y"
    )

    extents = {"n": (4, 5000), "e": (9, 50000), "d": (3, 16), "c": (2, 16)}
    reals = {"q": "n d", "k": "n d", "v": "n c"}
    indices = {"col": "e < n"}

    @staticmethod
    def others(rng, s, reals, indices):
        rows = np.sort(np.r_[np.arange(s.n), rng.integers(0, s.n, s.e - s.n)])
        indices["ptr"] = np.searchsorted(rows, np.arange(s.n + 1))

    @staticmethod
    def in_torch(a):
        n = a.q.shape[0]
        row = torch.repeat_interleave(torch.arange(n), a.ptr[1:] - a.ptr[:-1])
        s = (a.q[row] * a.k[a.col]).sum(1)
        w = torch.exp(s)
        z = added(n, row, w)
        return added(n, row, w[:, None] * a.v[a.col]) / z[:, None]


class RaggedSlidingWindow(Kind):
    name = "ragged sliding window"
    text = (
        "size P\n"
        "input row[P]: index\n"
        "y[p: P,c] = sum{r=-2..2} (if row[clamp(p+r)] = row[p] then w[r+2]*x[pad(p+r),c] else 0)"
    )

    extents = {"p": (12, 50000), "b": (3, 500), "c": (2, 16)}
    reals = {"w": "5", "x": "p c"}

    @staticmethod
    def others(rng, s, reals, indices):
        indices["row"] = np.sort(rng.integers(0, s.b, s.p))

    @staticmethod
    def in_torch(a):
        y = 0
        P = a.x.shape[0]
        for r in range(-2, 3):
            i = torch.arange(P) + r
            ok = (i >= 0) & (i < P)
            i = i.clamp(0, P - 1)
            ok &= a.row[i] == a.row
            y = y + a.w[r + 2] * a.x[i] * ok[:, None]
        return y


class PermutationAndItsInverse(Kind):
    name = "permutation and its inverse"
    text = (
        "y[i,c] = x[p[i],c]*s[i]\n"
        "z[i: N,c] = sum{j | p[j] = i} y[j,c]**2\n"
        "size N\n"
        "input x[N,C]\n"
        "output z"
    )

    extents = {"n": (6, 100000), "c": (2, 8)}
    reals = {"x": "n c", "s": "n"}

    @staticmethod
    def others(rng, s, reals, indices):
        indices["p"] = rng.permutation(s.n)

    @staticmethod
    def in_torch(a):
        return added(a.x.shape[0], a.p, (a.x[a.p] * a.s[:, None]) ** 2)


class LabelSmoothing(Kind):
    name = "label smoothing"
    text = "l = mean{i} ((logsumexp{c} z[i,c]) - 0.9*z[i,t[i]] - 0.1*mean{c} z[i,c])"

    extents = {"n": (6, 5000), "c": (4, 1000)}
    reals = {"z": "n c"}
    indices = {"t": "n < c"}

    @staticmethod
    def in_torch(a):
        return F.cross_entropy(a.z, a.t, label_smoothing=0.1)


class RelativePositionsWithOffsets(Kind):
    name = "relative positions with offsets"
    text = (
        "size B,L,D,M\n"
        "input off[B]: index, x[B,L,D], e[M,D]\n"
        "y[b,i,d] = x[b,i,d] + e[clamp(i + off[b]),d]"
    )

    extents = {"b": (3, 64), "l": (4, 128), "d": (2, 64), "m": (6, 512)}
    reals = {"x": "b l d", "e": "m d"}

    @staticmethod
    def others(rng, s, reals, indices):
        indices["off"] = rng.integers(-2, s.m, s.b)

    @staticmethod
    def in_torch(a):
        return (
            a.x
            + a.e[(torch.arange(a.x.shape[1])[None] + a.off[:, None]).clamp(0, a.e.shape[0] - 1)]
        )


class OctreeNeighbours(Kind):
    name = "octree neighbours"
    text = (
        "size N\n"
        "input nb[N,27]: index, x[N,C], w[27,O,C]\n"
        "y[n,o] = sum{k,c} w[k,o,c]*x[pad(nb[n,k]),c]"
    )

    extents = {"n": (6, 3000), "c": (2, 16), "o": (3, 16)}
    reals = {"x": "n c", "w": "27 o c"}

    @staticmethod
    def others(rng, s, reals, indices):
        nb = rng.integers(-s.n, s.n, (s.n, 27))
        nb[nb < 0] = -1
        indices["nb"] = nb

    @staticmethod
    def in_torch(a):
        x = torch.cat([a.x, torch.zeros(1, a.x.shape[1], dtype=a.x.dtype)])
        g = x[torch.where(a.nb < 0, a.x.shape[0], a.nb)]
        return torch.einsum("nkc,koc->no", g, a.w)


class ScalarSegmentSums(Kind):
    name = "scalar segment sums"
    text = "size N\ns[i: N] = sum{e | k[e] = i} u[e]*v[e]"

    extents = {"n": (4, 10000), "e": (9, 300000)}
    reals = {"u": "e", "v": "e"}
    indices = {"k": "e < n"}
    given = ("N",)

    @staticmethod
    def in_torch(a):
        return added(a.N, a.k, a.u * a.v)


class SegmentVariance(Kind):
    name = "segment variance"
    text = (
        "size N\n"
        "c[i: N] = sum{e | k[e] = i} 1\n"
        "m[i: N] = (sum{e | k[e] = i} u[e])/max(c[i],1)\n"
        "s[i: N] = (sum{e | k[e] = i} (u[e]-m[i])**2)/max(c[i],1)\n"
        "output s"
    )

    extents = {"n": (4, 10000), "e": (9, 300000)}
    reals = {"u": "e"}
    indices = {"k": "e < n"}
    given = ("N",)

    @staticmethod
    def in_torch(a):
        c = added(a.N, a.k, torch.ones_like(a.u)).clamp(min=1)
        m = added(a.N, a.k, a.u) / c
        return added(a.N, a.k, (a.u - m[a.k]) ** 2) / c


class DistmultScoresOfAllTails(Kind):
    name = "DistMult scores of all tails"
    text = "size N,D\ns[b,n] = sum{d} E[h[b],d]*R[r[b],d]*E[n,d]\ninput E[N,D]"

    extents = {"n": (6, 5000), "k": (2, 20), "b": (4, 128), "d": (3, 32)}
    reals = {"E": "n d", "R": "k d"}
    indices = {"h": "b < n", "r": "b < k"}

    @staticmethod
    def in_torch(a):
        return (a.E[a.h] * a.R[a.r]) @ a.E.T


class SkipGramWithNegatives(Kind):
    name = "skip-gram with negatives"
    text = "l = sum{t} (softplus(-sum{d} U[c[t],d]*V[o[t],d]) + sum{k} softplus(sum{d} U[c[t],d]*V[n[t,k],d]))"

    extents = {"v": (6, 10000), "t": (5, 5000), "k": (3, 5), "d": (4, 64)}
    reals = {"U": "v d", "V": "v d"}
    indices = {"c": "t < v", "o": "t < v", "n": "t k < v"}

    @staticmethod
    def in_torch(a):
        return (
            F.softplus(-(a.U[a.c] * a.V[a.o]).sum(1)).sum()
            + F.softplus((a.U[a.c][:, None] * a.V[a.n]).sum(2)).sum()
        )


class MatrixFactorizationWithBiases(Kind):
    name = "matrix factorization with biases"
    text = "l = sum{t} (y[t] - sum{d} P[u[t],d]*Q[i[t],d] - a[u[t]] - b[i[t]])**2"

    extents = {"n": (4, 2000), "m": (5, 3000), "t": (12, 100000), "d": (3, 16)}
    reals = {"y": "t", "P": "n d", "Q": "m d", "a": "n", "b": "m"}
    indices = {"u": "t < n", "i": "t < m"}

    @staticmethod
    def in_torch(a):
        return ((a.y - (a.P[a.u] * a.Q[a.i]).sum(1) - a.a[a.u] - a.b[a.i]) ** 2).sum()


class BondEnergiesAndAngles(Kind):
    name = "bond energies and angles"
    text = (
        "input x[N,3]\n"
        "l = (sum{b} (sqrt(sum{c} (x[i[b],c]-x[j[b],c])**2) - r[b])**2) + sum{t} ((sum{c} (x[p[t],c]-x[q[t],c])*(x[s[t],c]-x[q[t],c]))/sqrt((sum{c} (x[p[t],c]-x[q[t],c])**2)*sum{c} (x[s[t],c]-x[q[t],c])**2) - k[t])**2"
    )

    extents = {"n": (6, 10000), "b": (7, 10000), "t": (8, 20000)}
    reals = {"k": "t"}

    @staticmethod
    def others(rng, s, reals, indices):
        i = rng.integers(0, s.n, s.b)
        q = rng.integers(0, s.n, s.t)
        reals["x"] = rng.random((s.n, 3))
        reals["r"] = rng.random(s.b)
        indices["i"] = i
        indices["j"] = (i + 1 + rng.integers(0, s.n - 1, s.b)) % s.n
        indices["p"] = (q + 1 + rng.integers(0, s.n - 1, s.t)) % s.n
        indices["q"] = q
        indices["s"] = (q + 1 + rng.integers(0, s.n - 1, s.t)) % s.n

    @staticmethod
    def in_torch(a):
        d = torch.sqrt(((a.x[a.i] - a.x[a.j]) ** 2).sum(1))
        u = a.x[a.p] - a.x[a.q]
        v = a.x[a.s] - a.x[a.q]
        return ((d - a.r) ** 2).sum() + (
            ((u * v).sum(1) / torch.sqrt((u**2).sum(1) * (v**2).sum(1)) - a.k) ** 2
        ).sum()


class GraphLaplacianEnergy(Kind):
    name = "graph Laplacian energy"
    text = "l = 0.5*sum{e,c} w[e]*(x[src[e],c]-x[dst[e],c])**2"

    extents = {"n": (5, 20000), "e": (12, 200000), "c": (2, 8)}
    reals = {"x": "n c"}
    indices = {"src": "e < n", "dst": "e < n"}

    @staticmethod
    def others(rng, s, reals, indices):
        reals["w"] = rng.random(s.e)

    @staticmethod
    def in_torch(a):
        return 0.5 * (a.w[:, None] * (a.x[a.src] - a.x[a.dst]) ** 2).sum()


class GraphsageMeanLayer(Kind):
    name = "GraphSAGE mean layer"
    text = (
        "size N\n"
        "input x[N,C]\n"
        "d[i: N] = max(1, sum{e | dst[e] = i} 1)\n"
        "a[i: N,c] = (sum{e | dst[e] = i} x[src[e],c])/d[i]\n"
        "y[i,o] = relu((sum{c} V[o,c]*x[i,c]) + sum{c} W[o,c]*a[i,c])\n"
        "output y"
    )

    extents = {"n": (5, 10000), "e": (12, 100000), "c": (3, 32), "o": (4, 32)}
    reals = {"x": "n c", "V": "o c", "W": "o c"}
    indices = {"src": "e < n", "dst": "e < n"}

    @staticmethod
    def in_torch(a):
        n = a.x.shape[0]
        d = added(n, a.dst, torch.ones(len(a.dst), dtype=a.x.dtype)).clamp(min=1)
        return F.relu(a.x @ a.V.T + (added(n, a.dst, a.x[a.src]) / d[:, None]) @ a.W.T)


class NnconvMatricesByEdgeType(Kind):
    name = "NNConv: matrices by edge type"
    text = (
        "size N\n"
        "input x[N,C], typ[E]: index, src[E]: index, dst[E]: index, W[R,O,C]\n"
        "y[i: N,o] = sum{e | dst[e] = i} sum{c} W[typ[e],o,c]*x[src[e],c]"
    )

    extents = {"n": (5, 5000), "e": (12, 50000), "c": (3, 16), "o": (4, 16), "R": (2, 8)}
    reals = {"x": "n c", "W": "R o c"}
    indices = {"typ": "e < R", "src": "e < n", "dst": "e < n"}

    @staticmethod
    def in_torch(a):
        y = torch.zeros(a.x.shape[0], a.W.shape[1], dtype=a.x.dtype)
        for t in range(a.W.shape[0]):
            e = torch.where(a.typ == t)[0]
            y = y.index_add(0, a.dst[e], a.x[a.src[e]] @ a.W[t].T)
        return y


KINDS = tuple(Kind.__subclasses__())
