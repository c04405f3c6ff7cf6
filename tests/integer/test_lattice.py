from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from integer.systems import QUICK, affine
from integer.test_smith import Rows, matrices
from tadc.integer.basis import chosen_basis
from tadc.integer.lattice import Lattice, integer_solutions
from tadc.integer.matrix import product


def _solutions(M: Rows, sides: list[str]) -> Lattice | None:
    return integer_solutions(M, [affine(side) for side in sides], len(M[0]), "q{}".format)


def test_an_equation_with_a_unit_coefficient_has_neither_guards_nor_quotients():
    lattice = _solutions([[1, 1]], ["b"])

    assert lattice is not None
    assert lattice.guards == ()
    assert lattice.quotients == ()
    assert lattice.heads == (affine("b"),)


def test_a_common_divisor_is_a_guard_and_a_quotient():
    lattice = _solutions([[4, 6]], ["3*b - 5*c + 1"])

    assert lattice is not None
    assert [str(guard) for guard in lattice.guards] == ["(b + c + 1) % 2 = 0"]
    assert [(str(q.form), q.modulus) for q in lattice.quotients] == [("b - c + 1", 2)]


def test_dependent_equations_are_guards():
    lattice = _solutions([[1], [1], [2]], ["a", "b", "c"])

    assert lattice is not None
    assert [str(guard) for guard in lattice.guards] == ["a = b", "a + b = c"]


def test_equations_that_never_hold_have_no_solutions():
    assert _solutions([[2, 4]], ["2*b + 1"]) is None
    assert _solutions([[1, 1], [1, 1]], ["b", "b + 1"]) is None
    assert _solutions([[2]], ["0*b + 3"]) is None


def _coordinates(lattice: Lattice, ranking: list[int], size: int = 4) -> set[tuple[int, ...]]:
    basis = chosen_basis(lattice, ranking)
    heads = [head.constant for head in lattice.heads]
    found = set()
    for z in itertools.product(range(-size, size + 1), repeat=len(basis.pivots)):
        u = [
            sum(a * b for a, b in zip(r1, heads, strict=True))
            + sum(a * b for a, b in zip(r2, z, strict=True))
            for r1, r2 in zip(basis.V1, basis.V2, strict=True)
        ]
        for c, row in enumerate(basis.pivots):
            assert not any(basis.V2[row][c + 1 :])
            if basis.keeps(c):
                assert u[row] == z[c]
        found.add(tuple(u))
    return found


@QUICK
@given(matrices(largest=4), st.lists(st.integers(-6, 6), min_size=4, max_size=4), st.data())
def test_every_small_solution_has_coordinates_and_only_solutions_have(
    M: Rows, sides: list[int], data: st.DataObject
):
    n = min(3, len(M[0]))
    M = [row[:n] for row in M]
    lattice = _solutions(M, [f"0*b + {side}" for side in sides[: len(M)]])
    candidates = itertools.product(range(-3, 4), repeat=n)
    expected = {
        u for u in candidates if product(M, [[x] for x in u]) == [[g] for g in sides[: len(M)]]
    }
    if lattice is None:
        assert not expected
        return
    ranking = data.draw(st.permutations(range(n)))

    basis = chosen_basis(lattice, ranking)

    if all(basis.keeps(c) for c in range(len(basis.pivots))):
        assert expected <= _coordinates(lattice, ranking)
    for u in _coordinates(lattice, ranking, 2):
        assert product(M, [[x] for x in u]) == [[g] for g in sides[: len(M)]]


def test_the_first_rows_that_form_a_unimodular_block_are_kept():
    lattice = _solutions([[2, 1, 0, 3]], ["b"])  # u1 = b - 2*u0 - 3*u3
    assert lattice is not None

    assert chosen_basis(lattice, [0, 1, 2, 3]).pivots == (0, 2, 3)
    assert chosen_basis(lattice, [3, 2, 0, 1]).pivots == (3, 2, 0)


def test_a_greedy_choice_that_leads_nowhere_is_taken_back():
    # The first row forms a unimodular block with neither of the others.
    lattice = Lattice((), (), (), ((), (), ()), ((1, 0), (1, 2), (1, 3)))

    assert chosen_basis(lattice, [0, 1, 2]).pivots == (1, 2)


def test_without_a_unimodular_block_pivots_are_small():
    lattice = Lattice((), (), (), ((), ()), ((3,), (2,)))
    basis = chosen_basis(lattice, [0, 1])

    assert basis.pivots == (1,)
    assert basis.divisors == (2,)
    assert not basis.keeps(0)
