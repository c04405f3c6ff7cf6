"""Linear systems with the diagonal block of a step: assembled from products with it, factored once, solved many times.

A `Block` holds A for one point: `solve` gives A⁻¹b, `solve_transposed` A⁻ᵀb, `log_pivots` numbers whose sum is log |det A|.
Arrays are of shape (tensors, *shape), as the step's structure says. Entries come from products A v with seeds, as many as a
band is wide or a block has columns: what A is is known to the derivative alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, lu_factor, lu_solve, solve_triangular
from scipy.sparse.linalg import LinearOperator, onenormest

from tadc.errors import DerivativeError
from tadc.inverse.structure import Structure

__all__ = ["Block", "Singular", "assembled"]

Array = NDArray[Any]
Product = Callable[[Array], Array]  # A v, both of shape (tensors, *shape)

MOST_BYTES = 4 << 30  # of assembled matrices


class Singular(Exception):  # it becomes a SingularError, which knows the step
    """A pivot that is no pivot, and the index of its element: the number of its tensor, then its subscripts."""

    def __init__(self, pivot: float, index: tuple[int, ...]) -> None:
        super().__init__(pivot, index)
        self.pivot = pivot
        self.index = index


class Block(Protocol):
    def solve(self, b: Array) -> Array: ...
    def solve_transposed(self, b: Array) -> Array: ...
    @property
    def log_pivots(self) -> Array: ...


def assembled(
    product: Product,
    s: Structure,
    dtype: Any,
    limit: int,
    image: Array | None,
    mask: Array | None,
    *,
    check: bool = True,
) -> Block:
    """The block of a step at one point, factored.

    `image` is the map of a bijection: for each row, flattened, the element that it reads. `mask` is true where a partial
    update writes; elsewhere A is the identity. `limit` bounds the rows of dense systems. Raises Singular (without `check`,
    what a singular block solves is NaN), and DerivativeError for a dense system that is too large.
    """
    try:
        return _assembled(product, s, dtype, limit, image, mask, check=check)
    except Singular:
        if check:
            raise
        return _Nothing()


def _assembled(
    product: Product,
    s: Structure,
    dtype: Any,
    limit: int,
    image: Array | None,
    mask: Array | None,
    *,
    check: bool,
) -> Block:
    if mask is not None:
        inner = product

        def product(v: Array) -> Array:
            return np.where(mask, inner(np.where(mask, v, 0)), v)

    if s.kind in ("diagonal", "bijection"):
        ones = product(np.ones((s.tensors, *s.shape), dtype))
        good = np.isfinite(ones) & (ones != 0)
        if check:
            _check(ones, good)
        else:
            ones = np.where(good, ones, np.nan)
        if s.kind == "diagonal":
            return _Diagonal(ones)
        assert image is not None, "a bijection has a map"
        return _Bijection(ones, image)
    systems = _Systems.of(s)
    if s.is_band:
        return _band(product, systems, dtype)
    if s.m > limit or s.systems * s.m * s.m * np.dtype(dtype).itemsize > MOST_BYTES:
        needed = s.systems * s.m * s.m * np.dtype(dtype).itemsize
        raise DerivativeError(
            None,
            f"a step has a {s.kind} block of {s.m} rows, {needed} bytes as {s.systems} dense"
            f" matri{'x' if s.systems == 1 else 'ces'}, and at most {limit} rows are solved",
            fix="stage the update (red-black, leapfrog, one tensor after the other), or raise `dense_limit`",
        )
    return _dense(product, systems, dtype)


def _check(pivots: Array, good: Array) -> None:
    if not good.all():
        index = tuple(int(k) for k in np.argwhere(~good)[0])
        raise Singular(float(pivots[index]), index)


class _Nothing:
    """A singular block."""

    def solve(self, b: Array) -> Array:
        return np.full_like(b, np.nan)

    def solve_transposed(self, b: Array) -> Array:
        return np.full_like(b, np.nan)

    @property
    def log_pivots(self) -> Array:
        return np.asarray(np.nan)


@dataclass(frozen=True, slots=True)
class _Diagonal:
    pivots: Array

    def solve(self, b: Array) -> Array:
        return b / self.pivots

    def solve_transposed(self, b: Array) -> Array:
        return b / self.pivots

    @property
    def log_pivots(self) -> Array:
        return np.log(np.abs(self.pivots))


@dataclass(frozen=True, slots=True)
class _Bijection:
    pivots: Array
    image: Array

    def solve(self, b: Array) -> Array:
        z = np.empty_like(b)
        z.reshape(-1)[self.image] = (b / self.pivots).reshape(-1)
        return z

    def solve_transposed(self, b: Array) -> Array:
        read: Array = b.reshape(-1)[self.image].reshape(b.shape)
        return read / self.pivots

    @property
    def log_pivots(self) -> Array:
        return np.log(np.abs(self.pivots))


# ---- Systems


@dataclass(frozen=True, slots=True)
class _Systems:
    """The rows of independent systems: (tensors, *shape) as (systems, m), tensors innermost.

    Of a triangular block the rows are in the order of substitution.
    """

    structure: Structure
    axes: tuple[int, ...]
    flipped: tuple[int, ...]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, s: Structure) -> _Systems:
        rest = s.rest
        flipped: tuple[int, ...] = ()
        if s.kind == "triangular" and not s.is_band:
            rest = tuple(d for d, _ in s.sequential)
            flipped = tuple(d + 1 for d, descends in s.sequential if descends)
        axes = (*(d + 1 for d in s.batch), *(d + 1 for d in rest), 0)
        sizes = (s.tensors, *s.shape)
        return cls(s, axes, flipped, tuple(sizes[a] for a in axes))

    def of_array(self, x: Array) -> Array:
        """The systems' rows of an array."""
        turned = np.flip(x, self.flipped) if self.flipped else x
        s = self.structure
        return np.ascontiguousarray(turned.transpose(self.axes)).reshape(s.systems, s.m)

    def to_array(self, rows: Array) -> Array:
        back = rows.reshape(self.shape).transpose(np.argsort(self.axes))
        return np.flip(back, self.flipped) if self.flipped else back

    def index(self, system: int, row: int) -> tuple[int, ...]:
        """The index of an element in (tensors, *shape)."""
        place = np.zeros((self.structure.systems, self.structure.m), bool)
        place[system, row] = True
        return tuple(int(k) for k in np.argwhere(self.to_array(place))[0])

    def columns(self, product: Product, seed: Array) -> Array:
        """The rows of A v where v is the same in every system."""
        v = np.broadcast_to(seed, (self.structure.systems, self.structure.m))
        return self.of_array(product(self.to_array(v)))


