"""Formulas of elections, wakes, comfort, kinship, pottery, eyes, lifting, stocks of parts, credibility, soils, yarns, fires, batteries, peptides, auctions and rivers."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The effective number of parties that win $s_i$ of the seats is
\begin{equation}
N_2 = \frac{1}{\sum_{i=1}^{n} s_i^2}, \qquad s_i = \frac{S_i}{\sum_{j=1}^{n} S_j},
\end{equation}
where $S_i$ is the number of seats of party $i$.
""",
    source="Laakso, Taagepera, Effective number of parties, 1979",
    output="N_2",
    S=lambda r: r.uniform(1, 50, 5),
)
def effective_parties(S):
    return 1 / sum((s / S.sum()) ** 2 for s in S)


@formula(
    r"""
We measure the disproportionality of an election by the least squares index
\[
\mathrm{LSq} = \sqrt{\frac{1}{2} \sum_{i=1}^{n} (v_i - s_i)^2},
\]
with $v_i$ and $s_i$ the shares of votes and seats of party $i = 1, \dots, n$.
""",
    source="Gallagher, Proportionality, disproportionality and electoral systems, 1991",
    v="5",
    s="5",
)
def disproportion_of_seats(v, s):
    return np.sqrt(0.5 * sum((v[i] - s[i]) ** 2 for i in range(5)))


@formula(
    r"""
The wind speed in the wake of turbine $j$ at the distance $x_{ij}$ behind it is reduced, and the wakes of all turbines upstream of turbine $i$ are added as
\begin{equation}
u_i = u_\infty \left[ 1 - \sqrt{ \sum_{j=1}^{N} \left( \frac{1 - \sqrt{1 - C_T}}{\left( 1 + k x_{ij} / r_0 \right)^2} \right)^2 } \right],
\end{equation}
where $r_0$ is the radius of the rotor, $k$ the decay constant and $C_T$ the thrust coefficient.
""",
    source="Katic, Hojstrup, Jensen, A simple model for cluster efficiency, 1986",
    shapes=("input x[M, N], u_infty[], C_T[], k[], r_0[]",),
    u_infty=lambda r: 9.0,
    C_T=lambda r: 0.8,
    k=lambda r: 0.075,
    x="3 4",
    r_0=lambda r: 0.6,
)
def wakes_of_turbines(u_infty, C_T, k, x, r_0):
    deficit = (1 - np.sqrt(1 - C_T)) / (1 + k * x / r_0) ** 2
    return u_infty * (1 - np.sqrt((deficit**2).sum(1)))


@formula(
    r"""
The annual energy production follows from the frequencies $f_k$ of the wind speeds $v_k$ and from the power curve,
\begin{equation}
\mathrm{AEP} = 8760 \sum_{k=1}^{K} f_k\, \frac{1}{2} \rho A C_{p,k} v_k^3 \,.
\end{equation}
""",
    source="Burton et al., Wind Energy Handbook, 2011, chapter 3",
    f="6",
    rho="",
    A="",
    C_p="6",
    v="6",
)
def annual_energy(f, rho, A, C_p, v):
    return 8760 * sum(f[k] * 0.5 * rho * A * C_p[k] * v[k] ** 3 for k in range(6))


@formula(
    r"""
The predicted percentage of dissatisfied is a function of the predicted mean vote $\mathrm{PMV}_i$ in zone $i$,
\begin{equation}
\mathrm{PPD}_i = 100 - 95 \exp\left( -0.03353\, \mathrm{PMV}_i^4 - 0.2179\, \mathrm{PMV}_i^2 \right).
\end{equation}
""",
    source="Fanger, Thermal Comfort, 1970; ISO 7730",
    PMV=lambda r: normal(r, 5),
)
def dissatisfied(PMV):
    return 100 - 95 * np.exp(-0.03353 * PMV**4 - 0.2179 * PMV**2)


@formula(
    r"""
The coefficient of inbreeding of an individual is the sum over all paths $p$ between its parents, of $n_p$ individuals each, through the common ancestor $A_p$,
\begin{equation}
F_X = \sum_{p=1}^{P} \left( \frac{1}{2} \right)^{n_p} (1 + F_{A_p}).
\end{equation}
""",
    source="Wright, Coefficients of inbreeding and relationship, 1922",
    leaves_open="the ancestor of a path is an index below an index without a shape",
    n="3",
)
def inbreeding(n):
    return 0.0


