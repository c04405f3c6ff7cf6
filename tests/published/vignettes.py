"""Formulas as papers on transformers, flows of traffic, cells, heat, taxa, wealth, seismology, batteries and tests print them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The router assigns to expert $i$ the fraction $f_i$ of tokens and the probability $P_i$; the auxiliary loss is
\begin{equation}
\text{loss} = \alpha \cdot N \cdot \sum_{i=1}^{N} f_i \cdot P_i
\end{equation}
where $P_i = \frac{1}{T} \sum_{x=1}^{T} p_{xi}$ and
\begin{equation}
f_i = \frac{1}{T} \sum_{x=1}^{T} \mathbb{1}\{ a_x = i \} .
\end{equation}
""",
    source="Fedus, Zoph, Shazeer, Switch transformers, 2022, equations 4 to 6",
    output="loss",
    shapes=("size N, T", "input alpha[], a[T]: index, p[T, N]"),
    alpha="",
    a=lambda r: np.array([1, 3, 3, 2]),
    p="4 3",
)
def balanced_routing(alpha, a, p):
    out = 0.0
    for i in range(3):
        out += np.mean(a == i + 1) * p[:, i].mean()
    return alpha * 3 * out


@formula(
    r"""
The optimal velocity model of $n = 1, \dots, N$ cars on a ring with headways $\Delta x_n$ reads
\begin{equation}
\ddot{x}_n = a \left\{ V(\Delta x_n) - \dot{x}_n \right\}, \qquad V(\Delta x) = \tanh(\Delta x - 2) + \tanh 2 .
\end{equation}
""",
    source="Bando et al., Dynamical model of traffic congestion, 1995, equations 2 and 4",
    shapes=("input a[], Delta_x[N], x_dot[N]",),
    a="",
    Delta_x="4",
    x_dot="4",
)
def optimal_velocity(a, Delta_x, x_dot):
    return a * (np.tanh(Delta_x - 2) + np.tanh(2.0) - x_dot)


@formula(
    r"""
\begin{equation}
C_m \frac{dV_i}{dt} = -\bar{g}_{\rm Na} m_i^3 h_i (V_i - E_{\rm Na}) - \bar{g}_{\rm K} n_i^4 (V_i - E_{\rm K}) - \bar{g}_L (V_i - E_L) + \frac{1}{r} \sum_{j} A_{ij} (V_j - V_i)
\end{equation}
""",
    source="Hodgkin, Huxley, A quantitative description of membrane current, 1952; coupled by gap junctions",
    leaves_open="a factor on the left side",
    V="3",
)
def coupled_membranes(V):
    return V


@formula(
    r"""
The implicit Crank--Nicolson residual of the heat equation at interior nodes,
\begin{equation}
R_i = \frac{u_i - v_i}{\Delta t} - \frac{\kappa}{2 h^2} \left( u_{i+1} - 2u_i + u_{i-1} + v_{i+1} - 2 v_i + v_{i-1} \right), \quad 1 \le i \le N - 1,
\end{equation}
vanishes for the new temperatures $u \in \mathbb{R}^{N+1}$ given old ones $v \in \mathbb{R}^{N+1}$.
""",
    source="Crank, Nicolson, 1947; residuals as papers on solvers print them",
    u=lambda r: normal(r, 6),
    v=lambda r: normal(r, 6),
    Delta_t="",
    kappa="",
    h="",
    shapes=("base 0", "input u[N+1], v[N+1], Delta_t[], kappa[], h[]"),
)
def implicit_residual(u, v, Delta_t, kappa, h):
    out = np.zeros(4)
    for i in range(1, 5):
        lap = u[i + 1] - 2 * u[i] + u[i - 1] + v[i + 1] - 2 * v[i] + v[i - 1]
        out[i - 1] = (u[i] - v[i]) / Delta_t - kappa / (2 * h**2) * lap
    return out


@formula(
    r"""
The similarity percentage of taxa between samples uses
\begin{equation}
\delta_{jk} = 100\, \frac{\sum_{i=1}^{p} |y_{ij} - y_{ik}|}{\sum_{i=1}^{p} (y_{ij} + y_{ik})} .
\end{equation}
""",
    source="Clarke, Non-parametric multivariate analyses of changes in community structure, 1993, equation 1",
    y="3 4",
)
def dissimilarity_percent(y):
    out = np.zeros((4, 4))
    for j, k in np.ndindex(4, 4):
        out[j, k] = 100 * abs(y[:, j] - y[:, k]).sum() / (y[:, j] + y[:, k]).sum()
    return out


@formula(
    r"""
\begin{equation}
G = \frac{\sum_{i=1}^{n} (2i - n - 1) x_i}{n \sum_{i=1}^{n} x_i}
\end{equation}
where $x$ is an observed value, $n$ is the number of values observed and $i$ is the rank of values in ascending order.
""",
    source="The Gini coefficient for sorted values, as documentation prints it",
    x=lambda r: np.sort(r.uniform(0.5, 1.5, 5)),
)
def sorted_concentration(x):
    out = sum((2 * i - 5 - 1) * x[i - 1] for i in range(1, 6))
    return out / (5 * x.sum())


