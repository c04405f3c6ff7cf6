"""The scalar functions: a row each, with the value and the derivative by every argument. Language, section 6.

A derivative is a rule from the arguments and `y`, the node of the function's own value, to an expression; None is a
derivative that is 0 everywhere. The functions are closed under derivation: rules use functions of this table only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log, pi, sqrt
from typing import Any, TypeAlias

from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Select, call

__all__ = ["ALIASES", "FUNCTIONS", "OPERATORS", "Function", "partials"]

Rule: TypeAlias = Callable[..., Expr]


class _Numpy:
    """Numpy's functions, which is imported by the first call of one: compiling text does without."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def function(*args: Any) -> Any:
            import numpy

            return getattr(numpy, name)(*args)

        return function


np = _Numpy()


@dataclass(frozen=True, slots=True)
class Function:
    """A scalar function of as many arguments as it has derivatives.

    `value` computes on numpy arrays and scalars of a floating type, and in that type; Python numbers may be mixed with
    them. Numpy's warnings (`log(0)`) are the caller's to silence.

    `finite`: finite arguments give finite values. Sums and products count as finite although they may overflow;
    `exp`, which soon does, and `pow` do not.

    `gated`: cotangent and derivative are multiplied by `gate` always, not only where a zero could meet a NaN.

    `analytic`: `value` takes complex numbers, and its derivative is that of real ones.

    `cheap`: it costs no more than a few multiplications.

    `nonnegative`: no value is negative.

    `meaning` is its definition in LaTeX, for functions that are not generally known.
    """

    name: str
    value: Callable[..., Any]
    derivatives: tuple[Rule | None, ...]
    finite: bool
    gated: bool
    analytic: bool
    cheap: bool
    nonnegative: bool
    meaning: str | None

    @property
    def arity(self) -> int:
        return len(self.derivatives)


def partials(y: Call) -> tuple[Expr | None, ...]:
    """The derivative of the call `y` by each of its arguments; None is zero."""
    rules = FUNCTIONS[y.function].derivatives
    return tuple(rule and rule(*y.args, y) for rule in rules)


# Values that numpy does not have, or not like this. scipy is imported by the call: it takes longer than numpy to load.


def _gate(a: Any, b: Any) -> Any:
    return np.where((a == 0) | (b == 0), 0, a * b)[()]


def _difference(a: Any, b: Any) -> Any:
    return np.where(a == b, 0, a - b)[()]


def _relu(x: Any) -> Any:
    return np.maximum(x, 0)


def _sigmoid(x: Any) -> Any:
    e = np.exp(-abs(x))  # at most 1, so nothing overflows
    return np.where(x < 0, e, 1) / (1 + e)


def _softplus(x: Any) -> Any:
    return _relu(x) + np.log1p(np.exp(-abs(x)))


def _gelu(x: Any) -> Any:
    return 0.5 * x * _erfc(-_SQRT_HALF * x)  # `1 + erf` would cancel on the left


def _silu(x: Any) -> Any:
    return x * _sigmoid(x)


def _rsqrt(x: Any) -> Any:
    return 1 / np.sqrt(x)


def _log1mexp(x: Any) -> Any:
    """`log(1 - exp(-x))` without cancellation, by the form that is exact on its side of log(2) (Maechler 2012)."""
    near = np.log(-np.expm1(-x))
    return np.where(x < log(2), near, np.log1p(-np.exp(-x)))[()]


def _xlogy(a: Any, b: Any) -> Any:
    from scipy.special import xlogy

    return xlogy(a, b)


def _erf(x: Any) -> Any:
    from scipy.special import erf

    return erf(x)


def _erfc(x: Any) -> Any:
    from scipy.special import erfc

    return erfc(x)


def _lgamma(x: Any) -> Any:
    from scipy.special import gammaln

    return gammaln(np.where(np.isneginf(x), -x, x)[()])  # at -inf too it is inf, as in C


def _digamma(x: Any) -> Any:
    from scipy.special import digamma

    return digamma(x)


def _polygamma(n: Any, x: Any) -> Any:
    from scipy.special import polygamma

    return polygamma(n, x).astype(np.result_type(x))[()]  # scipy's is always float64


# Derivatives that take more than a line.


def _power_by_base(x: Expr, n: Expr, y: Expr) -> Expr:
    """`n*x**(n-1)`, 0 for `n = 0` even where the power is infinite."""
    match n:
        case Const(0):
            return _ZERO
        case Const(1):
            return _ONE
        case Const(2):
            return n * x
        case Const(value):
            return n * x ** Const(value - 1)
        case IndexValue(form):
            return call("gate", n, x ** IndexValue(form - 1))
        case _:
            return call("gate", n, x ** (n - 1))


