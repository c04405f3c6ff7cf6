"""Random tensor programs with their values and gradients by brute force: a witness that knows nothing of the compiler.

`random_program(seed)` gives a valid program as `.idx` text; `.evaluate` and `.gradients` compute what it means from the
generator's own tree, every element a variable of a scalar reverse-mode tape (language, section 6).

How a program is made: whoever makes an expression carries the list of *points* (values of all indices) that reach it. So
a subscript is made by choosing a form, looking at the values that it takes, and moving it inside its tensor; shapes of
inputs grow until a bare use of an index fixes them. Index expressions and conditions are their own text, evaluated by
Python, which rounds `//` and `%` as the language does. What a reader could find ambiguous is written explicitly:
`_inferred` applies the rules of section 3 to the finished program, and an index that they miss gets its extent printed.

    python tests/random_programs.py [LEVEL]    # how many of 500 programs have each feature
    python tests/random_programs.py LEVEL SEED # one program
"""

from __future__ import annotations

import itertools
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

LEVELS = ("core", "full")
OPERATIONS = 20_000  # scalar operations that a program may take, its gradient aside
POINTS = 400  # at which one expression may be evaluated
SAMPLES = 2.0  # inputs lie between minus and plus this; the bounds of values below suppose it

Env = Mapping[str, int]


# ---- The tape


class Variable:
    """A number with the variables it was made of, each with the partial derivative by it."""

    __slots__ = ("adjoint", "parents", "value")

    def __init__(self, value: float, parents: tuple[tuple[Variable, float], ...] = ()) -> None:
        self.value = float(value)
        self.parents = parents
        self.adjoint = 0.0


class Run:
    """One evaluation of a program: the tape, in order of creation, and every tensor's elements by their subscripts."""

    def __init__(self, sizes: Env) -> None:
        self.sizes = sizes
        self.tape: list[Variable] = []
        self.tensors: dict[str, dict[tuple[int, ...], Variable]] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}

    def new(self, value: float, *parents: tuple[Variable, float]) -> Variable:
        self.tape.append(Variable(value, parents))
        return self.tape[-1]

    def define(self, name: str, shape: tuple[int, ...], elements: Iterator[Variable]) -> None:
        places = itertools.product(*map(range, shape))
        self.tensors[name] = dict(zip(places, elements, strict=True))
        self.shapes[name] = shape

    def values(self, name: str) -> np.ndarray:
        flat = [v.value for v in self.tensors[name].values()]
        return np.array(flat, dtype=np.float64).reshape(self.shapes[name])

    def adjoints(self, name: str) -> np.ndarray:
        flat = [v.adjoint for v in self.tensors[name].values()]
        return np.array(flat, dtype=np.float64).reshape(self.shapes[name])

    def backward(self) -> None:
        """Scatters the adjoints; one that is exactly 0 contributes nothing, whatever it multiplies."""
        for variable in reversed(self.tape):
            if variable.adjoint == 0:
                continue
            for parent, partial in variable.parents:
                if partial != 0:
                    parent.adjoint += variable.adjoint * partial


# ---- Scalar functions


