"""Steps that only kernels of a GPU have, as CUDA: those of teams of threads, and tiles of points."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any, ClassVar, Self, assert_never

from tadc.emit.clike.spelling import Precedence, Target, Text, atom, bracketed, name
from tadc.emit.clike.text import CHOSEN, REAL, CText, part
from tadc.ir.affine import Affine, SignedTexts, Symbol, constant, signed_sum, symbol
from tadc.ir.domain import EMPTY, EVERYWHERE, Condition, Domain, at_least_zero, divides
from tadc.ir.element_types import ARITHMETIC_TYPES, ELEMENT_TYPES
from tadc.ir.expr import NEUTRAL, Const, Read, ReduceOp
from tadc.ir.program import Tensor
from tadc.ir.walk import postorder
from tadc.schedule.gpu.machine import HOPPER, Machine
from tadc.schedule.nest.copies import Copies
from tadc.schedule.nest.loop_nest import (
    MOST_GROUP,
    TERMS_AT_ONCE,
    Accumulate,
    Assign,
    Barrier,
    Branch,
    Buffer,
    Computed,
    GpuStep,
    HeldRow,
    Lanes,
    Leader,
    MatrixProducts,
    Staged,
    Step,
    Store,
    TeamLoop,
    TeamScan,
    TeamSums,
    Tile,
    TileIndex,
    Together,
    beyond,
    buffers_of,
    first_of,
    has_loops,
    last_of,
    place_of,
    reads_of,
    steps_of,
    stores_groups,
    symbols_of,
    tested_at,
)

__all__ = ["IN_COLUMNS", "IN_PARTS", "LANE", "RANK", "GpuText", "subscript_of", "tile_count"]

RANK = "rank"  # of a thread in its team
LANE = "lane"  # of a tile
MINE = "mine"  # the thread's number, of which the compiler knows nothing
LEADS = "leads"  # whether a thread of a column stores
IN_COLUMNS = ("own", LEADS)
LAST = "last"  # behind a part of a staged loop
IN_PARTS = (
    "first",
    LAST,
    "all",
    "n",
    "turn",
    "four",
    "next",
    "end",
    "odd",
    MINE,
    CHOSEN,
)  # where a team does a loop part by part


def subscript_of(buffer: Buffer, dimension: int) -> str:
    """The name of a subscript of the element that is copied to a buffer."""
    return f"{buffer.name}\u2032_{dimension}"


@dataclass(frozen=True, slots=True)
class GpuText(CText):
    """Prints a kernel of a GPU. A point, or a tile of them, is computed by a team of so many threads."""

    team: int = 1
    machine: Machine = HOPPER
    box: frozenset[Symbol] = frozenset()  # the indices of its points
    tile: tuple[TileIndex, ...] = ()  # that is being printed

    target: ClassVar[Target] = "cuda"
    restrict: ClassVar[str] = "__restrict__"

    def _of_gpu(self, step: GpuStep, indent: int) -> Generator[Any, Any, list[str]]:
        pad = "  " * indent
        match step:
            case Tile():
                return (yield self._tile(step, indent))
            case Staged():
                return (yield self._staged(step, indent))
            case Computed():
                return (yield self._computed(step, indent))
            case MatrixProducts():
                return self._matrix_products(step, indent)
            case HeldRow():
                return (yield self._held_row(step, indent))
            case TeamLoop(held=True):
                return (yield self._held_pass(step, indent))
            case TeamLoop():
                return (yield self._team_loop(step, indent))
            case TeamSums():
                return (yield self._team_sums(step, indent))
            case TeamScan():
                return (yield self._team_scan(step, indent))
            case Leader(body):
                inner = yield self._lines(body, indent + 1)
                leads = LEADS if self.team == self.machine.column else f"{RANK} == 0"
                return [f"{pad}if ({leads}) {{", *inner, f"{pad}}}"]
            case Barrier():
                return [f"{pad}{self.barrier};"]
            case _:
                assert_never(step)

    # ------------------------------------------------------------------ tiles

    def is_chosen(self, added: Accumulate) -> bool:
        """In lanes, where all that it reads are locals."""
        reads = [e for e in postorder(added.value) if isinstance(e, Read)]
        return bool(self.tile) and not any(e.subscripts for e in reads)

    def _tile(self, step: Tile, indent: int) -> Generator[Any, Any, list[str]]:
        """The lanes of a tile, the last index innermost."""
        declared = (line for b in buffers_of((step,)) for line in self.declared(b))
        lines = [f"{'  ' * indent}{line}" for line in declared]
        return lines + (yield self._points(step, indent))

    def _computed(self, step: Computed, indent: int) -> Generator[Any, Any, list[str]]:
        """The tile whose points store what the block shares: its buffers are those of the tile around."""
        pad = "  " * indent
        of_part = replace(self, names={**self.names, part(step.index): self.names[step.part]})
        lines = yield of_part._points(step.tile, indent + 1)
        return [f"{pad}{{", *lines, f"{pad}}}", f"{pad}{self.barrier};"]

    def _points(self, step: Tile, indent: int) -> Generator[Any, Any, list[str]]:
        pad = "  " * indent
        edge, interior = self._places(step, buffers_of((step,)))
        if not step.interior:
            return (yield edge._in_lanes(step.body, step.wide, indent))
        lines = [f"{pad}if ({edge.condition(_whole(step)).text}) {{"]
        lines += yield interior._in_lanes(step.interior, step.interior_wide, indent + 1)
        lines.append(f"{pad}}} else {{")
        lines += yield edge._in_lanes(step.body, step.wide, indent + 1)
        return [*lines, f"{pad}}}"]

    def _places(self, step: Tile, buffers: Sequence[Buffer]) -> tuple[Self, Self]:
        """The printers of tiles at the edge of the box, where points beyond it are clamped to its end, and of interior tiles."""
        lanes = prod(t.count for t in step.indices)
        names = {**self.names}
        edge, interior, lane_stride, thread_stride = [], [], 1, 1
        for t in reversed(step.indices):
            number = _digit(LANE, lane_stride, t.count, lanes)
            lane_stride *= t.count
            names |= self._ends(t)
            if t.threads > 1:
                number = _in_groups(t, _digit(RANK, thread_stride, t.threads, step.team), number)
                thread_stride *= t.threads
            if step.team > 1:
                names[place_of(t.index)] = f"({number})"
            place = self._in_tile(t, number)
            names[beyond(t.index)] = f"({place.text})"
            last = [] if t.fits else [self.affine(t.extent - 1)]
            interior.append((t.index, place.text))
            edge.append((t.index, self._extreme("min", [place, *last]).text))
        tensors = {b.name: Tensor(b.name, tuple(map(constant, b.shape))) for b in buffers}
        tile = replace(
            self,
            names=names,
            lane=tuple(edge),
            lanes=lanes,
            tile=step.indices,
            tensors={**self.tensors, **tensors},
            dtypes={**self.dtypes, **dict.fromkeys(tensors, self.dtype)},
        )
        return tile, replace(tile, lane=tuple(interior))

    def _in_lanes(
        self, steps: Sequence[Step], wide: Sequence[str], indent: int
    ) -> Generator[Any, Any, list[str]]:
        """The steps, with arrays for the locals that have a value per lane."""
        arrays = ", ".join(f"{self.names[t]}[{self.lanes}]" for t in wide)
        lines = [f"{'  ' * indent}{REAL[self.dtype]} {arrays};"] if wide else []
        laned = replace(self, wide=self.wide.union(wide))
        return lines + (yield laned._lines(steps, indent))

    def _ends(self, t: TileIndex) -> dict[Symbol, str]:
        """The first and the last value of the index in a tile."""
        first = self.names[part(t.index)]
        last = f"({self._in_tile(t, str(t.values - 1)).text})"
        if not t.strided or t.threads > 1:
            first = f"{first} * {t.values}"
        return {first_of(t.index): first, last_of(t.index): last}

    def _in_tile(self, t: TileIndex, number: str) -> Text:
        """The index with the number `number` among those of a tile."""
        first = self.names[part(t.index)]
        if t.strided and t.threads == 1:
            return Text(f"{first} + {number} * {bracketed(tile_count(t, self), Precedence.MINUS)}", Precedence.SUM)  # fmt: skip
        return Text(f"{first} * {t.values} + {number}", Precedence.SUM)

    def _staged(self, step: Staged, indent: int) -> Generator[Any, Any, list[str]]:
        """A loop part by part: the block fills its buffers, and then reads them."""
        pad, integer = "  " * indent, self.integer
        if step.range.trips == 1:
            lines = [line for b in step.buffers for line in self._filled(b, indent)]
            lines.append(f"{pad}{self.barrier};")
            lines += yield self._lines(step.body, indent)
            return [*lines, f"{pad}{self.barrier};"]
        low, end = self.low(step.range.lows).text, self._end(step.range.highs)
        if step.is_ahead:
            return (yield self._staged_ahead(step, low, end, indent))
        head = f"{pad}for ({integer} first = {low}; first < {end.text}; first += {step.count}) {{"
        filling = self._with_first(step, "first")
        filled = [line for b in step.buffers for line in filling._filled(b, indent + 1)]
        lines = [head, *filled, f"{pad}  {self.barrier};"]
        lines += yield filling._part(step, end, indent + 1)
        return [*lines, f"{pad}  {self.barrier};", f"{pad}}}"]

    def _staged_ahead(
        self, step: Staged, low: str, end: Text, indent: int
    ) -> Generator[Any, Any, list[str]]:
        """The same with two halves of each buffer: while one is filled with the next part, the one before is read from the other."""
        pad, integer, count = "  " * indent, self.integer, step.count
        past = Text(f"{bracketed(end, Precedence.SUM)} + {count}", Precedence.SUM)
        halves = {
            half: {b.name: f"{self.names[b.name]}[{half}]" for b in step.buffers}
            for half in ("odd", "1 - odd")
        }
        filling = self._with_first(step, "next", halves["odd"])
        reading = self._with_first(step, "first", halves["1 - odd"])
        lines = [
            f"{pad}for ({integer} next = {low}, odd = 0; next < {past.text}; next += {count}, odd = 1 - odd) {{",
            f"{pad}  if (next < {end.text}) {{",
            *(line for b in step.buffers for line in filling._filled(b, indent + 2)),
            f"{pad}  }}",
            f"{pad}  if (next != {low}) {{",
            f"{pad}    const {integer} first = next - {count};",
        ]
        lines += yield reading._part(step, end, indent + 2)
        waiting = [f"{pad}  {self.copied};"] if any(map(self._is_copied_ahead, step.buffers)) else []  # fmt: skip
        return [*lines, f"{pad}  }}", *waiting, f"{pad}  {self.barrier};", f"{pad}}}"]

    def _with_first(
        self, step: Staged, first: str, buffers: Mapping[str, str] | None = None
    ) -> Self:
        """The printer where a part of the loop begins at the value that is named so, and buffers have these names."""
        index = step.range.index
        names = {first_of(index): first, place_of(index): f"({self.names[index]} - {first})"}
        return replace(self, names={**self.names, **names, **(buffers or {})})

    def _part(self, step: Staged, end: Text, indent: int) -> Generator[Any, Any, list[str]]:
        """The values from `first` on that are staged at a time."""
        pad, integer, i = "  " * indent, self.integer, self.names[step.range.index]
        last = self._extreme("min", [Text(f"first + {step.count}", Precedence.SUM), end])
        lines = [f"{pad}const {integer} last = {last.text};"]
        start = f"{integer} {i} = first"
        if step.by_terms:
            lines.append(f"{pad}{start};")
            lines.append("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800")
            lines.append(f"{pad}for (; {i} + {TERMS_AT_ONCE} <= last; {i} += {TERMS_AT_ONCE}) {{")
            lines += yield self._lines(step.by_terms, indent + 1)
            lines += [f"{pad}}}", "#endif"]
            start = ""
        if step.together:
            lines.append(f"{pad}for ({start}; {i} < last;) {{")
            lines += yield self._some_together(step, step.together, indent + 1)
            lines.append(f"{pad}}}")
        else:
            lines += [] if has_loops(step.body) or step.by_terms else [f"{pad}#pragma unroll 4"]
            lines.append(f"{pad}for ({start}; {i} < last; {i}++) {{")
            lines += yield self._lines(step.body, indent + 1)
            lines.append(f"{pad}}}")
        if step.after:
            lines.append(f"{pad}if (last % {step.every} == 0) {{")
            ended = replace(self, names={**self.names, LAST: LAST})
            at_end = tuple(tested_at(step.after, step.range.index, symbol(LAST) - 1))
            lines += yield ended._lines(at_end, indent + 1)
            lines.append(f"{pad}}}")
        return lines

    def _some_together(
        self, step: Staged, some: Together, indent: int
    ) -> Generator[Any, Any, list[str]]:
        """So many values of a staged loop at once where they may be, else the next one."""
        pad, integer, i = "  " * indent, self.integer, self.names[step.range.index]
        fits = f"{i} + {some.count} <= last"
        known = [] if some.region == EVERYWHERE else [self.condition(some.region).text]
        lines = [f"{pad}if ({' && '.join([fits, *known])}) {{", f"{pad}  #pragma unroll"]
        lines.append(f"{pad}  for (const {integer} end = {i} + {some.count}; {i} < end; {i}++) {{")
        lines += yield self._lines(some.body, indent + 2)
        lines.append(f"{pad}  }}")
        lines += yield self._lines(some.after, indent + 1)
        lines.append(f"{pad}}} else {{")
        lines += yield self._lines(step.body, indent + 1)
        return [*lines, f"{pad}  {i}++;", f"{pad}}}"]

    def _matrix_products(self, step: MatrixProducts, indent: int) -> list[str]:
        """Each thread reads its elements of both factors, and the warp multiplies."""
        pad, (rows, columns) = "  " * indent, self.tile
        terms = f"{RANK} % 4 + n / 2 % 2 * 4", f"{RANK} % 4 + n % 2 * 4"
        row = _in_groups(rows, f"{RANK} / 4", "(n / 4 * 2 + n % 2)")
        column = _in_groups(columns, f"({RANK} / 8 % 4)", f"(n / 2 * 2 + {RANK} / 4 % 2)")
        read = (
            self._fragment(step.left, rows, row, terms[0]),
            self._fragment(step.right, columns, column, terms[1]),
        )
        lines = [f"{pad}{{", f"{pad}  unsigned left[{2 * rows.count}], right[{columns.count}];"]
        for array, count, value in zip(("left", "right"), (2 * rows.count, columns.count), read, strict=True):  # fmt: skip
            lines.append(f"{pad}  #pragma unroll")
            lines.append(f"{pad}  for (int n = 0; n < {count}; n++) {array}[n] = as_tf32({value});")
        sums = self.names[step.local]
        for a, b in product(range(rows.count // 2), range(columns.count // 2)):
            own = (
                f"{sums}[{(2 * a + h) * columns.count + 2 * b + p}]" for h in (0, 1) for p in (0, 1)
            )
            lines.append(
                f"{pad}  add_products_tf32({', '.join(own)}, &left[{4 * a}], &right[{2 * b}]);"
            )
        return [*lines, f"{pad}}}"]

    def _fragment(self, e: Read, t: TileIndex, place: str, term: str) -> str:
        """The element number `n` of a factor that a thread reads: of the tile's index at that place, and of a later term."""
        names = {place_of(t.index): f"({place})"}
        for s in e.symbols:
            if s == place_of(t.index):
                continue
            if s.startswith(place_of("")):
                names[s] = f"({self.names[s]} + {term})"
        return replace(self, names={**self.names, **names}).value(e).text

    def _filled(self, b: Buffer, indent: int) -> list[str]:
        """Neighbouring threads copy neighbouring elements; those outside of the tensor are 0, which is not tested where there are none."""
        pad, tensor = "  " * indent, self.tensors[b.tensor]
        inside = Domain.of(t for d, tests in enumerate(_tests(b, tensor)) if not b.ragged[d] for t in tests)  # fmt: skip
        conditions = [] if inside == EVERYWHERE else [self.condition(inside).text]
        alike = self.dtypes[b.tensor] == self.dtype == "float32" and not any(b.ragged)
        at_once = b.at_once if alike else 1
        if self._is_copied_ahead(b) and not self._is_straight(b, at_once):
            at_once = 1  # each goes elsewhere
        conditions += self._whole_groups(b, at_once)
        if not conditions:
            return self._copied(b, indent, at_once, b.ragged)
        return [
            f"{pad}if ({' && '.join(conditions)}) {{",
            *self._copied(b, indent + 1, at_once, b.ragged),
            f"{pad}}} else {{",
            *self._copied(b, indent + 1, 1, (True,) * len(b.counts)),
            f"{pad}}}",
        ]

    def _whole_groups(self, b: Buffer, at_once: int) -> list[str]:
        """Conditions that groups of so many neighbours begin where they can be read at once."""
        shape = self.tensors[b.tensor].shape
        rows = shape[-1:] if len(shape) > 1 else ()
        whole = Domain.of(divides(at_once, n) for n in rows)
        tests = [self.condition(whole).text] if whole != EVERYWHERE else []
        return [*tests, *self.aligned(self.names[b.tensor])] if at_once > 1 else []

    def _copied(self, b: Buffer, indent: int, at_once: int, tested: Sequence[bool]) -> list[str]:
        """The copy of elements that are in the tensor but in the `tested` dimensions, so many neighbours at once."""
        pad, counts = "  " * indent, (*b.counts[:-1], b.counts[-1] // at_once)
        grid = b.copies(self.team, at_once)
        turns, used = prod(grid.turns), prod(grid.threads)
        places = [_place(grid, d) for d in range(len(counts))]
        if at_once > 1 and places[-1]:
            places[-1] = [(False, f"({signed_sum(places[-1])}) * {at_once}")]
        named, subscripts = self._subscripts(b, places, indent + 1)
        value, buffer = self.value(Read(b.tensor, subscripts)).text, self.names[b.name]
        offsets = [_offset(b, [*places[:-1], [*places[-1], *(((False, str(k)),) if k else ())]]) for k in range(at_once)]  # fmt: skip
        stored = [self._stored(b, offsets[0], subscripts, tested)]
        if at_once > 1 and self._is_copied_ahead(b):
            stored = [f"copy_four_ahead(&{buffer}[{offsets[0]}], &{value});"]
        elif at_once > 1 and self._is_straight(b, at_once):
            stored = [f"{self.write_four(f'{buffer}[{offsets[0]}]', self.read_four(value))};"]
        elif at_once > 1:
            stored = [f"const {self.vector} four = {self.read_four(value)};"]
            stored += [f"{buffer}[{at}] = four.{c};" for at, c in zip(offsets, "xyzw", strict=True)]
        lines = [*named, *(f"{pad}  {line}" for line in stored)]
        ends = [f"{RANK} < {used}"] if used < self.team else []
        ends += [f"{signed_sum(_place(grid, d))} < {n}" for d, n in enumerate(counts) if n % grid.threads[d]]  # fmt: skip
        within = f"if ({' && '.join(ends)}) {{" if ends else "{"
        if turns == 1:
            return [pad + within, *lines, f"{pad}}}"]
        if ends:
            lines = [f"{pad}  {within}", *("  " + line for line in lines), f"{pad}  }}"]
        head = f"{pad}for (int turn = 0; turn < {turns}; turn++) {{"
        return [f"{pad}#pragma unroll", head, *lines, f"{pad}}}"]

    def _is_straight(self, b: Buffer, at_once: int) -> bool:
        """Whether so many neighbours are neighbours in the buffer too."""
        return b.order[-1] == len(b.order) - 1 and b.shape[-1] % at_once == 0

    def _is_copied_ahead(self, b: Buffer) -> bool:
        """Whether elements are copied while the threads go on: their bits are those of the tensor."""
        same = self.dtypes[b.tensor] == self.dtype in ARITHMETIC_TYPES
        return b.halves > 1 and same and bool(self.copied)

    def _stored(
        self, b: Buffer, offset: str, subscripts: Sequence[Affine], tested: Sequence[bool]
    ) -> str:
        """The copy of an element to a place in the buffer, of 0 where it is outside of the tensor in one of the `tested` dimensions."""
        place, tests = f"{self.names[b.name]}[{offset}]", self._inside(b, subscripts, tested)
        value = self.value(Read(b.tensor, tuple(subscripts))).text
        if self._is_copied_ahead(b):
            suffix, given = ("_or_zero", f", {tests}") if tests else ("", "")
            return (
                f"copy_ahead{suffix}{ELEMENT_TYPES[self.dtype].suffix}(&{place}, &{value}{given});"
            )
        return f"{place} = {tests} ? {value} : 0;" if tests else f"{place} = {value};"

    def _inside(self, b: Buffer, subscripts: Sequence[Affine], tested: Sequence[bool]) -> str:
        """The condition that an element is in the tensor, by the `tested` dimensions; empty where it is."""
        tests = []
        for d, extent in enumerate(self.tensors[b.tensor].shape):
            here = self.affine(subscripts[d]).text
            tests += [f"0 <= {here}"] if tested[d] and b.below[d] else []
            tests += [f"{here} < {self.affine(extent).text}"] if tested[d] and not b.is_within(d, extent) else []  # fmt: skip
        return " && ".join(tests)

    def _subscripts(
        self, b: Buffer, places: Sequence[SignedTexts], indent: int
    ) -> tuple[list[str], tuple[Affine, ...]]:
        """Names for the subscripts of the element with these places in the buffer, and the subscripts."""
        lines, subscripts = [], []
        for d, (low, place) in enumerate(zip(b.lows, places, strict=True)):
            step = "" if b.steps[d] == 1 else f" * {b.steps[d]}"
            first = [] if low == constant(0) else self._parts(low)
            text = signed_sum([*first, *((sign, step_of + step) for sign, step_of in place)])
            here = subscript_of(b, d)
            lines.append(f"{'  ' * indent}const {self.integer} {self.names[here]} = {text};")
            subscripts.append(symbol(here))
        return lines, tuple(subscripts)

    vector: ClassVar[str] = "float4"
    copied: ClassVar[str] = "copies_done()"  # waits for copies that were begun, if there are such

    def aligned(self, pointer: str) -> list[str]:
        """Conditions that four elements can be read at once where the pointer points to."""
        return [f"(size_t){pointer} % 16 == 0"]

    def read_four(self, element: str) -> str:
        """This element and the three behind it."""
        return f"*(const float4*)&{element}"

    def four(self, values: Iterable[str]) -> str:
        """Four values as one."""
        return f"float4{{{', '.join(values)}}}"

    def write_four(self, element: str, value: str) -> str:
        """The assignment of four values to this element and the three behind it."""
        return f"*(float4*)&{element} = {value}"

    # ------------------------------------------------------------------ lanes

    def _each_lane(self, step: Lanes, indent: int) -> Generator[Any, Any, list[str]]:
        """A loop over the lanes; one over groups of neighbours that are stored at once, where rows and the address are whole numbers of them."""
        # `super()` does not find the class, since `slots` makes another one of it.
        lines = yield CText._each_lane(self, step, indent)
        match step.body:
            case (Store(tensor, _, Read(local, ())) as store,):
                inside = EVERYWHERE
            case (Branch(Domain() as inside, (Store(tensor, _, Read(local, ())) as store,), ()),):
                pass
            case _:
                return lines
        whole = Domain.of([divides(MOST_GROUP, n) for n in self.tensors[tensor].shape[-1:]])
        alike = self.dtypes[tensor] == self.dtype == "float32" and local in self.wide
        if not alike or whole == EMPTY or not stores_groups(store, self.tile):
            return lines
        pad = "  " * indent
        known = [] if whole == EVERYWHERE else [self.condition(whole).text]
        tests = [*known, *self.aligned(self.names[tensor])]
        values = (
            f"{self.names[local]}[{at}]"
            for at in (LANE, *(f"{LANE} + {k}" for k in range(1, MOST_GROUP)))
        )
        element = self.element(tensor, store.subscripts).text
        body = [f"{self.write_four(element, self.four(values))};"]
        if inside != EVERYWHERE:
            body = [f"if ({self.condition(inside).text}) {{", f"  {body[0]}", "}"]
        mentioned = {s for within in steps_of(step.body) for s in symbols_of(within)}
        named = [f"const {self.integer} {self.names[i]} = {at};" for i, at in self.lane if i in mentioned]  # fmt: skip
        grouped = [
            "#pragma unroll",
            f"for (int {LANE} = 0; {LANE} < {self.lanes}; {LANE} += {MOST_GROUP}) {{",
            *(f"  {line}" for line in (*named, *body)),
            "}",
        ]
        if not tests:
            return [pad + line for line in grouped]
        return [
            f"{pad}if ({' && '.join(tests)}) {{",
            *(f"{pad}  {line}" for line in grouped),
            f"{pad}}} else {{",
            *("  " + line for line in lines),
            f"{pad}}}",
        ]

    # ------------------------------------------------------------------ teams

    def _team_loop(self, step: TeamLoop, indent: int) -> Generator[Any, Any, list[str]]:
        """Every thread has its part of the values; where there are no more of them than threads, one at most."""
        pad, integer, r = "  " * indent, self.integer, step.range
        i, low, (relation, high) = self.names[r.index], self.low(r.lows), self._below(r.highs)
        first = RANK if low.value == 0 else f"{low.text} + {RANK}"
        within_team = any(e.is_constant and c == 1 and e.constant < self.team for e, c in r.highs)
        if low.value == 0 and within_team and self.target == "cuda":  # C has no such `if`
            lines = [f"{pad}if (const {integer} {i} = {RANK}; {i} {relation} {high.text}) {{"]
        else:
            head = f"{integer} {i} = {first}; {i} {relation} {high.text}; {i} += {self.team}"
            lines = [f"{pad}for ({head}) {{"]
        lines += yield self._lines(step.body, indent + 1)
        lines.append(f"{pad}}}")
        if any(isinstance(s, Store) for s in steps_of(step.body)):
            lines.append(f"{pad}{self.barrier};")
        return lines

    def _held_row(self, step: HeldRow, indent: int) -> Generator[Any, Any, list[str]]:
        """What a thread has of a row, in registers: their places in the arrays are numbers once loops are unrolled."""
        held = replace(self, wide=self.wide.union(step.wide), at="turn", lanes=step.count)
        arrays = ", ".join(f"{self.names[t]}[{step.count}]" for t in step.wide)
        pad, lines = "  " * indent, []
        if step.wide:
            lines.append(f"{pad}{REAL[self.dtype]} {arrays};")
        if any(self._is_of_all_rows(p) for p in steps_of(step.body)):
            lines.append(f"{pad}const int {MINE} = anew({RANK});")
        return lines + (yield held._lines(step.body, indent))

    def _is_of_all_rows(self, step: Step) -> bool:
        """Whether it is a pass that reads the same elements in every row: compilers would read them before the first one, and keep them."""
        if not (isinstance(step, TeamLoop) and step.held):
            return False
        read = (e for e in reads_of(step.body) if step.range.index in e.symbols)
        return any(e.symbols.isdisjoint(self.box) for e in read)

    def _held_pass(self, step: TeamLoop, indent: int) -> Generator[Any, Any, list[str]]:
        """The thread's elements of the row, one each turn."""
        pad, index, trips = "  " * indent, step.range.index, step.range.trips
        assert trips is not None, "a row in registers of an unknown length"
        mentioned = {s for within in steps_of(step.body) for s in symbols_of(within)}
        lines = [f"{pad}#pragma unroll", f"{pad}for (int turn = 0; turn < {self.lanes}; turn++) {{"]
        if index in mentioned or trips % self.team:
            place = MINE if self._is_of_all_rows(step) else RANK
            element = f"{place} + turn * {self.team}"
            lines.append(f"{pad}  const {self.integer} {self.names[index]} = {element};")
        if trips % self.team:
            lines.append(f"{pad}  if ({self.names[index]} < {trips}) {{")
            lines += yield self._lines(step.body, indent + 2)
            lines.append(f"{pad}  }}")
        else:
            lines += yield self._lines(step.body, indent + 1)
        return [*lines, f"{pad}}}"]

    def _team_scan(self, step: TeamScan, indent: int) -> Generator[Any, Any, list[str]]:
        """As many values at a time as the team has threads; all threads know the sum of those before."""
        pad, real, integer = "  " * indent, REAL[self.dtype], self.integer
        local, partial = self.names[step.local], self.names[part(step.local)]
        i, low, end = self._span(step.range).values()
        within = replace(self, names={**self.names, step.local: partial})
        lines = [
            f"{pad}for ({integer} first = {low}; first < {end}; first += {self.team}) {{",
            f"{pad}  const {integer} {i} = first + {RANK};",
            f"{pad}  {real} {partial} = {self.value(Const(NEUTRAL[step.op])).text};",
            f"{pad}  if ({i} < {end}) {{",
        ]
        lines += yield within._lines(step.before, indent + 2)
        lines.append(f"{pad}  }}")
        whole = self.names[step.whole] if step.carried else "all"
        lines.append(f"{pad}  const {real} {whole} = {self.running(step.op, partial)};")
        lines.append(f"{pad}  if ({i} < {end}) {{")
        lines.append(f"{pad}    {self._accumulate(partial, step.op, name(local))}")
        lines += yield within._lines(step.after, indent + 2)
        lines.append(f"{pad}  }}")
        lines += yield self._lines(step.carried, indent + 1)
        if not step.carried:
            lines.append(f"{pad}  {self._accumulate(local, step.op, name(whole))}")
        return [*lines, f"{pad}}}", f"{pad}{self.barrier};"]

    def of_team(self, function: str, *arguments: str) -> str:
        """A call of a function of the target's template of teams."""
        machine = self.machine
        assert (machine.warp, machine.block, machine.column) == (32, 256, 8), (
            "which the template is for"
        )
        called = f"{machine.team_name(self.team)}_{function}{ELEMENT_TYPES[self.dtype].suffix}"
        return f"{called}({', '.join(arguments)})"

    def running(self, op: ReduceOp, local: str) -> str:
        """The sum over the team, where `local` becomes that of the threads up to this one."""
        return self.of_team(f"running_{op}", local)

    def shared(self, body: tuple[Step, ...]) -> list[str]:
        """Declarations of memory shared by a team, for the beginning of a kernel of these steps."""
        return []

    def declared(self, b: Buffer) -> list[str]:
        """The declaration of a buffer, where its tile begins."""
        return [f"alignas(16) __shared__ {REAL[self.dtype]} {self.array(b)};"]

    def array(self, b: Buffer) -> str:
        """The name of a buffer with its extents."""
        halves = f"[{b.halves}]" if b.halves > 1 else ""
        return f"{self.names[b.name]}{halves}[{b.size}]"

    @property
    def barrier(self) -> str:
        return "__syncwarp()" if self.team == self.machine.warp else "__syncthreads()"

    def _team_sums(self, step: TeamSums, indent: int) -> Generator[Any, Any, list[str]]:
        """Parts of the sums, and their sum over the team."""
        pad, real = "  " * indent, REAL[self.dtype]
        partials = {s: self.names[part(s)] for s, _ in step.sums}
        parts = replace(self, names={**self.names, **partials})
        parts = parts if self.tile else replace(parts, wide=self.wide.difference(partials))
        lines = [f"{pad}{{"]
        for s, op in step.sums:
            neutral = Const(NEUTRAL[op])
            if s in parts.wide:
                lines.append(f"{pad}  {real} {partials[s]}[{self.lanes}];")
                lines += yield parts._lines((Lanes((Assign(s, neutral),)),), indent + 1)
            else:
                lines.append(f"{pad}  {real} {partials[s]} = {self.value(neutral).text};")
        lines += yield parts._lines(step.body, indent + 1)
        for s, op in step.sums:
            if s in parts.wide:
                of_lane = replace(self, at=LANE)
                whole = atom(self.of_team(op, replace(parts, at=LANE).local(s).text))
                added = of_lane._accumulate(of_lane.local(s).text, op, whole)
                head = f"{pad}  for (int {LANE} = 0; {LANE} < {self.lanes}; {LANE}++) {{"
                lines += [f"{pad}  #pragma unroll", head, f"{pad}    {added}", f"{pad}  }}"]
            else:
                whole = atom(self.of_team(op, partials[s]))
                lines.append(f"{pad}  {self._accumulate(self.local(s).text, op, whole)}")
        return [*lines, f"{pad}}}"]


def tile_count(t: TileIndex, text: CText) -> Text:
    """The number of tiles that cover the extent."""
    if t.extent.is_constant:
        return text.affine(constant(-(-t.extent.constant // t.values)))
    covered = bracketed(text.affine(t.extent + (t.values - 1)), Precedence.PRODUCT)
    return Text(f"{covered} / {t.values}", Precedence.PRODUCT)


def _whole(step: Tile) -> Domain:
    """The conditions that all points of a tile are in the region."""

    def worst(coefficient: int, index: Symbol) -> Affine:
        return symbol((first_of if coefficient > 0 else last_of)(index))

    return Domain.of(
        c.substitute({t.index: worst(c.form.coefficient(t.index), t.index) for t in step.indices})
        for c in step.region
    )


def _tests(b: Buffer, tensor: Tensor) -> Iterator[list[Condition]]:
    """For each dimension the conditions that all elements of the buffer are in the tensor."""
    for d, (low, extent) in enumerate(zip(b.lows, tensor.shape, strict=True)):
        last = low + b.steps[d] * (b.counts[d] - 1)
        below = [at_least_zero(low)] if b.below[d] else []
        yield below if b.is_within(d, extent) else [*below, at_least_zero(extent - 1 - last)]


def _digit(number: str, inner: int, count: int, whole: int) -> str:
    """The digit of a number below `whole`: of `count` values, and `inner` values of the digits after it."""
    digit = number if inner == 1 else f"{number} / {inner}"
    return f"{digit} % {count}" if inner * count < whole else digit


def _place(grid: Copies, d: int) -> SignedTexts:
    """The place in a dimension of the thread `rank` of a grid in the turn `turn`; nothing where it is 0."""
    threads, turns, terms = grid.threads[d], grid.turns[d], []
    if threads > 1:
        terms.append(_digit(RANK, prod(grid.threads[d + 1 :]), threads, prod(grid.threads)))
    if turns > 1:
        turn = _digit("turn", prod(grid.turns[d + 1 :]), turns, prod(grid.turns))
        turn = f"({turn})" if " " in turn else turn
        terms.append(f"{turn} * {threads}" if threads > 1 else turn)
    return [(False, term) for term in terms]


def _offset(b: Buffer, places: Sequence[SignedTexts]) -> str:
    """The place in the buffer's memory of the element with these places in its dimensions."""
    offset: SignedTexts = []
    for d, count in zip(b.order, b.shape, strict=True):
        if offset and count != 1:
            offset = [(False, f"({signed_sum(offset)}) * {count}")]
        offset += places[d]
    return signed_sum(offset)


def _in_groups(t: TileIndex, rank: str, number: str) -> str:
    """The position in a block's tile of value `number` of the thread `rank`."""
    if t.count == 1:
        return rank
    if t.group == t.count:
        return f"{rank} * {t.count} + {number}"
    if t.group == 1:
        return f"{rank} + {number} * {t.threads}"
    return (
        f"{rank} * {t.group} + {number} % {t.group} + {number} / {t.group} * {t.group * t.threads}"
    )
