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

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from math import pi
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
    NOTHING,
    PRODUCT,
    ROOMS,
    SIGN,
    SUM,
    WIDE,
    Own,
    Room,
    Spelled,
    TexNames,
    Text,
    affine_tex,
    floor_tex,
    is_sum,
)
from tadc.printing.tex_rows import rows
from tadc.printing.tex_width import PAGE, width
from tadc.syntax.tex.commands import GATED

__all__ = [
    "applied",
    "bracketed",
    "broken",
    "negative",
    "number_tex",
    "product",
    "provided",
    "quotient",
    "tex_display",
    "tex_text",
]

# What amsmath alone has not: fonts, and the product that tadc alone tells from others.
FONTS = {"mathbb": "mathbf", "mathfrak": "mathbf"}
_GATED = "A factor of 0 makes a product 0 here, whatever the other factors are."
LEAST = 160.0  # points for a right side


def tex_text(program: Program, own: Own = NOTHING) -> str:
    """The fragment: declarations, givens, one `align*` with all statements, and their shapes."""
    names = TexNames.of(program, own)
    declarations = program_text(program).splitlines()[: -len(program.statements) or None]
    lines = [f"%!tadc {line}" for line in [*declarations, f"base {names.base}"]]
    lines += [f"%!tadc {tex} is {name}" for name, tex in names.told.items()]
    targets = (s.target for s in program.statements)
    ranges = ((t.name, t.values) for t in targets if t.values is not None)
    lines += [f"%!tadc {name} in {low}..{high}" for name, (low, high) in ranges]
    body = [
        _given(program, names),
        _display(program, names),
        *_shapes(program, names),
        *own.remarks,
    ]
    text = "\n".join(filter(None, body)) + "\n"
    return "\n".join([*lines, *provided(text), text])


def tex_display(program: Program, own: Own = NOTHING) -> str:
    """The statements alone, for a notebook to show."""
    display = _display(program, TexNames.of(program, own))
    return "\n".join([*provided(display), display])


def provided(text: str) -> list[str]:
    """The commands that the text has and amsmath has not."""
    lines = [
        f"\\providecommand{{\\{n}}}[1]{{\\{f}{{#1}}}}"
        for n, f in FONTS.items()
        if f"\\{n}{{" in text
    ]
    return lines + [
        f"\\providecommand{{\\{n}}}{{{sign}}}" for n, sign in GATED.items() if f"\\{n} " in text
    ]


def _display(program: Program, names: TexNames) -> str:
    if not program.statements:
        return ""
    lefts = [_left(s, names) for s in program.statements]
    most = max(
        PAGE - max(map(width, lefts), default=0.0) - 15.0, LEAST
    )  # all stand in front of one column
    lines = " \\\\\n".join(
        _statement(s, left, most, names) for s, left in zip(program.statements, lefts, strict=True)
    )
    return f"\\begin{{align*}}\n{lines}\n\\end{{align*}}"


# ---------------------------------------------------------------------- statements in words


def _given(program: Program, names: TexNames) -> str:
    given = _grouped(program.inputs, names)
    given += [f"${_size(d, names)}$" for d in program.derived_sizes]
    if not given:
        return f"With all indices from ${names.base}$, let"
    return f"Let {', '.join(given)}; all indices start at ${names.base}$. Then"


def _shapes(program: Program, names: TexNames) -> list[str]:
    """The shapes of defined tensors, and the meaning of functions that are tadc's own."""
    tensors = [s.target for s in program.statements]
    shapes = ", ".join(_grouped([t for t in tensors if t.shape or t.dtype], names))
    nodes = [node for s in program.statements for node in postorder(s.body)]
    used = {node.function for node in nodes if isinstance(node, Call)}
    meanings = [f.meaning for f in FUNCTIONS.values() if f.name in used - {"gate"} and f.meaning]
    meanings += [_GATED] if "gate" in used else []
    if "sigmoid" in used and not names.knows("sigma"):
        meanings.append("Here $\\sigma$ is the logistic sigmoid.")
    return [f"with {shapes}.", *meanings] if shapes else meanings


