r"""Programs that work in place, in LaTeX: the same as in .idx text, and what is wrong in them."""

from __future__ import annotations

import re

import pytest

import tadc

PROGRAMS = {
    "rounds": (
        r"""
%!tadc state u[N]
%!tadc input r[]
%!tadc repeat t: 3 {
\[ u_i \gets u_i + r u_i^2 + t \]
%!tadc }
""",
        "state u[N]; input r; repeat t: 3 { u[i] <- u[i] + r*u[i]**2 + t }",
    ),
    "a step of scalars": (
        r"""
%!tadc state q, p
%!tadc input h[]
%!tadc step {
\begin{align}
q &\leftarrow q + h p \\
p &\leftarrow p - h \sin q
\end{align}
%!tadc }
""",
        "state q, p; input h; step { q <- q + h*p; p <- p - h*sin(q) }",
    ),
    "definitions between updates": (
        r"""
%!tadc state u[N]
%!tadc repeat down k = 0..1 {
We take \[ v_i = 2 u_i \] and then
\begin{align} u_i &\gets u_i v_i \\ u_i &\gets u_i + v_i \end{align}
%!tadc }
\[ y = \sum_i u_i \]
""",
        "state u[N]; repeat down k = 0..1 { v[i] = 2*u[i]; u[i] <- u[i]*v[i]; u[i] <- u[i] + v[i] }; y = sum{i} u[i]",
    ),
    "steps in time below names": (
        r"""
%!tadc state x[N]
%!tadc input g[N], h[]
%!tadc repeat t: 3 {
\[ x_{t+1,i} = x_{t,i} - h g_i t \]
%!tadc }
""",
        "state x[N]; input g[N], h[]; repeat t: 3 { x[i] <- x[i] - h*g[i]*t }",
    ),
    "steps in time above names, the new value read by the second": (
        r"""
%!tadc state x[N], v[N]
%!tadc input h[]
\begin{align}
v_i^{(t+1)} &= v_i^{(t)} - h x_i^{(t)} \\
x_i^{(t+1)} &= x_i^{(t)} + h v_i^{(t+1)}
\end{align}
""",
        "state x[N], v[N]; input h[]; v[i] <- v[i] - h*x[i]; x[i] <- x[i] + h*v[i]",
    ),
    "steps in time that all read the old values": (
        r"""
%!tadc state x[N], v[N]
%!tadc input h[]
%!tadc step {
\begin{align}
v^{t+1}_i &= v^t_i - h x^t_i \\
x^{t+1}_i &= x^t_i + h v^t_i
\end{align}
%!tadc }
""",
        "state x[N], v[N]; input h[]; step { v[i] <- v[i] - h*x[i]; x[i] <- x[i] + h*v[i] }",
    ),
    "one-based": (
        r"""
%!tadc base 1
%!tadc state u[N]
\[ u_i \gets u_i + u_1 \]
""",
        "base 1; state u[N]; u[i] <- u[i] + u[1]",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_state_in_latex_is_that_of_the_other_spelling(name):
    tex, idx = PROGRAMS[name]
    read = tadc.compile(tex, lang="tex", sizes={"N": 3} if "[N]" in tex else {})
    expected = tadc.compile(f"size N; {idx}", sizes={"N": 3})

    arrays = {n: [0.5, 1.5, 2.5] if read.rank(n) else 0.25 for n in read.inputs}

    assert tuple(read.states) == tuple(expected.states)
    assert [list(map(float, r.ravel())) for r in _all(read(**arrays))] == [
        list(map(float, r.ravel())) for r in _all(expected(**arrays))
    ]


def _all(result):
    return result if isinstance(result, tuple) else (result,)


def test_what_was_read_as_an_update_is_shown():
    f = tadc.compile(PROGRAMS["rounds"][0], lang="tex")

    assert "line 5: u_i \\gets u_i + r u_i^2 + t" in f.reading
    assert "u[i] <- u[i] + r*u[i]**2 + t" in f.reading


STATE = "%!tadc state u[N]\n"
WRONG = {
    "a state by an equality": (STATE + r"\[ u_i = 2 u_i \]", 2, "defines a new tensor"),
    "an open block": (STATE + "%!tadc step {\n" + r"\[ u_i \gets 2 u_i \]", 2, "never closed"),
    "a brace too many": (STATE + r"\[ u_i \gets 2 u_i \]" + "\n%!tadc }", 3, "closes nothing"),
    "a range": (STATE + r"\[ u_i \gets 2 u_i, \quad i = 1, \ldots, 5 \]", 2, "has a range here"),
    "rounds that are none": (STATE + "%!tadc repeat ^ {\n" + r"\[ u_i \gets 2 u_i \]" + "\n%!tadc }", 2, "a statement begins with a name"),
    "a subscript": (STATE + r"\[ u_{2i} \gets u_i \]", 2, "is not a bare index"),
    "an old value that is overwritten": (STATE + "%!tadc state x[N]\n" + r"\begin{align} u_{i,t+1} &= x_{i,t} \\ x_{i,t+1} &= u_{i,t} \end{align}", 3, "overwrites"),
    "a new value that is not there": (STATE + "%!tadc state x[N]\n" + r"\[ u_i^{t+1} = x_i^{t+1} \]", 3, "not computed yet"),
    "a value two steps back": (STATE + r"\[ u_i^{t+1} = 2 u_i^t - u_i^{t-1} \]", 2, "the values before it, and no others"),
    "a loop in a step": (STATE + "%!tadc step {\n%!tadc repeat 2 {\n" + r"\[ u_i \gets 2 u_i \]" + "\n%!tadc }\n%!tadc }", 3, "a `step` holds updates"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_has_a_place_and_a_remedy(name):
    text, line, fact = WRONG[name]

    with pytest.raises(tadc.Error, match=fact) as caught:
        tadc.compile(text, lang="tex")

    assert f":{line}:" in str(caught.value)
    assert caught.value.fix


def test_an_arrow_without_a_state_defines_a_new_tensor_as_before():
    assert tadc.compile(r"\[ u_i \gets 2 u_i \]", lang="tex").outputs == ("u_new",)


def test_a_step_in_time_without_a_state_names_the_line_that_makes_it_one():
    text = r"\[ x_i^{t+1} = x_i^t + h \sum_j a_{ij} x_j^t \]"
    with pytest.raises(tadc.Error, match="step in time") as caught:
        tadc.compile(text, lang="tex")

    (line,) = re.findall(r"`(%!tadc [^`]*)`", caught.value.fix)
    assert line == "%!tadc state x[N]"
    assert tadc.compile(f"{line}\n{text}", lang="tex").outputs == ("x_",)
