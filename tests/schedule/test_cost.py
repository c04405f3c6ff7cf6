"""Counted operations are those that a machine for loop nests counts when it runs them; derivatives keep their bounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracle import EXAMPLES, SIZES
from programs import normal
from random_programs import random_program

import tadc
from tadc.ir.affine import constant, symbol
from tadc.ir.domain import Domain, at_least_zero, between, divides, equals_zero
from tadc.ir.expr import Call, Comparison, Const, Read, Select
from tadc.ir.range import Bound, Range
from tadc.ir.walk import postorder
from tadc.schedule.nest.cost import INTEGER_POWERS, Points, operations_at, program_cost
from tadc.schedule.nest.loop_nest import Accumulate, Branch, LetIndex, Loop, Store, values_of
from tadc.schedule.nest.lower import kernels
from tadc.schedule.rewrite.program import scheduled


class Machine:
    """Goes through the steps of a kernel one by one, and counts. It computes nothing: there must be no choice by values."""

    def __init__(self, sizes):
        self.values = dict(sizes)
        self.operations = 0

    def kernel(self, kernel):
        for point in np.ndindex(*(n.at(self.values) for n in kernel.extents)):
            self.values |= dict(zip(kernel.indices, point, strict=True))
            self.steps(kernel.body)

    def steps(self, steps):
        for step in steps:
            for value in values_of(step):
                self.value(value)
            match step:
                case Accumulate() | Store(op="sum"):
                    self.operations += 1
                case LetIndex(d):
                    self.values[d.name] = d.form.at(self.values) // d.modulus
                case Loop(r, body):
                    for k in r.values_at(self.values):
                        self.values[r.index] = k
                        self.steps(body)
                case Branch(Domain() as domain, then, otherwise):
                    self.steps(then if domain.holds(self.values) else otherwise)
                case _:
                    pass

    def value(self, e):
        match e:
            case Select(Domain() as domain, then, otherwise):
                self.value(then if domain.holds(self.values) else otherwise)
            case Call("pow", (base, Const(n))) if n in INTEGER_POWERS:
                self.operations += (
                    len(f"{abs(int(n)):b}") - 1 + f"{abs(int(n)):b}".count("1") - 1 if n else 0
                )
                self.operations += n < 0
                self.value(base)
            case Call(function, args):
                self.operations += function != "detached"
                for a in args:
                    self.value(a)
            case _:
                pass


def is_decided(program):
    """Whether no choice depends on values."""
    nodes = (e for s in program.statements for e in postorder(s.body))
    return not any(isinstance(e, Select) and isinstance(e.condition, Comparison) for e in nodes)


def assert_counted(program, sizes):
    program = scheduled(program)
    found = kernels(program, "run")
    cost = program_cost(program, found, sizes, "float64")
    for kernel, counted in zip(found, cost.kernels, strict=True):
        machine = Machine(program.size_values(sizes))
        machine.kernel(kernel)
        assert counted.operations == machine.operations, counted.formula
    assert operations_at(program, found, sizes) == cost.operations
    return cost


@pytest.mark.plain(path=8)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_the_operations_of_an_example_are_those_that_are_done(path):
    f = tadc.load(path)
    sizes = {s: SIZES[path.stem][s] for s in f.program.sizes}
    for program in (f.program, f.adjoint().program):
        if is_decided(program):
            assert_counted(program, sizes)


@pytest.mark.plain(seed=12)
@pytest.mark.parametrize("seed", range(40))
def test_the_operations_of_random_programs_are_those_that_are_done(seed):
    program = random_program(seed, level="full" if seed % 2 else "core")
    try:
        f = tadc.compile(program.text)
        g = f.adjoint().program
    except tadc.Error:
        pytest.skip("there is no program without numbers")
    if (
        is_decided(f.program)
        and is_decided(g)
        and f.program.sizes == tuple(s for s in f.program.sizes if s in program.sizes)
    ):
        sizes = {s: program.sizes[s] for s in f.program.sizes}
        assert_counted(f.program, sizes)
        assert_counted(g, sizes)


i, j, k, N = map(symbol, "ijkN")
SETS = {
    "a triangle": (("i", "j"), [*between(0, i, N - 1), *between(0, j, i)]),
    "a band": (("i", "j"), [*between(0, i, N - 1), *between(0, j, N - 1), *between(-2, i - j, 1)]),
    "a pyramid": (("i", "j", "k"), [*between(0, i, N - 1), *between(0, j, i), *between(j, k, i)]),
    "two parts": (("i", "j", "k"), [*between(0, i, N - 1), *between(0, j, i), *between(0, k, 3)]),
    "a diagonal": (
        ("i", "j"),
        [*between(0, i, N - 1), *between(0, j, N - 1), equals_zero(i - 2 * j)],
    ),
    "remainders": (("i", "j"), [*between(0, i, N - 1), *between(0, j, N - 1), divides(3, i + j)]),
    "quotients": (("i",), [at_least_zero(3 * i - N), at_least_zero(2 * N - 3 * i)]),
    "nothing": (("i",), [*between(0, i, N - 1), at_least_zero(i - 2 * N)]),
    "a condition on sizes": (("i",), [*between(0, i, N - 1), at_least_zero(N - 5)]),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("size", [1, 4, 9])
def test_points_are_counted_as_brute_force_does(name, size, monkeypatch):
    monkeypatch.setattr("tadc.schedule.nest.cost.MOST_AT_ONCE", 7)
    indices, conditions = SETS[name]
    points = Points(indices, (), Domain.of(conditions))
    grid = np.ndindex(*[max(4, 3 * size)] * len(indices))
    expected = sum(
        all(c.holds({"N": size, **dict(zip(indices, p, strict=True))}) for c in conditions)
        for p in grid
    )

    assert points.count({"N": size}) == expected


def test_choices_in_choices_are_counted_without_counting_each_way_through_them():
    value = "x[i]"
    for n in range(60):
        value = f"(if i = {n} then y[i] else 2*{value})"
    f = tadc.compile(f"size N\ninput x[N], y[N]\nz[i] = {value}")

    assert_counted(f.program, {"N": 70})


def test_large_sizes_are_counted_without_going_through_them():
    f = tadc.compile("size N\ninput x[N], w[N]\ny[i: N] = sum{j: N | j <= i} x[i - j]*w[j]")

    assert f.cost(N=10**6).operations == 10**6 * (10**6 + 1)


def test_a_cost_prints_and_has_formulas_and_bytes():
    f = tadc.compile("size N, M\ninput a[N, M], x[M]\ny[i] = sum{j} a[i, j]*x[j]")

    cost = f.cost(N=100, M=50)

    assert (cost.operations, cost.formula) == (10_000, "2*N*M")
    assert (cost.bytes_read, cost.bytes_written) == (8 * (5000 + 50), 800)
    assert "2*N*M" in str(cost) and "10,000" in str(cost)
    assert f.cost(N=100, M=50, mode="vjp").operations == 25_000
    with pytest.raises(tadc.ShapeError, match="size M"):
        f.cost(N=3)
    with pytest.raises(tadc.ArgumentError, match="no size `K`"):
        f.cost(N=3, M=3, K=4)
    with pytest.raises(tadc.ArgumentError, match="no mode"):
        f.cost(N=3, M=3, mode="backward")


def test_without_sizes_costs_and_plans_are_formulas():
    f = tadc.compile(
        "size N, M\ninput a[N, M], x[M]\nh[i] = exp(sum{j} a[i, j]*x[j])\ny[i, j: N] = h[i]*h[j]"
    )
    cost = f.cost()

    assert cost.formula == f.cost(N=3, M=4).formula
    assert [k.formulas[1:3] for k in cost.kernels] == [("8*N*M + 8*M", "8*N"), ("8*N", "8*N*N")]
    assert "2*N*M" in str(cost) and "temporaries: 8*N bytes" in str(cost)
    with pytest.raises(tadc.ShapeError, match=r"(?s)numbers only where sizes.*f\.cost\(N=8\)"):
        _ = cost.operations
    assert f.plan().stored == {"h": "8*N"} and f.plan(N=3, M=4).stored == {"h": 24}
    assert "h is stored (8*N bytes)" in str(f.plan())
    assert "forward" in str(f.cost(mode="vjp")) and "backward" in str(f.plan(mode="vjp"))


def test_the_bytes_of_a_formula_are_those_that_are_counted():
    f = tadc.compile("size N\ninput x[2*N + 1]: float32\ny[i: 3, j: N] = x[2*j + 1]*i")
    formulas = f.cost().kernels[0].formulas
    numbers = f.cost(N=5).kernels[0].numbers

    assert tuple(eval(text, {"N": 5}) for text in formulas) == numbers


def test_costs_and_plans_are_tables_in_a_notebook():
    f = tadc.compile("size N\ninput x[N]\ny[i] = if x[i] < 1 then 2*x[i] else 0")

    for shown in (f.cost(), f.cost(N=3), f.plan(), f.plan(N=3)):
        html = shown._repr_html_()
        assert html.startswith("<table>") and "program_primal_0" in html
        assert html.count("<tr>") == html.count("</tr>") >= 2
    assert "x[i] &lt; 1" in f.plan()._repr_html_()


# ---- the bounds of derivatives (design, section 5.4)

# pixel_shuffle only moves: it has no operations that a ratio could be taken of.
EXEMPT = {"pixel_shuffle"}
COMPARED = {
    "pooling"
}  # a maximum's gradient counts ties: a comparison and a sum for each, besides its own


def ratio(f, sizes, mode):
    return f.cost(mode=mode, **sizes).operations / f.cost(**sizes).operations


@pytest.mark.plain(path=8, factor=1)
@pytest.mark.parametrize(
    "path", [p for p in EXAMPLES if p.stem not in EXEMPT], ids=lambda p: p.name
)
@pytest.mark.parametrize("factor", [1, 3])
def test_value_and_gradients_of_an_example_cost_a_small_multiple_of_the_value(path, factor):
    f = tadc.load(path)
    sizes = {s: factor * SIZES[path.stem][s] for s in f.program.sizes}
    reads = max(
        len({e for e in postorder(s.body) if isinstance(e, Read)}) for s in f.program.statements
    )

    assert ratio(f, sizes, "vjp") <= 2 + 2 * reads + (path.stem in COMPARED)


HVP = {
    "a chain": "size N, M\ninput x[N], w[M, N]\nt[j] = sum{i} w[j, i]*x[i]\nf = sum{j} tanh(t[j])",
    "pairs": "size N\ninput x[N]\nf = sum{i: N, j: N | j < i} exp(-(x[i] - x[j])**2)",
    "a stencil": "size N\ninput x[N]\nf = sum{i: N - 1} sqrt(1 + (x[i + 1] - x[i])**2)",
}


@pytest.mark.parametrize("name", HVP)
@pytest.mark.parametrize("size", [16, 256])
def test_a_product_with_the_hessian_costs_a_bounded_multiple_of_the_value(name, size):
    f = tadc.compile(HVP[name])
    sizes = dict.fromkeys(f.program.sizes, size)

    assert f.hvp(["x"]).cost(**sizes).operations <= 12 * f.cost(**sizes).operations
    assert normal(str(f.hvp(["x"])))


# ---- docs/performance.md

PERFORMANCE = Path(__file__).parents[2] / "docs/performance.md"


def performance():
    """The costs of all examples as a document."""
    lines = [
        "# What derivatives cost",
        "",
        "Operations of the value, and of value and all gradients together as `vjp` and its pullback run them, counted",
        "exactly (`f.cost()`, `tadc show --cost`) for the sizes shown, with everything that is shared stored. Written by",
        "`pytest --update-golden tests/schedule/test_cost.py`; times are in `benchmarks/results/cpu.md`.",
        "",
        "| example | sizes | value | value and gradients | ratio | bytes stored |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for path in EXAMPLES:
        f = tadc.load(path, memory="materialize")
        sizes = {s: 4 * SIZES[path.stem][s] for s in f.program.sizes}
        value, both = f.cost(**sizes), f.cost(mode="vjp", **sizes)
        named = ", ".join(f"{s} = {n}" for s, n in sizes.items())
        times = f"{both.operations / value.operations:.2f}" if value.operations else ""
        lines.append(
            f"| {path.name} | {named} | {value.operations:,} | {both.operations:,} | {times} | {both.temporary_bytes:,} |"
        )
    return "\n".join(lines) + "\n"


@pytest.mark.slow
def test_the_table_of_costs_is_that_of_the_examples(request):
    if request.config.getoption("--update-golden"):
        PERFORMANCE.write_text(performance(), "utf-8")
    assert PERFORMANCE.read_text("utf-8") == performance()


def test_a_loop_may_hide_an_index_around_it():
    box = {"i": N, "j": constant(3)}
    outside = Points(("i", "j"), (), Domain.box(box))
    inside = outside.along(Range("i", (Bound(constant(0)),), (Bound(j),)))

    assert inside.count({"N": 4}) == 4 * (1 + 2 + 3)


def test_steps_that_hide_indices_of_others_are_counted():
    text = (
        "size N, T\ninput m[N]\nstate q[N,3], p[N,3]\nrepeat T {\n"
        " p[i,c] <- p[i,c] + sum{j} m[j]*(q[j,c] - q[i,c])*(1 + sum{e: 3} (q[j,e] - q[i,e])**2)**(-1.5)\n"
        " q[i,c] <- q[i,c] + p[i,c]\n}"
    )
    f, oracle = (
        tadc.compile(text, backend=b, **more)
        for b, more in (("native", {"memory": "recompute"}), ("interpreter", {}))
    )
    rng = np.random.default_rng(0)
    arrays = rng.normal(size=2), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    cotangents = np.ones((2, 3)), np.ones((2, 3))

    found, expected = (g.vjp(*arrays, T=2)[1](cotangents) for g in (f, oracle))

    for name, gradient in expected.items():
        np.testing.assert_allclose(found[name], gradient, rtol=1e-10)
