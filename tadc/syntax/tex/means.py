r"""Means that a document does not write out: `\bar{x}` in `\sum_i (x_i - \bar{x})^2`, `\bar{x}_i` beside `x_{it}`, or what the
prose calls a mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.dotted import ragged_indices
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, bound_names, scripts_at
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import (
    STARTS_OPERAND,
    Token,
    behind_scripts,
    closing_brackets,
)

__all__ = ["implied_means"]

_BAR = "_bar"
_OTHER = re.compile(
    r"\b(?:weighted|geometric|harmonic|moving|trimmed|population|ensemble|target|reference|training"
    r"|median|desired|nominal|equilibrium|steady|baseline|thresholds?|bounds?|set-?points?)\b",
    re.IGNORECASE,
)
_OF_SOME = re.compile(
    r"\b(?:previous|past|nearest|local|running|neighbou?rs?|neighbou?rhoods?|windows?|clusters?)\b",
    re.IGNORECASE,
)
_NO_MEAN = re.compile(  # what a bar is called that is no mean
    r"\b(?:desired|nominal|equilibri\w+|baselines?|thresholds?|bounds?|set-?\s?points?|steady|stationary|prescribed|goals?|initial|rest"
    r"|references?|fixed|given|known|constants?|limits?|maximum|minimum|maximal|minimal|optim\w+|complex|conjugates?|saturation)\b",
    re.IGNORECASE,
)
_IS_GIVEN_BY = re.compile(r"\bgiven\s+by\b", re.IGNORECASE)
_ABOUT = re.compile(r"(?<!zero-)\b(?:means?|averag\w*)\b|\\(?:bar|overline)", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:means?|averag\w*|centroids?|expect\w+)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"%!tadc[^\n]*\n|[.;]\s|\n\s*\n|\\(?:begin|end)\{\w+\*?\}|\\[\[\]]|\$\$")
_SAYS = re.compile(
    r"\\(?:bar|overline)[^.]{0,60}\b(?:means?|averages?)\b|\b(?:means?|averages?)\b[^.]{0,60}\\(?:bar|overline)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Read:
    """A name and the letters below it; None where something else stands there."""

    name: Token
    letters: tuple[Token, ...] | None


def implied_means(
    displays: Sequence[Sequence[Statement]], declared: Set[str], prose: str, guesses: list[Guess]
) -> list[Statement]:
    """Definitions of the means that the displays read, and that nothing defines or declares: over the indices that their tensor has
    besides, which sums bind.
    """
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    about = (part for part in _SENTENCE.split(prose) if _ABOUT.search(part))
    if any(_OTHER.search(part) or _OF_SOME.search(part) or _is_no_mean(part) for part in about):
        return []
    known = declared | {s.target for s in definitions}
    sentences = [part for part in _SENTENCE.split(prose) if "$" in part or r"\(" in part]
    ragged = ragged_indices(definitions)
    found: dict[str, Statement] = {}
    for d in definitions:
        for mean in _reads(d.right):
            base = mean.name.value.removesuffix(_BAR)
            is_new = base != mean.name.value and mean.name.value not in known | found.keys()
            if not is_new or mean.letters is None:
                continue
            says_mean = _SAYS.search(prose) is not None
            is_said = says_mean or _is_subtracted(base, mean, d.right)
            is_said = is_said and (says_mean or not _is_weighted(mean, d.right, definitions))
            element = _element(base, mean, definitions, of_summed=not says_mean)
            if element is None or not is_said or ragged & {t.value for t in element.letters or ()}:
                continue
            if any(_says_other(sentence, base) for sentence in sentences):
                continue
            if (weight := _weight(base, element, d.right)) is not None:
                found[mean.name.value] = _unclear_mean(mean, element, weight)
                continue
            found[mean.name.value] = _mean(mean, element)
            text = f"`{mean.name.value}` is the mean of `{base}`"
            guesses.append(Guess(text, mean.name.start, mean.name.end))
    return list(found.values())


def _says_other(sentence: str, base: str) -> bool:
    r"""Whether it is about the `\bar{x}` of this `x` with other words than those of means: "the state $\bar x$ is prescribed"."""
    letter = rf"\\(?:bar|overline)\s*(?:\{{\s*)*{re.escape(as_printed(base))}(?![A-Za-z])"
    mathematics = (m[1] or m[2] or "" for m in _MATHEMATICS.finditer(sentence))
    is_about = any(re.search(letter, inner) is not None for inner in mathematics)
    return is_about and _MEAN.search(sentence) is None


_MATHEMATICS = re.compile(r"\$([^$]*)\$|\\\((.*?)\\\)", re.DOTALL)


def _weight(base: str, element: _Read, tokens: Sequence[Token]) -> Token | None:
    r"""The `f` of `f_i (x_i - \bar{x})^2`: with weights for the squares, the mean may be weighted too."""
    closing = closing_brackets(tokens)
    opening = {end: start for start, end in closing.items()}
    letters = [t.value for t in element.letters or ()]
    for place, token in enumerate(tokens):
        end = closing.get(place, 0)
        inner = tokens[place + 1 : end]
        values = [t.value for t in inner]
        is_deviation = token.type in _AROUND and values[:1] == [base] and f"{base}{_BAR}" in values
        is_square = [t.value for t in tokens[end + 1 : end + 4] if t.type != "LBRACE"] == ["^", "2"]
        if not is_deviation or not is_square:
            continue
        before = place - 1
        while before > 0 and tokens[before].type in ("CDOT", "THIN"):
            before -= 1
        low = opening.get(before, 0)
        is_element = low > 1 and [t.type for t in tokens[low - 2 : low]] == ["NAME", "SUB"]
        if (
            is_element
            and [t.value for t in tokens[low + 1 : before] if t.type == "NAME"] == letters
        ):
            return tokens[low - 2]
    return None


def _unclear_mean(mean: _Read, element: _Read, weight: Token) -> Statement:
    r"""The mean with an error in place of its right side."""
    at = mean.name
    x, w = element.name.value, weight.value
    letters = [t.value for t in element.letters or ()]
    own = [t.value for t in mean.letters or ()]
    others = ", ".join(n for n in letters if n not in own)
    x_i, w_i, x_bar = as_printed(x, *letters), as_printed(w, *letters), as_printed(at.value, *own)
    fact = f"`{as_printed(at.value)}` may be the plain mean of `{as_printed(x)}`, or the one with the weights `{as_printed(w)}`"
    fix = (
        f"say which in the prose, `where ${x_bar} = \\frac{{\\sum_{{{others}}} {w_i} {x_i}}}{{\\sum_{{{others}}} {w_i}}}$` or"
        f" `where ${x_bar} = \\operatorname{{mean}}_{{{others}}} {x_i}$`;"
        f" what is given is declared, `%!tadc input {at.value}[{'N' * bool(own)}]`"
    )
    whole = _mean(mean, element)
    error = Token("ERROR", fact, at.start, at.end, fix)
    return replace(whole, tokens=(*whole.tokens[: whole.equal + 1], error))


def _is_no_mean(sentence: str) -> bool:
    """Whether a sentence calls what has a bar something else than a mean."""
    sentence = _IS_GIVEN_BY.sub("", sentence)
    return _NO_MEAN.search(sentence) is not None and _MEAN.search(sentence) is None


def _reads(tokens: Sequence[Token]) -> Iterator[_Read]:
    closing = closing_braces(tokens)
    for place, token in enumerate(tokens):
        if token.type == "NAME":
            below, _, _ = scripts_at(tokens, place, closing)
            inner = () if below is None else below[1:-1]
            is_plain = all(t.type in ("NAME", "COMMA") for t in inner)
            letters = tuple(t for t in inner if t.type == "NAME") if is_plain else None
            yield _Read(token, letters)


def _element(
    base: str, mean: _Read, definitions: Sequence[Statement], *, of_summed: bool
) -> _Read | None:
    """How the tensor is read, in the font of its mean: with the letters of that and others, which sums bind if it is one `of_summed` ones;
    None where it stands with other numbers of letters.
    """
    wanted = {t.value for t in mean.letters or ()}
    found: _Read | None = None
    counts: set[int] = set()
    for d in definitions:
        summed = bound_names(d.right)
        is_index = base in bound_names(d.tokens)  # of another formula
        pairs = [
            *_related(d.right)
        ]  # of `\sum_{i<j} (d_{ij} - \bar{d})`: the mean of some, or of all
        for read in _reads(d.right):  # the `x` of `V[x] =` is the whole tensor
            is_same = read.name.value == base and _is_bold(read.name) == _is_bold(mean.name)
            if not is_same or read.letters is None or (is_index and not read.letters):
                continue  # `x_{t+k}` is moved
            own = {t.value for t in read.letters or ()}
            counts.add(len(own))
            others = own - wanted
            if (
                wanted <= own
                and others
                and (others <= summed or not of_summed)
                and len(own) == len(read.letters or ())
                and not any(len(pair & others) > 1 for pair in pairs)
            ):
                found = found or read
    return found if len(counts) == 1 else None


_AROUND = frozenset(("LPAR", "LSQB", "NORM_L", "BAR_L"))  # a deviation


def _is_bold(name: Token) -> bool:
    return name.note == "bold"


def _related(tokens: Sequence[Token]) -> Iterator[set[str]]:
    """The names in each of the limits that have a relation."""
    closing = closing_braces(tokens)
    for place, (reduction, sign) in enumerate(pairwise(tokens)):
        if reduction.type == "RED" and sign.type == "SUB" and place + 2 in closing:
            limits = tokens[place + 3 : closing[place + 2]]
            if any(t.type == "REL" for t in limits):
                yield {t.value for t in limits if t.type == "NAME"}


def _is_subtracted(base: str, mean: _Read, tokens: Sequence[Token]) -> bool:
    r"""Whether `x_i - \bar{x}` stands there."""
    place = next(n for n, t in enumerate(tokens) if t is mean.name)
    if place < 2 or tokens[place - 1].type != "MINUS" or tokens[place - 2].type != "RBRACE":
        return False
    opening = max((n for n in range(place - 1) if tokens[n].type == "LBRACE"), default=0)
    return opening > 1 and tokens[opening - 2].value == base


def _is_weighted(mean: _Read, tokens: Sequence[Token], definitions: Sequence[Statement]) -> bool:
    r"""Whether it is that of `\sum_i f_i (x_i - \bar{x})^2` beside `\sum_i f_i`: the mean under these weights, as textbooks have it, or the plain one."""
    place = next(n for n, t in enumerate(tokens) if t is mean.name)
    opening = next((n for n in range(place, -1, -1) if tokens[n].type in _AROUND), 0)
    weight = tokens[max(opening - 5, 0) : opening]
    if [t.type for t in weight] != ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"]:
        return False
    total = [t.value for t in weight[:4]]
    for d in definitions:
        for n, token in enumerate(d.right):
            if token.type == "RED" and token.value == "sum":
                start = behind_scripts(d.right, n + 1, closing_braces(d.right))
                behind = d.right[start + 5 : start + 6]
                is_alone = not behind or behind[0].type not in STARTS_OPERAND
                if is_alone and [t.value for t in d.right[start : start + 4]] == total:
                    return True
    return False


def _mean(mean: _Read, element: _Read) -> Statement:
    r"""`\bar{x}_i = \operatorname{mean}_{t} x_{it}`, at the place of the mean."""
    at = mean.name

    def token(kind: str, value: str, note: str = "") -> Token:
        return Token(kind, value, at.start, at.end, note)

    def below(letters: Sequence[Token], note: str, owner: str) -> list[Token]:
        if not letters:
            return []
        listed = [t for i in letters for t in (token("COMMA", ""), token("NAME", i.value))][1:]
        opening, closing = token("LBRACE", "", note), token("RBRACE", "", owner)
        return [token("SUB", "_"), opening, *listed, closing]

    own = mean.letters or ()
    every = element.letters or ()
    others = [t for t in every if t.value not in {o.value for o in own}]
    left = [at, *below(own, "indices", "NAME")]
    body = [token("NAME", element.name.value, element.name.note), *below(every, "indices", "NAME")]
    reduction = [token("RED", "mean"), *below(others, "limits", "RED")]
    return Statement("definition", (*left, token("EQ", "="), *reduction, *body))
