"""Store or recompute: which temporaries a run keeps in memory (design, section 5.3).

Values that would be computed more than once are stored, while all temporaries together stay below a few times the bytes
of inputs and outputs. Beyond that the largest are computed where they are read, in the kernel of each reader, if a model does not say that
all of them are stored in much less time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tadc.ir.expr import Call, Comparison, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, tensors_read
from tadc.schedule.nest.cost import operations_at
from tadc.schedule.nest.lower import kernel_of_group, kernels, stored_by_group
from tadc.schedule.nest.modelled_time import modelled_seconds
from tadc.schedule.rewrite.program import recomputing
from tadc.schedule.rewrite.rows import length_in_branches

__all__ = ["WORTH", "fits", "oversized", "recomputed"]

ALLOWED = 4  # times the bytes of inputs and outputs
LITTLE = 2**20  # bytes that may be stored in any case: they stay in a cache
MUCH = 2**31  # bytes that may be stored, if that is faster
# Times the operations with everything stored: more is not recomputed, unless it is asked for.
MOST_WORK = 2
# So many with what is asked for: each statement of a chain of sums that is computed in the next one multiplies the work of all before it.
MOST_WORK_ASKED_FOR = 64
# Nodes of a kernel's text with what is computed again, or twice those with everything stored: each branch of a choice has its own.
MOST_NODES = 2_000
WORTH = 2  # times as fast is what is oversized, and stored all the same, by the model of a CPU


def oversized(
    program: Program, sizes: Mapping[str, int], dtype: str, memory: str, limit: int | None
) -> frozenset[str]:
    """The temporaries that are not stored for these sizes. `memory` is "auto", "recompute" or "materialize".

    With "auto", tensors that would cost too much to compute again are stored, however large they are, but those that are made of none.

    `limit` is the most bytes that all temporaries may have together, if there is one.
    """
    return _oversized(_Temporaries(program, sizes, dtype), memory, limit)


def recomputed(
    program: Program, sizes: Mapping[str, int], dtype: str, memory: str, limit: int | None
) -> frozenset[str]:
    """The temporaries that a CPU does not store: those that are oversized, but none with "auto" where all have less than MUCH bytes, and
    the program is faster so by the model.
    """
    temporaries = _Temporaries(program, sizes, dtype)
    chosen = _oversized(temporaries, memory, limit)
    if not chosen or memory != "auto" or temporaries.most > temporaries.allowed(limit, MUCH):
        return chosen
    everything = frozenset[str]()
    is_faster = WORTH * temporaries.seconds(everything) <= temporaries.seconds(chosen)
    return everything if is_faster else chosen


def fits(program: Program, sizes: Mapping[str, int], dtype: str, limit: int | None) -> bool:
    """Whether all temporaries of a program may be stored for these sizes, if that is faster."""
    temporaries = _Temporaries(program, sizes, dtype)
    return temporaries.most <= temporaries.allowed(limit, MUCH)


@dataclass(slots=True)
class _Temporaries:
    """The temporaries of a program in which all are stored, for values of all sizes."""

    program: Program
    sizes: Mapping[str, int]
    dtype: str
    bytes: dict[str, int] = field(init=False)
    fixed: int = field(init=False)  # bytes of inputs and outputs
    programs: dict[frozenset[str], Program] = field(default_factory=dict)
    written: dict[frozenset[str], frozenset[str]] = field(default_factory=dict)
    counted: dict[tuple[tuple[Statement, ...], frozenset[str]], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        bytes_ = self.program.bytes_at(self.sizes, self.dtype)
        fixed = {*(t.name for t in self.program.inputs), *self.program.outputs}
        self.bytes = {name: n for name, n in bytes_.items() if name not in fixed}
        self.fixed = sum(bytes_[name] for name in fixed)

    @property
    def most(self) -> int:
        """The bytes of all of them."""
        return sum(self.bytes.values())

    def allowed(self, limit: int | None, in_any_case: int) -> int:
        """The bytes that they may have together."""
        budget = max(in_any_case, ALLOWED * self.fixed)
        return budget if limit is None else min(budget, limit)

    def without(self, chosen: frozenset[str]) -> Program:
        """The program that computes the chosen ones again."""
        if chosen not in self.programs:
            self.programs[chosen] = recomputing(self.program, chosen)
        return self.programs[chosen]

    def stored(self, chosen: frozenset[str]) -> frozenset[str]:
        """Those that are stored if the chosen ones are not."""
        if chosen not in self.written:
            each = stored_by_group(self.without(chosen))
            self.written[chosen] = frozenset().union(*(t for _, t in each)) & self.bytes.keys()
        return self.written[chosen]

    def total(self, chosen: frozenset[str]) -> int:
        """The bytes of these."""
        return sum(self.bytes[name] for name in self.stored(chosen))

    def with_(self, chosen: frozenset[str], name: str, possible: set[str]) -> frozenset[str]:
        """The chosen ones and one more: without it, values that were local to its kernel may have to be stored."""
        more = chosen | {name}
        while instead := (self.stored(more) - self.stored(chosen)) & possible:
            more |= instead
        return more

    def length(self, chosen: frozenset[str]) -> int:
        """The nodes of that program as it is written."""
        return sum(length_in_branches(s.body) for s in self.without(chosen).statements)

    def operations(self, chosen: frozenset[str]) -> int:
        """The operations of that program."""
        program = self.without(chosen)
        return sum(self._operations(program, *group) for group in stored_by_group(program))

    def _operations(
        self, program: Program, group: tuple[Statement, ...], stored: frozenset[str]
    ) -> int:
        """The operations of one of its kernels: candidates differ in few of them."""
        if (group, stored) not in self.counted:
            kernel = kernel_of_group(group, stored, "run", program)
            self.counted[group, stored] = operations_at(program, (kernel,), self.sizes)
        return self.counted[group, stored]

    def seconds(self, chosen: frozenset[str]) -> float:
        """How long that program takes, by the model."""
        program = self.without(chosen)
        return modelled_seconds(program, kernels(program, "run"), self.sizes, self.dtype)


def _oversized(temporaries: _Temporaries, memory: str, limit: int | None) -> frozenset[str]:
    if memory == "materialize" and limit is None:
        return frozenset()
    allowed: float = temporaries.allowed(None, LITTLE)
    if memory != "auto":
        allowed = 0 if memory == "recompute" else float("inf")
    allowed = min(allowed, limit if limit is not None else allowed)
    chosen: frozenset[str] = frozenset()
    if temporaries.most <= allowed:
        return chosen
    times = MOST_WORK if memory == "auto" else MOST_WORK_ASKED_FOR
    most = times * temporaries.operations(chosen)
    longest = max(MOST_NODES, 2 * temporaries.length(chosen))
    possible = _recomputable(temporaries.program)
    of_indices = {s.target.name for s in temporaries.program.statements if not s.reads}
    for name in sorted(possible, key=lambda name: (-temporaries.bytes[name], name)):
        if temporaries.total(chosen) <= allowed:
            break
        more = temporaries.with_(chosen, name, possible)
        if temporaries.length(more) > longest:
            continue
        if temporaries.total(more) >= temporaries.total(chosen):
            continue
        if name in of_indices or temporaries.operations(more) <= most:
            chosen = more
    return chosen


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
