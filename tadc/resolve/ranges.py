"""The ranges of indices (language, section 3): explicit, by bare use, or the largest range that stays inside.

Rule 3 asks how far an index may go while a subscript stays inside its tensor whatever the other indices are. The
extreme value of the subscript over the other indices is found by projecting them away (Fourier-Motzkin), which leaves a
bound over the index and the sizes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice, product

from tadc.errors import Error, RangeError, ShapeError, SyntaxError, merged
from tadc.integer.projection import project
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import FALSE, Condition, Domain, at_least_zero
from tadc.resolve.scope import Cases, Index, Scope
from tadc.resolve.shapes import Fact, Shapes, escaped
from tadc.resolve.sizes import Sizes
from tadc.resolve.spelling import spelled
from tadc.resolve.survey import Subscript, Survey
from tadc.syntax import ast

__all__ = ["bound_by_cases", "infer_ranges"]

MOST_CASES = 64  # of the bounds around one subscript
SIZES = "NMKLPQRST"  # what remedies call the extents of indices, in their order


def infer_ranges(survey: Survey, shapes: Shapes, sizes: Sizes) -> None:
    """Give every index of the statement its range.

    Raises ShapeError for indices that no rule determines and bare uses that disagree, RangeError for an index whose
    value 0 is already outside.
    """
    _by_bare_use(survey, shapes)
    while any(not i.determined for i in survey.indices):
        if not _by_what_is_left(survey, shapes, sizes):
            break
    missing = [i for i in survey.indices if not i.determined]
    if missing:
        letters = [*SIZES, *SIZES[-1:] * len(missing)]
        raise merged(_undetermined(i, n, survey) for i, n in zip(missing, letters, strict=False))


def _by_bare_use(survey: Survey, shapes: Shapes) -> None:
    """Rule 2. The first bare use of an index says its extent, every further one must agree."""
    for index in [i for i in survey.indices if not i.determined]:
        for use in survey.subscripts:
            if use.in_bound or use.form.as_symbol() != index.symbol:
                continue
            extent = shapes.shape(use.tensor)[use.dimension]
            if index.extent is None:
                index.within(extent, 2, use.span, use.dimension_name)
                shapes.hint(extent, index.name)
            else:
                shapes.unify(index, extent, use.span, use.dimension_name)


def _by_what_is_left(survey: Survey, shapes: Shapes, sizes: Sizes) -> bool:
    """One round of rule 3; false if it determined nothing."""
    open_ = {i.symbol: i for i in survey.indices if not i.determined}
    candidates: dict[Symbol, list[tuple[Affine, Subscript]]] = {}
    for use in survey.subscripts:
        undetermined = _indices_of(use) & open_.keys()
        if len(undetermined) != 1:
            continue
        (i,) = undetermined
        if i in use.restricted:
            continue
        extent = shapes.shape(use.tensor)[use.dimension]
        for candidate in _extents(use, i, extent, sizes):
            candidates.setdefault(i, []).append((candidate, use))
    for i, extents in candidates.items():
        index = open_[i]
        extent = sizes.extreme("min", [shapes.settled(e) for e, _ in extents])
        use = next((u for e, u in extents if e == extent), extents[0][1])
        least = 0 if all(u.in_bound for _, u in extents) else 1  # there may be no rows
        shapes.facts.append(_not_outside_at_zero(index, extent, use, shapes, least))
        if extent.is_constant:
            _refuse_single(index, extent, use, shapes)
            extent = constant(max(0, extent.constant))
        index.within(extent, 3, use.span)
    return bool(candidates)


def _refuse_single(index: Index, extent: Affine, use: Subscript, shapes: Shapes) -> None:
    r"""Raise for the `k` of `r_k = \sum_n x_n x_{n+k}` in LaTeX, whose other index takes all elements of a tensor of any length: no paper
    means the one element that is left.
    """
    whole = shapes.shape(use.tensor)[use.dimension]
    if use.span.source.lang != "tex" or extent.constant > 1 or whole.is_constant:
        return
    raise ShapeError(
        use.span,
        f"the range of `{index.name}` is not told, and this leaves it one element",
        fix=rf"say it behind the formula, `\quad {index.name} = 0, \dots, K`, and bounds of the sum that keep the subscripts inside",
    )


def _indices_of(use: Subscript) -> set[Symbol]:
    """The indices that the subscript depends on, through derived indices too."""
    derived = {d.name: d for scope in use.scope.chain for d in scope.derived}
    indices: set[Symbol] = set()
    stack = list(use.form.symbols)
    while stack:
        s = stack.pop()
        if s in derived:
            stack.extend(derived[s].symbols)
        else:
            indices.add(s)
    return indices


def _extents(use: Subscript, index: Symbol, extent: Affine, sizes: Sizes) -> list[Affine]:
    """The extent that keeps this subscript inside: usually one form; none where it does not limit the index.

    Several bounds of the other indices make several forms, of which the largest counts; a bound that is a case
    distinction gives an extent in each case, of which the smallest does.
    """
    around, nothing = _ranges_around(use)
    every = islice(product(*use.scope.cases), MOST_CASES)
    cases = ([*around, *(c for part in case for c in part)] for case in every)
    by_case = (_limits(use, index, extent, c, nothing, sizes) for c in cases)
    return [sizes.extreme("max", limits) for limits in by_case if limits]


def _limits(
    use: Subscript,
    index: Symbol,
    extent: Affine,
    around: list[Condition],
    nothing: Mapping[Symbol, Affine],
    sizes: Sizes,
) -> list[Affine]:
    """Forms of which the largest is the extent that keeps the subscript inside where `around` holds."""
    value = "value."  # the subscript's extreme value; with a dot it differs from every name
    away = _others(use.scope, index)
    limits: list[Affine] = []
    for sign in (1, -1):
        # sign * value <= sign * subscript: its projection bounds the largest (smallest) value that is reached.
        system = Domain.of((*around, at_least_zero((use.form - symbol(value)) * sign)))
        system = system.near((value,))
        for condition in project(system, away):
            v = -sign * condition.form.coefficient(value)
            if condition.relation != ">=" or v <= 0:
                continue
            # v*value <= rest (largest) or v*value >= -rest (smallest), and value <= extent-1 or value >= 0 must hold.
            rest = condition.form - symbol(value) * condition.form.coefficient(value)
            rest = rest.substitute(nothing)
            slope = rest.coefficient(index)
            if slope <= 0:
                continue
            allowed = (extent * v - 1 if sign > 0 else Affine.of({}, v - 1)) - (
                rest - symbol(index) * slope
            )
            limits.append(sizes.floor(allowed + slope, slope))
    return limits


def _ranges_around(use: Subscript) -> tuple[list[Condition], dict[Symbol, Affine]]:
    """The ranges around the subscript, with a symbol for each extent that is 0, which is the value that it stands for.

    A symbol lets the last value be -1, where the number would contradict everything else.
    """
    nothing: dict[Symbol, Affine] = {}
    around = use.scope.conditions_on(use.form.symbols)
    for i in (i for scope in use.scope.chain for i in scope.indices.values()):
        if i.extent is not None and i.extent.is_constant and i.extent.constant < 1:
            extent = f"{i.symbol}.extent"
            nothing[extent] = i.extent
            last = at_least_zero(symbol(extent) - 1 - symbol(i.symbol))
            around = [
                *(c for c in around if c not in i.range),
                at_least_zero(symbol(i.symbol)),
                last,
            ]
    return around, nothing


def _others(scope: Scope, index: Symbol) -> Sequence[Symbol]:
    return [s for part in scope.chain for s in sorted(part.symbols) if s != index]


def bound_by_cases(survey: Survey, sizes: Sizes) -> None:
    """Give every index whose bound is a case distinction conditions too: the smallest and largest value of all cases.

    Every index has its range. The conditions hold of more points than the cases, which are tested besides.
    """
    for scope in survey.scopes.values():
        for index in scope.indices.values():
            for cases in index.cases:
                assert index.conditions is not None
                index.conditions += (_widest(index, cases, scope, sizes),)


def _widest(bound: Index, cases: Cases, scope: Scope, sizes: Sizes) -> Condition:
    index = bound.symbol
    sign = 1 if cases[0][-1].form.coefficient(index) > 0 else -1
    ends: list[Affine] = []
    for case in cases:
        limits: list[Affine] = []
        for condition in project(Domain.of((*scope.conditions, *case)), _others(scope, index)):
            slope = condition.form.coefficient(index) * sign
            if condition == FALSE:
                break
            if condition.relation == ">=" and slope > 0:
                rest = condition.form - symbol(index) * (slope * sign)
                limits.append(
                    sizes.floor(rest, slope)
                )  # -index <= limit for a low, index <= limit for a high
        else:
            if not limits:
                raise SyntaxError(
                    bound.span,
                    f"a bound of `{bound.name}` is one of several that data decide, and has no end itself",
                    fix="declare the range of the index tensors, `input k[N]: 0..M-1`, or write a condition instead of the bound, "
                    f"`sum{{{bound.name} | ..}}`",
                )
            ends.append(sizes.extreme("min", limits))
    return at_least_zero(sizes.extreme("max", ends) + symbol(index) * sign) if ends else FALSE


def _not_outside_at_zero(
    index: Index, extent: Affine, use: Subscript, shapes: Shapes, least: int
) -> Fact:
    """The range of rule 3 is shorter than `least` only where the tensor is empty; else index 0 is outside already."""
    whole = shapes.shape(use.tensor)[use.dimension]

    sentence = f"`{escaped(use.span.text)}` leaves {use.tensor}, whose extent there is {{}}, at {index.name} = 0 already"
    padded = spelled(use.span, f"pad({use.span.text})", rf"\operatorname{{pad}}({use.span.text})")
    fix = f"make {use.tensor} longer, or write `{padded}` for zeros outside and {_said(index)}"
    fact = Fact(at_least_zero(extent - least), RangeError, use.span, sentence, (whole,), fix, whole)
    if extent.is_constant and whole.is_constant and extent.constant < least and whole.constant:
        raise fact.error({})
    return fact


_SUBSCRIPT = re.compile(r"_(?:\{[^{}]*\}|\w)")


def _undetermined(index: Index, size: str, survey: Survey) -> Error:
    """The error of an index without a range; the remedy calls its extent `size`."""
    uses = [u for u in survey.subscripts if index.symbol in _indices_of(u)]
    where = f": nothing but `{uses[0].span.text}` says how far it goes" if uses else ""
    definition = next(iter(survey.scopes))
    assert isinstance(definition, ast.Definition)
    is_left = any(index is i for i in survey.scopes[definition].indices.values())
    fix = f"declare it on the left or in the sum, `{index.name}: {size}`, with `size {size}`"
    if is_left:
        extents = r" \times ".join(SIZES[: len(definition.lefts)])
        lefts = {r.name.name for r in definition.lefts}
        name = _SUBSCRIPT.sub(
            lambda s: "" if {*re.findall(r"[A-Za-z]+", s[0])} <= lefts else s[0],
            definition.target.span.text,  # `e_t^{*}`
        )
        shape = rf"{name} \in \mathbb{{R}}^{{{extents}}}"
        tex = f"declare the shape of the result, behind the formula: `{shape}`"
        if "_" not in name:  # it would be that of a row
            tex += f", or in the prose: `${shape}$`"
    else:
        bounds = rf"`\sum_{{{index.span.text} = 0}}^{{N-1}}`"
        tex = f"write its bounds, {bounds}"
    return ShapeError(
        index.span,
        f"the index `{index.name}` has no range{where}",
        fix=spelled(index.span, fix, tex),
    )


def _said(index: Index) -> str:
    """The remedy for an index that nothing determines any more."""
    idx = f"say the range, `{index.name}: N` with `size N`"
    return spelled(index.span, idx, r"declare the shape of the result, `y \in \mathbb{R}^{N}`")
