"""Long sums in blocks, so that their rounding errors do not grow with their length.

    s = 0                            s = low = 0
    for k: s += e(k)        is       for each block of 32 neighbours in k:
                                       part = 0
                                       for k of the block: part += e(k)
                                       added = part + low;  total = s + added
                                       low = what `s + added` rounds off;  s = total

A chain of additions is as long as a block. The rounding error of adding a block's part to the sum is compensated by the
next addition (Kahan 1965), whatever their number: the error of a sum is that of a block. Blocks begin at multiples of their
length: they depend on the values of the index, and so on the extents alone.

A sum of few blocks loses little between them, which is not compensated.

The parts of some blocks are added up first, in a group, and then the group to the sum: that takes fewer operations, and the sum with its
error may stand in memory meanwhile. Threads of a team have few blocks each.

A piece of a list (`rewrite/pieces.py`) is one chain: it is short, and its sum is the same in whatever kernel it stands.

An infinite sum has no rounding error that could be added again: a NaN is replaced by 0, and the sum stays infinite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import lcm
from typing import TypeAlias, cast

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Domain, at_least_zero, divides
from tadc.ir.expr import Call, Comparison, Const, Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.range import Bound, Range
from tadc.ir.walk import postorder, rewrite
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Chunks,
    Computed,
    Interior,
    Kernel,
    Lanes,
    LaneSums,
    Let,
    Loop,
    Staged,
    Step,
    Strips,
    TeamLoop,
    TeamScan,
    TeamSums,
    Tile,
    buffers_of,
    data_of,
    map_bodies,
    names_of,
    reads_of,
)
from tadc.schedule.nest.surroundings import EXACT, most_of
from tadc.schedule.rewrite.looked_up import has_data
from tadc.schedule.rewrite.pieces import PIECE

__all__ = ["LENGTH", "long_sums_in_blocks"]

FEW_LANES = 16  # assumed of a loop of which nothing is known
LENGTH = 32  # of a chain of additions: 32 equal terms are off by at most 5.1e-7 in float32
SHORT = 512  # terms at most: such a sum has blocks of twice the length, and its rounding errors are not compensated
GROUP = 16  # blocks whose parts are added up between two compensations
FEWEST_LANES = 8
UNBOUNDED = 2**62
_UNKNOWN: Mapping[Symbol, int] = {}

# Long sums, each with the local of its rounding error, or None where that is not tracked.
_Sums: TypeAlias = Mapping[str, str | None]
_Loop: TypeAlias = Loop | TeamLoop | Strips


@dataclass(frozen=True, slots=True)
class _Ranges:
    """The least and the greatest number of each size, and the last value of each index of the box and of each offset of a block, as forms of sizes."""

    numbers: Mapping[Symbol, tuple[int, int]]
    last: Mapping[Symbol, Affine]
    last_offset: Mapping[Symbol, Affine]

    @classmethod
    def of(cls, kernel: Kernel, program: Program, usual: Mapping[Symbol, int]) -> _Ranges:
        beside_data = has_data(program)  # less is known of its sizes

        def largest(s: Symbol) -> int:
            n = usual.get(s, UNBOUNDED)
            return UNBOUNDED if beside_data and n > EXACT else most_of(n) if s in usual else n

        offsets = program.offsets
        numbers = {s: (0, UNBOUNDED) if s in offsets else (1, largest(s)) for s in program.sizes}
        extents = zip(kernel.indices, kernel.extents, strict=True)
        places = {
            o: symbol(o) + c.form  # a block ends where the whole does, or before: o + n <= N
            for o in offsets
            for c in program.facts
            if c.relation == ">=" and c.form.coefficient(o) == -1
        }
        ranges = cls(numbers, {i: n - 1 for i, n in extents}, places)
        for d in program.derived_sizes:
            most = (ranges.greatest(form) // d.modulus for form in d.forms)
            numbers[d.name] = 1, max(most) if d.op == "max" else min(most)
        return ranges

    def greatest(self, form: Affine) -> int:
        """An upper bound of the form, UNBOUNDED where none is known."""
        zero = constant(0)
        for ends in (self.last, self.last_offset):
            form = form.substitute(
                {s: ends[s] if c > 0 else zero for s, c in form.terms if s in ends}
            )
        value = form.constant
        for s, c in form.terms:
            least, most = self.numbers.get(s, (-UNBOUNDED, UNBOUNDED))
            value += c * (most if c > 0 else least)
        return min(value, UNBOUNDED)

    def most_trips(self, r: Range) -> int:
        """An upper bound of the number of values, UNBOUNDED where none is known."""
        counts = []
        for low, c in r.lows:
            for high, d in r.highs:
                both = lcm(c, d)
                width = high * (both // d) - low * (both // c)
                counts.append(max(0, self.greatest(width) // both + 1))
        return min((UNBOUNDED, *counts))


def long_sums_in_blocks(
    kernel: Kernel,
    steps: Sequence[Step],
    program: Program,
    usual: Mapping[Symbol, int] = _UNKNOWN,
    *,
    team: int = 1,
) -> tuple[Kernel, tuple[Step, ...]]:
    """The steps with all sums that may be long in blocks, and the kernel with the locals that they have besides.

    `usual` has about how large the sizes are. A team of so many threads shares a `TeamLoop`.
    """
    buffers = (b.name for b in buffers_of(steps))
    names = Names((*program.names, *program.symbols, *names_of(kernel), *buffers))
    ranges = _Ranges.of(kernel, program, usual)
    blocks = _Blocks(names, ranges, team, data_of(kernel.body))
    body = tuple(blocks.steps(steps, {}))
    return replace(kernel, locals=kernel.locals | blocks.locals), body


@dataclass(frozen=True, slots=True)
class _Blocks:
    names: Names
    ranges: _Ranges
    team: int
    data: frozenset[Symbol]  # that are looked up
    in_group: bool = False  # whether all sums are those of groups, of blocks that rounding errors are tracked for elsewhere
    wide: set[str] = field(
        default_factory=set
    )  # locals with a value per lane, outside of the lanes
    locals: set[str] = field(default_factory=set)  # that are new
    rare: set[str] = field(default_factory=set)  # that only ends of blocks need
    indices: dict[Symbol, Symbol] = field(default_factory=dict)  # of the blocks of an index
    # The terms that steps add, by their identity: the steps around them ask again and again.
    counted: dict[int, tuple[Step, Mapping[str, int]]] = field(default_factory=dict)

    def steps(self, steps: Sequence[Step], sums: _Sums) -> Iterator[Step]:
        """The steps. `sums` are the long ones that began before, each with its rounding error."""
        end = 0
        for run in _runs(steps):
            end += len(run)
            yield from self._run(run, sums)
            long = self._long([s for s in self._begun(run[0]) if s not in sums], steps[end:])
            yield from self._zeros(_lost(long))
            sums = {**sums, **long}

    def _long(self, begun: Sequence[str], steps: Sequence[Step]) -> _Sums:
        """The sums to which the steps may add many terms, each with the name of its rounding error."""
        if not begun:
            return {}
        terms = self._terms(steps)
        return {
            s: self._local(f"{s}_low", like=s) if terms[s] > SHORT else None
            for s in begun
            if terms.get(s, 0) > 2 * LENGTH
        }

    def _begun(self, step: Step) -> list[str]:
        """The locals that have their first value from the step."""
        match step:
            case Accumulator(local):
                return [local]
            case Lanes(body):
                return [s.local for s in body if isinstance(s, Assign) and s.local in self.wide]
            case _:
                return []

    def _run(self, run: Sequence[Step], sums: _Sums) -> Iterator[Step]:
        """A step, or the parts of a loop: blocks go across these."""
        counts = self._terms(run) if sums else {}
        inner = {s: low for s, low in sums.items() if s in counts}
        terms = max((counts[s] for s in inner), default=0)
        read = any(not e.subscripts and e.tensor in inner for e in reads_of(run))
        step = run[0]
        match step:
            case Accumulate(local, _, value) if local in inner:
                yield from self._carried(local, inner[local], value)
            case Assign(local, value) if (low := sums.get(local)) and any(
                e is _read(local) for e in postorder(value)
            ):
                yield step  # multiplies the sum so far, and its rounding error with it
                of_low = rewrite(value, lambda e: _read(low) if e is _read(local) else e)
                yield Assign(low, of_low)
            case TeamScan(local=local) if inner:
                whole = self._fresh(f"{local}_all")
                carried = tuple(self._carried(local, inner[local], _read(whole)))
                before, after = (tuple(self.steps(s, {})) for s in (step.before, step.after))
                yield replace(step, before=before, after=after, whole=whole, carried=carried)
            case _ if read:
                yield from (self._in_bodies(s, inner) for s in run)
            case Loop() | TeamLoop() | Strips(divided=True) if inner and terms > self._length(
                inner
            ):
                yield from self._loop(run, inner)
            case Interior() | Staged() if inner:
                yield from self._one_by_one(step, inner)
            case Loop() | TeamLoop() | Strips() | LaneSums() | Chunks() | TeamSums() if (
                inner and not (isinstance(step, Strips) and not (step.sums or step.divided))
            ):
                parts = self._parts(inner)
                yield from self._zeros(list(parts.values()))
                for s in run:
                    yield from self._run((_renamed(s, parts),), {})
                yield from self._all_carried(inner, parts)
            case Chunks(body=body) | TeamSums(body=body):
                long = self._long([s for s, _ in step.sums], body)
                zeros = self._zeros(_lost(long))
                yield replace(step, body=(*zeros, *self.steps(body, long)))
            case LaneSums(body, sums=totals, wide=wide):
                lanes = replace(self, wide={*wide, *(s for s, _ in totals)})
                long = lanes._long([s for s, _ in totals], body)
                zeros = lanes._zeros(_lost(long))
                body = (*zeros, *lanes.steps(body, long))
                wide = _sorted(lanes.wide - {s for s, _ in totals})
                yield replace(step, body=body, wide=wide)
            case Strips(sums=[*_, _]):
                within = self._in_bodies(step, {})
                assert isinstance(within, Strips)
                yield self._strips(within)
            case _:
                yield from (self._in_bodies(s, inner) for s in run)

    def _in_bodies(self, step: Step, sums: _Sums) -> Step:
        """The step with the sums of its inner steps in blocks."""

        def each(steps: Sequence[Step], within: _Blocks = self) -> tuple[Step, ...]:
            return tuple(within.steps(steps, sums))

        match step:
            case Lanes(body):
                return Lanes(each(body, replace(self, wide=set())))
            case Strips(divided=True):
                return replace(step, body=each(step.body), single=each(step.single))
            case Strips(wide=wide):
                lanes = replace(self, wide=set(wide))
                body = each(step.body, lanes)
                return replace(step, body=body, single=each(step.single), wide=_sorted(lanes.wide))
            case Tile(wide=wide, interior_wide=interior_wide):
                edge, within = (replace(self, wide=set(w)) for w in (wide, interior_wide))
                body, interior = each(step.body, edge), each(step.interior, within)
                wide, interior_wide = _sorted(edge.wide), _sorted(within.wide)
                rare = tuple(s for s in (*wide, *interior_wide) if s in self.rare)
                return replace(step, body=body, interior=interior, wide=wide, interior_wide=interior_wide, rare=rare)  # fmt: skip
            case Chunks() | TeamSums() | LaneSums():
                return step
            case _:
                return map_bodies(step, each)

    # ------------------------------------------------------------------ loops

    def _loop(self, run: Sequence[Step], sums: _Sums) -> Iterator[Step]:
        """A loop with many terms, or its parts: in blocks, or their bodies are."""
        loop = run[0]
        assert isinstance(loop, _Loop)
        terms = self._most_terms(loop.body, sums)
        of_row = isinstance(loop, TeamLoop) and loop.held  # which is one loop, and short
        blocks, rest = divmod(terms, self._length(sums))
        is_computed = not rest and any(isinstance(s, Computed) for s in loop.body)
        if is_computed and blocks > 1 and GROUP % blocks == 0 and self._in_groups(sums):
            yield self._groups_of_parts(run, blocks, sums)
            return
        is_block = is_computed and blocks == 1
        if of_row or (2 * terms > self._length(sums) and not is_block):
            yield from (self._in_bodies(s, sums) for s in run)
            return
        parts = self._parts(sums)
        length = self._length(sums) // terms * self._share(loop)
        # Each is a loop of the same kind.
        within = cast("list[_Loop]", [self._in_bodies(_renamed(s, parts), {}) for s in run])
        short = self._is_short(loop, length)
        if short is not None:
            one = (*self._zeros(list(parts.values())), *within, *self._all_carried(sums, parts))
            yield Branch(short, one, tuple(self._in_blocks(within, length, sums, parts)))
        else:
            yield from self._in_blocks(within, length, sums, parts)

    def _groups_of_parts(self, run: Sequence[Step], blocks: int, sums: _Sums) -> Loop:
        """A loop of parts, each of which has so many blocks of terms: these are added up in the same groups as those of a loop."""
        groups = self._groups(sums)
        adding = replace(self, in_group=True)
        none = dict.fromkeys(groups.values())
        within = cast("list[_Loop]", [adding._in_bodies(_renamed(s, groups), none) for s in run])
        carried = self._all_carried(sums, groups)
        return self._blocks(within, GROUP // blocks, groups, carried, "group")

    def _is_short(self, loop: _Loop, length: int) -> Domain | None:
        """Whether a loop is one block, where data say how long it is: most of those are short. None where data do not."""
        r = loop.range
        from_zero = r.lows == (Bound(constant(0)),)
        if not (from_zero and isinstance(loop, Loop) and all(b.divisor == 1 for b in r.highs)):
            return None
        if self.data.isdisjoint(s for b in r.highs for s in b.form.symbols):
            return None
        return Domain.of(at_least_zero(length - 1 - b.form) for b in r.highs)

    def _in_blocks(
        self, run: Sequence[_Loop], length: int, sums: _Sums, parts: Mapping[str, str]
    ) -> Iterator[Step]:
        """A loop, or its parts, in blocks of so many values, and these in groups."""
        if not self._in_groups(sums) or self._trips(run[0]) <= 2 * length:
            yield self._blocks(run, length, parts, self._all_carried(sums, parts))
            return
        groups = self._groups(sums)
        added = self._all_added({groups[s]: parts[s] for s in sums})
        blocks = self._blocks(run, length, parts, added)
        yield self._blocks([blocks], GROUP, groups, self._all_carried(sums, groups), "group")

    def _blocks(
        self,
        run: Sequence[_Loop],
        length: int,
        parts: Mapping[str, str],
        after: Iterable[Step],
        hint: str = "block",
    ) -> Loop:
        """The loop, or its parts, in blocks of so many values. The sums' parts begin with 0 in each; `after` is done after it."""
        zeros = tuple(self._zeros(list(parts.values())))
        if length == 1:
            (loop,) = run
            return Loop(loop.range, (*zeros, *loop.body, *after))
        index = run[0].range.index
        if index not in self.indices:
            plain = index.removesuffix("_block")
            self.indices[index] = self.names.fresh(f"{plain}_{hint}")
        block = self.indices[index]
        first = symbol(block) * length
        inner = (_cut(loop, first, length) for loop in run)
        # ceil((ceil(e/c) - (length-1)) / length) and floor(floor(e/c) / length)
        lows = (_reduced(e - (length - 1) * c, c * length, up=True) for e, c in run[0].range.lows)
        highs = (_reduced(e, c * length, up=False) for e, c in run[-1].range.highs)
        return Loop(Range(block, tuple(lows), tuple(highs)), (*zeros, *inner, *after))

    def _strips(self, step: Strips) -> Strips:
        """A sum in strips: each lane has blocks of its own, but for a piece of a list."""
        trips = self.ranges.most_trips(step.range)
        if trips <= LENGTH * FEWEST_LANES:
            return step
        if trips <= PIECE and not self.data.isdisjoint(step.range.symbols):
            return step
        between: list[Step] = []
        after: list[Step] = []
        wide: list[str] = []
        for s in (s for s, op in step.sums if op == "sum"):
            whole, low = self._fresh(f"{s}_sum"), self._fresh(f"{s}_low")
            wide += [whole, low]
            between += [*self._carried(whole, low, _read(s)), Assign(s, Const(0))]
            added = Call("add", (_read(s), _read(low)))
            after.append(Assign(s, Call("add", (_read(whole), added))))
        wide = [*step.wide, *wide]
        return replace(step, between=tuple(between), after=tuple(after), wide=tuple(wide))

    def _one_by_one(self, step: Interior | Staged, sums: _Sums) -> Iterator[Step]:
        """A loop that is no single one in the text: after the last value of each block its part is carried over."""
        body = step.outside if isinstance(step, Interior) else step.body
        terms = self._most_terms(body, sums)
        if 2 * terms > self._length(sums):
            yield self._in_bodies(step, sums)
            return
        parts = self._parts(sums)
        length, behind = self._length(sums) // terms, symbol(step.range.index) + 1
        several = self.ranges.most_trips(step.range) > 2 * length
        groups = self._groups(sums) if several and self._in_groups(sums) else {}
        yield from self._zeros([*groups.values(), *parts.values()])
        if groups:
            of_group = self._carried_and_zero(sums, groups)
            last_of_group = Domain.of((divides(length * GROUP, behind),))
            added = tuple(self._all_added({groups[s]: parts[s] for s in sums}))
            zeros = self._zeros(list(parts.values()), assigned=True)
            carried: tuple[Step, ...] = (*added, *zeros, Branch(last_of_group, of_group))
        else:
            carried = self._carried_and_zero(sums, parts)
        each = tuple(self.steps([_renamed(s, parts) for s in body], {}))
        if isinstance(step, Staged) and _ends_with_parts(step, length):
            yield replace(step, body=each, after=carried, every=length)
        else:
            last = Domain.of((divides(length, behind),))
            ended = (Branch(last, carried),) if last.conditions else carried
            if isinstance(step, Interior):
                interior = tuple(self.steps(step.interior, sums))
                yield replace(step, interior=interior, outside=(*each, *ended))
            else:
                yield replace(step, body=(*each, *ended))
        if groups:
            yield from self._all_added({groups[s]: parts[s] for s in sums})
        yield from self._all_carried(sums, groups or parts)

    def _carried_and_zero(self, sums: _Sums, parts: Mapping[str, str]) -> tuple[Step, ...]:
        """The parts are added to the sums, and begin anew."""
        zeros = self._zeros(list(parts.values()), assigned=True)
        return (*self._all_carried(sums, parts), *zeros)

    # ------------------------------------------------------------------ steps that are new

    def _local(self, hint: str, like: str) -> str:
        local = self.names.fresh(hint)
        self.locals.add(local)
        if like in self.wide:
            self.wide.add(local)
        return local

    def _parts(self, sums: _Sums, hint: str = "part") -> dict[str, str]:
        return {s: self._local(f"{s}_{hint}", like=s) for s in sums}

    def _length(self, sums: _Sums) -> int:
        """The length of a block of all these sums, in terms."""
        return LENGTH if self.in_group or _lost(sums) else 2 * LENGTH

    def _in_groups(self, sums: _Sums) -> bool:
        """Whether blocks are added up in groups first: threads of a team that share a loop have few each."""
        return bool(_lost(sums)) and (self.team == 1 or not self.wide.isdisjoint(sums))

    def _groups(self, sums: _Sums) -> dict[str, str]:
        groups = self._parts(sums, "group")
        self.rare.update((*sums, *_lost(sums), *groups.values()))
        return groups

    def _zeros(self, locals_: Sequence[str], *, assigned: bool = False) -> Iterator[Step]:
        """Locals of this name that are 0."""
        wide = tuple(Assign(s, Const(0)) for s in locals_ if s in self.wide)
        yield from (Lanes(wide),) if wide else ()
        kind = Assign if assigned else Accumulator
        yield from (kind(s, Const(0)) for s in locals_ if s not in self.wide)

    def _all_carried(self, sums: _Sums, parts: Mapping[str, str]) -> Iterator[Step]:
        """The parts are added to the sums."""
        for lane in (True, False):
            steps: list[Step] = []
            for s, low in sums.items():
                if (s in self.wide) == lane:
                    steps += self._carried(s, low, _read(parts[s]))
            yield from (Lanes(tuple(steps)),) if lane and steps else steps

    def _all_added(self, parts: Mapping[str, str]) -> Iterator[Step]:
        """The parts are added to sums that begin anew before much is lost."""
        for s, part in parts.items():
            step = Accumulate(s, "sum", _read(part))
            yield Lanes((step,)) if s in self.wide else step

    def _carried(self, local: str, low: str | None, value: Expr) -> Iterator[Step]:
        """The value and the sum's rounding error are added to the sum. Adding a zero changes no bit."""
        if low is None:
            yield Accumulate(local, "sum", value)
            return
        added, total, gained, lost = map(self._fresh, ("added", "total", "gained", "lost"))
        yield Let(added, Call("add", (value, _read(low))))
        yield Let(total, Call("add", (_read(local), _read(added))))
        yield Let(gained, Call("sub", (_read(total), _read(local))))
        # The rounding error, exactly, whichever of the two is larger (Knuth 1969).
        of_sum = Call("sub", (_read(local), Call("sub", (_read(total), _read(gained)))))
        of_part = Call("sub", (_read(added), _read(gained)))
        yield Let(lost, Call("add", (of_sum, of_part)))
        yield Assign(local, _read(total))
        number = Comparison("==", _read(lost), _read(lost))
        yield Assign(low, Select(number, _read(lost), Const(0)))

    def _fresh(self, hint: str) -> str:
        local = self.names.fresh(hint)
        self.locals.add(local)
        return local

    # ------------------------------------------------------------------ counts

    def _terms(self, steps: Sequence[Step]) -> Mapping[str, int]:
        """The largest number of terms added in sequence to each local that has some; consecutive steps count as one of them."""
        counts: dict[str, int] = {}
        for step in steps:
            for local, n in self._of_step(step).items():
                counts[local] = max(n, counts.get(local, 0))
        return counts

    def _most_terms(self, steps: Sequence[Step], sums: _Sums) -> int:
        counts = self._terms(steps)
        return max(counts.get(s, 0) for s in sums)

    def _trips(self, loop: _Loop) -> int:
        """How many values the loop has at most, or that of which it is a part."""
        whole = loop.whole if isinstance(loop, Loop) else None
        return self.ranges.most_trips(whole or loop.range)

    def _share(self, loop: _Loop) -> int:
        """How many threads or lanes have the loop's values among them."""
        match loop:
            case Loop():
                return 1
            case TeamLoop():
                return self.team
            case Strips():
                return loop.lanes or FEW_LANES

    def _of_step(self, step: Step) -> Mapping[str, int]:
        counted = self.counted.get(id(step))
        if counted is None:
            counted = self.counted[id(step)] = step, self._counts(step)
        return counted[1]

    def _counts(self, step: Step) -> Mapping[str, int]:
        match step:
            case Accumulate(local, "sum"):
                return {local: 1}
            case Loop(body=body) | TeamLoop(body=body) | Strips(body=body, divided=True):
                trips = self._trips(step)
                if trips <= PIECE and not self.data.isdisjoint(step.range.symbols):
                    trips = min(trips, 2 * LENGTH)
                return _times(-(-trips // self._share(step)), self._terms(body))
            case (
                Chunks(sums=sums)
                | TeamSums(sums=sums)
                | LaneSums(sums=sums)
                | Strips(sums=[*_, _] as sums)
            ):
                return {local: 1 for local, op in sums if op == "sum"}
            case TeamScan(local=local, op="sum"):
                return {local: UNBOUNDED}
            case Interior(outside=body):
                return _times(UNBOUNDED, self._terms((*step.interior, *body)))
            case Staged(range=r, body=body):
                return _times(self.ranges.most_trips(r), self._terms(body))
            case Branch(_, then, otherwise):
                return self._terms((*then, *otherwise))
            case Lanes(body) | Strips(body=body):
                return self._terms(body)
            case _:
                return {}


def _times(trips: int, terms: Mapping[str, int]) -> dict[str, int]:
    return {local: min(UNBOUNDED, trips * n) for local, n in terms.items() if trips}


def _lost(sums: _Sums) -> list[str]:
    return [low for low in sums.values() if low is not None]


def _sorted(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


def _read(local: str) -> Expr:
    return Read(local, ())


def _ends_with_parts(step: Staged, length: int) -> bool:
    """Whether blocks of so many values end where parts do."""
    if len(step.range.lows) != 1 or length % step.count:
        return False
    begins, divisor = step.range.lows[0]
    numbers = (begins.constant, *(c for _, c in begins.terms))
    return divisor == 1 and all(n % step.count == 0 for n in numbers)


def _runs(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Each step by itself, but all parts of a loop together."""
    run: list[Step] = []
    for step in steps:
        if run and not _goes_on(run[-1], step):
            yield run
            run = []
        run.append(step)
    if run:
        yield run


def _goes_on(before: Step, step: Step) -> bool:
    """Whether both are parts of a loop, of which the second begins behind the first."""
    if not (isinstance(before, Loop) and isinstance(step, Loop)):
        return False
    if step.whole is None or step.whole != before.whole:
        return False
    return any(Bound(e + 1) in step.range.lows for e, c in before.range.highs if c == 1)


def _cut(loop: _Loop, first: Affine, length: int) -> _Loop:
    """The loop's values among so many of a block."""
    lows = (*(b for b in loop.range.lows if not _is_begin(b, length)), Bound(first))
    highs = (*loop.range.highs, Bound(first + (length - 1)))
    inner = replace(loop, range=Range(loop.range.index, lows, highs))
    if isinstance(inner, Loop) and inner.whole is None and lows == (Bound(first),):
        inner = replace(inner, never_empty=True)
    return inner


def _is_begin(bound: Bound, length: int) -> bool:
    """Whether the bound is the first value of a block, so that no other block reaches beyond it."""
    form, c = bound
    return form.is_constant and c == 1 and form.constant % length == 0


def _reduced(form: Affine, c: int, *, up: bool) -> Bound:
    """The bound as an integer, if it is one."""
    if not form.is_constant:
        return Bound(form, c)
    return Bound(constant(-(-form.constant // c) if up else form.constant // c))


def _renamed(step: Step, others: Mapping[str, str]) -> Step:
    """The step adding to other locals."""
    match step:
        case Accumulate(local) if local in others:
            step = replace(step, local=others[local])
        case Strips() | LaneSums() | Chunks() | TeamSums() if any(
            s in others for s, _ in step.sums
        ):
            step = replace(step, sums=tuple((others.get(s, s), op) for s, op in step.sums))
        case _:
            pass
    return map_bodies(step, lambda steps: (_renamed(s, others) for s in steps))
