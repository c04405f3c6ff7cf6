"""The oracle: a program's meaning, computed one scalar at a time. Slow and obviously right.

Every statement is evaluated at every point of its box, in C order; every reduction at every integer point of its
domain, in lexicographic order. Values that a point does not need are not evaluated: neither the branch not taken, nor the body
of a reduction outside its domain. All arithmetic is IEEE float64; stores round to the declared type.
Nothing here is shared with the solver or with a backend, so that it can bear witness against both.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import FALSE, Derived, Determined, Domain, Looked, at_least_zero
from tadc.ir.element_types import INDEX
from tadc.ir.expr import (
    Call,
    Comparison,
    Const,
    Expr,
    IndexValue,
    Read,
    Reduce,
    ReduceOp,
    Relation,
    Select,
)
from tadc.ir.functions import FUNCTIONS
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import descend, postorder

__all__ = ["interpret", "points"]

Point: TypeAlias = Mapping[Symbol, int]  # a value for every symbol in scope
Look: TypeAlias = Callable[[str, tuple[int, ...]], int]  # an element of an index tensor
Box: TypeAlias = dict[Symbol, tuple[float, float]]  # lowest and highest value, both inclusive

ROUNDS = 64  # after which bounds that still shrink are good enough: each candidate is tested anyway


def interpret(
    program: Program, arrays: Mapping[str, NDArray[Any]], sizes: Mapping[Symbol, int]
) -> dict[str, NDArray[Any]]:
    """The outputs, each of its declared type or else float64, from an array for each input and a number for each size.

    Derived sizes follow from `sizes`. The arrays are not changed, and no result shares memory with them.
    """
    numbers = program.size_values(sizes)
    stored: dict[str, NDArray[np.float64]] = {}
    for tensor in program.inputs:
        stored[tensor.name] = _stored(np.asarray(arrays[tensor.name]), tensor)
        shape = tuple(n.at(numbers) for n in tensor.shape)
        assert stored[tensor.name].shape == shape, f"{tensor.name} is not of shape {shape}"
    with np.errstate(all="ignore"):
        for statement in program.statements:
            values = _Evaluation(stored).tensor(statement, numbers)
            stored[statement.target.name] = _stored(values, statement.target)
    types = {name: tensor.dtype or "float64" for name, tensor in program.tensors.items()}
    return {name: stored[name].astype(types[name]) for name in program.outputs}


def _stored(values: NDArray[Any], tensor: Tensor) -> NDArray[np.float64]:
    """The values as the tensor's element type holds them, in float64."""
    if tensor.dtype == INDEX:
        return values.astype(INDEX)  # exact beyond 2**53
    return values.astype(tensor.dtype or "float64").astype(np.float64)


