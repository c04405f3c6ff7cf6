r"""Syntax trees as LaTeX, for programs that have no affine statements yet: as `tex_text.py`, with the sizes by name.

Expressions in subscripts and limits are written as index arithmetic, `\lfloor i/S \rfloor` and `i \bmod S`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any, TypeAlias

from tadc.errors import SyntaxError
from tadc.ir.walk import descend
from tadc.printing.tex import (
    LEAST,
    applied,
    bracketed,
    broken,
    negative,
    number_tex,
    product,
    provided,
    quotient,
)
from tadc.printing.tex_names import ATOM, FACTOR, PRODUCT, SIGN, SUM, Own, TexNames, Text
from tadc.printing.tex_width import PAGE, width
from tadc.printing.tree_idx import (
    declaration_lines,
    declared_inputs,
    named_sizes,
    node_text,
)
from tadc.syntax import ast
from tadc.syntax.base import declared_base

__all__ = ["tree_tex", "tree_tex_display"]

Walk: TypeAlias = Generator[Any, Any, Any]
Node: TypeAlias = ast.Expression | ast.Condition

CONSTANTS = ("pi", "inf", "nan")
_RELATIONS = {"==": "=", "!=": "\\ne", "<": "<", "<=": "\\le", ">": ">", ">=": "\\ge"}
_COMMANDS = ("sum", "prod", "max", "min")  # reductions that are commands of LaTeX
OR, AND, NOT = range(3)


def tree_tex(tree: ast.Program, given: Mapping[str, int], index_base: int) -> str:
    r"""The fragment: `%!tadc` lines, the statements, and the shapes that they define.

    Raises SyntaxError where LaTeX has no spelling, such as for the extent of one index of several on a left side.
    """
    names = _names(tree)
    lines = [f"%!tadc {line}" for line in declaration_lines(tree, given, index_base)]
    lines += ["%!tadc base 0"] if _base(tree, index_base) == 0 else []
    lines += [f"%!tadc {tex} is {name}" for name, tex in names.told.items()]
    lines += [
        f"%!tadc {d.target.name} in {'..'.join(map(node_text, d.values))}"
        for d in _definitions(tree)
        if d.values is not None
    ]
    lines += provided("\\mathbb{")
    lines += [f"With all indices from ${_base(tree, index_base)}$, let"]
    lines += [tree_tex_display(tree, index_base)]
    shapes = [shape for d in _definitions(tree) if (shape := _shape(d, tree, names))]
    lines += [f"with {', '.join(f'${s}$' for s in shapes)}."] if shapes else []
    return "\n".join(lines) + "\n"


def tree_tex_display(tree: ast.Program, index_base: int) -> str:
    """The statements alone, for a notebook to show."""
    names, base = _names(tree), _base(tree, index_base)
    definitions = _definitions(tree)
    lefts = [_left(d, names) for d in definitions]
    most = max(PAGE - max(map(width, lefts), default=0.0) - 15.0, LEAST)
    rows = " \\\\\n".join(
        _statement(d, left, most, names, base) for d, left in zip(definitions, lefts, strict=True)
    )
    return f"\\begin{{align*}}\n{rows}\n\\end{{align*}}"


def _definitions(tree: ast.Program) -> list[ast.Definition]:
    for item in tree.items:
        if isinstance(item, (ast.Update, ast.Block, ast.Loop)):
            raise SyntaxError(
                item.span,
                "loops whose rounds have no number yet are not printed as LaTeX",
                fix="give the sizes numbers, `f.fix(T=8)`, or print `.idx` text",
            )
    return [i for i in tree.items if isinstance(i, ast.Definition)]


def _base(tree: ast.Program, index_base: int) -> int:
    base = declared_base(tree.items)
    return index_base if base is None else base


def _names(tree: ast.Program) -> TexNames:
    """The names of the tree: one that is no index, size or constant is a tensor."""
    sizes = named_sizes(tree)
    elements = dict.fromkeys(declared_inputs(tree))
    alone: dict[str, None] = {}
    indices: dict[str, None] = {}
    stack: list[object] = list(reversed(tree.items))
    while stack:
        match stack.pop():
            case ast.Definition(target, lefts, _, _, body):
                elements.setdefault(target.name)
                indices |= {left.name.name: None for left in lefts}
                stack += [body, *(left.extent for left in lefts)]
            case ast.Reduction(_, ranges, condition, body):
                indices |= {r.name.name: None for r in ranges}
                stack += [body, condition]
                stack += [part for r in ranges for part in (r.extent, r.low, r.high)]
            case ast.Name(name):
                alone.setdefault(name)
            case ast.Element(name, subscripts):
                elements.setdefault(name.name)
                stack += subscripts
            case ast.Application(_, args):
                stack += args
            case ast.Unary(operand) | ast.Not(operand) | ast.Bracket(operand):
                stack.append(operand)
            case ast.IsInteger(operand):
                stack.append(operand)
            case ast.Binary(_, left, right) | ast.Logical(_, left, right):
                stack += [left, right]
            case ast.Choice(condition, then, otherwise):
                stack += [condition, then, otherwise]
            case ast.Comparison(operands):
                stack += operands
            case _:
                pass
    known = {*sizes, *indices, *CONSTANTS}
    tensors = (*elements, *(n for n in alone if n not in known))
    return TexNames.written(tensors, sizes, indices, Own(tree.letters))


# ---------------------------------------------------------------------- statements and shapes


def _left(d: ast.Definition, names: TexNames) -> str:
    indices = names.joined([names.symbols[r.name.name] for r in d.lefts])
    return names.tensors[d.target.name].element(indices)


def _statement(d: ast.Definition, left: str, most: float, names: TexNames, base: int) -> str:
    terms: list[str] = []
    body = d.body
    value = _Values(names, base)
    while isinstance(body, ast.Binary) and body.operator in ("+", "-"):
        terms.append(f"{body.operator} {descend(value.term(body.right))}")
        body = body.left
    return f"  {left} &= {broken([descend(value.text(body)).tex, *reversed(terms)], most)}"


def _shape(d: ast.Definition, tree: ast.Program, names: TexNames) -> str:
    """The declaration of the shape and elements of a defined tensor; empty where none is needed."""
    said = next(
        (
            i
            for i in tree.items
            if isinstance(i, ast.TensorDeclaration) and i.name.name == d.target.name
        ),
        None,
    )
    dtype = d.dtype or (said.dtype if said else None)
    extents = [left.extent for left in d.lefts]
    if said is not None and said.extents is not None:
        extents = [written or e for written, e in zip(extents, said.extents, strict=True)]
    if not dtype and None in extents:
        extents = [
            None if e is not None and _follows(left.name.name, e, d, tree) else e
            for left, e in zip(d.lefts, extents, strict=True)
        ]
    if dtype is None and not any(extents):
        return ""
    missing = [r.name for r, e in zip(d.lefts, extents, strict=True) if e is None]
    if missing:
        raise SyntaxError(
            missing[0].span,
            f"`{missing[0].name}` has no extent beside indices that have one, which LaTeX cannot say",
            fix=f"give it one: `{d.target.name}[.., {missing[0].name}: N]`",
        )
    numbers = f"\\mathtt{{{dtype.name}}}" if dtype else "\\mathbb{R}"
    value = _Indices(names)
    texts = [descend(value.text(e)) for e in extents if e is not None]
    shape = " \\times ".join(
        bracketed(t.tex) if t.level <= SUM and len(texts) > 1 else t.tex for t in texts
    )
    return f"{names.tensors[d.target.name].tex} \\in {numbers}" + (f"^{{{shape}}}" if shape else "")


def _follows(index: str, extent: ast.Expression, d: ast.Definition, tree: ast.Program) -> bool:
    """Whether every bare use of the index, and one at least, gives it this extent anyway (language, section 3)."""
    inputs = declared_inputs(tree)
    given: list[str] = []
    stack: list[object] = [d.body]
    while stack:
        match stack.pop():
            case ast.Element(name, subscripts):
                declaration = inputs.get(name.name)
                extents = declaration.extents if declaration else None
                for k, subscript in enumerate(subscripts):
                    if isinstance(subscript, ast.Name) and subscript.name == index:
                        known = extents is not None and k < len(extents)
                        given.append(node_text(extents[k]) if extents and known else "")
            case ast.Reduction(_, ranges, _, body):
                if index not in (r.name.name for r in ranges):
                    stack.append(body)
            case ast.Application(_, args):
                stack += args
            case ast.Unary(operand):
                stack.append(operand)
            case ast.Binary(_, left, right):
                stack += [left, right]
            case ast.Choice(_, then, otherwise):
                stack += [then, otherwise]
            case _:
                pass
    return set(given) == {node_text(extent)}


# ---------------------------------------------------------------------- index arithmetic


class _Indices:
    """The spelling of subscripts, extents, limits and conditions on indices."""

    def __init__(self, names: TexNames) -> None:
        self.names = names

    def text(self, e: Node) -> Walk:
        """One walk of `descend`."""
        match e:
            case ast.Number(text):
                return Text(text, ATOM)
            case ast.Name(name):
                tex = self.names.symbols.get(name)
                return Text(tex, ATOM) if tex is not None else self.names.element(name, ())
            case ast.Unary(operand):
                inner = yield self.text(operand)
                return Text(f"-{_at_least(inner, FACTOR)}", SIGN)
            case ast.Binary("+" | "-" as sign, a, b):
                first, second = (yield self.text(a)), (yield self.text(b))
                return Text(f"{first.tex} {sign} {_at_least(second, PRODUCT)}", SUM)
            case ast.Binary("*", a, b):
                first, second = (yield self.text(a)), (yield self.text(b))
                plain = isinstance(a, ast.Number | ast.Name) and isinstance(b, ast.Name)
                dot = " " if plain else " \\cdot "
                left = _at_least(first, PRODUCT)
                return Text(f"{left}{dot}{_at_least(second, FACTOR)}", PRODUCT)
            case ast.Binary("//", a, b) if isinstance(b, ast.Number | ast.Name):
                first, second = (yield self.text(a)), (yield self.text(b))
                return Text(f"\\lfloor {_at_least(first, FACTOR)}/{second.tex} \\rfloor", FACTOR)
            case ast.Binary("%" | "/" as operator, a, b):
                first, second = (yield self.text(a)), (yield self.text(b))
                command = " \\bmod " if operator == "%" else "/"
                return Text(f"{_at_least(first, FACTOR)}{command}{_at_least(second, FACTOR)}", SUM)
            case ast.Element(name, subscripts) if name.name not in ("min", "max"):
                texts = []
                for subscript in subscripts:
                    texts.append((yield self.text(subscript)).tex)
                letter = self.names.tensors[name.name]
                element = letter.element(self.names.joined(texts))
                return Text(element, FACTOR if letter.above else ATOM)
            case ast.Application(function, args) | ast.Element(function, args):
                inner = []
                for arg in args:
                    inner.append((yield self.text(arg)).tex)
                name = function.name
                command = f"\\{name}" if name in _COMMANDS else f"\\operatorname{{{name}}}"
                return Text(f"{command}{bracketed(', '.join(inner))}", FACTOR)
            case _:
                raise SyntaxError(
                    e.span,
                    f"`{node_text(e)}` has no spelling in LaTeX",
                    fix="name the divisor, `size P = ..`, or ask for `.idx`",
                )


def _at_least(text: Text, level: int) -> str:
    return text.tex if text.level >= level and not text.is_open else bracketed(text.tex)


# ---------------------------------------------------------------------- values


class _Values:
    """The spelling of values and conditions. `base` is the first index."""

    def __init__(self, names: TexNames, base: int) -> None:
        self.names, self.base = names, base
        self.indices = _Indices(names)

    def text(self, e: ast.Expression) -> Walk:
        """One walk of `descend`."""
        names = self.names
        match e:
            case ast.Number(text):
                return Text(text, ATOM) if text.isdecimal() else number_tex(float(text), names)
            case ast.Name(name) if name in CONSTANTS and not names.knows(name):
                return number_tex(float("3.141592653589793" if name == "pi" else name), names)
            case ast.Name() | ast.Element():
                return (yield self.indices.text(e))
            case ast.Unary(operand):
                inner = yield self.text(operand)
                return negative(inner)
            case ast.Binary("+" | "-" as sign, a, b):
                first = yield self.text(a)
                return Text(f"{first.tex} {sign} {(yield self.term(b))}", SUM)
            case ast.Binary("*", a, b):
                return product((yield self.text(a)), (yield self.text(b)))
            case ast.Binary("/", a, b):
                return quotient((yield self.text(a)), (yield self.text(b)))
            case ast.Binary("**", a, b):
                below, power = (yield self.text(a)), (yield self.text(b))
                # Without brackets an index would be a superscript of the name.
                is_open = isinstance(a, ast.Element) and not isinstance(b, ast.Number)
                plain = below.level == ATOM and not is_open
                tex = below.tex if plain else bracketed(below.tex)
                return Text(f"{tex}^{{{power.tex}}}", FACTOR)
            case ast.Binary():
                return (yield self.indices.text(e))
            case ast.Application(ast.Name("delta"), args) if not names.knows("delta"):
                texts = []
                for arg in args:
                    texts.append((yield self.indices.text(arg)).tex)
                return Text(f"\\delta_{{{', '.join(texts)}}}", FACTOR)
            case ast.Application(ast.Name("where"), (condition, then, otherwise)):
                rows = yield self.cases(condition, then, otherwise)
                return rows
            case ast.Application(function, args):
                texts = []
                for arg in args:
                    texts.append((yield self.text_or_condition(arg)))
                first = args[0] if args else None
                is_quotient = (
                    isinstance(first, ast.Binary) and first.operator == "/"
                ) or isinstance(first, ast.Unary)
                return applied(function.name, ", ".join(texts), names, is_quotient=is_quotient)
            case ast.Choice(condition, then, otherwise):
                rows = yield self.cases(condition, then, otherwise)
                return rows
            case ast.Bracket(condition):
                return Text(f"\\left[{(yield self.condition(condition)).tex}\\right]", FACTOR)
            case ast.Reduction(op, _, _, body):
                limits = yield self.limits(e)
                factor = yield self.text(body)
                tex = factor.tex if factor.level >= PRODUCT else bracketed(factor.tex)
                name = op.name
                command = f"\\{name}" if name in _COMMANDS else f"\\operatorname{{{name}}}"
                return Text(f"{command}_{{{limits[0]}}}{limits[1]} {tex}", FACTOR, is_open=True)

    def term(self, e: ast.Expression) -> Walk:
        """A term as written after `+` or `-`."""
        text = yield self.text(e)
        return text.tex if text.level >= PRODUCT else bracketed(text.tex)

    def text_or_condition(self, e: Node) -> Walk:
        if isinstance(e, ast.Comparison | ast.Logical | ast.Not | ast.IsInteger):
            return (yield self.condition(e)).tex
        return (yield self.text(e)).tex

    def cases(
        self, condition: Node, then: ast.Expression | Node, otherwise: ast.Expression | Node
    ) -> Walk:
        rows = []
        while True:
            value = yield self.text(then)  # type: ignore[arg-type]
            rows.append(f"{value.tex} & \\text{{if }} {(yield self.condition(condition)).tex}")
            if not isinstance(otherwise, ast.Choice):
                break
            condition, then, otherwise = otherwise.condition, otherwise.then, otherwise.otherwise
        rows.append(f"{(yield self.text(otherwise)).tex} & \\text{{otherwise}}")  # type: ignore[arg-type]
        lines = " \\\\ ".join(rows)
        return Text(f"\\begin{{cases}} {lines} \\end{{cases}}", FACTOR)

    def limits(self, e: ast.Reduction) -> Walk:
        """The limits below and above the sign."""
        entries: list[tuple[str, str | None, str | None]] = []
        for r in e.ranges:
            low = high = None
            if r.extent is not None:
                low = str(self.base)
                high = (yield self.indices.text(self._last(r.extent))).tex
            elif r.low is not None and r.high is not None:
                low = (yield self.indices.text(r.low)).tex
                high = (yield self.indices.text(r.high)).tex
            entries.append((self.names.symbols[r.name.name], low, high))
        tests = []
        for part in _conjuncts(e.condition):
            tests.append(_at_least((yield self.condition(part)), NOT))
        if len(entries) == 1 and not tests and entries[0][1] is not None:
            index, low, high = entries[0]
            return f"{index}={low}", f"^{{{high}}}"
        rows = [i if low is None else f"{low} \\le {i} \\le {high}" for i, low, high in entries]
        rows += tests
        lines = " \\\\ ".join(rows)
        return (lines if len(rows) == 1 else f"\\substack{{{lines}}}"), ""

    def _last(self, extent: ast.Expression) -> ast.Expression:
        """The last index of a range."""
        if self.base == 1:
            return extent
        if isinstance(extent, ast.Number):
            return ast.Number(str(int(extent.text) - 1), extent.span)
        return ast.Binary("-", extent, ast.Number("1", extent.span), extent.span)

    def condition(self, e: Node) -> Walk:
        match e:
            case ast.Comparison(operands, relations):
                texts = []
                for operand in operands:
                    texts.append((yield self.text(operand)).tex)
                rest = (f" {_RELATIONS[r]} {t}" for r, t in zip(relations, texts[1:], strict=True))
                return Text(texts[0] + "".join(rest), NOT)
            case ast.Logical(operator, a, b):
                level = OR if operator == "or" else AND
                first, second = (yield self.condition(a)), (yield self.condition(b))
                sign = "\\lor" if operator == "or" else "\\land"
                left, right = _at_least(first, level), _at_least(second, level + 1)
                return Text(f"{left} {sign} {right}", level)
            case ast.Not(operand):
                return Text(f"\\lnot ({(yield self.condition(operand)).tex})", NOT)
            case _:
                raise SyntaxError(
                    e.span,
                    f"`{node_text(e)}` has no spelling in LaTeX",
                    fix="write `e % m = r`, or ask for `.idx`",
                )


def _conjuncts(condition: Node | None) -> Iterator[Node]:
    """The conditions that hold together."""
    stack: list[Node] = [] if condition is None else [condition]
    while stack:
        match stack.pop():
            case ast.Logical("and", left, right):
                stack += [right, left]
            case other:
                yield other
