r"""Functions and signs that the prose gives a meaning: "where $\delta$ refers to the ReLU function", "$\otimes$ is the element-wise product"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from tadc.syntax.tex.commands import REFUSED
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import scripts_at
from tadc.syntax.tex.token_list import Token

__all__ = [
    "says_any_function",
    "says_other_sign",
    "told_functions",
    "told_product",
    "with_told_functions",
    "with_told_product",
    "with_unclear_sign",
]

_IS = r"(?:is|be|are|denotes?|denoting|represents?|being|refers?\s+to|stands?\s+for|indicates?)"
_ADJECTIVES = r"(?:(?:a|an|the|our|element-?wise|entry-?wise|point-?wise|non-?linear|standard|usual|logistic|activation|function)\s+)*"
_STANDARD = r"(?:standard|unit)\s+(?:normal|Gaussian)"
_CUMULATIVE = r"(?:probability\s+)?(?:distribution(?:\s+function)?|c\.?d\.?f\.?|CDF)"
_DENSITY = r"(?:probability\s+)?(?:density(?:\s+function)?|p\.?d\.?f\.?|PDF)"
_LAW = r"(?:\s+(?:distribution|variable|random\s+variable|law))?"
_WORDS = {
    r"sigmoid(?:al)?|logistic(?:\s+sigmoid)?\s+function|logistic\s+sigmoid": "sigmoid",
    r"ReLU|rectified\s+linear(?:\s+unit)?": "relu",
    r"hyperbolic\s+tangent|tanh|\$\\tanh\$": "tanh",
    r"GELU|Gaussian\s+error\s+linear": "gelu",
    r"SiLU|swish|Swish": "silu",
    r"soft-?plus": "softplus",
    r"digamma": "digamma",
    r"soft-?max": "softmax",
    r"Heaviside|(?:unit\s+)?step(?:\s+function)?": "heaviside",
    rf"{_STANDARD}\s+(?:cumulative\s+)?{_CUMULATIVE}|cumulative\s+{_STANDARD}\s+{_CUMULATIVE}|cumulative\s+normal\s+(?:density|{_CUMULATIVE})(?:\s+function)?"
    rf"|(?:cumulative\s+)?{_CUMULATIVE}\s+(?:of|for)\s+(?:a|the)\s+{_STANDARD}{_LAW}": "normcdf",
    rf"{_STANDARD}\s+{_DENSITY}|{_DENSITY}\s+(?:of|for)\s+(?:a|the)\s+{_STANDARD}{_LAW}": "normpdf",
    r"(?:leaky|parametric|randomi[sz]ed)[\s-]+ReLU|L(?:eaky)?-?ReLU": "",
}
_ARGUMENT = r"\s*(?:\(\s*(?:\\cdot|\.|[a-z])\s*\))?\s*(?:\$|\\\))"
_LABEL = r"(?:_\s*(?:\{\s*(?:\\(?:mathrm|text|textrm)\s*\{)?)?(?P<label>[A-Za-z]+)\s*\}{0,2})?"
_LETTER = rf"(?:\$|\\\()\s*\\?(?P<name>[A-Za-z]+){_LABEL}{_ARGUMENT}"
_FUNCTION_WORDS = "(?:" + "|".join(f"(?P<f{n}>{words})" for n, words in enumerate(_WORDS)) + r")\b"
_TOLD = (
    re.compile(  # "where $\sigma$ is the ReLU", "is $\mathrm{ReLU}$"
        rf"{_LETTER}[\s~]*{_IS}[\s~]+{_ADJECTIVES}(?:(?:\$|\\\()\s*\\(?:mathrm|text|textrm|operatorname)\s*\{{\s*)?{_FUNCTION_WORDS}"
        r"(?![\s~]*(?:of\b|with\b|\())(?![\s~]*(?:functions?|activations?)?[\s~]*(?:or\b|/))"
    ),
    re.compile(  # "with $\Theta$ the Heaviside step function"
        rf"{_LETTER},?[\s~]+(?:the|our)[\s~]+{_ADJECTIVES}{_FUNCTION_WORDS}(?![\s~]*(?:of\b|with\b|\(|or\b|/|is\b|are\b))"
    ),
    re.compile(  # "the ReLU activation $\sigma(\cdot)$"
        rf"(?<!or\s){_FUNCTION_WORDS}[\s~]+(?:activation|non-?linearity|function)(?:\s+function)?[\s~]+{_LETTER}"
    ),
)
_DENSITY_AND_CUMULATIVE = re.compile(
    rf"(?:\$|\\\()\s*\\?(?P<first>[A-Za-z]+){_ARGUMENT}\s*and\s*(?:\$|\\\()\s*\\?(?P<second>[A-Za-z]+){_ARGUMENT}[\s~]*{_IS}\s+(?:the\s+)?"
    rf"(?P<standard>{_STANDARD}\s+)?(?:{_DENSITY}\s+and\s+(?:the\s+)?(?:cumulative\s+)?{_CUMULATIVE}|(?P<swapped>(?:cumulative\s+)?{_CUMULATIVE}\s+and\s+(?:the\s+)?{_DENSITY}))s?"
    rf"(?(standard)|\s+(?:of|for)\s+(?:a|the)\s+{_STANDARD})"
)  # "where $\phi$ and $\Phi$ are the density and distribution function of the standard normal"
_PRODUCT = re.compile(
    r"\\otimes\s*(?:\$|\\\))[^.$]{0,60}?(?:element|component|entry|point)-?\s?wise|\\otimes\s*(?:\$|\\\))[^.$]{0,60}?Hadamard"
    r"|(?:(?:element|component|entry|point)-?\s?wise|Hadamard)[^.$]{0,60}(?:\$|\\\()\s*\\otimes"
)


_OTHER_PRODUCT = re.compile(r"Kronecker|outer|tensor|\bnot\b", re.IGNORECASE)


def told_functions(text: str, declared: Set[str]) -> dict[str, str]:
    """The letters that the prose calls functions, and which: those that it calls one thing alone."""
    said: dict[str, set[str]] = {}
    for match in (found for told in _TOLD for found in told.finditer(text)):
        function = next(f for n, f in enumerate(_WORDS.values()) if match[f"f{n}"])
        label = f"_{match['label']}" if match["label"] else ""
        said.setdefault(match["name"] + label, set()).add(function)
    for match in _DENSITY_AND_CUMULATIVE.finditer(text):
        names = (match["first"], match["second"])
        density, cumulative = names[::-1] if match["swapped"] else names
        for name, function in ((density, "normpdf"), (cumulative, "normcdf")):
            said[name] = said.get(name, set()) - {"normpdf", "normcdf"} | {function}
    return {
        name: functions.pop()
        for name, functions in said.items()
        if len(functions) == 1 and functions != {""} and name not in declared
    }


_VAGUE = re.compile(
    rf"\\sigma\s*(?:\(\s*(?:\\cdot|\.|[a-z])\s*\))?\s*(?:\$|\\\))[\s~]*{_IS}[\s~]+"
    r"(?:[^.$]{0,60}\bor\b[^.$]{0,20}\b(?:ReLU|sigmoid|softmax|tanh|GELU|hyperbolic)|[^.$]{0,80}\b(?:such\s+as|e\.\s?g|for\s+example|for\s+instance|like)\b"
    r"|(?:some|any|an?)\s+(?:(?:element-?wise|point-?wise|arbitrary|suitable|differentiable)\s+)*(?:non-?linear\w*|activation)\b)"
)


def says_any_function(text: str) -> bool:
    r"""Whether the prose says that `\sigma` is some function, "a nonlinearity such as the ReLU or the sigmoid"."""
    return _VAGUE.search(text) is not None


def with_told_functions(tokens: Sequence[Token], functions: Mapping[str, str]) -> list[Token]:
    """The tokens with these letters as functions, where brackets follow; errors for steps, whose value at 0 is not told."""
    tokens = _with_labels(tokens, functions)
    result = list(tokens)
    for place, (token, after) in enumerate(pairwise(tokens)):
        if token.type != "NAME" or token.value not in functions or after.type not in _OPENING:
            continue
        function = functions[token.value]
        if function == "heaviside":
            letter = token.value if len(token.value) == 1 else f"\\{token.value}"
            fact = f"`{letter}` is the step function, and its value at 0 is not told"
            fix = rf"define it, in the prose: `${letter}(x) = \mathbf{{1}}[x > 0]$`, or with `\ge`"
            result[place] = Token("ERROR", fact, token.start, token.end, fix)
        else:
            kind = "SOFTMAX" if function == "softmax" else "FUNC"
            result[place] = replace(token, type=kind, value=function, note="")
    return result


_OPENING = ("LPAR", "LSQB")


def _with_labels(tokens: Sequence[Token], functions: Mapping[str, str]) -> list[Token]:
    r"""The tokens with one name for the `\sigma_g` that the prose calls a function."""
    if not any("_" in name for name in functions):
        return list(tokens)
    closing = closing_braces(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        below, above, end = scripts_at(tokens, place, closing)
        label = "".join(t.value for t in below[1:-1]) if below is not None else ""
        name = f"{tokens[place].value}_{label}"
        if tokens[place].type == "NAME" and label and above is None and name in functions:
            result.append(replace(tokens[place], value=name, end=tokens[end - 1].end))
            place = end
        else:
            result.append(tokens[place])
            place += 1
    return result


_OTHER_SIGN = re.compile(
    r"\b(?:sign|sgn)\b[^.]{0,120}?\b(?:0|zero)\s+(?:for|if|when)[^.]{0,30}?\b(?:negative|non-?positive|less|otherwise)"
)


def says_other_sign(text: str) -> bool:
    """Whether the prose says that the sign of a negative number is 0, "1 for positive arguments and 0 for negative ones"."""
    return _OTHER_SIGN.search(text) is not None


def with_unclear_sign(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with an error for each sign function: that of the prose is another one."""
    fact = "the prose says that the sign of a negative number is 0, and it is -1"
    fix = r"write what is meant, `\mathbf{1}[x > 0]`"
    return [
        Token("ERROR", fact, t.start, t.end, fix) if (t.type, t.value) == ("FUNC", "sign") else t
        for t in tokens
    ]


def told_product(text: str) -> bool:
    r"""Whether the prose says that `\otimes` is the product of elements."""
    said = _PRODUCT.search(text)
    return said is not None and _OTHER_PRODUCT.search(said[0]) is None


def with_told_product(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with `\odot` for `\otimes`."""
    fact = REFUSED["otimes"][0]
    return [
        replace(t, type="ODOT", value=r"\odot", note="")
        if t.type == "ERROR" and t.value == fact
        else t
        for t in tokens
    ]
