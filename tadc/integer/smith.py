"""The Smith normal form of an integer matrix (Urban & van der Smagt 2017, section 4.1.1; Smith 1861).

Every integer matrix `M` is diagonal up to unimodular changes of its rows and columns: `U M V = S`. So a system
`M u = g` is as many independent equations `s_i x_i = (U g)_i` in the unknowns `x`, where `u = V x`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tadc.integer.matrix import Matrix, identity, product

__all__ = ["SmithForm", "smith_form"]


@dataclass(frozen=True, slots=True)
class SmithForm:
    """`U M V = S` with unimodular `U`, `V`; `S` is zero but for its first diagonal entries, `divisors`.

    The divisors are positive and each divides the next.
    """

    M: tuple[tuple[int, ...], ...]
    U: tuple[tuple[int, ...], ...]
    V: tuple[tuple[int, ...], ...]
    divisors: tuple[int, ...]

    def __post_init__(self) -> None:
        s = self.divisors
        n = len(self.V)
        S = [[s[i] if i == j < len(s) else 0 for j in range(n)] for i in range(len(self.U))]
        assert product(product(self.U, self.M), self.V) == S, "U M V is not S"
        assert all(d > 0 for d in s), "a divisor is not positive"
        assert all(s[i + 1] % s[i] == 0 for i in range(len(s) - 1)), (
            "a divisor divides not the next"
        )

    @property
    def rank(self) -> int:
        return len(self.divisors)


def smith_form(M: Matrix) -> SmithForm:
    """The Smith normal form of `M`, which has at least one row and one column.

    The pivot is always a smallest entry of the remaining block, which keeps the entries of `U` and `V` small: where a
    coefficient is 1 no Euclidean step is needed at all.
    """
    S = [list(row) for row in M]
    U, V = identity(len(S)), identity(len(S[0]))
    divisors: list[int] = []
    while (pivot := _smallest_entry(S, len(divisors))) is not None:
        k = len(divisors)
        _move(S, U, V, pivot, k)
        if _cleared(S, U, V, k) and _divides_the_rest(S, U, k):
            divisors.append(S[k][k])
    frozen = [tuple(map(tuple, A)) for A in (M, U, V)]
    return SmithForm(frozen[0], frozen[1], frozen[2], tuple(divisors))


def _smallest_entry(S: list[list[int]], k: int) -> tuple[int, int] | None:
    """The row and column of the smallest nonzero absolute value among those from `k` on; the first of several."""
    best, place = 0, None
    for i in range(k, len(S)):
        for j in range(k, len(S[i])):
            if S[i][j] and (place is None or abs(S[i][j]) < best):
                best, place = abs(S[i][j]), (i, j)
    return place


def _move(
    S: list[list[int]], U: list[list[int]], V: list[list[int]], place: tuple[int, int], k: int
) -> None:
    """Bring the entry at `place` to the diagonal place `k`, as a positive number."""
    i, j = place
    S[k], S[i] = S[i], S[k]
    U[k], U[i] = U[i], U[k]
    for rows in (S, V):
        for row in rows:
            row[k], row[j] = row[j], row[k]
    if S[k][k] < 0:
        S[k] = [-a for a in S[k]]
        U[k] = [-a for a in U[k]]


def _cleared(S: list[list[int]], U: list[list[int]], V: list[list[int]], k: int) -> bool:
    """Reduce column and row `k` by the pivot; whether only the pivot is left, else a smaller pivot has appeared."""
    pivot = S[k][k]
    for i in range(k + 1, len(S)):
        if q := S[i][k] // pivot:
            S[i] = [a - q * b for a, b in zip(S[i], S[k], strict=True)]
            U[i] = [a - q * b for a, b in zip(U[i], U[k], strict=True)]
    for j in range(k + 1, len(V)):
        if q := S[k][j] // pivot:
            for rows in (S, V):
                for row in rows:
                    row[j] -= q * row[k]
    return not any(S[i][k] for i in range(k + 1, len(S))) and not any(S[k][k + 1 :])


def _divides_the_rest(S: list[list[int]], U: list[list[int]], k: int) -> bool:
    """Whether the pivot divides all that is left; else a row it does not divide is added to its own."""
    for i in range(k + 1, len(S)):
        if any(a % S[k][k] for a in S[i]):
            S[k] = [a + b for a, b in zip(S[k], S[i], strict=True)]
            U[k] = [a + b for a, b in zip(U[k], U[i], strict=True)]
            return False
    return True
