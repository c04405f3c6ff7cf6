"""Loop nests: what a kernel does for one point of its box, as a small structured program.

    Kernel = box, steps for each of its points
    Step   = Let | LetIndex | Accumulator | Accumulate | Assign | Loop | Branch | Store

A local variable is read as a tensor of rank 0 that no memory holds (`Read(name, ())` with the name among the locals).
A kernel may store several times, and to several tensors; a `Loop` over the last output index makes a thread own a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Derived, Domain
from tadc.ir.expr import Comparison, Expr, ReduceOp
from tadc.ir.program import Statement

__all__ = [
    "Accumulate",
    "Accumulator",
    "Assign",
    "Branch",
    "Kernel",
    "Let",
    "LetIndex",
    "Loop",
    "Step",
    "Store",
]


@dataclass(frozen=True, slots=True)
class Let:
    """A local constant."""

    local: str
    value: Expr


@dataclass(frozen=True, slots=True)
class LetIndex:
    """A derived index: an integer constant."""

    derived: Derived


@dataclass(frozen=True, slots=True)
class Accumulator:
    """A local variable with its first value."""

    local: str
    initial: Expr


@dataclass(frozen=True, slots=True)
class Accumulate:
    """`local = op(local, value)`."""

    local: str
    op: ReduceOp
    value: Expr


@dataclass(frozen=True, slots=True)
class Assign:
    """`local = value`."""

    local: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Loop:
    """`index` from the greatest low to the least high; a low `(e, c)` is `ceil(e/c)`, a high `floor(e/c)`."""

    index: Symbol
    lows: tuple[tuple[Affine, int], ...]
    highs: tuple[tuple[Affine, int], ...]
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Domain | Comparison
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Store:
    """`tensor[subscripts] = value`."""

    tensor: str
    subscripts: tuple[Affine, ...]
    value: Expr


Step: TypeAlias = Let | LetIndex | Accumulator | Accumulate | Assign | Loop | Branch | Store


@dataclass(frozen=True, slots=True)
class Kernel:
    """Runs `body` for every point of the box `0 <= indices < extents`, in any order and at once.

    `statements` are those that it computes, for the comment above it. `reads` and `writes` are tensors, in order of
    the program.
    """

    name: str
    statements: tuple[Statement, ...]
    indices: tuple[Symbol, ...]
    extents: tuple[Affine, ...]
    body: tuple[Step, ...]
    locals: frozenset[str]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