# ---- Expressions


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """Evaluates the expressions of one statement; `stored` has every tensor that it may read.

    `regions` remembers, by root, the nodes that the root's value needs in any case, operands first.
    """

    stored: Mapping[str, NDArray[np.float64]]
    regions: dict[Expr, tuple[Expr, ...]] = field(default_factory=dict)

    def tensor(self, statement: Statement, numbers: Point) -> NDArray[np.float64]:
        """The statement's target; `numbers` are the sizes."""
        shape = tuple(n.at(numbers) for n in statement.target.shape)
        values = np.empty(shape)
        for element in itertools.product(*map(range, shape)):
            named = dict(zip(statement.indices, element, strict=True))
            point = _with_derived(statement.derived, {**numbers, **named}, self.index)
            values[element] = descend(self.value(statement.body, point, {}))
        return values

    def value(
        self, root: Expr, point: Point, known: dict[Expr, np.float64]
    ) -> Generator[Any, Any, np.float64]:
        """The value of `root` at `point`; `known` collects the values of nodes at this point, each computed once."""
        if root not in self.regions:
            self.regions[root] = tuple(postorder(root, _needed))
        for node in self.regions[root]:
            if node in known:
                continue
            match node:
                case Const(value):
                    known[node] = np.float64(value)
                case IndexValue(form):
                    known[node] = np.float64(form.at(point))
                case Read(tensor, subscripts):
                    known[node] = self.element(tensor, tuple(s.at(point) for s in subscripts))
                case Call(function, args):
                    known[node] = np.float64(FUNCTIONS[function].value(*(known[a] for a in args)))
                case Select(condition, then, otherwise):
                    taken = then if _holds(condition, point, known) else otherwise
                    known[node] = yield self.value(taken, point, known)
                case Reduce():
                    known[node] = yield self.reduction(node, point)
        return known[root]

    def reduction(self, node: Reduce, outer: Point) -> Generator[Any, Any, np.float64]:
        """The value of a reduction at the point `outer` of the indices around it."""
        neutral, combined = ACCUMULATORS[node.op]
        total = np.float64(neutral)
        for point in points(node.indices, node.derived, node.domain, outer, self.index):
            value = yield self.value(node.body, point, {})
            total = np.float64(combined(total, value))
        return total

    def index(self, tensor: str, subscripts: tuple[int, ...]) -> int:
        """An element of an index tensor; 0 where the subscripts are outside, and nothing depends on it."""
        shape = self.stored[tensor].shape
        if not all(0 <= s < n for s, n in zip(subscripts, shape, strict=True)):
            return 0
        return int(self.stored[tensor][subscripts])

    def element(self, tensor: str, subscripts: tuple[int, ...]) -> np.float64:
        array = self.stored[tensor]
        assert len(subscripts) == array.ndim, f"{tensor} has rank {array.ndim}, read {subscripts}"
        in_bounds = all(0 <= s < n for s, n in zip(subscripts, array.shape, strict=True))
        assert in_bounds, f"read {tensor}{list(subscripts)} is outside the shape {array.shape}"
        return np.float64(array[subscripts])


ACCUMULATORS: Mapping[ReduceOp, tuple[float, Callable[..., Any]]] = {
    "sum": (0.0, np.add),
    "prod": (1.0, np.multiply),
    "max": (-inf, np.maximum),  # these two propagate NaN
    "min": (inf, np.minimum),
}

RELATIONS: Mapping[Relation, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
}


def _needed(node: Expr) -> tuple[Expr, ...]:
    """The operands whose values the node needs whatever the point: of a selection, the sides of its comparison."""
    match node:
        case Call(_, args):
            return args
        case Select(Comparison(_, left, right)):
            return left, right
        case Const() | IndexValue() | Read() | Select() | Reduce():
            return ()


def _holds(condition: Domain | Comparison, point: Point, known: Mapping[Expr, np.float64]) -> bool:
    match condition:
        case Domain():
            return condition.holds(point)
        case Comparison(relation, left, right):
            return bool(RELATIONS[relation](known[left], known[right]))


# ---- Integer points


def points(
    indices: tuple[Symbol, ...],
    derived: tuple[Determined, ...],
    domain: Domain,
    outer: Point,
    look: Look | None = None,
) -> Iterator[Point]:
    """`outer` extended by `indices` and `derived`, for every integer point of `domain`, in lexicographic order.

    Intervals for the open indices are narrowed by the inequalities; while one still holds two values, each of them is
    tried. So every point is found, whatever the intervals; and each is tested against the whole domain. `look` gives the
    element of an index tensor; a data index has its value as soon as its subscripts have theirs.
    """
    unknown = (*indices, *(d.name for d in derived))
    numbers = {s: constant(n) for s, n in outer.items() if s not in unknown}
    conditions = [
        c.substitute(numbers) for c in (*domain, *(c for d in derived for c in d.conditions))
    ]
    if FALSE in conditions:
        return
    equalities = [c.form for c in conditions if c.relation == "=="]
    inequalities = [c.form for c in conditions if c.relation == ">="]
    forms = [*inequalities, *equalities, *(-form for form in equalities)]
    start = _narrowed(dict.fromkeys(unknown, (-inf, inf)), forms)
    for index in indices:
        if start[index][0] == -inf or start[index][1] == inf:
            forms += _bounds(index, forms)
    if any(form.is_constant and form.constant < 0 for form in forms):
        return
    boxes = [start]
    while boxes:
        box = _narrowed(boxes.pop(), forms)
        while look and not _is_empty(box) and (found := _looked(derived, box, outer, look)):
            box = _narrowed({**box, **found}, forms)
        if _is_empty(box):
            continue
        split = next((i for i in indices if _is_open(box[i])), None)
        for i in indices if split is None else ():
            low, high = box[i]
            assert low == high, f"{i} is not bounded by {domain}"
        if split is not None:
            low, high = box[split]
            values = range(int(high), int(low) - 1, -1)
            boxes.extend({**box, split: (value, value)} for value in values)
            continue
        named = {i: int(box[i][0]) for i in indices}
        point = _with_derived(derived, {**outer, **named}, look)
        if domain.holds(point):
            yield point


