"""Steps that only kernels of a GPU have, as CUDA: what teams of threads share, and tiles of points."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, assert_never

from tadc.emit.clike.spelling import Precedence, Target, Text, bracketed, name
from tadc.emit.clike.text import REAL, CText, part
from tadc.ir.affine import Symbol, constant, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import NEUTRAL, Const, Read, ReduceOp
from tadc.ir.program import Tensor
from tadc.schedule.gpu.cost import WARP
from tadc.schedule.nest.loop_nest import (
    Barrier,
    Buffer,
    GpuStep,
    Leader,
    Staged,
    Step,
    Store,
    TeamLoop,
    TeamScan,
    TeamSums,
    Tile,
    TileIndex,
    beyond,
    buffers_of,
    first_of,
    has_loops,
    last_of,
    place_of,
    steps_of,
)

__all__ = ["IN_PARTS", "LANE", "RANK", "GpuText", "subscript_of", "tile_count"]

RANK = "rank"  # of a thread in its team
LANE = "lane"  # of a tile
IN_PARTS = ("first", "last", "all", "n")  # where a team does a loop part by part


def subscript_of(buffer: Buffer, dimension: int) -> str:
    """The name of a subscript of the element that is copied to a buffer."""
    return f"{buffer.name}\u2032_{dimension}"


@dataclass(frozen=True, slots=True)
class GpuText(CText):
    """Prints a kernel of a GPU. A point, or a tile of them, is computed by a team of so many threads."""

    team: int = 1

    target: ClassVar[Target] = "cuda"

    def _of_gpu(self, step: GpuStep, indent: int) -> Generator[Any, Any, list[str]]:
        pad = "  " * indent
        match step:
            case Tile():
                return (yield self._tile(step, indent))
            case Staged():
                return (yield self._staged(step, indent))
            case TeamLoop():
                return (yield self._team_loop(step, indent))
            case TeamSums():
                return (yield self._team_sums(step, indent))
            case TeamScan():
                return (yield self._team_scan(step, indent))
            case Leader(body):
                inner = yield self._lines(body, indent + 1)
                return [f"{pad}if ({RANK} == 0) {{", *inner, f"{pad}}}"]
            case Barrier():
                return [f"{pad}{self.barrier};"]
            case _:
                assert_never(step)

    # ------------------------------------------------------------------ tiles

    def _tile(self, step: Tile, indent: int) -> Generator[Any, Any, list[str]]:
        """The lanes of a tile, the last index innermost."""
        pad = "  " * indent
        lanes = prod(t.count for t in step.indices)
        lines = []
        buffers = buffers_of((step,))
        for b in buffers:
            lines += [pad + line for line in self.declared(b)]
        names = {**self.names}
        edge, inside, inner, beside = [], [], 1, 1
        for t in reversed(step.indices):
            own = LANE if inner == 1 else f"{LANE} / {inner}"
            if inner * t.count < lanes:
                own += f" % {t.count}"
            inner *= t.count
            names |= self._ends(t)
            if t.threads > 1:
                rank = RANK if beside == 1 else f"{RANK} / {beside}"
                rank += f" % {t.threads}" if beside * t.threads < step.team else ""
                beside *= t.threads
                own = _in_groups(t, rank, own)
                names[place_of(t.index)] = f"({own})"
            place = self._in_tile(t, own)
            names[beyond(t.index)] = f"({place.text})"
            last = [] if t.fits else [self.affine(t.extent - 1)]
            inside.append((t.index, place.text))
            edge.append((t.index, self._extreme("min", [place, *last]).text))
        tensors = {b.name: Tensor(b.name, tuple(map(constant, b.shape))) for b in buffers}
        tile = replace(
            self,
            names=names,
            lane=tuple(edge),
            lanes=lanes,
            tensors={**self.tensors, **tensors},
            dtypes={**self.dtypes, **dict.fromkeys(tensors, self.dtype)},
        )
        if not step.inside:
            return lines + (yield tile._in_lanes(step.body, step.wide, indent))
        tests = Domain.of(
            c.substitute(
                {
                    t.index: symbol(
                        (first_of if c.form.coefficient(t.index) > 0 else last_of)(t.index)
                    )
                    for t in step.indices
                }
            )
            for c in step.region
        )
        lines.append(f"{pad}if ({tile.condition(tests).text}) {{")
        within = replace(tile, lane=tuple(inside))
        lines += yield within._in_lanes(step.inside, step.inside_wide, indent + 1)
        lines.append(f"{pad}}} else {{")
        lines += yield tile._in_lanes(step.body, step.wide, indent + 1)
        return [*lines, f"{pad}}}"]

    def _in_lanes(
        self, steps: Sequence[Step], wide: Sequence[str], indent: int
    ) -> Generator[Any, Any, list[str]]:
        """The steps, with arrays for the locals that have a value a lane."""
        arrays = ", ".join(f"{self.names[t]}[{self.lanes}]" for t in wide)
        lines = [f"{'  ' * indent}{REAL[self.dtype]} {arrays};"] if wide else []
        laned = replace(self, names={**self.names, **{t: f"{self.names[t]}[lane]" for t in wide}})
        return lines + (yield laned._lines(steps, indent))

    def _ends(self, t: TileIndex) -> dict[Symbol, str]:
        """The first and the last value of the index in a tile."""
        first = self.names[part(t.index)]
        last = f"({self._in_tile(t, str(t.values - 1)).text})"
        if not t.apart or t.threads > 1:
            first = f"{first} * {t.values}"
        return {first_of(t.index): first, last_of(t.index): last}

    def _in_tile(self, t: TileIndex, own: str) -> Text:
        """The index with the number `own` among those of a tile."""
        first = self.names[part(t.index)]
        if t.apart and t.threads == 1:
            return Text(f"{first} + {own} * {bracketed(tile_count(t, self), Precedence.UNARY)}", Precedence.SUM)  # fmt: skip
        return Text(f"{first} * {t.values} + {own}", Precedence.SUM)

    def _staged(self, step: Staged, indent: int) -> Generator[Any, Any, list[str]]:
        """A loop part by part: the block fills its buffers, and then reads them."""
        pad, integer, i = "  " * indent, self.integer, self.names[step.index]
        low, end = self.low(step.lows), self._end(step.highs)
        names = {first_of(step.index): "first", place_of(step.index): f"({i} - first)"}
        own = replace(self, names={**self.names, **names})
        lines = [f"{pad}for ({integer} first = {low}; first < {end}; first += {step.count}) {{"]
        for b in step.buffers:
            lines += own._filled(b, indent + 1)
        last = self._extreme("min", [Text(f"first + {step.count}", Precedence.SUM), name(end)])
        lines += [f"{pad}  {self.barrier};", f"{pad}  const {integer} last = {last.text};"]
        lines += [] if has_loops(step.body) else [f"{pad}  #pragma unroll 4"]
        lines.append(f"{pad}  for ({integer} {i} = first; {i} < last; {i}++) {{")
        lines += yield own._lines(step.body, indent + 2)
        return [*lines, f"{pad}  }}", f"{pad}  {self.barrier};", f"{pad}}}"]

    def _filled(self, b: Buffer, indent: int) -> list[str]:
        """Neighbours copy neighbours of the tensor; what is outside of it is 0."""
        pad, integer = "  " * indent, self.integer
        shape = self.tensors[b.tensor].shape
        size = prod(b.counts)
        lines = [f"{pad}for (int n = {RANK}; n < {size}; n += {self.team}) {{"]
        places: list[str] = []
        inner = 1
        for count in reversed(b.counts):
            place = "n" if inner == 1 else f"n / {inner}"
            place += f" % {count}" if inner * count < size else ""
            inner *= count
            places.insert(0, place if count > 1 else "")
        names = {**self.names}
        subscripts, tests = [], []
        for d, (low, place) in enumerate(zip(b.lows, places, strict=True)):
            here = names[subscript_of(b, d)]
            text = self.affine(low).text
            if place:
                scaled = place if b.steps[d] == 1 else f"{place} * {b.steps[d]}"
                text = scaled if text == "0" else f"{text} + {scaled}"
            lines.append(f"{pad}  const {integer} {here} = {text};")
            subscripts.append(symbol(subscript_of(b, d)))
            tests += [f"0 <= {here}"] if b.below[d] else []
            if not b.is_within(d, shape[d]):
                tests.append(f"{here} < {self.affine(shape[d]).text}")
        own = [places[d] or "0" for d in b.order]
        offset = ""
        for place, count in zip(own, b.shape, strict=True):
            if offset not in {"", "0"}:
                scaled = offset if count == 1 else f"({offset}) * {count}"
                place = scaled if place == "0" else f"{scaled} + {place}"
            offset = place
        value = self.value(Read(b.tensor, tuple(subscripts))).text
        target = f"{self.names[b.name]}[{offset}]"
        element = f"{' && '.join(tests)} ? {value} : 0" if tests else value
        lines.append(f"{pad}  {target} = {element};")
        return [*lines, f"{pad}}}"]

    # ------------------------------------------------------------------ teams

    def _team_loop(self, step: TeamLoop, indent: int) -> Generator[Any, Any, list[str]]:
        """Every thread has its part of the values; where there are no more of them than threads, one at most."""
        pad, integer, i = "  " * indent, self.integer, self.names[step.index]
        low, (relation, high) = self.low(step.lows), self._below(step.highs)
        first = RANK if low == "0" else f"{low} + {RANK}"
        few = any(e.is_constant and c == 1 and e.constant < self.team for e, c in step.highs)
        if low == "0" and few and self.target == "cuda":  # C has no such `if`
            lines = [f"{pad}if (const {integer} {i} = {RANK}; {i} {relation} {high}) {{"]
        else:
            head = f"{integer} {i} = {first}; {i} {relation} {high}; {i} += {self.team}"
            lines = [f"{pad}for ({head}) {{"]
        lines += yield self._lines(step.body, indent + 1)
        lines.append(f"{pad}}}")
        if any(isinstance(s, Store) for s in steps_of(step.body)):
            lines.append(f"{pad}{self.barrier};")
        return lines

    def _team_scan(self, step: TeamScan, indent: int) -> Generator[Any, Any, list[str]]:
        """As many values at a time as the team has threads; all threads know the sum of those before."""
        pad, real, integer = "  " * indent, REAL[self.dtype], self.integer
        i, local, own = self.names[step.index], self.names[step.local], self.names[part(step.local)]
        low, end = self.low(step.lows), self._end(step.highs)
        within = replace(self, names={**self.names, step.local: own})
        lines = [
            f"{pad}for ({integer} first = {low}; first < {end}; first += {self.team}) {{",
            f"{pad}  const {integer} {i} = first + {RANK};",
            f"{pad}  {real} {own} = {self.value(Const(NEUTRAL[step.op])).text};",
            f"{pad}  if ({i} < {end}) {{",
        ]
        lines += yield within._lines(step.before, indent + 2)
        lines.append(f"{pad}  }}")
        whole = self.names[step.whole] if step.carried else "all"
        lines.append(f"{pad}  const {real} {whole} = {self.running(step.op, own)};")
        lines.append(f"{pad}  if ({i} < {end}) {{")
        lines.append(f"{pad}    {self._accumulate(own, step.op, name(local))}")
        lines += yield within._lines(step.after, indent + 2)
        lines.append(f"{pad}  }}")
        lines += yield self._lines(step.carried, indent + 1)
        if not step.carried:
            lines.append(f"{pad}  {self._accumulate(local, step.op, name(whole))}")
        return [*lines, f"{pad}}}", f"{pad}{self.barrier};"]

    def of_team(self, function: str, value: str) -> str:
        """A call of a function of `teams.cuh`."""
        group = "warp" if self.team == WARP else "block"
        return f"{group}_{function}{'f' if self.dtype == 'float32' else ''}({value})"

    def running(self, op: ReduceOp, local: str) -> str:
        """The sum over the team, where `local` becomes that of the threads up to this one."""
        return self.of_team(f"running_{op}", local)

    def declared(self, b: Buffer) -> list[str]:
        """The declaration of a buffer, where its tile begins."""
        return [f"alignas(16) __shared__ {REAL[self.dtype]} {self.names[b.name]}[{prod(b.shape)}];"]

    @property
    def barrier(self) -> str:
        return "__syncwarp()" if self.team == WARP else "__syncthreads()"

    def _team_sums(self, step: TeamSums, indent: int) -> Generator[Any, Any, list[str]]:
        """Parts of the sums, and their sum over the team."""
        pad, real = "  " * indent, REAL[self.dtype]
        own = {s: self.names[part(s)] for s, _ in step.sums}
        parts = replace(self, names={**self.names, **own})
        lines = [f"{pad}{{"]
        for s, op in step.sums:
            neutral = self.value(Const(NEUTRAL[op])).text
            lines.append(f"{pad}  {real} {own[s]} = {neutral};")
        lines += yield parts._lines(step.body, indent + 1)
        for s, op in step.sums:
            whole = name(self.of_team(op, own[s]))
            lines.append(f"{pad}  {self._accumulate(self.names[s], op, whole)}")
        return [*lines, f"{pad}}}"]


def tile_count(t: TileIndex, text: CText) -> Text:
    """How many tiles cover the extent."""
    if t.extent.is_constant:
        return text.affine(constant(-(-t.extent.constant // t.values)))
    covered = bracketed(text.affine(t.extent + (t.values - 1)), Precedence.PRODUCT)
    return Text(f"{covered} / {t.values}", Precedence.PRODUCT)


def _in_groups(t: TileIndex, rank: str, own: str) -> str:
    """Which value of a block's tile it is that the thread `rank` has as its `own`."""
    if t.count == 1:
        return rank
    if t.group == t.count:
        return f"{rank} * {t.count} + {own}"
    return f"{rank} * {t.group} + {own} % {t.group} + {own} / {t.group} * {t.group * t.threads}"
