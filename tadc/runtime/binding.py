"""The sizes of a call: solved exactly from the shapes of its arrays, and checked against what the program requires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tadc.errors import ShapeError
from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.program import Program, Tensor

__all__ = ["bind_sizes"]


@dataclass(frozen=True, slots=True)
class _Equation:
    """An extent of an input, as a form of the sizes, and its number in this call."""

    tensor: Tensor
    dimension: int
    value: int

    @property
    def form(self) -> Affine:
        return self.tensor.shape[self.dimension]

    def __str__(self) -> str:
        return f"{self.value} from dimension {self.dimension} of {self.tensor.name}[{', '.join(map(str, self.tensor.shape))}]"


def bind_sizes(
    program: Program, shapes: Mapping[str, Sequence[int]], given: Mapping[Symbol, int]
) -> dict[Symbol, int]:
    """The value of every size, derived ones included.

    `shapes` are those of the inputs by name; `given` are sizes that the caller says. Raises ShapeError for a wrong
    rank, for sizes without a solution or with several, and for extents that disagree, naming the places.
    """
    equations = [
        e for t in program.inputs if t.name in shapes for e in _equations(t, shapes[t.name])
    ]
    values: dict[Symbol, int] = dict(given)
    sources: dict[Symbol, str] = {s: f"{n} as given" for s, n in given.items()}
    derived = {d.name for d in program.derived_sizes}
    waiting = [e for e in equations if derived.isdisjoint(e.form.symbols)]
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
            values[s], sources[s] = value, str(equation)
            progress = True
        if not progress:
            for s, (fraction, equation) in _together(waiting, values).items():
                if fraction.denominator > 1 or fraction < 0:
                    raise _no_size(s, equation)
                values[s], sources[s] = int(fraction), str(equation)
                progress = True
    missing = [s for s in program.sizes if s not in values]
    if missing:
        raise ShapeError(
            None,
            f"the size {missing[0]} does not follow from the shapes of the inputs",
            fix=f"give it: `f(.., {missing[0]}=4)`, or `--size {missing[0]}=4`",
        )
    values = program.size_values(values)
    for equation in equations:
        extent = equation.form.at(values)
        if (
            max(0, extent) != equation.value
        ):  # the largest range inside an empty tensor may be below 0
            said = ", ".join(f"{s} is {sources.get(s, values[s])}" for s in equation.form.symbols)
            raise ShapeError(
                None,
                f"the extent of dimension {equation.dimension} of {equation.tensor.name} is {equation.value},"
                f" and {equation.form} is {extent}" + (f": {said}" if said else ""),
                fix="make the extents agree",
            )
    return values


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
    found = {s: row.get(s, zero) - factor * other.get(s, zero) for s in symbols}
    return {s: c for s, c in found.items() if c}, right - factor * its_right


def _no_size(s: Symbol, equation: _Equation) -> ShapeError:
    return ShapeError(
        None,
        f"no size {s} makes {equation.form} the extent {equation}",
        fix=f"give {equation.tensor.name} an extent of the form {equation.form}",
    )


def _equations(tensor: Tensor, shape: Sequence[int]) -> list[_Equation]:
    if len(shape) != len(tensor.shape):
        raise ShapeError(
            None,
            f"{tensor.name} has {_dimensions(len(tensor.shape))} in the program, and the array has {len(shape)}",
            fix=f"give it the shape [{', '.join(map(str, tensor.shape))}]",
        )
    return [_Equation(tensor, d, n) for d, n in enumerate(shape)]


def _dimensions(n: int) -> str:
    return {0: "no dimension", 1: "1 dimension"}.get(n, f"{n} dimensions")
