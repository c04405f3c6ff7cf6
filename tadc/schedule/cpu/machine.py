"""A CPU as schedules see it: a value that is passed along, so that another CPU is another value."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tadc.schedule.nest.step_costs import Costs

__all__ = ["AVX2", "AVX512", "ITEM_BYTES", "LANE_BYTES", "NEON", "SSE", "Processor"]

LANE_BYTES = 128  # of all lanes of a strip, on every processor: sums in lanes have the same bits

ITEM_BYTES = 4  # of an element, where models count them
LARGE_SECOND_CACHE = 2**21  # bytes
PAST_SECOND = 3  # times as much

COSTS = Costs(operation=1.0, special=24.0, quotient=16.0, strided=12.0)


@dataclass(frozen=True, slots=True)
class Processor:
    """A processor's core: the bytes of a vector register, how many of them there are, and costs in vector operations.

    Two operations and two reads of memory begin in a cycle. `latency` is after how many operations a result is there.
    """

    name: str
    vector_bytes: int
    registers: int
    latency: int = 8
    unaligned: float = 1.0  # reads of neighbours, on average: some are in two lines of the cache
    costs: Costs = COSTS
    first_cache_bytes: int = 3 * 2**13  # of a core's first cache that short rows fill
    cache_bytes: int = 2**19  # of its second one that they may fill
    shared_bytes: int = 2**25  # of the last cache, which cores share, if it is faster than memory

    @property
    def group_bytes(self) -> int:
        """The bytes of the lanes of one loop: compilers write out a loop over two vectors, and keep its sums in registers."""
        return min(2 * self.vector_bytes, LANE_BYTES)

    def with_second_cache(self, size: int) -> Processor:
        """The processor with what is known of its second cache: the bytes, of which rows may fill half.

        Where that is large, the last one is far away, and no faster than memory: on a Xeon with 2 MB for each core, stores past the
        caches take 0.5 to 0.8 of the time for results of 6 to 16 MB.
        """
        if size < LARGE_SECOND_CACHE:
            return self
        return replace(self, cache_bytes=size // 2, shared_bytes=PAST_SECOND * size)


AVX512 = Processor("AVX-512", 64, 32, unaligned=1.25)
AVX2 = Processor("AVX2", 32, 16, unaligned=1.125)
SSE = Processor("SSE", 16, 16)
NEON = Processor("NEON", 16, 26)  # of 32, some hold what is multiplied with each lane
