"""A call on Dask arrays: each tensor that is kept becomes one, a task a block, which gets the pieces that its footprint names."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, product
from math import prod
from typing import Any

import dask.array as da
import numpy as np
from dask._task_spec import Task, TaskRef
from dask.array.utils import meta_from_array
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from tadc import compiler
from tadc.blocks.block import Blocked, first_value
from tadc.blocks.boxes import Box, Interval, count, extents
from tadc.blocks.footprints import index_range, is_computed
from tadc.dask.choices import TIMES, Choices, kept
from tadc.dask.chunks import chunks_between, cuts_of
from tadc.dask.plan import Plan, TensorPlan
from tadc.dask.sections import OneCall, parts_of_sections, section_at, usual_sizes
from tadc.dask.sources import Fetched, Graph, Key, Source, intervals
from tadc.dask.tasks import (
    Code,
    Section,
    Sizes,
    combine,
    combine_sections,
    filled,
    run_block,
    run_sections,
)
from tadc.dask.whole_chunks import WholeChunks
from tadc.errors import ArgumentError, Error
from tadc.ir.element_types import arithmetic
from tadc.ir.expr import Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder
from tadc.options import ROWS, Options
from tadc.printing.idx import program_text
from tadc.runtime.run import resolved_backend
from tadc.schedule.sections import Sections

__all__ = ["LazyCall"]

FAN_IN = 8  # of the tree that combines the parts of a reduction
FEWER = 4  # a reduction is split where its target has fewer blocks than one in so many of the chunks it reads
MOST_TASKS = 100_000
Chunks = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The graph of a tensor, and what a task of it holds at most, with the block that does."""

    graph: Graph
    key: str
    block: Blocked
    code: Code
    task_bytes: int
    largest: Box
    moved: int
    blocks: int
    undecided: bool
    example: dict[str, int]
    chunks: WholeChunks


