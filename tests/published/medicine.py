"""Formulas as papers on radiotherapy, drugs, images of the body, trials and signals of heart and brain print them."""

from __future__ import annotations

import math

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The generalized equivalent uniform dose is defined as
\begin{equation}
\mathrm{gEUD} = \left( \sum_{i} v_i D_i^{a} \right)^{1/a},
\end{equation}
where $v_i$ is the fractional organ volume receiving a dose $D_i$ and $a$ is a tissue-specific parameter that describes the volume effect.
""",
    source="Niemierko, A generalized concept of equivalent uniform dose, 1999",
    v="4",
    D="4",
    a="",
)
def equivalent_uniform_dose(v, D, a):
    return sum(v[i] * D[i] ** a for i in range(4)) ** (1 / a)


@formula(
    r"""
For a schedule of $n$ fractions with doses $d_i$, the biologically effective dose and the surviving fraction are
\begin{eqnarray}
{\rm BED} &=& \sum_{i=1}^{n} d_i \left( 1 + \frac{d_i}{\alpha/\beta} \right), \\
{\rm SF} &=& \exp\left( -\alpha\, {\rm BED} \right).
\end{eqnarray}
""",
    source="Fowler, The linear-quadratic formula and progress in fractionated radiotherapy, 1989",
    output="SF",
    d="5",
    alpha="",
    beta="",
)
def surviving_fraction(d, alpha, beta):
    bed = sum(d[i] * (1 + d[i] / (alpha / beta)) for i in range(5))
    return math.exp(-alpha * bed)


@formula(
    r"""
\begin{align}
{\rm NTCP} &= \frac{1}{2}\left[ 1 + \operatorname{erf}\left( \frac{t}{\sqrt{2}} \right) \right], \\
t &= \frac{D_{\rm eff} - {\rm TD}_{50}}{m \cdot {\rm TD}_{50}}, \\
D_{\rm eff} &= \left( \sum_{i=1}^{K} v_i D_i^{1/n} \right)^{n}
\end{align}
Here $m$ is the slope and $n$ the volume parameter.
""",
    source="Lyman, Complication probability as assessed from dose-volume histograms, 1985; Kutcher and Burman, 1989",
    output="NTCP",
    TD_50="",
    m="",
    v="4",
    D="4",
    n="",
)
def complication_probability(TD_50, m, v, D, n):
    effective = sum(v[i] * D[i] ** (1 / n) for i in range(4)) ** n
    t = (effective - TD_50) / (m * TD_50)
    return (1 + math.erf(t / math.sqrt(2))) / 2


@formula(
    r"""
Plasma concentrations at the sampling times $t_j$ follow a three-compartment model, that is,
\[
C(t_j) = \sum_{i=1}^{3} A_i \exp(-\lambda_i t_j), \qquad j = 1, \ldots, J.
\]
""",
    source="Gabrielsson and Weiner, Pharmacokinetic and Pharmacodynamic Data Analysis, 2000",
    A="3",
    lambda_="3",
    t="4",
)
def three_compartments(A, lambda_, t):
    return np.array([sum(A[i] * math.exp(-lambda_[i] * x) for i in range(3)) for x in t])


@formula(
    r"""
The area under the curve was calculated by the linear trapezoidal rule,
\begin{equation}
\mathrm{AUC}_{0-t} = \sum_{i=1}^{n-1} \frac{C_i + C_{i+1}}{2}\,(t_{i+1} - t_i)
\end{equation}
""",
    source="Chiou, Critical evaluation of the potential error in pharmacokinetic studies of using the linear trapezoidal rule, 1978",
    C="5",
    t=lambda r: np.cumsum(r.uniform(0.5, 1.5, 5)),
)
def area_under_concentrations(C, t):
    return sum((C[i] + C[i + 1]) / 2 * (t[i + 1] - t[i]) for i in range(4))


@formula(
    r"""