def _is_empty(box: Box) -> bool:
    return any(low > high for low, high in box.values())


def _is_open(interval: tuple[float, float]) -> bool:
    """Whether it holds several values, and a finite number of them: data may bound what nothing else does."""
    low, high = interval
    return low < high and low > -inf and high < inf


def _looked(derived: tuple[Determined, ...], box: Box, outer: Point, look: Look) -> Box:
    """The data indices of which nothing but the subscripts is known yet."""
    fixed = dict(outer) | {s: int(low) for s, (low, high) in box.items() if low == high}
    found: Box = {}
    for d in derived:
        if isinstance(d, Looked) and d.name not in fixed and all(s in fixed for s in d.symbols):
            value = look(d.tensor, tuple(form.at(fixed) for form in d.subscripts))
            low, high = box[d.name]
            found[d.name] = (value, value) if low <= value <= high else (1, 0)
    return found


def _with_derived(derived: tuple[Determined, ...], point: Point, look: Look | None = None) -> Point:
    """The point with the derived and data indices, in order: one may be made of those before it."""
    extended = dict(point)
    for d in derived:
        match d:
            case Derived(name, form, modulus):
                extended[name] = form.at(extended) // modulus
            case Looked(name, tensor, subscripts):
                assert look is not None, "there is nothing to look data up in"
                extended[name] = look(tensor, tuple(form.at(extended) for form in subscripts))
    return extended


def _narrowed(box: Box, forms: Iterable[Affine]) -> Box:
    """The smallest box, or nearly, that holds every point of `box` where all `forms` are at least 0.

    Each form bounds each of its symbols by the highest value that its other terms can reach.
    """
    box = dict(box)
    for _ in range(ROUNDS):
        before = dict(box)
        for form in forms:
            for s, c in form.terms:
                rest = form.constant + sum(
                    d * box[t][1 if d > 0 else 0] for t, d in form.terms if t != s
                )
                low, high = box[s]
                if rest < inf and c > 0:
                    box[s] = max(low, -(rest // c)), high
                elif rest < inf:
                    box[s] = low, min(high, rest // -c)
        if box == before or any(low > high for low, high in box.values()):
            break
    return box


def _bounds(index: Symbol, forms: list[Affine]) -> list[Affine]:
    """The projection of `forms >= 0` onto `index`: Fourier-Motzkin, for sets like `0 <= i+j <= 5, 0 <= i-j <= 5`."""
    while others := [s for form in forms for s in form.symbols if s != index]:
        forms = _without(others[0], forms)
    return forms


def _without(symbol: Symbol, forms: list[Affine]) -> list[Affine]:
    """The projection of `forms >= 0` onto the other symbols: every lower bound of `symbol` stays below every upper bound."""
    lows = [form for form in forms if form.coefficient(symbol) > 0]
    highs = [form for form in forms if form.coefficient(symbol) < 0]
    combined = (
        low * -high.coefficient(symbol) + high * low.coefficient(symbol)
        for low, high in itertools.product(lows, highs)
    )
    free = (form for form in forms if not form.coefficient(symbol))
    return list(dict.fromkeys(at_least_zero(form).form for form in (*free, *combined)))
