"""Random and written-out integer systems, and the brute force that the solver is held against."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st

from tadc.integer import Solution, solve
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import (
    Condition,
    Derived,
    Domain,
    at_least_zero,
    between,
    divides,
    equals_zero,
)

QUICK = settings(max_examples=150, derandomize=True)
THOROUGH = settings(QUICK, max_examples=3000)

Point = tuple[int, ...]


@dataclass(frozen=True)
class System:
    """A domain with a finite box around its unknowns and parameters, so that all can be enumerated.

    Derived indices are unknowns too; they are enumerated by their definition, not by a range.
    """

    unknowns: tuple[Symbol, ...]
    domain: Domain
    known: Domain
    box: Mapping[Symbol, range]
    parameters: Mapping[Symbol, range]
    derived: tuple[Derived, ...] = ()

    def solution(self, keep: Sequence[Symbol] = ()) -> Solution | None:
        return solve(self.unknowns, self.domain, self.known, numbered_names(), keep)

    def parameter_values(self) -> Iterator[dict[Symbol, int]]:
        """Every choice of parameters for which the known conditions hold."""
        for values in itertools.product(*self.parameters.values()):
            at = dict(zip(self.parameters, values, strict=True))
            if self.known.holds(at):
                yield at

    def points(self, at: Mapping[Symbol, int]) -> list[Point]:
        """The points of the domain, by trying every one of the box."""
        found = []
        for values in itertools.product(*self.box.values()):
            full = {**at, **dict(zip(self.box, values, strict=True))}
            for d in self.derived:
                full[d.name] = d.form.at(full) // d.modulus
            if self.domain.holds(full):
                found.append(tuple(full[u] for u in self.unknowns))
        return sorted(found)


def numbered_names() -> Callable[[str], str]:
    counter = itertools.count()
    return lambda hint: f"{hint}{next(counter)}"


def visited(solution: Solution | None, at: Mapping[Symbol, int]) -> list[Point]:
    """The points that the loops visit, in their order, as often as they visit them."""
    if solution is None or not all(guard.holds(at) for guard in solution.guards):
        return []
    inner = dict(at)
    for q in solution.quotients:
        assert q.form.at(at) % q.modulus == 0, f"{q} is not exact under the guards"
        inner[q.name] = q.form.at(at) // q.modulus
    environments = [inner]
    for loop in solution.loops:
        environments = [{**e, loop.index: z} for e in environments for z in loop.values_at(e)]
    return [tuple(value.at(e) for value in solution.values) for e in environments]


def shown(solution: Solution | None) -> list[str]:
    """A solution in few lines, for tables of expected ones."""
    if solution is None:
        return ["empty"]
    lines = [f"if {guard}" for guard in solution.guards]
    lines += [f"{q.name} = ({q.form}) / {q.modulus}" for q in solution.quotients]
    for loop in solution.loops:
        lows = ", ".join(_divided("ceil", b.form, b.divisor) for b in loop.lows)
        highs = ", ".join(_divided("floor", b.form, b.divisor) for b in loop.highs)
        low = f"max({lows})" if len(loop.lows) > 1 else lows
        high = f"min({highs})" if len(loop.highs) > 1 else highs
        lines.append(f"for {loop.index} in {low} .. {high}")
    values = zip(solution.unknowns, solution.values, strict=True)
    return lines + [f"{u} = {value}" for u, value in values if value != symbol(u)]


def _divided(rounding: str, form: Affine, divisor: int) -> str:
    return str(form) if divisor == 1 else f"{rounding}(({form}) / {divisor})"


def domain(text: str) -> Domain:
    """The domain of conditions in Python's notation: `0 <= i <= N-1; i + r == b; 2 | i + j`."""
    return Domain.of(c for part in text.split(";") if part.strip() for c in _conditions(part))


