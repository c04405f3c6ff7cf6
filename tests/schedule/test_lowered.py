"""The plan is what is run: the same result of scheduling is printed as text, and told in words."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.runtime.cpu import c_compiler, native
from tadc.schedule.plan import cpu_plan

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
]

PROGRAMS = {
    "elements": ("size N\ninput x[N]\ny[i] = 2*x[i]", {"N": (4, 100)}),
    "a sum": ("size M, N\ninput x[M, N]\ny[i] = sum{j} x[i, j]**2", {"M": (3, 40), "N": (5, 100)}),
    "a product": ("size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = sum{k} a[i,k]*b[k,j]", {"I": (4, 30), "J": (5, 30), "K": (6, 30)}),
    "a product of another type": ("size N\ninput a[N,N]: float32, b[N,N]: float32\nc[i,j]: float32 = sum{k} a[i,k]*b[k,j]", {"N": (4, 30)}),
    "what is too large to be stored": ("size N\ninput x[N]\nt[i, j] = exp(x[i] - x[j])\ny[i] = sum{j} t[i, j]*t[j, i]", {"N": (4, 2000)}),
    "an output that is an input": ("size N\ninput x[N]\noutput x, y\ny[i] = 2*x[i]", {"N": (4, 100)}),
}  # fmt: skip


@pytest.fixture
def run(monkeypatch):
    """What was printed and run, the last one last."""
    found = []
    emit = native.emit_c

    def emitted(parts, *args, **kwargs):
        found.extend(parts)
        return emit(parts, *args, **kwargs)

    monkeypatch.setattr(native, "emit_c", emitted)
    monkeypatch.setenv("TADC_REMEMBER", "0")
    return found


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_plan_is_what_is_run(name, large, run):
    text, choices = PROGRAMS[name]
    sizes = {s: choice[large] for s, choice in choices.items()}
    f = tadc.compile(text, backend="native", dtype="float64")
    shapes = [[n.at(sizes) for n in t.shape] for t in f.program.inputs]
    arrays = [np.ones(s, t.dtype) for s, t in zip(shapes, f.program.inputs, strict=True)]

    plan = f.plan(**sizes)
    f(*arrays)

    assert plan == cpu_plan(run[-1], "primal", sizes, "float64")


def test_extents_that_fill_no_lanes_have_none():
    f = tadc.compile(PROGRAMS["elements"][0], backend="native")

    assert "lanes" in str(f.plan()) and "lanes" in str(f.plan(N=100))
    assert "lanes" not in str(f.plan(N=4))


def test_products_that_are_not_of_the_element_type_are_not_left_to_blas():
    text, _ = PROGRAMS["a product of another type"]

    assert "BLAS" in str(tadc.compile(text, dtype="float32").plan(N=200))
    assert "BLAS" not in str(tadc.compile(text, dtype="float64").plan(N=200))


def test_no_product_is_left_to_a_blas_that_is_not_there(monkeypatch):
    text, _ = PROGRAMS["a product"]
    monkeypatch.setattr(native, "blas", lambda: None)

    assert "BLAS" not in str(tadc.compile(text).plan(I=30, J=30, K=30))


def test_the_plan_tells_what_is_recomputed():
    f = tadc.compile(PROGRAMS["what is too large to be stored"][0])

    assert f.plan(N=4).stored and not f.plan(N=2000).stored
    assert not tadc.compile(str(f), memory="recompute").plan(N=4).stored