class LazyCall:
    """The Dask arrays of a program. `sources` are those of the inputs, and of tensors that there are already."""

    def __init__(
        self,
        program: Program,
        options: Options,
        sources: Mapping[str, Source],
        sizes: Mapping[str, int],
        dtype: str,
        choices: Choices,
        follow: Mapping[str, str],
        residuals: Collection[str] = (),
        one_call: Program | None = None,
    ) -> None:
        self.program = program
        self.sizes = sizes
        self.dtype = dtype
        self.choices = choices
        self.follow = follow  # the input whose chunks a gradient has
        self.sources = dict(sources)
        # With the names in the program of what a call on one machine computes.
        self.one_call = OneCall(one_call or program, sizes, dtype, options)
        self.readers: dict[str, str] = {}  # of reductions that became statements of their own
        self.moved: dict[str, tuple[str, ...] | None] = {}  # what was asked for, where that is now
        self.memory = options.memory
        self.memory_limit = choices.memory_limit(options.memory_limit)
        block_options = replace(options, threads=1, memory_limit=self.memory_limit)
        self.options = _options(program, block_options, dtype)
        self.backend = resolved_backend(options.backend)
        self.tensors: list[TensorPlan] = []
        self.blocks: dict[str, Program] = {}
        self.codes: dict[str, tuple[Code, dict[str, int]]] = {}  # with the sizes of a block
        stored = kept(program, sizes, dtype, choices, residuals)
        self.inside = [s.target.name for s in program.statements if s.target.name not in stored]
        for s in program.statements:
            if s.target.name in stored and s.target.name not in self.sources:
                for part in self._with_long_sums_apart(s):
                    self.sources[part.target.name] = Source(self._array(part), self._slices)
        tasks = sum(t.tasks for t in self.tensors)
        if tasks > MOST_TASKS:
            warnings.warn(
                f"this call has {tasks} tasks: larger chunks have fewer, and `tadc.dask.wrap(f).advice(..)` proposes some",
                stacklevel=4,
            )

    @property
    def plan(self) -> Plan:
        return Plan(tuple(map(self._told, self.tensors)), self.backend)

    def _told(self, t: TensorPlan) -> TensorPlan:
        """What the plan says of a tensor: whether its sums are added up as in one call is looked at here, since it takes time."""
        adds = any(
            isinstance(e, Reduce) and e.op in ("sum", "prod")
            for name in (t.name, *t.inside)
            for e in postorder(self.program.definitions[name].body)
        )
        if t.split or not adds:
            return t
        if compiler.reads_data(self.program):  # the lists of a block are other ones
            return replace(t, has_bits_of_one_call=False)
        if self.backend != "native":
            return t
        code, sizes = self.codes[t.name]
        block = replace(self.blocks[t.name], usual=code.usual)
        reader = self.readers.get(t.name, t.name)
        return replace(
            t, has_bits_of_one_call=self.one_call.adds_up_alike(block, t.name, sizes, reader)
        )

    def array(self, name: str) -> Any:
        """The Dask array of an output or another tensor that is kept."""
        source = self.sources[name]
        if source.is_lazy:
            return source.array
        return da.from_array(source.array, chunks=source.chunks)

    @property
    def _slices(self) -> bool:
        return bool(self.choices.slices)

    # ------------------------------------------------------------------ a tensor

    def _array(self, s: Statement) -> Any:
        """The Dask array of a statement's tensor: with smaller chunks or parts where a task would hold too much."""
        name = s.target.name
        shape = s.target.shape_at(self.sizes)
        chunks, free = self._chunks(s, shape)
        parts = self._parts(s, chunks)
        sections, kept = self._sections(s, chunks, parts)
        attempt = self._attempt(s, chunks, kept, sections)
        while attempt.task_bytes > self.choices.limit:
            smaller = _halved(chunks, free)
            if sections is not None:
                sections = None
            elif smaller is not None:
                chunks = smaller
            elif not parts and self._asked_indices(name) is None and (more := self._possible(s)):
                parts = more
            else:
                raise self._too_large(s, attempt)
            attempt = self._attempt(s, chunks, parts, None)
        self.tensors.append(
            TensorPlan(
                name,
                chunks,
                tuple(attempt.block.through),
                tuple(parts),
                _has_bits_of_one_call(s, parts, sections),
                attempt.blocks,
                len(attempt.graph),
                attempt.task_bytes,
                attempt.moved,
                attempt.undecided,
                attempt.code.text,
            )
        )
        self.codes[name] = attempt.code, attempt.example
        self.blocks[name] = attempt.block.program
        read = dict.fromkeys(attempt.block.tensors.values())
        lazy = {
            self.sources[t].array.name: self.sources[t].array
            for t in sorted(read, key=lambda t: not self.sources[t].is_on_gpu)
            if self.sources[t].is_lazy
        }
        layer = attempt.chunks.layer(attempt.key, attempt.code) or attempt.graph
        graph = HighLevelGraph.from_collections(
            attempt.key, layer, dependencies=list(lazy.values())
        )
        like = next(iter(lazy.values()))._meta if lazy else np.empty(0)
        meta = meta_from_array(like, ndim=len(shape), dtype=self._type(name))
        return da.Array(graph, attempt.key, chunks=chunks, meta=meta)

    def _type(self, name: str) -> np.dtype[Any]:
        tensor = self.program.tensors[name]
        outside = name in self.program.outputs
        return np.dtype(tensor.dtype or (self.dtype if outside else arithmetic(self.dtype)))

    def _attempt(
        self,
        s: Statement,
        chunks: Chunks,
        parts: Mapping[str, list[Interval]],
        sections: Sections | None,
    ) -> _Attempt:
        name = s.target.name
        whole = tuple(d for d, c in enumerate(chunks) if sum(map(bool, c)) == 1)
        through = self._through(s)
        if sections is None:
            block = compiler.blocked_program(self.program, name, whole, tuple(parts), through)
        else:
            block = compiler.section_program(self.program, name, whole, sections.index, through)
        usual = usual_sizes(block, self.sizes, sections)
        code = Code(program_text(block.program), self.options, usual, sections is not None)
        arrays = [
            self.sources[t].array.name if self.sources[t].is_lazy else self.sources[t].array
            for t in block.tensors.values()
        ]
        token = tokenize(code, self.sizes, arrays, chunks, parts, self._slices, self.dtype)
        numblocks = tuple(map(len, chunks))
        key = f"{self.program.name}-{name}-{token}"
        made = _Layer(self, s, block, code, key, numblocks, sections)
        for at in product(*(range(len(c)) for c in chunks)):
            box = tuple(intervals(c)[k] for c, k in zip(chunks, at, strict=True))
            made.add(at, box, parts)
        return _Attempt(
            made.graph,
            made.key,
            block,
            code,
            made.task_bytes
            + _temporaries(
                block.program,
                tuple(made.example.items()),
                self.dtype,
                self.memory,
                self.memory_limit,
            ),
            made.largest,
            made.moved,
            made.blocks,
            made.undecided,
            made.example,
            made.chunks,
        )

    def _through(self, s: Statement) -> tuple[str, ...]:
        """The intermediates inside, in order, that the statement needs."""
        needed: set[str] = set()
        waiting = [s]
        while waiting:
            for t in waiting.pop().reads:
                if t in self.inside and t not in needed and t not in self.sources:
                    needed.add(t)
                    waiting.append(self.program.definitions[t])
        return tuple(t for t in self.inside if t in needed)

    # ------------------------------------------------------------------ chunks and parts

    def _chunks(self, s: Statement, shape: tuple[int, ...]) -> tuple[Chunks, list[int]]:
        """The chunks of the target, and the dimensions whose chunks nothing says."""
        name = s.target.name
        if name in self.choices.chunks:
            return _given_chunks(name, self.choices.chunks[name], shape, self._type(name)), []
        if name in self.follow and self.follow[name] in self.sources:
            return self.sources[self.follow[name]].chunks, []
        cuts = [cuts_of(self.program, s, i, self.sources) for i in s.indices]
        chunks = tuple(chunks_between(0, n, c) for n, c in zip(shape, cuts, strict=True))
        return chunks, [d for d, c in enumerate(cuts) if not c]

    def _parts(self, s: Statement, chunks: Chunks) -> dict[str, list[Interval]]:
        """The parts of the reduction that are computed by themselves: where there are few blocks, or where the user says so."""
        asked = self._asked_indices(s.target.name)
        if asked is not None:
            return self._asked(s, asked)
        return self._possible(s) if self._has_few_blocks(s, chunks) else {}

    def _sections(
        self, s: Statement, chunks: Chunks, parts: Mapping[str, list[Interval]]
    ) -> tuple[Sections | None, Mapping[str, list[Interval]]]:
        """The sections of one call that the parts of a sum can be made of, and such parts; None, and the parts as they are."""
        is_sum = isinstance(s.body, Reduce) and s.body.op in ("sum", "prod")
        if len(parts) != 1 or prod(map(len, chunks)) != 1 or not is_sum:
            return None, parts
        if self.backend != "native" or any(source.is_on_gpu for source in self.sources.values()):
            return None, parts
        ((index, between),) = parts.items()
        name, through = s.target.name, self._through(s)
        reader = self.readers.get(name, name)
        sections = self.one_call.sections(self.program, name, through, reader)
        if sections is None or sections.index != index:
            return None, parts
        cut = parts_of_sections(sections, between)
        return (sections, {index: cut}) if len(cut) > 1 else (None, parts)

    def _has_few_blocks(self, s: Statement, chunks: Chunks) -> bool:
        """Whether the target has few blocks beside the chunks that these read."""
        inside = (self.program.definitions[t] for t in self._through(s))
        read = {t for statement in (s, *inside) for t in statement.reads if t in self.sources}
        return FEWER * prod(map(len, chunks)) < sum(self.sources[t].blocks for t in read)

    def _with_long_sums_apart(self, s: Statement) -> tuple[Statement, ...]:
        """The statement; where reductions inside of its right side are to be split, after statements of these, which the program
        has from then on. So is a sum with a factor that one call multiplies by when all is added up.

        They become Dask arrays, as what a reduction makes is.
        """
        name = s.target.name
        asked = self._asked_indices(name)
        is_sum = isinstance(s.body, Reduce)
        if self.choices.split is None or asked == () or (is_sum and self.backend != "native"):
            return (s,)
        if not any(isinstance(e, Reduce) for e in postorder(s.body)):
            return (s,)
        apart = compiler.with_reductions_apart(self.program, s)
        chunks, _ = self._chunks(s, s.target.shape_at(self.sizes))
        if len(apart) == 1 or (asked is None and self._is_small_enough(s, apart, chunks)):
            return (s,)
        if is_sum:
            self.moved |= {apart[0].target.name: asked, name: None}
        every = (apart if t.target.name == name else (t,) for t in self.program.statements)
        self.program = replace(self.program, statements=tuple(chain.from_iterable(every)))
        self.readers |= {t.target.name: name for t in apart}
        return apart

    def _is_small_enough(self, s: Statement, apart: Sequence[Statement], chunks: Chunks) -> bool:
        """Whether the blocks of the statement may read whole what its reductions read, or these would make more than may be kept."""
        outside = {*(t.name for t in self.program.inputs), *self.program.outputs}
        size = replace(self.program, statements=tuple(apart)).bytes_at(self.sizes, self.dtype)
        made = sum(size[t.target.name] for t in apart[:-1])
        if made > TIMES * sum(n for t, n in size.items() if t in outside):
            return True
        if self._has_few_blocks(s, chunks):
            return False
        return self._attempt(s, chunks, {}, None).task_bytes <= self.choices.limit

    def _possible(self, s: Statement) -> dict[str, list[Interval]]:
        """The parts of all indices of the reduction that chunks cut, if the statement is one."""
        found = {}
        for k in s.body.indices if isinstance(s.body, Reduce) else ():
            between = self._cut(s, k)
            if len(between) > 1:
                found[k] = between
        return found

    def _asked_indices(self, name: str) -> tuple[str, ...] | None:
        """The indices of a tensor's reduction that are to be in parts, if that was chosen."""
        return self.moved.get(name, self.choices.indices(name))

    def _asked(self, s: Statement, names: tuple[str, ...]) -> dict[str, list[Interval]]:
        name = s.target.name
        if names and not isinstance(s.body, Reduce):
            raise ArgumentError(
                None,
                f"`{name}` is no reduction as a whole, and has no parts",
                fix="make the reduction a statement of its own, or leave it out of `split`",
            )
        for k in names:
            assert isinstance(s.body, Reduce)
            if k not in s.body.indices:
                raise ArgumentError(
                    None,
                    f"`{k}` is no index of the reduction of `{name}`",
                    fix=f"its indices are {', '.join(s.body.indices)}",
                )
        return {k: c for k in names if len(c := self._cut(s, k)) > 1}

    def _cut(self, s: Statement, index: str) -> list[Interval]:
        """An index of the reduction where chunks cut it."""
        ends = index_range(self.program, s.target.name, index, self.sizes)
        if ends is None:
            return []
        low, high = ends
        if low < first_value(self.program, s, index).at(self.sizes):
            return []  # offsets are not negative
        cuts = cuts_of(self.program, s, index, self.sources)
        return [(a + low, b + low) for a, b in intervals(chunks_between(low, high, cuts))]

    def _too_large(self, s: Statement, attempt: _Attempt) -> Error:
        box = ", ".join(f"{low}:{high}" for low, high in attempt.largest)
        inputs = ", ".join(dict.fromkeys(attempt.block.tensors.values()))
        return ArgumentError(
            None,
            f"a task that computes {s.target.name}[{box}] holds {attempt.task_bytes} bytes, and the limit is {self.choices.limit:.0f}",
            fix=f"give smaller chunks to {inputs} or `chunks={{'{s.target.name}': ..}}`, or a larger `limit`",
        )


