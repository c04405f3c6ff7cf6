"""The tokens that the grammar allows at a place: the answer where no hint is more specific."""

from __future__ import annotations

from lark.lexer import PatternStr

from tadc.syntax.idx.load import idx_parser

__all__ = ["expected"]

_NAMES = frozenset({"NAME", "FUNCTION", "REDUCTION"})
_NUMBERS = frozenset({"INTEGER", "DECIMAL"})
_GROUPS = {
    "a value": _NAMES | _NUMBERS | {"LPAR", "LSQB", "MINUS", "IF"},
    "a name": _NAMES,
    "a number": _NUMBERS,
    "an operator": frozenset({"PLUS", "MINUS", "TIMES", "POWER"}),
    "a comparison": frozenset({"EQUAL", "RELATION"}),
}
_READABLE = {
    "NAME": "a name", "FUNCTION": "a function", "REDUCTION": "a reduction",
    "INTEGER": "an integer", "DECIMAL": "a number", "RELATION": "a comparison",
    "TIMES": "`*`", "BOUND_BELOW": "`_`", "$END": "the end of the statement",
    "LIKE": "`like A`", "THEN": "`then`", "ELSE": "`else`", "AND": "`and`", "OR": "`or`", "IS": "`is int`",
}  # fmt: skip


def expected(accepts: frozenset[str]) -> str:
    """`accepts`, terminals of the grammar, in words."""
    names: list[str] = []
    rest = set(accepts) - {"ARROW"}
    for name, group in _GROUPS.items():
        if group <= rest:
            names.append(name)
            rest -= group
    names += [readable(terminal) for terminal in sorted(rest)]
    if not names:
        return "look for a missing operator or bracket before it"
    *others, final = names
    return "expected here: " + (f"{', '.join(others)} or {final}" if others else final)


def readable(terminal: str) -> str:
    if terminal in _READABLE:
        return _READABLE[terminal]
    pattern = idx_parser().get_terminal(terminal).pattern
    assert isinstance(pattern, PatternStr), f"no readable name for the terminal {terminal}"
    return f"`{pattern.value}`"
