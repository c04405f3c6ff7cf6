r"""What the words of a document tell of its signs and letters, and letters that are one thing here and another there."""

from __future__ import annotations

import pytest
from refused import assert_is_refused

import tadc


def program(text: str) -> str:
    """What a document computes, on one line."""
    return "; ".join(str(tadc.compile(text, lang="tex")).strip().splitlines())


PARTICLES = r"""
\[ v_i \leftarrow w v_i + c (p_i - x_i), \quad x_i \leftarrow x_i + v_i \]
"""
MOMENTUM = r"""
\begin{align} v &\leftarrow \alpha v - \epsilon g \\ \theta &\leftarrow \theta + v \end{align}
"""
RISK = r"""
\[ \mathrm{CVaR}_\alpha = \mathrm{VaR}_\alpha + \frac{1}{(1-\alpha)N} \sum_{i=1}^N [L_i - \mathrm{VaR}_\alpha]_+ \]
"""
DEVIATION = r"\[ s = \frac{1}{n} \sum_{i=1}^n (x_i - \bar x)^2 \]"
WEIGHTED = r"\[ s = \frac{\sum_{i} f_i (x_i - \bar x)^2}{\sum_{i} f_i} \]"
FUNCTION = r"\[ y = \sum_{i=1}^n f(x_i) w_i \]"
WEIGHTS = r"\[ y = \sum_{i=1}^n x_i w_i \]"
ENTROPY = r"\[ H = -\sum_i p_i \log p_i \]"
NORM = "\n%!tadc input x[N]\n" r"\[ y = \|x\| \]"


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        # lines of an algorithm, which run one behind the other
        (PARTICLES, "may be the old value here, or the new one"),
        (MOMENTUM, "may be the old value here, or the new one"),
        (r"\[ x_i \leftarrow x_i + h f_i, \quad f_i \leftarrow - x_i \]", "`f` may be the old value here"),
        (r"\[ c \leftarrow c + 1, \quad \mu_i \leftarrow \mu_i + (x_i - \mu_i)/c \]", "`c` may be the old value here"),
        # sizes of sets
        (r"\[ H = -\sum_{i} \frac{|S_i|}{|S|} \log_2 \frac{|S_i|}{|S|} \]", "`|S|` may be the number of elements of a set"),
        # a letter that is a number of its own
        (r"\[ i = r^* + \pi + 0.5(\pi - \pi^*) + 0.5 y \]", r"`\pi` may be 3.14.., or one of its own"),
        (r"\[ \pi_j = \sum_i \pi_i P_{ij}, \quad A = \pi r^2 \]", r"`\pi` may be 3.14.., or one of its own"),
        # means with weights
        (r"\[ s = \sum_{i} f_i (x_i - \bar x)^2 \]", r"`\bar{x}` may be the plain mean of `x`, or the one with the weights `f`"),
        # functions that the prose speaks of
        (r"where $\sigma$ is not the sigmoid but the tanh. \[ y = \sum_{i=1}^n \sigma(x_i - \mu) \]", "may be the sigmoid or a product"),
        (r"We use sigmoid units. The noise has scale $\sigma$. \[ y = \sum_{i=1}^n \sigma(x_i + \mu) \]", "may be the sigmoid or a product"),
        (WEIGHTS + "\nwhere $w_i = v_i^2$ or where $w_i = v_i$.", "the prose defines this in two ways"),
        # conventions that the prose states
        (r"where $\|\cdot\|$ is the spectral norm." + NORM, "the prose says which norm this is"),
        ("where logarithms are to the base $b$." + ENTROPY, "the prose says to which base logarithms are"),
        (r"\[ y_i = 10 \log x_i \]", r"`\log` may be the natural logarithm"),
        (r"\[ \mathrm{pH} = -\log h \]", r"`\log` may be the natural logarithm"),
        (r"where $*$ denotes convolution. \[ y_i = x_i * h_i \]", "this sign is a convolution"),
        (r"$\ast$ is the convolution operator. \[ y_i = x_i \ast h_i \]", "this sign is a convolution"),
        (r"where $\circ$ denotes composition. \[ y_i = f_i \circ g_i \]", "this sign is a composition"),
        ("where $[x]$ is the integer part of $x$.\n" r"\[ y_i = [x_i] + 1 \]", "these brackets are an integer part"),
        ("where $\\{x\\}$ is the fractional part of $x$.\n" r"\[ y_i = \{x_i\} + 1 \]", "these braces are a fractional part"),
        (r"where $|\cdot|$ denotes the determinant. \[ y_i = |x_i| \]", "bars are a determinant"),
        ("Angles are in degrees.\n" r"\[ y_i = \sin\theta_i \]", "angles are in degrees"),
        ("We do not use the Einstein summation convention.\n" r"\[ y_i = a_{ij} x_j \]", "`j` is neither an index"),
    ],
)  # fmt: skip
def test_two_readings_are_an_error(text, fact):
    assert_is_refused(text, fact)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        # the lines that decide
        ("%!tadc state v[N], x[N]\n" + PARTICLES, "x_[i: N] = x[i] + v_[i]"),
        ("%!tadc state v, theta\n" + MOMENTUM, "theta_ = theta + v_"),
        ("%!tadc state v, theta\n%!tadc step {\n" + MOMENTUM + "%!tadc }\n", "theta_ = theta + v"),
        ("%!tadc input alpha[]\n" + RISK, "CVaR_alpha = VaR_alpha + 1/((1 - alpha)*N)"),
        ("%!tadc input pi[]\n" r"\[ i = r^* + \pi + 0.5(\pi - \pi^*) + 0.5 y \]", "i = r_star + pi + 0.5*(pi - pi_star)"),
        ("%!tadc input S[N]\n" r"\[ h_i = \frac{|S_i|}{|S|} \]", "abs(S[i])/sqrt(h_sum)"),
        # nothing reads what an arrow replaces
        (r"\[ g_i \gets 2 x_i, \quad x_i \gets x_i + h g_i \]", "x_new[i: I] = x[i] + h*g[i]"),
        (r"\[ w_j \gets w_j + \sum_i (y_i - p_i) x_{ij}, \quad p_i = \sum_j w_j x_{ij} \]", "w_new[j: J] = w[j] + "),
        # a number in front of the letter
        (r"\[ V = \frac{4}{3} \pi r^3, \quad \pi_i = \frac{a_i}{\sum_j a_j} \]", "V = 4/3*3.141592653589793*r**3"),
        (r"\[ p_n = \sum_{k=1}^K \frac{\pi_k}{\sqrt{2\pi\sigma_k^2}} e^{-x_n^2} \]", "pi[k]/sqrt(6.283185307179586*sigma[k]**2)"),
        # bars that are no means
        ("We penalise deviations from the desired state $\\bar x$:\n" + DEVIATION, "input x[n], x_bar[]"),
        ("Let $\\bar x$ be the median.\n" + DEVIATION, "input x[n], x_bar[]"),
        ("where $\\bar{x}$ is prescribed.\n" + DEVIATION, "input x[n], x_bar[]"),
        ("where $\\bar x$ is the sample mean.\n" + DEVIATION, "x_bar = (sum{i=0..n - 1} x[i])/n"),
        (DEVIATION, "x_bar = (sum{i=0..n - 1} x[i])/n"),
        (WEIGHTED + r" where $\bar{x} = \operatorname{mean}_{i} x_i$", "x_bar = (sum{i=0..I - 1} x[i])/I"),
        (WEIGHTED + r" where $\bar{x} = \frac{\sum_{i} f_i x_i}{\sum_{i} f_i}$", "x_bar = (sum{i=0..I - 1} f[i]*x[i])"),
        # cases and examples define nothing
        ("When $f(x) = x$, this is the mean.\n" + FUNCTION, "input f[n], w[n]"),
        ("For instance, one may take $f(x) = x^2$.\n" + FUNCTION, "input f[n], w[n]"),
        ("with a convex function such as $f(x) = x^2$.\n" + FUNCTION, "input f[n], w[n]"),
        ("Take a function, e.g.\\ $f(x) = x^2$.\n" + FUNCTION, "input f[n], w[n]"),
        ("Others use $f(x) = x^2$ instead.\n" + FUNCTION, "input f[n], w[n]"),
        ("For instance, these are not linear, where $f(x) = x^2$.\n" + FUNCTION, "y = sum{i=0..n - 1} x[i]**2*w[i]"),
        ("where $f(x) = x^2$.\n" + FUNCTION, "y = sum{i=0..n - 1} x[i]**2*w[i]"),
        (WEIGHTS + "\nwhere $w_i = v_i^2$ in Section 2 and $w_i = v_i$ in Section 3.", "input x[n], w[n]"),
        (WEIGHTS + "\nwhere, in contrast to the case $w_i = v_i^2$ treated before, the weights are free.", "input x[n], w[n]"),
        (WEIGHTS + "\nwhere $w_i = v_i^2$ would be optimal but is unknown.", "input x[n], w[n]"),
        (WEIGHTS + "\nLet us first consider $w_i = v_i^2$.", "input x[n], w[n]"),
        (WEIGHTS + "\nLet $w_i = v_i^2$.", "w[i: n] = v[i]**2"),
        # conventions
        (r"where $\|\cdot\|$ denotes the $\ell_1$ norm." + NORM, "y = sum{d=0..N - 1} abs(x[d])"),
        (r"where $\|\cdot\|$ is the maximum norm." + NORM, "y = max{d=0..N - 1} abs(x[d])"),
        (r"where $\|\cdot\|$ is the Euclidean norm." + NORM, "y = sqrt("),
        (r"where $\|W\|$ is the spectral norm." + NORM, "y = sqrt("),
        (r"The $\ell_1$ norm $\|x\|_1$ is used elsewhere." + NORM, "y = sqrt("),
        ("All logarithms are to base 2." + ENTROPY, "p[i]*log2(p[i])"),
        (r"We write $\log$ for $\log_2$." + ENTROPY, "p[i]*log2(p[i])"),
        (r"$\log$ denotes the decadic logarithm." + ENTROPY, "p[i]*log10(p[i])"),
        (ENTROPY, "p[i]*log(p[i])"),
        ("All logarithms are to base 2.\n" r"\[ y_i = \ln x_i \]", "log(x[i])"),
        ("Angles are in degrees.\n" r"\[ y_i = \sin\left(\frac{\pi x_i}{180}\right) \]", "sin(3.141592653589793*x[i]/180)"),
        (r"\[ y_i = x_i * h_i \]", "y[i: I] = x[i]*h[i]"),
        # ranges of something else
        ("We train for $k = 1, \\dots, 100$ epochs.\n" r"\[ s = \sum_k x_k^2 \]", "sum{k=0..K - 1}"),
        ("where $k = 1, \\dots, 100$.\n" r"\[ s = \sum_k x_k^2 \]", "sum{k=0..99}"),
    ],
)  # fmt: skip
def test_one_reading(text, read):
    assert read in program(text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (r"\[ P_{inc} = \sum_{j} I_{inc,j} A_j \]", "`inc` below `P` may be a word, or an index for each letter"),
        (r"\[ y_i = \mathbf{w}\mathbf{x}_i + b \]", "the product of `\\mathbf{w}`, a vector"),
        (r"\[ E = \sum_i m_i \mathbf{v}_i^2 \]", "a vector, has no power"),
        (r"\[ E = \sum_{i<j} u(\mathbf{r}_i - \mathbf{r}_j), \quad u(\mathbf{r}) = \frac{1}{|\mathbf{r}|} \]", "is put in here"),
        (r"\[ L = \sum_{e} w_e e^{-x_e} \]", "an index, or Euler's number?"),
        (r"\[ y_i = \beta_0 + \beta_1 u_i + \beta_2 v_i + \beta_{12} u_i v_i \]", r"`12` below `\beta` may be the number of an element"),
        (r"\[ B = BP \cdot \exp(\sum_{n=1}^N w_n \log p_n) \]".replace("B =", "S ="), "`BP` may be one name"),
        (r"\[ w_i = v_i - lr \cdot g_i \]", "`lr` may be one name"),
        (r"\[ r_k = \sum_{n} x_n x_{n+k} \]", "the range of `k` is not told"),
        (r"\[ E(u,v) = \sum_{x,y} w(x,y) \left[ I(x+u,y+v) - I(x,y) \right]^2 \]", "the range of `u` is not told"),
        (r"\[ f(x_i + h) = g_i \]", "a function at a value"),
    ],
)  # fmt: skip
def test_a_name_that_may_be_something_else_is_an_error(text, fact):
    assert_is_refused(text, fact)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r"\[ P_{\mathrm{abs}} = \sum_{i} I_{\mathrm{abs},i} A_i \]", "P_abs = sum{i=0..I - 1} I_abs[i]*A[i]"),
        (r"\[ P_{\mathrm{inc}} = \sum_{j} I_{\mathrm{inc},j} A_j \]", "P_inc = sum{j=0..J - 1} I_inc[j]*A[j]"),
        (r"\[ z_i = \frac{x_i - x_{min}}{x_{max} - x_{min}} \]", "z[i: I] = (x[i] - x_min)/(x_max - x_min)"),
        (r"\[ v = \frac{V_{max} s}{K_m + s} \]", "v = V_max*s/(K_m + s)"),
        # arrows above letters are those of vectors, as bold letters are
        (r"\[ E = \sum_{i<j} \frac{q_i q_j}{|\vec{r}_i - \vec{r}_j|} \]", "sqrt("),
        ("%!tadc \\beta_{12} is beta_12\n" r"\[ y_i = \beta_0 + \beta_1 u_i + \beta_2 v_i + \beta_{12} u_i v_i \]", "beta_12*u[i]*v[i]"),
        # letters of axes, and labels that another formula reads
        (r"\[ \dot{M}_z = M_x B_y - M_y B_x - \frac{M_z - M_0}{T_1} \]", "M_dot_z = M_x*B_y - M_y*B_x - (M_z - M_0)/T_1"),
        (r"\[ Q = A R_h^{2/3} S^{1/2}, \quad R_h = \frac{A}{P} \]", "Q = A*R_h**(2/3)*S**(1/2)"),
        # shapes of what an argument consists of, and of the parts of a matrix
        (r"\[ S(X) = \sum_{i<j} \|X_i - X_j\| \] where $X_i \in \mathbb{R}^D$", "input X[X_0, D]"),
        (r"Let $X = [x_1, \dots, x_n] \in \mathbb{R}^{d \times n}$. \[ S = \sum_{i=1}^n x_i x_i^\top \]", "input x[n, d]"),
        (r"Let $X = (x_1, x_2, \dots, x_n)^\top \in \mathbb{R}^{n \times d}$. \[ S = \sum_{i=1}^n x_i x_i^\top \]", "input x[n, d]"),
        # what stands twice is summed where superscripts are indices
        ("%!tadc upper\n%!tadc einstein\n" r"\[ v_i = g_{ij} u^j \]", "v[i: I] = sum{j=0..J - 1} g[i, j]*u[j]"),
        ("%!tadc upper\n%!tadc einstein\n" r"\[ c = g_{ij} u^i v^j \]", "g[i, j]*u[i]*v[j]"),
        ("%!tadc input n[], n_i[N]\n" r"\[ p_i = \frac{n_i}{n} \]", "p[i: N] = n_i[i]/n"),
        # tensors that are declared with their letters have any letters below them
        ("%!tadc input p_i[N], p_ij[N, N]\n" r"\[ V = \sum_{i,j} (p_i p_j - p_{ij}) \]", "p_i[i]*p_i[j] - p_ij[i, j]"),
        ("%!tadc input p_i[N], p_j[M]\n" r"\[ V = \sum_{i,j} p_i p_j \]", "p_i[i]*p_j[j]"),
        ("%!tadc input c_ij[n, n], c_i[n]\n" r"\[ s = \sum_{i=1}^{n} \sum_{k=1}^{n} c_{ik} c_k \]", "c_ij[i, k]*c_i[k]"),
        ("%!tadc input x_i[n], x[]\n" r"\[ s = x \sum_{i=1}^{n-1} x_i x_{i+1} + x_1 \]", "s = x*(sum{i=0..n - 2} x_i[i]*x_i[i + 1]) + x_i[0]"),
        ("%!tadc input g_i[n], g_ij[n, n]\n" r"\[ V_i = g_i + \sum_{j=1}^{n} g_{ij} g_j \]", "V[i: n] = g_i[i] + sum{j=0..n - 1} g_ij[i, j]*g_i[j]"),
        ("%!tadc input alpha[], alpha_i[N]\n" r"\[ y_i = \alpha_i + \alpha x_i \]", "y[i: N] = alpha_i[i] + alpha*x[i]"),
        # concentrations behind rate constants
        (r"\[ v = k [\mathrm{A}]^2 [\mathrm{B}] \]", "v = k*A**2*B"),
        (r"\[ v = k [A][B] \]", "v = k*A*B"),
        # sizes with a number, and a number beside its elements
        (r"\[ s = \sum_{i=1}^n x_i, \quad n = 10 \]", "input x[10]"),
        ("%!tadc size n\n" r"\[ s = \sum_{i=1}^n x_i, \quad n = 10 \]", "input x[10]"),
        (r"\[ y_k = x_k^2, \quad k = 1, \dots, K, \quad K = 10 \]", "input x[10]"),
        (r"\[ s = \sum_{i=1}^{N} x_i, \quad N = 2n+1 \]", "input x[2*n + 1]"),
        (r"\[ y_k = x_k^2, \quad k = 0, \dots, K, \quad K = n + 3 m \]", "input x[3*m + n + 1]"),
        # numbers behind a range
        (r"\[ y_k = x_k^2, \quad k = 0, \dots, K, \quad m = c + d \]", "y[k: K + 1] = x[k]**2; m = c + d"),
        (r"\[ y_k = x_k^2, \quad k = 1, \dots, K, \quad m = c / K \]", "y[k: K] = x[k]**2; m = c/K"),
        (r"\[ u_i = x_i, \quad i = 1, \dots, N, \text{ where } h = a - b \]", "u[i: N] = x[i]; h = a - b"),
        ("%!tadc input lambda[], lambda_i[N]\n" r"\[ L = \lambda \sum_i \lambda_i x_i \]", "L = lambda*(sum{i=0..N - 1} lambda_i[i]*x[i])"),
        (r"\[ P_{a,b,s} = \sum_{i} I_{a,b,s,i} A_i \]", "P[a: A_1, b: B, s: S]"),
        (r"\[ T_{ijk} = A_{ijk} + B_{ijk} \]", "T[i: I, j: J, k: K]"),
        (r"\[ y_{bhw} = x_{bhw} z_{bhw} \]", "y[b: B, h: H, w: W]"),
        (r"\[ k_i = A e^{-E_i/(RT)} \]", "A*exp(-E[i]/(R*T))"),
        ("%!tadc input BP[]\n" r"\[ s = BP \exp(w) \]", "s = BP*exp(w)"),
        ("$r \\in \\mathbb{R}^{K}$\n" r"\[ r_k = \sum_{n} x_n x_{\operatorname{pad}(n+k)} \]", "r[k: K] ="),
        (r"\[ \mathrm{pH} = \mathrm{p}K_a + \log_{10} \frac{a}{b} \]", "pH = pK_a + log10(a/b)"),
        # the elements of matrices
        (r"Let $\mathbf{W} = (w_{ij}) \in \mathbb{R}^{m \times n}$. \[ \mathbf{y} = \mathbf{W} \mathbf{x} \]", "y[d: m] = sum{k=0..n - 1} W[d, k]*x[k]"),
        (r"Let $A = [a_{ij}] \in \mathbb{R}^{m \times n}$. \[ y_i = \sum_j a_{ij} x_j \]", "y[i: m] = sum{j=0..n - 1} A[i, j]*x[j]"),
        (r"Let $W \in \mathbb{R}^{m \times n}$. \[ y_i = \sum_j w_{ij} x_j, \quad L = \|W\|_F^2 \]", "sum{j=0..n - 1} W[i, j]*x[j]"),
        ("%!tadc input A[m, n], a[m, n]\n" r"\[ y_i = \sum_j a_{ij} x_j, \quad L = \|A\|_F^2 \]", "sum{j=0..n - 1} a[i, j]*x[j]"),
    ],
)  # fmt: skip
def test_names_and_elements(text, read):
    assert read in program(text)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        (r"$A, B \in \mathbb{R}^{n \times n}$ \[ c = A : B \]", r"`\sum_{ij} A_{ij} B_{ij}`"),
        (r"\[ L = \lambda \sum_i \lambda_i x_i \]", "`%!tadc input lambda[], lambda_i[N]`"),
        (r"\[ p_i = \frac{n_i}{n} \]", "`%!tadc input n[], n_i[N]`"),
        (r"\[ V = \sum_{i,j} (p_i p_j - p_{ij}) \]", "`%!tadc input p_i[N], p_ij[N, N]`"),
        (r"\[ V = \sum_{i,j} (p_i p_j - p_{ij}) \]", "`%!tadc input p_i[I], p_j[J], p_ij[N, M]`"),
        (r"\[ y_i = \alpha_i + \alpha x_i \]", "`%!tadc input alpha[], alpha_i[N]`"),
        (PARTICLES, "`%!tadc state v[N], x[N]`"),
        (MOMENTUM, "`%!tadc state v, theta`"),
    ],
)  # fmt: skip
def test_what_to_write_leads_on(text, fix):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text, lang="tex")

    assert fix in str(caught.value.errors[0].fix)


@pytest.mark.parametrize(
    ("behind", "part"),
    [
        (r"\quad i = 1, \dots, N, \quad r = 10", "r = 10"),
        (r"\quad i = 1, \dots, N, \quad N = L/h", "N = L/h"),
        (r"\text{ for } h = 1/N, \quad i = 1, \dots, N", "h = 1/N"),
        (r"\text{ on } x = L", "x = L"),
    ],
)
def test_what_is_said_of_a_number_behind_a_formula_is_named(behind, part):
    f = tadc.compile(rf"\[ u_i = a_i + 1, {behind} \]", lang="tex")

    assert [span.text for span in f.skipped] == [part]
    assert f.outputs == ("u",)
