"""Scalar functions: values, derivatives and bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


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
