"""Whatever the text and the arguments are: a result or a `tadc.Error`, soon, and what is printed is a program again.

Texts are mutations of the examples and of small programs with every form of the language, the same ones every time.
Programs of extreme length and depth, and wrong arguments of each kind, are tables.
"""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import numpy as np
import pytest

import tadc

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.idx"))
PROGRAMS = [
    "y[i: 6] = x[pad(i - 1)] + x[min(i, 3)]",
    "size N\ninput x[N]\ny[i: N] = x[clamp(i + 2)]*x[wrap(i - 1)]",
    "y[i] = sum{j | j <= i and not j = 2} x[j]*[i % 3 = 1]",
    "y[i: 4, j: 5] = x[(2*i + j)//4, i % 2]",
    "z = logsumexp{i, j=0..i} a[i, j] - argmax{k} b[k]",
    "t[i] = max{k} a[i, k]; y[i] = if t[i] > 0.5 or i < 2 then softplus(t[i]) else 2**-i",
    "base 1\ny[i: 4] = x[i] + i",
    "einstein\ny[i] = a[i, k]*b[k] - c[i]",
    "size N, K = 3\nsize P = (N - K)//2 + 1\ny[i: P] = sum{k: K} x[2*i + k]*w[k]",
    "input x[5], d\noutput y, x\ny = prod{i} x[i] / d",
    "y[i: 5] = x[reflect(2*i - 3)] * delta(i, 2)",
    "y[i: 3, j: 3] = if i = j then a[i, j] else a[j, i]*where(i < j, 1, b)",
    "y[i] = sum{r} x[i + r]*w[r] + sum{k}_0^(min [4; i]) (w[0]*k)",
]
WORDS = [
    *"()[]{},;:|=<>+-*/%^_.# \n\t\"'\\²½\x00",
    *["**", "//", "..", "<=", "!=", "0", "1", "3", "2.5", "1e400", "9" * 19, "9" * 400],
    *["x", "y", "a", "i", "j", "k", "N", "pi", "inf", "x[i]", "x[i + 1]", "x[N - 1 - i]", "i//2"],
    *["sum{k} ", "max{k} ", "argmin{i} ", "exp ", "if ", " then ", " else ", " and ", " or "],
    *[
        "size N\n",
        "input x[N]\n",
        "output y\n",
        "base 1\n",
        "einstein\n",
        "not ",
        "[i: 3]",
        "[i<2]*",
    ],
    *["pad(", "clamp(", "wrap(", "symmetric(", "min(", "delta(i, j)", "{k: 2}", "{k=0..i}"],
]
SUBSCRIPTS = [
    *["pad({})", "clamp({})", "wrap({})", "reflect({})", "symmetric({})", "min({}, 2)", "2*({})"],
    *["({})//2", "({})%2", "{} + 1", "{} - 1", "3 - ({})", "pad({}, 2)", "clamp({}, 0, 2)"],
]
READS = [
    *["(if {0} > 0.5 then {0} else 1)", "exp(-{0})", "{0}*{0}", "{0}**2", "[i < 2]*{0}", "sqrt({0})"],
    *["sum{{k: 2}} {0}", "(if i = 1 then {0} else 0)", "sum{{j=0..i | j % 2 = 0}} {0}", "delta(i, j)*{0}"],
]  # fmt: skip


def garbled(text, choose):
    """The text with a few characters or words replaced: seldom a program."""
    for _ in range(choose.randint(1, 3)):
        start = choose.randint(0, len(text))
        word = choose.choice([choose.choice(WORDS), "", text[start : start + choose.randint(1, 9)]])
        end = start + choose.randint(0, 4) * choose.randint(0, 1)
        text = text[:start] + word + text[end:]
    return text


def changed(text, choose):
    """The text with numbers, operators, names, subscripts and reads replaced by others: often a program."""
    for _ in range(choose.randint(1, 4)):
        pattern, replacements = choose.choice(
            [
                (r"(?<![\w.])\d+(?![\w.])", ["0", "1", "2", "3", "5", "-1", "N", "i"]),
                (r" [-+*/] |//|%", [" + ", " - ", "*", "//", "%"]),
                (r"\bor\b|\band\b|<=|<(?!=)", ["or", "and", "<", "<=", "!="]),
                (r"\b(sum|max|prod|mean|logsumexp|argmax)(?={)", ["sum", "max", "min", "mean"]),
                (r"\b[ijk]\b", ["i", "j", "k"]),
                (r"(?<=\[)[^][,;=<>:]+(?=\])", SUBSCRIPTS),
                (r"\b\w+\[[^][]*\]", READS),
            ]
        )
        found = list(re.finditer(pattern, text))
        if found:
            place = choose.choice(found)
            new = choose.choice(replacements).format(place.group())
            text = text[: place.start()] + new + text[place.end() :]
    return text


