r"""One step of a recurrence, `h_t = f(h_{t-1})`, and conditionals `p(k \mid x)`: what is read, and what must not be guessed."""

from __future__ import annotations

import pytest

import tadc

READ = {
    # one step of a recurrence
    r"\[ h_t = \tanh(w x_t + u h_{t-1}) \]": "h_t = tanh(w*x_t + u*h_prev)",
    r"\begin{align} z_t &= a x_t + b h_{t-1} \\ h_t &= (1 - z_t) h_{t-1} + z_t x_t \end{align}": (
        "h_t = (1 - z_t)*h_prev + z_t*x_t"
    ),
    r"\[ h_k = A h_{k-1} \] with $h_k \in \mathbb{R}^N$, $A \in \mathbb{R}^{N \times N}$": (
        "h_k[d: N] = sum{k=0..N - 1} A[d, k]*h_prev[k]"
    ),
    # conditionals
    r"\[ p(k|x) = \frac{e^{z_k}}{\sum_{i=1}^K e^{z_i}} \]": "p[k: K] = exp(z[k])/p_sum",
    r"\[ p(y = k \mid x) = \frac{e^{z_k}}{\sum_{i=1}^K e^{z_i}} \]": "p[k: K] = exp(z[k])/p_sum",
    r"\[ P(k, \theta) = \theta \frac{e^{z_k}}{\sum_{i=1}^K e^{z_i}} \]": "P[k: K] = theta*(exp(z[k])/P_sum)",
    r"\[ \ell = -\sum_{k=1}^K q(k|x) \log p(k|x) \]": "ell = -sum{k=0..K - 1} q[k]*log(p[k])",
    r"\[ p(h_j = 1 | v) = \frac{1}{1 + e^{-\sum_i v_i w_{ij}}} \]": "p[j: J] = 1/(1 + exp(-sum{i=0..I - 1} v[i]*w[i, j]))",
    "%!tadc input t[c], a[m], u[m, c]\n"
    r"\[ p(\mathbf{t} \mid \mathbf{x}) = \sum_{i=1}^m a_i(\mathbf{x}) e^{-\|\mathbf{t} - \mathbf{u}_i(\mathbf{x})\|^2} \]": (
        "p = sum{i=0..m - 1} a[i]*exp(-sum{d=0..c - 1} (t[d] - u[i, d])**2)"
    ),
    # statistics on left sides
    r"\[ \langle A \rangle = \sum_i p_i A_i \]": "A_mean = sum{i=0..I - 1} p[i]*A[i]",
    r"\[ \mathbb{H}[y \mid x] = -\sum_{c=1}^C p_c \log p_c \]": "H = -sum{c=0..C - 1} p[c]*log(p[c])",
    r"\[ \mathbb{E}[X] = \sum_{i=1}^n x_i p_i \]": "E = sum{i=0..n - 1} x[i]*p[i]",
    # words below names
    r"\[ q_i = q_{\max,i} b_i \]": "q[i: I] = q_max[i]*b[i]",
    r"\[ q_i = q_{i,\mathrm{max}} b_i \]": "q[i: I] = q_max[i]*b[i]",
    # cases that leave nothing out
    r"\[ f_i = \begin{cases} 0 & x_i < a \\ x_i & a \le x_i < b \\ 1 & x_i \ge b \end{cases} \]": (
        "f[i: I] = if x[i] < a then 0 else (if a <= x[i] then (if x[i] < b then x[i] else 1) else 1)"
    ),
    r"\[ f_i = \begin{cases} x_i & x_i > 0 \\ 0 & \end{cases} \]": "f[i: I] = if 0 < x[i] then x[i] else 0",
    # labels
    r"\[ D_{KL}(P \| Q) = \sum_i P(i) \log \frac{P(i)}{Q(i)} \]": "D_KL = sum{i=0..I - 1} P[i]*log(P[i]/Q[i])",
    r"\[ E_B = a_V A - a_S A^{2/3} \]": "E_B = a_V*A - a_S*A**(2/3)",
    r"\[ C_o = C_a \alpha_a + C_b \alpha_b (1 - \alpha_a) \]": "C_o = C_a*alpha_a + C_b*alpha_b*(1 - alpha_a)",
    r"\[ \frac{P_r}{P_t} = D_t D_r d^2 \]": "P_r_over_P_t = D_t*D_r*d**2",
    r"\[ Z = (1-\theta)^{NR} \] where NR denotes the number of them": "Z = (1 - theta)**NR",
    r"\[ V(t) = V_\infty + (V_0 - V_\infty) e^{-t/\tau} \]": "V = V_infty + (V_0 - V_infty)*exp(-t/tau)",
    r"\[ P = \frac{\sum_i p_i^t q_i^0}{\sum_i p_i^0 q_i^0} \]": "P = (sum{i=0..I - 1} p_t[i]*q_0[i])/(sum{i=0..I - 1} p_0[i]*q_0[i])",
    r"\[ \eta^2 = \frac{SS_{effect}}{SS_{total}} \]": "eta_squared = SS_effect/SS_total",
    r"\[ t_{1/2} = \frac{\ln 2}{\lambda} \]": "t_1_2 = log(2)/lambda",
    r"\[ C_m \frac{dV}{dt} = -g_L (V - E_L) + I(t) \]": "dV_dt = (-(g_L*(V - E_L)) + I)/C_m",
    r"\[ \sigma_t^2 = a + b e_{t-1}^2 + c \sigma_{t-1}^2 \]": "sigma_t_squared = a + b*e_prev**2 + c*sigma_prev**2",
    r"\[ \ln \gamma_\pm = -A \sqrt{I} \]": "log_gamma_pm = -(A*sqrt(I))",
    r"\[ g = G M_\oplus / r^2 \]": "g = G*M_oplus/r**2",
    r"\[ R_a = \sum_{i=1}^n |y_i|, \quad R_{sk} = \sum_{i=1}^n y_i^3 \]": "R_sk = sum{i=0..n - 1} y[i]**3",
    r"\[ p = G M r, \quad v = G (M + m) \]": "v = G*(M + m)",
    # reciprocals, and functions at points of a declared tensor
    r"\[ \frac{1}{f} = (n-1) a \]": "f = 1/((n - 1)*a)",
    "%!tadc input u[N, M], c[N]\n" r"\[ A(x_j) = \sum_{i=1}^N u_i(x_j) c_i \]": "A[j: M] = sum{i=0..N - 1} u[i, j]*c[i]",
    # powers
    r"\[ Y = A K^\alpha L^{1-\alpha} \]": "Y = A*K**alpha*L**(1 - alpha)",
    "%!tadc input y[N, T]\n" r"\[ z_i = \sum_{t=1}^T y_i^2(t) \]": "z[i: N] = sum{t=0..T - 1} y[i, t]**2",
    # lists of elements define nothing
    r"\[ \mathbf{x} = [x_1, \dots, x_n]^\top, \quad s = \sum_{i=1}^n x_i \]": "s = sum{i=0..n - 1} x[i]",
    # a function and an extent of one name
    r"\[ d(u, v) = \|u - v\|^2 \] with $u, v \in \mathbb{R}^d$": "d = sum{k=0..d_size - 1} (u[k] - v[k])**2",
    # halves above a sum
    r"\[ E = \sum_a^{N/2} e_a \]": "E = sum{a=0..P - 1} e[a]",
    # the document's own declarations come first
    "%!tadc input d[n]\n"
    r"\[ r = \sum_{i=1}^n d_i^2 \] where $d_i = \mathrm{R}(X_i) - \mathrm{R}(Y_i)$ is the difference": (
        "r = sum{i=0..n - 1} d[i]**2"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "program"), READ.items())
