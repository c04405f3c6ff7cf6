"""Text to syntax tree: the `.idx` and `.tex` spellings."""

from __future__ import annotations

from tadc.syntax.idx.parse import parse_idx

__all__ = ["parse_idx"]
