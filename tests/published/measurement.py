"""Speech, imaging, optics, graphics, robotics and control."""

from __future__ import annotations

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
c_n = \sum_{m=1}^{M} \log\left(S_m\right) \cos\left[\frac{\pi n}{M}\left(m - \frac{1}{2}\right)\right], \qquad n = 0, 1, \dots, L - 1.
\end{equation}
""",
    source="Davis and Mermelstein, Comparison of parametric representations, 1980",
    shapes=("size L = 3", "base 1"),
    S="5",
)
def cepstral_coefficients(S):
    m, n = np.arange(1, 6), np.arange(3)[:, None]
    return (np.log(S) * np.cos(np.pi * n / 5 * (m - 0.5))).sum(1)


@formula(
    r"""
\begin{equation}
  \mathrm{SDR} = 10 \log_{10} \frac{\sum_{t=1}^{T} s_t^2}{\sum_{t=1}^{T} (s_t - \hat{s}_t)^2}
\end{equation}
""",
    source="Vincent, Gribonval and Fevotte, Performance measurement in blind audio source separation, 2006",
    s="6",
    s_hat="6",
)
def distortion_ratio(s, s_hat):
    return 10 * np.log10((s**2).sum() / ((s - s_hat) ** 2).sum())


@formula(
    r"""
\begin{equation}
e[n] = x[n] - \sum_{k=1}^{p} a_k\, x[n-k], \qquad n = p, \dots, N-1
\end{equation}
""",
    source="Makhoul, Linear prediction, 1975",
    x="6",
    a="2",
)
def prediction_error(x, a):
    return x[2:] - a[0] * x[1:-1] - a[1] * x[:-2]


@formula(
    r"""
Let $\rho_j$ be the image at voxel $\mathbf r_j \in \mathbb{R}^{3}$ and $\mathbf k_m \in \mathbb{R}^3$ the trajectory. The real part of the signal in coil $c$ is
\begin{equation}
  y_{cm} = \sum_{j=1}^{J} S_{cj}\, \rho_j \cos\left( 2\pi\, \mathbf{k}_m \cdot \mathbf{r}_j \right) e^{-t_m / T_{2,j}} .
\end{equation}
""",
    source="Fessler, Model-based image reconstruction for MRI, 2010, its real part",
    shapes=("input S[C, J], rho[J], k[M, 3], r[J, 3], t[M], T_2[J]",),
    S="2 4",
    rho="4",
    k="3 3",
    r="4 3",
    t="3",
    T_2="4",
)
def coil_signal(S, rho, k, r, t, T_2):
    wave = np.cos(2 * np.pi * k @ r.T) * np.exp(-t[:, None] / T_2)
    return np.einsum("cj,j,mj->cm", S, rho, wave)


@formula(
    r"""
\begin{equation}
S(b) = S_0 \sum_{i=1}^{3} f_i \exp(-b_i D_i)
\end{equation}
""",
    source="Le Bihan et al., Separation of diffusion and perfusion, 1988, three compartments",
    output="",
    S_0="",
    f="3",
    b="3",
    D="3",
)
def diffusion_signal(S_0, f, b, D):
    return S_0 * (f * np.exp(-b * D)).sum()


@formula(
    r"""
\begin{equation*}
\lambda_j^{\text{new}} = \frac{\lambda_j}{\sum_{i} a_{ij}} \sum_{i=1}^{I} \frac{a_{ij}\, y_i}{\sum_{k} a_{ik} \lambda_k}, \quad j = 1, 2, \ldots, J
\end{equation*}
""",
    source="Shepp and Vardi, Maximum likelihood reconstruction for emission tomography, 1982",
    output="",
    **{"lambda": "3"},
    a="4 3",
    y="4",
)
def emission_update(a, y, **rest):
    x = rest["lambda"]
    return x / a.sum(0) * (a.T @ (y / (a @ x)))


@formula(
    r"""
