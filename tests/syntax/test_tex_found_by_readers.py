r"""What readers of papers found read otherwise than it was meant: each is right now, or an error that says what to write."""

from __future__ import annotations

import numpy as np
import pytest
from declared_shapes import shapes_of
from refused import assert_is_refused

import tadc

# A document; the program, its lines after `;`.
READ = [
    # small letters with an inverse, and pairs of a sum
    (r"\[ y_i = \sum_j r_{ij}^{-1} q_j \]", "y[i] = sum{j} r[i, j]**-1*q[j]"),
    (r"\[ y = \sum_{i>j} R_{ij}^{-1} \]", "y = sum{i, j | i > j} R[i, j]**-1"),
    # the circle's number beside weights
    (r"\[ p_n = \sum_{k=1}^K \pi_k \frac{1}{\sqrt{2\pi}\sigma_k} x_{nk} \]",
     "p[n] = sum{k} pi[k]/(sqrt(6.283185307179586)*sigma[k])*x[n, k]"),
    (r"\[ p_n = \sum_{k=1}^K \pi_k (4 \pi^2 \sigma_k^2)^{-1/2} x_{nk} \]",
     "p[n] = sum{k} pi[k]*(39.47841760435743*sigma[k]**2)**(-1/2)*x[n, k]"),
    (r"\[ y_t = \pi x_t + 2 \pi z_t \]", "y[t] = pi*x[t] + 2*pi*z[t]"),
    ("%!tadc input pi[]\n" r"\[ i = r^* + \pi + 0.5(\pi - \pi^*) \]", "input pi[]; i = r_star + pi + 0.5*(pi - pi_star)"),
    # differences of a number
    (r"\[ g_i = \Delta + \Delta^2 f_i \]", "g[i] = Delta + Delta**2*f[i]"),
    ("%!tadc input Delta[]\n" r"\[ g_i = 2 \Delta^2 f_i \]", "input Delta[]; g[i] = 2*Delta**2*f[i]"),
    # exponents that are called H, and adjoints of vectors
    ("%!tadc input H[]\n" r"\[ y_i = x_i^H \]", "input H[]; y[i] = x[i]**H"),
    (r"\[ y = \sum_{h=1}^H x_h \]", "y = sum{h} x[h]"),
    (r"$A \in \mathbb{R}^{m \times m}$, $b \in \mathbb{R}^m$. \[ x = b^\dagger A b \]",
     "size m; input A[m, m], b[m]; x = sum{d} (sum{k} b[k]*A[k, d])*b[d]"),
    # bars that the prose calls something else than a mean
    (r"We penalise the deviation from the desired state $\bar x$: \[ J = \sum_{i=1}^n q_i (x_i - \bar x)^2 \]",
     "input q[n], x[n], x_bar[]; J = sum{i} q[i]*(x[i] - x_bar)**2"),
    # digits in groups, and wide spaces between formulas
    (r"\[ y_i = 10\,000 x_i + 12\,345.67 \]", "y[i] = 10000*x[i] + 12345.67"),
    (r"\[ z_i = x_i^2 \hspace{1cm} y_i = x_i z_i \]", "z[i] = x[i]**2; y[i] = x[i]*z[i]"),
    (r"\[ z_i = x_i^2 ~~~ y_i = x_i z_i \]", "z[i] = x[i]**2; y[i] = x[i]*z[i]"),
    (r"\[ z_i = x_i^2 \;\;\; y_i = x_i z_i \]", "z[i] = x[i]**2; y[i] = x[i]*z[i]"),
    (r"\[ y_i = x_i \; z_i \hspace{1mm} w_i \]", "y[i] = x[i]*z[i]*w[i]"),
    # what stands behind bars and brackets of a logarithm
    (r"\[ y_i = 10 \log_{10} |x_i|^2 \]", "y[i] = 10*log10(abs(x[i])**2)"),
    (r"\[ y = \log n! - \log (n-k)! \]", "input n[], k[]; y = lgamma(n + 1) - lgamma(n - k + 1)"),
    (r"$x \in \mathbb{R}^n$ \[ y = \log \|x\|^2 \]", "input x[n]; y = log(sum{d} x[d]**2)"),
    # arrows are as bold letters
    (r"\[ E = \sum_{i<j} \frac{q_i q_j}{|\vec{r}_i - \vec{r}_j|} \]",
     "input q[n], r_vec[n, m]; E = sum{i, j | i < j} q[i]*q[j]/sqrt(sum{d} (r_vec[i, d] - r_vec[j, d])**2)"),
    # steps beside elements of that letter, and parameters that are labels
    (r"\[ \Delta_i = x_i - \mu, \quad y = \sum_i \Delta_i \Delta t \]", "input x[n], mu[], Delta_t[]; y = sum{i} (x[i] - mu)*Delta_t"),
    (r"\[ \mathrm{CVaR}_\alpha = \mathrm{VaR}_\alpha + \frac{1}{1-\alpha} \sum_{i=1}^N [L_i - \mathrm{VaR}_\alpha]_+ \]",
     "input VaR_alpha[], alpha[], L[N]; C = VaR_alpha + 1/(1 - alpha)*(sum{i} max(L[i] - VaR_alpha, 0))"),
    (r"\[ L = \sum_i \rho_\tau(y_i - q_\tau), \quad \rho_\tau(u) = u (\tau - 1_{u < 0}) \]",
     "input y[n], q_tau[], tau[]; L = sum{i} (y[i] - q_tau)*(tau - (if y[i] - q_tau < 0 then 1 else 0))"),
    # updates that read only what is before them
    (r"\[ x_i \gets x_i + v_i, \quad v_i \gets w v_i \]", "x_new[i] = x[i] + v[i]; v_new[i] = w*v[i]"),
    # conventions that change nothing
    (r"All logarithms are to base 2. \[ H = \sum_i p_i \log_2 p_i \]", "H = sum{i} p[i]*log2(p[i])"),
    (r"$x \in \mathbb{R}^n$ \[ y = \|x\| \] where $\|\cdot\|$ denotes the Euclidean norm.", "input x[n]; y = sqrt(sum{d} x[d]**2)"),
    (r"with the function $f(x) = x^2$. \[ y = \sum_{i=1}^n f(x_i) w_i \]", "y = sum{i} x[i]**2*w[i]"),
    (r"When $f(x) = x$, this is the mean. \[ y = \sum_{i=1}^n f(x_i) w_i \]", "y = sum{i} f[i]*w[i]"),
    # words in italics, first in a list too; cells of tables; numbers of deltas where the base is told
    (r"\[ z_i = \frac{x_i - x_{min}}{x_{max} - x_{min}} \]", "input x[N], x_min[], x_max[]; z[i] = (x[i] - x_min)/(x_max - x_min)"),
    (r"\[ P_{abs} = \sum_{i} I_{abs,i} A_i \]", "input I_abs[N], A[N]; P = sum{i} I_abs[i]*A[i]"),
    (r"\[ L = \sum_i (y_i^{true} - y_i^{pred})^2 \]", "input y_true[N], y_pred[N]; L = sum{i} (y_true[i] - y_pred[i])**2"),
    (r"\[ s = \sum_{m,i,n} A_{min} x_m y_i z_n \]", "input A[M, I, N], x[M], y[I], z[N]; s = sum{m, i, n} A[m, i, n]*x[m]*y[i]*z[n]"),
    (r"\[ \begin{array}{ll} z_i = \sum_j a_{ij} x_j & y_i = z_i^2 \end{array} \]", "z[i] = sum{j} a[i, j]*x[j]; y[i] = z[i]**2"),
    (r"\begin{align} y_i &= a_i b_i \\ &\quad + c_i \end{align}", "y[i] = a[i]*b[i] + c[i]"),
    ("%!tadc base 1\n" r"\[ y_i = \delta_{i,1} x_i \]", "input x[N]; y[i] = if i = 0 then x[i] else 0"),
    # weights that are summed make a bar unclear: it is an input
    (r"\[ s = \sum_i w_i (x_i - \bar x)^2 / \sum_i w_i \]", "input w[N], x[N], x_bar[]; s = (sum{i} w[i]*(x[i] - x_bar)**2)/(sum{i} w[i])"),
    # lists of indices that another one differs from
    (r"\[ s_{ij} = \sum_{k \neq i,j} a_{ik} a_{kj} \]", "s[i, j] = sum{k | k != i and k != j} a[i, k]*a[k, j]"),
    (r"\[ s_i = \sum_{j \ne i, k \neq i,j} a_{ik} a_{kj} \]", "s[i] = sum{j, k | j != i and k != i and k != j} a[i, k]*a[k, j]"),
    (r"\[ s_i = \sum_{j < k, j,k \neq i} a_{ij} a_{ik} \]", "s[i] = sum{j, k | j < k and j != i and k != i} a[i, j]*a[i, k]"),
    (r"\[ s = \sum_{i < j,} x_i y_j \]", "s = sum{i, j | i < j} x[i]*y[j]"),
    # spaces that end an argument or a quotient for sure
    (r"\[ y_i = 1/2\,x_i + \sin\theta\,x_i \]", "input x[N], theta[]; y[i] = 1/2*x[i] + sin(theta)*x[i]"),
    (r"\[ y_i = a_i/N \, \sum_j b_j \]", "y[i] = a[i]/N*(sum{j} b[j])"),
    # orders of what is given, labels beside indices, totals beside their terms, and what displays are for
    (r"\[ R = \sum_{i=1}^{k} \alpha_i b_i, \qquad b_1 \ge b_2 \ge \dots \ge b_k \]", "R = sum{i} alpha[i]*b[i]"),
    (r"\[ s = \sum_k \dot{m}''_{\infty,k} a_k \]", "input m_dot_prime_prime_infty[N], a[N]; s = sum{k} m_dot_prime_prime_infty[k]*a[k]"),
    (r"\[ y = \sum_{j=1}^{N} \frac{K_j^3}{K^3} \] with $K_j = A_j w_j$ and $K = \sum_j K_j$.",
     "size N; input A[N], w[N]; y = sum{j} (A[j]*w[j])**3/(sum{i} A[i]*w[i])**3"),
    # labels of what is defined are labels on other left sides, too
    (r"\[ k_D^2 = \sum_s n_s q_s, \quad \lambda_D = \frac{1}{k_D} \]",
     "input n[N], q[N]; k = sqrt(sum{s} n[s]*q[s]); lambda = 1/k"),
    (r"\[ \rho_m = \sum_i \rho_i x_i, \quad v_m = 1 / \rho_m \]", "input rho[N], x[N]; r = sum{i} rho[i]*x[i]; v = 1/r"),
    (r"\[ k_F = (3 \pi^2 n)^{1/3}, \quad T_F = k_F^2 / m \]", "input n[], m[]; k = (3*pi**2*n)**(1/3); T = k**2/m"),
    (r"\[ k_F = (3 \pi^2 n)^{1/3}, \quad E_F = \frac{k_F^2}{2 m}, \quad T_F = E_F / k_B \]",
     "input n[], m[], k_B[]; k = (3*pi**2*n)**(1/3); T = k**2/(2*m)/k_B"),
    (r"\[ \alpha_s = \sum_i x_i, \quad \beta_s = \alpha_s + \gamma_s \]", "input x[N], gamma_s[]; b = sum{i} x[i] + gamma_s"),
    (r"\[ c_s^2 = \frac{\gamma p}{\rho}, \quad M_i = v_i / c_s \]", "input gamma[], p[], rho[], v[N]; M[i] = v[i]/sqrt(gamma*p/rho)"),
    # primes of rows beside themselves
    ("%!tadc input x[n, k], e[n]\n" r"\[ S = \sum_{i=1}^n x_i x_i' e_i^2 \]",
     "input x[n, k], e[n]; S[p, q] = sum{i} x[i, p]*x[i, q]*e[i]**2"),
    ("%!tadc input A[n, n]\n" r"\[ B = A + A' \]", "input A[n, n]; B[i, j] = A[i, j] + A[j, i]"),
    # declared names with numbers, of one letter and of several
    ("%!tadc input G_0[p, p], G[m, p, p]\n" r"\[ S = G_0 + \sum_{j=1}^{m} G_j \]",
     "input G_0[p, p], G[m, p, p]; S[a, b] = G_0[a, b] + sum{j} G[j, a, b]"),
    ("%!tadc input EC_50[]\n" r"\[ E_i = \frac{C_i}{EC_{50} + C_i} \]", "input C[N], EC_50[]; E[i] = C[i]/(EC_50 + C[i])"),
    (r"\[ \mathrm{CL_{cr}} = \frac{w}{S_{cr}} \]", "input w[], S_cr[]; CL = w/S_cr"),
    # arguments that are indices, behind names with labels; elements at a number
    (r"\[ f(i) = \sum_{j} A(i, j) f_0(j) \]", "input A[N, M], f_0[M]; f[i] = sum{j} A[i, j]*f_0[j]"),
    (r"\[ V(s) = \sum_{s'} P(s, s') V_{old}(s') \]", "input P[N, M], V_old[M]; V[s] = sum{t} P[s, t]*V_old[t]"),
    (r"\[ J = \sum_{t=0}^{T-1} (u(t+1) - u(t))^2 + u(0)^2 \]",
     "size T; input u[T+1]; J = sum{t=0..T-1} (u[t+1] - u[t])**2 + u[0]**2"),
    # means of vectors, steps of vectors, and dots between brackets of vectors
    (r"\[ S = \frac{1}{n} \sum_{i=1}^n (\mathbf{x}_i - \bar{\mathbf{x}})(\mathbf{x}_i - \bar{\mathbf{x}})^\top \]",
     "input x[n, D]; m[k] = mean{i} x[i, k]; S[p, q] = 1/n*(sum{i} (x[i, p] - m[p])*(x[i, q] - m[q]))"),
    (r"\[ r = \sum_i (\mathbf{x}_i - \mathbf{a}) \cdot (\mathbf{y}_i - \mathbf{b}) \]",
     "input x[N, D], y[N, D], a[D], b[D]; r = sum{i, d} (x[i, d] - a[d])*(y[i, d] - b[d])"),
    (r"\[ y_i = \Delta \mathbf{x}_i \]", "input Delta_x[N]; y[i] = Delta_x[i]"),
    # indices in printed order, powers that braces set apart, and other sets of numbers
    ("%!tadc einstein\n%!tadc upper\n" r"\[ y^\mu = \Lambda^\mu{}_\nu x^\nu \]",
     "einstein; input Lambda[N, M], x[M]; y[m] = Lambda[m, n]*x[n]"),
    ("%!tadc einstein\n%!tadc upper\n" r"\[ y^\mu = T^{\mu}_{\;\;\nu} x^\nu + S^\mu_{\ \nu} x^\nu \]",
     "einstein; input T[N, M], S[N, M], x[M]; y[m] = T[m, n]*x[n] + S[m, n]*x[n]"),
    (r"\[ H_i = \frac{1}{2} \log(2\pi e \sigma_i) + (1 - 1/e) \]",
     "input sigma[N]; H[i] = 1/2*log(2*pi*exp(1)*sigma[i]) + 1 - 1/exp(1)"),
    (r"\[ y_i = \hat{x}_i{}^2 \]", "input x_hat[N]; y[i] = x_hat[i]**2"),
    (r"Let $x \in [0,1]^n$ and $W \in \{0,1\}^{m \times n}$. \[ y = W x \]", "size n, m; input x[n], W[m, n]; y[d] = sum{k} W[d, k]*x[k]"),
    # first elements that printed ranges reach
    ("%!tadc size q = 3, T = 6\n" r"\[ y_t = \frac{1}{q} \sum_{j=0}^{q-1} x_{t-j}, \quad t = q, \dots, T \]",
     "size T = 6, q = 3; input x[T]; y[t: T-q+1] = 1/q*(sum{j=0..q-1} x[t+q-1-j])"),
    (r"\[ u_i = a_{i-1} + a_{i+1}, \quad 1 < i < N \]", "input a[N]; u[i: N-2] = a[i] + a[i+2]"),
    ("%!tadc size p = 2, N = 6\n" r"\[ E = \sum_{n=p}^{N-1} ( s[n] - \sum_{k=1}^{p} a_k s[n-k] )^2 \]",
     "size N = 6, p = 2; input s[N], a[p]; E = sum{n=p..N-1} (s[n] - sum{k=0..p-1} a[k]*s[n-k-1])**2"),
    # sets of the first numbers, variations, transposes behind numbers, norms with matrices
    (r"\[ u_i = a_i + b_i \quad \text{for all } i \in [N] \]", "input a[N], b[N]; u[i] = a[i] + b[i]"),
    (r"\[ s = \sum_{i \in [n]} x_i \]", "input x[N]; s = sum{i} x[i]"),
    (r"\[ \frac{\delta C}{\delta y_i} = 4 \sum_j p_{ij} (y_i - y_j) \]", "input p[N, N], y[N]; g[i] = 4*(sum{j} p[i, j]*(y[i] - y[j]))"),
    ("%!tadc input theta[K, D], x[N, D]\n" r"\[ z_{ik} = \exp(\theta^{(k)\top} x^{(i)}) \]",
     "input theta[K, D], x[N, D]; z[i, k] = exp(sum{d} theta[k, d]*x[i, d])"),
    ("%!tadc input theta[K, D], x[N, D]\n" r"\[ z_{ik} = \theta^{(k)T} x^{(i)} \]",
     "input theta[K, D], x[N, D]; z[i, k] = sum{d} theta[k, d]*x[i, d]"),
    ("%!tadc input x[N, D], Q[D, D]\n" r"\[ J = \sum_{k=0}^{N-1} \|\mathbf{x}_k\|_{\mathbf{Q}}^2 \]",
     "input x[N, D], Q[D, D]; J = sum{k, a, b} x[k, a]*Q[a, b]*x[k, b]"),
    (r"Let $x \in \mathbb{R}^n$ and $Q \in \mathbb{R}^{n \times n}$. \[ J = \|x\|_Q \]",
     "size n; input x[n], Q[n, n]; J = sqrt(sum{a, b} x[a]*Q[a, b]*x[b])"),
    # concentrations with scripts, and rates of the way back
    (r"\[ v_i = \frac{V_{\max} [S]_i}{K_m + [S]_i} \]", "input V_max[], S[N], K_m[]; v[i] = V_max*S[i]/(K_m + S[i])"),
    (r"\[ v = k_1 [A] - k_{-1}[C] + k_2 [A]^2 [B] \]",
     "input k_1[], A[], k_minus_1[], C[], k_2[], B[]; v = k_1*A - k_minus_1*C + k_2*A**2*B"),
    (r"\[ v = \frac{k_{cat} [E]_0 [S]}{K_M + [S]} \]", "input k_cat[], E_0[], S[], K_M[]; v = k_cat*E_0*S/(K_M + S)"),
    (r"\[ \theta = \frac{[\mathrm{L}]^n}{K_d + [\mathrm{L}]^n} \]", "input L[], n[], K_d[]; t = L**n/(K_d + L**n)"),
    # functions that the prose tells by a label; stars of vectors; words without braces; functions with capitals
    ("%!tadc input x[D], b[D]\n" r"\[ z = \sigma_g(x + b) \] where $\sigma_g$ is the logistic function.",
     "input x[D], b[D]; z[d] = sigmoid(x[d] + b[d])"),
    (r"\[ y_i = \left(\frac{L_i}{L^*}\right)^{a} e^{-L_i/L^*} \]", "input L[N], L_star[], a[]; y[i] = (L[i]/L_star)**a*exp(-L[i]/L_star)"),
    (r"\[ z_i = x_i / x_\mathrm{max} + y_i^\mathrm{norm} \]", "input x[N], x_max[], y_norm[N]; z[i] = x[i]/x_max + y_norm[i]"),
    (r"\[ J = \sum_i (x_i - x^\star)^2 \]", "input x[N], x_star[]; J = sum{i} (x[i] - x_star)**2"),
    (r"\[ y_i = \operatorname{clamp}(\mathrm{Round}(x_i / s); 0, 255) \]", "input x[N], s[]; y[i] = min(max(round(x[i]/s), 0), 255)"),
    # powers of what stands as a number beside them
    ("%!tadc size K = 4\n" r"\[ P_k = \frac{\lambda^k e^{-\lambda}}{k!}, \quad k = 0, 1, \dots, K \]",
     "size K = 4; input lambda[]; P[k: K+1] = lambda**k*exp(-lambda)/exp(lgamma(k + 1))"),
    (r"\[ G(z) = \sum_{k=0}^{n} p_k z^k \]", "size n; input z[], p[n+1]; G = sum{k} p[k]*z**k"),
    (r"\[ s = \sum_{k=1}^{K} \frac{u^k}{k} a_k - \ln u, \quad u = \frac{r^2 S}{T t} \]",
     "input r[], S[], T[], t[], a[K]; u = r**2*S/(T*t); s = sum{k} u**(k+1)/(k+1)*a[k] - log(u)"),
    # labels that are sizes of other formulas
    (r"\[ p_i = e^{-E_i / (k_B T)}, \quad y = \frac{1}{B} \sum_{j=1}^B x_j \sum_i p_i \]",
     "input E[N], k_B[], T[], x[B]; y = 1/B*(sum{j} x[j]*(sum{i} exp(-E[i]/(k_B*T))))"),
    (r"\[ m = \sum_{i=1}^n x_i, \quad F = \sigma_n^2 + \sigma_p^2 \]", "input x[n], sigma_n[], sigma_p[]; m = sum{i} x[i]; F = sigma_n**2 + sigma_p**2"),
    (r"\[ H = \sum_{i=1}^{N-1} p_i^2 + p_N^3 \]", "input p[N]; H = sum{i=0..N-2} p[i]**2 + p[N-1]**3"),
    # small steps are names where all are; what others define, and what is said not to hold, is none of the document's
    (r"\[ \delta y^2 = \sum_i c_i^2 \delta x_i^2 \]", "input c[N], delta_x[N]; y = sum{i} c[i]**2*delta_x[i]**2"),
    (r"\[ \delta E = \delta Q - \delta W \]", "input delta_Q[], delta_W[]; E = delta_Q - delta_W"),
    (r"Summation over repeated indices is not implied. \[ F = \mu_f x + \mu_g \]", "input mu_f[], x[], mu_g[]; F = mu_f*x + mu_g"),
    (r"In contrast, Smith et al. define $w_i = 1/n$. \[ s = \sum_i w_i y_i \]", "input w[N], y[N]; s = sum{i} w[i]*y[i]"),
    (r"Setting $w_i = u_i^2$ in the above gives the bound. \[ s = \sum_i w_i y_i \]", "input w[N], y[N]; s = sum{i} w[i]*y[i]"),
    (r"The baseline has $w_i = u_i^2$. \[ s = \sum_i w_i y_i \]", "input w[N], y[N]; s = sum{i} w[i]*y[i]"),
    # definitions in the prose that differ in a digit or a label, and capitals with digits
    (r"\[ z_i = x_i w_1 + y_i w_2 \] with $w_1 = 1 - t$ and $w_2 = t$.",
     "input t[], x[N], y[N]; w_1 = 1 - t; w_2 = t; z[i] = x[i]*w_1 + y[i]*w_2"),
    (r"\[ z_i = x_i n_0 + y_i n_1 \] where $n_0 = a + b$ and $n_1 = a - b$.",
     "input a[], b[], x[N], y[N]; n_0 = a + b; n_1 = a - b; z[i] = x[i]*n_0 + y[i]*n_1"),
    (r"\[ R = \Delta V_P + \Delta V_S \] where $\Delta V_P = V_{P2} - V_{P1}$ and $\Delta V_S = V_{S2} - V_{S1}$.",
     "input V_P2[], V_P1[], V_S2[], V_S1[]; R = (V_P2 - V_P1) + (V_S2 - V_S1)"),
    (r"\[ y_i = k_{A1} x_i + k_{A2} \]", "input k_A1[], x[N], k_A2[]; y[i] = k_A1*x[i] + k_A2"),
    (r"\[ s = \sum_{i=1}^N x_{i1} + x_{N1} \]", "size N; input x[N, M]; s = sum{i} x[i, 0] + x[N-1, 0]"),
    ("%!tadc input x[N, 2]\n" r"\[ s = x_{N1} + \sum_{j=1}^N w_j \]", "input x[N, 2], w[N]; s = x[N-1, 0] + sum{j} w[j]"),
    # indices that differ from others have their ranges
    (r"\[ s = \sum_{i=1}^{n} \sum_{j \ne i} d_{ij} \]", "input d[n, n]; s = sum{i} sum{j | j != i} d[i, j]"),
    (r"\[ s_i = \sum_{j \ne i} d_{ij}, \quad i = 1, \dots, N \]", "input d[N, N]; s[i] = sum{j | j != i} d[i, j]"),
    (r"\[ s = \sum_{i=1}^{n} \sum_{j \ne i} \sum_{k \ne i, k \ne j} d_{ijk} \]",
     "input d[n, n, n]; s = sum{i} sum{j | j != i} sum{k | k != i and k != j} d[i, j, k]"),
    ("%!tadc input d[n, m]\n" r"\[ s = \sum_{i=1}^{n} \sum_{j \ne i} d_{ij} \]", "input d[n, m]; s = sum{i} sum{j | j != i} d[i, j]"),
    # parts of a document, and cases, that define nothing
    *(
        (rf"\[ z = \sum_{{i=1}}^n w_i x_i \] {said}", "input w[n], x[n]; z = sum{i} w[i]*x[i]")
        for said in (
            r"\begin{example} Let $w_i = 1/n$. Then it is the mean. \end{example}",
            r"\begin{remark} With $w_i = 1/n$ we recover the mean. \end{remark}",
            r"\begin{figure} \caption{Results with $w_i = 1/n$.} \end{figure}",
            r"where $w_i = 1/n$ in the uniform case.",
            r"where, e.g., $w_i = 1/n$.",
            r"where typically $w_i = 1/n$.",
            r"where $w_i = 1/n$ or, more generally, any weights that sum to one.",
            r"where $w_i = 1/n$ for equal weights and $w_i = x_i$ otherwise.",
        )
    ),
    (r"\begin{example} The score is \[ z = \sum_{i=1}^n w_i x_i \] where $w_i = u_i^2$. \end{example}",
     "input u[n], x[n]; z = sum{i} u[i]**2*x[i]"),
    # units
    (r"\[ T_i = 273.15\,\mathrm{K} + t_i \]", "input t[N]; T[i] = 273.15 + t[i]"),
    (r"\[ L_i = 10 \log_{10}(p_i)\ \text{dB} \]", "input p[N]; L[i] = 10*log10(p[i])"),
    (r"\[ v_i = 3.6 x_i \quad [\mathrm{m\,s^{-1}}] \]", "input x[N]; v[i] = 3.6*x[i]"),
    (r"\[ y_i = 3\,\mathrm{K} x_i + \mathrm{K} \]", "input K[], x[N]; y[i] = 3*K*x[i] + K"),
    (r"\[ U = 0.5 \mathrm{m} v^2 \]", "input m[], v[]; U = 0.5*m*v**2"),
    # powers by letters that other formulas have with labels, Euler's number beside a bold letter, and first elements beside each other
    (r"\[ P = \sum_{i=1}^{N} \alpha_i^{\sigma} p_i^{1-\sigma}, \quad \sigma_{xy} = \sum_i x_i y_i \]",
     "input alpha[N], sigma[], p[N], x[M], y[M]; P = sum{i} alpha[i]**sigma*p[i]**(1 - sigma); sigma_xy = sum{i} x[i]*y[i]"),
    ("%!tadc input e[N, 3], S[N, 3]\n" r"\[ H = \sum_i (\mathbf{S}_i \cdot \mathbf{e}_i)^2, \quad W = e^{-a} \]",
     "input e[N, 3], S[N, 3], a[]; H = sum{i} (sum{d} S[i, d]*e[i, d])**2; W = exp(-a)"),
    ("%!tadc size K = 2, T = 5\n%!tadc input d[T]\n"
     r"\[ e_t = d_t - \sum_{k=0}^{K-1} w_k x_{t-k}, \qquad J = \sum_{t=K-1}^{T-1} e_t^2, \qquad m = \sum_{i=1}^{W} f_i \]",
     "size T = 5, K = 2; input d[T], w[K], x[T], f[M]; J = sum{t=1..T-1} (d[t] - sum{k=0..K-1} w[k]*x[t-k])**2; m = sum{i} f[i]"),
    # parameters that differ in a digit
    (r"\[ f(x_1, x_2) = x_1 + 2 x_2, \qquad y_i = f(a_i, b_i) \]", "input a[N], b[N]; y[i] = a[i] + 2*b[i]"),
    (r"\[ h(t; a_1, a_2) = a_1 t + a_2, \qquad y_i = h(t_i; a_1, a_2) \]", "input a_1[], t[N], a_2[]; y[i] = a_1*t[i] + a_2"),
    (r"\[ K(x_1, x_2) = e^{-(x_1 - x_2)^2}, \quad y_i = \sum_{j=1}^n K(x_i, x_j) a_j \]",
     "input x[n], a[n]; y[i] = sum{j} exp(-(x[i] - x[j])**2)*a[j]"),
    (r"\[ c_i(x_i) = a_i (1 + x_i / b_i), \qquad Z = \sum_i c_i(x_i) \]", "input a[N], x[N], b[N]; Z = sum{i} a[i]*(1 + x[i]/b[i])"),
    (r"\[ \psi_{ij}(x_i, x_j) = J_{ij} x_i x_j, \quad E = \sum_{i<j} \psi_{ij}(x_i, x_j) \]",
     "input J[N, N], x[N]; E = sum{i, j | i < j} J[i, j]*x[i]*x[j]"),
    # changes of what stands nowhere else
    (r"\[ T = \sum_i \nu_i \Delta_f H_i \]", "input nu[N], Delta_f_H[N]; T = sum{i} nu[i]*Delta_f_H[i]"),
    (r"\[ E_i = \Delta_s x_i + \Delta_s^2 \]", "input Delta_s[], x[N]; E[i] = Delta_s*x[i] + Delta_s**2"),
    (r"\[ y_i = \Delta_i x \]", "input Delta[N], x[]; y[i] = Delta[i]*x"),
    ("%!tadc input t_0[N], x[N]\n" r"\[ t_a(x_a) = t_{0,a} [ 1 + x_a^2 ] \] and the cost is $Z = \sum_a x_a t_a(x_a)$.",
     "input t_0[N], x[N]; t[a] = t_0[a]*(1 + x[a]**2)"),
    # Greek indices in brackets above names, and small orders
    (r"\[ k_\mu = \nu_0 e^{-E^{(\mu)}}, \qquad p_\mu = \frac{k_\mu}{\sum_j k_j} \]",
     "input nu_0[], E[N]; k[i] = nu_0*exp(-E[i]); p[i] = k[i]/(sum{j} k[j])"),
    (r"\[ a_\alpha = c E^{(\alpha)}, \qquad S = \sum_\alpha a_\alpha \]", "input c[], E[N]; S = sum{i} c*E[i]"),
    (r"\[ u_i = a_i b_i + o(1) \]", "input a[N], b[N]; u[i] = a[i]*b[i]"),
    (r"\[ u_i = a_i b_i + O_p(n^{-1}) \]", "input a[N], b[N]; u[i] = a[i]*b[i]"),
    # what is defined by a function of it
    (r"\[ \cos \theta_{ij} = \frac{a_i a_j}{b_i b_j}, \quad E = \sum_{ij} (\cos\theta_{ij} - \cos\theta_0)^2 \]",
     "input a[N], b[N], theta_0[]; E = sum{i, j} (a[i]*a[j]/(b[i]*b[j]) - cos(theta_0))**2"),
    (r"\[ \cos(\theta_i) = a_i b_i, \quad y_i = 1 - \cos^2\theta_i \]", "input a[N], b[N]; y[i] = 1 - (a[i]*b[i])**2"),
    (r"\[ \exp(p_i) = A_i + 1, \quad s = \sum_i x_i p_i \]", "input A[N], x[N]; s = sum{i} x[i]*log(A[i] + 1)"),
    (r"\[ \log_{10} P_i = A_i - \frac{B_i}{T + C_i}, \quad P = \sum_i x_i P_i \]",
     "input A[N], B[N], T[], C[N], x[N]; P = sum{i} x[i]*10**(A[i] - B[i]/(T + C[i]))"),
    # Euler's number beside another `e`
    (r"\[ K_{ij} = \sum_{e} V_e g_{ei} g_{ej}, \quad L = \sum_{j=1}^{N} e^{x_j} \]",
     "K[i, j] = sum{q} V[q]*g[q, i]*g[q, j]; L = sum{j} exp(x[j])"),
    (r"\[ e_i = y_i - a_i, \quad L = \sum_i e_i^2 + e^{-\lambda} \]",
     "input y[N], a[N], lambda[]; e[i] = y[i] - a[i]; L = sum{i} e[i]**2 + exp(-lambda)"),
    ("%!tadc input e[]\n" r"\[ U = e^2/r, \quad y_i = (e)^{x_i} \]", "input e[], r[], x[N]; U = e**2/r; y[i] = e**x[i]"),
    # the first index of a document, told by another formula
    (r"\[ a_k = x_{2k} + x_{2k-1}, \quad m = \sum_{i=1}^n y_i \]", "input x[2 * K], y[n]; a[k] = x[2*k + 1] + x[2*k]; m = sum{i} y[i]"),
    ("%!tadc input P[N+1, N+1]\n" r"\[ V = \sum_{n=2}^{N} \sum_{m=0}^{n} P_{nm} \] \[ E = \sum_{i=1}^{K} w_i \]",
     "size N; input P[N+1, N+1], w[K]; V = sum{n=2..N, m=0..n} P[n, m]; E = sum{i} w[i]"),
    # sums behind ranges
    (r"\[ a_k = x_k, \quad k=0,\dots,K, \quad m = \sum_{i=0}^n y_i \]", "input x[K+1], y[n+1]; a[k] = x[k]; m = sum{i} y[i]"),
    # labels beside the same letters in bold
    ("%!tadc input h[d], t[d], r[d]\n" r"\[ f_r = \mathbf{h}^\top \mathrm{diag}(\mathbf{r}) \mathbf{t} \]",
     "input h[d], t[d], r[d]; f = sum{k} h[k]*r[k]*t[k]"),
    ("%!tadc input M[N, N], x[N]\n" r"\[ \mathbf{p} = \mathbf{M} \mathbf{x}, \quad s_x = \sum_i p_i \]",
     "input M[N, N], x[N]; p[i] = sum{k} M[i, k]*x[k]; s = sum{i} p[i]"),
    (r"\[ \ln C_i = \alpha_0 + a x_i, \quad \nu = (C_s d)^2 S \]",
     "input alpha_0[], a[], x[N], C_s[], d[], S[]; log_C[i] = alpha_0 + a*x[i]; nu = (C_s*d)**2*S"),
    # the logarithm of nothing, beside what is nothing
    (r"with the convention $0 \log 0 = 0$. \[ H = -\sum_i p_i \log p_i \]", "H = -sum{i} xlogy(p[i], p[i])"),
    (r"where $0 \log_2 0 := 0$, \[ H = -\sum_i p_i \log_2 p_i \]", "H = -sum{i} xlogy(p[i], p[i])/log(2)"),
    (r"We define $0 \ln 0$ to be zero. \[ H = \sum_i p_i \ln \frac{p_i}{q_i} \]", "H = sum{i} xlogy(p[i], p[i]/q[i])"),
    # changes of reactions
    (r"\[ \Delta_f G_i = \Delta_f H_i - T S_i \]", "input Delta_f_H[N], T[], S[N]; Delta_f_G[i] = Delta_f_H[i] - T*S[i]"),
    (r"\[ \Delta_r H = \sum_i \nu_i H_i \]", "input nu[N], H[N]; Delta_r_H = sum{i} nu[i]*H[i]"),
    (r"\[ y_i = \Delta_i H x_i \]", "input Delta[N], H[], x[N]; y[i] = Delta[i]*H*x[i]"),
    # rows beside numbers, and matrices at an index
    ("%!tadc input q[n, d], k[n, d], m[]\n" r"\[ a_{ij} = \exp\left( \mathbf{q}_i \mathbf{k}_j^\top + m \cdot (j - i) \right) \]",
     "input q[n, d], k[n, d], m[]; a[i, j] = exp(sum{l} q[i, l]*k[j, l] + m*(j - i))"),
    ("%!tadc input x[n, d]\n" r"\[ A_i = x_i x_i^\top \]", "input x[n, d]; A[i, j, k] = x[i, j]*x[i, k]"),
    # transposes in sans serif, beside a size of that letter
    ("%!tadc input s[d], w[d]\n" r"\[ q = \mathbf{s}^{\mathsf T} \mathbf{w}, \quad m = \sum_{t=1}^T x_t \]",
     "input s[d], w[d], x[T]; q = sum{k} s[k]*w[k]; m = sum{t} x[t]"),
    ("%!tadc input s[d], w[d]\n" r"\[ q = s^{\mathrm T} w, \quad m = \sum_{t=1}^T x_t \]",
     "input s[d], w[d], x[T]; q = sum{k} s[k]*w[k]; m = sum{t} x[t]"),
    # multiples of a logarithm on the left
    (r"\[ -2 \ln \mathcal{L} = \sum_{i=1}^n \frac{(x_i - \mu)^2}{\sigma_i^2} \]",
     "input x[n], mu[], sigma[n]; log_L = -(sum{i} (x[i] - mu)**2/sigma[i]**2)/2"),
    (r"\[ -2 y_i = x_i + 1 \]", "y[i] = -(x[i] + 1)/2"),
    # one letter for two vectors, and for one
    ("%!tadc input b_u[N], b_i[M]\n" r"\[ r_{ui} = b_u + b_i + \sum_{f=1}^{F} p_{uf} q_{if} \]",
     "input b_u[N], b_i[M], p[N, F], q[M, F]; r[u, i] = b_u[u] + b_i[i] + sum{f} p[u, f]*q[i, f]"),
    (r"\[ d_{ij} = a_i + a_j - 2 \sum_k x_{ik} x_{jk} \]", "input a[N], x[N, K]; d[i, j] = a[i] + a[j] - 2*(sum{k} x[i, k]*x[j, k])"),
    # displays of numbers alone, and a size with the letter of a tensor
    (r"\[ T = 2 \pi \sqrt{\frac{L}{g}} \] and \[ E = \frac{1}{2} m v^2 \]",
     "input L[], g[], m[], v[]; T = 6.283185307179586*sqrt(L/g); E = m*v**2/2"),
    ("%!tadc input C[n]\n%!tadc n is n_of_data\n" r"\[ y_i = \frac{d_i}{n_i}, \quad z_i = C_i^2 \]",
     "input d[I], n_of_data[I], C[n]; y[i] = d[i]/n_of_data[i]; z[i] = C[i]**2"),
    (r"\[ \mathrm{softmax}(z)_i = \frac{e^{z_i}}{\sum_{j=1}^K e^{z_j}} \]", "input z[K]; y[i] = exp(z[i])/(sum{j} exp(z[j]))"),
    (r"\[ s = \sum_{n, i, j} x'_{ni} F_{ij} x_{nj} \]", "input x_prime[N, I], F[I, J], x[N, J]; s = sum{n, i, j} x_prime[n, i]*F[i, j]*x[n, j]"),
    (r"\[ s = \sum_{i,j} p_i p_j' Q_{ij} \]", "input p[N], p_prime[M], Q[N, M]; s = sum{i, j} p[i]*p_prime[j]*Q[i, j]"),
    (r"\[ y_i = c' b_i + w_i \tan\phi' \]", "input c_prime[], b[N], w[N], phi_prime[]; y[i] = c_prime*b[i] + w[i]*tan(phi_prime)"),
    # rates of return to a mean
    (r"\[ y_t = x_t + \theta (\mu - x_t) h \]", "input x[T], theta[], mu[], h[]; y[t] = x[t] + theta*(mu - x[t])*h"),
    # primes of numbers
    ("%!tadc input x_prime[]\n" r"\[ y_i = x' \beta_i + x x' \]", "input x_prime[], beta[N], x[]; y[i] = x_prime*beta[i] + x*x_prime"),
    (r"\[ y_i = k x_i - k' z_i \]", "input k[], x[N], k_prime[], z[N]; y[i] = k*x[i] - k_prime*z[i]"),
    (r"\[ w_i' = a w_i, \quad s = \sum_i w_i' x_i \]", "input a[], w[N], x[N]; w_prime[i] = a*w[i]; s = sum{i} w_prime[i]*x[i]"),
    # ranges between letters, whose shapes tell the first index
    ("%!tadc input s[n]\n%!tadc size m = 3\n" r"\[ y = \sum_{i = m}^{n} s_i \]", "input s[n]; y = sum{i=2..n-1} s[i]"),
    # a total, which reads its elements; a label that is upright; a label of the input alone
    (r"\[ E_t = \sum_k E_k, \quad \eta_i = E_i / E_t \]", "input E[N]; E_t = sum{k} E[k]; eta[i] = E[i]/E_t"),
    (r"\[ F_{\mathrm{x}} = \sum_j f_j, \quad M = \sum_x F_x \]", "input f[N], F[L]; F_x_rm = sum{j} f[j]; M = sum{x} F[x]"),
    (r"\[ k_i = A e^{-E_i / (k_B T)} \]", "input A[], E[N], k_B[], T[]; k[i] = A*exp(-E[i]/(k_B*T))"),
    (r"\[ t_a(v_a) = t_a^0 (1 + v_a), \quad Z = \sum_a t_a^0 v_a \]", "input t_0[N], v[N]; t[a] = t_0[a]*(1 + v[a]); Z = sum{a} t_0[a]*v[a]"),
    # a vector of equal elements, where the document has its index elsewhere, too
    (r"\[ w_i = \frac{1}{n}, \quad z = \sum_{i=1}^{n} w_i x_i \]", "input x[n]; size n; w[i: n] = 1/n; z = sum{i} w[i]*x[i]"),
    (r"\[ R_s = a + b, \quad s = 1, \dots, K \] \[ V = \sum_{i=1}^{K} R_i x_i \]",
     "input a[], b[], x[K]; size K; R[s: K] = a + b; V = sum{i} R[i]*x[i]"),
    # definitions of what functions read, in the prose and in displays
    (r"\[ f(x) = a x + U_c, \quad y_i = f(x_i) \] where $U_c = 4 b^2$.", "input b[], a[], x[N]; U_c = 4*b**2; y[i] = a*x[i] + U_c"),
    (r"\[ f(x) = a x + c, \quad y_i = f(x_i) \] \[ c = 4 b^2 \]", "input b[], a[], x[N]; c = 4*b**2; y[i] = a*x[i] + c"),
    (r"The potential is $f(x) = a x + c$ where $c = 4 b^2$. \[ y_i = f(x_i) \]", "input b[], a[], x[N]; c = 4*b**2; y[i] = a*x[i] + c"),
    (r"\[ f(x) = \sum_i K((x - x_i)/h), \quad K(u) = e^{-u^2}, \quad h = 2 s, \quad s = \sum_i x_i^2, \quad y_j = f(z_j) \]",
     "input x_i[N], z[M]; s = sum{i} x_i[i]**2; h = 2*s; y[j] = sum{i} exp(-((z[j] - x_i[i])/h)**2)"),
    # definitions in the prose beside others of the same letter with a label
    (r"\[ a = \frac{c}{\sigma^2 + b} \] Here, $\sigma^2 = \sum_i I_i^2$. \[ \sigma_x^2 = \sum_i x_i^2 \]",
     "input I[N], c[], b[], x[M]; sigma_squared = sum{i} I[i]**2; a = c/(sigma_squared + b); sigma_x_squared = sum{i} x[i]**2"),
    # means whose letter is an index elsewhere, and samples whose sizes have digits
    (r"\[ b = \sum_{i=1}^{n} (x_i - \bar{x}) (y_i - \bar{y}) \] \[ M = \sum_{x,y} I_{xy} \]",
     "input x[n], y[n], I[X, Y]; b = sum{i} (x[i] - (sum{j} x[j])/n)*(y[i] - (sum{j} y[j])/n); M = sum{k, l} I[k, l]"),
    (r"\[ b = \frac1n \sum_{i=1}^n (x_i - \bar x)^2 \] \[ A = \frac{1}{n_1}\sum_{i=1}^{n_1} s_i \]",
     "input x[n], s[n_1]; b = 1/n*(sum{i} (x[i] - (sum{j} x[j])/n)**2); A = 1/n_1*(sum{i} s[i])"),
    # what is read at an index from 0 on begins there, whatever other formulas count from
    ("%!tadc size T\n%!tadc size n = 2\n%!tadc input r[T], V[T + 1]\n" r"\[ G_t = \sum_{k=0}^{n-1} r_{t+k} + 2 V_{t+n}, \quad t = 0, \dots, T-n \]"
     "\n" r"\[ m = \sum_{y=1}^{H} f_y \]",
     "size T; size n = 2; input r[T], V[T + 1], f[H]; G[t: T-n+1] = sum{k=0..n-1} r[t+k] + 2*V[t+n]; m = sum{y} f[y]"),
    # what holds for numbers and elements that are given, behind a formula
    (r"\[ u_i = a b_i, \quad a > 0 \]", "input a[], b[N]; u[i] = a*b[i]"),
    (r"\[ u_i = \alpha b_i, \quad 0 < \alpha < 1 \]", "input alpha[], b[N]; u[i] = alpha*b[i]"),
    (r"\[ u_i = a b_i, \quad a > 0, \quad b_i \in \{0, 1\}, \quad v_i = 2 u_i \]", "input a[], b[N]; u[i] = a*b[i]; v[i] = 2*u[i]"),
    (r"\[ f(x) = a x, \quad x > 0, \quad y_i = f(z_i) \]", "input a[], z[N]; y[i] = a*z[i]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "program"), READ)
def test_it_is_read_as_it_is_meant(text, program):
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")
    g = tadc.compile(program.replace("; ", "\n"), backend="interpreter", dtype="float64")
    rng = np.random.default_rng(0)
    arrays = {t.name: rng.uniform(0.5, 1.5, shapes_of(f)[t.name]) for t in f.program.inputs}

    ours, meant = (h(*[arrays[n] for n in h.inputs]) for h in (f, g))
    for ours_one, meant_one in zip(_several(ours), _several(meant), strict=True):
        np.testing.assert_allclose(ours_one, meant_one, rtol=1e-12)


def _several(results):
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize(
    ("text", "zero"), [(r"with $0 \log 0 = 0$. ", True), (r"We do not set $0 \log 0 = 0$. ", False)]
)
def test_a_product_with_a_logarithm_is_0_where_the_prose_says_so(text, zero):
    f = tadc.compile(text + r"\[ H = \sum_i p_i \log p_i \]", lang="tex", backend="interpreter")

    with np.errstate(all="ignore"):
        assert np.isfinite(f(np.array([0.0, 1.0]))) == zero


REFUSED = [
    (r"\[ \chi^2 = \sum_{i=1}^{N} \sum_{j=1}^N d_i C_{ij}^{-1} d_j \]", "an element of the inverse of `C`"),
    (r"where $g$ is the metric \[ y_i = \sum_j g_{ij}^{-1} q_j \]", "an element of the inverse of `g`"),
    (r"\[ P_{ij} = \Sigma_{ij}^{-1} \]", "an element of the inverse of `Sigma`"),
    (r"\[ i = r^* + \pi + 0.5(\pi - \pi^*) \]", r"`\pi` may be 3.14.., or one of its own"),
    (r"\[ f(x_i + h) = g_i \]", "a function at a value"),
    (r"\[ f(2 x) = 2 x \]", "a function at a value"),
    (r"$A \in \mathbb{R}^{n \times n}$, $x \in \mathbb{R}^n$. \[ R(x) = \frac{x^* A x}{x^* x} \]", "may be the transpose of `x`"),
    (r"$A \in \mathbb{R}^{m \times n}$, $b \in \mathbb{R}^m$. \[ x = A^\dagger b \]", "or the pseudoinverse"),
    (r"\[ f = x^H A x \]", "may be the conjugate transpose, or a power"),
    (r"\[ g_i = \Delta^2 f_i \]", "may be a difference of differences"),
    (r"\[ V = \pi r^3, \quad \pi_i = \frac{a_i}{\sum_j a_j} \]", r"`\pi` may be 3.14.., or one of its own"),
    (r"\[ y_i = 3\,5 x_i \]", "two numbers stand side by side"),
    (r"\[ f_i = 2^10 x_i \]", "TeX takes one character"),
    (r"\[ f_i = x_i^-1 \]", "TeX takes one character"),
    (r"\[ f_i = e^-y x_i \]", "TeX takes one character"),
    (r"\[ f = \sum_i x_i^2 \hfill (2) \]", "the formula has ended before this"),
    (r"\[ y_i = 1.2\mathrm{e}{-3} x_i \]", "would be Euler's number times 1.2"),
    (r"\[ y_i = T_i - 273.15\,^\circ\mathrm{C} \]", "degrees are no numbers"),
    (r"\[ L = \frac{1}{2} e^T e \]", "`e` with a transpose"),
    (r"\[ L = \frac{1}{2} e'e \]", "may be the transpose of `e`"),
    ("%!tadc input y[n], X[n, p], beta[p]\n" r"\[ L = u'u, \quad u = y - X\beta \]", "may be the transpose of `u`"),
    (r"\[ y = \sum_{i=1}^n w_i x_{[i]} \]", "says that the elements are sorted"),
    (r"\[ r_k = \sum_{n} x_n x_{n+k} \]", "the range of `k` is not told"),
    (r"\[ y_i = \max_{j} a_{-i,j} \]", "the range of `i` is not told"),
    (r"\[ v_i \gets w v_i + a_i, \quad x_i \gets x_i + v_i \]", "may be the old value here"),
    (r"\[ x_i \gets x_i + h f_i, \quad f_i \gets -x_i \]", "may be the old value here"),
    (r"\[ Z = \frac{1}{N}\sum_{i=1}^N e^{i\theta_i} \]", "the imaginary unit"),
    (r"\[ H = -\sum_{i} \frac{|S_i|}{|S|} \]", "the number of elements of a set"),
    (r"where $*$ denotes convolution. \[ y_i = x_i * h_i \]", "is a convolution"),
    (r"\[ y_i = [x_i] + 1 \] where $[x]$ is the integer part of $x$.", "an integer part"),
    (r"\[ y_i = \sin\theta_i \] where $\theta_i$ is given in degrees.", "in degrees"),
    (r"\[ y_i = f_i \circ g_i \] where $\circ$ denotes composition.", "is a composition"),
    (r"\[ p_i = e^{-E_i/k_B\,T} \]", "one factor or all that follow"),
    (r"\[ y_i = cos x_i \]", "and may be the function"),
    (r"\[ y_i = \delta_{i,1} x_i \]", "nothing tells whether it starts at 0 or at 1"),
    (r"\[ y_i = \cos\omega\,t_i \]", "or of the product with it"),
    (r"\[ y_k = x_k, \qquad y_1 \ge y_2 \ge \dots \ge y_n \]", "the formula has ended before this"),
    (r"where $\sigma$ is not the sigmoid but the tanh. \[ y = \sum_i \sigma(x_i - \mu) \]", "may be the sigmoid or a product"),
    (r"\[ y = \sum_i f_i \, dx_i \]", "may be the step of `x`"),
    (r"\[ y_i = \log (x_i)_+ \]", "the positive part of the argument, or of the function's value"),
    (r"\[ y_i = \log (x_i)^+ \]", "the positive part of the argument, or of the function's value"),
    ("%!tadc input A[n, n], b[n]\n" r"\[ C_{ij} = A_{ij} - b \]", "its subscript is not written"),
    (r"\[ L = \sum_{i = d}^{D} s_i \]", "this range has no number"),
    (r"\[ S = \sum_{j} \cos \mathbf{q} \cdot \mathbf{r}_j \]", "or of the product with it"),
    ("%!tadc input w[d], x[n, d]\n" r"\[ y_j = \exp w \cdot x_j \]", "or of the product with it"),
    (r"\[ y_j = \cos\omega \cdot t_j \]", "or of the product with it"),
    (r"\[ L = \frac{1}{4} F_{\mu\nu} F^{\mu\nu} \]", "a sum over both, or a power"),
    ("%!tadc input X[n, n]\n" r"\[ C = \frac{1}{n} {}^t\!X X \]", "belongs to what follows"),
    (r"\[ y_i = a_{ij}{}^{k} b_j \]", "prints the order of indices"),
    (r"\[ P_i = \sum_{j=1}^N V_i V_j \sin\delta_{ij} \]", "may be Kronecker's delta, 0 or 1, or data"),
    (r"\[ J = \sum_{i=1}^n \sum_{k=1}^K \delta_{ik} (x_i - \mu_k)^2 \]", "`i` and `k` end at different sizes"),
    (r"\[ q(k) = (1-\epsilon) \delta_{k,y}, \quad k \in \{1 \ldots K\} \]", "nothing binds that"),
    (r"\[ F = -e \sum_i E_i \]", "`e` may be Euler's number"),
    (r"\[ y_i = e x_i \]", "`e` may be Euler's number"),
    (r"\[ G_{ij}^l = \sum_k F_{ik}^l F_{jk}^l, \quad E_l = \sum_{i,j} (G_{ij}^l)^2 \]", "the superscript `l` may be"),
    (r"where $x_i = 0$ for $i < 1$. \[ y_i = x_{i-1} - 2 x_i, \quad i = 1, \dots, n \]", "the prose gives `x` a value"),
    (r"with $x_0 = 0$. \[ C = \sum_{i=1}^n (x_i - x_{i-1})^2 \]", "the prose gives `x` a value"),
    (r"\[ s = \sum_k x^k y_k \]", "may be a power or an index"),
    (r"\[ f(x) = \sum_{k=1}^m a_k k(x, x^{k}), \quad k(a, b) = a b \]", "may be a power or an index"),
    (r"\[ a = (C \Delta)^2 S, \quad c = u \frac{\Delta t}{\Delta x} \]", "`\\Delta` stands alone, too"),
    ("%!tadc einstein\n" r"\[ y_i = A_{ik} x_k, \quad m = \sum_{j=1}^{k} w_j \]", "is a size in this document"),
    (r"\[ p = \sum_{j=0}^{n} w_j f_j, \quad e = \frac{1}{n} \sum_{i=1}^{n} |u_i| \]", "up to the same size"),
    (r"\[ g_i = \frac{\delta F}{\delta y_i} \]", "a derivative would be read as a quotient"),
    (r"\[ v_i = \frac{D x_i}{D t} \]", "a derivative would be read as a quotient"),
    (r"\[ S = \sum_i \sqrt{dx_i^2 + dy_i^2} \]", "may be the step of `x`"),
    (r"Some authors use $\log$ for the logarithm to base 2. \[ H = \sum_i p_i \log p_i \]", "to which base logarithms are"),
    (r"Here $\log$ is not the logarithm to base 2. \[ H = \sum_i p_i \log p_i \]", "to which base logarithms are"),
    (r"In Appendix A, $\|\cdot\|$ denotes the $\ell_1$ norm. $x \in \mathbb{R}^n$ \[ y = \|x\| \]", "which norm this is"),
    (r"Let $x \in \mathbb{C}^n$. \[ y_i = x_i^2 \]", "complex numbers are not there yet"),
    (r"\[ y_i = \begin{cases} x_i & i \le d \\ 0 & i > d \end{cases} \]", "nothing tells whether it starts at 0 or at 1"),
    ("%!tadc input x[n, k]\n" r"\[ y_i = \| x_i - x'_i \| \]", "may be the transpose of `x`"),
    (r"\[ y_i = x_i + EC_{50} C_i \]", "may be one name, or a product with an element of `C`"),
    (r"\[ y_i = 1\frac{1}{2} x_i \]", "may be a factor, or make a mixed number"),
    (r"\[ s = \sum_{i=1}^n \sum_{i=1}^n a_i b_i \]", "nothing behind the sum has its index `i`"),
    (r"\[ \sin \theta_i = \frac{a_i}{b_i}, \quad s_i = \cos\theta_i \]", "the document defines its `sin` alone"),
    (r"\[ r = 0.622 \frac{e}{p - e} \]", "`e` may be Euler's number"),
    (r"\[ H = 100 \frac{e}{e_s} \]", "`e` may be Euler's number"),
    (r"\[ v = \frac{1}{n} \sum_{i=1}^{n} (x_i - \bar{x})^2 \] \[ S = \sum_{i=0}^{n} P_i \]", "up to the same size"),
    (r"\[ v = \frac1n \sum_{i=1}^{n} u_i^2, \quad u_i = x_i + y_i \] \[ S = \sum_{i=0}^{n} P_i \]", "up to the same size"),
    (r"\[ E = \frac12 \sum_i k_i (r_i - r_0)^2 \] \[ S = \sum_{i=0}^{n} P_i \]", "may be the first element of the vector"),
    (r"\[ V_i = \rho_0 (1 + \alpha \rho_i) \] \[ S = \sum_{i=0}^{n} P_i \]", "may be the first element of the vector"),
    # Euler's number beside a number of that letter
    ("%!tadc input e[]\n" r"\[ U = \frac{e^2}{r}, \quad f_i = \frac{1}{e^{(E_i - \mu)/T} + 1} \]",
     "`e` with a power may be Euler's number, or the number `e`"),
    (r"The error is $e = y - X b$. \[ T = \sum_{k=0}^{K-1} h_k e^{-k \tau} \]",
     "`e` with a power may be Euler's number, or the number `e`"),
    # two letters above one name, one of which is a number elsewhere
    (r"\[ Q = A v, \quad C_{ij} = \sum_b z^A_{b,i} z^B_{b,j} \]", "`A` above `z` may be a power, or a label as `B` is"),
    (r"\[ Q = A v, \quad C_{i} = z_i^A + z_i^B \]", "`A` above `z` may be a power, or a label as `B` is"),
    # the first index of a document, told by another formula
    (r"\[ a_k = x_{2k} + x_{2k+1}, \quad m = \sum_{i=1}^n y_i \]", "the first element of `x` may be that at 0, or at 1"),
    (r"\[ V = \sum_{n=2}^{N} \sum_{m=0}^{n} P_{nm} \] \[ E = \sum_{i=1}^{K} w_i \]", "`P` begins at 0 along one index"),
    (r"with $0\log\frac{0}{q} = 0$. \[ H = \sum_i p_i (\log p_i - \log q_i) \]", "no factor stands beside this logarithm"),
    (r"\[ y_i = \operatorname{E} x_i \]", "`E` may be a function of what follows, or a factor"),
    (r"\[ y_i = x_i^{(2)} + x_i^{[2]} \]", "both would be one name"),
    ("%!tadc input x[n, d], w[n, d]\n" r"\[ s_i = x_i w_i^\top \]", "may be a number, the inner product of two rows, or a matrix"),
    (r"\[ \hat r_{ui} = \mu + b_u + b_i + \sum_{f=1}^{F} p_{uf} q_{if} \]", "may be elements of one vector, or of two"),
    (r"\[ z_k = x_k + j y_k \]", "complex numbers are not there yet"),
    (r"\[ y_i = \theta(x_i - a) \]", "a function of it, or a product"),
    (r"\[ y_i = u(x_i - a) \]", "a function of it, or a product"),
    # primes of letters that nothing declares
    (r"\[ \hat\beta = (X'X)^{-1} X'y \]", "may be the transpose of `X`, or another number"),
    (r"\[ Q = u' W u \]", "may be the transpose of `u`, or another number"),
    (r"\[ M = \sum_{i=1}^n x_i x_i' \]", "may be the transpose of `x`, or another number"),
    (r"\[ y_i = \beta' x_i + u_i \]", "may be the transpose of `beta`, or another number"),
    (r"\[ S_j = \frac{1}{T} \sum_{t=j+1}^{T} h_t h_{t-j}' \]", "may be the transpose of `h`, or another number"),
    (r"\[ K_{ij} = x_i' x_j \]", "may be the transpose of `x`, or another number"),
    (r"\[ y_i = x_i'\beta + \varepsilon_i \]", "may be the transpose of `x`, or another number"),
    (r"\[ y_i = x_i'\beta, \quad m = \sum_i x_i \]", "may be the transpose of `x`, or another number"),
    ("%!tadc input beta[k]\nwhere $x_i$ is a $k \\times 1$ vector.\n" r"\[ y_i = x_i'\beta \]",
     "may be the transpose of `x`, or another number"),
    ("%!tadc input x[N, T]\n" r"\[ y_i = x_i(2) \]", "nothing tells whether the first element"),
    ("%!tadc input x[N, T], k[]\n" r"\[ y_i = x_i(k) \]", "may be meant, an element of `x`, or a product with `k`"),
    (r"\[ F_x = \sum_{j=1}^{N} f_j, \quad M = \sum_{x=1}^{N} F_x \]", "may be the `F_x` that the document defines"),
    (r"\[ f(x) = a x, \quad y_i = f(x_i) + f \]", "may be the `f(x)` that the document defines"),
    (r"\[ R_s = a + b, \quad V = \sum_{i=1}^{K} R_i I_i \]", "may be a number with the label `s`"),
    (r"\[ p_o = \frac1N \sum_{k} n_{kk} \] \[ m = \sum_{i=1}^{N_g} p_i \]", "may be a number with the label `o`"),
    (r"\[ T_\mu = e^{-\sum_j s_j}, \quad C = \sum_i T_i c_i \]", r"may be a number with the label `\mu`"),
    # what the prose says, and no rule takes
    (r"\[ U(r) = \frac{a}{r} - U_c \] where $U_c = a / r_c$. \[ E = \sum_{i} U(x_i) + r_c \]", "the prose says `U_c = a / r_c`"),
    # what changes with the argument of a function
    (r"\[ f(x) = a x + u, \quad y_i = f(z_i) \] where $u = x^2 + 1$.", "has the argument `x` of `f`"),
    (r"\[ f(x) = a u + 1, \qquad u = x^2, \qquad y_i = f(z_i) \]", "has the argument `x` of `f`"),
    (r"\[ S = \sum_{i=1}^n x_i z_i' \]", "may be the transpose of `z`, or another number"),
    (r"\[ u_i = a b_i, \quad \text{if } a > 0 \]", "a condition on a whole formula would be dropped"),
    (r"\[ u_i = a b_i, \quad u_i \in [0, 1] \]", "the formula has ended before this"),
    (r"\[ f(x) = a x, \quad x > 0 \] \[ f(x) = b x, \quad x < 0 \] \[ y_i = f(z_i) \]", "is defined twice"),
    # equations that tell what another formula reads
    (r"\[ \sqrt{p_i} = A_i, \quad s = \sum_i x_i p_i \]", "this equation tells `p`"),
    (r"\[ 1 / p_i = A_i + 1, \quad s = \sum_i x_i p_i \]", "this equation tells `p`"),
    (r"\[ \tanh(p_i) = A_i, \quad s = \sum_i x_i p_i \]", r"may be the `\tanh(p_i)` that the document defines"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fact"), REFUSED)
def test_what_may_mean_two_things_is_refused(text, fact):
    assert_is_refused(text, fact)


def test_a_tensor_with_the_letter_of_a_size_can_be_renamed():
    with pytest.raises(tadc.Error) as caught:
        tadc.compile("%!tadc input C[n]\n" + r"\[ y_i = d_i/n_i, \quad z_i = C_i^2 \]", lang="tex")

    assert caught.value.errors[0].fix == "give the tensor another name: `%!tadc n is n_of_data`"


@pytest.mark.parametrize("formula", [r"y_i = \cos{\theta} x_i", r"y_i = \cos \theta x_i"])
def test_both_readings_of_a_function_can_be_pasted(formula):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(formula, lang="tex")

    assert caught.value.errors[0].fix == r"write `\cos(\theta) \cdot x_i` or `\cos(\theta x_i)`"


def test_a_function_that_others_apply_is_named():
    f = tadc.compile(r"\[ f(r) = \sum_i e^{-r x_i}, \quad g(r) = \sqrt{f(r)} - r \]", lang="tex")

    assert f.outputs == ("g",)
    assert "`f` is a function: it is put in where it is applied" in [n.text for n in f.notes]
