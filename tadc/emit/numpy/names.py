"""Names in generated Python: those of the formula, unless Python or the module has other plans for them."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Mapping

from tadc.emit.numpy.spelling import library
from tadc.ir.names import Names
from tadc.ir.program import Program

__all__ = ["identifier", "program_names", "reserved"]


def program_names(program: Program) -> Mapping[str, str]:
    """The Python name of every tensor and size of the program. Those of the function's parameters are chosen first."""
    names = (
        *(t.name for t in program.inputs),
        *program.parameters,
        *(s.target.name for s in program.statements),
    )
    taken = Names(reserved())
    return {name: taken.derivative(name) for name in names}


def reserved() -> tuple[str, ...]:
    """The names of Python, of the modules imported, and of the module's functions."""
    return (*keyword.kwlist, *dir(builtins), "np", "special", *library())


def identifier(name: str) -> str:
    """`name` with everything that Python allows in no identifier replaced by `_`."""
    text = "".join(c if f"x{c}".isidentifier() else "_" for c in name) or "program"
    return text if text.isidentifier() and not keyword.iskeyword(text) else f"_{text}"
