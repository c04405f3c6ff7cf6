"""What cannot be inverted, and calls with what does not fit: errors that say what and where, and never a wrong number."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tadc

ONES = np.ones(4)
LOCAL = "size N; state x[N]; input p; x[i] <- x[i]**3 + p*x[pad(i-1)]"
DENSE = "size N; state x[N]; x[i] <- 3*x[i] + sum{j} sin(x[j])/9"

CALLS = {
    "a vector of another shape": (lambda f: f.inverse_tangent()(ONES, 0.3, np.ones(5)), tadc.ShapeError, "`dx` has the shape"),
    "a point of another rank": (lambda f: f.inverse_tangent()(np.ones((2, 2)), 0.3, ONES), tadc.ShapeError, "1 dimension"),
    "a vector that is missing": (lambda f: f.inverse_tangent()(ONES, 0.3), tadc.ArgumentError, "`dx` is missing"),
    "a text": (lambda f: f.inverse_tangent()(ONES, 0.3, "abc"), tadc.ArgumentError, "`dx` has elements of type <U3"),
    "complex numbers": (lambda f: f.inverse_adjoint()(ONES, 0.3, ONES * 1j), tadc.ArgumentError, "`dx` has elements of type complex128"),
    "an unknown input": (lambda f: f.inverse_tangent("q"), tadc.ArgumentError, "`q` is no input"),
    "an unknown output": (lambda f: f.logdet(of="q"), tadc.ArgumentError, "`q` is no output"),
    "a number for names": (lambda f: f.inverse_tangent(of=3), tadc.ArgumentError, "`of` is 3"),
    "no inputs": (lambda f: f.inverse_tangent([]), tadc.ArgumentError, "`wrt` has none"),
    "an input of another size": (lambda f: f.inverse_tangent("p")(ONES, 0.3, ONES), tadc.DerivativeError, "not square"),
    "an unknown solver": (lambda f: f.inverse_tangent(solver="qr"), tadc.ArgumentError, "`solver` is 'qr'"),
    "a solver that is an array": (lambda f: f.inverse_tangent(solver=ONES), tadc.ArgumentError, "`solver` is array"),
    "memory that is an array": (lambda f: f.inverse_tangent(memory=ONES), tadc.ArgumentError, "`memory` is array"),
    "arrays for names": (lambda f: f.logdet(of=[ONES]), tadc.ArgumentError, "is no output"),
    "names in a list of lists": (lambda f: f.inverse_adjoint(of=[["x"]]), tadc.ArgumentError, "is no output"),
    "a check that is an array": (lambda f: f.inverse(ONES, 0.3, check=ONES), tadc.ArgumentError, "`check` is array"),
    "a search that is an array": (lambda f: f.newton(ONES, 0.3, line_search=ONES), tadc.ArgumentError, "`line_search` is array"),
    "a masked vector": (lambda f: f.inverse(ONES, 0.3).tangent(np.ma.masked_equal(ONES, 1)), tadc.ArgumentError, "masked"),
    "a masked target": (lambda f: f.newton(ONES, 0.3, target=np.ma.masked_equal(ONES, 1)), tadc.ArgumentError, "masked"),
    "a limit that is no number": (lambda f: f.logdet(dense_limit="many"), tadc.ArgumentError, "`dense_limit` is"),
    "too many dimensions of samples": (lambda f: f.logdet(batch_dims=2), tadc.ArgumentError, "fewer than 2 dimensions"),
    "samples that are mixed": (lambda f: f.logdet(batch_dims=1)(ONES, 0.3), tadc.DerivativeError, "mixed by a read of `x`"),
    "a plan without sizes": (lambda f: f.inverse_tangent().plan(), tadc.ShapeError, "N is missing"),
    "a right side of another shape": (lambda f: f.inverse(ONES, 0.3).tangent(np.ones(3)), tadc.ShapeError, "has the shape"),
    "too many right sides": (lambda f: f.inverse(ONES, 0.3).adjoint(ONES, ONES), tadc.ArgumentError, "2 arrays for 1"),
    "a target of another shape": (lambda f: f.newton(ONES, 0.3, target=np.ones(3)), tadc.ShapeError, "has the shape"),
    "a tolerance that is no number": (lambda f: f.newton(ONES, 0.3, tol="small"), tadc.ArgumentError, "`tol` is"),
    "a count that is no number": (lambda f: f.newton(ONES, 0.3, max_iterations="all"), tadc.ArgumentError, "`max_iterations` is"),
    "a target that is no number": (lambda f: f.newton(ONES, 0.3, target=np.nan), tadc.ConvergenceError, "residual is nan"),
    "a point that is no number": (lambda f: f.inverse_tangent()(ONES * [1, np.nan, 1, 1], 0.3, ONES), tadc.SingularError, r"nan at x\[1\], line 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_what_does_not_fit_is_an_error(name):
    call, error, words = CALLS[name]

    with pytest.raises(error, match=words) as caught:
        call(tadc.compile(LOCAL, backend="numpy"))

    assert caught.value.fix


@pytest.mark.parametrize("text", [LOCAL, DENSE])
def test_vectors_that_are_no_numbers_have_no_solution(text):
    f = tadc.compile(text, backend="numpy")
    point = [ONES, 0.3][: len(f.inputs)]

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        assert np.isnan(mode(*point, ONES * np.nan)).all()


SINGULAR = {
    "state x, v; x <- v; v <- x": (r"nothing reads `x`", 13),
    "size N; state x[N]; input y[N]; x[i] <- y[i]": (r"nothing reads `x\[0\]`", 33),
    "size N; state x[N]; x[i] <- x[0]": (r"`x\[1\]` is read by none", 21),
    "input x, y; p = x + y; u = p; w = 2*p; output u, w": ("only 1 number is live after `p`, 2 are needed", 13),
}  # fmt: skip


@pytest.mark.parametrize("text", SINGULAR)
def test_what_is_singular_at_every_point_names_the_statement(text):
    words, column = SINGULAR[text]

    with pytest.raises(tadc.DerivativeError, match=words) as caught:
        f = tadc.compile(text)
        f.inverse_tangent().plan(**dict.fromkeys(f.sizes, 3))

    assert caught.value.span.column == column and caught.value.fix


def test_a_loop_that_is_written_out_names_the_round_of_a_singular_step():
    f = tadc.compile("state x, y; repeat 2 { repeat down t = 1..3 { x <- x*(t - 2) + y } }")
    modes = {f.inverse_adjoint(): (0, 1), f.inverse_tangent(): (1, 1)}

    for mode, iteration in modes.items():
        with pytest.raises(tadc.SingularError, match=f"round {iteration[0]}, 1") as caught:
            mode(1.0, 1.0, 1.0, 1.0)
        assert caught.value.iteration == iteration


def test_results_have_the_type_of_the_point():
    short, long = (
        tadc.compile(f"state x[3]; input h; repeat {n} {{ x[i] <- x[i]*(1 + h) }}", backend="numpy")
        for n in (2, 1000)
    )
    x = np.ones(3, np.float32)

    for f in (short, long):
        assert f(x, 1e-3).dtype == f.inverse_tangent()(x, 1e-3, x).dtype == np.float32
        assert f.adjoint()(x, 1e-3, x)[0].dtype == f.logdet()(x, 1e-3).dtype == np.float32


REASONS = {
    "x[i] <- 2*x[i]": "diagonal: each element is of its own old value alone",
    "x[i] <- 2*x[wrap(i-1)]": "bijection: each element is of one old value",
    "x[i] <- x[i] + x[pad(i-1)]": "triangular, ascending dimension 0: each .* those before it in dimension 0",
    "x[i] <- 3*x[i] + x[pad(i-1)] + x[pad(i+2)]": r"banded\(1,2\): .* from 1 before to 2 after it",
    "x[i] <- 3*x[i] + x[wrap(i-1)]": r"cyclic\(1,0\): .* around the end",
    "x[i] <- x[i] + sum{j} sin(x[j])": r"dense\(60\): .* up to 59 places away",
}


@pytest.mark.parametrize("update", REASONS)
def test_plans_give_the_reason_for_the_kind_of_a_step(update):
    f = tadc.compile(f"size N; state x[N]; {update}")

    with_steps, without = f.plan(N=60), f.plan()

    (step,) = f.inverse_tangent().plan(N=60).steps
    assert with_steps.steps == (str(step),) and not without.steps
    assert re.search(REASONS[update], str(with_steps))
