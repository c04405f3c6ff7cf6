"""Formulas as papers on surveys, votes, ages, towns, insurance, stars, codes, fish and choices under risk print them."""

from __future__ import annotations

import math

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
Let $y_i$ be the value of unit $i$ and $\pi_i$ its inclusion probability. The Horvitz--Thompson estimator of the total is
\begin{equation}
\hat{Y}_{HT} = \sum_{i=1}^{n} \frac{y_i}{\pi_i}
\end{equation}
""",
    source="Horvitz and Thompson, A generalization of sampling without replacement from a finite universe, 1952",
    y="4",
    pi="4",
)
def inclusion_weighted_total(y, pi):
    return sum(y[i] / pi[i] for i in range(4))


@formula(
    r"""
An unbiased estimator of the variance is
\[
\hat{V}(\hat{Y}) = \sum_{i=1}^{n} \sum_{j=1}^{n} \frac{\pi_{ij} - \pi_i \pi_j}{\pi_{ij}} \, \frac{y_i}{\pi_i} \, \frac{y_j}{\pi_j}
\]
with $\pi_{ii} = \pi_i$.
""",
    source="Saerndal, Swensson and Wretman, Model Assisted Survey Sampling, 1992, section 2.8",
    leaves_open="two tensors of the name `\\pi`",
    y="4",
)
def variance_of_total(y):
    return y


@formula(
    r"""
If player A has rating $R_A$ and player B has rating $R_B$, the expected score of player A is
$$E_A = \frac{1}{1 + 10^{(R_B - R_A)/400}}.$$
""",
    source="Elo, The Rating of Chessplayers, Past and Present, 1978",
    R_B=lambda r: np.array(1500.0),
    R_A=lambda r: np.array(1700.0),
)
def expected_score(R_B, R_A):
    return 1 / (1 + 10 ** ((R_B - R_A) / 400))


@formula(
    r"""
The effective number of parties is $N = 1/\sum_{i=1}^{n} p_i^2$, and disproportionality is measured by the least squares index
\begin{equation}
\text{LSq} = \sqrt{\tfrac{1}{2} \sum_{i=1}^{n} (V_i - S_i)^2}
\end{equation}
""",
    source="Gallagher, Proportionality, disproportionality and electoral systems, 1991",
    V="4",
    S="4",
)
def least_squares_of_votes(V, S):
    return math.sqrt(sum((V[i] - S[i]) ** 2 for i in range(4)) / 2)


@formula(
    r"""
The net reproductive rate and the mean generation time follow from survivorship $l_x$ and fecundity $m_x$ as
\begin{equation}
R_0 = \sum_{x=0}^{\omega} l_x m_x, \qquad T = \frac{\sum_{x=0}^{\omega} x\, l_x m_x}{R_0},
\end{equation}
where $\omega$ is the oldest age class.
""",
    source="Caswell, Matrix Population Models, 2001, section 5.3; as textbooks of ecology print it",
    output="T",
    l="5",
    m="5",
)
def generation_time(l, m):
    return sum(x * l[x] * m[x] for x in range(5)) / sum(l[x] * m[x] for x in range(5))


@formula(
    r"""
The frequency of the element of rank $k$ in a population of $N$ elements is predicted to be
\begin{equation}
f(k; s, N) = \frac{1/k^s}{\sum_{n=1}^{N} (1/n^s)}, \qquad k = 1, \ldots, N
\end{equation}
""",
    source="Zipf, Human Behavior and the Principle of Least Effort, 1949; as an encyclopedia prints it",
    shapes=("size N = 5",),
    s="",
)
def rank_frequency(s):
    total = sum(1 / n**s for n in range(1, 6))
    return np.array([1 / k**s / total for k in range(1, 6)])


@formula(
    r"""
The index of dissimilarity is
\begin{equation}
D = \frac{1}{2} \sum_{i=1}^{n} \left| \frac{b_i}{B} - \frac{w_i}{W} \right|
\end{equation}
where $b_i$ and $w_i$ are the numbers of Blacks and Whites in tract $i$, and $B$ and $W$ are their totals in the city.
""",
    source="Duncan and Duncan, A methodological analysis of segregation indexes, 1955",
    b="4",
    B="",
    w="4",
    W="",
)
def dissimilarity(b, B, w, W):
    return sum(abs(b[i] / B - w[i] / W) for i in range(4)) / 2


@formula(
    r"""
\begin{equation}
X_{ij} = G \, \frac{Y_i^{\beta_1} Y_j^{\beta_2}}{D_{ij}^{\beta_3}} \, e^{\beta_4 L_{ij}}
\end{equation}
where $Y_i$ is the gross domestic product of country $i$ and $L_{ij} = 1$ if the countries share a language.
""",
    source="Tinbergen, Shaping the World Economy, 1962; as papers on gravity models print it",
    G="",
    Y="3",
    beta_1="",
    beta_2="",
    D="3 3",
    beta_3="",
    beta_4="",
    L="3 3",
)
def gravity_trade(G, Y, beta_1, beta_2, D, beta_3, beta_4, L):
    out = np.zeros((3, 3))
    for i, j in np.ndindex(3, 3):
        mass = Y[i] ** beta_1 * Y[j] ** beta_2
        out[i, j] = G * mass / D[i, j] ** beta_3 * math.exp(beta_4 * L[i, j])
    return out


@formula(
    r"""
