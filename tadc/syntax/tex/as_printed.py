r"""Names in what an error says to write: `S_0` with an index is `S_{0,i}` in LaTeX, `lambda` is `\lambda`, `x_hat` is `\hat{x}`."""

from __future__ import annotations

from tadc.syntax.tex.commands import ACCENTS, GREEK, STYLES

__all__ = ["as_printed"]

_COMMANDS = {mark: command for command, mark in reversed(ACCENTS.items())}
_STYLED = {
    STYLES[style]: command
    for style, command in (("bold", "mathbf"), ("calligraphic", "mathcal"), ("upright", "mathrm"))
}


def as_printed(name: str, *indices: str) -> str:
    """The name in LaTeX, with these indices below it."""
    base, *marks = name.split("_")
    letter = base if len(base) == 1 else f"\\{base}" if base in GREEK else f"\\mathrm{{{base}}}"
    primes = ""
    labels: list[str] = []
    for mark in marks:
        if mark in _COMMANDS:
            letter = f"\\{_COMMANDS[mark]}{{{letter}}}"
        elif mark in _STYLED:
            letter = f"\\{_STYLED[mark]}{{{letter}}}"
        elif mark == "prime":
            primes += "'"
        else:
            is_plain = len(mark) == 1 or mark.isdigit()
            labels.append(
                mark if is_plain else f"\\{mark}" if mark in GREEK else f"\\mathrm{{{mark}}}"
            )
    below = ",".join((*labels, *indices))
    braced = f"_{below}" if len(below) == 1 else f"_{{{below}}}" if below else ""
    return f"{letter}{primes}{braced}"
