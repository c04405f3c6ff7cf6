"""Formulas as papers on kinetics, flows, filters, molecules, choices, hidden states, tensors and rewards print them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\begin{eqnarray}
p_{\rm up}^{(k)} & = & \frac{ {\rm e}^{-\beta \Delta E_k} }{ 1 + {\rm e}^{-\beta\Delta E_k} } \nonumber \\
\Delta E_k & = & 2 s_k \left( h + J \sum_{l=1}^{z} s_{n(k,l)} \right)
\end{eqnarray}
""",
    source="Glauber, Time-dependent statistics of the Ising model, 1963; as papers on kinetic Monte Carlo print it",
    leaves_open="a table of neighbours as a function",
    s="4",
)
def glauber_rates(s):
    return s


@formula(
    r"""
where the equilibrium moments of the D2Q9 model follow from
$$
\rho = \sum_{k=0}^{8} f_k, \qquad \rho u_x = \sum_{k=0}^{8} f_k c_{kx}, \qquad \rho u_y = \sum_{k=0}^8 f_k c_{ky}
$$
""",
    source="Mohamad, Lattice Boltzmann method, 2011, equations 2.38 to 2.40",
    leaves_open="products on left sides",
    f="9",
)
def moments_of_populations(f):
    return f


@formula(
    r"""
We use a \emph{guided filter} with a linear model in a window $\omega_k$ of $|\omega|$ pixels. For one window:
\begin{equation}
a = \frac{\frac{1}{n}\sum_{i=1}^{n} I_i p_i - \mu \bar{p}}{\sigma^2+\epsilon}, \qquad b = \bar{p} - a \mu, \qquad q_i = a I_i + b,
\end{equation}
Here, $\mu = \frac{1}{n}\sum_{i=1}^{n} I_i$ and $\sigma^2 = \frac{1}{n}\sum_{i=1}^{n} I_i^2 - \mu^2$, and $\bar{p} = \frac{1}{n}\sum_{i=1}^{n} p_i$.
""",
    source="He, Sun, Tang, Guided image filtering, 2010, equations 5 and 6, in one window",
    output="q",
    I=lambda r: normal(r, 5),
    p=lambda r: normal(r, 5),
    epsilon="",
)
def guided_window(I, p, epsilon):
    m, pm = I.mean(), p.mean()
    v = (I**2).mean() - m**2
    a = ((I * p).mean() - m * pm) / (v + epsilon)
    return a * I + pm - a * m


@formula(
    r"""
\begin{equation}
E_{\mathrm{data}} = \sum_{i,j} \rho\big( I^{2}_{i,j} + I^x_{i,j} u_{i,j} + I^y_{i,j} v_{i,j} - I^{1}_{i,j} \big), \qquad \rho(z) = \sqrt{z^2 + \epsilon^2}
\end{equation}
""",
    source="Brox et al., High accuracy optical flow estimation based on a theory for warping, 2004, linearised; frames above",
    leaves_open="numbers above names may be powers",
    u="3",
)
def linearised_flow(u):
    return u


@formula(
    r"""
\begin{equation}
d^{\,t}_{k} = \frac{\sum_{i=1}^{N} \left( \frac{a_i}{1+r_k} \right)^{t_i}}{\sum_{i=1}^N w_i}
\end{equation}
""",
    source="made of discount factors in textbooks of finance",
    leaves_open="the superscript t",
    a="3",
)
def discounted_flows(a):
    return a


@formula(
    r"""
The Smith--Waterman affinity between embeddings is replaced by cosine scores
\begin{equation}
S_{ij} = \frac{\mathbf{x}_i \cdot \mathbf{y}_j}{\left\Vert \mathbf{x}_i \right\Vert_2 \left\Vert \mathbf{y}_j \right\Vert_2} - \delta, \quad
G = \max_{i,j} S_{ij}
\end{equation}
with $\mathbf{x}_i, \mathbf{y}_j \in \mathbb{R}^d$.
""",
    source="Llinares-Lopez et al., Deep embedding and alignment of protein sequences, 2023; scores",
    output="G",
    x=lambda r: normal(r, 3, 2),
    y=lambda r: normal(r, 4, 2),
    delta="",
)
def best_alignment_score(x, y, delta):
    out = -np.inf
    for a in x:
        for b in y:
            out = max(out, a @ b / np.sqrt(a @ a) / np.sqrt(b @ b) - delta)
    return out


