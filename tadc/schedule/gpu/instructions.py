"""Instructions of scalar functions on a GPU, on the way that usual arguments take.

Counted in the machine code of NVRTC 13.5 for sm_90, as `benchmarks/gpu_sass.py --functions` does it: the fewest between
the beginning and the end of a loop over elements that computes nothing else, less those of one that adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Comparison, Const, Expr, Select
from tadc.schedule.nest.cost import INTEGER_POWERS

__all__ = ["Instructions", "instructions"]


@dataclass(frozen=True, slots=True)
class Instructions:
    """Instructions of a thread: all of them, and those for the pipe of special functions."""

    all: float = 0.0
    special: float = 0.0

    def __add__(self, other: Instructions) -> Instructions:
        return Instructions(self.all + other.all, self.special + other.special)


_FREE = {"detached", "neg", "abs"}  # signs are part of the instruction that reads the value
# fmt: off
_FLOAT32 = {
    #            all  special
    "difference": (3, 0), "gate": (4, 0), "max": (3, 0), "min": (3, 0), "relu": (2, 0), "sign": (6, 0),
    "div":      (11, 1), "sqrt":     (11, 1), "rsqrt":    (20, 2), "cbrt":      (16, 2), "hypot": (23, 1), "fmod": (14, 2),
    "exp":      (10, 1), "exp2":      (4, 1), "expm1":    (24, 1), "log":       (32, 0), "log1p": (34, 0), "log2": (34, 0),
    "log10":    (33, 0), "log1mexp": (56, 1), "xlogy":    (34, 0), "pow":       (82, 2), "sin":   (32, 0), "cos":  (33, 0),
    "tan":      (35, 1), "asin":     (25, 1), "acos":     (26, 1), "atan":      (24, 1), "atan2": (41, 1), "sinh": (25, 2),
    "cosh":     (16, 2), "tanh":     (17, 2), "asinh":    (44, 2), "acosh":     (45, 1), "atanh": (41, 1), "erf":  (32, 1),
    "erfc":     (48, 3), "lgamma":   (90, 2), "digamma":  (90, 3), "polygamma": (120, 3),
    "sigmoid":  (24, 2), "softplus": (44, 1), "silu":     (25, 2), "gelu":      (51, 3),
}
_FLOAT64 = {
    "difference": (4, 0), "gate": (5, 0), "max": (4, 0), "min": (4, 0), "relu": (3, 0), "sign": (9, 0),
    "div":      (17, 1), "sqrt":     (20, 1), "rsqrt":    (31, 2), "cbrt":      (49, 3), "hypot": (45, 1), "fmod": (40, 1),
    "exp":      (52, 0), "exp2":     (51, 0), "expm1":    (60, 0), "log":       (70, 1), "log1p": (80, 2), "log2": (75, 1),
    "log10":    (75, 1), "log1mexp": (140, 3), "xlogy":   (75, 1), "pow":       (180, 2), "sin":  (45, 0), "cos":  (46, 0),
    "tan":      (80, 1), "asin":     (60, 1), "acos":     (60, 1), "atan":      (78, 1), "atan2": (108, 1), "sinh": (75, 1),
    "cosh":     (64, 1), "tanh":     (70, 2), "asinh":   (110, 3), "acosh":    (110, 3), "atanh": (110, 2), "erf": (123, 1),
    "erfc":    (130, 2), "lgamma":  (150, 2), "digamma":  (150, 4), "polygamma": (200, 4),
    "sigmoid":  (75, 1), "softplus": (140, 2), "silu":     (76, 1), "gelu":      (150, 2),
}
# fmt: on


def instructions(e: Expr, dtype: str) -> Instructions:
    """The instructions of the node itself, whose operands are in registers: one, if it is no function of the table."""
    match e:
        case Call("pow", (_, Const(exponent))) if exponent in INTEGER_POWERS:
            n = abs(int(exponent))
            products = max(0, n.bit_length() - 1) + max(0, n.bit_count() - 1)
            division = _of("div", dtype) if exponent < 0 else Instructions()
            return Instructions(ceil(products)) + division
        case Call(function):
            return Instructions() if function in _FREE else _of(function, dtype)
        case Select(Comparison()):
            return Instructions(2)
        case Select(Domain() as domain):
            return Instructions(1 + len(domain.conditions))
        case _:
            return Instructions()


def _of(function: str, dtype: str) -> Instructions:
    table = _FLOAT64 if dtype == "float64" else _FLOAT32
    return Instructions(*table.get(function, (1, 0)))