@formula(
    r"""
The kinship of a child $i$ with the parents $s(i)$ and $d(i)$ is the mean of theirs, and the genomic relationship of two individuals with the genotypes $M_{ik} \in \{0, 1, 2\}$ and the allele frequencies $p_k$ is
\begin{equation}
G_{ij} = \frac{\sum_{k=1}^{m} (M_{ik} - 2p_k)(M_{jk} - 2p_k)}{2 \sum_{k=1}^{m} p_k (1 - p_k)} .
\end{equation}
""",
    source="VanRaden, Efficient methods to compute genomic predictions, 2008",
    M="4 6",
    p=lambda r: r.uniform(0.1, 0.9, 6),
)
def relationship_of_genotypes(M, p):
    Z = M - 2 * p
    return Z @ Z.T / (2 * (p * (1 - p)).sum())


@formula(
    r"""
Assemblages $a$ and $b$ with the percentages $P_{ia}$ and $P_{ib}$ of the pottery types $i = 1, \dots, n$ agree to the degree
\begin{equation}
\mathrm{BR}_{ab} = 200 - \sum_{i=1}^{n} \left| P_{ia} - P_{ib} \right| .
\end{equation}
""",
    source="Brainerd, The place of chronological ordering in archaeological analysis, 1951; Robinson, 1951",
    P="5 3",
)
def pottery_agreement(P):
    return np.array([[200 - np.abs(P[:, a] - P[:, b]).sum() for b in range(3)] for a in range(3)])


@formula(
    r"""
For the power vectors of $N$ refractions with sphere $S_i$, cylinder $C_i$ and axis $\alpha_i$ we have
\begin{align}
M_i &= S_i + \frac{C_i}{2}, \\
J_{0,i} &= -\frac{C_i}{2} \cos 2\alpha_i, \\
J_{45,i} &= -\frac{C_i}{2} \sin 2\alpha_i,
\end{align}
and the overall blurring strength is $B_i = \sqrt{M_i^2 + J_{0,i}^2 + J_{45,i}^2}$.
""",
    source="Thibos, Wheeler, Horner, Power vectors, 1997",
    output="J_45",
    S="4",
    C="4",
    alpha="4",
)
def blurring_strength(S, C, alpha):
    return -C / 2 * np.sin(2 * alpha)


@formula(
    r"""
The recommended weight limit of task $t$ is the product of six multipliers,
\begin{equation}
\mathrm{RWL}_t = \mathrm{LC} \times \mathrm{HM}_t \times \mathrm{VM}_t \times \mathrm{DM}_t, \qquad \mathrm{HM}_t = \frac{25}{H_t}, \quad \mathrm{VM}_t = 1 - 0.003 \, |V_t - 75|, \quad \mathrm{DM}_t = 0.82 + \frac{4.5}{D_t} .
\end{equation}
""",
    source="Waters et al., Revised NIOSH equation for the design and evaluation of manual lifting tasks, 1993, in part",
    output="RWL",
    LC=lambda r: 23.0,
    H=lambda r: r.uniform(25, 60, 4),
    V=lambda r: r.uniform(0, 170, 4),
    D=lambda r: r.uniform(25, 170, 4),
)
def weight_limits(LC, H, V, D):
    return LC * 25 / H * (1 - 0.003 * np.abs(V - 75)) * (0.82 + 4.5 / D)


@formula(
    r"""
With the demand rates $D_j$, the set-up costs $K_j$ and the holding costs $h_j$ of the items $j = 1, \ldots, n$ the total cost of the order quantities $Q_j$ is
\begin{equation}
TC(Q_1, \ldots, Q_n) = \sum_{j=1}^{n} \left( \frac{K_j D_j}{Q_j} + \frac{h_j Q_j}{2} \right), \qquad Q_j^* = \sqrt{\frac{2 K_j D_j}{h_j}} .
\end{equation}
""",
    source="Harris, How many parts to make at once, 1913; Zipkin, Foundations of Inventory Management, 2000",
    output="Q_star",
    K="4",
    D="4",
    Q="4",
    h="4",
)
def order_quantities(K, D, Q, h):
    return np.sqrt(2 * K * D / h)


@formula(
    r"""
The credibility premium of contract $j$ is $P_j = Z_j \bar{X}_j + (1 - Z_j) \mu$ with
\begin{equation}
Z_j = \frac{w_{j\cdot}}{w_{j\cdot} + \sigma^2/\tau^2}, \qquad \bar{X}_j = \sum_{t=1}^{T} \frac{w_{jt}}{w_{j\cdot}} X_{jt}, \qquad w_{j\cdot} = \sum_{t=1}^{T} w_{jt} .
\end{equation}
""",
    source="Buehlmann, Straub, Glaubwuerdigkeit fuer Schadensaetze, 1970",
    output="X_bar",
    w="3 4",
    X="3 4",
    sigma="",
    tau="",
)
def premium_of_contracts(w, X, sigma, tau):
    return (w * X).sum(1) / w.sum(1)


