"""Maxima that nothing depends on: softmaxes in many spellings, and what only looks like one."""

from __future__ import annotations

import numpy as np
import pytest
from programs import normal, run

from tadc.compiler import adjoint_program, tangent_program
from tadc.derive.reductions import active

HEAD = "size N, M\ninput x[N,M]"
MAXIMUM = "m[i] = max{j} x[i,j]"
STEP = 1e-6

# fmt: off
SHIFTS = {
    "a softmax": f"{HEAD}\n{MAXIMUM}\ne[i,j] = exp(x[i,j] - m[i])\ny[i,j] = e[i,j]/sum{{k}} e[i,k]",
    "along the other index": f"{HEAD}\nm[j] = max{{i}} x[i,j]\ne[i,j] = exp(x[i,j] - m[j])\nz[j] = sum{{i}} e[i,j]\ny[i,j] = e[i,j]/z[j]",
    "of all elements": f"{HEAD}\nm = max{{i, j}} x[i,j]\ny[i,j] = exp(x[i,j] - m)/sum{{k, l}} exp(x[k,l] - m)",
    "under a mask": f"{HEAD}, b[M]\nm[i] = max{{j | j <= i}} x[i,j]\ne[i: N, j: M] = if j <= i then exp(x[i,j] - m[i]) else 0\ny[i] = sum{{j}} e[i,j]*b[j]/sum{{j}} e[i,j]",
    "with a temperature": f"{HEAD}, t[]\n{MAXIMUM}\ne[i,j] = exp((x[i,j] - m[i])/t)\ny[i,j] = e[i,j]/sum{{k}} e[i,k]",
    "with a temperature in the maximum": f"{HEAD}, t[]\nm[i] = max{{j}} t*x[i,j]\ne[i,j] = exp(t*x[i,j] - m[i])\ny[i,j] = e[i,j]/sum{{k}} e[i,k]",
    "a logarithm of a sum": f"{HEAD}\n{MAXIMUM}\ny[i] = m[i] + log(sum{{j}} exp(x[i,j] - m[i]))",
    "a logarithm of a sum of scaled values": f"{HEAD}, t[N]\n{MAXIMUM}\ny[i] = t[i]*m[i] + log(sum{{j}} exp((x[i,j] - m[i])*t[i]))",
    "the logarithm of a softmax": f"{HEAD}\n{MAXIMUM}\nd[i,j] = x[i,j] - m[i]\ny[i,j] = d[i,j] - log(sum{{k}} exp(d[i,k]))",
    "powers": f"{HEAD}\n{MAXIMUM}\ne[i,j] = exp(x[i,j] - m[i])\ny[i] = sqrt(sum{{j}} e[i,j]**2)/(sum{{j}} e[i,j])",
    "a softmin": f"{HEAD}\nm[i] = min{{j}} x[i,j]\ne[i,j] = exp(m[i] - x[i,j])\ny[i,j] = e[i,j]/sum{{k}} e[i,k]",
    "the greatest probability": f"{HEAD}\n{MAXIMUM}\ne[i,j] = exp(x[i,j] - m[i])\ny[i] = max{{j}} e[i,j]/sum{{j}} e[i,j]",
    "a comparison of factors": f"{HEAD}\n{MAXIMUM}\ne[i,j] = exp(x[i,j] - m[i])\nz[i] = sum{{j}} e[i,j]\ny[i,j] = if 2*e[i,j] < z[i] then e[i,j]/z[i] else 0",
}
OTHERS = {
    "the maximum is an output": f"output m, y\n{HEAD}\n{MAXIMUM}\ne[i,j] = exp(x[i,j] - m[i])\ny[i,j] = e[i,j]/sum{{k}} e[i,k]",
    "the exponential is an output": f"{HEAD}\n{MAXIMUM}\ny[i,j] = exp(x[i,j] - m[i])",
    "a number beside the sum": f"{HEAD}\n{MAXIMUM}\ne[i,j] = exp(x[i,j] - m[i])\ny[i,j] = e[i,j]/(1 + sum{{k}} e[i,k])",
    "a sum over the maximum's index": f"{HEAD}\n{MAXIMUM}\ne[i,j] = exp(x[i,j] - m[i])\ny[i,j] = e[i,j]/sum{{k}} e[k,j]",
    "another element of the maximum": f"{HEAD}\n{MAXIMUM}\ny[i,j] = exp(x[i,j] - m[i])/sum{{k}} exp(x[i,k] - m[N-1-i])",
    "another temperature": f"{HEAD}\n{MAXIMUM}\ny[i] = 2*m[i] + log(sum{{j}} exp(x[i,j] - m[i]))",
    "a mean of logarithms": f"{HEAD}\n{MAXIMUM}\ny[i] = 3*m[i] + sum{{j}} (x[i,j] - m[i])",
    "another power": f"{HEAD}\n{MAXIMUM}\ne[i,j] = exp(x[i,j] - m[i])\ny[i] = sum{{j}} e[i,j]**2/(sum{{j}} e[i,j])",
    "a comparison with a number": f"{HEAD}\n{MAXIMUM}\ne[i,j] = exp(x[i,j] - m[i])\ny[i,j] = if e[i,j] < 0.5 then e[i,j]/sum{{k}} e[i,k] else 0",
    "a product": f"{HEAD}\n{MAXIMUM}\ne[i,j] = exp(x[i,j] - m[i])\ny[i] = (prod{{j}} e[i,j])/sum{{j}} e[i,j]",
    "elements that meet on a diagonal": "size N\ninput x[N,N]\nm[i] = max{j} x[i,j]\nd[i,j] = x[i,j] - m[i] - m[j]\ny[i] = d[i,i] + m[i]",
    "a number in one branch": f"{HEAD}\n{MAXIMUM}\nd[i,j] = if x[i,j] < 0 then 0 else x[i,j] - m[i]\ny[i,j] = d[i,j] + m[i]",
}
# fmt: on


