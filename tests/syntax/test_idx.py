from __future__ import annotations

import contextlib
import gc
import sys
import threading

import pytest

from tadc.errors import Source, SyntaxError
from tadc.syntax.ast import Binary, Definition, Element, Reduction
from tadc.syntax.idx.parse import MOST_ERRORS, parse_idx, parse_piece
from tadc.syntax.reading import LARGEST_SOURCE

from .sexpr import sexpr

STATEMENTS = {
    # declarations
    "size N, M": "(size N) (size M)",
    "size K = 5": "(size K 5)",
    "size P = (N - K) // 2 + 1": "(size P (+ (// (- N K) 2) 1))",
    "size N = min(a, b), M": "(size N (call min a b)) (size M)",
    "size o >= 0, M": "(size o >= 0) (size M)",
    "require o + n <= N": "(require (compare (+ o n) <= N))",
    "input a[N, K]": "(input a (N K))",
    "input c[3, 3]: float64": "(input c (3 3) :float64)",
    "input a[2*N+1; K], x, y[]": "(input a ((+ (* 2 N) 1) K)) (input x _) (input y ())",
    "output f, g": "(output f g)",
    "base 1": "(base 1)",
    "einstein": "(einstein)",
    # left sides
    "l = 3": "(= l () 3)",
    "l[] = 3": "(= l () 3)",
    "l: float64 = 3": "(= l :float64 () 3)",
    "f[i]: float64 = i": "(= f :float64 (i) i)",
    "f[i: N, j: 2*M+1, k] = 1": "(= f ((: i N) (: j (+ (* 2 M) 1)) k) 1)",
    "f[i; j] = 1": "(= f (i j) 1)",
    # numbers, names, elements
    "y = 2.5 + 1e-3 + 1.5E+2 + 007": "(= y () (+ (+ (+ 2.5 1e-3) 1.5E+2) 007))",
    "y = pi*inf - nan": "(= y () (- (* pi inf) nan))",
    "y = a[i, k] + a[i; k] + x[]": "(= y () (+ (+ ([] a i k) ([] a i k)) ([] x)))",
    "y = x[pad(i + 1, -inf), wrap(j)]": "(= y () ([] x (call pad (+ i 1) (neg inf)) (call wrap j)))",
    "y = k[max(0, min(i-R, N-K)) + r]": "(= y () ([] k (+ (call max 0 (call min (- i R) (- N K))) r)))",
    # operators
    "y = a - b - c": "(= y () (- (- a b) c))",
    "y = a / b // c % d * e": "(= y () (* (% (// (/ a b) c) d) e))",
    "y = a + b * c": "(= y () (+ a (* b c)))",
    "y = -a**2": "(= y () (neg (** a 2)))",
    "y = a**b**c": "(= y () (** a (** b c)))",
    "y = 2**-1": "(= y () (** 2 (neg 1)))",
    "y = a**-b**c": "(= y () (** a (neg (** b c))))",
    "y = a * -b": "(= y () (* a (neg b)))",
    "y = a - -b": "(= y () (- a (neg b)))",
    "y = -(-a)": "(= y () (neg (neg a)))",
    # functions
    "y = exp x[i]": "(= y () (call exp ([] x i)))",
    "y = exp exp x[i] * 2": "(= y () (* (call exp (call exp ([] x i))) 2))",
    "y = exp (x)**2": "(= y () (** (call exp x) 2))",
    "y = 2**exp x": "(= y () (** 2 (call exp x)))",
    "y = exp 2 + log f(x)": "(= y () (+ (call exp 2) (call log (call f x))))",
    "y = gate(a, b) + where(a < b and c = d, a, b)": (
        "(= y () (+ (call gate a b) (call where (and (compare a < b) (compare c == d)) a b)))"
    ),
    "y = delta(i, j)": "(= y () (call delta i j))",
    "y = exp - x": "(= y () (- exp x))",
    # reductions
    "y = sum{k} a[k]*b[k] + c": "(= y () (+ (sum (k) (* ([] a k) ([] b k))) c))",
    "y = sum{k} a / c": "(= y () (sum (k) (/ a c)))",
    "y = sum{k} -a": "(= y () (sum (k) (neg a)))",
    "y = 2 * sum{k} a * b": "(= y () (* 2 (sum (k) (* a b))))",
    "y = -sum{k} a - b": "(= y () (- (neg (sum (k) a)) b))",
    "y = sum{k} sum{l} a": "(= y () (sum (k) (sum (l) a)))",
    "y = sum{k} a * sum{l} b": "(= y () (sum (k) (* a (sum (l) b))))",
    "y = sum{k=0..4} a": "(= y () (sum ((.. k 0 4)) a))",
    "y = sum{k: K} a": "(= y () (sum ((: k K)) a))",
    "y = sum{k, l | l < k} a": "(= y () (sum (k l) | (compare l < k) a))",
    "y = sum{k=0..K-1; l | l < k} a": "(= y () (sum ((.. k 0 (- K 1)) l) | (compare l < k) a))",
    "y = sum{k}_0^4 (e)": "(= y () (sum ((.. k 0 4)) e))",
    "y = sum{k}_-1^N e": "(= y () (sum ((.. k (neg 1) N)) e))",
    "y = sum{k | k != 2}_0^N -x": "(= y () (sum ((.. k 0 N)) | (compare k != 2) (neg x)))",
    "y = sum{k}_0^N [i = k] * x": "(= y () (sum ((.. k 0 N)) (* (bracket (compare i == k)) x)))",
    "y = argmax{k} x[k] + max{j} mean{k} x": "(= y () (+ (argmax (k) ([] x k)) (max (j) (mean (k) x))))",
    # choices, brackets, conditions
    "y = if i < j then a else b + 1": "(= y () (if (compare i < j) a (+ b 1)))",
    "y = if {i = j} then (a) else (b)": "(= y () (if (compare i == j) a b))",
    "y = 2 * if a < b then c else d": "(= y () (* 2 (if (compare a < b) c d)))",
    "y = sum{k} if a < b then c else d": "(= y () (sum (k) (if (compare a < b) c d)))",
    "y = if a < b then if c < d then 1 else 2 else 3": "(= y () (if (compare a < b) (if (compare c < d) 1 2) 3))",
    "y = if {1/2*i is int} then x else 0": "(= y () (if (is-int (* (/ 1 2) i)) x 0))",
    "y = [0 <= i+k and i+k < N] * x": (
        "(= y () (* (bracket (and (compare 0 <= (+ i k)) (compare (+ i k) < N))) x))"
    ),
    "y = [0 <= i < N != 3]": "(= y () (bracket (compare 0 <= i < N != 3)))",
    "y = [not i = j and j == k or k >= 2 or k > 1]": (
        "(= y () (bracket (or (or (and (not (compare i == j)) (compare j == k)) (compare k >= 2)) (compare k > 1))))"
    ),
    "y = [(i = j or j = k) and (i + j) % 2 = 1]": (
        "(= y () (bracket (and (or (compare i == j) (compare j == k)) (compare (% (+ i j) 2) == 1))))"
    ),
    "y = [x[i] <-3]": "(= y () (bracket (compare ([] x i) < (neg 3))))",
    # words that are keywords elsewhere
    "size[i] = state[i] + step*repeat": "(= size (i) (+ ([] state i) (* step repeat)))",
    "input = output + base": "(= input () (+ output base))",
    "input state[N], size[size]": "(input state (N)) (input size (size))",
    "exp[i] = max[i] + sum": "(= exp (i) (+ ([] max i) sum))",
    "y = thenx + int + orx": "(= y () (+ (+ thenx int) orx))",
    "y = if thenx < elsey then then else else": "(= y () (if (compare thenx < elsey) then else))",
    "while = lambda + class": "(= while () (+ lambda class))",
    "repeat[i] = 1": "(= repeat (i) 1)",
    "repeat: float64 = sum{k} x[k]": "(= repeat :float64 () (sum (k) ([] x k)))",
    "step = 3": "(= step () 3)",
    # names of any script, NFKC-normalised
    "größe = α + 名前[i] + हिन्दी": "(= größe () (+ (+ α ([] 名前 i)) हिन्दी))",
    "y = ﬁ + ｘ": "(= y () (+ fi x))",
    # the method's reference implementation
    "dd[dd_0] = sum{dd_z1}_(max [0; -2 + dd_0])^(min [4; dd_0]) (sum{dd_z0}_0^3 ((df[dd_0 + -dd_z1; dd_z0] * 3 * d[dd_0] ** (3 - 1))))": (
        "(= dd (dd_0) (sum ((.. dd_z1 ([] max 0 (+ (neg 2) dd_0)) ([] min 4 dd_0))) (sum ((.. dd_z0 0 3))"
        " (* (* ([] df (+ dd_0 (neg dd_z1)) dd_z0) 3) (** ([] d dd_0) (- 3 1))))))"
    ),
    "dc[dc_0: 3; dc_1: 3] = if {dc_0 + -dc_1 = 0} then (g[dc_1]) else (0)": (
        "(= dc ((: dc_0 3) (: dc_1 3)) (if (compare (+ dc_0 (neg dc_1)) == 0) ([] g dc_1) 0))"
    ),
    "f[i, j] = exp(-sum{k=0..4} ((a[i,k] + b[j,k])**2 * c[i,i] + d[i+k]**3))": (
        "(= f (i j) (call exp (neg (sum ((.. k 0 4)) (+ (* (** (+ ([] a i k) ([] b j k)) 2) ([] c i i))"
        " (** ([] d (+ i k)) 3))))))"
    ),
}


