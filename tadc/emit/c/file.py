"""C11 text with OpenMP: one function per kernel, and launchers that run a mode's kernels in one parallel region.

The outer indices of a kernel's box are shared among the threads, in an order that says nothing of the result: every
element is computed by one thread, and a sum that several threads share is cut where its length says, not their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from tadc.emit.clike.kernel import kernel_parameters, kernel_sizes, kernel_text
from tadc.emit.clike.launcher import LARGEST_INT32, Launcher
from tadc.emit.clike.missing_lists import TAKEN
from tadc.emit.clike.prefetch import prefetches
from tadc.emit.clike.spelling import DType, device_functions, integer_type, lane_functions
from tadc.emit.clike.text import ENDED, REAL, CText
from tadc.emit.templates import template
from tadc.ir.affine import Symbol, constant, symbol
from tadc.ir.element_types import item_bytes
from tadc.ir.expr import Call, Comparison, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Tensor
from tadc.printing.idx import statement_comment
from tadc.schedule.cpu.contraction import FEWEST, Contraction, Factor
from tadc.schedule.cpu.kernels import BLOCK, CpuKernel
from tadc.schedule.cpu.row_groups import RowGroup
from tadc.schedule.lowered import CpuModule, Module
from tadc.schedule.nest.loop_nest import (
    FIRST,
    LAST,
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Chunks,
    Let,
    LetIndex,
    Loop,
    Step,
    Store,
    Strips,
    bound_indices,
    expressions_of,
    first_of,
    last_of,
    map_bodies,
    moved_by,
    steps_of,
)
from tadc.schedule.rewrite.rows import is_expensive
from tadc.version import __version__

__all__ = ["emit_c"]

FLAG = f"const volatile int* {ENDED}"
SECONDS = "seconds"
STEP = 256  # a loop over lanes steps past its end by less
_BLOCK = "'block"  # where a block begins, also where a loop inside has another `FIRST`
_TAKEN = [
    "fetch_ahead",
    "never",
    "threads",
    ENDED,
    "parts",
    "blas",
    "products",
    "workers",
    "row",
    "row_side",
    "block_rows",
    "column",
    "column_side",
    "block_columns",
    "left_leading",
    "right_leading",
    "leading",
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
    "rest",
    "next",
    "n",
    "side",
    "from",
    "to",
    "inner_end",
    "streamed",
    "drained",
    *TAKEN,
]
_TAKEN_TIMED = [*_TAKEN, SECONDS, "begin", "now"]


def emit_c(
    parts: Sequence[CpuModule],
    dtype: DType,
    index_type: DType,
    interruptible: bool = False,
    timed: bool = False,
    lists: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The file for the modes of one program. `dtype` is that of tensors without a declared one.

    A launcher returns 0, or 1 where the sizes violate the kernels' assumptions. An `interruptible` one is given the address
    of an integer, which its loops read now and then: once that is not 0 they skip the rest, and results are
    undefined; and there is `<launcher>_packed`, the same for all programs. Where products are left to BLAS, launchers are
    given its function, by address, as their last argument. `lists` are the tensors of a launcher, by its name, without which it calls
    the function that makes them (`emit/clike/missing_lists.py`). `timed` ones write the seconds that each kernel took to an array,
    which is then the last.
    """
    blas = any(part.products for part in parts)
    last = [*([FLAG] if interruptible else []), *(["Blas* blas"] if blas else [])]
    last += [f"double* {SECONDS}"] if timed else []
    taken = _TAKEN_TIMED if timed else _TAKEN
    rendered: list[dict[str, Any]] = []
    for part in parts:
        program, products = part.module.program, part.products
        rendered.append(
            {
                "kernels": [
                    _kernel(k, program, dtype, index_type, products.get(k.kernel.name), part.own)
                    for k in part.functions
                ],
                "launcher": _launcher(part, dtype, index_type, last, taken, lists or {}),
            }
        )
    bodies = [k[part] for m in rendered for k in m["kernels"] for part in ("strip", "body")]
    bodies += [m["launcher"]["head"] for m in rendered]
    functions = device_functions("\n".join(bodies), index_type, "c")
    text: str = template("c/program.c").render(
        program=parts[0].module.program.name,
        version=__version__,
        lanes=lane_functions("\n".join((*bodies, functions))),
        functions=functions,
        gemm=REAL[dtype] if blas else "",
        integer=integer_type(index_type, "c"),
        blas_work=FEWEST,
        streams=any(k["streamed"] for m in rendered for k in m["kernels"]),
        largest=LARGEST_INT32,
        interruptible=interruptible,
        timed=timed,
        modes=rendered,
    )
    return text


