"""Blocks that users name: a target, its box and sizes, checked; the footprints of a block, and its function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from tadc import compiler
from tadc.blocks.block import Blocked, PlacedBlock
from tadc.blocks.boxes import Box, Interval
from tadc.blocks.footprints import Footprint, footprints, where_needed
from tadc.errors import ArgumentError, ShapeError, counted
from tadc.function.data import place_of_read
from tadc.function.derivatives import blocked_of
from tadc.ir.expr import Reduce
from tadc.ir.program import Program, Statement
from tadc.resolve.resolve import Resolved
from tadc.resolve.shapes import Fact
from tadc.runtime.binding import bind_sizes

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = [
    "block_of",
    "block_shapes",
    "block_sizes",
    "checked_box",
    "checked_target",
    "checked_through",
    "footprints_of",
    "of_block",
    "parts_of",
    "refuse_data",
    "sizes_of_blocks",
]


def footprints_of(
    f: Function, target: str, box: Any, through: Any, given: Mapping[str, int]
) -> dict[str, Footprint]:
    """The footprints of a block of `target`; see `Function.footprints`."""
    checked_target(f, target)
    f, sizes = sizes_of_blocks(f, given)
    program = f.program
    names = checked_through(f, target, through)
    checked = checked_box(target, box, program.tensors[target].shape_at(sizes))
    dtype = f._options.dtype or "float64"
    through_ = dict.fromkeys(names, where_needed)
    return footprints(program, target, checked, sizes, dtype, through=through_)


def block_shapes(
    f: Function, target: str, box: Any, given: Mapping[str, int]
) -> tuple[Box, dict[str, tuple[int, ...]]]:
    """The box of a block as intervals, and the shapes of all tensors, for these sizes."""
    f, sizes = sizes_of_blocks(f, given)
    shapes = {n: t.shape_at(sizes) for n, t in f.program.tensors.items()}
    return checked_box(target, box, shapes[target]), shapes


def block_of(f: Function, target: str, split: Any, through: Any) -> Function:
    """The function of a block of `target`; see `Function.block`."""
    checked_target(f, target)
    names = checked_through(f, target, through)
    indices = _checked_split(f.program.definitions[target], split)
    return f._derivative("block", (target, *indices, "|", *names))


def parts_of(f: Function) -> dict[str, str]:
    """The inputs of the function of a block that are further parts of a tensor, far from the others, with the tensor."""
    mode, names = (f._origin.derivations or (("primal", ()),))[-1]
    whole = f._base
    return {} if mode != "block" or whole is None else {**blocked_of(whole.program, names).parts}


def block_sizes(f: Function, box: Any, cut: Any, given: Mapping[str, int]) -> PlacedBlock:
    """The numbers of a block at a place; see `Function.sizes_of`."""
    mode, names = (f._origin.derivations or (("primal", ()),))[-1]
    whole = f._base
    if mode != "block" or whole is None:
        raise ArgumentError(None, "this function is no block", fix="make one: `f.block('y')`")
    program = whole.program
    block = blocked_of(program, names)
    sizes = bind_sizes(program, {}, whole._numbers(given))
    if program.sizes and program.is_empty(sizes):
        raise ShapeError(
            None,
            "a size or an extent of the whole is 0",
            fix="there is nothing to compute in blocks",
        )
    shape = program.tensors[block.target].shape_at(sizes)
    place = checked_box(block.target, box, shape)
    parts = _checked_cut(block, cut, sizes)
    dtype = f._options.dtype or "float64"
    return block.at(place, parts, sizes, dtype)


def of_block(resolved: Resolved, program: Program) -> Resolved:
    """What a call of a block must show. Its reads are not proved again: the footprint is the proof."""
    facts = (
        Fact(c, ShapeError, None, f"the block requires `{c}`", (), "take the sizes from `sizes_of`")
        for c in program.requirements
    )
    return Resolved(program, tuple(facts), (), resolved.ranges)


def _checked_split(statement: Statement, split: Any) -> tuple[str, ...]:
    """The indices of the statement's reduction that are in parts."""
    names = (split,) if isinstance(split, str) else tuple(split)
    if not names:
        return ()
    target = statement.target.name
    if not isinstance(statement.body, Reduce):
        raise ArgumentError(
            None,
            f"`{target}` is no sum, product, maximum or minimum as a whole, and only these are computed in parts",
            fix="make the reduction a statement of its own, or leave `split` out",
        )
    known = statement.body.indices
    for name in names:
        if name not in known or names.count(name) > 1:
            raise ArgumentError(
                None,
                f"`{name}` is no index of the reduction of `{target}`, or stands twice in `split`",
                fix=f"its indices are {', '.join(known)}",
            )
    return names


