"""Formulas of published papers, a file per field."""

from published import learning, nature, physics, signals, statistics
from published.formula import FORMULAS, Formula

__all__ = ["FORMULAS", "Formula", "learning", "nature", "physics", "signals", "statistics"]