def _power_by_exponent(x: Expr, n: Expr, y: Expr) -> Expr:
    """`y*log(x)`, 0 where `y` is: `0**n` does not change with a positive `n`."""
    return call("gate", y, call("log", x))


def _polygamma_by_x(n: Expr, x: Expr, y: Expr) -> Expr:
    assert isinstance(n, Const), "the order of polygamma is a number"
    return call("polygamma", n.value + 1, x)


def _larger(a: Expr, b: Expr) -> Expr:
    """1 where `a > b`, 1/2 where they tie, else 0: also where one of them is NaN."""
    tie = Select(Comparison("==", a, b), Const(0.5), _ZERO)
    return Select(Comparison("<", b, a), _ONE, tie)


def _ratio(a: Expr, length: Expr) -> Expr:
    """`a / length`, 0 where the length is 0. Unlike with `1/length`, nothing overflows."""
    return Select(Comparison("==", length, _ZERO), _ZERO, a / length)


def _truncated_quotient(a: Expr, b: Expr, y: Expr) -> Expr:
    """The integer `q` with `y == a - q*b`."""
    return call("round", (a - y) / b)


def _silu_slope(x: Expr, y: Expr) -> Expr:
    s = call("sigmoid", x)
    return s + y * (1 - s)


def _gelu_slope(x: Expr, y: Expr) -> Expr:
    """The normal distribution at `x`, and `x` times its density."""
    density = 1 / sqrt(2 * pi) * call("exp", -0.5 * x * x)
    return 0.5 * call("erfc", -_SQRT_HALF * x) + x * density


def _row(
    name: str,
    value: Callable[..., Any],
    *derivatives: Rule | None,
    finite: bool = False,
    gated: bool = False,
    analytic: bool = False,
    cheap: bool = False,
    nonnegative: bool = False,
    meaning: str | None = None,
) -> Function:
    return Function(name, value, derivatives, finite, gated, analytic, cheap, nonnegative, meaning)


def _table(*rows: Function) -> Mapping[str, Function]:
    return {row.name: row for row in rows}


_ZERO, _ONE = Const(0), Const(1)
_SQRT_HALF = sqrt(0.5)

