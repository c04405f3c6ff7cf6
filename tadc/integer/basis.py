"""The choice of loop indices: coordinates of a lattice that are unknowns themselves (design, 4.2).

The solutions `u = V1 q + V2 z` have many forms: `V2` may be multiplied by any unimodular matrix, and `V2` times any
integer matrix be added to `V1`. Where the rows of `V2` for some unknowns form a unimodular block, that block becomes
the identity and the same rows of `V1` become 0: those unknowns *are* the coordinates, so that loops over them read
like the program. Otherwise the block is brought to Hermite form with small pivots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from tadc.integer.lattice import Lattice

__all__ = ["Basis", "chosen_basis"]

# Blocks looked at before a simple choice is made; with up to 6 unknowns there are at most 20.
MOST_BLOCKS = 500


@dataclass(frozen=True, slots=True)
class Basis:
    """`u = V1 heads + V2 z`. Row `pivots[c]` of `V2` is zero right of column `c`, and has `divisors[c] > 0` there.

    Where `divisors[c] == 1`, the row is a row of the identity and that of `V1` is 0: unknown `pivots[c]` is `z_c`.
    """

    V1: tuple[tuple[int, ...], ...]
    V2: tuple[tuple[int, ...], ...]
    pivots: tuple[int, ...]
    divisors: tuple[int, ...]

    def keeps(self, c: int) -> bool:
        """Whether coordinate `c` is an unknown itself."""
        return self.divisors[c] == 1


def chosen_basis(lattice: Lattice, ranking: Sequence[int]) -> Basis:
    """The solutions of `lattice` with the first set of rows in `ranking` that forms a unimodular block.

    Sets are compared lexicographically: the best row is in if it can be. Without such a set, the rows with small
    pivots are preferred, by their rank where these are equal.
    """
    n, k = len(lattice.V2), len(lattice.V2[0])
    columns = [list(column) for column in zip(*lattice.V2, strict=True)]
    heads = [list(column) for column in zip(*lattice.V1, strict=True)]
    pivots = _unimodular_block(columns, ranking, MOST_BLOCKS)
    if pivots is None:
        pivots = _small_block(columns, ranking)
    for c, row in enumerate(pivots):
        _gather(columns, row, c)
    for c, row in enumerate(pivots):
        pivot = columns[c][row]
        for other in (*columns[:c], *heads):
            if factor := other[row] // pivot:
                other[:] = [a - factor * b for a, b in zip(other, columns[c], strict=True)]
    return Basis(
        V1=tuple(tuple(column[i] for column in heads) for i in range(n)),
        V2=tuple(tuple(column[i] for column in columns) for i in range(n)),
        pivots=tuple(pivots),
        divisors=tuple(columns[c][pivots[c]] for c in range(k)),
    )


def _unimodular_block(
    columns: Sequence[list[int]], ranking: Sequence[int], most: int
) -> list[int] | None:
    """The rows of the first block with determinant 1 or -1; None if there is none, or none was found in time."""
    looked = 0

    def extended(columns: Sequence[list[int]], chosen: list[int], start: int) -> list[int] | None:
        nonlocal looked
        c = len(chosen)
        if c == len(columns):
            return chosen
        for place in range(start, len(ranking)):
            row = ranking[place]
            if gcd(*(column[row] for column in columns[c:])) != 1:
                continue  # the rows chosen and this one are not part of any unimodular matrix
            looked += 1
            if looked > most:
                return None
            trial = [column[:] for column in columns]
            _gather(trial, row, c)
            if (block := extended(trial, [*chosen, row], place + 1)) is not None:
                return block
        return None

    return extended(columns, [], 0)


def _small_block(columns: Sequence[list[int]], ranking: Sequence[int]) -> list[int]:
    trial = [column[:] for column in columns]
    chosen: list[int] = []
    for c in range(len(trial)):
        divisors = {row: gcd(*(column[row] for column in trial[c:])) for row in ranking}
        row = min((r for r in ranking if divisors[r]), key=lambda r: divisors[r])
        _gather(trial, row, c)
        chosen.append(row)
    return chosen


def _gather(columns: list[list[int]], row: int, c: int) -> None:
    """Unimodular steps on the columns from `c` on that leave the row one entry there, positive in column `c`."""
    while True:
        used = [j for j in range(c, len(columns)) if columns[j][row]]
        least = min(used, key=lambda j: abs(columns[j][row]))
        columns[c], columns[least] = columns[least], columns[c]
        if len(used) == 1:
            break
        for j in range(c + 1, len(columns)):
            if factor := columns[j][row] // columns[c][row]:
                columns[j] = [a - factor * b for a, b in zip(columns[j], columns[c], strict=True)]
    if columns[c][row] < 0:
        columns[c] = [-a for a in columns[c]]