def _grouped(tensors: Iterable[Tensor], names: TexNames) -> list[str]:
    """The tensors with their sets, those of one set together."""
    of: dict[str, list[str]] = {}
    for t in tensors:
        of.setdefault(_set(t, names), []).append(names.tensors[t.name].tex)
    return [
        f"${', '.join(some)} \\in {said}$"
        for said, letters in of.items()
        for some in _shared_out(letters)
    ]


MOST_LETTERS = 45.0  # points of a list, in which a line of words cannot end


def _shared_out(letters: Sequence[str]) -> Iterator[list[str]]:
    """The letters in lists that fit a line of words."""
    some: list[str] = []
    for letter in letters:
        if some and width(", ".join([*some, letter])) > MOST_LETTERS:
            yield some
            some = []
        some.append(letter)
    yield some


def _size(size: DerivedSize, names: TexNames) -> str:
    forms = [affine_tex(form, names.symbols) for form in size.forms]
    value = (
        floor_tex(forms[0], size.modulus)
        if size.op == "floor"
        else f"\\{size.op}({', '.join(forms)})"
    )
    return f"{names.symbols[size.name]} = {value}"


def _set(tensor: Tensor, names: TexNames) -> str:
    numbers = f"\\mathtt{{{tensor.dtype}}}" if tensor.dtype else "\\mathbb{R}"
    texts = [affine_tex(n, names.symbols) for n in tensor.shape]
    if len(texts) > 1:
        texts = [f"({t})" if is_sum(n) else t for n, t in zip(tensor.shape, texts, strict=True)]
    extents = " \\times ".join(texts)
    return numbers + (f"^{{{extents}}}" if extents else "")


# ---------------------------------------------------------------------- statements


def _left(statement: Statement, names: TexNames) -> str:
    indices = map(symbol, statement.indices)
    return names.tensors[statement.target.name].element(names.listed(indices))


def _statement(statement: Statement, left: str, most: float, names: TexNames) -> str:
    """The statement, with as little room for its parts as a page asks for."""
    check_written_out(statement)
    names = names.with_derived(statement.derived)
    best, narrowest = "", float("inf")
    for room in ROOMS:
        found = rows(" ".join(_terms(statement.body, replace(names, room=room))), most)
        widest = max(map(width, found))
        if widest < narrowest:
            best, narrowest = in_rows(found), widest
        if narrowest <= most:
            break
    return f"  {left} &= {best}"


def _terms(body: Expr, names: TexNames) -> list[str]:
    """The text cut before the signs of its outermost sum."""
    terms: list[str] = []
    while isinstance(body, Call) and body.function in ("add", "sub"):
        terms.append(f"{_SIGNS[body.function]} {descend(_term(body.args[1], names))}")
        body = body.args[0]
    first: Text = descend(_summand(body, names) if terms else _text(body, names))
    return [first.tex, *reversed(terms)]


_SIGNS = {"add": "+", "sub": "-"}


def broken(terms: list[str], most: float) -> str:
    """The terms in rows of at most `most` points."""
    return in_rows(rows(" ".join(terms), most))


