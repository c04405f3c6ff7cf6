"""The program of a block: the statements of a program with offsets, over a box whose place and extents are sizes.

`i` becomes `i + o`, a tensor the slice of it that the block reads, with an offset of its own, and the extents of the whole
stay as sizes: boundary forms, conditions and bounds mean what they meant. One text serves all blocks of a tensor.

    y[i: P-2] = sum{r: 3} x[i+r]*w[r]      becomes      y[i: n_0] = sum{r=0..2} x[i + r]*w[r],  x[n_0 + 2], w[3]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from tadc.blocks.boxes import Box, Interval, smallest_box
from tadc.blocks.far import with_far_reads_apart
from tadc.blocks.footprints import (
    Footprint,
    PlacedRead,
    footprints,
    hoisted_reads,
    placed_reads,
)
from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Determined, Domain, Looked, at_least_zero, between
from tadc.ir.expr import Const, Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder, rewrite, substitute

__all__ = [
    "Blocked",
    "PlacedBlock",
    "at_places_of_whole",
    "blocked",
    "first_value",
    "without_idle_sizes",
]

FEW = 8  # elements at most of a dimension that is taken whole rather than by an offset and an extent of its own


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a dimension of a tensor that a block has: forms of sizes.

    `is_own`: both are sizes made for it, whose numbers a footprint gives.
    """

    offset: Affine
    extent: Affine
    is_own: bool = False

    def at(self, sizes: Mapping[Symbol, int]) -> Interval:
        low = self.offset.at(sizes)
        return low, low + self.extent.at(sizes)


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block at a place: the numbers of all sizes, the box of each input and its tensor, and what it reads of them."""

    sizes: Mapping[Symbol, int]
    boxes: Mapping[str, Box]
    tensors: Mapping[str, str]
    footprints: Mapping[str, Footprint]


@dataclass(frozen=True, slots=True)
class Blocked:
    """The program of a block of `target`, and the windows of all tensors in it.

    `offsets` and `extents` are the sizes that say where the block is: of the target's dimensions `dimensions`, then of the
    indices `split`, whose offsets count from `firsts`. Of other dimensions the block has the whole. `parts` are the inputs
    that are further parts of a tensor, with the tensor; `whole` has them too.
    """

    program: Program
    whole: Program
    target: str
    dimensions: tuple[int, ...]
    split: tuple[Symbol, ...]
    through: tuple[str, ...]
    offsets: tuple[Symbol, ...]
    extents: tuple[Symbol, ...]
    firsts: tuple[Affine, ...]
    windows: Mapping[str, tuple[Window, ...]]
    parts: Mapping[str, str]

    @property
    def tensors(self) -> dict[str, str]:
        """The inputs of the block, in order, with the tensors of the whole that they are parts of."""
        return {t.name: self.parts.get(t.name, t.name) for t in self.program.inputs}

    def at(self, box: Box, cut: Box, sizes: Mapping[Symbol, int], dtype: str) -> PlacedBlock:
        """The block over this box of the target, and over these parts of the indices `split`.

        `sizes` are those of the whole program. Of a tensor that it does not read there is one element in dimensions with sizes of
        their own.
        """
        values = dict(sizes)
        own = [(box[d], 0) for d in self.dimensions]
        own += [(part, f.at(sizes)) for part, f in zip(cut, self.firsts, strict=True)]
        for o, n, ((low, high), first) in zip(self.offsets, self.extents, own, strict=True):
            values[o], values[n] = low - first, high - low

        def over(tensor: str, reads: Collection[Box]) -> Box:
            around = smallest_box(tuple(reads)) if reads else None
            for d, w in enumerate(self.windows[tensor]):
                if w.is_own:
                    low, high = around[d] if around is not None else (0, 1)
                    values[w.offset.symbols[0]], values[w.extent.symbols[0]] = low, high - low
            return tuple(w.at(values) for w in self.windows[tensor])

        inside = {t: over for t in self.through if t in self.windows}
        found = footprints(
            self.whole,
            self.target,
            box,
            sizes,
            dtype,
            through=inside,
            cut=dict(zip(self.split, cut, strict=True)),
            reads=hoisted_reads,
        )
        inputs = (t.name for t in self.program.inputs)
        boxes = {t: over(t, found[t].boxes if t in found else ()) for t in inputs}
        return PlacedBlock(values, boxes, self.tensors, found)


def blocked(
    program: Program,
    target: str,
    whole: Collection[int],
    split: Sequence[Symbol],
    through: Collection[str],
    names: Names,
) -> Blocked:
    """The program of a block of `target`, with parts of the reduction indices `split`, and with the statements of `through` inside.

    Its blocks have the dimensions `whole` of the target from end to end. The body of the target's statement is a reduction
    over the indices `split`, if there are any.
    """
    return _Blocking(program, target, whole, tuple(split), tuple(through), names).result()


def at_places_of_whole(block: Blocked) -> Program:
    """The program of a block whose parts of the reduction have the indices of the whole: `sum{k=ro..ro+rn-1}`.

    What is aligned to values of an index is at the same places then.
    """
    rank = len(block.dimensions)
    firsts = zip(block.split, block.firsts, block.offsets[rank:], strict=True)
    moves = {k: symbol(k) - first - symbol(o) for k, first, o in firsts}

    def moved(s: Statement) -> Statement:
        if s.target.name != block.target:
            return s
        assert isinstance(s.body, Reduce), "parts are of reductions"
        derived = tuple(d.substitute(moves) for d in s.body.derived)
        domain, terms = s.body.domain.substitute(moves), substitute(s.body.body, moves)
        return replace(s, body=Reduce(s.body.op, s.body.indices, derived, domain, terms))

    return replace(block.program, statements=tuple(map(moved, block.program.statements)))


def first_value(program: Program, statement: Statement, index: Symbol) -> Affine:
    """The value that parts of a reduction's index are counted from, since offsets are not negative: its lower bound over the
    whole target where that may be below 0, and else 0.
    """
    assert isinstance(statement.body, Reduce), "parts are of reductions"
    last = {i: n - 1 for i, n in zip(statement.indices, statement.target.shape, strict=True)}
    for condition in statement.body.domain:
        if condition.relation == ">=" and condition.form.coefficient(index) == 1:
            low = symbol(index) - condition.form
            ends = {i: n if low.coefficient(i) < 0 else constant(0) for i, n in last.items()}
            low = low.substitute(ends)
            below = low.constant < 0 or any(c < 0 for _, c in low.terms)
            if below and all(s in program.parameters for s in low.symbols):
                return low
    return constant(0)


def without_idle_sizes(program: Program) -> Program:
    """A program of a block without the sizes that occur nowhere, and the requirements of them, nor those that say no more than that an offset is one.

    Sums that go as far as an offset says keep what says how large it may be: a long sum is added up in another order.
    """
    tensors = program.tensors.values()
    forms = (form for t in tensors for form in (*t.shape, *(t.values or ())))
    used = {s for form in forms for s in form.symbols}
    for s in program.statements:
        used |= s.body.symbols.union(*(d.symbols for d in s.derived))
    sums = (e for s in program.statements for e in postorder(s.body) if isinstance(e, Reduce))
    ends = {s for e in sums for s in e.domain.symbols} & program.offsets
    for c in program.facts:
        if not ends.isdisjoint(c.form.symbols):
            used |= {*c.form.symbols}
    derived = []
    for d in reversed(program.derived_sizes):
        if d.name in used:
            derived.append(d)
            used |= {s for form in d.forms for s in form.symbols}
    plain = {at_least_zero(symbol(o)) for o in program.offsets}
    required = (c for c in program.requirements if c not in plain)
    kept = [c for c in required if used.issuperset(c.form.symbols)]
    facts = [c for c in program.facts if used.issuperset(c.form.symbols)]
    return replace(
        program,
        sizes=tuple(s for s in program.sizes if s in used),
        derived_sizes=tuple(reversed(derived)),
        offsets=program.offsets & used,
        facts=Domain.of(facts),
        requirements=Domain.of(kept),
    )


class _Blocking:
    """The windows of tensors, from the target backwards: a tensor's follow from the reads of the statements after it."""

    def __init__(
        self,
        program: Program,
        target: str,
        whole: Collection[int],
        split: tuple[Symbol, ...],
        through: tuple[str, ...],
        names: Names,
    ) -> None:
        self.whole, self.parts = with_far_reads_apart(program, {target, *through}, names)
        self.target = target
        self.split = split
        self.through = through
        self.names = names
        statement = program.definitions[target]
        rank = len(statement.indices)
        self.dimensions = tuple(d for d in range(rank) if d not in whole)
        self.firsts = tuple(first_value(program, statement, k) for k in split)
        self.offsets = [names.derivative(f"o_{d}") for d in self.dimensions]
        self.extents = [names.derivative(f"n_{d}") for d in self.dimensions]
        self.offsets += [names.derivative(f"ro_{k}") for k in range(len(split))]
        self.extents += [names.derivative(f"rn_{k}") for k in range(len(split))]
        self.sizes: list[Symbol] = [*self.offsets, *self.extents]
        self.own_offsets: set[Symbol] = set(self.offsets)
        self.box_indices: set[Symbol] = set()  # of all statements of the block
        self.required: list[Condition] = []
        self.windows: dict[str, tuple[Window, ...]] = {}
        self.reads: dict[str, list[PlacedRead]] = {}

    def result(self) -> Blocked:
        statements: list[Statement] = []
        for s in reversed(self.whole.statements):
            name = s.target.name
            if name == self.target or (name in self.through and name in self.reads):
                windows = (
                    self._target_windows(s) if name == self.target else self._windows(s.target)
                )
                self.windows[name] = windows
                statements.append(self._moved(s, windows))
        inputs = []
        for tensor in self.whole.tensors.values():
            if tensor.name in self.reads and tensor.name not in self.through:
                self.windows[tensor.name] = self._windows(tensor)
                inputs.append(self._sliced(tensor))
        known = (*self.whole.requirements, *self.whole.facts, *self.required)
        # A fact without a size is one of the whole: it may be false where an extent is 0, and no other tensor depends on it.
        required = Domain.of(c for c in known if c.form.symbols)
        program = replace(
            self.whole,
            sizes=(*self.whole.sizes, *self.sizes),
            inputs=tuple(inputs),
            statements=tuple(map(self._local, reversed(statements))),
            outputs=(self.target,),
            given=(),
            offsets=self.whole.offsets | self.own_offsets,
            facts=required,
            requirements=required,
        )
        del self.windows[self.target]
        return Blocked(
            program,
            self.whole,
            self.target,
            self.dimensions,
            self.split,
            self.through,
            tuple(self.offsets),
            tuple(self.extents),
            self.firsts,
            self.windows,
            self.parts,
        )

    # ------------------------------------------------------------------ windows

    def _target_windows(self, s: Statement) -> tuple[Window, ...]:
        """The windows of the target: where the block is, inside of the whole."""
        windows = [Window(constant(0), extent) for extent in s.target.shape]
        for d, o, n in zip(self.dimensions, self.offsets, self.extents, strict=False):
            windows[d] = Window(symbol(o), symbol(n))
            self.required.append(at_least_zero(s.target.shape[d] - symbol(o) - symbol(n)))
        return tuple(windows)

    def _windows(self, tensor: Tensor) -> tuple[Window, ...]:
        return tuple(self._window(tensor, d) for d in range(len(tensor.shape)))

    def _window(self, tensor: Tensor, dimension: int) -> Window:
        """What all reads of the dimension pass over, as a form; else the whole where that is short; else sizes of its own."""
        is_computed = tensor.name in self.through
        reads = self.reads[tensor.name]
        passed = {self._ends(r.read.subscripts[dimension], r.domain) for r in reads}
        if is_computed and not all(map(self._is_evaluated, reads)):
            passed = {None}
        if any(r.data & {*r.read.subscripts[dimension].symbols} for r in reads):
            return Window(constant(0), tensor.shape[dimension])  # data lead anywhere
        if len(passed) == 1 and (ends := passed.pop()) is not None:
            low, high = ends
            if self._is_extent(high - low + 1):
                return Window(low, high - low + 1)
        extent = tensor.shape[dimension]
        if extent.is_constant and extent.constant <= FEW and not is_computed:
            return Window(constant(0), extent)
        o = self.names.derivative(f"{tensor.name}_o{dimension}")
        n = self.names.derivative(f"{tensor.name}_n{dimension}")
        self.sizes += [o, n]
        self.own_offsets.add(o)
        self.required.append(at_least_zero(extent - symbol(o) - symbol(n)))
        return Window(symbol(o), symbol(n), is_own=True)

    def _ends(self, form: Affine, domain: Domain) -> tuple[Affine, Affine] | None:
        """The smallest and the largest value, where each index in the form has a lower and an upper bound of sizes, and nothing else.

        Then all values between these are reached whatever the sizes are.
        """
        low = high = form
        for s, c in form.terms:
            if self._is_size(s):
                continue
            bounds = self._bounds(s, domain)
            if bounds is None:
                return None
            first, last = bounds if c > 0 else bounds[::-1]
            low, high = low.substitute({s: first}), high.substitute({s: last})
        return low, high

    def _is_extent(self, form: Affine) -> bool:
        """Whether it is at least 1 for all blocks: what is read under conditions that some sizes exclude is not."""
        if form.is_constant:
            return form.constant >= 1
        return implies(self._known, at_least_zero(form - 1))

    @property
    def _known(self) -> Domain:
        """What holds of the sizes of every block."""
        own = (symbol(s) if s in self.own_offsets else symbol(s) - 1 for s in self.sizes)
        return self.whole.known & Domain.of((*map(at_least_zero, own), *self.required))

    def _is_evaluated(self, placed: PlacedRead) -> bool:
        """Whether the read is evaluated if only the range of each index in it has a value: nothing else is asked.

        An intermediate is computed over its window in any case, which has to be a part of the tensor then.
        """
        passed = {s for form in placed.read.subscripts for s in form.symbols}
        for condition in placed.domain:
            indices = [s for s in condition.form.symbols if not self._is_size(s)]
            if len(indices) != 1 or indices[0] not in passed | self.box_indices:
                return False
        return True

    def _bounds(self, index: Symbol, domain: Domain) -> tuple[Affine, Affine] | None:
        lows: list[Affine] = []
        highs: list[Affine] = []
        for condition in domain:
            c = condition.form.coefficient(index)
            if not c:
                continue
            rest = condition.form - c * symbol(index)
            if (
                condition.relation != ">="
                or abs(c) != 1
                or not all(map(self._is_size, rest.symbols))
            ):
                return None
            (lows if c > 0 else highs).append(-c * rest)
        return (lows[0], highs[0]) if len(lows) == len(highs) == 1 else None

    def _is_size(self, s: Symbol) -> bool:
        return s in self.sizes or s in self.whole.parameters

    # ------------------------------------------------------------------ statements

    def _moved(self, s: Statement, windows: Sequence[Window]) -> Statement:
        """The statement over its window, its reads still in places of the whole; these reads are noted."""
        moves = {i: symbol(i) + w.offset for i, w in zip(s.indices, windows, strict=True)}
        body = substitute(s.body, moves)
        if s.target.name == self.target and self.split:
            body = self._cut(body)
        shape = tuple(w.extent for w in windows)
        derived = tuple(d.substitute(moves) for d in s.derived)
        moved = Statement(replace(s.target, shape=shape), s.indices, derived, body)
        self.box_indices |= {*s.indices}
        for placed, hoisted in zip(
            placed_reads(body, moved.box, derived),
            hoisted_reads(body, moved.box, derived),
            strict=True,
        ):
            of_tensor = self.reads.setdefault(placed.read.tensor, [])
            of_tensor.append(hoisted if self._is_in_bounds(hoisted, placed) else placed)
        return moved

    def _is_in_bounds(self, hoisted: PlacedRead, placed: PlacedRead) -> bool:
        """Whether the read may be evaluated where it is hoisted to: then it is, if it is in a call of the whole."""
        if hoisted.domain == placed.domain:
            return True
        shape = self.whole.tensors[placed.read.tensor].shape
        pairs = zip(hoisted.read.subscripts, shape, strict=True)
        bounds = (c for form, n in pairs for c in between(0, form, n - 1))
        return all(implies(self._known & hoisted.domain, c) for c in bounds)

    def _cut(self, body: Expr) -> Expr:
        """The part of the reduction, its indices counted from the beginning of the part."""
        assert isinstance(body, Reduce), "parts are of reductions"
        rank = len(self.dimensions)
        conditions, moves = list(body.domain), {}
        sizes = zip(self.offsets[rank:], self.extents[rank:], strict=True)
        for k, lowest, (o, n) in zip(self.split, self.firsts, sizes, strict=True):
            first = lowest + symbol(o)
            last = first + symbol(n) - 1
            moves[k] = symbol(k) + first
            bounds = [c for c in conditions if self._is_bound(c, k)]
            self.required += (self._at_end(c, k, first, last) for c in bounds)
            conditions = [c for c in conditions if c not in bounds]
            conditions += between(first, symbol(k), last)
        domain = Domain.of(conditions)
        derived = tuple(d.substitute(moves) for d in body.derived)
        terms = substitute(body.body, moves)
        return Reduce(body.op, body.indices, derived, domain.substitute(moves), terms)

    def _is_bound(self, condition: Condition, index: Symbol) -> bool:
        """Whether it is a bound of the index by sizes: a part lies inside of it, which need not be tested then."""
        others = [s for s in condition.form.symbols if s != index]
        return (
            condition.relation == ">="
            and condition.form.coefficient(index) != 0
            and all(map(self._is_size, others))
        )

    def _at_end(
        self, condition: Condition, index: Symbol, first: Affine, last: Affine
    ) -> Condition:
        """The bound at the end of the part that is nearest to it."""
        c = condition.form.coefficient(index)
        return at_least_zero(condition.form.substitute({index: first if c > 0 else last}))

    def _local(self, s: Statement) -> Statement:
        """The statement with its reads in places of the windows."""

        def local(e: Expr) -> Expr:
            match e:
                case Reduce(op, indices, derived, domain, body) if derived:
                    return Reduce(op, indices, tuple(map(self._looked, derived)), domain, body)
                case Read(tensor, _) if tensor not in self.windows:
                    return Const(0.0)  # nothing of it is evaluated over these windows
                case Read(tensor, subscripts):
                    return Read(tensor, self._in_window(tensor, subscripts))
                case _:
                    return e

        derived = tuple(map(self._looked, s.derived))
        return replace(s, derived=derived, body=rewrite(s.body, local))

    def _looked(self, d: Determined) -> Determined:
        """The derived index, its place in the window if it is an element of a tensor."""
        if not isinstance(d, Looked):
            return d
        return replace(d, subscripts=self._in_window(d.tensor, d.subscripts))

    def _in_window(self, tensor: str, subscripts: Sequence[Affine]) -> tuple[Affine, ...]:
        pairs = zip(subscripts, self.windows[tensor], strict=True)
        return tuple(form - w.offset for form, w in pairs)

    def _sliced(self, tensor: Tensor) -> Tensor:
        return replace(tensor, shape=tuple(w.extent for w in self.windows[tensor.name]))
