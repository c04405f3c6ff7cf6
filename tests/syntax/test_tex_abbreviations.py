r"""Letters side by side, words in front of operands, powers and labels by single letters: one name, a product, a function, or an error."""

from __future__ import annotations

import pytest

import tadc

SAID = "where $USL$ and $LSL$ are the specification limits"

# A document, and the last line of its program.
READ = [
    (rf"\[ y_i = \frac{{USL - x_i}}{{USL - LSL}} \] {SAID}.", "y[i: I] = (USL - x[i])/(USL - LSL)"),
    (r"\[ y_i = x_i RT \]", "y[i: I] = x[i]*R*T"),
    (r"\[ y_i = CF_i + C + F_i \]", "y[i: I] = C*F[i] + C + F[i]"),
    (r"where $C$ is the cost. \[ y_i = 2 CF_i \]", "y[i: I] = 2*C*F[i]"),
    ("%!tadc input CF[N]\n" r"\[ y_i = 2 CF_i \]", "y[i: N] = 2*CF[i]"),
    ("%!tadc input C[], F[N]\n" r"\[ y_i = 2 CF_i \]", "y[i: N] = 2*C*F[i]"),
    (r"\[ y_i = 2\, \mathrm{CF}_i \]", "y[i: I] = 2*CF[i]"),
    (r"\[ y_i = TD_{50} x_i \] with $TD_{50}$", "y[i: I] = TD_50*x[i]"),
    (r"\[ D_{32} = \frac{\sum_i n_i d_i^3}{\sum_i n_i d_i^2} \]", "D_32 = (sum{i=0..I - 1} n[i]*d[i]**3)/(sum{i=0..I - 1} n[i]*d[i]**2)"),
    (r"\[ y_i = \sin \omega t_i e^{-t_i} \cos 2 t_i e^{z}\]", "y[i: I] = sin(omega*t[i])*exp(-t[i])*cos(2*t[i])*exp(z)"),
    (r"\[ y_i = \ln e^{x_i} + \frac{\ln x_i}{z} e^{z} \]", "y[i: I] = log(exp(x[i])) + log(x[i])/z*exp(z)"),
    (r"\[ S_i = M_0 \sin \alpha_i e^{-T_R/T_1} \]", "S[i: I] = M_0*sin(alpha[i])*exp(-T_R/T_1)"),
    (r"\[ s = \sum_{j} (D)_j/(D_x)_j \]", "s = sum{j=0..J - 1} D[j]/D_x[j]"),
    (r"\[ s_i = \sum_j (x_i)_j (w)_j \]", "s[i: I] = sum{j=0..J - 1} x[i, j]*w[j]"),
    (r"\[ y_i = x_i^a + e^{-a z_i} \]", "y[i: I] = x[i]**a + exp(-(a*z[i]))"),
    (r"\[ y_i = x_i^a + z_i^{-a} \]", "y[i: I] = x[i]**a + z[i]**-a"),
    (r"\[ y_i = x_i^{\beta_1} + \beta_2 \]", "y[i: I] = x[i]**beta_1 + beta_2"),
    (r"\[ v(x) = x^a, \quad y_i = v(x_i) \]", "y[i: I] = x[i]**a"),
    (r"\[ y_k = 1/k^s, \quad k = 1, \dots, N \]", "y[k: N] = 1/(k + 1)**s"),
    (r"\[ f(k; s, N) = \frac{k^{-s}}{\sum_{n=1}^{N} n^{-s}}, \quad k = 1, \ldots, N \]", "f[k: N] = (k + 1)**-s/f_sum"),
    (r"with $a = b/c$, \[ y = \sum_{n=0}^{M} a^n \]", "y = sum{n=0..M} a**n"),
    (r"\[ L_{mn} = \sum_{\substack{n'=1 \\ n' \neq n}}^{d} Z_{mn'} \]", "L[m: Z_0, n: d] = sum{n_prime=0..d - 1} (if n = n_prime then 0 else Z[m, n_prime])"),
    (r"\[ z_i = \sum_{j=0}^{i-1} (1-w)^j x_{i-j}, \quad i = 1, \dots, n \]", "z[i: n] = sum{j=-1..i - 1} (1 - w)**(j + 1)*x[i - j - 1]"),
    (r"\[ y_i = \sum_{j=1}^{i} w_j x_{i-j}, \quad i = 1, \dots, N \]", "y[i: N] = sum{j=0..i} w[j]*x[i - j]"),
    ("%!tadc input a[]\n" r"\[ u_i = \sum_j a(x_i - x_j) \]", "u[i: J] = sum{j=0..J - 1} a*(x[i] - x[j])"),
    (r"\[ a(z) = z^2, \quad u_i = \sum_j a(x_i - x_j) \]", "u[i: J] = sum{j=0..J - 1} (x[i] - x[j])**2"),
    (r"\[ u_i = \sum_j \kappa(x_i - x_j) \]", "u[i: J] = sum{j=0..J - 1} kappa*(x[i] - x[j])"),
    ("%!tadc input k_b[]\n" r"\[ E_b = k_b \sum_{i=1}^{N} (r_i - s)^2 \]", "E_b = k_b*(sum{i=0..N - 1} (r[i] - s)**2)"),
    ("%!tadc input k[B]\n" r"\[ E_b = k_b \sum_{i=1}^{N} (r_i - s)^2 \]", "E[b: B] = k[b]*E_sum"),
    ("%!tadc input r_0[]\n" r"\[ E = \sum_{i=1}^{N} (r_i - r_0)^2 \]", "E = sum{i=0..N - 1} (r[i] - r_0)**2"),
    ("%!tadc input r[N+1]\n" r"\[ E = \sum_{i=1}^{N} (r_i - r_0)^2 \]", "E = sum{i=0..N - 1} (r[i + 1] - r[0])**2"),
    ("%!tadc input k[]\n" r"\[ y[n] = \sum_{m=0}^{n} x[m] e^{-k(n-m)} \]", "y[n: n_last + 1] = sum{m=0..n} x[m]*exp(-(k*(n - m)))"),
]  # fmt: skip

