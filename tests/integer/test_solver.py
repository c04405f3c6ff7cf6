from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given

from integer import isl
from integer.systems import (
    QUICK,
    THOROUGH,
    System,
    domain,
    numbered_names,
    shown,
    systems,
    visited,
)
from tadc.integer import TooComplex, solve
from tadc.ir.affine import constant, symbol
from tadc.ir.domain import EMPTY, EVERYWHERE, Derived, Domain
from tadc.ir.range import Bound

# name: unknowns in the order of loops, domain, what is known, and the whole solution.
SOLVED = {
    "the derivative by d in section 6 of the paper": (
        "k j i",
        "0 <= i <= 2; 0 <= k <= 4; 0 <= j <= 3; i + k == b",
        "0 <= b <= 7",
        ["for k in max(0, b - 2) .. min(4, b)", "for j in 0 .. 3", "i = b - k"],
    ),
    "the derivative by a in section 6 of the paper": (
        "i j k",
        "0 <= i <= 2; 0 <= j <= 3; 0 <= k <= 4; i == a; k == b",
        "0 <= a <= 2; 0 <= b <= 4",
        ["for j in 0 .. 3", "i = a", "k = b"],
    ),
    "the derivative by b in section 6 of the paper": (
        "i j k",
        "0 <= i <= 2; 0 <= j <= 3; 0 <= k <= 4; j == a; k == b",
        "0 <= a <= 3; 0 <= b <= 4",
        ["for i in 0 .. 2", "j = a", "k = b"],
    ),
    "the derivative by c in section 6 of the paper has a guard": (
        "i k j",
        "0 <= i <= 2; 0 <= j <= 3; 0 <= k <= 4; i == a; i == b",
        "0 <= a <= 2; 0 <= b <= 2",
        ["if a = b", "for k in 0 .. 4", "for j in 0 .. 3", "i = a"],
    ),
    "figure 3 of the paper": (
        "i j",
        "0 <= i <= 6; 1 <= j <= 5; i - 2*j == -1",
        "",
        ["for j in 1 .. 3", "i = 2*j - 1"],
    ),
    "figure 4 of the paper": (
        "i j k",
        "1 <= i <= 5; 0 <= j <= 4; -5 <= k <= 1; i - 2*j - 2*k == 3",
        "",
        ["for j in 0 .. 4", "for k in -j - 1 .. 1 - j", "i = 2*j + 2*k + 3"],
    ),
    "the identity": ("i", "0 <= i <= N-1; i == b", "0 <= b <= N-1; N >= 1", ["i = b"]),
    "a convolution of any size": (
        "i r",
        "0 <= r <= K-1; 0 <= i <= N-K; i + r == b",
        "0 <= b <= N-1; K >= 1; N >= 1; N-K+1 >= 1",
        ["for i in max(0, b - K + 1) .. min(b, N - K)", "r = b - i"],
    ),
    "a convolution of stride 2 and any size": (
        "o r",
        "0 <= o <= P-1; 0 <= r <= K-1; 2*o + r == b",
        "0 <= b <= N-1; P >= 1; K >= 1; 0 <= N-K-2*P+2 <= 1",
        ["for o in max(0, ceil((b - K + 1) / 2)) .. min(P - 1, floor((b) / 2))", "r = b - 2*o"],
    ),
    "every odd element has derivative zero when the stride is 2": (
        "i",
        "0 <= i <= N-1; 2*i == b",
        "0 <= b <= 2*N-1; N >= 1",
        ["if b % 2 = 0", "q0 = (b) / 2", "i = q0"],
    ),
    "a tensor longer than what is read needs a guard without loop variables": (
        "i j",
        "0 <= i <= 9; 0 <= j <= M-1; i == b",
        "0 <= b <= N-1; M >= 1",
        ["if b <= 9", "for j in 0 .. M - 1", "i = b"],
    ),
    "a constant subscript": (
        "i",
        "0 <= i <= N-1; b == 3",
        "0 <= b <= 7; N >= 1",
        ["if b = 3", "for i in 0 .. N - 1"],
    ),
    "a tensor of dimension 0": ("i", "0 <= i <= N-1", "N >= 1", ["for i in 0 .. N - 1"]),
    "no unknowns": ("", "i <= j; 2 | i", "0 <= i <= 9", ["if i % 2 = 0", "if i <= j"]),
    "a reversed read": ("i", "0 <= i <= N-1; N-1-i == b", "0 <= b <= N-1", ["i = N - b - 1"]),
    "rank above the tensor's": (
        "i j",
        "0 <= i <= N-1; 0 <= j <= N-1; i - j == b",
        "1-N <= b <= N-1; N >= 1",
        ["for i in max(0, b) .. min(N - 1, N + b - 1)", "j = i - b"],
    ),
    "rank below the tensor's": (
        "i",
        "0 <= i <= N-1; i == a; i == b; i == c",
        "0 <= a <= N-1; 0 <= b <= N-1; 0 <= c <= N-1",
        ["if a = c", "if b = c", "i = a"],
    ),
    "a condition of the program is a bound": (
        "i j",
        "0 <= i <= N-1; 0 <= j <= N-1; i <= j",
        "N >= 1",
        ["for i in 0 .. N - 1", "for j in i .. N - 1"],
    ),
    "the same condition with the other loop outside": (
        "j i",
        "0 <= i <= N-1; 0 <= j <= N-1; i <= j",
        "N >= 1",
        ["for j in 0 .. N - 1", "for i in 0 .. j"],
    ),
    "a band": (
        "i j",
        "0 <= i <= N-1; 0 <= j <= N-1; 0-K <= j-i <= K; j == b",
        "0 <= b <= N-1; N >= 1; K >= 1",
        ["for i in max(0, b - K) .. min(N - 1, K + b)", "j = b"],
    ),
    "an extent of 1": ("i j", "0 <= i <= 0; 0 <= j <= 0; i + j == b", "b == 0", ["i = 0", "j = b"]),
    "an extent of 0": ("i", "0 <= i <= -1", "", ["empty"]),
    "a hidden equality that is odd": (
        "i",
        "2*i >= b; 2*i <= b",
        "0 <= b <= 9",
        ["if b % 2 = 0", "q0 = (b) / 2", "i = q0"],
    ),
    "an equality hidden in what is known": (
        "i",
        "a <= i <= b",
        "a == b",
        ["i = a"],
    ),
    "an equality hidden in three inequalities": (
        "i j",
        "i >= 0; j >= 0; i + j <= 0; b >= i",
        "b >= 0",
        ["i = 0", "j = 0"],
    ),
    "a divisor is tightened with its parameters only": (
        "i",
        "b <= 2*i <= b + 1",
        "",
        ["for i in ceil((b) / 2) .. floor((b + 1) / 2)"],
    ),
    "the divisibility of an index": (
        "i",
        "0 <= i <= N-1; 3 | i - 1",
        "N >= 1",
        ["for z0 in 0 .. floor((N - 2) / 3)", "i = 3*z0 + 1"],
    ),
    "the divisibility of a sum": (
        "i j",
        "0 <= i <= 7; 0 <= j <= 7; 2 | i + j",
        "",
        [
            "for i in 0 .. 7",
            "for z0 in ceil((i) / 2) .. floor((i + 7) / 2)",
            "j = 2*z0 - i",
        ],
    ),
    "a guard's coefficients are reduced": (
        "i",
        "0 <= i <= 99; 3*i == 7*a - 5*b",
        "0 <= 7*a - 5*b <= 297",
        ["if (a + b) % 3 = 0", "q0 = (a - 2*b) / 3", "i = 2*a + q0 - b"],
    ),
    "a divisibility that is known": (
        "i",
        "0 <= i <= N-1; 4*i == b",
        "0 <= b <= 4*N-4; 8 | b",
        ["q0 = (b) / 4", "i = q0"],
    ),
    "an equality that is known": (
        "i",
        "0 <= i <= N-1; i == a; i == b",
        "0 <= a <= N-1; a == b",
        ["i = a"],
    ),
    "two equations with one quotient": (
        "i j",
        "0 <= i <= 9; 0 <= j <= 9; 2*i == b; 2*j == b",
        "0 <= b <= 18",
        ["if b % 2 = 0", "q0 = (b) / 2", "i = q0", "j = q0"],
    ),
    "a stride over halves": (
        "i q",
        "0 <= i <= N-1; 0 <= i - 2*q <= 1; q == b",
        "0 <= b; 2*b <= N-1",
        ["for i in 2*b .. min(N - 1, 2*b + 1)", "q = b"],
    ),
    "a remainder": (
        "i q",
        "0 <= i <= N-1; 0 <= i - 3*q <= 2; i - 3*q == b",
        "0 <= b <= 2; N >= 1",
        ["for q in 0 .. floor((N - b - 1) / 3)", "i = b + 3*q"],
    ),
    "what is known rounds two bounds to one value": (
        "i",
        "0 <= 3*i + b <= 2",
        "0 <= b <= 2",
        ["i = 0"],
    ),
    "no unknown can be kept": (
        "i j",
        "0 <= i <= 20; 0 <= j <= 20; 2*i + 3*j == b",
        "0 <= b <= 100",
        [
            "for z0 in max(ceil((b - 20) / 2), ceil((b) / 3)) .. min(floor((b) / 2), floor((b + 20) / 3))",
            "i = 3*z0 - b",
            "j = b - 2*z0",
        ],
    ),
}


