"""Bands by pivoted LU, narrow ones by native code, others by LAPACK. All systems are one band, whose blocks do not meet: there is one call for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.linalg import lapack
from scipy.sparse.linalg import LinearOperator, onenormest

from tadc.runtime.linear.block import Array, Block, Singular, check_pivots
from tadc.runtime.linear.native_bands import NativeBand, assembled_band
from tadc.runtime.linear.systems import Systems

__all__ = ["band", "native_band"]


class _Factors(Protocol):
    @property
    def singular(self) -> int | None: ...
    @property
    def pivots(self) -> Array: ...
    def solved(self, b: Array, *, transposed: bool = False) -> Array: ...


def band(diagonals: Array, systems: Systems) -> Block:
    """The factored block of the diagonals (below + 1 + above, systems, m), by row: the lowest first, zero outside of a system.

    Raises Singular.
    """
    s = systems.structure
    below = s.below
    if s.kind == "triangular":
        check_pivots(systems.array(diagonals[below]))
    scales = _scales(np.abs(diagonals).sum(0).max(1), diagonals[below, :, 0], systems)
    rows = (diagonals * scales[:, None]).reshape(len(diagonals), -1)
    factored = _Tridiagonal if below == s.above == 1 else _General
    lu = factored.of(rows, below, s.above)
    return _checked(lu, systems, scales, s.kind == "triangular" or _is_dominant(rows, below))


def native_band(products: Array, kept: Array | None, systems: Systems) -> Block:
    """The same from products with the colours of its columns, (below + 1 + above, systems, m). Raises Singular and CannotCompile."""
    s = systems.structure
    rows, norms, excesses = assembled_band(products, kept, s.below, s.above)
    scales = _scales(norms, rows.reshape(s.systems, s.m, -1)[:, 0, s.below], systems)
    eps = np.finfo(rows.dtype).eps
    is_dominant = (excesses * scales).min() > (norms * scales).max() * eps
    lu = NativeBand.of(rows, scales, s.below, s.above)
    return _checked(lu, systems, scales, bool(is_dominant))


def _scales(norms: Array, first: Array, systems: Systems) -> Array:
    """Powers of two, which round nothing: the norm of each system becomes about 1, and the condition of all that of the worst.

    `first` are the first elements of the diagonals. Raises Singular for a norm that is 0 or not finite.
    """
    good = np.isfinite(norms) & (norms != 0)
    if not good.all():
        k = int(np.argmin(good))
        raise Singular(float(first[k]), systems.index(k))
    scales: Array = np.ldexp(np.ones_like(norms), -np.frexp(norms)[1])
    return scales


def _checked(lu: _Factors, systems: Systems, scales: Array, is_dominant: bool) -> Block:
    """The factored block, which is no singular one, up to rounding. Raises Singular."""
    s = systems.structure
    bad = lu.singular
    if bad is None and not is_dominant:
        bad = _ill_conditioned(lu, s.systems * s.m, scales.dtype)
    if bad is not None:
        pivots = lu.pivots.reshape(s.systems, s.m)[bad // s.m] / scales[bad // s.m]
        raise Singular(float(pivots[np.argmin(np.abs(pivots))]), systems.index(bad // s.m))
    return _Band(systems, scales[:, None], lu)


def _is_dominant(rows: Array, below: int) -> bool:
    """Whether the diagonal exceeds the rest of each row so far that the condition is good (Varah 1975)."""
    magnitudes = np.abs(rows)
    largest = magnitudes.sum(0)
    excess = 2 * magnitudes[below] - largest
    return bool(excess.min() > largest.max() * np.finfo(rows.dtype).eps)


def _ill_conditioned(lu: _Factors, n: int, dtype: Any) -> int | None:
    """A row of a system that is singular up to rounding: `1/(|A| |A⁻¹|) < eps` in the 1-norm, estimated by solutions.

    (The time of scipy 1.17's `gbcon` is quadratic.)
    """
    operator = LinearOperator(
        (n, n), matvec=lu.solved, rmatvec=lambda b: lu.solved(b, transposed=True), dtype=dtype
    )
    with np.errstate(all="ignore"):
        norm, worst = onenormest(operator, t=1, compute_v=True)
    return None if norm * np.finfo(dtype).eps <= 1 else int(np.argmax(np.abs(worst)))


@dataclass(frozen=True, slots=True)
class _Band:
    systems: Systems
    scales: Array
    lu: _Factors

    def solve(self, b: Array, *, transposed: bool) -> Array:
        rows = self.systems.rows(b)
        solved = self.lu.solved((rows * self.scales).reshape(-1), transposed=transposed)
        return self.systems.array(solved.reshape(rows.shape))

    @property
    def log_pivots(self) -> Array:
        logs = np.log(np.abs(self.lu.pivots)).reshape(len(self.scales), -1)
        return self.systems.array(logs - np.log(self.scales))


@dataclass(frozen=True, slots=True)
class _General:
    below: int
    above: int
    factors: Array
    order: Array
    solve: Callable[..., Any]
    singular: int | None  # a row without a pivot

    @classmethod
    def of(cls, rows: Array, below: int, above: int) -> _General:
        width, n = rows.shape
        bands = np.zeros((n, below + width), rows.dtype)  # by column: the transposed of LAPACK's
        for k, offset in enumerate(range(-below, above + 1)):  # of the column from the row
            place = below + above - offset
            bands[max(0, offset) : n + min(0, offset), place] = rows[
                k, max(0, -offset) : n - max(0, offset)
            ]
        gbtrf, gbtrs = lapack.get_lapack_funcs(("gbtrf", "gbtrs"), (bands,))
        factors, order, info = gbtrf(bands.T, below, above, overwrite_ab=True)
        return cls(below, above, factors, order, gbtrs, info - 1 if info > 0 else None)

    def solved(self, b: Array, *, transposed: bool = False) -> Array:
        x: Array = self.solve(
            self.factors, self.below, self.above, b, self.order, trans=int(transposed)
        )[0]
        return x

    @property
    def pivots(self) -> Array:
        pivots: Array = self.factors[self.below + self.above]
        return pivots


@dataclass(frozen=True, slots=True)
class _Tridiagonal:
    factors: tuple[Array, ...]
    solve: Callable[..., Any]
    singular: int | None  # a row without a pivot

    @classmethod
    def of(cls, rows: Array, below: int, above: int) -> _Tridiagonal:
        assert below == above == 1, "the band is wider"
        gttrf, gttrs = lapack.get_lapack_funcs(("gttrf", "gttrs"), (rows,))
        *factors, info = gttrf(rows[0, 1:], rows[1], rows[2, :-1])
        return cls(tuple(factors), gttrs, info - 1 if info > 0 else None)

    def solved(self, b: Array, *, transposed: bool = False) -> Array:
        x: Array = self.solve(*self.factors, b, trans="T" if transposed else "N")[0]
        return x

    @property
    def pivots(self) -> Array:
        return self.factors[1]