@formula(
    r"""
The consolidation settlement of the layers $i$ of thickness $H_i$, initial void ratio $e_{0,i}$ and compression index $C_{c,i}$ is
\begin{equation}
S_c = \sum_{i=1}^{n} \frac{C_{c,i} H_i}{1 + e_{0,i}} \log_{10} \frac{\sigma'_{0,i} + \Delta\sigma_i}{\sigma'_{0,i}} .
\end{equation}
""",
    source="Terzaghi, Peck, Mesri, Soil Mechanics in Engineering Practice, 1996, article 16",
    shapes=("size n", "input C_c[n], e_0[n], sigma_prime_0[n]"),
    C_c="4",
    H="4",
    e_0="4",
    sigma_prime_0="4",
    Delta_sigma="4",
)
def settlement(C_c, H, e_0, sigma_prime_0, Delta_sigma):
    ratio = (sigma_prime_0 + Delta_sigma) / sigma_prime_0
    return (C_c * H / (1 + e_0) * np.log10(ratio)).sum()


@formula(
    r"""
Bishop's simplified method gives the factor of safety of a slope by the slices $i = 1, \dots, n$ as
\begin{equation}
F = \frac{\sum_{i=1}^{n} \left[ c' b_i + (W_i - u_i b_i) \tan\phi' \right] / m_i}{\sum_{i=1}^{n} W_i \sin\alpha_i}, \qquad m_i = \cos\alpha_i \left( 1 + \frac{\tan\alpha_i \tan\phi'}{F_0} \right)
\end{equation}
with the estimate $F_0$ of the iteration before.
""",
    source="Bishop, The use of the slip circle in the stability analysis of slopes, 1955",
    output="F",
    c_prime="",
    b="4",
    W="4",
    u="4",
    phi_prime=lambda r: 0.5,
    alpha=lambda r: r.uniform(0.1, 0.6, 4),
    F_0=lambda r: 1.3,
)
def safety_of_slopes(c_prime, b, W, u, phi_prime, alpha, F_0):
    m = np.cos(alpha) * (1 + np.tan(alpha) * np.tan(phi_prime) / F_0)
    top = ((c_prime * b + (W - u * b) * np.tan(phi_prime)) / m).sum()
    return top / (W * np.sin(alpha)).sum()


@formula(
    r"""
The yarn irregularity is measured by the mean deviation $U$ and the coefficient of variation in per cent,
\begin{equation}
U = \frac{100}{\bar{x} N} \sum_{i=1}^{N} |x_i - \bar{x}|, \qquad \mathrm{CV} = \frac{100}{\bar{x}} \sqrt{\frac{1}{N-1} \sum_{i=1}^{N} (x_i - \bar{x})^2},
\end{equation}
where $\bar{x}$ is the mean linear density.
""",
    source="Uster Technologies, Uster Statistics, 2018",
    output="CV",
    x="6",
)
def yarn_irregularity(x):
    return 100 / x.mean() * np.sqrt(((x - x.mean()) ** 2).sum() / 5)


@formula(
    r"""
The heat release rate of a fire with several fuels $k$ grows as
\begin{equation}
\dot{Q}(t) = \sum_{k=1}^{K} \chi_k \Delta H_{c,k} \, \dot{m}''_{\infty,k} A_k \left( 1 - e^{-\kappa_k \beta_k D} \right),
\end{equation}
where $D$ is the diameter of the pool.
""",
    source="Babrauskas, Estimating large pool fire burning rates, 1983",
    chi="3",
    Delta_H_c="3",
    m_dot_prime_prime_infty="3",
    A="3",
    kappa="3",
    beta="3",
    D="",
)
def heat_release(chi, Delta_H_c, m_dot_prime_prime_infty, A, kappa, beta, D):
    return (chi * Delta_H_c * m_dot_prime_prime_infty * A * (1 - np.exp(-kappa * beta * D))).sum()


@formula(
    r"""
Coulomb counting over the samples $k = 1, \dots, n$ of the current gives the state of charge
\begin{equation}
\mathrm{SOC}_n = \mathrm{SOC}_0 - \frac{\eta \, \Delta t}{3600\, C_N} \sum_{k=1}^{n} I_k
\end{equation}
""",
    source="Plett, Battery Management Systems, 2015, section 3.2",
    shapes=("input SOC_0[], eta[], C_N[]",),
    SOC_0=lambda r: 0.9,
    eta="",
    Delta_t="",
    C_N="",
    I="5",
)
def state_of_charge(SOC_0, eta, Delta_t, C_N, I):
    return SOC_0 - eta * Delta_t / (3600 * C_N) * I.sum()