@pytest.mark.parametrize("name", SOLVED)
def test_the_solution_is_exactly(name: str):
    assert solved(name) == SOLVED[name][3]


def solved(name: str) -> list[str]:
    unknowns, conditions, known, _ = SOLVED[name]
    return shown(solve(unknowns.split(), domain(conditions), domain(known), numbered_names()))


def test_figure_3_has_three_points_and_figure_4_fifteen():
    first = domain("0 <= i <= 6; 1 <= j <= 5; i - 2*j == -1")
    second = domain("1 <= i <= 5; 0 <= j <= 4; -5 <= k <= 1; i - 2*j - 2*k == 3")

    assert visited(solve("ij", first, EVERYWHERE, numbered_names()), {}) == [(1, 1), (3, 2), (5, 3)]
    assert len(visited(solve("ijk", second, EVERYWHERE, numbered_names()), {})) == 15


def test_the_unknowns_to_keep_are_the_best_ranked_ones_that_can_be_kept():
    convolution = domain("0 <= r <= K-1; 0 <= i <= N-K; i + r == b")
    strided = domain("0 <= o <= 9; 0 <= r <= 4; 2*o + r == b")

    kept = solve("ir", convolution, domain("0 <= b <= N-1"), numbered_names(), keep="r")
    forced = solve("or", strided, domain("0 <= b <= 22"), numbered_names(), keep="r")

    assert kept is not None
    assert kept.indices == ("r",)
    assert forced is not None
    assert forced.indices == (
        "o",
    )  # r is 2*(something) + b: with it as the index, o would need a divisibility