def _band(product: Product, systems: _Systems, dtype: Any) -> Block:
    """Pivoted LU of bands, a product for each of the distances: columns that are further apart do not meet in a row."""
    s = systems.structure
    below, above, m = s.below, s.above, s.m
    width = below + above + 1
    bands = np.zeros((s.systems, 2 * below + above + 1, m), dtype)
    for color in range(width):
        seed = np.zeros(m, dtype)
        seed[color::width] = 1
        rows = systems.columns(product, seed)
        for offset in range(-above, below + 1):
            columns = np.arange(color, m, width)
            columns = columns[(columns + offset >= 0) & (columns + offset < m)]
            bands[:, below + above + offset, columns] = rows[:, columns + offset]
    norms = np.abs(bands).sum(1).max(1) if m else np.zeros(s.systems)
    if s.kind == "triangular":
        _check_rows(systems, bands[:, below + above])
    factors, orders = np.empty_like(bands), np.empty((s.systems, m), np.int32)
    gbtrf, gbtrs = lapack.get_lapack_funcs(("gbtrf", "gbtrs"), (bands,))
    for k in range(s.systems):
        factors[k], orders[k], info = gbtrf(bands[k], below, above)
        rcond = 0.0 if info or not np.isfinite(norms[k]) else 1.0
        if not info and s.kind != "triangular":
            rcond = _reciprocal_condition(norms[k], s, factors[k], orders[k], gbtrs)
        if info or (s.kind != "triangular" and not rcond >= np.finfo(dtype).eps):
            pivots = factors[k, below + above]
            raise Singular(float(pivots[np.argmin(np.abs(pivots))]), systems.index(k, 0))
    return _Band(systems, factors, orders, gbtrs)


def _reciprocal_condition(
    norm: float, s: Structure, factors: Array, order: Array, gbtrs: Callable[..., Any]
) -> float:
    """1/(|A| |A⁻¹|) in the 1-norm, estimated by solutions. (The time of scipy 1.17's `gbcon` is quadratic.)"""

    def solved(b: Array, transposed: int) -> Array:
        x: Array = gbtrs(factors, s.below, s.above, b, order, trans=transposed)[0]
        return x

    operator = LinearOperator(
        (s.m, s.m),
        matvec=lambda b: solved(b, 0),
        rmatvec=lambda b: solved(b, 1),
        dtype=factors.dtype,
    )
    with np.errstate(all="ignore"):
        return float(1 / (norm * onenormest(operator))) if norm else 0.0


def _check_rows(systems: _Systems, pivots: Array) -> None:
    """Check the pivots of triangular systems, (systems, m), in the order of the elements."""
    of_elements = systems.to_array(pivots)
    _check(of_elements, np.isfinite(of_elements) & (of_elements != 0))


