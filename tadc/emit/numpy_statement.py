"""One statement as lines of numpy: the target's box in blocks of its first index, and the expression over them."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from tadc.emit.numpy_hull import HullValues
from tadc.emit.numpy_scope import INDENT, Axis, Frame, Scope
from tadc.ir.affine import Affine, constant
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import descend

__all__ = ["statement_lines"]

FEW = 2**18  # elements for which a statement of known extents needs no blocks


def statement_lines(
    statement: Statement,
    program: Program,
    names: Mapping[str, str],
    dtypes: Mapping[str, str],
    taken: Names,
) -> list[str]:
    """The lines that compute the statement's target. `names` has tensors and sizes; `taken` is every name in use."""
    frame = Frame.of(statement, program, names, dtypes, taken.copy())
    whole = _StatementText(statement, frame, blocked=False)
    lines = whole.lines()
    if whole.is_small:
        return lines
    frame = Frame.of(statement, program, names, dtypes, taken.copy())
    return _StatementText(statement, frame, blocked=True).lines()


class _StatementText:
    def __init__(self, statement: Statement, frame: Frame, *, blocked: bool) -> None:
        self.statement = statement
        self.frame = frame
        self.outputs = Scope(frame.outside, {}, {d.name: d for d in statement.derived})
        self.pair: tuple[str, str] | None = None
        for position, (i, n) in enumerate(
            zip(statement.indices, statement.target.shape, strict=True)
        ):
            self.outputs.axes[i] = self._axis(i, position, n, blocked=blocked and position == 0)
            if not frame.surely(n - 1):
                self.outputs.empty.add(i)
        self.values = HullValues(frame, statement.body, self.outputs, blocked=blocked)

    def lines(self) -> list[str]:
        s, frame, outputs = self.statement, self.frame, self.outputs
        target, outside = frame.names[s.target.name], frame.outside.lines
        shape = ", ".join(map(frame.text, s.target.shape))
        shape = f"({shape},)" if len(s.target.shape) == 1 else f"({shape})"
        outside.append(f"{target} = np.empty({shape}, np.{frame.dtypes[s.target.name]})")
        value = descend(self.values.value(s.body, outputs, frozenset(outputs.empty)))
        lines = [*outputs.lines, f"{target}{self._subscripts()} = {value.text}"]
        if self.pair is None:
            return [*outside, *lines]
        first, *_ = s.target.shape
        loop = f"for {', '.join(self.pair)} in blocks(0, {frame.text(first)}, {self._others()}):"
        return [*outside, loop, *(INDENT + line for line in lines)]

    @property
    def is_small(self) -> bool:
        """Whether all arrays of the statement are known to be small."""
        counts = [
            (*self.statement.target.shape, *extents) for extents in self.values.elements or [()]
        ]
        return all(
            all(n.is_constant for n in extents) and prod(n.constant for n in extents) <= FEW
            for extents in counts
        )

    def _axis(self, index: str, position: int, extent: Affine, *, blocked: bool) -> Axis:
        low, stop = constant(0), extent
        if blocked:
            low = self.frame.new_scalar(f"{index}_0", 0)
            stop = self.frame.new_scalar(f"{index}_1", self.frame.guess(extent))
            self.pair = self.frame.text(low), self.frame.text(stop)
        return Axis(index, position, low, stop, constant(0), extent - 1)

    def _others(self) -> str:
        """The elements of the statement's largest array for each value of the first index."""
        return self.values.largest(self.statement.target.shape[1:], self.values.elements)

    def _subscripts(self) -> str:
        """The place of the computed block in the target, with an axis for each level of reductions."""
        parts = [":"] * len(self.statement.indices)
        if self.pair is not None:
            parts[0] = ":".join(self.pair)
        more = self.values.levels - len(parts)
        parts += ["None"] * more
        while parts and parts[-1] == ":":
            parts.pop()
        return f"[{', '.join(parts) or '...'}]"
