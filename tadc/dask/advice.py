"""Chunks that a call could have, each with its plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dask.array as da

from tadc.dask.plan import Plan
from tadc.dask.sources import Source

__all__ = ["Advice", "chunks_of", "coarser"]


@dataclass(frozen=True, slots=True)
class Advice:
    """Chunks of the inputs, each with the plan of the call; the present ones first."""

    plans: tuple[tuple[Mapping[str, Any], Plan], ...]

    @property
    def best(self) -> tuple[Mapping[str, Any], Plan]:
        """The chunks with the fewest tasks among those that move no more than now."""
        now = self.plans[0][1]
        fitting = [p for p in self.plans if p[1].moved_bytes <= now.moved_bytes]
        return min(fitting, key=lambda p: (p[1].tasks, p[1].task_bytes))

    def __str__(self) -> str:
        lines = []
        for k, (chunks, plan) in enumerate(self.plans):
            grid = ", ".join(f"{n} {c}" for n, c in chunks.items())
            what = "now" if not k else "with"
            lines.append(
                f"{what} {grid}: {plan.tasks} tasks, {plan.task_bytes / 1e6:.1f} MB a task, {plan.moved_bytes / 1e6:.1f} MB read"
            )
        return "\n".join(lines)


def chunks_of(sources: Mapping[str, Source]) -> dict[str, tuple[int, ...]]:
    """The largest chunk of each input."""
    return {n: tuple(max(c, default=0) for c in s.chunks) for n, s in sources.items()}


def coarser(source: Source, times: int, dimensions: str) -> Source:
    """The source with several chunks in place of one, of all dimensions or of the last: for a plan alone."""
    if not source.is_lazy:
        return source
    rank = len(source.chunks)
    chunks = []
    for d, c in enumerate(source.chunks):
        joined = dimensions == "all" or d == rank - 1
        groups = (
            [c[k : k + times] for k in range(0, len(c), times)] if joined else [(n,) for n in c]
        )
        chunks.append(tuple(map(sum, groups)))
    return Source(da.empty(source.shape, chunks=tuple(chunks), dtype=source.dtype), source.slices)
