"""Formulas of many fields with the sentences around them, in the notation of their fields."""

from __future__ import annotations

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
ET_o = \frac{0.408 \Delta (R_n - G) + \gamma \frac{900}{T + 273} u_2 (e_s - e_a)}{\Delta + \gamma (1 + 0.34 u_2)}
\end{equation}
where $ET_o$ is the reference evapotranspiration [mm day$^{-1}$], $R_n$ net radiation at the crop surface, $G$ soil heat flux density,
$T$ mean daily air temperature at 2 m height, $u_2$ wind speed at 2 m height, $e_s$ saturation vapour pressure, $e_a$ actual vapour
pressure, $\Delta$ slope of the vapour pressure curve, and $\gamma$ the psychrometric constant.
""",
    source="Allen et al., Crop evapotranspiration, FAO paper 56, 1998, equation 6",
    Delta="",
    R_n="",
    G="",
    gamma="",
    T="",
    u_2="",
    e_s="",
    e_a="",
)
def reference_evapotranspiration(Delta, R_n, G, gamma, T, u_2, e_s, e_a):
    over = 0.408 * Delta * (R_n - G) + gamma * 900 / (T + 273) * u_2 * (e_s - e_a)
    return over / (Delta + gamma * (1 + 0.34 * u_2))


@formula(
    r"""
The revealed comparative advantage of country $c$ in product $p$ is
\begin{equation}
\mathrm{RCA}_{cp} = \frac{X_{cp}}{\sum_{p'} X_{cp'}} \bigg/ \frac{\sum_{c'} X_{c'p}}{\sum_{c',p'} X_{c'p'}},
\end{equation}
where $X_{cp}$ is the total export of country $c$ in product $p$.
""",
    source="Balassa, 1965; as in Hausmann, Hidalgo et al., The atlas of economic complexity, 2014",
    X="3 4",
    output="RCA",
)
def comparative_advantage(X):
    return (X / X.sum(1, keepdims=True)) / (X.sum(0) / X.sum())


@formula(
    r"""
\begin{equation}
\mathrm{Flatness} = \frac{\sqrt[N]{\prod_{n=0}^{N-1} x(n)}}{\frac{\sum_{n=0}^{N-1} x(n)}{N}} = \frac{\exp\left(\frac{1}{N} \sum_{n=0}^{N-1} \ln x(n)\right)}{\frac{1}{N} \sum_{n=0}^{N-1} x(n)}
\end{equation}
where $x(n)$ represents the magnitude of bin number $n$.
""",
    source="Spectral flatness, as in an encyclopedia; Dubnov, Generalization of spectral flatness measure, 2004",
    x="5",
)
def spectral_flatness(x):
    return np.exp(np.log(x).mean()) / x.mean()


@formula(
    r"""
We use a discrete-time PID controller with sampling time $\Delta t$:
\begin{equation}
  u_k = K_p e_k + K_i \sum_{j=0}^{k} e_j \Delta t + K_d \frac{e_k - e_{k-1}}{\Delta t}, \qquad k \geq 1.
\end{equation}
""",
    source="Astrom, Murray, Feedback systems, 2008, section 10.5, with rectangles for the integral",
    K_p="",
    e="6",
    K_i="",
    Delta_t="",
    K_d="",
)
def pid_controller(K_p, e, K_i, Delta_t, K_d):
    return np.array(
        [
            K_p * e[k] + K_i * sum(e[: k + 1]) * Delta_t + K_d * (e[k] - e[k - 1]) / Delta_t
            for k in range(1, 6)
        ]
    )


@formula(
    r"""
