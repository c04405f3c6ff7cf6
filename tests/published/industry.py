"""Formulas as papers on fatigue, vibrations, stocks, quality, queues, flows, noise, power and composites print them."""

from __future__ import annotations

import math

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
According to the Palmgren--Miner rule, damage accumulates linearly,
\begin{equation}
D = \sum_{i=1}^{k} \frac{n_i}{N_i}, \qquad N_i = \frac{1}{2} \left( \frac{S_{a,i}}{\sigma_f'} \right)^{1/b}
\end{equation}
where $S_{a,i}$ is the stress amplitude, $\sigma_f'$ the fatigue strength coefficient and $b$ the Basquin exponent.
""",
    source="Miner, Cumulative damage in fatigue, 1945; Basquin, 1910",
    output="D",
    n="4",
    S_a="4",
    sigma_f_prime="",
    b=lambda r: np.array(-0.3),
)
def miner_damage(n, S_a, sigma_f_prime, b):
    return sum(n[i] / (0.5 * (S_a[i] / sigma_f_prime) ** (1 / b)) for i in range(4))


@formula(
    r"""
The maximum response is estimated by the complete quadratic combination
\begin{equation}
R = \left( \sum_{i=1}^{N} \sum_{j=1}^{N} \rho_{ij} R_i R_j \right)^{1/2}, \quad
\rho_{ij} = \frac{8 \zeta^2 (1 + \beta_{ij}) \beta_{ij}^{3/2}}{(1 - \beta_{ij}^2)^2 + 4 \zeta^2 \beta_{ij} (1 + \beta_{ij})^2}, \quad \beta_{ij} = \frac{\omega_i}{\omega_j}
\end{equation}
""",
    source="Der Kiureghian, A response spectrum method for random vibration analysis of MDF systems, 1981",
    output="R",
    omega="3",
    zeta="",
    R_i="3",
)
def combined_modes(omega, zeta, R_i):
    out = 0.0
    for i, j in np.ndindex(3, 3):
        b = omega[i] / omega[j]
        top = 8 * zeta**2 * (1 + b) * b**1.5
        rho = top / ((1 - b * b) ** 2 + 4 * zeta**2 * b * (1 + b) ** 2)
        out += rho * R_i[i] * R_i[j]
    return math.sqrt(out)


@formula(
    r"""
The expected annual cost of the joint policy is
\begin{equation}
TC(\mathbf{Q}) = \sum_{i=1}^{n} \left( \frac{A_i D_i}{Q_i} + \frac{h_i Q_i}{2} + c_i D_i \right)
\end{equation}
subject to $\sum_{i=1}^{n} f_i Q_i \le F$.
""",
    source="Silver, Pyke and Peterson, Inventory Management and Production Planning and Scheduling, 1998",
    A="3",
    D="3",
    Q="3",
    h="3",
    c="3",
)
def annual_cost(A, D, Q, h, c):
    return sum(A[i] * D[i] / Q[i] + h[i] * Q[i] / 2 + c[i] * D[i] for i in range(3))


@formula(
    r"""
For $m$ stages in series, stage $j$ with $n_j$ identical components in parallel, the reliability of the system is
\begin{equation}
R_s = \prod_{j=1}^{m} \left[ 1 - (1 - r_j)^{n_j} \right]
\end{equation}
""",
    source="Tillman, Hwang and Kuo, Optimization of Systems Reliability, 1980",
    r=lambda r: r.uniform(0.2, 0.9, 3),
    n="3",
)
def parallel_stages(r, n):
    return math.prod(1 - (1 - r[j]) ** n[j] for j in range(3))


@formula(
    r"""
\begin{equation}
\mathrm{S/N}_{\mathrm{LTB}} = -10 \log_{10} \left( \frac{1}{n} \sum_{i=1}^{n} \frac{1}{y_i^2} \right)
\end{equation}
""",
    source="Taguchi, Introduction to Quality Engineering, 1986; larger the better",
    y="4",
)
def signal_to_noise(y):
    return -10 * math.log10(sum(1 / v**2 for v in y) / 4)


@formula(
    r"""
\[
\hat{C}_{pk} = \min\left\{ \frac{USL - \bar{x}}{3 s}, \frac{\bar{x} - LSL}{3 s} \right\}, \quad \bar{x} = \frac{1}{n}\sum_{i=1}^{n} x_i, \quad s = \sqrt{\frac{1}{n-1}\sum_{i=1}^{n} (x_i - \bar{x})^2}
\]
where $USL$ and $LSL$ are the specification limits.
""",
    source="Kane, Process capability indices, 1986",
    output="C_hat_pk",
    USL="",
    x="5",
    LSL="",
)
def process_capability(USL, x, LSL):
    mean = sum(x) / 5
    s = math.sqrt(sum((v - mean) ** 2 for v in x) / 4)
    return min((USL - mean) / (3 * s), (mean - LSL) / (3 * s))


@formula(
    r"""
Unrolling the recursion $z_i = \lambda x_i + (1-\lambda) z_{i-1}$ gives
\begin{equation}
z_i = \lambda \sum_{j=0}^{i-1} (1-\lambda)^j x_{i-j} + (1-\lambda)^i z_0, \quad i = 1, \dots, n,
\end{equation}
where $z_0$ is the process target.
""",
    source="Roberts, Control chart tests based on geometric moving averages, 1959",
    sizes={"n": 5},
    lambda_=lambda r: np.array(0.3),
    x="5",
    z_0="",
)
def moving_average_chart(lambda_, x, z_0):
    out = np.zeros(5)
    for i in range(1, 6):
        s = sum((1 - lambda_) ** j * x[i - j - 1] for j in range(i))
        out[i - 1] = lambda_ * s + (1 - lambda_) ** i * z_0
    return out


@formula(
    r"""
With offered load $a = \lambda/\mu$ and utilisation $\rho = a/c$, the probability of an empty system with $c$ servers is
\begin{equation}
P_0 = \left[ \sum_{n=0}^{c-1} \frac{a^n}{n!} + \frac{a^c}{c!\,(1-\rho)} \right]^{-1}
\end{equation}
""",
    source="Gross and Harris, Fundamentals of Queueing Theory, 1998, section 2.3",
    shapes=("size c = 3",),
    output="P_0",
    lambda_="",
    mu="",
)
def empty_system(lambda_, mu):
    a = lambda_ / mu
    s = sum(a**n / math.factorial(n) for n in range(3))
    return 1 / (s + a**3 / (6 * (1 - a / 3)))


@formula(
    r"""
The logarithmic mean temperature difference is
$$\Delta T_{lm} = \frac{\Delta T_1 - \Delta T_2}{\ln\left(\Delta T_1/\Delta T_2\right)}$$
""",
    source="Incropera and DeWitt, Fundamentals of Heat and Mass Transfer, 1996, section 11.3",
    shapes=("input Delta_T_1[], Delta_T_2[]",),
    Delta_T_1="",
    Delta_T_2="",
)
def mean_temperature_difference(Delta_T_1, Delta_T_2):
    return (Delta_T_1 - Delta_T_2) / math.log(Delta_T_1 / Delta_T_2)


@formula(
    r"""
The loop correction of the Hardy Cross method reads
\begin{equation}
\Delta Q = -\frac{\displaystyle\sum_{i=1}^{p} r_i Q_i |Q_i|^{n-1}}{\displaystyle\sum_{i=1}^{p} n\, r_i |Q_i|^{n-1}}
\end{equation}
where $n = 1.852$ for the Hazen--Williams equation and $p$ is the number of pipes in the loop.
""",
    source="Cross, Analysis of flow in networks of conduits or conductors, 1936",
    r="4",
    Q=lambda r: normal(r, 4),
)
def loop_correction(r, Q):
    n = 1.852
    top = sum(r[i] * Q[i] * abs(Q[i]) ** (n - 1) for i in range(4))
    return -top / sum(n * r[i] * abs(Q[i]) ** (n - 1) for i in range(4))


@formula(
    r"""
Superposing the wakes of all upstream turbines, the wind speed at turbine $j$ is
\begin{equation}
u_j = u_\infty \left[ 1 - \sqrt{ \sum_{i=1}^{N} w_{ij} \left( \frac{2a}{\left( 1 + \kappa \, x_{ij}/r_0 \right)^2} \right)^{2} } \right], \qquad j = 1, \ldots, N.
\end{equation}
""",
    source="Katic, Hojstrup and Jensen, A simple model for cluster efficiency, 1986",
    shapes=("input w[N, N]",),
    u_infty="",
    w="3 3",
    a="",
    kappa="",
    x="3 3",
    r_0="",
)
def wakes(u_infty, w, a, kappa, x, r_0):
    out = np.zeros(3)
    for j in range(3):
        s = sum(w[i, j] * (2 * a / (1 + kappa * x[i, j] / r_0) ** 2) ** 2 for i in range(3))
        out[j] = u_infty * (1 - math.sqrt(s))
    return out


@formula(
    r"""
The transmission loss is expressed by Kron's formula
\begin{equation}
P_L = \sum_{i=1}^{N_G} \sum_{j=1}^{N_G} P_i B_{ij} P_j + \sum_{i=1}^{N_G} B_{0i} P_i + B_{00}
\end{equation}
where $B_{ij}$, $B_{0i}$ and $B_{00}$ are the loss coefficients.
""",
    source="Kron, Tensorial analysis of integrated transmission systems, 1951; as papers on economic dispatch print it",
    shapes=("input B_0[N_G], B_00[]",),
    P="3",
    B="3 3",
    B_0="3",
    B_00="",
)
def transmission_loss(P, B, B_0, B_00):
    out = B_00
    for i in range(3):
        out = out + B_0[i] * P[i] + sum(P[i] * B[i, j] * P[j] for j in range(3))
    return out


@formula(
    r"""
\begin{equation}
\mathrm{THD}_V = \frac{\sqrt{\sum_{h=2}^{H} V_h^2}}{V_1} \times 100\%
\end{equation}
where $V_h$ is the rms voltage of harmonic $h$.
""",
    source="IEEE Std 519, Recommended Practice for Harmonic Control, 1992",
    V="5",
)
def distortion_of_voltage(V):
    return math.sqrt(sum(V[h] ** 2 for h in range(1, 5))) / V[0] * 100


@formula(
    r"""
The equivalent continuous level over the measurement time $T = \sum_{i=1}^{N} t_i$ is
\begin{equation}
L_{\rm eq} = 10 \lg \left( \frac{1}{T} \sum_{i=1}^{N} t_i \, 10^{0.1 L_i} \right)
\end{equation}
""",
    source="ISO 1996-1, Description, measurement and assessment of environmental noise",
    output="L_eq",
    t="4",
    L="4",
)
def equivalent_level(t, L):
    return 10 * math.log10(sum(t[i] * 10 ** (0.1 * L[i]) for i in range(4)) / sum(t))


@formula(
    r"""
According to Sabine, the reverberation time of a room of volume $V$ is
\begin{equation}
T_{60} = \frac{0.161\, V}{\sum_{i=1}^{n} S_i \alpha_i + 4 m V}
\end{equation}
where $S_i$ and $\alpha_i$ are the area and the absorption coefficient of surface $i$ and $m$ the air attenuation.
""",
    source="Sabine, Collected Papers on Acoustics, 1922; as handbooks print it",
    V="",
    S="4",
    alpha="4",
    m="",
)
def reverberation_time(V, S, alpha, m):
    return 0.161 * V / (sum(S[i] * alpha[i] for i in range(4)) + 4 * m * V)


@formula(
    r"""
The storage and loss moduli of the generalized Maxwell model are
\begin{align}
G'(\omega_k) &= \sum_{i=1}^{n} g_i \frac{(\omega_k \lambda_i)^2}{1 + (\omega_k \lambda_i)^2}, \\
G''(\omega_k) &= \sum_{i=1}^{n} g_i \frac{\omega_k \lambda_i}{1 + (\omega_k \lambda_i)^2}.
\end{align}
""",
    source="Ferry, Viscoelastic Properties of Polymers, 1980, chapter 3",
    output="G_prime_prime",
    g="3",
    omega="4",
    lambda_="3",
)
def loss_modulus(g, omega, lambda_):
    out = np.zeros(4)
    for k in range(4):
        for i in range(3):
            x = omega[k] * lambda_[i]
            out[k] += g[i] * x / (1 + x * x)
    return out


@formula(
    r"""
The relaxation modulus is represented by the Prony series
\begin{equation}
E(t_j) = E_\infty + \sum_{i=1}^{N} E_i \, e^{-t_j/\tau_i}
\end{equation}
""",
    source="Park and Schapery, Methods of interconversion between linear viscoelastic material functions, 1999",
    leaves_open="`E` is the modulus and its coefficients",
    E="3",
)
def relaxation_modulus(E):
    return E


@formula(
    r"""
The Sauter mean diameter is
\begin{equation}
D_{32} = \frac{\sum_{i} n_i d_i^3}{\sum_{i} n_i d_i^2}.
\end{equation}
""",
    source="Lefebvre, Atomization and Sprays, 1989, section 3",
    n="4",
    d="4",
)
def sauter_mean(n, d):
    return sum(n[i] * d[i] ** 3 for i in range(4)) / sum(n[i] * d[i] ** 2 for i in range(4))


@formula(
    r"""
The extensional and bending stiffnesses of the laminate are
\begin{align}
A_{ij} &= \sum_{k=1}^{N} \left( \bar{Q}_{ij} \right)_k (z_k - z_{k-1}), \\
D_{ij} &= \frac{1}{3} \sum_{k=1}^{N} \left( \bar{Q}_{ij} \right)_k (z_k^3 - z_{k-1}^3).
\end{align}
""",
    source="Jones, Mechanics of Composite Materials, 1975, section 4.2",
    leaves_open="where the layer stands among the indices of `\\bar{Q}`",
    Q="3",
)
def laminate_stiffness(Q):
    return Q


@formula(
    r"""
The height equivalent to a theoretical plate was obtained from the moments of the elution profile sampled at times $t_i$,
\begin{equation}
\mu_1 = \frac{\sum_i c_i t_i}{\sum_i c_i}, \qquad \mu_2' = \frac{\sum_i c_i (t_i - \mu_1)^2}{\sum_i c_i}, \qquad \mathrm{HETP} = L \frac{\mu_2'}{\mu_1^2}
\end{equation}
with $L$ the length of the column.
""",
    source="Guiochon et al., Fundamentals of Preparative and Nonlinear Chromatography, 2006, chapter 6",
    output="HETP",
    c="5",
    t="5",
    L="",
)
def plate_height(c, t, L):
    m = sum(c[i] * t[i] for i in range(5)) / sum(c)
    v = sum(c[i] * (t[i] - m) ** 2 for i in range(5)) / sum(c)
    return L * v / m**2
