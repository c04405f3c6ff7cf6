"""Reductions over domains with data: the order in which their indices are found."""

from dataclasses import replace

import numpy as np

import tadc
from tadc.ir.affine import symbol
from tadc.ir.domain import Derived, Domain, Looked, at_least_zero, between, equals_zero
from tadc.ir.expr import Call, Read, Reduce
from tadc.normalize.solved import solved
from tadc.runtime.interpreter import interpret


def test_an_index_that_another_one_bounds_has_ends_where_a_quotient_of_it_is_known():
    text = "input k[M]: index, x[M], u[N]\ny = sum{j: N, i: M} u[j]*x[i]"
    program = tadc.compile(text, backend="interpreter").program
    i, j, q, N, M = map(symbol, ("i", "j", "q", "N", "M"))
    half, looked = Derived("q", i, 2), Looked("k_1", "k", (i,))
    bounds = (*between(3 * j, i, 3 * j + 2), *between(0, j, N - 1), at_least_zero(M - 1 - i))
    domain = Domain.of((*bounds, *half.conditions, equals_zero(symbol("k_1") - 1)))
    body = Call("mul", (Read("u", (j,)), Read("x", (q,))))
    reduced = Reduce("sum", ("j", "i"), (half, looked), domain, body)
    (statement,) = program.statements
    program = replace(program, statements=(replace(statement, body=reduced),))

    k, x, u = np.array([1, 0, 1, 1, 1, 0]), np.arange(6.0), np.array([10.0, 1.0])
    arrays = {"k": k, "x": x, "u": u}
    found = interpret(solved(program), arrays, {"N": 2, "M": 6})

    assert found["y"] == sum(u[i // 3] * x[i // 2] for i in range(6) if k[i] == 1)
