"""The interpreter on small programs whose values are known by heart."""

import itertools
from math import inf, nan

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.domain import (
    EMPTY,
    EVERYWHERE,
    Derived,
    Domain,
    at_least_zero,
    between,
    divides,
    equals_zero,
)
from tadc.ir.expr import Comparison, Const, IndexValue, Read, Reduce, Select, call
from tadc.ir.program import DerivedSize, Program, Statement, Tensor
from tadc.runtime.interpreter import interpret, points

i, j, k, q, N = map(symbol, "ijkqN")


def domain(*conditions):
    """Conditions, and tuples of them as `between` returns."""
    flat = [c if isinstance(c, tuple) else (c,) for c in conditions]
    return Domain.of(itertools.chain(*flat))


def value(body, shape=(), indices=(), sizes=None, dtype=None, derived=(), **arrays):
    """What the program `f[indices] = body` gives for these arrays."""
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    inputs = [Tensor(name, tuple(map(constant, a.shape))) for name, a in arrays.items()]
    target = Tensor("f", tuple(n if isinstance(n, Affine) else constant(n) for n in shape), dtype)
    sizes = sizes or {}
    program = Program(
        "test",
        tuple(sizes),
        (),
        EVERYWHERE,
        tuple(inputs),
        (Statement(target, tuple(indices), tuple(derived), body),),
        ("f",),
    )
    return interpret(program, arrays, sizes)["f"]


def test_a_statement_is_evaluated_at_every_point_of_its_box():
    body = Read("x", (i, 2 - j)) + IndexValue(10 * i)

    result = value(body, (2, 3), "ij", x=[[1, 2, 3], [4, 5, 6]])

    assert result.dtype == np.float64
    assert result.tolist() == [[3, 2, 1], [16, 15, 14]]


def test_a_scalar_is_a_tensor_without_indices():
    assert value(Read("c", ()) * 2, c=3.0).tolist() == 6


def test_sizes_are_numbers_of_the_call():
    assert value(IndexValue(N - i), (N + 1,), "i", sizes={"N": 2}).tolist() == [2, 1, 0]


def test_an_extent_of_zero_gives_an_empty_tensor():
    assert value(Read("x", (i,)), (0, 2), "ij", x=[1.0]).shape == (0, 2)


def test_a_matrix_product():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    term = Read("a", (i, k)) * Read("b", (k, j))

    result = value(
        Reduce("sum", ("k",), (), domain(between(0, k, 2)), term), (2, 4), "ij", a=a, b=b
    )

    assert result.tolist() == (a @ b).tolist()


@pytest.mark.parametrize(
    ("op", "some", "none"),
    [
        ("sum", 9, 0),
        ("prod", 0, 1),
        ("max", 5, -inf),
        ("min", -1, inf),
    ],
)
def test_a_reduction_and_its_value_over_nothing(op, some, none):
    x = [-1.0, 5.0, 0.0, 5.0]
    full = Reduce(op, ("k",), (), domain(between(0, k, 3)), Read("x", (k,)))
    empty = Reduce(op, ("k",), (), domain(between(0, k, -1)), Read("x", (k,)))

    assert value(full, x=x) == some
    assert value(empty, x=x) == none


@pytest.mark.parametrize("op", ["sum", "prod", "max", "min"])
def test_nan_propagates_through_a_reduction(op):
    body = Reduce(op, ("k",), (), domain(between(0, k, 2)), Read("x", (k,)))

    assert np.isnan(value(body, x=[1.0, nan, 2.0]))


def test_the_branch_not_taken_is_never_evaluated():
    inside = domain(between(0, i - 1, 2))
    body = Select(inside, Read("x", (i - 1,)), Const(-1.0))  # x[-1] would be an assertion

    assert value(body, (5,), "i", x=[1.0, 2.0, 3.0]).tolist() == [-1, 1, 2, 3, -1]


def test_a_comparison_of_values_selects_and_nan_fails_it():
    x = Read("x", (i,))
    body = Select(Comparison("<", Const(0.0), x), call("sqrt", x), Const(7.0))

    assert value(body, (4,), "i", x=[4.0, -4.0, nan, 0.0]).tolist() == [2, 7, 7, 7]


@pytest.mark.parametrize(
    ("relation", "expected"),
    [("==", [0, 1, 0]), ("!=", [1, 0, 1]), ("<", [1, 0, 0]), ("<=", [1, 1, 0])],
)
def test_every_relation(relation, expected):
    body = Select(Comparison(relation, Read("x", (i,)), Const(1)), Const(1), Const(0))

    assert value(body, (3,), "i", x=[0.0, 1.0, 2.0]).tolist() == expected


def test_a_read_outside_its_tensor_is_an_assertion_that_names_it():
    with pytest.raises(AssertionError, match=r"x\[3\] is outside the shape \(3,\)"):
        value(Read("x", (i,)), (4,), "i", x=[1.0, 2.0, 3.0])


def test_a_negative_subscript_does_not_count_from_the_end():
    with pytest.raises(AssertionError, match=r"x\[-1\]"):
        value(Read("x", (i - 1,)), (2,), "i", x=[1.0, 2.0, 3.0])


def test_arithmetic_is_ieee_without_exceptions_or_warnings():
    x = Read("x", ())
    cases = {1 / x: inf, call("log", x): -inf, x / x: nan, call("exp", x + 1e4): inf}

    for body, expected in cases.items():
        np.testing.assert_equal(value(body, x=0.0), expected)


def test_a_store_rounds_to_the_declared_type_and_arithmetic_is_float64():
    tenth = Tensor("t", (), "float32")
    statements = (
        Statement(tenth, (), (), Const(0.1) + 0.0),
        Statement(Tensor("f", ()), (), (), Read("t", ()) * 3),
    )
    program = Program("test", (), (), EVERYWHERE, (), statements, ("f", "t"))

    result = interpret(program, {}, {})

    assert result["t"].dtype == np.float32
    assert result["f"].dtype == np.float64
    assert result["f"] == np.float64(np.float32(0.1)) * 3


