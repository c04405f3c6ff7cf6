"""Names in generated Python: those of the formula, unless Python or the module has other plans for them."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Mapping

from tadc.emit.numpy_spelling import library
from tadc.ir.names import Names
from tadc.ir.program import Program

__all__ = ["identifier", "program_names", "python_names"]


def program_names(program: Program) -> Mapping[str, str]:
    """The Python name of every tensor and size of the program. Parameters of the function come first."""
    return python_names(
        (t.name for t in program.inputs),
        program.sizes,
        (d.name for d in program.derived_sizes),
        (s.target.name for s in program.statements),
    )


def python_names(*groups: Iterable[str]) -> Mapping[str, str]:
    """A Python identifier for every name. The earlier a group, the more its names stay what they are."""
    taken = Names(reserved())
    return {n: taken.derivative(n) for n in dict.fromkeys(n for group in groups for n in group)}


def reserved() -> tuple[str, ...]:
    """The names of Python, of the modules imported, and of the module's functions."""
    return (*keyword.kwlist, *dir(builtins), "np", "special", *library())


def identifier(name: str) -> str:
    """`name` with everything that Python allows in no identifier replaced by `_`."""
    text = "".join(c if f"x{c}".isidentifier() else "_" for c in name) or "program"
    return text if text.isidentifier() and not keyword.iskeyword(text) else f"_{text}"