In diffusion tensor imaging the attenuated signal along the unit gradient direction $\mathbf{g}_k$ is
\begin{equation}
S_k = S_0 \, e^{-b\, \mathbf{g}_k^{T} \mathbf{D}\, \mathbf{g}_k}
\end{equation}
where $S_0$ is the signal without diffusion weighting, $b$ the diffusion weighting factor, and $\mathbf{D} \in \mathbb{R}^{3 \times 3}$ the diffusion tensor.
""",
    source="Basser, Mattiello, LeBihan, MR diffusion tensor spectroscopy and imaging, 1994",
    S_0="",
    b="",
    g=lambda r: normal(r, 6, 3),
    D="3 3",
)
def attenuated_signal(S_0, b, g, D):
    out = np.zeros(6)
    for k in range(6):
        q = sum(g[k, i] * D[i, j] * g[k, j] for i in range(3) for j in range(3))
        out[k] = S_0 * math.exp(-b * q)
    return out


@formula(
    r"""
\begin{equation}
FA = \sqrt{\frac{3}{2}}\, \frac{\sqrt{(\lambda_1 - \bar\lambda)^2 + (\lambda_2 - \bar\lambda)^2 + (\lambda_3 - \bar\lambda)^2}}{\sqrt{\lambda_1^2 + \lambda_2^2 + \lambda_3^2}},
\end{equation}
with $\bar\lambda = (\lambda_1 + \lambda_2 + \lambda_3)/3$ the mean diffusivity.
""",
    source="Basser and Pierpaoli, Microstructural and physiological features of tissues elucidated by quantitative-diffusion-tensor MRI, 1996",
    lambda_1="",
    lambda_2="",
    lambda_3="",
)
def anisotropy_of_diffusion(lambda_1, lambda_2, lambda_3):
    each = [lambda_1, lambda_2, lambda_3]
    mean = sum(each) / 3
    return math.sqrt(1.5 * sum((x - mean) ** 2 for x in each) / sum(x * x for x in each))


@formula(
    r"""
The spoiled gradient echo signal at flip angle $\alpha_i$ is
\begin{equation}
S_i = M_0 \sin\alpha_i \, \frac{1 - E_1}{1 - E_1 \cos\alpha_i}, \qquad E_1 = e^{-T_R/T_1}, \qquad i = 1, \dots, N_\alpha .
\end{equation}
""",
    source="Fram et al., Rapid calculation of T1 using variable flip angle gradient refocused imaging, 1987",
    output="S",
    M_0="",
    alpha="4",
    T_R="",
    T_1="",
)
def spoiled_echo(M_0, alpha, T_R, T_1):
    e = math.exp(-T_R / T_1)
    return np.array([M_0 * math.sin(a) * (1 - e) / (1 - e * math.cos(a)) for a in alpha])


@formula(
    r"""
Discretising the convolution of the Tofts model with sampling interval $\Delta t$ gives
\begin{equation}
C_t[n] = K^{\rm trans} \sum_{m=0}^{n} C_p[m]\, e^{-k_{\rm ep}(n-m)\Delta t}\, \Delta t .
\end{equation}
""",
    source="Tofts, Modeling tracer kinetics in dynamic Gd-DTPA MR imaging, 1997, discrete",
    shapes=(r"$C_t, C_p \in \mathbb{R}^{N}$",),
    C_p="4",
    k_ep="",
    Delta_t="",
    K_trans="",
)
def tissue_concentration(C_p, k_ep, Delta_t, K_trans):
    out = np.zeros(4)
    for n in range(4):
        for m in range(n + 1):
            out[n] += C_p[m] * math.exp(-k_ep * (n - m) * Delta_t) * Delta_t
        out[n] *= K_trans
    return out


@formula(
    r"""
