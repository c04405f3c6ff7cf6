r"""Programs as LaTeX: mathematics to read, with amsmath alone, which tadc's own front end reads back as the same program.

    %!tadc size N
    %!tadc input a[N, 5], b[5]
    %!tadc output c
    %!tadc base 0
    \providecommand{\mathbb}[1]{\mathbf{#1}}
    Let $a \in \mathbb{R}^{N \times 5}$, $b \in \mathbb{R}^{5}$; all indices start at $0$. Then
    \begin{align*}
      c_{i} &= \sum_{k=0}^{4} a_{ik} b_{k}
    \end{align*}
    with $c \in \mathbb{R}^{N}$.

The `%!tadc` lines, the display, and the shapes after it are read back; the first sentence is for people.
Derived indices are written as the floors they stand for; choices with a zero as Iverson brackets where they are a term
of a sum, else as cases.
"""

from __future__ import annotations

from collections.abc import Generator
from math import pi
from re import compile as re_compile
from re import sub
from typing import Any

from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.functions import FUNCTIONS
from tadc.ir.program import DerivedSize, Program, Statement, Tensor
from tadc.ir.walk import descend, postorder
from tadc.printing.idx import check_written_out, program_text
from tadc.printing.tex_limits import conditions_tex, limits_tex
from tadc.printing.tex_names import (
    ATOM,
    FACTOR,
    PRODUCT,
    SIGN,
    SUM,
    Spelled,
    TexNames,
    Text,
    affine_tex,
    floor_tex,
    is_sum,
)

__all__ = [
    "PROVIDED",
    "applied",
    "bracketed",
    "broken",
    "number_tex",
    "product",
    "tex_display",
    "tex_text",
]

PROVIDED = r"\providecommand{\mathbb}[1]{\mathbf{#1}}"  # amsmath alone has no blackboard letters
WIDTH = 64  # characters after which a row ends
LINE = 66  # the same, with the left side
LEAST = 40  # of the right side


def tex_text(program: Program) -> str:
    """The fragment: declarations, givens, one `align*` with all statements, and their shapes."""
    names = TexNames.of(program)
    declarations = program_text(program).splitlines()[: -len(program.statements) or None]
    lines = [f"%!tadc {line}" for line in [*declarations, "base 0"]] + [PROVIDED]
    lines += [_given(program, names), _display(program, names), *_shapes(program, names)]
    return "\n".join(lines) + "\n"


def tex_display(program: Program) -> str:
    """The statements alone, for a notebook to show."""
    return _display(program, TexNames.of(program))


def _display(program: Program, names: TexNames) -> str:
    lefts = [_left(s, names) for s in program.statements]
    most = max(LINE - max(map(_width, lefts), default=0), LEAST)  # all stand in front of one column
    rows = " \\\\\n".join(
        _statement(s, left, most, names) for s, left in zip(program.statements, lefts, strict=True)
    )
    return f"\\begin{{align*}}\n{rows}\n\\end{{align*}}"


# ---------------------------------------------------------------------- statements in words


def _given(program: Program, names: TexNames) -> str:
    given = [f"${_shape(t, names)}$" for t in program.inputs]
    given += [f"${_size(d, names)}$" for d in program.derived_sizes]
    if not given:
        return "With all indices from $0$, let"
    return f"Let {', '.join(given)}; all indices start at $0$. Then"


def _shapes(program: Program, names: TexNames) -> list[str]:
    """The shapes of defined tensors, and the meaning of functions that are tadc's own."""
    shapes = ", ".join(f"${_shape(s.target, names)}$" for s in program.statements)
    nodes = [node for s in program.statements for node in postorder(s.body)]
    used = {node.function for node in nodes if isinstance(node, Call)}
    meanings = [f.meaning for f in FUNCTIONS.values() if f.name in used and f.meaning]
    if "sigmoid" in used and not names.knows("sigma"):
        meanings.append("Here $\\sigma$ is the logistic sigmoid.")
    return [f"with {shapes}.", *meanings]


def _size(size: DerivedSize, names: TexNames) -> str:
    forms = [affine_tex(form, names.symbols) for form in size.forms]
    value = (
        floor_tex(forms[0], size.modulus)
        if size.op == "floor"
        else f"\\{size.op}({', '.join(forms)})"
    )
    return f"{names.symbols[size.name]} = {value}"


