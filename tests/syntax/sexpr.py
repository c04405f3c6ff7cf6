"""A syntax tree as one line of text, for tables of expected trees. Iterative: trees may be deep."""

from __future__ import annotations

from tadc.syntax.ast import (
    Application,
    BaseDeclaration,
    Binary,
    Block,
    Bracket,
    Choice,
    Comparison,
    Definition,
    EinsteinDeclaration,
    Element,
    IsInteger,
    Logical,
    Loop,
    Name,
    Not,
    Number,
    OutputDeclaration,
    Program,
    Range,
    Reduction,
    Requirement,
    SizeDeclaration,
    TensorDeclaration,
    Unary,
    Update,
)


def sexpr(tree: object) -> str:
    """`f[i] = -x[i]` is `(= f (i) (neg ([] x i)))`; a dtype is `:float64` after the name, an absent list `_`."""
    words: list[str] = []
    rest: list[object] = [tree]
    while rest:
        part = rest.pop()
        if isinstance(part, str):
            words.append(part)
        else:
            rest.extend(reversed(_parts(part)))
    return " ".join(words).replace("( ", "(").replace(" )", ")")


def _parts(node: object) -> list[object]:
    """The words and nodes that a node is written with; a list becomes its members in parentheses."""
    match node:
        case None:
            return ["_"]
        case tuple():
            return ["(", *node, ")"]
        case Name(name):
            return [name]
        case Number(text):
            return [text]
        case Element(name, subscripts):
            return ["(", "[]", name, *subscripts, ")"]
        case Application(function, args):
            return ["(", "call", function, *args, ")"]
        case Unary(operand):
            return ["(", "neg", operand, ")"]
        case Binary(operator, left, right) | Logical(operator, left, right):
            return ["(", operator, left, right, ")"]
        case Choice(condition, then, otherwise):
            return ["(", "if", condition, then, otherwise, ")"]
        case Range(name, _, None, None, None):
            return [name]
        case Range(name, _, extent, None, None):
            return ["(", ":", name, extent, ")"]
        case Range(name, _, None, low, high):
            return ["(", "..", name, low, high, ")"]
        case Reduction(op, ranges, None, body):
            return ["(", op, ranges, body, ")"]
        case Reduction(op, ranges, condition, body):
            return ["(", op, ranges, "|", condition, body, ")"]
        case Bracket(condition):
            return ["(", "bracket", condition, ")"]
        case Comparison(operands, relations):
            chain: list[object] = [operands[0]]
            for relation, operand in zip(relations, operands[1:], strict=True):
                chain += [relation, operand]
            return ["(", "compare", *chain, ")"]
        case Not(operand):
            return ["(", "not", operand, ")"]
        case IsInteger(operand):
            return ["(", "is-int", operand, ")"]
        case Program(items):
            return list(items)
        case SizeDeclaration(name, value, _, is_offset):
            bound = [">=", "0"] if is_offset else [] if value is None else [value]
            return ["(", "size", name, *bound, ")"]
        case TensorDeclaration(kind, name, extents, dtype):
            return ["(", kind, name, extents, *_dtype(dtype), ")"]
        case OutputDeclaration(names):
            return ["(", "output", *names, ")"]
        case BaseDeclaration(base):
            return ["(", "base", str(base), ")"]
        case Requirement(condition):
            return ["(", "require", condition, ")"]
        case EinsteinDeclaration():
            return ["(", "einstein", ")"]
        case Definition(target, lefts, dtype, None, body):
            return ["(", "=", target, *_dtype(dtype), lefts, body, ")"]
        case Update(target, lefts, condition, body):
            return ["(", "<-", target, lefts, condition, body, ")"]
        case Block(items):
            return ["(", "step", *items, ")"]
        case Loop(index, extent, low, high, down, items):
            direction = ["down"] if down else []
            return ["(", "repeat", index, extent, low, high, *direction, *items, ")"]
    raise AssertionError(f"no s-expression for {node}")


def _dtype(dtype: Name | None) -> list[object]:
    return [] if dtype is None else [":" + dtype.name]
