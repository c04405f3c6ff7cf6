"""Powers with exponents such as 1.5 by square roots: a few instructions for lanes and threads, where a power takes fifty.

    x**0.5 = sqrt(x) + 0;   x**1.5 = x*sqrt(x);   x**-1.5 = 1/sqrt(x)/x

They are as precise as powers, to 2 units in the last place. Of -0 they are what powers are, the root is -0 (hence `+ 0`);
of minus infinity they are NaN, like those of all other negative numbers.
"""

from __future__ import annotations

from dataclasses import replace

from tadc.ir.expr import Call, Const, Expr
from tadc.ir.program import Program
from tadc.ir.walk import rewrite

__all__ = ["with_half_powers_as_roots"]

MOST = 2.5


def with_half_powers_as_roots(program: Program) -> Program:
    """The program with square roots for such powers."""
    statements = (replace(s, body=rewrite(s.body, _as_root)) for s in program.statements)
    return replace(program, statements=tuple(statements))


def _as_root(e: Expr) -> Expr:
    match e:
        case Call("pow", (x, Const(n))) if abs(n) <= MOST and 2 * n % 2 == 1:
            root: Expr = Call("add", (Call("sqrt", (x,)), Const(0)))
            whole = int(abs(n))
        case _:
            return e
    result = Call("div", (Const(1), root)) if n < 0 else root
    for _ in range(whole):
        result = Call("div" if n < 0 else "mul", (result, x))
    return result
