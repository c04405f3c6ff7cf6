"""Loop nests: the steps of a kernel for one point of its box, as a small structured program.

    Kernel = box, steps for each of its points
    Step   = Let | LetIndex | Accumulator | Accumulate | Assign | Loop | Branch | Store | Strips | Lanes
           | LaneSums | Interior | Chunks | Tile | Staged | Computed | HeldRow | TeamLoop | TeamSums | TeamScan | Leader
           | Barrier

A local variable is read as a tensor of rank 0 that no memory holds (`Read(name, ())` with the name among the locals).
A kernel may store several times, and to several tensors; a `Loop` over the last output index makes a thread own a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, TypeAlias, assert_never

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import EVERYWHERE, Determined, Domain, Looked
from tadc.ir.expr import Comparison, Expr, Read, ReduceOp
from tadc.ir.program import Program, Statement
from tadc.ir.range import Range
from tadc.ir.walk import postorder
from tadc.schedule.nest.copies import Copies, copies

__all__ = [
    "FIRST",
    "FIRST_LANE",
    "LAST",
    "LAST_LANE",
    "Accumulate",
    "Accumulator",
    "Assign",
    "Barrier",
    "Branch",
    "Buffer",
    "Chunks",
    "Computed",
    "GpuStep",
    "HeldRow",
    "Interior",
    "Kernel",
    "LaneSums",
    "Lanes",
    "Leader",
    "Let",
    "LetIndex",
    "Loop",
    "MatrixProducts",
    "Staged",
    "Step",
    "Store",
    "Strips",
    "TeamLoop",
    "TeamScan",
    "TeamSums",
    "Tile",
    "TileIndex",
    "Together",
    "beyond",
    "bodies",
    "bound_indices",
    "buffers_of",
    "data_of",
    "expressions_of",
    "first_of",
    "group",
    "has_loops",
    "last_of",
    "map_bodies",
    "moved_by",
    "names_in",
    "names_of",
    "place_of",
    "reads_of",
    "steps_of",
    "stores_groups",
    "symbols_of",
    "tested_at",
    "values_of",
    "with_values",
]

MOST_GROUP = 4  # neighbours in a buffer that are read at once
TERMS_AT_ONCE = 8  # of a sum, that instructions for matrices add
# The half-open part of an index that a thread or a loop has: symbols that no program can have.
FIRST, LAST = "'first", "'last"
FIRST_LANE, LAST_LANE = "'first lane", "'last lane"  # the values of a strip's index


@dataclass(frozen=True, slots=True)
class Let:
    """A local constant."""

    local: str
    value: Expr


@dataclass(frozen=True, slots=True)
class LetIndex:
    """A derived or data index: an integer constant."""

    derived: Determined


@dataclass(frozen=True, slots=True)
class Accumulator:
    """A local variable with its first value."""

    local: str
    initial: Expr


@dataclass(frozen=True, slots=True)
class Accumulate:
    """`local = op(local, value)`; a product is added to a sum without being rounded before (`fma`).

    Lanes `where` a condition fails do not add their values, which exist all the same.
    """

    local: str
    op: ReduceOp
    value: Expr
    where: Domain = EVERYWHERE


@dataclass(frozen=True, slots=True)
class Assign:
    """`local = value`."""

    local: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Loop:
    """`body` for every value in the range, in order. A loop that is `never_empty` has one. Neighbours
    that are parts of one loop, in order, have the range of the `whole`. With `copies` it has values `first_of` to `last_of`
    its index at a time, as many as elements are in a line of memory.
    """

    range: Range
    body: tuple[Step, ...]
    never_empty: bool = False
    whole: Range | None = None
    copies: tuple[RowCopy, ...] = ()


@dataclass(frozen=True, slots=True)
class RowCopy:
    """A `buffer` with a row for each lane: the elements of a tensor at these subscripts for the values that a loop has at a time, in the order
    in which they lie in memory. They are copied before the body, or, if they are `stored`, after it.
    """

    buffer: str
    tensor: str
    subscripts: tuple[Affine, ...]
    stored: bool


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
    """`body` for every lane of the strip around it. With a `stride` it assigns a read whose elements lie that far apart."""

    body: tuple[Step, ...]
    stride: int = 1


@dataclass(frozen=True, slots=True)
class Strips:
    """A loop cut into strips of neighbours, the lanes; `wide` are locals with a value per lane.

    There are as many lanes as registers hold, but not more than `lanes`; or `times` as many, whose values are in the cache.

    `body` is done for each strip. Where `sums` has accumulators, each lane has its own copy of them, which are combined
    in the end, and the remainder of the loop fills the first lanes. Where there may be many strips, every lane does
    `between` before each further block of them, and `after` in the end; `wide` begin as zeros.

    Where it is `divided`, it adds to the parts that lanes have of the sums of a `LaneSums` around it.

    Without either, the last strip overlaps the one before it (the same elements are stored again), and `single` is the body
    for a loop that fills no strip. Where they end in `halves`, the last one has half as many lanes if these are enough.
    """

    range: Range
    body: tuple[Step, ...]
    single: tuple[Step, ...]
    wide: tuple[str, ...]
    lanes: int | None
    sums: tuple[tuple[str, ReduceOp], ...] = ()
    between: tuple[Step, ...] = ()
    after: tuple[Step, ...] = ()
    divided: bool = False
    times: int = 1
    halves: bool = False


@dataclass(frozen=True, slots=True)
class LaneSums:
    """`body` adds to `sums` in loops that are `divided`: each of at most `lanes` lanes has its parts of them, which are
    combined in the end. `wide` are other locals with a value per lane.
    """

    body: tuple[Step, ...]
    sums: tuple[tuple[str, ReduceOp], ...]
    lanes: int | None
    wide: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interior:
    """A loop in three parts: where `tests` and the `inner` bounds hold it does `interior`, in a loop over `FIRST` to `LAST`.

    The values of the loop before and after do the steps of `outside`, all of them where the tests fail.
    """

    range: Range
    tests: Domain
    inner: Range
    interior: tuple[Step, ...]
    outside: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Chunks:
    """A loop that adds to `sums` only, in at most `count` parts of at least `least` values, a thread each.

    The parts of a sum are combined pairwise. How many there are depends on the loop's length alone.
    """

    range: Range
    body: tuple[Step, ...]
    sums: tuple[tuple[str, ReduceOp], ...]
    least: int
    count: int

    def length(self, values: int) -> int:
        """The length of each part but the last of a loop of so many values."""
        return max(self.least, -(-values // self.count))


@dataclass(frozen=True, slots=True)
class TeamLoop:
    """A loop whose values the threads of a team share, neighbours among neighbours.

    If it is `held`, it is a pass over the row of a `HeldRow` around it, and each thread reads of what others store what there is a
    barrier for.
    """

    range: Range
    body: tuple[Step, ...]
    held: bool = False


@dataclass(frozen=True, slots=True)
class HeldRow:
    """`body` passes over a row in loops that are `held`: of each of the locals `wide` a thread has a value for each of its elements,
    `count` at most.
    """

    body: tuple[Step, ...]
    wide: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class TeamSums:
    """`body` adds to `sums`, with a partial sum per thread of the team; these are combined in an order that never changes."""

    body: tuple[Step, ...]
    sums: tuple[tuple[str, ReduceOp], ...]


@dataclass(frozen=True, slots=True)
class TeamScan:
    """A scan over a range, in which adjacent threads take adjacent values: `before` adds to a part of `local` for each value.

    Then `local` is the total of all values up to the thread's own, and `after` is done with it. The total of the team's values
    is the local `whole`, and `carried` adds it to the total of those before them, if it is not just added.
    """

    range: Range
    before: tuple[Step, ...]
    after: tuple[Step, ...]
    local: str
    op: ReduceOp
    whole: str = ""
    carried: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Leader:
    """`body`, by the first thread of a team."""

    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Barrier:
    """A barrier: from here on, all threads of a team see what any of them has stored."""


@dataclass(frozen=True, slots=True)
class TileIndex:
    """An index of which a tile has several values: `count` per thread, for each of `threads` threads of a block.

    Where each thread has a tile of its own, its values are neighbours, or, if `strided`, further apart by the number of
    tiles, for threads to be neighbours. In a block they are groups of neighbours: `near` of them, if that is given.
    """

    index: Symbol
    extent: Affine
    count: int
    strided: bool
    threads: int = 1
    near: int = 0

    @property
    def values(self) -> int:
        """The number of values in a tile."""
        return self.count * self.threads

    @property
    def group(self) -> int:
        """Neighbours of a thread in a block: so many that they are read at once, or that threads hit different banks."""
        return self.near or group(self.count)

    @property
    def fits(self) -> bool:
        """Whether no tile reaches beyond the extent, whatever the sizes."""
        return self.extent.is_constant and self.extent.constant % self.values == 0


@dataclass(frozen=True, slots=True)
class Tile:
    """`body` for a tile of points, the lanes; `wide` are locals with a value per lane.

    Points beyond the box are at its edge, and store nothing: `beyond(i)` is the index without that. `interior`, if there
    is any, is the body for tiles all of whose points are in the `region`, with `interior_wide`. Of both, those that are `rare` are
    needed where many terms have been added, and may stand in memory meanwhile.
    """

    indices: tuple[TileIndex, ...]
    body: tuple[Step, ...]
    interior: tuple[Step, ...]
    region: Domain
    wide: tuple[str, ...]
    interior_wide: tuple[str, ...]
    rare: tuple[str, ...] = ()

    @property
    def team(self) -> int:
        """The number of threads that share a tile."""
        return prod(t.threads for t in self.indices)


@dataclass(frozen=True, slots=True)
class Buffer:
    """Elements of a tensor that the threads of a block read from memory once, and share; of none, if it has values that they compute.

    In dimension `d` of the tensor they begin at `lows[d]`, in terms of `first_of` indices, and there are `counts[d]` of them,
    `steps[d]` apart; where `below[d]`, they may begin before the tensor. The buffer has the dimensions in another `order`, its outermost first.
    So many neighbours may be copied `at_once`, where the tensor's rows are whole numbers of such groups.
    A dimension that is `ragged` reaches beyond the tensor wherever it begins, for the sizes of the schedule.
    There are two `halves` where one is filled while the other is read. With `in_banks` four rows are read at once, eight neighbours of each.
    """

    name: str
    tensor: str
    lows: tuple[Affine, ...]
    steps: tuple[int, ...]
    counts: tuple[int, ...]
    below: tuple[bool, ...]
    order: tuple[int, ...]
    aligned: int
    at_once: int
    ragged: tuple[bool, ...]
    halves: int = 1
    in_banks: bool = False

    def copies(self, threads: int, at_once: int = 1) -> Copies:
        """How so many threads of a block copy it, so many neighbours at once."""
        return copies((*self.counts[:-1], self.counts[-1] // at_once), threads)

    @property
    def size(self) -> int:
        """The elements of a half in memory: where another follows, it begins at a whole group."""
        size = prod(self.shape)
        return size + (-size % MOST_GROUP if self.halves > 1 else 0)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape in memory: rows begin where `aligned` neighbours may, and elements copied at once are spread over the banks."""
        *outer, last = (self.counts[d] for d in self.order)
        if self.in_banks:
            return (*outer, last + (8 - last) % 32)
        last += -last % self.aligned
        turned = self.order != tuple(range(len(self.order)))
        if turned and last // self.aligned % 2 == 0:
            last += self.aligned
        return (*outer, last)

    def has(self, other: Buffer) -> bool:
        """Whether all elements of the other buffer are in this one, whatever the sizes."""
        if other.tensor != self.tensor:
            return False
        for d, step in enumerate(self.steps):
            before = other.lows[d] - self.lows[d]
            last = before.constant + other.steps[d] * (other.counts[d] - 1)
            in_step = before.constant % step == 0 and (other.steps[d] == step or other.counts[d] == 1)  # fmt: skip
            if not (before.is_constant and in_step and before.constant >= 0 and last <= step * (self.counts[d] - 1)):  # fmt: skip
                return False
        return True

    def is_within(self, dimension: int, extent: Affine) -> bool:
        """Whether all elements are before the end of a dimension of the tensor, whatever the sizes."""
        last = self.lows[dimension] + self.steps[dimension] * (self.counts[dimension] - 1)
        beyond = last - extent
        return beyond.is_constant and beyond.constant < 0


