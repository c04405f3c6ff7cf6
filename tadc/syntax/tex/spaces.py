r"""Wide spaces, which part formulas as `\quad` does: `\hspace{1cm}`, `\hfill`, `~~~`, `\ \ \ `."""

from __future__ import annotations

import re

__all__ = ["SPACES", "is_wide"]

_LEAST = 5 / 6  # of an em, the width of a `\quad`
_SIGNS = {",": 3, ":": 4, ">": 4, ";": 5, " ": 6, "~": 6, "enspace": 9, "enskip": 9}  # in 18ths
_UNITS = {"em": 1, "ex": 0.43, "cm": 2.85, "mm": 0.285, "pt": 0.1, "in": 7.2, "pc": 1.2, "mu": 1 / 18}  # fmt: skip
_LENGTH = r"([0-9]*\.?[0-9]+)\s*(em|ex|cm|mm|pt|in|pc|mu)\b"
_SIGN = re.compile(r"~|\\([,:>; ])|\\(enspace|enskip)(?![A-Za-z])")
_GIVEN = re.compile(rf"\\(?:hspace\*?\s*\{{|hskip|mspace\s*\{{|kern|mskip)\s*{_LENGTH}")
_FILL = re.compile(r"\\(?:hfill?|dotfill)(?![A-Za-z])")

SPACES = re.compile(
    rf"\s*(?:(?:{_SIGN.pattern}|{_FILL.pattern}"
    rf"|\\(?:hspace\*?|mspace)\s*\{{\s*{_LENGTH}\s*\}}|\\(?:hskip|kern|mskip)\s*{_LENGTH})\s*)+"
)


def is_wide(spaces: str) -> bool:
    r"""Whether these spaces part formulas: they are together about as wide as a `\quad`."""
    if _FILL.search(spaces):
        return True
    width = sum(_SIGNS[m[1] or m[2] or "~"] for m in _SIGN.finditer(spaces)) / 18
    width += sum(float(m[1]) * _UNITS[m[2]] for m in _GIVEN.finditer(spaces))
    return width >= _LEAST
