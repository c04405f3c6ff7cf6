"""Tensors whose blocks read one whole chunk of each input: their layer is a `Blockwise`, which Dask fuses with what stands around it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

from dask.blockwise import Blockwise, BlockwiseDepDict, blockwise

from tadc.dask.sources import Fetched, Source
from tadc.dask.tasks import Code, Sizes, run_chunks

__all__ = ["WholeChunks"]


class WholeChunks:
    """The chunks that the blocks of a tensor read, as long as these are whole chunks, one of each input."""

    def __init__(self, sources: Sequence[Source], numblocks: tuple[int, ...]) -> None:
        self.sources = sources
        self.numblocks = numblocks
        self.blocks: dict[tuple[int, ...], Sizes] = {}
        # For each dimension of each input, the dimensions of the target whose chunk has the same number, block by block.
        self.same = [[self._alike(len(c)) for c in s.chunks] for s in sources]

    def _alike(self, chunks: int) -> set[int]:
        """The dimensions of the target that a dimension in so many chunks may go with."""
        return {p for p, n in enumerate(self.numblocks) if chunks in (1, n)}

    def note(self, at: tuple[int, ...], sizes: Sizes, fetched: Sequence[Fetched]) -> None:
        """One block of the target, and what it gets of each input."""
        for source, same, piece in zip(self.sources, self.same, fetched, strict=True):
            chunk = piece.whole_chunk
            if chunk is None or chunk[0] != source.array.name:
                return
            for d, k in enumerate(chunk[1:]):
                if len(source.chunks[d]) > 1:
                    same[d] &= {p for p, number in enumerate(at) if number == k}
        self.blocks[at] = sizes

    def layer(self, key: str, code: Code) -> Blockwise | None:
        """The layer of the target; None where some block reads something else than a chunk of the same number."""
        is_whole = len(self.blocks) == prod(self.numblocks)
        if not is_whole or not self.sources or not all(all(same) for same in self.same):
            return None
        target = tuple(range(len(self.numblocks)))
        pairs: list[object] = [BlockwiseDepDict(self.blocks, self.numblocks), target]
        for source, same in zip(self.sources, self.same, strict=True):
            pairs += [source.array.name, tuple(map(min, same))]
        numblocks = {s.array.name: s.array.numblocks for s in self.sources}
        function = partial(run_chunks, code)
        return blockwise(function, key, target, *pairs, numblocks=numblocks)