_STRAIGHT = (Let, LetIndex, Accumulator, Assign, Branch, Store)


def _is_cheap(body: Sequence[Step]) -> bool:
    """Whether it has no loops, and nothing else that is expensive."""
    straight = all(isinstance(s, _STRAIGHT) for s in steps_of(body))
    return straight and not any(map(is_expensive, expressions_of(body)))


def _compares(body: Sequence[Step]) -> bool:
    """Whether values are compared: what is computed again elsewhere must be the same, the last bit of tiny quotients included."""
    steps = list(steps_of(body))
    values = set(expressions_of(body))
    conditions = [x.condition for x in (*steps, *values) if isinstance(x, (Branch, Select))]
    return (
        any(isinstance(c, Comparison) for c in conditions)
        or any(isinstance(s, Accumulate) and s.op in ("max", "min") for s in steps)
        or any(isinstance(e, Call) and e.function in ("max", "min") for e in values)
    )


def _kernel(
    k: CpuKernel,
    program: Program,
    dtype: DType,
    index_type: DType,
    product: Contraction | None,
    own: Set[str],
) -> dict[str, Any]:
    values = [value for side in k.sides for value in side.names[1:]]
    given = _given(k, own)
    lines = {t: f"{t} line" for t in sorted(k.streamed)}
    text = kernel_text(
        k.mentioned,
        program,
        dtype,
        index_type,
        CText,
        _TAKEN,
        [
            *values,
            *(s for s in given if s not in k.kernel.indices),
            *lines.values(),
            *_loop_indices(k, product),
            *(c.buffer for s in steps_of(k.body) if isinstance(s, Loop) for c in s.copies),
        ],
    )
    block_names = {FIRST: "block", LAST: "block_end", _BLOCK: "block"}
    text = replace(
        text,
        names={**text.names, **block_names},
        tensors={
            **text.tensors,
            **{line: Tensor(line, (constant(k.block),)) for line in lines.values()},
        },
        dtypes={**text.dtypes, **{line: text.dtypes[t] for t, line in lines.items()}},
        both=k.both_branches,
        cooperative=k.cooperative,
        divides_once=not _compares(k.body),
        lanes=k.lane_bytes // item_bytes(text.dtype),
        group=k.group_bytes // item_bytes(text.dtype),
    )
    loops = [(text.names[i], "0", text.affine(n).text) for i, n in k.outer]
    if k.rows:
        index, _ = k.outer[k.rows - 1]
        rows = text.names[index], text.names[first_of(index)], text.names[last_of(index)]
        loops = [rows, *loops[k.rows :]]
    inner = len(loops) + (k.strip is not None)
    depth = max(2, 1 + inner)
    shared = inner - len(k.in_order)
    counts = {text.names[side.index]: len(side.names) for side in k.sides}
    last = [f"{text.integer} {text.names[s]}" for s in given]
    last += ["void* parts"] if k.cooperative else []
    last += [FLAG, *(["int threads", "Blas* blas"] if product else [])]
    return {
        "name": k.kernel.name,
        "comment": [statement_comment(s) for s in k.kernel.statements],
        "parameters": ", ".join([*kernel_parameters(k.mentioned, program, text), *last]),
        "product": _product(product, text) if product else None,
        "cooperative": k.cooperative,
        "shared": shared,
        "grouped": k.rows > 0,
        "outer": [(*loop, counts.get(loop[0], 1)) for loop in loops],
        "down": [text.names[i] for i, down in k.in_order if down],
        "points": _points(k, text),
        "strip": text.floor(*k.strip[1]).text if k.strip else "",
        "block": k.block,
        "around_blocks": len(loops) if k.around_blocks is None else k.around_blocks,
        "filled": max(
            (text.width(s) for s in steps_of(k.body) if isinstance(s, Strips)), default=1
        ),
        # Threads that share chunks have to meet there, all of them. A test at each element of a copy would take as long
        # as the copy, and keep the compiler from vectors.
        "asks": shared and not k.cooperative and (k.strip or not _is_cheap(k.body)),
        "depth": depth,
        "streamed": [_streamed(tensor, line, k.body, text) for tensor, line in lines.items()],
        "body": "\n".join(
            [*_prefetches(k, text, depth), *text.lines(tuple(_to_lines(k.body, lines)), depth)]
        ),
    }


