r"""Sets that conditions tell, conditionals and shapes that the document defines, and what names are by the places where they stand."""

from __future__ import annotations

import numpy as np
import pytest
from declared_shapes import shapes_of, sizes_of
from refused import assert_is_refused

import tadc

OF_A = r"$\mathcal{N}(i) = \{j \mid A_{ij} > 1\}$"
READ = [
    # members of sets are those that a condition holds for
    (rf"{OF_A} \[ h_i = \sum_{{j \in \mathcal{{N}}(i)}} w_{{ij}} x_j \]",
     "h[i] = sum{j | A[i, j] > 1} w[i, j]*x[j]"),
    (r"$\mathcal{N}_u = \{k : A_{uk} > 1\}$ \[ h_i = \max_{j \in \mathcal{N}_i} w_{ij} x_j + 9 \]",
     "h[i] = max{j} (if A[i, j] > 1 then w[i, j]*x[j] else -inf) + 9"),
    (r"\[ h_i = \sum_{j \in \mathcal{N}_i, j \neq i} x_j, \quad \mathcal{N}_i = \{j : A_{ij} > 1\} \]",
     "h[i] = sum{j | A[i, j] > 1 and j != i} x[j]"),
    (rf"{OF_A} \[ h_i = \sum_{{j \in \mathcal{{N}}(i) \cup \{{i\}}}} x_j \]",
     "h[i] = sum{j | A[i, j] > 1 or j = i} x[j]"),
    (rf"{OF_A} \[ h_i = \frac{{1}}{{|\mathcal{{N}}(i)| + 1}} \sum_{{j \in \mathcal{{N}}(i)}} \frac{{x_j}}{{1 + |\mathcal{{N}}(j)|}} \]",
     "n[i] = 1 + sum{j | A[i, j] > 1} 1; h[i] = (sum{j | A[i, j] > 1} x[j]/n[j])/n[i]"),
    (r"$\Omega = \{(i, j) \mid W_{ij} > 1\}$ \[ s = \sum_{(i,j) \in \Omega} (x_i - x_j)^2 \]",
     "s = sum{i, j | W[i, j] > 1} (x[i] - x[j])**2"),
    (r"$D_S = \{(u, i, j) \mid A_{uij} > 1\}$ \[ s = \sum_{(u,i,j) \in D_S} x_{ui} x_{uj} \]",
     "s = sum{u, i, j | A[u, i, j] > 1} x[u, i]*x[u, j]"),
    # conditionals that are defined and read
    (r"\[ p_{j|i} = \frac{w_{ij}}{\sum_k w_{ik}}, \quad q_{ij} = p_{j|i} + p_{i|j} \]",
     "p[i, j] = w[i, j]/(sum{k} w[i, k]); q[i, j] = p[i, j] + p[j, i]"),
    (r"\[ p_{j|i} = \frac{w_{ij}}{\sum_k w_{ik}}, \quad p_{ij} = p_{j|i} + p_{i|j} \]",
     "q[i, j] = w[i, j]/(sum{k} w[i, k]); p[i, j] = q[i, j] + q[j, i]"),
    # shapes of transposes, and of what equations end with
    (r"$X^\top \in \mathbb{R}^{N \times D}, z \in \mathbb{R}^{N}$ \[ y = X z \]", "input X[D, N], z[N]; y[i] = sum{j} X[i, j]*z[j]"),
    (r"$x^T \in \mathbb{R}^{N}, Z \in \mathbb{R}^{N \times D}$ \[ y = x^T Z \]", "input x[N], Z[N, D]; y[i] = sum{j} x[j]*Z[j, i]"),
    (r"$S \in \mathbb{R}^{N \times M}, Z \in \mathbb{R}^{N \times D}$ \[ X = S^T Z \in \mathbb{R}^{M \times D} \]",
     "input S[N, M], Z[N, D]; X[i, j] = sum{k} S[k, i]*Z[k, j]"),
    # sizes of layers
    (r"$h^{(l)} \in \mathbb{R}^{d_l}, W^{(l)} \in \mathbb{R}^{d_{l+1} \times d_l}$ \[ h^{(l+1)} = W^{(l)} h^{(l)} \]",
     "input h_l[d_l], W_l[d_l_plus_1, d_l]; h_new[i] = sum{j} W_l[i, j]*h_l[j]"),
    # what stands behind the transpose of a vector is one, and what is bold and added to one
    (r"$x_i \in \mathbb{R}^D$ \[ s = \sum_{i=1}^N (y_i - x_i^\top b)^2 \]", "size N; input y[N], x[N, D], b[D]; s = sum{i} (y[i] - (sum{d} x[i, d]*b[d]))**2"),
    (r"$\mathbf{x} \in \mathbb{R}^D, \mathbf{W} \in \mathbb{R}^{M \times D}$ \[ \mathbf{y} = \mathbf{W} \mathbf{x} + \mathbf{b} \]",
     "input x[D], W[M, D], b[M]; y[i] = (sum{d} W[i, d]*x[d]) + b[i]"),
    # ranges of what reads, and extents beside labels
    (r"\[ F_i = a_{i+1/2} (u_{i+1} - u_i), \quad i = 1, \dots, N-1 \] with $a_{i+1/2} = \max(u_i, u_{i+1})$.",
     "size N; input u[N]; F[i: N - 1] = max(u[i], u[i+1])*(u[i+1] - u[i])"),
    (r"\[ s_i = \mu_{y_i} - \sum_{c=1}^{C} \mu_c \]", "size C; input mu[C], y[I]: index; s[i] = mu[y[i] - 1] - (sum{c: C} mu[c])"),
    # letters that tell two tensors apart, in the prose too
    (r"views $\mathbf{z}^A$ and $\mathbf{z}^B$ \[ s = \sum_{ij} (z_{ij}^A - z_{ij}^B)^2 \]", "s = sum{i, j} (z_A[i, j] - z_B[i, j])**2"),
    # the largest element of a vector
    (r"\[ y_i = \frac{x_i - \min(x)}{\max(x) - \min(x)} \]", "l = min{j} x[j]; h = max{j} x[j]; y[i] = (x[i] - l)/(h - l)"),
    ("%!tadc input x[N]\n" r"\[ y_i = x_i / \max(x) \]", "input x[N]; h = max{j} x[j]; y[i] = x[i]/h"),
    # units behind formulas, and components
    (r"\[ \mathrm{MCD}\,[\mathrm{dB}] = \sum_i x_i \]", "MCD = sum{i} x[i]"),
    (r"\[ y_i = x_i \quad [\text{bit/s}], \]", "y[i] = x[i]"),
    (r"\[ y_i = x_i \;[\mathrm{dB}] \]", "y[i] = x[i]"),
    (r"\[ s = \sum_{f=1}^{N} (p_f n_{f,x} + \tau_{f,x}) S_f \]", "size N; input p[N], n_x[N], tau_x[N], S[N]; s = sum{f} (p[f]*n_x[f] + tau_x[f])*S[f]"),
    # an index with a prime beside a tensor of its letter
    ("%!tadc input w[K, Y], y[T]: index\n%!tadc base 1\n" r"\[ s_k = \sum_{t=1}^{T} w_{k y_t} - \sum_{y'=1}^{Y} w_{k y'} \]",
     "base 1; size T, Y; input w[K, Y], y[T]: index; s[k] = (sum{t: T} w[k, y[t]]) - (sum{j: Y} w[k, j])"),
    # two styles of one letter in lines
    ("%!tadc input \\mathbf{x}[N, 3], x[N]\n" r"\[ y_i = \mathbf{x}_i \cdot \mathbf{x}_i + x_i \]", "input x_bf[N, 3], x[N]; y[i] = (sum{d} x_bf[i, d]**2) + x[i]"),
    ("%!tadc input x[N]\n%!tadc input \\mathbf{x}[N, 3]\n" r"\[ y_i = \mathbf{x}_i \cdot \mathbf{x}_i + x_i \]", "input x_bf[N, 3], x[N]; y[i] = (sum{d} x_bf[i, d]**2) + x[i]"),
    # signs of Euler's number, of steps that the prose defines, and of what the prose says of a mean
    ("%!tadc input e[]\n" r"\[ y_i = e^2 x_i \]", "input e[]; y[i] = e**2*x[i]"),
    (r"\[ y_i = \mathrm{e}^2 x_i + e^{-1} \log_2 e \]", "y[i] = exp(2)*x[i] + exp(-1)*log2(exp(1))"),
    (r"$\theta(x) = \mathbf{1}[x > 0]$ \[ s = \sum_i \theta(x_i - a) \] with $\theta$ the step function", "s = sum{i} [x[i] > a]"),
    (r"\[ y_i = \llbracket x_i > a \rrbracket z_i \]", "y[i] = [x[i] > a]*z[i]"),
    (r"The weighted sum. \[ s = \sum_i |x_i - \bar{y}| + |y_i| \] with $\bar{y}$ the mean of the $y_i$.", "m = mean{i} y[i]; s = sum{i} (abs(x[i] - m) + abs(y[i]))"),
    (r"$q, k_+, k_i \in \mathbb{R}^D$ \[ s_i = q \cdot k_+ + q \cdot k_i \]", "input q[D], k_plus[D], k[I, D]; s[i] = sum{d} q[d]*(k_plus[d] + k[i, d])"),
    (r"\[ y_i = \sfrac{x_i}{2} + \nicefrac{1}{2} \]", "y[i] = x[i]/2 + 1/2"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "program"), READ)