def test_a_notation_is_read(text, program):
    f = tadc.compile(text, lang="tex")

    assert str(f).strip().splitlines()[-1] == program


REFUSED = {
    # a step with a range is a loop over time
    r"\[ y_t = a x_t + b y_{t-1}, \quad t = 1, \dots, T \]": "",
    "%!tadc input x[N]\n" r"\[ y_t = a x_t + b y_{t-1} \]": "`y` is read before it is defined",
    r"\[ y_t = a y_{t-1} + b y_{t-2} \]": "",
    # what may be two things
    r"\[ s = \sqrt{s_{ij} s_{ij}} \]": "`i` is neither an index in scope nor a size",
    r"\[ y_{it} = a_i + \mathbf{x}_{it}'\boldsymbol\beta \]": "`x'` may be the transpose of `x`",
    r"\[ y[n] = x[n] * h[n] \]": "may be a product, or their convolution",
    r"\[ T_{ij} = x_i x_j - x_k x_k \]": "`k` is neither an index in scope nor a size",
    r"\[ L(\theta) = \sum_{i=1}^N \log p_\theta(x_i) \]": "`p(..)` may be an element of `p`, a function of it",
    r"\[ g = \sum_i \Theta(t - s_i) \] where $\Theta$ is the Heaviside step function": "its value at 0 is not told",
    r"\[ D = \sum_k p(k|x) \log \frac{p(k|x)}{p(k)} \]": "a conditional stands where a number is expected",
    r"\[ D = \sum_k p(k|x) \log \frac{p(k|x)}{p(k|y)} \]": "a conditional stands where a number is expected",
    r"\[ f(x, k) = x w_k \]": "`k` stands in the list on the left side, and below names on the right",
    r"\[ E = a A + \delta(A, Z) \]": r"`\delta(..)` may be Kronecker's delta, or a function",
    r"\[ f_i = \begin{cases} 0 & x_i < a \\ x_i & a < x_i < b \\ 1 & x_i \ge b \end{cases} \]": (
        "the cases leave out `x_i = a`"
    ),
    r"\[ f_i = \begin{cases} 0 & x_i = 0 \\ x_i & 0 < y_i \le b \\ 1 & z_i > b \end{cases} \]": (
        "the cases may leave something out"
    ),
    r"\[ Z = \sum_{n=1}^N |\mathrm{sign}(x_n) - y_n| \] where the sign function is 1 for positive arguments and 0 for negative ones": (
        "the prose says that the sign of a negative number is 0"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "fact"), REFUSED.items())
def test_what_has_two_readings_is_an_error_that_shows_both(text, fact):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text, lang="tex")

    assert fact in caught.value.errors[0].fact
    assert caught.value.errors[0].fix


def test_a_step_is_said_to_be_one():
    f = tadc.compile(r"\[ h_t = \tanh(w x_t + u h_{t-1}) \]", lang="tex")

    assert (
        f.notes[0].text == "this is one step: `h_prev` is the input `h_{t-1}`, of the step before"
    )
