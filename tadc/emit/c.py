"""C11 text with OpenMP: one function a kernel, and launchers that run a mode's kernels in one parallel region.

The outer indices of a kernel's box are shared among the threads, in an order that says nothing of the result: every
element is computed by one thread, and a sum that several threads share is cut where its length says, not their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined

from tadc.emit.c_kernel import kernel_parameters, kernel_sizes, kernel_text
from tadc.emit.c_spelling import DType, device_functions, lane_functions
from tadc.emit.c_text import CHUNKS, INTEGER
from tadc.emit.launcher import LARGEST_INT32, Launcher, Mode, modes_of
from tadc.ir.idx_text import statement_comment
from tadc.ir.program import Program
from tadc.resources import resource
from tadc.schedule.cpu import CpuKernel, cpu_kernel
from tadc.schedule.lanes import Few
from tadc.schedule.loop_nest import FIRST, LAST, Chunks, Loop, steps_of
from tadc.version import __version__

__all__ = ["emit_c"]

LANE_BYTES = 128  # of all lanes of a strip: four registers of 256 bits
BLOCK = 1024  # neighbours of a strip's index that one thread computes, where that is little work
LOOPED_BLOCK = 64  # where it is loops
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
]


def emit_c(
    modes: Mapping[str, Program],
    dtype: DType,
    index_type: DType,
    recomputed: frozenset[str] = frozenset(),
    few: Few | None = None,
) -> str:
    """The file for programs by mode, all derived from one. `dtype` is that of tensors without a declared one.

    Tensors of `recomputed` are not stored, sizes of `few` fill only so many lanes: the text is right for any others too,
    and slower.

    A launcher returns 0, or 1 where the sizes are not what the kernels suppose.
    """
    parts = modes_of(modes, recomputed)
    rendered: list[dict[str, Any]] = []
    for mode in parts:
        written = [cpu_kernel(k, mode.program, few or {}) for k in mode.kernels]
        rendered.append(
            {
                "kernels": [_kernel(k, mode.program, dtype, index_type) for k in written],
                "launcher": _launcher(mode, written, dtype, index_type),
            }
        )
    bodies = [k["body"] for m in rendered for k in m["kernels"]]
    bodies += [m["launcher"]["checks"] for m in rendered]
    functions = device_functions("\n".join(bodies), index_type, "c")
    text: str = _template().render(
        program=parts[0].program.name,
        version=__version__,
        lanes=lane_functions("\n".join((*bodies, functions))),
        functions=functions,
        integer=INTEGER[index_type],
        modes=rendered,
    )
    return text


@cache
def _template() -> Any:
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(resource("templates/c/program.c").read_text("utf-8"))


def _kernel(k: CpuKernel, program: Program, dtype: DType, index_type: DType) -> dict[str, Any]:
    text = kernel_text(k.kernel, program, dtype, index_type, "c", _TAKEN)
    own = {FIRST: "block", LAST: "block_end"}
    text = replace(text, names={**text.names, **own}, together=k.together, lanes=_lanes(text.dtype))
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
        block = LOOPED_BLOCK if any(isinstance(s, Loop) for s in steps_of(k.body)) else BLOCK
        lines.append(f"{'  ' * depth}for ({integer} block = 0; block < {end}; block += {block}) {{")
        depth += 1
        last = f"min(block + {block}, {end})"
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
            [
                *kernel_parameters(k.kernel, program, text, "restrict"),
                *(["void* parts"] if k.together else []),
            ]
        ),
        "body": "\n".join(lines),
    }


def _lanes(dtype: DType) -> int:
    return LANE_BYTES // (4 if dtype == "float32" else 8)


def _launcher(
    mode: Mode, written: Sequence[CpuKernel], dtype: DType, index_type: DType
) -> dict[str, Any]:
    launcher = Launcher.of(mode, dtype, index_type, "c", _TAKEN)
    names = launcher.text.names
    sums = [len(s.sums) for k in written for s in steps_of(k.body) if isinstance(s, Chunks)]
    calls = []
    for k in written:
        kernel = k.kernel
        used = (*kernel.reads, *kernel.writes, *kernel_sizes(kernel, mode.program))
        given = [*(names[a] for a in used), *(["parts"] if k.together else [])]
        calls.append(f"{kernel.name}({', '.join(given)});")
    return {
        "name": mode.launcher,
        "parameters": launcher.parameters("int threads"),
        "checks": launcher.body((), "1", LARGEST_INT32),
        "parts": CHUNKS * max(sums, default=0),
        "calls": calls,
    }
