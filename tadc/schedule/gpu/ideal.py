"""The least time that a machine needs for a program: the bytes of what is read of each tensor once, and each value once, whatever its
loop nests are.

A value is counted at as many points as there are values of the indices that it depends on, and a product that is added to a sum as
one instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from tadc.ir.affine import Symbol, symbol
from tadc.ir.canonical import canonical
from tadc.ir.domain import Domain, quotients
from tadc.ir.expr import Call, Comparison, Const, Expr, Read, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.walk import substitute
from tadc.schedule.gpu.instructions import instructions
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.sampled import about
from tadc.schedule.nest.cost import Points
from tadc.schedule.nest.sizes import Sizes

__all__ = ["Ideal"]

CHEAPEST = {"gate": 1, "difference": 1, "max": 1, "min": 1}  # a form that does without tests


@dataclass(frozen=True, slots=True)
class Ideal:
    """The bytes, the instructions on numbers, and the special functions of some statements."""

    bytes: float
    instructions: float
    special: float

    @classmethod
    def of(
        cls,
        statements: Sequence[Statement],
        program: Program,
        tensors: Set[str],
        sizes: Sizes,
        dtype: str,
        arithmetic: str,
    ) -> Ideal:
        """For these values of all sizes. `tensors` are read or written; `arithmetic` is the type in which is computed."""
        all_, special = 0.0, 0.0
        read: dict[str, float] = {}
        for each, points in _operations_of(statements):
            count = about(points, sizes)
            if isinstance(each, Read):
                read[each.tensor] = read.get(each.tensor, 0.0) + count
            all_ += count * _cheapest(each, arithmetic)
            special += count * instructions(each, arithmetic).special
        whole = {t: program.tensors[t].bytes_at(sizes, dtype) for t in tensors}
        some = {t: read[t] * program.tensors[t].itemsize(dtype) for t in tensors if t in read}
        written = {s.target.name for s in statements}
        bytes_ = sum(n if t in written else min(n, some.get(t, n)) for t, n in whole.items())
        return cls(bytes_, all_, special)

    def seconds(self, machine: Machine, arithmetic: str) -> float:
        """The time without that of a launch."""
        r = machine.rates
        lanes = r.float64 if arithmetic == "float64" else r.float32
        cycles = max(self.instructions / lanes, self.special / r.special)
        return max(self.bytes / r.bandwidth, cycles / r.multiprocessors / r.clock)


def _cheapest(e: Expr, dtype: str) -> float:
    match e:
        case Reduce():
            return 1
        case Call(function) if function in CHEAPEST:
            return CHEAPEST[function]
        case Select(Domain()):
            return 0
        case _:
            return instructions(e, dtype).all


def _operations_of(statements: Sequence[Statement]) -> dict[tuple[Expr, Points], None]:
    """The operations of the statements, each once with the points of the indices that it depends on, however many of them need its value."""
    own = dict.fromkeys(i for s in statements for i in _own(s))
    names = {i: f"'{n}" for n, i in enumerate(own)}
    return dict.fromkeys(each for s in statements for each in _operations(s, names))


def _own(s: Statement) -> tuple[Symbol, ...]:
    return (*s.indices, *(d.name for d in s.derived))


def _operations(s: Statement, names: Mapping[Symbol, Symbol]) -> Iterator[tuple[Expr, Points]]:
    """Those of one statement, whose own indices get other names, and those of its sums are called by where they stand."""
    forms = {i: symbol(names[i]) for i in _own(s)}
    of_box = [d.substitute(forms, names[d.name]) for d in s.derived]
    box = Points(
        tuple(names[i] for i in s.indices),
        quotients(of_box),
        Domain.box({names[i]: n for i, n in s.extents.items()}),
    )
    body = canonical(substitute(s.body, forms), ())
    waiting: list[tuple[Expr, Points]] = [(body, box)]
    seen: set[tuple[Expr, Points]] = set()
    while waiting:
        e, around = waiting.pop()
        if (e, around) in seen:
            continue
        seen.add((e, around))
        match e:
            case Reduce(_, indices, derived, domain, body):
                inside = Points((*around.indices, *indices), (*around.derived, *quotients(derived)), around.domain & domain)  # fmt: skip
                yield e, _projected(inside, {*e.symbols, *indices, *(d.name for d in derived)})
                match body:
                    case Call("mul", args) | Call("pow", (*args, Const(2))) if e.op == "sum":
                        waiting += [(a, inside) for a in args]
                    case _:
                        waiting.append((body, inside))
            case Select(Domain() as domain, then, otherwise):
                waiting += [(then, around.within(domain.conditions)), (otherwise, around)]
            case Select(Comparison(_, left, right), then, otherwise):
                yield e, _projected(around, e.symbols)
                waiting += [(operand, around) for operand in (left, right, then, otherwise)]
            case Call(_, args):
                yield e, _projected(around, e.symbols)
                waiting += [(a, around) for a in args]
            case Read(_, subscripts) if subscripts:
                yield e, _projected(around, e.symbols)
            case _:
                pass


def _projected(points: Points, used: Set[Symbol]) -> Points:
    """The points in the indices that are used, under the conditions that need no other."""
    known = set(used)
    while more := _needed(points, known) - known:
        known |= more
    names = {*points.indices, *(d.name for d in points.derived)}
    inside = [c for c in points.domain if names & set(c.form.symbols) <= known]
    return Points(
        tuple(i for i in points.indices if i in known),
        tuple(d for d in points.derived if d.name in known),
        Domain.of(inside),
    )


def _needed(points: Points, known: Set[Symbol]) -> set[Symbol]:
    """The symbols that derived indices are made of, and those of the bounds of an index that has no others."""
    needed = {s for d in points.derived if d.name in known for s in d.form.symbols}
    names = {*points.indices, *(d.name for d in points.derived)}
    for i in known & set(points.indices):
        about = [c for c in points.domain if i in c.form.symbols]
        own = [c.form.coefficient(i) for c in about if names & set(c.form.symbols) <= known and c.relation == ">="]  # fmt: skip
        if not (any(c > 0 for c in own) and any(c < 0 for c in own)):
            needed |= {s for c in about for s in c.form.symbols}
    return needed