The ranked probability score is defined as
\[
  \mathrm{RPS} = \sum_{m=1}^{J} \left[ \left( \sum_{j=1}^{m} y_j \right) - \left( \sum_{j=1}^{m} o_j \right) \right]^2
\]
where $J$ is the number of event categories, $y_j$ is the forecast probability of category $j$, and $o_j$ is 1 if the event occurred in
category $j$ and 0 otherwise.
""",
    source="Wilks, Statistical methods in the atmospheric sciences, 2011, equations 8.48 to 8.50; Epstein, 1969",
    y="4",
    o="4",
)
def ranked_probability_score(y, o):
    return sum((y[: m + 1].sum() - o[: m + 1].sum()) ** 2 for m in range(4))


@formula(
    r"""
\begin{equation}
\mathcal{L}_{lmc} = \frac{1}{N} \sum_i -\log \frac{e^{s(\cos(\theta_{y_i, i}) - m)}}{e^{s(\cos(\theta_{y_i, i}) - m)} + \sum_{j \neq y_i} e^{s \cos(\theta_{j, i})}}
\end{equation}
where $N$ is the number of training samples and $y_i$ is the ground-truth class of the $i$-th sample.
""",
    source="Wang et al., CosFace: large margin cosine loss for deep face recognition, 2018, equation 4",
    shapes=("input theta[C, N], y[N]: 0..C-1",),
    theta="4 5",
    y=lambda r: r.integers(0, 4, 5),
    s="",
    m="",
)
def cosface(theta, y, s, m):
    total = 0.0
    for i in range(5):
        a = np.exp(s * (np.cos(theta[y[i], i]) - m))
        rest = sum(np.exp(s * np.cos(theta[j, i])) for j in range(4) if j != y[i])
        total -= np.log(a / (a + rest))
    return total / 5


@formula(
    r"""
The router z-loss is given by
\begin{equation}
    L_{z}(x) = \frac{1}{B} \sum_{i=1}^{B} \left( \log \sum_{j=1}^{N} e^{x_j^{(i)}} \right)^2
\end{equation}
where $B$ is the number of tokens, $N$ is the number of experts, and $x \in \mathcal{R}^{B \times N}$ are the logits going into the router.
""",
    source="Zoph et al., ST-MoE: designing stable and transferable sparse expert models, 2022, equation 5",
    x="4 3",
)
def router_z_loss(x):
    return np.mean([np.log(np.exp(x[i]).sum()) ** 2 for i in range(4)])


@formula(
    r"""
\begin{equation}
\frac{I(\mu)}{I(1)} = 1 - \sum_{k=1}^{4} c_k \left(1 - \mu^{k/2}\right)
\end{equation}
where $\mu = \cos\theta$.
""",
    source="Claret, A new non-linear limb-darkening law for LTE stellar atmosphere models, 2000, equation 5",
    c="4",
    mu="",
)
def limb_darkening(c, mu):
    return 1 - sum(c[k - 1] * (1 - mu ** (k / 2)) for k in range(1, 5))


@formula(
    r"""
\begin{equation}
\hat{f}_k = \frac{\sum_{j=1}^{I-k} C_{j,k+1}}{\sum_{j=1}^{I-k} C_{jk}}, \quad 1 \le k \le I-1
\end{equation}
are the age-to-age factors, where $C_{jk}$ denotes the accumulated total claims amount of accident year $j$, $1 \leq j \leq I$, either paid
or incurred up to development year $k$, $1 \leq k \leq I$.
""",
    source="Mack, Distribution-free calculation of the standard error of chain ladder reserve estimates, 1993, equation 2",
    shapes=("input C[I, I]",),
    C="4 4",
)
def chain_ladder(C):
    n = 4
    return np.array([C[: n - k, k].sum() / C[: n - k, k - 1].sum() for k in range(1, n)])


@formula(
    r"""