def test_loops_stand_in_the_order_of_the_unknowns_whichever_are_kept():
    box = "0 <= i <= 3; 0 <= j <= 3; 0 <= k <= 3; 0 <= l <= 3; i + l == b"

    for order in itertools.permutations("ijkl"):
        solution = solve(order, domain(box), domain("0 <= b <= 6"), numbered_names(), keep="l")
        assert solution is not None
        assert solution.indices == tuple(s for s in order if s != "i")


def test_a_derived_index_is_a_loop_with_one_value():
    halves = Domain.of([*domain("0 <= i <= N-1"), *Derived("q", symbol("i"), 2).conditions])

    solution = solve("iq", halves, domain("N >= 1"), numbered_names())

    assert solution is not None
    assert solution.indices == ("i", "q")
    assert [loop.value for loop in solution.loops] == [None, Bound(symbol("i"), 2)]


def test_inner_loops_may_be_empty():
    """There is an i with 6*i - 1 <= 4*k <= 6*i + 1 for even k only; rationally there always is one."""
    thin = domain("0 <= k <= 9; 4*k <= 6*i + 1; 4*k >= 6*i - 1; 0 <= i <= 9")

    solution = solve("ki", thin, EVERYWHERE, numbered_names())

    expected = [(k, i) for k in range(10) for i in range(10) if 6 * i - 1 <= 4 * k <= 6 * i + 1]
    assert visited(solution, {}) == expected