@dataclass(frozen=True, slots=True)
class Together:
    """The `body` of a loop for so many values of its index that it may be written out, from one on that is in the `region`; and what is done
    `after` the last of them, for the value that comes next.
    """

    count: int
    region: Domain
    body: tuple[Step, ...]
    after: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Staged:
    """A loop of all threads of a block, `count` values at a time, for which they fill the buffers cooperatively.

    `place_of(index)` is the number of a value among those. After the last of every `every` values, which is the last of a part, it
    does `after`.
    """

    range: Range
    count: int
    buffers: tuple[Buffer, ...]
    body: tuple[Step, ...]
    after: tuple[Step, ...] = ()
    every: int = 1
    by_terms: tuple[
        Step, ...
    ] = ()  # the body for `TERMS_AT_ONCE` values, where the hardware has `MatrixProducts`
    together: Together | None = None  # the same for several values, where all points have them

    @property
    def is_ahead(self) -> bool:
        """Whether the buffers are filled with the values that come next while the others are read."""
        return self.buffers[0].halves > 1


@dataclass(frozen=True, slots=True)
class Computed:
    """Values that the threads of a block compute together, and share: `body` is a tile of their own, whose points store them in
    the `buffers`, and behind it there is a barrier.

    The block has the same values of the indices of the tile around; of `index` it has as many as the tile does, number `part` of these.
    """

    buffers: tuple[Buffer, ...]
    index: Symbol
    part: Symbol
    body: tuple[Tile]

    @property
    def tile(self) -> Tile:
        (tile,) = self.body
        return tile