@formula(
    r"""
The open-circuit voltage of the cell is fitted with $K$ terms, and the terminal voltage for the RC branches $j$ is
\begin{equation}
V = \mathrm{OCV} - R_0 I - \sum_{j=1}^{J} R_j I \left( 1 - e^{-t/(R_j C_j)} \right).
\end{equation}
""",
    source="Hu, Li, Peng, A comparative study of equivalent circuit models for Li-ion batteries, 2012",
    shapes=("size J", "input R_0[], R[J], C[J]"),
    OCV=lambda r: 3.7,
    R_0="",
    I="",
    R="3",
    t="",
    C="3",
)
def terminal_voltage(OCV, R_0, I, R, t, C):
    return OCV - R_0 * I - sum(R[j] * I * (1 - np.exp(-t / (R[j] * C[j]))) for j in range(3))


@formula(
    r"""
The mass of the $b$ and $y$ ions of a peptide with the residue masses $m_1, \dots, m_L$ is
\begin{equation}
b_i = \sum_{k=1}^{i} m_k + m_{\mathrm{H}}, \qquad y_i = \sum_{k=L-i+1}^{L} m_k + m_{\mathrm{H_2O}} + m_{\mathrm{H}}, \qquad i = 1, \dots, L-1 .
\end{equation}
""",
    source="Steen, Mann, The ABC's (and XYZ's) of peptide sequencing, 2004",
    output="b",
    m="5",
    m_H=lambda r: 1.00728,
    m_H_2O=lambda r: 18.0106,
)
def peptide_ions(m, m_H, m_H_2O):
    return np.array([m[: i + 1].sum() + m_H for i in range(4)])


@formula(
    r"""
The spectral contrast angle between the intensities $a_i$ and $b_i$ of two spectra is
\begin{equation}
\mathrm{SA} = 1 - \frac{2}{\pi} \arccos\left( \frac{\sum_i a_i b_i}{\sqrt{\sum_i a_i^2 \sum_i b_i^2}} \right).
\end{equation}
""",
    source="Toprak et al., Conserved peptide fragmentation as a benchmarking tool, 2014",
    a="6",
    b="6",
)
def angle_of_spectra(a, b):
    return 1 - 2 / np.pi * np.arccos((a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum()))


@formula(
    r"""
In a generalised second-price auction the advertiser in slot $i$ with the click-through rate $\alpha_i$ pays the next bid; the revenue is
\begin{equation}
R = \sum_{i=1}^{k} \alpha_i b_{i+1}, \qquad b_1 \ge b_2 \ge \dots \ge b_{k+1} .
\end{equation}
""",
    source="Edelman, Ostrovsky, Schwarz, Internet advertising and the generalized second-price auction, 2007",
    alpha="4",
    b="5",
)
def revenue_of_slots(alpha, b):
    return sum(alpha[i] * b[i + 1] for i in range(4))


@formula(
    r"""
The lethality of a thermal process with the temperatures $T_k$ at the times $t_k$ is obtained from
\begin{equation}
F_0 = \sum_{k=1}^{n} 10^{(T_k - 121.1)/z} \, \Delta t ,
\end{equation}
with $z = 10$.
""",
    source="Ball, Olson, Sterilization in Food Technology, 1957",
    T=lambda r: r.uniform(110, 125, 6),
    z=lambda r: 10.0,
    Delta_t="",
)
def lethality(T, z, Delta_t):
    return (10 ** ((T - 121.1) / 10.0) * Delta_t).sum()


@formula(
    r"""
The composite discharge in a channel divided into subsections with area $A_j$, wetted perimeter $P_j$ and roughness $n_j$ is
\begin{equation}
Q = S^{1/2} \sum_{j=1}^{N} \frac{A_j^{5/3}}{n_j P_j^{2/3}}, \qquad \alpha = \frac{\left( \sum_j A_j \right)^2}{K^3} \sum_{j=1}^{N} \frac{K_j^3}{A_j^2},
\end{equation}
with the conveyances $K_j = A_j^{5/3} / (n_j P_j^{2/3})$ and $K = \sum_j K_j$.
""",
    source="Chow, Open-Channel Hydraulics, 1959, chapter 6",
    output="alpha",
    S="",
    A="4",
    n="4",
    P="4",
)
def velocity_coefficient(S, A, n, P):
    K = A ** (5 / 3) / (n * P ** (2 / 3))
    return A.sum() ** 2 / K.sum() ** 3 * (K**3 / A**2).sum()


