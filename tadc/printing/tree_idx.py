"""Syntax trees as `.idx` text, which parses back to the same tree.

A program whose sizes multiply or divide indices has no affine statements before these have numbers, but it has a tree:
its text is printed from there, with the sizes by name. Everything else is printed from programs (`idx_text.py`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, TypeAlias

from tadc.ir.walk import descend
from tadc.printing.idx import ATOM, CHOICE, POWER, PRODUCT, REDUCTION, SIGN, SUM
from tadc.syntax import ast
from tadc.syntax.arithmetic import arithmetic
from tadc.syntax.base import declared_base

__all__ = [
    "declaration_lines",
    "declared_inputs",
    "named_sizes",
    "node_text",
    "number_text",
    "shape_texts",
    "size_names",
    "statement_text",
    "tree_text",
]

Text: TypeAlias = tuple[str, int]
Walk: TypeAlias = Generator[Any, Any, Text]
Node: TypeAlias = ast.Expression | ast.Condition

# The level of the whole, and the least levels of its operands.
_INFIX = {
    "+": (" + ", SUM, SUM, REDUCTION),
    "-": (" - ", SUM, SUM, REDUCTION),
    "*": ("*", PRODUCT, PRODUCT, SIGN),
    "/": ("/", PRODUCT, PRODUCT, SIGN),
    "//": (" // ", PRODUCT, PRODUCT, SIGN),
    "%": (" % ", PRODUCT, PRODUCT, SIGN),
    "**": ("**", POWER, ATOM, SIGN),
}
OR, AND, NOT = range(3)  # levels of conditions


def tree_text(tree: ast.Program, given: Mapping[str, int], index_base: int) -> str:
    """The declarations, then the statements. `given` are numbers for sizes, `index_base` holds where the tree has none."""
    shapes = _shapes(tree)
    statements = (line for item in tree.items for line in _lines(item, shapes, ""))
    return "\n".join([*declaration_lines(tree, given, index_base), *statements]) + "\n"


def named_sizes(tree: ast.Program) -> tuple[str, ...]:
    """The sizes that have a name in the text: those that are declared, and those in the shapes of inputs."""
    names = [i.name.name for i in tree.items if isinstance(i, ast.SizeDeclaration)]
    for item in tree.items:
        if isinstance(item, ast.TensorDeclaration):
            names += [n for e in item.extents or () for n in size_names(e)]
    return tuple(dict.fromkeys(names))


def declared_inputs(tree: ast.Program) -> dict[str, ast.TensorDeclaration | None]:
    """The inputs whose place in the order the text says, with their declarations; None in a list of arguments."""
    targets = {i.target.name for i in tree.items if isinstance(i, ast.Definition)}
    inputs: dict[str, ast.TensorDeclaration | None] = {
        i.name.name: i
        for i in tree.items
        if isinstance(i, ast.TensorDeclaration) and i.name.name not in targets
    }
    sizes = named_sizes(tree)
    for item in tree.items:
        if isinstance(item, ast.Definition):
            for name in item.arguments or ():
                if name.name not in sizes:
                    inputs.setdefault(name.name, None)
    return inputs


def declaration_lines(
    tree: ast.Program, given: Mapping[str, int], index_base: int
) -> Iterator[str]:
    """`size M, o >= 0`, `size K = 5`, `require ..`, `input a[N, K]`, `output y`, `base 1`, `einstein`: those that there are."""
    sizes = [i for i in tree.items if isinstance(i, ast.SizeDeclaration)]
    declared = {i.name.name: i.value for i in sizes}
    offsets = {i.name.name for i in sizes if i.is_offset}
    symbolic = [
        f"{s} >= 0" if s in offsets else s
        for s, value in declared.items()
        if value is None and s not in given
    ]
    if symbolic:
        yield f"size {', '.join(symbolic)}"
    for name in named_sizes(tree):
        value = declared.get(name)
        if value is not None:
            yield f"size {name} = {node_text(value)}"
        elif name in given:
            yield f"size {name} = {given[name]}"
    for item in tree.items:
        if isinstance(item, ast.Requirement):
            yield f"require {node_text(item.condition)}"
    inputs = declared_inputs(tree)
    kinds = {
        n: "state" if i is not None and i.kind == "state" else "input" for n, i in inputs.items()
    }
    for kind, names in groupby(inputs, kinds.__getitem__):
        yield f"{kind} {', '.join(_declared(n, inputs[n]) for n in names)}"
    outputs = [n.name for i in tree.items if isinstance(i, ast.OutputDeclaration) for n in i.names]
    if outputs:
        yield f"output {', '.join(outputs)}"
    base = declared_base(tree.items)
    if (index_base if base is None else base) == 1:
        yield "base 1"
    if any(isinstance(i, ast.EinsteinDeclaration) for i in tree.items):
        yield "einstein"


def _declared(name: str, item: ast.TensorDeclaration | None) -> str:
    if item is None:
        return name
    shape = "" if item.extents is None else f"[{', '.join(map(node_text, item.extents))}]"
    return f"{name}{shape}{_element_type(item)}"


def _element_type(item: ast.TensorDeclaration | ast.Definition) -> str:
    if item.values is not None:
        low, high = item.values
        return f": {node_text(low)}..{node_text(high)}"
    if item.like is not None:
        return f": like {item.like.name}"
    return f": {item.dtype.name}" if item.dtype else ""


def shape_texts(tree: ast.Program) -> dict[str, str]:
    """The tensors whose shape the text says, as `x[M, 2*N]`: declared ones, and those with all extents on a left side."""
    shapes = _shapes(tree)
    texts = {n: _declared(n, item) for n, item in shapes.items() if item.extents is not None}
    for item in tree.items:
        if isinstance(item, ast.Definition):
            extents = [left.extent for left in item.lefts]
            if None not in extents:
                listed = ", ".join(node_text(e) for e in extents if e is not None)
                texts.setdefault(item.target.name, f"{item.target.name}[{listed}]")
    return texts


def _shapes(tree: ast.Program) -> dict[str, ast.TensorDeclaration]:
    """The declarations that say the shapes of tensors: of those that a statement defines, its left side says it."""
    return {i.name.name: i for i in tree.items if isinstance(i, ast.TensorDeclaration)}


def _lines(
    item: ast.Item, shapes: Mapping[str, ast.TensorDeclaration], indent: str
) -> Iterator[str]:
    """A definition or an update as a line, a block as its head, its items, and its brace; nothing for a declaration."""
    match item:
        case ast.Definition():
            yield indent + _statement(item, shapes)
        case ast.Update():
            yield indent + _update(item)
        case ast.Block(items) | ast.Loop(items=items):
            yield f"{indent}{_head(item)} {{"
            for inner in items:
                yield from _lines(inner, shapes, f"{indent}  ")
            yield f"{indent}}}"
        case _:
            pass


def _update(u: ast.Update) -> str:
    lefts = ", ".join(i.name.name if isinstance(i, ast.Range) else node_text(i) for i in u.lefts)
    given = "" if u.condition is None else f" | {node_text(u.condition)}"
    name = f"{u.target.name}[{lefts}{given}]" if u.lefts else u.target.name
    return f"{name} <- {node_text(u.body)}"


def _head(block: ast.Block | ast.Loop) -> str:
    if isinstance(block, ast.Block):
        return "step"
    words = "repeat down" if block.down else "repeat"
    if block.extent is not None:
        index = f"{block.index.name}: " if block.index else ""
        return f"{words} {index}{_wrapped(descend(_text(block.extent)), SUM)}"
    assert block.index is not None and block.low is not None and block.high is not None
    return f"{words} {block.index.name} = {node_text(block.low)}..{node_text(block.high)}"


def _statement(d: ast.Definition, shapes: Mapping[str, ast.TensorDeclaration]) -> str:
    said = shapes.get(d.target.name)
    extents = [left.extent for left in d.lefts]
    if said is not None and said.extents is not None:
        extents = [written or e for written, e in zip(extents, said.extents, strict=True)]
    lefts = [
        left.name.name + (f": {node_text(extent)}" if extent else "")
        for left, extent in zip(d.lefts, extents, strict=True)
    ]
    name = f"{d.target.name}[{', '.join(lefts)}]" if lefts else d.target.name
    own = d.dtype is not None or d.values is not None
    dtype = _element_type(d if own or said is None else said)
    return f"{name}{dtype} = {node_text(d.body)}"


def statement_text(statement: ast.Definition | ast.Update, tree: ast.Program) -> str:
    """A definition or an update of the program as a statement."""
    if isinstance(statement, ast.Update):
        return _update(statement)
    return _statement(statement, _shapes(tree))


def size_names(root: ast.Expression) -> list[str]:
    """The names in a size expression, in order."""
    return [node.name for node in arithmetic(root) if isinstance(node, ast.Name)]


def number_text(text: str) -> str:
    """A literal as `.idx` writes it: LaTeX also has `.5`."""
    return text if text.isdecimal() else repr(float(text))


def node_text(e: Node) -> str:
    return descend(_text(e))[0]


def _wrapped(text: Text, needed: int) -> str:
    return text[0] if text[1] >= needed else f"({text[0]})"


def _text(e: Node) -> Walk:
    """One walk of `descend`."""
    match e:
        case ast.Number(text):
            return number_text(text), ATOM
        case ast.Name(name):
            return name, ATOM
        case ast.Element(name, subscripts):
            return f"{name.name}[{(yield _listed(subscripts))[0]}]", ATOM
        case ast.Application(function, args):
            return f"{function.name}({(yield _listed(args))[0]})", ATOM
        case ast.Unary(operand):
            text = yield _text(operand)
            if text[1] == REDUCTION:
                return f"-{text[0]}", REDUCTION
            return f"-{_wrapped(text, SIGN)}", SIGN
        case ast.Binary(operator, a, b):
            sign, level, left, right = _INFIX[operator]
            first, second = (yield _text(a)), (yield _text(b))
            return f"{_wrapped(first, left)}{sign}{_wrapped(second, right)}", level
        case ast.Choice(condition, then, otherwise):
            test = (yield _text(condition))[0]
            yes, no = (yield _text(then)), (yield _text(otherwise))
            return f"if {test} then {_wrapped(yes, SUM)} else {_wrapped(no, SUM)}", CHOICE
        case ast.Bracket(condition):
            return f"[{(yield _text(condition))[0]}]", ATOM
        case ast.Reduction(op, ranges, condition, body):
            listed = []
            for r in ranges:
                listed.append((yield _range(r))[0])
            inner = ", ".join(listed)
            if condition is not None:
                inner += f" | {(yield _text(condition))[0]}"
            return f"{op.name}{{{inner}}} {_wrapped((yield _text(body)), REDUCTION)}", REDUCTION
        case ast.Comparison(operands, relations):
            texts = []
            for operand in operands:
                texts.append(_wrapped((yield _text(operand)), SUM))
            signs = ["=" if r == "==" else r for r in relations]
            rest = (f" {s} {t}" for s, t in zip(signs, texts[1:], strict=True))
            return texts[0] + "".join(rest), NOT
        case ast.Logical(operator, left_, right_):
            level = OR if operator == "or" else AND
            first, second = (yield _text(left_)), (yield _text(right_))
            return f"{_wrapped(first, level)} {operator} {_wrapped(second, level + 1)}", level
        case ast.Not(condition):
            return f"not {_wrapped((yield _text(condition)), NOT)}", NOT
        case ast.IsInteger(operand):
            return f"{_wrapped((yield _text(operand)), SUM)} is int", NOT


def _listed(parts: Iterable[Node]) -> Walk:
    texts = []
    for part in parts:
        texts.append((yield _text(part))[0])
    return ", ".join(texts), ATOM


def _range(r: ast.Range) -> Walk:
    if r.extent is not None:
        return f"{r.name.name}: {(yield _text(r.extent))[0]}", ATOM
    if r.low is not None and r.high is not None:
        return f"{r.name.name}={(yield _text(r.low))[0]}..{(yield _text(r.high))[0]}", ATOM
    return r.name.name, ATOM
