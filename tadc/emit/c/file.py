"""C11 text with OpenMP: one function a kernel, and launchers that run a mode's kernels in one parallel region.

The outer indices of a kernel's box are shared among the threads, in an order that says nothing of the result: every
element is computed by one thread, and a sum that several threads share is cut where its length says, not their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tadc.emit.clike.kernel import kernel_parameters, kernel_sizes, kernel_text
from tadc.emit.clike.launcher import LARGEST_INT32, Launcher
from tadc.emit.clike.spelling import DType, device_functions, integer_type, lane_functions
from tadc.emit.clike.text import CHUNKS, ENDED, REAL, CText
from tadc.emit.templates import template
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.printing.idx import statement_comment
from tadc.schedule.cpu.kernels import CpuKernel
from tadc.schedule.lowered import CpuModule
from tadc.schedule.nest.loop_nest import (
    FIRST,
    LAST,
    Accumulator,
    Assign,
    Branch,
    Chunks,
    Let,
    LetIndex,
    Step,
    Store,
    has_loops,
    steps_of,
    values_of,
)
from tadc.schedule.nest.matrix_product import MatrixProduct
from tadc.schedule.rewrite.rows import is_expensive
from tadc.version import __version__

__all__ = ["emit_c"]

LANE_BYTES = 128  # of all lanes of a strip: four registers of 256 bits
FLAG = f"const volatile int* {ENDED}"
BLAS_WORK = 32768  # multiplications from which on BLAS is faster
BLOCK = 1024  # neighbours of a strip's index that one thread computes, where that is little work
LOOPED_BLOCK = 64  # where it is loops
_TAKEN = [
    "threads",
    ENDED,
    "parts",
    "gemm",
    "batch",
    "rows",
    "columns",
    "inner",
    "one",
    "zero",
    "lane",
    "first",
    "end",
    "stop",
    "many",
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
    "inner_end",
]


def emit_c(
    parts: Sequence[CpuModule],
    dtype: DType,
    index_type: DType,
    interruptible: bool = False,
) -> str:
    """The file for the modes of one program. `dtype` is that of tensors without a declared one.

    A launcher returns 0, or 1 where the sizes are not what the kernels suppose. An `interruptible` one is given the address
    of an integer, which its loops ask for now and then: once that is not 0 they skip what is left, and results are
    undefined. Where products are left to BLAS, launchers are given its function, by address, as their last argument.
    """
    blas = any(part.products for part in parts)
    last = [*([FLAG] if interruptible else []), *(["Gemm gemm"] if blas else [])]
    rendered: list[dict[str, Any]] = []
    for part in parts:
        program, products = part.mode.program, part.products
        rendered.append(
            {
                "kernels": [
                    _kernel(k, program, dtype, index_type, products.get(k.kernel.name))
                    for k in part.kernels
                ],
                "launcher": _launcher(part, dtype, index_type, last),
            }
        )
    bodies = [k["body"] for m in rendered for k in m["kernels"]]
    bodies += [m["launcher"]["checks"] for m in rendered]
    functions = device_functions("\n".join(bodies), index_type, "c")
    text: str = template("c/program.c").render(
        program=parts[0].mode.program.name,
        version=__version__,
        lanes=lane_functions("\n".join((*bodies, functions))),
        functions=functions,
        gemm=REAL[dtype] if blas else "",
        integer=integer_type(index_type, "c"),
        modes=rendered,
    )
    return text


_STRAIGHT = (Let, LetIndex, Accumulator, Assign, Branch, Store)


def _is_cheap(body: Sequence[Step]) -> bool:
    """Whether it has no loops, and nothing else that is expensive."""
    steps = list(steps_of(body))
    values = (e for step in steps for value in values_of(step) for e in postorder(value))
    return all(isinstance(s, _STRAIGHT) for s in steps) and not any(map(is_expensive, values))


def _kernel(
    k: CpuKernel, program: Program, dtype: DType, index_type: DType, product: MatrixProduct | None
) -> dict[str, Any]:
    both = replace(k.kernel, body=(*k.kernel.body, *k.body))  # what either of them binds has a name
    text = kernel_text(both, program, dtype, index_type, CText, _TAKEN)
    own = {FIRST: "block", LAST: "block_end"}
    text = replace(text, names={**text.names, **own}, together=k.together, lanes=_lanes(text.dtype))
    integer = integer_type(index_type, "c")
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
        block = LOOPED_BLOCK if has_loops(k.body) else BLOCK
        lines.append(f"{'  ' * depth}for ({integer} block = 0; block < {end}; block += {block}) {{")
        depth += 1
        last = f"min(block + {block}, {end})"
        lines.append(f"{'  ' * depth}const {integer} block_end = {last};")
    elif not k.outer:
        lines.append("  {")
        depth += 1
    # Threads that share chunks have to meet there, all of them. A test at each element of a copy would take as long as
    # the copy, and keep the compiler from vectors.
    if shared and not k.together and (k.strip or not _is_cheap(k.body)):
        lines.append(f"{'  ' * depth}if (*{ENDED}) continue;")
    lines += text.lines(k.body, depth)
    lines += [f"{'  ' * d}}}" for d in reversed(range(1, depth))]
    lines += ["#pragma omp barrier"] if k.together else []
    if product:
        lines = _by_blas(product, k, text, lines)
    return {
        "name": k.kernel.name,
        "comment": [statement_comment(s) for s in k.kernel.statements],
        "parameters": ", ".join(
            [
                *kernel_parameters(k.kernel, program, text, "restrict"),
                *(["void* parts"] if k.together else []),
                FLAG,
                *(["int threads", "Gemm gemm"] if product else []),
            ]
        ),
        "body": "\n".join(lines),
    }


def _by_blas(product: MatrixProduct, k: CpuKernel, text: CText, own: list[str]) -> list[str]:
    """A call of BLAS where the matrices are not small, else `own` in a parallel region: BLAS has threads of its own.

    BLAS has columns one behind the other: it is given the transposed product.
    """
    real = REAL[text.dtype]
    sizes = (product.columns, product.rows, product.inner)
    columns, rows, inner = (text.affine(n).text for n in sizes)
    work = " * ".join(f"({n})" for n in (columns, rows, inner))
    lines = [f"  if ((double){work} >= {BLAS_WORK} && {work} / ({inner}) < {LARGEST_INT32}) {{"]
    lines.append(f"    const int columns = {columns}, rows = {rows}, inner = {inner};")
    pointers = [
        f"{text.names[product.right[0]]} + batch * ({columns}) * ({inner})",
        f"{text.names[product.left[0]]} + batch * ({inner}) * ({rows})",
    ]
    target = text.names[k.kernel.writes[0]]
    extents = [f"({text.affine(n).text})" for _, n in product.batch] or ["1"]
    right_flipped, left_flipped = product.right[1], product.left[1]
    lines.append(f"    const {real} one = 1, zero = 0;")
    lines.append(f"    for (ptrdiff_t batch = 0; batch < {' * '.join(extents)}; batch++)")
    lines.append(
        f'      gemm("{"T" if right_flipped else "N"}", "{"T" if left_flipped else "N"}", &columns, &rows, &inner,'
        f" &one, {pointers[0]}, &{'inner' if right_flipped else 'columns'},"
        f" {pointers[1]}, &{'rows' if left_flipped else 'inner'},"
        f" &zero, {target} + batch * ({columns}) * ({rows}), &columns);"
    )
    region = ["#pragma omp parallel num_threads(threads) if (threads > 1)", "  {", *own, "  }"]
    return [*lines, "  } else {", *region, "  }"]


def _lanes(dtype: DType) -> int:
    return LANE_BYTES // (4 if dtype == "float32" else 8)


def _launcher(
    part: CpuModule, dtype: DType, index_type: DType, last: Sequence[str]
) -> dict[str, Any]:
    mode = part.mode
    launcher = Launcher.of(mode, dtype, index_type, CText, _TAKEN)
    names = launcher.text.names
    sums = [len(s.sums) for k in part.kernels for s in steps_of(k.body) if isinstance(s, Chunks)]
    calls: list[dict[str, Any]] = []
    for k in part.kernels:
        kernel = k.kernel
        used = (*kernel.reads, *kernel.writes, *kernel_sizes(kernel, mode.program))
        given = [*(names[a] for a in used), *(["parts"] if k.together else [])]
        alone = kernel.name in part.products
        given += [ENDED, *(["threads", "gemm"] if alone else [])]
        if not calls or alone or calls[-1]["alone"]:
            calls.append({"alone": alone, "lines": []})
        calls[-1]["lines"].append(f"{kernel.name}({', '.join(given)});")
    launches = [line for group in calls for line in group["lines"]]
    # A loop steps past the end by one.
    head = launcher.head(launches, "1", LARGEST_INT32 - BLOCK)
    never = "" if FLAG in last else f"  static const volatile int {ENDED}[1] = {{0}};\n"
    return {
        "name": mode.launcher,
        "parameters": launcher.parameters("int threads", *last),
        "checks": never + head,
        "parts": CHUNKS * max(sums, default=0),
        "calls": calls,
    }