def _checked_cut(block: Blocked, cut: Any, sizes: Mapping[str, int]) -> Box:
    """The parts of the indices that the block is split by."""
    split = block.split
    parts = (cut,) if len(split) == 1 and _is_interval(cut) else tuple(cut)
    if len(parts) != len(split):
        raise ArgumentError(
            None,
            f"{len(parts)} parts are given, and the block is split by {len(split)} indices",
            fix=f"give `(low, high)` for each of {', '.join(split)}" if split else "leave them out",
        )
    try:
        ends = tuple((index(low), index(high)) for low, high in parts)
    except (TypeError, ValueError):
        raise ArgumentError(
            None, f"the parts are {cut!r:.60}", fix="give `(low, high)` for each index"
        ) from None
    for name, first, (low, high) in zip(split, block.firsts, ends, strict=True):
        lowest = first.at(sizes)
        if not lowest <= low < high:
            raise ArgumentError(
                None,
                f"a part of `{name}` is [{low}, {high})",
                fix=f"a part has an element, and parts are counted from {lowest}: {lowest} <= low < high",
            )
    return ends


def sizes_of_blocks(f: Function, given: Mapping[str, int]) -> tuple[Function, dict[str, int]]:
    """The function whose program is computed for these sizes, and all its sizes. Raises ShapeError where one is missing."""
    f, numbers = f._with_numbers(given)
    sizes = bind_sizes(f.program, {}, numbers)
    if f.program.sizes and f.program.is_empty(sizes):
        f = f._of_numbers(
            numbers
        )  # what was simplified away for sizes of at least 1 may hold there
        sizes = f.program.size_values({})
    return f, sizes


def refuse_data(f: Function) -> None:
    """Raises ArgumentError for a function whose subscripts come from data: a block may read anything."""
    if compiler.reads_data(f.program):
        tensors = (*f.index_inputs, *compiler.computed_indices(f.program))
        raise ArgumentError(
            place_of_read(f, tensors[0]),
            "elements of tensors are subscripts, and what a block reads then depends on them",
            fix="call the function on whole arrays, or on Dask arrays, whose blocks read whole what data lead to",
        )


def checked_target(f: Function, target: Any) -> None:
    """Raises ArgumentError for what is no computed tensor of the function, and for functions that have no blocks."""
    computed = [s.target.name for s in f._program.statements]  # the same for all sizes
    if not isinstance(target, str) or target not in computed:
        known = f"write one of {', '.join(computed)}"
        if isinstance(target, str) and target in f.inputs:
            fact = f"`{target}` is an input, and blocks are of what is computed"
        else:
            fact = f"`{target}` is no tensor that is computed"
        raise ArgumentError(None, fact, fix=known)
    refuse_data(f)


def checked_through(f: Function, target: str, through: Any) -> tuple[str, ...]:
    """The names of intermediates. Raises ArgumentError for others."""
    names = (through,) if isinstance(through, str) else tuple(through)
    before = [s.target.name for s in f.program.statements]
    before = before[: before.index(target)]
    for name in names:
        if name not in before:
            known = f"those are {', '.join(before)}" if before else "there are none: leave it out"
            raise ArgumentError(
                None, f"`{name}` in `through` is not computed before `{target}`", fix=known
            )
    return names


def checked_box(target: str, box: Any, shape: Sequence[int]) -> Box:
    """The box as intervals. Each dimension is a slice or `(low, high)`; one dimension may stand alone."""
    if isinstance(box, slice) or (len(shape) == 1 and _is_interval(box)):
        box = (box,)
    if not isinstance(box, Sequence) or len(box) != len(shape):
        raise ArgumentError(
            None,
            f"the box of `{target}` is {box!r:.60}, and `{target}` has {counted(len(shape), 'dimension')}",
            fix="give a slice, or `(low, high)`, for each dimension",
        )
    return tuple(
        _interval(target, d, i, n) for d, (i, n) in enumerate(zip(box, shape, strict=True))
    )


def _is_interval(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and len(value) == 2
        and not isinstance(value[0], (slice, Sequence))
    )


def _interval(target: str, dimension: int, given: Any, extent: int) -> Interval:
    what = f"dimension {dimension} of the box of `{target}`"
    try:
        if isinstance(given, slice):
            low, high, step = given.indices(extent)
        else:
            (low, high), step = map(index, given), 1
    except (TypeError, ValueError):
        raise ArgumentError(
            None, f"{what} is {given!r:.60}", fix="give a slice, or `(low, high)`: two integers"
        ) from None
    if step != 1:
        raise ArgumentError(
            None, f"{what} has the step {step}", fix="a box has every element: leave the step out"
        )
    high = max(low, high) if isinstance(given, slice) else high
    if not 0 <= low <= high <= extent:
        raise ArgumentError(
            None,
            f"{what} is [{low}, {high})",
            fix=f"it lies in [0, {extent}): 0 <= low <= high <= {extent}",
        )
    return low, high