@formula(
    r"""
Reineke's stand density index of a stand with $n$ trees of diameter $d_i$ (in cm) on the area $a$ is
\[
\mathrm{SDI} = \frac{1}{a} \sum_{i=1}^{n} \left( \frac{d_i}{25.4} \right)^{1.605},
\]
and its basal area $G = \frac{\pi}{40000\,a} \sum_{i=1}^n d_i^2$.
""",
    source="Reineke, Perfecting a stand-density index for even-aged forests, 1933; Zeide, 1983",
    output="SDI",
    a="",
    d=lambda r: r.uniform(5, 40, 6),
)
def stand_density(a, d):
    return ((d / 25.4) ** 1.605).sum() / a


@formula(
    r"""
The viscosity of a silicate melt depends on its temperature by the VFT equation, whose coefficients are linear in the mole fractions $x_j$ of the oxides,
\begin{equation}
\log_{10} \eta = A + \frac{B}{T - C}, \qquad B = \sum_{j=1}^{m} b_j x_j, \quad C = \sum_{j=1}^{m} c_j x_j .
\end{equation}
""",
    source="Giordano, Russell, Dingwell, Viscosity of magmatic liquids, 2008, without cross terms",
    output="log10_eta",
    A=lambda r: -4.55,
    T=lambda r: 1400.0,
    b="5",
    x="5",
    c="5",
)
def melt_viscosity(A, T, b, x, c):
    return A + (b @ x) / (T - c @ x)


@formula(
    r"""
A system of components with the reliabilities $R_1, \dots, R_n$ works if at least one of the $m$ parallel paths works; with $x_{pi} = 1$ if component $i$ is on path $p$,
\begin{equation}
R_{\mathrm{sys}} = 1 - \prod_{p=1}^{m} \left( 1 - \prod_{i=1}^{n} R_i^{x_{pi}} \right).
\end{equation}
""",
    source="Rausand, Hoyland, System Reliability Theory, 2004, for disjoint paths",
    R=lambda r: r.uniform(0.5, 0.99, 4),
    x=lambda r: (r.uniform(0, 1, (3, 4)) > 0.5).astype(float),
)
def reliability_of_paths(R, x):
    return 1 - np.prod([1 - np.prod(R ** x[p]) for p in range(3)])


@formula(
    r"""
The ground-motion prediction equation for the magnitudes $M_i$ and the distances $R_{ij}$ from event $i$ to station $j$ reads
\begin{equation}
\ln Y_{ij} = c_1 + c_2 M_i + c_3 (8.5 - M_i)^2 + (c_4 + c_5 M_i) \ln \sqrt{R_{ij}^2 + h^2} + c_6 S_j ,
\end{equation}
where $S_j$ is 1 for soil and 0 for rock.
""",
    source="Abrahamson, Silva, Empirical response spectral attenuation relations, 1997, simplified",
    c_1="",
    c_2="",
    M="3",
    c_3="",
    c_4="",
    c_5="",
    R="3 4",
    h="",
    c_6="",
    S="4",
)
def attenuation_at_stations(c_1, c_2, M, c_3, c_4, c_5, R, h, c_6, S):
    M = M[:, None]
    distance = np.log(np.sqrt(R**2 + h**2))
    return c_1 + c_2 * M + c_3 * (8.5 - M) ** 2 + (c_4 + c_5 * M) * distance + c_6 * S


@formula(
    r"""
The posterior weights of a mixture of $K$ normal densities with the parameters $\boldsymbol{\pi}, \boldsymbol{\mu}, \boldsymbol{\sigma}$ are
\begin{equation}
\gamma_{nk} = \frac{\pi_k \frac{1}{\sqrt{2\pi}\, \sigma_k} e^{-(x_n - \mu_k)^2 / (2\sigma_k^2)}}{\sum_{l=1}^{K} \pi_l \frac{1}{\sqrt{2\pi}\, \sigma_l} e^{-(x_n - \mu_l)^2 / (2\sigma_l^2)}} .
\end{equation}
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, equation 9.13, in one dimension",
    pi=lambda r: r.uniform(0.1, 0.9, 3),
    sigma="3",
    x=lambda r: normal(r, 5),
    mu=lambda r: normal(r, 3),
)
def written_posterior(pi, sigma, x, mu):
    weighted = pi * np.exp(-((x[:, None] - mu) ** 2) / (2 * sigma**2)) / sigma
    return weighted / weighted.sum(1, keepdims=True)