def in_rows(found: list[str]) -> str:
    """The rows of a right side as LaTeX."""
    return " \\\\\n    &\\hspace{2em} ".join(found)


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
            return _index_value(names.form(form), names.symbols)
        case Read(tensor, subscripts):
            return names.element(tensor, subscripts)
        case Call("neg", (x,)):
            operand = yield _text(x, names)
            return negative(operand, names.room)
        case Call("add" | "sub" as function, (a, b)):
            first, second = (yield _summand(a, names)), (yield _term(b, names))
            return Text(f"{first.tex} {_SIGNS[function]} {second}", SUM)
        case Call("mul", (a, b)):
            # An index behind a name in brackets would be one of its subscripts.
            apart = _has_index(b)
            return product(
                (yield _text(a, names)), (yield _text(b, names)), names.room, apart=apart
            )
        case Call("div", (a, b)):
            return quotient((yield _text(a, names)), (yield _text(b, names)), names.room)
        case Call("gate", (a, b)):
            return product(
                (yield _text(a, names)), (yield _text(b, names)), names.room, sign="\\gated"
            )
        case Call("pow", (a, b)):
            base, power = (yield _text(a, names)), (yield _text(b, names))
            # Without brackets an index would be a superscript of the name.
            is_element = isinstance(a, Read) and a.subscripts
            plain = base.level == ATOM and not (is_element and isinstance(b, IndexValue))
            below = base.tex if plain else bracketed(base.tex, names.room)
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
            other = ""
            if op == "sum" and (left_out := _left_out(body)) is not None:
                other, body = _differs(left_out[0], inner_names), left_out[1]
            factor = yield _summand(body, inner_names)
            tex = factor.tex if factor.level >= PRODUCT else bracketed(factor.tex, names.room)
            return Text(f"\\{op}{limits_tex(e, inner_names, other)} {tex}", FACTOR, is_open=True)


def _summand(e: Expr, names: TexNames) -> Generator[Any, Any, Text]:
    """As `_text`; a choice between something and 0 is a product with its Iverson bracket."""
    match e:
        case Select(condition, then, Const(0 as zero)) if type(zero) is int:
            inner = yield _condition(condition, names)
            is_wide = width(inner) > names.room.case
            bracket = f"\\bigl[{inner}\\bigr]" if is_wide else f"\\left[{inner}\\right]"
            factor = yield _text(then, names)
            if isinstance(then, Select) or factor.level < PRODUCT:
                return Text(f"{bracket} {bracketed(factor.tex, names.room)}", PRODUCT)
            tex = _grouped_factors(factor.tex, names.room) if _is_one(factor) else factor.tex
            return Text(f"{bracket} {tex}", PRODUCT, factor.is_open)
        case _:
            text: Text = yield _text(e, names)
            return text


def _term(e: Expr, names: TexNames) -> Generator[Any, Any, str]:
    """A term as written after `+` or `-`."""
    text = yield _summand(e, names)
    return text.tex if text.level >= PRODUCT else bracketed(text.tex, names.room)


def product(
    first: Text, second: Text, room: Room = WIDE, *, apart: bool = False, sign: str = "\\cdot"
) -> Text:
    """The product; a product as the second factor stands in braces, which nobody sees. `apart` asks for the sign."""
    fits = first.level >= SIGN and not first.is_open
    left = first.tex if fits else bracketed(first.tex, room)
    right = second.tex
    if second.level == PRODUCT:
        right = _grouped_factors(right, room)
    elif second.level < PRODUCT:
        right = bracketed(right, room)
    begins = right.lstrip("{")[0]
    touching = apart or begins.isdecimal() or (left[-1].isdecimal() and right.startswith("\\frac"))
    if touching and sign == "\\gated":
        sign = "\\gatedby"
    shown = f" {sign} " if touching or sign != "\\cdot" else " "
    level = SIGN if fits and first.level == SIGN else PRODUCT
    return Text(f"{left}{shown}{right}", level, second.is_open and second.level >= PRODUCT)


def negative(operand: Text, room: Room = WIDE) -> Text:
    """The operand with a minus; braces, which nobody sees, where that would be one of its first factor."""
    tex = operand.tex if operand.level >= PRODUCT else bracketed(operand.tex, room)
    if _is_one(operand):
        tex = _grouped_factors(tex, room)
    return Text(f"-{tex}", SIGN, operand.is_open)


def _is_one(text: Text) -> bool:
    """Whether it is a product whose factors belong together, so that nothing in front is one of them."""
    return text.level == PRODUCT and ("\\gated" in text.tex or " / " in text.tex)