The rendering equation is discretised as
\begin{equation}
  B_i = E_i + \varrho_i \sum_{j=1}^{n} F_{ij} B'_j, \qquad i = 1, \dots, n.
\end{equation}
""",
    source="Goral et al., Modeling the interaction of light between diffuse surfaces, 1984, one iteration",
    E="3",
    varrho="3",
    F="3 3",
    B_prime="3",
)
def radiosity(E, varrho, F, B_prime):
    return E + varrho * (F @ B_prime)


@formula(
    r"""
\begin{equation}
  I_p = k_a i_a + \sum_{m=1}^{M} \left( k_d \max(\hat{L}_m \cdot \hat{N}, 0)\, i_{m,d} + k_s \left[\max(\hat R_m \cdot \hat V, 0)\right]^{\alpha} i_{m,s} \right)
\end{equation}
""",
    source="Phong, Illumination for computer generated pictures, 1975",
    shapes=(
        "input k_a[], i_a[], k_d[], L_hat[M, 3], N_hat[3], i_d[M], k_s[], R_hat[M, 3], V_hat[3], alpha[], i_s[M]",
    ),
    k_a="",
    i_a="",
    k_d="",
    L_hat="2 3",
    N_hat="3",
    i_d="2",
    k_s="",
    R_hat="2 3",
    V_hat="3",
    alpha="",
    i_s="2",
)
def reflection(k_a, i_a, k_d, L_hat, N_hat, i_d, k_s, R_hat, V_hat, alpha, i_s):
    return k_a * i_a + (k_d * (L_hat @ N_hat) * i_d + k_s * (R_hat @ V_hat) ** alpha * i_s).sum()


@formula(
    r"""
\begin{equation}
  \mathbf{v}'_i = \sum_{b=1}^{B} w_{ib} \left( \mathbf{R}_b \mathbf{v}_i + \mathbf{t}_b \right)
\end{equation}
""",
    source="Lewis, Cordner and Fong, Pose space deformation, 2000: linear blend skinning",
    shapes=("input w[N, B], R[B, 3, 3], v[N, 3], t[B, 3]",),
    w="4 2",
    R="2 3 3",
    v="4 3",
    t="2 3",
)
def blend_skinning(w, R, v, t):
    return np.einsum("ib,bdk,ik->id", w, R, v) + w @ t


@formula(
    r"""
\begin{equation}
\hat{C}(\mathbf{r}) = \sum_{i=1}^{N} T_i \left(1 - \exp(-\sigma_i \delta_i)\right) \mathbf{c}_i, \quad \text{where} \quad T_i = \exp\Bigl(-\sum_{j=1}^{i-1} \sigma_j \delta_j\Bigr)
\end{equation}
and $\mathbf{c}_i \in \mathbb{R}^3$.
""",
    source="Mildenhall et al., NeRF, 2020, equation (3)",
    output="C_hat",
    sigma="5",
    delta="5",
    c="5 3",
)
def volume_rendering(sigma, delta, c):
    a = sigma * delta
    T = np.exp(-(np.cumsum(a) - a))
    return (T * (1 - np.exp(-a))) @ c


@formula(
    r"""
\begin{equation}
   U = \tfrac12\, \bigl(\mathbf{x} - \mathbf{x}_d\bigr)^{\!\top} \mathbf{K} \bigl(\mathbf{x} - \mathbf{x}_d\bigr) + \sum_{o=1}^{O} \frac{\eta}{2} \left( \frac{1}{\| \mathbf{x} - \mathbf{p}_o \|} - \frac{1}{\rho_0} \right)^{2}