class _Layer:
    """The tasks of a tensor, block after block."""

    def __init__(
        self,
        call: LazyCall,
        s: Statement,
        block: Blocked,
        code: Code,
        key: str,
        numblocks: tuple[int, ...],
        sections: Sections | None,
    ) -> None:
        self.call, self.statement, self.block = call, s, block
        self.sections = sections
        self.key = key
        self.graph: Graph = {}
        self.code_key = f"{key}-text"
        self.graph[self.code_key] = Task(self.code_key, _same, code)
        self.type = call._type(s.target.name)
        self.sources = {t: call.sources[whole] for t, whole in block.tensors.items()}
        self.task_bytes = self.moved = self.blocks = 0
        self.largest: Box = ()
        self.undecided = False
        self.chunks = WholeChunks(list(self.sources.values()), numblocks)
        self.example: dict[str, int] = {}  # the sizes of the block that holds most
        self.is_on_gpu = any(source.is_on_gpu for source in self.sources.values())

    def add(self, at: tuple[int, ...], box: Box, parts: Mapping[str, list[Interval]]) -> None:
        """The tasks of one block of the target."""
        key: Key = (self.key, *at)
        shape = extents(box)
        body = self.statement.body
        op = body.op if isinstance(body, Reduce) and parts else None
        if not count(box):
            self.graph[key] = Task(key, filled, op, shape, str(self.type), self.is_on_gpu)
            return
        if op is None:
            sizes, fetched = self._block(key, box, ())
            self.chunks.note(at, sizes, fetched)
            return
        if self.sections is not None:
            self._of_sections(key, box, parts, self.sections)
            return
        refs = [
            self._part((f"{self.key}-part", *at, k), box, cut)
            for k, cut in enumerate(self._cuts(box, parts))
        ]
        level = 0
        while len(refs) > FAN_IN:
            level += 1
            groups = [refs[k : k + FAN_IN] for k in range(0, len(refs), FAN_IN)]
            refs = []
            for k, group in enumerate(groups):
                node: Key = (f"{self.key}-tree{level}", *at, k)
                self.graph[node] = Task(node, combine, op, *group)
                refs.append(TaskRef(node))
        if refs:
            self.graph[key] = Task(key, combine, op, *refs)
        else:
            self.graph[key] = Task(key, filled, op, shape, str(self.type), self.is_on_gpu)

    def _of_sections(
        self, key: Key, box: Box, parts: Mapping[str, list[Interval]], sections: Sections
    ) -> None:
        """The tasks of a sum that is added up as in one call."""
        refs, slots = [], []
        for k, cut in enumerate(self._cuts(box, parts)):
            within = sections.within(*cut[0])
            part: Key = (f"{self.key}-part", *key[1:], k)
            self._block(part, box, cut, [interval for _, interval in within])
            refs.append(TaskRef(part))
            slots += [slot for slot, _ in within]
        assert isinstance(self.statement.body, Reduce), "sections are of sums"
        op = self.statement.body.op
        if refs:
            self.graph[key] = Task(key, combine_sections, op, sections.slots, slots, *refs)
        else:
            shape = extents(box)
            self.graph[key] = Task(key, filled, op, shape, str(self.type), self.is_on_gpu)

    def _cuts(self, box: Box, parts: Mapping[str, list[Interval]]) -> Iterator[Box]:
        """The parts that have a term, in order."""
        call, name = self.call, self.statement.target.name
        for cut in product(*parts.values()):
            if is_computed(call.program, name, box, call.sizes, dict(zip(parts, cut, strict=True))):
                yield cut

    def _part(self, key: Key, box: Box, cut: Box) -> TaskRef:
        self._block(key, box, cut)
        return TaskRef(key)

    def _block(
        self, key: Key, box: Box, cut: Box, within: Sequence[Interval] = ()
    ) -> tuple[Sizes, list[Fetched]]:
        """The task of a block, or of the sections `within` a part; its sizes and inputs are returned."""
        call = self.call
        placed = self.block.at(box, cut, call.sizes, call.dtype)
        fetched = [
            source.fetched(t, placed.boxes[t], placed.footprints.get(t), self.graph)
            for t, source in self.sources.items()
        ]
        program = self.block.program
        sizes = {s: placed.sizes[s] for s in program.sizes}
        held = sum(f.bytes for f in fetched) + count(box) * self.type.itemsize
        if within:  # copies of the inputs of a section, where these do not lie side by side
            inputs = (count(placed.boxes[t]) * s.dtype.itemsize for t, s in self.sources.items())
            held += sum(inputs) // len(within)
        if held > self.task_bytes:
            self.task_bytes, self.largest = held, box
            self.example = sizes
        self.moved += sum(f.moved for f in fetched)
        self.blocks += 1
        self.undecided |= not all(f.is_exact for f in placed.footprints.values())
        each: Mapping[str, int] | tuple[Section, ...] = sizes
        if within:
            given = placed.boxes, call.sizes, call.dtype
            each = tuple(section_at(self.block, box, i, *given) for i in within)
        self.graph[key] = Task(
            key,
            run_sections if within else run_block,
            TaskRef(self.code_key),
            tuple(f.layout for f in fetched),
            each,
            *(p for f in fetched for p in f.pieces),
        )
        return Sizes(sizes), fetched