@dataclass(frozen=True, slots=True)
class MatrixProducts:
    """Products added to the sums of all lanes, by instructions for matrices: of a factor by the rows of a tile and one by its columns.

    They are of the first of `TERMS_AT_ONCE` values of the staged loop around.
    """

    local: str
    left: Read
    right: Read


# Steps that only kernels of a GPU have.
GpuStep: TypeAlias = (
    HeldRow
    | TeamLoop
    | TeamScan
    | TeamSums
    | Leader
    | Barrier
    | Staged
    | Computed
    | MatrixProducts
    | Tile
)
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
    | LaneSums
    | Interior
    | Chunks
    | GpuStep
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

    @property
    def is_atomic(self) -> bool:
        """Whether several points add to one element."""
        return any(isinstance(s, Store) and s.atomic for s in steps_of(self.body))

    def storing_all(self, program: Program) -> Kernel:
        """The kernel where it writes all that its body stores: schedules may keep some of it in registers."""
        stored = {s.tensor for s in steps_of(self.body) if isinstance(s, Store)}
        return replace(self, writes=tuple(t for t in program.tensors if t in stored))


def beyond(index: Symbol) -> Symbol:
    """The index of a tile's point that may be beyond the box: no program has it."""
    return f"'{index}"


def group(count: int) -> int:
    """Neighbours among so many values of a thread of a block."""
    return count if count % 2 else 2 if count % MOST_GROUP else MOST_GROUP


