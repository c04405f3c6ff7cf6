r"""Names in wrappers and accents, and words in the prose's letters: `\hat{\mathbf{x}}`, `\operatorname{relu}`, `\text{if}`."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from tadc.syntax.tex import commands

__all__ = ["COMMAND", "Wrapped", "argument_end", "wrapped"]


class Wrapped(NamedTuple):
    r"""The token made of the commands and their contents; `end` is after its last brace, or before the scripts in it: the
    `_i` of `\hat{y_i}`, where the braces around the scripts are still `open`.
    """

    type: str
    value: str
    end: int
    note: str = ""
    open: int = 0


COMMAND = re.compile(r"\\(?:(?:operatorname|tag|hspace|vspace)\*|[A-Za-z]+|.)", re.DOTALL)
_LETTER = re.compile(r"[^\W_]")
_WORD = re.compile(r"(?:[^\W_]|\\?_)(?:\w|\\[_,;:!])*")
_OPENING = re.compile(r"\s*(\{?)\s*")
_CLOSING = re.compile(r"\s*\}")
_CLOSING_BEHIND_DOT = re.compile(r"\s*\.?\s*\}")  # of a word cut short, `\text{occ.}`
_TEXT = re.compile(r"\s*\{([^{}]*)\}")
_SCRIPTS = re.compile(
    r"(?:\s*(?:'|[_^]\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|\w)))+\s*\}"
)  # and nothing else in the braces
_LABEL_INSIDE = re.compile(r"\s*_\s*\{([A-Za-z]{2,})\}(?=\s*\})")  # `\mathrm{CL_{cr}}` is all roman
_INDICES = frozenset("ijklmnpqt")  # authors leave these inside, too: `\mathrm{sim_{ij}}`
_DEEPEST = 8  # wrappers around one name


def wrapped(text: str, start: int, end: int) -> Wrapped:
    """The symbol at `start`, where a wrapper, an accent or a Greek letter begins."""
    position = start
    accents: list[str] = []
    braces: list[bool] = []  # for each command whether its argument is in braces
    style, in_wrapper, core, name_of_wrapper = "", False, "", ""
    while len(braces) <= _DEEPEST:
        command = COMMAND.match(text, position, end)
        name = "" if command is None else command.group()[1:]
        if command is None or not (
            name in commands.WRAPPERS or name in commands.ACCENTS or name in commands.GREEK
        ):
            word = (_WORD if in_wrapper else _LETTER).match(text, position, end)
            if word is not None and braces:
                is_word = braces[-1] and not _has_script(text, position, name_of_wrapper)
                core = word.group() if is_word else word.group()[0]
                if core.endswith("_") and text.startswith("{", position + len(core)):
                    core = core[:-1]  # `\mathrm{DCG_{p}}`
                position += len(core)
                label = _LABEL_INSIDE.match(text, position, end) if style == "upright" else None
                if label is not None and not {*label[1]} <= _INDICES:
                    core, position = f"{core}_{label[1]}", label.end()
            break
        position = command.end()
        name_of_wrapper = name
        if name in commands.GREEK:
            core = name
            break
        if name in commands.ACCENTS:
            accents.append(commands.ACCENTS[name])
            if (capitals := _CAPITALS.match(text, position, end)) is not None:
                whole = "_".join([capitals[1], *reversed(accents)])
                return Wrapped("NAME", whole, capitals.end(), "upright", open=sum(braces))
        else:
            if (words := _words(text, position, end, name)) is not None:
                return words
            style, in_wrapper = commands.WRAPPERS[name] or style, True
        opening = _OPENING.match(text, position, end)
        assert opening is not None, "the pattern matches nothing, too"
        braces.append(bool(opening[1]))
        position = opening.end()
    opened = sum(braces)
    for braced in reversed(braces):
        ends = _CLOSING_BEHIND_DOT if style == "upright" else _CLOSING
        closing = ends.match(text, position, end) if braced else None
        is_letter = style != "upright" or text.startswith("_{", position)
        scripts = _SCRIPTS.match(text, position, end)
        if closing is None and core and is_letter and scripts is not None:
            behind = argument_end(text, text.find("{", start), end) if braced else start
            if accents and braced and _is_power(text, scripts, behind):
                return _above_power(text, start, behind)
            break
        if not core or (braced and closing is None):
            return _not_a_name(text, start, position, end)
        position = position if closing is None else closing.end()
        opened -= braced
    core = unicodedata.normalize("NFKC", re.sub(r"\\[,;:!]?", "", core))
    if "vec" in accents:
        style = style or "bold"  # both say that it is a vector
    named = _named("_".join([core, *reversed(accents)]), style, bool(accents), position)
    return named._replace(open=opened)


_POWER = re.compile(r"\^\s*\{?\s*[0-9]")
_DEFINED = re.compile(
    r"\s*(?:\([^()]*\)\s*)?&?\s*(?::?=|\\(?:equiv|coloneqq|approx|gets|triangleq)\b)"
)


def _is_power(text: str, scripts: re.Match[str], behind: int) -> bool:
    r"""Whether a mark stands above a power that is read: on a left side, `\overline{\delta^2} = ..`, it is all one name."""
    return _POWER.search(scripts.group()) is not None and _DEFINED.match(text, behind) is None


def _above_power(text: str, start: int, end: int) -> Wrapped:
    r"""The error of `\overline{x^2}`, which is no `\bar{x}^2`."""
    fact = f"`{text[start:end]}` is a mark above a power, as of the mean of squares, and not the power of what has the mark"
    fix = r"write the mean as a sum, `\frac{1}{N} \sum_{i=1}^{N} x_i^2`, or give it a name; the square of a mean is `\bar{x}^2`"
    return Wrapped("ERROR", fact, end, fix)


def _has_script(text: str, position: int, wrapper: str) -> bool:
    r"""Whether a letter with a script stands in the braces, as in `\mathbf{x_i}`; words of the prose have none."""
    is_upright = commands.WRAPPERS.get(wrapper) == "upright"
    return not is_upright and _SCRIPTS.match(text, position + 1) is not None


def argument_end(text: str, start: int, end: int) -> int:
    """The end of the braces that open at `start`, or `end` if they are not closed."""
    depth = 0
    for brace in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start, end):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        if depth == 0:
            return brace.end()
    return end


def _words(text: str, position: int, end: int, wrapper: str) -> Wrapped | None:
    """Words that are no name: `otherwise`, `for all i`."""
    is_text = wrapper in commands.TEXTS
    if not is_text and wrapper not in ("mathrm", "operatorname", "textit"):
        return None
    if is_text and text.startswith("{", position):
        close = argument_end(text, position, end)
        if (said := _CONDITION.fullmatch(text, position, close)) is not None:
            kind = commands.WORDS.get(said[1], "TEXT")
            return Wrapped(kind, said[1], said.start(2), open=1)
    match = _TEXT.match(text, position, end)
    if match is None:
        close = argument_end(text, position, end)
        joined = _HYPHEN.sub("-", text[position + 1 : close - 1]).strip()
        if _HYPHENATED.fullmatch(joined):  # `\mathrm{XC\text{-}Attention}`
            return Wrapped("NAME", joined.replace("-", "_"), close, "upright")
        inner = COMMAND.match(text, position + 1, end)
        if inner is not None and inner.group()[1:] in commands.WRAPPERS:
            return None  # `\mbox{\textsc{Bleu}}`
        if is_text and text.startswith("{", position):  # formulas inside
            close = argument_end(text, position, end)
            return Wrapped("TEXT", text[position + 1 : close - 1].strip(), close)
        return None
    words = match[1].replace("~", " ").strip(" \t\n,.;:")
    if words in commands.WORDS:
        return Wrapped(commands.WORDS[words], words, match.end())
    if words == "1" or _WORD.fullmatch(words) or "\\" in words:
        return (
            Wrapped("TEXT", words, match.end()) if words in commands.REMARKS and is_text else None
        )
    if _HYPHENATED.fullmatch(words):
        return Wrapped("NAME", words.replace("-", "_"), match.end(), "upright")
    return Wrapped("TEXT", words, match.end())


_CAPITALS = re.compile(r"\{([A-Z]{2,})\}")  # of `\overline{RR}`, the mean of intervals
_CONDITION = re.compile(r"\{\s*(if|when|for)[\s~]+(\$)[^$]*\$\s*\}")  # of `\mbox{if $c > r$}`
_HYPHEN = re.compile(r"\\(?:text|mbox|textnormal|mathrm)\s*\{-\}|\{-\}|\$-\$")
_HYPHENATED = re.compile(r"[A-Z]\w*(?:-\w+)+")  # a measure such as `\text{SI-SDR}`


def _not_a_name(text: str, start: int, position: int, end: int) -> Wrapped:
    command = COMMAND.match(text, start, end)
    assert command is not None, "a name begins with a command"
    behind = max(position, command.end())
    if text.startswith("{", command.end()) and command.group()[1:] in commands.WRAPPERS:
        behind = argument_end(text, command.end(), end)
    return Wrapped(
        "ERROR",
        f"`{command.group()}` stands around more than a name",
        behind,
        f"put it around the letter alone: `{command.group()}{{x}}_i`",
    )


def _named(name: str, style: str, accented: bool, end: int) -> Wrapped:
    if not accented and (name == "1" and style in ("bold", "blackboard")):
        return Wrapped("INDICATOR", name, end)
    if not accented and style == "blackboard" and name in ("R", "I"):
        return Wrapped("RR" if name == "R" else "INDICATOR", name, end)
    if not accented and style == "typewriter" and name in commands.ELEMENT_TYPES:
        return Wrapped("RR", name, end, style)
    if style == "blackboard":
        if name == "E":
            fact = "an expectation is no formula of tensors"
            return Wrapped(
                "ERROR", fact, end, r"write the average, `\frac{1}{N} \sum_{i=1}^{N} x_i`"
            )
        fact = f"`\\mathbb{{{name}}}` is not used in formulas"
        return Wrapped("ERROR", fact, end, r"shapes are given in `\mathbb{R}`")
    if not name.isidentifier():
        fact = f"`{name}` is not a name"
        return Wrapped("ERROR", fact, end, "names begin with a letter; numbers have no wrapper")
    is_word = style in ("bold", "sans") and len(name) > 1  # `\mathbf{tr}`, as `\operatorname{tr}`
    if (style == "upright" or is_word) and not accented:
        if name.lower() == "softmax":
            return Wrapped("SOFTMAX", name, end)
        if name in commands.REDUCTIONS:
            return Wrapped("RED", name, end)
        if name in commands.FUNCTIONS:
            return Wrapped("FUNC", commands.FUNCTIONS[name], end, name)
        if name in commands.CALLED or name in commands.CALLED_AS:
            return Wrapped("CALLED", commands.CALLED_AS.get(name, name), end)
    return Wrapped("NAME", name, end, style)