The guided filter assumes $q_i = a_k I_i + b_k$ for all $i \in \omega_k$. The solution is
\begin{eqnarray}
a_k &=& \frac{\frac{1}{|\omega|} \sum_{i \in \omega_k} I_i p_i - \mu_k \bar{p}_k}{\sigma_k^2 + \epsilon}, \\
b_k &=& \bar{p}_k - a_k \mu_k.
\end{eqnarray}
Here, $\mu_k$ and $\sigma_k^2$ are the mean and variance of $I$ in $\omega_k$, $|\omega|$ is the number of pixels in $\omega_k$, and
$\bar{p}_k = \frac{1}{|\omega|} \sum_{i \in \omega_k} p_i$ is the mean of $p$ in $\omega_k$.
""",
    source="He, Sun, Tang, Guided image filtering, 2010, equations 5 and 6",
    leaves_open="the windows and their borders",
    I="6",
    p="6",
    mu="6",
    sigma="6",
    epsilon="",
)
def guided_filter(I, p, mu, sigma, epsilon):
    return np.zeros(6)


@formula(
    r"""
A system of $N$ planar rotators has the Hamiltonian
$$
H(\{\theta\}) = -\sum_{i \neq j} J_{ij} \cos(\theta_i - \theta_j) - \sum_j h_j \cos\theta_j .
$$
""",
    source="The classical XY model, as in an encyclopedia; Kosterlitz, Thouless, 1973",
    J="4 4",
    theta="4",
    h="4",
)
def planar_rotators(J, theta, h):
    n = range(4)
    pairs = sum(J[i, j] * np.cos(theta[i] - theta[j]) for i in n for j in n if i != j)
    return -pairs - (h * np.cos(theta)).sum()


@formula(
    r"""
\begin{equation}
sim(i,j) = \frac{\sum_{u \in U} (R_{u,i} - \bar{R}_u)(R_{u,j} - \bar{R}_u)}{\sqrt{\sum_{u \in U} (R_{u,i} - \bar{R}_u)^2} \sqrt{\sum_{u \in U} (R_{u,j} - \bar{R}_u)^2}}.
\end{equation}
Here $\bar{R}_u$ is the average of the $u$-th user's ratings.
""",
    source="Sarwar et al., Item-based collaborative filtering recommendation algorithms, 2001, section 3.1.3 (all users rate all items)",
    shapes=("size U",),
    R="5 4",
    output="sim",
)
def adjusted_cosine(R):
    a = R - R.mean(1, keepdims=True)
    norm = np.sqrt((a**2).sum(0))
    return a.T @ a / np.outer(norm, norm)


@formula(
    r"""
Consider $S$ consumers with abundances $N_i$ and $M$ resources with abundances $R_\alpha$:
\begin{align}
\frac{dN_i}{dt} &= N_i \left( \sum_{\alpha=1}^{M} c_{i\alpha} w_\alpha R_\alpha - m_i \right), \quad i = 1, \ldots, S, \\
\frac{dR_\alpha}{dt} &= r_\alpha R_\alpha \left(1 - \frac{R_\alpha}{K_\alpha}\right) - \sum_{j=1}^{S} N_j c_{j\alpha} R_\alpha, \quad \alpha = 1, \ldots, M.
\end{align}
""",
    source="MacArthur, Species packing and competitive equilibrium for many species, 1970; as in Cui, Marsland, Mehta, 2020",
    output="dR_dt",
    N="3",
    c="3 4",
    w="4",
    R="4",
    m="3",
    r="4",
    K="4",
)
def consumer_resource(N, c, w, R, m, r, K):
    return r * R * (1 - R / K) - (N[:, None] * c).sum(0) * R


@formula(
    r"""
\begin{equation}
O_{jk} = O_{kj} = \frac{\sum_{i}^{n} p_{ij} p_{ik}}{\sqrt{\sum_{i}^{n} p_{ij}^2 \sum_{i}^{n} p_{ik}^2}}
\end{equation}
with $p_{ij}$ and $p_{ik}$ being the proportions of the $i$th resource used by the $j$th and the $k$th species, respectively.
""",
    source="Pianka, The structure of lizard communities, 1973",
    p="5 3",
)
def niche_overlap(p):
    norm = np.sqrt((p**2).sum(0))
    return p.T @ p / np.outer(norm, norm)


@formula(
    r"""