\end{equation}
""",
    source="Khatib, Real-time obstacle avoidance for manipulators and mobile robots, 1986",
    shapes=("input x[3], x_d[3], K[3, 3], eta[], p[O, 3], rho_0[]",),
    x="3",
    x_d="3",
    K="3 3",
    eta="",
    p="2 3",
    rho_0="",
)
def potential_field(x, x_d, K, eta, p, rho_0):
    distance = np.linalg.norm(x - p, axis=1)
    return (x - x_d) @ K @ (x - x_d) / 2 + (eta / 2 * (1 / distance - 1 / rho_0) ** 2).sum()


@formula(
    r"""
\begin{equation}
\tau_i = \sum_{j=1}^{n} M_{ij}\ddot{q}_j + \sum_{j=1}^{n}\sum_{k=1}^{n} \Gamma_{ijk}\,\dot{q}_j \dot{q}_k + g_i, \qquad
\Gamma_{ijk} = \frac{1}{2}\left( \partial_k M_{ij} + \partial_j M_{ik} - \partial_i M_{jk} \right)
\end{equation}
""",
    source="Siciliano et al., Robotics, 2009, section 7.1",
    output="",
    M="3 3",
)
def manipulator(M):
    return None


@formula(
    r"""
\begin{equation}
\tau_i = \sum_{j=1}^{n} M_{ij}\ddot{q}_j + \sum_{j=1}^{n}\sum_{k=1}^{n} c_{ijk}\,\dot{q}_j \dot{q}_k + g_i
\end{equation}
""",
    source="Siciliano et al., Robotics, 2009, equation (7.41)",
    M="3 3",
    q_ddot="3",
    c="3 3 3",
    q_dot="3",
    g="3",
)
def joint_torques(M, q_ddot, c, q_dot, g):
    return M @ q_ddot + np.einsum("ijk,j,k->i", c, q_dot, q_dot) + g


@formula(
    r"""
The finite-horizon cost
\begin{equation}
  J = x_N^{\top} Q_f\, x_N + \sum_{k=0}^{N-1} \left( x_k^{\top} Q\, x_k + u_k^{\top} R\, u_k \right)
\end{equation}
with $Q, Q_f \in \mathbb{R}^{n \times n}$, $R \in \mathbb{R}^{m \times m}$, $x_k \in \mathbb{R}^n$, $u_k \in \mathbb{R}^m$ is minimised.
""",
    source="Bertsekas, Dynamic Programming and Optimal Control, 2005, section 4.1",
    x="4 2",
    Q_f="2 2",
    Q="2 2",
    u="3 3",
    R="3 3",
)
def quadratic_cost(x, Q_f, Q, u, R):
    running = np.einsum("ki,ij,kj->", x[:-1], Q, x[:-1]) + np.einsum("ki,ij,kj->", u, R, u)
    return x[-1] @ Q_f @ x[-1] + running


@formula(
    r"""
\begin{align}
  \hat{\mathbf{x}}_k^{+} &= \hat{\mathbf{x}}_k^{-} + \mathbf{K}_k \left( \mathbf{z}_k - \mathbf{H}_k \hat{\mathbf{x}}_k^{-} \right)
\end{align}
""",
    source="Welch and Bishop, An introduction to the Kalman filter, 1995",
    shapes=("input x_hat_minus[T, p], K[T, p, m], z[T, m], H[T, m, p]",),
    x_hat_minus="4 3",
    K="4 3 2",
    z="4 2",
    H="4 2 3",
)
def kalman_correction(x_hat_minus, K, z, H):
    error = z - np.einsum("kmn,kn->km", H, x_hat_minus)
    return x_hat_minus + np.einsum("knm,km->kn", K, error)


@formula(
    r"""
\begin{equation}
P_{k|k-1} = A P_{k-1} A^{\top} + Q
\end{equation}
""",
    source="Kalman, A new approach to linear filtering and prediction problems, 1960",
    output="",
    A="3 3",
)
def covariance_prediction(A):
    return None


@formula(
    r"""
