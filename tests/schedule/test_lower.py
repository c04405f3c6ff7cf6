"""Loop nests: what is named once, what is evaluated only in a branch, and names that differ."""

from __future__ import annotations

import pytest
from programs import normal
from random_programs import random_program

import tadc
from tadc.compiler import adjoint_program
from tadc.ir.expr import Call, Read
from tadc.ir.walk import postorder
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Let,
    LetIndex,
    Loop,
    Store,
)
from tadc.schedule.nest.lower import kernels
from tadc.schedule.rewrite.program import recomputing, scheduled


def lowered(text):
    (kernel,) = kernels(normal(text), "primal")
    return kernel


def walked(steps, depth=0):
    """Every step with the number of loops around it."""
    for step in steps:
        yield step, depth
        match step:
            case Loop(_, body):
                yield from walked(body, depth + 1)
            case Branch(_, then, otherwise):
                yield from walked((*then, *otherwise), depth)
            case _:
                pass


def calls(kernel, function):
    """How often the text has a call of the function."""
    found = 0
    for step, _ in walked(kernel.body):
        match step:
            case (
                Let(_, e) | Accumulator(_, e) | Accumulate(_, _, e) | Assign(_, e) | Store(_, _, e)
            ):
                found += sum(isinstance(n, Call) and n.function == function for n in postorder(e))
            case _:
                pass
    return found


def test_a_call_that_is_used_twice_is_named_once():
    kernel = lowered("size N\ninput x[N]\nf[i] = exp(x[i]) + exp(x[i])**2")

    assert [s.local for s, _ in walked(kernel.body) if isinstance(s, Let)] == ["exp_"]
    assert calls(kernel, "exp") == 1


def test_what_both_branches_need_is_computed_before_them():
    text = "size N\ninput x[N]\nf[i] = if x[i] > 1 then sin(exp(x[i]))*exp(x[i]) else exp(x[i])"

    assert calls(lowered(text), "exp") == 1


def test_a_choice_inside_what_both_branches_need_is_made_once():
    text = "input x[6]\nf[i] = log1p(exp(if x[i] > 1 then atan(x[i]) else sin(x[i])))"
    adjoint = adjoint_program(normal(text), ["x"])
    second = adjoint_program(adjoint, ["x", "df"])

    (kernel,) = kernels(second, "primal")

    values = [s.value for s, _ in walked(kernel.body) if isinstance(s, Assign)]
    assert sum(str(v).count("atan") for v in values) == 1


def test_a_branch_that_is_not_taken_has_no_loop_outside_it():
    text = "size N\ninput x[N]\nf[i] = if x[i] > 1 then sum{k | k <= i} log(x[k]) else 0"
    kernel = lowered(text)

    assert not any(isinstance(step, Loop) for step in kernel.body)
    (branch,) = (step for step in kernel.body if isinstance(step, Branch))
    assert any(isinstance(step, Loop) for step in branch.then)


def test_a_call_that_hangs_on_no_loop_stands_outside_when_it_is_shared():
    text = "input x[3], y[2, 3, 3]\nf[i: 2] = exp(x[i])*sum{j, k} y[i, j, k]*exp(x[i])"
    kernel = lowered(text)

    assert [d for s, d in walked(kernel.body) if isinstance(s, Let)] == [0]


def test_sums_of_sums_share_an_accumulator():
    kernel = lowered("size N\ninput x[N, N]\nf = sum{i} sum{j | j <= i} x[i, j]")

    assert sum(isinstance(s, Accumulator) for s, _ in walked(kernel.body)) == 1


def test_a_scalar_has_no_box():
    kernel = lowered("input x[3]\nf = sum{i} x[i]")

    assert kernel.indices == kernel.extents == ()