The probability that a consumer at $i$ shops at $j$ is given by
\[
P_{ij} = \frac{A_j^{\alpha} D_{ij}^{-\beta}}{\sum_{j=1}^{n} A_j^{\alpha} D_{ij}^{-\beta}}, \qquad E_j = \sum_{i=1}^{m} P_{ij} C_i .
\]
""",
    source="Huff, Defining and estimating a trading area, 1964",
    output="E",
    shapes=("input alpha[]",),
    A="3",
    alpha="",
    D="4 3",
    beta="",
    C="4",
)
def expected_customers(A, alpha, D, beta, C):
    out = np.zeros(3)
    for i in range(4):
        each = [A[j] ** alpha * D[i, j] ** -beta for j in range(3)]
        for j in range(3):
            out[j] += each[j] / sum(each) * C[i]
    return out


@formula(
    r"""
The actuarial present value of a life annuity-due is
\begin{equation}
\ddot{a}_x = \sum_{k=0}^{\omega - x} v^k \, {}_k p_x
\end{equation}
""",
    source="Bowers et al., Actuarial Mathematics, 1997, chapter 5",
    leaves_open="a subscript in front of its name, and no range of `x`",
    v="",
)
def life_annuity(v):
    return v


@formula(
    r"""
The B\"uhlmann credibility premium of contract $i$ is
\begin{equation}
P_i = Z \bar{X}_i + (1 - Z) \bar{\bar{X}}, \quad Z = \frac{n}{n + \kappa}, \quad \bar{X}_i = \frac{1}{n}\sum_{j=1}^{n} X_{ij}, \quad \bar{\bar{X}} = \frac{1}{m} \sum_{i=1}^{m} \bar{X}_i .
\end{equation}
""",
    source="Buehlmann, Experience rating and credibility, 1967",
    output="P",
    kappa="",
    X="4 3",
)
def credibility_premium(kappa, X):
    z = 3 / (3 + kappa)
    means = [sum(X[i, j] for j in range(3)) / 3 for i in range(4)]
    return np.array([z * means[i] + (1 - z) * sum(means) / 4 for i in range(4)])


@formula(
    r"""
The combined magnitude of unresolved stars is
\begin{equation}
m_{\rm tot} = -2.5 \log_{10} \left( \sum_{i=1}^{N} 10^{-0.4\, m_i} \right).
\end{equation}
""",
    source="Carroll and Ostlie, An Introduction to Modern Astrophysics, 1996, chapter 3",
    m="4",
)
def combined_magnitude(m):
    return -2.5 * math.log10(sum(10 ** (-0.4 * m[i]) for i in range(4)))


@formula(
    r"""
We use the estimator
\begin{equation}
\hat{\xi}(r_k) = \frac{DD(r_k) - 2 DR(r_k) + RR(r_k)}{RR(r_k)}
\end{equation}
where $DD$, $DR$ and $RR$ are normalised counts of pairs.
""",
    source="Landy and Szalay, Bias and variance of angular correlation functions, 1993",
    shapes=("input DD[K], DR[K], RR[K]",),
    DD="4",
    DR="4",
    RR="4",
)
def pair_count_estimator(DD, DR, RR):
    return np.array([(DD[k] - 2 * DR[k] + RR[k]) / RR[k] for k in range(4)])


@formula(
    r"""
For a cluster with $N$ galaxies, the virial mass is $M = \frac{3\pi}{2} \sigma_P^2 R_{PV}/G$, where the projected virial radius is
\begin{equation}
R_{PV} = \frac{N(N-1)}{\sum_{i>j} R_{ij}^{-1}}
\end{equation}
""",
    source="Girardi et al., Optical mass estimates of galaxy clusters, 1998",
    N=lambda r: np.array(4.0),
    R="4 4",
)
def projected_radius(N, R):
    return 4 * 3 / sum(1 / R[i, j] for i in range(4) for j in range(i))


@formula(
    r"""
Under the Kimura model, the distance between the sequences $i$ and $j$ is
\begin{equation}
d_{ij} = -\frac{1}{2} \ln \left[ (1 - 2 P_{ij} - Q_{ij}) \sqrt{1 - 2 Q_{ij}} \right]
\end{equation}
where $P_{ij}$ and $Q_{ij}$ are the proportions of transitions and transversions.
""",
    source="Kimura, A simple method for estimating evolutionary rates of base substitutions, 1980",
    P=lambda r: r.uniform(0.0, 0.2, (3, 3)),
    Q=lambda r: r.uniform(0.0, 0.2, (3, 3)),
)
def two_parameter_distance(P, Q):
    out = np.zeros((3, 3))
    for i, j in np.ndindex(3, 3):
        p, q = P[i, j], Q[i, j]
        out[i, j] = -0.5 * math.log((1 - 2 * p - q) * math.sqrt(1 - 2 * q))
    return out


@formula(
    r"""
