"""Random programs that read through data: values and derivatives, by every point and by lists, against scattering."""

import numpy as np
import pytest

import tadc
from tadc.runtime.index import as_index, facts_of, list_tensors, lists_of
from tadc.runtime.interpreter import interpret
from tadc.schedule.rewrite.list_tensors import Facts
from tadc.schedule.rewrite.lists import listed
from tests.data.oracle import random_data

CASES = 150
PLAIN = 12


def by_lists(f, arrays, facts):
    """The outputs of a function, by the interpreter on the program whose sums run over lists of which these facts are known.

    Lists are in pieces where nothing is known of them, without facts in one.
    """
    program = f.program
    indices = {n: as_index(n, arrays[n]) for n in f.index_inputs}
    bound = f.calls.bound([arrays[n] for n in f.inputs], {})
    arrays_of_lists = lists_of(listed(program).lists, indices, bound.sizes, 2**31)
    if facts and facts.short:
        facts = facts_of(listed(program).lists, arrays_of_lists)
        assert facts.short
    made = listed(program, facts)
    lists, sizes = list_tensors(made.lists, arrays_of_lists, indices, bound.sizes, np.int64)
    found = interpret(made.program, {**bound.arrays, **lists}, {**bound.sizes, **sizes})
    return [found[n] for n in f.outputs]


@pytest.mark.plain(seed=PLAIN)
@pytest.mark.parametrize("seed", range(CASES))
def test_values_and_derivatives_are_those_of_scattering(seed):
    data = random_data(seed)
    rng = np.random.default_rng(seed + 10_000)
    f = tadc.compile(data.text, backend="interpreter")
    x, w = data.arrays["x"], data.arrays["w"]
    tx, tw = rng.standard_normal(x.shape), rng.standard_normal(w.shape)
    dy = rng.standard_normal(data.shape)
    facts = (None, Facts(short=True), Facts())[seed % 3]
    adjoint = f.adjoint(("x", "w"))
    tangent = f.tangent(("x", "w"))
    second = f.adjoint(("x",)).tangent(("x", "w"))
    expected = [
        (f, data.arrays, [data.value(x, w)]),
        (adjoint, {**data.arrays, "dy": dy}, data.adjoint(x, w, dy)),
        (tangent, {**data.arrays, "dx": tx, "dw": tw}, [data.tangent(x, w, tx, tw)]),
    ]
    for g, arrays, results in expected:
        for found in (_all(g(**arrays)), by_lists(g, arrays, facts)):
            for one, other in zip(found, results, strict=True):
                np.testing.assert_allclose(one, other, atol=1e-12, err_msg=f"{data.text}\n{g}")
    names = list(second.inputs)
    given = dict(zip(names[-2:], (tx, tw), strict=True)) | data.arrays | {"dy": dy}
    for found in (_all(second(**given)), by_lists(second, given, facts)):
        expected_second = data.second(x, w, dy, tx, tw)
        np.testing.assert_allclose(found[0], expected_second, atol=1e-12, err_msg=data.text)


@pytest.mark.plain(seed=4)
@pytest.mark.parametrize("seed", range(0, CASES, 3))
def test_printed_programs_mean_the_same(seed):
    data = random_data(seed)
    f = tadc.compile(data.text, backend="interpreter")
    again = tadc.compile(str(f), backend="interpreter")

    np.testing.assert_array_equal(again(**data.arrays), f(**data.arrays))
    adjoint = f.adjoint("x")
    printed = tadc.compile(str(adjoint), backend="interpreter")
    arrays = {**data.arrays, "dy": np.ones(data.shape)}
    np.testing.assert_array_equal(_all(printed(**arrays))[0], _all(adjoint(**arrays))[0])


def _all(results):
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("seed", range(0, CASES, 15))
def test_native_code_has_the_same_values_and_gradients(seed):
    data = random_data(seed)
    rng = np.random.default_rng(seed)
    x, w = data.arrays["x"], data.arrays["w"]
    dy = rng.standard_normal(data.shape)
    y, pullback = tadc.compile(data.text, backend="native").vjp(**data.arrays)

    np.testing.assert_allclose(y, data.value(x, w), atol=1e-12, err_msg=data.text)
    found = pullback(dy)
    for name, expected in zip("xw", data.adjoint(x, w, dy), strict=True):
        np.testing.assert_allclose(found[name], expected, atol=1e-12, err_msg=data.text)


HOSTILE = [0, 1, -1, 3, 4, 5, 2**31 - 1, 2**31, -(2**31), 2**62, -(2**62), 2**63 - 1, -(2**63)]


@pytest.mark.plain(seed=3)
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(
    "text",
    [
        "y[i] = x[k[i]]",
        "y[i] = sum{r=0..1} x[2*k[i] + r]",
        "y[i] = x[clamp(k[i] + 3)]",
        "y[i] = x[pad(2*k[i] - 1)]",
        "y[i: 4] = sum{e | k[e] + 2 = i} x[e]",
        "y[i] = x[wrap(k[i])]\ninput x[4]",
        "y[i] = sum{j=k[i]..k[i]+1} x[j]",
    ],
)
def test_hostile_elements_are_an_error_or_the_right_result(text, seed):
    rng = np.random.default_rng(seed)
    k = rng.choice(np.array(HOSTILE[: 6 if seed % 2 else None]), 4)
    x = rng.standard_normal(4)
    f = tadc.compile(text, backend="interpreter")
    expected = _expected(text, k, x)
    if expected is None:
        with pytest.raises(tadc.DataError) as caught:
            f(k=k, x=x)
        error = caught.value
        assert error.tensor == "k" and error.value == k[error.index]
        assert not error.low <= error.value <= error.high or "k[i]+1" in text
    else:
        np.testing.assert_array_equal(f(k=k, x=x), expected)


def _expected(text, k, x):
    """The values, None where an element leads outside; integers of Python have no width."""
    k, n = [int(v) for v in k], len(x)
    subscripts = {
        "y[i] = x[k[i]]": lambda v: [v],
        "y[i] = sum{r=0..1} x[2*k[i] + r]": lambda v: [2 * v, 2 * v + 1],
        "y[i] = x[clamp(k[i] + 3)]": lambda v: [min(max(v + 3, 0), n - 1)],
        "y[i] = x[pad(2*k[i] - 1)]": lambda v: [2 * v - 1] if 0 <= 2 * v - 1 < n else [],
        "y[i] = x[wrap(k[i])]\ninput x[4]": lambda v: [v % n],
        "y[i] = sum{j=k[i]..k[i]+1} x[j]": lambda v: [v, v + 1],
    }
    if text not in subscripts:
        return [sum(x[e] for e in range(4) if k[e] + 2 == i) for i in range(4)]
    read = [subscripts[text](v) for v in k]
    if any(not 0 <= s < n for row in read for s in row):
        return None
    return [sum(x[s] for s in row) for row in read]