# fmt: off
FUNCTIONS = _table(
    #    name        value         derivative by each argument
    _row("add",      np.add,       lambda a, b, y: _ONE, lambda a, b, y: _ONE, finite=True, analytic=True, cheap=True),
    _row("sub",      np.subtract,  lambda a, b, y: _ONE, lambda a, b, y: Const(-1), finite=True, analytic=True, cheap=True),
    _row("difference", _difference, lambda a, b, y: _ONE, lambda a, b, y: Const(-1), finite=True, analytic=True, cheap=True,  # of infinities too
         meaning=r"Here $\operatorname{difference}(a, b)$ stands for $a - b$, and for $0$ where $a$ and $b$ are the same infinity."),
    _row("mul",      np.multiply,  lambda a, b, y: b, lambda a, b, y: a, finite=True, analytic=True, cheap=True),
    _row("div",      np.divide,    lambda a, b, y: 1 / b, lambda a, b, y: -(y / b), analytic=True, cheap=True),
    _row("neg",      np.negative,  lambda x, y: Const(-1), finite=True, analytic=True, cheap=True),
    _row("gate",     _gate,        lambda a, b, y: b, lambda a, b, y: a, finite=True, gated=True, cheap=True,
         meaning=r"Here $\operatorname{gate}(a, b)$ stands for $a b$, and for $0$ where $a$ or $b$ is $0$."),
    _row("pow",      np.power,     _power_by_base, _power_by_exponent, analytic=True),
    _row("max",      np.maximum,   lambda a, b, y: _larger(a, b), lambda a, b, y: _larger(b, a), finite=True, cheap=True),
    _row("min",      np.minimum,   lambda a, b, y: _larger(b, a), lambda a, b, y: _larger(a, b), finite=True, cheap=True),
    _row("hypot",    np.hypot,     lambda a, b, y: _ratio(a, y), lambda a, b, y: _ratio(b, y), finite=True),
    _row("atan2",    np.arctan2,   lambda a, b, y: _ratio(_ratio(b, call("hypot", a, b)), call("hypot", a, b)),
                                   lambda a, b, y: -_ratio(_ratio(a, call("hypot", a, b)), call("hypot", a, b)), finite=True),
    _row("fmod",     np.fmod,      lambda a, b, y: _ONE, lambda a, b, y: -_truncated_quotient(a, b, y)),
    _row("polygamma", _polygamma,  None, _polygamma_by_x),

    _row("exp",      np.exp,       lambda x, y: y, analytic=True, nonnegative=True),
    _row("expm1",    np.expm1,     lambda x, y: call("exp", x), analytic=True),  # `y + 1` cancels where x is very negative
    _row("log1mexp", _log1mexp,    lambda x, y: 1 / call("expm1", x),
         meaning=r"Here $\operatorname{log1mexp}(a)$ stands for $\log(1 - \exp(-a))$."),
    _row("xlogy",    _xlogy,       lambda a, b, y: call("log", b), lambda a, b, y: Select(Comparison("==", a, _ZERO), _ZERO, a / b),
         meaning=r"Here $\operatorname{xlogy}(a, b)$ stands for $a \log b$, and for $0$ where $a$ is $0$."),
    _row("exp2",     np.exp2,      lambda x, y: log(2) * y),
    _row("log",      np.log,       lambda x, y: 1 / x, analytic=True),
    _row("log1p",    np.log1p,     lambda x, y: 1 / (1 + x), analytic=True),
    _row("log2",     np.log2,      lambda x, y: 1 / log(2) / x, analytic=True),
    _row("log10",    np.log10,     lambda x, y: 1 / log(10) / x, analytic=True),
    _row("sqrt",     np.sqrt,      lambda x, y: 0.5 / y, analytic=True, cheap=True, nonnegative=True),
    _row("rsqrt",    _rsqrt,       lambda x, y: -0.5 * y / x, analytic=True),
    _row("cbrt",     np.cbrt,      lambda x, y: 1 / (3 * y * y), finite=True),

    _row("sin",      np.sin,       lambda x, y: call("cos", x), finite=True, analytic=True),
    _row("cos",      np.cos,       lambda x, y: -call("sin", x), finite=True, analytic=True),
    _row("tan",      np.tan,       lambda x, y: 1 + y * y, analytic=True),
    _row("asin",     np.arcsin,    lambda x, y: call("rsqrt", (1 - x) * (1 + x)), analytic=True),
    _row("acos",     np.arccos,    lambda x, y: -call("rsqrt", (1 - x) * (1 + x)), analytic=True),
    _row("atan",     np.arctan,    lambda x, y: 1 / (1 + x * x), finite=True, analytic=True),
    _row("sinh",     np.sinh,      lambda x, y: call("cosh", x), analytic=True),
    _row("cosh",     np.cosh,      lambda x, y: call("sinh", x), analytic=True, nonnegative=True),
    _row("tanh",     np.tanh,      lambda x, y: 1 - y * y, finite=True, analytic=True),
    _row("asinh",    np.arcsinh,   lambda x, y: call("rsqrt", 1 + x * x), finite=True, analytic=True),
    _row("acosh",    np.arccosh,   lambda x, y: call("rsqrt", (x - 1) * (x + 1)), analytic=True),
    _row("atanh",    np.arctanh,   lambda x, y: 1 / ((1 - x) * (1 + x)), analytic=True),

    _row("erf",      _erf,         lambda x, y: 2 / sqrt(pi) * call("exp", -(x * x)), finite=True),
    _row("erfc",     _erfc,        lambda x, y: -2 / sqrt(pi) * call("exp", -(x * x)), finite=True),
    _row("lgamma",   _lgamma,      lambda x, y: call("digamma", x)),
    _row("digamma",  _digamma,     lambda x, y: call("polygamma", 1, x)),

    _row("detached", np.positive,  None, finite=True, cheap=True,  # the value of x, which derivatives take for a constant
         meaning=r"Here $\operatorname{detached}(a)$ stands for $a$ as a constant."),
    _row("abs",      np.abs,       lambda x, y: call("sign", x), finite=True, cheap=True, nonnegative=True),
    _row("sign",     np.sign,      None, finite=True, cheap=True),
    _row("floor",    np.floor,     None, finite=True, cheap=True),
    _row("ceil",     np.ceil,      None, finite=True, cheap=True),
    _row("round",    np.rint,      None, finite=True, cheap=True),  # to even

    _row("relu",     _relu,        lambda x, y: Select(Comparison("<", _ZERO, x), _ONE, _ZERO), finite=True, cheap=True, nonnegative=True),
    _row("sigmoid",  _sigmoid,     lambda x, y: y * (1 - y), finite=True, nonnegative=True),
    _row("softplus", _softplus,    lambda x, y: call("sigmoid", x), finite=True),
    _row("silu",     _silu,        _silu_slope, finite=True),
    _row("gelu",     _gelu,        _gelu_slope, finite=True),
)
# fmt: on

OPERATORS = frozenset({"add", "sub", "mul", "div", "neg"})
"""The functions that the language writes with signs only; every other name may be called, and so may the aliases."""

ALIASES: Mapping[str, str] = {"sgn": "sign"}
