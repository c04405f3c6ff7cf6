r"""Limits of reductions and affine conditions in LaTeX: `_{k=0}^{4}`, `1 \le i \le N - 2`, `i \bmod 2 = 0`."""

from __future__ import annotations

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.bounds import bounded
from tadc.ir.domain import Condition, Domain
from tadc.ir.expr import Reduce
from tadc.ir.range import Range
from tadc.printing.tex_names import Spelled, TexNames, affine_tex, ceiling_tex, floor_tex

__all__ = ["conditions_tex", "limits_tex"]


def limits_tex(reduce: Reduce, names: TexNames, other: str = "") -> str:
    r"""`_{k=0}^{4}`, and `_{\substack{0 \le k \le 4 \\ k \ne i}}` where more is to say; `other` is a further condition."""
    bounds = bounded(reduce)
    tests = list(bounds.tests)
    others = [other] if other else []
    entries: list[str] = []
    for b in bounds.each:
        r = b.range
        index = names.symbols[r.index]
        if r.lows and r.highs:
            low, high = _low(r, names), _high(r, names)
            entries.append(f"{low} \\le {index} \\le {high}")
            tests += b.tests
        else:
            entries.append(index)
            tests += [c for c in reduce.domain if c.form.coefficient(r.index)]
    if tests:
        entries += conditions_tex(Domain.of(tests), names)
    elif len(entries) == 1 and r.lows and r.highs:
        rows = " \\\\ ".join([f"{index}={low}", *others])
        below = f"\\substack{{{rows}}}" if others else rows
        return f"_{{{below}}}^{{{high}}}"
    entries += others
    rows = " \\\\ ".join(entries)
    return f"_{{{rows}}}" if len(entries) == 1 else f"_{{\\substack{{{rows}}}}}"


def _low(r: Range, names: TexNames) -> str:
    forms = [
        affine_tex(form, names.symbols)
        if c == 1
        else ceiling_tex(affine_tex(form, names.symbols), c)
        for form, c in ((names.form(e) + c * names.base, c) for e, c in r.lows)
    ]
    return forms[0] if len(forms) == 1 else f"\\max({', '.join(forms)})"


def _high(r: Range, names: TexNames) -> str:
    forms = [
        floor_tex(affine_tex(names.form(e) + c * names.base, names.symbols), c) for e, c in r.highs
    ]
    return forms[0] if len(forms) == 1 else f"\\min({', '.join(forms)})"


def conditions_tex(domain: Domain, names: TexNames) -> list[str]:
    """A text each, but one for both bounds of an index: `1 <= i <= N - 2`."""
    domain = domain.substitute(names.shift) if names.shift else domain
    lows, highs = _sides(domain, names, 1), _sides(domain, names, -1)
    texts: list[str] = []
    for condition in domain:
        index = _bounded_index(condition, names)
        if index is None:
            texts.append(_comparison(condition, names.symbols))
            continue
        name = names.symbols[index]
        if len(lows.get(index, ())) == len(highs.get(index, ())) == 1:
            texts.append(f"{lows[index].pop()} \\le {name} \\le {highs[index].pop()}")
        elif condition.form.coefficient(index) > 0 and lows[index]:
            texts.append(f"{name} \\ge {lows[index].pop(0)}")
        elif condition.form.coefficient(index) < 0 and highs[index]:
            texts.append(f"{name} \\le {highs[index].pop(0)}")
    return texts


def _sides(domain: Domain, names: TexNames, sign: int) -> dict[Symbol, list[str]]:
    """The bounds on each index alone: from below for the sign 1, from above for -1."""
    sides: dict[Symbol, list[str]] = {}
    for condition in domain:
        index = _bounded_index(condition, names)
        if index is not None and condition.form.coefficient(index) == sign:
            rest = symbol(index) - sign * condition.form
            sides.setdefault(index, []).append(affine_tex(rest, names.symbols))
    return sides


def _bounded_index(condition: Condition, names: TexNames) -> Symbol | None:
    """The one index of an inequality, where its coefficient is 1 or -1."""
    indices = [s for s in condition.form.symbols if s not in names.sizes]
    if condition.relation == ">=" and len(indices) == 1:
        return indices[0] if abs(condition.form.coefficient(indices[0])) == 1 else None
    return None


def _comparison(condition: Condition, symbols: Spelled) -> str:
    form = condition.form
    if condition.relation == "|":
        terms = affine_tex(form, symbols)
        return f"{terms if form.as_symbol() else f'({terms})'} \\bmod {condition.modulus} = 0"
    left = Affine.of({s: c for s, c in form.terms if c > 0}, max(0, form.constant))
    right = Affine.of({s: -c for s, c in form.terms if c < 0}, max(0, -form.constant))
    if condition.relation == "==":
        return f"{affine_tex(left, symbols)} = {affine_tex(right, symbols)}"
    return f"{affine_tex(right, symbols)} \\le {affine_tex(left, symbols)}"
