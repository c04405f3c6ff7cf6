import numpy as np
import pytest

import tadc

inf, nan = np.inf, np.nan


def value(text, **arrays):
    return tadc.compile(text, backend="interpreter")(**arrays)


@pytest.mark.parametrize("op", ["argmax", "argmin"])
@pytest.mark.parametrize(
    "x", [[3.0, 7.0, 7.0, -1.0, -1.0], [1.0, nan, 2.0, nan], [inf, -inf, inf], [5.0]], ids=str
)
def test_arguments_of_extremes_are_numpys(op, x):
    assert value(f"y = {op}{{k}} x[k]", x=np.array(x)) == getattr(np, op)(x)


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        ("sum", 0),
        ("prod", 1),
        ("max", -inf),
        ("min", inf),
        ("mean", nan),
        ("logsumexp", -inf),
        ("argmax", -1),
        ("argmin", -1),
    ],
)
def test_reductions_over_nothing(reduction, expected):
    found = value(f"y = {reduction}{{k=3..2}} x[k]", x=np.ones(5))

    np.testing.assert_equal(float(found), float(expected))


def test_the_index_of_an_extreme_is_not_its_position():
    assert value("y = argmax{k=2..3} x[k]", x=np.array([9.0, 9.0, 1.0, 2.0])) == 3


def test_a_one_based_file_counts_the_index_of_an_extreme_from_one():
    assert value("base 1\ny = argmax{k} x[k]", x=np.array([9.0, 11.0, 1.0])) == 2


def test_a_mean_under_a_condition_on_values_divides_by_the_points_where_it_holds():
    x = np.array([1.0, -2.0, 3.0, -4.0])

    assert value("y = mean{k | x[k] > 0} x[k]", x=x) == 2.0


def test_logsumexp_is_stable_for_large_arguments():
    x = np.array([1000.0, 1000.0])

    assert value("y = logsumexp{k} x[k]", x=x) == pytest.approx(1000 + np.log(2), rel=1e-15)
    assert value("y = logsumexp{k} x[k]", x=-np.array([inf, inf])) == -inf


def test_the_gradient_of_logsumexp_is_the_softmax():
    x = np.array([1000.0, 999.0, 0.0])
    gradient = tadc.compile("y = logsumexp{k} x[k]").gradient("x")(x)
    e = np.exp(x - 1000)

    np.testing.assert_allclose(gradient, e / e.sum(), rtol=1e-14)


def test_a_maximum_is_shared_equally_among_its_ties():
    gradient = tadc.compile("y = max{k} x[k]").gradient("x")

    np.testing.assert_array_equal(gradient(np.array([2.0, 5.0, 5.0, 1.0])), [0, 0.5, 0.5, 0])


@pytest.mark.parametrize("zeros", [0, 1, 2, 3])
def test_the_gradient_of_a_product_is_right_with_any_number_of_zeros(zeros):
    x = np.array([2.0, 3.0, 5.0, 7.0])
    x[:zeros] = 0
    gradient = tadc.compile("y = prod{k} x[k]").gradient("x")(x)

    np.testing.assert_array_equal(gradient, [np.prod(np.delete(x, k)) for k in range(4)])


def test_the_index_of_an_extreme_has_derivative_zero():
    f = tadc.compile("y = x[0] * argmax{k} x[k]")

    np.testing.assert_array_equal(f.gradient("x")(np.array([1.0, 4.0, 2.0])), [1, 0, 0])


def test_several_indices_of_an_argmax_are_refused():
    with pytest.raises(tadc.SyntaxError, match="one index"):
        tadc.compile("y = argmax{i, j} x[i, j]")
