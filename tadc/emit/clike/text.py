"""Loop nests as C: expressions, subscripts, bounds and steps. All targets of the kind share it."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, TypeAlias, assert_never

from tadc.emit.clike.prefetch import prefetches
from tadc.emit.clike.spelling import (
    DType,
    Precedence,
    Target,
    Text,
    atom,
    bracketed,
    chosen,
    comparison,
    conditional,
    integer_type,
    literal,
    long_suffix,
    name,
    number,
    once,
    shared_quotient,
    spell,
)
from tadc.emit.templates import template
from tadc.ir.affine import Affine, SignedTexts, Symbol, constant, signed_sum, symbol
from tadc.ir.domain import EVERYWHERE, Condition, Derived, Domain, Looked
from tadc.ir.element_types import ELEMENT_TYPES, item_bytes
from tadc.ir.expr import (
    NEUTRAL,
    Call,
    Comparison,
    Const,
    Expr,
    IndexValue,
    Read,
    Reduce,
    ReduceOp,
    Select,
)
from tadc.ir.program import DerivedSize, Tensor
from tadc.ir.range import Bound, Range
from tadc.ir.walk import descend, postorder
from tadc.schedule.cpu.machine import LANE_BYTES
from tadc.schedule.nest.long_sums import LENGTH
from tadc.schedule.nest.loop_nest import (
    FIRST,
    FIRST_LANE,
    LAST,
    LAST_LANE,
    Accumulate,
    Accumulator,
    Assign,
    Barrier,
    Branch,
    Chunks,
    Computed,
    GpuStep,
    HeldRow,
    Interior,
    Lanes,
    LaneSums,
    Leader,
    Let,
    LetIndex,
    Loop,
    MatrixProducts,
    Staged,
    Step,
    Store,
    Strips,
    TeamLoop,
    TeamScan,
    TeamSums,
    Tile,
    first_of,
    last_of,
    steps_of,
    symbols_of,
)
from tadc.schedule.nest.short_loops import is_short_in_lanes, is_unrolled

__all__ = ["CHOSEN", "ENDED", "GATED", "REAL", "SQUARED", "CText", "part"]

REAL = {name: row.c for name, row in ELEMENT_TYPES.items()}
ENDED = "ended"  # in C, where the flag is that ends a launcher early
CHOSEN = "chosen"  # a local variable of a few lines: a sum that may be kept
LINE_BYTES = 64  # of memory, which are copied at once
GATED = ("gated", "by", "summed")  # local variables of one line: two factors, and a sum
SQUARED = "term"  # a local variable of one line: a squared value

Walk: TypeAlias = Generator[Any, Any, Text]


def part(local: str) -> str:
    """The name of the partial sum of a lane, a thread or a chunk: no program has it, and in C it is `<local>_`."""
    return f"{local}\u2032_"


@dataclass(frozen=True, slots=True)
class CText:
    """Prints one kernel's parts. `names` gives every tensor, symbol and local its C name."""

    names: Mapping[str, str]
    tensors: Mapping[str, Tensor]
    locals: frozenset[str]
    dtype: DType  # of the arithmetic
    dtypes: Mapping[str, str]  # of the elements of each tensor
    index_type: DType
    # The indices that lanes differ in, as each lane has them.
    lane: tuple[tuple[Symbol, str], ...] = ()
    lanes: int = 0  # of a strip or a tile
    group: int = 0  # those of one loop over lanes, where these are more
    wide: frozenset[str] = frozenset()  # locals with a value per lane
    at: str = "lane"  # the lane whose value that is
    cooperative: bool = False  # all threads compute the same, and share chunks: one of them stores
    divides_once: bool = False  # where lanes share a divisor; else each divides
    both: frozenset[Expr] = frozenset()  # choices of which lanes compute both branches

    target: ClassVar[Target] = "c"
    restrict: ClassVar[str] = "restrict"
    fetches: ClassVar[bool] = True  # what loops will read through data
    space: ClassVar[str] = ""  # where tensors are, before their type
    own_names: ClassVar[tuple[str, ...]] = ()  # of the target, besides those that no target has

    @property
    def integer(self) -> str:
        """The type of index arithmetic."""
        return integer_type(self.index_type, self.target)

    def type_of(self, dtype: str) -> str:
        """The name of the type of a tensor's elements."""
        return REAL[dtype]

    # ------------------------------------------------------------------ steps

    def lines(self, steps: Sequence[Step], indent: int) -> list[str]:
        """The steps as indented lines."""
        return descend(self._lines(steps, indent))

    def _lines(self, steps: Sequence[Step], indent: int) -> Generator[Any, Any, list[str]]:
        lines: list[str] = []
        pad, integer = "  " * indent, self.integer
        for step in steps:
            match step:
                case Let() | LetIndex() | Accumulator() | Accumulate() | Assign() | Store():
                    lines += [pad + line for line in self._statement(step)]
                case Loop(copies=copies) if copies:
                    lines += yield self._along_rows(step, indent)
                case Loop(r, body):
                    i = self.names[r.index]
                    first, (relation, last) = self.low(r.lows), self._below(r.highs)
                    head = f"{integer} {i} = {first.text}; {i} {relation} {last.text}; {i}++"
                    if self.target == "c" and step.never_empty:  # sums stay in registers behind it
                        over = {"<": ">=", "<=": ">"}[relation]
                        lines.append(f"{pad}if ({first.text} {over} {last.text}) never();")
                    if self.target != "c" and is_unrolled(step):
                        lines.append(f"{pad}#pragma unroll")
                    if self.target == "c" and is_short_in_lanes(step):
                        lines.append(f"{pad}#pragma GCC unroll {r.trips}")
                    lines.append(f"{pad}for ({head}) {{")
                    if any(isinstance(s, Strips) for s in steps_of(body)):  # long loops, of a CPU
                        lines.append(f"{pad}  if (*{ENDED}) continue;")
                    if self.target == "c" and self.fetches:
                        lines += [f"{pad}  {line}" for line in prefetches(r.index, body, self)]
                    lines += yield self._lines(body, indent + 1)
                    lines.append(f"{pad}}}")
                case Branch(Domain() as condition, (Accumulate() as added,), ()) if self.is_chosen(
                    added
                ):
                    lines += self._chosen(condition, added, pad)
                case Branch(condition, then, otherwise):
                    lines.append(f"{pad}if ({self.condition(condition).text}) {{")
                    lines += yield self._lines(then, indent + 1)
                    if otherwise:
                        lines.append(f"{pad}}} else {{")
                        lines += yield self._lines(otherwise, indent + 1)
                    lines.append(f"{pad}}}")
                case Strips():
                    in_strips = self._summed if step.sums else self._strips
                    lines += yield (self._divided if step.divided else in_strips)(step, indent)
                case LaneSums():
                    lines += yield self._lane_sums(step, indent)
                case Interior():
                    lines += yield self._interior(step, indent)
                case Chunks():
                    lines += yield self._chunks(step, indent)
                case Lanes():
                    lines += yield self._each_lane(step, indent)
                case (
                    Tile()
                    | Staged()
                    | Computed()
                    | MatrixProducts()
                    | HeldRow()
                    | TeamLoop()
                    | TeamSums()
                    | TeamScan()
                    | Leader()
                    | Barrier()
                ):
                    lines += yield self._of_gpu(step, indent)
                case _:
                    assert_never(step)
        return lines

    def is_chosen(self, _: Accumulate) -> bool:
        """Whether a sum under a condition is computed always, and chosen by the condition."""
        return False

    def _chosen(self, condition: Domain, added: Accumulate, pad: str) -> list[str]:
        """A sum that is kept where the condition holds: a compiler would put what it reads into a branch of its own for each lane."""
        local, real = self.local(added.local).text, REAL[self.dtype]
        names = {**self.names, added.local: CHOSEN}
        (line,) = replace(self, names=names, wide=self.wide - {added.local})._statement(added)
        return [
            f"{pad}{{",
            f"{pad}  {real} {CHOSEN} = {local};",
            f"{pad}  {line}",
            f"{pad}  {local} = {self.condition(condition).text} ? {CHOSEN} : {local};",
            f"{pad}}}",
        ]

    def _statement(
        self, step: Let | LetIndex | Accumulator | Accumulate | Assign | Store
    ) -> list[str]:
        """A step without others inside."""
        real = REAL[self.dtype]
        match step:
            case Let(local, value):
                return [f"const {real} {self.local(local).text} = {self.value(value).text};"]
            case LetIndex(Derived(name, form, modulus)):
                quotient = self.floor(form, modulus).text
                return [f"const {self.integer} {self.names[name]} = {quotient};"]
            case LetIndex(d):
                assert isinstance(d, Looked), "neither derived nor data"
                return [f"const {self.integer} {self.names[d.name]} = {self._loaded(d)};"]
            case Accumulator(local, initial):
                return [f"{real} {self.local(local).text} = {self.value(initial).text};"]
            case Accumulate(local, op, value, where) if where != EVERYWHERE:
                to, condition = self.local(local).text, self.condition(where).text
                first = f"{{ {real} next = {to}; {self._added('next', op, value)}"
                return [f"{first} {to} = {condition} ? next : {to}; }}"]
            case Accumulate(local, op, value):
                return [self._added(self.local(local).text, op, value)]
            case Assign(local, value):
                return [f"{self.local(local).text} = {self.value(value).text};"]
            case Store(tensor, subscripts, value, atomic=True):
                element, added = self.element(tensor, subscripts).text, self.value(value).text
                if self.target == "cuda":
                    return [f"atomicAdd(&{element}, {added});"]
                return ["#pragma omp atomic", f"{element} += {added};"]
            case Store(tensor, subscripts, value, op):
                element = self.element(tensor, subscripts).text
                stored = (
                    self._added(element, op, value)
                    if op
                    else f"{element} = {self.value(value).text};"
                )
                return ["#pragma omp master", stored] if self.cooperative else [stored]
            case _:
                assert_never(step)

    def _loaded(self, d: Looked) -> str:
        """An element of an index tensor; the nearest one where the subscripts are outside, and nothing depends on it."""
        subscripts = d.subscripts
        if d.inside:
            return self.element(d.tensor, subscripts).text
        place = ""
        for form, extent in zip(subscripts, self.tensors[d.tensor].shape, strict=True):
            near = self.clamped(form, extent - 1)
            rows = bracketed(self.affine(extent), Precedence.MINUS)
            place = f"({place}) * {rows} + {near}" if place else near
        return f"{self.names[d.tensor]}[{place or 0}]"

    def clamped(self, form: Affine, last: Affine) -> str:
        """The index from 0 to `last` that is nearest to the form."""
        least = self._extreme("min", [self.affine(form), self.affine(last)])
        return self._extreme("max", [number(0), least]).text

    def _each_lane(self, step: Lanes, indent: int) -> Generator[Any, Any, list[str]]:
        """A loop over the lanes, with those of their indices that it mentions."""
        if step.stride > 1 and (strided := self._strided(step, indent)):
            return strided
        pad = "  " * indent
        mentioned = {s for within in steps_of(step.body) for s in symbols_of(within)}
        indices = [
            f"{pad}  const {self.integer} {self.names[index]} = {at};"
            for index, at in self.lane
            if index in mentioned
        ]
        hints = [f"{pad}#pragma unroll"] if self.target != "c" else []
        if (
            self.target == "c"
            and sum(isinstance(s, Store) and s.op is not None for s in step.body) > 1
        ):
            # No lane sees another: GCC would ask at run time whether the rows of a tensor overlap, or give up.
            hints = [f"{pad}#pragma GCC ivdep"]
        if self.target == "c" and any(self._scatters(s) for s in step.body):
            # GCC would write out two vectors, of which it stores the elements one by one: more than it has registers for.
            hints = [f"{pad}#pragma GCC unroll 1"]
        body = yield replace(self, at="lane")._lines(step.body, indent + 1)
        lines: list[str] = []
        for begin, end in self._groups(self.lanes):
            head = f"{pad}for (int lane = {begin}; lane < {end}; lane++) {{"
            lines += [*hints, head, *indices, *body, f"{pad}}}"]
        return lines

    def _scatters(self, step: Step) -> bool:
        """Whether lanes store elements that are no neighbours."""
        if not isinstance(step, Store) or not step.subscripts:
            return False
        return not any(step.subscripts[-1].coefficient(index) for index, _ in self.lane)

    def _strided(self, step: Lanes, indent: int) -> list[str]:
        """The lanes' values of a read with a stride, by vectors; nothing where elements are of another type than values."""
        (assigned,), ((index, at),) = step.body, self.lane
        assert isinstance(assigned, Assign) and isinstance(assigned.value, Read)
        read = assigned.value
        if self.dtypes[read.tensor] != self.dtype:
            return []
        vector = min(self.group // 2 or self.lanes, self.lanes)
        called = f"every_{step.stride}_{vector}{ELEMENT_TYPES[self.dtype].suffix}"
        to, element = self.names[assigned.local], self.element(read.tensor, read.subscripts).text
        lines = []
        for first in range(0, self.lanes, vector):
            place = f"const {self.integer} {self.names[index]} = {at.replace('lane', str(first))};"
            lines.append("  " * indent + f"{{ {place} {called}({to} + {first}, &{element}); }}")
        return lines

    def _along_rows(self, step: Loop, indent: int) -> Generator[Any, Any, list[str]]:
        """A loop for a line of elements at a time, with copies of the rows of all lanes."""
        columns = LINE_BYTES // item_bytes(self.dtype)
        index, first, last = step.range.index, first_of(step.range.index), last_of(step.range.index)
        types = {c.buffer: self.dtypes[c.tensor] for c in step.copies}
        shape = constant(self.lanes), constant(columns + 1)
        inside = replace(
            self,
            tensors={**self.tensors, **{buffer: Tensor(buffer, shape) for buffer in types}},
            dtypes={**self.dtypes, **types},
        )
        bounds = (Bound(symbol(first)),), (Bound(symbol(last)),)
        ((lane, at),) = self.lane
        rows = []
        for c in step.copies:
            begin = first if c.subscripts[-1].coefficient(index) > 0 else last
            places = tuple(form.substitute({index: symbol(begin)}) for form in c.subscripts)
            row = {"buffer": self.names[c.buffer], "type": self.type_of(types[c.buffer])}
            rows.append(row | {"stored": c.stored, "place": self.element(c.tensor, places).text})
        return self._framed(
            "c/row_copies.c",
            indent,
            **self._span(step.range),
            first=self.names[first],
            last=self.names[last],
            columns=columns,
            lanes=self.lanes,
            lane=f"const {self.integer} {self.names[lane]} = {at};",
            rows=rows,
            body=(yield inside._lines((Loop(Range(index, *bounds), step.body),), 1)),
        )

    def _groups(self, lanes: int) -> list[tuple[int, int]]:
        """The lanes of each loop over all of them: where it begins and ends. Strips of many more are in no registers anyway."""
        group = self.group if self.group and lanes <= LANE_BYTES // 4 else lanes
        return [(begin, min(begin + group, lanes)) for begin in range(0, lanes, group)]

    def _of_gpu(self, step: GpuStep, indent: int) -> Generator[Any, Any, list[str]]:
        """A step that only kernels of a GPU have."""
        raise AssertionError(f"a {type(step).__name__} on a CPU")

    def _framed(self, frame: str, indent: int, **parts: object) -> list[str]:
        """The lines of a template, indented. `parts` are its own, bodies indented as they stand in it.

        Directives stay in the first column.
        """
        text = template(frame).render(real=REAL[self.dtype], integer=self.integer, **parts)
        lines = [line for line in text.splitlines() if line]
        return [line if line[0] == "#" else "  " * indent + line for line in lines]

    def _strips(self, step: Strips, indent: int) -> Generator[Any, Any, list[str]]:
        """Elements in strips."""
        width = self.width(step)

        def strip(width: int) -> CText:
            return replace(
                self,
                names={**self.names, FIRST_LANE: "first", LAST_LANE: f"(first + {width - 1})"},
                wide=self.wide.union(step.wide),
                lane=((step.range.index, "first + lane"),),
                lanes=width,
            )

        half = width // 2 if step.halves else 0
        return self._framed(
            "c/strips.c",
            indent,
            **self._span(step.range),
            width=width,
            half=half,
            arrays=[self.names[t] for t in step.wide],
            body=(yield strip(width)._lines(step.body, 2)),
            last=(yield strip(half)._lines(step.body, 2)) if half else (),
            single=(yield self._lines(step.single, 2)),
        )

    def _summed(self, step: Strips, indent: int) -> Generator[Any, Any, list[str]]:
        """A reduction in strips: an accumulator per lane, combined pairwise."""
        width = self.width(step)
        sums = self._parts_of(step.sums)
        partials = {s: self.names[part(s)] for s, _ in step.sums}
        kept = [self.names[s] for s in step.wide]
        zero = self.value(Const(0)).text
        lane = replace(
            self,
            names={**self.names, **partials},
            wide=self.wide.union(partials, step.wide),
            lane=((step.range.index, "first + lane"),),
            lanes=width,
        )
        one = replace(lane, group=self.group // 2)
        rest, single = replace(lane, wide=self.wide.union(partials))._rest(step.single)
        return self._framed(
            "c/sums.c",
            indent,
            **self._span(step.range),
            width=width,
            groups=self._groups(width),
            block=LENGTH * width,
            arrays=", ".join(f"{array}[{width}]" for array in (*partials.values(), *kept)),
            started=" ".join(f"{s['parts']}[lane] = {s['neutral']};" for s in sums),
            zeroed=" ".join(f"{array}[lane] = {zero};" for array in kept),
            body=(yield lane._lines(step.body, 2)),
            rest=rest,
            single=(yield single._lines(step.single, 3)),
            between=(yield one._lines(_in_lanes(step.between), 3)),
            after=(yield one._lines(_in_lanes(step.after), 2)),
            sums=sums,
        )

    def _lane_sums(self, step: LaneSums, indent: int) -> Generator[Any, Any, list[str]]:
        """Sums of which each lane has a part, through all loops inside."""
        width = self.width(step)
        sums = self._parts_of(step.sums)
        partials = {s: self.names[part(s)] for s, _ in step.sums}
        lane = replace(
            self,
            names={**self.names, **partials},
            wide=self.wide.union(partials, step.wide),
            at="0",
            lanes=width,
        )
        arrays = (*partials.values(), *(self.names[s] for s in step.wide))
        return self._framed(
            "c/lane_sums.c",
            indent,
            width=width,
            groups=self._groups(width),
            arrays=", ".join(f"{array}[{width}]" for array in arrays),
            body=(yield lane._lines(step.body, 1)),
            sums=sums,
        )

    def _divided(self, step: Strips, indent: int) -> Generator[Any, Any, list[str]]:
        """A loop whose values the lanes have among them."""
        lane = replace(self, lane=((step.range.index, "first + lane"),), at="lane")
        rest, single = lane._rest(step.single)
        return self._framed(
            "c/divided.c",
            indent,
            **self._span(step.range),
            width=self.lanes,
            body=(yield lane._lines(step.body, 2)),
            groups=self._groups(self.lanes),
            rest=rest,
            single=(yield single._lines(step.single, 3)),
        )

    def _rest(self, steps: Sequence[Step]) -> tuple[list[str], CText]:
        """The arrays of the parts that the steps add to, and the text with copies of them in their place."""
        added = dict.fromkeys(s.local for s in steps_of(steps) if isinstance(s, Accumulate))
        parts = [t for t in added if t in self.wide]
        copies = {t: f"rest[{n}]" for n, t in enumerate(parts)}
        return [self.names[t] for t in parts], replace(self, names={**self.names, **copies})

    def _parts_of(self, sums: Sequence[tuple[str, ReduceOp]]) -> list[dict[str, str]]:
        """The templates' variables for sums that are combined from parts."""
        entries = []
        for s, op in sums:
            local, parts = self.local(s).text, self.names[part(s)]
            entries.append(
                {
                    "local": local,
                    "parts": parts,
                    "neutral": self.value(Const(NEUTRAL[op])).text,
                    "pair": self._accumulate(f"{parts}[n]", op, atom(f"{parts}[n + half]")),
                    "whole": self._accumulate(local, op, atom(f"{parts}[0]")),
                }
            )
        return entries

    def _interior(self, step: Interior, indent: int) -> Generator[Any, Any, list[str]]:
        """The parts of a row: left and right of the interior one by one, with all tests."""
        within = replace(self, names={**self.names, FIRST: "inner", LAST: "inner_end"})
        lows, highs = step.inner.lows, step.inner.highs
        return self._framed(
            "c/interior.c",
            indent,
            **self._span(step.range),
            inner=f"max(from, {self.low(lows).text})" if lows else "from",
            inner_end=f"min(to, {self._end(highs).text})" if highs else "to",
            tests=self.condition(step.tests).text if step.tests != EVERYWHERE else "",
            outside=(yield self._lines(step.outside, 3)),
            interior=(yield within._lines(step.interior, 2)),
        )

    def _chunks(self, step: Chunks, indent: int) -> Generator[Any, Any, list[str]]:
        """Sums whose parts threads share."""
        return self._framed(
            "c/chunks.c",
            indent,
            **self._span(step.range),
            chunks=step.count,
            least=step.least,
            sums=self._parts_of(step.sums),
            body=(yield self._lines(step.body, 2)),
        )

    def width(self, step: Strips | LaneSums) -> int:
        times = step.times if isinstance(step, Strips) else 1
        return min(self.lanes, step.lanes or self.lanes) * times

    def low(self, lows: Sequence[Bound]) -> Text:
        return self._extreme("max", [self.ceil(e, c) for e, c in lows])

    def _below(self, highs: Sequence[Bound]) -> tuple[str, Text]:
        """The comparison that holds while an index is not beyond the highs: its operator and its right side."""
        if len(highs) == 1 and highs[0].divisor == 1 and highs[0].form.terms:
            return "<", self.affine(highs[0].form + 1)
        return "<=", self._extreme("min", [self.floor(e, c) for e, c in highs])

    def _span(self, r: Range) -> dict[str, str]:
        """The index, its first value, and the first beyond all of them, for a template."""
        low, end = self.low(r.lows).text, self._end(r.highs).text
        return {"index": self.names[r.index], "low": low, "end": end}

    def _end(self, highs: Sequence[Bound]) -> Text:
        """The first value beyond all highs."""
        relation, high = self._below(highs)
        if relation == "<":
            return high
        if isinstance(high.value, int):
            return number(high.value + 1)
        return Text(f"{high.text} + 1", Precedence.SUM)

    def _added(self, local: str, op: str, value: Expr) -> str:
        """One more term; a product is added to a sum without being rounded before."""
        match op, value:
            case "sum", Call("mul", (a, b)):
                factors = [self.value(a), self.value(b)]
            case "sum", Call("pow", (Read(subscripts=()) as a, Const(2))):
                factors = [self.value(a)] * 2
            case "sum", Call("pow", (base, Const(2))):
                added = spell("fma", [name(SQUARED), name(SQUARED), atom(local)], self.dtype).text
                kept = f"const {REAL[self.dtype]} {SQUARED} = {self.value(base).text};"
                return f"{{ {kept} {local} = {added}; }}"
            case "sum", Call("gate", factors_) if self.target == "c":
                return self._gated(local, *factors_)
            case _:
                return self._accumulate(local, op, self.value(value))
        return f"{local} = {spell('fma', [*factors, atom(local)], self.dtype).text};"

    def _gated(self, local: str, a: Expr, b: Expr) -> str:
        """A product is added where neither factor is 0. A test at a time: compilers use masks for it."""
        first, second, summed = GATED
        product = spell("fma", [name(first), name(second), atom(local)], self.dtype).text
        return (
            f"{{ const {REAL[self.dtype]} {first} = {self.value(a).text}, {second} = {self.value(b).text}, "
            f"{summed} = {second} == 0 ? {local} : {product}; "
            f"{local} = {first} == 0 ? {local} : {summed}; }}"
        )

    def _accumulate(self, local: str, op: str, value: Text) -> str:
        match op:
            case "sum":
                return f"{local} += {value.text};"
            case "prod":
                return f"{local} *= {value.text};"
            case _:  # the local last: the test of the first for NaN is not in the chain from term to term
                return f"{local} = {spell(op, [value, atom(local)], self.dtype).text};"

    # ------------------------------------------------------------------ values

    def value(self, e: Expr) -> Text:
        return descend(self._value(e))

    def _value(self, e: Expr) -> Walk:
        match e:
            case Const(value):
                return literal(value, self.dtype, self.target)
            case IndexValue(form):
                if form.is_constant:
                    return literal(form.constant, self.dtype, self.target)
                index = bracketed(self.affine(form), Precedence.UNARY)
                return Text(f"({REAL[self.dtype]}){index}", Precedence.UNARY)
            case Read(tensor, ()) if tensor in self.locals:
                return self.local(tensor)
            case Read(tensor, subscripts):
                element = self.element(tensor, subscripts)
                if self.dtypes[tensor] == self.dtype:
                    return element
                return Text(f"({REAL[self.dtype]}){element.text}", Precedence.UNARY)
            case Call(function, args):
                parts = []
                for arg in args:
                    parts.append((yield self._value(arg)))
                if function == "div" and self._shares_divisor(*args):
                    return shared_quotient(parts[0], parts[1], self.dtype)
                spelled = spell(function, parts, self.dtype)
                return once(spelled) if self._is_same_in_lanes(e) else spelled
            case Select(Domain() as domain, then, otherwise):
                a, b = (yield self._value(then)), (yield self._value(otherwise))
                return self._choice(e, self.condition(domain), a, b)
            case Select(condition, then, otherwise):
                assert isinstance(condition, Comparison)
                relation, left, right = condition.relation, condition.left, condition.right
                test = comparison(relation, (yield self._value(left)), (yield self._value(right)))
                a, b = (yield self._value(then)), (yield self._value(otherwise))
                return self._choice(e, test, a, b)
            case Reduce():
                raise AssertionError("a reduction is loops by now")

    def _choice(self, e: Select, condition: Text, then: Text, otherwise: Text) -> Text:
        if self.lane and e in self.both:
            return chosen(condition, then, otherwise, self.dtype)
        return conditional(condition, then, otherwise)

    def _shares_divisor(self, a: Expr, b: Expr) -> bool:
        return self.divides_once and self._is_same_in_lanes(b) and not self._is_same_in_lanes(a)

    def _is_same_in_lanes(self, e: Expr) -> bool:
        """Whether lanes on a CPU surely have one value. Locals may be a lane's own."""
        if not self.lane or self.target != "c" or not e.symbols.isdisjoint(i for i, _ in self.lane):
            return False
        return not any(isinstance(r, Read) and r.tensor in self.locals for r in postorder(e))

    def condition(self, condition: Domain | Comparison) -> Text:
        if isinstance(condition, Comparison):
            left, right = self.value(condition.left), self.value(condition.right)
            return comparison(condition.relation, left, right)
        tests = [self._test(c) for c in condition]
        if not tests:  # it holds everywhere: in one of several phases nothing may be left to test
            return atom("1")
        if len(tests) == 1:
            return tests[0]
        return Text(" && ".join(bracketed(t, Precedence.EQUALITY) for t in tests), Precedence.AND)

    def _test(self, c: Condition) -> Text:
        if c.relation == "|":
            form = bracketed(self.affine(c.form), Precedence.PRODUCT)
            return Text(f"{form} % {c.modulus} == 0", Precedence.EQUALITY)
        positive = Affine.of({s: k for s, k in c.form.terms if k > 0}, max(0, c.form.constant))
        negative = Affine.of({s: -k for s, k in c.form.terms if k < 0}, max(0, -c.form.constant))
        if c.relation == "==":
            left, right = positive, negative
        else:
            left, right = negative, positive
        relation = "==" if c.relation == "==" else "<="
        if relation == "<=" and left.terms and left.constant == 1:
            relation, left = "<", left - 1
        precedence = Precedence.EQUALITY if c.relation == "==" else Precedence.RELATION
        return Text(f"{self.affine(left).text} {relation} {self.affine(right).text}", precedence)

    def local(self, local: str) -> Text:
        """A local variable, or the own element of a lane."""
        if local in self.wide:
            return atom(f"{self.names[local]}[{self.at}]")
        return name(self.names[local])

    # ------------------------------------------------------------------ index arithmetic

    def affine(self, form: Affine) -> Text:
        if form.is_constant:
            return number(form.constant)
        if bare := form.as_symbol():
            return atom(self.names[bare])
        parts = self._parts(form)
        return Text(signed_sum(parts), Precedence.SUM if len(parts) > 1 else Precedence.PRODUCT)

    def _parts(self, form: Affine) -> SignedTexts:
        return form.parts({s: self.names[s] for s in form.symbols}, " * ")

    def floor(self, form: Affine, divisor: int) -> Text:
        if divisor == 1:
            return self.affine(form)
        args = [self.affine(form), literal(divisor, self.index_type, self.target)]
        return spell("floor_div", args, self.index_type)

    def ceil(self, form: Affine, divisor: int) -> Text:
        return self.floor(form + (divisor - 1), divisor)

    def derived_size(self, size: DerivedSize) -> Text:
        if size.op == "floor":
            return self.floor(size.forms[0], size.modulus)
        return self._extreme(size.op, [self.affine(form) for form in size.forms])

    def _extreme(self, op: str, values: list[Text]) -> Text:
        # CUDA's `min(int, long long)` is ambiguous.
        if self.index_type == "int64" and len(values) > 1:
            suffix = long_suffix(self.target)
            values = [number(v.value, suffix) if isinstance(v.value, int) else v for v in values]
        result = values[0]
        for value in values[1:]:
            result = spell(op, [result, value], self.index_type)
        return result

    def element(self, tensor: str, subscripts: Sequence[Affine]) -> Text:
        """`tensor[offset]`, the offset in row-major order."""
        return atom(f"{self.names[tensor]}[{self.offset(tensor, subscripts)}]")

    def offset(self, tensor: str, subscripts: Sequence[Affine]) -> str:
        """The place of an element in row-major order."""
        return self.place(subscripts, self.tensors[tensor].shape)

    def place(self, subscripts: Sequence[Affine], shape: Sequence[Affine]) -> str:
        """The number of an element of that shape in row-major order: with strides that are numbers, else by Horner's rule."""
        static = all(n.is_constant for n in shape[1:])
        terms: SignedTexts = []
        for d, (form, extent) in enumerate(zip(subscripts, shape, strict=True)):
            if terms and not static:
                terms = [_times(terms, bracketed(self.affine(extent), Precedence.MINUS))]
            if form != constant(0):
                stride = prod(n.constant for n in shape[d + 1 :]) if static else 1
                terms += self._scaled(form, stride)
        return signed_sum(terms)

    def _scaled(self, form: Affine, stride: int) -> SignedTexts:
        """The terms of the product; a sum stays in brackets."""
        parts = self._parts(form)
        if len(parts) == 1 or stride == 1:
            return self._parts(form * stride)
        return [(False, f"{stride} * ({signed_sum(parts)})")]


def _in_lanes(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return (Lanes(steps),) if steps else ()


def _times(terms: SignedTexts, factor: str) -> tuple[bool, str]:
    """The sum of the terms times the factor."""
    match terms:
        case [(negative, single)]:
            return negative, f"{single} * {factor}"
        case _:
            return False, f"({signed_sum(terms)}) * {factor}"
