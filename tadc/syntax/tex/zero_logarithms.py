r"""The convention $0 \log 0 = 0$ that the prose states: `p_i \log p_i` is `xlogy` then, which is 0 where `p_i` is."""

from __future__ import annotations

import re
from dataclasses import replace

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary, Definition, Expression, Name, Number
from tadc.syntax.nodes import Node, nodes, rewritten
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.vector_values import numbers

__all__ = ["with_zero_logarithms"]

_SAYS = re.compile(
    r"(?<![\w.])0\s*(?:\\cdot|\\[,!;]|~)?\s*\\(?:log|ln|lg)\s*(?:_\s*\{?\w+\}?)?\s*[({]?\s*(?:0|\\[dt]?frac\s*\{?\s*0\b)"
    r"[^.;]{0,40}?(?:=|\\equiv|\\triangleq|\\doteq|\bto\s+be|\bis|\bas|\bequals?)[\s$]*(?:0|zero)\b"
)
_DENIED = re.compile(r"\b(?:not|never|no)\b[^.;]*$", re.IGNORECASE)
_BASES = {"log": "", "log2": "2", "log10": "10"}


def with_zero_logarithms(program: ast.Program, text: Expansion) -> ast.Program:
    """The program with `xlogy` for its products with logarithms, if its prose has the convention. Raises SyntaxError where there are none
    and a logarithm is written otherwise.
    """
    said = _SAYS.search(text.text)
    if said is None or _DENIED.search(text.text, max(0, said.start() - 60), said.start()):
        return program
    items = [
        replace(i, body=rewritten(i.body, _with_xlogy)) if isinstance(i, Definition) else i
        for i in program.items
    ]
    applied = [
        n
        for i in items
        if isinstance(i, Definition)
        for n in nodes((i.body,))
        if isinstance(n, Application)
    ]
    found = next((n for n in applied if n.function.name == "xlogy"), None)
    other = next((n for n in applied if n.function.name in _BASES), None)
    if found is None:
        if other is None:
            return program
        raise SyntaxError(
            other.span,
            "the prose says that `0 \\log 0` is 0, and no factor stands beside this logarithm",
            fix=r"write each logarithm with its factor, `p_i \log p_i - p_i \log q_i`",
        )
    place = text.span(said.start(), said.end())
    note = ast.Note(place, "products with logarithms are 0 where the factor is: the prose says so")
    return replace(program, items=tuple(items), notes=(*program.notes, note))


def _with_xlogy(node: Node) -> Node:
    match node:
        case Binary("*", factor, Application(Name(name), (_,) as args)) if name in _BASES:
            return _xlogy(factor, name, numbers(args)[0], node)
        case Binary("*", Application(Name(name), (_,) as args), factor) if name in _BASES:
            return _xlogy(factor, name, numbers(args)[0], node)
        case _:
            return node


def _xlogy(factor: Expression, name: str, argument: Expression, whole: Binary) -> Expression:
    if isinstance(factor, Number):
        return whole
    natural = Application(Name("xlogy", whole.span), (factor, argument), whole.span)
    if not _BASES[name]:
        return natural
    base = Application(Name("log", whole.span), (Number(_BASES[name], whole.span),), whole.span)
    return Binary("/", natural, base, whole.span)