def _streamed(tensor: str, line: str, body: Sequence[Step], text: CText) -> dict[str, str]:
    """What the template says of a tensor that is stored a block at a time."""
    store = next(s for s in steps_of(body) if isinstance(s, Store) and s.tensor == tensor)
    place = text.element(tensor, (*store.subscripts[:-1], symbol(_BLOCK)))
    return {"type": text.type_of(text.dtypes[tensor]), "line": text.names[line], "to": place.text}


def _to_lines(body: Sequence[Step], lines: Mapping[str, str]) -> Iterator[Step]:
    """The steps that store the elements of a block as `lines`, from its first."""
    for step in body:
        step = map_bodies(step, lambda inner: tuple(_to_lines(inner, lines)))
        if isinstance(step, Store) and step.tensor in lines:
            place = step.subscripts[-1] - symbol(_BLOCK)
            step = replace(step, tensor=lines[step.tensor], subscripts=(place,))
        yield step


def _prefetches(k: CpuKernel, text: CText, depth: int) -> list[str]:
    """What a later pass of the innermost loop over points will read through data."""
    if not k.outer or k.strip or k.sides or k.in_order:
        return []
    return ["  " * depth + line for line in prefetches(k.outer[-1][0], k.body, text)]


def _given(k: CpuKernel, own: Set[str]) -> list[Symbol]:
    """What its group tells a kernel of its rows: where they are, and how far that is from where the thread's own ones begin."""
    if not k.rows:
        return []
    outer = [i for i, _ in k.outer[: k.rows]]
    moved = [] if own.isdisjoint((*k.kernel.reads, *k.kernel.writes)) else map(moved_by, outer)
    return [*outer[:-1], first_of(outer[-1]), last_of(outer[-1]), *moved]


def _points(k: CpuKernel, text: CText) -> list[str]:
    """Definitions of the values of indices that a tile has besides the first."""
    extents = dict(k.outer)
    row = k.outer[k.rows - 1][0] if k.rows else None  # a tile ends with the rows of the group
    lines = []
    for side in k.sides:
        end = symbol(last_of(side.index)) if side.index == row else extents[side.index]
        first, last = text.names[side.index], text.affine(end - 1).text
        for n, value in enumerate(side.names[1:], 1):
            name = text.names[value]
            lines.append(f"const {text.integer} {name} = min({first} + {n}, {last});")
    return lines


def _loop_indices(k: CpuKernel, product: Contraction | None) -> list[Symbol]:
    """The indices of loops around products that the kernel's own steps do not mention."""
    known = {*k.kernel.indices, *bound_indices(k.mentioned.body)}
    return [i for i in (*product.outer, *product.added) if i not in known] if product else []


def _product(product: Contraction, text: CText) -> dict[str, Any]:
    extents = product.extents

    def count(group: Iterable[Symbol]) -> str:
        return " * ".join(f"({text.affine(extents[i]).text})" for i in group) or "1"

    def loops(group: Iterable[Symbol]) -> list[tuple[str, str]]:
        return [(text.names[i], text.affine(extents[i]).text) for i in group]

    def matrix(factor: Factor, rows: tuple[Symbol, ...], columns: tuple[Symbol, ...]) -> Any:
        within = {*rows, *columns}
        at = [constant(0) if i in within else symbol(i) for i in factor.indices]
        flipped = not factor.ends_with(columns)
        leading = count(factor.behind(columns if flipped else rows))
        first = text.place(at, [extents[i] for i in factor.indices])
        return f"&{text.names[factor.tensor]}[{first}]", flipped, leading

    rows, columns, inner = product.rows, product.columns, product.inner
    return {
        "rows": count(rows),
        "columns": count(columns),
        "inner": count(inner),
        "outer": loops(product.outer),
        "added": loops(product.added),
        "left": matrix(product.left, rows, inner),
        "right": matrix(product.right, inner, columns),
        "result": matrix(product.result, rows, columns),
    }


