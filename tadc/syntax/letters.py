r"""How a document prints its names: `\sigma_{\mathcal{B}}^{2}`, with an element's indices behind what stands below."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

__all__ = ["Letter"]

_WORD = re.compile(r"\{[A-Za-z]{2,}\}")  # over which a bar is as long


@dataclass(frozen=True, slots=True)
class Letter:
    r"""A letter or word, and the labels below and above it: `\mathbf{x}`, `\mathrm{f}`, `(1)`. Primes stand above, too."""

    base: str
    below: str = ""
    above: str = ""

    @property
    def tex(self) -> str:
        """The name alone."""
        return self.element("")

    def element(self, listed: str) -> str:
        """The element with these subscripts."""
        below = ", ".join(filter(None, (self.below, listed)))
        above = self.above if set(self.above) <= {"'"} else f"^{{{self.above}}}"
        return self.base + above + (f"_{{{below}}}" if below else "")

    def accented(self, accent: str) -> Letter:
        r"""The letter with an accent: `\bar{x}_{\mathrm{f}}`."""
        if accent == "bar" and _WORD.search(self.base):
            accent = "overline"
        step, blank, letter = self.base.rpartition(" ")  # `\Delta x` has it on the letter
        return replace(self, base=f"{step}{blank}\\{accent}{{{letter}}}")
