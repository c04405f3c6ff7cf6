"""The numbers that loops need before there is a program: how often they run, and which elements they name."""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Mapping
from typing import Any

from tadc.errors import RangeError, SyntaxError
from tadc.ir.walk import descend
from tadc.syntax import ast
from tadc.syntax.arithmetic import arithmetic

__all__ = ["Numbers"]

OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}
EXTREMES: Mapping[str, Callable[[list[int]], int]] = {"min": min, "max": max}


class Numbers:
    """The integers that names stand for: sizes with numbers, and the indices of the loops around.

    `given` are numbers of sizes, as options or calls give them; the text's own `size K = 5` come on top.
    """

    def __init__(self, tree: ast.Program, given: Mapping[str, int], base: int) -> None:
        self.base = base
        declared = [i for i in tree.items if isinstance(i, ast.SizeDeclaration)]
        tensors = [i for i in tree.items if isinstance(i, ast.TensorDeclaration)]
        self._values = {d.name.name: d.value for d in declared if d.value is not None}
        self._sizes = {d.name.name for d in declared}
        for tensor in tensors:
            # An undeclared name in a shape is a size.
            for extent in tensor.extents or ():
                self._sizes |= {n.name for n in arithmetic(extent) if isinstance(n, ast.Name)}
        self._known = dict(given)
        self._indices: dict[str, int] = {}

    def is_fixed(self, name: str) -> bool:
        """Whether the name is a size, or the index of a loop around."""
        return name in self._sizes or name in self._indices or name in self._known

    def enter(self, index: str, value: int) -> None:
        self._indices[index] = value

    def leave(self, index: str) -> None:
        self._indices.pop(index, None)

    def missing(self, root: ast.Expression) -> bool:
        """Whether a size in the expression has no number."""
        return any(
            isinstance(n, ast.Name)
            and n.name not in self._indices
            and n.name not in self._known
            and (n.name not in self._values or self.missing(self._values[n.name]))
            for n in arithmetic(root)
        )

    def rounds(self, loop: ast.Loop) -> range:
        """The values of a loop's index, in the order run. Raises SyntaxError, with `.sizes` where sizes have no number yet."""
        if loop.extent is not None:
            values = range(self.base, self.base + max(0, self.of(loop.extent)))
        else:
            assert loop.low is not None and loop.high is not None
            low, high = self.of(loop.low), self.of(loop.high)
            values = range(low, max(low, high + 1))
        return values[::-1] if loop.down else values

    def of(self, root: ast.Expression) -> int:
        """The value of an integer expression of sizes and loop indices."""
        return descend(self._value(root))

    def inside(self, left: ast.Expression, extent: ast.Expression, tensor: str) -> None:
        """Check that a fixed subscript is inside its dimension, where both have numbers."""
        if self.missing(left) or self.missing(extent):
            return
        value, count = self.of(left), self.of(extent)
        if not self.base <= value < self.base + count:
            raise RangeError(
                left.span,
                f"`{tensor}` is updated at {value}, and its extent there is {count}",
                fix=f"elements are {self.base} to {count - 1 + self.base}",
            )

    def _value(self, node: Any) -> Generator[Any, Any, int]:
        match node:
            case ast.Number(text) if text.isdecimal():
                return int(text)
            case ast.Name(name):
                if name in self._indices:
                    return self._indices[name]
                if name in self._known:
                    return self._known[name]
                if name in self._values:
                    value: int = yield self._value(self._values[name])
                    return value
                raise self._unknown(node)
            case ast.Unary(operand):
                value = yield self._value(operand)
                return -value
            case ast.Binary("+" | "-" | "*" | "//" | "%" as sign, a, b):
                left, right = (yield self._value(a)), (yield self._value(b))
                if sign in ("//", "%") and right <= 0:
                    raise SyntaxError(
                        node.span,
                        f"the divisor is {right}",
                        fix="divide by a positive number",
                    )
                result: int = OPERATORS[sign](left, right)
                return result
            case ast.Application(function, args) if function.name in EXTREMES and args:
                values: list[int] = []
                for argument in args:
                    values.append((yield self._value(argument)))
                return EXTREMES[function.name](values)
            case _:
                raise SyntaxError(
                    node.span,
                    "rounds of a loop and fixed elements are integers that values do not change",
                    fix="write integers, sizes, indices of loops around, and + - * // % min max",
                )

    def _unknown(self, name: ast.Name) -> SyntaxError:
        if name.name not in self._sizes:
            return SyntaxError(
                name.span,
                f"`{name.name}` is no size, and the rounds of a loop do not depend on values",
                fix=f"declare it, `size {name.name}`, and give the number when you call",
            )
        error = SyntaxError(
            name.span,
            f"the size `{name.name}` has no number yet, and a loop runs over it",
            fix=f"give it one: `size {name.name} = 8`, `--size {name.name}=8`, or in the call",
        )
        error.sizes = (name.name,)
        return error