\begin{equation}
\bar{P} = A P A^{\mathsf T} + G Q G^{\mathsf T}
\end{equation}
where $A, P \in \mathbb{R}^{n \times n}$, $G \in \mathbb{R}^{n\times m}$ and $Q\in\mathbb{R}^{m\times m}$.
""",
    source="Anderson and Moore, Optimal Filtering, 1979",
    A="3 3",
    P="3 3",
    G="3 2",
    Q="2 2",
)
def covariance_step(A, P, G, Q):
    return A @ P @ A.T + G @ Q @ G.T


@formula(
    r"""
\begin{equation}
  \mathrm{AF}(\theta_s) = \Bigl[ \sum_{n=1}^{N} w_n \cos\left( (n-1)\, k d \sin\theta_s + \beta_n \right) \Bigr]^2 + \Bigl[ \sum_{n=1}^{N} w_n \sin\left( (n-1)\, k d \sin\theta_s + \beta_n \right) \Bigr]^2
\end{equation}
""",
    source="Balanis, Antenna Theory, 2005, section 6.8, squared magnitude",
    w="4",
    k="",
    d="",
    theta="3",
    beta="4",
)
def array_factor(w, k, d, theta, beta):
    n = np.arange(4)
    phase = n * k * d * np.sin(theta)[:, None] + beta
    return (w * np.cos(phase)).sum(1) ** 2 + (w * np.sin(phase)).sum(1) ** 2


@formula(
    r"""
\begin{equation}
   W(x,y) = \sum_{j=1}^{J} a_j Z_j(\rho, \theta)
\end{equation}
""",
    source="Noll, Zernike polynomials and atmospheric turbulence, 1976",
    output="",
    a="3",
)
def zernike(a):
    return None


@formula(
    r"""
\begin{equation}
n^2_i = 1 + \sum_{k=1}^{3} \frac{B_k \lambda_i^2}{\lambda_i^2 - C_k}
\end{equation}
""",
    source="Sellmeier, 1872",
    output="n_squared",
    B="3",
    lambda_="4",
    C=lambda r: np.array([0.1, 0.2, 0.3]),
)
def dispersion(B, lambda_, C):
    s = lambda_[:, None] ** 2
    return 1 + (B * s / (s - C)).sum(1)


@formula(
    r"""
\begin{equation}
\hat{f}(x) = \frac{\sum_{i=1}^{n} K_h(x - X_i)\, Y_i}{\sum_{i=1}^{n} K_h(x - X_i)}, \qquad K_h(u) = \frac{1}{h\sqrt{2\pi}} \exp\left\{ -\frac{u^2}{2 h^2} \right\}
\end{equation}
""",
    source="Nadaraya, On estimating regression, 1964; Watson, 1964",
    output="",
    x="",
    X="5",
    Y="5",
    h="",
)
def kernel_regression(x, X, Y, h):
    k = np.exp(-((x - X) ** 2) / (2 * h**2))
    return (k * Y).sum() / k.sum()


@formula(
    r"""
\begin{equation}
 H_{ij} = \sum_{(x,y)\in W} w(x,y)\, I_i I_j
\end{equation}
""",
    source="Harris and Stephens, A combined corner and edge detector, 1988",
    output="",
    w="3 3",
)
def structure_tensor(w):
    return None


@formula(
    r"""
\begin{equation}
 E = \sum_{i=1}^{N} \left\| \mathbf{q}_i - s\,\mathbf{R}\,\mathbf{p}_i - \mathbf{t} \right\|^2, \qquad \mathbf{p}_i, \mathbf{q}_i, \mathbf{t} \in \mathbb{R}^3,\; \mathbf{R} \in \mathbb{R}^{3\times 3}
\end{equation}
""",
    source="Umeyama, Least-squares estimation of transformation parameters, 1991",
    output="E",
    q="4 3",
    s="",
    R="3 3",
    p="4 3",
    t="3",
)
def similarity_transform(q, s, R, p, t):
    return ((q - s * p @ R.T - t) ** 2).sum()
