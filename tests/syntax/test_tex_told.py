r"""What the words around formulas tell of their letters, and what the letters around brackets and sums do."""

from __future__ import annotations

import numpy as np
import pytest
from declared_shapes import shapes_of, sizes_of
from refused import assert_is_refused

import tadc

READ = [
    # numbers above letters that lines give names, beside powers of others
    ("%!tadc b^1 is u\n%!tadc b^2 is v\n" r"\[ y_i = b^1 x_i^2 + b^2 \]", "y[i] = u*x[i]**2 + v"),
    (r"%!tadc \sigma_{a}^{2} is v" "\n" r"\[ y_i = \sigma_a^2 x_i + \sigma_b^2 \]", "y[i] = v*x[i] + sigma_b**2"),
    # a letter with a 0 below it that the prose speaks of is a number
    (r"\[ U = \sum_{i=1}^{M} (\rho_i - \rho_0)^2 \] where $\rho_0$ is the distance of influence",
     "size M; input rho[M], rho_0[]; U = sum{i=0..M - 1} (rho[i] - rho_0)**2"),
    (r"\[ R_i = \rho_0 (1 + \alpha T_i) \] where $\rho_0$ is the resistivity", "R[i] = rho_0*(1 + alpha*T[i])"),
    (r"\[ S = \sum_{t=1}^{N} (x_t - x_{t-1})^2 \] from the start $x_0$ on",
     "size N; input x[N + 1]; S = sum{t=0..N - 1} (x[t + 1] - x[t])**2"),
    # a letter above names that the prose calls a superscript is a label
    (r"\[ y_i = k_i (x_i^d - x_i) \] where the superscript $d$ denotes desired values", "y[i] = k[i]*(x_d[i] - x[i])"),
    (r"\[ y_i = x_i^k b_k \] where the superscript $b$ denotes nothing here and $k$ is 2" "\n%!tadc input k[], b_k[]", "input k[], b_k[]; y[i] = x[i]**k*b_k"),
    (r"\[ y_i = \frac{x_i^t}{\tau_t} - \frac{x_i^s}{\tau_s} \] where superscripts $t$ and $s$ are teacher and student",
     "y[i] = x_t[i]/tau_t - x_s[i]/tau_s"),
    # a sign above a name that has a shape is part of the name
    (r"$v_s, v_s^+ \in \mathbb{R}^C$ \[ y = \sum_{s=1}^S v_s \cdot v_s^+ \]",
     "size S, C; input v[S, C], v_plus[S, C]; y = sum{s, c} v[s, c]*v_plus[s, c]"),
    # approximate values that are computed, and functions of a dot
    (r"\[ R = \sum_x l_x m_x, \qquad r \approx \frac{\ln R}{T} \]", "R = sum{x} l[x]*m[x]; r = log(R)/T"),
    (r"\[ R = \sum_x l_x m_x, \qquad R \approx \frac{a}{T} \]", "R = sum{x} l[x]*m[x]"),
    (r"\[ y_i = \sigma(x_i - a) \] with $\sigma(\cdot) = \max(0, \cdot)$", "y[i] = max(0, x[i] - a)"),
    # what a definition reads of itself at numbers is given
    (r"\[ x_i = x_0 + v t_i \]", "x[i] = x_0 + v*t[i]"),
    (r"\[ W_p = W_{040} r_p + W_{131} q_p \]", "W[p] = W_040*r[p] + W_131*q[p]"),
    # a name with a label that stands as a number is none of a function
    (r"\[ y_i = \sigma_f^2 + \sigma_f (x_i - 1) \]", "y[i] = sigma_f**2 + sigma_f*(x[i] - 1)"),
    # counts of rows have a name of their own beside the size of their letter
    (r"\[ s = \sum_{k=1}^{K} n_k \sum_{i=1}^{n} x_i z_{ik} \] where $n_k = \sum_i z_{ik}$",
     "size n, K; input x[n], z[n, K]; s = sum{k, i} (sum{j} z[j, k])*x[i]*z[i, k]"),
    # a letter twice below a left side, of which the right side has none
    (r"\[ V_{nn} = \sum_{i<j} Z_i Z_j d_{ij} \]", "V = sum{i, j | i < j} Z[i]*Z[j]*d[i, j]"),
    # formulas without a left side read what the prose defines
    (r"with implicit confidence $c_i = 1 + a r_i$ \[ \sum_i c_i p_i^2 \]", "value = sum{i} (1 + a*r[i])*p[i]**2"),
    (r"\[ \log|\det J| = \sum_i \log x_i \]", "s = sum{i} log(x[i])"),
    # links of statistics
    (r"\[ L = \sum_i y_i p_i, \quad \operatorname{logit}(p_i) = a + b x_i \]", "p[i] = sigmoid(a + b*x[i]); L = sum{i} y[i]*p[i]"),
    (r"\[ L = \sum_i y_i p_i, \quad \log\frac{p_i}{1 - p_i} = a + b x_i \]", "p[i] = sigmoid(a + b*x[i]); L = sum{i} y[i]*p[i]"),
    (r"\[ L = \sum_i y_i \mu_i, \quad \log(\mu_i) = a + b x_i \]", "L = sum{i} y[i]*exp(a + b*x[i])"),
    # a range from 0 that no subscript reaches
    ("%!tadc input g[]\n" r"\[ A_t = \sum_{l=0}^{T-t} g^l d_{t+l}, \quad t = 1, \dots, T \]", "size T; input g[], d[T]; A[t: T] = sum{l=0..T - 1 - t} g**l*d[t + l]"),
    # what a line declares as a number is none of the elements that the prose speaks of
    ("%!tadc input s[]\n" r"Let $s_p = \cos\theta_{y_i}$. \[ y_i = s x_i \]", "input s[]; y[i] = s*x[i]"),
    # limits that list their values
    (r"\[ y_i = \max_{j=1,\ldots,k} x_{ij} \]", "size k; input x[I, k]; y[i] = max{j} x[i, j]"),
    (r"\[ y_i = \min_{k=1,2} Q_{ki} \]", "input Q[2, I]; y[i] = min{k} Q[k, i]"),
    (r"\[ y_i = \min_{k \in \{1,2\}} Q_{ki} \]", "input Q[2, I]; y[i] = min{k} Q[k, i]"),
    # a size behind an index multiplies it, where a sum goes on
    ("%!tadc size K, L, D\n%!tadc input x[K*D + L]\n" r"\[ P = \sum_{m=0}^{K-1} \sum_{n=0}^{L-1} x_{n + mD} \]",
     "size K, L, D; input x[K*D + L]; P = sum{m=0..K - 1, n=0..L - 1} x[n + D*m]"),
    ("%!tadc size K, L, D\n%!tadc input x[K*D + L]\n" r"\[ P = \sum_{m=0}^{K-1} \sum_{n=0}^{L-1} x_{mD+n} \]",
     "size K, L, D; input x[K*D + L]; P = sum{m=0..K - 1, n=0..L - 1} x[n + D*m]"),
    # under the convention of summation a letter below one name alone is a label
    ("%!tadc einstein\n" r"\[ \nu = (C_s \Delta)^2 S_{ij} S_{ij} \]", "nu = (C_s*Delta)**2*(sum{i, j} S[i, j]*S[i, j])"),
    # the order of a conditional, by the extents of another tensor
    ("%!tadc input pi[A, S], Q[S, A]\n" r"\[ V(s) = \sum_a \pi(a|s) Q(s,a) \]", "input pi[A, S], Q[S, A]; V[s] = sum{a} pi[a, s]*Q[s, a]"),
    ("%!tadc input pi[S, A], Q[S, A]\n" r"\[ V(s) = \sum_a \pi(a|s) Q(s,a) \]", "input pi[S, A], Q[S, A]; V[s] = sum{a} pi[s, a]*Q[s, a]"),
    # quotients of numbers are numbers beside vectors
    (r"$x \in \mathbb{R}^n$ \[ y = x - \tfrac{1}{2} \]", "input x[N]; y[i] = x[i] - 1/2"),
    # means are of what is read at moved places, too
    (r"\[ c(k) = \sum_{t=1}^{n-k} (x_t - \bar x)(y_{t+k} - \bar y) / \sum_{t=1}^{n} (y_t - \bar y)^2, \quad k = 0, 1 \] where $\bar x$ and $\bar y$ are the sample means",
     "size n; input x[n], y[n]; x_bar = mean{t} x[t]; y_bar = mean{t} y[t]; c[k: 2] = sum{t=0..n - k - 1} (x[t] - x_bar)*(y[t + k] - y_bar)/(sum{t} (y[t] - y_bar)**2)"),
    # new indices are called as nothing else is
    (r"\[ u_{ij} = \|\mathbf{x}_j - \mathbf{v}_i\|^2 \sum_{k=1}^c \|\mathbf{x}_j - \mathbf{v}_k\|^2 \] for $\mathbf{x}_j \in \mathbb{R}^p$, $j = 1, \dots, n$, and $\mathbf{v}_i$, $i = 1, \dots, c$.",
     "size n, c, p; input x[n, p], v[c, p]; u[i, j] = (sum{a} (x[j, a] - v[i, a])**2)*(sum{k, a} (x[j, a] - v[k, a])**2)"),
    # what a declared tensor has below it is an index of the left side, too
    ("%!tadc size N, B\n%!tadc input x[B, N]\n" r"\[ X_b(k) = \sum_{n=0}^{N-1} x_b(n) \cos(kn), \quad 0 \le k < N \]",
     "size N, B; input x[B, N]; X[b, k: N] = sum{n=0..N - 1} x[b, n]*cos(k*n)"),
]  # fmt: skip

