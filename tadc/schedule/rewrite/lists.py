"""Sums over what data lead to an element, as loops over lists: `sum{e | k[e] = b}` runs over the positions where `k` holds `b`.

A list of an index tensor is two or more tensors of indices: the positions sorted by their elements, a tensor for each
dimension, and where those of each key begin. `sum{e | k[e] = b} f(e)` becomes

    sum{t = 0 .. k_ptr[b+1]-k_ptr[b]-1} f(k_perm[k_ptr[b] + t])

and the rows of a ragged sum, `ptr[i] <= e < ptr[i+1]` with `e` known, are found in the same way. Where `b` is an element of another
index tensor, keys are the distinct elements (`matches.py`). The program that comes of it
has these tensors as further inputs, which are built before it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.bounds import bounded
from tadc.ir.domain import (
    EMPTY,
    Condition,
    Derived,
    Determined,
    Domain,
    Looked,
    at_least_zero,
    between,
    equals_zero,
)
from tadc.ir.element_types import INDEX, NARROW_INDEX
from tadc.ir.expr import NEUTRAL, Const, Expr, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import Entered, postorder, rewrite_in, substitute
from tadc.normalize.reductions import extents_around_body, extents_in_body
from tadc.schedule.rewrite.factor import without_factors
from tadc.schedule.rewrite.matches import Match, Wanted, wanted_element
from tadc.schedule.rewrite.pieces import (
    ListLoop,
    Pieces,
    can_be_cut,
    in_pieces,
    with_short_lists,
)
from tadc.schedule.rewrite.rows import always

__all__ = [
    "Companion",
    "Facts",
    "Key",
    "Listed",
    "Rows",
    "SortedList",
    "ends_of_rows",
    "has_data",
    "in_32_bits",
    "listed",
    "looked_up",
    "narrow_tensor",
    "safely_loaded",
]

Extents = tuple[tuple[Symbol, Affine], ...]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a list: the elements of `tensor` from `low` to `high`, both affine in the sizes; or the places in a `dimension` of it;
    or the numbers of its `distinct` elements, one for each of the `positions`, and one more.
    """

    tensor: str
    low: Affine
    high: Affine
    dimension: int | None = None
    distinct: bool = False

    def count_at(self, sizes: Mapping[Symbol, int], positions: int) -> int:
        """How many keys there are."""
        return positions + 1 if self.distinct else max(1, (self.high - self.low + 1).at(sizes))

    def __str__(self) -> str:
        if self.distinct:
            return f"{self.tensor} has each of its elements"
        what = (
            self.tensor
            if self.dimension is None
            else f"dimension {self.dimension} of {self.tensor}"
        )
        return f"{what} = {self.low}..{self.high}"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the lists of a call: it chooses a schedule, and changes no bits of sums that are in pieces.

    `short`: no list has more than PIECE positions; else long ones are cut into pieces, statements of their own. `single`: no element
    is in several rows.
    """

    short: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True)
class SortedList:
    """The positions of index tensors of one shape, sorted by their elements, those of equal keys ascending.

    `begin` has a dimension for each key, the last one longer by one: the keys' numbers from their `low`. `positions` has
    for each dimension of the tensors the place of every position in it; `count` is the size that they all have.
    """

    keys: tuple[Key, ...]
    begin: Tensor
    positions: tuple[Tensor, ...]
    counts: tuple[Symbol, ...]  # of the keys, each a size
    count: Symbol
    pieces: Pieces | None = None
    matches: tuple[Match, ...] = ()  # of a list by distinct elements

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        pieces = self.pieces.tensors if self.pieces else ()
        return (self.begin, *self.positions, *pieces, *(m.tensor for m in self.matches))

    @property
    def sizes(self) -> tuple[Symbol, ...]:
        pieces = (self.pieces.count,) if self.pieces else ()
        return (*self.counts, self.count, *pieces)

    @property
    def of(self) -> tuple[str, ...]:
        """The index tensors that it is made from."""
        return tuple(key.tensor for key in self.keys if key.dimension is None)

    @property
    def is_distinct(self) -> bool:
        """Whether its key are the distinct elements of a tensor."""
        return self.keys[0].distinct


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that hold each element: row `i` is `first[i] .. last[i]`, both affine in elements of index tensors.

    `low` and `high` give these for the row `index`, of which there are `extent`; elements are 0..`elements`-1.
    Where each element is in one row at most there may be only that row of it, `row`, or -1.
    """

    index: Symbol
    extent: Affine
    low: tuple[Looked, int]
    high: tuple[Looked, int]
    elements: Affine
    begin: Tensor
    positions: tuple[Tensor, ...]
    counts: tuple[Symbol, ...]
    count: Symbol
    row: Tensor | None = None

    @property
    def is_apart(self) -> bool:
        """Whether the ends are those of consecutive rows, `ptr[i]` and `ptr[i + 1]`, which do not overlap where they ascend."""
        return self.low[0].tensor == self.high[0].tensor

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return (self.row,) if self.row else (self.begin, *self.positions)

    @property
    def sizes(self) -> tuple[Symbol, ...]:
        return () if self.row else (*self.counts, self.count)

    @property
    def of(self) -> tuple[str, ...]:
        """The index tensors that it is made from."""
        return tuple(dict.fromkeys((self.low[0].tensor, self.high[0].tensor)))


