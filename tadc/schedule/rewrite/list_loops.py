"""The loops of a reduction over what data lead to: over lists where an equation says what an element is, over rows where ends of
them say what they hold.

    sum{e | k[e] = b} f(e)    is    sum{t = 0 .. k_ptr[b+1]-k_ptr[b]-1} f(k_perm[k_ptr[b] + t])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import (
    Condition,
    Derived,
    Determined,
    Domain,
    Looked,
    at_least_zero,
    between,
    equals_zero,
)
from tadc.ir.expr import Reduce
from tadc.ir.program import Tensor
from tadc.ir.walk import substitute
from tadc.normalize.reductions import MOST_TERMS, extents_around_body
from tadc.schedule.rewrite.list_tensors import Key, SortedList, factor
from tadc.schedule.rewrite.looked_up import data_among, needed
from tadc.schedule.rewrite.made_lists import MadeLists
from tadc.schedule.rewrite.matches import wanted_element
from tadc.schedule.rewrite.pieces import ListLoop

__all__ = ["ListLoops"]


@dataclass(slots=True)
class ListLoops:
    """The loops of one reduction: `known` are the extents of the symbols that are known in them so far, `loaded` the data indices
    around it.
    """

    lists: MadeLists
    known: dict[Symbol, Affine]
    reduce_: Reduce
    statement: str
    loaded: list[Looked]
    indices: list[Symbol] = field(default_factory=list)  # of loops over lists
    over: list[ListLoop] = field(default_factory=list)  # one key of each
    group: Looked | None = (
        None  # an element's key, where lists are by those of its own tensor, or of one as large
    )
    derived: list[Determined] = field(default_factory=list)  # known in these loops
    conditions: list[Condition] = field(default_factory=list)  # of them

    def reduce(self) -> Reduce:
        e = self.reduce_
        free = list(e.indices)
        waiting = _as_conditions_name_them(e)
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
            points = (factor(extents[i]) if i in extents else i for i in free)
            self.lists.tested[self.statement] = "*".join(points)
        if not self.indices and not self.derived:
            return e
        domain &= Domain.of(self.conditions)
        derived = needed((*domain.symbols, *body.symbols), (*self.derived, *waiting))
        return Reduce(e.op, (*self.indices, *free), derived, domain, body)

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
            if not isinstance(d, Looked) or not self._is_listable(d, free, waiting, domain):
                continue
            interval = self._interval(d, domain)
            if interval is None:
                continue
            chosen, low, high, used = interval
            others = self._further_keys(d, low[0], waiting, domain) if chosen == "equal" else []
            return self._over_list(d, low, high, used, others, free, waiting, domain)
        return None

    def _further_keys(
        self, d: Looked, form: Affine, waiting: list[Determined], domain: Domain
    ) -> list[tuple[Looked, Affine, Condition]]:
        """What else is looked up where `d` is, or always as far from it, and is equal to another index that is known, or to one moved by
        some places: there are not more keys than points around the loop.
        """
        found: list[tuple[Looked, Affine, Condition]] = []
        taken = set(form.symbols)
        for o in waiting:
            if not isinstance(o, Looked) or o is d or self._apart(o, d) is None:
                continue
            interval = self._interval(o, domain)
            if interval is None or interval[0] != "equal":
                continue
            _, (wanted, divisor), _, (condition,) = interval
            of = [s for s in wanted.symbols if s in self.known]
            moved = len(of) == 1 and abs(wanted.coefficient(of[0])) == 1
            if divisor == 1 and moved and taken.isdisjoint(of):
                taken.update(of)
                found.append((o, wanted, condition))
        return found

    def _is_listable(
        self, d: Looked, free: list[Symbol], waiting: list[Determined], domain: Domain
    ) -> bool:
        """Whether its subscripts are different symbols that are not known yet, but for some that are known, or forms of few values."""
        forms = [f for f in d.subscripts if not self._is_known_place(f)]
        names = [s for f in forms if (s := f.as_symbol()) is not None]
        others = [f for f in forms if f.as_symbol() is None]
        open_ = {*free, *(o.name for o in waiting if isinstance(o, Looked))}
        distinct = len(set(names)) == len(names) and open_.issuperset(names)
        return bool(names) and distinct and self._are_few(others, names, free, waiting, domain)

    def _are_few(
        self,
        forms: Sequence[Affine],
        names: Sequence[Symbol],
        free: list[Symbol],
        waiting: list[Determined],
        domain: Domain,
    ) -> bool:
        """Whether the forms have few values together, as `(i + 1) % 3`: each is tried at every position."""
        symbols = {s for f in forms for s in f.symbols if not self._is_known(s)}
        for d in reversed(waiting):
            if d.name in symbols and isinstance(d, Derived):
                symbols = symbols - {d.name} | {s for s in d.symbols if not self._is_known(s)}
        extents = [self._extent_of(i, domain) if i in free else None for i in symbols]
        few = prod(n.constant for n in extents if n is not None and n.is_constant)
        all_numbers = all(n is not None and n.is_constant for n in extents)
        return all_numbers and few <= MOST_TERMS and symbols.isdisjoint(names)

    def _apart(self, one: Looked, other: Looked) -> tuple[int, ...] | None:
        """How many places along each dimension `one` stands from the `other`, in tensors of one shape; None where that is not known, or
        differs.
        """
        tensors = self.lists.program.tensors
        if tensors[one.tensor].shape != tensors[other.tensor].shape:
            return None
        between_ = [a - b for a, b in zip(one.subscripts, other.subscripts, strict=True)]
        places = map(self._is_known_place, other.subscripts)
        if all(
            n.is_constant and (p or n.constant == 0) for n, p in zip(between_, places, strict=True)
        ):
            return tuple(n.constant for n in between_)
        return None

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
        others: Sequence[tuple[Looked, Affine, Condition]],
        free: list[Symbol],
        waiting: list[Determined],
        domain: Domain,
    ) -> tuple[Mapping[Symbol, Affine], set[Symbol], Domain]:
        first, last = self._rounded(low, up=True), self._rounded(high, up=False)
        keys = [Key(d.tensor, self._least(first), self._greatest(last))]
        at_first, at_last = [first - keys[0].low], [last + 1 - keys[0].low]
        gone = list(used)
        forms = [first if low == high and low[1] == 1 else None]
        if others and low[1] == 1:
            at_last = at_first[:]
        for n, (o, form, condition) in enumerate(others):
            apart = self._apart(o, d) or ()
            key = Key(
                o.tensor,
                self._least(form),
                self._greatest(form),
                apart=apart if any(apart) else (),
            )
            # In the order of the text; but a multiple has a range of values, maybe an empty one, and that is of the last key.
            after = n + 1 if low[1] == 1 else n
            forms.insert(after, form)
            keys.insert(after, key)
            at_first.insert(after, form - key.low)
            at_last.insert(after, form - key.low)
            gone.append(condition)
        if others and low[1] == 1:
            at_last[-1] = at_last[-1] + 1
        extents = self.lists.program.tensors[d.tensor].shape
        for n, (place, extent) in enumerate(zip(d.subscripts, extents, strict=True)):
            if self._is_known_place(place):
                first, last = constant(0), extent - 1
                if others and set(place.symbols) <= set(self.lists.program.parameters):
                    first = last = place  # no other list has these keys
                forms.insert(0, place)
                keys.insert(0, Key(d.tensor, first, last, n))
                at_first.insert(0, place - first)
                at_last.insert(0, place - first)
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
            s = form.as_symbol()
            position = self.lists.names.fresh(s or "place")
            self.derived.append(Looked(position, tensor.name, (place,), (constant(0), extent - 1)))
            self.known[position] = extent
            if s is not None and s in free:
                bounds = between(0, symbol(s), extent - 1)
                values[s] = symbol(position)
                left = Domain.of(c for c in left if c not in bounds)
            else:
                left &= Domain.of((equals_zero(form - symbol(position)),))
        return values, left

    def _matches(
        self, free: list[Symbol], waiting: list[Determined], domain: Domain
    ) -> tuple[Mapping[Symbol, Affine], set[Symbol], Domain] | None:
        """A loop over the positions whose elements are equal to one of another tensor that is known."""
        looped = {i: n for i in free if (n := self._extent_of(i, domain)) is not None}
        inner = [
            d
            for d in data_among(waiting)
            if all(self._is_known(s) or s in looped for s in d.symbols)
        ]
        loaded = [*self.loaded, *inner]  # in loops over all that is not known
        for d in waiting:
            if not isinstance(d, Looked) or not self._is_listable(d, free, waiting, domain):
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
            group = Looked(number, match.name, at, (constant(0), last))
            self.derived.append(group)
            tensors = self.lists.program.tensors
            if tensors[wanted.data.tensor].shape == tensors[d.tensor].shape:
                self.group = group  # there are not many more keys than elements that want them
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


def _as_conditions_name_them(e: Reduce) -> list[Determined]:
    """The derived and data indices in the order of the conditions, those of one place together. It is the order of the printed text:
    what is read from that has the same loops.
    """
    made = {d.name: d for d in e.derived}
    ranks: dict[tuple[Affine, ...], int] = {}
    waiting = [s for c in reversed(e.domain.conditions) for s in reversed(c.form.symbols)]
    while waiting:
        s = waiting.pop()
        if s not in made or made[s].forms in ranks:
            continue
        inner = [t for t in made[s].symbols if t in made and made[t].forms not in ranks]
        if inner:
            waiting += [s, *reversed(inner)]
        else:
            ranks[made[s].forms] = len(ranks)
    return sorted(e.derived, key=lambda d: ranks.get(d.forms, len(ranks)))
