"""Formulas of published papers, a file per field."""

from published import (
    estimation,
    familiar,
    further,
    learning,
    matter,
    measurement,
    nature,
    networks,
    physics,
    signals,
    statistics,
    vectors,
)
from published.formula import FORMULAS, Formula

__all__ = [
    "FORMULAS",
    "Formula",
    "estimation",
    "familiar",
    "further",
    "learning",
    "matter",
    "measurement",
    "nature",
    "networks",
    "physics",
    "signals",
    "statistics",
    "vectors",
]
