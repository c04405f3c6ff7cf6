r"""Dots for indices that are summed or averaged over, as tables of statistics have them: `p_{i\cdot}`, `\bar{Y}_{\cdot j}`, `n_{+j}`.

`p_{i\cdot}` is an element of a tensor of its own, `p_dot2`. What the document does not define is the mean of `Y` where the name has
a bar, and the sum where the sign is a `+`; else it may be either, an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from tadc.syntax.tex.names import closing_braces, limit_names
from tadc.syntax.tex.script_tokens import Guess, bound_names, comma, scripted, scripts_at
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["dotted_names", "implied_margins", "ragged_indices", "with_dotted_names"]

_SIGNS = {"CDOT", "DOT", "PLUS"}
_NAME = re.compile(r"(.+?)(_bar)?_(dot|plus)([0-9]+)")


@dataclass(frozen=True, slots=True)
class _Places:
    """What stands below a name: an index, or None for a dot; and whether the dots are crosses."""

    indices: tuple[Token | None, ...]
    is_sum: bool

    def label(self) -> str:
        places = "".join(str(n) for n, t in enumerate(self.indices, 1) if t is None)
        return f"{'plus' if self.is_sum else 'dot'}{places}"


def dotted_names(streams: Sequence[Sequence[Token]]) -> dict[str, set[int]]:
    """The names that have dots or crosses for indices below them somewhere, and how many places they have elsewhere."""
    marked = {
        name.value
        for tokens in streams
        for name, _, inner in scripted(tokens, "SUB")
        if _is_marked(inner)
    }
    counts: dict[str, set[int]] = {name: set() for name in marked}
    for tokens in streams:
        for name, _, inner in scripted(tokens, "SUB"):
            base = name.value
            plain = [t for t in inner if t.type == "NAME"]
            if {t.type for t in inner} <= {"NAME", "COMMA"}:
                for mark in (base, f"{base}_bar"):
                    if mark in counts:
                        counts[mark].add(len(plain))
    return counts


def with_dotted_names(
    tokens: Sequence[Token], counts: dict[str, set[int]], guesses: list[Guess]
) -> list[Token]:
    """The tokens with a name of its own for each tensor that has dots for indices."""
    closing = closing_braces(tokens)
    places = {
        sign: (name, inner) for name, sign, inner in scripted(tokens, "SUB") if name.value in counts
    }
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        found = places.get(place)
        read = None if found is None else _places(found[1], counts[found[0].value])
        if found is None or read is None or result[-1] is not found[0]:
            result.append(tokens[place])
            place += 1
            continue
        name, end = found[0], closing[place + 1]
        result[-1] = replace(name, value=f"{name.value}_{read.label()}", end=tokens[end].end)
        if kept := [t for t in read.indices if t is not None]:
            listed = [t for i in kept for t in (comma(i), i)][1:]
            result += [tokens[place], tokens[place + 1], *listed, tokens[end]]
        place = end + 1
    return result


def _is_marked(inner: Sequence[Token]) -> bool:
    """Whether a dot or a cross stands first or last, beside an index or another one; or behind a number."""
    kinds = [t.type for t in inner if t.type != "COMMA"]
    is_list = {*kinds} <= {"NAME", *_SIGNS} and len(kinds) > 1
    is_list = is_list or (kinds[:1] == ["NUM"] and len(kinds) == 2)
    return is_list and (kinds[0] in _SIGNS or kinds[-1] in _SIGNS)


def _places(inner: Sequence[Token], counts: Set[int]) -> _Places | None:
    """What stands at each place; None where a sign between two indices adds or multiplies them."""
    signs = [t for t in inner if t.type in _SIGNS]
    parts = [t for t in inner if t.type != "COMMA"]
    kinds = {t.type for t in parts}
    is_list = kinds <= {"NAME", "NUM", *_SIGNS} and len(parts) > 1
    if not signs or not is_list or len({t.type for t in signs}) > 1:
        return None
    is_outside = parts[0].type in _SIGNS or parts[-1].type in _SIGNS  # of what may be a sum
    if not is_outside and not ("NUM" not in kinds and len(parts) in counts):
        return None
    if any(t.type == "COMMA" for t in inner) and len(inner) != 2 * len(parts) - 1:
        return None
    return _Places(tuple(None if t.type in _SIGNS else t for t in parts), signs[0].type == "PLUS")


def implied_margins(
    displays: Sequence[Sequence[Statement]], declared: Set[str], prose: str, guesses: list[Guess]
) -> list[Statement]:
    """Definitions of the margins that the displays read, and that nothing defines or declares; `prose` may say that they are sums."""
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    known = declared | {s.target for s in definitions}
    tokens = [t for d in definitions for t in d.tokens if t.type == "NAME"]
    bases = {named[1] for t in tokens if (named := _NAME.fullmatch(t.value)) and named[2]}
    ragged = ragged_indices(definitions)
    found: dict[str, Statement] = {}
    for token in tokens:
        if token.value in known | found.keys():
            continue
        if (margin := _implied(token, bases, definitions)) is None:
            continue
        is_sum = margin.has_crosses or (_SUMS.search(prose) and not _MEANS.search(prose))
        if not margin.is_mean and not margin.has_crosses and not _SUMS.search(prose):
            margin = replace(margin, is_mean=_SAYS_MEANS.search(prose) is not None)
        if margin.is_mean and ragged & {t.value for t in margin.others}:
            found[token.value] = margin.refused(
                f"`{token.value}` is a mean over rows of different lengths",
                "define it in a display, with the number of each row",
            )
        elif margin.is_mean or is_sum:
            what = "mean" if margin.is_mean else "sum"
            found[token.value] = margin.defined(what)
            over = ", ".join(f"`{t.value}`" for t in margin.others)
            text = f"`{token.value}` is the {what} of `{margin.base}` over {over}"
            guesses.append(Guess(text, token.start, token.end))
        else:
            printed = margin.printed()
            letters = "".join(t.value for t in margin.element)
            over = ",".join(t.value for t in margin.others)
            found[token.value] = margin.refused(
                f"`{printed}` may be the sum or the mean of `{margin.base}`",
                f"define it in a display: `{printed} = \\sum_{{{over}}} {margin.base}_{{{letters}}}`",
            )
    return list(found.values())


_SUMS = re.compile(r"\bmarginal|\btotals?\b|\bsums?\b", re.IGNORECASE)
_SAYS_MEANS = re.compile(
    r"\\(?:cdot|bullet)[^.]{0,80}\b(?:averages?|means?\s+(?:of|over))\b", re.IGNORECASE
)
_MEANS = re.compile(r"\bmeans?\b|\baverages?\b", re.IGNORECASE)


def ragged_indices(definitions: Sequence[Statement]) -> set[str]:
    r"""The indices of sums whose bounds depend on an index, `\sum_{j=1}^{n_i}`: rows of different lengths."""
    found: set[str] = set()
    for d in definitions:
        closing = closing_braces(d.tokens)
        bound = bound_names(d.tokens)
        for place, token in enumerate(d.tokens):
            if token.type != "RED":
                continue
            below, above, _ = scripts_at(d.tokens, place, closing)
            inside = {t.value for _, _, inner in scripted(above or (), "SUB") for t in inner}
            if below is not None and inside & bound:  # the digit of `n_1` is a label
                found.update(limit_names(d.tokens, place + 2, closing))
    return found


def _implied(token: Token, bases: Set[str], definitions: Sequence[Statement]) -> _Margin | None:
    r"""The margin that the name stands for: `\bar{Y}` too, where `\bar{Y}_{i\cdot}` stands beside it."""
    named = _NAME.fullmatch(token.value)
    base = token.value.removesuffix("_bar") if named is None else named[1]
    if named is None and (base == token.value or base not in bases):
        return None
    element = _element(base, definitions) or _element_of_margins(base, definitions)
    if element is None:
        return None
    digits = {int(n) for n in named[4]} if named is not None else {*range(1, len(element) + 1)}
    is_mean = named is None or named[2] is not None
    return _Margin(token, base, element, digits, is_mean, named is not None and named[3] == "plus")


def _element(base: str, definitions: Sequence[Statement]) -> tuple[Token, ...] | None:
    """The letters below the name where all of them stand; None where it is read with several numbers of letters, or nowhere."""
    reads = {
        tuple(t.value for t in inner if t.type == "NAME"): tuple(
            t for t in inner if t.type == "NAME"
        )
        for d in definitions
        for name, _, inner in scripted(d.tokens, "SUB")
        if name.value == base and {t.type for t in inner} <= {"NAME", "COMMA"}
    }
    lengths = {len(letters) for letters in reads}
    return next(iter(reads.values())) if len(lengths) == 1 else None


def _element_of_margins(base: str, definitions: Sequence[Statement]) -> tuple[Token, ...] | None:
    r"""The letters of a tensor that is read in margins alone, the `i` and `j` of `X_{i\cdot}` and `X_{\cdot j}`; None where they disagree."""
    letters: dict[int, Token] = {}
    counts: set[int] = set()
    for d in definitions:
        for name, _, inner in scripted(d.tokens, "SUB"):
            named = _NAME.fullmatch(name.value)
            if named is None or named[1] != base:
                continue
            dots = {int(n) for n in named[4]}
            kept = [t for t in inner if t.type == "NAME"]
            counts.add(len(dots) + len(kept))
            places = [n for n in range(1, len(dots) + len(kept) + 1) if n not in dots]
            if len(places) != len(kept):
                return None
            for place, letter in zip(places, kept, strict=True):
                if letters.setdefault(place, letter).value != letter.value:
                    return None
    is_whole = counts == {len(letters)} and len({t.value for t in letters.values()}) == len(letters)
    return tuple(letters[n] for n in sorted(letters)) if is_whole and letters else None


@dataclass(frozen=True, slots=True)
class _Margin:
    """The sum or mean of a tensor over the indices at some of its places."""

    name: Token
    base: str
    element: tuple[Token, ...]
    dots: Set[int]
    is_mean: bool
    has_crosses: bool

    @property
    def kept(self) -> list[Token]:
        return [t for n, t in enumerate(self.element, 1) if n not in self.dots]

    @property
    def others(self) -> list[Token]:
        return [t for n, t in enumerate(self.element, 1) if n in self.dots]

    def printed(self) -> str:
        """The margin as papers print it."""
        signs = (r"\cdot" if n in self.dots else t.value for n, t in enumerate(self.element, 1))
        return f"{self.base}_{{{' '.join(signs)}}}"

    def defined(self, reduction: str) -> Statement:
        r"""`\bar{Y}_{i\cdot} = \operatorname{mean}_j Y_{ij}`, at the place of the margin."""
        limits = self._below(self.others, "limits", "RED")
        body = [self._token("NAME", self.base), *self._below(self.element, "indices", "NAME")]
        return Statement(
            "definition", (*self._left(), self._token("RED", reduction), *limits, *body)
        )

    def refused(self, fact: str, fix: str) -> Statement:
        return Statement("definition", (*self._left(), self._token("ERROR", fact, fix)))

    def _left(self) -> list[Token]:
        name = self._token("NAME", self.name.value)
        return [name, *self._below(self.kept, "indices", "NAME"), self._token("EQ", "=")]

    def _below(self, letters: Sequence[Token], note: str, owner: str) -> list[Token]:
        def listed() -> Iterator[Token]:
            for n, letter in enumerate(letters):
                yield from [self._token("COMMA", "")] if n else []
                yield self._token("NAME", letter.value)

        opening, closing = self._token("LBRACE", "", note), self._token("RBRACE", "", owner)
        return [self._token("SUB", "_"), opening, *listed(), closing] if letters else []

    def _token(self, kind: str, value: str, note: str = "") -> Token:
        return Token(kind, value, self.name.start, self.name.end, note)
