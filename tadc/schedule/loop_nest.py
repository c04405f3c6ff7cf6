"""Loop nests: what a kernel does for one point of its box, as a small structured program.

    Kernel = box, steps for each of its points
    Step   = Let | LetIndex | Accumulator | Accumulate | Assign | Loop | Branch | Store | Strips | Lanes
           | Interior | Chunks | Tile | TeamLoop | TeamSums | TeamScan | Once | Shown

A local variable is read as a tensor of rank 0 that no memory holds (`Read(name, ())` with the name among the locals).
A kernel may store several times, and to several tensors; a `Loop` over the last output index makes a thread own a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Derived, Domain
from tadc.ir.expr import Comparison, Expr, Read, ReduceOp
from tadc.ir.program import Statement
from tadc.ir.walk import postorder

__all__ = [
    "FIRST",
    "FIRST_LANE",
    "LAST",
    "LAST_LANE",
    "Accumulate",
    "Accumulator",
    "Assign",
    "Branch",
    "Chunks",
    "Interior",
    "Kernel",
    "Lanes",
    "Let",
    "LetIndex",
    "Loop",
    "Once",
    "Shown",
    "Step",
    "Store",
    "Strips",
    "TeamLoop",
    "TeamScan",
    "TeamSums",
    "Tile",
    "TileIndex",
    "beyond",
    "bound_indices",
    "constant_trips",
    "has_loops",
    "reads_of",
    "steps_of",
    "symbols_of",
    "values_of",
    "with_values",
]

# The part of an index that a thread or a loop has, without the last: symbols that no program can have.
FIRST, LAST = "'first", "'last"
FIRST_LANE, LAST_LANE = "'first lane", "'last lane"  # the values of a strip's index


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
    """`local = op(local, value)`; a product is added to a sum without being rounded before (`fma`)."""

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
    """`tensor[subscripts] = value`, or `op` of the element and the value: the kernel's point owns it.

    An `atomic` one adds to an element that other points add to.
    """

    tensor: str
    subscripts: tuple[Affine, ...]
    value: Expr
    op: ReduceOp | None = None
    atomic: bool = False


@dataclass(frozen=True, slots=True)
class Lanes:
    """`body` for every lane of the strip around it."""

    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Strips:
    """A loop cut into strips of neighbours of `index`, the lanes; `wide` are locals with a value a lane.

    There are as many lanes as registers hold, but not more than `lanes`.

    `body` is what is done for a strip. Where `sums` has accumulators, each lane has its own of them, all lanes of them
    are combined in the end, and what is left of the loop fills the first lanes. Without, the last strip overlaps the one
    before it (the same elements are stored again), and `single` is the body for a loop that fills no strip.
    """

    index: Symbol
    lows: tuple[tuple[Affine, int], ...]
    highs: tuple[tuple[Affine, int], ...]
    body: tuple[Step, ...]
    single: tuple[Step, ...]
    wide: tuple[str, ...]
    lanes: int | None
    sums: tuple[tuple[str, ReduceOp], ...] = ()


@dataclass(frozen=True, slots=True)
class Interior:
    """A loop in three parts: where `tests` and the inner bounds hold it is `inside`, a loop over `FIRST` to `LAST`.

    The values of the loop before and after do the steps of `outside`, all of them where the tests fail.
    """

    index: Symbol
    loop: tuple[tuple[tuple[Affine, int], ...], tuple[tuple[Affine, int], ...]]
    tests: Domain
    lows: tuple[tuple[Affine, int], ...]
    highs: tuple[tuple[Affine, int], ...]
    inside: tuple[Step, ...]
    outside: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Chunks:
    """A loop that adds to `sums` only, in at most 64 parts of at least `least` values of `index`, a thread each.

    The parts of a sum are combined pairwise. How many there are hangs on the loop's length alone.
    """

    index: Symbol
    lows: tuple[tuple[Affine, int], ...]
    highs: tuple[tuple[Affine, int], ...]
    body: tuple[Step, ...]
    sums: tuple[tuple[str, ReduceOp], ...]
    least: int


@dataclass(frozen=True, slots=True)
class TeamLoop:
    """A loop whose values the threads of a team share, neighbours among neighbours."""

    index: Symbol
    lows: tuple[tuple[Affine, int], ...]
    highs: tuple[tuple[Affine, int], ...]
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class TeamSums:
    """`body` adds to `sums`, in a part a thread of the team; the parts are combined in an order that never changes."""

    body: tuple[Step, ...]
    sums: tuple[tuple[str, ReduceOp], ...]


@dataclass(frozen=True, slots=True)
class TeamScan:
    """A pass over `index`, in which neighbours take neighbours: `before` adds to a part of `local` for each value.

    Then `local` is what all values up to the own one make, and `after` is done with it.
    """

    index: Symbol
    lows: tuple[tuple[Affine, int], ...]
    highs: tuple[tuple[Affine, int], ...]
    before: tuple[Step, ...]
    after: tuple[Step, ...]
    local: str
    op: ReduceOp


@dataclass(frozen=True, slots=True)
class Once:
    """`body`, by the first thread of a team."""

    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What threads of a team have stored is seen by all of them from here on."""


