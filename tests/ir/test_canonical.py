"""Forms of expressions: equal for all names of indices, and for either order of what commutes to the bit."""

from __future__ import annotations

import pytest

import tadc
from tadc.ir.canonical import canonical_value

DECLARED = "size I, J, K\ninput a[I,J], b[J,K], c[I]\n"


def value(text: str) -> object:
    program = tadc.compile(DECLARED + text, backend="numpy").program
    return canonical_value(program.statements[0].body, frozenset(program.sizes))[0]


@pytest.mark.parametrize("texts", [
    ("y[i,k] = sum{j} a[i,j]*b[j,k]", "y[k,i] = sum{j} b[j,k]*a[i,j]"),
    ("y[i,k] = sum{j} a[i,j]*b[j,k]", "z[p,q] = sum{r} b[r,q]*a[p,r]"),
    ("y[i] = exp(c[i] + a[i,0])", "y[i] = exp(a[i,0] + c[i])"),
    ("y[i] = (c[i] + 2)*(1 + exp(c[i]))", "y[i] = (exp(c[i]) + 1)*(2 + c[i])"),
])  # fmt: skip
def test_values_that_are_the_same_to_the_bit_have_one_form(texts):
    first, second = map(value, texts)

    assert first == second


@pytest.mark.parametrize("texts", [
    ("y[i] = c[i] - a[i,0]", "y[i] = a[i,0] - c[i]"),
    ("y[i] = c[i]/a[i,0]", "y[i] = a[i,0]/c[i]"),
    ("y[i] = c[i]*(a[i,0]*a[i,1])", "y[i] = c[i]*a[i,0]*a[i,1]"),  # rounded elsewhere
    ("y[i,k] = sum{j} a[i,j]*b[j,k]", "y[i,k] = sum{j} a[i,j]*b[k,j]"),
])  # fmt: skip
def test_other_values_have_other_forms(texts):
    first, second = map(value, texts)

    assert first != second