@formula(
    r"""
The scalar moment is summed over $N$ earthquakes,
\begin{equation}
\dot{\epsilon}_{ij} = \frac{1}{2\mu V T} \sum_{n=1}^{N} M_0^{(n)} \left( u_i^{(n)} v_j^{(n)} + u_j^{(n)} v_i^{(n)} \right)
\end{equation}
""",
    source="Kostrov, Seismic moment and energy of earthquakes, 1974",
    shapes=("input mu[], V[], T[], M_0[N], u[3, N], v[3, N]",),
    mu="",
    V="",
    T="",
    M_0="4",
    u=lambda r: normal(r, 3, 4),
    v=lambda r: normal(r, 3, 4),
)
def seismic_strain(mu, V, T, M_0, u, v):
    out = np.zeros((3, 3))
    for i, j, n in np.ndindex(3, 3, 4):
        out[i, j] += M_0[n] * (u[i, n] * v[j, n] + u[j, n] * v[i, n])
    return out / (2 * mu * V * T)


@formula(
    r"""
Open-circuit voltages were fitted to a sum of hyperbolic tangents,
\begin{equation}
U(x_k) = U_0 + \sum_{m=1}^{M} a_m \tanh\!\left( \frac{x_k - b_m}{c_m} \right) - \frac{RT}{F} \ln\frac{x_k}{1 - x_k},
\end{equation}
at stoichiometries $x_k$, $k=1,\ldots,K$.
""",
    source="open-circuit fits as papers on lithium-ion cells print them",
    x=lambda r: r.uniform(0.2, 0.8, 4),
    U_0="",
    a="2",
    b="2",
    c="2",
    R="",
    T="",
    F="",
    shapes=("input x[K], U_0[], a[M], b[M], c[M], R[], T[], F[]",),
)
def open_circuit(x, U_0, a, b, c, R, T, F):
    fit = sum(a[m] * np.tanh((x - b[m]) / c[m]) for m in range(2))
    return U_0 + fit - R * T / F * np.log(x / (1 - x))


@formula(
    r"""
For the paired comparison the signed statistics are
\begin{equation}
t = \frac{\bar{d}}{s_d/\sqrt{n}}, \qquad \bar d = \frac1n\sum_{i=1}^n (x_i - y_i), \qquad s_d = \sqrt{\frac{1}{n-1}\sum_{i=1}^n (x_i - y_i - \bar d)^2}.
\end{equation}
""",
    source="Student, The probable error of a mean, 1908; as lectures print the paired test",
    output="t",
    x=lambda r: normal(r, 5),
    y=lambda r: normal(r, 5),
)
def paired_statistic(x, y):
    d = x - y
    return d.mean() / (d.std(ddof=1) / np.sqrt(5))


@formula(
    r"""
\begin{equation}
\mathrm{RPE}_{t} = V_{t} - \hat{V}_{t}, \quad \hat{V}_{t} = \sum_{k=1}^{K} w_k\, \phi_k(t), \quad \phi_k(t) = \exp\left( -\frac{(t-\mu_k)^2}{2s^2} \right), \quad t = 1, \dots, T
\end{equation}
""",
    source="Ludvig, Sutton, Kehoe, Stimulus representation and the timing of reward-prediction errors, 2008; shortened",
    output="RPE",
    V="4",
    w="3",
    mu=lambda r: np.array([1.0, 2.0, 3.0]),
    s="",
    shapes=("input V[T], w[K], mu[K], s[]",),
)
def timed_prediction(V, w, mu, s):
    return np.array(
        [
            V[t - 1] - sum(w[k] * np.exp(-((t - mu[k]) ** 2) / (2 * s**2)) for k in range(3))
            for t in range(1, 5)
        ]
    )


@formula(
    r"""
Relevance is propagated through a layer by the $\epsilon$-rule,
\begin{equation}
R_i = \sum_{j} \frac{a_i w_{ij}}{\epsilon + \sum_{i'} a_{i'} w_{i'j}} R'_j
\end{equation}
""",
    source="Bach et al., On pixel-wise explanations by layer-wise relevance propagation, 2015; positive sums",
    a="3",
    w="3 2",
    epsilon="",
    R_prime="2",
)
def propagated_relevance(a, w, epsilon, R_prime):
    z = a @ w
    return a * (w @ (R_prime / (epsilon + z)))


@formula(
    r"""
The maximum mean discrepancy with $\kappa(\mathbf{x},\mathbf{y}) = \sum_{q=1}^{Q} \exp\{-\gamma_q \|\mathbf{x}-\mathbf{y}\|^2\}$ is
\begin{equation}
\mathrm{MMD}^2 = \frac{1}{n^2}\sum_{i,j=1}^{n} \kappa(\mathbf{x}_i,\mathbf{x}_j) + \frac{1}{m^2}\sum_{i,j=1}^{m}\kappa(\mathbf{y}_i,\mathbf{y}_j) - \frac{2}{nm}\sum_{i=1}^{n}\sum_{j=1}^{m}\kappa(\mathbf{x}_i,\mathbf{y}_j).
\end{equation}
""",
    source="Long et al., Learning transferable features with deep adaptation networks, 2015, with several kernels",
    shapes=(r"$\mathbf{x}_i, \mathbf{y}_j \in \mathbb{R}^{d}$",),
    gamma="2",
    x=lambda r: normal(r, 3, 2),
    y=lambda r: normal(r, 4, 2),
)
def several_kernels(gamma, x, y):
    def k(a, b):
        return sum(np.exp(-g * ((a - b) ** 2).sum()) for g in gamma)

    out = sum(k(a, b) for a in x for b in x) / 9 + sum(k(a, b) for a in y for b in y) / 16
    return out - 2 / 12 * sum(k(a, b) for a in x for b in y)


