"""Rows: output indices that one thread owns, because the expensive values do not depend on them (design, section 5.2).

In `dx[i,d] = sum{j} exp(-s[i,j])*(x[i,d] - y[j,d])` the exponential is the same for every `d`. With a thread for each
`(i,d)` it would be computed once for each; a thread for each `i` computes it once for the row `dx[i,:]`, to which it adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tadc.ir.affine import Symbol
from tadc.ir.expr import Call, Comparison, Const, Expr, Reduce, Select
from tadc.ir.functions import FUNCTIONS
from tadc.ir.program import Statement
from tadc.ir.walk import postorder, replaced, rewrite

__all__ = [
    "Rows",
    "always",
    "is_expensive",
    "length_in_branches",
    "rows",
    "sharing",
    "surely",
    "with_terms_read",
]


@dataclass(frozen=True, slots=True)
class Rows:
    """`indices` are those of the rows, `total` is the sum; `hoisted` are the values that each of its terms needs once for all of them."""

    indices: tuple[Symbol, ...]
    total: Reduce
    hoisted: tuple[Expr, ...]


def rows(statement: Statement) -> Rows | None:
    """The rows of a statement with one sum in it; None where a thread for each element does nothing twice, or there is one row."""
    found = sharing(statement)
    return None if found is None or len(found.indices) == len(statement.indices) else found


def sharing(statement: Statement) -> Rows | None:
    """The same, also where all elements of the statement are one row."""
    sums = [e for e in always(statement.body) if isinstance(e, Reduce)]
    if len(sums) != 1 or sums[0].op != "sum" or statement.derived:
        return None
    (total,) = sums
    bound = set(total.domain.symbols).union(*(d.symbols for d in total.derived))
    free = [i for i in statement.indices if i not in bound]
    terms = {
        *total.indices,
        *(d.name for d in total.derived),
    }  # what depends on none is computed once for all terms
    nodes = [e for e in always(total.body) if isinstance(e, (Call, Reduce)) and not terms.isdisjoint(e.symbols)]  # fmt: skip
    candidates = {tuple(i for i in free if i not in e.symbols): e for e in nodes if is_expensive(e)}
    chosen = max(candidates, key=len, default=())
    if not chosen:
        return None
    unused = [e for e in nodes if e.symbols.isdisjoint(chosen)]
    users = {o for e in unused for o in e.operands}
    hoisted = tuple(e for e in unused if e not in users and any(map(is_expensive, postorder(e))))
    return Rows(chosen, total, hoisted)


def with_terms_read(body: Expr, total: Reduce, reads: Mapping[Expr, Expr]) -> Expr:
    """The expression with reads for the values of terms, in all sums over the range of the total: elsewhere the same letters may be
    other values of an index.
    """

    def read(e: Expr) -> Expr:
        match e:
            case Reduce(op, indices, derived, domain, terms) if (indices, derived, domain) == (
                total.indices,
                total.derived,
                total.domain,
            ):
                return Reduce(op, indices, derived, domain, replaced(terms, reads))
            case _:
                return e

    return rewrite(body, read)


def always(e: Expr) -> list[Expr]:
    """The nodes that are evaluated whenever `e` is, operands first."""
    return list(postorder(e, surely))


def surely(node: Expr) -> tuple[Expr, ...]:
    """The operands that are evaluated whenever the node is."""
    match node:
        case Reduce():
            return ()
        case Select(Comparison(_, left, right)):
            return (left, right)
        case Select():
            return ()
        case _:
            return node.operands


def length_in_branches(root: Expr) -> int:
    """The number of nodes of an expression in which each branch of a choice, and each sum, computes all that it needs."""
    nodes = list(postorder(root))
    begins = {root}.union(*(_branches(e) for e in nodes))
    lengths: dict[Expr, int] = {}
    for e in nodes:
        if e in begins:
            own = always(e)
            lengths[e] = len(own) + sum(lengths[b] for n in own for b in _branches(n))
    return lengths[root]


def _branches(e: Expr) -> list[Expr]:
    """The operands that are evaluated in some cases, or often."""
    return [o for o in e.operands if o not in surely(e)]


def is_expensive(e: Expr) -> bool:
    """Whether the node itself costs more than a few multiplications."""
    match e:
        case Reduce():
            return True
        case Call("pow", (_, Const(exponent))) if abs(exponent) <= 4 and exponent == int(exponent):
            return False
        case Call(function):
            return not FUNCTIONS[function].cheap
        case _:
            return False
