"""Construction of expressions from signs, operators and functions."""

from __future__ import annotations

from collections.abc import Iterator

from tadc.syntax import ast

__all__ = ["arithmetic"]


def arithmetic(root: ast.Expression | ast.Condition) -> Iterator[ast.Expression | ast.Condition]:
    """The nodes that signs, operators and applications reach, outer ones first, in the order of the text.

    Of reads, reductions, choices and conditions nothing inside is among them.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        match node:
            case ast.Unary(operand):
                stack.append(operand)
            case ast.Binary(_, left, right):
                stack += [right, left]
            case ast.Application(_, args):
                stack += reversed(args)
            case _:
                pass
