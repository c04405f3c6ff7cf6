r"""Names in the tokens of one formula: `x'`, `x^{(1)}` and `i_1` are one name each, and what is only spacing is dropped.

The braces of scripts then say in their `note` what they hold: `indices`, `limits`, `extents`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.commands import GREEK
from tadc.syntax.tex.token_list import CLOSERS, ENDS_OPERAND, OPENERS, STARTS_OPERAND, Token

__all__ = ["PREFIXES", "assembled", "closing_braces", "limit_names", "reduced_names"]


PREFIXES = ("RED", "FUNC", "CALLED")  # their scripts end no operand


def closing_braces(tokens: Sequence[Token]) -> dict[int, int]:
    """A map from the place of each `{` to that of its `}`, for groups and arguments alike; an unclosed one is absent."""
    closing, opened = {}, []
    for place, token in enumerate(tokens):
        if token.type in ("LBRACE", "LGROUP"):
            opened.append(place)
        elif token.type in ("RBRACE", "RGROUP") and opened:
            closing[opened.pop()] = place
    return closing


def assembled(tokens: Sequence[Token], labels: Set[str] = frozenset()) -> list[Token]:
    """The tokens with whole names, without empty groups and without spacing that separates nothing.

    `labels` are letters that are no power where they stand above a name.
    """
    return _Assembly(_without_idle_groups(_without_groups_of_statements(tokens)), labels).run()


_OF_STATEMENTS = frozenset(("EQ", "DEF", "APPROX", "BREAK"))


def _without_groups_of_statements(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens without braces around whole equations, such as those of `\boxed{a = b}`."""
    opened: list[int] = []
    dropped: set[int] = set()
    holders: set[int] = set()
    for place, token in enumerate(tokens):
        if token.type in OPENERS:
            opened.append(place)
        elif token.type in CLOSERS and opened:
            opening = opened.pop()
            if opening in holders and tokens[opening].type == "LGROUP":
                dropped |= {opening, place}
        elif token.type in _OF_STATEMENTS and opened and opened[-1] + 1 < place:
            holders.add(opened[-1])
    return [t for place, t in enumerate(tokens) if place not in dropped]


def _without_idle_groups(tokens: Sequence[Token]) -> list[Token]:
    """`{x}` is `x` and `{}` is nothing, where the braces are no argument."""
    result: list[Token] = []
    for token in tokens:
        if token.type == "RGROUP" and result and result[-1].type == "LGROUP":
            result.pop()
        elif (
            token.type == "RGROUP"
            and len(result) > 1
            and result[-2].type == "LGROUP"
            and result[-1].type not in CLOSERS
        ):
            group = result.pop()
            result[-1] = group
        else:
            result.append(token)
    return result