@pytest.mark.parametrize("seed", range(25))
def test_locals_and_loop_indices_differ_from_all_around_them(seed):
    program = normal(random_program(seed).text)
    derived = adjoint_program(program, [t.name for t in program.inputs])
    for kernel in (*kernels(program, "primal"), *kernels(derived, "adjoint")):
        sizes = {*derived.sizes, *(d.name for d in derived.derived_sizes)}
        around = {*kernel.reads, *kernel.writes, *sizes, *kernel.indices}
        assert kernel.locals.isdisjoint(around)
        check_scopes(kernel.body, around)


def test_sums_with_one_loop_have_it_outside_of_loops_that_need_one_of_them():
    # A sum over `d` needs the divisor, a sum over `e` that has one loop with other sums over `d`.
    attention = tadc.compile(
        "size N, D\ninput q[N,D], k[N,D], v[N,D]\n"
        "z[i: N,e] = sum{j=0..i} sigmoid(k[j,e])\n"
        "s[i: N,e,d] = sum{j=0..i} sigmoid(k[j,e])*v[j,d]\n"
        "o[i,d] = (sum{e} sigmoid(q[i,e])*s[i,e,d])/(sum{e} sigmoid(q[i,e])*z[i,e])"
    )
    program = scheduled(attention.adjoint().program, frozenset())
    computed_again = frozenset(["o_sum", "do_sum", "do_sum_1"])
    assert computed_again <= program.tensors.keys()

    program = recomputing(program, computed_again)

    for kernel in kernels(program, "adjoint"):
        check_scopes(kernel.body, {*kernel.reads, *kernel.writes, *program.sizes, *kernel.indices})


def check_scopes(steps, around):
    """Every name is new where it is bound, and every local is known where it is read."""
    names = set(around)
    for step in steps:
        match step:
            case Let(local, e) | Accumulator(local, e):
                known(e, names)
                bind(local, names)
            case LetIndex(d):
                assert names.issuperset(d.form.symbols)
                bind(d.name, names)
            case Accumulate(local, _, e) | Assign(local, e):
                known(e, names)
                assert local in names
            case Store(_, _, e):
                known(e, names)
            case Loop(r, body):
                assert names.issuperset(r.symbols)
                inner = set(names)
                bind(r.index, inner)
                check_scopes(body, inner)
            case Branch(_, then, otherwise):
                check_scopes(then, names)
                check_scopes(otherwise, names)


def bind(name, names):
    assert name not in names
    names.add(name)


def known(e, names):
    assert names.issuperset(e.symbols)
    assert names.issuperset(n.tensor for n in postorder(e) if isinstance(n, Read))


def test_a_sum_with_another_one_of_the_same_range_inside_has_a_loop_of_its_own():
    # One loop for both would need the value of the inner sum before it has begun.
    program = scheduled(
        normal(
            "input x[4,3], y[4,3]\n"
            "s[i] = sum{d} x[i,d]*y[i,d]\n"
            "u[i] = sum{d} exp(s[i]*x[i,d])\n"
            "v[i] = sum{d} exp(s[i])*y[i,d] + s[i]"
        ),
        frozenset("s"),
    )

    assert {"u", "v"} <= {t for k in kernels(program, "primal") for t in k.writes}


@pytest.mark.parametrize(
    ("other", "count"), [("a[i,j]*y[j]", 1), ("a[j,i]*y[j]", 2), ("b[i,j]*x[j]", 1), ("b[j,i]", 2)]
)
def test_sums_share_a_kernel_where_they_read_an_element_together(other, count):
    program = normal(
        "size N\ninput a[N,N], b[N,N], x[N], y[N]\noutput f, g\n"
        f"f[i: N] = sum{{j}} a[i,j]*x[j]*b[i,j]\ng[i: N] = sum{{j: N}} {other}"
    )

    assert len(kernels(program, "primal")) == count


def test_products_in_a_sum_are_added_one_by_one():
    kernel = lowered("c[i, j] = sum{k} (a[i, k]*b[k, j] + d[i, k]*e[k, j])")
    added = [s.value for s, _ in walked(kernel.body) if isinstance(s, Accumulate)]

    assert [e.function for e in added] == ["mul", "mul"]
