"""Conditions and expressions: their text, their values, what they are made of.

`show(level, last)` of an expression is its text, in brackets where it binds less than `level` asks (0 if, 1 sum, 1.5 minus,
2 product, 4 power, 5 primary), or is a reduction with a further factor behind it (not `last`).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from random_programs.functions import BINARY, FUNCTIONS
from random_programs.indices import Form, Index, Subscript
from random_programs.tape import Env, Run, Variable
from random_programs.tensors import Tensor


def in_brackets(text: str, wanted: bool) -> str:
    return f"({text})" if wanted else text


# ---- Conditions


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


# ---- Expressions


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
        return in_brackets(self.form.text, level > 1 and not self.form.text.isidentifier())

    def value(self, env: Env, run: Run) -> Variable:
        return Variable(self.form.at(env))


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
            return in_brackets(f"{self.function} {self.argument.show(5)}", level > 4)
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
        return in_brackets(f"-{self.operand.show(4, last or level > 1.5)}", level > 1.5)

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
            return in_brackets(text, level > 1)
        closed = (
            last or level > 2
        )  # brackets of our own come behind the right operand, or nothing does
        right = self.right.show(3, closed and self.operator == "*")
        text = f"{self.left.show(2, False)} {self.operator} {right}"
        return in_brackets(text, level > 2)

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
        return in_brackets(f"{self.base.show(5)}**{in_brackets(exponent, not plain)}", level > 4)

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
        return in_brackets(text, level > 0)

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
            return in_brackets(f"{self.rest.show(2, False)} * {self.bracket}", level > 2)
        return in_brackets(f"{self.bracket} * {self.rest.show(3, last or level > 2)}", level > 2)

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
        return in_brackets(text, level > 4 or not last)

    @staticmethod
    def _script(bound: Form) -> str:
        return in_brackets(bound.text, not re.fullmatch(r"-?\d+|[A-Za-z]\w*", bound.text))

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


def nodes(root: Expr) -> Iterator[Any]:
    yield root
    for part in _parts(root):
        yield from nodes(part)


def tensors_read(root: Expr) -> set[str]:
    return {e.tensor.name for e in nodes(root) if isinstance(e, Element)}