In the sum-product algorithm check node $m$ of degree $d$ sends to its neighbour $n$ the message
\begin{equation}
L_{mn} = 2 \tanh^{-1} \left( \prod_{\substack{n'=1 \\ n' \neq n}}^{d} \tanh\left( \frac{Z_{mn'}}{2} \right) \right)
\end{equation}
""",
    source="Chen et al., Reduced-complexity decoding of LDPC codes, 2005; dense",
    Z=lambda r: normal(r, 3, 4),
)
def check_messages(Z):
    out = np.zeros((3, 4))
    for m, n in np.ndindex(3, 4):
        p = math.prod(math.tanh(Z[m, k] / 2) for k in range(4) if k != n)
        out[m, n] = 2 * math.atanh(p)
    return out


@formula(
    r"""
Catch at age follows the Baranov equation,
\begin{equation}
C_{a,y} = \frac{F_{a,y}}{Z_{a,y}} \left( 1 - e^{-Z_{a,y}} \right) N_{a,y}, \qquad Z_{a,y} = F_{a,y} + M_a, \qquad F_{a,y} = s_a F_y
\end{equation}
where $s_a$ is selectivity at age $a$ and $F_y$ the fully selected fishing mortality in year $y$.
""",
    source="Quinn and Deriso, Quantitative Fish Dynamics, 1999, chapter 8",
    output="C",
    s="3",
    F_y="4",
    M="3",
    N="3 4",
)
def catch_at_age(s, F_y, M, N):
    out = np.zeros((3, 4))
    for a, y in np.ndindex(3, 4):
        fishing = s[a] * F_y[y]
        total = fishing + M[a]
        out[a, y] = fishing / total * (1 - math.exp(-total)) * N[a, y]
    return out


@formula(
    r"""
\begin{equation}
B = \sum_{a=0}^{A} w_a\, m_a N_a e^{-\tau (f_a + M)}
\end{equation}
where $\tau$ is the fraction of the year before spawning, and $M$ is natural mortality.
""",
    source="Haddon, Modelling and Quantitative Methods in Fisheries, 2011; spawning biomass",
    w="4",
    m="4",
    N="4",
    tau="",
    f="4",
    M="",
)
def spawning_biomass(w, m, N, tau, f, M):
    return sum(w[a] * m[a] * N[a] * math.exp(-tau * (f[a] + M)) for a in range(4))


@formula(
    r"""
The value of the prospect $(x_1, p_1; \ldots; x_n, p_n)$ is
\begin{equation}
V = \sum_{i=1}^{n} \pi(p_i) v(x_i)
\end{equation}
with
\begin{equation}
v(x) = \begin{cases} x^{\alpha} & \text{if } x \ge 0, \\ -\lambda (-x)^{\beta} & \text{if } x < 0, \end{cases} \qquad \pi(p) = \frac{p^{\gamma}}{\left( p^{\gamma} + (1-p)^{\gamma} \right)^{1/\gamma}}.
\end{equation}
""",
    source="Tversky and Kahneman, Advances in prospect theory, 1992",
    shapes=("input lambda[]",),
    p=lambda r: r.uniform(0.1, 0.9, 4),
    x=lambda r: normal(r, 4),
    alpha="",
    lambda_="",
    beta="",
    gamma="",
)
def prospect_value(p, x, alpha, lambda_, beta, gamma):
    out = 0.0
    for i in range(4):
        v = x[i] ** alpha if x[i] >= 0 else -lambda_ * (-x[i]) ** beta
        w = p[i] ** gamma / (p[i] ** gamma + (1 - p[i]) ** gamma) ** (1 / gamma)
        out += w * v
    return out


@formula(
    r"""
Following \citet{Feenstra1994}, the exact price index is
\begin{equation}
\ln P_t = \sum_{i=1}^{n} \omega_{it} \ln\left(\frac{p_{it}}{p_{i0}}\right), \quad \omega_{it} = \frac{\left(s_{it} - s_{i0}\right)/\left(\ln s_{it} - \ln s_{i0}\right)}{\sum_{i=1}^{n} \left(s_{it} - s_{i0}\right)/\left(\ln s_{it} - \ln s_{i0}\right)}, \quad t = 1, \ldots, T
\end{equation}
""",
    source="Feenstra, New product varieties and the measurement of international prices, 1994; Sato and Vartia",
    s="3 4",
    p="3 4",
)
def exact_price_index(s, p):
    out = np.zeros(3)
    for t in range(1, 4):
        w = [(s[i, t] - s[i, 0]) / (math.log(s[i, t]) - math.log(s[i, 0])) for i in range(3)]
        out[t - 1] = sum(w[i] / sum(w) * math.log(p[i, t] / p[i, 0]) for i in range(3))
    return out
