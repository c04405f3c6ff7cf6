"""Times of the solver on the systems of the tests: `PYTHONPATH=tests python -m integer.benchmark`."""

from __future__ import annotations

import random
from collections.abc import Callable
from time import perf_counter

from integer.systems import domain, numbered_names
from integer.test_points import IMPLIED, POINTS
from integer.test_solver import SOLVED
from tadc.integer import implies, smallest_point, solve
from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import Domain, at_least_zero, between


def milliseconds(run: Callable[[], object], repetitions: int = 20) -> float:
    times = []
    for _ in range(repetitions):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return 1000 * min(times)


def six_unknowns(seed: int) -> tuple[Domain, Domain]:
    """A box of 6 symbolic extents with 6 further inequalities of 3 unknowns and a parameter each."""
    random.seed(seed)
    sizes = {s: symbol(f"N{s}") for s in "abcdef"}
    conditions = [c for s, n in sizes.items() for c in between(0, symbol(s), n - 1)]
    for _ in range(6):
        chosen = {s: random.choice([1, -1, 2, -2]) for s in random.sample("abcdef", 3)}
        form = Affine.of({**chosen, "x": random.choice([-1, 0, 1])}, random.randint(0, 9))
        conditions.append(at_least_zero(form))
    known = [*(at_least_zero(n - 1) for n in sizes.values()), *between(0, symbol("x"), 9)]
    return Domain.of(conditions), Domain.of(known)


def main() -> None:
    for name, (unknowns, conditions, known, _) in SOLVED.items():
        system, facts, order = domain(conditions), domain(known), unknowns.split()
        time = milliseconds(lambda s=system, f=facts, o=order: solve(o, s, f, numbered_names()))
        print(f"{time:8.2f} ms  solve {name}")
    for name, (text, order, _) in POINTS.items():
        system = domain(text)
        time = milliseconds(lambda s=system, o=order: smallest_point(s, o), 2)
        print(f"{time:8.2f} ms  point {name}")
    for known, condition in IMPLIED:
        facts, (wanted,) = domain(known), domain(condition)
        print(
            f"{milliseconds(lambda f=facts, w=wanted: implies(f, w)):8.2f} ms  {known} => {condition}"
        )
    six = []
    for seed in range(40):
        system, facts = six_unknowns(seed)
        six.append(
            milliseconds(lambda s=system, f=facts: solve("abcdef", s, f, numbered_names()), 1)
        )
    print(f"{sorted(six)[20]:8.2f} ms  six unknowns, six inequalities: median")
    print(f"{max(six):8.2f} ms  six unknowns, six inequalities: greatest")


if __name__ == "__main__":
    main()
