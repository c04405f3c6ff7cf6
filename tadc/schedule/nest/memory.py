"""Store or recompute: which temporaries a run keeps in memory (design, section 5.3).

Values that would be computed more than once are stored, while all temporaries together stay below a few times the bytes
of inputs and outputs. Beyond that the largest are computed where they are read, in the kernel of each reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tadc.ir.expr import Call, Comparison, Reduce, Select
from tadc.ir.program import Program
from tadc.ir.walk import postorder, tensors_read
from tadc.schedule.nest.cost import operations_at
from tadc.schedule.nest.lower import kernels
from tadc.schedule.rewrite.program import recomputing

__all__ = ["fits", "oversized"]

ALLOWED = 4  # times the bytes of inputs and outputs
LITTLE = 2**20  # bytes that may be stored in any case: they stay in a cache
MUCH = 2**31  # bytes that may be stored on a GPU, if that is faster
# Times the operations with everything stored: more is not recomputed unless it is asked for.
MOST_WORK = 2


def oversized(
    program: Program, sizes: Mapping[str, int], dtype: str, memory: str, limit: int | None
) -> frozenset[str]:
    """The temporaries that are not stored for these sizes. `memory` is "auto", "recompute" or "materialize".

    With "auto", tensors that would cost too much to compute again are stored, however large they are.

    `limit` is the most bytes that all temporaries may have together, if there is one.
    """
    if memory == "materialize" and limit is None:
        return frozenset()
    bytes_ = program.bytes_at(sizes, dtype)
    fixed = {*(t.name for t in program.inputs), *program.outputs}
    allowed: float = max(LITTLE, ALLOWED * sum(bytes_[name] for name in fixed))
    if memory != "auto":
        allowed = 0 if memory == "recompute" else float("inf")
    allowed = min(allowed, limit if limit is not None else allowed)
    if sum(n for name, n in bytes_.items() if name not in fixed) <= allowed:
        return frozenset()

    @cache
    def stored(chosen: frozenset[str]) -> frozenset[str]:
        run = kernels(recomputing(program, chosen), "run")
        return frozenset(t for k in run for t in k.writes if t not in fixed)

    def total(chosen: frozenset[str]) -> int:
        return sum(bytes_[name] for name in stored(chosen))

    chosen: frozenset[str] = frozenset()
    most = MOST_WORK * _operations(program, sizes) if memory == "auto" else 0
    possible = _recomputable(program)
    for name in sorted(possible, key=lambda name: (-bytes_[name], name)):
        if total(chosen) <= allowed:
            break
        more = chosen | {name}
        # Without it, values that were local to its kernel may have to be stored.
        while instead := (stored(more) - stored(chosen)) & possible:
            more |= instead
        if total(more) >= total(chosen):
            continue
        if memory != "auto" or _operations(recomputing(program, more), sizes) <= most:
            chosen = more
    return chosen


def fits(program: Program, sizes: Mapping[str, int], dtype: str, limit: int | None) -> bool:
    """Whether all temporaries of a program may be stored on a GPU for these sizes, if that is faster."""
    bytes_ = program.bytes_at(sizes, dtype)
    fixed = {*(t.name for t in program.inputs), *program.outputs}
    allowed = max(MUCH, ALLOWED * sum(bytes_[name] for name in fixed))
    if limit is not None:
        allowed = min(allowed, limit)
    return sum(n for name, n in bytes_.items() if name not in fixed) <= allowed


def _operations(program: Program, sizes: Mapping[str, int]) -> int:
    return operations_at(program, kernels(program, "run"), sizes)


def _recomputable(program: Program) -> set[str]:
    """The temporaries that may be computed again: not those that a reader compares, which must be the same to the bit."""
    candidates = {
        s.target.name: s
        for s in program.statements
        if s.target.name not in program.outputs and not s.derived
    }
    compared: set[str] = set()
    for s in program.statements:
        for e in postorder(s.body):
            match e:
                case Select(Comparison(_, left, right)):
                    compared |= tensors_read(left) | tensors_read(right)
                case Call("min" | "max", args):
                    compared |= set[str]().union(*map(tensors_read, args))
                case Reduce("min" | "max", _, _, _, body):
                    compared |= tensors_read(body)
                    candidates.pop(s.target.name, None)
                case _:
                    pass
    return candidates.keys() - compared
