"""Fresh names, for temporaries, indices and derivatives."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import normalize

__all__ = ["Names", "identifier"]


class Names:
    """Hands out each name once. Passed along, never global: the same program gives the same names."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._counts: dict[
            str, int
        ] = {}  # the last number given to a hint: those before it are taken

    def fresh(self, hint: str) -> str:
        """`hint`, or `hint_1`, `hint_2`, .. where it is taken."""
        name, count = hint, self._counts.get(hint, 0)
        while name in self._taken:
            count += 1
            name = f"{hint}_{count}"
        self._taken.add(name)
        self._counts[hint] = count
        return name

    def derivative(self, hint: str) -> str:
        """`hint`, with `_` appended until it is free: how the language names derivatives (section 6)."""
        while hint in self._taken:
            hint += "_"
        self._taken.add(hint)
        return hint

    def copy(self) -> Names:
        return Names(self._taken)


def identifier(name: str) -> str:
    """`name` in the letters of C: accents are dropped, other letters become their code."""
    plain = "".join(c for c in normalize("NFKD", name) if ord(c) < 128 or c.isalnum())
    text = "".join(
        c if c.isascii() and (c.isalnum() or c == "_") else f"u{ord(c):x}" for c in plain
    )
    return f"x{text}" if not text or text[0].isdigit() else text