def directional(text):
    """The derivative along random directions: by the tangent, by the adjoint, and by differences."""
    random = np.random.default_rng(5)
    program = normal(text)
    sizes = {"N": 3, "M": 4}
    shapes = [tuple(n.at(sizes) for n in t.shape) for t in program.inputs]
    names = [t.name for t in program.inputs]
    arrays = {x: random.uniform(0.5, 2, s) for x, s in zip(names, shapes, strict=True)}
    along = {x: random.uniform(-1, 1, s) for x, s in zip(names, shapes, strict=True)}
    values = run(program, arrays, {})
    weights = {f: random.uniform(0.5, 1, y.shape) for f, y in values.items()}

    tangent, adjoint = tangent_program(program, names), adjoint_program(program, names)

    def given(derived, further):
        return dict(zip([t.name for t in derived.inputs[len(names) :]], further, strict=True))

    changes = run(tangent, {**arrays, **given(tangent, along.values())}, {}).values()
    gradients = run(adjoint, {**arrays, **given(adjoint, weights.values())}, {}).values()
    ends = [run(program, {x: arrays[x] + s * STEP * along[x] for x in names}, {}) for s in (1, -1)]
    numeric = [(a - b) / (2 * STEP) for a, b in zip(*(e.values() for e in ends), strict=True)]
    return (
        sum(np.sum(w * c) for w, c in zip(weights.values(), changes, strict=True)),
        sum(np.sum(g * a) for g, a in zip(gradients, along.values(), strict=True)),
        sum(np.sum(w * n) for w, n in zip(weights.values(), numeric, strict=True)),
    )


@pytest.mark.parametrize("text", SHIFTS.values(), ids=SHIFTS)
def test_a_maximum_that_nothing_depends_on_has_no_derivative(text):
    program = normal(text)
    names = [t.name for t in program.inputs]
    assert "m" not in active(program, names)
    statements = [*adjoint_program(program, names).statements, *tangent_program(program, names).statements]  # fmt: skip
    assert not [s for s in statements if s.target.name in ("dm", "m_ties")]


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_a_maximum_that_something_depends_on_has_one(text):
    program = normal(text)
    assert "m" in active(program, [t.name for t in program.inputs])


@pytest.mark.parametrize("text", [*SHIFTS.values(), *OTHERS.values()], ids=[*SHIFTS, *OTHERS])
def test_the_derivative_is_right_with_it_and_without(text):
    forward, backward, numeric = directional(text)
    assert forward == pytest.approx(backward, rel=1e-10)
    assert forward == pytest.approx(numeric, rel=1e-6, abs=1e-8)


def test_the_second_derivative_has_none_either():
    program = normal(SHIFTS["a softmax"])
    adjoint = adjoint_program(program, ["x"])
    assert "m" not in active(adjoint, ["x"])


def test_an_index_that_data_determine_is_none_of_another_statement():
    """`m` is read where data say, by names that another statement has for something else."""
    program = normal(
        "size N, M, E\ninput x[N,M]; input at[E]: index\nm[i] = max{j} x[i,j]\n"
        "e[p: E, j: M] = exp(x[at[p],j] - m[at[p]])\ny[p,j] = e[p,j]/sum{k} e[p,k]"
    )
    forward = tangent_program(program, ["x"])
    x, dx = np.random.default_rng(3).uniform(size=(2, 3, 4))
    given = {"x": x, "at": np.array([2, 0, 2])}
    (found,) = run(forward, {**given, forward.inputs[-1].name: dx}, {}).values()
    ends = [run(program, {**given, "x": x + s * STEP * dx}, {})["y"] for s in (1, -1)]
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / (2 * STEP), rtol=1e-6, atol=1e-8)