def quotient(over: Text, under: Text, room: Room = WIDE) -> Text:
    """The fraction; in one row where it is wide, or its parts have fractions themselves."""
    is_wide = max(width(over.tex), width(under.tex)) > room.part
    is_tower = over.level >= PRODUCT and "\\frac" in over.tex and width(over.tex) < room.brackets
    if not is_wide and not (is_tower and under.level >= FACTOR and "\\frac" not in under.tex):
        return Text(f"\\frac{{{over.tex}}}{{{under.tex}}}", FACTOR)
    above = over.tex if over.level >= PRODUCT and not over.is_open else bracketed(over.tex, room)
    below = under.tex if under.level >= FACTOR else bracketed(under.tex, room)
    return Text(f"{above} / {below}", PRODUCT, is_open=True)


def _has_index(e: Expr) -> bool:
    """Whether it is an index, or a sum or power of one, which in brackets may be a subscript."""
    waiting = [e]
    while waiting:
        match waiting.pop():
            case IndexValue():
                return True
            case Call("add" | "sub", args):
                waiting += args
            case Call("pow", (base, _)):
                waiting.append(base)
            case _:
                pass
    return False


def _grouped_factors(tex: str, room: Room) -> str:
    """A product as one factor: in braces, which nobody sees, unless a row has to end inside."""
    return bracketed(tex, room) if width(tex) > room.case else f"{{{tex}}}"


def _left_out(body: Expr) -> tuple[Domain, Expr] | None:
    """The one equation under which a summand is 0, and the summand."""
    match body:
        case Select(Domain() as condition, Const(0 as zero), otherwise) if type(zero) is int:
            (*others, last) = condition
            return (condition, otherwise) if not others and last.relation == "==" else None
        case _:
            return None


def _differs(condition: Domain, names: TexNames) -> str:
    (equation,) = conditions_tex(condition, names)
    return equation.replace(" = ", " \\ne ")


def applied(function: str, inner: str, names: TexNames, *, is_quotient: bool) -> Text:
    """The function of `inner`. The floor of a quotient is a word: as brackets it would be one of index arithmetic."""
    if function in _ENCLOSING and not (function in ("floor", "ceil") and is_quotient):
        before, after = _ENCLOSING[function]
        if function == "sqrt" and width(inner) > names.room.part:
            return Text(f"\\operatorname{{sqrt}}{bracketed(inner, names.room)}", FACTOR)
        return Text(f"{before}{inner}{after}", ATOM if function == "abs" else FACTOR)
    if function == "sigmoid" and not names.knows("sigma"):
        return Text(f"\\sigma{bracketed(inner, names.room)}", FACTOR)
    command = _COMMANDS.get(function, f"\\operatorname{{{function}}}")
    return Text(f"{command}{bracketed(inner, names.room)}", FACTOR)


def _cases(e: Select, names: TexNames) -> Generator[Any, Any, Text]:
    lines: list[str] = []
    rest: Expr = e
    while isinstance(rest, Select):
        condition = yield _condition(rest.condition, names)
        value = yield _summand(rest.then, names)
        lines.append(f"{_cell(value.tex, names.room)} & \\text{{if }} {condition}")
        rest = rest.otherwise
    lines.append(f"{_cell((yield _summand(rest, names)).tex, names.room)} & \\text{{otherwise}}")
    table = " \\\\ ".join(lines)
    return Text(f"\\begin{{cases}} {table} \\end{{cases}}", FACTOR)


def _cell(tex: str, room: Room) -> str:
    """The value of a case, in rows where it is wide."""
    first, *others = rows(tex, room.case)
    if not others:
        return tex
    lines = " \\\\ ".join([f"&{first}", *(f"&\\hspace{{2em}} {row}" for row in others)])
    return f"\\begin{{aligned}} {lines} \\end{{aligned}}"


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


def bracketed(tex: str, room: Room = WIDE) -> str:
    """The formula in brackets: of their own size where a row may end inside."""
    tall = any(command in tex for command in _TALL)
    if tall and width(tex) > room.brackets:
        size = "bigg" if any(command in tex for command in _TALLEST) else "big"
        return f"\\{size}l({tex}\\{size}r)"
    return f"\\left({tex}\\right)" if tall else f"({tex})"


_TALLEST = ("\\frac", "\\sum", "\\prod", "\\max_", "\\min_", "\\begin", "\\biggl")


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
