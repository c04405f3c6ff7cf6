"""CUDA text: a self-contained `.cu` file for all modes of a program, with host launchers, and its manifest.

One thread computes one element of a kernel's box, in a grid-stride loop; the innermost dimension is on neighbouring
threads. No element is written twice, so there are no atomics.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from typing import Any

from jinja2 import Environment, StrictUndefined

from tadc.emit.c_kernel import element_type, kernel_parameters, kernel_sizes, kernel_text
from tadc.emit.c_names import c_names, identifier
from tadc.emit.c_spelling import DType, device_functions
from tadc.emit.c_text import INTEGER, REAL, CText
from tadc.emit.index_width import numbers
from tadc.integer import implies
from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import EVERYWHERE, Domain, at_least_zero
from tadc.ir.expr import Read
from tadc.ir.idx_text import statement_comment
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.resources import resource
from tadc.schedule.loop_nest import Kernel
from tadc.schedule.lower import kernels
from tadc.version import __version__

__all__ = ["CudaText", "emit_cuda"]

BLOCK = 256
MOST_BLOCKS = 32768
ALIGNMENT = 256  # bytes: temporaries in the workspace begin at multiples of it
LARGEST_INT32 = 2**31 - 1
MOST_INT32 = (
    LARGEST_INT32 - BLOCK * MOST_BLOCKS
)  # a grid-stride loop steps past the end by one grid


@dataclass(frozen=True, slots=True)
class CudaText:
    """The text of a `.cu` file and its manifest (`api.md`)."""

    text: str
    manifest: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Mode:
    name: str
    program: Program
    kernels: tuple[Kernel, ...]
    temporaries: tuple[Tensor, ...]


def emit_cuda(modes: Mapping[str, Program], source: str, dtype: DType) -> CudaText:
    """The file for programs by mode, all derived from one. `dtype` is that of tensors without a declared one.

    Raises BackendError where an extent does not fit any index type.
    """
    name = identifier(next(iter(modes.values())).name)
    programs = {m: _launchable(p, name) for m, p in modes.items()}
    parts = [_Mode(m, p, kernels(p, m), _temporaries(p)) for m, p in programs.items()]
    index_type = _index_type(parts)
    emitter = _Emitter(name, dtype, index_type)
    rendered = [emitter.mode(m) for m in parts]
    bodies = "\n".join(
        [k["body"] for m in rendered for k in m["kernels"]]
        + [m["launcher"]["body"] for m in rendered]
    )
    text = _template().render(
        program=name,
        version=__version__,
        functions=device_functions(bodies, index_type),
        block=BLOCK,
        most_blocks=MOST_BLOCKS,
        modes=rendered,
    )
    return CudaText(text, emitter.manifest(parts, source))


def _launchable(program: Program, name: str) -> Program:
    """The program under its C name; an output that is an input becomes a copy, since a launcher writes all outputs."""
    names = Names((*program.tensors, *program.sizes, *(d.name for d in program.derived_sizes)))
    tensors = program.tensors
    inputs = {t.name for t in program.inputs}
    outputs, copies = [], []
    for output in program.outputs:
        if output in inputs:
            tensor = tensors[output]
            indices = tuple(names.fresh(f"i{d}") for d in range(len(tensor.shape)))
            target = replace(tensor, name=names.fresh(f"{output}_out"))
            read = Read(output, tuple(map(symbol, indices)))
            copies.append(Statement(target, indices, (), read))
            output = target.name
        outputs.append(output)
    statements = (*program.statements, *copies)
    return replace(program, name=name, statements=statements, outputs=tuple(outputs))


@cache
def _template() -> Any:
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(resource("templates/cuda/program.cu").read_text("utf-8"))


def _temporaries(program: Program) -> tuple[Tensor, ...]:
    return tuple(s.target for s in program.statements if s.target.name not in program.outputs)


def _index_type(modes: Sequence[_Mode]) -> DType:
    """32 bits, unless a tensor of known extents has more elements, or an index expression a value that does not fit."""
    largest = max(
        (
            prod(n.constant for n in t.shape)
            for m in modes
            for t in m.program.tensors.values()
            if all(n.is_constant for n in t.shape)
        ),
        default=0,
    )
    found = [numbers(m.program) for m in modes]
    largest = max(largest, *(n.largest for n in found))
    return "int64" if largest > MOST_INT32 or any(n.are_steep for n in found) else "int32"


@dataclass(frozen=True, slots=True)
class _Emitter:
    name: str
    dtype: DType
    index_type: DType

    def mode(self, mode: _Mode) -> dict[str, Any]:
        return {
            "name": mode.name,
            "kernels": [self._kernel(k, mode.program) for k in mode.kernels],
            "launcher": self._launcher(mode),
        }

    # ------------------------------------------------------------------ kernels

    def _kernel(self, kernel: Kernel, program: Program) -> dict[str, Any]:
        text = kernel_text(kernel, program, self.dtype, self.index_type, "cuda")
        pad = "  "
        integer = INTEGER[self.index_type]
        lines: list[str] = []
        if kernel.indices:
            total = self._total(kernel, text)
            wide = f"({integer})" if self.index_type == "int64" else ""
            first, step = (
                f"{wide}blockIdx.x * blockDim.x + threadIdx.x",
                f"{wide}gridDim.x * blockDim.x",
            )
            lines.append(
                f"{pad}for ({integer} thread = {first}; thread < {total}; thread += {step}) {{"
            )
            lines += self._decomposed(kernel, text)
        else:
            lines.append(f"{pad}if (blockIdx.x == 0 && threadIdx.x == 0) {{")
        lines += text.lines(kernel.body, 2)
        lines.append(f"{pad}}}")
        return {
            "name": kernel.name,
            "comment": [statement_comment(s) for s in kernel.statements],
            "parameters": ", ".join(kernel_parameters(kernel, program, text, "__restrict__")),
            "body": "\n".join(lines),
        }

    def _total(self, kernel: Kernel, text: CText) -> str:
        if all(n.is_constant for n in kernel.extents):
            return str(prod(n.constant for n in kernel.extents))
        return " * ".join(_factor(text.affine(n).text) for n in kernel.extents)

    def _decomposed(self, kernel: Kernel, text: CText) -> list[str]:
        """The indices from the thread's number, innermost first; the outermost needs no remainder."""
        lines = []
        integer = INTEGER[self.index_type]
        for d in reversed(range(len(kernel.indices))):
            extents = kernel.extents[d + 1 :]
            divisor = " * ".join(_factor(text.affine(n).text) for n in extents)
            if extents and all(n.is_constant for n in extents):
                divisor = str(prod(n.constant for n in extents))
            grouped = divisor if len(extents) == 1 or divisor.isdigit() else f"({divisor})"
            quotient = f"thread / {grouped}" if extents else "thread"
            value = (
                quotient
                if d == 0
                else f"{quotient} % {_factor(text.affine(kernel.extents[d]).text)}"
            )
            lines.append(f"    const {integer} {text.names[kernel.indices[d]]} = {value};")
        return lines

    # ------------------------------------------------------------------ launchers

    def _launcher(self, mode: _Mode) -> dict[str, str]:
        program = mode.program
        integer = INTEGER[self.index_type]
        sizes = (*program.sizes, *(d.name for d in program.derived_sizes))
        tensors = program.tensors
        names = c_names(
            (*(t.name for t in program.inputs), *program.outputs),
            (t.name for t in mode.temporaries),
            sizes,
            taken=(k.name for k in mode.kernels),
        )
        parameters = [
            *(
                f"const {REAL[element_type(t, self.dtype)]}* {names[t.name]}"
                for t in program.inputs
            ),
            *(f"{REAL[element_type(tensors[n], self.dtype)]}* {names[n]}" for n in program.outputs),
            "void* workspace",
            *(f"{integer} {names[s]}" for s in program.sizes),
            "cudaStream_t stream",
        ]
        text = CText(names, program.tensors, frozenset(), self.dtype, {}, self.index_type, "cuda")
        lines = [
            f"  if ({check}) return cudaErrorInvalidValue;" for check in self._checks(program, text)
        ]
        lines += self._placed(mode.temporaries, text)
        for kernel in mode.kernels:
            lines += self._launch(kernel, program, text)
        lines.append("  return cudaSuccess;")
        for d in reversed(program.derived_sizes):
            if re.search(rf"\b{names[d.name]}\b", "\n".join(lines)):
                value = text.derived_size(d).text
                lines.insert(0, f"  const {integer} {names[d.name]} = {value};")
        return {
            "name": f"{self.name}_{mode.name}",
            "parameters": ", ".join(parameters),
            "body": "\n".join(lines),
        }

    def _checks(self, program: Program, text: CText) -> list[str]:
        """What kernels suppose, negated: extents and sizes of at least 1, facts, and indices and offsets that fit."""
        extents = [n for t in program.tensors.values() for n in t.shape]
        extents += map(symbol, program.sizes)
        checks: list[str] = []
        held = EVERYWHERE
        for c in (*(at_least_zero(n - 1) for n in extents), *program.facts):
            if not implies(held, c):
                held &= Domain.of((c,))
                checks.append(f"!({text.condition(Domain.of((c,))).text})")
        return checks + (self._overflows(program, text) if self.index_type == "int32" else [])

    def _overflows(self, program: Program, text: CText) -> list[str]:
        """Tensors with more elements, and index expressions with larger values, than 32 bits hold."""
        wide = replace(text, names={s: f"(double){name}" for s, name in text.names.items()})
        held = program.known
        checks: list[str] = []
        for shape in {t.shape: None for t in program.tensors.values()}:
            if any(not n.is_constant for n in shape):
                checks.append(f"{_product(shape, text, wide)} > {MOST_INT32}")
                held &= Domain.of(at_least_zero(MOST_INT32 - n) for n in shape)
        for form, divisor in numbers(program).bounds:
            fits = at_least_zero(LARGEST_INT32 * divisor - form)
            if not implies(held, fits):
                held &= Domain.of((fits,))
                checks.append(f"{wide.affine(form).text} > {LARGEST_INT32 * divisor}.0")
        return checks

    def _placed(self, temporaries: tuple[Tensor, ...], text: CText) -> list[str]:
        """Pointers into the workspace, one behind the other."""
        if not temporaries:
            return ["  (void)workspace;"]
        lines = ["  char* free = (char*)workspace;"]
        for t in temporaries:
            real = REAL[element_type(t, self.dtype)]
            lines.append(f"  {real}* {text.names[t.name]} = ({real}*)free;")
            factors = ["(size_t)1", *(_factor(text.affine(n).text) for n in t.shape)]
            count = " * ".join([*factors, f"sizeof({real})"])
            lines.append(f"  free += ({count} + {ALIGNMENT - 1}) / {ALIGNMENT} * {ALIGNMENT};")
        return lines[:-1]

    def _launch(self, kernel: Kernel, program: Program, text: CText) -> list[str]:
        given = [text.names[t] for t in (*kernel.reads, *kernel.writes)]
        given += [text.names[s] for s in kernel_sizes(kernel, program)]
        threads = self._total(kernel, text) if kernel.indices else "1"
        arguments = ", ".join(f"(void*)&{a}" for a in given)
        return [
            "  {",
            f"    void* arguments[] = {{{arguments}}};",
            f"    const cudaError_t status = cudaLaunchKernel({kernel.name}, dim3(blocks({threads if threads.isdigit() else '(double)' + threads})), dim3({BLOCK}),"
            " arguments, 0, stream);",
            "    if (status != cudaSuccess) return status;",
            "  }",
        ]

    # ------------------------------------------------------------------ manifest

    def manifest(self, modes: Sequence[_Mode], source: str) -> dict[str, Any]:
        """What a caller of the launchers must know (`api.md`)."""
        tensors: dict[str, dict[str, Any]] = {}
        for m in modes:
            inputs = {t.name for t in m.program.inputs}
            for t in m.program.tensors.values():
                role = (
                    "input"
                    if t.name in inputs
                    else "output"
                    if t.name in m.program.outputs
                    else "temporary"
                )
                entry = {
                    "shape": [str(n) for n in t.shape],
                    "dtype": element_type(t, self.dtype),
                    "role": role,
                }
                if tensors.setdefault(t.name, entry)["role"] == "temporary":
                    tensors[t.name] = entry
        first = modes[0].program
        return {
            "tadc": __version__,
            "program": self.name,
            "source": source,
            "dtype": self.dtype,
            "index_type": self.index_type,
            "sizes": list(first.sizes),
            "derived_sizes": {d.name: str(d) for d in first.derived_sizes},
            "tensors": tensors,
            "modes": {m.name: self._mode_entry(m) for m in modes},
        }

    def _mode_entry(self, m: _Mode) -> dict[str, Any]:
        return {
            "launcher": f"{self.name}_{m.name}",
            "inputs": [t.name for t in m.program.inputs],
            "outputs": list(m.program.outputs),
            "workspace_bytes": " + ".join(self._bytes(t) for t in m.temporaries) or "0",
            "kernels": [self._kernel_entry(k, m.program) for k in m.kernels],
        }

    def _kernel_entry(self, k: Kernel, program: Program) -> dict[str, Any]:
        threads = "*".join(_factor(str(n)) for n in k.extents) or "1"
        return {
            "name": k.name,
            "writes": list(k.writes),
            "arguments": [*k.reads, *k.writes, *kernel_sizes(k, program)],
            "grid": [f"min(({threads} + {BLOCK - 1}) // {BLOCK}, {MOST_BLOCKS})"],
            "block": [BLOCK],
            "shared_bytes": 0,
            "schedule": "one thread an element",
        }

    def _bytes(self, t: Tensor) -> str:
        count = "*".join(
            [
                *(_factor(str(n)) for n in t.shape),
                str(8 if element_type(t, self.dtype) == "float64" else 4),
            ]
        )
        return f"({count} + {ALIGNMENT - 1}) // {ALIGNMENT} * {ALIGNMENT}"


def _product(extents: Sequence[Affine], text: CText, wide: CText) -> str:
    """The product in `double`, in which `wide` has the sizes: a sum or multiple of sizes may overflow before."""
    factors = [
        _factor(text.affine(n).text)
        if sum(c for _, c in n.terms if c > 0) <= 1
        else f"({wide.affine(n).text})"
        for n in extents
    ]
    return f"(double){' * '.join(factors)}"


def _factor(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"