REFUSED = [
    # a number above a letter of which another number is a name
    ("%!tadc b^1 is b_1\n" r"\[ y_i = b^1 x_i + b^2 \]", "`^2` above `b` may be a power or a label, as the `b^1` that has a name"),
    ("%!tadc b^1 is b_1\n" r"\[ y_i = b_i^1 + b_i^2 \]", "`^2` above `b` may be a power or a label, as the `b^1` that has a name"),
    # a signal at a moment that data move is no factor
    (r"\[ y(n) = \sum_{m=1}^M w_m x_m(n - \tau_m) \]", "may be an element of `x`, a function of it, or a product"),
    (r"\[ y[n] = \sum_{m=1}^M w_m x[n - \tau_m] \]", "may be an element of `x`, a function of it, or a product"),
    (r"\[ y_n = \sum_{m=1}^M w_m x(n - \tau_m) \] for $n = 1, \dots, N$.", "may be an element of `x`, a function of it, or a product"),
    # an index without a printed range is no moment among data
    (r"\[ S(t) = \sum_{i=1}^{n} \mathbf{1}(T_i \le t) g_t \]", "nothing tells which numbers it runs over"),
    ("%!tadc input pi[A, A]\n" r"\[ V(s) = \sum_a \pi(a|s) q_a \]", "a conditional stands where a number is expected"),
    (r"\[ y_i = \max_{j=1,3,\ldots,k} x_{ij} \]", "dots stand for what the reader guesses"),
    (r"\[ y_i = x_i^t z_i \] where superscript $t$ denotes the transpose", "may be a power or a label"),
    (r"\[ y_i = \sigma_f (x_i - 1) \]", "is no function that tadc knows"),
    (r"\[ y_i = x_i^k \] where the superscript $j$ denotes joints", "may be a power or a label"),
    (r"\[ s = \sum_{i<j} w_{ij} (\delta_{ij} - d_{ij})^2 \]", "is 0 in every term of this sum"),
    ("%!tadc einstein\n" r"\[ a_i = B_{ij} c_j + d_k \]", "the index `k` is not on the left"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "program"), READ)
