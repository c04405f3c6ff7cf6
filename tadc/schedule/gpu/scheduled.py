"""A kernel as a GPU runs it: how many threads share a point of its box, or a tile of points."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from tadc.schedule.gpu.cost import Sizes
from tadc.schedule.nest.loop_nest import Kernel, TeamScan, TeamSums, Tile, TileIndex, steps_of

__all__ = ["GpuKernel"]


@dataclass(frozen=True, slots=True)
class GpuKernel:
    """The kernel's body runs for each point of its box, or each tile of points, by a team of `team` threads: 1, a warp, or a block."""

    kernel: Kernel
    team: int

    @property
    def tile(self) -> tuple[TileIndex, ...]:
        """The indices of which a thread has several values."""
        match self.kernel.body:
            case (Tile(indices),):
                return indices
            case _:
                return ()

    @property
    def tile_text(self) -> str:
        """Such as `8x4`."""
        return "x".join(str(t.values) for t in self.tile)

    @property
    def combined(self) -> int:
        """The number of sums that the threads of a team combine."""
        steps = steps_of(self.kernel.body)
        return sum(
            len(s.sums) if isinstance(s, TeamSums) else isinstance(s, TeamScan) for s in steps
        )

    def threads(self, sizes: Sizes) -> int:
        """The number of threads that run at once, at best."""
        values = {t.index: t.values for t in self.tile}
        pairs = zip(self.kernel.indices, self.kernel.extents, strict=True)
        return self.team * prod(-(-n.at(sizes) // values.get(i, 1)) for i, n in pairs)