@formula(
    r"""
The two-electron contribution to the Fock matrix in a density-fitted basis is built in two steps,
\begin{align}
B^{P}_{\mu i} &= \sum_{\nu} C_{\nu i} (P | \mu\nu), &
K_{\mu\nu} &= \sum_{P}\sum_{i} B^{P}_{\mu i} B^{P}_{\nu i} .
\end{align}
""",
    source="Weigend, A fully direct RI-HF algorithm, 2002; exchange",
    leaves_open="integrals in bars",
    C="3",
)
def fitted_exchange(C):
    return C


@formula(
    r"""
The nested logit choice probability of alternative $j$ in nest $m(j)$, given nest membership $a_{jm} \in \{0,1\}$, is the product
\begin{equation}
P_{j} = \sum_{m=1}^{M} a_{jm} \frac{e^{V_j/\lambda_m}}{\sum_{k=1}^{J} a_{km} e^{V_k/\lambda_m}} \cdot \frac{e^{\lambda_m I_m}}{\sum_{l=1}^{M} e^{\lambda_l I_l}}, \quad I_m = \ln \sum_{k=1}^{J} a_{km} e^{V_k/\lambda_m}
\end{equation}
""",
    source="Train, Discrete choice methods with simulation, 2009, equations 4.2 to 4.5",
    output="P",
    a=lambda r: np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]]),
    V=lambda r: normal(r, 4),
    lambda_="2",
)
def nested_choice(a, V, lambda_):
    lam = lambda_
    top = [np.log(sum(a[k, m] * np.exp(V[k] / lam[m]) for k in range(4))) for m in range(2)]
    out = np.zeros(4)
    for j in range(4):
        for m in range(2):
            inner = sum(a[k, m] * np.exp(V[k] / lam[m]) for k in range(4))
            outer = sum(np.exp(lam[n] * top[n]) for n in range(2))
            out[j] += a[j, m] * np.exp(V[j] / lam[m]) / inner * np.exp(lam[m] * top[m]) / outer
    return out


@formula(
    r"""
\[
\xi_t(i,j)=\frac{\alpha_t(i)\,a_{ij}\,b_j(O_{t+1})\,\beta_{t+1}(j)}{\displaystyle\sum_{i=1}^{N}\sum_{j=1}^{N}\alpha_t(i)\,a_{ij}\,b_j(O_{t+1})\,\beta_{t+1}(j)}
\]
""",
    source="Rabiner, A tutorial on hidden Markov models, 1989, equation 37",
    leaves_open="no range of t",
    a="3",
)
def transitions_given_data(a):
    return a


@formula(
    r"""
In the Tensor-Train format each element of $\mathcal{A}$ with $d = 3$ is
\begin{equation}
\mathcal{A}(i,j,k) \approx \sum_{\alpha=1}^{r_1}\sum_{\beta=1}^{r_2} G_1(i,\alpha) G_2(\alpha,j,\beta) G_3(\beta,k)
\end{equation}
""",
    source="Oseledets, Tensor-train decomposition, 2011, equation 1.2 for three dimensions",
    shapes=("input G_1[n_1, r_1], G_2[r_1, n_2, r_2], G_3[r_2, n_3]",),
    G_1=lambda r: normal(r, 2, 3),
    G_2=lambda r: normal(r, 3, 4, 2),
    G_3=lambda r: normal(r, 2, 3),
)
def train_of_three(G_1, G_2, G_3):
    out = np.zeros((2, 4, 3))
    for i, j, k, a, b in np.ndindex(2, 4, 3, 3, 2):
        out[i, j, k] += G_1[i, a] * G_2[a, j, b] * G_3[b, k]
    return out