def test_coefficients_beyond_64_bits_are_exact():
    p, q = 10**30 + 57, 10**29 + 319
    form = p * symbol("i") - q * symbol("j")
    low, high = constant(0), constant(10**31)
    conditions = [*domain("0 <= i; 0 <= j"), *domain(f"{form} == 7*b")]

    solution = solve(
        "ij",
        Domain.of([*conditions, *domain(f"i <= {high}; j >= {low}; j <= {high}")]),
        domain("b == 11"),
        numbered_names(),
    )

    assert solution is not None
    points = visited(solution, {"b": 11})
    assert points
    assert all(p * i - q * j == 77 for i, j in points)
    least = pow(p, -1, q) * 77 % q
    assert [i for i, _ in points] == list(range(least, 10**31, q))[: len(points)]


def test_an_unbounded_unknown_is_the_callers_mistake():
    with pytest.raises(AssertionError, match="i has no upper bound"):
        solve("i", domain("i >= 0"), EVERYWHERE, numbered_names())


def test_a_domain_without_points_has_no_solution():
    assert solve("i", EMPTY, EVERYWHERE, numbered_names()) is None
    assert solve("i", domain("0 <= i <= 9; 2*i == 5"), EVERYWHERE, numbered_names()) is None
    assert solve("i", domain("0 <= i <= b"), domain("b <= -1"), numbered_names()) is None
    assert solve("ij", domain("i + j >= 9; 0 <= i <= 4; j <= 4"), EVERYWHERE, lambda h: h) is None


def test_the_order_of_the_conditions_does_not_matter():
    text = ["0 <= r <= K-1", "0 <= i <= N-K", "i + r == b", "2 | r + c", "i <= c"]
    known = domain("0 <= b <= N-1; K >= 1; N >= 1; 0 <= c <= N")
    solutions = {
        solve("ir", domain(";".join(order)), known, numbered_names())
        for order in itertools.permutations(text)
    }

    assert len(solutions) == 1


@pytest.mark.slow
def test_the_solution_does_not_depend_on_the_order_of_hashing():
    program = (
        "from integer.test_solver import SOLVED, solved\nfor name in SOLVED: print(solved(name))"
    )
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{root}:{root}/tests"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "012"
    }

    assert len(outputs) == 1


def test_fresh_names_are_asked_for_only_where_they_are_used():
    asked: list[str] = []

    def fresh(hint: str) -> str:
        asked.append(hint)
        return f"_{hint}{len(asked)}"

    solve("i", domain("0 <= i <= 9; i == b"), domain("0 <= b <= 9"), fresh)
    assert asked == []
    solution = solve("i", domain("0 <= i <= 9; 2*i == b"), EVERYWHERE, fresh)
    assert asked == ["q"]
    assert solution is not None
    assert solution.quotients == (Derived("_q1", symbol("b"), 2),)


def test_a_dense_system_is_refused():
    rows = [[(i * j * 7 + 3 * i + 5 * j) % 11 - 5 for j in range(10)] for i in range(14)]
    names = "ijklmnbcde"
    dense = [
        f"{' + '.join(f'{c}*{s}' for c, s in zip(row, names, strict=True))} <= 30" for row in rows
    ]
    box = [f"0 <= {s} <= 9" for s in names[:6]]
    known = domain(";".join(f"0 <= {s} <= 9" for s in names[6:]))

    with pytest.raises(TooComplex) as caught:
        solve(names[:6], domain(";".join([*dense, *box])), known, numbered_names())

    assert caught.value.span is None
    assert "too complex" in str(caught.value)