@formula(
    r"""
\begin{equation}\label{e:mcd}
\mathrm{MCD}\,[\mathrm{dB}] = \frac{10}{\ln 10}\, \frac{1}{T} \sum_{t=1}^{T} \sqrt{ 2 \sum_{d=1}^{D} \left( mc_{td} - \hat{mc}_{td} \right)^2 }
\end{equation}
""",
    source="Kubichek, Mel-cepstral distance measure, 1993; as papers on voice conversion print it",
    mc=lambda r: normal(r, 3, 4),
    mc_hat=lambda r: normal(r, 3, 4),
    shapes=("input mc[T, D], mc_hat[T, D]",),
)
def cepstral_distortion(mc, mc_hat):
    return 10 / np.log(10) * np.sqrt(2 * ((mc - mc_hat) ** 2).sum(1)).mean()


@formula(
    r"""
We regularise with the smoothness prior
\begin{equation}
\Omega(f) = \sum_{i=2}^{n-1} (f_{i-1} - 2f_i + f_{i+1})^2
\end{equation}
and minimise $J = \sum_{i=1}^n (y_i - f_i)^2 + \lambda\, \Omega(f)$.
""",
    source="Hodrick, Prescott, Postwar U.S. business cycles, 1997; Whittaker's smoothing as papers print it",
    output="Omega",
    f=lambda r: normal(r, 6),
    leaves_open="J in the prose is what is minimised",
)
def roughness(f):
    return sum((f[i - 1] - 2 * f[i] + f[i + 1]) ** 2 for i in range(1, 5))


@formula(
    r"""
The bending energy of a closed filament of beads with tangents $\hat{\mathbf{t}}_i \in \mathbb{R}^3$ is
\[
E_b = \frac{k_b}{a}\sum_{i=1}^{N-1}\left(1-\hat{\mathbf t}_i\cdot\hat{\mathbf t}_{i+1}\right),
\]
and its stretching energy $E_s=\tfrac{k_s}{2}\sum_{i=1}^{N}(\ell_i-\ell_0)^2$.
""",
    source="Kratky, Porod, Roentgenuntersuchung geloester Fadenmolekuele, 1949; as papers on filaments print it",
    output="E_b",
    shapes=("input k_b[], a[], t_hat[N, 3]",),
    k_b="",
    a="",
    t_hat=lambda r: normal(r, 5, 3),
)
def bending_energy(k_b, a, t_hat):
    return k_b / a * sum(1 - t_hat[i] @ t_hat[i + 1] for i in range(4))


@formula(
    r"""
An isotonic penalty adds $\lambda\sum_{i} \max(0, \theta_i - \theta_{i+1})$; the pinball loss at levels $\tau_q$ is
\begin{equation}
L = \frac{1}{nQ}\sum_{i=1}^{n}\sum_{q=1}^{Q} \left( \tau_q - \mathbf{1}\left\{ y_i < \hat{y}_{iq} \right\} \right)\left( y_i - \hat{y}_{iq} \right)
\end{equation}
""",
    source="Koenker, Bassett, Regression quantiles, 1978; as papers on forecasting print it",
    tau=lambda r: np.array([0.1, 0.5, 0.9]),
    y=lambda r: normal(r, 4),
    y_hat=lambda r: normal(r, 4, 3),
)
def pinball_here(tau, y, y_hat):
    out = 0.0
    for i, q in np.ndindex(4, 3):
        out += (tau[q] - (y[i] < y_hat[i, q])) * (y[i] - y_hat[i, q])
    return out / 12


@formula(
    r"""
The log-periodic fit of asset prices is linear in $A$, $B$, $C$,
\begin{equation}
\ln p_i = A + B |t_c - t_i|^{m} \left[ 1 + C \cos\left( \omega \ln |t_c - t_i| + \phi \right) \right] .
\end{equation}
""",
    source="Sornette, Johansen, Bouchaud, Stock market crashes, precursors and replicas, 1996",
    output="log_p",
    A="",
    B="",
    t_c=lambda r: 3.0,
    t="4",
    m="",
    C="",
    omega="",
    phi="",
    shapes=("input A[], B[], t_c[], t[N], m[], C[], omega[], phi[]",),
)
def log_periodic(A, B, t_c, t, m, C, omega, phi):
    d = abs(t_c - t)
    return A + B * d**m * (1 + C * np.cos(omega * np.log(d) + phi))