def test_statements_read_earlier_ones_and_an_output_may_be_an_input():
    x = Tensor("x", (N,))
    y = Tensor("y", (N,))
    z = Tensor("z", (symbol("P"),))
    half = DerivedSize("P", "floor", (N + 1,), 2)
    statements = (
        Statement(y, ("i",), (), Read("x", (i,)) * Read("x", (i,))),
        Statement(z, ("i",), (), Read("y", (2 * i,)) + Read("x", (i,))),
    )
    program = Program("test", ("N",), (half,), EVERYWHERE, (x,), statements, ("z", "x"))
    array = np.array([1.0, 2.0, 3.0])

    result = interpret(program, {"x": array}, {"N": 3})

    assert result["z"].tolist() == [2, 11]
    assert result["x"].tolist() == [1, 2, 3]
    assert not np.shares_memory(result["x"], array)


def test_a_derived_index_of_a_statement_is_computed_and_rounds_down():
    body = Read("x", (q + 1,))
    derived = Derived("q", i - 1, 2)

    assert value(body, (4,), "i", derived=[derived], x=[5.0, 6.0, 7.0]).tolist() == [5, 6, 6, 7]


def test_a_derived_index_of_a_reduction_is_not_a_sum_of_its_own():
    body = Reduce("sum", ("k",), (Derived("q", k, 3),), domain(between(0, k, 6)), IndexValue(q))

    assert value(body) == sum(k // 3 for k in range(7))


def test_an_index_may_be_bounded_by_its_derived_index_only():
    d = (Derived("q", k, 3),)

    assert value(Reduce("sum", ("k",), d, domain(between(1, q, 2)), Const(1.0))) == 6


def test_a_sum_of_ten_thousand_terms():
    body = Read("x", ())
    for _ in range(10_000):
        body = body + Read("x", ())

    assert value(body, x=1.0) == 10_001


@pytest.mark.slow
def test_thousands_of_nested_selections_and_reductions():
    body = Read("x", (i,))
    for n in range(2_000):
        body = Select(domain(equals_zero(i - n - 1)), Const(float(n)), body)
    nested = Const(1.0)
    for n in range(1_200):
        one = symbol(f"k{n}")
        nested = Reduce("sum", (f"k{n}",), (), domain(between(i, one, i)), nested)

    assert value(body, (2,), "i", x=[8.0]).tolist() == [8, 0]
    assert value(nested, (1,), "i") == 1


def test_a_shared_node_is_evaluated_once_for_each_point():
    body = Read("x", (i,))
    for _ in range(200):
        body = body + body  # written out: 2**200 terms

    assert value(body, (2,), "i", x=[1.0, 3.0]).tolist() == [2.0**200, 3 * 2.0**200]


def test_a_reduction_in_a_reduction_sees_the_outer_index():
    inner = Reduce("sum", ("k",), (), domain(between(0, k, j)), Read("x", (k,)))
    body = Reduce("max", ("j",), (), domain(between(0, j, 2)), inner)

    assert value(body, x=[1.0, -5.0, 2.0]) == 1


@pytest.mark.parametrize(
    ("domain", "outer", "expected"),
    [
        (domain(equals_zero(i - 2 * j + 1), between(0, i, 6), between(1, j, 5)), {}, [(1, 1), (3, 2), (5, 3)]),
        (domain(between(0, i + j, 2), between(0, i - j, 2)), {}, [(0, 0), (1, -1), (1, 0), (1, 1), (2, 0)]),
        (domain(between(0, i, 3), between(N, j, N), divides(3, i + j)), {"N": 4}, [(2, 4)]),
        (domain(between(0, i, N), equals_zero(i - j)), {"N": -1}, []),
        (domain(at_least_zero(i), at_least_zero(j - i - 1), at_least_zero(i - j - 1)), {}, []),
        (EMPTY, {}, []),
        (domain(at_least_zero(N - 5), equals_zero(i), equals_zero(j)), {"N": 4}, []),
    ],
    ids=["equality", "neither index has bounds", "divisibility", "empty", "wedge", "false", "guard"],
)  # fmt: skip
def test_the_points_of_a_domain(domain, outer, expected):
    found = points(("i", "j"), (), domain, outer)

    assert [(p["i"], p["j"]) for p in found] == expected


def test_an_unbounded_domain_is_an_assertion():
    with pytest.raises(AssertionError, match="i is not bounded"):
        list(points(("i",), (), domain(at_least_zero(i)), {}))


small = st.integers(-4, 4)
forms = st.builds(lambda a, b, c, d: a * i + b * j + c * k + d, small, small, small, small)
conditions = st.one_of(
    st.builds(at_least_zero, forms),
    st.builds(equals_zero, forms),
    st.builds(divides, st.integers(1, 4), forms),
)


@given(st.lists(conditions, max_size=4))
@example([equals_zero(2 * i + 4 * j - 3 * k - 1)])
def test_the_points_of_a_domain_are_those_of_the_box_at_which_it_holds(further):
    box = (between(-3, i, 3), between(-3, j, 2), between(0, k, 3))
    whole = domain(*box, *further)
    ranges = range(-3, 4), range(-3, 3), range(4)
    candidates = (dict(zip("ijk", p, strict=True)) for p in itertools.product(*ranges))
    expected = [tuple(p.values()) for p in candidates if whole.holds(p)]

    found = points(("i", "j", "k"), (), whole, {})

    assert [(p["i"], p["j"], p["k"]) for p in found] == expected