@dataclass(frozen=True, slots=True)
class TileIndex:
    """An index of which a tile has `count` values: neighbours, or where tiles are neighbours, `apart` by their number."""

    index: Symbol
    extent: Affine
    count: int
    apart: bool

    @property
    def fits(self) -> bool:
        """Whether no tile reaches beyond the extent, whatever the sizes."""
        return self.extent.is_constant and self.extent.constant % self.count == 0


@dataclass(frozen=True, slots=True)
class Tile:
    """`body` for a tile of points, the lanes; `wide` are locals with a value a lane.

    Points beyond the box are at its edge, and store nothing: `beyond(i)` is the index without that. `inside`, if there
    is any, is the body for tiles that are not at an edge.
    """

    indices: tuple[TileIndex, ...]
    body: tuple[Step, ...]
    inside: tuple[Step, ...]
    wide: tuple[str, ...]


Step: TypeAlias = (
    Let
    | LetIndex
    | Accumulator
    | Accumulate
    | Assign
    | Loop
    | Branch
    | Store
    | Strips
    | Lanes
    | Interior
    | Chunks
    | TeamLoop
    | TeamScan
    | TeamSums
    | Once
    | Shown
    | Tile
)


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


def beyond(index: Symbol) -> Symbol:
    """The index of a tile's point that may be beyond the box: no program has it."""
    return f"'{index}"


def steps_of(steps: Sequence[Step]) -> Iterator[Step]:
    """Every step, those inside loops and branches too, in order."""
    for step in steps:
        yield step
        match step:
            case (
                Loop() | Lanes() | Strips() | Chunks() | TeamLoop() | TeamSums() | Once()
            ) as outer:
                yield from steps_of(outer.body)
            case (
                Branch(_, then, otherwise)
                | Interior(_, _, _, _, _, then, otherwise)
                | Tile(_, then, otherwise)
                | TeamScan(_, _, _, then, otherwise)
            ):
                yield from steps_of(then)
                yield from steps_of(otherwise)
            case _:
                pass


def has_loops(steps: Sequence[Step]) -> bool:
    """Whether there is a loop among the steps, or inside one of them."""
    return any(isinstance(step, Loop) for step in steps_of(steps))


def constant_trips(loop: Loop) -> int | None:
    """How often the loop runs, if that is a number."""
    ends = (*loop.lows, *loop.highs)
    if not (loop.lows and loop.highs) or not all(form.is_constant for form, _ in ends):
        return None
    low = max(-(-form.constant // c) for form, c in loop.lows)
    high = min(form.constant // c for form, c in loop.highs)
    return max(0, high - low + 1)


def bound_indices(steps: Sequence[Step]) -> set[Symbol]:
    """The indices that loops and divisions bind."""
    bound = set()
    for step in steps_of(steps):
        match step:
            case Loop(index) | Strips(index) | TeamLoop(index) | TeamScan(index):
                bound.add(index)
            case LetIndex(derived):
                bound.add(derived.name)
            case _:
                pass
    return bound


def values_of(step: Step) -> tuple[Expr, ...]:
    """The expressions that the step itself evaluates."""
    match step:
        case (
            Let(_, value)
            | Accumulator(_, value)
            | Accumulate(_, _, value)
            | Assign(_, value)
            | Store(_, _, value)
        ):
            return (value,)
        case Branch(Comparison(_, left, right)):
            return left, right
        case _:
            return ()


def reads_of(steps: Sequence[Step]) -> Iterator[Read]:
    """Every read of the steps and of those inside them, of locals too."""
    for step in steps_of(steps):
        for e in postorder(values_of(step)):
            if isinstance(e, Read):
                yield e


def with_values(step: Step, values: tuple[Expr, ...]) -> Step:
    """The step with other expressions, in the order of `values_of`."""
    match step, values:
        case ((Let() | Accumulator() | Assign()), (value,)):
            return type(step)(step.local, value)
        case Accumulate(local, op), (value,):
            return Accumulate(local, op, value)
        case Store(tensor, subscripts, _, op, atomic), (value,):
            return Store(tensor, subscripts, value, op, atomic)
        case Branch(Comparison(relation), then, otherwise), (left, right):
            return Branch(Comparison(relation, left, right), then, otherwise)
        case _:
            return step


def symbols_of(step: Step) -> set[Symbol]:
    """The indices and sizes that the step itself mentions."""
    symbols = {s for e in values_of(step) for s in e.symbols}
    match step:
        case Store(_, subscripts, _):
            symbols |= {s for form in subscripts for s in form.symbols}
        case LetIndex(d):
            symbols |= set(d.form.symbols)
        case Loop(_, lows, highs) | TeamLoop(_, lows, highs) | TeamScan(_, lows, highs):
            symbols |= {s for form, _ in (*lows, *highs) for s in form.symbols}
        case Branch(Domain() as domain):
            symbols |= set(domain.symbols)
        case _:
            pass
    return symbols