The acceleration of vehicle $n$ is
\begin{equation}
\dot{v}_n = a \left[ 1 - \left( \frac{v_n}{v_0} \right)^{\delta} - \left( \frac{s^*(v_n, \Delta v_n)}{s_n} \right)^2 \right], \qquad
s^*(v, \Delta v) = s_0 + vT + \frac{v \Delta v}{2\sqrt{ab}}.
\end{equation}
""",
    source="Treiber, Hennecke, Helbing, Congested traffic states, 2000, equations 1 and 2",
    output="v_dot",
    shapes=("input v[N], v_0[], s_0[]",),
    a="",
    v="4",
    v_0="",
    delta="",
    Delta_v="4",
    s="4",
    s_0="",
    T="",
    b="",
)
def intelligent_driver(a, v, v_0, delta, Delta_v, s, s_0, T, b):
    gap = s_0 + v * T + v * Delta_v / (2 * np.sqrt(a * b))
    return a * (1 - (v / v_0) ** delta - (gap / s) ** 2)


@formula(
    r"""
The travel time on link $a$ is given by the BPR function
\begin{equation}
t_a(v_a) = t_a^0 \left[ 1 + 0.15 \left( \frac{v_a}{c_a} \right)^4 \right]
\end{equation}
where $t^0_a$ is the free-flow travel time, $v_a$ the volume of traffic and $c_a$ the capacity of link $a$.
""",
    source="Bureau of Public Roads, Traffic assignment manual, 1964; as in Sheffi, Urban transportation networks, 1985",
    t_0="4",
    v="4",
    c="4",
    output="t",
)
def link_travel_time(t_0, v, c):
    return t_0 * (1 + 0.15 * (v / c) ** 4)


@formula(
    r"""
The Lax--Wendroff scheme for the advection equation $u_t + a u_x = 0$ reads
\begin{equation}
u_j^{n+1} = u_j^n - \frac{\nu}{2}\left(u_{j+1}^n - u_{j-1}^n\right) + \frac{\nu^2}{2}\left(u_{j+1}^n - 2u_j^n + u_{j-1}^n\right),
\end{equation}
where $\nu = a \Delta t / \Delta x$ is the Courant number.
""",
    source="Lax, Wendroff, Systems of conservation laws, 1960; as in LeVeque, Finite volume methods, 2002",
    leaves_open="the values at the borders",
    u="6",
    a="",
)
def lax_wendroff(u, a):
    return np.zeros(6)


@formula(
    r"""
Cochran's $Q$ test statistic is
\[ T = k(k-1) \frac{\sum_{j=1}^{k} \left( X_{\bullet j} - \frac{N}{k} \right)^2}{\sum_{i=1}^{b} X_{i \bullet} (k - X_{i \bullet})} \]
where $k$ is the number of treatments, $X_{\bullet j}$ is the column total for the $j$th treatment, $b$ is the number of blocks,
$X_{i \bullet}$ is the row total for the $i$th block, and $N$ is the grand total.
""",
    source="Cochran, The comparison of percentages in matched samples, 1950; as in an encyclopedia",
    X="6 3",
    N="",
)
def cochran_q(X, N):
    k = X.shape[1]
    over = ((X.sum(0) - N / k) ** 2).sum()
    return k * (k - 1) * over / (X.sum(1) * (k - X.sum(1))).sum()


@formula(
    r"""
\begin{equation}
\operatorname{HHI} = \sum_{i=1}^{N} s_i^2, \qquad H^* = \frac{\operatorname{HHI} - 1/N}{1 - 1/N}
\end{equation}
where $s_i$ is the market share of firm $i$ in the market, and $N$ is the number of firms.
""",
    source="Herfindahl, Hirschman: the index of concentration and its normalised form, as in an encyclopedia",
    output="H_star",
    s="5",
)
def concentration_index(s):
    return ((s**2).sum() - 1 / 5) / (1 - 1 / 5)


@formula(
    r"""