The ordered-subsets algorithm with one subset reduces to the multiplicative update
\begin{equation}
\lambda_j^{\rm new} = \frac{\lambda_j}{\sum_{i=1}^{I} a_{ij}} \sum_{i=1}^{I} a_{ij} \frac{y_i}{\sum_{j'=1}^{J} a_{ij'} \lambda_{j'} + r_i + s_i}
\end{equation}
where $r_i$ and $s_i$ are the expected randoms and scatters.
""",
    source="Shepp and Vardi, Maximum likelihood reconstruction for emission tomography, 1982, with randoms and scatters",
    lambda_="4",
    a="3 4",
    y="3",
    r="3",
    s="3",
)
def emission_with_scatters(lambda_, a, y, r, s):
    out = np.zeros(4)
    for j in range(4):
        for i in range(3):
            expected = sum(a[i, k] * lambda_[k] for k in range(4)) + r[i] + s[i]
            out[j] += a[i, j] * y[i] / expected
        out[j] *= lambda_[j] / sum(a[i, j] for i in range(3))
    return out


@formula(
    r"""
The ten-year risk is estimated as
\[
\hat{p} = 1 - S_0(t)^{\exp\left( \sum_{i=1}^{p} \beta_i X_i - \sum_{i=1}^{p} \beta_i \bar{X}_i \right)}
\]
where $S_0(t)$ is the baseline survival at follow-up time $t$ (here $t = 10$ years), $\beta_i$ the estimated regression coefficient, $X_i$ the value of the $i$th risk factor, $\bar X_i$ the corresponding mean, and $p$ the number of risk factors.
""",
    source="D'Agostino et al., General cardiovascular risk profile for use in primary care, 2008",
    shapes=("input S_0[]",),
    S_0="",
    beta="3",
    X="3",
    X_bar="3",
)
def cardiovascular_risk(S_0, beta, X, X_bar):
    s = sum(beta[i] * X[i] for i in range(3)) - sum(beta[i] * X_bar[i] for i in range(3))
    return 1 - S_0 ** math.exp(s)


@formula(
    r"""
The net benefit of treating those with predicted risk $\hat{p}_i$ of at least $p_t$ is
\begin{equation}
\mathrm{NB} = \frac{1}{n} \sum_{i=1}^{n} \mathbb{1}(\hat{p}_i \geq p_t)\, y_i - \frac{p_t}{1 - p_t}\, \frac{1}{n} \sum_{i=1}^{n} \mathbb{1}(\hat{p}_i \geq p_t)\,(1 - y_i).
\end{equation}
""",
    source="Vickers and Elkin, Decision curve analysis, 2006",
    p_hat=lambda r: r.uniform(0, 1, 6),
    p_t=lambda r: np.array(0.4),
    y=lambda r: np.array([0.0, 1, 1, 0, 1, 0]),
)
def net_benefit(p_hat, p_t, y):
    true = sum(y[i] for i in range(6) if p_hat[i] >= p_t)
    false = sum(1 - y[i] for i in range(6) if p_hat[i] >= p_t)
    return true / 6 - p_t / (1 - p_t) * false / 6


@formula(
    r"""
For a combination of $n$ drugs at the $x$\% inhibition level, the combination index is
\begin{equation}
{}^{n}(CI)_x = \sum_{j=1}^{n} \frac{(D)_j}{(D_x)_j}
\end{equation}
""",
    source="Chou, Theoretical basis, experimental design, and computerized simulation of synergism and antagonism, 2006",
    leaves_open="a superscript in front of a name in brackets",
    D="3",
)
def combination_index(D):
    return D


@formula(
    r"""
The combination index is given by \(\mathrm{CI} = \sum_{j=1}^{n} (D)_j / (D_x)_j\), where $(D)_j$ is the dose of drug $j$ in the combination and $(D_x)_j$ the dose of drug $j$ alone:
\begin{equation}
\mathrm{CI} = \sum_{j=1}^{n} \frac{(D)_j}{(D_x)_j}
\end{equation}
""",
    source="Chou and Talalay, Quantitative analysis of dose-effect relationships, 1984",
    D="3",
    D_x="3",
)
def doses_in_combination(D, D_x):
    return sum(D[j] / D_x[j] for j in range(3))


@formula(
    r"""
\begin{equation}
\mathrm{MTT} = \frac{\sum_{i=1}^{N} t_i\, C(t_i)\, \Delta t_i}{\sum_{i=1}^{N} C(t_i)\, \Delta t_i}
\end{equation}
""",
    source="Meier and Zierler, On the theory of the indicator-dilution method, 1954; as papers on perfusion print it",
    shapes=("input C[N]",),
    t="4",
    C="4",
    Delta_t="4",
)
def mean_transit_time(t, C, Delta_t):
    top = sum(t[i] * C[i] * Delta_t[i] for i in range(4))
    return top / sum(C[i] * Delta_t[i] for i in range(4))


@formula(
    r"""
\begin{equation}
    E_i = E_0 + \frac{E_{\max} \, C_i^{\gamma}}{\mathrm{EC}_{50}^{\gamma} + C_i^{\gamma}}, \quad i = 1, \dots, n
\end{equation}
""",
    source="Holford and Sheiner, Understanding the dose-effect relationship, 1981",
    E_0="",
    E_max="",
    shapes=("input gamma[]",),
    C="4",
    gamma="",
    EC_50="",
)
def sigmoid_effect(E_0, E_max, C, gamma, EC_50):
    return np.array([E_0 + E_max * c**gamma / (EC_50**gamma + c**gamma) for c in C])


@formula(
    r"""
The global field power at time $t$ is the standard deviation across the $N$ electrodes,
\begin{equation}
GFP(t) = \sqrt{ \frac{1}{N} \sum_{i=1}^{N} \left( V_i(t) - \bar{V}(t) \right)^2 }
\end{equation}
where $\bar{V}(t) = \frac{1}{N} \sum_{i=1}^{N} V_i(t)$.
""",
    source="Lehmann and Skrandies, Reference-free identification of components of checkerboard-evoked multichannel potential fields, 1980",
    shapes=("input V[N, T]",),
    output="GFP",
    V=lambda r: normal(r, 4, 3),
)
def global_field_power(V):
    out = np.zeros(3)
    for t in range(3):
        mean = sum(V[i, t] for i in range(4)) / 4
        out[t] = math.sqrt(sum((V[i, t] - mean) ** 2 for i in range(4)) / 4)
    return out


@formula(
    r"""
\begin{align*}
\mathrm{SDNN} &= \sqrt{\frac{1}{N-1}\sum_{n=1}^{N} \left[ RR_n - \overline{RR} \right]^2} \\
\mathrm{RMSSD} &= \sqrt{\frac{1}{N-1}\sum_{n=1}^{N-1} \left[ RR_{n+1} - RR_n \right]^2}
\end{align*}
where $\overline{RR} = \frac{1}{N}\sum_{n=1}^N RR_n$.
""",
    source="Task Force of the European Society of Cardiology, Heart rate variability, 1996; as papers print it",
    output="RMSSD",
    RR="5",
    shapes=("input RR[N]",),
)
def successive_differences(RR):
    return math.sqrt(sum((RR[n + 1] - RR[n]) ** 2 for n in range(4)) / 4)


@formula(
    r"""
Heterogeneity was quantified by
\begin{equation}
Q = \sum_{i=1}^{k} w_i (\hat\theta_i - \hat\theta)^2, \qquad I^2 = \frac{Q - (k-1)}{Q},
\end{equation}
with $\hat\theta = \sum_{i=1}^{k} w_i \hat\theta_i / \sum_{i=1}^{k} w_i$.
""",
    source="Higgins and Thompson, Quantifying heterogeneity in a meta-analysis, 2002",
    output="I_squared",
    w="5",
    theta_hat=lambda r: 5 * normal(r, 5),
)
def heterogeneity(w, theta_hat):
    mean = sum(w[i] * theta_hat[i] for i in range(5)) / sum(w)
    q = sum(w[i] * (theta_hat[i] - mean) ** 2 for i in range(5))
    return (q - 4) / q


@formula(
    r"""
The attenuation of a polychromatic beam with spectrum $\Omega_e$ along ray $i$ is modelled by
\begin{equation}
\bar{y}_i = \sum_{e=1}^{E} \Omega_e \exp\Bigl( - \sum_{m=1}^{M} \mu_{me} \, p_{im} \Bigr), \qquad p_{im} = \sum_{j=1}^{J} a_{ij} f_{jm}.
\end{equation}
""",
    source="Elbakri and Fessler, Statistical image reconstruction for polyenergetic X-ray computed tomography, 2002",
    output="y_bar",
    Omega="3",
    mu="2 3",
    a="4 5",
    f="5 2",
)
def polychromatic_beam(Omega, mu, a, f):
    out = np.zeros(4)
    for i in range(4):
        p = [sum(a[i, j] * f[j, m] for j in range(5)) for m in range(2)]
        for e in range(3):
            out[i] += Omega[e] * math.exp(-sum(mu[m, e] * p[m] for m in range(2)))
    return out
