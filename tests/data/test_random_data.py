"""Random programs that read through data: values and derivatives, by every point and by lists, against scattering."""

import numpy as np
import pytest

import tadc
from tadc.runtime.index import as_index, lists_of
from tadc.runtime.interpreter import interpret
from tadc.schedule.rewrite.lists import listed
from tests.data.oracle import random_data

CASES = 150
PLAIN = 12


def by_lists(f, arrays):
    """The outputs of a function, by the interpreter on the program whose sums run over lists."""
    program = f.program
    indices = {n: as_index(n, arrays[n]) for n in f.index_inputs}
    bound = f.calls.bound([arrays[n] for n in f.inputs], {})
    made = listed(program)
    lists, sizes = lists_of(made.lists, indices, bound.sizes, 2**31)
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
    adjoint = f.adjoint(("x", "w"))
    tangent = f.tangent(("x", "w"))
    second = f.adjoint(("x",)).tangent(("x", "w"))
    expected = [
        (f, data.arrays, [data.value(x, w)]),
        (adjoint, {**data.arrays, "dy": dy}, data.adjoint(x, w, dy)),
        (tangent, {**data.arrays, "dx": tx, "dw": tw}, [data.tangent(x, w, tx, tw)]),
    ]
    for g, arrays, results in expected:
        for found in (_all(g(**arrays)), by_lists(g, arrays)):
            for one, other in zip(found, results, strict=True):
                np.testing.assert_allclose(one, other, atol=1e-12, err_msg=f"{data.text}\n{g}")
    names = list(second.inputs)
    given = dict(zip(names[-2:], (tx, tw), strict=True)) | data.arrays | {"dy": dy}
    for found in (_all(second(**given)), by_lists(second, given)):
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
