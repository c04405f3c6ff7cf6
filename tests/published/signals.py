"""Signal processing and imaging."""

from __future__ import annotations

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
y[n] = \sum_{k=0}^{M-1} h[k]\,x[n-k]
\end{equation}
""",
    source="Oppenheim and Schafer, Discrete-Time Signal Processing, 1989 (valid part)",
    output="",
    h="3",
    x="6",
)
def fir(h, x):
    return np.convolve(x, h, "valid")


@formula(
    r"""
\begin{equation}
X_k = \sum_{n=0}^{N-1} x_n \left[\cos\left(\frac{2\pi}{N}kn\right) - \mathrm{i}\,\sin\left(\frac{2\pi}{N}kn\right)\right], \qquad k = 0, \dots, N-1
\end{equation}
""",
    source="the discrete Fourier transform",
    output="",
    x="5",
)
def fourier(x):
    return None


@formula(
    r"""
\begin{equation}
X_k = \sum_{n=0}^{N-1} x_n \cos\left[\frac{\pi}{N}\left(n+\frac12\right)\left(k+\frac12\right)\right], \qquad k = 0,\ldots,N-1.
\end{equation}
""",
    source="Rao and Yip, Discrete Cosine Transform, 1990: type IV",
    x="5",
)
def dct_four(x):
    n = np.arange(5) + 0.5
    return np.cos(np.pi / 5 * np.outer(n, n)) @ x


@formula(
    r"""
\begin{equation}
w(n) = 0.54 - 0.46\cos\left(\frac{2\pi n}{N-1}\right), \quad 0 \le n \le N-1
\end{equation}
\begin{equation}
y(n) = w(n)\, x(n)
\end{equation}
""",
    source="Hamming's window; Harris, On the use of windows, 1978",
    output="y",
    x="6",
)
def hamming(x):
    return np.hamming(6) * x


@formula(
    r"""
\begin{equation}
R_{xx}(\tau) = \frac{1}{N}\sum_{n=0}^{N-\tau-1} x(n)\,x(n+\tau), \qquad \tau = 0,\dots,L-1
\end{equation}
""",
    source="Proakis and Manolakis, Digital Signal Processing: autocorrelation",
    sizes={"L": 3, "N": 6},
    x="6",
)
def autocorrelation(x):
    return np.array([x[: 6 - t] @ x[t:] / 6 for t in range(3)])


@formula(
    r"""
\begin{equation}
\mathrm{PSNR} = 10\log_{10}\left(\frac{\mathrm{MAX}^2}{\mathrm{MSE}}\right), \quad
\mathrm{MSE} = \frac{1}{mn}\sum_{i=0}^{m-1}\sum_{j=0}^{n-1}\left[I(i,j)-K(i,j)\right]^2
\end{equation}
""",
    source="peak signal-to-noise ratio; Huynh-Thu and Ghanbari, 2008",
    output="PSNR",
    MAX="",
    I="3 4",
    K="3 4",
)
def psnr(MAX, I, K):
    return 10 * np.log10(MAX**2 / ((I - K) ** 2).mean())


@formula(
    r"""
\begin{equation}
\operatorname{SSIM} = \frac{(2\mu_x\mu_y + c_1)(2\sigma_{xy}+c_2)}{(\mu_x^2+\mu_y^2+c_1)(\sigma_x^2+\sigma_y^2+c_2)}
\end{equation}
where
\begin{align}
\mu_x &= \sum_{i=1}^{N} w_i x_i, & \mu_y &= \sum_{i=1}^{N} w_i y_i, \\
\sigma_x^2 &= \sum_{i=1}^N w_i(x_i-\mu_x)^2, & \sigma_y^2 &= \sum_{i=1}^N w_i(y_i-\mu_y)^2, \\
\sigma_{xy} &= \sum_{i=1}^N w_i(x_i-\mu_x)(y_i-\mu_y).
\end{align}
""",
    source="Wang, Bovik, Sheikh and Simoncelli, Image quality assessment, 2004",
    output="SSIM",
    w="5",
    x="5",
    y="5",
    c_1="",
    c_2="",
)
def structural_similarity(w, x, y, c_1, c_2):
    mx, my = w @ x, w @ y
    vx, vy, vxy = w @ (x - mx) ** 2, w @ (y - my) ** 2, w @ ((x - mx) * (y - my))
    return (2 * mx * my + c_1) * (2 * vxy + c_2) / ((mx**2 + my**2 + c_1) * (vx + vy + c_2))


@formula(
    r"""
The bilateral filter is
\begin{equation}
\hat{I}_{p} = \frac{1}{W_p}\sum_{q} G_{pq}\, g(I_p - I_q)\, I_q, \qquad W_p = \sum_{q} G_{pq}\, g(I_p - I_q),
\end{equation}
with $g(t) = \exp\left(-\frac{t^2}{2\sigma_r^2}\right)$.
""",
    source="Tomasi and Manduchi, Bilateral filtering, 1998",
    output="I_hat",
    G="4 4",
    I="4",
    sigma_r="",
)
def bilateral(G, I, sigma_r):
    w = G * np.exp(-((I[:, None] - I) ** 2) / (2 * sigma_r**2))
    return w @ I / w.sum(1)


@formula(
    r"""
