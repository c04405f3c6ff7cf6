"""The finest lumps, against all closed sets of random graphs."""

from __future__ import annotations

import itertools
import random

import pytest

import tadc
from tadc.inverse.lumps import Narrow, lumps


def found(text, wrt=None, of=None):
    f = tadc.compile(text)
    p = f.program
    elements = {n: max(1, t.bytes_at({}, "float64") // 8) for n, t in p.tensors.items()}
    return lumps(p, wrt or f.inputs, of or f.outputs, elements)


def test_the_order_of_the_statements_does_not_change_the_lumps():
    result = found("a = sin(x); c = cos(y); z = x + a; w = y*c; output z, w; input x, y")

    assert {lump.statements for lump in result} == {("a", "z"), ("c", "w")}


def test_a_butterfly_is_one_lump():
    (lump,) = found("s = x + y; d = x - y")

    assert lump.before == ("x", "y") and lump.after == ("s", "d")


def test_the_program_of_the_paper_has_two_lumps():
    first, second = found("input x1, x2, x3; z1 = x1*x2; z2 = z1 + x3**2; output z1, x2, z2")

    assert (first.before, first.after, first.kept) == (("x1",), ("z1",), ("x2",))
    assert (second.before, second.after, second.kept) == (("x3",), ("z2",), ("z1",))


def test_a_cut_that_is_too_narrow_is_found():
    assert found("p = x + y; u = p; w = 2*p; output u, w") == Narrow("p", 1)


def _graph(seed):
    """A random program text with its names: as many scalar outputs as inputs."""
    draw = random.Random(seed)
    inputs = [f"x{k}" for k in range(draw.randint(2, 3))]
    names, lines = list(inputs), [f"input {', '.join(inputs)}"]
    for k in range(draw.randint(2, 5)):
        read = draw.sample(names, min(len(names), draw.randint(1, 2)))
        names.append(f"v{k}")
        lines.append(f"v{k} = {' + '.join(f'sin({r})' for r in read)}")
    outputs = draw.sample(names, len(inputs))
    return "\n".join([*lines, f"output {', '.join(outputs)}"]), inputs, outputs


def _by_enumeration(program, wrt, of):
    """The least width, and the finest partition by closed sets of that width."""
    from tadc.inverse.lumps import active_values

    active = active_values(program, wrt, of)
    reads = {s.target.name: s.reads & set(active) for s in program.statements}
    inner = [v for v in active if v not in wrt]
    sets = []
    for chosen in itertools.product((0, 1), repeat=len(inner)):
        inside = {*wrt, *(v for v, c in zip(inner, chosen, strict=True) if c)}
        if all(reads[v] <= inside for v in inside if v in reads):
            live = [
                v for v in inside if v in of or any(v in reads[u] for u in inner if u not in inside)
            ]
            sets.append((len(live), frozenset(inside)))
    least = min(width for width, _ in sets)
    narrow = [s for width, s in sets if width == least]
    kinds = {v: frozenset(k for k, s in enumerate(narrow) if v in s) for v in inner}
    partition = {frozenset(v for v in inner if kinds[v] == kind) for kind in kinds.values()}
    return least, partition


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.plain(seed=40)
def test_lumps_are_those_of_all_closed_sets(seed):
    text, wrt, of = _graph(seed)
    program = tadc.compile(text).program
    elements = dict.fromkeys(program.tensors, 1)
    least, partition = _by_enumeration(program, wrt, of)

    result = lumps(program, wrt, of, elements)

    if isinstance(result, Narrow):
        assert least == result.width < len(wrt)
    else:
        assert least == len(wrt)
        assert {frozenset(lump.statements) for lump in result} == partition
        assert all(len(lump.before) == len(lump.after) for lump in result)


def _reordered(text, seed):
    """The same statements in another order in which each follows what it reads."""
    first, *lines, last = text.splitlines()
    draw, left, known, order = random.Random(seed), dict(line.split(" = ") for line in lines), set(first.removeprefix("input ").split(", ")), []  # fmt: skip
    while left:
        ready = [v for v, body in left.items() if {r[4:-1] for r in body.split(" + ")} <= known]
        chosen = draw.choice(ready)
        order.append(f"{chosen} = {left.pop(chosen)}")
        known.add(chosen)
    return "\n".join([first, *order, last])


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.plain(seed=20)
def test_lumps_do_not_depend_on_the_order_of_independent_statements(seed):
    text, wrt, of = _graph(seed)

    those = []
    for each in (text, _reordered(text, seed)):
        program = tadc.compile(each).program
        result = lumps(program, wrt, of, dict.fromkeys(program.tensors, 1))
        those.append(result.width if isinstance(result, Narrow) else {frozenset(p.statements) for p in result})  # fmt: skip

    assert those[0] == those[1]