def test_what_papers_print_is_the_program_that_it_means(text, program):
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")
    plain = tadc.compile(program.replace("; ", "\n"), backend="interpreter", dtype="float64")
    random = np.random.default_rng(5)
    shapes = shapes_of(plain)
    arrays = {name: random.uniform(0.5, 1.5, shape) for name, shape in shapes.items()}
    arrays |= {"y": np.ones(shapes["y"], int)} if ": index" in program else {}
    sizes = sizes_of(plain)

    assert {*f.inputs} == {*plain.inputs}
    given = {name: n for name, n in sizes.items() if name in f.sizes}
    computed = f(*[arrays[name] for name in f.inputs], **given)
    np.testing.assert_allclose(computed, plain(*[arrays[name] for name in plain.inputs], **sizes))


REFUSED = [
    (r"$\mathcal{N}_i = \{j : (i, j) \in E\}$ \[ h_i = \sum_{j \in \mathcal{N}_i} x_j \]", "the set that the index runs over is not told"),
    (r"\[ h_i = \sum_{(i,j) \in E} x_{ij} \]", "the set that the indices run over is not told"),
    (r"\[ p_{j|i} = \frac{w_{ij}}{\sum_k w_{ik}} \]", "the order of the dimensions of a conditional is not told"),
    (r"\[ p_{j|i} = w_{ij}, \quad q_{ij} = p_{j|i} + p_{ij} \]", "the order of the dimensions of a conditional is not told"),
    # what nobody puts in brackets to multiply it may be an argument
    (r"\[ s = \sum_{ij} K(|x_i|) y_j \]", "may be an element of `K`, a function of it, or a product"),
    (r"\[ s = \sum_i u(2 x_i) \]", "may be an element of `u`, a function of it, or a product"),
    (r"\[ s = \sum_i k(x_i / h) \]", "may be an element of `k`, a function of it, or a product"),
    (r"\[ s = \sum_i \alpha(-x_i) \]", "may be an element of `alpha`, a function of it, or a product"),
    (r"\[ f_i = \sum_j K(x_i - x_j) \] with a kernel $K$", "may be an element of `K`, a function of it, or a product"),
    # a minus sign in front of a sum and of the term behind it; matrices that nothing declares
    (r"\[ s = -\sum_i y_i \log p_i - (1 - y_i) \log(1 - p_i) \]", "as the sum covers both"),
    (r"\[ s = c - \sum_i a_i - b_i \]", "as the sum covers both"),
    (r"\[ s = -\frac{1}{N} \sum_{i=1}^N a_i - b_i \]", "as the sum covers both"),
    (r"\[ \mathbf{y} = \mathbf{W} \mathbf{x} + \mathbf{b} \]", r"`\mathbf{W}` may be a vector or a matrix"),
    (r"\[ \mathbf{C} = \mathbf{A} \mathbf{B} \]", r"`\mathbf{A}` may be a vector or a matrix"),
    (r"\[ \mathbf{y} = \mathbf{A}^{-1} b \]", r"`\mathbf{A}` may be a vector or a matrix"),
    # letters of steps and deltas in front of brackets are no factors, and Euler's number hardly ever stands alone
    (r"\[ s = \sum_i \Theta(a - x_i) \]", "`Theta(..)` is no function that tadc knows"),
    (r"\[ s = \sum_i \delta(a - x_i) \]", "`delta(..)` may be an element of `delta`, a function of it, or a product"),
    (r"\[ s = \sum_i \theta(a - x_i) \] with $\theta$ the Heaviside step function.", "its value at 0 is not told"),
    (r"\[ s = \sum_i \frac{q_i e^2}{r_i} \]", "`e` may be Euler's number, or a number of its own"),
    (r"\[ s_i = e x_i \] where $e$ is the charge of an electron", "`e` may be Euler's number, or a number of its own"),
    (r"$x_i \in \mathbb{R}^D$ \[ s = \sum_{i=1}^N (y_i - x_i^\top b c)^2 \]", "stand on both sides of a sign"),
    (r"$x \in \mathbb{R}^D, W \in \mathbb{R}^{M \times D}$ \[ y = W x + b \]", "stand on both sides of a sign"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fact"), REFUSED)
def test_what_fits_two_readings_is_refused(text, fact):
    assert_is_refused(text, fact)


@pytest.mark.parametrize(
    ("left", "limits"),
    [
        ("s_i", r"j \in \mathcal{N}(i)"),
        ("s_i", r"j \in \mathcal{N}_i"),
        ("s_i", r"j \in \mathcal{N}_i \cup \{i\}"),
        ("s", r"(i,j) \in \mathcal{E}"),
        ("s", r"(u,i,j) \in D_S"),
    ],
)
def test_the_sentence_that_says_who_is_in_a_set_can_be_pasted(left, limits):
    text = rf"\[ {left} = \sum_{{{limits}}} x_i x_j \]"
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile(text, lang="tex")
    sentence = caught.value.errors[0].fix.split("`")[1]

    assert "if A[" in str(tadc.compile(f"{sentence}\n{text}", lang="tex"))
