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
    """The sum along the last axes. Numpy adds in pairs, with small errors, only along one axis that is contiguous."""
    axes = (axis,) if isinstance(axis, int) else axis
    shape = list(values.shape)
    for a in axes:
        shape[a] = 1
    return np.sum(joined(values, min(axes)), -1).reshape(shape)


def joined(values, first):
    """The values with this axis and all after it as one."""
    extent = int(np.prod(values.shape[first:]))  # -1 would not do for an extent of 0
    return np.ascontiguousarray(values).reshape(*values.shape[:first], extent)


TURNS = 32  # terms that are added up one after the other


class LongSum:
    """A sum of any number of arrays, which are added to `part`, and `tick` after each.

    After some terms the part is added to `whole`, and `low` keeps what that rounds off, for the next addition.
    """

    def __init__(self, part):
        self.part, self.whole, self.low, self.count = part, None, None, 0

    def add(self, term):
        self.part = np.asarray(self.part + term)  # of numbers the sum is none
        self.tick()

    def tick(self):
        self.count += 1
        if self.count % TURNS:
            return
        if self.whole is None:
            self.whole, self.low = np.zeros_like(self.part), np.zeros_like(self.part)
        added = self.part + self.low
        whole = self.whole + added
        lost = added - (whole - self.whole)
        self.whole = whole
        self.low = np.where(
            np.isnan(lost), np.zeros_like(lost), lost
        )  # an infinite sum has lost nothing
        self.part[...] = 0

    def end(self):
        """The sum, in the array of the part."""
        if self.whole is not None:
            self.part[...] = self.whole + (self.part + self.low)
        return self.part


def sorted_list(arrays, ends):
    """Where each key begins, and the places of positions in each dimension, sorted by their keys, those of one key ascending.

    The keys are elements of arrays of one shape, between ends that are included; a position outside of these is in no list.
    """
    counts = [max(1, high - low + 1) for low, high in ends]
    keys = [np.ravel(k) - low for k, (low, _) in zip(arrays, ends, strict=True)]
    inside = [(k >= 0) & (k < n) for k, n in zip(keys, counts, strict=True)]
    places = np.flatnonzero(np.logical_and.reduce(inside))
    numbers = np.ravel_multi_index([k[places] for k in keys], counts)
    last = np.cumsum(np.bincount(numbers, minlength=int(np.prod(counts)))).reshape(counts)
    first = np.concatenate([[0], last.ravel()[:-1]]).reshape(counts)
    begin = np.concatenate([first, last[..., -1:]], axis=-1)
    order = places[np.argsort(numbers, kind="stable")]
    if not len(order):
        order = np.zeros(1, int)  # which is in no list
    return begin, *np.unravel_index(order, np.shape(arrays[0]))


def numbers_among(of, wanted, divisor):
    """The number among the distinct elements of an array that each wanted one over the divisor has; their number at most if it is none."""
    distinct = np.unique(of)
    numbers = np.searchsorted(distinct, np.asarray(wanted) // divisor)
    found = np.append(distinct, 0)[numbers] * divisor == wanted
    return np.where((numbers < len(distinct)) & found, numbers, np.size(of))


def rows_of(first, last, elements):
    """Where the rows of each element begin, and the rows first[i] .. last[i] that hold it, ascending."""
    low, high = np.maximum(first, 0), np.minimum(last, elements - 1)
    lengths = np.maximum(0, high - low + 1)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    held = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths - low, lengths)
    begin = np.concatenate([[0], np.cumsum(np.bincount(held, minlength=elements))])
    rows = rows[np.argsort(held, kind="stable")]
    return begin, rows if len(rows) else np.zeros(1, int)


def points(low, high, count, axes, others):
    """The values from low to high, both included, for each of `count` rows: the rows, and a column of the values.

    Some at a time, so that arrays with `others` elements for each stay small.
    """
    low, high = (np.broadcast_to(np.ravel(x), (count,)) for x in (low, high))
    lengths = np.maximum(0, high - low + 1)
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if count else 0
    for first, stop in blocks(0, total, others):
        start, last = np.searchsorted(ends, (first, stop - 1), "right")
        near = slice(start, last + 1)
        begins = ends[near] - lengths[near]
        own = np.minimum(ends[near], stop) - np.maximum(begins, first)
        rows = np.repeat(np.arange(start, last + 1), own)
        values = np.arange(first, stop) + np.repeat(low[near] - begins, own)
        yield rows, values.reshape(-1, *[1] * axes)


def held(condition, count):
    """The rows, of so many, in which a condition holds."""
    return np.flatnonzero(np.broadcast_to(np.ravel(condition), (count,)))


