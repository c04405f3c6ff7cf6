"""Brute force: the elements that a block of a statement reads, found by visiting every point."""

from __future__ import annotations

import itertools

from tadc.ir.domain import Domain
from tadc.ir.expr import Comparison, Read, Reduce, Select
from tadc.runtime.interpreter import points


def elements_read(statement, sizes, box, cut=None):
    """A set of elements by tensor; of comparisons of values the sides and both branches are read."""
    found = {}
    for element in itertools.product(*(range(*interval) for interval in box)):
        point = {**sizes, **dict(zip(statement.indices, element, strict=True))}
        for d in statement.derived:
            point[d.name] = d.form.at(point) // d.modulus
        _visit(statement.body, point, found, set(), cut or {})
    return found


def _visit(root, point, found, seen, cut):
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        match node:
            case Read(tensor, subscripts):
                found.setdefault(tensor, set()).add(tuple(s.at(point) for s in subscripts))
            case Select(Domain() as condition, then, otherwise):
                waiting.append(then if condition.holds(point) else otherwise)
            case Select(Comparison()):
                waiting += node.operands
            case Reduce(_, indices, derived, domain, body):
                for inner in points(indices, derived, domain, point):
                    if all(low <= inner[k] < high for k, (low, high) in cut.items()):
                        _visit(body, inner, found, set(), {})
            case _:
                waiting += node.operands


def elements_of(box):
    return set(itertools.product(*(range(*interval) for interval in box)))


def hull(elements):
    """The smallest box around the elements, of which there is at least one."""
    return tuple((min(d), max(d) + 1) for d in zip(*elements, strict=True))
