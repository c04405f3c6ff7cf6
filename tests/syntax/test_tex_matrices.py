"""Matrices in LaTeX: identities with a size, diagonals and the matrices that have nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

A = np.arange(1.0, 10.0).reshape(3, 3)
D = np.diag(A.sum(1))


def read(text: str, *arrays, **sizes):
    return tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")(*arrays, **sizes)


def test_an_identity_with_its_size_below_is_one():
    text = "%!tadc input A[N, N]\n" r"\[ B = A + I_N \]"

    np.testing.assert_array_equal(read(text, A), A + np.eye(3))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"D^{-1} A", A / A.sum(1)[:, None]),
        (r"D^{-\frac12} A D^{-1/2}", A / np.sqrt(np.outer(A.sum(1), A.sum(1)))),
        (r"D - A", D - A),
        (r"D^2 A", D**2 @ A),
        (r"A D^\top", A @ D),
    ],
)
def test_a_matrix_of_which_the_diagonal_alone_is_defined_is_diagonal(formula, expected):
    text = f"%!tadc input A[N, N]\n\\[ P = {formula} \\] where $D_{{ii}} = \\sum_j A_{{ij}}$."

    np.testing.assert_allclose(read(text, A), expected)


def test_elements_of_such_a_diagonal_are_read():
    text = (
        "%!tadc input A[N, N], x[N]\n"
        r"\[ y = D x, \] \[ z_i = A_{ii} / D_{ii} \] where $D_{ii} = \sum_j A_{ij}$."
    )
    y, z = read(text, A, np.ones(3))

    np.testing.assert_allclose(y, A.sum(1))
    np.testing.assert_allclose(z, np.diag(A) / A.sum(1))


def test_a_matrix_with_other_elements_is_not_diagonal():
    text = r"\[ P = D A + D_{12} \] where $D_{ii} = \sum_j A_{ij}$."

    with pytest.raises(tadc.SyntaxError):
        tadc.compile("%!tadc input A[N, N]\n" + text, lang="tex")


def test_diag_makes_a_matrix_of_a_vector():
    w = np.array([1.0, 2.0, 3.0])
    text = "%!tadc input w[N], A[N, N]\n" r"\[ B = A^\top \operatorname{diag}(w) A \]"

    np.testing.assert_allclose(read(text, w, A), A.T @ np.diag(w) @ A)


def test_diag_of_a_matrix_is_unclear():
    with pytest.raises(tadc.SyntaxError, match="may be its diagonal, a vector, or the matrix"):
        tadc.compile("%!tadc input A[N, N]\n" r"\[ D = \operatorname{diag}(A) \]", lang="tex")


def test_a_diagonal_matrix_is_a_definition_and_keeps_its_size():
    text = (
        "%!tadc input x[N], W[N, N]\n"
        r"With $L = D - W$, $D = \operatorname{diag}(d)$ and $d_i = \sum_j W_{ij}$: \[ S = x^\top L x \]"
    )
    x = np.arange(3.0)

    np.testing.assert_allclose(tadc.compile(text, lang="tex")(x=x, W=A), x @ (D - A) @ x)


def test_diag_of_a_list_is_that_of_its_vector():
    text = (
        "%!tadc input P[n, m], w[n]\n"
        r"The matrix $\mathbf{W} = \mathrm{diag}(w_1, \dots, w_n)$ yields \[ \mathbf{M} = \mathbf{P}^\top \mathbf{W} \mathbf{P} \]"
    )
    w = np.array([1.0, 2.0, 3.0])

    np.testing.assert_allclose(tadc.compile(text, lang="tex")(P=A, w=w), A.T @ np.diag(w) @ A)


def test_angles_with_an_f_are_the_inner_product_of_matrices():
    text = "%!tadc input K[n, n], L[n, n]\n" r"\[ a = \langle K, L \rangle_F \]"

    assert read(text, A, A) == np.sum(A * A)


def test_a_product_on_the_left_is_an_error_that_says_what_to_write():
    text = r"\[ \rho \mathbf{u} = \sum_{i} f_i \mathbf{c}_i, \qquad \rho = \sum_i f_i \]"

    with pytest.raises(tadc.SyntaxError, match="is a product, and a left side is a name") as caught:
        tadc.compile(text, lang="tex")
    assert r"`\mathbf{u} = \frac{1}{..} ( .. )`" in caught.value.errors[0].fix
