"""`f.prove()` proves what is right, and finds what is not: mistakes planted in the solver, in programs and in loop nests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tadc
from tadc.ir.affine import symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Read, Reduce, Select
from tadc.ir.range import Bound
from tadc.ir.walk import rewrite
from tadc.normalize import solved
from tadc.prove import proofs, prove
from tadc.schedule.nest.loop_nest import Loop
from tadc.schedule.nest.lower import kernels
from tadc.schedule.rewrite.program import scheduled

EXAMPLES = sorted(Path(__file__).parents[2].joinpath("examples").glob("*.idx"))

PROGRAMS = {
    "shifts": "y[i] = sum{r} x[i + r]*w[r]",
    "a stride": "y[i] = x[2*i + 1]",
    "a stride and shifts": "y[i] = sum{r} x[3*i + 2*r]*w[r]",
    "a diagonal": "size N\ninput a[N, N]\ny[i] = a[i, i]*b[i]",
    "nobody reads the end": "size N\ninput x[N + 3]\ny[i: N] = x[i]**2",
    "reads that overlap": "size N\ny[i: N//2] = x[i] + x[2*i]",
    "a border": "size N\ny[i: N] = sum{r: 3} x[pad(i + r - 1)]*w[r]",
    "a clamped border": "size N\ny[i: N] = sum{r: 3} x[clamp(i + r - 1)]*w[r]",
    "halves": "size N\ny[i: N] = x[i//2]",
    "a triangle": "y[i] = sum{j | j <= i} a[i, j]*x[j]",
    "a count": "size I, J\ny = sum{i: I, j: J} x[i + j]",
    "a choice": "y[i] = if i < 3 then x[i] else x[i]*w[i]",
    "two statements": "t[i] = exp(x[i]); y[i] = sum{j} t[i]*t[j]*c[i, j]",
    "a product": "y = prod{i} x[i]",
    "a maximum": "y[i] = max{r} x[2*i + r]*w[r]",
    "a running sum": "size N\ny[i: N] = sum{j=0..i} x[j]",
    "an output that others read": "output t, y\nt[i] = x[i]**2\ny[i] = t[i]*t[0]",
    "turned": "size N\ny[i: N] = x[N - 1 - i]",
    "remainders": "size N\ny[i: N] = x[i % 3]*w[i//3]",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_proved_for_all_sizes(name):
    report = tadc.compile(PROGRAMS[name]).prove()

    assert report, f"\n{report}"
    assert any("each once" in p.fact for p in report.proofs)
    assert str(report).startswith("for all sizes")


def test_second_derivatives_are_proved():
    gradient = tadc.compile("y = sum{i, r} tanh(x[i + r]*w[r])").gradient()

    assert gradient.prove()


def test_a_size_that_is_a_coefficient_is_proved_for_its_number():
    f = tadc.compile("size M\ny[i, j: M] = x[M*i + j]")

    with pytest.raises(tadc.Error):
        f.prove()
    report = f.prove(M=4)
    assert report
    assert "M = 4" in str(report)


def off_by_one(solution):
    """The first loop that has a low begins one later."""
    first, *rest = solution.loops
    lows = tuple(Bound(b.form + b.divisor, b.divisor) for b in first.lows)
    return replace(solution, loops=(replace(first, lows=lows), *rest))


def too_long(solution):
    *rest, last = solution.loops
    highs = tuple(Bound(b.form + b.divisor, b.divisor) for b in last.highs)
    return replace(solution, loops=(*rest, replace(last, highs=highs)))


def without_guard(solution):
    return replace(solution, guards=solution.guards[1:])


def of_another_stride(solution):
    """The first unknown that moves with a loop moves twice as fast."""
    indices = {loop.index for loop in solution.loops}
    values = list(solution.values)
    for k, value in enumerate(values):
        moving = next((s for s in value.symbols if s in indices), None)
        if moving is not None:
            values[k] = value + symbol(moving)
            break
    return replace(solution, values=tuple(values))


MISTAKES = {
    "a bound off by one": (off_by_one, lambda s: bool(s.loops)),
    "a bound too far": (too_long, lambda s: bool(s.loops)),
    "a lost guard": (without_guard, lambda s: bool(s.guards)),
    "a wrong stride": (of_another_stride, lambda s: bool(s.loops)),
}


MOST_WRONG = 20  # solutions: statements that are solved again and again would never settle


def proved_with(monkeypatch, text, mistake, applies):
    """The report of a program whose solutions are wrong; None if no solution is, or if the program is what it was."""
    wrong = []
    right = solved.solve

    def solve(*arguments, **named):
        solution = right(*arguments, **named)
        if solution is None or not applies(solution) or len(wrong) == MOST_WRONG:
            return solution
        wrong.append(mistake(solution))
        return wrong[-1]

    adjoint = str(tadc.compile(text).adjoint())
    f = tadc.compile(text)
    monkeypatch.setattr(solved, "solve", solve)
    report = f.prove()
    return report if wrong and str(f.adjoint()) != adjoint else None


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        ("shifts", "a bound off by one"),
        ("a border", "a bound off by one"),
        ("a triangle", "a bound too far"),
        ("a stride and shifts", "a bound too far"),
        ("nobody reads the end", "a lost guard"),
        ("a stride", "a lost guard"),
        ("shifts", "a wrong stride"),
        ("a stride and shifts", "a wrong stride"),
    ],
)
def test_a_mistake_of_the_solver_is_found(monkeypatch, name, mistake):
    report = proved_with(monkeypatch, PROGRAMS[name], *MISTAKES[mistake])

    assert report is not None, "there is nothing to get wrong"
    assert not report


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_is_proved_and_mistakes_in_it_are_found(monkeypatch, path):
    text = path.read_text("utf-8")
    report = tadc.compile(text).prove()
    assert report, f"\n{report}"
    for mistake, applies in MISTAKES.values():
        with monkeypatch.context() as patch:
            assert not proved_with(patch, text, mistake, applies)


def proved(program, adjoint, wrt):
    return all(p.holds for p in prove(program, (), adjoint, wrt))


def test_mistakes_in_the_adjoint_itself_are_found():
    f = tadc.compile("y[i] = sum{r} x[2*i + r]*w[r]")
    right = f.adjoint().program

    def shorter(e):
        if not isinstance(e, Reduce):
            return e
        *rest, last = e.domain.conditions
        return Reduce(
            e.op,
            e.indices,
            e.derived,
            Domain.of((*rest, replace(last, form=last.form - 1))),
            e.body,
        )

    def unguarded(e):
        return e.then if isinstance(e, Select) else e

    def elsewhere(e):
        if not isinstance(e, Read) or e.tensor != "dy":
            return e
        return Read(e.tensor, tuple(s + 1 for s in e.subscripts))

    assert proved(f.program, right, f.inputs)
    for rule in (shorter, elsewhere):
        wrong = [replace(s, body=rewrite(s.body, rule)) for s in right.statements]
        assert not proved(f.program, replace(right, statements=tuple(wrong)), f.inputs), rule
    g = tadc.compile("size N\ninput x[N + 3]\ny[i: N] = x[i]**2")
    right = g.adjoint().program
    wrong = [replace(s, body=rewrite(s.body, unguarded)) for s in right.statements]
    assert not proved(g.program, replace(right, statements=tuple(wrong)), g.inputs)


@pytest.mark.parametrize(
    "change",
    [
        lambda r: replace(r, lows=tuple(Bound(e + c, c) for e, c in r.lows)),
        lambda r: replace(r, highs=tuple(Bound(e - c, c) for e, c in r.highs)),
        lambda r: replace(r, highs=tuple(Bound(e + c, c) for e, c in r.highs)),
    ],
    ids=["begins late", "ends early", "ends late"],
)
def test_loops_that_do_not_visit_what_the_sums_say_are_found(monkeypatch, change):
    def wrong(program, mode):
        for kernel in kernels(program, mode):
            body = tuple(
                replace(s, range=change(s.range)) if isinstance(s, Loop) else s for s in kernel.body
            )
            yield replace(kernel, body=body)

    f = tadc.compile("y[i] = sum{j} a[i, j]*x[j]")
    assert proved(f.program, None, ())
    monkeypatch.setattr(proofs, "kernels", wrong)
    assert not proved(f.program, None, ())


def test_a_kernel_that_leaves_elements_out_is_found(monkeypatch):
    def short(program, mode):
        for kernel in kernels(program, mode):
            yield replace(kernel, extents=tuple(n - 1 for n in kernel.extents))

    f = tadc.compile("y[i] = x[i]**2")
    monkeypatch.setattr(proofs, "kernels", short)
    (wrong,) = (p for p in prove(f.program, (), None, ()) if "stored" in p.fact)
    assert not wrong.holds
    assert "y[0] = " in wrong.counterexample


def test_the_nests_are_those_that_run():
    f = tadc.compile("y[i] = sum{j} a[i, j]*x[j]")

    assert [k.writes for k in kernels(scheduled(f.program), "primal")] == [("y",)]


def test_a_read_that_leaves_its_tensor_is_found_with_a_point():
    f = tadc.compile("y[i] = sum{r} x[i + r]*w[r]")
    wrong = [
        replace(
            s,
            body=rewrite(
                s.body,
                lambda e: (
                    Read("x", (e.subscripts[0] + 1,))
                    if isinstance(e, Read) and e.tensor == "x"
                    else e
                ),
            ),
        )
        for s in f.program.statements
    ]
    found = [
        p for p in prove(replace(f.program, statements=tuple(wrong)), (), None, ()) if not p.holds
    ]

    assert "x[i + r + 1] leaves its tensor, x[0] = " in found[0].counterexample
