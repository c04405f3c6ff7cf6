"""Formulas as they stand in papers and textbooks: `tests/formulas/*.tex`, each with its source.

What is read computes the same as numpy, written by hand from the book, and its derivatives agree with numeric ones. What
is not read says what to change, and the file with that change is among those that are read.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import tadc

FOLDER = Path(__file__).with_name("formulas")


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _softmax(a):
    e = np.exp(a - a.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention(Q, K, V):
    return _softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ V


def batch_norm(x, epsilon, gamma, beta):
    return gamma * (x - x.mean()) / np.sqrt(x.var() + epsilon) + beta


def contrastive(s, tau):
    terms = []
    for i in range(len(s) // 2):
        others = np.delete(s[2 * i], 2 * i)
        terms.append(np.log(np.exp(others / tau).sum()) - s[2 * i, 2 * i + 1] / tau)
    return np.array(terms)


def convolution(V, K, stride=1):
    windows = np.lib.stride_tricks.sliding_window_view(V, K.shape[2:], (1, 2))
    return np.einsum("ljkmn,ilmn->ijk", windows[:, ::stride, ::stride], K)


def crf(y, A, P):
    tags = y.argmax(1)
    path = sum(A[a, b] for a, b in pairwise(tags))
    return path + sum(P[i, a] for i, a in enumerate(tags))


def dct(x, c):
    N = len(x)
    n, k = np.arange(N), np.arange(N)[:, None]
    return np.sqrt(2 / N) * c * (x * np.cos(np.pi / N * (n + 0.5) * k)).sum(1)


def dft(x):
    X = np.fft.fft(x)
    return X.real, X.imag


def factorization_machine(x, w, v, w_0):
    pairs = sum(v[i] @ v[j] * x[i] * x[j] for i in range(len(x)) for j in range(i + 1, len(x)))
    return w_0 + w @ x + pairs


def focal(p, y, gamma):
    t = np.where(y == 1, p, 1 - p)
    return -np.mean((1 - t) ** gamma * np.log(t))


def gaussian_process(y, alpha, L):
    n = len(y)
    return -y @ alpha / 2 - np.log(np.diag(L)).sum() - n / 2 * np.log(2 * np.pi)


def gaussian_process_in_full(sigma_f, ell, x, sigma_n, y, alpha, L, n):
    distances = ((x[:, None] - x) ** 2).sum(2)
    k = sigma_f**2 * np.exp(-distances / (2 * ell**2)) + sigma_n**2 * np.eye(len(x))
    return k, -y @ alpha / 2 - np.log(np.diag(L)).sum() - n / 2 * np.log(2 * np.pi)


def logistic_regression(w, t, x):
    p = _sigmoid(x @ w)
    return -(t * np.log(p) + (1 - t) * np.log(1 - p)).sum()


def triplet(a, p, n, alpha):
    distances = ((a - p) ** 2).sum(1) - ((a - n) ** 2).sum(1)
    return np.maximum(distances + alpha, 0).sum()


def coulomb_matrix(R, Z):
    distances = np.sqrt(((R[:, None] - R) ** 2).sum(2)) + np.eye(len(R))
    return np.where(np.eye(len(R)), 0.5 * Z**2.4, np.outer(Z, Z) / distances)


def potential(epsilon, sigma, r):
    r = r[np.triu_indices(len(r), 1)]
    return 4 * epsilon * ((sigma / r) ** 12 - (sigma / r) ** 6).sum()


def mel_cepstrum(X):
    i, k = np.arange(1, 4)[:, None], np.arange(1, len(X) + 1)
    return (X * np.cos(i * (k - 0.5) * np.pi / len(X))).sum(1)


def upper_indices(U, x, y):
    n, m = np.arange(1, 5), np.arange(1, 6)
    across = np.maximum(0, 1 - abs(x[:, None] - m))
    down = np.maximum(0, 1 - abs(y[:, None] - n))
    return np.einsum("nmc,im,in->ic", U, across, down)


def gravity(r, m, G, epsilon):
    a = np.zeros_like(r)
    for i in range(len(r)):
        for j in range(len(r)):
            if i != j:
                d = r[i] - r[j]
                a[i] -= G * m[j] * d / (d @ d + epsilon**2) ** 1.5
    return a


def group_norm(x, gamma, beta, epsilon, D=3):
    groups = x.reshape(x.shape[0], x.shape[1] // D, -1)
    mean, var = groups.mean(2, keepdims=True), groups.var(2, keepdims=True)
    normal = ((groups - mean) / np.sqrt(var + epsilon)).reshape(x.shape)
    return gamma[:, None, None] * normal + beta[:, None, None]


def gru(W_r, x, U_r, h, W_z, U_z, W, U):
    r, z = _sigmoid(W_r @ x + U_r @ h), _sigmoid(W_z @ x + U_z @ h)
    return z * h + (1 - z) * np.tanh(W @ x + U @ (r * h))


def haar(x):
    return (x[::2] + x[1::2]) / np.sqrt(2), (x[::2] - x[1::2]) / np.sqrt(2)


def huber(a, delta):
    return np.where(abs(a) <= delta, a**2 / 2, delta * (abs(a) - delta / 2))


def ising(s, J, B):
    return -J * (s * (np.roll(s, -1, 0) + np.roll(s, -1, 1))).sum() - B * s.sum()


def jacobi(a, b, x):
    d = np.diag(a)
    return (b - (a - np.diag(d)) @ x) / d


def kernel_ridge(X, x, alpha, gamma):
    return alpha @ np.exp(-gamma * ((X - x) ** 2).sum(1))


def kuramoto(theta, omega, K):
    return omega + K / len(theta) * np.sin(theta - theta[:, None]).sum(1)


def lagrange(f, z, x):
    return np.array([np.polyval(np.polyfit(x, f, len(x) - 1), t) for t in z])


def lennard_jones(x, varepsilon, sigma):
    r = np.sqrt(((x[:, None] - x) ** 2).sum(2))[np.triu_indices(len(x), 1)]
    return 4 * varepsilon * ((sigma / r) ** 12 - (sigma / r) ** 6).sum()


def lstm(W_f, x, U_f, h, b_f, W_i, U_i, b_i, W_o, U_o, b_o, c, W_cell, U_cell, b_cell):
    f, i, o = (
        _sigmoid(W @ x + U @ h + b)
        for W, U, b in ((W_f, U_f, b_f), (W_i, U_i, b_i), (W_o, U_o, b_o))
    )
    return o * np.tanh(f * c + i * np.tanh(W_cell @ x + U_cell @ h + b_cell))


def mmd(k, l, h):  # noqa: E741
    def off_diagonal(a):
        return (a.sum() - np.trace(a)) / (len(a) * (len(a) - 1))

    return off_diagonal(k) + off_diagonal(l) - 2 * h.mean()


def nmf(H, W, V):
    return H * (W.T @ V) / (W.T @ W @ H)


def pagerank(L, d, p):
    return (1 - d) / len(p) + d * (L / L.sum(0)) @ p


def simpson(f, h):
    from scipy.integrate import simpson

    return simpson(f, dx=float(h))


def sinkhorn(a, K, v, b):
    u = a / (K @ v)
    return b / (K.T @ u)


def sobel(f):
    from scipy.ndimage import sobel

    return np.hypot(sobel(f, 0), sobel(f, 1))[1:-1, 1:-1]


def softmax_cross_entropy(phi, w, t):
    return -(t * np.log(_softmax(phi @ w.T))).sum()


def spherical_harmonics(L, A_hat, Y):
    return sum(A_hat[m] * L[m, k + 2] * Y[:, m, k + 2] for m in range(3) for k in range(-m, m + 1))


def tv_denoising(f, u, epsilon, lambda_):
    dx, dy = np.diff(u, axis=0)[:, :-1], np.diff(u, axis=1)[:-1]
    return np.sqrt(dx**2 + dy**2 + epsilon).sum() + lambda_ / 2 * ((u - f) ** 2).sum()


def wave(u, u_old, c, dt, h):
    around = sum(np.roll(u, s, axis) for s in (1, -1) for axis in (0, 1))
    return 2 * u - u_old + c**2 * dt**2 / h**2 * (around - 4 * u)


# The inputs in order, each with its shape, and what the book computes from them.
# fmt: off
READ = {
    "attention": ("Q 4 3, K 5 3, V 5 2", attention),
    "batch_norm_elements": ("x 6, epsilon, gamma, beta", batch_norm),
    "contrastive": ("s 6 6, tau", contrastive),
    "convolution": ("V 2 6 5, K 3 2 3 2", convolution),
    "strided_convolution_elements": ("V 2 7 6, K 3 2 3 2", lambda V, K: convolution(V, K, 2)),
    "cp_loss": ("x 3 4 2, a 3 5, b 4 5, c 2 5, lambda 5",
                lambda x, a, b, c, s: ((x - np.einsum("ir,jr,kr,r->ijk", a, b, c, s)) ** 2).sum()),
    "crf": ("y 5 3, A 3 3, P 5 3", crf),
    "crf_forward": ("alpha 4, A 4 3, psi 3", lambda alpha, A, psi: np.log(np.exp(alpha[:, None] + A).sum(0)) + psi),
    "dct": ("x 6, c 6", dct),
    "dft": ("x 7", dft),
    "einsum": ("R 3 4, S 4 4", lambda R, S: R @ S @ R.T),
    "factorization_machine": ("x 4, w 4, v 4 3, w_0", factorization_machine),
    "focal": ("p 5, y 5, gamma", focal),
    "gaussian_process_scalar": ("y 4, alpha 4, L 4 4", gaussian_process),
    "gravity": ("r 4 3, m 4, G, epsilon", gravity),
    "group_norm_elements": ("x 2 6 3 2, gamma 6, beta 6, epsilon", group_norm),
    "gru": ("W_r 3 2, x 2, U_r 3 3, h 3, W_z 3 2, U_z 3 3, W 3 2, U 3 3", gru),
    "haar": ("x 8", haar),
    "heat_elements": ("U 7, k, h", lambda U, k, h: U[1:-1] + k / h**2 * np.diff(U, 2)),
    "huber": ("a 9, delta", huber),
    "ising": ("s 4 4, J, B", ising),
    "jacobi": ("a 4 4, b 4, x 4", jacobi),
    "kernel_ridge_in_order": ("X 5 3, x 3, alpha 5, gamma", kernel_ridge),
    "kmeans_norm": ("r 5 3, x 5 2, mu 3 2", lambda r, x, mu: (r * ((x[:, None] - mu) ** 2).sum(2)).sum()),
    "kmeans": ("x 5 2, mu 3 2, r 5 3", lambda x, mu, r: (r * ((x[:, None] - mu) ** 2).sum(2)).sum()),
    "kuramoto_shape": ("theta 5, omega 5, K", kuramoto),
    "lagrange": ("f 4, z 3, x 4", lagrange),
    "layer_norm": ("a_l 5", lambda a: a.std()),
    "lennard_jones": ("x 5 3, varepsilon, sigma", lennard_jones),
    "lstm_elements": ("W_f 3 2, x 2, U_f 3 4, h 4, b_f 3, W_i 3 2, U_i 3 4, b_i 3, W_o 3 2, U_o 3 4, b_o 3, c 3,"
                      "W_cell 3 2, U_cell 3 4, b_cell 3", lstm),
    "mmd_elements": ("k 4 4, l 3 3, h 4 3", mmd),
    "mttkrp": ("X 3 4 2, B 4 5, C 2 5", lambda X, B, C: np.einsum("ijk,jr,kr->ir", X, B, C)),
    "nmf": ("H 3 4, W 5 3, V 5 4", nmf),
    "pagerank": ("L 4 4, d, p 4", pagerank),
    "simpson": ("f 9, h", simpson),
    "sinkhorn": ("a 4, K 4 3, v 3, b 3", sinkhorn),
    "sobel": ("f 6 7", sobel),
    "softmax_cross_entropy": ("phi 5 3, w 4 3, t 5 4", softmax_cross_entropy),
    "spherical_harmonics_pairs": ("L 3 5, A_hat 3, Y 4 3 5", spherical_harmonics),
    "tucker": ("g 2 3 2, a 4 2, b 3 3, c 5 2", lambda g, a, b, c: np.einsum("pqr,ip,jq,kr->ijk", g, a, b, c)),
    "tv_denoising": ("f 4 5, u 4 5, epsilon, lambda", tv_denoising),
    "gaussian_process": ("sigma_f, ell, x 4 3, sigma_n, y 4, alpha 4, L 4 4, n", gaussian_process_in_full),
    "pearson": ("x 6, y 6", lambda x, y: np.corrcoef(x, y)[0, 1]),
    "logistic_regression": ("w 3, t 5, x 5 3", logistic_regression),
    "attention_matrix": ("Q 3 4, K 5 4, V 5 2", attention),
    "cross_correlation": ("I 5 6, K 2 3", lambda I, K: convolution(I[None], K[None, None])[0]),  # noqa: E741
    "standard_score": ("x 6", lambda x: (x - x.mean()) / x.std()),
    "triplet": ("a 4 3, p 4 3, n 4 3, alpha", triplet),
    "ridge": ("y 5, X 5 3, beta 3, lambda", lambda y, X, b, c: ((y - X @ b) ** 2).sum() + c * (b**2).sum()),
    "coulomb_matrix": ("R 4 3, Z 4", coulomb_matrix),
    "potential_of_macros": ("epsilon, sigma, r 4 4", potential),
    "softplus_network": ("w 3 4, v 4 2, x 2", lambda w, v, x: w @ np.log1p(np.exp(v @ x))),
    "cp": ("a 4 2, b 3 2, c 5 2", lambda a, b, c: np.einsum("ir,jr,kr->ijk", a, b, c)),
    "kuramoto": ("theta 5, omega 5, K", kuramoto),
    "kernel_ridge": ("X 5 3, x 3, alpha 5, gamma", kernel_ridge),
    "mmd": ("k 4 4, l 3 3, h 4 3", mmd),
    "batch_norm": ("x 5, epsilon, gamma, beta", batch_norm),
    "strided_convolution": ("V 2 7 9, K 3 2 2 3", lambda V, K: convolution(V, K, 2)),
    "wigner": ("C 5 3 2, u 3, v 2", lambda C, u, v: np.einsum("mij,i,j->m", C, u, v)),
    "wave": ("u 4 5, u_old 4 5, c, Delta_t, h", wave),
    "wave_step": ("u 4 5, u_old 4 5, c, Delta_t, h", wave),
    "wigner_elements": ("C 5 3 2, u 4 6 3, v 4 2", lambda C, u, v: np.einsum("mij,aci,aj->acm", C, u, v)),
}

# As `READ`, with sizes that no input's shape gives.
WITH_SIZES = {
    "mel_cepstrum": ("X 6", {"M": 3}, mel_cepstrum),
    "upper_indices": ("U 4 5 2, x 6, y 6", {"H": 4, "W": 5}, upper_indices),
    "central_difference": ("u 7, h", {"N": 7}, lambda u, h: (u[2:] - u[:-2]) / (2 * h)),
}

# Where the caret stands, what is wrong, and what to write.
REFUSED = {
    "gram_style": ("G_{ij}^l", "may be a power or a label", r"`^{\mathrm{l}}` for a label"),
    "group_norm": ("C/G", "`C/G` has a rational coefficient", r"write `\lfloor C/G \rfloor`"),
    "heat": ("^{n+1}", "a superscript that counts steps is a loop over time", "`%!tadc state U[N]` in front of all makes it a step"),
    "ising_bonds": (r"\langle", "which pairs are neighbours is not told", "1 for neighbours"),
    "jacobi_k": ("^{(k+1)}", "a superscript that counts steps is a loop over time", "`%!tadc state xi[N]` in front of all makes it a step"),
    "lstm": (r"\sigma_g", "is no function that tadc knows", "define it"),
    "spherical_harmonics": ("l^2", "`l^2` is not an index expression", "indices and sizes"),
}
# fmt: on


def arrays(shapes):
    """Positive inputs; of `crf` the labels and of `focal` the targets are 0 or 1, as in the papers."""
    random = np.random.default_rng(5)
    result = {}
    for item in shapes.split(","):
        name, *extents = item.split()
        result[name] = random.uniform(0.5, 2, tuple(map(int, extents)))
    return result


def test_every_file_is_read_or_refused():
    assert sorted(p.stem for p in FOLDER.glob("*.tex")) == sorted([*READ, *WITH_SIZES, *REFUSED])
    assert len(READ) >= 30


@pytest.mark.parametrize("name", READ)
def test_a_formula_computes_what_its_book_says(name):
    shapes, expected = READ[name]
    f = tadc.load(FOLDER / f"{name}.tex")
    inputs = arrays(shapes)
    if name == "crf":
        inputs["y"] = np.eye(3)[[0, 2, 1, 1, 0]]
    if name == "focal":
        inputs |= {"p": inputs["p"] / 2.5, "y": np.array([1.0, 0, 0, 1, 0])}

    assert f.inputs == tuple(inputs)
    outputs, wanted = f(**inputs), expected(*inputs.values())
    for value, want in zip(*map(_as_tuple, (outputs, wanted)), strict=True):
        np.testing.assert_allclose(value, want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", WITH_SIZES)
def test_a_formula_whose_sizes_are_given_computes_what_its_book_says(name):
    shapes, sizes, expected = WITH_SIZES[name]
    f = tadc.load(FOLDER / f"{name}.tex")
    inputs = arrays(shapes)

    assert f.inputs == tuple(inputs)
    given = {size: n for size, n in sizes.items() if size in f.sizes}
    np.testing.assert_allclose(f(**inputs, **given), expected(*inputs.values()), rtol=1e-9)


def _as_tuple(values):
    return values if isinstance(values, tuple) else (values,)


@pytest.mark.plain(name=12)
@pytest.mark.parametrize("name", READ)
def test_the_derivatives_of_a_formula_agree_with_numeric_ones(name):
    report = tadc.load(FOLDER / f"{name}.tex").check()

    assert report, str(report)


@pytest.mark.parametrize("name", READ)
def test_a_formula_is_printed_as_latex_and_read_back(name):
    f = tadc.load(FOLDER / f"{name}.tex")

    assert str(tadc.compile(f.source("latex"), lang="tex")) == str(f)


@pytest.mark.parametrize("name", REFUSED)
def test_a_formula_that_is_not_read_says_what_to_change(name):
    place, fact, fix = REFUSED[name]
    with pytest.raises(tadc.Error) as caught:
        tadc.load(FOLDER / f"{name}.tex")

    error = caught.value.errors[0]
    assert error.span.text.startswith(place)
    assert fact in error.fact
    assert fix in error.fix


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.tex")), ids=lambda path: path.stem)
def test_every_file_names_its_source_with_the_year(path):
    comment = re.match(r"(% .*\n)+", path.read_text())

    assert comment and re.search(r"\b(18|19|20)\d\d\b", comment.group())