@formula(
    r"""
\begin{equation}
    \mathcal{L}(\theta) = \frac{1}{|B|}\sum_{j=1}^{|B|} \left( y_j - Q_j \right)^2, \quad y_j = r_j + \gamma (1 - d_j) \max_{a'} \hat{Q}_{j a'}
\end{equation}
where $d_j$ marks terminal states.
""",
    source="Mnih et al., Human-level control through deep reinforcement learning, 2015; over a batch",
    output="L",
    shapes=("input r[B], gamma[], d[B], Q_hat[B, A], Q[B]",),
    r="4",
    gamma="",
    d=lambda r: np.array([0.0, 1, 0, 0]),
    Q_hat=lambda r: normal(r, 4, 3),
    Q=lambda r: normal(r, 4),
)
def squared_differences_of_values(r, gamma, d, Q_hat, Q):
    y = r + gamma * (1 - d) * Q_hat.max(1)
    return ((y - Q) ** 2).mean()


@formula(
    r"""
The Ogden strain energy in terms of principal stretches is
\begin{equation}
W = \sum_{p=1}^{N} \frac{\mu_p}{\alpha_p} \left( \lambda_1^{\alpha_p} + \lambda_2^{\alpha_p} + \lambda_3^{\alpha_p} - 3 \right)
\end{equation}
""",
    source="Ogden, Large deformation isotropic elasticity, 1972, equation 18",
    shapes=("input mu[N], alpha[N], lambda_1[], lambda_2[], lambda_3[]",),
    mu="3",
    alpha="3",
    lambda_1="",
    lambda_2="",
    lambda_3="",
)
def ogden_energy(mu, alpha, lambda_1, lambda_2, lambda_3):
    out = 0.0
    for m, a in zip(mu, alpha, strict=True):
        out += m / a * (lambda_1**a + lambda_2**a + lambda_3**a - 3)
    return out


@formula(
    r"""
The momentum contrast loss for a query $q$ with positive key $k_+$ and queue $\{k_0, \ldots, k_K\}$ is
\begin{equation}\label{eqn:nce}
\mathcal{L}_{q}=-\log \frac{\exp (q{\cdot}k_+ / \tau)}{\sum_{i=0}^{K} \exp (q{\cdot}k_i / \tau)}
\end{equation}
""",
    source="He et al., Momentum contrast for unsupervised visual representation learning, 2020, equation 1",
    shapes=(r"$q, k_+, k_i \in \mathbb{R}^{C}$",),
    q=lambda r: normal(r, 3),
    k_plus=lambda r: normal(r, 3),
    tau="",
    k=lambda r: normal(r, 5, 3),
)
def queue_contrast(q, k_plus, tau, k):
    return -np.log(np.exp(q @ k_plus / tau) / sum(np.exp(q @ v / tau) for v in k))


@formula(
    r"""
A second-order energy for the water model reads (TIP4P)
\begin{equation}
U = \sum_{i}\sum_{j>i} \left\{ 4\varepsilon\left[\left(\frac{\sigma}{r_{ij}^{\rm OO}}\right)^{12}-\left(\frac{\sigma}{r_{ij}^{\rm OO}}\right)^{6}\right] + \sum_{a=1}^{3}\sum_{b=1}^{3} \frac{q_a q_b e^2}{4\pi\varepsilon_0 r_{iajb}} \right\}
\end{equation}
""",
    source="Jorgensen et al., Comparison of simple potential functions, 1983",
    shapes=(
        "size N",
        "input varepsilon[], sigma[], r_OO[N, N], q[3], e[], varepsilon_0[], r[N, 3, N, 3]",
    ),
    varepsilon="",
    sigma="",
    r_OO="3 3",
    q=lambda r: normal(r, 3),
    e="",
    varepsilon_0="",
    r="3 3 3 3",
)
def four_site_water(varepsilon, sigma, r_OO, q, e, varepsilon_0, r):
    out = 0.0
    for i in range(3):
        for j in range(i + 1, 3):
            x = sigma / r_OO[i, j]
            out += 4 * varepsilon * (x**12 - x**6)
            for a, b in np.ndindex(3, 3):
                out += q[a] * q[b] * e**2 / (4 * np.pi * varepsilon_0 * r[i, a, j, b])
    return out


