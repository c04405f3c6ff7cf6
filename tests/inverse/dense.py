"""The Jacobian of a function as a matrix, by tangents: what inverse modes are held against."""

from __future__ import annotations

import numpy as np

from tadc.function.inverse_modes import closed_call, sides_of


def jacobian(f, point, wrt=None, of=None):
    """The dense Jacobian at `point`, arrays by name; rows by outputs, columns by inputs, each flattened."""
    sides = sides_of(f, wrt, of)
    indices = {*f.index_inputs, *f.sizes}
    point = {n: a if n in indices else np.asarray(a, float) for n, a in point.items()}
    g, values = closed_call(f, point)
    tangent = g.tangent(sides.wrt)
    shapes = [values[x].shape for x in sides.wrt]
    columns = []
    for column in np.eye(sum(int(np.prod(s)) for s in shapes)):
        seeds = unpacked(column, shapes)
        results = tangent.calls([values[x] for x in g.inputs] + seeds)
        by_name = dict(zip(g.outputs, results, strict=True))
        columns.append(packed([by_name[y] for y in sides.of]))
    return np.array(columns).T


def packed(arrays):
    arrays = arrays if isinstance(arrays, (tuple, list)) else (arrays,)
    return np.concatenate([np.ravel(a) for a in arrays])


def unpacked(vector, shapes):
    ends = np.cumsum([int(np.prod(s)) for s in shapes])
    return [p.reshape(s) for p, s in zip(np.split(vector, ends[:-1]), shapes, strict=True)]


def check_against_dense(f, point, wrt=None, of=None, tolerance=1e-9, seed=0):
    """Hold J⁻¹v, J⁻ᵀw, log |det J| and the invariants against the matrix; the structures of the steps are returned."""
    sides = sides_of(f, wrt, of)
    matrix = jacobian(f, point, wrt, of)
    inverse = f.inverse(**point, wrt=wrt, of=of)
    g = inverse._f
    before = [tuple(n.constant for n in g.program.tensors[x].shape) for x in sides.wrt]
    after = [tuple(n.constant for n in g.program.tensors[y].shape) for y in sides.of]
    v, w = np.random.default_rng(seed).standard_normal((2, len(matrix)))
    scale = tolerance * max(1.0, np.linalg.cond(matrix))

    solved = packed(
        f.inverse_tangent(wrt, of)(
            **point, **_named(f.inverse_tangent(wrt, of), f, unpacked(v, after))
        )
    )
    transposed = packed(
        f.inverse_adjoint(wrt, of)(
            **point, **_named(f.inverse_adjoint(wrt, of), f, unpacked(w, before))
        )
    )

    np.testing.assert_allclose(solved, np.linalg.solve(matrix, v), rtol=scale, atol=scale)
    np.testing.assert_allclose(transposed, np.linalg.solve(matrix.T, w), rtol=scale, atol=scale)
    np.testing.assert_allclose(transposed @ (matrix @ v), w @ v, rtol=scale, atol=scale)
    np.testing.assert_allclose(w @ solved, transposed @ v, rtol=scale, atol=scale)
    np.testing.assert_allclose(
        packed(inverse.tangent(*unpacked(v, after))), solved, rtol=scale, atol=scale
    )
    np.testing.assert_allclose(
        packed(inverse.adjoint(*unpacked(w, before))), transposed, rtol=scale, atol=scale
    )
    logdet = np.linalg.slogdet(matrix)[1]
    np.testing.assert_allclose(f.logdet(wrt, of)(**point), logdet, rtol=scale, atol=scale)
    np.testing.assert_allclose(inverse.logdet, logdet, rtol=scale, atol=scale)
    return [step.structure for step in inverse._steps]


def _named(mode, f, vectors):
    return dict(zip(mode.inputs[len(f.inputs) :], vectors, strict=True))
