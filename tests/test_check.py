"""`f.check()` compares what it says it compares, and notices each kind of error."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tadc
from tadc.check import FEW
from tadc.ir.functions import FUNCTIONS
from tadc.runtime.run import Runners


def against(report, subject):
    (row,) = (r for r in report.rows if r.subject == subject)
    return row.against


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("y[i] = exp(-x[i]**2) / x[i]", "complex step"),
        ("input x[4]\ny[i: 6] = x[pad(i - 1)] * tanh(x[i // 2])", "complex step"),
        ("y = sum{i | i != 1} log(x[i])", "complex step"),
        ("y[i] = abs(x[i])", "central differences"),
        ("y = max{i} x[i]", "central differences"),
        ("y[i] = if x[i] < 0.5 then x[i] else x[i]**2", "central differences"),
        ("input x[3]: float64\ny[i] = x[i]**3", "central differences"),
    ],
)
def test_the_complex_step_is_taken_where_all_functions_are_analytic(text, method):
    report = tadc.compile(text).check()

    assert report, f"\n{report}"
    assert against(report, "dx") == method


@pytest.mark.parametrize("function", ["sin", "abs"])
def test_a_wrong_derivative_is_noticed(monkeypatch, function):
    wrong = replace(FUNCTIONS[function], derivatives=(lambda x, y: 1.01 * x,))
    monkeypatch.setitem(FUNCTIONS, function, wrong)
    report = tadc.compile(f"y[i] = {function}(x[i])").check()

    assert not report
    assert {r.subject for r in report.rows if not r.agrees} == {"dx"}


def test_an_adjoint_that_is_not_that_of_the_tangent_is_noticed():
    f = tadc.compile("y[i] = sum{j} a[i, j] * x[j]")
    other = tadc.compile("y[i] = sum{j} a[i, j] * x[j]**2")
    f._derived["adjoint", f.inputs] = other.adjoint()
    report = f.check()

    assert "tangent" in {r.subject for r in report.rows if not r.agrees}


def test_a_backend_that_differs_is_noticed(monkeypatch):
    run = Runners.run

    def disturbed(self, backend, dtype, arrays, sizes):
        results = run(self, backend, dtype, arrays, sizes)
        return {n: v * (1 + 1e-6 * (backend == "numpy")) for n, v in results.items()}

    monkeypatch.setattr(Runners, "run", disturbed)
    report = tadc.compile("y[i] = x[i]").check()

    wrong = {(r.subject, r.against) for r in report.rows if not r.agrees}
    assert {(s, "numpy float64") for s in ("value", "adjoint", "tangent")} <= wrong


def test_sizes_are_chosen_distinct_and_so_that_there_are_few_elements():
    assert set(tadc.compile("y[i, j] = a[i] * b[j]").check().sizes.values()) == {3, 5}

    large = tadc.compile("size N\ninput x[N]\ny[u: 21, v: 21, i, j] = x[i] * x[j] + u * v")
    (n,) = large.check().sizes.values()
    assert n > 1 and 21 * 21 * n * n <= FEW


def test_sizes_that_are_given_are_kept_however_large_they_are():
    assert tadc.compile("y[i] = x[i] * a").check(I=5_000).sizes == {"I": 5_000}


@pytest.mark.parametrize(
    "text", ["y[i] = log(x[i] - 2)", "y[i] = sqrt(x[i] - 0.5)", "y[i] = 1/(i - 1)*x[i]"]
)
def test_elements_outside_of_a_functions_domain_are_left_out(text):
    report = tadc.compile(text).check()

    assert report, f"\n{report}"


def test_a_program_without_inputs_is_checked_too():
    assert tadc.compile("y[i: 3] = i").check()


def test_a_report_is_a_table_in_a_notebook():
    html = tadc.compile("y[i] = x[i]", backend="numpy").check()._repr_html_()

    assert html.startswith("<table>") and "central" not in html and "complex step" in html
    assert "<caption>sizes: " in html
