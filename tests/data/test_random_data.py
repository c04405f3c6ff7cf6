"""Random programs that read through data: values and derivatives on every backend, by every point and by lists, against scattering."""

import numpy as np
import pytest

import tadc
from tadc import compiler
from tadc.ir.expr import Reduce
from tadc.ir.walk import postorder
from tadc.runtime.index import as_index, facts_of, list_tensors, lists_of
from tadc.runtime.interpreter import interpret
from tadc.runtime.opencl.arrays import devices
from tadc.schedule.rewrite.list_tensors import Facts
from tadc.schedule.rewrite.lists import listed
from tests.data.held import Held, called
from tests.data.random_data import random_data

CASES = 200
PLAIN = 6
FACTS = None, Facts(short=True), Facts()  # of lists: one loop each, short, in pieces


def by_lists(facts):
    """How a function is called by the interpreter on the program whose sums run over lists of which these facts are known.

    Lists are in pieces where nothing is known of them, without facts in one.
    """

    def run(f, arguments, sizes):
        bound = f.calls.bound(arguments, sizes)
        if f.program.is_empty(bound.sizes):  # a program is of sizes of at least 1
            f = f._of_numbers({s: bound.sizes[s] for s in f.program.sizes})
            bound = f.calls.bound(arguments, {})
        program, known = f.program, facts
        arrays = dict(zip(f.inputs, arguments, strict=True))
        indices = {n: as_index(n, arrays[n]) for n in f.index_inputs}
        arrays_of_lists = lists_of(listed(program).lists, indices, bound.sizes, 2**31)
        if known and known.short:
            known = facts_of(listed(program).lists, arrays_of_lists)
        made = listed(program, known)
        lists, more = list_tensors(made.lists, arrays_of_lists, indices, bound.sizes, np.int64)
        found = interpret(made.program, {**bound.arrays, **lists}, {**bound.sizes, **more})
        return [found[n] for n in f.outputs]

    return run


def compiled(data, **options):
    return tadc.compile(data.text, **{"dtype": "float64", **options})


@pytest.mark.plain(seed=PLAIN)
@pytest.mark.parametrize("seed", range(CASES))
def test_values_and_derivatives_are_those_of_scattering(seed):
    data = random_data(seed, small=True)
    held = Held(data, seed)
    f = compiled(data, backend="interpreter")
    held.assert_holds(f)
    if not compiler.index_stages(f.program):
        held.assert_holds(f, by_lists(FACTS[seed % 3]))


# 660 looks up an element where a row begins, which is data too.
@pytest.mark.parametrize("seed", [660, *range(3)])
@pytest.mark.parametrize("facts", FACTS)
def test_what_is_looked_up_with_other_data_stands_behind_them(seed, facts):
    data = random_data(seed, small=True)
    f = compiled(data)
    program = f.adjoint([n for n in data.tensors if n in f.inputs]).program
    for s in listed(program, facts).program.statements:
        for e in postorder(s.body):
            derived = e.derived if isinstance(e, Reduce) else ()
            for n, d in enumerate(derived):
                assert {o.name for o in derived[n:]}.isdisjoint(d.symbols)


# 148 has two lists in one sum, named in another order where they come about than in the text; 1205 a quotient of data that is read where
# they are outside.
@pytest.mark.plain(seed=3)
@pytest.mark.parametrize("seed", [148, 1205, *range(0, CASES, 3)])
def test_printed_programs_have_the_same_bits(seed):
    data = random_data(seed, small=True)
    held = Held(data, seed)
    if 0 in data.sizes.values():
        return  # a text is of sizes of at least 1
    for mode in list(held.modes(compiled(data, backend="numpy")))[:2]:
        again = tadc.compile(str(mode.function), backend="numpy", dtype="float64")
        own = {n: v for n, v in data.sizes.items() if n in mode.function.sizes}
        given = dict(zip(mode.function.inputs, mode.arguments, strict=True))
        arguments = [given[n] for n in again.inputs]
        for one, other in zip(
            called(again, arguments, own), called(mode.function, mode.arguments, own), strict=True
        ):
            np.testing.assert_array_equal(one, other)


def with_indices(f, data):
    """Every second program gets its index tensors as `Index`."""
    return {n: tadc.index(a) if n in f.index_inputs else a for n, a in data.arrays.items()}


@pytest.mark.plain(seed=PLAIN)
@pytest.mark.parametrize("seed", range(CASES))
def test_numpy_has_the_values_and_derivatives_of_random_programs(seed):
    data = random_data(seed)
    Held(data, seed).assert_holds(compiled(data, backend="numpy"))


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("seed", range(1000, 1000 + CASES))
def test_native_code_has_the_same_values_and_gradients(seed):
    data = random_data(seed)
    dtype, rtol = ("float32", 3e-3) if seed % 5 == 4 else ("float64", 1e-8)
    f = compiled(data, backend="native", threads=1 + seed % 2, dtype=dtype)
    given = with_indices(f, data) if seed % 4 == 0 else data.arrays
    Held(data, seed).assert_calls_hold(f, rtol, given)


@pytest.mark.slow
@pytest.mark.skipif(not devices(), reason="there is no device of OpenCL")
@pytest.mark.parametrize("seed", range(2000, 2000 + CASES, 10))
def test_opencl_has_the_same_values_and_gradients(seed):
    data = random_data(seed)
    Held(data, seed).assert_calls_hold(compiled(data, backend="opencl"))


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