\begin{equation}
TV(u) = \sum_{i=1}^{M-1}\sum_{j=1}^{N-1}\sqrt{(u_{i+1,j}-u_{i,j})^2 + (u_{i,j+1}-u_{i,j})^2}
\end{equation}
""",
    source="Rudin, Osher and Fatemi, Nonlinear total variation, 1992",
    shapes=("input u[M, N]",),
    u="4 5",
)
def total_variation(u):
    dx, dy = np.diff(u, axis=0)[:, :-1], np.diff(u, axis=1)[:-1]
    return np.sqrt(dx**2 + dy**2).sum()


@formula(
    r"""
\begin{equation}
g_{i,j} = \sum_{m=-1}^{1}\sum_{n=-1}^{1} h_{m+2,n+2}\, f_{i+m,j+n}, \qquad 2\le i\le M-1,\ 2\le j\le N-1
\end{equation}
""",
    source="Gonzalez and Woods, Digital Image Processing: a mask of 3 by 3",
    shapes=("input f[M, N], h[3, 3]", "base 1"),
    h="3 3",
    f="5 6",
)
def mask(h, f):
    w = np.lib.stride_tricks.sliding_window_view(f, (3, 3))
    return np.einsum("ijmn,mn->ij", w, h)


@formula(
    r"""
\begin{equation}
B(\theta) = \frac{1}{M^2}\left[\left(\sum_{m=0}^{M-1}\cos(k d m \sin\theta)\right)^2 + \left(\sum_{m=0}^{M-1}\sin(k d m\sin\theta)\right)^2\right]
\end{equation}
""",
    source="Van Trees, Optimum Array Processing, 2002: beam pattern of a uniform line",
    sizes={"M": 4},
    k="",
    d="",
    theta="",
)
def beam_pattern(k, d, theta):
    p = k * d * np.arange(4) * np.sin(theta)
    return (np.cos(p).sum() ** 2 + np.sin(p).sum() ** 2) / 16


@formula(
    r"""
\begin{equation}
e_t = d_t - \sum_{k=0}^{K-1} w_k x_{t-k}, \qquad J = \sum_{t=K-1}^{T-1} e_t^2
\end{equation}
""",
    source="Haykin, Adaptive Filter Theory, 1986",
    shapes=("input d[T], w[K], x[T]",),
    output="J",
    d="6",
    w="2",
    x="6",
)
def adaptive_filter(d, w, x):
    return sum((d[t] - sum(w[k] * x[t - k] for k in range(2))) ** 2 for t in range(1, 6))


@formula(
    r"""
\begin{equation}
p(t) = \sum_{i=1}^{4} W_i \int_{0}^{1} f_i\,\mathrm{d}s
\end{equation}
""",
    source="an integral",
    output="",
    W="4",
)
def integral(W):
    return None


@formula(
    r"""
\begin{equation}
H = -\sum_{k=0}^{255} p_k\log_2 p_k, \qquad p_k = \frac{n_k}{\sum_{j=0}^{255} n_j}
\end{equation}
""",
    source="Shannon, A mathematical theory of communication, 1948: entropy of an image",
    output="H",
    n="256",
)
def image_entropy(n):
    p = n / n.sum()
    return -(p * np.log2(p)).sum()


@formula(
    r"""
\begin{equation}
I_{\text{out}}(x,y) = \sum_{m=0}^{1}\sum_{n=0}^{1} I(2x+m,\,2y+n)/4
\end{equation}
""",
    source="mean pooling by two",
    I="4 6",
)
def mean_pooling(I):
    return I.reshape(2, 2, 3, 2).mean((1, 3))


@formula(
    r"""
\begin{equation}
\hat{\mathbf{x}}_i = s\,\mathbf{R}\mathbf{x}_i + \mathbf{t}, \qquad
E = \sum_{i=1}^{N} w_i\left\|\mathbf{y}_i - \hat{\mathbf{x}}_i\right\|^2
\end{equation}
""",
    source="Umeyama, Least-squares estimation of transformation parameters, 1991",
    shapes=("input s[], R[3, 3], x[N, 3], t[3], w[N], y[N, 3]",),
    s="",
    R="3 3",
    x="4 3",
    t="3",
    w="4",
    y="4 3",
)
def registration(s, R, x, t, w, y):
    return (w * ((y - (s * x @ R.T + t)) ** 2).sum(1)).sum()


@formula(
    r"""
The projections are
\begin{align}
u_i &= f_x\frac{X_i}{Z_i} + c_x, & v_i &= f_y\frac{Y_i}{Z_i} + c_y
\end{align}
""",
    source="Hartley and Zisserman, Multiple View Geometry, 2000",
    output="v",
    f_x="",
    X="4",
    Z="4",
    c_x="",
    f_y="",
    Y="4",
    c_y="",
)
def pinhole(f_x, X, Z, c_x, f_y, Y, c_y):
    return f_y * Y / Z + c_y


@formula(
    r"""
\begin{equation}
x^{\star} = \operatorname{sgn}(x)\max(|x|-\lambda, 0)
\end{equation}
\begin{equation}
z_i = \operatorname{sign}(y_i)\,\max\{|y_i| - \lambda,\, 0\}
\end{equation}
""",
    source="Donoho, De-noising by soft-thresholding, 1995",
    output="z",
    y=lambda r: r.standard_normal(5),
    **{"lambda": ""},
)
def soft_threshold(y, **rest):
    return np.sign(y) * np.maximum(np.abs(y) - rest["lambda"], 0)
