"""Blocks of steps at one point: assembled by colours, factored together, on every backend."""

from __future__ import annotations

import numpy as np
import pytest
from dense import check_against_dense

import tadc
from tadc.derive.coloured import Colouring
from tadc.runtime.linear.native_bands import NativeBand, assembled_band
from tadc.runtime.linear.small_blocks import SmallBlocks

HEAT = "size K, N; state u[K, N]; input a[K]; u[k, i] <- a[k]*(3*u[k, i] - u[k, pad(i-1)] - u[k, pad(i+1)] + u[k, i]**3/9)"
WIDE = "size K, N; state u[K, N]; u[k, i] <- u[k, i]/4 + u[k, pad(i-2)] - 2*u[k, pad(i+1)]"
REACTIONS = "size N; state c[N, 3]; input M[3, 3]; c[p, s] <- c[p, s] + sum{q} M[s, q]*c[p, q]**2/2"


@pytest.mark.parametrize("cyclic", [False, True])
def test_a_coloured_tangent_is_a_tangent_for_each_colour(cyclic):
    f = tadc.compile(WIDE, backend="numpy", sizes={"K": 2, "N": 7})
    u = np.random.default_rng(0).standard_normal((2, 7))
    colouring = Colouring((0, 1), 1, 4 if cyclic else 8, cyclic)

    products = f._derivative("coloured", ("u", str(colouring)))(u, np.ones((2, 7)))

    colours = (1 + np.arange(7)) % colouring.count
    for k, product in enumerate(products):
        seed = np.broadcast_to(colours == k, (2, 7)).astype(float)
        np.testing.assert_allclose(product, f.tangent("u")(u, seed), rtol=1e-14)


TURNED = {
    "x[i] <- 2*x[N-1-i] + sin(x[pad(N-2-i)])": ("triangular", 1),
    "x[i] <- 3*x[N-1-i] + sin(x[pad(N-2-i)]) + x[pad(N-i)]/3": ("banded", 1),
    "x[i] <- 2*x[N-1-i] + sum{j | j < N-1-i} x[j]/9": ("triangular", 1),
    "x[i] <- 2*x[N-1-i] + x[wrap(N-2-i)]": ("cyclic", 1),
    "x[i, j] <- 3*x[j, N-1-i] + sin(x[j, pad(N-2-i)]) + x[pad(j-1), N-1-i]": ("triangular", 2),
    "x[i, j] <- 3*x[j, i] + x[pad(j-1), i] - x[pad(j+1), i]": ("blocks", 2),
    "x[i] <- x[i] + 3*x[N-1-i]": ("dense", 1),
}


@pytest.mark.parametrize("update", TURNED)
def test_rows_that_run_against_their_columns_are_turned(update):
    kind, rank = TURNED[update]
    shape = (50,) if rank == 1 else (6, 6)
    f = tadc.compile(f"size N; state x[{', '.join('N' * rank)}]; {update}", backend="numpy")

    (s,) = check_against_dense(f, {"x": np.random.default_rng(0).uniform(0.5, 1, shape)})

    assert s.kind == kind


def test_the_row_of_a_singular_turned_triangle_is_named():
    mode = tadc.compile("size N; state x[N]; x[i] <- x[N-1-i]**2 + x[pad(N-2-i)]").inverse_tangent()
    x = np.ones(5000)
    x[7] = 0

    with pytest.raises(tadc.SingularError) as caught:
        mode(x, x)
    assert caught.value.index == (4992,)
    np.testing.assert_allclose(mode(np.ones(5000), 2 * np.ones(5000))[:2], (1, 0.5))


BACKENDS = pytest.mark.parametrize("backend", ["numpy", "native"])  # bands by LAPACK, and in C


@BACKENDS
@pytest.mark.compiler
@pytest.mark.parametrize("text", [HEAT, WIDE])
def test_bands_side_by_side_are_solved_together(text, backend):
    f = tadc.compile(text, backend=backend)
    point = {
        n: np.random.default_rng(1).uniform(0.5, 1, s)
        for n, s in zip(f.inputs, [(3, 36), 3], strict=False)
    }

    (s,) = check_against_dense(f, point)

    assert s.kind == "banded" and s.systems == 3


