"""Integers of host functions behind a program: sizes that follow from others, by the functions of `templates/c/integers.c`."""

from __future__ import annotations

from tadc.emit.clike.text import CText
from tadc.ir.program import Program

__all__ = ["derived_lines"]


def derived_lines(program: Program, text: CText) -> list[str]:
    """Definitions of the sizes that follow from others."""
    lines = []
    for d in program.derived_sizes:
        forms = [text.affine(form).text for form in d.forms]
        value = forms[0]
        for other in forms[1:]:
            value = f"{'greater' if d.op == 'max' else 'lesser'}({value}, {other})"
        value = f"floored({value}, {d.modulus})" if d.op == "floor" else value
        name = text.names[d.name]
        lines.append(f"const long long {name} = {value}; (void){name};")
    return lines
