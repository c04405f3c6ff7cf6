import numpy as np
import pytest
from programs import resolved, value

from tadc.errors import ShapeError, SyntaxError

x3 = [1.0, 2, 4]


def inputs(text):
    return [t.name for t in resolved(text).program.inputs]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("y = a*b + a", ["a", "b"]),
        ("input b\ny = a*b", ["b", "a"]),
        ("y = c\ninput b\nz = a + y", ["b", "c", "a"]),
        ("input u[2]\ny = a", ["u", "a"]),
        ("size N\ny[i: N] = i*a", ["a"]),
        ("y[i] = x[i]\nz[i] = y[i]*w[i]", ["x", "w"]),
    ],
    ids=[
        "first use",
        "declared first",
        "all declarations first",
        "only declared",
        "size",
        "results",
    ],
)
def test_inputs_stand_in_the_order_of_declarations_and_then_of_first_use(text, names):
    assert inputs(text) == names


@pytest.mark.parametrize(
    ("text", "outputs"),
    [
        ("y = a\nz = y", ("z",)),
        ("y = a\nz = b", ("y", "z")),
        ("output y, z\nz = a\ny = z", ("y", "z")),
        ("output z\noutput y\nz = a\ny = z", ("z", "y")),
        ("input a\noutput a, y\ny = a", ("a", "y")),
    ],
    ids=["not read", "several", "named", "twice", "input"],
)
def test_outputs_are_those_named_or_those_that_nobody_reads(text, outputs):
    assert resolved(text).program.outputs == outputs


HIDING = {
    "inner sum hides outer": ("y = sum{k} (x[k] * (sum{k} x[k]))", 49),
    "body of one sum": ("y = sum{k} x[k] * sum{k} x[k]", 49),
    "side by side": ("y = (sum{k} x[k]) * (sum{k} x[k])", 49),
    "index hides size": ("size N = 9\ny = sum{N} x[N]*N", 0 + 2 + 8),
    "index like the tensor": ("y = sum{x} x[x]*x", 10),
    "index like a function": ("y = sum{exp} exp(0)*x[exp]", 7),
    "index like the target": ("y = sum{y} x[y]", 7),
    "tensor like a function": ("y = sum{k} abs(x[k])*sum{k} max[k]", 49),
    "words of Python": ("y = sum{lambda} x[lambda]*lambda", 10),
    "words of C": ("y = sum{int} x[int]*int", 10),
    "other scripts": ("y = sum{α} x[α]*α", 10),
    "normalized": ("y = sum{ﬁ} x[fi]", 7),
}


@pytest.mark.parametrize(("text", "expected"), HIDING.values(), ids=HIDING)
def test_names_are_looked_up_from_the_inside_out(text, expected):
    arrays = {"max": x3} if "max" in text else {}

    assert value(text, x=x3, **arrays) == expected


def test_an_index_of_one_statement_means_nothing_in_the_next():
    assert value("t[i] = x[i]*2\ny[k] = t[k] + x[k]", x=x3) == [3, 6, 12]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("y[i] = x[i]*k\nz = sum{k} x[k]", "`k` is not in scope here, and an index elsewhere"),
        ("y[i] = x[i] + j\nz[j] = x[j]", "`j` is not in scope here"),
        ("y[i] = x[i] + (sum{k} x[k]) * k", "`k` is not in scope here"),
    ],
    ids=["later sum", "later left side", "outside of its sum"],
)
def test_an_undeclared_scalar_that_is_an_index_elsewhere_is_a_misspelling(text, fact):
    with pytest.raises(SyntaxError) as caught:
        resolved(text)

    assert fact in caught.value.fact
    assert caught.value.span.text in ("k", "j")


def test_a_declared_scalar_may_be_called_like_an_index():
    assert value("input k\ny[i] = x[i]*k\noutput y\nz = sum{k} x[k]", x=x3, k=2) == [2, 4, 8]


MISTAKES = {
    "size as tensor": ("size N\nN[i] = x[i]", SyntaxError, "`N` is a size", "N"),
    "size as input": (
        "size N\ninput N[N], x[N]\ny[i] = N[i]*x[i]",
        SyntaxError,
        "`N` is a size",
        "N",
    ),
    "size as element": (
        "size N\ninput x[N]\ny[i] = x[i]/N[i]",
        SyntaxError,
        "`N` is a size",
        "N[i]",
    ),
    "read before": ("y = z\nz = a", SyntaxError, "`z` is read before it is defined", "z"),
    "read by itself": ("y[i] = y[i]", SyntaxError, "`y` is read before it is defined", "y[i]"),
    "left index summed": ("y[i] = sum{i} x[i]", SyntaxError, "is an index of the left side", "i"),
    "sum index twice": ("y = sum{k, k} x[k]", SyntaxError, "stands twice", "k"),
    "rank": ("input x[3]\ny[i] = x[i, i]", ShapeError, "has 1 dimension", "x[i, i]"),
    "rank of an input": ("y[i] = x[i] + x", ShapeError, "has 1 dimension", "x"),
    "function without argument": ("y = exp", SyntaxError, "`exp` has no argument", "exp"),
    "unknown function": ("y = ex(a)", SyntaxError, "there is no function `ex`", "ex"),
    "tensor called": ("y[i] = x[i] + x(1)", SyntaxError, "there is no function `x`", "x"),
    "inner index outside": (
        "y = sum{k: i+1, i: 4} x[k]",
        SyntaxError,
        "`i` is neither an index in scope nor a size",
        "i",
    ),
}


@pytest.mark.parametrize(("text", "kind", "fact", "marked"), MISTAKES.values(), ids=MISTAKES)
def test_a_name_that_means_nothing_here_is_an_error_at_its_place(text, kind, fact, marked):
    with pytest.raises(kind) as caught:
        resolved(text)

    assert fact in caught.value.fact
    assert caught.value.span.text == marked


def test_a_size_of_a_sum_may_depend_on_an_index_before_it():
    assert value("y = sum{i: 3, k: i+1} x[k]", x=x3) == 1 + 3 + 7


def test_sizes_that_are_found_are_named_for_their_index():
    program = resolved("y[n] = sum{k} a[n, k]*b[k]").program

    assert program.sizes == ("N", "K")


def test_sizes_that_are_found_avoid_every_word_of_the_text():
    program = resolved("N[n] = a[n]*K\nK_ = a[0]").program

    assert not {"N", "K"} & set(program.sizes)


def test_constants_are_names_until_they_are_declared():
    assert value("y = 2*pi") == pytest.approx(2 * np.pi)
    assert value("input pi\ny = 2*pi", pi=3) == 6
