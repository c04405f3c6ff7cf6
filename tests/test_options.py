"""What `compile` and `load` take, and what they say of what they do not take."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import tadc
from tadc.options import Given, Options

F = "y[i] = 2*x[i]"


@pytest.mark.parametrize("dtype", [np.float32, "f4", "float32", np.dtype(">f4"), "single"])
def test_an_element_type_is_what_numpy_takes_for_one(dtype):
    assert tadc.compile(F, dtype=dtype)(np.ones(2)).dtype == np.float32


@pytest.mark.parametrize("dtype", ["int32", "int64", "float", "c8", 3, "f4,f4", object, [], "no"])
def test_other_types_are_an_error(dtype):
    if dtype == "float":  # Python's, which is float64
        assert tadc.compile(F, dtype=dtype)(np.ones(2, np.float32)).dtype == np.float64
        return
    with pytest.raises(tadc.ArgumentError, match="`dtype` is"):
        tadc.compile(F, dtype=dtype)


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: tadc.compile(F, foo=1), "`compile` has no option `foo`"),
        (lambda: tadc.compile(F, backnd="numpy"), "did you mean `backend`"),
        (lambda: tadc.compile(F, "tex"), "`compile`: too many positional"),
        (lambda: tadc.compile(), "missing a required argument: 'source'"),
        (lambda: tadc.load("f.idx", langs="tex"), "did you mean `lang`"),
        (lambda: tadc.compile(F).source("tpu"), "there is no target `tpu`"),
        (lambda: tadc.compile(F).source(to="c"), "`source` has no option `to`"),
        (lambda: tadc.compile(F).adjoint(by="x"), "`adjoint` has no option `by`"),
        (lambda: tadc.compile(F, backend=np.ones(2)), "`backend` is"),
        (lambda: tadc.compile(F, memory=None), "`memory` is None"),
        (
            lambda: tadc.compile(F).fix(3),
            r"`fix`: too many positional arguments\nwrite `fix\(N=4\)`",
        ),
        (lambda: tadc.compile(F).check(3), "`check`: too many positional"),
        (lambda: tadc.compile(F).cost(3), "`cost`: too many positional"),
        (lambda: tadc.compile(F).plan("primal"), "`plan`: too many positional"),
        (lambda: tadc.compile(F).prove(3), "`prove`: too many positional"),
        (
            lambda: tadc.compile(F).footprints("y"),
            "`footprints`: missing a required argument: 'box'",
        ),
        (lambda: tadc.compile(F).block(), "`block`: missing a required argument: 'target'"),
        (lambda: tadc.compile(F).jvp({"x": 1.0}), "`jvp`: missing a required argument: 'tangents'"),
        (lambda: tadc.compile(F).jvp({}, {}, wrt="x"), "`jvp` has no option `wrt`"),
        (lambda: tadc.compile(F).vjp(np.ones(2))[1](dy=1), "`pullback` has no option `dy`"),
        (lambda: tadc.compile(F)(None), "`x` is None\npass an array"),
        (lambda: tadc.compile(F)({}), "`x` is no array, but of type `dict`"),
        (
            lambda: tadc.compile("size N = 3\ny[i: N] = x[i]")(np.ones(3), N=3),
            "`N` has a number already\nleave it out",
        ),
        (lambda: tadc.compile("size N\ny[i: N] = i").fix(N=3).fix(N=3), "`N` has a number already"),
        (lambda: tadc.compile(F, lang=np.ones(2)), "`lang` is array"),
        (lambda: tadc.compile(F).adjoint(np.ones((1, 2))), "is no input"),
        (lambda: tadc.compile(F).vjp(np.ones(2), wrt=[["x"]]), "is no input"),
        (lambda: tadc.compile(F).cost(mode=np.ones(2)), "there is no mode"),
        (lambda: tadc.compile(F).plan(mode=np.ones(2)), "there is no mode"),
        (lambda: tadc.compile(F).block(np.ones(2)), "is no tensor that is computed"),
        (lambda: tadc.index(np.array([0], "M8[s]")), "integers"),
    ],
)
def test_unknown_options_are_errors_of_tadc_and_type_errors(attempt, message):
    with pytest.raises(tadc.ArgumentError, match=message) as caught:
        attempt()
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("accumulate", ["no", [], {}, np.ones(2), None, 2])
def test_what_is_no_truth_value_does_not_accumulate(accumulate):
    f, x, into = tadc.compile(F), np.ones(2), np.zeros(2)
    pullback = f.vjp(x)[1]

    for attempt in (
        lambda: f(x, out=into, accumulate=accumulate),
        lambda: f.jvp({"x": x}, {"x": x}, out=into, accumulate=accumulate),
        lambda: pullback(x, out=(into,), accumulate=accumulate),
    ):
        with pytest.raises(tadc.ArgumentError, match="`accumulate` is"):
            attempt()

    assert not into.any()


def test_a_masked_array_takes_no_results():
    into = np.ma.MaskedArray(np.zeros(2), [True, False])

    with pytest.raises(tadc.ArgumentError, match="`out` for `y` is not a writeable array"):
        tadc.compile(F)(np.ones(2), out=into)


def test_a_file_may_be_read_in_the_other_spelling(tmp_path):
    path = tmp_path / "f.txt"
    path.write_text(r"y_i = 2 x_i")

    assert tadc.load(path, lang="tex").inputs == ("x",)
    with pytest.raises(tadc.ArgumentError, match="`lang` is 'pdf'"):
        tadc.load(path, lang="pdf")


def test_source_without_a_target_is_the_text():
    f = tadc.compile(F)

    assert f.source() == str(f)


@pytest.mark.parametrize(
    ("backend", "option"),
    [
        ("numpy", {"threads": 2}),
        ("cuda", {"threads": 2}),
        ("numpy", {"blas": False}),
        ("interpreter", {"memory": "recompute"}),
        ("interpreter", {"memory_limit": 8}),
        ("native", {"fast_math": True}),
    ],
)
def test_an_option_without_meaning_on_a_named_backend_is_an_error(backend, option):
    with pytest.raises(tadc.BackendError, match="has no meaning for"):
        tadc.compile(F, backend=backend, **option)
    tadc.compile(F, **option)


@pytest.mark.parametrize("function", [tadc.compile, tadc.load])
def test_every_option_is_in_the_signature_and_in_the_documents(function):
    names = [f.name for f in fields(Options)]
    parameters = inspect.signature(function).parameters
    table = (Path(__file__).parents[1] / "docs" / "api.md").read_text("utf-8")
    described = re.findall(r"[a-z_]+(?=[,\n ])", inspect.getdoc(tadc.compile))

    assert names == [*Given.__annotations__] == [*parameters][2:]
    assert [n for n in names if f"| `{n}` |" not in table or n not in described] == []
    for f in fields(Options):
        given = {f.name: parameters[f.name].default}
        assert Options.of(**given) == Options()


def test_the_signature_shows_inputs_sizes_and_keywords():
    f = tadc.compile("size N, S\ninput x[N], out[2]\ny[i: S] = x[i]*out[0]")
    parameters = inspect.signature(f).parameters

    assert list(parameters) == ["x", "out_", "S", "N", "out", "accumulate"]
    assert parameters["x"].kind is inspect.Parameter.POSITIONAL_ONLY
    assert parameters["S"].default is inspect.Parameter.empty
    assert parameters["N"].default is None
    word = inspect.signature(tadc.compile("y[i] = lambda[i]")).parameters["lambda"]
    assert word.kind is inspect.Parameter.POSITIONAL_ONLY
    opened = tadc.compile("size M\ninput x[2*M]\ny[i: 2] = x[M*i]")
    assert inspect.signature(opened).parameters["M"].default is None


def test_shapes_stand_in_the_representation():
    f = tadc.compile("size N\ninput x[N, 3]: float32, s[]\ny[i] = s*sum{j} x[i, j]")

    assert repr(f) == "<tadc.Function program: x[N, 3]: float32, s -> y[N]>"
    assert repr(f.adjoint("s")) == "<tadc.Function program: x[N, 3]: float32, s, dy[N] -> ds>"
    opened = tadc.compile("size M\ninput x[2*M]\ny[i: 2] = x[M*i]")
    assert repr(opened) == "<tadc.Function program: x[2*M] -> y[2]>"
