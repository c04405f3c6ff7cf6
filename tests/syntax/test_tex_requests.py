"""Displays that ask for a derivative: a left side without a right one."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import tadc
from tadc import cli

F = r"\[ f = \sum_{i=1}^{N} x_i^2 y_i \] "
Y = r"\[ y_i = \sum_{j=1}^{N} W_{ij} x_j^2 \] "
X = np.array([1.0, 2, 3])
A = np.array([4.0, 5, 6])


@pytest.mark.parametrize(
    ("text", "outputs", "expected"),
    [
        (F + r"\[ \frac{\partial f}{\partial x_i} \]", ("dx",), [2 * X * A]),
        (F + r"\[ \partial f / \partial x_i. \]", ("dx",), [2 * X * A]),
        (F + r"\[ \frac{\partial f}{\partial y}, \]", ("dy",), [X**2]),
        (F + r"\[ \nabla_y f \]", ("dy",), [X**2]),
        (F + r"\[ \nabla f \]", ("dx", "dy"), [2 * X * A, X**2]),
        (
            F + r"\[ \frac{\partial f}{\partial x_i}, \qquad \frac{\partial f}{\partial y_j} \]",
            ("dx", "dy"),
            [2 * X * A, X**2],
        ),
        (
            F + r"\[ \frac{\partial^2 f}{\partial x_i\, \partial x_j} \]",
            ("d2f_dx",),
            [np.diag(2 * A)],
        ),
        (
            r"\[ g = \sum_{i=1}^{N} f x_i \] " + F + r"\[ \frac{\partial f}{\partial x_i} \]",
            ("dx",),
            [2 * X * A],
        ),
        (
            r"\[ E_{\mathrm{tot}} = \sum_{i=1}^{N} \mathbf{x}_i y_i^2 \]"
            r"\[ \frac{\partial E_{\mathrm{tot}}}{\partial \mathbf{x}_i} \]",
            ("dx",),
            [A * A],
        ),
        (F + r"\[ \frac{\partial g}{\partial x_i} \]", ("f",), [X**2 @ A]),
        (F + r"Its slope $\partial f / \partial x_i$ is small.", ("f",), [X**2 @ A]),
    ],
)
def test_a_display_without_a_right_side_gives_the_derivative(text, outputs, expected):
    f = tadc.compile(text, lang="tex", backend="interpreter")
    results = f(x=X, y=A)
    results = results if isinstance(results, tuple) else (results,)

    assert f.outputs == outputs
    for value, want in zip(results, expected, strict=True):
        np.testing.assert_allclose(value, want)


def test_of_a_tensor_it_is_the_jacobian():
    f = tadc.compile(Y + r"\[ \frac{\partial y_i}{\partial x_k} \]", lang="tex")
    W = np.arange(6.0).reshape(2, 3)

    assert f.outputs == ("dy_dx",)
    np.testing.assert_allclose(f(W=W, x=X), 2 * W * X)
    assert f.request.mode == "jacobian"


def test_a_right_side_defines_a_tensor():
    text = r"\[ \frac{\partial f}{\partial x_i} = 2 x_i y_i \]"

    assert tadc.compile(text, lang="tex").outputs == ("df_dx",)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (F + r"\[ \frac{\partial f}{\partial z_i} \]", "`z` is no input"),
        (F + r"\[ \frac{\partial f}{\partial x_1} \]", "the derivative by one element"),
        (F + r"\[ \frac{\partial^2 f}{\partial x_i^2} \]", "one index stands twice"),
        (F + r"\[ \frac{\partial^2 f}{\partial x_i \partial y_j} \]", "by one input"),
        (Y + r"\[ \frac{\partial y_i}{\partial x_i} \]", "one index stands twice"),
        (Y + r"\[ \nabla y \]", "its derivative is by one input"),
        (F + Y + r"\[ \nabla f \] \[ \frac{\partial y_i}{\partial x_k} \]", "several derivatives"),
    ],
)
def test_what_is_no_whole_derivative_is_an_error(text, fact):
    text = text.replace("y_i \\]", "z_i \\]") if text.startswith(F + Y) else text
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile(text, lang="tex")

    error = caught.value.errors[0]
    assert fact in error.fact
    assert error.fix
    assert error.span.text.startswith(("\\frac", "\\nabla"))


def test_the_command_line_shows_and_compiles_it(tmp_path):
    file = tmp_path / "force.tex"
    file.write_text(F + "\n" + r"\[ \frac{\partial f}{\partial x_i} \]")
    shown = CliRunner().invoke(cli.commands, ["show", str(file)])
    compiled = CliRunner().invoke(
        cli.commands,
        ["compile", str(file), "--target", "idx", "--mode", "primal", "-o", str(tmp_path)],
    )

    assert shown.exit_code == compiled.exit_code == 0, shown.output + compiled.output
    assert "the document asks for the gradient of `f` by `x`" in shown.output
    assert "skipped" not in shown.output
    assert "output dx" in (tmp_path / "force.primal.idx").read_text()
