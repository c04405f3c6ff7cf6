"""Launchers, the functions of a C or CUDA file that callers link to: their parameters, checks, workspace and manifest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tadc.emit.clike.index_width import numbers
from tadc.emit.clike.kernel import element_type
from tadc.emit.clike.names import c_names
from tadc.emit.clike.spelling import DType
from tadc.emit.clike.text import REAL, CText
from tadc.integer import implies
from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import EVERYWHERE, FALSE, Domain, at_least_zero
from tadc.ir.program import Tensor
from tadc.schedule.gpu.cost import BLOCK
from tadc.schedule.lowered import Module
from tadc.version import __version__

__all__ = ["LARGEST_INT32", "Launcher", "factor", "manifest", "workspace_places"]

ALIGNMENT = 256  # bytes: temporaries in the workspace begin at multiples of it
LARGEST_INT32 = 2**31 - 1
LARGEST_INDEX = LARGEST_INT32 - BLOCK  # the loop of a block of threads steps past its end


def workspace_places(
    temporaries: Sequence[Tensor], sizes: Mapping[str, int], dtype: str
) -> tuple[dict[str, int], int]:
    """Where each temporary begins in the workspace, in bytes, and the size of the workspace, for these sizes."""
    places, end = {}, 0
    for t in temporaries:
        places[t.name] = end
        end += (t.bytes_at(sizes, dtype) + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    return places, end


@dataclass(frozen=True, slots=True)
class Launcher:
    """Prints the parts of one mode's launcher. `text` has the names of tensors and sizes."""

    mode: Module
    text: CText

    @classmethod
    def of(
        cls,
        mode: Module,
        dtype: DType,
        index_type: DType,
        printer: type[CText],
        taken: Sequence[str] = (),
    ) -> Launcher:
        program = mode.program
        names = c_names(
            (*(t.name for t in program.inputs), *program.outputs),
            (t.name for t in mode.temporaries),
            program.parameters,
            taken=(*taken, *(k.name for k in mode.kernels)),
        )
        text = printer(names, program.tensors, frozenset(), dtype, {}, index_type)
        return cls(mode, text)

    def parameters(self, *last: str) -> str:
        """Inputs, outputs, the workspace, sizes, then `last`."""
        program, names = self.mode.program, self.text.names
        integer = self.text.integer
        parameters = [
            *(f"const {self._real(t)}* {names[t.name]}" for t in program.inputs),
            *(f"{self._real(program.tensors[n])}* {names[n]}" for n in program.outputs),
            "void* workspace",
            *(f"{integer} {names[s]}" for s in program.sizes),
            *last,
        ]
        return ", ".join(parameters)

    def head(self, launches: Sequence[str], refused: str, most: int) -> str:
        """What comes before the launches: derived sizes, checks that return `refused`, pointers into the workspace.

        Of the derived sizes those that checks, pointers, launches or others of them mention. `most` is the largest index
        that 32 bits are to hold.
        """
        lines = [f"  if ({check}) return {refused};" for check in self._checks(most)]
        lines += self._placed()
        integer = self.text.integer
        for d in reversed(self.mode.program.derived_sizes):  # one is made of those before it
            name = self.text.names[d.name]
            if re.search(rf"\b{name}\b", "\n".join((*lines, *launches))):
                lines.insert(0, f"  const {integer} {name} = {self.text.derived_size(d).text};")
        return "\n".join(lines)

    def _real(self, tensor: Tensor) -> str:
        return REAL[element_type(tensor, self.text.dtype)]

    def _checks(self, most: int) -> list[str]:
        """What kernels suppose, negated: extents and sizes of at least 1, facts, and indices and offsets that fit."""
        program, text = self.mode.program, self.text
        extents = [n for t in program.tensors.values() for n in t.shape]
        extents += map(symbol, program.sizes)
        checks: list[str] = []
        held = EVERYWHERE
        for c in (*(at_least_zero(n - 1) for n in extents), *program.facts):
            if c == FALSE and text.target == "c":
                continue  # an extent that is the number 0: its loops run no times, a grid of no blocks is an error
            if not implies(held, c):
                held &= Domain.of((c,))
                checks.append(f"!({text.condition(Domain.of((c,))).text})")
        return checks + (self._overflows(most) if text.index_type == "int32" else [])

    def _overflows(self, most: int) -> list[str]:
        """Tensors with more elements, and index expressions with larger values, than 32 bits hold."""
        program, text = self.mode.program, self.text
        wide = replace(text, names={s: f"(double){name}" for s, name in text.names.items()})
        held = program.known
        checks: list[str] = []
        for shape in {t.shape: None for t in program.tensors.values()}:
            if any(not n.is_constant for n in shape):
                checks.append(f"{_product(shape, text, wide)} > {most}")
                held &= Domain.of(at_least_zero(most - n) for n in shape)
        for form, divisor in numbers(program).bounds:
            fits = at_least_zero(LARGEST_INDEX * divisor - form)
            if not implies(held, fits):
                held &= Domain.of((fits,))
                checks.append(f"{wide.affine(form).text} > {LARGEST_INDEX * divisor}.0")
        return checks

    def _placed(self) -> list[str]:
        """Pointers into the workspace, one behind the other."""
        if not self.mode.temporaries:
            return ["  (void)workspace;"]
        lines = ["  char* free = (char*)workspace;"]
        for t in self.mode.temporaries:
            real = self._real(t)
            lines.append(f"  {real}* {self.text.names[t.name]} = ({real}*)free;")
            factors = ["(size_t)1", *(factor(self.text.affine(n).text) for n in t.shape)]
            count = " * ".join([*factors, f"sizeof({real})"])
            lines.append(f"  free += ({count} + {ALIGNMENT - 1}) / {ALIGNMENT} * {ALIGNMENT};")
        return lines[:-1]


