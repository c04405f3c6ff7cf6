"""Launchers, the functions of a C or CUDA file that callers link to: their parameters, checks, workspace and manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

from tadc.emit.clike.index_width import numbers
from tadc.emit.clike.kernel import element_type, kernel_sizes
from tadc.emit.clike.names import c_names
from tadc.emit.clike.spelling import DType, Precedence, bracketed
from tadc.emit.clike.text import REAL, CText
from tadc.errors import BackendError
from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import EVERYWHERE, FALSE, Domain, at_least_zero
from tadc.ir.program import Tensor
from tadc.schedule.lowered import Module
from tadc.schedule.nest.loop_nest import Kernel
from tadc.version import __version__

__all__ = ["LARGEST_INT32", "Launcher", "factor", "manifest", "workspace_places"]

ALIGNMENT = 256  # bytes: temporaries in the workspace begin at multiples of it
LARGEST_INT32 = 2**31 - 1
LARGEST_INT64 = 2**63 - 1


def workspace_places(
    temporaries: Sequence[Tensor], sizes: Mapping[str, int], dtype: str
) -> tuple[dict[str, int], int]:
    """The offset of each temporary in the workspace, in bytes, and the size of the workspace, for these sizes."""
    places, end = {}, 0
    for t in temporaries:
        places[t.name] = end
        end += (t.bytes_at(sizes, dtype) + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    return places, end


class _Check(NamedTuple):
    """A condition, in text, on which a launcher refuses to run, and the sizes in it."""

    text: str
    sizes: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Launcher:
    """Prints the parts of one mode's launcher. `text` has the names of tensors and sizes."""

    module: Module
    text: CText

    @classmethod
    def of(
        cls,
        module: Module,
        dtype: DType,
        index_type: DType,
        printer: type[CText],
        taken: Sequence[str] = (),
    ) -> Launcher:
        program = module.program
        names = c_names(
            (*(t.name for t in program.inputs), *program.outputs),
            (t.name for t in module.temporaries),
            program.parameters,
            taken=(*taken, *(k.name for k in module.kernels)),
        )
        text = printer(names, program.tensors, frozenset(), dtype, {}, index_type)
        return cls(module, text)

    def parameters(self, *last: str) -> str:
        """Inputs, outputs, the workspace, sizes, then `last`."""
        program, names = self.module.program, self.text.names
        integer = self.text.integer
        parameters = [
            *(f"const {self._real(t)}* {names[t.name]}" for t in program.inputs),
            *(f"{self._real(program.tensors[n])}* {names[n]}" for n in program.outputs),
            "void* workspace",
            *(f"{integer} {names[s]}" for s in program.sizes),
            *last,
        ]
        return ", ".join(parameters)

    def arguments(self, *last: str) -> str:
        """The parameters' names, the workspace's too, then `last`."""
        program, names = self.module.program, self.text.names
        tensors = (*(t.name for t in program.inputs), *program.outputs)
        own = (*(names[n] for n in tensors), "workspace", *(names[s] for s in program.sizes))
        return ", ".join((*own, *last))

    def workspace_bytes(self) -> str:
        """The size of the workspace, in C."""
        return " + ".join(map(self._bytes_in_c, self.module.temporaries)) or "0"

    def _bytes_in_c(self, t: Tensor) -> str:
        extents = (self.text.affine(n) for n in t.shape)
        factors = ["(size_t)1", *(bracketed(n, Precedence.PRIMARY) for n in extents)]
        count = " * ".join([*factors, f"sizeof({self._real(t)})"])
        return f"({count} + {ALIGNMENT - 1}) / {ALIGNMENT} * {ALIGNMENT}"

    def head(self, launched: Sequence[Kernel], refused: str, most: int, step: int) -> str:
        """The lines before the launches: derived sizes, checks that return `refused`, pointers into the workspace.

        Only derived sizes that checks, pointers, launches or other derived sizes mention are declared. `most` is the largest
        offset that 32 bits are to hold; loops step past their ends by at most `step`.
        """
        program, text = self.module.program, self.text
        checks = self._checks(launched, most, step)
        used = {s for check in checks for s in check.sizes}
        used |= {s for t in self.module.temporaries[:-1] for n in t.shape for s in n.symbols}
        used |= {s for k in launched for s in kernel_sizes(k, program)}
        derived: list[str] = []
        for d in reversed(program.derived_sizes):  # one is made of those before it
            if d.name in used:
                used |= {s for form in d.forms for s in form.symbols}
                size = text.derived_size(d).text
                derived.insert(0, f"  const {text.integer} {text.names[d.name]} = {size};")
        refusals = [f"  if ({check.text}) return {refused};" for check in checks]
        return "\n".join([*derived, *refusals, *self._placed()])

    def _real(self, tensor: Tensor) -> str:
        return REAL[element_type(tensor, self.text.dtype)]

    def _checks(self, launched: Sequence[Kernel], most: int, step: int) -> list[_Check]:
        """The negated assumptions of the kernels: extents and sizes of at least 1 (offsets of at least 0), facts, and indices and offsets that fit."""
        program, text = self.module.program, self.text
        extents = [n for t in program.tensors.values() for n in t.shape]
        extents += (symbol(s) + (1 - program.least(s)) for s in program.sizes)
        checks: list[_Check] = []
        held = EVERYWHERE
        for c in (*(at_least_zero(n - 1) for n in extents), *program.facts):
            if c == FALSE and text.target == "c":
                continue  # an extent that is the number 0: its loops run no times, a grid of no blocks is an error
            if not implies(held, c):
                held &= Domain.of((c,))
                negated = f"!({text.condition(Domain.of((c,))).text})"
                checks.append(_Check(negated, c.form.symbols))
        too_large = (
            self._overflows(launched, most, step)
            if text.index_type == "int32"
            else self._uncounted()
        )
        return checks + too_large

    def _uncounted(self) -> list[_Check]:
        """Temporaries whose bytes are more than 64 bits count: a workspace has them, whose size would be wrong.

        Raises BackendError where that is so whatever the sizes.
        """
        text = self.text
        wide = replace(text, names={s: f"(double){name}" for s, name in text.names.items()})
        checks: list[_Check] = []
        for t in self.module.temporaries:
            most = LARGEST_INT64 // t.itemsize(text.dtype)
            numbers = prod(n.constant for n in t.shape if n.is_constant)
            open_ = [n for n in t.shape if not n.is_constant]
            if numbers > most:
                raise BackendError(
                    None,
                    f"`{t.name}` has {numbers:,} elements, whose bytes 64 bits cannot count",
                    fix='do not store it, by `memory="recompute"`, or use smaller sizes',
                )
            if len(open_) > 1:
                sizes = tuple(s for n in open_ for s in n.symbols)
                checks.append(_Check(f"{_product(t.shape, text, wide)} > {most}.0", sizes))
        return checks

    def _overflows(self, launched: Sequence[Kernel], most: int, step: int) -> list[_Check]:
        """Tensors with more elements, and index expressions with larger values, than 32 bits hold."""
        program, text = self.module.program, self.text
        wide = replace(text, names={s: f"(double){name}" for s, name in text.names.items()})
        held = program.known
        checks: list[_Check] = []
        for shape in {t.shape: None for t in program.tensors.values()}:
            if sizes := tuple(s for n in shape for s in n.symbols):
                checks.append(_Check(f"{_product(shape, text, wide)} > {most}", sizes))
                held &= Domain.of(at_least_zero(most - n) for n in shape)
        largest = LARGEST_INT32 - step
        for form, divisor in numbers(program, launched).bounds:
            fits = at_least_zero(largest * divisor - form)
            if not implies(held, fits):
                held &= Domain.of((fits,))
                exceeds = f"{wide.affine(form).text} > {largest * divisor}.0"
                checks.append(_Check(exceeds, form.symbols))
        return checks

    def _placed(self) -> list[str]:
        """Pointers into the workspace, one after the other."""
        if not self.module.temporaries:
            return ["  (void)workspace;"]
        lines = ["  char* free = (char*)workspace;"]
        for t in self.module.temporaries:
            real = self._real(t)
            lines.append(f"  {real}* {self.text.names[t.name]} = ({real}*)free;")
            lines.append(f"  free += {self._bytes_in_c(t)};")
        return lines[:-1]


