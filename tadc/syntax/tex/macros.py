r"""Macros of a document, and those of the packages physics, mathtools and bm: expanded before anything is read.

Every character of the expanded text knows where it came from: those of an argument their own place, those of a body the
place of the call. So errors point at what stands in the file. `\input` is never followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tadc.errors import Source, Span
from tadc.syntax.tex.commands import GATED, SWITCHES, WRAPPERS

__all__ = ["Expansion", "Macro", "expanded", "macros_of"]

MOST_EXPANSIONS = 10_000
LARGEST_EXPANSION = 256 * 1024  # characters that macros add


@dataclass(frozen=True, slots=True)
class Macro:
    r"""`body` with `#1` .. for the arguments; the first is optional where it has a `default`.

    Behind the arguments a script with the sign `drops` is dropped: the words under `\underbrace`.
    """

    parameters: int
    body: str
    default: str | None = None
    drops: str = ""
    is_delimiter: bool = False  # takes a star, or the size of its brackets, before the argument


@dataclass(frozen=True, slots=True)
class Expansion:
    """A document after macros were expanded in its formulas. Positions elsewhere in this folder are those in `text`.

    `starts` and `ends`: for each character where its origin in the source starts and ends; None where nothing was expanded.
    `failed`: macros that could not be expanded, with a fact and a remedy.
    """

    source: Source
    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None
    failed: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def span(self, start: int, end: int) -> Span:
        """The place in the source of the characters `start` to `end`."""
        if self.starts is None or self.ends is None:
            return Span(self.source, start, end)
        first = self.starts[start] if start < len(self.starts) else len(self.source.text)
        last = self.ends[end - 1] if end > start else first
        return Span(self.source, first, max(first, last))


class _Character(NamedTuple):
    text: str
    start: int
    end: int


# ---------------------------------------------------------------------- the macros that are known

PACKAGES = {
    # physics, mathtools, amsmath, xcolor: what only decorates is its argument
    "abs": Macro(1, r"\left|#1\right|", is_delimiter=True),
    "norm": Macro(1, r"\left\lVert #1\right\rVert", is_delimiter=True),
    "llbracket": Macro(0, "[["),
    "rrbracket": Macro(0, "]]"),
    "ceil": Macro(1, r"\left\lceil #1\right\rceil", is_delimiter=True),
    "floor": Macro(1, r"\left\lfloor #1\right\rfloor", is_delimiter=True),
    "vb": Macro(1, r"\mathbf{#1}"), "vectorbold": Macro(1, r"\mathbf{#1}"), "va": Macro(1, r"\vec{#1}"), "vu": Macro(1, r"\hat{#1}"),
    "Tr": Macro(0, r"\operatorname{tr}"), "tr": Macro(0, r"\operatorname{tr}"),
    "vdot": Macro(0, r"\cdot"), "cross": Macro(0, r"\times"),
    "underset": Macro(2, "{#2}_{#1}"),
    "boxed": Macro(1, "{#1}"), "ensuremath": Macro(1, "{#1}"), "mathop": Macro(1, "{#1}"), "smash": Macro(1, "{#1}"),
    "textcolor": Macro(2, "{#2}"), "colorbox": Macro(2, "{#2}"), "mathclap": Macro(1, "{#1}"),
    "underbrace": Macro(1, "{#1}", drops="_"), "overbrace": Macro(1, "{#1}", drops="^"),
    "argmax": Macro(0, r"\operatorname*{argmax}"), "argmin": Macro(0, r"\operatorname*{argmin}"),
    "softmax": Macro(0, r"\operatorname{softmax}"),
    "dv": Macro(2, r"\frac{d #1}{d #2}"), "pdv": Macro(2, r"\frac{\partial #1}{\partial #2}"), "dd": Macro(0, "d "),
    "inner": Macro(2, r"\left\langle #1, #2\right\rangle"),
}  # fmt: skip

_DEFINITION = re.compile(
    r"\\(?P<how>(?:re)?newcommand|providecommand|DeclareRobustCommand|DeclareMathOperator|DeclarePairedDelimiter|g?def|let)"
    r"(?P<star>\*?)\s*\{?\s*\\(?P<name>[A-Za-z]+)\s*\}?\s*"
)
_COUNT = re.compile(r"\s*\[\s*([0-9])\s*\]")
_DEFAULT = re.compile(r"\s*\[([^\[\]]*)\]")
_PARAMETERS = re.compile(r"(?:#[1-9]\s*)*")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_CALL = re.compile(r"\\([A-Za-z]+)")
_ENDS_WITH_COMMAND = re.compile(r"\\[A-Za-z]+$")


def macros_of(text: str) -> list[tuple[int, str, Macro]]:
    """The definitions in a document: where each ends, the name, the macro. What cannot be read is no definition."""
    found: list[tuple[int, str, Macro]] = []
    text = _COMMENT.sub(lambda comment: " " * len(comment[0]), text)
    for match in _DEFINITION.finditer(text):
        if match["how"] == "providecommand" and match["name"] in {*WRAPPERS, *GATED}:
            continue  # it is there already
        if (read := _definition(text, match)) is not None:
            found.append((read[0], match["name"], read[1]))
    return found


def _definition(text: str, match: re.Match[str]) -> tuple[int, Macro] | None:
    how, place = match["how"], match.end()
    if how == "let":
        target = re.compile(r"=?\s*(\\[A-Za-z]+|.)").match(text, place)
        return (target.end(), Macro(0, target[1])) if target else None
    if how == "DeclarePairedDelimiter":
        left, right = _group(text, place), None
        right = _group(text, left[1]) if left else None
        if left is None or right is None:
            return None
        return right[1], Macro(1, rf"\left{left[0]}#1\right{right[0]}", is_delimiter=True)
    parameters, default = 0, None
    if how.endswith("def"):
        pattern = _PARAMETERS.match(text, place)
        assert pattern is not None, "the pattern matches nothing, too"
        parameters, place = pattern[0].count("#"), pattern.end()
    elif count := _COUNT.match(text, place):
        parameters, place = int(count[1]), count.end()
        if optional := _DEFAULT.match(text, place):
            default, place = optional[1], optional.end()
    body = _group(text, place)
    if body is None:
        return None
    if how == "DeclareMathOperator":
        return body[1], Macro(0, rf"\operatorname{match['star']}{{{body[0]}}}")
    return body[1], Macro(parameters, body[0], default)


def _group(text: str, place: int) -> tuple[str, int] | None:
    """The contents of the braces that open here, and where they end."""
    blank = re.compile(r"\s*").match(text, place)
    start = blank.end() if blank else place
    if not text.startswith("{", start):
        return None
    depth = 0
    for brace in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        if depth == 0:
            return text[start + 1 : brace.start()], brace.end()
    return None


# ---------------------------------------------------------------------- expansion


def expanded(
    source: Source, parts: Sequence[tuple[int, int]]
) -> tuple[Expansion, list[tuple[int, int]]]:
    """The document with the macros in these parts expanded, and where the parts are in it; they are in order."""
    text = source.text
    defined = macros_of(text)
    names = {name for _, name, _ in defined} | PACKAGES.keys() | SWITCHES.keys() | {"qty"}
    if not any(m[1] in names for a, b in parts for m in _CALL.finditer(text, a, b)):
        return Expansion(source, text), list(parts)
    characters: list[_Character] = []
    places: list[tuple[int, int]] = []
    failed: dict[str, tuple[str, str]] = {}
    position = 0
    budget = _Budget()
    for start, end in parts:
        known = dict(PACKAGES) | {name: macro for at, name, macro in defined if at <= start}
        characters += _plain(text, position, start)
        first = len(characters)
        characters += _expanded_part(text, (start, end), known, failed, budget)
        places.append((first, len(characters)))
        position = end
    characters += _plain(text, position, len(text))
    whole = "".join(c.text for c in characters)
    starts, ends = [c.start for c in characters], [c.end for c in characters]
    return Expansion(source, whole, starts, ends, failed), places


def _expanded_part(
    text: str,
    part: tuple[int, int],
    known: Mapping[str, Macro],
    failed: dict[str, tuple[str, str]],
    budget: _Budget,
) -> list[_Character]:
    """The part with its macros expanded; calls that would be too much stay as they are, and have failed."""
    while True:
        left = replace(budget)
        expander = _Expander(known, failed, left)
        characters = expander.run(_plain(text, *part))
        if expander.spent is None:
            budget.expansions, budget.characters = left.expansions, left.characters
            return characters
        call = _CALL.match(text, expander.spent)
        assert call is not None, "what is expanded has the place of its call"
        fact = f"the macro `\\{call[1]}` expands without end, or to very much"
        failed[call[1]] = fact, "write out what it stands for"


def _plain(text: str, start: int, end: int) -> Iterator[_Character]:
    return (_Character(text[n], n, n + 1) for n in range(start, end))


@dataclass(slots=True)
class _Budget:
    """What expansions of the whole document may still do."""

    expansions: int = MOST_EXPANSIONS
    characters: int = LARGEST_EXPANSION


class _Expander:
    """One pass over characters on a stack, the next one on top; a call is replaced by its body, which is read again."""

    def __init__(
        self, known: Mapping[str, Macro], failed: dict[str, tuple[str, str]], budget: _Budget
    ) -> None:
        self.known = known
        self.failed = failed
        self.budget = budget
        self.stack: list[_Character] = []
        self.spent: int | None = None  # where the call begins that spent the budget

    def run(self, characters: Iterator[_Character]) -> list[_Character]:
        self.stack = list(characters)[::-1]
        result: list[_Character] = []
        while self.stack and self.spent is None:
            character = self.stack.pop()
            if character.text == "%" and not (result and result[-1].text == "\\"):
                result.append(character)
                while self.stack and self.stack[-1].text != "\n":
                    result.append(self.stack.pop())
            elif character.text == "\\" and self.stack:
                result += self._command(character, result)
            else:
                result.append(character)
        return result

    def _command(self, backslash: _Character, before: list[_Character]) -> list[_Character]:
        """The characters of a command that is no macro; else nothing, and its body is on the stack."""
        command = [backslash]
        while self.stack and self.stack[-1].text.isascii() and self.stack[-1].text.isalpha():
            command.append(self.stack.pop())
        if len(command) == 1:
            return [backslash, self.stack.pop()]
        name = "".join(c.text for c in command[1:])
        end = command[-1].end
        if name == "qty" and name not in self.known:
            return self._qty(command)
        if name in SWITCHES and name not in self.known:
            is_first = next((c.text for c in reversed(before) if not c.text.isspace()), "") == "{"
            return [] if is_first and self._switch(name, backslash.start, end) else command
        macro = self.known.get(name)
        if macro is None or name in self.failed:
            return command
        self.budget.expansions -= 1
        self.budget.characters -= len(macro.body)
        if self.budget.expansions < 0 or self.budget.characters < 0:
            self.spent = backslash.start
            return command
        arguments = self._arguments(macro)
        if arguments is None:
            count = macro.parameters
            plural = "arguments" if count != 1 else "argument"
            fact = f"the macro `\\{name}` has {count} {plural}, and less follows here"
            self.failed[name] = fact, "write its arguments in braces behind it"
            return command
        values, last = arguments
        end = max(end, last)
        if macro.drops:
            self._drop_script(macro.drops)
        self._push(macro.body, values, backslash.start, end)
        return []

    def _push(self, body: str, values: Sequence[list[_Character]], start: int, end: int) -> None:
        """Put the body on the stack, with the arguments in it."""
        put: list[_Character] = []
        for number, piece in enumerate(re.split(r"#([1-9])", body)):
            if number % 2 == 0:
                put += [_Character(c, start, end) for c in piece]
            elif int(piece) <= len(values):
                value = values[int(piece) - 1]
                self.budget.characters -= len(value)
                if _ENDS_WITH_COMMAND.search("".join(c.text for c in put[-40:])):
                    put.append(_Character(" ", start, end))  # `\\mathbf#1` is no `\\mathbfx`
                put += value
        self.stack += reversed(put)

    # ------------------------------------------------------------------ arguments

    def _arguments(self, macro: Macro) -> tuple[list[list[_Character]], int] | None:
        """The arguments, and where the last ends in the source; None where they are missing."""
        values: list[list[_Character]] = []
        last = 0
        if macro.is_delimiter:
            self._skip_size()
        if macro.default is not None:
            optional = self._optional()
            values.append(optional or [_Character(c, 0, 0) for c in macro.default])
        while len(values) < macro.parameters:
            value = self._argument()
            if value is None:
                return None
            values.append(value[0])
            last = value[1]
        return values, last

    def _argument(self) -> tuple[list[_Character], int] | None:
        self._skip_blanks()
        if not self.stack:
            return None
        first = self.stack.pop()
        if first.text == "\\":
            command = [first]
            while self.stack and self.stack[-1].text.isascii() and self.stack[-1].text.isalpha():
                command.append(self.stack.pop())
            if len(command) == 1 and self.stack:
                command.append(self.stack.pop())
            return command, command[-1].end
        if first.text != "{":
            return ([first], first.end) if first.text != "}" else None
        depth, value = 1, []
        while self.stack:
            character = self.stack.pop()
            if character.text == "\\" and self.stack:
                value += [character, self.stack.pop()]
                continue
            depth += {"{": 1, "}": -1}.get(character.text, 0)
            if depth == 0:
                return value, character.end
            value.append(character)
        return None

    def _optional(self) -> list[_Character]:
        self._skip_blanks()
        if not self.stack or self.stack[-1].text != "[":
            return []
        self.stack.pop()
        value: list[_Character] = []
        while self.stack and (character := self.stack.pop()).text != "]":
            value.append(character)
        return value

    def _skip_blanks(self) -> None:
        while self.stack and self.stack[-1].text.isspace():
            self.stack.pop()

    def _skip_size(self) -> None:
        if self.stack and self.stack[-1].text == "*":
            self.stack.pop()
        else:
            self._optional()

    def _drop_script(self, sign: str) -> None:
        self._skip_blanks()
        if self.stack and self.stack[-1].text == sign:
            self.stack.pop()
            script = self._argument()
            is_command = script is not None and script[0][0].text == "\\"
            if is_command and self.stack and self.stack[-1].text == "{":
                self._argument()  # `_\text{..}`

    # ------------------------------------------------------------------ what is no plain macro

    def _qty(self, command: list[_Character]) -> list[_Character]:
        r"""`\qty(..)` and `\qty[..]` only make brackets large; `\qty{..}` puts braces."""
        if self.stack and self.stack[-1].text == "*":
            self.stack.pop()
        self._skip_blanks()
        if self.stack and self.stack[-1].text == "{" and (value := self._argument()):
            self._push(r"\left\{#1\right\}", [value[0]], command[0].start, value[1])
        return []

    def _switch(self, name: str, start: int, end: int) -> bool:
        r"""`{\rm max}` is `\mathrm{max}`: the rest of the group becomes an argument, where the group is closed."""
        self._skip_blanks()
        place, depth = len(self.stack), 0
        while place > 0 and depth >= 0:
            place -= 1
            depth += {"{": 1, "}": -1}.get(self.stack[place].text, 0)
        if depth >= 0:
            return False
        last = self.stack[place].start  # of the group, whose brace is not part of what is shown
        self.stack.insert(place + 1, _Character("}", last, last))
        self.stack += [_Character(c, start, end) for c in reversed(f"\\{SWITCHES[name]}{{")]
        return True
