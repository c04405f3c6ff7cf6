"""Formulas that take tensors apart, run along an index, or choose: further kinds of `cpu_kinds.py`."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from cpu_kind import Kind

__all__ = ["RESHAPED"]


def powers(base: float, n: int) -> torch.Tensor:
    """`base**(i - j)` where `j <= i`, else 0."""
    i = torch.arange(n)
    apart = i[:, None] - i[None]
    return torch.where(apart >= 0, base ** apart.clamp(0), torch.tensor(0.0))


def haar(x: torch.Tensor) -> torch.Tensor:
    a, b = x[:, 0::2], x[:, 1::2]
    return torch.stack([a + b, a - b], 1)


def butterfly(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    y = x.reshape(x.shape[0], 32, 2, 16)
    return torch.stack([y[:, :, 0] + w * y[:, :, 1], y[:, :, 0] - w * y[:, :, 1]], 2).reshape(
        x.shape
    )


def windows(x: torch.Tensor) -> torch.Tensor:
    n, h, w, c = x.shape
    parts = x.reshape(n, h // 8, 8, w // 8, 8, c).permute(0, 1, 3, 2, 4, 5)
    return parts.reshape(n, h // 8, w // 8, 64, c)


def up_sampled(x: torch.Tensor) -> torch.Tensor:
    one, two = (torch.arange(128) + 1) // 2, (torch.arange(128) + 2) // 2
    return 0.5 * (0.75 * x[:, one] + 0.25 * x[:, one + 1])[:, :, one] + 0.5 * x[:, two][:, :, two]


def lstm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    i, f, g, o = (x @ w + b).chunk(4, 1)
    state = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(state)


def relative(q: torch.Tensor, r: torch.Tensor) -> torch.Tensor:
    i = torch.arange(len(q))
    return (q @ r.T).gather(1, len(q) - 1 + i[None] - i[:, None])


def rotated(x: torch.Tensor, g: torch.Tensor, c: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    z = x * torch.rsqrt((x**2).mean(-1, keepdim=True) + 1e-6) * g
    turned = torch.cat([-z[..., 32:], z[..., :32]], -1)
    return z * c.repeat(1, 2)[:, None] + turned * s.repeat(1, 2)[:, None]


# fmt: off
RESHAPED = [
    Kind(
        "pixel shuffle",
        "size N, C\n"
        "input x[N,4*C,64,64]\n"
        "y[n,c: C,i: 128,j: 128] = x[n,4*c + 2*(i%2) + j%2,i//2,j//2]",
        ((4, 32, 64, 64),),
        lambda x: F.pixel_shuffle(x, 2),
    ),
    Kind(
        "pixel unshuffle",
        "size N, C\n"
        "input x[N,C,128,128]\n"
        "y[n,k: 4*C,i: 64,j: 64] = x[n,k//4,2*i + (k//2)%2,2*j + k%2]",
        ((4, 8, 128, 128),),
        lambda x: F.pixel_unshuffle(x, 2),
    ),
    Kind(
        "channel shuffle",
        "size N, L\n"
        "input x[N,32,L]\n"
        "y[n,c: 32,l] = x[n,8*(c%4) + c//4,l]",
        ((16, 32, 1024),),
        lambda x: x.reshape(16, 4, 8, 1024).transpose(1, 2).reshape(16, 32, 1024),
    ),
    Kind(
        "patch embedding",
        "size N, D\n"
        "input x[N,3,64,64], w[D,3,8,8], b[D]\n"
        "y[n,d,p: 8,q: 8] = b[d] + sum{c, i, j} x[n,c,8*p+i,8*q+j]*w[d,c,i,j]",
        ((16, 3, 64, 64), (96, 3, 8, 8), (96,)),
        lambda x, w, b: F.conv2d(x, w, b, stride=8),
        scale=0.5,
    ),
    Kind(
        "window partition",
        "size N, C\n"
        "input x[N,64,64,C]\n"
        "y[n,p: 8,q: 8,k: 64,c] = x[n,8*p + k//8,8*q + k%8,c]",
        ((4, 64, 64, 32),),
        windows,
    ),
    Kind(
        "bilinear up-sampling by phases",
        "size N\n"
        "input x[N,66,66]\n"
        "y[n,i: 128,j: 128] = (0.75*x[n,(i+1)//2,(j+1)//2] + 0.25*x[n,(i+1)//2 + 1,(j+1)//2])*0.5 + x[n,(i+2)//2,(j+2)//2]*0.5",
        ((16, 66, 66),),
        up_sampled,
    ),
    Kind(
        "Haar step",
        "size N, M\n"
        "input x[N,2*M]\n"
        "y[n,s: 2,i: M] = x[n,2*i] + (1 - 2*s)*x[n,2*i+1]",
        ((512, 2048),),
        haar,
    ),
    Kind(
        "butterfly",
        "size N\n"
        "input x[N,1024], w[16]\n"
        "y[n,k: 1024] = x[n,32*(k//32) + k%16] + (1 - 2*((k//16)%2))*w[k%16]*x[n,32*(k//32) + 16 + k%16]",
        ((512, 1024), (16,)),
        butterfly,
    ),
    Kind(
        "Kronecker product",
        "input a[40,30], b[24,32]\n"
        "y[i: 960,j: 960] = a[i//24,j//32]*b[i%24,j%32]",
        ((40, 30), (24, 32)),
        lambda a, b: torch.kron(a, b),
    ),
    Kind(
        "block diagonal product",
        "size N\n"
        "input w[8,64,64], x[N,512]\n"
        "y[n,j: 512] = sum{k} w[j//64,k,j%64]*x[n,64*(j//64) + k]",
        ((8, 64, 64), (512, 512)),
        lambda w, x: torch.einsum('gkj,ngk->ngj', w, x.reshape(512, 8, 64)).reshape(512, 512),
        scale=0.5,
    ),
    Kind(
        "scales of groups of channels",
        "size N\n"
        "input x[N,512], g[8]\n"
        "y[n,c: 512] = x[n,c]*g[c//64]",
        ((512, 512), (8,)),
        lambda x, g: x * g.repeat_interleave(64),
    ),
    Kind(
        "LSTM cell",
        "size N, D\n"
        "input x[N,D], w[D,512], b[512], c[N,128]\n"
        "p[n,g: 4,k: 128] = sum{d} x[n,d]*w[d,128*g+k] + b[128*g+k]\n"
        "s[n,k] = sigmoid(p[n,1,k])*c[n,k] + sigmoid(p[n,0,k])*tanh(p[n,2,k])\n"
        "h[n,k] = sigmoid(p[n,3,k])*tanh(s[n,k])\n"
        "output h",
        ((256, 256), (256, 512), (512,), (256, 128)),
        lstm,
        scale=0.3,
        tolerance=0.0002,
    ),
    Kind(
        "scores of packed heads",
        "size N, E\n"
        "input x[N,E], w[E,192], k[N,3,64]\n"
        "output s\n"
        "q[n,h: 3,d: 64] = sum{e} x[n,e]*w[e,64*h+d]\n"
        "s[h,i: N,j: N] = tanh(sum{d} q[i,h,d]*k[j,h,d])",
        ((256, 192), (192, 192), (256, 3, 64)),
        lambda x, w, k: torch.tanh(torch.einsum('ihd,jhd->hij', (x @ w).reshape(256, 3, 64), k)),
        scale=0.3,
        tolerance=0.0002,
    ),
    Kind(
        "circulant product",
        "size N, B\n"
        "input c[N], x[B,N]\n"
        "y[b,i: N] = sum{k} c[wrap(i-k)]*x[b,k]",
        ((512,), (64, 512)),
        lambda c, x: x @ c[(torch.arange(512)[None] - torch.arange(512)[:, None]) % 512],
    ),
    Kind(
        "product with a symmetric Toeplitz matrix",
        "size N, B\n"
        "input t[N], x[B,N]\n"
        "y[b,i: N] = sum{j} t[abs(i-j)]*x[b,j]",
        ((512,), (64, 512)),
        lambda t, x: x @ t[(torch.arange(512)[:, None] - torch.arange(512)[None]).abs()],
    ),
    Kind(
        "reversed prefix sums",
        "size N, M\n"
        "input x[N,M]\n"
        "y[n,i: M] = sum{k=i..M-1} x[n,k]",
        ((512, 1024),),
        lambda x: x.flip(1).cumsum(1).flip(1),
    ),
    Kind(
        "discounted returns",
        "size N, M\n"
        "input r[N,M]\n"
        "y[n,i: M] = sum{k=i..M-1} 0.9**(k-i)*r[n,k]",
        ((128, 256),),
        lambda r: r @ powers(0.9, 256),
    ),
    Kind(
        "moving averages of columns",
        "size T, C\n"
        "input x[T,C]\n"
        "y[t: T,c] = sum{s=0..t} 0.1*0.9**(t-s)*x[s,c]",
        ((512, 256),),
        lambda x: (0.1 * powers(0.9, 512)) @ x,
    ),
    Kind(
        "retention",
        "size H, N, D\n"
        "input q[H,N,D], k[H,N,D], v[H,N,D]\n"
        "o[h,i,d] = sum{j | j <= i} 0.97**(i-j)*(sum{e} q[h,i,e]*k[h,j,e])*v[h,j,d]",
        ((4, 256, 32),) * 3,
        lambda q, k, v: q @ k.transpose(1, 2) * powers(0.97, 256) @ v,
        scale=0.5,
    ),
    Kind(
        "lower triangle times a matrix",
        "size N, M\n"
        "input a[N,N], b[N,M]\n"
        "y[i,j] = sum{k | k <= i} a[i,k]*b[k,j]",
        ((384, 384), (384, 256)),
        lambda a, b: torch.tril(a) @ b,
        scale=0.5,
    ),
    Kind(
        "quadratic forms",
        "size B, N\n"
        "input x[B,N], a[N,N]\n"
        "q[b] = sum{i, j} x[b,i]*a[i,j]*x[b,j]",
        ((512, 128), (128, 128)),
        lambda x, a: (x @ a * x).sum(1),
        scale=0.5,
    ),
    Kind(
        "Mahalanobis distances",
        "size B, K, N\n"
        "input x[B,N], m[K,N], a[K,N,N]\n"
        "q[b,k] = sum{i, j} (x[b,i]-m[k,i])*a[k,i,j]*(x[b,j]-m[k,j])",
        ((256, 16), (16, 16), (16, 16, 16)),
        lambda x, m, a: torch.einsum('bki,kij,bkj->bk', x[:, None] - m[None], a, x[:, None] - m[None]),
    ),
    Kind(
        "trace of a product",
        "size B, N\n"
        "input a[B,N,N], b[B,N,N]\n"
        "t[n] = sum{i, j} a[n,i,j]*b[n,j,i]",
        ((256, 64, 64), (256, 64, 64)),
        lambda a, b: (a * b.transpose(1, 2)).sum((1, 2)),
    ),
    Kind(
        "scores by relative position",
        "size N, D\n"
        "input q[N,D], r[2*N-1,D]\n"
        "s[i,j: N] = sum{d} q[i,d]*r[N-1+j-i,d]",
        ((256, 64), (511, 64)),
        relative,
        scale=0.5,
    ),
    Kind(
        "scores with a bias by distance",
        "size H, N, D\n"
        "input q[H,N,D], k[H,N,D], t[H,32]\n"
        "s[h,i,j] = sum{d} q[h,i,d]*k[h,j,d] + t[h,min(abs(i-j)//8, 31)]",
        ((4, 256, 32), (4, 256, 32), (4, 32)),
        lambda q, k, t: q @ k.transpose(1, 2) + t[:, ((torch.arange(256)[:, None] - torch.arange(256)[None]).abs() // 8).clamp(max=31)],
        scale=0.5,
    ),
    Kind(
        "soft histogram",
        "size B, N, K\n"
        "input x[B,N], c[K]\n"
        "h[b,k] = mean{n} exp(-50*(x[b,n]-c[k])**2)",
        ((16, 2048), (32,)),
        lambda x, c: torch.exp(-50 * (x[:, :, None] - c) ** 2).mean(1),
    ),
    Kind(
        "hinge loss of pairs",
        "size N\n"
        "input s[N], t[N]\n"
        "l = mean{i, j | i < j} max(0, 1 - (s[i]-s[j])*(t[i]-t[j]))",
        ((1000,), (1000,)),
        lambda s, t: torch.triu(torch.relu(1 - (s[:, None] - s) * (t[:, None] - t)), 1).sum() / (1000 * 999 / 2),
        tolerance=0.001,
    ),
    Kind(
        "max-plus product",
        "size N, M, K\n"
        "input a[N,K], b[K,M]\n"
        "c[i,j] = max{k} (a[i,k] + b[k,j])",
        ((200, 200), (200, 200)),
        lambda a, b: (a[:, :, None] + b[None]).amax(1),
    ),
    Kind(
        "log-sum-exp product",
        "size N, M, K\n"
        "input a[N,K], b[K,M]\n"
        "c[i,j] = logsumexp{k} (a[i,k] + b[k,j])",
        ((128, 128), (128, 128)),
        lambda a, b: torch.logsumexp(a[:, :, None] + b[None], 1),
    ),
    Kind(
        "Chamfer distance",
        "size N, M\n"
        "input x[N,3], y[M,3]\n"
        "l = mean{i} min{j} sum{k} (x[i,k]-y[j,k])**2 + mean{j} min{i} sum{k} (x[i,k]-y[j,k])**2",
        ((1000, 3), (1000, 3)),
        lambda x, y: (lambda d: d.amin(1).mean() + d.amin(0).mean())(((x[:, None] - y[None]) ** 2).sum(-1)),
        tolerance=0.001,
    ),
    Kind(
        "style loss",
        "size C, L\n"
        "input x[C,L], g[C,C]\n"
        "l = sum{a, b} (sum{i} x[a,i]*x[b,i]/L - g[a,b])**2",
        ((64, 3136), (64, 64)),
        lambda x, g: ((x @ x.T / 3136 - g) ** 2).sum(),
        tolerance=0.001,
    ),
    Kind(
        "normalised adjacency",
        "size N, D\n"
        "input a[N,N], x[N,D]\n"
        "d[i] = sum{j} a[i,j]**2\n"
        "y[i,c] = sum{j} a[i,j]/sqrt(d[i]*d[j])*x[j,c]",
        ((512, 512), (512, 64)),
        lambda a, x: (lambda d: a / torch.sqrt(d[:, None] * d[None]) @ x)((a ** 2).sum(1)),
    ),
    Kind(
        "Cox partial likelihood",
        "size N\n"
        "input h[N]\n"
        "l = -mean{i} (h[i] - logsumexp{j | j >= i} h[j])",
        ((20000,),),
        lambda h: -(h - h.flip(0).logcumsumexp(0).flip(0)).mean(),
        tolerance=0.001,
    ),
    Kind(
        "Savitzky-Golay",
        "size B, N\n"
        "input x[B,N], c[9]\n"
        "y[b,i: N] = sum{k} c[k]*x[b,clamp(i+k-4)]",
        ((256, 2048), (9,)),
        lambda x, c: F.conv1d(F.pad(x[:, None], (4, 4), mode='replicate'), c[None, None])[:, 0],
    ),
    Kind(
        "max of windows with stride 2",
        "size N, C\n"
        "input x[N,C,112,112]\n"
        "y[n,c,i: 55,j: 55] = max{u: 3, v: 3} x[n,c,2*i+u,2*j+v]",
        ((4, 16, 112, 112),),
        lambda x: F.max_pool2d(x, 3, 2),
    ),
    Kind(
        "quaternion rotation",
        "size N\n"
        "input q[N,4], v[N,3]\n"
        "t[n,i: 3] = 2*(q[n,1+(i+1)%3]*v[n,(i+2)%3] - q[n,1+(i+2)%3]*v[n,(i+1)%3])\n"
        "y[n,i: 3] = v[n,i] + q[n,0]*t[n,i] + q[n,1+(i+1)%3]*t[n,(i+2)%3] - q[n,1+(i+2)%3]*t[n,(i+1)%3]",
        ((100000, 4), (100000, 3)),
        lambda q, v: (lambda t: v + q[:, :1] * t + torch.cross(q[:, 1:], t, dim=1))(2 * torch.cross(q[:, 1:], v, dim=1)),
    ),
    Kind(
        "complex multiply",
        "size N\n"
        "input a[N,2], b[N,2]\n"
        "c[n,r: 2] = if r = 0 then a[n,0]*b[n,0] - a[n,1]*b[n,1] else a[n,0]*b[n,1] + a[n,1]*b[n,0]",
        ((500000, 2),) * 2,
        lambda a, b: torch.view_as_real(torch.view_as_complex(a) * torch.view_as_complex(b)),
    ),
    Kind(
        "RMS norm, then rotary position",
        "size B, H\n"
        "input x[B,H,64], g[64], c[B,32], s[B,32]\n"
        "r[b,h] = sqrt(mean{d} x[b,h,d]**2 + 1e-6)\n"
        "z[b,h,d] = x[b,h,d]/r[b,h]*g[d]\n"
        "y[b,h,d: 64] = z[b,h,d]*c[b,d%32] + (if d < 32 then -z[b,h,min(d+32,63)] else z[b,h,max(d-32,0)])*s[b,d%32]",
        ((512, 16, 64), (64,), (512, 32), (512, 32)),
        rotated,
    ),
    Kind(
        "gated unit, SwiGLU",
        "size N, D\n"
        "input x[N,D], w[D,512]\n"
        "p[n,j: 512] = sum{d} x[n,d]*w[d,j]\n"
        "y[n,k: 256] = p[n,k]*sigmoid(p[n,k])*p[n,k+256]",
        ((256, 256), (256, 512)),
        lambda x, w: (lambda p: F.silu(p[:, :256]) * p[:, 256:])(x @ w),
        scale=0.3,
    ),
    Kind(
        "grouped-query attention scores",
        "size N\n"
        "input q[N,8,32], k[N,2,32]\n"
        "s[h: 8,i: N,j: N] = sum{d} q[i,h,d]*k[j,h//4,d]",
        ((256, 8, 32), (256, 2, 32)),
        lambda q, k: torch.einsum('ihd,jhd->hij', q, k.repeat_interleave(4, 1)),
        scale=0.5,
    ),
    Kind(
        "mixture of experts",
        "size N, D, E, O\n"
        "input x[N,D], g[N,E], w[E,D,O]\n"
        "y[n,o] = sum{e} g[n,e]*sum{d} x[n,d]*w[e,d,o]",
        ((256, 64), (256, 4), (4, 64, 64)),
        lambda x, g, w: torch.einsum('ne,nd,edo->no', g, x, w),
        scale=0.5,
    ),
    Kind(
        "redundancy of two views",
        "size N, D\n"
        "input a[N,D], b[N,D]\n"
        "c[i,j] = sum{n} a[n,i]*b[n,j]/N\n"
        "l = sum{i} (1-c[i,i])**2 + 0.005*(sum{i, j | i < j} c[i,j]**2 + sum{i, j | i > j} c[i,j]**2)",
        ((512, 128), (512, 128)),
        lambda a, b: (lambda c: ((1 - c.diagonal()) ** 2).sum() + 0.005 * ((c ** 2).sum() - (c.diagonal() ** 2).sum()))(a.T @ b / 512),
        tolerance=0.001,
    ),
]
# fmt: on