def arrays_of(f, sizes):
    """An array for every input, None where one were large."""
    program = f.program
    values = program.size_values(dict(zip(program.sizes, sizes, strict=False)))
    shapes = {t.name: [n.at(values) for n in t.shape] for t in program.inputs}
    extents = [n.at(values) for t in program.tensors.values() for n in t.shape]
    if any(n < 0 for shape in shapes.values() for n in shape) or np.prod([1, *extents]) > 1e4:
        return None
    return {name: np.full(shape, 0.5) for name, shape in shapes.items()}


def survives(text, choose):
    """Whether the text is a program. Raises what is no `tadc.Error`."""
    try:
        f = tadc.compile(text)
    except tadc.Error as caught:
        for error in caught.errors:
            assert error.fact and error.fix
            assert error.span is None or 0 <= error.span.start <= error.span.end <= len(text)
        assert str(caught)
        return False
    if f.open_sizes:  # it has a program for each set of numbers only
        return True
    for g in (f, f.adjoint()):
        if g.program.statements:
            again = tadc.compile(str(g))
            assert (again.inputs, again.outputs) == (g.inputs, g.outputs)
    for _ in range(3):
        sizes = [choose.choice([0, 1, 2, 3, 5]) for _ in f.program.sizes]
        arrays = arrays_of(f, sizes)
        if arrays is None:
            continue
        try:
            values, pullback = f.vjp(**arrays, **dict(zip(f.program.sizes, sizes, strict=True)))
            values = values if isinstance(values, tuple) else (values,)
            pullback(*(np.ones(np.shape(v)) for v in values))
        except tadc.Error as caught:
            assert str(caught)
    return True


def texts(seed, count, change, sources):
    choose = random.Random(seed)
    for _ in range(count):
        yield change(choose.choice(sources), choose), choose


def test_any_garbled_text_is_a_program_or_an_error():
    sources = [*PROGRAMS, *(path.read_text("utf-8") for path in EXAMPLES)]

    found = [survives(text, choose) for text, choose in texts(1, 70, garbled, sources)]

    assert 5 < sum(found) < len(found)


@pytest.mark.plain(seed=1)
@pytest.mark.parametrize("seed", range(3))
def test_any_changed_program_has_a_derivative_and_runs_or_is_an_error(seed):
    found = [survives(text, choose) for text, choose in texts(seed, 60, changed, PROGRAMS)]

    assert 5 < sum(found) < len(found)


# ---- Extremes

