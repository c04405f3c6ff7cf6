"""The number of arguments of a function, which is looked at before anything else is asked of them."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.errors import SyntaxError
from tadc.ir.functions import ALIASES, FUNCTIONS, OPERATORS
from tadc.resolve.spelling import spelled
from tadc.syntax import ast

__all__ = ["CASES", "check_arguments"]

CASES = r"`\begin{cases} a & x_i > 0 \\ b & \text{otherwise} \end{cases}`"
_CONDITIONS = (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)


def check_arguments(e: ast.Application) -> None:
    """Raises SyntaxError for `delta(i)`, `where(c, a)` and `exp(a, b)`; boundary forms have theirs looked at as subscripts."""
    name = ALIASES.get(e.function.name, e.function.name)
    count = len(e.args)
    if name == "delta" and (count != 2 or any(isinstance(a, _CONDITIONS) for a in e.args)):
        raise SyntaxError(
            e.span,
            "`delta` has two index expressions",
            fix="write " + spelled(e.span, "`delta(i, j)`", r"`\delta_{ij}`"),
        )
    if name == "where" and count != 3:
        raise SyntaxError(
            e.span,
            f"`where` takes 3 arguments, not {count}",
            fix="write " + spelled(e.span, "`where(x[i] > 0, a, b)`", CASES),
        )
    function = None if name in OPERATORS else FUNCTIONS.get(name)
    if function is not None and count != function.arity:
        n = function.arity
        raise SyntaxError(
            e.span,
            f"`{name}` takes {n} argument{'s' if n > 1 else ''}, not {count}",
            fix=f"write `{_with_arguments(name, [a.span.text for a in e.args], n)}`",
        )


def _with_arguments(name: str, given: Sequence[str], arity: int) -> str:
    """The function of `arity` arguments, of those that were given where that has a meaning."""
    if name in ("max", "min") and len(given) > 2:
        nested = given[0]
        for argument in given[1:]:
            nested = f"{name}({nested}, {argument})"
        return nested
    if name == "log" and len(given) == 2:
        return f"log({given[0]})/log({given[1]})"
    return f"{name}({', '.join('abc'[:arity])})"