def _has_bits_of_one_call(
    s: Statement, parts: Mapping[str, list[Interval]], sections: Sections | None
) -> bool:
    """Whether a sum in these parts is what one call gives, to the bit; greatest and least values are."""
    is_sum = isinstance(s.body, Reduce) and s.body.op in ("sum", "prod")
    return not parts or not is_sum or sections is not None


def _same(value: Any) -> Any:
    return value


@lru_cache(256)
def _temporaries(
    program: Program, sizes: tuple[tuple[str, int], ...], dtype: str, memory: str, limit: int | None
) -> int:
    """The bytes of the temporaries of a block of these sizes. `memory` and `limit` are options of a compilation."""
    sums = any(isinstance(e, Reduce) for s in program.statements for e in postorder(s.body))
    if not sizes or (len(program.statements) == 1 and not sums):
        return 0
    numbers = dict(sizes)
    every = program.size_values(numbers)
    options = Options.of(memory=memory, memory_limit=limit)
    module = compiler.module(program, "run", every, dtype, options)
    values = module.program.size_values({s: numbers[s] for s in module.program.sizes})
    return sum(t.bytes_at(values, dtype) for t in module.temporaries)


def _options(program: Program, options: Options, dtype: str) -> tuple[tuple[str, Any], ...]:
    """The options of blocks: those of the call that its backend uses. Under "auto" a worker without a compiler uses numpy."""
    own = replace(options, dtype=dtype, name=f"{program.name}_block", memory=options.storage)
    of_text = ("sizes", "index_base")  # a block's has its sizes, and counts from 0
    used = (n for n, row in ROWS.items() if options.backend in ("auto", *row.users))
    return tuple((n, getattr(own, n)) for n in used if n not in of_text)


def _halved(chunks: Chunks, free: list[int]) -> Chunks | None:
    """The chunks with those of a dimension cut in two, one of which nothing says the chunks; None where that is not possible."""
    candidates = [d for d in free if max(chunks[d], default=0) > 1]
    if not candidates:
        return None
    d = max(candidates, key=lambda d: max(chunks[d]))
    halves = tuple(p for n in chunks[d] for p in ((n + 1) // 2, n // 2) if p)
    return (*chunks[:d], halves, *chunks[d + 1 :])


def _given_chunks(name: str, chunks: Any, shape: tuple[int, ...], dtype: Any) -> Chunks:
    try:
        normal: Chunks = da.core.normalize_chunks(chunks, shape, dtype=dtype)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        reason = str(error).partition("\n")[0]
    else:
        if all(n >= 0 for c in normal for n in c) and tuple(map(sum, normal)) == shape:
            return normal
        reason = f"{chunks!r:.60}"
    raise ArgumentError(
        None, f"the chunks of `{name}` do not fit: {reason}", fix=f"its shape is {shape}"
    ) from None