N = 10_000
# fmt: off
LARGE = {
    # the text, and an array that every input is called with, None for no call
    "parentheses": (f"y[i] = {'(' * N}x[i]{')' * N}", np.ones(2)),
    "unary minus": (f"y[i] = {'-' * N}x[i]", np.ones(2)),
    "not": (f"y[i] = if {'not ' * N}i < 1 then x[i] else 0", np.ones(2)),
    "terms of one read": ("y[i] = " + "+".join(["x[i]"] * 2000), np.ones(2)),
    "terms": ("y[i: 2] = " + "+".join(f"{k}*x[i + {k}]" for k in range(300)), np.ones(400)),
    "terms of a subscript": (f"y[i] = x[i{' + i - i' * 1000}]", np.ones(2)),
    "functions": (f"y[i] = {'tanh(' * 200}x[i]{')' * 200}", np.ones(2)),
    "branches": ("y[i] = " + "".join(f"if x[i] > {k} then {k} else " for k in range(500)) + "0", np.ones(2)),
    "branches of branches": (f"y[i] = {'if x[i] > 0 then ' * 500}x[i]{' else 0' * 500}", np.ones(2)),
    "sums of sums": ("y = " + "".join(f"sum{{k{n}: 1}} " for n in range(100)) + "x[0]", np.ones(2)),
    "conjunctions": (f"y[i] = if {' and '.join(['i < 1'] * 1000)} then x[i] else 0", np.ones(2)),
    "statements": ("t0[i] = x[i]" + "".join(f"\nt{k + 1}[i] = sin(t{k}[i])*x[i]" for k in range(150)), np.ones(2)),
    "shared": ("t0[i] = x[i]" + "".join(f"\nt{k + 1}[i] = t{k}[i]*t{k}[i] + t{k}[i]" for k in range(60)), np.zeros(2)),
    "inputs": ("y[i] = " + " + ".join(f"x{k}[i]" for k in range(200)), np.ones(2)),
    "indices": ("y[" + ", ".join(f"i{k}" for k in range(30)) + "] = x[" + ", ".join(f"i{k}" for k in range(30)) + "]", np.ones((1,) * 30)),
    "more indices than arrays have": ("y[" + ", ".join(f"i{k}" for k in range(70)) + "] = x[" + ", ".join(f"i{k}" for k in range(70)) + "]", None),
    "indices of a sum": ("y = sum{" + ", ".join(f"i{k}: 1" for k in range(30)) + "} x[" + " + ".join(f"i{k}" for k in range(30)) + "]", np.ones(1)),
    "a name": (f"y[i] = {'a' * 50_000}[i]", np.ones(2)),
    "a comment": (f"# {'a' * 250_000}\ny[i] = x[i]", np.ones(2)),
    "nothing": ("\n;" * 100_000 + "y[i] = x[i]", np.ones(2)),
    "more than is read": (f"# {'a' * 263_000}\ny[i] = x[i]", None),
    "open parentheses": (f"y[i] = {'(' * N}", None),
    "open brackets": (f"y[i] = {'x[' * N}", None),
    "closing parentheses": (f"y[i] = x[i]{')' * N}", None),
    "errors": ("y[i] = )\n" * 10_000, None),
    "an extent": (f"y[i: {'9' * 30}] = i*x[0]", np.ones(2)),
    "extents": ("y[i: 9999999, j: 9999999, k: 9999999] = x[0]", np.ones(2)),
    "a number": (f"y[i] = {'9' * 5000}*x[i]", np.ones(2)),
    "a subscript": (f"y[i: 2] = x[{'9' * 30}*i]", np.ones(2)),
    "an index value": (f"y[i] = {'9' * 30}*i*x[i]", np.ones(2)),
    "an exponent": (f"y[i] = x[i]**{'9' * 200}", np.ones(2)),
}
# fmt: on


@pytest.mark.plain(text=6)
@pytest.mark.parametrize(("text", "array"), LARGE.values(), ids=list(LARGE))
def test_a_program_of_any_size_is_compiled_and_run_or_an_error(text, array):
    try:
        f = tadc.compile(text)
        assert str(f) and str(f.adjoint())
        if array is not None:
            f(*[array] * len(f.inputs))
    except tadc.Error as caught:
        assert str(caught)


# ---- Arguments

CLASH = "y[i] = 2*x[i]*N + sum{j} z[i, j]\nsize N"
GOOD = {"x": np.ones(3), "z": np.ones((3, 2)), "N": 1}
# fmt: off
ARRAYS = {
    "None": None, "text": "abc", "bytes": b"x", "complex": np.ones(3, complex), "objects": np.array([None] * 3),
    "dates": np.zeros(3, "datetime64[s]"), "records": np.zeros(3, [("a", float)]), "a function": len, "a dict": {1: 2},
    "a ragged list": [[1], [1, 2]], "rank 0": 1.0, "rank 2": np.ones((3, 1)), "a wrong extent": np.ones(4),
    "masked": np.ma.array([1.0, 2, 3]), "long double": np.ones(3, np.longdouble), "an iterator": iter([1.0]),
}
SIZES = {
    "negative": -1, "a float": 2.0, "NaN": np.nan, "None": None, "text": "3", "bool": True, "a list": [3], "an array": np.ones(2), "large": 10**400,
}
CALLS = {
    "missing": {"x": GOOD["x"], "N": 1}, "unknown": {**GOOD, "q": 3}, "no size": {"x": GOOD["x"], "z": GOOD["z"]}, "none": {},
    **{f"array: {name}": {**GOOD, "x": value} for name, value in ARRAYS.items()},
    **{f"size: {name}": {**GOOD, "N": value} for name, value in SIZES.items()},
}
KINDS = {
    "a number": 3.0, "int32": np.arange(3, dtype=np.int32), "bool": np.array([True, False, True]), "a list": [1.0, 2, 3],
    "strided": np.arange(9.0)[::3], "backwards": np.arange(3.0)[::-1], "repeated": np.broadcast_to(2.0, 3), "float16": np.ones(3, np.float16),
    "big-endian": np.arange(3, dtype=">f8"), "unaligned": np.frombuffer(b"." + np.arange(3.0).tobytes(), offset=1),
    "read-only": np.frombuffer(np.arange(3.0).tobytes()), "a column": np.asfortranarray(np.ones((3, 2)))[:, 1], "a view": memoryview(np.ones(3)),
}
OPTIONS = {
    "lang": ["c", None], "dtype": ["f2x", np.int32, []], "sizes": [3, {"Q": 1}, {"N": -1}, {"N": True}, {3: 3}], "backend": ["x", None, {}],
    "memory": ["x", []], "index_base": [2, "0", None], "name": [3],
}
# fmt: on