def _conditions(text: str) -> list[Condition]:
    if "|" in text:
        modulus, form = text.split("|")
        return [divides(int(modulus), affine(form))]
    parts = re.split(r"(<=|>=|==|<|>)", text)
    forms = [affine(part) for part in parts[::2]]
    made: list[Condition] = []
    for left, relation, right in zip(forms, parts[1::2], forms[1:], strict=False):
        if relation == "==":
            made.append(equals_zero(left - right))
            continue
        low, high = (left, right) if relation[0] == "<" else (right, left)
        made.append(at_least_zero(high - low - (len(relation) == 1)))
    return made


def affine(text: str) -> Affine:
    names = {name: symbol(name) for name in re.findall(r"[A-Za-z_]\w*", text)}
    value = eval(text, {"__builtins__": {}}, names)
    return constant(value) if isinstance(value, int) else value


INDICES = "ijkl"
PARAMETERS = "bc"
COEFFICIENTS = st.sampled_from([0, 0, 0, 1, 1, -1, -1, 2, -2, 3, -4, 6])


@st.composite
def forms(draw: st.DrawFn, symbols: Sequence[Symbol], largest: int = 6) -> Affine:
    coefficients = [draw(COEFFICIENTS) for _ in symbols]
    return Affine.of(
        dict(zip(symbols, coefficients, strict=True)), draw(st.integers(-largest, largest))
    )


@st.composite
def conditions(draw: st.DrawFn, symbols: Sequence[Symbol]) -> tuple[Condition, ...]:
    """One condition, or two that leave room for one or two values only."""
    form = draw(forms(symbols))
    match draw(st.sampled_from([">=", ">=", "==", "==", "|", "thin"])):
        case ">=":
            return (at_least_zero(form),)
        case "==":
            return (equals_zero(form),)
        case "|":
            return (divides(draw(st.integers(2, 6)), form),)
        case _:
            return between(0, form, draw(st.integers(0, 1)))


@st.composite
def systems(draw: st.DrawFn, unknowns: int = 4, further: int = 4) -> System:
    """Boxes with equations, inequalities, divisibilities, thin slabs, derived indices and known facts."""
    indices = INDICES[: draw(st.integers(1, unknowns))]
    parameters = PARAMETERS[: draw(st.integers(0, 2))]
    box = {s: range(draw(st.integers(-2, 0)), draw(st.integers(0, 3)) + 1) for s in indices}
    derived: list[Derived] = []
    if draw(st.booleans()):
        form = draw(forms([*indices, *parameters], 3))
        derived.append(Derived("q", form, draw(st.integers(2, 4))))
    everything = [*indices, *parameters, *(d.name for d in derived)]
    more = draw(st.lists(conditions(everything), max_size=further))
    known = draw(st.lists(forms(parameters), max_size=2)) if parameters else []
    return System(
        unknowns=tuple(draw(st.permutations([*indices, *(d.name for d in derived)]))),
        domain=Domain.of(
            [
                *(c for s, r in box.items() for c in between(r[0], symbol(s), r[-1])),
                *(c for d in derived for c in d.conditions),
                *itertools.chain(*more),
            ]
        ),
        known=Domain.of(
            [
                *(c for p in parameters for c in between(-4, symbol(p), 5)),
                *map(at_least_zero, known),
            ]
        ),
        box=box,
        parameters={p: range(-4, 6) for p in parameters},
        derived=tuple(derived),
    )


@st.composite
def boxes(draw: st.DrawFn) -> tuple[Domain, list[Point], tuple[Symbol, ...]]:
    """A finite domain without parameters, its points in lexicographic order, and the order of its symbols."""
    order = tuple(draw(st.permutations(INDICES[: draw(st.integers(1, 4))])))
    conjunction = [c for s in order for c in between(-3, symbol(s), 3)]
    for more in draw(st.lists(conditions(order), max_size=4)):
        conjunction += more
    result = Domain.of(conjunction)
    candidates = itertools.product(range(-3, 4), repeat=len(order))
    points = [p for p in candidates if result.holds(dict(zip(order, p, strict=True)))]
    return result, points, order
