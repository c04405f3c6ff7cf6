"""A basis of short vectors for a lattice (Lenstra, Lenstra & Lovász 1982).

In the coordinates of short, nearly orthogonal vectors a thin wedge is as thick as it can be, so that branching on one
of them decides soon what it does not decide in 100,000 steps along the wedge (Lenstra 1983).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tadc.integer.matrix import Matrix, Row

__all__ = ["short_basis"]


def short_basis(rows: Matrix) -> list[list[int]]:
    """A basis of the lattice spanned by the linearly independent `rows`, reduced with Lovász's factor 3/4.

    >>> short_basis([[1, 0, 3], [0, 1, 5]])
    [[-2, 1, -1], [-1, 1, 2]]
    """
    B = [list(row) for row in rows]
    k = 1
    while k < len(B):
        orthogonal, factors = _orthogonalized(B[: k + 1])
        for j in reversed(range(k)):
            if factor := round(factors[j]):
                B[k] = [a - factor * b for a, b in zip(B[k], B[j], strict=True)]
                lower = _orthogonalized(B[: j + 1])[1]
                factors = [
                    f - factor * (lower[i] if i < j else int(i == j)) for i, f in enumerate(factors)
                ]
        before, here = _square(orthogonal[k - 1]), _square(orthogonal[k])
        if here >= (Fraction(3, 4) - factors[k - 1] ** 2) * before:
            k += 1
        else:
            B[k - 1], B[k] = B[k], B[k - 1]
            k = max(k - 1, 1)
    return B


def _orthogonalized(B: Matrix) -> tuple[list[list[Fraction]], list[Fraction]]:
    """Gram-Schmidt: the orthogonal vectors, and the factors of the earlier ones in the last of `B`."""
    vectors: list[list[Fraction]] = []
    factors: list[Fraction] = []
    for row in B:
        factors = [_dot(row, v) / _square(v) for v in vectors]
        rest = [Fraction(a) for a in row]
        for factor, v in zip(factors, vectors, strict=True):
            rest = [a - factor * b for a, b in zip(rest, v, strict=True)]
        vectors.append(rest)
    return vectors, factors


def _dot(a: Row, b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _square(a: Sequence[Fraction]) -> Fraction:
    return sum((x * x for x in a), Fraction(0))
