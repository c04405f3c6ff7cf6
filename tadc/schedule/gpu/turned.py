"""Sums inside sums over a moderate number of terms: as a number in the text, and with rows that threads read side by side turned.

    f[i] = sum{j} exp(-sum{d: 64} (x[i,d] - c[j,d])**2)      is      x_turned[d,i] = x[i,d]
                                                                     f[i] = sum{j} exp(-sum{d: 64} (x_turned[d,i] - c[j,d])**2)

Threads are neighbours in `i`, and read neighbours; and a block can stage the rows of `c`, since it knows how long they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tadc.ir.affine import Symbol, symbol
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder, replaced
from tadc.schedule.gpu.cost import UNROLLED, Sizes
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.rewrite.rows import rows
from tadc.schedule.rewrite.short import with_numbers

__all__ = ["MOST", "with_turned_rows"]

MOST = 64  # terms: as many as a block stages


def with_turned_rows(
    program: Program, sizes: Sizes, machine: Machine, room: int | None = None
) -> Program:
    """The program for these values of all sizes, if there are such sums; elsewhere it stays as it is.

    So it does where a thread has a row of results itself, and no room for another one; and where memory is limited.
    """
    if any(map(rows, program.statements)) or room is not None:
        return program
    bounding = {s for statement in program.statements for e in _inner(statement.body) for s in e.domain.symbols}  # fmt: skip
    numbers = {s: sizes[s] for s in program.sizes if s in bounding and UNROLLED < sizes[s] <= MOST}
    original, program = program, with_numbers(program, numbers) if numbers else program
    names = Names((*program.tensors, *program.symbols))
    turned: dict[str, Tensor] = {}
    statements: list[Statement] = []
    for s in program.statements:
        reads = dict.fromkeys(_rows(s, program, sizes, machine))
        for e in reads:
            if e.tensor not in turned:
                tensor = program.tensors[e.tensor]
                turned[e.tensor] = replace(tensor, name=names.fresh(f"{e.tensor}_turned"), shape=tensor.shape[::-1])  # fmt: skip
                i, d = names.fresh("i"), names.fresh("d")
                read = Read(e.tensor, (symbol(i), symbol(d)))
                statements.append(Statement(turned[e.tensor], (d, i), (), read))
        values: dict[Expr, Expr] = {e: Read(turned[e.tensor].name, e.subscripts[::-1]) for e in reads}  # fmt: skip
        statements.append(replace(s, body=replaced(s.body, values)))
    return replace(program, statements=tuple(statements)) if turned else original


def _inner(e: Expr) -> Iterator[Reduce]:
    """The sums inside sums."""
    for outer in postorder(e):
        if isinstance(outer, Reduce):
            yield from (n for n in postorder(outer.body) if isinstance(n, Reduce))


def _rows(s: Statement, program: Program, sizes: Sizes, machine: Machine) -> Iterator[Read]:
    """Reads of rows of a matrix, by the index of the statement that threads have, where sums inside sums go along them."""
    inner = {i for e in _inner(s.body) for i in e.indices if _is_moderate(e)}
    threads = [i for i, n in s.extents.items() if n.at(sizes) > MOST]
    if not inner or not threads:
        return
    last = threads[-1]
    if s.derived or s.extents[last].at(sizes) * 4 < machine.resident_threads:
        return  # too few threads of their own
    inputs = {t.name for t in program.inputs}
    for e in postorder(s.body):
        if isinstance(e, Read) and e.tensor in inputs and _is_row(e, last, inner):
            yield e


def _is_moderate(e: Reduce) -> bool:
    """Whether the bounds are numbers, which make more than an unrolled loop."""
    box = [c.form for c in e.domain]
    return all(set(form.symbols) <= {*e.indices} for form in box) and any(form.constant >= UNROLLED for form in box)  # fmt: skip


def _is_row(e: Read, thread: Symbol, along: set[Symbol]) -> bool:
    """Whether it is `x[thread, k]` for an index along rows."""
    if len(e.subscripts) != 2:
        return False
    first, second = (form.as_symbol() for form in e.subscripts)
    return first == thread and second in along