@dataclass(frozen=True, slots=True)
class Companion:
    """The elements of the tensor `of`, an index tensor or the rows of elements, in the order of the list that begins at `begin`."""

    tensor: Tensor
    of: str
    begin: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A program whose last inputs are the tensors of `lists` and their companions, in order; its last sizes are those of the lists.

    `tested` has statements with sums that no list shortens, by name, and how many points are tried for each element.
    """

    program: Program
    lists: tuple[SortedList | Rows, ...]
    tested: Mapping[str, str]
    companions: tuple[Companion, ...] = ()

    @property
    def size_texts(self) -> dict[Symbol, str]:
        """What `sizes_at` has, as text in the sizes of the program."""
        found: dict[Symbol, str] = {}
        for each in self.lists:
            if isinstance(each, Rows):
                elements = _factor(each.elements)
                pairs = elements if each.is_apart else f"{_factor(each.extent)}*{elements}"
                found |= dict.fromkeys(each.counts, elements) | {each.count: pairs}
                continue
            positions = "*".join(map(_factor, self.program.tensors[each.of[0]].shape)) or "1"
            spans = (
                f"({positions} + 1)" if key.distinct else _factor(key.high - key.low + 1)
                for key in each.keys
            )
            found |= dict(zip(each.counts, spans, strict=True))
            found[each.count] = positions
        return found

    def sizes_at(self, sizes: Mapping[Symbol, int], pairs: int | None = None) -> dict[Symbol, int]:
        """The most that the sizes of lists may be for these values of all others, without long lists; as if ends of rows ascended.

        Other windows have `pairs` elements together, if that is a number.
        """
        found: dict[Symbol, int] = {}
        for each in self.lists:
            if isinstance(each, Rows):
                elements = max(1, each.elements.at(sizes))
                most = elements * max(1, each.extent.at(sizes)) if pairs is None else pairs
                count = elements if each.is_apart else max(1, most)
                found |= dict.fromkeys(each.counts, elements) | {each.count: count}
                continue
            positions = prod(n.at(sizes) for n in self.program.tensors[each.of[0]].shape)
            counts = (*(key.count_at(sizes, positions) for key in each.keys), max(1, positions))
            found |= dict(zip(each.sizes, counts, strict=True))
        return found


def _factor(form: Affine) -> str:
    return str(form) if form.is_atom else f"({form})"


def has_data(program: Program) -> bool:
    """Whether an index of the program is an element of a tensor."""
    return any(isinstance(d, Looked) for d in _determined(program))


def looked_up(program: Program) -> frozenset[str]:
    """The tensors whose elements are indices of the program."""
    return frozenset(d.tensor for d in _determined(program) if isinstance(d, Looked))


def ends_of_rows(program: Program) -> frozenset[str]:
    """The tensors that are looked up at neighbours, as the ends of rows are: `ptr[i]` and `ptr[i + 1]`."""
    found: dict[tuple[str, object], set[object]] = {}
    for d in _determined(program):
        if isinstance(d, Looked) and len(d.subscripts) == 1:
            (form,) = d.subscripts
            found.setdefault((d.tensor, form.terms), set()).add(form.constant)
    return frozenset(tensor for (tensor, _), places in found.items() if len(places) > 1)


def _determined(program: Program) -> Iterator[Determined]:
    for s in program.statements:
        yield from s.derived
        for e in postorder(s.body):
            if isinstance(e, Reduce):
                yield from e.derived


def listed(program: Program, facts: Facts | None = None) -> Listed:
    """The program with lists where data are equal to what is known, and with data that are loaded safely.

    Without `facts` a list is one loop, and sums over it are as any others.
    """
    lists = _Lists(program, Names((*program.tensors, *program.symbols)), facts)
    statements = tuple(s for each in program.statements for s in lists.statement(each))
    made = tuple(lists.made.values())
    program = replace(
        program,
        sizes=(*program.sizes, *(s for each in made for s in each.sizes)),
        inputs=(*program.inputs, *(t for each in made for t in each.tensors)),
        statements=statements,
    )
    return Listed(safely_loaded(program), made, lists.tested)


def safely_loaded(program: Program) -> Program:
    """The program with data that are loaded safely: where subscripts are outside, an element near by."""
    safe = tuple(_with_safe_loads(s, program) for s in program.statements)
    return replace(program, statements=safe)


def in_32_bits(program: Program) -> Program:
    """The program with index tensors of 32 bits: half the memory to read."""
    return replace(program, inputs=tuple(map(narrow_tensor, program.inputs)))


def narrow_tensor(t: Tensor) -> Tensor:
    """The tensor with elements of 32 bits, if it is one of indices."""
    return replace(t, dtype=NARROW_INDEX) if t.dtype == INDEX else t


@dataclass(slots=True)
class _Lists:
    program: Program
    names: Names
    facts: Facts | None
    made: dict[object, SortedList | Rows] = field(default_factory=dict)
    tested: dict[str, str] = field(default_factory=dict)

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        """The statement with lists, after those that compute sums of pieces for it."""
        sizes = set(self.program.parameters)
        around = _Around(tuple(s.extents.items()), _looked(s.derived))
        pieces: list[Statement] = []
        whole = set(always(s.body))
        known = self.program.known & s.box

        def enter(e: Expr, around: _Around) -> Entered[_Around]:
            if not isinstance(e, Reduce):
                return e, [around] * len(e.operands)
            inner = tuple(extents_in_body(e, dict(around.extents), sizes).items())
            return e, [_Around(inner, (*around.loaded, *_looked(e.derived)))]

        def rule(e: Expr, around: _Around) -> Expr:
            if not isinstance(e, Reduce) or not any(isinstance(d, Looked) for d in e.derived):
                return e
            loops = _Loops(self, dict(around.extents), e, s.target.name, list(around.loaded))
            reduced = loops.reduce()
            if reduced.domain == EMPTY:
                return Const(NEUTRAL[e.op])  # equations that no data meet
            reduce_, scaled = without_factors(reduced, known, self.program.tensors)
            if self.facts is None:
                return scaled(reduce_)
            if e not in whole or len(loops.over) != 1:
                return scaled(_from_own_start(reduce_, self.names))
            (loop,) = loops.over
            if not can_be_cut(reduce_, loop, s):
                return scaled(_from_own_start(reduce_, self.names))
            if self.facts.short:
                return scaled(with_short_lists(reduce_, loop))
            piece, total = in_pieces(s, reduce_, loop, self._pieces(loop), self.names)
            pieces.append(piece)
            return scaled(total)

        body = rewrite_in(s.body, around, enter, rule)
        return *pieces, replace(s, body=body)

    def _pieces(self, loop: ListLoop) -> Pieces:
        """The pieces of the list of a loop."""
        key, made = next(
            (k, m)
            for k, m in self.made.items()
            if isinstance(m, SortedList) and m.begin == loop.begin
        )
        if made.pieces is None:
            made = replace(made, pieces=Pieces.of(made.begin, len(made.keys), self.names))
            self.made[key] = made
        assert made.pieces is not None
        return made.pieces

    def sorted_by(self, keys: tuple[Key, ...], rank: int) -> SortedList:
        def new() -> SortedList:
            name = "_".join(key.tensor for key in keys if key.dimension is None)
            counts = tuple(self.names.fresh(f"{key.tensor}_keys") for key in keys)
            count = self.names.fresh(f"{name}_positions")
            shape = [symbol(n) for n in counts]
            shape[-1] = shape[-1] + 1
            begin = Tensor(self.names.fresh(f"{name}_ptr"), tuple(shape), INDEX)
            return SortedList(keys, begin, self._positions(name, rank, count), counts, count)

        return self._kept(keys, new)

    def rows(
        self,
        index: Symbol,
        extent: Affine,
        low: tuple[Looked, int],
        high: tuple[Looked, int],
        elements: Affine,
    ) -> Rows:
        def new() -> Rows:
            name = f"{low[0].tensor}_rows"
            keys, count = self.names.fresh(f"{name}_keys"), self.names.fresh(f"{name}_positions")
            begin = Tensor(self.names.fresh(f"{name}_ptr"), (symbol(keys) + 1,), INDEX)
            positions = self._positions(name, 1, count)
            row = Tensor(self.names.fresh(f"{low[0].tensor}_row"), (elements,), INDEX)
            single = row if self.facts is not None and self.facts.single else None
            return Rows(
                index, extent, low, high, elements, begin, positions, (keys,), count, single
            )

        def plain(end: tuple[Looked, int]) -> object:
            d, more = end
            return d.substitute({index: symbol("'row")}, ""), more

        return self._kept((extent, plain(low), plain(high), elements), new)

    def _positions(self, name: str, rank: int, count: Symbol) -> tuple[Tensor, ...]:
        return tuple(
            Tensor(self.names.fresh(f"{name}_perm"), (symbol(count),), INDEX) for _ in range(rank)
        )

    def _kept(self, key: object, new):  # type: ignore[no-untyped-def]
        if key not in self.made:
            self.made[key] = new()
        return self.made[key]

    def matched_by(self, tensor: str, rank: int, wanted: Wanted) -> tuple[SortedList, Tensor]:
        """The list by the distinct elements of a tensor, and the keys of elements of another one in it."""
        key = Key(tensor, constant(0), constant(0), distinct=True)
        made = self.sorted_by((key,), rank)
        of, form = wanted.data.tensor, wanted.of_element
        for m in made.matches:
            if (m.of, m.form, m.divisor) == (of, form, wanted.divisor):
                return made, m.tensor
        shape = self.program.tensors[of].shape
        match = Tensor(self.names.fresh(f"{of}_in_{tensor}"), shape, INDEX)
        matches = (*made.matches, Match(match, of, form, wanted.divisor))
        self.made[(key,)] = made = replace(made, matches=matches)
        return made, match


@dataclass(frozen=True, slots=True)
class _Around:
    """What is known around an expression: extents of indices, and data indices."""

    extents: Extents
    loaded: tuple[Looked, ...]


def _looked(derived: Iterable[Determined]) -> tuple[Looked, ...]:
    return tuple(d for d in derived if isinstance(d, Looked))


@dataclass(slots=True)
class _Loops:
    """The loops of one reduction: `known` are the extents of the symbols that are known in them so far, `loaded` the data indices
    around it.
    """

    lists: _Lists
    known: dict[Symbol, Affine]
    reduce_: Reduce
    statement: str
    loaded: list[Looked]
    indices: list[Symbol] = field(default_factory=list)  # of loops over lists
    over: list[ListLoop] = field(default_factory=list)  # one key of each
    derived: list[Determined] = field(default_factory=list)  # known in these loops
    conditions: list[Condition] = field(default_factory=list)  # of them

    def reduce(self) -> Reduce:
        e = self.reduce_
        free = list(e.indices)
        waiting = list(e.derived)
        domain, body = e.domain, e.body
        while True:
            step = (
                self._list(free, waiting, domain)
                or self._rows(free, waiting, domain)
                or self._matches(free, waiting, domain)
            )
            if step is None:
                break
            values, gone, domain = step
            domain = domain.substitute(values)
            body = substitute(body, values)
            waiting = [d.substitute(values) for d in waiting if d.name not in gone]
            free = [i for i in free if i not in gone]
        if free and any(self._is_test(c, free, waiting) for c in domain):
            extents = extents_around_body(e, self.known, set(self.lists.program.parameters))
            # Of a range that data end nothing is said but its index.
            points = (_factor(extents[i]) if i in extents else i for i in free)
            self.lists.tested[self.statement] = "*".join(points)
        if not self.indices and not self.derived:
            return e
        return Reduce(
            e.op,
            (*self.indices, *free),
            (*self.derived, *waiting),
            domain & Domain.of(self.conditions),
            body,
        )

    def _is_test(self, c: Condition, free: list[Symbol], waiting: list[Determined]) -> bool:
        """Whether the condition selects points by data: it is an equation, or compares data of the points with what is known."""
        data = {d.name for d in waiting if isinstance(d, Looked)}
        if c.relation == "==":
            return not data.isdisjoint(c.form.symbols)
        of_points = set(free)
        for d in waiting:
            if not of_points.isdisjoint(d.symbols):
                of_points.add(d.name)
        outer = set(c.form.symbols) - of_points - set(self.lists.program.parameters)
        return bool(outer) and not (of_points & data).isdisjoint(c.form.symbols)

    # ------------------------------------------------------------------ lists

    def _list(
        self, free: list[Symbol], waiting: list[Determined], domain: Domain
    ) -> tuple[Mapping[Symbol, Affine], set[Symbol], Domain] | None:
        """A loop over a list: the values of symbols in it, the symbols that it makes known, and the conditions left."""
        for d in waiting:
            if not isinstance(d, Looked) or not self._is_listable(d, free, waiting):
                continue
            interval = self._interval(d, domain)
            if interval is None:
                continue
            chosen, low, high, used = interval
            others = [
                (o, i)
                for o in waiting
                if isinstance(o, Looked) and o is not d and o.subscripts == d.subscripts
                if (i := self._interval(o, domain)) is not None
                and i[1] == i[2]
                and i[1][1] == 1  # not a multiple of it
                and chosen == "equal"
                and set(i[1][0].symbols).isdisjoint(low[0].symbols)
                and i[1][0].as_symbol() is not None
            ][:1]
            return self._over_list(d, low, high, used, others, free, waiting, domain)
        return None

    def _is_listable(self, d: Looked, free: list[Symbol], waiting: list[Determined]) -> bool:
        """Whether its subscripts are different symbols that are not known yet, but for some that are known."""
        names = [f.as_symbol() for f in d.subscripts if not self._is_known_place(f)]
        open_ = {*free, *(o.name for o in waiting if isinstance(o, Looked))}
        return bool(names) and len(set(names)) == len(names) and open_.issuperset(names)

    def _is_known_place(self, form: Affine) -> bool:
        """Whether a subscript is an index that is known, or the sizes alone."""
        return all(map(self._is_known, form.symbols))

    def _interval(
        self, d: Looked, domain: Domain
    ) -> tuple[str, tuple[Affine, int], tuple[Affine, int], tuple[Condition, ...]] | None:
        """The least and the greatest value of the data that is wanted, each a form of what is known over a divisor."""
        lows: list[tuple[Affine, int, Condition]] = []
        highs: list[tuple[Affine, int, Condition]] = []
        for c in domain:
            k = c.form.coefficient(d.name)
            rest = c.form - k * symbol(d.name)
            if not k or not rest.symbols or not all(self._is_known(s) for s in rest.symbols):
                continue
            if not any(s in self.known for s in rest.symbols):
                continue  # the sizes alone: all positions, or nearly
            if c.relation == "==":
                form = rest * (-1 if k > 0 else 1)
                return "equal", (form, abs(k)), (form, abs(k)), (c,)
            if c.relation == ">=":
                (lows if k > 0 else highs).append((-rest if k > 0 else rest, abs(k), c))
        for low, k, one in lows:
            for high, m, other in highs:
                if k == m and (high - low).is_constant:
                    return "between", (low, k), (high, m), (one, other)
        return None

    def _is_known(self, s: Symbol) -> bool:
        return s in self.known or s in self.lists.program.parameters

    def _over_list(
        self,
        d: Looked,
        low: tuple[Affine, int],
        high: tuple[Affine, int],
        used: tuple[Condition, ...],
        others: list[
            tuple[Looked, tuple[str, tuple[Affine, int], tuple[Affine, int], tuple[Condition, ...]]]
        ],
        free: list[Symbol],
        waiting: list[Determined],
        domain: Domain,
    ) -> tuple[Mapping[Symbol, Affine], set[Symbol], Domain]:
        first, last = self._rounded(low, up=True), self._rounded(high, up=False)
        keys = [Key(d.tensor, self._least(first), self._greatest(last))]
        at_first, at_last = [first - keys[0].low], [last + 1 - keys[0].low]
        gone = list(used)
        forms = [first if low == high and low[1] == 1 else None]
        for o, (_, (form, _), _, also) in others:
            forms.insert(0, form)
            keys.insert(0, Key(o.tensor, self._least(form), self._greatest(form)))
            at_first.insert(0, form - keys[0].low)
            at_last.insert(0, form - keys[0].low)
            gone += also
        extents = self.lists.program.tensors[d.tensor].shape
        for n, (place, extent) in enumerate(zip(d.subscripts, extents, strict=True)):
            if self._is_known_place(place):
                forms.insert(0, place)
                keys.insert(0, Key(d.tensor, constant(0), extent - 1, n))
                at_first.insert(0, place)
                at_last.insert(0, place)
        made = self.lists.sorted_by(tuple(keys), len(d.subscripts))
        place = self._loop(made.begin, tuple(at_first), tuple(at_last), made.count, forms, keys)
        values, left = self._at_positions(d, made, place, free, gone, domain)
        solved = set(values)
        if low == high and low[1] == 1:
            values[d.name] = low[0]
            solved.add(d.name)
        return values, solved, left

    def _at_positions(
        self,
        d: Looked,
        made: SortedList,
        place: Affine,
        free: list[Symbol],
        gone: Sequence[Condition],
        domain: Domain,
    ) -> tuple[dict[Symbol, Affine], Domain]:
        """The values of the subscripts of `d` at a place of a list, and the conditions left."""
        values: dict[Symbol, Affine] = {}
        left = Domain.of(c for c in domain if c not in gone)
        extents = self.lists.program.tensors[d.tensor].shape
        for form, extent, tensor in zip(d.subscripts, extents, made.positions, strict=True):
            if self._is_known_place(form):
                continue
            s = str(form.as_symbol())
            position = self.lists.names.fresh(s)
            self.derived.append(Looked(position, tensor.name, (place,), (constant(0), extent - 1)))
            self.known[position] = extent
            bounds = between(0, symbol(s), extent - 1)
            if s in free:
                values[s] = symbol(position)
                left = Domain.of(c for c in left if c not in bounds)
            else:
                left &= Domain.of((equals_zero(symbol(s) - symbol(position)),))
        return values, left

    def _matches(
        self, free: list[Symbol], waiting: list[Determined], domain: Domain
    ) -> tuple[Mapping[Symbol, Affine], set[Symbol], Domain] | None:
        """A loop over the positions whose elements are equal to one of another tensor that is known."""
        looped = {i: n for i in free if (n := self._extent_of(i, domain)) is not None}
        inner = [
            d for d in _looked(waiting) if all(self._is_known(s) or s in looped for s in d.symbols)
        ]
        loaded = [*self.loaded, *inner]  # in loops over all that is not known
        for d in waiting:
            if not isinstance(d, Looked) or not self._is_listable(d, free, waiting):
                continue
            if any(map(self._is_known_place, d.subscripts)):
                continue  # the place would be a key too
            others = [o for o in loaded if set(o.symbols).isdisjoint(d.symbols)]
            wanted = wanted_element(d, domain, others, set(self.lists.program.parameters))
            if wanted is None:
                continue
            made, match = self.lists.matched_by(d.tensor, len(d.subscripts), wanted)
            number = self.lists.names.fresh(match.name)
            solved: set[Symbol] = set()
            if wanted.data in inner:
                around = [i for i in wanted.data.symbols if i in looped]
                self.indices += around
                self.known |= {i: looped[i] for i in around}
                self.derived.append(wanted.data)
                self.loaded.append(wanted.data)
                solved |= {wanted.data.name, *around}
            last = symbol(made.counts[0]) - 1
            at = wanted.data.subscripts
            self.derived.append(Looked(number, match.name, at, (constant(0), last)))
            first = symbol(number)
            place = self._loop(made.begin, (first,), (first + 1,), made.count)
            values, left = self._at_positions(d, made, place, free, (wanted.by,), domain)
            solved |= values.keys()
            if wanted.divisor == 1:
                values[d.name] = wanted.form
                solved.add(d.name)
            return values, solved, left
        return None

    def _loop(
        self,
        begin: Tensor,
        first: tuple[Affine, ...],
        last: tuple[Affine, ...],
        count: Symbol,
        forms: Sequence[Affine | None] = (None,),
        keys: Sequence[Key] = (),
    ) -> Affine:
        """A loop over a part of a list, counted from its own start: the bits of a sum depend on the list alone.

        `forms` are what each key is equal to, None for several keys.
        """
        names = self.lists.names
        ends = [names.fresh(begin.name) for _ in range(2)]
        whole = (constant(0), symbol(count))
        for name, at in zip(ends, (first, last), strict=True):
            self.derived.append(Looked(name, begin.name, at, whole))
        t = names.fresh("t")
        self.indices.append(t)
        wanted = [(form, key.low) for form, key in zip(forms, keys, strict=False) if form]
        complete = len(wanted) == len(keys) > 0
        self.over.append(ListLoop(begin, t, (ends[0], ends[1]), tuple(wanted) if complete else ()))
        begin_, end = map(symbol, ends)
        self.conditions += between(0, symbol(t), end - begin_ - 1)
        return begin_ + symbol(t)

    def _rounded(self, quotient: tuple[Affine, int], *, up: bool) -> Affine:
        """The quotient as an integer: a derived index unless it is one already."""
        form, divisor = quotient
        if divisor == 1:
            return form
        form = form + (divisor - 1 if up else 0)
        name = self.lists.names.fresh("q")
        self.derived.append(Derived(name, form, divisor))
        self.known[name] = constant(0)  # replaced by the bounds of its form
        self._quotients[name] = form, divisor
        return symbol(name)

    _quotients: dict[Symbol, tuple[Affine, int]] = field(default_factory=dict)

    def _least(self, form: Affine) -> Affine:
        return self._extreme(form, greatest=False)

    def _greatest(self, form: Affine) -> Affine:
        return self._extreme(form, greatest=True)

    def _extreme(self, form: Affine, *, greatest: bool) -> Affine:
        """A bound of the form over everything that is known, affine in the sizes; generous for quotients."""
        total = constant(form.constant)
        for s, c in form.terms:
            if s in self._quotients:
                inner, divisor = self._quotients[s]
                end = self._extreme(inner, greatest=(c > 0) == greatest)
                # At least the quotient's size if the form may be negative, and at most the form itself.
                total += c * self._outwards(end, divisor, greatest=(c > 0) == greatest)
            elif s in self.known:
                total += c * (self.known[s] - 1 if (c > 0) == greatest else constant(0))
            else:
                total += c * symbol(s)
        return total

    def _outwards(self, end: Affine, divisor: int, *, greatest: bool) -> Affine:
        if end.is_constant:
            return constant(-(-end.constant // divisor) if greatest else end.constant // divisor)
        return end + divisor if greatest else end - divisor

    # ------------------------------------------------------------------ rows

    def _rows(
        self, free: list[Symbol], waiting: list[Determined], domain: Domain
    ) -> tuple[Mapping[Symbol, Affine], set[Symbol], Domain] | None:
        """A loop over the rows that hold a known element."""
        looked = {d.name: d for d in waiting if isinstance(d, Looked)}
        ends: dict[tuple[Symbol, Symbol], dict[int, tuple[Looked, int, Condition]]] = {}
        for c in domain:
            if c.relation != ">=" or len(c.form.terms) != 2:
                continue
            for name, k in c.form.terms:
                d = looked.get(name)
                (other,) = (s for s in c.form.symbols if s != name)
                if d is None or abs(k) != 1 or c.form.coefficient(other) != -k:
                    continue
                row = set(d.symbols)
                if other in self.known and len(row) == 1 and row <= set(free):
                    # other - K + constant >= 0: K - constant is the first; K - other + constant >= 0: K + constant is the last.
                    end = (d, c.form.constant * k, c)
                    ends.setdefault((other, next(iter(row))), {})[-k] = end
        for (element, i), both in ends.items():
            extent = self._extent_of(i, domain)
            if len(both) < 2 or extent is None:
                continue
            (low, less, one), (high, more, two) = both[1], both[-1]
            made = self.lists.rows(i, extent, (low, less), (high, more), self.known[element])
            at = symbol(element)
            position = self.lists.names.fresh(i)
            if made.row is not None:
                least = constant(-1)
                self.derived.append(Looked(position, made.row.name, (at,), (least, extent - 1)))
                self.conditions.append(at_least_zero(symbol(position)))
            else:
                place = self._loop(made.begin, (at,), (at + 1,), made.count)
                (tensor,) = made.positions
                least = constant(0)
                self.derived.append(Looked(position, tensor.name, (place,), (least, extent - 1)))
            self.known[position] = extent
            bounds = between(0, symbol(i), extent - 1)
            left = Domain.of(c for c in domain if c not in (one, two, *bounds))
            return {i: symbol(position)}, {i}, left
        return None

    def _extent_of(self, i: Symbol, domain: Domain) -> Affine | None:
        highs = [c.form + symbol(i) for c in domain if c.form.coefficient(i) == -1]
        sizes = set(self.lists.program.parameters)
        for high in highs:
            if sizes >= set(high.symbols) and set(between(0, symbol(i), high)) <= set(domain):
                return high + 1
        return None


def _from_own_start(e: Reduce, names: Names) -> Reduce:
    """The reduction with indices that begin at an element of data counted from there: a row has its order wherever it stands."""
    for i in e.indices:
        lows = [c for c in e.domain if c.relation == ">=" and c.form.coefficient(i) > 0]
        if len(lows) != 1 or lows[0].form.coefficient(i) != 1:
            continue
        (low,) = lows
        first = symbol(i) - low.form
        bound = {*e.indices, *(d.name for d in e.derived if i in d.symbols)}
        if not first.symbols or not bound.isdisjoint(first.symbols):
            continue
        t = names.fresh("t")
        values = {i: first + symbol(t)}
        e = Reduce(
            e.op,
            tuple(t if j == i else j for j in e.indices),
            tuple(d.substitute(values) for d in e.derived),
            e.domain.substitute(values),
            substitute(e.body, values),
        )
    return e


def _with_safe_loads(s: Statement, program: Program) -> Statement:
    """The statement whose data indices know whether their subscripts are inside wherever they are loaded."""
    known = program.known & Domain.box(s.extents)
    derived, around = _safe(s.derived, known, program)

    def enter(e: Expr, around: Domain) -> Entered[Domain]:
        if not isinstance(e, Reduce):
            return e, [around] * len(e.operands)
        # They are loaded as soon as they can be, before what is tested at that place.
        bounds = bounded(e)
        safe, within = _safe(bounds.derived, around, program)
        made = {d.name: d for d in safe}
        within &= _affine(bounds.tests)
        for b in bounds.each:
            safe, within = _safe(b.derived, within & _affine(b.range.conditions), program)
            made |= {d.name: d for d in safe}
            within &= _affine(b.tests)
        return Reduce(e.op, e.indices, tuple(made[d.name] for d in e.derived), e.domain, e.body), [
            within
        ]

    return replace(s, derived=derived, body=rewrite_in(s.body, around, enter))


def _affine(conditions: Iterable[Condition]) -> Domain:
    return Domain.of(c for c in conditions if c.relation == ">=")


def _safe(
    derived: tuple[Determined, ...], known: Domain, program: Program
) -> tuple[tuple[Determined, ...], Domain]:
    result: list[Determined] = []
    for d in derived:
        if isinstance(d, Looked):
            shape = program.tensors[d.tensor].shape
            bounds = (
                c
                for form, n in zip(d.subscripts, shape, strict=True)
                for c in between(0, form, n - 1)
            )
            d = replace(d, inside=all(implies(known, c) for c in bounds))
        result.append(d)
        known &= Domain.of(d.conditions)
    return tuple(result), known