class _Assembly:
    """One pass over the tokens. The scripts of a name are looked at from its place, by leaps from brace to brace."""

    def __init__(self, tokens: list[Token], labels: Set[str]) -> None:
        self.tokens = tokens
        self.labels = labels
        self.closing = closing_braces(tokens)
        self.holds: dict[int, str] = {}  # the place of `{` -> contents of the braces
        self.after: dict[
            int, str
        ] = {}  # the place of `}` -> type of the token whose script ends there
        self.dropped: dict[
            int, int
        ] = {}  # scripts that became part of a name: from their place to the next
        self.result: list[Token] = []

    def run(self) -> list[Token]:
        place, depth = 0, 0
        contexts: list[str] = []
        while place < len(self.tokens):
            if place in self.dropped:
                place = self.dropped[place]
                continue
            token = self.tokens[place]
            context = contexts[-1] if contexts else ""
            if (
                token.type == "SUB"
                and self.result
                and self.result[-1].type in ("RPAR", "RSQB", "RGROUP")
            ):
                self.holds.setdefault(place + 1, "indices")
            if token.type == "LBRACE":
                contexts.append(self.holds.get(place, ""))
                token = replace(token, note=contexts[-1])
            elif token.type == "RBRACE":
                token = replace(token, note=self.after.get(place, ""))
                if contexts:
                    contexts.pop()
            elif token.type in ("NAME", "RED", "FUNC", "CALLED", "RR"):
                token = self._with_scripts(place, context)
            elif token.type == "CDOT" and context == "extents" and token.value == "\\times":
                token = replace(token, type="BY")
            depth += (token.type in OPENERS) - (token.type in CLOSERS)
            self._append(token, depth, context)
            place += 1
        while self.result and self.result[-1].type == "THIN":
            self.result.pop()
        return self.result

    def _append(self, token: Token, depth: int, context: str) -> None:
        spacing = bool(self.result) and self.result[-1].type == "THIN"
        if spacing and token.type not in STARTS_OPERAND:
            self.result.pop()
        if token.type in ("ROW", "AMP", "CASES_E", "IF", "OTHERWISE") and depth + (
            token.type == "CASES_E"
        ):
            while self.result and self.result[-1].type in ("COMMA", "DOT", "THIN"):
                self.result.pop()
        if token.type == "THIN" and (context or not self._ends_operand()):
            return
        if token.type == "QUAD" and depth > 0:
            return
        self.result.append(token)

    def _ends_operand(self) -> bool:
        if not self.result or self.result[-1].type not in ENDS_OPERAND:
            return False
        return self.result[-1].note not in PREFIXES

    def _with_scripts(self, base: int, context: str) -> Token:
        """The token at `base` with the scripts that are part of its name."""
        token = self.tokens[base]
        suffix, place = "", base + 1
        while place < len(self.tokens) and self.tokens[place].type in ("SUB", "SUP", "PRIME"):
            if self.tokens[place].type == "PRIME":
                suffix += "_prime"
                next_place = place + 1
                is_part = token.type == "NAME"
            else:
                end = self.closing.get(place + 1)
                if end is None:
                    break
                next_place = end + 1
                content = (
                    self.tokens[place + 2 : end] if end - place <= 5 or context == "extents" else []
                )
                label = self._label(place, content, token, context)
                suffix += label
                is_part = bool(label)
                self._note(place, end, token)
            if is_part:
                self.dropped[place] = next_place
            place = next_place
        return replace(token, value=token.value + suffix) if token.type == "NAME" else token

    def _note(self, script: int, end: int, base: Token) -> None:
        self.after[end] = base.type
        if base.type == "RR":
            self.holds[script + 1] = "extents"
        elif self.tokens[script].type == "SUB":
            self.holds[script + 1] = {"NAME": "indices", "RED": "limits"}.get(base.type, "")

    def _label(self, script: int, content: list[Token], base: Token, context: str) -> str:
        r"""The suffix that a script adds to its name: `_1` for `x^{(1)}`, `_max` for `x^{\max}`, else nothing."""
        if base.type != "NAME" or not content:
            return ""
        kinds = [token.type for token in content]
        if self.tokens[script].type == "SUB":
            if context == "extents" and set(kinds) <= {"NAME", "NUM"}:
                return "_" + "".join(token.value for token in content)
            if len(kinds) == 1 and kinds[0] in PREFIXES:  # `x_{\max}`
                return f"_{content[0].note or content[0].value}"
            return f"_{content[0].value}" if context and kinds == ["NUM"] else ""
        if set(kinds) == {"PRIME"}:
            return "_prime" * len(kinds)
        if kinds == ["LPAR", "NUM", "RPAR"] or (
            kinds == ["LPAR", "NAME", "RPAR"]
            and len(content[1].value) > 1
            and content[1].value not in GREEK
        ):
            return f"_{content[1].value.replace('.', '_')}"
        is_euler = base.value == "e" and not self._has_subscript(script)
        if kinds == ["NAME"] and not is_euler and self._is_label(content[0]):
            return f"_{content[0].value}"
        if len(kinds) == 1 and kinds[0] in PREFIXES:
            return f"_{content[0].note or content[0].value}"
        return ""

    def _has_subscript(self, script: int) -> bool:
        """Whether a subscript ends in front of the script, or begins behind it: Euler's number has none."""
        behind = self.closing.get(script + 1, script) + 1
        is_behind = behind < len(self.tokens) and self.tokens[behind].type == "SUB"
        return is_behind or self.tokens[script - 1].type == "RBRACE"

    def _is_label(self, above: Token) -> bool:
        """Whether it is a word or an upright letter, but no transpose; or known as a label."""
        is_upright = above.note == "upright" and above.value not in ("T", "H")
        return is_upright or above.value in self.labels


def limit_names(tokens: Sequence[Token], opening: int, closing: Mapping[int, int]) -> list[str]:
    r"""The names that limits, such as `k`, `i,j=1` or `0 \le k < N`, introduce as far as tokens tell.

    `opening` is the place of their `{`, `closing` what `closing_braces` gives.
    """
    names: list[str] = []
    operands: list[list[Token]] = [[]]  # of the entry so far: the tokens between its relations
    place, end = opening + 1, closing.get(opening, len(tokens))
    while place < end:
        token = tokens[place]
        if token.type in ("EQ", "REL", "IN"):
            operands.append([])
        elif token.type == "COMMA":
            names += _introduced(operands)
            operands = [[]]
        else:
            operands[-1].append(token)
        place = closing.get(place, place) + 1
    return names + _introduced(operands)


def reduced_names(tokens: Sequence[Token]) -> set[str]:
    """The names that the limits below reductions introduce."""
    closing = closing_braces(tokens)
    return {
        name
        for place, token in enumerate(tokens[:-2])
        if token.type == "RED" and tokens[place + 1].type == "SUB" and place + 2 in closing
        for name in limit_names(tokens, place + 2, closing)
    }


def _introduced(operands: Sequence[Sequence[Token]]) -> list[str]:
    """The middle of an interval; else the left side of the relation, or the first name on its right."""
    if len(operands) == 3 and [t.type for t in operands[1]] == ["NAME"]:
        return [operands[1][0].value]
    first, *others = [[t.value for t in operand if t.type == "NAME"] for operand in operands]
    return first or [name for operand in others for name in operand][:1]