@formula(
    r"""
\begin{align}
\text{Precision}_k &= \frac{\sum_{c} M_{ck} [c = k]}{\sum_c M_{ck}}, \\
F_1 &= \frac{1}{K}\sum_{k=1}^{K} \frac{2 \, \text{Precision}_k \, \text{Recall}_k}{\text{Precision}_k + \text{Recall}_k}
\end{align}
where $\text{Recall}_k = M_{kk} / \sum_{c} M_{kc}$ for the confusion matrix $M \in \mathbb{R}^{K \times K}$.
""",
    source="Sokolova, Lapalme, A systematic analysis of performance measures, 2009, as papers print them",
    output="F_1",
    M="3 3",
)
def macro_f_measure(M):
    out = 0.0
    for k in range(3):
        p, r = M[k, k] / M[:, k].sum(), M[k, k] / M[k].sum()
        out += 2 * p * r / (p + r) / 3
    return out


@formula(
    r"""
\begin{equation}
\begin{split}
\mathcal{L}_{\text{vlb}} &= \frac{1}{2}\sum_{t=2}^{T} \frac{\beta_t^2}{\sigma_t^2 \alpha_t (1-\bar\alpha_t)} \frac{1}{D}\sum_{d=1}^{D} (\epsilon_{td} - \hat\epsilon_{td})^2, \\
\alpha_t &= 1 - \beta_t, \qquad \bar\alpha_t = \prod_{s=1}^{t} \alpha_s .
\end{split}
\end{equation}
""",
    source="Ho, Jain, Abbeel, Denoising diffusion probabilistic models, 2020, equation 12 in sums",
    output="L_vlb",
    shapes=("size T, D", "input beta[T], sigma[T], epsilon[T, D], epsilon_hat[T, D]"),
    beta=lambda r: r.uniform(0.1, 0.4, 4),
    sigma="4",
    epsilon=lambda r: normal(r, 4, 3),
    epsilon_hat=lambda r: normal(r, 4, 3),
)
def variational_terms(beta, sigma, epsilon, epsilon_hat):
    alpha = 1 - beta
    bar = np.cumprod(alpha)
    out = 0.0
    for t in range(1, 4):
        w = beta[t] ** 2 / (sigma[t] ** 2 * alpha[t] * (1 - bar[t]))
        out += w * ((epsilon[t] - epsilon_hat[t]) ** 2).mean() / 2
    return out


@formula(
    r"""
where the intensity of the multivariate Hawkes process at the $n$-th event is
\begin{equation}
\lambda_{n} = \mu_{u_n} + \sum_{m=1}^{n-1} \alpha_{u_n u_m} \beta \exp\left\{ -\beta (t_n - t_m) \right\}, \quad n = 1, \dots, N.
\end{equation}
""",
    source="Zhou, Zha, Song, Learning social infectivity in sparse low-rank networks, 2013, equation 1 at events",
    mu="2",
    u=lambda r: np.array([1, 2, 1, 1]),
    alpha="2 2",
    beta="",
    t=lambda r: np.array([0.3, 0.9, 1.1, 2.0]),
)
def event_intensities(mu, u, alpha, beta, t):
    out = np.zeros(4)
    for n in range(4):
        out[n] = mu[u[n] - 1]
        for m in range(n):
            out[n] += alpha[u[n] - 1, u[m] - 1] * beta * np.exp(-beta * (t[n] - t[m]))
    return out


@formula(
    r"""
The Hargreaves-weighted areal rainfall and the index of agreement are
\begin{eqnarray}
\hat{P} &=& \frac{\sum_{g=1}^{G} A_g P_g}{\sum_{g=1}^{G} A_g} \\
d &=& 1 - \frac{\sum_{i=1}^{n} (O_i - S_i)^2}{\sum_{i=1}^{n} \left( |S_i - \bar{O}| + |O_i - \bar{O}| \right)^2}
\end{eqnarray}
with $\bar{O}$ the mean of the observations $O_i$.
""",
    source="Willmott, On the validation of models, 1981; beside Thiessen's areal means",
    output="d",
    A="3",
    P="3",
    O="4",
    S="4",
)
def agreement_index(A, P, O, S):
    m = O.mean()
    return 1 - ((O - S) ** 2).sum() / ((abs(S - m) + abs(O - m)) ** 2).sum()


