"""Copies of tensors with zeros around, for sums whose terms end at their borders.

    dx[q] = sum{o, s: 3 | 0 <= q-s and q-s < N} dy[o,q-s]*w[o,s]

is, where no element of `w` is infinite or undefined,

    zero = sum{o, s} 0*w[o,s];    p[o,t] = if 2 <= t and t < N + 2 then dy[o,t-2] else zero
    dx[q] = sum{o, s: 3} p[o,q-s+2]*w[o,s]

All lanes do the same there, also at the borders, where each would be computed alone otherwise. The terms besides are 0 times a weight:
no bit differs. Where `zero` is NaN instead, the sum has to run as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Domain, at_least_zero, between
from tadc.ir.expr import Call, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.range import Range
from tadc.ir.walk import replaced
from tadc.normalize.in_bounds import reads_are_in_bounds
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu.finite import zero_of
from tadc.schedule.cpu.lane_cost import elements_of
from tadc.schedule.cpu.phases import MOST
from tadc.schedule.nest.sizes import about_values
from tadc.schedule.rewrite.rows import always

__all__ = ["with_zeros_around"]

COPIED = 12.0  # the cost of an element of a copy, in terms of a sum in lanes
ALONE = 4.0  # the cost of a term at a border besides
WORTH = 1.5  # times as much is saved as copies cost
FEWEST = 16  # values of the index along the border
FARTHEST = 64  # zeros on a side
FEW = 16  # on both, around a dimension with fewer elements
NONE = constant(0), constant(0)


@dataclass(frozen=True, slots=True)
class _Border:
    """A sum along the borders of a tensor, where indices of the result go beyond them.

    `around` has the numbers of zeros before and behind each dimension, `rest` the conditions without those of the borders, `other`
    what the tensor's elements are multiplied with. Of the result's last index so many values are `phases`.
    """

    e: Reduce
    read: Read
    other: Read
    rest: Domain
    around: tuple[tuple[Affine, Affine], ...]
    phases: int


def with_zeros_around(
    program: Program,
    usual: Mapping[Symbol, int],
    left_out: Set[str] = frozenset(),
    choices: Choices = BY_MODEL,
) -> tuple[Program, Mapping[str, str]]:
    """The program with such copies as statements, and by the tensors whose sums read them the tensor without dimensions that is 0
    where that is right. Nothing is changed that computes or reads the tensors `left_out`. `usual` has about how large all sizes are.
    """
    sizes = dict(program.size_values(usual))
    names = Names((*program.tensors, *program.symbols))
    statements: list[Statement] = []
    copies: dict[tuple[str, str, tuple[tuple[Affine, Affine], ...]], Tensor] = {}
    zeros: dict[str, Tensor] = {}
    found: dict[str, str] = {}
    for s in program.statements:
        border = _border(s, program)
        if (
            border is None
            or not left_out.isdisjoint((s.target.name, border.read.tensor, border.other.tensor))
            or not choices.whether(
                f"zeros around what {s.target.name} reads",
                _is_worth_it(border, s, program, sizes),
            )
        ):
            statements.append(s)
            continue
        tensor, weights = border.read.tensor, border.other.tensor
        if weights not in zeros:
            statements.append(zero_of(program.tensors[weights], names))
            zeros[weights] = statements[-1].target
        zero = zeros[weights]
        key = tensor, weights, border.around
        if key not in copies:
            statements.append(_copy(border, program.tensors[tensor], zero, names))
            copies[key] = statements[-1].target
        found[s.target.name] = zero.name
        pairs = zip(border.read.subscripts, border.around, strict=True)
        read = Read(copies[key].name, tuple(form + before for form, (before, _) in pairs))
        summed = replaced(border.e.body, {border.read: read})
        e = Reduce("sum", border.e.indices, (), border.rest, summed)
        statements.append(replace(s, body=replaced(s.body, {border.e: e})))
    return (replace(program, statements=tuple(statements)), found) if found else (program, {})


def _border(s: Statement, program: Program) -> _Border | None:
    """The one sum of the statement, if it is one of products along a border."""
    sums = [e for e in always(s.body) if isinstance(e, Reduce)]
    if len(sums) != 1 or s.derived or not s.indices:
        return None
    (e,) = sums
    match e:
        case Reduce("sum", _, (), _, Call("mul", (Read() as one, Read() as other))):
            pairs = ((one, other), (other, one))
        case _:
            return None
    return next((b for pair in pairs for b in _along(s, e, *pair, program)), None)


def _along(s: Statement, e: Reduce, read: Read, other: Read, program: Program) -> Iterator[_Border]:
    """The border along the last index of the result, and others where there are some."""
    one, two = (program.tensors[r.tensor] for r in (read, other))
    if not read.subscripts or one is two or one.dtype or two.dtype:  # a type of its own
        return
    lane = s.indices[-1]
    if abs(read.subscripts[-1].coefficient(lane)) > 1:
        return
    own = set(e.domain)
    known = program.known & Domain.box(s.extents)
    rest, around = e.domain, list[tuple[Affine, Affine]]()
    for form, extent in reversed(list(zip(read.subscripts, one.shape, strict=True))):
        inside = between(0, form, extent - 1)
        of_border = own.intersection(inside)
        without = Domain.of(c for c in rest if c not in of_border)
        zeros = [_zeros(known & without, c.form, program) for c in inside] if of_border else NONE
        before, behind = zeros
        if before is not None and behind is not None:
            rest = without
            around.append((before, behind))
        else:
            around.append(NONE)
    around.reverse()
    steps = [_step(c.form, lane) for c in rest]
    if around[-1] == NONE or not all(1 <= step <= MOST for step in steps):
        return
    # What was left out behind a dimension may have been what its numbers follow from.
    with_zeros = (
        c
        for form, n, (before, behind) in zip(read.subscripts, one.shape, around, strict=True)
        for c in between(-before, form, n - 1 + behind)
    )
    known &= rest
    if all(implies(known, c) for c in with_zeros) and reads_are_in_bounds(
        other, known, program.tensors
    ):
        yield _Border(e, read, other, rest, tuple(around), max(steps, default=1))


def _step(form: Affine, lane: Symbol) -> int:
    """How many phases the lanes have in each of which all have as many values of the index that a condition on the form bounds
    (`phases.py`); 0 where there are none.
    """
    others = [abs(c) for s, c in form.terms if s != lane]
    if lane not in form.symbols:
        return 1
    (step, *several) = others or [0]
    return step if abs(form.coefficient(lane)) == 1 < step and not several else 0


def _zeros(known: Domain, form: Affine, program: Program) -> Affine | None:
    """The least number, 0 or more, that makes the form 0 or more wherever `known` holds; None if none is found that is small."""
    if implies(known, at_least_zero(form + FARTHEST)):
        low, high = 0, FARTHEST
        while low < high:
            middle = (low + high) // 2
            if implies(known, at_least_zero(form + middle)):
                high = middle
            else:
                low = middle + 1
        return constant(low)
    # One that sizes decide: where each index has the value at which the form is least.
    ends = []
    for i, c in form.terms:
        if i not in program.parameters:
            forms = (e.form for e in known if e.relation == ">=" and i in e.form.symbols)
            of_index = Range.of(i, forms)
            bounds = of_index.lows if c > 0 else of_index.highs
            ends.append([(i, b.form) for b in bounds if b.divisor == 1])
    for values in product(*ends):
        zeros = -form.substitute(dict(values))
        small = {*zeros.symbols} <= {*program.parameters}
        if small and all(implies(known, at_least_zero(f)) for f in (zeros, form + zeros)):
            return zeros
    return None


def _is_worth_it(
    border: _Border, s: Statement, program: Program, sizes: Mapping[Symbol, int]
) -> bool:
    """Whether the border takes longer than the copy and the check."""
    middle = {
        **sizes,
        **{i: n.at(sizes) // 2 for i, n in zip(s.indices, s.target.shape, strict=True)},
    }
    terms = prod(about_values(i, border.rest, middle) for i in border.e.indices)
    count = s.target.shape[-1].at(sizes)
    shape = program.tensors[border.read.tensor].shape
    zeros = [before.at(sizes) + behind.at(sizes) for before, behind in border.around]
    outside = elements_of(s.target.shape, sizes) // max(1, count) * zeros[-1] * border.phases
    copied = elements_of(shape, sizes)
    checked = elements_of(program.tensors[border.other.tensor].shape, sizes)
    # At the border each element is computed alone, or with few others.
    few = all(
        z <= max(n.at(sizes), FEW) and z <= 2 * FARTHEST for z, n in zip(zeros, shape, strict=True)
    )
    return few and count >= FEWEST and ALONE * outside * terms > WORTH * (COPIED * copied + checked)


def _copy(border: _Border, tensor: Tensor, zero: Tensor, names: Names) -> Statement:
    """The statement that copies the tensor, with zeros around."""
    indices = [names.fresh(f"i{d}") for d in range(len(tensor.shape))]
    shape = (
        n + before + behind for n, (before, behind) in zip(tensor.shape, border.around, strict=True)
    )
    target = Tensor(names.fresh(f"{tensor.name}_around"), tuple(shape), tensor.dtype)
    places = [symbol(i) - before for i, (before, _) in zip(indices, border.around, strict=True)]
    read = Read(tensor.name, tuple(places))
    edges = zip(places, tensor.shape, border.around, strict=True)
    inside = Domain.of(c for p, n, zeros in edges if zeros != NONE for c in between(0, p, n - 1))
    return Statement(target, tuple(indices), (), Select(inside, read, Read(zero.name, ())))