def _shape(tensor: Tensor, names: TexNames) -> str:
    numbers = f"\\mathtt{{{tensor.dtype}}}" if tensor.dtype else "\\mathbb{R}"
    texts = [affine_tex(n, names.symbols) for n in tensor.shape]
    if len(texts) > 1:
        texts = [f"({t})" if is_sum(n) else t for n, t in zip(tensor.shape, texts, strict=True)]
    extents = " \\times ".join(texts)
    return f"{names.tensors[tensor.name].tex} \\in {numbers}" + (
        f"^{{{extents}}}" if extents else ""
    )


# ---------------------------------------------------------------------- statements


def _left(statement: Statement, names: TexNames) -> str:
    left = names.tensors[statement.target.name].tex
    if statement.indices:
        left += f"_{{{names.listed(map(symbol, statement.indices))}}}"
    return left


def _statement(statement: Statement, left: str, most: int, names: TexNames) -> str:
    check_written_out(statement)
    names = names.with_derived(statement.derived)
    return f"  {left} &= {broken(_terms(statement.body, names), most)}"


def _terms(body: Expr, names: TexNames) -> list[str]:
    """The text cut before the signs of its outermost sum."""
    terms: list[str] = []
    while isinstance(body, Call) and body.function in ("add", "sub"):
        terms.append(f"{_SIGNS[body.function]} {descend(_term(body.args[1], names))}")
        body = body.args[0]
    first: Text = descend(_summand(body, names) if terms else _text(body, names))
    return [first.tex, *reversed(terms)]


_SIGNS = {"add": "+", "sub": "-"}


def broken(terms: list[str], most: int = WIDTH) -> str:
    """The terms in rows of about `most` characters: a row ends before a sign where it would grow too long, and inside a term that is too long itself."""
    rows = [terms[0]]
    for term in terms[1:]:
        if _width(rows[-1]) + _width(term) > most:
            rows.append(term)
        else:
            rows[-1] += f" {term}"
    folded = [f" \\\\\n    &{_INDENT}".join(_folded(row, most)) for row in rows]
    return " \\\\\n    &".join(folded)


CELL = 40  # characters of a case after which it has rows of its own
_ROWS = re_compile(
    r"\\begin\{(?P<name>cases|aligned)\}(?P<rows>(?:(?!\\begin\{).)*?)\\end\{(?P=name)\}"
)
_OPERATOR = re_compile(r"\\(sum|prod|max|min|cdot)")  # what follows stands in its row
_INDENT = "\\hspace{2em} "
_STEP = re_compile(
    r"(?P<open>\\left(?![a-z])|\\begin(?=\{)|(?<!\\)\{)|(?P<close>\\right(?![a-z])|\\end(?=\{)|(?<!\\)\})|(?P<blank> )"
)


def _folded(row: str, most: int = WIDTH) -> list[str]:
    r"""A row cut at blanks outside of braces, `\left` .. `\right` and environments, into parts of at most this width if that helps."""
    if _width(row) <= most:
        return [row]
    depth, piece, cuts = 0, 0, []
    for step in _STEP.finditer(row):
        depth += (step["open"] is not None) - (step["close"] is not None)
        if (
            step["blank"]
            and depth == 0
            and row[step.start() - 1] not in "+-"
            and not row[: step.start()].endswith("&=")
            and not _OPERATOR.match(row, piece)
        ):
            cuts.append(step.start())
        piece = step.end() if step["blank"] and depth == 0 else piece
    parts, start, last = [], 0, 0
    for cut in [*cuts, len(row)]:
        if last > start and _width(row[start:cut]) > most:
            parts.append(row[start:last].strip())
            start = last
        last = cut
    return [*parts, row[start:].strip()]


def _width(tex: str) -> int:
    """About how many characters are printed: scripts and fractions are small or above each other, rows below each other."""
    count = 1
    while count:  # inner ones first
        tex, count = _ROWS.subn(lambda m: "m" * max(map(_width, m["rows"].split(" \\\\ "))), tex)
    return len(
        sub(r"\\(mathit|mathrm|left|right|operatorname|frac|[Bb]igl?|[Bb]igr?)|[{}_^ ]", "", tex)
    )