The probability that person $n$ with ability $\theta_n$ scores $x$ on item $i$ is
\begin{equation}
P_{nix} = \frac{\exp \sum_{k=0}^{x} (\theta_n - \delta_{ik})}{\sum_{h=0}^{m_i} \exp \sum_{k=0}^{h} (\theta_n - \delta_{ik})}, \qquad x = 0, 1, \ldots, m_i,
\end{equation}
where $\delta_{ik}$ is the difficulty of the $k$th step.
""",
    source="Masters, A Rasch model for partial credit scoring, 1982, equation 5",
    leaves_open="the numbers of steps differ: the result is ragged",
    theta="4",
    delta="3 3",
    m="3",
)
def partial_credit(theta, delta, m):
    return np.zeros(3)


@formula(
    r"""
Let $\mathbf{h}_t \in \mathbb{R}^{H}$ be the hidden state. The minimal gated unit computes
\begin{align}
\mathbf{f}_t &= \sigma(W_f \mathbf{x}_t + U_f \mathbf{h}_{t-1} + \mathbf{b}_f), \\
\tilde{\mathbf{h}}_t &= \tanh(W_h \mathbf{x}_t + U_h (\mathbf{f}_t \odot \mathbf{h}_{t-1}) + \mathbf{b}_h), \\
\mathbf{h}_t &= (1 - \mathbf{f}_t) \odot \mathbf{h}_{t-1} + \mathbf{f}_t \odot \tilde{\mathbf{h}}_t,
\end{align}
where $\sigma$ is the logistic sigmoid function.
""",
    source="Zhou et al., Minimal gated unit for recurrent neural networks, 2016, equations 6a to 6c",
    shapes=(
        "input W_f[H, D], U_f[H, H], b_f[H], W_h[H, D], U_h[H, H], b_h[H]",
        "$\\mathbf{x}_t \\in \\mathbb{R}^{D}$",
    ),
    output="h_t",
    W_f="3 2",
    x="2",
    U_f="3 3",
    h="3",
    b_f="3",
    W_h="3 2",
    U_h="3 3",
    b_h="3",
)
def minimal_gated_unit(W_f, x, U_f, h, b_f, W_h, U_h, b_h):
    f = 1 / (1 + np.exp(-(W_f @ x + U_f @ h + b_f)))
    new = np.tanh(W_h @ x + U_h @ (f * h) + b_h)
    return (1 - f) * h + f * new


@formula(
    r"""
\begin{equation}
    \mathcal{L}_\text{DPO} = -\frac{1}{N}\sum_{i=1}^{N} \log \sigma \left( \beta \log \frac{\pi_\theta(y_w^{(i)} \mid x^{(i)})}{\pi_\text{ref}(y_w^{(i)} \mid x^{(i)})} - \beta \log \frac{\pi_\theta(y_l^{(i)} \mid x^{(i)})}{\pi_\text{ref}(y_l^{(i)} \mid x^{(i)})} \right)
\end{equation}
where $\sigma$ is the logistic function.
""",
    source="Rafailov et al., Direct preference optimization, 2023, equation 7, with the mean over a sample",
    leaves_open="the policies are functions of sequences",
    x="3",
)
def direct_preference(x):
    return np.zeros(3)


@formula(
    r"""
