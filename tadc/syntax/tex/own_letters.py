r"""The letters of a document's names, as it prints them: `\hat{\mathbf{x}}`, `\mu_{\mathcal{B}}`, `W^{\mathrm{in}}`.

A name is read off its letter and labels, so these are found at its first place, each once; where they do not explain all of the
name it has no letter here, and is printed by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tadc.syntax.letters import Letter
from tadc.syntax.tex.commands import (
    ACCENTS,
    CALLED,
    FUNCTIONS,
    GREEK,
    OPERATORS,
    REDUCTIONS,
    STYLES,
    WORDS,
    WRAPPERS,
)
from tadc.syntax.tex.statement import Statement

__all__ = ["own_letters"]

# Fonts that other packages have, and what amsmath has for them.
_FONTS = {
    "bm": "boldsymbol", "mathscr": "mathcal", "mathbbm": "mathbb", "mathds": "mathbb", "pmb": "boldsymbol", "textbf": "mathbf",
    "textit": "mathit", "textsf": "mathsf", "texttt": "mathtt",
    **dict.fromkeys(["text", "mbox", "textrm", "textnormal", "textsc", "textup", "textmd", "operatorname", "operatorname*"], "mathrm"),
}  # fmt: skip
_SIGNS = {
    "*": "star", r"\ast": "star", r"\star": "star", "+": "plus", "-": "minus", r"\circ": "circ", r"\prime": "prime", "2": "squared",
}  # fmt: skip
_MEANT = {
    *FUNCTIONS,
    *CALLED,
    *REDUCTIONS,
    *OPERATORS,
    *WORDS,
    "softmax",
}  # words that are no names everywhere
_COMMAND = re.compile(r"\\([A-Za-z]+|.)\s*")
_LABEL = re.compile(r"\(?\s*(?:\\[A-Za-z]+\s*\{)?\s*\\?([A-Za-z0-9 .-]+?)\s*\}?\s*\)?")


def own_letters(text: str, statements: Iterable[Statement]) -> Mapping[str, Letter]:
    """The letters of the names in these statements; `text` is the document that their places are in."""
    found: dict[str, Letter | None] = {}
    for statement in statements:
        for token in statement.tokens:
            if token.type == "NAME" and token.value not in found:
                found[token.value] = _letter(text, token.start, token.value)
    return {name: letter for name, letter in found.items() if letter is not None}


def _letter(text: str, place: int, name: str) -> Letter | None:
    """The letter that is printed at this place, if all of the name is in it."""
    base = _operand(text, place)
    if base is None:
        return None
    tex, words, style, place = base
    rest = name
    for word in words:
        if not (rest == word or rest.startswith(f"{word}_")):
            return None
        rest = rest[len(word) + 1 :]
    parts = rest.split("_") if rest else []
    labels: dict[str, list[str]] = {"_": [], "^": [], "'": []}
    while parts and (script := _script(text, place)) is not None:
        kind, inner, place = script
        if kind == "'":
            if "prime" not in parts:
                break
            parts.remove("prime")
            labels["'"].append("'")
            continue
        for entry in inner.split(","):
            said = _label(entry)
            if said is not None and set(said) <= set(parts):
                for part in said:
                    parts.remove(part)
                labels[kind].append(_in_amsmath(entry.strip()))
    if parts == [STYLES.get(style)]:
        parts = []
    if parts or (labels["^"] and labels["'"]):
        return None
    return Letter(tex, ", ".join(labels["_"]), ", ".join(labels["^"]) or "".join(labels["'"]))


def _operand(text: str, place: int) -> tuple[str, list[str], str, int] | None:
    """The letter at a place: its text, the words that a name gets from it, its style, and where it ends."""
    place = _behind_blanks(text, place)
    command = _COMMAND.match(text, place)
    if command is None:
        letter = text[place : place + 1]
        return (letter, [letter], "", place + 1) if letter.isalpha() else None
    name, end = command[1], command.end()
    if name in GREEK:
        if name == "Delta" and (step := _operand(text, end)) is not None:
            tex = f"\\Delta {step[0]}"
            return (tex, ["Delta", *step[1]], step[2], step[3]) if len(step[1]) == 1 else None
        return f"\\{name}", [name], "", command.start() + len(name) + 1
    if name not in ACCENTS and name not in WRAPPERS:
        return None
    braced = text[end : end + 1] == "{"
    inner = _operand(text, end + braced)
    if inner is None or (braced and text[_behind_blanks(text, inner[3])] != "}"):
        return _word(text, name, end) if name in WRAPPERS else None
    tex, words, style, close = inner
    close = _behind_blanks(text, close) + 1 if braced else close
    if name in ACCENTS:
        return f"\\{name}{{{tex}}}", [*words, ACCENTS[name]], style, close
    font = f"\\{_FONTS.get(name, name)}"
    tex = tex if tex.startswith(f"{font}{{") else f"{font}{{{tex}}}"
    return tex, words, WRAPPERS[name], close


def _word(text: str, wrapper: str, place: int) -> tuple[str, list[str], str, int] | None:
    r"""The word of `\mathrm{loss}`."""
    word = re.compile(r"\{\s*([A-Za-z]+)\s*\}").match(text, place)
    if word is None or word[1] in _MEANT:
        return None
    return f"\\mathrm{{{word[1]}}}", [word[1]], "", word.end()


def _script(text: str, place: int) -> tuple[str, str, int] | None:
    """The script at a place: its sign, its contents, and where it ends."""
    place = _behind_blanks(text, place)
    sign = text[place : place + 1]
    if sign == "'":
        return sign, "", place + 1
    if not sign or sign not in "_^":
        return None
    place = _behind_blanks(text, place + 1)
    if text[place : place + 1] != "{":
        command = _COMMAND.match(text, place)
        end = command.end() if command else place + 1
        return sign, text[place:end], end
    depth = 0
    for brace in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, place):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return sign, text[place + 1 : brace.start()], brace.end()
    return None


def _label(entry: str) -> list[str] | None:
    """The parts of a name that a label gives."""
    entry = entry.strip()
    if entry in _SIGNS:
        return [_SIGNS[entry]]
    said = _LABEL.fullmatch(entry)
    return re.split(r"[ .-]+", said[1]) if said is not None else None


def _in_amsmath(label: str) -> str:
    """The label with fonts that amsmath has."""
    if " " in label:
        return label
    return re.sub(
        r"\\([A-Za-z]+)(?=\s*\{)", lambda font: f"\\{_FONTS.get(font[1], font[1])}", label
    )


def _behind_blanks(text: str, place: int) -> int:
    while text[place : place + 1].isspace():
        place += 1
    return place