def test_what_papers_print_is_the_program_that_it_means(text, program):
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")
    plain = tadc.compile(program.replace("; ", "\n"), backend="interpreter", dtype="float64")
    random = np.random.default_rng(5)
    arrays = {name: random.uniform(0.5, 1.5, shape) for name, shape in shapes_of(plain).items()}
    sizes = sizes_of(plain)

    assert {*f.inputs} == {*plain.inputs}
    given = {name: n for name, n in sizes.items() if name in f.sizes}
    computed = f(*[arrays[name] for name in f.inputs], **given)
    np.testing.assert_allclose(computed, plain(*[arrays[name] for name in plain.inputs], **sizes))


@pytest.mark.parametrize(("text", "fact"), REFUSED)
def test_what_fits_two_readings_is_refused(text, fact):
    assert_is_refused(text, fact)


@pytest.mark.parametrize(
    "said",
    [
        r"where $\sigma(\cdot)$ is the $\mathrm{ReLU}(\cdot) = \max(0, \cdot)$",
        r"with the ReLU activation $\sigma(\cdot)$",
        r"with the rectified linear activation function $\sigma$",
    ],
)
def test_the_prose_tells_a_function_in_mathematics_or_in_front_of_its_letter(said):
    text = rf"\[ y_i = \sigma(2 x_i) \] {said}."

    assert "relu(2*x[i])" in str(tadc.compile(text, lang="tex"))


