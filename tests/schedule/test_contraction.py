"""Sums of products of two tensors as products of matrices: which indices are a side of one, and that BLAS has the right places."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.runtime.cpu import c_compiler
from tadc.schedule.cpu.contraction import contraction, is_for_blas

# Of einsum: what stands where, with the sides of matrices, and the indices of loops, whose products are added up in the last.
GROUPS = {
    "ik,kj->ij": ("i", "j", "k", "", ""),
    "ki,jk->ij": ("i", "j", "k", "", ""),
    "bik,bkj->bij": ("i", "j", "k", "b", ""),
    "bihd,bjhd->bhij": ("i", "j", "d", "bh", ""),
    "bhij,bjhd->bihd": ("i", "d", "j", "bh", ""),
    "bnc,dc->bnd": ("bn", "d", "c", "", ""),
    "bcij,oc->boij": ("o", "ij", "c", "b", ""),
    "noij,ncij->oc": ("o", "c", "ij", "", "n"),
    "ijk,jr->irk": ("r", "k", "j", "i", ""),
    "abcd,dcef->aebf": ("a", "f", "d", "eb", "c"),
    "ab,cb->ca": ("c", "a", "b", "", ""),
}
NONE = {
    "ik,k->i": "no matrix",
    "ib,jb->ijb": "nothing is summed",
    "kib,kjb->ijb": "neighbours are in no matrix",
    "iik,kj->ij": "a diagonal",
    "ij,jk->i": "a sum of one tensor alone",
}


def text(einsum: str) -> str:
    (left, right), result = einsum.split("->")[0].split(","), einsum.split("->")[1]
    inner = sorted({*left, *right} - {*result})
    shapes = [f"{t}[{', '.join(i.upper() + '1' for i in s)}]" for t, s in (("x", left), ("w", right))]  # fmt: skip
    summed = f"sum{{{', '.join(inner)}}} " if inner else ""
    return f"input {', '.join(shapes)}\ny[{', '.join(result)}] = {summed}x[{', '.join(left)}]*w[{', '.join(right)}]"


@pytest.mark.parametrize("einsum", [*GROUPS, *NONE])
def test_sides_of_matrices_are_indices_side_by_side(einsum):
    program = tadc.compile(text(einsum)).program
    sizes = dict.fromkeys(program.sizes, 40)

    found = contraction(program.statements[0], program, sizes)

    names = found and ("".join(s) for s in (found.rows, found.columns, found.inner, found.outer, found.added))  # fmt: skip
    assert (names and tuple(names)) == GROUPS.get(einsum)


def test_small_matrices_are_none():
    program = tadc.compile(text("bik,bkj->bij")).program

    assert contraction(program.statements[0], program, dict.fromkeys(program.sizes, 31)) is None


def test_extents_that_differ_are_none():
    program = tadc.compile("size N\ninput x[N, N], w[N+1, N]\ny[i, j] = sum{k=0..N-1} x[i, k]*w[k, j]").program  # fmt: skip

    assert contraction(program.statements[0], program, {"N": 40}) is None


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("einsum", [*GROUPS, *NONE])
def test_blas_computes_what_einsum_does_and_its_gradients(einsum, dtype):
    f = tadc.compile(text(einsum), backend="native", dtype=dtype)
    random = np.random.default_rng(0)
    extents = dict(zip(sorted({*einsum} - {*",->"}), (37, 41, 50, 43, 39, 38), strict=False))  # fmt: skip
    (left, right), result = einsum.split("->")[0].split(","), einsum.split("->")[1]
    small = set(einsum) & {"b", "h", "n"} if len(extents) > 3 else set()
    extents = {i: 3 if i in small else n for i, n in extents.items()}
    x, w, dy = (random.normal(size=[extents[i] for i in s]).astype(dtype) for s in (left, right, result))  # fmt: skip

    y, gradients = f.value_and_gradients(x, w, cotangent=dy)

    rtol = 2e-5 if dtype == "float32" else 1e-12
    exact = np.einsum(einsum, x.astype("float64"), w.astype("float64"))
    np.testing.assert_allclose(y, exact, rtol=rtol, atol=rtol * np.abs(exact).max())
    if len({*left}) == len(left) and einsum != "ij,jk->i":
        dx = np.einsum(f"{result},{right}->{left}", dy.astype("float64"), w)
        np.testing.assert_allclose(gradients["x"], dx, rtol=rtol, atol=rtol * np.abs(dx).max())


# A formula, the sides of its matrices, and one that is none.
FLAT = {
    "y[n,d] = sum{g, k} p[n,g,k]*w[4*g+k,d]; input p[N,G,4], w[4*G,D]": ("n", "d", "gk"),
    "y[d,j] = sum{n} x[n,d]*p[n,j//4,j%4]; input x[N,D], p[N,G,4]; size G": ("d", "qj", "n"),
    "y[n,j: 32*G] = sum{k} x[n,32*(j//32)+k]*w[j//32,k,j%32]; input x[N,32*G], w[G,32,32]": ("n", "j", "k"),
    "y[i,j] = sum{a, b, c} p[i,a,b,c]*w[12*a+4*b+c,j]; input p[N,G,3,4], w[12*G,D]": ("i", "j", "abc"),
}  # fmt: skip
NOT_FLAT = {
    "digits of another base": "y[n,d] = sum{g, k} p[n,g,k]*w[5*g+k,d]; input p[N,G,4], w[5*G,D]",
    "digits that leave elements out": "y[n,d] = sum{g, k} p[n,g,k]*w[4*g+k,d]; input p[N,G,4], w[4*G+4,D]",
    "remainders of another dimension": "y[d,j: 4*G] = sum{n} x[n,d]*p[n,j//4,j%4]; input x[N,D], p[N,G,5]",
    "quotients that leave elements out": "y[d,j: 4*G] = sum{n} x[n,d]*p[n,j//4,j%4]; input x[N,D], p[N,G+1,4]",
}  # fmt: skip


@pytest.mark.parametrize("text", FLAT)
def test_dimensions_side_by_side_are_one(text):
    program = tadc.compile(text).program

    found = contraction(program.statements[0], program, dict.fromkeys(program.sizes, 40))

    assert found
    assert tuple("".join(s) for s in (found.rows, found.columns, found.inner)) == FLAT[text]


@pytest.mark.parametrize(("height", "width", "is_left"), [(56, 56, True), (56, 300, False), (1, 3136, False)])  # fmt: skip
def test_columns_in_short_pieces_are_left_to_blas(height, width, is_left):
    program = tadc.compile("size N, O, C, H, W\ninput x[N,C,H,W], w[O,C]\ny[n,o,i,j] = sum{c} w[o,c]*x[n,c,i,j]").program  # fmt: skip
    sizes = {"N": 4, "O": 64, "C": 64, "H": height, "W": width}

    assert is_for_blas(contraction(program.statements[0], program, sizes), sizes) == is_left


@pytest.mark.parametrize("text", NOT_FLAT.values(), ids=NOT_FLAT.keys())
def test_dimensions_that_are_not_counted_through_are_none(text):
    program = tadc.compile(text).program

    assert contraction(program.statements[0], program, dict.fromkeys(program.sizes, 40)) is None


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("text", [*FLAT, *NOT_FLAT.values()])
def test_blas_computes_products_of_flat_dimensions(text):
    f, reference = (tadc.compile(text, backend=b) for b in ("native", "numpy"))
    sizes = {s: n for s, n in {"N": 37, "D": 41, "G": 35}.items() if s in f.program.sizes}
    random = np.random.default_rng(0)
    arrays = [random.normal(size=[n.at(sizes) for n in t.shape]) for t in f.program.inputs]

    np.testing.assert_allclose(f(*arrays), reference(*arrays), rtol=1e-10, atol=1e-10)