The two-dimensional discrete cosine transform of an $M \times N$ image $A$ is
\begin{equation}
B_{pq} = \alpha_p \alpha_q \sum_{m=0}^{M-1} \sum_{n=0}^{N-1} A_{mn} \cos\frac{\pi(2m+1)p}{2M} \cos\frac{\pi(2n+1)q}{2N}, \quad
\begin{matrix} 0 \le p \le M-1 \\ 0 \le q \le N-1 \end{matrix}
\end{equation}
\[
\alpha_p = \begin{cases} 1/\sqrt{M}, & p = 0 \\ \sqrt{2/M}, & 1 \le p \le M-1 \end{cases}
\qquad
\alpha_q = \begin{cases} 1/\sqrt{N}, & q = 0 \\ \sqrt{2/N}, & 1 \le q \le N-1 \end{cases}
\]
""",
    source="Documentation of a toolbox of image processing, the two-dimensional DCT; Jain, Fundamentals of digital image processing, 1989",
    A="3 4",
    output="B",
)
def dct_of_image(A):
    M, N = A.shape
    B = np.zeros((M, N))
    for p in range(M):
        for q in range(N):
            a = np.sqrt((1 if p == 0 else 2) / M) * np.sqrt((1 if q == 0 else 2) / N)
            B[p, q] = a * sum(
                A[m, n]
                * np.cos(np.pi * (2 * m + 1) * p / (2 * M))
                * np.cos(np.pi * (2 * n + 1) * q / (2 * N))
                for m in range(M)
                for n in range(N)
            )
    return B


@formula(
    r"""
The capacity of the $N_t \times N_r$ parallel channel is
\begin{equation}
C = \sum_{i=1}^{r} \log_2\left(1 + \frac{P_i \lambda_i^2}{N_0}\right) \text{ bits/s/Hz},
\end{equation}
where $P_1,\dots,P_{r}$ are the powers allocated by waterfilling,
\begin{equation}
P_i = \left( \mu - \frac{N_0}{\lambda_i^2} \right)^+ ,
\end{equation}
with $(x)^+ := \max(x, 0)$.
""",
    source="Tse, Viswanath, Fundamentals of wireless communication, 2005, equations 7.10 and 7.11",
    output="C",
    N_0="",
    mu=lambda r: 1.5,
    **{"lambda": "4"},
)
def waterfilling(N_0, mu, **k):
    s = k["lambda"]
    p = np.maximum(mu - N_0 / s**2, 0)
    return np.log2(1 + p * s**2 / N_0).sum()


@formula(
    r"""
For an alignment of length $L$ with weights, the coupling strength is measured by the Frobenius norm
\begin{equation}
  \|J_{ij}\|_F = \sqrt{\sum_{a=1}^{q} \sum_{b=1}^{q} J_{ij}(a,b)^2},
\end{equation}
followed by the average product correction
\begin{equation}
  S_{ij} = F_{ij} - \frac{F_{i\cdot} F_{\cdot j}}{F_{\cdot\cdot}},
\end{equation}
where $F_{i \cdot}$, $F_{\cdot j}$ and $F_{\cdot \cdot}$ denote the averages over the respective indices.
""",
    source="Ekeberg et al., Improved contact prediction in proteins, 2013, equations 27 and 28; Dunn et al., 2008",
    output="S",
    F="4 4",
)
def product_correction(F):
    return F - np.outer(F.mean(1), F.mean(0)) / F.mean()


@formula(
    r"""
For the nodes $x_0, \dots, x_n$ and the values $y_0, \dots, y_n$ the Newton polynomial with the divided differences $c_k$ is
\begin{equation}
p(x) = \sum_{k=0}^{n} c_k \prod_{j=0}^{k-1} (x - x_j).
\end{equation}
""",
    source="Stoer, Bulirsch, Introduction to numerical analysis, 2002, equation 2.1.3.1",
    c="4",
    x=lambda r: 0.3,
    x_j="4",
)
def newton_polynomial(c, x, x_j):
    return sum(c[k] * np.prod([x - x_j[j] for j in range(k)]) for k in range(4))


@formula(
    r"""
