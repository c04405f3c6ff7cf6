"""Sums of products of several tensors as products of matrices: which factors are multiplied first, and that values are numpy's."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.runtime.cpu import c_compiler
from tadc.schedule.cpu.contraction import contraction
from tadc.schedule.cpu.products import with_products
from tadc.schedule.rewrite.program import scheduled

# Of einsum, with the factors of each pair.
PAIRS = {
    "ikl,kj,lj->ij": [{"t1", "t2"}],
    "ij,kj,lj->ikl": [{"t0", "t1"}],
    "ikl,ij,kj->lj": [{"t1", "t2"}],
    "abr,br,cr,dr->acd": [{"t2", "y_sum"}],
    "ar,br,cr,dr->abcd": [{"t0", "t1"}, {"t2", "t3"}],
}
NONE = {
    "ik,kj->ij": "two factors",
    "i,j,k->i": "sums that depend on less are summed by themselves",
    "ij,ij,ij->i": "no matrix",
    "iij,jk,k->ik": "a diagonal",
}


def text(einsum: str) -> str:
    factors, result = einsum.split("->")[0].split(","), einsum.split("->")[1]
    inner = sorted({*"".join(factors)} - {*result})
    shapes = (f"t{n}[{', '.join(i.upper() + '1' for i in s)}]" for n, s in enumerate(factors))
    product = "*".join(f"t{n}[{', '.join(s)}]" for n, s in enumerate(factors))
    return (
        f"input {', '.join(shapes)}\ny[{', '.join(result)}] = sum{{{', '.join(inner)}}} {product}"
    )


def paired(source: str, size: int = 192, **sizes: int):
    program = scheduled(tadc.compile(source, backend="numpy")._program)
    usual = dict.fromkeys(program.sizes, size) | sizes
    found, _ = with_products(program, usual, "float64")
    return found, program


@pytest.mark.parametrize("einsum", [*PAIRS, *NONE])
def test_factors_are_multiplied_where_that_makes_products_of_matrices(einsum):
    program, before = paired(text(einsum))

    pairs = [{*s.reads} for s in program.statements if "_factor" in s.target.name]
    assert sorted(pairs, key=min) == PAIRS.get(einsum, [])
    if pairs:
        assert contraction(program.statements[-1], program, dict.fromkeys(program.sizes, 192))
    else:
        assert program is before


@pytest.mark.parametrize("source, sizes, inner", [
    ("q[b] = sum{i, j} x[b,i]*a[i,j]*x[b,j]", {}, {"a", "x"}),
    ("q[b] = max{i} (x[b,i] - sum{j} a[i,j]*x[b,j])", {}, {"a", "x"}),
    ("input x[B,N], a[N,N]\nq[b] = sum{i, j} x[b,i]*a[i,j]*x[b,j]", {"B": 5, "N": 30}, set()),  # small
    ("q[b] = sum{i | i <= b} x[b,i]*exp(sum{j} a[i,j]*x[b,j])", {}, set()),  # up to a diagonal
    ("input x[N,D], z[M,D], w[M]\nf[n] = sum{m} exp(sum{d} x[n,d]*z[m,d])*w[m]", {"N": 10**5, "M": 10**5}, set()),  # larger than what it is made of
])  # fmt: skip
def test_products_of_matrices_inside_of_sums_are_stored(source, sizes, inner):
    program, before = paired(source, **sizes)

    made = [s for s in program.statements if s.target.name.endswith("_product")]
    assert {t for s in made for t in s.reads} == inner
    assert made or program is before


COMPUTED = {
    "input s[I,J], n[J], v[J,D]\ny[i,d] = tanh(sum{j} s[i,j]*exp(n[j] - s[i,j])*v[j,d])": {"y_factor", "y_product"},
    "input s[I,J], n[I], v[J,D]\ny[d,i] = sum{j} exp(s[i,j])*v[j,d]": {"y_factor"},
    "input x[I], z[J], v[J,D]\ny[i,d] = sum{j} exp(-(x[i] - z[j])**2)*v[j,d]": set(),  # larger than what it is made of
    "input s[I,J], v[J,D]\ny[i,d] = tanh(sum{j} s[i,j]*v[j,d])": set(),  # the sum alone would be stored
    "input s[I,J], v[J,D]\ny[i,d] = sum{j=0..i} exp(s[i,j])*v[j,d]": set(),  # up to a diagonal
    "input s[I+J], v[J,D]\ny[i: I,d] = sum{j} exp(s[i+j])*v[j,d]": set(),
}  # fmt: skip


@pytest.mark.parametrize("source", COMPUTED)
def test_factors_that_are_computed_are_stored_if_they_are_no_larger_than_what_they_are_made_of(
    source,
):
    program, before = paired(source, 192)

    assert {*program.tensors} - {*before.tensors} == COMPUTED[source]


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("source", COMPUTED)
def test_values_with_computed_factors_are_the_interpreters(source):
    random = np.random.default_rng(0)
    f = tadc.compile(source, backend="native")
    program = f.program
    sizes = dict(zip(program.sizes, (67, 70, 65), strict=False))
    arrays = [random.uniform(0.5, 1, t.shape_at(sizes)) for t in program.inputs]

    cotangent = random.uniform(-1, 1, f(*arrays).shape)
    value, gradients = f.value_and_gradients(*arrays, cotangent=cotangent)

    oracle = tadc.compile(source, backend="numpy")
    expected, of_expected = oracle.value_and_gradients(*arrays, cotangent=cotangent)
    np.testing.assert_allclose(value, expected, rtol=1e-10)
    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, of_expected[name], rtol=1e-9, atol=1e-9)


def test_what_is_stored_is_no_larger_than_a_few_times_what_is_there():
    source = text("ikl,ij,kj->lj")
    larger, before = paired(source, L1=96, J1=1536)

    assert larger is before
    assert paired(source, L1=192, J1=384)[0] is not before


def test_small_sums_are_left_alone():
    program, before = paired(text("ikl,kj,lj->ij"), 12)

    assert program is before


def test_statements_share_a_pair_and_a_sum_of_either_order():
    f = tadc.compile(text("ikl,kj,lj->ij"), backend="native")
    sizes = {"I1": 64, "K1": 64, "L1": 64, "J1": 48}
    (part,) = f._value_and_gradients.parts(f.inputs, sizes, "float64")

    program, _ = paired(str(part), 96)

    stored = [s.target.name for s in program.statements if s.target.name not in program.outputs]
    assert len(stored) == 2, (
        stored
    )  # the sum over l of the value and a gradient, and the pair of two gradients


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.plain(dtype=1, einsum=3)
@pytest.mark.parametrize("einsum", PAIRS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_and_gradients_are_einsums(einsum, dtype):
    random = np.random.default_rng(0)
    factors, result = einsum.split("->")[0].split(","), einsum.split("->")[1]
    extents = dict(zip(sorted({*"".join(factors)}), (67, 70, 65, 72, 66), strict=False))
    arrays = [random.uniform(-1, 1, [extents[i] for i in s]).astype(dtype) for s in factors]
    cotangent = random.uniform(-1, 1, [extents[i] for i in result]).astype(dtype)
    f = tadc.compile(text(einsum), backend="native")

    value, gradients = f.value_and_gradients(*arrays, cotangent=cotangent)

    tolerance = 1e-11 if dtype == "float64" else 2e-4
    found = [value, *gradients.values()]
    wide = [a.astype("float64") for a in (*arrays, cotangent)]
    expected = [np.einsum(einsum, *wide[:-1], optimize=True)]
    for n, of in enumerate(factors):
        others = [*factors[:n], *factors[n + 1 :], result]
        expected.append(
            np.einsum(f"{','.join(others)}->{of}", *wide[:n], *wide[n + 1 :], optimize=True)
        )
    for x, y in zip(found, expected, strict=True):
        assert np.abs(x - y).max() <= tolerance * np.abs(y).max()
