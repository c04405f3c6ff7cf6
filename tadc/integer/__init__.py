"""Exact integer mathematics: integer sets as loops, their emptiness, their smallest point."""

from tadc.integer.dictionary import TooComplex
from tadc.integer.points import UNDECIDED, Undecided, implies, is_empty, smallest_point
from tadc.integer.solution import Solution
from tadc.integer.solver import solve

__all__ = [
    "UNDECIDED",
    "Solution",
    "TooComplex",
    "Undecided",
    "implies",
    "is_empty",
    "smallest_point",
    "solve",
]