def first_of(index: Symbol) -> Symbol:
    """The first value that a tile, or a part of a staged loop, has of the index."""
    return f"'first {index}"


def last_of(index: Symbol) -> Symbol:
    """The last one."""
    return f"'last {index}"


def moved_by(index: Symbol) -> Symbol:
    """How far a row is from the first one of its thread, along the index."""
    return f"'rows before {index}"


def place_of(index: Symbol) -> Symbol:
    """The number of a value among them."""
    return f"'place {index}"


def stores_groups(s: Store, tile: Sequence[TileIndex]) -> bool:
    """Whether the lanes of a thread of a block store groups of `MOST_GROUP` neighbours, of which the first is a multiple of that in its row."""
    if not (tile and s.subscripts) or s.op is not None:
        return False
    (*outer, last), along = s.subscripts, tile[-1]
    in_groups = along.threads > 1 and along.group == MOST_GROUP and last.as_symbol() == along.index
    return in_groups and not any(along.index in form.symbols for form in outer)


def steps_of(steps: Sequence[Step]) -> Iterator[Step]:
    """Every step, those inside loops and branches too, in order; of a loop in strips, those of the body of a strip."""
    waiting = [*reversed(steps)]
    while waiting:
        step = waiting.pop()
        yield step
        if type(step) not in _LEAVES:
            for body in reversed(bodies(step)):
                waiting += reversed(body)


def data_of(steps: Sequence[Step]) -> frozenset[Symbol]:
    """The data indices of the steps."""
    made = (s.derived for s in steps_of(steps) if isinstance(s, LetIndex))
    return frozenset(d.name for d in made if isinstance(d, Looked))


_WITHOUT_BODIES = (Let, LetIndex, Accumulator, Accumulate, Assign, Store, Barrier, MatrixProducts)
_LEAVES = frozenset(_WITHOUT_BODIES)


def bodies(step: Step) -> tuple[tuple[Step, ...], ...]:
    """The bodies of the step: one, or two alternatives."""
    if isinstance(step, _WITHOUT_BODIES):
        return ()
    match step:
        case (
            Loop(body=body)
            | Lanes(body)
            | LaneSums(body=body)
            | Strips(body=body)
            | Chunks(body=body)
            | Computed(body=body)
            | HeldRow(body)
            | TeamLoop(body=body)
            | TeamSums(body)
            | Leader(body)
        ):
            return (body,)
        case (
            Branch(_, one, other)
            | Interior(interior=one, outside=other)
            | Tile(body=one, interior=other)
            | Staged(body=one, after=other)
            | TeamScan(before=one, after=other)
        ):
            return one, other
        case _:
            assert_never(step)


