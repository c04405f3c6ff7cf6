"""Random state programs against dense linear algebra: all inverse modes, the invariants, and every structure counted."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from dense import check_against_dense, jacobian

import tadc

READS = {
    1: ("x[i]", "x[pad(i-1)]", "x[pad(i+1)]", "x[clamp(i-1)]", "x[wrap(i+1)]", "x[{n}-1-i]", "(sum{{k | k < i}} x[k])", "(sum{{k}} x[k])"),
    2: ("x[i,j]", "x[pad(i-1),j]", "x[i,pad(j+1)]", "x[i,wrap(j-1)]", "(sum{{k}} x[i,k])", "(sum{{k | k > i}} x[k,j])"),
}  # fmt: skip
THROUGH_DATA = {  # in place of the last reads
    1: ("x[p[i]]", "x[clamp(p[i]+1)]", "(sum{{k | p[k] = i}} x[k])", "(sum{{k | p[k] < i}} x[k])"),
    2: ("x[p[i],j]", "x[i,clamp(p[i]-j)]", "(sum{{k | p[k] = i}} x[k,j])", "[p[i] < i]*x[pad(p[i]),j]"),
}  # fmt: skip
CONDITIONS = ("i % 2 = 0", "i >= 1", "i % 3 != 1")
OTHER = {0: "y", 1: "y*w[i]", 2: "y*w[i]"}


def _program(seed, data=False):
    """A program with a state x of rank 1 or 2 and a scalar state y; entries of the diagonal are larger than their rows."""
    draw = random.Random(seed)
    rank, n = draw.choice((1, 1, 2)), draw.randint(3, 6)
    possible = (*READS[rank][:-4], *THROUGH_DATA[rank]) if data else READS[rank]
    own, index = ("x[i]", "i") if rank == 1 else ("x[i,j]", "i, j")
    if draw.random() < 0.3:
        n = 14  # long enough for a band
    lines = [
        f"state x[{n}{', 3' if rank == 2 else ''}], y",
        f"input w[{n}]",
        *[f"input p[{n}]: index"] * data,
    ]
    for _ in range(draw.randint(1, 3)):
        kind = draw.random()
        if kind < 0.12 and rank == 1:
            shift = "p[i]" if data else draw.choice(("wrap(i-1)", f"{n}-1-i"))
            lines.append(f"x[i] <- (2 + w[i])*x[{shift}]")
        elif kind < 0.25:
            lines.append(f"y <- 3*y + sin({'x[0]' if rank == 1 else 'x[1,0]'})")
        else:
            reads = draw.sample(possible, draw.randint(0, 2))
            terms = [f"0.3*{draw.choice(('', 'w[i]*'))}sin({r.format(n=n)})" for r in reads]
            terms += [OTHER[rank]] * (draw.random() < 0.3)
            condition = f" | {draw.choice(CONDITIONS)}" if draw.random() < 0.3 else ""
            lines.append(f"x[{index}{condition}] <- {' + '.join([f'3*{own}', *terms])}")
    if draw.random() < 0.3:
        first = 2 + data
        body = "\n".join(f"  {line}" for line in lines[first:])
        lines = [*lines[:first], "repeat 2 {", body, "}"]
    return "\n".join(lines), (n,) if rank == 1 else (n, 3)


def _checked(seed, data=False):
    text, shape = _program(seed, data)
    f = tadc.compile(text, backend="numpy")
    rng = np.random.default_rng(seed)
    point = {
        "x": rng.uniform(-1, 1, shape),
        "y": rng.uniform(-1, 1),
        "w": rng.uniform(0.2, 0.9, shape[0]),
    }
    if data:
        point["p"] = rng.permutation(shape[0]) if seed % 2 else rng.integers(0, shape[0], shape[0])
    matrix = jacobian(f, point)
    if np.linalg.cond(matrix) > 1e8:
        return []
    return check_against_dense(f, point, seed=seed)


@pytest.mark.parametrize("seed", range(12))
def test_inverse_modes_of_random_programs_are_those_of_the_matrix(seed):
    _checked(seed)


@pytest.mark.plain(seed=4)
@pytest.mark.parametrize("seed", range(100, 160))
def test_inverse_modes_of_random_programs_with_data_are_those_of_the_matrix(seed):
    _checked(seed, data=True)


@pytest.mark.slow
def test_every_structure_occurs_among_the_random_programs():
    kinds = Counter(s.kind for seed in range(12, 72) for s in _checked(seed))

    assert set(kinds) >= {
        "diagonal",
        "bijection",
        "triangular",
        "blocks",
        "banded",
        "cyclic",
        "dense",
    }


def test_a_map_takes_solutions_that_are_not_contiguous():
    f = tadc.compile(
        "size N; state a[N, 3]; a[p, s] <- 3*a[wrap(p + s), 2-s]; a[p, s] <- 3*a[p, s] + a[wrap(p-1), s]/2"
    )
    a = np.random.default_rng(0).uniform(-1, 1, (5, 3))

    assert {s.kind for s in check_against_dense(f, {"a": a})} == {"bijection", "blocks"}


@pytest.mark.parametrize(("around", "factor"), [("step", 1.0), ("repeat 2", 1 / 3)])
@pytest.mark.parametrize("most", [1000, 0])
def test_states_without_elements_are_in_no_step(around, factor, most, monkeypatch):
    monkeypatch.setattr("tadc.inplace.versions.MOST_VERSIONS", most)
    monkeypatch.setenv("TADC_REMEMBER", "0")
    f = tadc.compile(
        f"size N; state x[N], y; {around} {{ x[i] <- 2*x[i] + y; y <- 3*y + sum{{i}} x[i] }}"
    )

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        x, y = mode(np.ones(0), 2.0, np.ones(0), 3.0)
        assert x.shape == (0,)
        np.testing.assert_allclose(y, factor)


BLOCKS = (
    "size P; state a[P], b[P]; step {{ a[p] <- {a}*a[p] + {c}*b[p]; b[p] <- {d}*b[p] - sin(a[p]) }}"
)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.plain(seed=4)
def test_blocks_of_several_tensors_are_solved(seed):
    draw = random.Random(seed)
    text = BLOCKS.format(a=draw.choice((0, 1, 2)), c=draw.choice((1, 2, -1)), d=draw.choice((0, 2)))
    a, b = np.random.default_rng(seed).uniform(0.1, 0.6, (2, 1 + seed % 5))

    (s,) = check_against_dense(tadc.compile(text, backend="numpy"), {"a": a, "b": b})

    assert s.kind in ("blocks", "diagonal") and s.systems in (1, len(a))


# ---- Long loops


def _long(text, most, monkeypatch, **sizes):
    """The program written out, and round by round."""
    short = tadc.compile(text, backend="numpy", sizes=sizes)
    monkeypatch.setattr("tadc.inplace.versions.MOST_VERSIONS", most)
    monkeypatch.setenv("TADC_REMEMBER", "0")
    rolled = tadc.compile(f"{text}\n# again", backend="numpy", sizes=sizes)
    assert type(rolled).__name__ == "RolledFunction"
    return short, rolled


LONG = """size N, T
state x[N], y
input w[N]
repeat i = 1..N-1 { x[i] <- x[i] + w[i]*x[i-1]*x[i] }
repeat t: T {
  x[i | i % 2 = 0] <- 2*x[i] + y*x[pad(i+1)] + t
  step { y <- y + x[0]/9; x[i | i > 1] <- x[i] + y*w[i] }
  repeat down k = 1..2 { y <- y/(k + 1) }
}"""


LEAPFROG = """size N, T
state q[N], p[N]
input h
repeat T {
  p[i] <- p[i] - h/2*sin(q[i])
  q[i] <- q[i] + h*p[i]
  p[i] <- p[i] - h/2*sin(q[i])
}"""


@pytest.mark.parametrize("memory", ["materialize", "recompute", "reverse"])
def test_long_loops_have_the_inverses_of_the_program_written_out(memory, monkeypatch):
    short, rolled = _long(LONG, 4, monkeypatch, N=6, T=3)
    x, w, v = np.random.default_rng(2).standard_normal((3, 6))
    point = (x, np.asarray(0.5), w)

    pairs = [
        (short(*point), rolled(*point)),
        (
            short.inverse_tangent()(*point, v, 0.3),
            rolled.inverse_tangent(memory=memory)(*point, v, 0.3),
        ),
        (short.inverse_adjoint()(*point, v, 0.3), rolled.inverse_adjoint()(*point, v, 0.3)),
        (short.logdet()(*point), rolled.logdet()(*point)),
    ]

    for expected, result in pairs:
        for a, b in zip(_listed(expected), _listed(result), strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-12)


def _listed(result):
    return result if isinstance(result, tuple) else (result,)


def test_long_loops_name_the_round_of_a_singular_step():
    f = tadc.compile("state x; repeat t: 1000 { x <- x*(t - 400) }", backend="numpy")

    with pytest.raises(tadc.SingularError, match="round 400") as caught:
        f.inverse_adjoint()(1e-300, 1.0)

    assert caught.value.iteration == (400,)


@pytest.mark.slow
def test_many_steps_of_leapfrog_keep_the_volume_and_come_back():
    f = tadc.compile(
        LEAPFROG,
        backend="numpy",
    )
    q, p, v, w = np.random.default_rng(0).standard_normal((4, 3))
    point = {"q": q, "p": p, "h": 0.1}
    back = f.inverse_tangent()(**point, dq=v, dp=w, T=300)

    eps = 1e-6
    moved = f(q + eps * back[0], p + eps * back[1], 0.1, T=300)
    opposite = f(q - eps * back[0], p - eps * back[1], 0.1, T=300)
    for a, b, expected in zip(moved, opposite, (v, w), strict=True):
        np.testing.assert_allclose((a - b) / (2 * eps), expected, rtol=1e-3, atol=1e-3)
    assert abs(f.logdet()(**point, T=300)) == 0


@pytest.mark.parametrize("member", ["source", "jacobian", "inverse"])
def test_what_long_loops_do_not_have_is_an_error(member):
    f = tadc.compile("state x; repeat 1000 { x <- 2*x }")

    with pytest.raises(tadc.BackendError, match=f"`{member}` needs .* loops are too long"):
        getattr(f, member)("c")
    with pytest.raises(tadc.BackendError, match="loops are too long"):
        f.adjoint().tangent("x")


# What the segments of long loops hand on to each other: states, definitions of a body around an inner loop, inputs that all read.
HANDED_ON = """size N, T
state x[N], y
input w[N]
t[i: N] = x[i]*w[i]
repeat k: T {
  s[i: N] = sin(x[i]) + k*w[i]
  repeat 2 { y <- y/2 + sum{i} x[i]*w[i]/9 }
  x[i] <- x[i] + y*s[i]/9
  step { y <- y + x[0]/9; x[i | i > 1] <- x[i] + y*w[i]/9 }
}
output x, y, t"""


@pytest.mark.parametrize("memory", ["auto", "recompute"])
@pytest.mark.parametrize("text", [LONG, HANDED_ON])
def test_long_loops_have_the_derivatives_of_the_program_written_out(text, memory, monkeypatch):
    short = tadc.compile(text, backend="numpy", sizes={"N": 4, "T": 3})
    monkeypatch.setattr("tadc.inplace.versions.MOST_VERSIONS", 4)
    monkeypatch.setenv("TADC_REMEMBER", "0")
    rolled = tadc.compile(
        f"{text}\n# {memory}", backend="numpy", sizes={"N": 4, "T": 3}, memory=memory
    )
    rng = np.random.default_rng(2)
    point = {"x": rng.standard_normal(4), "y": 0.5, "w": rng.standard_normal(4)}
    tangents = {"x": rng.standard_normal(4), "w": rng.standard_normal(4)}
    cotangents = tuple(rng.standard_normal(np.shape(y)) for y in short(**point))

    expected, found = (f.jvp(point, tangents) for f in (short, rolled))
    for a, b in zip((*expected[0], *expected[1]), (*found[0], *found[1]), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12)
    (_, gradients), (_, other) = (f.vjp(**point) for f in (short, rolled))
    for name, gradient in gradients(*cotangents).items():
        np.testing.assert_allclose(other(*cotangents)[name], gradient, rtol=1e-12)
    for mode in ("tangent", "adjoint"):
        a, b = (getattr(f, mode)("x") for f in (short, rolled))
        assert (a.inputs, a.outputs) == (b.inputs, b.outputs)


def test_the_gradient_of_long_loops_runs_them_backwards(monkeypatch):
    monkeypatch.setenv("TADC_REMEMBER", "0")
    q, p, v, w = np.random.default_rng(0).standard_normal((4, 3))
    kept, reverse = (
        tadc.compile(LEAPFROG, backend="numpy", sizes={"T": 300, "N": 3}, memory=memory).adjoint()
        for memory in ("materialize", "reverse")
    )

    for a, b in zip(kept(q, p, 0.1, v, w), reverse(q, p, 0.1, v, w), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-8)
    assert 0 < reverse.drift < 1e-12
    squares = tadc.compile("state x; repeat 300 { x <- x**2 }", memory="reverse")
    with pytest.raises(tadc.DerivativeError, match="cannot be run backwards") as caught:
        squares.adjoint()(1.0, 1.0)
    assert caught.value.span


WRONG_CALLS = {
    "a missing cotangent": ((1.0,), {}, tadc.ArgumentError, "`dx_` is missing"),
    "a wrong shape": ((1.0, [1.0]), {}, tadc.ShapeError, "has the shape"),
    "no numbers": ((1.0, "a"), {}, tadc.ArgumentError, "no array of numbers"),
    "an array to write to": ((1.0, 1.0), {"out": 1}, tadc.BackendError, "`out`"),
    "another name": ((1.0, 1.0), {"z": 1}, tadc.ArgumentError, "no input `z`"),
}


@pytest.mark.parametrize("name", WRONG_CALLS)
def test_wrong_calls_of_derivatives_of_long_loops_are_errors(name):
    arrays, named, error, words = WRONG_CALLS[name]
    adjoint = tadc.compile("state x; repeat 1000 { x <- x*0.99 }").adjoint()

    with pytest.raises(error, match=words):
        adjoint(*arrays, **named)
    np.testing.assert_allclose(adjoint(1.0, 1.0), 0.99**1000)


# ---- Memory

PENDULUM = "size T; state q[N], p[N]; input h; size N; repeat T { p[i] <- p[i] - h/2*sin(q[i]); q[i] <- q[i] + h*p[i]; p[i] <- p[i] - h/2*sin(q[i]) }"


def test_a_pendulum_runs_backwards_with_little_drift():
    f = tadc.compile(PENDULUM)
    mode = f.inverse_tangent(memory="reverse")
    start = {"q": [1.0], "p": [0.5], "h": 0.1, "dq": [0.3], "dp": [0.4], "T": 100}

    found = mode(**start)

    for a, b in zip(found, f.inverse_tangent()(**start), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)
    assert 0 < mode.drift < 1e-13


@pytest.mark.slow
def test_memory_grows_with_the_rounds_only_where_values_are_kept():
    f, n = tadc.compile(PENDULUM), 20_000
    ones = np.ones(n)
    vectors = {"dq": ones, "dp": ones}

    def peak(mode, rounds, given=vectors):
        mode(q=ones, p=ones, h=0.1, T=rounds, **given)
        tracemalloc.start()
        mode(q=ones, p=ones, h=0.1, T=rounds, **given)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    def growth(mode, given=vectors):
        return peak(mode, 36, given) / peak(mode, 9, given)

    assert growth(f.inverse_adjoint()) < 1.1
    assert growth(f.logdet(), {}) < 1.1
    assert growth(f.inverse_tangent(memory="reverse")) < 1.1
    assert growth(f.inverse_tangent(memory="recompute")) < 2.5  # the root of the rounds
    assert growth(f.inverse_tangent(memory="materialize")) > 3


IRREVERSIBLE = {
    "state x; x <- x**2": "`x` depends on `x`",
    "state x[4]; x[i | i % 2 = 0] <- x[i]*x[pad(i+2)] + x[i]": "`x` depends on `x`",
    "size N; state x[N]; x[i] <- x[i] + sum{j | j < i} sin(x[j])": "cannot be run backwards",
}


@pytest.mark.parametrize("text", IRREVERSIBLE)
def test_steps_that_cannot_be_run_backwards_are_errors(text):
    f = tadc.compile(text)

    with pytest.raises(tadc.DerivativeError, match=IRREVERSIBLE[text]) as caught:
        f.inverse_tangent(memory="reverse")(np.ones(4), np.ones(4))

    assert caught.value.span and caught.value.fix


AFFINE = {
    "parts, maps and triangles": "state x[6], y; x[i | i % 2 = 0] <- x[i]*exp(x[i+1]) + y; y <- 3*y + sin(x[0]); x[i] <- 2*x[wrap(i-1)]; x[i] <- x[i] + y*sum{j | j < i} x[j]",
    "blocks": "state a[3], b[3]; step { a[i] <- 2*a[i] + b[i]; b[i] <- a[i] - 3*b[i] }; b[i] <- b[i]*exp(a[i])",
    "nothing": "state x[4]; repeat 0 { x[i] <- 2*x[i] }",
}  # fmt: skip


@pytest.mark.parametrize("name", AFFINE)
def test_values_that_are_run_backwards_give_the_same_inverse(name):
    f = tadc.compile(AFFINE[name])
    rng = np.random.default_rng(0)
    tensors = (f.program.tensors[x] for x in (*f.inputs, *f.states))
    arrays = [rng.uniform(0.1, 0.5, [e.constant for e in t.shape]) for t in tensors]
    mode = f.inverse_tangent(memory="reverse")

    found, expected = _listed(mode(*arrays)), _listed(f.inverse_tangent()(*arrays))

    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)
    assert mode.drift < 1e-13


def test_nothing_is_run_backwards_where_there_are_no_elements():
    mode = tadc.compile("size N; state x[N]; x[i] <- 2*x[i]").inverse_tangent(memory="reverse")

    assert mode(np.ones(0), np.ones(0)).shape == (0,)


def test_plans_of_long_loops_list_the_steps_of_a_round():
    f = tadc.compile("size N; state x[N]; repeat 1000 { x[i] <- x[i]/2 + x[pad(i-1)] }")

    (step,) = f.plan(mode="inverse-tangent", N=8).steps

    assert (step.l, step.kind.split(",")[0]) == (8, "triangular")
    assert str(f.fix(N=8).inverse_adjoint().plan()) == str(step)
    with pytest.raises(tadc.ArgumentError, match="no size `M`"):
        f.fix(M=3)