# A document, and what the error says.
REFUSED = [
    (r"\[ y_i = USL - x_i \]", "`USL` may be one name, or the product of its letters"),
    (r"\[ s = \sum_{n=1}^{N-1} (RR_{n+1} - RR_n)^2 \]", "`RR` may be one name"),
    (r"\[ s = \sum_{t=0}^{T} \frac{CF_t}{(1+r)^t} \]", "`CF` may be one name"),
    (r"\[ y_i = pH_i - pK_a \]", "`pH` may be one name"),
    (r"\[ y_i = Re\, x_i \]", "`Re` may be a word"),
    (r"\[ K = \frac{[A][B]}{[AB]} \]", "`AB` may be one name"),
    (r"\[ s = \det A \]", "`det` may be a function of what follows, or a factor"),
    (r"\[ y_i = \operatorname{sinc} x_i \]", "`sinc` may be a function"),
    (r"\[ y_i = \mathrm{sinc}\, x_i \]", "`sinc` may be a function"),
    (r"\[ y_i = x_i \,\mathrm{mod}\, 3 \]", "`mod` may be a function"),
    (r"\[ y_i = x_i \mathrm{d} z_i \]", "a differential is no factor"),
    (r"\[ y_i = x_i^\alpha \]", "may be a power or a label"),
    (r"\[ y[n] = \sum_{m=0}^{n} x[m] e^{-k(n-m)} \]", "`k(..)` may be an element of `k`"),
    (r"\[ E = \sum_{i=1}^{N} (r_i - r_0)^2 \]", "`r_0` may be the first element of `r`, or a number of its own"),
    (r"\[ E_b = k_b \sum_{i=1}^{N} (r_i - s)^2 \]", "`b` may be a label, of `E` and of `k`, or an index"),
    (r"\[ u_i = \sum_j a(x_i - x_j) \]", "`a(..)` may be an element of `a`, a function of it, or a product"),
    (r"\[ s = \sum_j x_j (b)_j \]", "`x(..)` may be an element"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line"), READ)
def test_what_the_document_tells_is_read(text, line):
    assert str(tadc.compile(text, lang="tex")).splitlines()[-1] == line


@pytest.mark.parametrize(("text", "fact"), REFUSED)
def test_what_may_be_read_in_two_ways_is_an_error(text, fact):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text, lang="tex")

    assert fact in caught.value.errors[0].fact
    assert caught.value.errors[0].fix


def test_a_name_in_a_remedy_is_printed_as_in_the_paper():
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(r"\[ y_i = \lambda_0(t) x_i \]", lang="tex")

    assert r"`\lambda_{0,i}`" in caught.value.errors[0].fix
    assert r"`\lambda_0(x) = ..`" in caught.value.errors[0].fix


ROWS = r"with $x_i, w \in \mathbb{R}^D$. \[ y = X w \]"


@pytest.mark.parametrize(
    ("said", "parts", "line"),
    [
        (r"$X = [x_1, \dots, x_n]^\top$", "the rows `x_i`", "%!tadc input X[n, D]"),
        (r"$X = (x_1, \ldots, x_n)^T$", "the rows `x_i`", "%!tadc input X[n, D]"),
        (r"$X = [x_1, \dots, x_n]$", "the columns `x_i`", "%!tadc input X[D, n]"),
    ],
)
def test_a_matrix_that_the_text_puts_together_asks_for_its_shape(said, parts, line):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(f"{said} {ROWS}", lang="tex")

    assert parts in caught.value.errors[0].fact
    assert f"`{line}`" in caught.value.errors[0].fix
    if parts.startswith("the rows"):
        assert "X[d, k]*w[k]" in str(tadc.compile(f"{line}\n{said} {ROWS}", lang="tex"))


def test_a_matrix_whose_shape_is_told_is_read():
    said = r"$\mathbf{X} = [\mathbf{x}_1, \dots, \mathbf{x}_n]^\top \in \mathbb{R}^{n \times d}$"
    f = tadc.compile(rf"{said}, $w \in \mathbb{{R}}^d$ \[ y = \mathbf{{X}} w \]", lang="tex")

    assert "X[n, d]" in str(f)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("%!tadc input x[n, d], w[N]\n" r"\[ y_i = x_{ij} w_i \]", "`%!tadc size N, n`"),
        (r"\[ y_i = \Delta_i + \Delta_{i+1}, \quad \Delta_i = \Delta_i + x_i \]", r"`\Delta'_{..} = ..`"),
        (r"\[ y_{ij} = \sum_k \mathbf{F}_{k+i-1,j} w_k \]", r"`\mathbf{F}_{\operatorname{pad}(k+i-1),j}`"),
        (r"\[ y_i = x_i^\alpha \]", r"`%!tadc input alpha[]`"),
        (r"\[ y_i = \sum_j w_{ij}(\frac{x_i}{z} + x_j) \phi_{ij}(x_j) \]", r"`%!tadc input phi[N, M]`"),
    ],
)  # fmt: skip
def test_a_remedy_can_be_pasted(text, fix):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text, lang="tex")

    assert fix in caught.value.errors[0].fix
