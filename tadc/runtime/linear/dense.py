"""Dense systems: one by LAPACK, many small ones by a function in C, or by LAPACK through numpy; on a GPU by CuPy's batched solvers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, lu_solve, solve_triangular

from tadc.runtime.cuda.arrays import is_gpu_array, module_of, on_host
from tadc.runtime.linear.block import Array, Block, Singular, check_pivots
from tadc.runtime.linear.small_blocks import SmallBlocks
from tadc.runtime.linear.systems import Systems

__all__ = ["dense"]

MOST_SMALL = 32  # rows of a block that is factored in C


def dense(matrices: Array, systems: Systems, threads: int | None) -> Block:
    """The factored block of these matrices, (systems, m, m). `threads` are those of native code, None without it. Raises Singular."""
    if systems.structure.kind == "triangular":
        check_pivots(systems.array(matrices.diagonal(axis1=1, axis2=2)))
    if is_gpu_array(matrices):
        _check_many(matrices, systems)
        return _Many(systems, matrices)
    if systems.structure.kind == "triangular":
        return _Triangular(systems, matrices)
    if len(matrices) == 1:
        return _One(systems, _factored(matrices[0], systems))
    if threads is not None and matrices.shape[1] <= MOST_SMALL:
        small = SmallBlocks.of(matrices, threads)
        _check_rcond(small.rcond, small.pivots, systems)
        return _Small(systems, small)
    _check_many(matrices, systems)
    return _Many(systems, matrices)


def _check_many(matrices: Array, systems: Systems) -> None:
    """Check that none of these is singular up to rounding. Raises Singular."""
    rcond = _reciprocal_conditions(matrices)
    if not (rcond >= np.finfo(matrices.dtype).eps).all():
        rcond, matrices = on_host(rcond), on_host(matrices)
        (getrf,) = lapack.get_lapack_funcs(("getrf",), (matrices,))
        pivots = [np.diagonal(getrf(np.nan_to_num(m))[0]) for m in matrices]
        _check_rcond(rcond, np.array(pivots), systems)


def _check_rcond(rcond: Array, pivots: Array, systems: Systems) -> None:
    """Check that no system is singular up to rounding: `rcond >= eps`, in the 1-norm."""
    bad = ~(rcond >= np.finfo(rcond.dtype).eps)
    if bad.any():
        k = int(np.argmax(bad))
        raise Singular(float(pivots[k, np.argmin(np.abs(pivots[k]))]), systems.index(k))


def _factored(matrix: Array, systems: Systems) -> tuple[Array, Array]:
    gecon, getrf = lapack.get_lapack_funcs(("gecon", "getrf"), (matrix,))
    norm = float(np.abs(matrix).sum(0).max(initial=0))
    factors, order, info = getrf(np.nan_to_num(matrix))
    rcond = gecon(factors, norm)[0] if np.isfinite(norm) and not info else 0.0
    _check_rcond(np.array([rcond], matrix.dtype), np.diagonal(factors)[None], systems)
    return factors, order


def _reciprocal_conditions(matrices: Array) -> Array:
    """Of each matrix, 0 where it is singular."""
    xp = module_of(matrices)
    rcond: Array = xp.zeros(len(matrices), matrices.dtype)
    finite = xp.flatnonzero(xp.isfinite(matrices).all((1, 2)))
    good = finite[xp.linalg.slogdet(matrices[finite])[0] != 0]
    if len(good):
        norm, inverse = (
            xp.abs(m).sum(1).max(1) for m in (matrices[good], xp.linalg.inv(matrices[good]))
        )
        rcond[good] = 1 / (norm * inverse)
    return rcond


def _below(a: Array, b: Array, *, transposed: bool) -> Array:
    """The solution with the lower triangle of a matrix."""
    x: Array = solve_triangular(a, b, trans=int(transposed), lower=True, check_finite=False)
    return x


@dataclass(frozen=True, slots=True)
class _Triangular:
    systems: Systems
    matrices: Array

    def solve(self, b: Array, *, transposed: bool) -> Array:
        pairs = zip(self.matrices, self.systems.rows(b), strict=True)
        solved = [_below(a, r, transposed=transposed) for a, r in pairs]
        return self.systems.array(np.array(solved))

    @property
    def log_pivots(self) -> Array:
        return self.systems.array(np.log(np.abs(np.einsum("kii->ki", self.matrices))))


@dataclass(frozen=True, slots=True)
class _One:
    systems: Systems
    factors: tuple[Array, Array]

    def solve(self, b: Array, *, transposed: bool) -> Array:
        rows = self.systems.rows(b)[0]
        solved = lu_solve(self.factors, rows, trans=int(transposed), check_finite=False)
        return self.systems.array(solved[None])

    @property
    def log_pivots(self) -> Array:
        return self.systems.array(np.log(np.abs(np.diagonal(self.factors[0])))[None])


@dataclass(frozen=True, slots=True)
class _Small:
    systems: Systems
    factors: SmallBlocks

    def solve(self, b: Array, *, transposed: bool) -> Array:
        rows = self.systems.rows(b).copy()
        return self.systems.array(self.factors.solved(rows, transposed=transposed))

    @property
    def log_pivots(self) -> Array:
        return self.systems.array(np.log(np.abs(self.factors.pivots)))


@dataclass(frozen=True, slots=True)
class _Many:
    systems: Systems
    matrices: Array

    def solve(self, b: Array, *, transposed: bool) -> Array:
        matrices = self.matrices.transpose(0, 2, 1) if transposed else self.matrices
        rows = self.systems.rows(b)[..., None]
        return self.systems.array(module_of(rows).linalg.solve(matrices, rows)[..., 0])

    @property
    def log_pivots(self) -> Array:
        xp = module_of(self.matrices)
        rows = xp.zeros(self.matrices.shape[:2], self.matrices.dtype)
        if rows.size:
            rows[:, 0] = xp.linalg.slogdet(self.matrices)[1]
        return self.systems.array(rows)
