"""Indices, index expressions, and subscripts made of them.

An index expression is its own text, evaluated by Python, which rounds `//` and `%` as the language does.
"""

from __future__ import annotations

from dataclasses import dataclass

from random_programs.tape import Env


@dataclass(eq=False)
class Index:
    """An index of a left side or a reduction; `values` are those of a range that depends on nothing, None for others.

    `implicit`: its range shall be inferred, and is printed only where the rules do not find it.
    """

    name: str
    values: range | None
    text: str  # of the extent, for an implicit index and `k: extent`
    implicit: bool
    uses: int = 0


@dataclass(eq=False)
class Form:
    """An index expression: `text`, as `.idx` and as Python. `opaque`: rule 3 does not look through it."""

    text: str
    indices: tuple[Index, ...]
    opaque: bool = False
    python: str = ""

    def __post_init__(self) -> None:
        self.code = compile(self.python or self.text, self.text, "eval")

    def at(self, env: Env) -> int:
        return eval(self.code, PYTHON, env)  # type: ignore[arg-type, no-any-return]

    @property
    def bare(self) -> Index | None:
        return self.indices[0] if self.indices and self.text == self.indices[0].name else None


def _clamp(e: int, low: int, high: int) -> int:
    return min(max(e, low), high)


PYTHON = {"__builtins__": {}, "min": min, "max": max, "clamp": _clamp}


@dataclass(eq=False)
class Subscript:
    """A form, plain or under a boundary form (`pad`, `wrap`, ..); `outside` is the constant of a `pad`, as text."""

    form: Form
    boundary: str = ""
    outside: str = ""

    def show(self) -> str:
        if not self.boundary:
            return self.form.text
        return f"{self.boundary}({self.form.text}{', ' if self.outside else ''}{self.outside})"

    def at(self, env: Env, extent: int) -> int | float:
        """The place in a dimension of this extent; outside of a `pad` its constant, a float."""
        e = self.form.at(env)
        match self.boundary:
            case "pad":
                return e if 0 <= e < extent else float(self.outside or 0)
            case "clamp":
                return min(max(e, 0), extent - 1)
            case "wrap":
                return e % extent
            case "reflect":
                e %= max(2 * extent - 2, 1)
                return e if e < extent else 2 * extent - 2 - e
            case "symmetric":
                e %= 2 * extent
                return e if e < extent else 2 * extent - 1 - e
            case _:
                assert 0 <= e < extent, (
                    f"{self.form.text} is {e} at {env}, but the extent is {extent}"
                )
                return e
