"""A witness at real sizes: the values and gradients of a program by numpy over all of its points at once.

The interpreter takes one scalar at a time, and a tape of scalars has a variable for each: both are for a few elements.
Here every node of an expression is one array with an element for each point at which it is evaluated, and the gradient
is scattered backwards through these arrays, element by element of what was read. Neither the solver, nor the rules for
derivatives, nor a schedule, nor anything of a backend takes part. Meaning and edge cases are those of the language,
section 6: branches not taken contribute nothing, a cotangent of 0 contributes 0, ties of `max` share.

    values, gradients = evaluated(program, arrays, sizes, cotangents)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tadc.ir.affine import Affine
from tadc.ir.domain import Condition, Derived, Domain, Looked
from tadc.ir.expr import Call, Comparison, Const, IndexValue, Read, Reduce, Select
from tadc.ir.functions import FUNCTIONS
from tadc.ir.walk import postorder

MOST_POINTS = 6_000_000


class TooManyPoints(Exception):
    """An expression is evaluated at more points than fit into memory."""


class Unbounded(Exception):
    """The bounds of an index do not follow from single conditions: this witness finds no others."""


@dataclass(eq=False)
class Values:
    """An array of values, one for each point, with what is added to their adjoints so far."""

    value: np.ndarray
    adjoint: np.ndarray | None = None

    def add(self, change: np.ndarray) -> None:
        self.adjoint = change if self.adjoint is None else self.adjoint + change


@dataclass(eq=False)
class Points:
    """`count` points: for each symbol its value at each of them, or one number for all."""

    count: int
    symbols: dict[str, np.ndarray | int]

    def at(self, form: Affine) -> np.ndarray | int:
        return form.constant + sum(c * self.symbols[s] for s, c in form.terms)

    def all_at(self, form: Affine) -> np.ndarray:
        return np.broadcast_to(np.asarray(self.at(form), np.int64), (self.count,))

    def taken(self, chosen: np.ndarray) -> Points:
        symbols = {
            s: v[chosen] if isinstance(v, np.ndarray) else v for s, v in self.symbols.items()
        }
        return Points(len(chosen), symbols)

    def hold(self, domain: Domain | tuple[Condition, ...]) -> np.ndarray:
        holds = np.ones(self.count, bool)
        for c in domain:
            value = self.at(c.form)
            match c.relation:
                case ">=":
                    holds &= value >= 0
                case "==":
                    holds &= value == 0
                case "|":
                    holds &= value % c.modulus == 0
        return holds


def evaluated(program, arrays, sizes, cotangents=None):
    """The outputs by name, and for each input the sum of cotangents times derivatives, if there are cotangents."""
    run = Run(program.size_values(sizes))
    for t in program.inputs:
        shape = tuple(n.at(run.sizes) for n in t.shape)
        array = np.asarray(arrays[t.name])
        assert array.shape == shape, f"{t.name} is of shape {array.shape}, not {shape}"
        run.tensors[t.name] = Values(array if t.dtype == "index" else array.astype(float))
    with np.errstate(all="ignore"):
        for statement in program.statements:
            run.define(statement)
        values = {name: run.tensors[name].value for name in program.outputs}
        if cotangents is None:
            return values, {}
        for name in program.outputs:
            run.tensors[name].add(np.asarray(cotangents[name], float))
        for backward in reversed(run.backwards):
            backward()
    gradients = {}
    for t in program.inputs:
        found = run.tensors[t.name]
        gradients[t.name] = (
            np.zeros(np.shape(found.value)) if found.adjoint is None else found.adjoint
        )
    return values, gradients


@dataclass(eq=False)
class Run:
    sizes: dict[str, int]
    tensors: dict[str, Values] = field(default_factory=dict)
    backwards: list[Callable[[], None]] = field(default_factory=list)

    def define(self, statement) -> None:
        shape = statement.target.shape_at(self.sizes)
        count = math.prod(shape)
        if count > MOST_POINTS:
            raise TooManyPoints
        places = [a.ravel() for a in np.indices(shape, np.int64)] if shape else []
        points = Points(count, {**self.sizes, **dict(zip(statement.indices, places, strict=True))})
        for made in statement.derived:
            points.symbols[made.name] = self.determined(made, points)
        body = self.value(statement.body, points)
        dtype = statement.target.dtype
        whole = body.value.reshape(shape)
        target = Values(whole.astype(np.int64) if dtype == "index" else whole)
        self.tensors[statement.target.name] = target

        def backward() -> None:
            if target.adjoint is not None and dtype != "index":
                body.add(target.adjoint.reshape(-1))

        self.backwards.append(backward)

    def determined(self, made: Derived | Looked, points: Points) -> np.ndarray:
        if isinstance(made, Derived):
            return points.all_at(made.form) // made.modulus
        array = self.tensors[made.tensor].value
        places = [points.all_at(form) for form in made.subscripts]
        inside = np.ones(points.count, bool)
        for p, n in zip(places, array.shape, strict=True):
            inside &= (p >= 0) & (p < n)
        if not array.size:
            return np.zeros(points.count, np.int64)
        found = array[tuple(np.where(inside, p, 0) for p in places)]
        return np.where(inside, found, 0).astype(np.int64)

    def value(self, root, points: Points) -> Values:
        """The value of an expression at the points; what branches need is evaluated at those that take them."""
        known: dict[object, Values] = {}
        for node in postorder(root, _needed):
            if node not in known:
                known[node] = self.node(node, points, known)
        return known[root]

    def node(self, node, points: Points, known) -> Values:
        match node:
            case Const(value):
                return Values(np.full(points.count, float(value)))
            case IndexValue(form):
                return Values(points.all_at(form).astype(float))
            case Read(tensor, subscripts):
                return self.read(tensor, [points.all_at(s) for s in subscripts], points.count)
            case Call(function, args):
                return self.call(function, [known[a] for a in args], args)
            case Select(condition, then, otherwise):
                if isinstance(condition, Domain):
                    holds = points.hold(condition)
                else:
                    compare = RELATIONS[condition.relation]
                    holds = compare(known[condition.left].value, known[condition.right].value)
                return self.select(holds, then, otherwise, points)
            case Reduce():
                return self.reduction(node, points)
        raise AssertionError(node)

    def read(self, name: str, places: list[np.ndarray], count: int) -> Values:
        tensor = self.tensors[name]
        for p, n in zip(places, tensor.value.shape, strict=True):
            assert ((p >= 0) & (p < n)).all(), f"{name} is read outside"
        if not places:
            made = Values(np.full(count, float(tensor.value)))
        else:
            flat = np.zeros(count, np.int64)
            for p, n in zip(places, tensor.value.shape, strict=True):
                flat = flat * n + p
            made = Values(tensor.value.reshape(-1)[flat].astype(float))

        def backward() -> None:
            if made.adjoint is None:
                return
            if not places:
                tensor.add(np.asarray(made.adjoint.sum()))
            else:
                sums = np.bincount(flat, made.adjoint, tensor.value.size)
                tensor.add(sums.reshape(tensor.value.shape))

        self.backwards.append(backward)
        return made

    def call(self, function: str, args: list[Values], nodes) -> Values:
        given = [a.value for a in args]
        made = Values(np.asarray(FUNCTIONS[function].value(*given), float))

        def backward() -> None:
            if made.adjoint is None:
                return
            for place, arg in enumerate(args):
                if isinstance(nodes[place], (Const, IndexValue)):
                    continue
                slope = PARTIALS[function][place]
                if slope is None:
                    continue
                arg.add(_product(made.adjoint, np.asarray(slope(*given, made.value), float)))

        self.backwards.append(backward)
        return made

    def select(self, holds: np.ndarray, then, otherwise, points: Points) -> Values:
        made = Values(np.empty(points.count))
        parts = []
        for branch, where in ((then, np.flatnonzero(holds)), (otherwise, np.flatnonzero(~holds))):
            if not len(where):
                continue
            part = self.value(branch, points.taken(where))
            made.value[where] = part.value
            parts.append((part, where))

        def backward() -> None:
            if made.adjoint is not None:
                for part, where in parts:
                    part.add(made.adjoint[where])

        self.backwards.append(backward)
        return made

    def reduction(self, node: Reduce, points: Points) -> Values:
        inner, owner = self.expanded(node, points)
        body = self.value(node.body, inner)
        combine, neutral = COMBINED[node.op]
        made = Values(np.full(points.count, neutral))
        firsts = np.flatnonzero(np.diff(owner, prepend=-1))
        if len(owner):
            made.value[owner[firsts]] = combine.reduceat(body.value, firsts)

        def backward() -> None:
            if made.adjoint is None or not len(owner):
                return
            g = made.adjoint[owner]
            match node.op:
                case "sum":
                    body.add(g)
                case "prod":
                    body.add(_product(g, _others(body.value, owner, points.count)))
                case _:
                    best = body.value == made.value[owner]
                    ties = np.bincount(owner, best, points.count)[owner]
                    body.add(np.where(best, g / np.maximum(ties, 1), 0))

        self.backwards.append(backward)
        return made

    def expanded(self, node: Reduce, points: Points) -> tuple[Points, np.ndarray]:
        """All points of a reduction at these points, those of each side by side, and which it is."""
        derived = {d.name: d for d in node.derived}
        conditions = [*node.domain, *(c for d in node.derived for c in d.conditions)]
        box = _box((*node.indices, *derived), conditions, points)
        owner = np.arange(points.count)
        found = Points(points.count, dict(points.symbols))
        tested: set[int] = set()
        left = list(node.indices)
        while True:
            progress = True
            while progress:
                progress = False
                for d in derived.values():
                    if d.name not in found.symbols and all(s in found.symbols for s in d.symbols):
                        found.symbols[d.name] = self.determined(d, found)
                        progress = True
            ready = [
                n
                for n, c in enumerate(conditions)
                if n not in tested and all(s in found.symbols for s in c.form.symbols)
            ]
            tested.update(ready)
            holds = found.hold(tuple(conditions[n] for n in ready))
            if not holds.all():
                chosen = np.flatnonzero(holds)
                found, owner = found.taken(chosen), owner[chosen]
            if not left:
                return found, owner
            index = left.pop(0)
            low, high = _limits(index, conditions, found, box)
            lengths = np.maximum(high - low + 1, 0)
            total = int(lengths.sum())
            if total > MOST_POINTS:
                raise TooManyPoints
            chosen = np.repeat(np.arange(found.count), lengths)
            starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
            values = np.arange(total) - starts + np.repeat(low, lengths)
            found, owner = found.taken(chosen), owner[chosen]
            found.symbols[index] = values


def _needed(node):
    match node:
        case Call(_, args):
            return args
        case Select(Comparison(_, left, right)):
            return left, right
        case _:
            return ()


def _product(g: np.ndarray, slope: np.ndarray) -> np.ndarray:
    return np.where((g == 0) | (slope == 0), 0, g * slope)


def _others(values: np.ndarray, owner: np.ndarray, count: int) -> np.ndarray:
    """For each factor the product of the others of its point."""
    zero = values == 0
    zeros = np.bincount(owner, zero, count)[owner]
    firsts = np.flatnonzero(np.diff(owner, prepend=-1))
    rest = np.empty(count)
    rest[owner[firsts]] = np.multiply.reduceat(np.where(zero, 1.0, values), firsts)
    rest = rest[owner]
    alone = np.where(zero, rest, rest / np.where(zero, 1.0, values))
    return np.where((zeros == 0) | ((zeros == 1) & zero), alone, 0)


def _forms(conditions):
    for c in conditions:
        if c.relation != "|":
            yield c.form
        if c.relation == "==":
            yield -c.form


def _box(unknown, conditions, points: Points):
    """The least and the greatest value of each unknown, over all points."""
    box = {}
    for s, v in points.symbols.items():
        v = np.asarray(v)
        box[s] = (int(v.min()), int(v.max())) if v.size else (0, 0)
    box |= dict.fromkeys(unknown, (-math.inf, math.inf))
    forms = list(_forms(conditions))
    for _ in range(64):
        before = dict(box)
        for form in forms:
            for s, c in form.terms:
                if s not in unknown:
                    continue
                rest = form.constant + sum(
                    d * box[t][1 if d > 0 else 0] for t, d in form.terms if t != s
                )
                low, high = box[s]
                if rest < math.inf and c > 0:
                    box[s] = max(low, -(rest // c)), high
                elif rest < math.inf:
                    box[s] = low, min(high, rest // -c)
        if box == before or any(box[s][0] > box[s][1] for s in unknown):
            break
    return box


def _limits(index: str, conditions, points: Points, box):
    """For each point the least and the greatest value of an index that single conditions allow."""
    lows, highs = [], []
    if box[index][0] > -math.inf:
        lows.append(np.full(points.count, int(box[index][0])))
    if box[index][1] < math.inf:
        highs.append(np.full(points.count, int(box[index][1])))
    for form in _forms(conditions):
        c = form.coefficient(index)
        if not c:
            continue
        known = Affine.of({s: d for s, d in form.terms if s != index and s in points.symbols})
        unknown = [(s, d) for s, d in form.terms if s != index and s not in points.symbols]
        rest = form.constant + sum(d * box[s][1 if d > 0 else 0] for s, d in unknown)
        if not abs(rest) < math.inf:
            continue
        value = points.all_at(known) + int(rest)
        if c > 0:
            lows.append(-(value // c))
        else:
            highs.append(value // -c)
    if not points.count:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    if not lows or not highs:
        raise Unbounded(index)
    return np.maximum.reduce(lows), np.minimum.reduce(highs)


RELATIONS = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal}
COMBINED = {
    "sum": (np.add, 0.0),
    "prod": (np.multiply, 1.0),
    "max": (np.maximum, -math.inf),
    "min": (np.minimum, math.inf),
}


def _larger(a, b):
    return np.where(a > b, 1.0, np.where(a == b, 0.5, 0.0))


def _erf_slope(x, y):
    return 2 / math.sqrt(math.pi) * np.exp(-x * x)


def _sigmoid(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)), 1) / (1 + np.exp(-abs(x)))


def _by_base(x, n, y):
    return np.where(n == 0, 0.0, n * np.power(x, np.where(n == 0, 1.0, n) - 1))


def _gelu_slope(x, y):
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return FUNCTIONS["erfc"].value(-x / math.sqrt(2)) / 2 + x * density


# fmt: off
PARTIALS = {
    "add": (lambda a, b, y: np.ones_like(a), lambda a, b, y: np.ones_like(a)),
    "sub": (lambda a, b, y: np.ones_like(a), lambda a, b, y: -np.ones_like(a)),
    "difference": (lambda a, b, y: np.ones_like(a), lambda a, b, y: -np.ones_like(a)),
    "mul": (lambda a, b, y: b, lambda a, b, y: a),
    "gate": (lambda a, b, y: b, lambda a, b, y: a),
    "div": (lambda a, b, y: 1 / b, lambda a, b, y: -a / b / b),
    "neg": (lambda x, y: -np.ones_like(x),),
    "pow": (_by_base, lambda x, n, y: np.where(y == 0, 0.0, y * np.log(x))),
    "max": (lambda a, b, y: _larger(a, b), lambda a, b, y: _larger(b, a)),
    "min": (lambda a, b, y: _larger(b, a), lambda a, b, y: _larger(a, b)),
    "hypot": (lambda a, b, y: np.where(y == 0, 0, a / y), lambda a, b, y: np.where(y == 0, 0, b / y)),
    "atan2": (lambda a, b, y: b / (a * a + b * b), lambda a, b, y: -a / (a * a + b * b)),
    "xlogy": (lambda a, b, y: np.log(b), lambda a, b, y: np.where(a == 0, 0.0, a / b)),
    "exp": (lambda x, y: y,),
    "expm1": (lambda x, y: np.exp(x),),
    "log": (lambda x, y: 1 / x,),
    "log1p": (lambda x, y: 1 / (1 + x),),
    "sqrt": (lambda x, y: 1 / (2 * np.sqrt(x)),),
    "rsqrt": (lambda x, y: -0.5 * x ** -1.5,),
    "sin": (lambda x, y: np.cos(x),),
    "cos": (lambda x, y: -np.sin(x),),
    "atan": (lambda x, y: 1 / (1 + x * x),),
    "tanh": (lambda x, y: 1 / np.cosh(x) ** 2,),
    "erf": (_erf_slope,),
    "detached": (None,),
    "abs": (lambda x, y: np.sign(x),),
    "sign": (None,), "floor": (None,), "ceil": (None,), "round": (None,),
    "relu": (lambda x, y: (x > 0).astype(float),),
    "sigmoid": (lambda x, y: _sigmoid(x) * _sigmoid(-x),),
    "softplus": (lambda x, y: _sigmoid(x),),
    "silu": (lambda x, y: _sigmoid(x) * (1 + x * _sigmoid(-x)),),
    "gelu": (_gelu_slope,),
}
# fmt: on