@formula(
    r"""
The quadratic weighted Bell--Plesset term aside, the mode-coupling equation truncates to
\begin{equation}
\dot{a}_k = \gamma_k a_k - \sum_{l=1}^{K} \sum_{m=1}^{K} C_{klm}\, a_l\, a_m \,\mathbb{1}\{l + m = k\}
\end{equation}
""",
    source="Haan, Weakly nonlinear theory for the Rayleigh-Taylor instability, 1991; as papers on mode coupling print it",
    shapes=("base 1",),
    gamma="4",
    a=lambda r: normal(r, 4),
    C="4 4 4",
)
def mode_coupling(gamma, a, C):
    out = gamma * a
    for k, l, m in np.ndindex(4, 4, 4):
        if l + m + 2 == k + 1:
            out[k] -= C[k, l, m] * a[l] * a[m]
    return out


@formula(
    r"""
\newcommand{\R}{\mathbb{R}}
\DeclareMathOperator{\softmax}{softmax}
Luna packs the input $X \in \R^{n\times d}$ into $P \in \R^{l\times d}$:
\begin{align}
Y_P &= \softmax\left( \frac{P X^{T}}{\sqrt{d}} \right) X, \\
Y_X &= \softmax\left( \frac{X Y_P^{T}}{\sqrt{d}} \right) Y_P
\end{align}
""",
    source="Ma et al., Luna: linear unified nested attention, 2021, equations 3 and 4 without projections",
    output="Y_X",
    P=lambda r: normal(r, 2, 3),
    X=lambda r: normal(r, 4, 3),
)
def nested_attention(P, X):
    def soft(z):
        e = np.exp(z)
        return e / e.sum(1, keepdims=True)

    Y = soft(P @ X.T / np.sqrt(3)) @ X
    return soft(X @ Y.T / np.sqrt(3)) @ Y


@formula(
    r"""
The (normalised) discounted cumulative gain at rank $p$ is
\begin{equation}
\mathrm{nDCG}_p = \frac{\mathrm{DCG}_p}{\mathrm{IDCG}_p}, \quad \mathrm{DCG}_p = \sum_{i=1}^{p} \frac{2^{rel_i} - 1}{\log_2(i+1)}, \quad \mathrm{IDCG}_p = \sum_{i=1}^{p} \frac{2^{ideal_i} - 1}{\log_2(i+1)}
\end{equation}
""",
    source="Burges et al., Learning to rank using gradient descent, 2005; as an encyclopedia prints the measure",
    shapes=("size p", "input rel[p], ideal[p]"),
    output="nDCG_p",
    rel="4",
    ideal="4",
)
def normalised_gain(rel, ideal):
    w = np.log2(np.arange(4) + 2)
    return ((2**rel - 1) / w).sum() / ((2**ideal - 1) / w).sum()


@formula(
    r"""
\begin{equation}
\mathbf{F}_i^{D} = -\gamma \sum_{j \ne i} \omega(r_{ij})^2 \left( \hat{\mathbf{r}}_{ij} \cdot \mathbf{v}_{ij} \right) \hat{\mathbf{r}}_{ij}, \qquad
\omega(r) = \begin{cases} 1 - r/r_c & r < r_c \\ 0 & r \ge r_c \end{cases}
\end{equation}
with $\hat{\mathbf r}_{ij}, \mathbf{v}_{ij} \in \mathbb{R}^3$.
""",
    source="Groot, Warren, Dissipative particle dynamics, 1997, equations 5 and 8",
    output="F_D",
    gamma="",
    r=lambda r: r.uniform(0.5, 1.5, (3, 3)),
    r_hat=lambda r: normal(r, 3, 3, 3),
    v=lambda r: normal(r, 3, 3, 3),
    r_c=lambda r: 1.1,
)
def dissipative_forces(gamma, r, r_hat, v, r_c):
    out = np.zeros((3, 3))
    for i, j in np.ndindex(3, 3):
        if j != i:
            w = 1 - r[i, j] / r_c if r[i, j] < r_c else 0
            out[i] -= gamma * w**2 * (r_hat[i, j] @ v[i, j]) * r_hat[i, j]
    return out