def _rows(group: RowGroup, text: CText, fresh: Names) -> dict[str, Any]:
    """What the template says of the loops over a group's rows."""
    outer = [(fresh.fresh("row"), fresh.fresh("own"), text.affine(n).text) for _, n in group.outer]
    return {"outer": outer, "rows": group.rows, "end": fresh.fresh("row_end")}


def _run(k: CpuKernel, part: CpuModule, names: Mapping[str, str], rows: Mapping[str, Any]) -> str:
    """The call of a kernel's function, or of what runs instead of it."""
    call = _call(k, part, names, rows)
    other = part.otherwise.get(k.kernel.name)
    if not other:
        return call
    instead = _call(other.kernel, part, names, rows)
    return f"if ({names[other.check]}[0] == 0) {call} else {instead}"


def _call(k: CpuKernel, part: CpuModule, names: Mapping[str, str], rows: Mapping[str, Any]) -> str:
    """The call of a kernel's function, for `rows` in a group."""
    kernel = k.kernel
    used = (*kernel.reads, *kernel.writes, *kernel_sizes(k.mentioned, part.module.program))
    given = [names[a] for a in used]
    if rows["rows"]:
        here = [row for row, _, _ in rows["outer"]]
        ends = [here[-1], rows["end"]]
        if k.each > 1:  # the last block may be of fewer rows
            ends = [f"{ends[0]} / {k.each}", f"({ends[1]} + {k.each - 1}) / {k.each}"]
        moved = [f"{row} - {own}" for row, own, _ in rows["outer"]]
        given += [*here[:-1], *ends, *moved][: len(_given(k, part.own))]
    given += ["parts"] if k.cooperative else []
    given += [ENDED, *(["threads", "blas"] if kernel.name in part.products else [])]
    return f"{kernel.name}({', '.join(given)});"


def c_launcher(
    module: Module, dtype: DType, index_type: DType, taken: Sequence[str] = _TAKEN
) -> Launcher:
    """The launcher of a mode in a file of C."""
    return Launcher.of(module, dtype, index_type, CText, taken)


def _launcher(
    part: CpuModule,
    dtype: DType,
    index_type: DType,
    last: Sequence[str],
    taken: Sequence[str],
    lists: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    module = part.module
    launcher = c_launcher(module, dtype, index_type, taken)
    names = launcher.text.names
    steps = (s for k in part.kernels for s in steps_of(k.body))
    parts = [s.count * len(s.sums) for s in steps if isinstance(s, Chunks)]
    fresh = Names({*names.values(), *taken})
    calls: list[dict[str, Any]] = []
    number = 0
    while number < len(part.kernels):
        name = part.kernels[number].kernel.name
        alone = name in part.products
        if not calls or alone or calls[-1]["alone"]:
            calls.append({"alone": alone, "runs": []})
        group = part.groups.get(name)
        members = group.kernels if group else (part.kernels[number],)
        rows = _rows(group, launcher.text, fresh) if group else {"rows": 0}
        lines = [_run(k, part, names, rows) for k in members]
        calls[-1]["runs"].append({"first": number, "lines": lines, **rows})
        number += len(members)
    # A loop steps past the end by one.
    head = launcher.head([k.mentioned for k in part.functions], "1", LARGEST_INT32 - BLOCK, STEP)
    return {
        "name": module.launcher,
        "parameters": launcher.parameters("int threads", *last),
        "tensors": len(module.program.inputs) + len(module.program.outputs),
        "sizes": len(module.program.sizes),
        "head": head,
        "arguments": launcher.arguments("threads"),
        "missing": [f"!{names[t]}" for t in lists.get(module.launcher, ())],
        "parts": max(parts, default=0),
        "calls": calls,
    }