def tested_at(steps: Sequence[Step], index: Symbol, value: Affine) -> Iterator[Step]:
    """The steps, with the tests of their branches for this value of the index."""
    for step in steps:
        if isinstance(step, Branch) and isinstance(step.condition, Domain):
            step = replace(step, condition=step.condition.substitute({index: value}))
        yield map_bodies(step, lambda inner: tested_at(inner, index, value))


def map_bodies(step: Step, each: Callable[[tuple[Step, ...]], Iterable[Step]]) -> Step:
    """The step with other steps inside; the same step where nothing changed."""

    def of(*names: str) -> Step:
        inner: dict[str, Any] = {}
        for name in names:
            before = getattr(step, name)
            after = tuple(each(before))
            if len(after) != len(before) or any(
                a is not b for a, b in zip(after, before, strict=True)
            ):
                inner[name] = after
        return replace(step, **inner) if inner else step

    match step:
        case (
            Let()
            | LetIndex()
            | Accumulator()
            | Accumulate()
            | Assign()
            | Store()
            | Barrier()
            | MatrixProducts()
        ):
            return step
        case (
            Loop()
            | Lanes()
            | LaneSums()
            | Chunks()
            | Computed()
            | HeldRow()
            | TeamLoop()
            | TeamSums()
            | Leader()
        ):
            return of("body")
        case Staged():
            return of("body", "after")
        case Strips():
            return of("body", "single", "between", "after")
        case Branch():
            return of("then", "otherwise")
        case Interior():
            return of("interior", "outside")
        case Tile():
            return of("body", "interior")
        case TeamScan():
            return of("before", "after", "carried")
        case _:
            assert_never(step)


def has_loops(steps: Sequence[Step]) -> bool:
    """Whether there is a loop among the steps, or inside one of them."""
    return any(isinstance(step, Loop) for step in steps_of(steps))


def buffers_of(steps: Sequence[Step]) -> tuple[Buffer, ...]:
    """The buffers of all staged loops, and those with computed values, each once."""
    every: dict[Buffer, None] = {}
    for s in steps_of(steps):
        match s:
            case Staged(buffers=buffers) | Computed(buffers=buffers):
                every |= dict.fromkeys(buffers)
            case _:
                pass
    return tuple(every)


def names_of(kernel: Kernel) -> set[str]:
    """All indices, sizes, locals and tensors of the kernel: what is new in it is called otherwise."""
    extents = {s for n in kernel.extents for s in n.symbols}
    tensors = {*kernel.reads, *kernel.writes}
    return {*kernel.indices, *kernel.locals, *extents, *tensors} | names_in(kernel.body)


def names_in(steps: Sequence[Step]) -> set[str]:
    """All indices, sizes, locals and tensors that the steps mention."""
    every = list(steps_of(steps))
    mentioned = {s for step in every for s in symbols_of(step)}
    locals_ = {s.local for s in every if isinstance(s, (Accumulate, Accumulator, Assign, Let))}
    return mentioned | locals_ | bound_indices(steps) | {e.tensor for e in reads_of(steps)}


def bound_indices(steps: Sequence[Step]) -> set[Symbol]:
    """The indices that loops and divisions bind."""
    bound = set()
    for step in steps_of(steps):
        match step:
            case Loop(r, copies=copies):
                bound.add(r.index)
                if copies:
                    bound |= {first_of(r.index), last_of(r.index)}
            case Staged(r) | TeamLoop(r) | TeamScan(r):
                bound.add(r.index)
            case Strips(r):
                bound |= {r.index} | bound_indices((*step.single, *step.between, *step.after))
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


def expressions_of(steps: Sequence[Step]) -> Iterator[Expr]:
    """Every expression of the steps and of those inside them, operands first; of a step each once."""
    for step in steps_of(steps):
        yield from postorder(values_of(step))


def reads_of(steps: Sequence[Step]) -> Iterator[Read]:
    """Every read of the steps and of those inside them, of locals too."""
    return (e for e in expressions_of(steps) if isinstance(e, Read))


def with_values(step: Step, values: tuple[Expr, ...]) -> Step:
    """The step with other expressions, in the order of `values_of`."""
    match step, values:
        case ((Let() | Accumulator() | Assign()), (value,)):
            return type(step)(step.local, value)
        case Accumulate(), (value,):
            return replace(step, value=value)
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
            symbols |= set(d.symbols)
        case Loop(r) | Staged(r) | TeamLoop(r) | TeamScan(r):
            symbols |= r.symbols
            if isinstance(step, Staged):
                symbols |= {s for b in step.buffers for form in b.lows for s in form.symbols}
        case Branch(Domain() as domain) | Tile(region=domain) | Accumulate(where=domain):
            symbols |= set(domain.symbols)
        case _:
            pass
    return symbols
