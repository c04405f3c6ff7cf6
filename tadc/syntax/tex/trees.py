"""Lark's tree of a LaTeX formula, before nodes are built: the readings that need a look at more than one rule."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any, TypeAlias, cast

from lark import Tree

from tadc.errors import SyntaxError
from tadc.syntax.ast import Name
from tadc.syntax.tex.limits import Limit
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.token_list import Token

__all__ = [
    "Formula",
    "bind_minus",
    "entries_of_limits",
    "has_high",
    "refuse_factors_behind",
    "refuse_unclear",
]

Formula: TypeAlias = "Tree[Token]"

MOST_QUOTED = 60  # characters of a formula in what an error says to write


def bind_minus(tree: Formula) -> None:
    r"""A leading minus belongs to the first factor, as in `.idx`: `-i \bmod 3` is `(-i) % 3`."""
    minus, term = tree.children
    parent, first = tree, term
    while isinstance(first, Tree) and first.data in ("product", "juxtaposed"):
        parent, first = first, first.children[0]
    if parent is not tree:
        parent.children[0] = Tree("negative", [minus, first])
        tree.data, tree.children = "bound_minus", [term]


def refuse_unclear(source: Expansion, tree: Formula) -> None:
    r"""Raise for `a/b c`, `i \bmod 3\, j` and `i + j \bmod 3`, which readers take in two ways."""
    if tree.data == "juxtaposed" or _is_spaced(tree):
        _refuse_factors_behind_slash(source, tree)
        return
    if tree.data == "product":
        return
    part = tree.children[-1]
    while isinstance(part, Tree) and part.data in ("product", "juxtaposed"):
        sign = _operator(part)
        if sign is not None and sign.type == "BMOD":
            raise SyntaxError(
                source.span(sign.start, sign.end),
                f"it is unclear whether `{sign.value}` takes the whole sum before it",
                fix=r"write `(i + j) \bmod 3` or `i + (j \bmod 3)`",
            )
        part = part.children[0]


def _is_spaced(tree: Formula | Token) -> bool:
    r"""Whether it is a product with nothing but a space, `a\,b`."""
    sign = _operator(tree)
    return sign is not None and sign.type == "THIN"


def _is_of_numbers(part: Formula | Token) -> bool:
    r"""Whether it is the `1/2` of `1/2\,x`."""
    return all(t.type in ("NUM", "SLASH", "MINUS") for t in _tokens(part))


def _refuse_factors_behind_slash(source: Expansion, tree: Formula) -> None:
    r"""Raise for `a/b c d` and `a/b\,c`, but for `a / \|b\| \|c\|`, which divides by both."""
    part = tree.children[0]
    while isinstance(part, Tree) and (part.data == "juxtaposed" or _is_spaced(part)):
        part = part.children[0]
    sign = _operator(part)
    last = tree.children[-1]
    is_sum = isinstance(last, Tree) and last.data == "reduction"  # `1/N \, \sum_i x_i`
    if tree.data == "product" and (is_sum or _is_of_numbers(part)):
        return
    if sign is None or sign.type not in ("SLASH", "BMOD"):
        return
    if sign.type == "SLASH" and part is tree.children[0] and _bind_norms(tree):
        return
    over, _, under = cast(Formula, part).children
    first, end = next(_tokens(over)), [*_tokens(tree)][-1].end
    behind = [*_tokens(under)][-1].end
    a, b, c = (
        " ".join(source.text[start:end].split())
        for start, end in ((first.start, sign.start), (sign.end, behind), (behind, end))
    )
    if len(a) + len(b) + len(c) > MOST_QUOTED:
        a, b, c = "abc"
    one, all_ = rf"\frac{{{a}}}{{{b}}} {c}", rf"\frac{{{a}}}{{{b} {c}}}"
    if sign.type == "BMOD":
        one, all_ = rf"({a} \bmod {b})\, {c}", rf"{a} \bmod ({b} {c})"
    raise SyntaxError(
        source.span(sign.start, sign.end),
        f"it is unclear whether `{sign.value}` takes one factor or all that follow",
        fix=f"write `{one}` or `{all_}`",
    )


def refuse_factors_behind(source: Expansion, reduction: Formula, indices: Set[str]) -> None:
    r"""Raise for `\prod_j x_j c`, in which the product has one `c`, or as many as there are of `x`; and for `\max_j x_j c`, in which
    the sign of `c` counts. `indices` are those it runs over.
    """
    sign, body = cast(Token, reduction.children[0]), reduction.children[-1]
    if sign.value not in ("prod", "max", "min"):
        return
    if not isinstance(body, Tree) or body.data not in ("juxtaposed", "product"):
        return
    last = body.children[-1]
    names = {t.value for t in _tokens(last) if t.type == "NAME"} - _bound_again(last)
    if names & indices or not indices & {t.value for t in _tokens(body)}:
        return
    raise SyntaxError(
        source.span(sign.start, next(_tokens(last)).start),
        f"what stands behind a {_CALLED[sign.value]} without its index may be a factor of each of its terms, or of the whole",
        fix=rf"write `c \{sign.value}_j x_j` for one factor, or brackets, `\{sign.value}_j (x_j c)`, for one in each",
    )


def _bound_again(part: Formula | Token) -> set[str]:
    r"""The names in the limits of a reduction: the `j` of `\prod_j x_j / \sum_j x_j`."""
    if not isinstance(part, Tree) or part.data != "reduction":
        return set()
    limits = part.children[1:-1]
    return {t.value for limit in limits for t in _tokens(limit) if t.type == "NAME"}


_CALLED = {"prod": "product", "max": "maximum", "min": "minimum"}


def _tokens(part: Formula | Token) -> Iterator[Token]:
    """The tokens of a tree, in order."""
    todo: list[Formula | Token] = [part]
    while todo:
        node = todo.pop()
        if isinstance(node, Tree):
            todo.extend(reversed(node.children))
        else:
            yield node


def _bind_norms(tree: Formula) -> bool:
    r"""`a / \|b\| \|c\|` divides by both norms: a cosine is written so."""
    part, factor = tree.children[0], tree.children[-1]
    assert isinstance(part, Tree)
    over, sign, under = part.children
    if not all(isinstance(p, Tree) and p.data == "norm" for p in (under, factor)):
        return False
    tree.data, tree.children = "product", [over, sign, Tree("juxtaposed", [under, factor])]
    return True


def _operator(part: Formula | Token) -> Token | None:
    if not isinstance(part, Tree) or part.data != "product":
        return None
    return cast(Token, part.children[1])


def has_high(reduction: Formula) -> bool:
    """Whether there is something above the sign of a reduction."""
    return any(isinstance(part, Tree) and part.data == "superscript" for part in reduction.children)


def entries_of_limits(source: Expansion, reduction: Formula) -> list[Limit]:
    """The entries below the sign of a reduction, separated by commas."""
    entries: list[Limit] = []
    for part in reduction.children[1:-1]:
        if isinstance(part, Tree) and part.data == "subscript":
            conditions = cast(Formula, part.children[2])
            entries += [_limit(source, entry) for entry in conditions.children[::2]]
    return entries


def _limit(source: Expansion, entry: Formula | Token) -> Limit:
    operands: list[Any] = [entry]
    relations: list[str] = []
    if isinstance(entry, Tree) and entry.data == "chain":
        operands = entry.children[::2]
        signs = cast("list[Token]", entry.children[1::2])
        relations = ["==" if sign.type == "EQ" else sign.value for sign in signs]
    names: list[Name] = []
    todo: list[Formula | Token] = [entry]
    while todo:
        part = todo.pop()
        if (name := _lone_name(part)) is not None:
            names.append(Name(name.value, source.span(name.start, name.end)))
        elif isinstance(part, Tree):
            todo.extend(reversed(part.children))
    alone = [_lone_name(operand) for operand in operands]
    return Limit(tuple(relations), tuple(n.value if n else None for n in alone), tuple(names))


def _lone_name(part: Formula | Token) -> Token | None:
    """The name that is the whole part."""
    if isinstance(part, Tree) and part.data == "element" and len(part.children) == 1:
        return cast(Token, part.children[0])
    return None
