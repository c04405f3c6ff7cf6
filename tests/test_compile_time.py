"""Programs of unusual length and depth: the work for them is counted, and what is too much is an error."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import tadc
from tadc import compiler, progress
from tadc.errors import Source
from tadc.ir import canonical
from tadc.ir.affine import symbol
from tadc.ir.canonical import canonical_value
from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Const, Expr, Read, Reduce
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.schedule.nest import long_sums
from tadc.schedule.nest.cost import operations_at
from tadc.schedule.nest.loop_nest import steps_of
from tadc.schedule.nest.lower import kernels
from tadc.schedule.nest.memory import MOST_WORK_ASKED_FOR, recomputed
from tadc.schedule.rewrite import common, inline, joined
from tadc.schedule.rewrite.program import recomputing, scheduled


def program(text: str) -> Program:
    return compiler.front(Source(text, "<string>"), "idx", "f", {}).program


def chain(length: int) -> str:
    names = ["x", *(f"t{n}" for n in range(1, length)), "y"]
    letters = "ijkl"
    lines = [
        f"{b}[{letters[n % 4]}] = tanh({a}[{letters[n % 4]}])"
        for n, (a, b) in enumerate(pairwise(names))
    ]
    return "size N\ninput x[N]\n" + "\n".join(lines) + "\noutput y"


def grows_linearly(work: Callable[[int], int], n: int) -> bool:
    """Twice as much of the program is no more than two and a half times the work."""
    return work(2 * n) <= 2.5 * work(n)


def test_a_statement_is_solved_again_only_while_it_changes(monkeypatch):
    solved: list[str] = []
    original = compiler.solved_statement

    def counted(statement, known):
        solved.append(statement.target.name)
        return original(statement, known)

    monkeypatch.setattr(compiler, "solved_statement", counted)
    program("input x[9]\n" + "\n".join(f"t{n}[i] = x[i] + {n}" for n in range(10)))

    assert len(solved) <= 4 * 10


def test_a_chain_of_statements_is_put_together_statement_by_statement(monkeypatch):
    def work(length: int) -> int:
        substituted = 0
        original = inline.substitute

        def counted(root, values):
            nonlocal substituted
            substituted += sum(1 for _ in postorder(root))
            return original(root, values)

        with monkeypatch.context() as patch:
            patch.setattr(inline, "substitute", counted)
            inline.inlined(program(chain(length)))
        return substituted

    assert grows_linearly(work, 20)


def test_what_is_known_around_a_sum_is_what_concerns_it(monkeypatch):
    def work(depth: int) -> int:
        looked_at = 0
        parsed = program(f"input x[9]\ny[i] = {'sum{k: 2} ' * depth}x[i]*k")
        original = Domain.of.__func__

        def counted(cls, conditions):
            nonlocal looked_at
            conditions = tuple(conditions)
            looked_at += len(conditions)
            return original(cls, conditions)

        with monkeypatch.context() as patch:
            patch.setattr(Domain, "of", classmethod(counted))
            compiler.normalized(parsed)
        return looked_at

    assert grows_linearly(work, 25)


def test_what_is_stored_is_looked_for_in_no_more_than_what_is_like_it(monkeypatch):
    """The parts of a long sum are sums too, but none of them is the sum that is stored."""

    def work(terms: int) -> int:
        looked_at = 0
        each = [f"exp(x[i]/{n + 1})" for n in range(terms)]
        total, other = " + ".join(each), " + ".join(reversed(each))
        lines = [f"y[i] = {total}", f"z[i] = 2*({other})", f"u[i] = 2*({total} + 1)"]
        parsed = program("size N\ninput x[N]\n" + "\n".join(lines))
        original = common.canonical_value

        def counted(e, sizes):
            nonlocal looked_at
            looked_at += sum(1 for _ in postorder(e))
            return original(e, sizes)

        with monkeypatch.context() as patch:
            patch.setattr(common, "canonical_value", counted)
            *_, u = common.common(parsed).statements
        assert u.reads == {"y"}
        return looked_at

    assert grows_linearly(work, 20)


@pytest.mark.parametrize("depth", [1, 2, 61, 200])
def test_divisions_inside_each_other_are_few(depth):
    f = tadc.compile(f"input x[9]\ny[i: 9] = x[(i + 3){'//2' * depth}]", backend="numpy")
    x = np.arange(9.0) if depth == 1 else np.arange(1.0, 10)

    (statement,) = f.program.statements
    assert len(statement.derived) <= 1 + depth // 30
    np.testing.assert_array_equal(f(x), x[(np.arange(9) + 3) // 2 ** min(depth, 60)])


def test_a_division_of_a_shifted_quotient_is_one_division():
    f = tadc.compile("input x[9]\ny[i: 99] = x[((i - 50) // 3 + 40) // 9 - 2]", backend="numpy")

    i = np.arange(99)
    np.testing.assert_array_equal(f(np.arange(9.0)), ((i - 50) // 3 + 40) // 9 - 2.0)
    assert "//" in str(f)
    assert str(f).count("//") == 1


def test_a_shared_value_is_named_once():
    """Written out it has 2**60 reads."""
    lines = [f"t{n + 1}[i] = t{n}[i]*t{n}[i]" for n in range(60)]
    text = "input t0[9]\n" + "\n".join(lines) + "\ny = sum{i} t60[i]\noutput y"
    inlined = inline.inlined(program(text))
    nodes: list[Expr] = list(postorder(inlined.statements[-1].body))

    assert len(nodes) <= 100
    assert canonical_value(inlined.statements[-1].body, frozenset()) is not None


def test_a_size_beyond_64_bits_is_an_error_that_names_it():
    sizes = "; ".join(f"size N{n + 1} = N{n}*N{n}" for n in range(27))
    with pytest.raises(tadc.ShapeError, match=r"the size `N6` is") as caught:
        tadc.compile(f"size N0 = 3; {sizes}\ny[i: N27] = i")
    assert "9223372036854775807" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "error", "fact"),
    [
        ("input x[2**64]\ny[i] = x[i]", tadc.Error, "not a size expression"),
        ("input x[9223372036854775808]\ny[i] = x[i]", tadc.ShapeError, "the extent is"),
        ("y[i: 9223372036854775808] = i", tadc.ShapeError, "the extent is"),
        ("y[i: 4] = x[i*" + "*".join(["9" * 90] * 3) + "]", tadc.ShapeError, "100 digits"),
        ("y[K: 5] = x[pad(i, i)]", tadc.SyntaxError, "the value outside is not a constant"),
        ("y[K: 5] = x[pad(K, z)]", tadc.SyntaxError, "the value outside is not a constant"),
        ("y[i: 5] = x[pad(i, x[i])]", tadc.SyntaxError, "the value outside is not a constant"),
        (
            f"y[{', '.join(f'i{n}: 1' for n in range(1000))}] = 1",
            tadc.SyntaxError,
            "`i64` is index 65 here, and there may be 64",
        ),
        (
            f"y = sum{{{', '.join(f'i{n}: 2' for n in range(1000))}}} x[i0]",
            tadc.SyntaxError,
            "there may be 64",
        ),
        (f"y = x[{', '.join('0' for _ in range(1000))}]", tadc.ShapeError, "1000 dimensions"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_what_is_too_large_is_an_error_with_the_limit(text, error, fact):
    with pytest.raises(error) as caught:
        tadc.compile(text)
    assert fact in str(caught.value)


class Terminal(io.StringIO):
    """Standard error that is a terminal, or is not; `written` is set when something arrives."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal
        self.written = threading.Event()

    def isatty(self) -> bool:
        return self.is_terminal

    def flush(self) -> None:
        self.written.set()