PIECE = 512  # terms of a row that are added up one after the other


class OfRows:
    """A sum, product or extreme for each of `count` rows, with `axes` behind them, to which values are added by row."""

    def __init__(self, op, count, axes, real):
        functions = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
        neutral = {"sum": 0, "prod": 1, "max": -np.inf, "min": np.inf}
        self.function = functions[op]
        self.values = np.full((count, *[1] * axes), neutral[op], real)

    def add(self, rows, values):
        """Add values to their rows, which ascend."""
        if not len(rows):
            return
        missing = self.values.ndim - np.ndim(values)  # of a value that is the same for all rows
        values = np.reshape(values, (*[1] * missing, *np.shape(values)))
        values = np.broadcast_to(values, (len(rows), *values.shape[1:]))
        while True:
            starts = np.flatnonzero(np.diff(rows, prepend=rows[0] - 1))
            lengths = np.diff(starts, append=len(rows))
            if (lengths == 1).all():
                break
            # A row is cut from its own start: its sum depends on its length alone.
            places = np.arange(len(rows)) - np.repeat(starts, lengths)
            pieces = np.flatnonzero(places % PIECE == 0)
            rows, values = rows[pieces], self.function.reduceat(values, pieces, axis=0)
        if values.shape[1:] != self.values.shape[1:]:
            shape = np.broadcast_shapes(self.values.shape[1:], values.shape[1:])
            self.values = np.broadcast_to(self.values, (len(self.values), *shape)).copy()
        self.values[rows] = self.function(self.values[rows], values)

    def end(self):
        return self.values


CHAIN = 128  # terms that einsum may add up one after the other, in lanes


def contraction(signature, *operands):
    """`np.einsum`, two operands at a time. What BLAS does not compute is summed in blocks, and those in pairs."""
    left, result = signature.split("->")
    terms, arrays = left.split(","), list(operands)
    for group in np.einsum_path(signature, *operands, optimize="greedy")[0][1:]:
        own = [(terms.pop(n), arrays.pop(n)) for n in sorted(group, reverse=True)]
        kept = {*result}.union(*terms)
        letters = dict.fromkeys(c for term, _ in own for c in term if c in kept)
        arrays.append(contracted(own, "".join(letters) if terms else result))
        terms.append("".join(letters))
    return arrays[0]


def contracted(operands, result):
    """One contraction. In blocks, a summed axis is cut in two, of which einsum sums one."""
    extents = {c: n for term, x in operands for c, n in zip(term, x.shape, strict=True)}
    summed = sorted((c for c in extents if c not in result), key=extents.get)
    shared = set.intersection(*({*term} for term, _ in operands))
    by_blas = len(operands) == 2 and shared == {*summed}
    cut, chain, outer = None, CHAIN, []
    for c in () if by_blas else summed:
        if extents[c] <= chain:
            chain //= max(1, extents[c])
        elif cut is None and chain > 1:
            cut = c
        else:
            outer.append(c)
    if cut is None:
        pieces = [[x for _, x in operands]]
    else:
        even = extents[cut] // chain * chain
        pieces = [
            [
                x[(slice(None),) * term.index(cut) + (own,)] if cut in term else x
                for term, x in operands
            ]
            for own in (slice(even), slice(even, None))
        ]
    block = next(c for c in "abcdefghijklmnopqrstuvwxyz" if c not in extents)
    sums = []
    for n, arrays in enumerate(pieces):
        names = [term for term, _ in operands]
        kept = result + "".join(outer)
        if n == 0 and cut is not None:
            kept += block
            for k, x in enumerate(arrays):
                if cut in names[k]:
                    d = names[k].index(cut)
                    cut_in_two = x.shape[d] // chain, chain
                    arrays[k] = x.reshape(*x.shape[:d], *cut_in_two, *x.shape[d + 1 :])
                    names[k] = names[k].replace(cut, block + cut)
        parts = np.einsum(f"{','.join(names)}->{kept}", *arrays, optimize=by_blas)
        sums.append(parts if kept == result else np.sum(joined(parts, len(result)), -1))
    return sum(sums[1:], sums[0])


def gate(a, b):
    """0 where a or b is 0, whatever the other is, else a*b."""
    return np.where((a == 0) | (b == 0), 0, a * b)


def difference(a, b):
    """0 where a and b are the same infinity, else a - b."""
    return np.where(a == b, 0, a - b)


def log1mexp(x):
    """log(1 - exp(-x)), on each side of log(2) by the form without cancellation."""
    return np.where(x < 0.6931471805599453, np.log(-np.expm1(-x)), np.log1p(-np.exp(-x)))


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