@pytest.mark.parametrize(("text", "tree"), STATEMENTS.items(), ids=STATEMENTS)
def test_a_statement_gives_its_tree(text, tree):
    assert sexpr(parse_idx(Source(text))) == tree


def test_a_part_of_a_source_gives_its_items_with_spans_in_the_whole():
    source = Source("prose\n%!tadc size N; output f % no more\n")

    size, output = parse_piece(source, source.text.index("size"), source.text.index(" % no"))

    assert sexpr(size) == "(size N)"
    assert (size.name.span.line, size.name.span.column) == (2, 13)
    assert output.span.text == "output f"


# ---- spans


def _body(text):
    (item,) = parse_idx(Source(text)).items
    assert isinstance(item, Definition)
    return item.body


def test_spans_are_those_of_the_text_and_of_nothing_around_it():
    definition = parse_idx(Source("# é\n\n f[i: N, j] = (a[ i ] +b) * -c # end\n")).items[0]
    product = definition.body

    assert definition.span.text == "f[i: N, j] = (a[ i ] +b) * -c"
    assert definition.target.span.text == "f"
    assert [left.span.text for left in definition.lefts] == ["i: N", "j"]
    assert product.span.text == "(a[ i ] +b) * -c"
    assert product.left.span.text == "a[ i ] +b"
    assert product.left.left.span.text == "a[ i ]"
    assert product.left.left.name.span.text == "a"
    assert product.right.span.text == "-c"


