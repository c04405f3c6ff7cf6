import numpy as np
import pytest

import tadc

RANDOM = np.random.default_rng(0)
a, b, x = RANDOM.random((3, 4)), RANDOM.random((4, 5)), RANDOM.random(7)


def value(text, **arrays):
    return tadc.compile("einstein\n" + text, backend="interpreter")(**arrays)


@pytest.mark.parametrize(
    ("text", "arrays", "expected"),
    [
        ("c[i, j] = a[i, k] * b[k, j]", {"a": a, "b": b}, a @ b),
        ("t = a[i, i]", {"a": a[:, :3]}, np.trace(a[:, :3])),
        ("y[i] = x[i+r] * w[r]", {"x": x, "w": x[:3]}, np.correlate(x, x[:3])),
        ("y[i] = x[i] - a[i, k] * v[k]", {"x": x[:3], "a": a, "v": x[:4]}, x[:3] - a @ x[:4]),
        ("y[i] = -a[i, k] * v[k]", {"a": a, "v": x[:4]}, -a @ x[:4]),
        ("y[i] = k * a[i, k]", {"a": a}, a @ np.arange(4)),
        ("y[i] = exp(a[i, k] * v[k])", {"a": a, "v": x[:4]}, np.exp(a * x[:4]).sum(1)),
    ],
    ids=str,
)
def test_repeated_free_indices_are_summed_in_each_term(text, arrays, expected):
    np.testing.assert_allclose(value(text, **arrays), expected, rtol=1e-14)


def test_an_index_that_stands_once_in_its_term_is_an_error():
    with pytest.raises(tadc.SyntaxError, match="`k` is not on the left") as caught:
        tadc.compile("einstein\ny[i] = a[i, j] * b[j] + c[i, k]")

    assert (caught.value.span.line, caught.value.span.column) == (2, 30)