@pytest.mark.parametrize("arguments", CALLS.values(), ids=list(CALLS))
def test_wrong_arguments_of_a_call_are_errors_that_say_what_to_give(arguments):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(CLASH)(**arguments)

    assert caught.value.fact and caught.value.fix


@pytest.mark.parametrize("array", KINDS.values(), ids=list(KINDS))
def test_whatever_is_an_array_is_accepted_by_value(array):
    expected = np.array(array, np.float64)
    f = tadc.compile("y = 2*x" if not expected.ndim else "y[i] = 2*x[i]")

    value, pullback = f.vjp(array)

    np.testing.assert_array_equal(value, 2 * expected)
    assert not np.shares_memory(value, np.asarray(array))
    assert all(np.all(g == 2) for g in pullback(np.ones(expected.shape)).values())


@pytest.mark.parametrize(
    ("option", "value"), [(o, v) for o, values in OPTIONS.items() for v in values]
)
def test_wrong_options_are_errors_that_say_what_to_give(option, value):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile("size N\ny[i: N] = x[i]", **{option: value})

    assert caught.value.fact and caught.value.fix


@pytest.mark.parametrize("wrt", ["q", ("x", "x"), 3, ("x", 3)], ids=str)
def test_derivatives_by_what_is_no_input_are_errors(wrt):
    f = tadc.compile("y[i] = x[i]*z[i]")

    for derive in (f.adjoint, f.tangent, f.jacobian):
        with pytest.raises(tadc.Error):
            derive(wrt)
    with pytest.raises(tadc.Error):
        f.vjp(np.ones(2), np.ones(2), wrt=wrt)


WRONG = ["a", {}, [1.0], np.ones(3), np.ones((2, 1)), 1.0]


@pytest.mark.parametrize("wrong", [*WRONG, (), (1, 2)], ids=str)
def test_wrong_cotangents_and_places_for_results_are_errors(wrong):
    f = tadc.compile("y[i] = x[i]*z[i]")
    x = np.ones(2)
    _, pullback = f.vjp(x, x)

    with pytest.raises(tadc.Error):
        pullback(wrong)
    if not isinstance(wrong, dict):
        for call in (lambda: f(x, x, out=wrong), lambda: pullback(x, out=wrong)):
            with pytest.raises(tadc.Error):
                call()


@pytest.mark.parametrize(
    ("primals", "tangents"), itertools.product([3, {}, {"x": "a"}], [3, {"q": 1}])
)
def test_wrong_primals_and_tangents_are_errors(primals, tangents):
    with pytest.raises(tadc.Error):
        tadc.compile("y[i] = x[i]").jvp(primals, tangents)


@pytest.mark.parametrize("path", [None, 3, "/nowhere/x.idx", "/", "\0", b"x"], ids=repr)
def test_a_path_that_cannot_be_read_is_an_error(path):
    with pytest.raises(tadc.Error):
        tadc.load(path)


@pytest.mark.parametrize(
    "sizes", [{"I": -1}, {"I": 2.5}, {"Q": 1}, {"seed": "a"}, {"seed": -1}], ids=str
)
def test_wrong_sizes_of_a_check_are_errors(sizes):
    with pytest.raises(tadc.Error):
        tadc.compile("y[i] = x[i]").check(**sizes)