In discrete form, the active contour energy with $n$ points $\mathbf{v}_i = (x_i, y_i)$, $i = 1, \dots, n$, where $\mathbf{v}_{n+1} = \mathbf{v}_1$ and
$\mathbf{v}_0 = \mathbf{v}_n$, is
\begin{equation}
E_\text{int} = \sum_{i=1}^{n} \frac{\alpha}{2} \|\mathbf{v}_i - \mathbf{v}_{i-1}\|^2 + \frac{\beta}{2} \|\mathbf{v}_{i-1} - 2\mathbf{v}_i + \mathbf{v}_{i+1}\|^2 .
\end{equation}
""",
    source="Kass, Witkin, Terzopoulos, Snakes: active contour models, 1988, appendix A",
    shapes=("input v[n, 2]",),
    alpha="",
    v="5 2",
    beta="",
)
def snake_energy(alpha, v, beta):
    e = 0.0
    for i in range(5):
        back, ahead = v[i - 1], v[(i + 1) % 5]
        e += alpha / 2 * ((v[i] - back) ** 2).sum()
        e += beta / 2 * ((back - 2 * v[i] + ahead) ** 2).sum()
    return e


@formula(
    r"""
Let $S_i^2$ be the variance of sample $i$ of size $n_i$, $i = 1, \dots, k$. Bartlett's test statistic is
\begin{equation}
\chi^2 = \frac{(N - k) \ln(S_p^2) - \sum_{i=1}^{k} (n_i - 1) \ln(S_i^2)}{1 + \frac{1}{3(k-1)} \left( \sum_{i=1}^{k} \left(\frac{1}{n_i - 1}\right) - \frac{1}{N-k} \right)}
\end{equation}
where $N = \sum_{i=1}^{k} n_i$ and $S_p^2 = \frac{1}{N-k} \sum_i (n_i - 1) S_i^2$ is the pooled estimate for the variance.
""",
    source="Bartlett, Properties of sufficiency and statistical tests, 1937; as in an encyclopedia",
    S="3",
    n=lambda r: r.integers(4, 9, 3).astype(float),
)
def bartlett(S, n):
    k, N = 3, n.sum()
    pooled = ((n - 1) * S**2).sum() / (N - k)
    over = (N - k) * np.log(pooled) - ((n - 1) * np.log(S**2)).sum()
    return over / (1 + ((1 / (n - 1)).sum() - 1 / (N - k)) / (3 * (k - 1)))


@formula(
    r"""
The Hosmer--Lemeshow test statistic is given by
$$
H = \sum_{g=1}^{G} \frac{(O_{1g} - E_{1g})^2}{E_{1g}} + \frac{(O_{0g} - E_{0g})^2}{E_{0g}} = \sum_{g=1}^{G} \frac{(O_{1g} - E_{1g})^2}{N_g \pi_g (1 - \pi_g)}.
$$
Here $O_{1g}$, $E_{1g}$, $O_{0g}$, $E_{0g}$, $N_g$, and $\pi_g$ denote the observed $Y=1$ events, expected $Y=1$ events, observed $Y=0$
events, expected $Y=0$ events, total observations, predicted risk for the $g$th risk decile group, and $G$ is the number of groups.
""",
    source="Hosmer, Lemeshow, Goodness of fit tests for the multiple logistic regression model, 1980; as in an encyclopedia",
    O="2 4",
    E="2 4",
)
def hosmer_lemeshow(O, E):
    return ((O - E) ** 2 / E).sum()


@formula(
    r"""
For each question, GRPO samples a group of outputs with rewards $\mathbf{r} = \{r_1, r_2, \cdots, r_G\}$, and the advantages are
\begin{equation}
A_i = \frac{r_i - {\rm mean}(\{r_1, r_2, \cdots, r_G\})}{{\rm std}(\{r_1, r_2, \cdots, r_G\})}.
\end{equation}
""",
    source="DeepSeek-AI, DeepSeek-R1, 2025, equation 3; Shao et al., DeepSeekMath, 2024",
    leaves_open="whether `std` divides by G or by G - 1",
    r="5",
)
def group_advantage(r):
    return np.zeros(3)
