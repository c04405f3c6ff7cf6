r"""Conventions that the prose says and that formulas do not show: "all logarithms are to base 2", "$\|\cdot\|$ is the maximum norm", "$*$ is
the convolution". What they change is an error that says how to write it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tadc.syntax.tex.token_list import Token

__all__ = ["said_conventions", "with_said_conventions"]

_IS = r"(?:is|are|denotes?|denoting|means?|stands?\s+for|represents?|refers?\s+to)"
_END = r"\s*(?:\$|\\\))\s*"
_DOT = r"\s*(?:\\cdot|\.|[a-zA-Z])\s*"
_BAR = r"(?:\\left\s*|\\right\s*)?"
_DOUBLE = rf"{_BAR}(?:\\\||\\[lr]?Vert)"


class Convention(NamedTuple):
    """What the prose says, the signs that mean something else then, the fact, and what to write."""

    said: re.Pattern[str]
    is_sign: Callable[[Token, str], bool]
    fact: str
    fix: str


def _word(*words: str) -> Callable[[Token, str], bool]:
    return lambda t, text: t.type == "FUNC" and text[t.start : t.end] in words


_ANGLES = _word(r"\sin", r"\cos", r"\tan")

_CONVENTIONS = (
    Convention(
        re.compile(
            r"\blogarithms?\s+(?:is|are|here\s+are)?\s*(?:taken\s+|always\s+)?(?:to|in|with|of)\s+(?:the\s+)?base\s+(?!\$?e\b)(?:\$?2|\$?10|two|ten)\b"
            r"|\\log\s*(?:\$|\\\))[^.$]{0,60}\b(?:base\s+(?:\$?2|\$?10|two|ten)\b|decadic|decimal|common|binary)"
            r"|\\log\s*(?:\$|\\\))\s*(?:for|means?|denotes?)\s*(?:\$|\\\()\s*\\log_|\b(?:decadic|binary|common)\s+logarithms?\b",
            re.IGNORECASE,
        ),
        _word(r"\log"),
        r"the prose says of which base logarithms are, and `\log` is the natural one here",
        r"write `\log_2` or `\log_{10}`",
    ),
    Convention(
        re.compile(
            rf"{_DOUBLE}{_DOT}{_DOUBLE}{_END},?\s*(?:{_IS}|for|as)\s+(?:an?\s+|the\s+)?(?:(?:\$|\\\()?\s*\\ell_(?:1|\\infty|p)|(?:\$|\\\()?\s*L_?\{{?(?:1|\\infty)"
            r"|l_?1\b|maximum|max\b|supremum|sup\b|infinity|Manhattan|taxicab|spectral|nuclear|operator|trace|Mahalanobis|weighted|energy|dual)",
            re.IGNORECASE,
        ),
        lambda t, _: t.type == "NORM_L",
        "the prose says that the norm is another one than the Euclidean",
        r"write which, `\|x\|_1` or `\|x\|_\infty`, or its sum",
    ),
    Convention(
        re.compile(
            rf"(?:\*|\\ast|\\star){_END}{_IS}\s+(?:an?\s+|the\s+)?(?:\w+\s+)?convolution|\bconvolution[^.$]{{0,30}}(?:\$|\\\()\s*(?:\*|\\ast|\\star){_END}",
            re.IGNORECASE,
        ),
        lambda t, _: t.type == "CDOT" and t.value in ("*", r"\ast"),
        "the prose says that `*` is the convolution, and it is read as a product",
        r"write the convolution as a sum, `\sum_{k=0}^{M-1} h_k x_{n-k}`",
    ),
    Convention(
        re.compile(rf"\\circ{_END}{_IS}\s+(?:an?\s+|the\s+)?(?:function\s+)?composition", re.IGNORECASE),
        lambda t, _: t.type == "ODOT" and t.value == r"\circ",
        r"the prose says that `\circ` is the composition of functions",
        "write the function of the other one, `f(g(x))`",
    ),
    Convention(
        re.compile(
            rf"\[{_DOT}\]{_END}{_IS}\s+(?:the\s+)?(?:integer|integral|whole|greatest|largest|nearest|floor)", re.IGNORECASE
        ),
        lambda t, _: t.type == "LSQB",
        "the prose says that square brackets are the integer part",
        r"write `\lfloor x \rfloor`",
    ),
    Convention(
        re.compile(rf"\\\{{{_DOT}\\\}}{_END}{_IS}\s+(?:the\s+)?fractional", re.IGNORECASE),
        lambda t, _: t.type == "LPAR" and "{" in t.value,
        "the prose says that braces are the fractional part",
        r"write `x - \lfloor x \rfloor`",
    ),
    Convention(
        re.compile(
            rf"\|{_DOT}\|{_END}{_IS}\s+(?:an?\s+|the\s+)?(?:determinant|cardinality|number\s+of|size)", re.IGNORECASE
        ),
        lambda t, _: t.type == "BAR_L",
        "the prose says that bars are no absolute value",
        "give what they mean a name, an input of its own",
    ),
    Convention(
        re.compile(r"\b(?:angles?|longitudes?|latitudes?|\$)[^.;]{0,60}\b(?:in|measured\s+in)\s+degrees\b", re.IGNORECASE),
        _ANGLES,
        "the prose says that angles are in degrees, and functions are of radians",
        r"write `\sin\left(\frac{\pi}{180} \theta\right)`",
    ),
)  # fmt: skip


def said_conventions(text: str) -> list[Convention]:
    """Those that the prose says; in a sentence with a "not" it says nothing."""
    return [
        c
        for c in _CONVENTIONS
        if any(not _is_denied(text, m) for m in c.said.finditer(text))
        and not (c.is_sign is _ANGLES and "180" in text)  # the formula converts them
    ]


def _is_denied(text: str, said: re.Match[str]) -> bool:
    before = text[: said.start()].rpartition(". ")[2]
    return (
        re.search(r"\b(?:not|no|unlike|instead\s+of|rather\s+than)\b", f"{before} {said[0]}")
        is not None
    )


def with_said_conventions(
    tokens: Sequence[Token], conventions: Sequence[Convention], text: str
) -> list[Token]:
    """The tokens with an error for each sign that one of these is about."""
    return [*_checked(tokens, conventions, text)]


def _checked(
    tokens: Sequence[Token], conventions: Sequence[Convention], text: str
) -> Iterator[Token]:
    for place, token in enumerate(tokens):
        behind = tokens[place + 1].type if place + 1 < len(tokens) else ""
        before = tokens[place - 1].type if place else ""
        about = next((c for c in conventions if c.is_sign(token, text)), None)
        is_index = token.type == "LSQB" and before in ("NAME", "RBRACE")
        is_based = token.type == "FUNC" and behind == "SUB"
        if about is None or is_index or is_based or _has_kind(tokens, place):
            yield token
        else:
            yield replace(token, type="ERROR", value=about.fact, note=about.fix)


def _has_kind(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether it opens the bars of a `\|x\|_1`, which say themselves what they are."""
    if tokens[place].type != "NORM_L":
        return False
    closing = next(
        (n for n in range(place, len(tokens)) if tokens[n].type == "NORM_R"), len(tokens)
    )
    return [t.type for t in tokens[closing + 1 : closing + 2]] == ["SUB"]