@dataclass(frozen=True, slots=True)
class _Band:
    systems: _Systems
    factors: Array
    orders: Array
    gbtrs: Callable[..., Any]

    def solve(self, b: Array) -> Array:
        return self._solved(b, 0)

    def solve_transposed(self, b: Array) -> Array:
        return self._solved(b, 1)

    def _solved(self, b: Array, transposed: int) -> Array:
        s = self.systems.structure
        rows = self.systems.of_array(b).copy()
        for k in range(s.systems):
            rows[k] = self.gbtrs(
                self.factors[k], s.below, s.above, rows[k], self.orders[k], trans=transposed
            )[0]
        return self.systems.to_array(rows)

    @property
    def log_pivots(self) -> Array:
        s = self.systems.structure
        return self.systems.to_array(np.log(np.abs(self.factors[:, s.below + s.above])))


def _dense(product: Product, systems: _Systems, dtype: Any) -> Block:
    s = systems.structure
    matrices = np.empty((s.systems, s.m, s.m), dtype)
    for column in range(s.m):
        seed = np.zeros(s.m, dtype)
        seed[column] = 1
        matrices[:, :, column] = systems.columns(product, seed)
    if s.kind == "triangular":
        _check_rows(systems, np.einsum("kii->ki", matrices))
        return _Triangular(systems, matrices)
    _check_conditions(systems, matrices)
    if s.systems == 1:
        return _Factored(systems, lu_factor(matrices[0]))
    return _Dense(systems, matrices)


def _check_conditions(systems: _Systems, matrices: Array) -> None:
    """Check that no matrix is singular up to rounding: `rcond >= eps`, in the 1-norm."""
    eps = np.finfo(matrices.dtype).eps
    if not matrices.size:
        return
    bad = ~np.isfinite(matrices).all((1, 2))
    if not bad.any():
        try:
            inverses = np.linalg.inv(matrices)
            norms = np.abs(matrices).sum(1).max(1) * np.abs(inverses).sum(1).max(1)
            bad = ~(norms * eps <= 1)
        except np.linalg.LinAlgError:
            bad = np.linalg.slogdet(matrices)[0] == 0
            bad |= np.linalg.cond(matrices, 2) * eps > 1
    if bad.any():
        k = int(np.argmax(bad))
        pivots = np.diagonal(lapack.dgetrf(np.nan_to_num(matrices[k].astype(float)))[0])
        raise Singular(float(pivots[np.argmin(np.abs(pivots))]), systems.index(k, 0))


@dataclass(frozen=True, slots=True)
class _Triangular:
    systems: _Systems
    matrices: Array

    def solve(self, b: Array) -> Array:
        return self._solved(b, 0)

    def solve_transposed(self, b: Array) -> Array:
        return self._solved(b, 1)

    def _solved(self, b: Array, transposed: int) -> Array:
        rows = self.systems.of_array(b)
        solved = np.empty_like(rows)
        for k, matrix in enumerate(self.matrices):
            solved[k] = solve_triangular(matrix, rows[k], trans=transposed, lower=True)
        return self.systems.to_array(solved)

    @property
    def log_pivots(self) -> Array:
        return self.systems.to_array(np.log(np.abs(np.einsum("kii->ki", self.matrices))))


@dataclass(frozen=True, slots=True)
class _Factored:
    """One dense system."""

    systems: _Systems
    factors: tuple[Array, Array]

    def solve(self, b: Array) -> Array:
        return self.systems.to_array(lu_solve(self.factors, self.systems.of_array(b)[0])[None])

    def solve_transposed(self, b: Array) -> Array:
        rows = self.systems.of_array(b)[0]
        return self.systems.to_array(lu_solve(self.factors, rows, trans=1)[None])

    @property
    def log_pivots(self) -> Array:
        return self.systems.to_array(np.log(np.abs(np.diagonal(self.factors[0])))[None])


@dataclass(frozen=True, slots=True)
class _Dense:
    """Many dense systems, by LAPACK through numpy."""

    systems: _Systems
    matrices: Array

    def solve(self, b: Array) -> Array:
        return self._solved(self.matrices, b)

    def solve_transposed(self, b: Array) -> Array:
        return self._solved(self.matrices.transpose(0, 2, 1), b)

    def _solved(self, matrices: Array, b: Array) -> Array:
        rows = self.systems.of_array(b)
        return self.systems.to_array(np.linalg.solve(matrices, rows[..., None])[..., 0])

    @property
    def log_pivots(self) -> Array:
        rows = np.zeros(self.matrices.shape[:2], self.matrices.dtype)
        if rows.size:
            rows[:, 0] = np.linalg.slogdet(self.matrices)[1]
        return self.systems.to_array(rows)
