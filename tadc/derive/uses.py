"""The uses of a statement: every read where it stands, with the derivative of the statement by it.

Scalar reverse accumulation over the expression graph: each node's cotangent is complete before it is handed on to its
operands (a node's users come first). A reduction or an affine choice opens a region of its own: within it
the unknowns and the domain are the same for all nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from tadc.derive.products import plus
from tadc.derive.reductions import Shares
from tadc.ir.affine import Symbol
from tadc.ir.domain import EVERYWHERE, Determined, Domain
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.program import Statement
from tadc.ir.walk import postorder
from tadc.normalize.choices import negated

__all__ = ["Use", "uses"]


@dataclass(frozen=True, slots=True)
class Use:
    """A read of a tensor inside a statement.

    `unknowns` are the indices of the reductions around the read, then those of the statement: those that stand first
    stay loop indices if the solver has a choice. `derived` are the derived ones,
    `domain` the conditions on both there (W of design, section 3), `derivative` the cotangent of the statement times
    the derivative by this read, reductions around it dropped (D).
    """

    read: Read
    unknowns: tuple[Symbol, ...]
    derived: tuple[Determined, ...]
    domain: Domain
    derivative: Expr


@dataclass(frozen=True, slots=True)
class _Region:
    """A region of an expression, with the same unknowns and domain for all nodes. It is not entered where one of `unless` holds."""

    root: Expr
    cotangent: Expr
    unknowns: tuple[Symbol, ...]
    derived: tuple[Determined, ...]
    domain: Domain
    unless: tuple[Domain, ...] = ()

    def guarded(self, derivative: Expr) -> Expr:
        """The derivative, evaluated only where the region is entered: its reads may be outside elsewhere."""
        for domain in reversed(self.unless):
            derivative = Select(domain, Const(0), derivative)
        return derivative


def uses(statement: Statement, cotangent: Expr, active: Set[str], shares: Shares) -> Iterator[Use]:
    """The uses of the tensors in `active`, in a stable order. Raises DerivativeError where there is no rule."""
    regions = [
        _Region(statement.body, cotangent, statement.indices, statement.derived, statement.box)
    ]
    matters = _depends(statement.body, active)
    while regions:
        region = regions.pop(0)
        direct, inner = _accumulate(region, matters, shares)
        yield from direct
        regions += inner


def _accumulate(
    region: _Region, matters: Set[Expr], shares: Shares
) -> tuple[list[Use], list[_Region]]:
    """The uses in the region, and the regions inside it. `matters` are the nodes that have a derivative."""
    order = list(postorder(region.root, _within_region))
    cotangents: dict[Expr, Expr | None] = {region.root: region.cotangent}
    uses: list[Use] = []
    inner: list[_Region] = []

    def add(operand: Expr, g: Expr) -> None:
        if operand in matters:
            cotangents[operand] = plus(cotangents.get(operand), g)

    def enter(
        root: Expr,
        g: Expr,
        further: Domain = EVERYWHERE,
        *,
        unless: tuple[Domain, ...] = (),
        reduce: Reduce | None = None,
    ) -> None:
        if root not in matters:
            return
        unknowns = (reduce.indices if reduce else ()) + region.unknowns
        derived = region.derived + (reduce.derived if reduce else ())
        domain = region.domain & further & Domain.of(c for d in derived for c in d.conditions)
        excluded = domain.overlapping((*region.unless, *unless))
        inner.append(_Region(root, g, unknowns, derived, domain, excluded))

    for node in reversed(order):
        g = cotangents.get(node)
        if g is None or node not in matters:
            continue
        match node:
            case Read():
                derivative = region.guarded(g)
                uses.append(Use(node, region.unknowns, region.derived, region.domain, derivative))
            case Call():
                for operand, contribution in shares.products.partials(node, g):
                    add(operand, contribution)
            case Select(Comparison() as condition, then, otherwise):
                add(then, Select(condition, g, Const(0)))
                add(otherwise, Select(condition, Const(0), g))
            case Select(Domain() as domain, then, otherwise):
                enter(then, g, domain)
                opposite = negated(domain)
                if opposite is None:
                    enter(otherwise, g, unless=(domain,))
                else:
                    enter(otherwise, g, opposite)
            case Reduce(_, _, _, domain, body):
                enter(body, shares.of(node, g), domain, reduce=node)
            case Const() | IndexValue():
                pass
    return uses, inner


def _within_region(node: Expr) -> tuple[Expr, ...]:
    match node:
        case Reduce() | Select(Domain()):
            return ()
        case Select(Comparison(), then, otherwise):
            return (then, otherwise)  # the operands of a comparison have no derivative
        case _:
            return node.operands


def _depends(root: Expr, active: Set[str]) -> set[Expr]:
    """The nodes whose value depends on an active tensor."""
    result: set[Expr] = set()
    for node in postorder(root):
        if isinstance(node, Read):
            if node.tensor in active:
                result.add(node)
        elif any(o in result for o in node.operands):
            result.add(node)
    return result
