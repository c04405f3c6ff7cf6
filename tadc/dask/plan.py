"""The plan of a call on Dask arrays, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Plan", "TensorPlan"]


@dataclass(frozen=True, slots=True)
class TensorPlan:
    """How a tensor is computed that becomes a Dask array.

    `inside` are the intermediates that its blocks compute themselves, `split` the indices of its reduction that are in parts,
    `has_bits_of_one_call` whether its sums are added up as in one call, `tasks` those that it needs, `task_bytes` the most that one of them holds, `moved_bytes` what blocks read of chunks and stores.
    """

    name: str
    chunks: tuple[tuple[int, ...], ...]
    inside: tuple[str, ...]
    split: tuple[str, ...]
    has_bits_of_one_call: bool
    blocks: int
    tasks: int
    task_bytes: int
    moved_bytes: int
    undecided: bool
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """How a call is computed: its tensors in order. A worker holds at most `task_bytes` for each of its threads, besides what Dask keeps."""

    tensors: tuple[TensorPlan, ...]
    backend: str

    @property
    def kept(self) -> tuple[str, ...]:
        return tuple(t.name for t in self.tensors)

    @property
    def inside(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(n for t in self.tensors for n in t.inside))

    @property
    def chunks(self) -> Mapping[str, tuple[tuple[int, ...], ...]]:
        return {t.name: t.chunks for t in self.tensors}

    @property
    def splits(self) -> Mapping[str, tuple[str, ...]]:
        return {t.name: t.split for t in self.tensors if t.split}

    @property
    def tasks(self) -> int:
        return sum(t.tasks for t in self.tensors)

    @property
    def task_bytes(self) -> int:
        return max((t.task_bytes for t in self.tensors), default=0)

    @property
    def moved_bytes(self) -> int:
        return sum(t.moved_bytes for t in self.tensors)

    def __str__(self) -> str:
        lines = []
        for t in self.tensors:
            grid = " x ".join(str(len(c)) for c in t.chunks) or "1"
            lines.append(
                f"{t.name}: {grid} blocks, {t.tasks} tasks, {_megabytes(t.task_bytes)} a task, {_megabytes(t.moved_bytes)} read"
            )
            if t.inside:
                lines.append(f"    inside its blocks: {', '.join(t.inside)}")
            if not t.split and not t.has_bits_of_one_call:
                lines.append("    added up in another order than in one call")
            if t.split:
                bits = (
                    "the bits of one call" if t.has_bits_of_one_call else "other bits than one call"
                )
                lines.append(f"    in parts of: {', '.join(t.split)} ({bits})")
            if t.undecided:
                lines.append(
                    "    whole dimensions are read where data decide, or footprints were not decided"
                )
        lines.append(
            f"together: {self.tasks} tasks, {_megabytes(self.task_bytes)} a task at most, {_megabytes(self.moved_bytes)} read; blocks run by {self.backend}"
        )
        return "\n".join(lines)


def _megabytes(n: int) -> str:
    return f"{n / 1e6:.1f} MB" if n >= 1e5 else f"{n} bytes"