def manifest(
    modes: Sequence[Module],
    source: str,
    dtype: DType,
    index_type: DType,
    kernel_entries: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    """The manifest: all that a caller of the launchers must know (`docs/api.md`). `kernel_entries` has the kernels of each mode."""
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


def _workspace_bytes(module: Module, dtype: DType) -> str:
    """The size of the workspace, as an expression of the sizes."""
    return " + ".join(_bytes(t, dtype) for t in module.temporaries) or "0"


def _bytes(t: Tensor, dtype: DType) -> str:
    count = "*".join([*map(factor, t.shape), str(t.itemsize(dtype))])
    return f"({count} + {ALIGNMENT - 1}) // {ALIGNMENT} * {ALIGNMENT}"


def _product(extents: Sequence[Affine], text: CText, wide: CText) -> str:
    """The product in `double`, in which `wide` has the sizes: a sum or multiple of sizes may overflow before."""
    factors = [
        bracketed(text.affine(n), Precedence.PRIMARY)
        if sum(c for _, c in n.terms if c > 0) <= 1
        else f"({wide.affine(n).text})"
        for n in extents
    ]
    return f"(double){' * '.join(factors)}"


def factor(form: Affine) -> str:
    """The form as a factor in a manifest, in brackets if it is no single name or number."""
    return str(form) if form.is_atom else f"({form})"
