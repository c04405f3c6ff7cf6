"""C11 text with OpenMP: one function a kernel, and an entry that runs them all in one parallel region.

The outer indices of a kernel's box are shared among the threads, in an order that says nothing of the result: every
element is computed by one thread, and a sum that several threads share is cut where its length says, not their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined

from tadc.emit.c_kernel import element_type, kernel_parameters, kernel_sizes, kernel_text
from tadc.emit.c_names import c_names, identifier
from tadc.emit.c_spelling import DType, device_functions
from tadc.emit.c_text import CHUNKS, INTEGER, REAL
from tadc.ir.idx_text import statement_comment
from tadc.ir.program import Program
from tadc.resources import resource
from tadc.schedule.cpu import CpuKernel, cpu_kernel
from tadc.schedule.loop_nest import FIRST, LAST, Chunks, steps_of
from tadc.schedule.lower import kernels
from tadc.version import __version__

__all__ = ["ENTRY", "emit_c", "order_of_tensors"]

LANE_BYTES = 128  # of all lanes of a strip: four registers of 256 bits
BLOCK = 1024  # neighbours of a strip's index that one thread computes
_TAKEN = [
    "tensors",
    "sizes",
    "threads",
    "parts",
    "lane",
    "first",
    "end",
    "block",
    "block_end",
    "chunk",
    "size",
    "start",
    "half",
    "n",
    "side",
    "from",
    "to",
    "inner",
    "inner_end",
    "WIDTH",
]
ENTRY = "tadc_run"


def emit_c(program: Program, mode: str, dtype: DType, index_type: DType) -> str:
    """The file for one mode. `dtype` is the element type of tensors without a declared one."""
    program = replace(program, name=identifier(program.name))
    written = [cpu_kernel(k, program) for k in kernels(program, mode)]
    rendered = [_kernel(k, program, dtype, index_type) for k in written]
    bodies = "\n".join(k["body"] for k in rendered)
    text: str = _template().render(
        program=program.name,
        mode=mode,
        version=__version__,
        functions=device_functions(bodies, index_type, "c"),
        integer=INTEGER[index_type],
        width=LANE_BYTES // (4 if dtype == "float32" else 8),
        kernels=rendered,
        entry=_entry(written, program, dtype),
    )
    return text


def order_of_tensors(program: Program) -> tuple[str, ...]:
    """The tensors that the entry wants: inputs, outputs, then what lies between them."""
    inputs = [t.name for t in program.inputs]
    outputs = list(dict.fromkeys(n for n in program.outputs if n not in inputs))
    rest = [n for n in program.tensors if n not in inputs and n not in outputs]
    return (*inputs, *outputs, *rest)


@cache
def _template() -> Any:
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(resource("templates/c/program.c").read_text("utf-8"))


def _kernel(k: CpuKernel, program: Program, dtype: DType, index_type: DType) -> dict[str, Any]:
    text = kernel_text(k.kernel, program, dtype, index_type, "c", _TAKEN)
    own = {FIRST: "block", LAST: "block_end"}
    text = replace(text, names={**text.names, **own}, together=k.together)
    integer = INTEGER[index_type]
    lines: list[str] = []
    shared = len(k.outer) + (k.strip is not None)
    if k.together:
        pass
    elif shared:
        lines.append(f"#pragma omp for collapse({shared}) schedule(static)")
    else:
        lines.append("#pragma omp single")
    for d, (index, extent) in enumerate(k.outer, 1):
        i = text.names[index]
        pad = "  " * d
        lines.append(f"{pad}for ({integer} {i} = 0; {i} < {text.affine(extent).text}; {i}++) {{")
    depth = 1 + len(k.outer)
    if k.strip is not None:
        end = text.affine(k.strip[1]).text
        lines.append(f"{'  ' * depth}for ({integer} block = 0; block < {end}; block += {BLOCK}) {{")
        depth += 1
        last = f"min(block + {BLOCK}, {end})"
        lines.append(f"{'  ' * depth}const {integer} block_end = {last};")
    elif not k.outer:
        lines.append("  {")
        depth += 1
    lines += text.lines(k.body, depth)
    lines += [f"{'  ' * d}}}" for d in reversed(range(1, depth))]
    lines += ["#pragma omp barrier"] if k.together else []
    return {
        "name": k.kernel.name,
        "comment": [statement_comment(s) for s in k.kernel.statements],
        "parameters": ", ".join(
            [*kernel_parameters(k.kernel, program, text, "restrict"), "void *parts"]
        ),
        "body": "\n".join(lines),
    }


def _entry(written: Sequence[CpuKernel], program: Program, dtype: DType) -> dict[str, Any]:
    """The function that callers see, and its lines that unpack the tensors and sizes."""
    order = order_of_tensors(program)
    sizes = (*program.sizes, *(d.name for d in program.derived_sizes))
    names = c_names(order, sizes, taken=(*_TAKEN, ENTRY, *(k.kernel.name for k in written)))
    lines = []
    for n, t in enumerate(order):
        real = REAL[element_type(program.tensors[t], dtype)]
        lines.append(f"  {real} *{names[t]} = tensors[{n}];")
    lines += [f"  const int64_t {names[s]} = sizes[{n}];" for n, s in enumerate(sizes)]
    sums = [len(s.sums) for k in written for s in steps_of(k.body) if isinstance(s, Chunks)]
    lines.append(f"  double parts[{CHUNKS * max(sums, default=0) or 1}];")
    arguments = {
        k.kernel.name: ", ".join(
            names[a] for a in (*k.kernel.reads, *k.kernel.writes, *kernel_sizes(k.kernel, program))
        )
        for k in written
    }
    return {
        "name": ENTRY,
        "tensors": ", ".join(order),
        "sizes": ", ".join(sizes),
        "declarations": "\n".join(lines),
        "arguments": arguments,
    }
