from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from integer.systems import QUICK, affine, forms
from tadc.integer.dictionary import Dictionary
from tadc.integer.redundancy import Facts, hidden_equalities, irredundant, merged, opposite_pairs
from tadc.integer.rounding import rounded
from tadc.ir.affine import Affine

NOTHING = Facts((), ())
BOX = [affine(text) for text in ("i + 3", "3 - i", "j + 3", "3 - j", "k + 3", "3 - k")]
POINTS = [dict(zip("ijk", p, strict=True)) for p in itertools.product(range(-3, 4), repeat=3)]


def _kept(written: list[str], inequalities: str = "", equations: str = "") -> list[str]:
    given_forms = tuple(affine(text) for text in written)
    facts = Facts(_forms(inequalities), _forms(equations))
    dictionary = Dictionary.of((*given_forms, *facts.inequalities), facts.equations)
    assert dictionary is not None
    assert dictionary.restore()
    return [str(form) for form in irredundant(given_forms, dictionary, facts)]


def _forms(text: str) -> tuple[Affine, ...]:
    return tuple(affine(part) for part in text.split(";") if part.strip())


def test_a_bound_that_follows_from_two_others_is_dropped():
    assert _kept(["i", "j - i", "j"]) == ["i", "j - i"]


def test_a_bound_that_follows_from_the_facts_is_dropped():
    assert _kept(["b - i", "i", "N - 1 - i"], "N - 1 - b") == ["b - i", "i"]
    assert _kept(["i - a", "i - b"], equations="a - b") == ["i - b"]


def test_of_two_that_say_the_same_the_simpler_one_is_kept():
    assert _kept(["i - a - b + 5", "i"], equations="a + b - 5") == ["i"]


@QUICK
@given(st.lists(forms("ijk"), max_size=6))
def test_what_is_kept_has_the_same_points(random_forms: list[Affine]):
    given_forms = merged([*BOX, *random_forms])
    if given_forms is None:
        return
    dictionary = Dictionary.of(given_forms)
    assert dictionary is not None
    if not dictionary.restore():
        return

    kept = irredundant(given_forms, dictionary, NOTHING)

    for point in POINTS:
        assert all(f.at(point) >= 0 for f in kept) == all(f.at(point) >= 0 for f in given_forms)


@QUICK
@given(st.lists(forms("ijk"), max_size=6))
def test_nothing_that_is_kept_follows_from_the_rest(random_forms: list[Affine]):
    given_forms = merged([*BOX, *random_forms])
    dictionary = Dictionary.of(given_forms or ())
    assert dictionary is not None
    if given_forms is None or not dictionary.restore():
        return

    kept = irredundant(given_forms, dictionary, NOTHING)

    for i, form in enumerate(kept):
        others = Dictionary.of([*kept[:i], *kept[i + 1 :], -form - 1])
        assert others is not None
        assert others.restore()


@QUICK
@given(st.lists(forms("ijk", 3), max_size=6))
def test_hidden_equalities_hold_at_every_point(random_forms: list[Affine]):
    given_forms = (*BOX, *random_forms)
    dictionary = Dictionary.of(given_forms)
    assert dictionary is not None
    if not dictionary.restore():
        return

    hidden = hidden_equalities(dictionary, given_forms)

    points = [p for p in POINTS if all(f.at(p) >= 0 for f in given_forms)]
    assert all(given_forms[i].at(p) == 0 for i in hidden for p in points)
    if points:
        assert set(opposite_pairs(given_forms)) <= set(hidden)


def test_three_inequalities_hide_three_equalities():
    cycle = [affine("i - j"), affine("j - k"), affine("k - i")]
    dictionary = Dictionary.of([*cycle, affine("i")])
    assert dictionary is not None
    assert dictionary.restore()

    assert hidden_equalities(dictionary, [*cycle, affine("i")]) == (0, 1, 2)


def test_parallel_inequalities_merge_into_the_tightest():
    assert merged([affine("i + 3"), affine("j"), affine("i - 1"), affine("0*i + 4")]) == (
        affine("i - 1"),
        affine("j"),
    )
    assert merged([affine("i - 5"), affine("4 - i")]) is None


def test_a_division_goes_where_what_is_known_makes_it_constant():
    remainder = Facts((affine("b"), affine("2 - b")), ())

    assert rounded(affine("3*q + b"), {"q"}, remainder) == affine("q")
    assert rounded(affine("3*q + b + 3*N - 6"), {"q"}, remainder) == affine("q + N - 2")
    assert rounded(affine("3*M - 1 - b - 3*q"), {"q"}, remainder) == affine("M - 1 - q")
    assert rounded(affine("2*q + b"), {"q"}, remainder) == affine("2*q + b")
    assert rounded(affine("3*q + c"), {"q"}, remainder) == affine("3*q + c")
