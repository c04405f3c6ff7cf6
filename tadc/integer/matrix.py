"""Integer matrices as lists of rows, and the Hermite normal form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

__all__ = ["Matrix", "Row", "hermite_form", "identity", "product", "transposed"]

Row: TypeAlias = Sequence[int]
Matrix: TypeAlias = Sequence[Row]


def identity(n: int) -> list[list[int]]:
    return [[int(i == j) for j in range(n)] for i in range(n)]


def product(A: Matrix, B: Matrix) -> list[list[int]]:
    columns = list(zip(*B, strict=True))
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in A
    ]


def transposed(A: Matrix) -> list[list[int]]:
    return [list(column) for column in zip(*A, strict=True)]


def hermite_form(A: Matrix) -> list[list[int]]:
    """The nonzero rows of the Hermite normal form: a basis of the lattice that the rows of `A` span.

    Each row's first nonzero entry, its pivot, is positive and stands right of the pivot above it; the entries above
    a pivot `p` lie in `0..p-1`.

    >>> hermite_form([[2, 4, 0], [3, 5, 1]])
    [[1, 1, 1], [0, 2, -2]]
    """
    H = [list(row) for row in A]
    top = 0
    for j in range(len(H[0]) if H else 0):
        while below := [i for i in range(top, len(H)) if H[i][j]]:
            least = min(below, key=lambda i: abs(H[i][j]))
            H[top], H[least] = H[least], H[top]
            if H[top][j] < 0:
                H[top] = [-a for a in H[top]]
            if len(below) == 1:
                break
            for i in range(top + 1, len(H)):
                _subtract(H[i], H[i][j] // H[top][j], H[top])
        else:
            continue  # no row has an entry in this column: no pivot
        for i in range(top):
            _subtract(H[i], H[i][j] // H[top][j], H[top])
        top += 1
    return H[:top]


def _subtract(row: list[int], factor: int, other: Row) -> None:
    if factor:
        row[:] = [a - factor * b for a, b in zip(row, other, strict=True)]
