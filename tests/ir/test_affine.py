import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadc.ir.affine import Affine, constant, symbol, total

i, j, N = map(symbol, "ijN")

forms = st.builds(
    Affine.of, st.dictionaries(st.sampled_from("ijkN"), st.integers(-3, 3)), st.integers(-5, 5)
)
points = st.fixed_dictionaries({s: st.integers(-9, 9) for s in "ijkN"})


def test_equal_forms_are_equal_however_they_were_made():
    assert i + j - 1 == j - 1 + i == Affine.of({"j": 1, "i": 1, "N": 0}, -1)


def test_terms_are_sorted_and_without_zeros():
    assert (2 * j + i - 2 * j).terms == (("i", 1),)


@given(forms, forms, st.integers(-4, 4), points)
def test_arithmetic_of_forms_is_arithmetic_of_their_values(f, g, n, point):
    at = f.at(point), g.at(point)

    assert (f + g).at(point) == at[0] + at[1]
    assert (f - g).at(point) == at[0] - at[1]
    assert (n - f).at(point) == n - at[0]
    assert (n * f).at(point) == n * at[0]


@given(forms, forms, points)
def test_substitution_is_evaluation_at_the_value(f, g, point):
    assert f.substitute({"i": g}).at(point) == f.at({**point, "i": g.at(point)})


def test_substitution_is_done_at_once():
    assert (i + 2 * j).substitute({"i": j, "j": i}) == j + 2 * i


def test_a_form_without_the_symbols_stays_the_same_object():
    form = i + 1

    assert form.substitute({"j": constant(0)}) is form


@pytest.mark.parametrize(
    ("form", "name"),
    [(i, "i"), (2 * i, None), (i + 1, None), (i + j, None), (constant(0), None)],
    ids=str,
)
def test_only_a_bare_symbol_is_one(form, name):
    assert form.as_symbol() == name


def test_a_quotient_must_be_exact():
    assert (4 * i - 6) // 2 == 2 * i - 3
    with pytest.raises(AssertionError, match="2 does not divide"):
        (2 * i + 1) // 2


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (constant(0), "0"),
        (constant(-3), "-3"),
        (-i, "-i"),
        (1 - i, "1 - i"),
        (j - 2 * i, "j - 2*i"),
        (2 * i + j - 1, "2*i + j - 1"),
        (-2 * i - 3, "-2*i - 3"),
    ],
    ids=lambda x: str(x).replace(" ", ""),
)
def test_text(form, text):
    assert str(form) == text


def test_content_is_the_common_divisor_of_the_coefficients():
    assert (4 * i - 6 * j + 1).content == 2
    assert constant(5).content == 0


def test_forms_survive_pickling_with_what_they_have_computed():
    form = i + 2
    assert form.coefficient("i") == 1

    assert pickle.loads(pickle.dumps(form)) == form


def test_the_sum_of_nothing_is_zero():
    assert total([]) == constant(0)
