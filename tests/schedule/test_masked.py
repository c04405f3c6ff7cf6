"""Values that lanes choose: what all of them read stands before them."""

from __future__ import annotations

import numpy as np
import pytest

import tadc


@pytest.mark.parametrize("unused", ["t", "t[3]", "t_1[2, 11]"])
def test_a_local_may_be_called_like_a_tensor_that_the_kernel_does_not_read(unused):
    text = f"size N = 2, M = 11\ninput x[N,M], w[M], {unused}\ny[i] = mean{{j | w[j] > 0}} x[i,j]*w[j]/(20+i+j)"
    native, oracle = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))
    rng = np.random.default_rng(0)
    shapes = [[n.constant for n in t.shape] for t in native.program.inputs]
    arrays = [rng.uniform(-1, 1, shape) for shape in shapes]

    _, found = native.value_and_gradients(*arrays, cotangent=np.ones(2))
    _, expected = oracle.value_and_gradients(*arrays, cotangent=np.ones(2))

    for name, gradient in expected.items():
        np.testing.assert_allclose(found[name], gradient, rtol=1e-12)
