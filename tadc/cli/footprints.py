"""The footprints of a block for people: as a table, as data, and as a picture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tadc.blocks.boxes import Box, Interval, intersection
from tadc.errors import ArgumentError

if TYPE_CHECKING:
    from tadc.blocks.footprints import Footprint

__all__ = ["NamedBox", "footprint_data", "footprint_picture", "footprint_table", "named_box"]

WIDTH = 220  # of a panel, in pixels, at most
BAR = 16  # height of a tensor of one dimension
GAP = 30
OWN, HALO = "#6090d0", "url(#halo)"


@dataclass(frozen=True, slots=True)
class NamedBox:
    """A tensor and a part of it."""

    tensor: str
    box: tuple[slice, ...]


def named_box(text: str) -> NamedBox:
    """`dx[4:8, :]`. Raises ArgumentError for another form."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\[(.*)\])?\s*", text)
    parts = [] if match is None or not match[2] else match[2].split(",")
    slices = [re.fullmatch(r"\s*(\d*)\s*:\s*(\d*)\s*", part) for part in parts]
    if match is None or None in slices:
        raise ArgumentError(
            None, f"`{text}` names no box", fix="write it as `dx[4:8]`, or `y[0:4, :]`"
        )
    ends = [(int(s[1] or 0), int(s[2]) if s[2] else None) for s in slices if s is not None]
    return NamedBox(match[1], tuple(slice(low, high) for low, high in ends))


def footprint_table(found: Mapping[str, Footprint]) -> str:
    """A line a tensor: the smallest box, the number of boxes, elements and bytes."""
    if not found:
        return "reads nothing\n"
    lines = []
    for tensor, p in found.items():
        several = f" in {len(p.boxes)} boxes" if len(p.boxes) > 1 else ""
        undecided = "" if p.is_exact else ", or less: this was not decided"
        lines.append(
            f"{tensor}{box_text(p.box)}{several}: {p.elements} elements, {p.bytes} bytes{undecided}\n"
        )
    return "".join(lines)


def box_text(box: Box) -> str:
    """`[4:8, 0:3]`; nothing for a scalar."""
    return f"[{', '.join(f'{low}:{high}' for low, high in box)}]" if box else ""


def footprint_data(found: Mapping[str, Footprint]) -> dict[str, Any]:
    return {
        tensor: {
            "box": p.box,
            "boxes": p.boxes,
            "elements": p.elements,
            "bytes": p.bytes,
            "exact": p.is_exact,
        }
        for tensor, p in found.items()
    }


# ---------------------------------------------------------------------- pictures


def footprint_picture(
    target: str,
    box: Box,
    shapes: Mapping[str, Sequence[int]],
    found: Mapping[str, Footprint],
) -> str:
    """An SVG: the block, and what it reads of each tensor. A tensor of more than two dimensions has a panel for each two in turn.

    Of tensors of about the target's shape what is read at the place of the block is filled, and that place has an outline; what is
    read around it, the halo, is hatched. Of others all that is read is filled.
    """
    rows: list[tuple[str, tuple[Box, ...], Box]] = [(target, (box,), box)]
    for tensor, p in found.items():
        alike = _is_alike(shapes[tensor], shapes[target])
        rows.append((tensor, p.boxes, box if alike else p.box))
    body = [
        *_legend("read at the place of the block", OWN, GAP),
        *_legend("read around it", HALO, 240),
    ]
    top, width = 2.5 * GAP, 360.0
    for tensor, boxes, filled in rows:
        left, height = float(GAP), 0.0
        for dimensions in _panels(len(shapes[tensor])):
            panel = _Panel([shapes[tensor][d] for d in dimensions], left, top)
            body += panel.drawn(tensor, dimensions, boxes, filled)
            left += max(panel.width, 0.6 * WIDTH) + GAP
            height = max(height, panel.height)
        top, width = top + height + GAP, max(width, left)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{top:.0f}">',
            '<defs><pattern id="halo" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            '<line x1="0" y1="0" x2="0" y2="6" stroke="#c05020" stroke-width="3"/></pattern></defs>',
            "<style>text { font: 12px sans-serif }</style>",
            *body,
            "</svg>\n",
        ]
    )


def _is_alike(shape: Sequence[int], target: Sequence[int]) -> bool:
    """Whether places of a tensor may be compared with those of the target: extents differ by a quarter at most."""
    pairs = zip(shape, target, strict=False)
    return len(shape) == len(target) and all(4 * abs(n - m) <= m for n, m in pairs)


def _legend(text: str, fill: str, left: float) -> Iterator[str]:
    yield f'<rect x="{left}" y="12" width="12" height="12" fill="{fill}"/>'
    yield f'<text x="{left + 18}" y="22">{text}</text>'


def _panels(rank: int) -> list[tuple[int, ...]]:
    return [(d, e) for d, e in pairwise(range(rank))] or [tuple(range(rank))]


class _Panel:
    """A tensor seen along all dimensions but two: the first of these runs down, the second to the right."""

    def __init__(self, extents: Sequence[int], left: float, top: float) -> None:
        down, right = (extents if len(extents) == 2 else (1, *extents, 1))[:2]
        scale = WIDTH / max(down, right, 1)
        self.left, self.top = left, top
        self._extents = down, right
        self._scales = (
            max(scale, 12 / max(1, down)) if len(extents) == 2 else BAR,
            max(scale, 12 / max(1, right)) if extents else BAR,
        )
        self.height, self.width = down * self._scales[0], right * self._scales[1]

    def drawn(
        self, tensor: str, dimensions: Sequence[int], boxes: Sequence[Box], filled: Box
    ) -> Iterator[str]:
        shown = [":"] * len(filled)
        for d in dimensions:
            shown[d] = f"{min(b[d][0] for b in boxes)}:{max(b[d][1] for b in boxes)}"
        place = f"[{', '.join(shown)}]" if shown else ""
        yield f'<text x="{self.left:.1f}" y="{self.top - 6:.1f}">{escape(tensor)}{place}</text>'
        whole = (0, self._extents[0]), (0, self._extents[1])
        yield self._rectangle(*whole, "#f0f0f0")
        for box in boxes:
            yield self._rectangle(*self._ends(box, dimensions), HALO)
        for box in boxes:
            common = intersection(box, filled)
            if common is not None:
                yield self._rectangle(*self._ends(common, dimensions), OWN)
        yield self._rectangle(*whole, "none", "#808080")
        inside = self._ends(filled, dimensions)
        if all(0 <= low <= high <= n for (low, high), n in zip(inside, self._extents, strict=True)):
            yield self._rectangle(*inside, "none", "#202020")

    def _ends(self, box: Box, dimensions: Sequence[int]) -> tuple[Interval, Interval]:
        ends = [box[d] for d in dimensions]
        down, right = (ends if len(ends) == 2 else ((0, 1), *ends, (0, 1)))[:2]
        return down, right

    def _rectangle(self, down: Interval, right: Interval, fill: str, stroke: str = "none") -> str:
        y, height = self.top + down[0] * self._scales[0], (down[1] - down[0]) * self._scales[0]
        x, width = self.left + right[0] * self._scales[1], (right[1] - right[0]) * self._scales[1]
        return (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{fill}" stroke="{stroke}"/>'
        )