def manifest(
    modes: Sequence[Module],
    source: str,
    dtype: DType,
    index_type: DType,
    kernel_entries: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    """What a caller of the launchers must know (`docs/api.md`). `kernel_entries` has those of each mode."""
    tensors: dict[str, dict[str, Any]] = {}
    for m in modes:
        inputs = {t.name for t in m.program.inputs}
        stored = {t for k in m.kernels for t in k.writes}
        for t in m.program.tensors.values():
            if t.name not in inputs and t.name not in stored:
                continue
            produced = "output" if t.name in m.program.outputs else "temporary"
            entry = {
                "shape": [str(n) for n in t.shape],
                "dtype": element_type(t, dtype),
                "role": "input" if t.name in inputs else produced,
            }
            if tensors.setdefault(t.name, entry)["role"] == "temporary":
                tensors[t.name] = entry
    first = modes[0].program
    return {
        "tadc": __version__,
        "program": first.name,
        "source": source,
        "dtype": dtype,
        "index_type": index_type,
        "sizes": list(first.sizes),
        "derived_sizes": {d.name: str(d) for m in modes for d in m.program.derived_sizes},
        "tensors": tensors,
        "modes": {
            m.name: {
                "launcher": m.launcher,
                "inputs": [t.name for t in m.program.inputs],
                "outputs": list(m.program.outputs),
                "workspace_bytes": _workspace_bytes(m, dtype),
                "kernels": list(kernel_entries[m.name]),
            }
            for m in modes
        },
    }


def _workspace_bytes(mode: Module, dtype: DType) -> str:
    """The size of the workspace, as an expression of the sizes."""
    return " + ".join(_bytes(t, dtype) for t in mode.temporaries) or "0"


def _bytes(t: Tensor, dtype: DType) -> str:
    count = "*".join([*(factor(str(n)) for n in t.shape), str(t.itemsize(dtype))])
    return f"({count} + {ALIGNMENT - 1}) // {ALIGNMENT} * {ALIGNMENT}"


def _product(extents: Sequence[Affine], text: CText, wide: CText) -> str:
    """The product in `double`, in which `wide` has the sizes: a sum or multiple of sizes may overflow before."""
    factors = [
        factor(text.affine(n).text)
        if sum(c for _, c in n.terms if c > 0) <= 1
        else f"({wide.affine(n).text})"
        for n in extents
    ]
    return f"(double){' * '.join(factors)}"


def factor(text: str) -> str:
    """The text as a factor, in brackets if it is no single name or number."""
    return text if text.isidentifier() or text.isdigit() else f"({text})"
