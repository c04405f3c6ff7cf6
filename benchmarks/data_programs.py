"""Usual programs over data, from many fields, that tadc and PyTorch compute: each as one writes it in either."""
# ruff: noqa: N806, E741 (letters as in formulas)

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
import torch
import torch.nn.functional as F  # noqa: N812

__all__ = ["KINDS", "Kind"]


class Kind:
    """A program: `arrays` are its reals, its index tensors and its sizes, large ones to be timed; `in_torch` computes the same of all
    of them, where a sparse operand `A` is `A_val`, `A_0`, ..
    """

    name: ClassVar[str]
    text: ClassVar[str]

    @staticmethod
    def arrays(
        rng: np.random.Generator, large: bool
    ) -> tuple[dict[str, Any], dict[str, np.ndarray], dict[str, int]]:
        raise NotImplementedError

    @staticmethod
    def in_torch(a: SimpleNamespace) -> torch.Tensor | tuple[torch.Tensor, ...]:
        raise NotImplementedError


def reals(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.random(shape) * 2 - 1


def edges(rng: np.random.Generator, nodes: int, count: int) -> dict[str, np.ndarray]:
    return {"src": rng.integers(0, nodes, count), "dst": rng.integers(0, nodes, count)}


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

    @staticmethod
    def arrays(rng, large):
        n, e, c, h = (5, 30, 3, 4) if not large else (5000, 50000, 16, 16)
        g = edges(rng, n, e)
        g["dst"] = rng.permutation(np.r_[np.arange(n), rng.integers(0, n, e - n)])
        return {"x": reals(rng, n, c), "P": reals(rng, h, c), "Q": reals(rng, h, c)}, g, {"N": n}

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

    @staticmethod
    def arrays(rng, large):
        n, e, c, h = (5, 30, 3, 4) if not large else (5000, 50000, 16, 16)
        return (
            {
                "x": reals(rng, n, c),
                "P": reals(rng, h, c),
                "Q": reals(rng, h, c),
                "R": reals(rng, h, h),
            },
            edges(rng, n, e),
            {"N": n},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, e, c, h = (5, 30, 3, 4) if not large else (5000, 50000, 16, 16)
        return (
            {"x": reals(rng, n, c), "P": reals(rng, h, c), "Q": reals(rng, h, c)},
            edges(rng, n, e),
            {"N": n},
        )

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

    @staticmethod
    def arrays(rng, large):
        p, b = (20, 8) if not large else (200000, 256)
        return {"u": 2 + rng.random(p) * (b - 5)}, {}, {"B": b}

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

    @staticmethod
    def arrays(rng, large):
        n, t = (3, 6) if not large else (64, 256)
        return (
            {x: reals(rng, n, 16, 16) for x in "qkv"},
            {
                "row": np.sort(np.r_[np.arange(n), rng.integers(0, n, t - n)]),
                "col": rng.integers(0, n, t),
            },
            {"N": n},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, e, c = (5, 30, 3) if not large else (10000, 100000, 16)
        return (
            {"s": reals(rng, n), "t": reals(rng, n), "x": reals(rng, n, c)},
            edges(rng, n, e),
            {"N": n},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, e, b, c = (5, 30, 7, 3) if not large else (20000, 200000, 4000, 16)
        return (
            {"x": reals(rng, n, c)},
            {
                "off": np.r_[0, np.sort(rng.integers(0, e + 1, b - 1)), e],
                "k": rng.integers(0, n, e),
            },
            {"B": b},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, m, e, c = (6, 4, 12, 3) if not large else (10000, 2000, 50000, 16)
        p = rng.choice(n * m, e, replace=False)
        A = scipy.sparse.coo_array((rng.random(e), (p // m, p % m)), shape=(n, m))
        return {"A": A, "x": reals(rng, n, c), "w": rng.random(m), "d": 1 + rng.random(m)}, {}, {}

    @staticmethod
    def in_torch(a):
        z = added(a.d.shape[0], a.A_1, a.A_val[:, None] * a.x[a.A_0]) / a.d[:, None]
        return added(a.x.shape[0], a.A_0, a.A_val[:, None] * (a.w[:, None] * z)[a.A_1])


class TripletLoss(Kind):
    name = "triplet loss"
    text = (
        "l = sum{t} relu(1 + sum{c} (x[an[t],c]-x[po[t],c])**2 - sum{c} (x[an[t],c]-x[ne[t],c])**2)"
    )

    @staticmethod
    def arrays(rng, large):
        n, t, c = (6, 12, 3) if not large else (5000, 50000, 32)
        return {"x": reals(rng, n, c)}, {k: rng.integers(0, n, t) for k in ("an", "po", "ne")}, {}

    @staticmethod
    def in_torch(a):
        return F.relu(
            1 + ((a.x[a.an] - a.x[a.po]) ** 2).sum(1) - ((a.x[a.an] - a.x[a.ne]) ** 2).sum(1)
        ).sum()


class KNNSmoothing(Kind):
    name = "k-NN smoothing"
    text = "size N,K\ninput nn[N,K]: index\ny[i,c] = (sum{k} w[i,k]*x[nn[i,k],c])/(sum{k} w[i,k])"

    @staticmethod
    def arrays(rng, large):
        n, k, c = (6, 3, 3) if not large else (20000, 8, 16)
        return (
            {"x": reals(rng, n, c), "w": rng.random((n, k)) + 0.1},
            {"nn": rng.integers(0, n, (n, k))},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        b, l, t = (4, 5, 3) if not large else (500, 60, 20)
        return (
            {"em": reals(rng, b, l, t), "tr": reals(rng, t, t)},
            {"tag": rng.integers(0, t, (b, l)), "len": rng.integers(1, l + 1, b)},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, m, d = (5, 2, 3) if not large else (20000, 8, 8)
        return (
            {"book": reals(rng, m, 256, d), "g": reals(rng, m)},
            {"code": rng.integers(0, 256, (n, m)).astype(np.uint8)},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        l, p, t, f = (2, 5, 7, 2) if not large else (8, 10000, 4096, 2)
        return (
            {"g": reals(rng, l, t, f), "u": rng.random((l, p, 3))},
            {"h": rng.integers(0, t, (l, p, 8))},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        b, e, c = (3, 12, 2) if not large else (4000, 100000, 16)
        return (
            {"x": reals(rng, e, c)},
            {"ptr": np.r_[0, np.sort(rng.choice(np.arange(1, e), b - 1, replace=False)), e]},
            {"B": b},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, c = (7, 3) if not large else (50000, 8)
        par = np.array([-1] + [int(rng.integers(0, i)) for i in range(1, n)])
        return {"x": reals(rng, n, c), "w": reals(rng, n)}, {"par": par}, {}

    @staticmethod
    def in_torch(a):
        p = torch.where(a.par < 0, a.x.shape[0], a.par)

        def f(v):
            return a.x + added(a.x.shape[0] + 1, p, v * a.w[:, None])[:-1]

        return f(torch.tanh(f(a.x)))


class COOTensorTimesVector(Kind):
    name = "COO tensor times vector"
    text = "size I,J,K\ninput T[I,J,K]: coo\ny[i,j] = sum{k} T[i,j,k]*v[k]"

    @staticmethod
    def arrays(rng, large):
        i, j, k, e = (3, 4, 5, 15) if not large else (100, 100, 100, 50000)
        return (
            {
                "T": (
                    rng.random(e),
                    rng.integers(0, i, e),
                    rng.integers(0, j, e),
                    rng.integers(0, k, e),
                ),
                "v": reals(rng, k),
            },
            {},
            {"I": i, "J": j},
        )

    @staticmethod
    def in_torch(a):
        return added(a.I * a.J, a.T_0 * a.J + a.T_1, a.T_val * a.v[a.T_2]).reshape(a.I, a.J)


class MTTKRPOfCOO(Kind):
    name = "MTTKRP of COO"
    text = "size I,J,K\ninput T[I,J,K]: coo\nm[i,r] = sum{j,k} T[i,j,k]*B[j,r]*C[k,r]"

    @staticmethod
    def arrays(rng, large):
        i, j, k, e, R = (3, 4, 5, 15, 2) if not large else (300, 300, 300, 100000, 16)
        return (
            {
                "T": (
                    rng.random(e),
                    rng.integers(0, i, e),
                    rng.integers(0, j, e),
                    rng.integers(0, k, e),
                ),
                "B": reals(rng, j, R),
                "C": reals(rng, k, R),
            },
            {},
            {"I": i},
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

    @staticmethod
    def arrays(rng, large):
        t, e, d, h = (6, 3, 4, 2) if not large else (2000, 8, 32, 32)
        return (
            {"g": rng.random((t, 2)), "W": reals(rng, e, h, d), "x": reals(rng, t, d)},
            {"ex": rng.integers(0, e, (t, 2))},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        p, h, w, c = (9, 4, 5, 2) if not large else (50000, 128, 128, 8)
        return (
            {"u": rng.random(p), "v": rng.random(p), "z": reals(rng, h, w, c)},
            {"r": rng.integers(0, h - 1, p), "s": rng.integers(0, w - 1, p)},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        b, k, d, v = (2, 3, 4, 7) if not large else (256, 8, 64, 5000)
        return (
            {"h": reals(rng, b, k, d), "e": reals(rng, v, d)},
            {"bm": rng.integers(0, k, (b, k)), "tok": rng.integers(0, v, (b, k))},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, m, c = (5, 12, 2) if not large else (20000, 60000, 5)
        return (
            {"A": rng.random(m), "q": reals(rng, n, c), "v": reals(rng, m), "V": 1 + rng.random(n)},
            {"a": rng.integers(0, n, m), "b": rng.integers(0, n, m)},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, k = (5, 3) if not large else (4000, 20)
        return (
            {"x": rng.random((n, 3)), "m": 1 + rng.random(n)},
            {
                "p": np.r_[np.arange(n), rng.integers(0, n, n * k)],
                "q": np.r_[np.arange(n), rng.integers(0, n, n * k)],
            },
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, e = (5, 12) if not large else (5000, 40000)
        i = rng.integers(0, n, e)
        j = (i + 1 + rng.integers(0, n - 1, e)) % n
        return {"x": rng.random((n, 3)), "R": 0.3 + rng.random(n)}, {"i": i, "j": j}, {}

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

    @staticmethod
    def arrays(rng, large):
        n, e = (5, 12) if not large else (100000, 500000)
        return {"x": rng.random(n), "deg": 1 + rng.random(n)}, edges(rng, n, e), {}

    @staticmethod
    def in_torch(a):
        return 0.15 / a.x.shape[0] + 0.85 * added(a.x.shape[0], a.dst, a.x[a.src] / a.deg[a.src])


class TranseLoss(Kind):
    name = "TransE loss"
    text = "l = mean{t} relu(0.5 + (sum{c} abs(E[h[t],c]+R[r[t],c]-E[o[t],c])) - sum{c} abs(E[n[t],c]+R[r[t],c]-E[o[t],c]))"

    @staticmethod
    def arrays(rng, large):
        n, k, t, c = (6, 2, 9, 3) if not large else (10000, 50, 20000, 32)
        return (
            {"E": reals(rng, n, c), "R": reals(rng, k, c)},
            {
                "h": rng.integers(0, n, t),
                "r": rng.integers(0, k, t),
                "o": rng.integers(0, n, t),
                "n": rng.integers(0, n, t),
            },
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, m, t, c = (4, 6, 9, 3) if not large else (5000, 10000, 50000, 32)
        return (
            {"P": reals(rng, n, c), "Q": reals(rng, m, c), "b": reals(rng, m)},
            {"u": rng.integers(0, n, t), "i": rng.integers(0, m, t), "j": rng.integers(0, m, t)},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        b, p, c, k, o = (3, 12, 2, 4, 2) if not large else (500, 50000, 8, 16, 8)
        return (
            {"x": reals(rng, p, c), "W": reals(rng, k, c), "V": reals(rng, o, k)},
            {"seg": np.sort(rng.integers(0, b, p))},
            {"B": b},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, e, d, c = (4, 9, 3, 2) if not large else (5000, 50000, 16, 16)
        rows = np.sort(np.r_[np.arange(n), rng.integers(0, n, e - n)])
        return (
            {"q": reals(rng, n, d), "k": reals(rng, n, d), "v": reals(rng, n, c)},
            {"ptr": np.searchsorted(rows, np.arange(n + 1)), "col": rng.integers(0, n, e)},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        p, b, c = (12, 3, 2) if not large else (50000, 500, 16)
        return (
            {"w": reals(rng, 5), "x": reals(rng, p, c)},
            {"row": np.sort(rng.integers(0, b, p))},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, c = (6, 2) if not large else (100000, 8)
        return {"x": reals(rng, n, c), "s": reals(rng, n)}, {"p": rng.permutation(n)}, {}

    @staticmethod
    def in_torch(a):
        return added(a.x.shape[0], a.p, (a.x[a.p] * a.s[:, None]) ** 2)


class LabelSmoothing(Kind):
    name = "label smoothing"
    text = "l = mean{i} ((logsumexp{c} z[i,c]) - 0.9*z[i,t[i]] - 0.1*mean{c} z[i,c])"

    @staticmethod
    def arrays(rng, large):
        n, c = (6, 4) if not large else (5000, 1000)
        return {"z": reals(rng, n, c)}, {"t": rng.integers(0, c, n)}, {}

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

    @staticmethod
    def arrays(rng, large):
        b, l, d, m = (3, 4, 2, 6) if not large else (64, 128, 64, 512)
        return (
            {"x": reals(rng, b, l, d), "e": reals(rng, m, d)},
            {"off": rng.integers(-2, m, b)},
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, c, o = (6, 2, 3) if not large else (3000, 16, 16)
        nb = rng.integers(-n, n, (n, 27))
        nb[nb < 0] = -1
        return {"x": reals(rng, n, c), "w": reals(rng, 27, o, c)}, {"nb": nb}, {}

    @staticmethod
    def in_torch(a):
        x = torch.cat([a.x, torch.zeros(1, a.x.shape[1], dtype=a.x.dtype)])
        g = x[torch.where(a.nb < 0, a.x.shape[0], a.nb)]
        return torch.einsum("nkc,koc->no", g, a.w)


class ScalarSegmentSums(Kind):
    name = "scalar segment sums"
    text = "size N\ns[i: N] = sum{e | k[e] = i} u[e]*v[e]"

    @staticmethod
    def arrays(rng, large):
        n, e = (4, 9) if not large else (10000, 300000)
        return {"u": reals(rng, e), "v": reals(rng, e)}, {"k": rng.integers(0, n, e)}, {"N": n}

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

    @staticmethod
    def arrays(rng, large):
        n, e = (4, 9) if not large else (10000, 300000)
        return {"u": reals(rng, e)}, {"k": rng.integers(0, n, e)}, {"N": n}

    @staticmethod
    def in_torch(a):
        c = added(a.N, a.k, torch.ones_like(a.u)).clamp(min=1)
        m = added(a.N, a.k, a.u) / c
        return added(a.N, a.k, (a.u - m[a.k]) ** 2) / c


class DistmultScoresOfAllTails(Kind):
    name = "DistMult scores of all tails"
    text = "size N,D\ns[b,n] = sum{d} E[h[b],d]*R[r[b],d]*E[n,d]\ninput E[N,D]"

    @staticmethod
    def arrays(rng, large):
        n, k, b, d = (6, 2, 4, 3) if not large else (5000, 20, 128, 32)
        return (
            {"E": reals(rng, n, d), "R": reals(rng, k, d)},
            {"h": rng.integers(0, n, b), "r": rng.integers(0, k, b)},
            {},
        )

    @staticmethod
    def in_torch(a):
        return (a.E[a.h] * a.R[a.r]) @ a.E.T


class SkipGramWithNegatives(Kind):
    name = "skip-gram with negatives"
    text = "l = sum{t} (softplus(-sum{d} U[c[t],d]*V[o[t],d]) + sum{k} softplus(sum{d} U[c[t],d]*V[n[t,k],d]))"

    @staticmethod
    def arrays(rng, large):
        v, t, k, d = (6, 5, 3, 4) if not large else (10000, 5000, 5, 64)
        return (
            {"U": reals(rng, v, d), "V": reals(rng, v, d)},
            {
                "c": rng.integers(0, v, t),
                "o": rng.integers(0, v, t),
                "n": rng.integers(0, v, (t, k)),
            },
            {},
        )

    @staticmethod
    def in_torch(a):
        return (
            F.softplus(-(a.U[a.c] * a.V[a.o]).sum(1)).sum()
            + F.softplus((a.U[a.c][:, None] * a.V[a.n]).sum(2)).sum()
        )


class MatrixFactorizationWithBiases(Kind):
    name = "matrix factorization with biases"
    text = "l = sum{t} (y[t] - sum{d} P[u[t],d]*Q[i[t],d] - a[u[t]] - b[i[t]])**2"

    @staticmethod
    def arrays(rng, large):
        n, m, t, d = (4, 5, 12, 3) if not large else (2000, 3000, 100000, 16)
        return (
            {
                "y": reals(rng, t),
                "P": reals(rng, n, d),
                "Q": reals(rng, m, d),
                "a": reals(rng, n),
                "b": reals(rng, m),
            },
            {"u": rng.integers(0, n, t), "i": rng.integers(0, m, t)},
            {},
        )

    @staticmethod
    def in_torch(a):
        return ((a.y - (a.P[a.u] * a.Q[a.i]).sum(1) - a.a[a.u] - a.b[a.i]) ** 2).sum()


class BondEnergiesAndAngles(Kind):
    name = "bond energies and angles"
    text = (
        "input x[N,3]\n"
        "l = (sum{b} (sqrt(sum{c} (x[i[b],c]-x[j[b],c])**2) - r[b])**2) + sum{t} ((sum{c} (x[p[t],c]-x[q[t],c])*(x[s[t],c]-x[q[t],c]))/sqrt((sum{c} (x[p[t],c]-x[q[t],c])**2)*sum{c} (x[s[t],c]-x[q[t],c])**2) - k[t])**2"
    )

    @staticmethod
    def arrays(rng, large):
        n, b, t = (6, 7, 8) if not large else (10000, 10000, 20000)
        i = rng.integers(0, n, b)
        q = rng.integers(0, n, t)
        return (
            {"x": rng.random((n, 3)), "r": rng.random(b), "k": reals(rng, t)},
            {
                "i": i,
                "j": (i + 1 + rng.integers(0, n - 1, b)) % n,
                "p": (q + 1 + rng.integers(0, n - 1, t)) % n,
                "q": q,
                "s": (q + 1 + rng.integers(0, n - 1, t)) % n,
            },
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, e, c = (5, 12, 2) if not large else (20000, 200000, 8)
        return {"w": rng.random(e), "x": reals(rng, n, c)}, edges(rng, n, e), {}

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

    @staticmethod
    def arrays(rng, large):
        n, e, c, o = (5, 12, 3, 4) if not large else (10000, 100000, 32, 32)
        return (
            {"x": reals(rng, n, c), "V": reals(rng, o, c), "W": reals(rng, o, c)},
            edges(rng, n, e),
            {},
        )

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

    @staticmethod
    def arrays(rng, large):
        n, e, c, o, R = (5, 12, 3, 4, 2) if not large else (5000, 50000, 16, 16, 8)
        return (
            {"x": reals(rng, n, c), "W": reals(rng, R, o, c)},
            dict(typ=rng.integers(0, R, e), **edges(rng, n, e)),
            {},
        )

    @staticmethod
    def in_torch(a):
        y = torch.zeros(a.x.shape[0], a.W.shape[1], dtype=a.x.dtype)
        for t in range(a.W.shape[0]):
            e = torch.where(a.typ == t)[0]
            y = y.index_add(0, a.dst[e], a.x[a.src[e]] @ a.W[t].T)
        return y


KINDS = tuple(Kind.__subclasses__())
