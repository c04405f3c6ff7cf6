r"""Letters that are functions in most documents and data in some: `\delta_{ij}` and `\sigma(..)`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tadc.errors import Source
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.told_functions import says_any_function

__all__ = [
    "is_delta_raised",
    "is_delta_unclear",
    "is_sigmoid",
    "says_charge",
    "says_elementwise",
    "says_kernel",
    "with_unclear_delta",
]


_SAYS_DATA = re.compile(
    r"\\delta_\s*\{[^{}$]*\}\s*(?:\$|\\\))\s*(?:is|are|denotes?|represents?|stands?)\b([^.;]{0,120})"
)


_SAYS_KRONECKER = re.compile(r"Kronecker|delta|identity|unit\b|\b1\b|\bone\b", re.IGNORECASE)


_SAYS_ELEMENTWISE = re.compile(
    r"\b(?:appl\w+|acts?|acting|taken|operat\w*|understood|computed|evaluated|exponentials?|logarithms?|exp|log|sqrt|roots?)\b[^.;]{0,80}"
    r"\b(?:element|entry|component|coordinate|point)-?\s?wise",
    re.IGNORECASE,
)


def says_elementwise(text: str) -> bool:
    r"""Whether the prose says that functions are of elements: "$\exp(\cdot)$ is applied elementwise"; not that a product is."""
    return any(
        _PRODUCT.search(text, max(0, said.start() - 60), said.end()) is None
        for said in _SAYS_ELEMENTWISE.finditer(text)
    )


_PRODUCT = re.compile(r"product|multipl|divi[ds]|quotient", re.IGNORECASE)


def is_delta_unclear(text: str) -> bool:
    r"""Whether the prose says what `\delta_{ij}` is, and not that it is Kronecker's."""
    said = _SAYS_DATA.search(text)
    return said is not None and _SAYS_KRONECKER.search(said[1]) is None


def is_delta_raised(definitions: Sequence[Statement]) -> bool:
    r"""Whether a right side has the square of a `\delta_{ij}`, which of Kronecker's would be the same."""
    return any(
        name.value == "delta" and any(t.type == "NAME" for t in inner)
        for right in (d.right for d in definitions)
        for name, place, inner in scripted(right, "SUB")
        if [t.type for t in right[place + len(inner) + 3 : place + len(inner) + 4]] == ["SUP"]
    )


def with_unclear_delta(definition: Statement) -> Statement:
    r"""The definition with an error for each `\delta_{ij}` on its right side."""
    deltas = {name for name, _, _ in scripted(definition.tokens, "SUB") if name.value == "delta"}
    fact = r"`\delta_{ij}` may be Kronecker's delta, or data, as what the document says or does with it seems to tell"
    fix = (
        r"declare the data, `%!tadc input delta[N, M]`, or write `\mathbf{1}[i = j]` for the other"
    )
    return replace(
        definition,
        tokens=tuple(
            Token("ERROR", fact, t.start, t.end, fix) if t in deltas else t
            for t in definition.tokens
        ),
    )


_SAYS_SIGMOID = re.compile(
    r"sigmoid|logistic|\\(?:log|ln)\s*\\sigma|\\(?:tanh|operatorname\{(?:relu|ReLU|softmax|tanh)\})",
    re.IGNORECASE,
)


_SAYS_NUMBER = re.compile(
    r"\\sigma\s*(?:\$|\\\))[\s~]+(?:(?:determines?|controls?|sets?|scales?|governs?|specifies|specify|tunes?|adjusts?|regulates?)\b"
    r"|(?:is|denotes?|being|represents?)[\s~]+not\b"
    r"|(?:is|denotes?|being|represents?)\b[^.;$]{0,60}?\b(?:parameter|constant|scale|width|bandwidth|temperature|deviation|slope|steepness|gain|factor)\b)"
    r"|\b(?:parameter|constant|scale|width|bandwidth|temperature|deviation|variance|slope|steepness|gain|factor|noise|spread|volatility)"
    r"[\s~]+(?:\$|\\\()\s*\\sigma\s*(?:\^\s*\{?\s*2\s*\}?\s*)?(?:\$|\\\))"
    r"|\b(?:parameter|constant|scale|width|bandwidth|temperature|deviation|variance|slope|steepness|gain|factor)[\s~]+(?:\$|\\\()\s*\\sigma\s*(?:\$|\\\))"
    r"|\\sigma\s*(?:\$|\\\))[^.;$]{0,30}\bnot\b"
)


def is_sigmoid(source: Source) -> bool:
    r"""Whether the document tells that `\sigma(..)` is the sigmoid: by a word, or as one of several such functions; and says nothing of
    `\sigma` that is about a number.
    """
    is_said = _SAYS_SIGMOID.search(source.text) is not None
    is_other = says_any_function(source.text) or _SAYS_NUMBER.search(source.text) is not None
    return is_said and not is_other


_OF_CHARGES = re.compile(
    r"\b(?:charges?|charged|electrons?|electronic|ions?|ionic|protons?|Coulomb\w*|plasmas?)\b|\\(?:hbar|(?:var)?epsilon_\{?(?:0|\\infty))"
    r"|k_\{?\s*(?:\\(?:mathrm|text|rm)\s*\{?\s*)?B\b"
)


def says_charge(source: Source) -> bool:
    """Whether the document is about charges, so that an `e` without a power may be that of the electron."""
    return _OF_CHARGES.search(source.text) is not None


_OF_KERNELS = re.compile(
    r"\bkernels?\b|\b(?:pair|interaction|two-body)[\s~]+potentials?\b|\b(?:window|smoothing|weight|step)[\s~]+functions?\b",
    re.IGNORECASE,
)


def says_kernel(source: Source) -> bool:
    """Whether the document speaks of kernels or potentials, so that a letter in front of a difference may be one."""
    return _OF_KERNELS.search(source.text) is not None