def test_a_line_on_a_terminal_says_what_takes_long_and_is_erased(monkeypatch):
    terminal = Terminal(True)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0.001)

    with progress.stage("solving 4 statements", 4) as step:
        step()
        while "tadc: solving 4 statements, 25 % .." not in terminal.getvalue():
            assert terminal.written.wait(60)
            terminal.written.clear()

    assert terminal.getvalue().endswith(progress.ERASE)


def test_nothing_is_said_where_standard_error_is_no_terminal(monkeypatch):
    terminal = Terminal(False)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)

    with progress.stage("solving"):
        assert threading.active_count() == len(threading.enumerate())

    assert terminal.getvalue() == ""


# ---- schedules


def recurrent(steps: int) -> str:
    """A recurrent network whose steps are written one by one."""
    lines = [f"size H = 4\ninput x[{steps}, 3, H], w[H, H], u[H, H]"]
    lines.append("h0[b, i] = tanh(sum{k} x[0, b, k]*w[k, i])")
    for n in range(1, steps):
        sums = f"sum{{k}} x[{n}, b, k]*w[k, i] + sum{{k}} h{n - 1}[b, k]*u[k, i]"
        lines.append(f"h{n}[b, i] = tanh({sums})")
    return "\n".join([*lines, f"l = sum{{b, i}} h{steps - 1}[b, i]**2"])