def test_one_of_two_functions_in_front_of_a_letter_is_not_told():
    with pytest.raises(tadc.SyntaxError, match="may be the sigmoid or a product"):
        tadc.compile(r"\[ y_i = \sigma(2 x_i) \] with tanh or ReLU activation $\sigma$", lang="tex")


def test_a_definition_in_the_prose_with_fewer_indices_than_all_reads_is_about_something_else():
    text = r"With $\theta_i = 2 \pi n_i / q$: \[ E = \sum_{i=1}^{L} \sum_{j=1}^{M} \cos(\theta_{i,j}) \]"

    assert "input theta[L, M]" in str(tadc.compile(text, lang="tex"))


def test_comments_are_no_prose():
    text = (
        "%!tadc base 1\n% since this supposes something\n"
        r"The linear predictor $\eta_i = 2 x_i$ enters \[ y_i = \exp(\eta_i) \]"
    )

    assert "input x" in str(tadc.compile(text, lang="tex"))


def test_integers_in_lists_behind_a_tensor_are_indices_beside_their_differences():
    text = (
        "%!tadc input I[H, W]\n"
        r"\[ w(i, j, k, l) = \exp(-(i - k)^2 - (j - l)^2 - (I(i, j) - I(k, l))^2) \]"
        r"\[ s(i, j) = \sum_{k,l} w(i, j, k, l) \]"
    )

    assert "w[i: H, j: W, k: H, l: W]" in str(tadc.compile(text, lang="tex"))


def test_the_shape_of_a_name_at_half_places_alone_is_that_of_its_tensor():
    text = r"$f \in \mathbb{R}^{N-1}$, $u \in \mathbb{R}^N$: \[ f_{i+1/2} = u_{i+1} - u_i \]"

    assert "f_half[i: N - 1]" in str(tadc.compile(text, lang="tex"))


def test_a_bold_letter_twice_below_a_left_side_is_a_label():
    text = (
        "%!tadc input x[K, M]\n"
        r"\[ \mathbf{R}_{xx} = \sum_{k=1}^{K} \mathbf{x}_k \mathbf{x}_k^\top \]"
    )

    assert "input x[K, M]\n" in str(tadc.compile(text, lang="tex"))
