"""Tensors that are computed where they are read (design, section 5.3)."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from tadc.ir.affine import Symbol, symbol
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import descend, postorder, replaced, substitute
from tadc.normalize.live import live
from tadc.normalize.plain_names import plain_names

__all__ = ["in_readers", "inlined"]


def inlined(program: Program) -> Program:
    """The program without the temporaries that one statement reads at one place, each element once, and without copies."""
    readers: dict[str, list[Statement]] = {}
    for s in program.statements:
        for tensor in s.reads:
            readers.setdefault(tensor, []).append(s)
    names = set()
    for s in program.statements:
        name = s.target.name
        if _is_copy(s, program):
            names.add(name)
        simple = not s.derived and not any(isinstance(e, Reduce) for e in postorder(s.body))
        if simple and name not in program.outputs and len(readers.get(name, ())) == 1:
            (reader,) = readers[name]
            if reader.target.dtype == s.target.dtype and _reads_once(reader, name):
                names.add(name)
    return in_readers(program, frozenset(names))


def _is_copy(s: Statement, program: Program) -> bool:
    """Whether the statement is a tensor of the same shape and type under another name, for readers."""
    match s.body:
        case Read(tensor, subscripts) if s.target.name not in program.outputs:
            other = program.tensors[tensor]
            same = (other.shape, other.dtype) == (s.target.shape, s.target.dtype)
            return same and subscripts == tuple(map(symbol, s.indices))
        case _:
            return False


def _reads_once(statement: Statement, name: str) -> bool:
    """Whether the statement reads no element of the tensor twice: at one place, with an index for every loop."""
    reads = {e for e in postorder(statement.body) if isinstance(e, Read) and e.tensor == name}
    if len(reads) != 1:
        return False
    (read,) = reads
    around: set[Symbol] = set(statement.indices)
    bound = {d.name for d in statement.derived}
    for e in postorder(statement.body):
        if isinstance(e, Reduce) and any(node is read for node in postorder(e)):
            around |= {*e.indices}
            bound |= {d.name for d in e.derived}
    by_subscript = [around & {*form.symbols} for form in read.subscripts]
    determined = set[Symbol]().union(*(symbols for symbols in by_subscript if len(symbols) == 1))
    return not bound and determined == around


def in_readers(program: Program, names: frozenset[str]) -> Program:
    """The program that computes the tensors of `names` where they are read."""
    if not names:
        return program
    stored = {s.target.name: s for s in program.statements if s.target.name in names}
    values: dict[Expr, Expr] = {}  # of reads

    def computed(body: Expr) -> Generator[Any, Any, Expr]:
        """The body with the values of its reads. Each is made of its own statement once, however long the chain is."""
        for e in postorder(body):
            if isinstance(e, Read) and e.tensor in stored and e not in values:
                s = stored[e.tensor]
                value = substitute(s.body, dict(zip(s.indices, e.subscripts, strict=True)))
                values[e] = yield computed(value)
        return replaced(body, {e: values[e] for e in postorder(body) if e in values})

    statements = tuple(
        s if s.reads.isdisjoint(stored) else replace(s, body=descend(computed(s.body)))
        for s in program.statements
    )
    return plain_names(live(replace(program, statements=statements)))
