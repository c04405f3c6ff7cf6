r"""Letters side by side below a left side that stand nowhere apart, `P_{abs} = \sum_i I_{abs,i} A_i`: a word, or an index each.

What sums run over, what is printed with commas or a range, what a line declares with as many dimensions, and letters that are indices
in most documents, `ijk` or `abc`, are indices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.letter_runs import is_letter
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_unclear_subscripts"]

_INDICES = frozenset("ijklmnpqrstuvxyz")
_VOWELS = frozenset("aeiou")


def with_unclear_subscripts(
    statements: Sequence[Statement], ranks: Mapping[str, int]
) -> list[Statement]:
    """The statements with an error for each such word below what they define; `ranks` are those that lines declare."""
    apart = {name for s in statements for name in _apart(s)}

    def unclear(statement: Statement) -> Statement:
        for run in _left_runs(statement):
            is_declared = ranks.get(statement.target, 0) >= len(run)
            if not (is_declared or apart & {*run} or _are_indices(run)):
                return _with_error(statement, run)
        return statement

    return [unclear(s) if s.kind == "definition" else s for s in statements]


def _with_error(statement: Statement, word: str) -> Statement:
    name, *rest = statement.tokens
    letter = as_printed(name.value)
    fact = f"`{word}` below `{letter}` may be a word, or an index for each letter"
    fix = f"write the word as `{letter}_{{\\mathrm{{{word}}}}}`, indices with commas, `{letter}_{{{','.join(word)}}}`"
    error = Token("ERROR", fact, name.start, rest[statement.equal - 2].end, fix)
    return replace(statement, tokens=(*statement.tokens, error))


def _left_runs(statement: Statement) -> list[str]:
    tokens = statement.tokens
    closing = closing_braces(tokens)
    is_below = [t.type for t in tokens[:3]] == ["NAME", "SUB", "LBRACE"] and not statement.ranges
    return _runs(tokens[3 : closing[2]]) if is_below and 2 in closing else []


def _runs(inner: Sequence[Token]) -> list[str]:
    """The words of three letters and more, without blanks between them, between commas."""
    found: list[str] = []
    run = ""
    for token, after in pairwise((*inner, Token("COMMA", "", -1, -1))):
        run = run + token.value if is_letter(token) else ""
        if not is_letter(after) or after.start != token.end:
            found += [run] if len(run) > 2 else []
            run = ""
    return found


def _apart(statement: Statement) -> Set[str]:
    """The names that are bound by sums, or that stand elsewhere than in such words."""
    inside = {
        id(t)
        for _, _, inner in scripted(statement.tokens, "SUB")
        for run in _runs(inner)
        for t in inner
        if t.value in run
    }
    outside = {t.value for t in statement.tokens if t.type == "NAME" and id(t) not in inside}
    return outside | bound_names(statement.right)


def _are_indices(word: str) -> bool:
    """Whether the letters are those of indices, or follow each other in the alphabet, or one stands twice, or none is a vowel, `bhw`."""
    follow = all(ord(b) - ord(a) == 1 for a, b in pairwise(word))
    is_spoken = bool(_VOWELS & {*word}) and len({*word}) == len(word)
    return follow or {*word} <= _INDICES or not is_spoken