# ---------------------------------------------------------------------- expressions

# fmt: off
_COMMANDS = {
    **{name: f"\\{name}" for name in ("exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "max", "min")},
    "asin": "\\arcsin", "acos": "\\arccos", "atan": "\\arctan", "log2": "\\log_{2}", "log10": "\\log_{10}",
    "sign": "\\operatorname{sgn}",
}
_ENCLOSING = {
    "sqrt": ("\\sqrt{", "}"), "cbrt": ("\\sqrt[3]{", "}"), "abs": ("\\left|", "\\right|"),
    "floor": ("\\left\\lfloor ", " \\right\\rfloor"), "ceil": ("\\left\\lceil ", " \\right\\rceil"),
}
_RELATIONS = {"==": "=", "!=": "\\ne", "<": "<", "<=": "\\le"}
_SWAPPED = {"<": ">", "<=": "\\ge"}
_TALL = ("\\frac", "\\sum", "\\prod", "\\max_", "\\min_", "\\begin", "\\left", "\\sqrt")
# fmt: on


def _text(e: Expr, names: TexNames) -> Generator[Any, Any, Text]:
    """One walk of `descend`."""
    match e:
        case Const(value):
            return number_tex(value, names)
        case IndexValue(form):
            return _index_value(form, names.symbols)
        case Read(tensor, subscripts):
            name = names.tensors[tensor]
            if not subscripts:
                return name
            return Text(f"{name.tex}_{{{names.listed(subscripts)}}}", name.level)
        case Call("neg", (x,)):
            operand = yield _text(x, names)
            tex = operand.tex if operand.level >= PRODUCT else bracketed(operand.tex)
            return Text(f"-{tex}", SIGN, operand.is_open)
        case Call("add" | "sub" as function, (a, b)):
            first, second = (yield _summand(a, names)), (yield _term(b, names))
            return Text(f"{first.tex} {_SIGNS[function]} {second}", SUM)
        case Call("mul", (a, b)):
            # An index behind a name in brackets would be one of its subscripts.
            apart = isinstance(b, IndexValue)
            return product((yield _text(a, names)), (yield _text(b, names)), apart=apart)
        case Call("div", (a, b)):
            over, under = (yield _text(a, names)), (yield _text(b, names))
            return Text(f"\\frac{{{over.tex}}}{{{under.tex}}}", FACTOR)
        case Call("pow", (a, b)):
            base, power = (yield _text(a, names)), (yield _text(b, names))
            # Without brackets an index would be a superscript of the name.
            is_element = isinstance(a, Read) and a.subscripts
            plain = base.level == ATOM and not (is_element and isinstance(b, IndexValue))
            below = base.tex if plain else bracketed(base.tex)
            return Text(f"{below}^{{{power.tex}}}", FACTOR)
        case Call(function, args):
            inner = []
            for arg in args:
                inner.append((yield _text(arg, names)).tex)
            is_quotient = isinstance(args[0], Call) and args[0].function in ("div", "neg")
            return applied(function, ", ".join(inner), names, is_quotient=is_quotient)
        case Select():
            cases: Text = yield _cases(e, names)
            return cases
        case Reduce(op, _, derived, _, body):
            inner_names = names.with_derived(derived)
            factor = yield _summand(body, inner_names)
            tex = factor.tex if factor.level >= PRODUCT else bracketed(factor.tex)
            return Text(f"\\{op}{limits_tex(e, inner_names)} {tex}", FACTOR, is_open=True)


def _summand(e: Expr, names: TexNames) -> Generator[Any, Any, Text]:
    """As `_text`; a choice between something and 0 is a product with its Iverson bracket."""
    match e:
        case Select(condition, then, Const(0 as zero)) if type(zero) is int:
            inner = yield _condition(condition, names)
            is_wide = _width(inner) > WIDTH // 2
            bracket = f"\\Bigl[{inner}\\Bigr]" if is_wide else f"\\left[{inner}\\right]"
            factor = yield _text(then, names)
            if isinstance(then, Select) or factor.level < PRODUCT:
                return Text(f"{bracket} {bracketed(factor.tex)}", PRODUCT)
            return Text(f"{bracket} {factor.tex}", PRODUCT, factor.is_open)
        case _:
            text: Text = yield _text(e, names)
            return text


def _term(e: Expr, names: TexNames) -> Generator[Any, Any, str]:
    """A term as written after `+` or `-`."""
    text = yield _summand(e, names)
    return text.tex if text.level >= PRODUCT else bracketed(text.tex)


def product(first: Text, second: Text, *, apart: bool = False) -> Text:
    fits = first.level >= SIGN and not first.is_open
    left = first.tex if fits else bracketed(first.tex)
    right = second.tex if second.level >= FACTOR else bracketed(second.tex)
    touching = (
        apart or right[0].isdecimal() or (left[-1].isdecimal() and right.startswith("\\frac"))
    )
    sign = " \\cdot " if touching else " "
    level = SIGN if fits and first.level == SIGN else PRODUCT
    return Text(f"{left}{sign}{right}", level, second.is_open and second.level >= FACTOR)


def applied(function: str, inner: str, names: TexNames, *, is_quotient: bool) -> Text:
    """The function of `inner`. The floor of a quotient is a word: as brackets it would be one of index arithmetic."""
    if function in _ENCLOSING and not (function in ("floor", "ceil") and is_quotient):
        before, after = _ENCLOSING[function]
        return Text(f"{before}{inner}{after}", ATOM if function == "abs" else FACTOR)
    if function == "sigmoid" and not names.knows("sigma"):
        return Text(f"\\sigma{bracketed(inner)}", FACTOR)
    command = _COMMANDS.get(function, f"\\operatorname{{{function}}}")
    return Text(f"{command}{bracketed(inner)}", FACTOR)


def _cases(e: Select, names: TexNames) -> Generator[Any, Any, Text]:
    rows = []
    rest: Expr = e
    while isinstance(rest, Select):
        condition = yield _condition(rest.condition, names)
        value = yield _summand(rest.then, names)
        rows.append(f"{_cell(value.tex)} & \\text{{if }} {condition}")
        rest = rest.otherwise
    rows.append(f"{_cell((yield _summand(rest, names)).tex)} & \\text{{otherwise}}")
    lines = " \\\\ ".join(rows)
    return Text(f"\\begin{{cases}} {lines} \\end{{cases}}", FACTOR)


def _cell(tex: str) -> str:
    """The value of a case, in rows where it is wide."""
    first, *others = _folded(tex, CELL)
    if not others:
        return tex
    rows = " \\\\ ".join([f"&{first}", *(f"&{_INDENT}{row}" for row in others)])
    return f"\\begin{{aligned}} {rows} \\end{{aligned}}"


def number_tex(value: float, names: TexNames) -> Text:
    if value == pi and not names.knows("pi"):
        return Text("\\pi", ATOM)
    text = repr(value)
    level = SIGN if text.startswith("-") else ATOM
    if "e" in text:
        mantissa, exponent = text.split("e")
        mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
        return Text(f"{mantissa} \\cdot 10^{{{int(exponent)}}}", min(level, PRODUCT))
    return Text(text.replace("inf", "\\infty").replace("nan", "\\mathit{nan}"), level)


def bracketed(tex: str) -> str:
    tall = any(command in tex for command in _TALL)
    if tall and _width(tex) > WIDTH // 2:
        return f"\\Bigl({tex}\\Bigr)"  # a row may end inside
    return f"\\left({tex}\\right)" if tall else f"({tex})"


def _condition(condition: Domain | Comparison, names: TexNames) -> Generator[Any, Any, str]:
    if isinstance(condition, Domain):
        return " \\land ".join(conditions_tex(condition, names)) or "0 = 0"
    left = yield _text(condition.left, names)
    right = yield _text(condition.right, names)
    if isinstance(condition.left, Const) and condition.relation in _SWAPPED:
        return f"{right.tex} {_SWAPPED[condition.relation]} {left.tex}"
    return f"{left.tex} {_RELATIONS[condition.relation]} {right.tex}"


def _index_value(form: Affine, symbols: Spelled) -> Text:
    text = affine_tex(form, symbols)
    if form.as_symbol() is not None:
        return Text(text, ATOM if text.isalnum() else FACTOR)
    if len(form.terms) == 1 and not form.constant:
        return Text(text, SIGN if form.terms[0][1] < 0 else PRODUCT)
    return Text(text, SUM)
