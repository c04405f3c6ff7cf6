"""Contractions of whole arrays as text: `np.dot` for matrices and vectors, `np.tensordot`, else `np.einsum`.

All sum through BLAS where that is possible; `np.einsum` takes longest to find out how. What BLAS has no product for is
summed in blocks by `contraction`, of `templates/numpy/functions.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["contracted"]


def contracted(operands: Sequence[str], subscripts: Sequence[str], result: str) -> str:
    """The contraction in Einstein's notation, a letter per dimension.

    >>> contracted(["a", "b"], ["ik", "jk"], "ij")
    'np.dot(a, b.T)'
    >>> contracted(["x", "w"], ["ncp", "oc"], "npo")
    'np.tensordot(x, w, ((1,), (1,)))'
    >>> contracted(["x", "w"], ["ncp", "oc"], "nop")
    'np.einsum("ncp,oc->nop", x, w, optimize=True)'
    >>> contracted(["x", "y"], ["ik", "ik"], "i")
    'contraction("ik,ik->i", x, y)'
    """
    if len(operands) == 2:
        for first, second in ((0, 1), (1, 0)):
            a, b = operands[first], operands[second]
            text = _dot(a, b, subscripts[first], subscripts[second], result)
            if text is not None:
                return text
    signature = f"{','.join(subscripts)}->{result}"
    if _is_product(subscripts, result):
        return f'np.einsum("{signature}", {", ".join(operands)}, optimize=True)'
    return f'contraction("{signature}", {", ".join(operands)})'


def _is_product(subscripts: Sequence[str], result: str) -> bool:
    """Whether BLAS has a product for it, or nothing is summed."""
    summed = {c for s in subscripts for c in s} - {*result}
    distinct = all(len({*s}) == len(s) for s in subscripts)
    shared = set.intersection(*map(set, subscripts))
    return not summed or (len(subscripts) == 2 and distinct and shared == summed)


def _dot(a: str, b: str, s: str, t: str, result: str) -> str | None:
    """The product with the first operand's own dimensions before the second's, None if there is no such product."""
    summed = [c for c in s if c in t]
    first, others = [c for c in s if c not in t], [c for c in t if c not in s]
    distinct = len({*s}) == len(s) and len({*t}) == len(t)
    if not summed or not distinct or [*first, *others] != list(result):
        return None
    if len(summed) == 1 and len(s) <= 2 and len(t) <= 2:
        left = a if s[-1] == summed[0] else f"{a}.T"
        right = b if t[0] == summed[0] else f"{b}.T"
        return f"np.dot({left}, {right})"
    axes = tuple(s.index(c) for c in summed), tuple(t.index(c) for c in summed)
    return f"np.tensordot({a}, {b}, {axes})"