@pytest.mark.parametrize(
    "text",
    [
        "sum{k=0..4}  x[k]*2",
        "exp x[i]",
        "exp( x )",
        "if i < j then a else (b)",
        "[ i = j ]",
        "x[ ]",
        "- 3",
        "max{k}_0^(3) x",
    ],
)
def test_the_span_of_an_expression_is_the_expression(text):
    assert _body(f"y =  {text}  ").span.text == text


def test_spans_of_ranges_and_conditions():
    reduction = _body("y = sum{k = 0 .. 4, l: L | (k < l) and not l=2} x")

    assert isinstance(reduction, Reduction)
    assert reduction.op.span.text == "sum"
    assert [r.span.text for r in reduction.ranges] == ["k = 0 .. 4", "l: L"]
    assert reduction.condition.span.text == "(k < l) and not l=2"
    assert reduction.condition.left.span.text == "k < l"


def test_spans_count_characters_of_the_original_text_whatever_a_name_is_normalised_to():
    body = _body("y = ﬁ + x")

    assert isinstance(body, Binary)
    assert (body.left.name, body.left.span.text) == ("fi", "ﬁ")
    assert body.right.span.column == 9


# ---- several errors


def test_every_bad_statement_is_reported_and_good_ones_hide_none():
    text = "a = b b\ngood[i] = x[i]\nc = (d\ne[i] = 2x[i]\nsize N\nf = +1\n"

    with pytest.raises(SyntaxError) as caught:
        parse_idx(Source(text))

    assert [(e.span.line, e.span.column) for e in caught.value.errors] == [
        (1, 7),
        (3, 5),
        (4, 9),
        (6, 5),
    ]


def test_at_most_twenty_errors_are_reported():
    with pytest.raises(SyntaxError) as caught:
        parse_idx(Source("a = b b\n" * 1000))

    assert len(caught.value.errors) == MOST_ERRORS


IN_PLACE = {
    "state u[N]": "TensorDeclaration",
    "u[i] <- 3": "Update",
    "u[i | i % 2 = 0] <- 3": "Update",
    "step { u <- 3 }": "Block",
    "repeat T { }": "Loop",
    "repeat t: T { a = t }": "Loop",
    "repeat down i = 0..3 { }": "Loop",
    "repeat : T { }": "Loop",
}


@pytest.mark.parametrize(("text", "node"), IN_PLACE.items(), ids=IN_PLACE)
def test_programs_that_work_in_place_are_read(text, node):
    (item,) = parse_idx(Source(text)).items

    assert type(item).__name__ == node


def test_words_of_loops_are_words_only_where_the_form_needs_them():
    (loop,) = parse_idx(Source("repeat down { }")).items
    (named,) = parse_idx(Source("repeat down = 0..2 { }")).items
    (backwards,) = parse_idx(Source("repeat down i = 0..2 { }")).items

    assert (loop.down, loop.index, loop.extent.name) == (False, None, "down")
    assert (named.down, named.index.name) == (False, "down")
    assert (backwards.down, backwards.index.name) == (True, "i")


