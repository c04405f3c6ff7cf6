"""Substitution for a triangular block: a statement for each element of the solution, from those before it.

    z[i] = (b[i] - (A z)[i]) / a[i]        a is the diagonal of A; z is 0 where it is not known yet

The products A z and Aᵀz are those of a tangent and of an adjoint program.
"""

from __future__ import annotations

from dataclasses import replace

from tadc.ir.affine import symbol
from tadc.ir.domain import Domain, equals_zero
from tadc.ir.expr import Const, Expr, Read, Select, call
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import rewrite

__all__ = ["on_diagonal", "substitution"]


def substitution(product: Program, names: Names) -> Program:
    """Inputs: those of `product`, the last of which is `z`, then `b` and `a`. The output: `z` again, elements before it taken as known."""
    (name,) = product.outputs
    output = product.tensors[name]
    right, pivots, solution = (
        replace(output, name=names.fresh(n)) for n in ("right", "pivots", "solution")
    )
    indices = tuple(names.fresh(f"i{d}") for d in range(len(output.shape)))
    at = tuple(map(symbol, indices))
    rest = call("sub", Read(right.name, at), Read(name, at))
    body = call("div", rest, Read(pivots.name, at))
    return replace(
        product,
        inputs=(*product.inputs, right, pivots),
        statements=(*product.statements, Statement(solution, indices, (), body)),
        outputs=(solution.name,),
    )


def on_diagonal(product: Program) -> Program:
    """The diagonal of A, from a program of A z whose one statement that reads `z`, the last input, is that of the output."""
    (output,) = product.outputs
    seed: Tensor = product.inputs[-1]

    def of_row(s: Statement) -> Statement:
        def one(e: Expr) -> Expr:
            match e:
                case Read(name, subscripts) if name == seed.name:
                    pairs = zip(subscripts, s.indices, strict=True)
                    here = Domain.of(equals_zero(form - symbol(i)) for form, i in pairs)
                    return Select(here, Const(1), Const(0))
                case _:
                    return e

        return replace(s, body=rewrite(s.body, one))

    statements = tuple(of_row(s) if s.target.name == output else s for s in product.statements)
    return replace(product, inputs=product.inputs[:-1], statements=statements)
