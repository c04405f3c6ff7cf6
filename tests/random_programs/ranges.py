"""The ranges that the language infers (language, section 3), and where a reader could doubt them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from random_programs.expressions import Element, Guarded, Infix, Negative, Reduction, nodes
from random_programs.indices import Form, Index
from random_programs.program import Statement
from random_programs.tape import Env


def indices_of(statement: Statement) -> list[Index]:
    """The indices of a statement, once each, that its subscripts use or its left side has; and those of reductions."""
    found = [*statement.lefts, *(i for u in statement.uses for i in u.subscript.form.indices)]
    found += [r.index for e in nodes(statement.body) if isinstance(e, Reduction) for r in e.ranges]
    return list(dict.fromkeys(found))


def spread_guards(statement: Statement) -> None:
    """A bracket guards every factor of its product, those outside the expression it was made for too."""
    for node in nodes(statement.body):
        factors = _factors(node)
        guards = [i for f in factors if isinstance(f, Guarded) for i in f.condition.indices]
        if not guards:
            continue
        reads = (e for f in factors for e in nodes(f) if isinstance(e, Element))
        guarded = {id(s) for e in reads for s in e.subscripts}
        for use in statement.uses:
            if id(use.subscript) in guarded:
                use.guards = tuple(dict.fromkeys((*use.guards, *guards)))


def _factors(e: Any) -> list[Any]:
    """The factors and divisors of a product; a bracket stands for itself, its rest follows."""
    match e:
        case Infix("*" | "/"):
            return [*_factors(e.left), *_factors(e.right)]
        case Negative():
            return _factors(e.operand)
        case Guarded():
            return [e, *(_factors(e.rest) if e.rest else ())]
        case _:
            return [e]


def misjudged(statement: Statement, numbers: Env) -> Index | None:
    """An implicit index whose range the rules do not give as intended, or give only to one way of reading them."""
    plain = [u for u in statement.uses if not u.subscript.boundary]
    known = {i for i in indices_of(statement) if not i.implicit}
    known |= {index for u in plain if not u.within and (index := u.subscript.form.bare)}
    unknown = [i for i in indices_of(statement) if i not in known]
    while unknown:
        limits: dict[Index, int] = {}
        for use in plain:
            form = use.subscript.form
            open_indices = [i for i in dict.fromkeys(form.indices) if i not in known]
            if len(open_indices) != 1 or open_indices[0] in use.guards:
                continue
            (index,) = open_indices
            others = [i for i in dict.fromkeys(form.indices) if i is not index]
            if form.opaque or use.within or any(not i.values or i in use.guards for i in others):
                return index
            limit = _largest(form, index, others, use.dimension.extent, numbers)
            limits[index] = min(limits.get(index, limit), limit)
        if not limits:
            return unknown[0]
        for index, limit in limits.items():
            if limit != len(index.values or ()):
                return index
        known |= set(limits)
        unknown = [i for i in unknown if i not in known]
    return None


def _largest(form: Form, index: Index, others: Sequence[Index], extent: int, numbers: Env) -> int:
    """The largest extent of the index, at most 20, with which the form stays inside whatever the others are."""
    names = [i.name for i in others]
    for value in range(20):
        for place in itertools.product(*(i.values or () for i in others)):
            env = {**numbers, **dict(zip(names, place, strict=True)), index.name: value}
            if not 0 <= form.at(env) < extent:
                return value
    return 20