def _visits_every_point_once(system: System) -> None:
    solution = system.solution()
    for at in system.parameter_values():
        points = visited(solution, at)
        assert sorted(points) == system.points(at), (at, shown(solution))


@QUICK
@given(systems())
@example(
    System(
        ("i", "j"),
        domain("0 <= i <= 6; 1 <= j <= 5; i - 2*j == -1"),
        EVERYWHERE,
        {"i": range(7), "j": range(6)},
        {},
    )
)
def test_the_loops_visit_every_point_of_the_domain_exactly_once(system: System):
    _visits_every_point_once(system)


@pytest.mark.slow
@THOROUGH
@given(systems(further=6))
def test_the_loops_visit_every_point_of_many_domains_exactly_once(system: System):
    _visits_every_point_once(system)


@QUICK
@given(systems())
def test_loops_that_are_unknowns_run_in_lexicographic_order(system: System):
    solution = system.solution()
    for at in system.parameter_values():
        places = (
            [system.unknowns.index(z) for z in solution.indices if z in system.unknowns]
            if solution
            else []
        )
        if solution is None or len(places) < len(solution.loops):
            return
        points = [tuple(point[p] for p in places) for point in visited(solution, at)]
        assert points == sorted(points)


@QUICK
@given(systems())
def test_the_solution_as_a_domain_is_solved_by_the_same_loops(system: System):
    """The loops' bounds are conditions again, so that the result of a derivation can be derived."""
    solution = system.solution()
    if solution is None:
        return
    exact = Domain.of(
        c for q in solution.quotients for c in domain(f"{q.modulus}*{q.name} == {q.form}")
    )
    known = system.known & Domain.of(solution.guards) & exact

    again = solve(solution.indices, solution.domain, known, numbered_names())

    for at in system.parameter_values():
        if all(guard.holds(at) for guard in solution.guards):
            at |= {q.name: q.form.at(at) // q.modulus for q in solution.quotients}
            inner = [at]
            for loop in solution.loops:
                inner = [{**e, loop.index: z} for e in inner for z in loop.values_at(e)]
            assert visited(again, at) == [tuple(e[z] for z in solution.indices) for e in inner]


SYMBOLIC = {name: row for name, row in SOLVED.items() if row[3] != ["empty"]}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_isl_agrees_for_all_sizes_that(name: str):
    unknowns, conditions, facts, _ = SYMBOLIC[name]
    known = domain(facts)
    _isl_agrees(System(tuple(unknowns.split()), domain(conditions), known, {}, {}))


@QUICK
@given(systems())
def test_isl_agrees_on_random_systems(system: System):
    _isl_agrees(system)


def _isl_agrees(system: System) -> None:
    parameters = [
        s
        for s in dict.fromkeys((*system.domain.symbols, *system.known.symbols))
        if s not in system.unknowns
    ]
    expected = isl.points(parameters, system.unknowns, system.domain & system.known)
    solution = system.solution()
    if solution is None:
        assert expected.is_empty()
        return
    visits = isl.visits(parameters, solution, system.known)
    assert visits.range().is_equal(expected)
    assert visits.is_injective(), "a point is visited twice"


def test_isl_notices_a_bound_that_is_off_by_one():
    wrong = domain("0 <= r <= 4; 0 <= i <= 3; i + r == b")
    right = domain("0 <= r <= 4; 0 <= i <= 2; i + r == b")
    known = domain("0 <= b <= 6")
    solution = solve("ir", wrong, known, numbered_names())
    assert solution is not None

    visits = isl.visits(["b"], solution, known)

    assert not visits.range().is_equal(isl.points(["b"], "ir", right & known))
