"""Further formulas of many kinds, beside the same in PyTorch: what `cpu_kinds.py` measures too."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from cpu_kind import Kind

__all__ = ["FURTHER"]


def bilateral(x: torch.Tensor) -> torch.Tensor:
    h, w = x.shape[1:]
    p = F.pad(x[:, None], (2, 2, 2, 2), mode="replicate")[:, 0]
    shifted = torch.stack([p[:, r : r + h, s : s + w] for r in range(5) for s in range(5)])
    weights = torch.exp(-4.0 * (shifted - x) ** 2)
    return (weights * shifted).sum(0) / weights.sum(0)


def structure_tensor(x: torch.Tensor) -> torch.Tensor:
    a = x[:, 2:, 1:-1] - x[:, :-2, 1:-1]
    b = x[:, 1:-1, 2:] - x[:, 1:-1, :-2]
    pooled = F.avg_pool2d(torch.stack([a * a, a * b, b * b], 1), 7, 1)
    return (pooled[:, 0] * pooled[:, 2] - pooled[:, 1] ** 2) / (pooled[:, 0] + pooled[:, 2] + 0.01)


def stokeslets(x: torch.Tensor, f: torch.Tensor) -> torch.Tensor:
    apart = x[:, None] - x[None]
    r = torch.rsqrt((apart**2).sum(-1) + 0.01)
    along = (apart * f[None]).sum(-1) * r**3
    return r @ f + (along[..., None] * apart).sum(1)


def structure_factor(x: torch.Tensor, k: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    angle = k @ x.T
    return (torch.cos(angle) @ q) ** 2 + (torch.sin(angle) @ q) ** 2


def harmonics(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    a, b, c = x.unbind(-1)
    basis = torch.stack([a, b, c, a * b, b * c, 3 * c * c - 1, a * c, a * a - b * b], -1)
    return (basis.transpose(1, 2) @ w).square().sum(1)


def info_nce(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    s = 10.0 * F.normalize(a, dim=1) @ F.normalize(b, dim=1).T
    return (torch.logsumexp(s, 1) - s.diagonal()).mean()


def keys_that_decay(k: torch.Tensor, v: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    at = torch.arange(k.shape[1], dtype=k.dtype)
    apart = at[:, None] - at[None]
    decay = torch.where(apart >= 0, 0.0, -torch.inf)[..., None] - apart.clamp(min=0)[..., None] * (
        1.1 + w
    )
    weights = torch.exp(k[:, None] + decay)
    return (weights * v[:, None]).sum(2) / weights.sum(2)


def reflected_blur(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.conv2d(F.pad(x[:, None], (3, 3, 3, 3), mode="reflect"), w[None, None])[:, 0]


def variable_laplacian(u: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    total = torch.zeros_like(u[1:-1, 1:-1, 1:-1])
    for d in range(3):
        for step in (1, -1):
            at = [slice(1, -1)] * 3
            at[d] = slice(2, None) if step == 1 else slice(0, -2)
            there, here = tuple(at), (slice(1, -1),) * 3
            total = total + 0.5 * (k[there] + k[here]) * (u[there] - u[here])
    return total


def shifted(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    h, width = x.shape[2:]
    p = F.pad(x, (1, 1, 1, 1))
    y = torch.empty_like(x)
    parts = []
    for c in range(9):
        parts.append(p[:, c::9, c // 3 : c // 3 + h, c % 3 : c % 3 + width])
    y = torch.stack([parts[c % 9][:, c // 9] for c in range(x.shape[1])], 1)
    return torch.einsum("nchw,oc->nohw", y, w)


def decay(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    power = torch.arange(n)[:, None] - torch.arange(n)[None]
    weights = torch.where(power >= 0, a[:, None, None] ** power.clamp(min=0), 0.0)
    return torch.einsum("cts,sc->tc", weights, x)


def focal(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    p = torch.sigmoid(x)
    right = t * p + (1 - t) * (1 - p)
    return -((1 - right) ** 2 * torch.log(right + 1e-6)).mean()


def dice(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    p = torch.softmax(x, 1)
    both = (p * t).sum((2, 3))
    return 1 - ((2 * both + 1) / (p.sum((2, 3)) + t.sum((2, 3)) + 1)).mean()


def ssim(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    a, b, aa, bb, ab = F.avg_pool2d(torch.stack([x, y, x * x, y * y, x * y], 1), 7, 1).unbind(1)
    over = (2 * a * b + 0.01) * (2 * (ab - a * b) + 0.03)
    return (over / ((a * a + b * b + 0.01) * (aa - a * a + bb - b * b + 0.03))).mean()


# fmt: off
def autocorrelation(x: torch.Tensor) -> torch.Tensor:
    d = x - x.mean(1, keepdim=True)
    lags = [(d[:, : d.shape[1] - k] * d[:, k:]).sum(1) for k in range(64)]
    return torch.stack(lags, 1) / (d * d).sum(1, keepdim=True)


def with_positions(x: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    angles = torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
    return x + torch.stack((angles.sin(), angles.cos()), 2).reshape(n, d)


FURTHER = [
    Kind(
        "convolution with normalised weights",
        "size N, C, O, L\n"
        "input x[N,C,L], v[O,C,5], g[O]\n"
        "z[o] = sum{c, r} v[o,c,r]**2\n"
        "y[n,o,i: L-4] = g[o]/sqrt(z[o] + 1e-6)*sum{c, r} x[n,c,i+r]*v[o,c,r]",
        ((8, 32, 516), (32, 32, 5), (32,)),
        lambda x, v, g: F.conv1d(x, v * (g * torch.rsqrt((v * v).sum((1, 2)) + 1e-6))[:, None, None]),
    ),
    Kind(
        "shifts by channel, then a product",
        "size N, C, O, H, W\n"
        "input x[N,C,H,W], w[O,C]\n"
        "t[n,c: C,i: H,j: W] = x[n,c,pad(i+c%9//3-1),pad(j+c%3-1)]\n"
        "y[n,o,i,j] = sum{c} t[n,c,i,j]*w[o,c]",
        ((4, 36, 56, 56), (32, 36)),
        shifted,
    ),
    Kind(
        "depthwise convolution of volumes",
        "size C, D, H, W\n"
        "input x[C,D,H,W], w[C,3,3,3]\n"
        "y[c,d: D,i: H,j: W] = sum{t, r, s} x[c,pad(d+t-1),pad(i+r-1),pad(j+s-1)]*w[c,t,r,s]",
        ((16, 20, 40, 40), (16, 3, 3, 3)),
        lambda x, w: F.conv3d(x[None], w[:, None], padding=1, groups=16)[0],
    ),
    Kind(
        "blur with a mirrored border",
        "size N, H, W\n"
        "input x[N,H,W], w[7,7]\n"
        "y[n,i: H,j: W] = sum{r, s} x[n,reflect(i+r-3),reflect(j+s-3)]*w[r,s]",
        ((16, 96, 96), (7, 7)),
        reflected_blur,
    ),
    Kind(
        "circular convolution of sequences",
        "size B, N\n"
        "input x[B,N], w[33]\n"
        "y[b,i: N] = sum{r} x[b,wrap(i+r-16)]*w[r]",
        ((64, 2000), (33,)),
        lambda x, w: F.conv1d(F.pad(x[:, None], (16, 16), mode="circular"), w[None, None])[:, 0],
    ),
    Kind(
        "tridiagonal products",
        "size B, N\n"
        "input x[B,N], l[N], d[N], u[N]\n"
        "y[b,i: N] = l[i]*x[b,pad(i-1)] + d[i]*x[b,i] + u[i]*x[b,pad(i+1)]",
        ((400, 2000), (2000,), (2000,), (2000,)),
        lambda x, low, d, up: d * x + F.pad(low[1:] * x[:, :-1], (1, 0)) + F.pad(up[:-1] * x[:, 1:], (0, 1)),
    ),
    Kind(
        "second differences, squared",
        "size B, N\n"
        "input x[B,N]\n"
        "e = sum{b, i: N-4} (x[b,i] - 4*x[b,i+1] + 6*x[b,i+2] - 4*x[b,i+3] + x[b,i+4])**2",
        ((400, 2000),),
        lambda x: (x[:, :-4] - 4 * x[:, 1:-3] + 6 * x[:, 2:-2] - 4 * x[:, 3:-1] + x[:, 4:]).square().sum(),
    ),
    Kind(
        "Laplacian of a volume with coefficients",
        "size N\n"
        "input u[N,N,N], k[N,N,N]\n"
        "v[i: N-2, j: N-2, l: N-2] = 0.5*((k[i+2,j+1,l+1]+k[i+1,j+1,l+1])*(u[i+2,j+1,l+1]-u[i+1,j+1,l+1]) + (k[i,j+1,l+1]+k[i+1,j+1,l+1])*(u[i,j+1,l+1]-u[i+1,j+1,l+1])"
        " + (k[i+1,j+2,l+1]+k[i+1,j+1,l+1])*(u[i+1,j+2,l+1]-u[i+1,j+1,l+1]) + (k[i+1,j,l+1]+k[i+1,j+1,l+1])*(u[i+1,j,l+1]-u[i+1,j+1,l+1])"
        " + (k[i+1,j+1,l+2]+k[i+1,j+1,l+1])*(u[i+1,j+1,l+2]-u[i+1,j+1,l+1]) + (k[i+1,j+1,l]+k[i+1,j+1,l+1])*(u[i+1,j+1,l]-u[i+1,j+1,l+1]))",
        ((96, 96, 96), (96, 96, 96)),
        variable_laplacian,
    ),
    Kind(
        "dilation by a structure",
        "size N, H, W\n"
        "input x[N,H,W], w[5,5]\n"
        "y[n,i: H-4,j: W-4] = max{r, s} (x[n,i+r,j+s] + w[r,s])",
        ((16, 100, 100), (5, 5)),
        lambda x, w: (x.unfold(1, 5, 1).unfold(2, 5, 1) + w).amax((-2, -1)),
    ),
    Kind(
        "response normalisation across channels",
        "size N, C, L\n"
        "input x[N,C,L]\n"
        "y[n,c,l] = x[n,c,l]/(1 + 0.2*mean{k=c-2..c+2} x[n,pad(k),l]**2)**0.75",
        ((8, 64, 1024),),
        lambda x: F.local_response_norm(x, 5, 0.2),
    ),
    Kind(
        "corners by the structure tensor",
        "size N, H, W\n"
        "input x[N,H,W]\n"
        "a[n,i: H-2,j: W-2] = x[n,i+2,j+1] - x[n,i,j+1]\n"
        "b[n,i: H-2,j: W-2] = x[n,i+1,j+2] - x[n,i+1,j]\n"
        "p[n,i: H-8,j: W-8] = mean{r: 7, s: 7} a[n,i+r,j+s]**2\n"
        "q[n,i: H-8,j: W-8] = mean{r: 7, s: 7} a[n,i+r,j+s]*b[n,i+r,j+s]\n"
        "t[n,i: H-8,j: W-8] = mean{r: 7, s: 7} b[n,i+r,j+s]**2\n"
        "y[n,i,j] = (p[n,i,j]*t[n,i,j] - q[n,i,j]**2)/(p[n,i,j] + t[n,i,j] + 0.01)",
        ((16, 100, 100),),
        structure_tensor,
    ),
    Kind(
        "bilateral filter",
        "size N, H, W\n"
        "input x[N,H,W]\n"
        "z[n,i: H,j: W] = sum{r: 5, s: 5} exp(-4*(x[n,clamp(i+r-2),clamp(j+s-2)] - x[n,i,j])**2)\n"
        "y[n,i: H,j: W] = sum{r: 5, s: 5} exp(-4*(x[n,clamp(i+r-2),clamp(j+s-2)] - x[n,i,j])**2)*x[n,clamp(i+r-2),clamp(j+s-2)]/z[n,i,j]",
        ((8, 100, 100),),
        bilateral,
    ),
    Kind(
        "Sinkhorn steps with logarithms",
        "size N, M\n"
        "input c[N,M], g[M]\n"
        "f[i] = -0.1*logsumexp{j} (10*(g[j] - c[i,j]))\n"
        "h[j] = -0.1*logsumexp{i} (10*(f[i] - c[i,j]))",
        ((1000, 1000), (1000,)),
        lambda c, g: -0.1 * torch.logsumexp(10 * ((-0.1 * torch.logsumexp(10 * (g - c), 1))[:, None] - c), 0),
    ),
    Kind(
        "a step of a conditional random field",
        "size B, K\n"
        "input a[B,K], t[K,K], e[B,K]\n"
        "y[b,j] = e[b,j] + logsumexp{i} (a[b,i] + t[i,j])",
        ((128, 96), (96, 96), (128, 96)),
        lambda a, t, e: e + torch.logsumexp(a[:, :, None] + t, 1),
    ),
    Kind(
        "sums that decay",
        "size T, C\n"
        "input x[T,C], a[C]\n"
        "y[t: T,c] = sum{s=0..t} x[s,c]*(0.5 + 0.4*a[c])**(t-s)",
        ((512, 64), (64,)),
        lambda x, a: decay(x, 0.5 + 0.4 * a),
    ),
    Kind(
        "moving means",
        "size B, N\n"
        "input x[B,N]\n"
        "y[b,i: N-31] = mean{k: 32} x[b,i+k]",
        ((200, 2000),),
        lambda x: F.avg_pool1d(x, 32, 1),
    ),
    Kind(
        "moving maxima",
        "size B, N\n"
        "input x[B,N]\n"
        "y[b,i: N-15] = max{k: 16} x[b,i+k]",
        ((200, 2000),),
        lambda x: F.max_pool1d(x, 16, 1),
    ),
    Kind(
        "prefix maxima",
        "size N, M\n"
        "input x[N,M]\n"
        "y[i: N,j] = max{k=0..i} x[k,j]",
        ((400, 1200),),
        lambda x: x.cummax(0).values,
    ),
    Kind(
        "prefix products",
        "size N, M\n"
        "input x[N,M]\n"
        "y[i,j: M] = prod{k=0..j} (1 + 0.1*x[i,k])",
        ((1000, 200),),
        lambda x: (1 + 0.1 * x).cumprod(1),
    ),
    Kind(
        "focal loss",
        "size N\n"
        "input x[N], t[N]\n"
        "p[i] = sigmoid(x[i])\n"
        "q[i] = abs(t[i])*p[i] + (1 - abs(t[i]))*(1 - p[i])\n"
        "l = -mean{i} (1 - q[i])**2*log(q[i] + 1e-6)",
        ((500000,), (500000,)),
        lambda x, t: focal(x, t.abs()),
    ),
    Kind(
        "Dice loss of classes",
        "size N, C, H, W\n"
        "input x[N,C,H,W], t[N,C,H,W]\n"
        "m[n,i,j] = max{c} x[n,c,i,j]\n"
        "e[n,c,i,j] = exp(x[n,c,i,j] - m[n,i,j])\n"
        "z[n,i,j] = sum{c} e[n,c,i,j]\n"
        "p[n,c,i,j] = e[n,c,i,j]/z[n,i,j]\n"
        "l = 1 - mean{n, c} (2*sum{i, j} p[n,c,i,j]*t[n,c,i,j] + 1)/(sum{i, j} p[n,c,i,j] + sum{i, j} t[n,c,i,j] + 1)",
        ((4, 8, 128, 128), (4, 8, 128, 128)),
        dice,
    ),
    Kind(
        "contrast of cosines",
        "size N, D\n"
        "input a[N,D], b[N,D]\n"
        "p[i] = sqrt(sum{d} a[i,d]**2)\n"
        "q[i] = sqrt(sum{d} b[i,d]**2)\n"
        "s[i,j] = 10*sum{d} a[i,d]*b[j,d]/(p[i]*q[j])\n"
        "l = mean{i} (logsumexp{j} s[i,j] - s[i,i])",
        ((512, 128), (512, 128)),
        info_nce,
    ),
    Kind(
        "Gaussians with a scale per dimension",
        "size N, M, D\n"
        "input x[N,D], y[M,D], s[D], w[M]\n"
        "f[i] = sum{j} exp(-0.5*sum{d} ((x[i,d] - y[j,d])*s[d])**2)*w[j]",
        ((1500, 6), (1500, 6), (6,), (1500,)),
        lambda x, y, s, w: torch.exp(-0.5 * torch.cdist(x * s, y * s) ** 2) @ w,
    ),
    Kind(
        "Matern kernel",
        "size N, M\n"
        "input x[N,3], y[M,3], w[M]\n"
        "r[i,j] = sqrt(5*sum{d} (x[i,d] - y[j,d])**2 + 1e-6)\n"
        "f[i] = sum{j} (1 + r[i,j] + r[i,j]**2/3)*exp(-r[i,j])*w[j]",
        ((1500, 3), (1500, 3), (1500,)),
        lambda x, y, w: (lambda r: ((1 + r + r * r / 3) * torch.exp(-r)) @ w)(torch.sqrt(5 * ((x[:, None] - y[None]) ** 2).sum(-1) + 1e-6)),
    ),
    Kind(
        "Stokes flow of points",
        "size N\n"
        "input x[N,3], f[N,3]\n"
        "u[i,d] = sum{j} (f[j,d]/sqrt(sum{e} (x[i,e] - x[j,e])**2 + 0.01) + (x[i,d] - x[j,d])*(sum{e} (x[i,e] - x[j,e])*f[j,e])/sqrt(sum{e} (x[i,e] - x[j,e])**2 + 0.01)**3)",
        ((1000, 3), (1000, 3)),
        stokeslets,
    ),
    Kind(
        "structure factor",
        "size N, K\n"
        "input x[N,3], k[K,3], q[N]\n"
        "c[m] = sum{i} q[i]*cos(sum{d} k[m,d]*x[i,d])\n"
        "s[m] = sum{i} q[i]*sin(sum{d} k[m,d]*x[i,d])\n"
        "y[m] = c[m]**2 + s[m]**2",
        ((1000, 3), (500, 3), (1000,)),
        structure_factor,
    ),
    Kind(
        "power spectrum of neighbours",
        "size N, K, F\n"
        "input x[N,K,3], w[N,K,F]\n"
        "a[n,f] = sum{k} x[n,k,0]*w[n,k,f]\n"
        "b[n,f] = sum{k} x[n,k,1]*w[n,k,f]\n"
        "c[n,f] = sum{k} x[n,k,2]*w[n,k,f]\n"
        "d[n,f] = sum{k} x[n,k,0]*x[n,k,1]*w[n,k,f]\n"
        "e[n,f] = sum{k} x[n,k,1]*x[n,k,2]*w[n,k,f]\n"
        "g[n,f] = sum{k} (3*x[n,k,2]**2 - 1)*w[n,k,f]\n"
        "h[n,f] = sum{k} x[n,k,0]*x[n,k,2]*w[n,k,f]\n"
        "o[n,f] = sum{k} (x[n,k,0]**2 - x[n,k,1]**2)*w[n,k,f]\n"
        "p[n,f] = a[n,f]**2 + b[n,f]**2 + c[n,f]**2 + d[n,f]**2 + e[n,f]**2 + g[n,f]**2 + h[n,f]**2 + o[n,f]**2",
        ((500, 24, 3), (500, 24, 32)),
        harmonics,
    ),
    Kind(
        "logistic loss of pairs",
        "size N\ninput s[N]\nl[i] = sum{j} (if s[j] < s[i] then log(1 + exp(s[j] - s[i])) else 0)",
        ((1000,),),
        lambda s: (F.softplus(s[None] - s[:, None]) * (s[None] < s[:, None])).sum(1),
    ),
    Kind(
        "autocorrelation",
        "size B, N\ninput x[B,N]\nm[b] = mean{n} x[b,n]\n"
        "a[b,l: 64] = (sum{n | n < N-l} (x[b,n] - m[b])*(x[b,n+l] - m[b]))/(sum{n} (x[b,n] - m[b])**2)",
        ((8, 4000),),
        autocorrelation,
    ),
    Kind(
        "a layer with 40 outputs",
        "size N, I, J\ninput x[N,I], w[J,I], b[J]\ny[n,j] = max(0, b[j] + sum{i} x[n,i]*w[j,i])",
        ((1000, 128), (40, 128), (40,)),
        lambda x, w, b: F.relu(F.linear(x, w, b)),
    ),
    Kind(
        "positions as sines and cosines",
        "size N, D\ninput x[N,D]\n"
        "y[n,d] = x[n,d] + (if d % 2 = 0 then sin(n*10000**(-d/D)) else cos(n*10000**(-(d-1)/D)))",
        ((512, 256),),
        with_positions,
    ),
    Kind(
        "factorisation machine",
        "size B, I, K\n"
        "input x[B,I], v[I,K], w[I]\n"
        "y[b] = sum{i} w[i]*x[b,i] + 0.5*sum{k} ((sum{i} v[i,k]*x[b,i])**2 - sum{i} v[i,k]**2*x[b,i]**2)",
        ((1024, 200), (200, 16), (200,)),
        lambda x, v, w: x @ w + 0.5 * ((x @ v) ** 2 - (x * x) @ (v * v)).sum(1),
    ),
    Kind(
        "pairs of fields",
        "size B, G, K\n"
        "input e[B,G,K], w[G,G]\n"
        "y[b] = sum{i, j | i < j} w[i,j]*sum{k} e[b,i,k]*e[b,j,k]",
        ((1024, 24, 16), (24, 24)),
        lambda e, w: ((e @ e.transpose(1, 2)) * torch.triu(w, 1)).sum((1, 2)),
    ),
    Kind(
        "tensor train",
        "size I, J, K, R\n"
        "input a[I,R], b[R,J,R], c[R,K]\n"
        "y[i,j,k] = sum{r, s} a[i,r]*b[r,j,s]*c[s,k]",
        ((96, 16), (16, 96, 16), (16, 96)),
        lambda a, b, c: torch.einsum("ir,rjs,sk->ijk", a, b, c),
    ),
    Kind(
        "Tucker product",
        "size I, J, K\n"
        "input g[8,8,8], u[I,8], v[J,8], w[K,8]\n"
        "y[i,j,k] = sum{a, b, c} g[a,b,c]*u[i,a]*v[j,b]*w[k,c]",
        ((8, 8, 8), (96, 8), (96, 8), (96, 8)),
        lambda g, u, v, w: torch.einsum("abc,ia,jb,kc->ijk", g, u, v, w),
    ),
    Kind(
        "Khatri-Rao product times a matrix",
        "size I, J, R, K\n"
        "input a[I,R], b[J,R], c[R,K]\n"
        "y[i,j,k] = sum{r} a[i,r]*b[j,r]*c[r,k]",
        ((64, 64, ), (64, 64), (64, 64)),
        lambda a, b, c: torch.einsum("ir,jr,rk->ijk", a, b, c),
    ),
    Kind(
        "similarity of structures",
        "size N, H, W\n"
        "input x[N,H,W], y[N,H,W]\n"
        "a[n,i: H-6,j: W-6] = mean{r: 7, s: 7} x[n,i+r,j+s]\n"
        "b[n,i: H-6,j: W-6] = mean{r: 7, s: 7} y[n,i+r,j+s]\n"
        "p[n,i: H-6,j: W-6] = mean{r: 7, s: 7} x[n,i+r,j+s]**2 - a[n,i,j]**2\n"
        "q[n,i: H-6,j: W-6] = mean{r: 7, s: 7} y[n,i+r,j+s]**2 - b[n,i,j]**2\n"
        "c[n,i: H-6,j: W-6] = mean{r: 7, s: 7} x[n,i+r,j+s]*y[n,i+r,j+s] - a[n,i,j]*b[n,i,j]\n"
        "l = mean{n, i, j} (2*a[n,i,j]*b[n,i,j] + 0.01)*(2*c[n,i,j] + 0.03)/((a[n,i,j]**2 + b[n,i,j]**2 + 0.01)*(p[n,i,j] + q[n,i,j] + 0.03))",
        ((16, 96, 96), (16, 96, 96)),
        ssim,
    ),
    Kind(
        "soft histogram",
        "size N, B\n"
        "input x[N], c[B]\n"
        "h[b] = mean{i} exp(-50*(x[i] - c[b])**2)",
        ((20000,), (64,)),
        lambda x, c: torch.exp(-50 * (x[:, None] - c) ** 2).mean(0),
    ),
    Kind(
        "differences of ranks",
        "size N\n"
        "input s[N], t[N]\n"
        "l = sum{i, j | j < i} softplus(-(s[i] - s[j])*(t[i] - t[j]))",
        ((1500,), (1500,)),
        lambda s, t: torch.tril(F.softplus(-(s[:, None] - s) * (t[:, None] - t)), -1).sum(),
    ),
    Kind(
        "rotary position, then scores",
        "size H, N, D\n"
        "input q[H,N,2,D], k[H,N,2,D], c[N,D], s[N,D]\n"
        "a[h,n,d] = q[h,n,0,d]*c[n,d] - q[h,n,1,d]*s[n,d]\n"
        "b[h,n,d] = q[h,n,1,d]*c[n,d] + q[h,n,0,d]*s[n,d]\n"
        "e[h,n,d] = k[h,n,0,d]*c[n,d] - k[h,n,1,d]*s[n,d]\n"
        "f[h,n,d] = k[h,n,1,d]*c[n,d] + k[h,n,0,d]*s[n,d]\n"
        "y[h,i,j] = sum{d} (a[h,i,d]*e[h,j,d] + b[h,i,d]*f[h,j,d])",
        ((8, 256, 2, 32), (8, 256, 2, 32), (256, 32), (256, 32)),
        lambda q, k, c, s: (lambda turned: turned(q) @ turned(k).transpose(1, 2))(lambda z: torch.cat([z[:, :, 0] * c - z[:, :, 1] * s, z[:, :, 1] * c + z[:, :, 0] * s], -1)),
    ),
    Kind(
        "reaction and diffusion, periodic",
        "size B\n"
        "input u[B,256,256], v[B,256,256]\n"
        "f[b,i: 256,j: 256] = u[b,i,j] + 0.2*(u[b,(i+1)%256,j] + u[b,(i-1)%256,j] + u[b,i,(j+1)%256] + u[b,i,(j-1)%256] - 4*u[b,i,j]) - u[b,i,j]*v[b,i,j]**2",
        ((4, 256, 256), (4, 256, 256)),
        lambda u, v: u + 0.2 * (sum(torch.roll(u, step, d) for d in (1, 2) for step in (1, -1)) - 4 * u) - u * v * v,
    ),
    Kind(
        "convolution, periodic",
        "size N, C, O\n"
        "input x[N,C,256], w[O,C,5]\n"
        "y[n,o,i: 256] = sum{c, s} w[o,c,s]*x[n,c,(i+s-2)%256]",
        ((16, 32, 256), (32, 32, 5)),
        lambda x, w: F.conv1d(F.pad(x, (2, 2), mode="circular"), w),
    ),
    Kind(
        "streaming of a lattice",
        "size B\n"
        "input f[B,9,128,128]\n"
        "g[b,q: 9,i: 128,j: 128] = f[b,q,(i - q%3 + 1)%128,(j - q//3 + 1)%128]",
        ((4, 9, 128, 128),),
        lambda f: torch.stack([torch.roll(f[:, q], (q % 3 - 1, q // 3 - 1), (1, 2)) for q in range(9)], 1),
    ),
    Kind(
        "weights of keys that decay",
        "size B, T, C\n"
        "input k[B,T,C], v[B,T,C], w[C]\n"
        "y[b,t: T,c] = (sum{s | s <= t} exp(k[b,s,c] - (t-s)*(1.1+w[c]))*v[b,s,c])/(sum{s | s <= t} exp(k[b,s,c] - (t-s)*(1.1+w[c])))",
        ((2, 128, 32), (2, 128, 32), (32,)),
        keys_that_decay,
    ),
]
# fmt: on
