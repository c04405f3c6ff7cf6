"""Reads as numpy indexing: views of slices where each subscript has an axis of its own, else arrays of subscripts."""

from __future__ import annotations

from dataclasses import dataclass

from tadc.emit.numpy_scope import Axis, Frame, Scope
from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.expr import Read

__all__ = ["MASKED", "Risk", "Slices", "is_safe", "slices", "view"]

Risk = frozenset[str]
"""Why nobody may need a value that is computed: the axes around its use that may be empty, and `MASKED` for conditions
around it. A read that may be outside its tensor for that reason must be moved inside."""

MASKED = ""


@dataclass(frozen=True, slots=True)
class Slices:
    """A read as basic indexing: a text for each subscript, and the axis that it keeps, None for a number.

    `flipped` are the dimensions of the result that still run backwards.
    """

    parts: tuple[str, ...]
    axes: tuple[Axis | None, ...]
    flipped: tuple[int, ...]

    @property
    def kept(self) -> tuple[Axis, ...]:
        return tuple(a for a in self.axes if a is not None)

    @property
    def brackets(self) -> str:
        """The subscripts in brackets, nothing where they are the whole array."""
        parts = list(self.parts)
        while parts and parts[-1] == ":":
            parts.pop()
        return f"[{', '.join(parts)}]" if parts else ""


def is_safe(e: Read, scope: Scope, frame: Frame, risk: Risk) -> bool:
    """Whether all that is read is inside the tensor, although `risk`."""
    return all(
        risk <= scope.indices(frozenset(form.symbols)) or frame.is_inside(e, scope, dimension)
        for dimension, form in enumerate(e.subscripts)
    )


def slices(e: Read, scope: Scope, frame: Frame) -> Slices | None:
    """The read as slices, None where it is not: two axes in a subscript, derived indices, ragged axes."""
    parts: list[str] = []
    axes: list[Axis | None] = []
    for form, extent in zip(e.subscripts, frame.tensors[e.tensor].shape, strict=True):
        unknown = [s for s in form.symbols if s not in frame.scalars]
        if not unknown:
            parts.append(frame.text(form))
            axes.append(None)
            continue
        axis = scope.axis(unknown[0])
        if len(unknown) > 1 or axis is None or axis.first is not None:
            return None
        if form.coefficient(axis.index) < 0 and axis.index in scope.may_be_empty:
            return None  # its ends may lie before the tensor, where numpy counts from the end
        parts.append(_slice(form, axis, extent, frame))
        axes.append(axis)
    forms = (f for f, a in zip(e.subscripts, axes, strict=True) if a is not None)
    kept = (a for a in axes if a is not None)
    signs = [f.coefficient(a.index) for f, a in zip(forms, kept, strict=True)]
    return Slices(tuple(parts), tuple(axes), tuple(k for k, c in enumerate(signs) if c < 0))


def view(e: Read, scope: Scope, frame: Frame, levels: int) -> str | None:
    """The read as a view with its axes at their positions among `levels`, None where it is no view."""
    found = slices(e, scope, frame)
    if found is None or len({a.index for a in found.kept}) < len(found.kept):
        return None
    name = frame.names[e.tensor]
    positions = [a.position for a in found.kept]
    if not positions:
        return f"{name}[{', '.join(found.parts) or '()'}]"
    if positions == sorted(positions):
        text = name + _placed(found, levels)
    else:
        order = sorted(range(len(positions)), key=positions.__getitem__)
        turned = ".T" if order == [1, 0] else f".transpose({', '.join(map(str, order))})"
        ordered = tuple(found.kept[k] for k in order)
        text = f"{name}{found.brackets}{turned}"
        text += _placed(Slices((":",) * len(order), ordered, ()), levels)
    if found.flipped:
        text = f"np.flip({text}, {_axes([positions[k] - levels for k in found.flipped])})"
    return text


def _placed(found: Slices, levels: int) -> str:
    """The subscripts with an axis of extent 1 for each position, from the first one kept, that the read has not."""
    parts: list[str] = []
    following: int | None = None
    for part, axis in zip(found.parts, found.axes, strict=True):
        if axis is not None:
            parts += ["None"] * (axis.position - following if following is not None else 0)
            following = axis.position + 1
        parts.append(part)
    assert following is not None
    parts += ["None"] * (levels - following)
    return Slices(tuple(parts), (), ()).brackets


def _slice(form: Affine, axis: Axis, extent: Affine, frame: Frame) -> str:
    """The elements at `form` where the axis runs over its range, lowest first."""
    c = form.coefficient(axis.index)
    rest = form - c * symbol(axis.index)
    if c > 0:
        start, stop = rest + c * axis.low, rest + c * axis.stop
    else:
        start, stop = rest + c * (axis.stop - 1), rest + c * axis.low + 1
    first = "" if start == constant(0) else frame.text(start)
    last = "" if stop == extent else frame.text(stop)
    step = f":{abs(c)}" if abs(c) > 1 else ""
    return f"{first}:{last}{step}"


def _axes(positions: list[int]) -> str:
    return str(positions[0]) if len(positions) == 1 else f"({', '.join(map(str, positions))})"
