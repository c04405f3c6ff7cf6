"""An element of an index tensor that leads out of a tensor: a value until it is known how it was given, then an error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan

from tadc.errors import DataError, Span

__all__ = ["Element", "LeadsOutside", "Outside"]

NOT_NAN = (
    "no index is near to NaN: write another number for it where it is rounded,"
    " `floor(if a = a then a else 0)`"
)


@dataclass(frozen=True, slots=True)
class Element:
    """The element at a position, and the least and the greatest value with which it is inside."""

    tensor: str
    position: tuple[int, ...]
    value: int | float
    low: int
    high: int

    @property
    def spelled(self) -> str:
        if isinstance(self.value, int):
            return str(self.value)
        return "NaN" if isnan(self.value) else f"{self.value:g}"


@dataclass(frozen=True, slots=True)
class Outside:
    """What the error says of an element: `name` is what it is called in the program, `reached` the subscript there, `beyond` what it
    leads out of; `nearest` is the part of the remedy that NaN has not.
    """

    span: Span | None
    name: str
    element: Element
    reached: str = ""
    beyond: str = ""
    fix: str = ""
    nearest: str = ""
    more: str = ""

    def with_value(self, value: int | float) -> Outside:
        """The same of the value that was given, or computed, in place of an index that leads as far outside."""
        return replace(self, element=replace(self.element, value=value), reached="")

    @property
    def error(self) -> DataError:
        e = self.element
        is_nan = isinstance(e.value, float) and isnan(e.value)
        fix = f"{self.fix}{'' if is_nan else self.nearest}{self.more}"
        fact = f"{self.name} is {e.spelled}{self.reached}{self.beyond}"
        error = DataError(self.span, fact, fix=f"{fix}; {NOT_NAN}" if is_nan else fix)
        return error.of(e.tensor, e.position, e.value, e.low, e.high)


class LeadsOutside(Exception):
    """Raised where an element is found; calls raise its error."""

    def __init__(self, outside: Outside) -> None:
        super().__init__(outside)
        self.outside = outside
