"""A tensor without dimensions that is 0 where all elements of another one are numbers, and NaN where one is infinite or undefined."""

from __future__ import annotations

from tadc.ir.affine import symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Const, Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Statement, Tensor

__all__ = ["zero_of"]


def zero_of(tensor: Tensor, names: Names) -> Statement:
    """The statement of the sum of 0 times each element."""
    box = {names.fresh(f"i{d}"): n for d, n in enumerate(tensor.shape)}
    term: Expr = Call("mul", (Const(0), Read(tensor.name, tuple(map(symbol, box)))))
    total = Reduce("sum", tuple(box), (), Domain.box(box), term) if box else term
    return Statement(Tensor(names.fresh(f"{tensor.name}_zero"), ()), (), (), total)