def test_what_a_chain_of_sums_computes_again_has_a_bound():
    """Each step that is computed in the next one multiplies the work of those before it by `H`."""

    def steps(length: int) -> int:
        gradient = scheduled(program_of_gradient(length))
        again = recomputed(gradient, {}, "float64", "recompute", None)
        run = recomputing(gradient, again)
        work = operations_at(run, kernels(run, "run"), {})
        stored = operations_at(gradient, kernels(gradient, "run"), {})
        assert again
        assert work <= MOST_WORK_ASKED_FOR * stored
        return sum(1 for k in kernels(run, "run") for _ in steps_of(k.body))

    def program_of_gradient(length: int) -> Program:
        return tadc.compile(recurrent(length)).adjoint().program

    assert grows_linearly(steps, 5)


def nested(depth: int) -> Program:
    """Sums inside one another, none of which can be computed outside of another."""
    f = program("size N\ninput x[N]\ny = sum{k} x[k]")
    (statement,) = f.statements
    body: Expr = Const(1)
    for n in range(depth):
        k, box = f"k{n}", Domain.box({f"k{n}": symbol("N")})
        body = Reduce("sum", (k,), (), box, Read("x", (symbol(k),)) * Call("exp", (body,)))
    return replace(f, statements=(replace(statement, body=body),))


def test_terms_of_nested_sums_are_counted_once(monkeypatch):
    def work(depth: int) -> int:
        counted = 0
        run = nested(depth)
        original = long_sums._Ranges.most_trips

        def counting(ranges, r):
            nonlocal counted
            counted += 1
            return original(ranges, r)

        (kernel,) = kernels(run, "run")
        with monkeypatch.context() as patch:
            patch.setattr(long_sums._Ranges, "most_trips", counting)
            long_sums.long_sums_in_blocks(kernel, kernel.body, run)
        return counted

    assert grows_linearly(work, 8)


def test_bound_names_are_replaced_once_however_deep_sums_are(monkeypatch):
    def work(depth: int) -> int:
        nodes = 0
        (statement,) = nested(depth).statements
        original = canonical.with_symbols

        def counting(node, values):
            nonlocal nodes
            nodes += 1
            return original(node, values)

        with monkeypatch.context() as patch:
            patch.setattr(canonical, "with_symbols", counting)
            canonical.canonical(statement.body, ())
        return nodes

    assert grows_linearly(work, 20)


def test_each_of_many_sums_is_compared_by_what_it_computes(monkeypatch):
    def work(terms: int) -> int:
        made = 0
        sums = " + ".join(f"sum{{k}} x[k]*exp(x[k]*x[i]/{n + 2})" for n in range(terms))
        original = joined.canonical

        def counting(e, free):
            nonlocal made
            made += 1
            return original(e, free)

        with monkeypatch.context() as patch:
            patch.setattr(joined, "canonical", counting)
            joined.joined(program(f"size N\ninput x[N]\ny[i] = {sums}"))
        return made

    assert grows_linearly(work, 20)
