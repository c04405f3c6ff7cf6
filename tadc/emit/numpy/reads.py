"""Reads as numpy indexing: views of slices where each subscript has an axis of its own, else arrays of subscripts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tadc.emit.numpy.scope import Axis, Frame, Scope
from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.domain import Domain, between
from tadc.ir.expr import Read

__all__ = ["MASKED", "Risk", "Slices", "is_safe", "padded", "slices", "unsafe_dimensions", "view"]

Risk = frozenset[str]
"""Reasons why a computed value may be unused: the axes around its use that may be empty, and `MASKED` for conditions
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
    return not unsafe_dimensions(e, scope, frame, risk)


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


def view(
    e: Read,
    scope: Scope,
    frame: Frame,
    levels: int,
    unsafe: frozenset[int] = frozenset(),
    taken: str = "near",
) -> str | None:
    """The read as a view with its axes at their positions among `levels`, None where it is no view.

    Along `unsafe` dimensions the elements are taken by the function `taken`, which never leaves the tensor.
    """
    sliced = slices(e, scope, frame)
    if sliced is None or len({a.index for a in sliced.kept}) < len(sliced.kept):
        return None
    if any(sliced.axes[d] is None for d in unsafe):
        return None
    name = frame.names[e.tensor]
    positions = [a.position for a in sliced.kept]
    if not positions:
        return f"{name}[{', '.join(sliced.parts) or '()'}]"
    ordered = positions == sorted(positions)
    if ordered and not unsafe:
        text = name + _placed(sliced, levels)
    else:
        order = sorted(range(len(positions)), key=positions.__getitem__)
        turned = "" if ordered else ".T" if order == [1, 0] else f".transpose({_listed(order)})"
        text = _taken(e, sliced, frame, unsafe, taken) + turned
        text += _placed(
            Slices((":",) * len(order), tuple(sliced.kept[k] for k in order), ()), levels
        )
    kept = [d for d, a in enumerate(sliced.axes) if a is not None]
    flipped = [positions[k] - levels for k in sliced.flipped if kept[k] not in unsafe]
    if flipped:
        text = f"np.flip({text}, {flipped[0] if len(flipped) == 1 else f'({_listed(flipped)})'})"
    return text


def unsafe_dimensions(e: Read, scope: Scope, frame: Frame, risk: Risk) -> frozenset[int]:
    """The dimensions whose subscripts may be outside, for `risk`."""
    return frozenset(
        d
        for d, form in enumerate(e.subscripts)
        if not risk <= scope.indices(frozenset(form.symbols))
        and not frame.is_in_bounds(e, scope, d)
    )


def padded(
    e: Read, condition: Domain, scope: Scope, frame: Frame, levels: int, risk: Risk
) -> str | None:
    """The read where the condition holds, else 0; None unless the condition is that subscripts are inside."""
    bounds = {
        c: d
        for d, (form, n) in enumerate(zip(e.subscripts, frame.tensors[e.tensor].shape, strict=True))
        for c in between(0, form, n - 1)
    }
    if not all(c in bounds for c in condition):
        return None
    limited = frozenset(bounds[c] for c in condition)
    if not unsafe_dimensions(e, scope, frame, risk) <= limited:
        return None
    return view(e, scope, frame, levels, limited, "padded")


def _taken(e: Read, sliced: Slices, frame: Frame, unsafe: frozenset[int], function: str) -> str:
    """The slices, with the elements along unsafe dimensions taken by a function."""
    parts = tuple(":" if d in unsafe else part for d, part in enumerate(sliced.parts))
    text = frame.names[e.tensor] + replace(sliced, parts=parts).brackets
    kept = [d for d, a in enumerate(sliced.axes) if a is not None]
    for d in sorted(unsafe):
        axis = sliced.axes[d]
        assert axis is not None, "a number is moved inside by `at`"
        c = e.subscripts[d].coefficient(axis.index)
        first = frame.text(e.subscripts[d].substitute({axis.index: axis.low}))
        arguments = [text, str(kept.index(d)), first, frame.text(axis.extent)]
        arguments += [str(c)] if c != 1 else []
        text = f"{function}({', '.join(arguments)})"
    return text


def _placed(sliced: Slices, levels: int) -> str:
    """The subscripts with an axis of extent 1 for each position, from the first one kept, that the read has not."""
    parts: list[str] = []
    following: int | None = None
    for part, axis in zip(sliced.parts, sliced.axes, strict=True):
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


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
