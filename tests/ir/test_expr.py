import copy
import gc
import pickle
from functools import reduce
from operator import add

import pytest

from tadc.ir import expr
from tadc.ir.affine import symbol
from tadc.ir.domain import EVERYWHERE, Derived, Domain, at_least_zero, between
from tadc.ir.expr import Call, Comparison, Const, IndexValue, Read, Reduce, Select, call
from tadc.ir.walk import postorder

i, k = symbol("i"), symbol("k")
x = Read("x", (i,))
inside = Domain.of(between(0, k, 4))


def test_equal_expressions_are_one_node():
    assert x * 2 + 1 is Read("x", (i,)) * 2 + 1


@pytest.mark.parametrize(
    ("a", "b"), [(1, 1.0), (0.0, -0.0), (True + 0, 1.0)], ids=["type", "sign", "integer"]
)
def test_constants_of_different_type_or_bits_differ(a, b):
    assert Const(a) is not Const(b)


def test_nan_is_one_constant():
    assert Const(float("nan")) is Const(float("nan"))


nodes = [
    Const(1),
    Const(float("nan")),
    IndexValue(i + 1),
    x,
    call("exp", x),
    Select(Comparison("<", x, Const(0)), x, Const(0)),
    Select(Domain.of([at_least_zero(i)]), x, Const(0)),
    Reduce("sum", ("k",), (Derived("q", k, 2),), inside, Read("x", (k + symbol("q"),))),
]


@pytest.mark.parametrize("node", nodes, ids=lambda e: type(e).__name__)
def test_pickling_and_copying_give_the_same_node(node):
    assert pickle.loads(pickle.dumps(node)) is node
    assert copy.deepcopy(node) is node


def test_bound_names_are_not_free():
    node = Reduce(
        "sum",
        ("k",),
        (Derived("q", k + i, 2),),
        inside,
        Read("x", (k + symbol("q") + symbol("N"),)),
    )

    assert node.symbols == {"i", "N"}


def test_a_condition_counts_among_the_symbols_of_a_choice():
    assert Select(Domain.of([at_least_zero(k)]), x, Const(0)).symbols == {"i", "k"}
    assert Select(Comparison("<", Read("y", (k,)), x), x, Const(0)).symbols == {"i", "k"}


def test_a_sum_of_ten_thousand_terms_is_made_and_walked():
    total = reduce(add, (Const(n) * x for n in range(10_000)))

    assert sum(1 for _ in postorder(total)) == 10_000 + 10_000 + 1 + 9_999
    assert total.symbols == {"i"}


def test_nodes_that_nobody_holds_are_forgotten():
    node = call("exp", Read("forgotten", ()))
    assert any(key[1:2] == ("forgotten",) for key in expr._interned)

    del node
    gc.collect()

    assert not any(key[1:2] == ("forgotten",) for key in expr._interned)


def test_arithmetic_with_numbers_makes_constants():
    assert 2 - x is Call("sub", (Const(2), x))
    assert x**2 is Call("pow", (x, Const(2)))
    assert -x is Call("neg", (x,))
    assert 1 / x is Call("div", (Const(1), x))


def test_a_reduction_over_everything_has_the_symbols_of_its_body():
    assert Reduce("sum", ("k",), (), EVERYWHERE, x).symbols == {"i"}
