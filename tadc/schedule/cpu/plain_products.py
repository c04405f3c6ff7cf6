"""Gates in sums as products, where no factor is infinite or undefined.

    dv[j,d] = sum{i} gate(do[i,d], p[i,j])

is, where no element of `do` and `p` is infinite or NaN,

    zero = (sum{i,d} 0*do[i,d]) + (sum{i,j} 0*p[i,j]);    dv[j,d] = (sum{i} do[i,d]*p[i,j]) + zero

to the bit: a product with a factor 0 adds 0 to a sum. The two tests of a gate take longer than its product, and are for nothing where its
tensors have numbers alone. Where `zero` is NaN instead, the sum has to run as it was written.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from math import prod

from tadc.ir.affine import Symbol
from tadc.ir.expr import Call, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import replaced
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu.finite import zero_of
from tadc.schedule.cpu.lane_cost import elements_of
from tadc.schedule.nest.sizes import about_values
from tadc.schedule.rewrite.rows import always

__all__ = ["with_products_for_gates"]

WORTH = 8  # terms for each element that is tested


@dataclass(frozen=True, slots=True)
class _Gated:
    """A sum of gates of elements of two tensors."""

    e: Reduce
    factors: tuple[Read, Read]


def with_products_for_gates(
    program: Program,
    usual: Mapping[Symbol, int],
    left_out: Set[str] = frozenset(),
    choices: Choices = BY_MODEL,
) -> tuple[Program, Mapping[str, str]]:
    """The program with such products, and by the tensors that have them the tensor without dimensions that is 0 where they are right.
    Nothing is changed that computes the tensors `left_out`. `usual` has about how large all sizes are.
    """
    sizes = dict(program.size_values(usual))
    names = Names((*program.tensors, *program.symbols))
    statements: list[Statement] = []
    zeros: dict[str, Tensor] = {}
    found: dict[str, str] = {}
    for s in program.statements:
        gated = _gated(s, program)
        if (
            gated is None
            or s.target.name in left_out
            or not choices.whether(
                f"products for gates of {s.target.name}", _is_worth_it(gated, s, program, sizes)
            )
        ):
            statements.append(s)
            continue
        tensors = list(dict.fromkeys(r.tensor for r in gated.factors))
        for tensor in tensors:
            if tensor not in zeros:
                statements.append(zero_of(program.tensors[tensor], names))
                zeros[tensor] = statements[-1].target
        reads = tuple(Read(zeros[t].name, ()) for t in tensors)
        both = Tensor(names.fresh(f"{s.target.name}_zero"), ())
        statements.append(
            Statement(both, (), (), Call("add", reads) if len(reads) > 1 else reads[0])
        )
        found[s.target.name] = both.name
        e = gated.e
        summed = Reduce("sum", e.indices, (), e.domain, Call("mul", gated.factors))
        checked = Call("add", (summed, Read(both.name, ())))
        statements.append(replace(s, body=replaced(s.body, {e: checked})))
    return (replace(program, statements=tuple(statements)), found) if found else (program, {})


def _gated(s: Statement, program: Program) -> _Gated | None:
    """The one sum of the statement, if it is one of gates."""
    sums = [e for e in always(s.body) if isinstance(e, Reduce)]
    if len(sums) != 1 or s.derived or sums[0].derived or s.target.dtype:
        return None
    match sums[0]:
        case Reduce("sum", body=Call("gate", (Read() as a, Read() as b))) as e if not any(
            program.tensors[r.tensor].dtype for r in (a, b)
        ):
            return _Gated(e, (a, b))
        case _:
            return None


def _is_worth_it(
    gated: _Gated, s: Statement, program: Program, sizes: Mapping[Symbol, int]
) -> bool:
    """Whether there are many terms for each element that is tested."""
    middle = {i: n.at(sizes) // 2 for i, n in zip(s.indices, s.target.shape, strict=True)}
    e, values = gated.e, {**sizes, **middle}
    count = prod(about_values(i, e.domain, values) for i in e.indices)
    terms = elements_of(s.target.shape, sizes) * count
    tested = {r.tensor: elements_of(program.tensors[r.tensor].shape, sizes) for r in gated.factors}
    return terms >= WORTH * sum(tested.values())