@BACKENDS
@pytest.mark.compiler
def test_the_magnitude_of_one_band_says_nothing_of_another(backend):
    f = tadc.compile(HEAT, backend=backend)
    rng = np.random.default_rng(2)
    u, a, v = rng.uniform(-1, 1, (3, 36)), np.array([1e-30, 1.0, 1e30]), rng.uniform(-1, 1, (3, 36))

    solved = f.inverse_tangent()(u, a, v)

    ones = f.inverse_tangent()(u, np.ones(3), v)
    np.testing.assert_allclose(solved, ones / a[:, None], rtol=1e-13)


@BACKENDS
@pytest.mark.compiler
@pytest.mark.parametrize("value", [0.0, np.nan])
def test_the_first_element_of_a_singular_band_is_named(value, backend):
    f = tadc.compile("size K, N; state u[K, N]; input a[K]; u[k, i] <- a[k]*u[k, i] + u[k, pad(i-1)] + u[k, pad(i+1)]", backend=backend)  # fmt: skip
    u = np.ones((3, 41))  # of odd length: singular where `a` is 0

    with pytest.raises(tadc.SingularError) as caught:
        f.inverse_tangent()(u, np.array([3.0, value, value]), u)

    assert caught.value.index == (1, 0)


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("below", "above"), [(1, 1), (2, 1), (0, 2), (3, 0)])
def test_narrow_bands_are_factored_with_pivots_in_native_code(below, above, dtype):
    rng = np.random.default_rng(below)
    n, width = 19, below + 1 + above
    matrix = np.zeros((n, n), dtype)
    for offset in range(-below, above + 1):
        matrix += np.diag(rng.standard_normal(n - abs(offset)), offset).astype(dtype)
    matrix *= np.where(np.arange(n) % 3, 1, 1e-3)[:, None]  # rows change places
    kept = np.arange(n) % 5 == 4
    matrix[kept] = 0
    products = np.stack([matrix[:, c::width].sum(1) for c in range(width)])[:, None]
    matrix[kept, kept] = 1

    band, norms, excesses = assembled_band(products, kept[None], below, above)
    lu = NativeBand.of(band, np.ones_like(norms), below, above)

    size = 10 * np.finfo(dtype).eps * np.linalg.cond(matrix)
    b = rng.standard_normal(n).astype(dtype)
    np.testing.assert_allclose(norms, np.abs(matrix).sum(1).max(), rtol=1e-6)
    assert lu.singular is None and excesses < 0
    for transposed, a in ((False, matrix), (True, matrix.T)):
        x = np.linalg.solve(a.astype(float), b)
        np.testing.assert_allclose(lu.solved(b, transposed=transposed), x, atol=size * np.abs(x).max())  # fmt: skip
    logs = np.log(np.abs(lu.pivots)).sum()
    np.testing.assert_allclose(logs, np.linalg.slogdet(matrix.astype(float))[1], atol=n * size)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.compiler
def test_small_blocks_are_solved_as_by_numpy(backend, dtype):
    f = tadc.compile(REACTIONS, backend=backend)
    rng = np.random.default_rng(3)
    c, m = rng.uniform(0.5, 1, (40, 3)), 9 * rng.standard_normal((3, 3))
    c, m, v = (x.astype(dtype) for x in (c, m, rng.standard_normal((40, 3))))
    tolerance = 1e3 * np.finfo(dtype).eps * 100

    blocks = np.eye(3) + m.astype(float) * c[:, None]
    inverse = f.inverse(c, m)

    for product, matrices in ((inverse.tangent, blocks), (inverse.adjoint, blocks.swapaxes(1, 2))):
        expected = np.linalg.solve(matrices, v[..., None])[..., 0]
        np.testing.assert_allclose(product(v), expected, rtol=tolerance, atol=tolerance)
        assert product(v).dtype == dtype
    logdet = np.linalg.slogdet(blocks)[1].sum()
    np.testing.assert_allclose(inverse.logdet, logdet, rtol=tolerance)


