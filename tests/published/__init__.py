"""Formulas of published papers, a file per field."""

from published import (
    collected,
    estimation,
    familiar,
    further,
    learning,
    matter,
    measurement,
    nature,
    networks,
    physics,
    renowned,
    signals,
    statistics,
    vectors,
)
from published.formula import FORMULAS, Formula

__all__ = [
    "FORMULAS",
    "Formula",
    "collected",
    "estimation",
    "familiar",
    "further",
    "learning",
    "matter",
    "measurement",
    "nature",
    "networks",
    "physics",
    "renowned",
    "signals",
    "statistics",
    "vectors",
]
