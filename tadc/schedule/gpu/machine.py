"""A GPU as schedules see it: a value that is passed along, so that another GPU is another value."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HOPPER", "Machine"]


@dataclass(frozen=True, slots=True)
class Machine:
    """`resident_threads` keep it busy: more of them are no faster."""

    resident_threads: int

    def duration(self, work: float, threads: float) -> float:
        """How long work takes that so many threads share, in no unit."""
        return work / min(threads, self.resident_threads)


HOPPER = Machine(resident_threads=2**18)  # 132 multiprocessors with 2048 threads each, about