def test_a_loop_of_three_lines_holds_three_statements_and_a_sum_of_three_lines_is_one():
    loop, definition = parse_idx(
        Source("repeat T {\n  x <- 1\n  y <- 2\n  z <- 3\n}\ns = sum{\n  k\n  } x[k]")
    ).items

    assert len(loop.items) == 3
    assert definition.target.name == "s"


def test_an_arrow_in_a_bracket_is_a_comparison_with_a_negative_number():
    update, definition = parse_idx(Source("x[i] <- 3\ny[i] = [x[i] <-3]")).items

    assert type(update).__name__ == "Update"
    assert definition.body.condition.relations == ("<",)


# ---- size and depth

DEEP = 10_000
DEEP_EXPRESSIONS = {
    "parentheses": "-(" * DEEP + "x" + ")" * DEEP,
    "minus signs": "-" * DEEP + "x",
    "powers": "x**" * DEEP + "x",
    "subscripts": "x[" * DEEP + "i" + "]" * DEEP,
    "calls": "f(" * DEEP + "i" + ")" * DEEP,
    "applications": "exp " * DEEP + "x",
    "reductions": "sum{k} " * DEEP + "x",
    "choices": "if i < j then x else " * DEEP + "x",
    "conditions": "[" + "not " * DEEP + "i < j]",
    "a sum of many terms": "x + " * DEEP + "x",
    "a product of many factors": "x*" * DEEP + "x",
    "a list of many arguments": "f(" + "x," * DEEP + "x)",
    "a chain of many comparisons": "[" + "i < " * DEEP + "i]",
}


@pytest.mark.plain(text=6)
@pytest.mark.parametrize("text", DEEP_EXPRESSIONS.values(), ids=DEEP_EXPRESSIONS)
def test_nothing_recurses(text):
    assert sys.getrecursionlimit() < DEEP
    assert len(sexpr(parse_idx(Source("y = " + text)))) > DEEP


DEEP_ERRORS = {
    "parentheses never closed": "(" * DEEP,
    "a closing parenthesis too many": "-" * DEEP + "x)",
    "choices without else": "if i < j then " * DEEP,
    "braces never closed": "sum{k|" * DEEP,
    "a bracket without subscript": "x[" * DEEP + "]",
}


@pytest.mark.parametrize("text", DEEP_ERRORS.values(), ids=DEEP_ERRORS)
def test_errors_deep_inside_do_not_recurse(text):
    with pytest.raises(SyntaxError):
        parse_idx(Source("y = " + text))


def test_a_source_of_256_kilobytes_is_read_and_a_larger_one_refused():
    line = "f[i] = 1 # " + "x" * 100 + "\n"
    text = line * (LARGEST_SOURCE // len(line))
    text += "#" * (LARGEST_SOURCE - len(text))

    assert len(parse_idx(Source(text)).items) == LARGEST_SOURCE // len(line)
    with pytest.raises(SyntaxError, match=f"{LARGEST_SOURCE + 1} bytes"):
        parse_idx(Source(text + "#"))
    with pytest.raises(SyntaxError, match="bytes"):
        parse_idx(Source("#" + "é" * (LARGEST_SOURCE // 2)))


SLOW_IF_QUADRATIC = {
    "statements on a line that is indented far": " " * 100_000 + "a=1;" * 5_000,
    "lines after one that is indented far": " " * 100_000 + "a = (1" + "\n+1" * 10_000 + ")",
    "words of other scripts in an open bracket": "a = (\n" + "é" * 100_000,
    "brackets that nobody closes": "a = (\n" * 30_000,
    "a deep error": "a = " + "-" * 50_000 + "x)",
}


@pytest.mark.parametrize("text", SLOW_IF_QUADRATIC.values(), ids=SLOW_IF_QUADRATIC)
def test_long_texts_are_read_in_time_proportional_to_their_length(text):
    with contextlib.suppress(SyntaxError):  # no clock: quadratic ones would take minutes
        parse_idx(Source(text))


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled):
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with pytest.raises(SyntaxError):
            parse_idx(Source("a = 1\n" * 5_000 + ")"))
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()


def test_threads_parse_their_own_sources():
    wrong: list[str] = []

    def parse(name: str) -> None:
        source = Source(f"{name}[i] = x[i] + {name}y\n" * 50, name)
        for item in parse_idx(source).items:
            assert isinstance(item, Definition) and isinstance(item.body, Binary)
            assert isinstance(item.body.left, Element)
            if item.span.source is not source or item.target.name != name:
                wrong.append(name)

    threads = [threading.Thread(target=parse, args=("t" * n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong
