"""Functions that numpy does not have. A generated module contains those that it calls, and what they call."""

import numpy as np
from scipy import special

ELEMENTS = 2**20


def blocks(low, stop, others):
    """Pieces `first, after` of `range(low, stop)`: arrays with `others` elements for each value stay small."""
    step = max(1, ELEMENTS // max(1, others))
    for first in range(low, stop, step):
        yield first, min(first + step, stop)


def at(x, *subscripts):
    """The elements of x at subscripts that are moved inside it; 0 if it has none."""
    if not x.size:
        return x.dtype.type(0)
    return x[tuple(np.clip(s, 0, n - 1) for s, n in zip(subscripts, x.shape, strict=True))]


def near(x, dimension, first, count, step=1):
    """`count` elements of x along a dimension, at subscripts that are moved inside it; 0 if it has none."""
    n = x.shape[dimension]
    if not n:
        return np.zeros((*x.shape[:dimension], count, *x.shape[dimension + 1 :]), x.dtype)
    return np.take(x, np.clip(first + step * np.arange(count), 0, n - 1), dimension)


def padded(x, dimension, first, count, step=1):
    """`count` elements of x along a dimension, at the subscripts from `first`; 0 outside."""
    if step < 0:
        backwards = padded(x, dimension, first + step * (count - 1), count, -step)
        return np.flip(backwards, dimension)
    before, after = x.shape[:dimension], x.shape[dimension + 1 :]
    result = np.zeros((*before, count, *after), x.dtype)
    low = max(0, -(first // step))
    stop = min(count, (x.shape[dimension] - 1 - first) // step + 1)
    if low < stop:
        every = (slice(None),) * dimension
        inside = slice(first + step * low, first + step * (stop - 1) + 1, step)
        result[(*every, slice(low, stop))] = x[(*every, inside)]
    return result


def spread(values, *extents):
    """The values, repeated along the last axes to have these extents."""
    return np.broadcast_to(values, np.broadcast_shapes(np.shape(values), extents))


def total(values, axis):
    """The sum along the last axes. Numpy adds in pairs, with small errors, only where they are contiguous."""
    return np.sum(np.ascontiguousarray(values), axis, keepdims=True)


def gate(a, b):
    """0 where a or b is 0, whatever the other is, else a*b."""
    return np.where((a == 0) | (b == 0), 0, a * b)


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    e = np.exp(-abs(x))  # at most 1, so nothing overflows
    return np.where(x < 0, e, 1) / (1 + e)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-abs(x)))


def gelu(x):
    return 0.5 * x * special.erfc(-0.7071067811865476 * x)


def silu(x):
    return x * sigmoid(x)


def lgamma(x):
    return special.gammaln(np.where(np.isneginf(x), -x, x))  # at -inf too it is inf


def polygamma(n, x):
    return special.polygamma(n, x).astype(np.result_type(x))  # scipy's is always float64
