"""The sizes of a call: solved exactly from the shapes of its arrays, and checked against the program's requirements."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from tadc.errors import ShapeError, Span, counted
from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.program import Program, Tensor
from tadc.resolve.resolve import Place
from tadc.resolve.spelling import spelled, written_by_user

__all__ = ["bind_sizes", "shown_sizes"]


@dataclass(frozen=True, slots=True)
class _Equation:
    """An extent of an input, as a form of the sizes, and its number in this call."""

    tensor: Tensor
    dimension: int
    value: int
    span: Span | None  # where the text says the extent, or first reads there
    size: str  # the declared size that the extent is, if it is one alone
    named: bool  # whether the names in the extent are the user's; others were invented and tell nothing

    @property
    def form(self) -> Affine:
        return self.tensor.shape[self.dimension]

    @property
    def where(self) -> str:
        return f"dimension {self.dimension} of {self.tensor.name}"

    def __str__(self) -> str:
        return f"{self.value} from {self.where}"


def bind_sizes(
    program: Program,
    shapes: Mapping[str, Sequence[int]],
    given: Mapping[Symbol, int],
    places: Mapping[str, Place] = MappingProxyType({}),
) -> dict[Symbol, int]:
    """The value of every size, derived ones included.

    `shapes` are those of the inputs by name; `given` are sizes that the caller says; `places` where the text speaks of
    inputs and sizes. Raises ShapeError for a wrong
    rank, for sizes without a solution or with several, and for extents that disagree, naming the places.
    """
    equations = [
        e for t in program.inputs if t.name in shapes for e in _equations(t, shapes[t.name], places)
    ]
    values: dict[Symbol, int] = dict(given)
    sources: dict[Symbol, _Equation] = {}
    derived = {d.name for d in program.derived_sizes}
    _solve([e for e in equations if derived.isdisjoint(e.form.symbols)], values, sources)
    missing = [s for s in program.sizes if s not in values]
    if missing:
        raise _no_number(missing[0], places.get(missing[0]))
    values = program.size_values(values)
    for equation in equations:
        extent = equation.form.at(values)
        if (
            max(0, extent) != equation.value
        ):  # the largest range inside an empty tensor may be below 0
            raise _disagreement(equation, extent, values, sources)
    return values


def shown_sizes(
    tensors: Sequence[Tensor],
    shapes: Mapping[str, Sequence[int]],
    given: Mapping[Symbol, int],
    places: Mapping[str, Place],
) -> dict[Symbol, int]:
    """The sizes that the shapes of these tensors determine, and the given ones; others may be left. `places` as in `bind_sizes`.

    Raises ShapeError for a wrong rank, and for sizes without a solution.
    """
    values = dict(given)
    equations = [
        e for t in tensors if t.name in shapes for e in _equations(t, shapes[t.name], places)
    ]
    _solve(equations, values, {})
    return values


def _solve(
    waiting: Sequence[_Equation], values: dict[Symbol, int], sources: dict[Symbol, _Equation]
) -> None:
    """Add the sizes that the equations determine to `values`, and their sources to `sources`."""
    progress = True
    while progress:
        progress = False
        for equation in waiting:
            rest = equation.form.substitute({s: constant(n) for s, n in values.items()})
            if len(rest.terms) != 1:
                continue
            ((s, c),) = rest.terms
            value, remainder = divmod(equation.value - rest.constant, c)
            if remainder or value < 0:
                raise _no_size(s, equation)
            values[s], sources[s] = value, equation
            progress = True
        if not progress:
            for s, (fraction, equation) in _together(waiting, values).items():
                if fraction.denominator > 1 or fraction < 0:
                    raise _no_size(s, equation)
                values[s], sources[s] = int(fraction), equation
                progress = True


def _together(
    equations: Sequence[_Equation], values: Mapping[Symbol, int]
) -> dict[Symbol, tuple[Fraction, _Equation]]:
    """The sizes that several equations determine together, by Gauss and Jordan, and one of the equations of each."""
    rows: dict[Symbol, tuple[dict[Symbol, Fraction], Fraction, _Equation]] = {}  # by pivot
    for equation in equations:
        rest = equation.form.substitute({s: constant(n) for s, n in values.items()})
        row = {s: Fraction(c) for s, c in rest.terms}
        right = Fraction(equation.value - rest.constant)
        for pivot, (other, its_right, _) in rows.items():
            row, right = _less(row, right, row.get(pivot, Fraction(0)), other, its_right)
        if not row:
            continue  # it follows from the others, or disagrees, which is found in the end
        new, c = next(iter(row.items()))
        row, right = {s: a / c for s, a in row.items()}, right / c
        for pivot, (other, its_right, place) in rows.items():
            reduced = _less(other, its_right, other.get(new, Fraction(0)), row, right)
            rows[pivot] = (*reduced, place)
        rows[new] = (row, right, equation)
    return {s: (right, place) for s, (row, right, place) in rows.items() if len(row) == 1}


def _less(
    row: Mapping[Symbol, Fraction],
    right: Fraction,
    factor: Fraction,
    other: Mapping[Symbol, Fraction],
    its_right: Fraction,
) -> tuple[dict[Symbol, Fraction], Fraction]:
    """The row less `factor` times the other one, without zeros."""
    zero = Fraction(0)
    symbols = dict.fromkeys((*row, *other))
    difference = {s: row.get(s, zero) - factor * other.get(s, zero) for s in symbols}
    return {s: c for s, c in difference.items() if c}, right - factor * its_right


def _no_size(s: Symbol, equation: _Equation) -> ShapeError:
    return ShapeError(
        equation.span,
        f"no size {s} makes {equation.form} the extent {equation}",
        fix=f"give {equation.tensor.name} an extent of the form {equation.form}",
    )


def _no_number(size: Symbol, place: Place | None) -> ShapeError:
    if (
        place is not None
        and spelled(place.whole, "a declaration", "")
        and len(re.findall(rf"\b{re.escape(size)}\b", place.whole.source.text)) == 1
    ):
        return ShapeError(
            place.whole,
            f"the size `{size}` is declared and used nowhere, so no shape says its number",
            fix=f"remove the declaration, or say what has this extent: `input x[{size}]`",
        )
    return ShapeError(
        place.whole if place is not None else None,
        f"the size {size} does not follow from the shapes of the inputs",
        fix=f"give it: `f(.., {size}=4)`, or `--size {size}=4`",
    )


def _disagreement(
    equation: _Equation,
    extent: int,
    values: Mapping[Symbol, int],
    sources: Mapping[Symbol, _Equation],
) -> ShapeError:
    """The error of an array whose extent differs from the declared one, in names of the text or of other extents."""
    form, span = equation.form, equation.span
    said: list[str] = []
    for s in form.symbols:
        source = sources.get(s)
        if equation.named:
            said.append(f"{s} is {values[s]} " + (f"from {source.where}" if source else "as given"))
        elif source is not None:
            said.append(f"{source.where} has the extent {source.value}")
    must = f"and {form} is {extent}" if form.terms and equation.named else f"and must be {extent}"
    fix = "make the extents agree"
    if not form.terms and equation.size:
        said = [f"{equation.size} is {extent}"]
        fix = f"{fix}, or give {equation.size} the number {equation.value}"
    return ShapeError(
        span,
        f"the extent of {equation.where} is {equation.value}, {must}"
        + (f": {', '.join(said)}" if said else ""),
        fix=fix,
    )


def _equations(
    tensor: Tensor,
    shape: Sequence[int],
    places: Mapping[str, Place] = MappingProxyType({}),
) -> list[_Equation]:
    rank, place = len(tensor.shape), places.get(tensor.name)
    witness = next((p.whole for p in places.values()), None)
    named = [
        witness is None or all(written_by_user(witness, s) for s in f.symbols) for f in tensor.shape
    ]
    if len(shape) != rank:
        span = place.whole if place is not None else None
        raise ShapeError(
            span,
            f"{tensor.name} has {counted(rank, 'dimension')} in the program, and the array has {len(shape)}",
            fix=f"give it the shape [{', '.join(map(str, tensor.shape))}]"
            if rank and all(named)
            else f"give it {counted(rank, 'dimension')}, or write {_read(tensor.name, len(shape))}",
        )
    spans = place.dimensions if place is not None and len(place.dimensions) == rank else ()
    sizes = [span.text if span.text in places else "" for span in spans] or [""] * rank
    return [
        _Equation(tensor, d, n, spans[d] if spans else None, sizes[d], named[d])
        for d, n in enumerate(shape)
    ]


def _read(name: str, rank: int) -> str:
    """The read of a tensor of so many dimensions, in words where these are many."""
    letters = "ijklmnpqrst"
    if rank > len(letters):
        return "one subscript for each dimension"
    return f"`{name}[{', '.join(letters[:rank])}]`" if rank else f"`{name}` alone"