@formula(
    r"""
\begin{equation}
\log p(\mathbf{x}) = \log p(\mathbf{z}) + \sum_{k=1}^{K}\sum_{d=1}^{D} s_{kd}
\end{equation}
where $\log p(\mathbf{z}) = -\frac{1}{2} \sum_{d=1}^{D} z_d^2 - \frac{D}{2} \log 2\pi$.
""",
    source="Dinh, Sohl-Dickstein, Bengio, Density estimation using Real NVP, 2017, as papers that follow print it",
    leaves_open="a density on the left",
    z="3",
)
def flow_density(z):
    return z


@formula(
    r"""
The variance inflation of regressor $j$ and the studentised residual are
\begin{equation}
t_i = \frac{e_i}{\hat\sigma \sqrt{1 - h_{ii}}}, \qquad D_i = \frac{e_i^2}{p\, \hat\sigma^2} \cdot \frac{h_{ii}}{(1-h_{ii})^2}, \qquad \hat\sigma^2 = \frac{1}{n-p}\sum_{i=1}^n e_i^2
\end{equation}
""",
    source="Cook, Detection of influential observation in linear regression, 1977",
    output="D",
    shapes=("input p[]",),
    p=lambda r: 2.0,
    e=lambda r: normal(r, 4),
    h=lambda r: r.uniform(0.1, 0.5, (4, 4)),
)
def influence(p, e, h):
    s2 = (e**2).sum() / (4 - p)
    return np.array([e[i] ** 2 / (p * s2) * h[i, i] / (1 - h[i, i]) ** 2 for i in range(4)])


@formula(
    r"""
\[
\psi_{j,k}(t) = 2^{-j/2}\psi(2^{-j}t-k), \qquad \psi(t) = (1 - t^2) e^{-t^2/2}
\]
""",
    source="Daubechies, Ten lectures on wavelets, 1992, with the Mexican hat",
    leaves_open="j and k have no range",
    t="3",
)
def hat_wavelets(t):
    return t


@formula(
    r"""
The loss of the YOLO box with predicted $(x, y, w, h)$ in $S^2$ cells and responsibility $\mathbb{1}_{i}^{\text{obj}}$:
\begin{equation}
\lambda_{\textbf{coord}} \sum_{i=0}^{S^2-1} \mathbb{1}_i^{\text{obj}} \left[ \left( x_i - \hat{x}_i \right)^2 + \left( \sqrt{w_i} - \sqrt{\hat{w}_i} \right)^2 \right]
\end{equation}
""",
    source="Redmon et al., You only look once, 2016, equation 3, shortened",
    leaves_open="an indicator with a word above is data",
    x="4",
)
def box_loss(x):
    return x


@formula(
    r"""
with $\Theta$ the Heaviside step function, the correlation sum is
\begin{equation}
C(\varepsilon) = \frac{2}{N(N-1)} \sum_{i=1}^{N} \sum_{j=i+1}^{N} \Theta(\varepsilon - \| \mathbf{x}_i - \mathbf{x}_j \|)
\end{equation}
""",
    source="Grassberger, Procaccia, Measuring the strangeness of strange attractors, 1983; as textbooks print it",
    leaves_open="the step at 0",
    x="3",
)
def correlation_sum(x):
    return x


@formula(
    r"""
\begin{equation}
\Phi_j = \frac{1}{|\mathcal{T}_j|} \sum_{i \in \mathcal{T}_j} \phi_i \qquad \text{where } \mathcal{T}_j = \{ i \mid c_i = j \}
\end{equation}
""",
    source="centroids as papers on clustering print them",
    leaves_open="numbers of classes",
    shapes=("size J, N", "input c[N]: index, phi[N]"),
    c=lambda r: np.array([1, 2, 2]),
    phi="3",
)
def class_means(c, phi):
    return phi