@dataclass(frozen=True)
class Function:
    """`value(x)` and `derivative(x, y)`. Arguments up to `limit` give values up to `bound(limit)`, both of magnitude.

    `simple`: the argument shall be a plain read, for the value jumps and must not depend on the last bit.
    """

    name: str
    value: Callable[[float], float]
    derivative: Callable[[float, float], float]
    limit: float
    bound: Callable[[float], float]
    smooth: bool = True
    simple: bool = False
    level: str = "core"


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _bell(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _same(b: float) -> float:
    return b


# fmt: off
UNARY = (
    Function("sin",      math.sin,   lambda x, y: math.cos(x),    20, lambda b: 1),
    Function("cos",      math.cos,   lambda x, y: -math.sin(x),   20, lambda b: 1),
    Function("tanh",     math.tanh,  lambda x, y: 1 - y * y,     100, lambda b: 1),
    Function("exp",      math.exp,   lambda x, y: y,               3, math.exp),
    Function("sigmoid",  _sigmoid,   lambda x, y: y * (1 - y),   100, lambda b: 1),
    Function("softplus", lambda x: float(np.logaddexp(0, x)), lambda x, y: _sigmoid(x), 50, lambda b: b + 1),
    Function("atan",     math.atan,  lambda x, y: 1 / (1 + x*x), 100, lambda b: 1.6),
    Function("abs",      abs,        lambda x, y: float(np.sign(x)), 100, _same, smooth=False),
    Function("relu",     lambda x: max(x, 0.0), lambda x, y: float(x > 0), 100, _same, smooth=False),
    Function("erf",      math.erf,   lambda x, y: 2 / math.sqrt(math.pi) * math.exp(-x*x), 50, lambda b: 1, level="full"),
    Function("erfc",     math.erfc,  lambda x, y: -2 / math.sqrt(math.pi) * math.exp(-x*x), 50, lambda b: 2, level="full"),
    Function("gelu",     lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
                         lambda x, y: (1 + math.erf(x / math.sqrt(2))) / 2 + x * _bell(x), 50, _same, level="full"),
    Function("silu",     lambda x: x * _sigmoid(x),
                         lambda x, y: _sigmoid(x) * (1 + x * (1 - _sigmoid(x))), 50, _same, level="full"),
    Function("expm1",    math.expm1, lambda x, y: y + 1,           3, math.expm1, level="full"),
    Function("exp2",     lambda x: 2**x, lambda x, y: y * math.log(2), 4, lambda b: 2**b, level="full"),
    Function("sinh",     math.sinh,  lambda x, y: math.cosh(x),    2, math.sinh, level="full"),
    Function("cosh",     math.cosh,  lambda x, y: math.sinh(x),    2, math.cosh, level="full"),
    Function("tan",      math.tan,   lambda x, y: 1 + y * y,       1, math.tan, level="full"),
    Function("asinh",    math.asinh, lambda x, y: 1 / math.sqrt(1 + x*x), 100, math.asinh, level="full"),
    Function("sign",     lambda x: float(np.sign(x)),  lambda x, y: 0, 50, lambda b: 1, False, True, "full"),
    Function("floor",    lambda x: float(np.floor(x)), lambda x, y: 0, 50, lambda b: b + 1, False, True, "full"),
    Function("ceil",     lambda x: float(np.ceil(x)),  lambda x, y: 0, 50, lambda b: b + 1, False, True, "full"),
    Function("round",    lambda x: float(np.round(x)), lambda x, y: 0, 50, lambda b: b + 1, False, True, "full"),
)

# Of arguments between 1/2 and `limit`.
POSITIVE = (
    Function("sqrt",  math.sqrt,  lambda x, y: 0.5 / y,              1e3, lambda b: math.sqrt(b)),
    Function("log",   math.log,   lambda x, y: 1 / x,                1e3, lambda b: abs(math.log(b)) + 1),
    Function("log1p", math.log1p, lambda x, y: 1 / (1 + x),          1e3, lambda b: math.log1p(b), level="full"),
    Function("log2",  math.log2,  lambda x, y: 1 / x / math.log(2),  1e3, lambda b: abs(math.log2(b)) + 1, level="full"),
    Function("rsqrt", lambda x: 1 / math.sqrt(x), lambda x, y: -0.5 * y / x, 1e3, lambda b: 1.5, level="full"),
    Function("cbrt",  lambda x: x ** (1 / 3), lambda x, y: y / x / 3, 1e3, lambda b: b ** (1 / 3) + 1, level="full"),
)

# Two arguments: value and both partial derivatives.
BINARY: dict[str, tuple[Callable[[float, float], float], Callable[[float, float], tuple[float, float]]]] = {
    "max":   (max, lambda a, b: (0.5, 0.5) if a == b else (float(a > b), float(b > a))),
    "min":   (min, lambda a, b: (0.5, 0.5) if a == b else (float(a < b), float(b < a))),
    "hypot": (math.hypot, lambda a, b: (a / math.hypot(a, b), b / math.hypot(a, b)) if a or b else (0, 0)),
    "atan2": (math.atan2, lambda a, b: (b / (a*a + b*b), -a / (a*a + b*b)) if a or b else (0, 0)),
    "pow":   (lambda a, b: a**b, lambda a, b: (b * a**(b - 1), a**b * math.log(a))),
    "fmod":  (math.fmod, lambda a, b: (1, -float(np.trunc(a / b)))),
    "gate":  (lambda a, b: a * b if a and b else 0.0, lambda a, b: (b, a)),
}
# fmt: on

FUNCTIONS = {f.name: f for f in (*UNARY, *POSITIVE)}


# ---- Indices, index expressions, conditions


@dataclass(eq=False)
class Index:
    """An index of a left side or a reduction; `values` are those of a range that depends on nothing, None for others.

    `implicit`: its range shall be inferred, and is printed only where the rules do not find it.
    """

    name: str
    values: range | None
    text: str  # of the extent, for an implicit index and `k: extent`
    implicit: bool
    uses: int = 0


@dataclass(eq=False)
class Form:
    """An index expression: `text`, as `.idx` and as Python. `opaque`: rule 3 does not look through it."""

    text: str
    indices: tuple[Index, ...]
    opaque: bool = False
    python: str = ""

    def __post_init__(self) -> None:
        self.code = compile(self.python or self.text, self.text, "eval")

    def at(self, env: Env) -> int:
        return eval(self.code, PYTHON, env)  # type: ignore[arg-type, no-any-return]

    @property
    def bare(self) -> Index | None:
        return self.indices[0] if self.indices and self.text == self.indices[0].name else None


def _clamp(e: int, low: int, high: int) -> int:
    return min(max(e, low), high)


PYTHON = {"__builtins__": {}, "min": min, "max": max, "clamp": _clamp}


@dataclass(eq=False)
class Among:
    """Comparisons of index expressions, as text; `=` in it may be `==` in `python`."""

    form: Form
    affine = True
    precedence = 3

    def show(self) -> str:
        return self.form.text

    def holds(self, env: Env, run: Run) -> bool:
        return bool(self.form.at(env))

    @property
    def indices(self) -> tuple[Index, ...]:
        return self.form.indices


@dataclass(eq=False)
class Compared:
    """A comparison of values."""

    relation: str
    left: Expr
    right: Expr
    affine = False
    precedence = 3
    indices = ()

    def show(self) -> str:
        return f"{self.left.show(1)} {self.relation} {self.right.show(1)}"

    def holds(self, env: Env, run: Run) -> bool:
        a, b = self.left.value(env, run).value, self.right.value(env, run).value
        match self.relation:
            case "<":
                return a < b
            case "<=":
                return a <= b
            case ">":
                return a > b
            case _:
                return a >= b


@dataclass(eq=False)
class Joined:
    """`not a`, `a and b`, `a or b`."""

    operator: str
    operands: tuple[Condition, ...]

    @property
    def affine(self) -> bool:
        return all(c.affine for c in self.operands)

    @property
    def precedence(self) -> int:
        return {"or": 0, "and": 1, "not": 2}[self.operator]

    @property
    def indices(self) -> tuple[Index, ...]:
        return tuple(i for c in self.operands for i in c.indices)

    def show(self) -> str:
        parts = [
            f"({c.show()})" if c.precedence <= self.precedence else c.show() for c in self.operands
        ]
        return f"not {parts[0]}" if self.operator == "not" else f" {self.operator} ".join(parts)

    def holds(self, env: Env, run: Run) -> bool:
        match self.operator:
            case "not":
                return not self.operands[0].holds(env, run)
            case "and":
                return all(c.holds(env, run) for c in self.operands)
            case _:
                return any(c.holds(env, run) for c in self.operands)


Condition = Among | Compared | Joined


# ---- Expressions. `show(level, last)`: the text, in brackets where it binds less than `level` asks (0 if, 1 sum, 1.5 minus,
# 2 product, 4 power, 5 primary), or is a reduction with a further factor behind it (not `last`).


def _bracketed(text: str, wanted: bool) -> str:
    return f"({text})" if wanted else text


@dataclass(eq=False)
class Number:
    text: str
    bound = property(lambda self: abs(self._number))

    @property
    def _number(self) -> float:
        return math.pi if self.text == "pi" else float(self.text)

    def show(self, level: float, last: bool = True) -> str:
        return self.text

    def value(self, env: Env, run: Run) -> Variable:
        return Variable(self._number)


@dataclass(eq=False)
class IndexValue:
    form: Form
    bound: float

    def show(self, level: float, last: bool = True) -> str:
        return _bracketed(self.form.text, level > 1 and not self.form.text.isidentifier())

    def value(self, env: Env, run: Run) -> Variable:
        return Variable(self.form.at(env))


@dataclass(eq=False)
class Subscript:
    """A form, plain or under a boundary form (`pad`, `wrap`, ..); `outside` is the constant of a `pad`, as text."""

    form: Form
    boundary: str = ""
    outside: str = ""

    def show(self) -> str:
        if not self.boundary:
            return self.form.text
        return f"{self.boundary}({self.form.text}{', ' if self.outside else ''}{self.outside})"

    def at(self, env: Env, extent: int) -> int | float:
        """The place in a dimension of this extent; outside of a `pad` its constant, a float."""
        e = self.form.at(env)
        match self.boundary:
            case "pad":
                return e if 0 <= e < extent else float(self.outside or 0)
            case "clamp":
                return min(max(e, 0), extent - 1)
            case "wrap":
                return e % extent
            case "reflect":
                e %= max(2 * extent - 2, 1)
                return e if e < extent else 2 * extent - 2 - e
            case "symmetric":
                e %= 2 * extent
                return e if e < extent else 2 * extent - 1 - e
            case _:
                assert 0 <= e < extent, (
                    f"{self.form.text} is {e} at {env}, but the extent is {extent}"
                )
                return e


@dataclass(eq=False)
class Element:
    tensor: Tensor
    subscripts: tuple[Subscript, ...]
    separator: str = ", "
    bound = property(lambda self: self.tensor.bound)

    def show(self, level: float, last: bool = True) -> str:
        name = self.tensor.name
        if not self.subscripts:
            return name + ("" if self.separator == ", " else "[]")
        return f"{name}[{self.separator.join(s.show() for s in self.subscripts)}]"

    def value(self, env: Env, run: Run) -> Variable:
        shape = run.shapes[self.tensor.name]
        place = tuple(s.at(env, n) for s, n in zip(self.subscripts, shape, strict=True))
        outside = next((p for p in place if isinstance(p, float)), None)
        return run.tensors[self.tensor.name][place] if outside is None else Variable(outside)


@dataclass(eq=False)
class Apply:
    """A function of one argument; `bare` is the spelling `exp x[i]`."""

    function: str
    argument: Expr
    bound: float
    bare: bool = False

    def show(self, level: float, last: bool = True) -> str:
        if self.bare:
            return _bracketed(f"{self.function} {self.argument.show(5)}", level > 4)
        return f"{self.function}({self.argument.show(0)})"

    def value(self, env: Env, run: Run) -> Variable:
        x = self.argument.value(env, run)
        f = FUNCTIONS[self.function]
        try:
            y = f.value(x.value)
            return run.new(y, (x, f.derivative(x.value, y)))
        except (
            ValueError,
            ZeroDivisionError,
        ):  # Python's way of saying NaN; only where it is masked
            return run.new(math.nan, (x, math.nan))


@dataclass(eq=False)
class Apply2:
    function: str
    left: Expr
    right: Expr
    bound: float

    def show(self, level: float, last: bool = True) -> str:
        return f"{self.function}({self.left.show(0)}, {self.right.show(0)})"

    def value(self, env: Env, run: Run) -> Variable:
        a, b = self.left.value(env, run), self.right.value(env, run)
        value, partials = BINARY[self.function]
        da, db = partials(a.value, b.value)
        return run.new(value(a.value, b.value), (a, da), (b, db))


@dataclass(eq=False)
class Negative:
    operand: Expr
    bound = property(lambda self: self.operand.bound)

    def show(self, level: float, last: bool = True) -> str:
        return _bracketed(f"-{self.operand.show(4, last or level > 1.5)}", level > 1.5)

    def value(self, env: Env, run: Run) -> Variable:
        x = self.operand.value(env, run)
        return run.new(-x.value, (x, -1.0))


@dataclass(eq=False)
class Infix:
    operator: str
    left: Expr
    right: Expr
    bound: float

    def show(self, level: float, last: bool = True) -> str:
        if self.operator in "+-":
            text = f"{self.left.show(1)} {self.operator} {self.right.show(2)}"
            return _bracketed(text, level > 1)
        closed = (
            last or level > 2
        )  # brackets of our own come behind the right operand, or nothing does
        right = self.right.show(3, closed and self.operator == "*")
        text = f"{self.left.show(2, False)} {self.operator} {right}"
        return _bracketed(text, level > 2)

    def value(self, env: Env, run: Run) -> Variable:
        x, y = self.left.value(env, run), self.right.value(env, run)
        a, b = x.value, y.value
        match self.operator:
            case "+":
                return run.new(a + b, (x, 1.0), (y, 1.0))
            case "-":
                return run.new(a - b, (x, 1.0), (y, -1.0))
            case "*":
                return run.new(a * b, (x, b), (y, a))
            case _:
                return run.new(a / b, (x, 1 / b), (y, -a / b / b))


@dataclass(eq=False)
class Power:
    """A power with a number or an index for exponent."""

    base: Expr
    exponent: Form
    bound: float

    def show(self, level: float, last: bool = True) -> str:
        exponent = self.exponent.text
        plain = re.fullmatch(r"-?[\w.]+", exponent)
        return _bracketed(f"{self.base.show(5)}**{_bracketed(exponent, not plain)}", level > 4)

    def value(self, env: Env, run: Run) -> Variable:
        x, n = self.base.value(env, run), self.exponent.at(env)
        return run.new(x.value**n, (x, n * x.value ** (n - 1) if n else 0.0))


@dataclass(eq=False)
class Choice:
    condition: Condition
    then: Expr
    otherwise: Expr
    spelling: str = "if"  # or "if {}", "where"
    bound = property(lambda self: max(self.then.bound, self.otherwise.bound))

    def show(self, level: float, last: bool = True) -> str:
        condition = self.condition.show()
        if self.spelling == "where":
            return f"where({condition}, {self.then.show(0)}, {self.otherwise.show(0)})"
        condition = f"{{{condition}}}" if self.spelling == "if {}" else condition
        text = f"if {condition} then {self.then.show(1)} else {self.otherwise.show(0)}"
        return _bracketed(text, level > 0)

    def value(self, env: Env, run: Run) -> Variable:
        return (self.then if self.condition.holds(env, run) else self.otherwise).value(env, run)


@dataclass(eq=False)
class Guarded:
    """`[condition] * rest`, or the bracket behind it; `rest` None is the bracket alone. Or spelled as a `delta`."""

    condition: Condition
    rest: Expr | None
    bracket: str
    behind: bool
    bound = property(lambda self: self.rest.bound if self.rest else 1.0)

    def show(self, level: float, last: bool = True) -> str:
        if self.rest is None:
            return self.bracket
        if self.behind:
            return _bracketed(f"{self.rest.show(2, False)} * {self.bracket}", level > 2)
        return _bracketed(f"{self.bracket} * {self.rest.show(3, last or level > 2)}", level > 2)

    def value(self, env: Env, run: Run) -> Variable:
        if not self.condition.holds(env, run):
            return Variable(0.0)
        return self.rest.value(env, run) if self.rest else Variable(1.0)


@dataclass(eq=False)
class Range:
    """An index of a reduction with its bounds. `style`: implicit, extent (`k: n`), bounds (`k=lo..hi`), script (`_lo^hi`)."""

    index: Index
    style: str
    low: Form
    high: Form

    def show(self) -> str:
        match self.style:
            case "implicit" if self.index.implicit:
                return self.index.name
            case "implicit" | "extent":
                return f"{self.index.name}: {self.index.text}"
            case "bounds":
                return f"{self.index.name}={self.low.text}..{self.high.text}"
            case _:
                return self.index.name


@dataclass(eq=False)
class Reduction:
    op: str
    ranges: tuple[Range, ...]
    condition: Condition | None
    body: Expr
    bound: float

    def show(self, level: float, last: bool = True) -> str:
        inside = ", ".join(r.show() for r in self.ranges)
        inside += f" | {self.condition.show()}" if self.condition else ""
        if self.ranges[0].style == "script":
            low, high = (self._script(f) for f in (self.ranges[0].low, self.ranges[0].high))
            text = f"{self.op}{{{inside}}}_{low}^{high} ({self.body.show(0)})"
        else:
            text = f"{self.op}{{{inside}}} {self.body.show(1.5)}"
        return _bracketed(text, level > 4 or not last)

    @staticmethod
    def _script(bound: Form) -> str:
        return _bracketed(bound.text, not re.fullmatch(r"-?\d+|[A-Za-z]\w*", bound.text))

    def value(self, env: Env, run: Run) -> Variable:
        points = list(self.points(env, run))
        terms = [self.body.value(p, run) for p in points]
        values = [t.value for t in terms]
        match self.op:
            case "sum":
                return run.new(math.fsum(values), *((t, 1.0) for t in terms))
            case "mean":
                return run.new(
                    math.fsum(values) / len(terms), *((t, 1 / len(terms)) for t in terms)
                )
            case "prod":
                others = (values[:n] + values[n + 1 :] for n in range(len(values)))
                partials = [math.prod(o) for o in others]
                return run.new(math.prod(values), *zip(terms, partials, strict=True))
            case "max" | "min":
                best = (max if self.op == "max" else min)(values)
                ties = [t for t in terms if t.value == best]
                return run.new(best, *((t, 1 / len(ties)) for t in ties))
            case "logsumexp":
                top = max(values)
                y = top + math.log(math.fsum(math.exp(v - top) for v in values))
                return run.new(y, *((t, math.exp(t.value - y)) for t in terms))
            case _:
                best = (max if self.op == "argmax" else min)(values, default=math.nan)
                place = values.index(best) if values else None
                name = self.ranges[0].index.name
                return Variable(-1 if place is None else points[place][name])

    def points(self, env: Env, run: Run) -> Iterator[Env]:
        bounds = [range(r.low.at(env), r.high.at(env) + 1) for r in self.ranges]
        names = [r.index.name for r in self.ranges]
        for place in itertools.product(*bounds):
            point = {**env, **dict(zip(names, place, strict=True))}
            if self.condition is None or self.condition.holds(point, run):
                yield point


Expr = (
    Number
    | IndexValue
    | Element
    | Apply
    | Apply2
    | Negative
    | Infix
    | Power
    | Choice
    | Guarded
    | Reduction
)


# ---- Programs


@dataclass(eq=False)
class Dimension:
    """`fixed`: a bare use, or the statement that defines the tensor, has settled the extent; else it may grow."""

    extent: int
    text: str = ""
    fixed: bool = False


@dataclass(eq=False)
class Tensor:
    name: str
    dimensions: list[Dimension]
    bound: float
    declared: bool = True  # as an input; undeclared ones are known from their reads
    masked: bool = False  # some elements are NaN: read only where a condition allows

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(d.extent for d in self.dimensions)


@dataclass(eq=False)
class Use:
    """A subscript in a statement, with the indices that affine conditions around it speak of.

    `within`: it stands in a condition itself.
    """

    dimension: Dimension
    subscript: Subscript
    guards: tuple[Index, ...]
    within: bool = False


@dataclass(eq=False)
class Statement:
    target: Tensor
    lefts: tuple[Index, ...]
    body: Expr
    uses: list[Use]
    folded: bool  # the right side stands on a line of its own

    def show(self) -> str:
        lefts = ", ".join(i.name if i.implicit else f"{i.name}: {i.text}" for i in self.lefts)
        left = f"{self.target.name}[{lefts}]" if self.lefts else self.target.name
        return f"{left} ={chr(10) + '    ' if self.folded else ' '}{self.body.show(0)}"

    def elements(self, run: Run) -> Iterator[Variable]:
        for place in itertools.product(*map(range, self.target.shape)):
            names = (i.name for i in self.lefts)
            yield self.body.value({**run.sizes, **dict(zip(names, place, strict=True))}, run)


@dataclass(eq=False)
class Size:
    """A size; one without a definition is symbolic and bound when the program is called."""

    name: str
    value: int
    definition: str = ""


@dataclass(frozen=True, eq=False)
class RandomProgram:
    """`inputs` and `outputs` give the shapes for these `sizes`, in the order of the language.

    `features` names what occurs. `smooth`: differentiable at almost all inputs near almost all inputs, so that finite
    differences may judge it. `operations`: scalar operations of one evaluation.
    """

    seed: int
    level: str
    text: str
    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    sizes: dict[str, int]
    features: tuple[str, ...]
    smooth: bool
    operations: int
    _numbers: dict[str, int] = field(repr=False)
    _statements: tuple[Statement, ...] = field(repr=False)

    @property
    def numbers(self) -> dict[str, int]:
        """Of the sizes, and of the extents of inputs as tadc calls those without a name."""
        extents = {f"{x}_{d}": n for x, shape in self.inputs.items() for d, n in enumerate(shape)}
        return {**extents, **self.sizes}

    def sample(self, seed: int = 0, lattice: bool = False) -> dict[str, np.ndarray]:
        """Arrays for the inputs, between -2 and 2; on a `lattice` of halves, where ties, zeros and kinks are met."""
        return self._sample(self.inputs, seed, lattice)

    def cotangents(self, seed: int = 0, lattice: bool = False) -> dict[str, np.ndarray]:
        """Arrays for the outputs, made like `sample`; on a `lattice`, some are 0."""
        return self._sample(self.outputs, seed + 1_000_003, lattice)

    def evaluate(self, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        run = self._run(arrays)
        return {name: run.values(name) for name in self.outputs}

    def gradients(
        self, arrays: Mapping[str, np.ndarray], cotangents: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """For each input, the transposed Jacobian of all outputs times the cotangents."""
        run = self._run(arrays)
        for name in self.outputs:
            for place, variable in run.tensors[name].items():
                variable.adjoint += float(cotangents[name][place])
        run.backward()
        return {name: run.adjoints(name) for name in self.inputs}

    def _run(self, arrays: Mapping[str, np.ndarray]) -> Run:
        run = Run(self._numbers)
        for name, shape in self.inputs.items():
            array = np.asarray(arrays[name], dtype=np.float64)
            assert array.shape == shape, f"{name} has shape {array.shape}, not {shape}"
            run.define(name, shape, map(Variable, array.ravel()))
        for s in self._statements:
            run.define(s.target.name, s.target.shape, s.elements(run))
        return run

    def _sample(
        self, shapes: Mapping[str, tuple[int, ...]], seed: int, lattice: bool
    ) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)
        made = {}
        for name, shape in shapes.items():
            made[name] = np.asarray(rng.uniform(-SAMPLES, SAMPLES, shape))
            if lattice:
                made[name] = np.asarray(np.round(made[name] * 2) / 2)
        return made


def random_program(seed: int, level: str = "core") -> RandomProgram:
    """The program of this seed, the same in every process. `level="full"` adds what is not affine, and more reductions."""
    assert level in LEVELS, f"no level {level}"
    for attempt in itertools.count():
        try:
            return _Generator(random.Random(f"{level} {seed} {attempt}"), level).program(seed)
        except _TooLarge:
            continue
    raise AssertionError("unreachable")


class _TooLarge(Exception):
    """The program would take too many operations, or is dull: the next attempt may be better."""


# ---- Generation


@dataclass(frozen=True, eq=False)
class Scope:
    """Where an expression stands: the indices it may use, all points that reach it, the indices conditions speak of."""

    indices: dict[str, Index]
    points: list[Env]
    guards: tuple[Index, ...] = ()
    within: bool = False  # a condition

    def under(self, condition: Condition, wanted: bool = True) -> Scope:
        points = self.points
        if condition.affine:
            points = [p for p in points if condition.holds(p, Run({})) is wanted]
        return Scope(self.indices, points, (*self.guards, *condition.indices), self.within)


@dataclass(frozen=True)
class Production:
    """A way to make an expression; of `level`, taken with this weight. `leaf`: it needs no depth."""

    make: Callable[[_Generator, Scope, int], Expr | None]
    weight: float
    leaf: bool = False
    level: str = "core"


class _Generator:
    """Makes one program; every choice comes from `rng`."""

    def __init__(self, rng: random.Random, level: str) -> None:
        self.rng = rng
        self.level = level
        self.sizes: list[Size] = []
        self.inputs: list[Tensor] = []
        self.statements: list[Statement] = []
        self.uses: list[Use] = []  # of the statement being made
        self.lefts: set[str] = set()
        self.features: dict[str, None] = {}
        self.smooth = True
        self.operations = 0

    # -- Chances

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, options: Sequence[tuple[float, Any]]) -> Any:
        """One of the options, each given with its weight."""
        return self.rng.choices([o for _, o in options], [w for w, _ in options])[0]

    def note(self, feature: str) -> None:
        self.features[feature] = None

    @property
    def full(self) -> bool:
        return self.level == "full"

    # -- The program

    def program(self, seed: int) -> RandomProgram:
        self.make_sizes()
        count = self.pick([(3, 1), (3, 2), (2, 3), (2, 4)])
        while len(self.statements) < count:
            self.make_statement()
        self.finish_inputs()
        for statement in self.statements:
            self.settle(statement)
        outputs, declaration = self.choose_outputs()
        self.note(f"{len(self.statements)} statements")
        if len(outputs) > 1:
            self.note("several outputs")
        text, inputs = self.text(seed, declaration)
        return RandomProgram(
            seed,
            self.level,
            text,
            {t.name: t.shape for t in inputs},
            {t.name: t.shape for t in outputs},
            {s.name: s.value for s in self.sizes if not s.definition},
            tuple(sorted(self.features)),
            self.smooth,
            self.operations,
            self.numbers,
            tuple(self.statements),
        )

    @property
    def numbers(self) -> dict[str, int]:
        return {s.name: s.value for s in self.sizes}

    def make_sizes(self) -> None:
        if self.chance(0.35):
            self.note("symbolic sizes")
            for name in ("N", "M", "K")[: self.pick([(3, 1), (3, 2), (1, 3)])]:
                self.sizes.append(Size(name, self.rng.randint(2, 5)))
            if self.chance(0.2):
                self.note("size made of sizes")
                n = self.sizes[0]
                options = ((f"{n.name} + 1", n.value + 1), (f"2*{n.name} - 1", 2 * n.value - 1))
                if self.full:
                    options = (*options, (f"({n.name} + 3) // 2", (n.value + 3) // 2))
                text, value = self.rng.choice(options)
                self.sizes.append(Size("P", value, text))
        if self.chance(0.12):
            self.note("size with a number")
            value = self.rng.randint(2, 5)
            self.sizes.append(Size("L", value, str(value)))

    def extent(self, most: int = 6) -> tuple[int, str]:
        """A new extent, as a number and as text."""
        if self.sizes and self.chance(0.8):
            size = self.rng.choice(self.sizes)
            change, text = self.pick(
                [(5, (0, "{}")), (0.6, (1, "{} + 1")), (0.6, (-1, "{} - 1")), (0.3, (2, "{}+2"))]
            )
            if 1 <= size.value + change <= most:
                return size.value + change, text.format(size.name)
        if self.full and len(self.sizes) > 1 and self.chance(0.3):
            a, b = self.rng.sample(self.sizes, 2)
            if 1 <= min(a.value, b.value) <= most:
                self.note("the least of sizes as an extent")
                return min(a.value, b.value), f"min({a.name}, {b.name})"
        n = min(most, self.rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 6)))
        return n, str(n)

    def make_statement(self) -> None:
        rank = self.pick([(1.5, 0), (4, 1), (4, 2), (1.5, 3)])
        names = self.rng.sample(("i", "j", "k", "l", "m", "n", "p", "q"), rank)
        if self.chance(0.5):
            names = ["i", "j", "k"][:rank]
        lefts = []
        for name in names:
            n, text = self.extent(most=(6, 6, 6, 4)[rank])
            lefts.append(Index(name, range(n), text, implicit=self.chance(0.75)))
        if any(not i.implicit for i in lefts):
            self.note("left side with extents")
        places = itertools.product(*(i.values for i in lefts))
        points = [{**self.numbers, **dict(zip(names, p, strict=True))} for p in places]
        self.uses, self.lefts = [], set(names)
        body = self.expression(Scope({i.name: i for i in lefts}, points), self.rng.randint(2, 4))
        if not self.uses and not (rank == 0 and self.chance(0.1)):
            raise _TooLarge
        body = self.moderate(body, 20, len(points))
        target = Tensor(
            self.fresh_target(), [Dimension(len(i.values), i.text, True) for i in lefts], body.bound
        )
        folded = self.chance(0.04)
        self.statements.append(Statement(target, tuple(lefts), body, self.uses, folded))
        self.note(f"output of rank {rank}")

    def fresh_target(self) -> str:
        return ("f", "g", "h", "t", "e2", "r2", "F", "out")[len(self.statements)]

    def choose_outputs(self) -> tuple[list[Tensor], str]:
        """The outputs, and the declaration that names them, or nothing."""
        targets = [s.target for s in self.statements if not s.target.masked]
        if self.chance(0.3):
            self.note("output declaration")
            outputs = self.rng.sample(targets, self.rng.randint(1, len(targets)))
            if self.full and self.inputs and self.chance(0.1):
                self.note("an input is an output")
                outputs.append(self.rng.choice(self.inputs))
            if outputs and self.statements[-1].target not in outputs:
                self.note("statement without effect")
            return outputs, f"output {', '.join(t.name for t in outputs)}\n"
        read = {name for s in self.statements for name in _tensors_read(s.body)}
        return [t for t in targets if t.name not in read], ""

    def text(self, seed: int, declaration: str) -> tuple[str, list[Tensor]]:
        """The program's text, and the inputs in the order of their declarations, then of first use."""
        body = "".join(f"{s.show()}\n" for s in self.statements)
        first_use = re.findall(r"[A-Za-z]\w*", body)
        declared = [t for t in self.inputs if t.declared]
        undeclared = sorted(
            (t for t in self.inputs if not t.declared), key=lambda t: first_use.index(t.name)
        )
        self.rng.shuffle(declared)
        lines = [f"# seed {seed}, {self.level}\n"]
        free = [s.name for s in self.sizes if not s.definition]
        lines += [f"size {', '.join(free)}\n"] if free else []
        lines += [f"size {s.name} = {s.definition}\n" for s in self.sizes if s.definition]
        for tensor in declared:
            extents = ", ".join(d.text for d in tensor.dimensions)
            lines.append(f"input {tensor.name}[{extents}]\n")
        return "".join(lines) + declaration + body, [*declared, *undeclared]

    # -- Shapes of inputs, ranges of indices

    def finish_inputs(self) -> None:
        undeclared = self.chance(0.2)
        for tensor in self.inputs:
            for dimension in tensor.dimensions:
                self.finish(dimension)
            tensor.declared = not (undeclared and self.chance(0.6))
        if any(not t.declared for t in self.inputs):
            self.note("undeclared input")
        if not self.inputs or self.chance(0.05):
            self.note("unused input")
            n, text = self.extent()
            self.inputs.append(Tensor("unused", [Dimension(n, text, True)], SAMPLES))
        found = self.sizes_of_shapes()
        for size in self.sizes:
            if size.definition or size.name in found:
                continue
            if self.chance(0.25):
                self.note("size by keyword only")
                continue
            self.note("unused input")
            name = f"only{size.name}"
            self.inputs.append(Tensor(name, [Dimension(size.value, size.name, True)], SAMPLES))

    def finish(self, dimension: Dimension) -> None:
        if dimension.fixed:
            return
        dimension.extent = max(1, dimension.extent)
        if self.chance(0.35):
            self.note("input longer than read")
            dimension.extent += self.rng.randint(1, 3)
        self.fix(dimension)

    def fix(self, dimension: Dimension, text: str = "") -> None:
        """Settles the extent; where sizes are symbolic, some get a text that is made of one."""
        dimension.fixed = True
        dimension.text = text or str(dimension.extent)
        if not text and self.sizes and self.chance(0.5):
            size = self.rng.choice(self.sizes)
            double = 2 if size.value * 2 <= dimension.extent else 1
            rest = dimension.extent - double * size.value
            if -2 <= rest <= 4:
                name = size.name if double == 1 else f"2*{size.name}"
                sign = f" {'-' if rest < 0 else '+'} {abs(rest)}" if rest else ""
                dimension.text = name + sign

    def sizes_of_shapes(self) -> set[str]:
        """The symbolic sizes that declared shapes determine, one unknown at a time."""
        free = {s.name for s in self.sizes if not s.definition}
        parts = [
            set(re.findall(r"[A-Z]", d.text)) - {"L"}
            for t in self.inputs
            if t.declared
            for d in t.dimensions
            if "min(" not in d.text
        ]
        found: set[str] = set()
        while True:
            new = {name for p in parts if len(p - found) == 1 for name in p - found} & free
            if not new:
                return found
            found |= new

    def settle(self, statement: Statement) -> None:
        """Makes explicit every index that the rules for ranges do not find, or do not find the same for."""
        _spread_guards(statement)
        while True:
            wrong = _misjudged(statement, self.numbers)
            if wrong is None:
                break
            wrong.implicit = False
        implicit = {i for i in _indices(statement) if i.implicit}
        bare = {use.subscript.form.bare for use in statement.uses if not use.subscript.boundary}
        if implicit:
            self.note("implicit range")
        if implicit - bare:
            self.note("largest valid range (rule 3)")

    # -- Expressions

    def charge(self, points: int) -> None:
        self.operations += points
        if self.operations > OPERATIONS:
            raise _TooLarge

    def expression(self, scope: Scope, depth: int) -> Expr:
        while True:
            options = [
                (p.weight * (0.4 if p.leaf and depth > 1 else 1), p)
                for p in PRODUCTIONS
                if (p.leaf or depth > 0) and LEVELS.index(p.level) <= LEVELS.index(self.level)
            ]
            made = self.pick(options).make(self, scope, depth)
            if made is not None:
                self.charge(len(scope.points))
                return made

    def moderate(self, e: Expr, most: float, points: int) -> Expr:
        """`e`, scaled if it may be larger than `most`."""
        if e.bound <= most:
            return e
        self.charge(points)
        if e.bound < 100 and self.chance(0.4):
            return Apply("tanh", e, 1.0)
        digits = math.ceil(math.log10(e.bound / most))
        if self.chance(0.5):
            return Infix("/", e, Number(str(10**digits)), e.bound / 10**digits)
        factor = Number(f"1e-{digits}" if digits > 2 else str(0.1**digits)[: digits + 2])
        return Infix("*", factor, e, e.bound * factor.bound)

    def simple(self, scope: Scope) -> Expr:
        """A read or a number: operands of comparisons, where the last bit of a longer computation would decide."""
        if self.chance(0.2):
            return self.number(scope, 0)
        return self.input(scope) if self.chance(0.6) else self.read(scope, 0)

    def input(self, scope: Scope) -> Expr:
        """A read of an input, if there is one."""
        return (
            self.element(scope, self.rng.choice(self.inputs))
            if self.inputs
            else self.read(scope, 0)
        )

    def number(self, scope: Scope, depth: int) -> Expr:
        texts = ("2", "3", "0.5", "1.5", "0.25", "1", "0.1", "2e-1", "pi", "1.0")
        return Number(self.rng.choice(texts))

    def index_value(self, scope: Scope, depth: int) -> Expr | None:
        if self.sizes and self.chance(0.2):
            self.note("size as a value")
            form = Form(self.rng.choice(self.sizes).name, ())
        elif not scope.indices:
            return None
        else:
            self.note("index as a value")
            form = self.linear(scope, self.rng.choice((1, 1, 2)))
            if self.chance(0.5):
                form = self.moved(form, self.rng.randint(-2, 3))
            if self.full and self.chance(0.1):
                form = self.limited(form)
            if self.full and self.chance(0.25):
                form = self.divided(form)
        values = [form.at(p) for p in scope.points] or [0]
        return IndexValue(form, max(1, *map(abs, values)))

    def negative(self, scope: Scope, depth: int) -> Expr:
        return Negative(self.expression(scope, depth - 1))

    def arithmetic(self, scope: Scope, depth: int) -> Expr:
        a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        operator = self.rng.choice("++-***")
        if operator == "*":
            a, b = self.moderate(a, 30, len(scope.points)), self.moderate(b, 30, len(scope.points))
            return Infix("*", a, b, a.bound * b.bound)
        return Infix(operator, a, b, a.bound + b.bound)

    def quotient(self, scope: Scope, depth: int) -> Expr:
        a = self.expression(scope, depth - 1)
        if self.chance(0.4):
            text = self.rng.choice(("2", "4", "3.0", "10"))
            return Infix("/", a, Number(text), a.bound / float(text))
        self.note("quotient")
        b = self.positive(scope, depth)
        return Infix("/", a, b, a.bound * 2)

    def positive(self, scope: Scope, depth: int) -> Expr:
        """An expression that is at least 1/2."""
        e = self.moderate(self.expression(scope, depth - 1), 3, len(scope.points))
        self.charge(2 * len(scope.points))
        if self.chance(0.5):
            one = Number(self.rng.choice(("1", "2", "1.5")))
            square: Expr = Power(e, Form("2", ()), e.bound**2)
            if self.chance(0.5):
                self.note("repeated subexpression")
                self.charge(len(scope.points) * 3)
                square = Infix("*", e, e, e.bound**2)
            return Infix("+", one, square, one.bound + square.bound)
        if self.chance(0.5):
            return Infix("+", Number("2"), Apply("sin", e, 1.0), 3.0)
        return Infix("+", Number("0.5"), Apply("exp", e, math.exp(e.bound)), 1 + math.exp(e.bound))

    def unary(self, scope: Scope, depth: int) -> Expr:
        options = [f for f in UNARY if self.full or f.level == "core"]
        weights = [0.6 if f.level == "core" and f.smooth else 0.3 for f in options]
        f = self.rng.choices(options, weights)[0]
        a = self.input(scope) if f.simple else self.expression(scope, depth - 1)
        a = self.moderate(a, f.limit, len(scope.points))
        self.note(f"function {f.name}")
        self.smooth &= f.smooth
        bare = isinstance(a, Element) and self.chance(0.3)
        if bare:
            self.note("function without brackets")
        return Apply(f.name, a, f.bound(a.bound), bare)

    def of_positive(self, scope: Scope, depth: int) -> Expr:
        a = self.positive(scope, depth)
        if self.chance(0.25):
            exponent = self.rng.choice(("-1", "0.5", "-2", "1.5"))
            self.note(f"power **{exponent}")
            return Power(a, Form(exponent, ()), max(a.bound ** float(exponent), 4))
        f = self.rng.choice([f for f in POSITIVE if self.full or f.level == "core"])
        self.note(f"function {f.name}")
        return Apply(f.name, a, f.bound(a.bound))

    def binary(self, scope: Scope, depth: int) -> Expr:
        names = ["max", "min", "hypot", "atan2"] + (["pow", "fmod", "gate"] if self.full else [])
        name = self.rng.choice(names)
        self.note(f"function {name}(a, b)")
        self.smooth &= name in ("atan2", "pow", "gate")
        match name:
            case "max" | "min":
                a, b = self.simple(scope), self.simple(scope)
                return Apply2(name, a, b, max(a.bound, b.bound))
            case "fmod":
                a, b = self.input(scope), Number(self.rng.choice(("1.25", "0.75", "2.5")))
                return Apply2(name, a, b, b.bound)
            case "atan2":
                a, b = self.expression(scope, depth - 1), self.positive(scope, depth)
                return Apply2(name, a, b, math.pi)
            case "pow":
                a = self.positive(scope, depth)
                b = self.moderate(self.expression(scope, depth - 1), 2, len(scope.points))
                return Apply2(name, a, b, max(a.bound, 2) ** b.bound)
            case _:
                a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
                product = name == "gate"
                return Apply2(name, a, b, a.bound * b.bound if product else a.bound + b.bound)

    def power(self, scope: Scope, depth: int) -> Expr:
        a = self.moderate(self.expression(scope, depth - 1), 6, len(scope.points))
        usable = [
            i
            for i in scope.indices.values()
            if all(0 <= p[i.name] <= 4 for p in scope.points) and a.bound <= 3
        ]
        if usable and self.chance(0.15):
            self.note("index as an exponent")
            index = self.rng.choice(usable)
            return Power(a, Form(index.name, (index,)), max(1, a.bound) ** 4)
        n = self.pick([(5, 2), (3, 3), (0.5, 1), (0.3, 0)])
        self.note(f"power **{n}")
        return Power(a, Form(str(n), ()), a.bound**n)

    def gaussian(self, scope: Scope, depth: int) -> Expr | None:
        """`exp(-sum{k} (..)**2) * ..`: a reduction in the midst of an expression."""
        distance = self.reduce(scope, depth, "sum", square=True)
        if distance is None:
            return None
        self.note("exp(-sum{k} ..)")
        kernel = Apply("exp", Negative(distance), 1.0)
        if depth < 2:
            return kernel
        other = self.expression(scope, depth - 2)
        return Infix("*", kernel, other, other.bound)

    def choice(self, scope: Scope, depth: int) -> Expr | None:
        """A selection by an affine condition that holds somewhere, and mostly fails somewhere."""
        condition = self.deciding(scope)
        if condition is None:
            return None
        self.note("if on indices")
        then = self.expression(scope.under(condition), depth - 1)
        otherwise = self.expression(scope.under(condition, False), depth - 1)
        return Choice(condition, then, otherwise, self.spelling())

    def choice_by_value(self, scope: Scope, depth: int) -> Expr:
        condition = self.value_condition(scope)
        self.note("if on values")
        self.smooth = False
        scope = scope.under(condition)
        then, otherwise = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        return Choice(condition, then, otherwise, self.spelling())

    def spelling(self) -> str:
        if self.full and self.chance(0.25):
            self.note("where(c, a, b)")
            return "where"
        return self.pick([(4, "if"), (1, "if {}")])

    def masked(self, scope: Scope, depth: int) -> Expr | None:
        """A root or logarithm where its argument allows one, computed there or by an earlier statement everywhere."""
        name, threshold, bound = self.rng.choice((("sqrt", "0", 1.5), ("log", "0.2", 1.7)))
        ranks = (1, 2)
        inputs = [t for t in self.inputs if len(t.dimensions) in ranks and t.bound <= SAMPLES]
        if not inputs or not scope.points:
            return None
        self.smooth = False
        argument = self.rng.choice(inputs)
        element = self.element(Scope(scope.indices, scope.points, scope.guards, True), argument)
        condition = Compared(">", element, Number(threshold))
        otherwise = self.expression(scope, depth - 1)
        if self.chance(0.5) or len(self.statements) > 4:
            self.note("masked NaN")
            self.remember(scope, argument, element.subscripts)
            return Choice(condition, Apply(name, element, bound), otherwise, self.spelling())
        self.note("NaN masked by a later statement")
        for dimension in argument.dimensions:
            if not dimension.fixed:
                dimension.extent = max(1, dimension.extent)
                self.fix(dimension)
        names = ("i", "j")[: len(argument.dimensions)]
        lefts = [
            Index(n, range(d.extent), d.text, True)
            for n, d in zip(names, argument.dimensions, strict=True)
        ]
        read = Element(argument, tuple(Subscript(Form(i.name, (i,))) for i in lefts))
        uses = [
            Use(d, s, ()) for d, s in zip(argument.dimensions, read.subscripts, strict=True)
        ]  # fmt: skip
        shape = [Dimension(d.extent, d.text, True) for d in argument.dimensions]
        target = Tensor(self.fresh_target(), shape, bound, masked=True)
        self.charge(math.prod(target.shape) * 2)
        earlier = Statement(target, tuple(lefts), Apply(name, read, bound), uses, False)
        self.statements.append(earlier)
        self.remember(scope, target, element.subscripts)
        return Choice(condition, Element(target, element.subscripts), otherwise, self.spelling())

    # -- Reductions

    def summation(self, scope: Scope, depth: int) -> Expr | None:
        return self.reduce(scope, depth, "sum")

    def other_reduction(self, scope: Scope, depth: int) -> Expr | None:
        options = ((3, "max"), (2, "min"), (3, "prod"), (2, "mean"), (3, "logsumexp"), (1, "argmax"), (1, "argmin"))  # fmt: skip
        return self.reduce(scope, depth, self.pick(options))

    def reduce(self, scope: Scope, depth: int, op: str, square: bool = False) -> Expr | None:
        """A reduction by `op`, None where there is no room for one; `square`: of a square, so not negative."""
        domain = self.domain(scope, op)
        if domain is None:
            return None
        ranges, condition, inner, most = domain
        if op == "sum" and self.full and not square and self.chance(0.1):
            # Whether another condition guards its reads, a reader could doubt: they are inside without.
            values = self.value_condition(self.ranged(scope, ranges))
            self.smooth = False
            self.note("range condition on values")
            condition = Joined("and", (condition, values)) if condition else values
            inner = inner.under(values)
        points = len(inner.points)
        if op in ("max", "min", "argmax", "argmin"):
            self.smooth = False
            body = self.simple_body(inner)
        else:
            body = self.expression(inner, depth - 1)
        if square:
            self.charge(points)
            body = Power(self.moderate(body, 6, points), Form("2", ()), 36)
        body = self.moderate(body, 1.5 if op == "prod" else 20, points)
        bound = {
            "sum": body.bound * most,
            "prod": max(1, body.bound) ** most,
            "logsumexp": body.bound + math.log(max(most, 1)),
            "argmax": 10.0,
            "argmin": 10.0,
        }.get(op, body.bound)
        return Reduction(op, ranges, condition, body, bound)

    def domain(
        self, scope: Scope, op: str
    ) -> tuple[tuple[Range, ...], Condition | None, Scope, int] | None:
        """Ranges, a condition or none, where the body stands, and how many points the reduction has at most."""
        for _ in range(8):
            ranges = self.ranges(scope, 1 if op.startswith("arg") else self.pick([(4, 1), (1, 2)]))
            if ranges is None:
                return None
            condition: Condition | None = None
            inner = self.ranged(scope, ranges)
            if ranges[0].style != "script" and self.chance(0.25):
                condition = self.deciding(inner, [r.index for r in ranges])
                inner = inner.under(condition) if condition else inner
            trial = Reduction(op, ranges, condition, Number("1"), 1.0)
            counts = [len(list(trial.points(p, Run({})))) for p in scope.points] or [0]
            most = max(counts)
            enough = min(counts) > 0 or op in ("sum", "prod", "argmax", "argmin")
            if enough and 0 < len(inner.points) <= POINTS and (op != "prod" or most <= 8):
                self.note_ranges(scope, op, ranges, condition, counts)
                return ranges, condition, inner, most
        return None

    def ranged(self, scope: Scope, ranges: tuple[Range, ...]) -> Scope:
        """The scope of a reduction's body, or of its condition."""
        indices = {**scope.indices, **{r.index.name: r.index for r in ranges}}
        trial = Reduction("sum", ranges, None, Number("1"), 1.0)
        points = [q for p in scope.points for q in trial.points(p, Run({}))]
        return Scope(indices, points, scope.guards, scope.within)

    def simple_body(self, scope: Scope) -> Expr:
        a = self.read(scope, 0)
        if self.chance(0.3):
            b = self.read(scope, 0)
            self.charge(len(scope.points))
            return Infix("*", a, b, a.bound * b.bound)
        return a

    def note_ranges(
        self,
        scope: Scope,
        op: str,
        ranges: tuple[Range, ...],
        condition: Condition | None,
        counts: list[int],
    ) -> None:
        self.note(op)
        for r in ranges:
            self.note(
                {"bounds": "k=lo..hi", "extent": "k: n", "script": "}_lo^hi"}.get(r.style, "k")
            )
            if r.low.indices or r.high.indices:
                self.note("bounds of outer indices")
            if r.index.name in scope.indices:
                self.note("inner index hides outer")
        if condition:
            self.note("range with condition")
        if len(ranges) > 1:
            self.note("sum{k, l}")
        if set(scope.indices) - self.lefts:
            self.note("reduction in a reduction")
        if min(counts) == 0:
            self.note("range empty somewhere")

    def ranges(self, scope: Scope, count: int) -> tuple[Range, ...] | None:
        room = POINTS // max(1, len(scope.points))
        if room < 2:
            return None
        hidden = [n for n in scope.indices if n not in self.lefts]
        # Few names, those of other statements among them: passes that rename must keep them apart.
        free = [n for n in "ijklmnp" if n not in scope.indices and n not in self.lefts]
        names = self.rng.sample(free[:5], count)
        if hidden and count == 1 and self.chance(0.2):
            names = [self.rng.choice(hidden)]
        ranges = []
        for name in names:
            style = self.pick([(9, "implicit"), (3, "extent"), (5, "bounds"), (2.5, "script")])
            if style == "script" and count > 1:
                style = "bounds"
            if style in ("implicit", "extent"):
                n, text = self.extent(most=max(1, min(6, room)))
                index = Index(name, range(n), text, style == "implicit")
                low, high = Form("0", ()), Form(str(n - 1), ())
            else:
                low, high = self.bounds(scope, name, style, min(5, room))
                constant = not (low.indices or high.indices)
                env = self.numbers
                values = range(low.at(env), high.at(env) + 1) if constant else None
                index = Index(name, values, "", False)
            ranges.append(Range(index, style, low, high))
        return tuple(ranges)

    def bounds(self, scope: Scope, name: str, style: str, most: int) -> tuple[Form, Form]:
        """Inclusive bounds, affine in the outer indices; or the larger, the smaller, of two such."""
        outer = {n: i for n, i in scope.indices.items() if n != name}
        start = self.rng.choice((0, 0, 0, 1, 2, -1))
        width = self.rng.randint(0, most - 1)
        if not outer or self.chance(0.4):
            low, high = Form(str(start), ()), Form(str(start + width), ())
            sizes = [s for s in self.sizes if s.value <= most]
            if sizes and self.chance(0.6):
                size = self.rng.choice(sizes)
                text = f"{size.name}-1" if self.chance(0.6) else size.name
                low, high = Form("0", ()), Form(text, ())
            return low, high
        index = self.rng.choice(list(outer.values()))
        i = Form(index.name, (index,))
        kind = self.rng.randrange(9 if self.full else 6)
        if kind > 5:
            self.note("min and max in bounds of both kinds")
        match kind:
            case 0:
                return Form("0", ()), i
            case 1:
                return i, self.moved(i, width)
            case 2:
                return i, Form(str(self.rng.randint(2, 5)), ())
            case 3:
                return self.moved(i, -1), self.moved(i, 1)
            case 4:
                both = Form(f"2*{index.name}", (index,))
                return self.moved(i, -2), self.moved(both, 1 - self.rng.randint(0, 3))
            case 6:
                return self.least(i, "min"), Form(str(self.rng.randint(1, 3)), ())
            case 7:
                return Form("0", ()), self.least(i, self.rng.choice(("min", "max")))
            case 8:
                return self.least(i, "min"), self.moved(self.least(i, "max"), -1)
            case _:
                top = self.rng.randint(1, 5)
                return (
                    self.extreme("max", Form("0", ()), self.moved(i, -2)),
                    self.extreme("min", Form(str(top), ()), self.moved(i, width)),
                )

    def least(self, form: Form, op: str) -> Form:
        """`min(form, c)` or `max(form, c)`, perhaps twice it or half of it."""
        text = f"{op}({form.text}, {self.rng.randint(0, 3)})"
        text = self.pick([(4, "{}"), (1, "2*{} - 1"), (1, "{}//2"), (1, "3 - {}")]).format(text)
        return Form(text, form.indices, True)

    def extreme(self, op: str, a: Form, b: Form) -> Form:
        """`max [a; b]`, as bounds are written."""
        self.note("max [a; b] in a bound")
        forms = [a, b] if self.chance(0.5) else [b, a]
        texts = [f.text for f in forms]
        brackets = f"{op} [{'; '.join(texts)}]"
        return Form(brackets, (*a.indices, *b.indices), False, f"{op}({', '.join(texts)})")

    # -- Conditions

    def deciding(self, scope: Scope, of: Sequence[Index] = ()) -> Condition | None:
        """An affine condition that holds at some points, and fails at others if one can be found; it speaks of `of`."""
        made: Condition | None = None
        for _ in range(6):
            condition = self.condition(scope, of)
            if condition is None:
                return None
            holds = [condition.holds(p, Run({})) for p in scope.points]
            if any(holds):
                made = condition
            if any(holds) and not all(holds):
                break
        return made

    def condition(self, scope: Scope, of: Sequence[Index]) -> Condition | None:
        if not scope.indices:
            return None
        first = self.comparison(scope, of)
        if not self.full:
            if self.chance(0.25):
                self.note("condition with and")
                return Joined("and", (first, self.comparison(scope, of)))
            return first
        operator = self.pick([(5, ""), (2, "and"), (1.5, "or"), (1.5, "not")])
        if not operator:
            return first
        self.note(f"condition with {operator}")
        if operator == "not":
            inner = Joined("or", (first, self.comparison(scope, of))) if self.chance(0.3) else first
            return Joined("not", (inner,))
        return Joined(operator, (first, self.comparison(scope, of)))

    def comparison(self, scope: Scope, of: Sequence[Index]) -> Among:
        left = self.linear(scope, self.rng.choice((1, 1, 2)), of)
        if self.full and self.chance(0.12):
            self.note("min, max, clamp in a condition")
            left = self.limited(left)
        others = [i for i in scope.indices.values() if i not in left.indices]
        if others and self.chance(0.65):
            right = self.linear(Scope({i.name: i for i in others}, scope.points), 1)
            right = self.moved(right, self.rng.choice((0, 0, 0, 1, -1)))
        else:
            values = [left.at(p) for p in scope.points] or [0]
            right = Form(str(self.rng.randint(min(values), max(values))), ())
        indices = (*left.indices, *right.indices)
        if self.full and self.chance(0.2):
            self.note("condition with %")
            m = self.rng.choice((2, 3))
            brackets = left.text if left.bare else f"({left.text})"
            text = f"{brackets} % {m} {{}} {self.rng.randrange(m)}"
            return Among(Form(text.format("="), indices, python=text.format("==")))
        if self.chance(0.15):
            self.note("chained comparison")
            width = self.rng.randint(1, 3)
            brackets = not re.fullmatch(r"\w+", right.text)
            rest = "" if right.text == "0" else f" - {_bracketed(right.text, brackets)}"
            return Among(Form(f"0 <= {left.text}{rest} < {width}", indices))
        options = [(3, "<="), (3, "<"), (2, ">="), (2, ">"), (2.5, "="), (0.5, "==")]
        relation = self.pick([*options, (1.5, "!=")] if self.full else options)
        python = "==" if relation == "=" else relation
        self.note(f"relation {relation}")
        text = f"{left.text} {{}} {right.text}"
        return Among(Form(text.format(relation), indices, python=text.format(python)))

    def value_condition(self, scope: Scope) -> Condition:
        scope = Scope(scope.indices, scope.points, scope.guards, within=True)
        left = self.read(scope, 0)
        made: Condition = Compared(
            self.rng.choice(("<", "<=", ">", ">=")), left, self.simple(scope)
        )
        if self.full and self.chance(0.25) and scope.indices:
            self.note("condition on values and indices")
            return Joined(self.rng.choice(("and", "or")), (self.comparison(scope, ()), made))
        if self.full and self.chance(0.15):
            self.note("condition on values with not")
            return Joined("not", (made,))
        return made

    # -- Index expressions

    def linear(self, scope: Scope, count: int, of: Sequence[Index] = ()) -> Form:
        """A form of up to `count` indices without a constant, one of `of` among them; rarely used indices first."""
        pool = list(scope.indices.values())
        chosen = [self.rng.choice(list(of))] if of else []
        while len(chosen) < min(count, len(pool)):
            rest = [i for i in pool if i not in chosen]
            chosen.append(self.pick([(4 if not i.uses else 1, i) for i in rest]))
        self.rng.shuffle(chosen)
        terms = []
        for index in chosen:
            c = self.pick([(10, 1), (2.5, -1), (2, 2), (1, -2), (0.7, 3)])
            terms.append((c < 0, index.name if abs(c) == 1 else f"{abs(c)}*{index.name}"))
        if self.chance(0.8):
            terms.sort(key=lambda t: t[0])  # so that the first one has no sign
        space = self.rng.choice(("", " "))
        text = ("-" if terms[0][0] else "") + terms[0][1]
        for negative, name in terms[1:]:
            text += f"{space}{'-' if negative else '+'}{space}{name}"
        return Form(text, tuple(chosen))

    def moved(self, form: Form, by: int) -> Form:
        """`form + by`."""
        if by == 0:
            return form
        space = self.rng.choice(("", " "))
        if form.text.startswith("-") and by > 0 and self.chance(0.7):
            text = self.constant(by) + space + "-" + space + form.text[1:]
        else:
            text = f"{form.text}{space}{'-' if by < 0 else '+'}{space}"
            text += str(abs(by)) if by < 0 else self.constant(by)
        return Form(text, form.indices, form.opaque)

    def constant(self, value: int) -> str:
        """A positive number, at times as a size and a rest: `N - 1`."""
        for size in self.sizes:
            if abs(value - size.value) <= 1 and self.chance(0.5):
                self.note("subscript with a size")
                rest = value - size.value
                return size.name + (f" {'-' if rest < 0 else '+'} {abs(rest)}" if rest else "")
        return str(value)

    def divided(self, form: Form) -> Form:
        """`form // m` or `form % m`."""
        # Not `(2*i) // 2`: whether that is a bare use, a reader could doubt.
        coefficients = [int(c) for c in re.findall(r"(\d+)\*", form.text)]
        m = self.rng.choice([m for m in (2, 2, 3, 4) if all(c % m for c in coefficients)])
        brackets = form.text if re.fullmatch(r"\w+", form.text) else f"({form.text})"
        if self.chance(0.5):
            self.note("subscript with //")
            return Form(f"{brackets} // {m}", form.indices, form.opaque)
        self.note("subscript with %")
        return Form(f"{brackets} % {m}", form.indices, True)

    def limited(self, form: Form) -> Form:
        """`min`, `max` or `clamp` of the form and constants."""
        self.note("min, max, clamp of index expressions")
        low = self.rng.randint(0, 1)
        high = low + self.rng.randint(1, 3)
        options = (f"min({form.text}, {high})", f"max({low}, {form.text})", f"clamp({form.text}, {low}, {high})")  # fmt: skip
        return Form(self.rng.choice(options), form.indices, True)

    # -- Reads

    def read(self, scope: Scope, depth: int) -> Expr:
        return self.element(scope, self.tensor())

    def repeated(self, scope: Scope, depth: int) -> Expr:
        """Two reads of one tensor."""
        tensor = self.tensor()
        a, b = self.element(scope, tensor), self.element(scope, tensor)
        self.note("two reads of a tensor in a term")
        operator = self.rng.choice("+-*")
        return Infix(operator, a, b, a.bound * b.bound if operator == "*" else a.bound + b.bound)

    def tensor(self) -> Tensor:
        """An earlier statement's target, an input, or a new one."""
        earlier = [s.target for s in self.statements if not s.target.masked]
        if earlier and self.chance(0.4):
            self.note("reads an earlier statement")
            return self.rng.choice(earlier)
        new = len(self.inputs) < 5 and self.chance(0.75 / (1 + len(self.inputs)) ** 0.7)
        if self.inputs and not new:
            return self.rng.choice(self.inputs)
        names = [n for n in ("a", "b", "c", "x", "y", "w", "v", "z", "A") if n not in self.taken]
        rank = self.pick([(1, 0), (5, 1), (4, 2), (1, 3)])
        self.inputs.append(
            Tensor(self.rng.choice(names), [Dimension(0) for _ in range(rank)], SAMPLES)
        )
        self.note(f"input of rank {rank}")
        return self.inputs[-1]

    @property
    def taken(self) -> set[str]:
        return {t.name for t in self.inputs}

    def element(self, scope: Scope, tensor: Tensor) -> Element:
        self.charge(len(scope.points))
        subscripts: list[Subscript] = []
        for dimension in tensor.dimensions:
            again = self.diagonal(scope, dimension, subscripts)
            subscripts.append(again or self.subscript(scope, dimension))
            self.remember(scope, tensor, subscripts[-1:], [dimension])
        indices = {i for s in subscripts for i in s.form.indices}
        if len(indices) < len(scope.indices):
            self.note("broadcast")
        semicolon = self.chance(0.03)
        return Element(tensor, tuple(subscripts), "; " if semicolon else ", ")

    def remember(
        self,
        scope: Scope,
        tensor: Tensor,
        subscripts: Sequence[Subscript],
        dimensions: Sequence[Dimension] | None = None,
    ) -> None:
        for dimension, s in zip(dimensions or tensor.dimensions, subscripts, strict=True):
            self.uses.append(Use(dimension, s, scope.guards, scope.within))
            for index in s.form.indices:
                index.uses += 1

    def diagonal(
        self, scope: Scope, dimension: Dimension, before: Sequence[Subscript]
    ) -> Subscript | None:
        """The first subscript once more, if it fits."""
        if not before or before[0].boundary or not self.chance(0.15):
            return None
        form = before[0].form
        if not form.indices or self.fitted(scope, dimension, form, move=False) is None:
            return None
        self.note("diagonal")
        return Subscript(form)

    def subscript(self, scope: Scope, dimension: Dimension) -> Subscript:
        if self.full and self.chance(0.12) and scope.indices:
            return self.boundary(scope, dimension)
        for _ in range(8):
            if not scope.indices or self.chance(0.04):
                break
            form = self.linear(scope, self.pick([(6, 1), (3, 2), (0.4, 3)]))
            if self.full and self.chance(0.12):
                form = self.divided(form)
            elif self.full and self.chance(0.06):
                form = self.limited(form)
                if self.chance(0.3):
                    form = self.divided(form)
            fitted = self.fitted(scope, dimension, form, move=True)
            if fitted is None:
                continue
            if "-" in fitted.text:
                self.note("minus in a subscript")
            if "*" in fitted.text:
                self.note("coefficient in a subscript")
            if len(fitted.indices) > 1:
                self.note("several indices in a subscript")
            return Subscript(fitted)
        self.note("constant subscript")
        top = dimension.extent - 1 if dimension.fixed else 2
        constant = self.rng.randint(0, top)
        dimension.extent = max(dimension.extent, constant + 1)
        if dimension.fixed and self.chance(0.2) and dimension.text.isidentifier():
            self.note("subscript with a size")
            return Subscript(Form(f"{dimension.text}-1", ()))
        return Subscript(Form(str(constant), ()))

    def fitted(self, scope: Scope, dimension: Dimension, form: Form, move: bool) -> Form | None:
        """The form, moved so that it stays inside the dimension, which grows if it may; None if it does not fit."""
        values = [form.at(p) for p in scope.points] or [0]
        low, high = min(values), max(values)
        by = 0
        if dimension.fixed:
            if high - low >= dimension.extent or (
                not move and (low < 0 or high >= dimension.extent)
            ):
                return None
            choices = range(-low, dimension.extent - high)
            by = 0 if 0 in choices and self.chance(0.7) else self.rng.choice(choices)
        elif low < 0 or (low > 0 and self.chance(0.2)):
            by = -low
        elif self.chance(0.25):
            by = self.rng.randint(1, 2)
        by = by if move else 0
        if low + by < 0 or high + by > 13:
            return None
        form = self.moved(form, by)
        index = form.bare
        if index is not None and index.implicit:
            n = len(index.values or ())
            if (dimension.extent != n) if dimension.fixed else (dimension.extent > n):
                return None
            if not dimension.fixed:
                dimension.extent = n
                self.fix(dimension, index.text)
        if not dimension.fixed:
            dimension.extent = max(dimension.extent, high + by + 1)
        return form

    def settled(self, dimension: Dimension) -> None:
        """Fixes the extent now: a boundary or a guard speaks of it."""
        if not dimension.fixed:
            dimension.extent = max(dimension.extent, self.rng.randint(1, 4))
            self.fix(dimension)

    def boundary(self, scope: Scope, dimension: Dimension) -> Subscript:
        self.settled(dimension)
        form = self.linear(scope, self.rng.choice((1, 2)))
        if self.chance(0.2):
            form = self.limited(form)
        far = self.chance(0.1)
        form = self.moved(form, self.rng.choice((-20, 17)) if far else self.rng.randint(-3, 3))
        if far:
            self.note("boundary far outside")
        name = self.pick(
            [(4, "pad"), (2, "clamp"), (2, "wrap"), (1.5, "reflect"), (1.5, "symmetric")]
        )
        outside = (
            self.rng.choice(("1.5", "-1", "0", "2")) if name == "pad" and self.chance(0.3) else ""
        )
        self.note(f"boundary {name}" + (" with a constant" if outside else ""))
        return Subscript(form, name, outside)

    def guarded(self, scope: Scope, depth: int) -> Expr | None:
        """A read that would leave its tensor, under the condition that keeps it inside."""
        known = [t for t in (*self.inputs, *(s.target for s in self.statements)) if t.dimensions]
        known = [t for t in known if not t.masked]
        if not known or not scope.indices:
            return None
        tensor = self.rng.choice(known)
        place = self.rng.randrange(len(tensor.dimensions))
        dimension = tensor.dimensions[place]
        self.settled(dimension)
        form = self.moved(self.linear(scope, self.rng.choice((1, 2))), self.rng.randint(-3, 2))
        if form.bare and form.bare.implicit:
            return None  # its range would be the extent, or there would be no range
        values = [form.at(p) for p in scope.points] or [0]
        below, above = min(values) < 0, max(values) >= dimension.extent
        if not (below or above) or not any(0 <= v < dimension.extent for v in values):
            return None
        self.note("if guards a read")
        text = self.guard(form.text, dimension.text, below, above)
        condition = Among(Form(text, form.indices))
        inside = scope.under(condition)
        subscripts = []
        for n, d in enumerate(tensor.dimensions):
            s = Subscript(form) if n == place else self.subscript(inside, d)
            self.remember(inside, tensor, [s], [d])
            subscripts.append(s)
        self.charge(len(inside.points))
        then: Expr = Element(tensor, tuple(subscripts))
        if self.full and self.chance(0.4):
            return self.bracketed(condition, then)
        if self.chance(0.3):
            other = self.expression(inside, depth - 1)
            then = Infix("*", then, other, then.bound * other.bound)
        otherwise: Expr = Number("0")
        if self.chance(0.4):
            otherwise = self.expression(scope.under(condition, False), depth - 1)
        return Choice(condition, then, otherwise, self.spelling())

    def guard(self, e: str, extent: str, below: bool, above: bool) -> str:
        """`0 <= e < extent`, or as much of it as is needed, in one of its spellings."""
        if below and above:
            chained, joined = f"0 <= {e} < {extent}", f"{e} >= 0 and {e} <= {extent} - 1"
            return self.rng.choice((chained, joined))
        if below:
            return self.rng.choice((f"{e} >= 0", f"0 <= {e}", f"{e} > -1"))
        return self.rng.choice((f"{e} < {extent}", f"{extent} > {e}"))

    def bracketed(self, condition: Condition, rest: Expr | None) -> Expr:
        self.note("Iverson bracket")
        return Guarded(condition, rest, f"[{condition.show()}]", self.chance(0.3))

    def iverson(self, scope: Scope, depth: int) -> Expr | None:
        condition = self.deciding(scope)
        if condition is None:
            return None
        if self.chance(0.15):
            return self.bracketed(condition, None)
        return self.bracketed(condition, self.expression(scope.under(condition), depth - 1))

    def delta(self, scope: Scope, depth: int) -> Expr | None:
        if len(scope.indices) < 2:
            return None
        self.note("delta(i, j)")
        a, b = self.rng.sample(list(scope.indices.values()), 2)
        condition = Among(Form(f"{a.name} == {b.name}", (a, b)))
        rest = self.expression(scope.under(condition), depth - 1)
        return Guarded(condition, rest, f"delta({a.name}, {b.name})", self.chance(0.3))


# fmt: off
PRODUCTIONS = (
    Production(_Generator.read,             9, leaf=True),
    Production(_Generator.number,         1.2, leaf=True),
    Production(_Generator.index_value,      1, leaf=True),
    Production(_Generator.repeated,       1.5, leaf=True),
    Production(_Generator.arithmetic,       8),
    Production(_Generator.negative,       0.7),
    Production(_Generator.quotient,         1),
    Production(_Generator.unary,            4),
    Production(_Generator.of_positive,      1),
    Production(_Generator.binary,         1.3),
    Production(_Generator.power,            2),
    Production(_Generator.summation,      6.5),
    Production(_Generator.gaussian,       0.9),
    Production(_Generator.choice,         1.3),
    Production(_Generator.guarded,        1.8),
    Production(_Generator.choice_by_value, 0.8),
    Production(_Generator.masked,           1),
    Production(_Generator.other_reduction, 3, level="full"),
    Production(_Generator.iverson,        1.5, level="full"),
    Production(_Generator.delta,          0.7, level="full"),
)
# fmt: on


# ---- What the language would infer (language, section 3)


def _indices(statement: Statement) -> list[Index]:
    """The indices of a statement, once each, that its subscripts use or its left side has; and those of reductions."""
    found = [*statement.lefts, *(i for u in statement.uses for i in u.subscript.form.indices)]
    found += [r.index for e in _nodes(statement.body) if isinstance(e, Reduction) for r in e.ranges]
    return list(dict.fromkeys(found))


def _spread_guards(statement: Statement) -> None:
    """A bracket guards every factor of its product, those outside the expression it was made for too."""
    for node in _nodes(statement.body):
        factors = _factors(node)
        guards = [i for f in factors if isinstance(f, Guarded) for i in f.condition.indices]
        if not guards:
            continue
        reads = (e for f in factors for e in _nodes(f) if isinstance(e, Element))
        guarded = {id(s) for e in reads for s in e.subscripts}
        for use in statement.uses:
            if id(use.subscript) in guarded:
                use.guards = tuple(dict.fromkeys((*use.guards, *guards)))


def _factors(e: Any) -> list[Any]:
    """The factors and divisors of a product; a bracket stands for itself, its rest follows."""
    match e:
        case Infix("*" | "/"):
            return [*_factors(e.left), *_factors(e.right)]
        case Negative():
            return _factors(e.operand)
        case Guarded():
            return [e, *(_factors(e.rest) if e.rest else ())]
        case _:
            return [e]


def _misjudged(statement: Statement, numbers: Env) -> Index | None:
    """An implicit index whose range the rules do not give as intended, or give only to one way of reading them."""
    plain = [u for u in statement.uses if not u.subscript.boundary]
    known = {i for i in _indices(statement) if not i.implicit}
    known |= {index for u in plain if not u.within and (index := u.subscript.form.bare)}
    unknown = [i for i in _indices(statement) if i not in known]
    while unknown:
        limits: dict[Index, int] = {}
        for use in plain:
            form = use.subscript.form
            open_indices = [i for i in dict.fromkeys(form.indices) if i not in known]
            if len(open_indices) != 1 or open_indices[0] in use.guards:
                continue
            (index,) = open_indices
            others = [i for i in dict.fromkeys(form.indices) if i is not index]
            if form.opaque or use.within or any(not i.values or i in use.guards for i in others):
                return index
            limit = _largest(form, index, others, use.dimension.extent, numbers)
            limits[index] = min(limits.get(index, limit), limit)
        if not limits:
            return unknown[0]
        for index, limit in limits.items():
            if limit != len(index.values or ()):
                return index
        known |= set(limits)
        unknown = [i for i in unknown if i not in known]
    return None


def _largest(form: Form, index: Index, others: Sequence[Index], extent: int, numbers: Env) -> int:
    """The largest extent of the index, at most 20, with which the form stays inside whatever the others are."""
    names = [i.name for i in others]
    for value in range(20):
        for place in itertools.product(*(i.values or () for i in others)):
            env = {**numbers, **dict(zip(names, place, strict=True)), index.name: value}
            if not 0 <= form.at(env) < extent:
                return value
    return 20


# ---- The tree


def _parts(e: Expr | Condition | None) -> tuple[Any, ...]:
    """The expressions and conditions that `e` is made of."""
    match e:
        case Apply():
            return (e.argument,)
        case Apply2() | Infix() | Compared():
            return e.left, e.right
        case Negative():
            return (e.operand,)
        case Power():
            return (e.base,)
        case Choice():
            return e.condition, e.then, e.otherwise
        case Guarded():
            return e.condition, e.rest
        case Reduction():
            return e.condition, e.body
        case Joined():
            return e.operands
        case _:
            return ()


def _nodes(root: Expr) -> Iterator[Any]:
    yield root
    for part in _parts(root):
        yield from _nodes(part)


def _tensors_read(root: Expr) -> set[str]:
    return {e.tensor.name for e in _nodes(root) if isinstance(e, Element)}


def _print_statistics(level: str, count: int = 500) -> None:
    programs = [random_program(seed, level) for seed in range(count)]
    features = Counter(feature for p in programs for feature in p.features)
    for feature, n in sorted(features.items(), key=lambda item: (-item[1], item[0])):
        print(f"{n:5}  {feature}")
    operations = sorted(p.operations for p in programs)
    print(f"{sum(p.smooth for p in programs):5}  smooth, of {count}")
    print(f"operations: median {operations[count // 2]}, largest {operations[-1]}")


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "core"
    if len(sys.argv) > 2:
        print(random_program(int(sys.argv[2]), chosen).text, end="")
    else:
        _print_statistics(chosen)