@pytest.mark.parametrize("m", [2, 8, 9])  # up to 8 rows several are factored side by side
@pytest.mark.plain(m=1)
@pytest.mark.compiler
def test_the_blocks_of_lanes_that_are_not_full_are_solved_too(m):
    rng = np.random.default_rng(m)
    matrices, rows = rng.standard_normal((13, m, m)), rng.standard_normal((13, m))

    factored = SmallBlocks.of(matrices.copy(), 1)

    for a, transposed in ((matrices, False), (matrices.transpose(0, 2, 1), True)):
        found = factored.solved(rows.copy(), transposed=transposed)
        np.testing.assert_allclose(found, np.linalg.solve(a, rows[..., None])[..., 0], rtol=1e-8)
    norms = [np.abs(x).sum(1).max(1) for x in (matrices, np.linalg.inv(matrices))]
    np.testing.assert_allclose(factored.rcond, 1 / np.prod(norms, axis=0), rtol=1e-8)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
@pytest.mark.compiler
def test_a_singular_small_block_is_named(backend, bad):
    f = tadc.compile("size N; state a[N], b[N]; input w[N]; step { a[i] <- 2*a[i] + 4*b[i]; b[i] <- a[i] + w[i]*b[i] }", backend=backend)  # fmt: skip
    ones = np.ones(5)
    w = np.array([3.0, 3.0, 2.0 + bad, 3.0, 2.0])

    with pytest.raises(tadc.SingularError) as caught:
        f.inverse_adjoint()(ones, ones, w, ones, ones)
    results = f.inverse_adjoint()(ones, ones, w, ones, ones, check=False)

    assert caught.value.index == (2,)
    assert not any(np.isfinite(r[2]) for r in results)


RINGS = {
    "heat on a ring": ("size N; state u[N]; u[i] <- u[i] + (u[wrap(i-1)] - 2*u[i] + u[wrap(i+1)])/3 + u[i]**3", 1, 1),
    "a zero diagonal": ("size N; state u[N]; u[i] <- u[wrap(i-2)]/4 + sin(u[wrap(i+1)])", 2, 1),
    "a part of a ring": ("size N; state u[N]; u[i | i != 4] <- 2*u[i] + u[wrap(i+1)]**2 - u[wrap(i-1)]", 1, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", RINGS)
@pytest.mark.parametrize("n", [19, 22, 41])
def test_rings_are_solved_as_bands(name, n):
    text, below, above = RINGS[name]
    point = {"u": np.random.default_rng(n).uniform(-1, 1, n)}

    (s,) = check_against_dense(tadc.compile(text, backend="numpy"), point)

    assert (s.kind, s.below, s.above) == ("cyclic", below, above)


def test_rings_side_by_side_are_solved_together():
    f = tadc.compile("size K, N; state u[K, N]; u[k, i] <- 3*u[k, i] + sin(u[k, wrap(i+1)]) - u[k, wrap(i-1)]")  # fmt: skip

    (s,) = check_against_dense(f, {"u": np.random.default_rng(0).uniform(-1, 1, (3, 34))})

    assert s.kind == "cyclic" and s.systems == 3


def test_a_singular_ring_is_an_error():
    f = tadc.compile("size N; state u[N]; u[i] <- u[i] + u[wrap(i-1)]/2 + u[wrap(i+1)]/2")

    with pytest.raises(tadc.SingularError):
        f.inverse_tangent()(np.ones(40), np.ones(40))  # of even length
    f.inverse_tangent()(np.ones(41), np.ones(41))


def test_a_dense_step_of_several_tensors_is_assembled_by_one_program_each():
    f = tadc.compile("state a[3], b[2, 2]; step { a[i] <- 5*a[i] + sum{j,k} sin(b[j, k]*(i+1)); b[j, k] <- 4*b[j, k] + sum{i} a[i]**2*(j - k) }", backend="numpy")  # fmt: skip
    rng = np.random.default_rng(4)
    point = {"a": rng.uniform(0, 1, 3), "b": rng.uniform(0, 1, (2, 2))}

    (s,) = check_against_dense(f, point)

    assert s.kind == "dense" and s.m == 7
