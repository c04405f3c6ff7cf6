r"""TeX mathematics as a list of tokens for `grammar/tex.lark`.

A tokenizer by hand, because TeX's reading depends on what came before: `x_12` is `x_1 2`, `\frac12` a half, `|` opens or
closes, `\\` ends a row or a case. Sizes of brackets and layout are dropped. It never fails: what it does not know becomes
an ERROR token, which counts if the formula around it does.
"""

from __future__ import annotations

import re
import unicodedata

from tadc.syntax.tex import commands
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.spaces import SPACES as _SPACES
from tadc.syntax.tex.spaces import is_wide
from tadc.syntax.tex.token_list import CLOSERS, ENDS_OPERAND, OPENERS, Token, TokenList
from tadc.syntax.tex.wrapped import COMMAND, argument_end, wrapped

__all__ = ["tokenize"]


def tokenize(source: Expansion, start: int, end: int) -> list[Token]:
    """The tokens of the formula, or formulas, between `start` and `end`."""
    tokenizer = _Tokenizer(source, start, end)
    while tokenizer.position < end:
        tokenizer.step()
    return tokenizer.out.tokens


_BLANK = re.compile(r"(?:\s|~|\ufeff|%[^\n]*)+")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
_GROUPED = re.compile(r"([0-9]+)((?:\{,\}[0-9]+)+)(\.[0-9]+)?")  # `1{,}000`
_SPACED = re.compile(  # `10\,000`
    r"([1-9][0-9]{0,2})((?:(?:\\[,:; ]|\\thinspace(?![A-Za-z])|~)\s*[0-9]{3})+)(?![0-9])(\.[0-9]+)?"
)
_SPACE = re.compile(r"\\[,:; ]|\\thinspace|~|\s")
_WORDED_EXPONENT = re.compile(  # `1.2\mathrm{e}{-3}`
    r"\\(?:mathrm|text|textrm|rm|mathsf)\s*\{\s*[eE]([+-]?)\s*\}\s*(?:\{\s*([+-]?[0-9]+)\s*\}|([+-]?[0-9]+))"
)
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")
_ROW = re.compile(r"\\\\\*?(?:\[\s*-?[0-9.]+\s*[a-z]{2}\s*\])?")
_ENVIRONMENT = re.compile(r"\s*\{([A-Za-z]+)\*?\}(?:\s*\[[a-z]\])?")
_COLUMNS = re.compile(r"\s*\{[^{}]*\}")
_OPTION = re.compile(r"\s*\[")
_BRACE = re.compile(r"\s*\{")
_EQUAL = re.compile(r"\s*=")
_OVER_EQUAL = re.compile(
    r"\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*\{\s*:?=\s*\}"
)  # of `\stackrel{\text{def}}{=}`
_SIDE = re.compile(r"\\(left|right)(?![A-Za-z])\s*((?:\||\\[lr]?vert)\s*_)?")
_BRACED_BRACKET = re.compile(r"\s*\{\s*([()\[\]|]|\\[{}|])\s*\}")  # of `\big{(}`
_FORMULA_IN_TEXT = re.compile(r"\s*\{\s*\$[^${}]*(?:\{[^${}]*\}[^${}]*)*\$\s*\}")
_MAX = re.compile(r"(?:\s|\\[,;!])*\\(max|min)(?![A-Za-z])")


_NAME_BEHIND = re.compile(r"\s*(?:[A-Za-z]|\\([A-Za-z]+))")
_BEGIN_NAMES = frozenset((*commands.GREEK, *commands.ACCENTS, *commands.WRAPPERS))
_RELATION = re.compile(r"\\leq?\b|\\[lc]?dots\b|<")
_LISTS_OF_CASES = frozenset(("array", "aligned", "gathered", "matrix", "split"))
_SIZE = r"(?:\\(?:left|right|[bB]igg?[lr]?)\s*)"
_DOUBLE_BAR = re.compile(rf"\|\s*{_SIZE}?\|")
_BRACKET_OR_BAR = re.compile(r"(?<!\\)[()\[\]{}]|\\[{}|]|\|")
_OPENING = frozenset(("(", "[", "{", r"\{"))


class _Tokenizer:
    def __init__(self, source: Expansion, start: int, end: int) -> None:
        self.text = source.text
        self.failed = source.failed
        self.position = start
        self.end = end
        self.out = TokenList()
        self.environments: list[str] = []  # cases, substack, or layout
        self.ampersands = 0  # in this row
        self.side = ""  # of the next bracket: open after \left, close after \right, any after \big

    def step(self) -> None:
        """Read one token, command, or blank; always moves on."""
        start = self.position
        if (space := _SPACES.match(self.text, start, self.end)) and is_wide(space.group()):
            self.position = space.end()
            self._add("QUAD", space.group(), start)
            return
        if blank := _BLANK.match(self.text, start, self.end):
            self.position = blank.end()
            return
        character = self.text[start]
        if character == "\\":
            self._command(start)
        elif (grouped := self._grouped_digits(start)) is not None:
            self._grouped(grouped)
        elif (spaced := self._spaced_digits(start)) is not None:
            self.position = spaced.end()
            self._add("NUM", _SPACE.sub("", spaced.group()), start)
        elif number := _NUMBER.match(self.text, start, self.end):
            self._number(start, number.end())
        elif character.isalpha():
            self._letter(start)
        else:
            self.position = start + 1
            self._character(character, start)

    def _number(self, start: int, end: int) -> None:
        """A number, or its first digit where TeX takes one character; an error behind another number, or with an exponent of its own."""
        self.position = start + 1 if self.out.expected else end
        digits = self.text[start : self.position]
        if exponent := self._next(_EXPONENT) or self._next(_WORDED_EXPONENT):
            power = "".join(part for part in exponent.groups() if part).lstrip("+")
            fact = f"`{digits}{exponent.group()}` would be Euler's number times {digits}"
            self._refuse(start, fact, rf"write `{digits} \cdot 10^{{{power}}}`")
        elif not self.out.expected and self._is_behind_script(start):
            fact = "TeX takes one character as a superscript, and this is behind it"
            self._refuse(start, fact, "put the whole exponent in braces, `x^{10}`")
        elif self._is_behind_number() and not (self.out.expected or self._is_below()):
            fact = "two numbers stand side by side without a sign"
            self._refuse(start, fact, r"write one number, or `\cdot` between them")
        else:
            self._add("NUM", f"0{digits}" if digits[0] == "." else digits, start)

    def _is_behind_script(self, start: int) -> bool:
        """Whether it follows a superscript of one character, a digit or a sign, without a space."""
        last = self.out.tokens[-4:]
        kinds = [t.type for t in last]
        is_script = kinds in (
            ["SUP", "LBRACE", kind, "RBRACE"] for kind in ("NUM", "MINUS", "PLUS")
        )
        return is_script and last[1].start == last[1].end and last[-1].end == start

    def _is_power_of_e(self, start: int) -> bool:
        """Whether it follows the `e^-` of an exponential without braces."""
        last = self.out.tokens[-5:]
        kinds = [t.type for t in last]
        is_script = kinds == ["NAME", "SUP", "LBRACE", "MINUS", "RBRACE"] and last[0].value == "e"
        return is_script and last[2].start == last[2].end and last[-1].end == start

    def _is_behind_number(self) -> bool:
        kinds = [t.type for t in self.out.tokens[-2:]]
        return kinds[-1:] == ["NUM"] or kinds == ["NUM", "THIN"]

    def _spaced_digits(self, start: int) -> re.Match[str] | None:
        r"""Digits in groups of three with thin spaces, but for subscripts."""
        found = None if self.out.expected else _SPACED.match(self.text, start, self.end)
        return None if found is None or self._is_below() else found

    def _grouped_digits(self, start: int) -> re.Match[str] | None:
        r"""Digits with commas in braces, but for two subscripts, `x_{1{,}2}`."""
        found = None if self.out.expected else _GROUPED.match(self.text, start, self.end)
        return None if found is None or self._is_below() else found

    def _is_below(self) -> bool:
        """Whether the innermost open brace is that of a subscript."""
        depth = 0
        for place in range(len(self.out.tokens) - 1, 0, -1):
            kind = self.out.tokens[place].type
            depth += (kind in CLOSERS) - (kind in OPENERS)
            if depth < 0:
                return kind == "LBRACE" and self.out.tokens[place - 1].type == "SUB"
        return False

    def _grouped(self, number: re.Match[str]) -> None:
        """A number with commas in braces: groups of three digits, a decimal comma, or an error where it may be both."""
        self.position = number.end()
        first, groups = number[1], number[2].replace("{,}", ",").split(",")[1:]
        are_threes = len(first) < 4 and first[0] != "0" and all(len(g) == 3 for g in groups)
        if are_threes and (len(groups) > 1 or groups == ["000"] or number[3]):
            self._add("NUM", "".join((first, *groups, number[3] or "")), number.start())
        elif len(groups) == 1 and not are_threes and number[3] is None:
            self._add("NUM", f"{first}.{groups[0]}", number.start())
        else:
            whole = "".join((first, *groups))
            fact = f"`{number.group()}` may be {whole}, or have a decimal comma"
            self._refuse(number.start(), fact, f"write `{whole}`, or `{first}.{groups[0]}`")

    def _add(self, kind: str, value: str, start: int, note: str = "") -> None:
        self.out.add(kind, value, start, self.position, note)

    def _refuse(self, start: int, fact: str, fix: str) -> None:
        self.out.refuse(start, self.position, fact, fix)

    def _next(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Move past a match at this place."""
        match = pattern.match(self.text, self.position, self.end)
        if match is not None:
            self.position = match.end()
        return match

    # ------------------------------------------------------------------ characters

    def _letter(self, start: int) -> None:
        self.position = start + 1
        while self.position < self.end and unicodedata.combining(self.text[self.position]):
            self.position += 1
        letter = self.text[start : self.position]
        name = unicodedata.normalize("NFKC", letter)
        if self._is_power_of_e(start):
            fact = "TeX takes one character as a superscript, and this is behind it"
            self._refuse(start, fact, "put the whole exponent in braces, `e^{-x}`")
        elif letter == "ℝ":
            self._add("RR", name, start)
        elif name.isidentifier():
            self._add("NAME", name, start)
        else:
            self._refuse(start, f"`{name}` is no letter of a name", "write a Latin or Greek letter")

    def _character(self, character: str, start: int) -> None:
        environment = self.environments[-1] if self.environments else ""
        two = self.text[start : min(start + 2, self.end)]
        match character:
            case "{":
                self.out.open_brace(start, self.position)
            case "}":
                if self.out.close_brace(start, self.position) == "substack" and environment:
                    self.environments.pop()
            case "_" | "^":
                self.out.script("SUB" if character == "_" else "SUP", character, start)
            case "|":
                self._bar(start)
            case "&":
                self.ampersands += environment != "cases"
                if environment == "cases" and self.out.begins_row:
                    return  # `& x, & x > 0` of `aligned`
                if environment == "cases":
                    self._add("AMP", character, start)
                elif self.ampersands % 2 == 0 or self._parts_cells():  # of `a &= b & c &= d`
                    self._add("QUAD", character, start)
            case ":" if two == ":=":
                self.position += 1
                self._add("DEF", two, start)
            case ":" if self.out.in_limits:
                self._add("COMMA", character, start)  # such that
            case ":" if self.out.innermost == "LBRACE":
                self._add("COLON", character, start)  # of `X_{i,:}`
            case "." if self.side:  # `\left.` is no bracket
                if self.side == "open" and self._ends_with_bar_and_subscript():
                    self.out.bracket("LPAR", character, start, self.position)
                self.side = ""
            case "$":  # in words: `\text{if $i$}`
                return
            case _ if two in ("<=", ">=", "!=", "=="):
                self.position += 1
                self._refuse(start, f"`{two}` is not LaTeX", r"write `\le`, `\ge`, `\ne` or `=`")
            case _ if character in commands.CHARACTERS:
                self._symbol(commands.CHARACTERS[character], character, start)
            case ":":
                fact = "`:` has no meaning in a formula"
                fix = r"write a ratio as `\frac{a}{b}`, the inner product of matrices as `\sum_{ij} A_{ij} B_{ij}`, a definition with `=`"
                self._refuse(start, fact, fix)
            case _:
                self._refuse(start, f"`{character}` has no meaning in a formula", "remove it")

    def _parts_cells(self) -> bool:
        """Whether a name begins behind this place and an operand ends before it: cells of a table are not multiplied."""
        after_operand = bool(self.out.tokens) and self.out.tokens[-1].type in ENDS_OPERAND
        name = _NAME_BEHIND.match(self.text, self.position, self.end)
        is_letter = name is not None and (name[1] is None or name[1] in _BEGIN_NAMES)
        return after_operand and is_letter

    # ------------------------------------------------------------------ commands

    def _command(self, start: int) -> None:
        if self._next(_ROW):
            environment = self.environments[-1] if self.environments else ""
            if environment not in ("cases", "substack"):
                self.ampersands = 0
            self._add(
                {"cases": "ROW", "substack": "COMMA"}.get(environment, "BREAK"), "\\\\", start
            )
            return
        command = self._next(COMMAND)
        if command is None:
            self.position = self.end
            self._refuse(start, "a lone `\\` ends the formula", "remove it")
            return
        name = command.group()[1:]
        if name in commands.TEXTS and (formula := self._next(_FORMULA_IN_TEXT)):
            self.position = formula.start()  # braces around a formula
        elif name in commands.GREEK or name in commands.ACCENTS or name in commands.WRAPPERS:
            kind, value, self.position, note, opened = wrapped(self.text, start, self.end)
            if kind == "TEXT" and value in commands.REMARKS and self.out.in_braces:
                kind, note = "NAME", "upright"  # the label of `W^{\text{in}}`
            if kind in ("RED", "FUNC", "CALLED") and self.out.expects_script:
                kind, value, note = "NAME", note or value, "upright"  # that of `x_\mathrm{max}`
            if kind == "ERROR":
                self._refuse(start, value, note)
            else:
                self._add(kind, value, start, note)
            self.out.open_wrappers(opened)
        elif name == "circ" and self._stands_above() and self._is_above_number():
            fact = "degrees are no numbers of the formula: functions such as `\\sin` are of radians"
            self._refuse(start, fact, r"write `\frac{\pi}{180} \cdot 30` for `30^\circ`")
        elif name in commands.MARKS and self._stands_above():
            self._add("NAME", commands.MARKS[name], start, "upright")
        elif name in commands.MARKS_BELOW and self._begins_subscript():  # `\gamma_\pm`
            self._add("NAME", name, start, "upright")
        elif name in commands.SYMBOLS:
            self._symbol(commands.SYMBOLS[name], command.group(), start)
        elif name in commands.SIZES_OF_BRACKETS:
            self.side = commands.SIZES_OF_BRACKETS[name]
            if bracket := self._next(_BRACED_BRACKET):
                self.position = bracket.start(1)
                self.step()
                self.position = bracket.end()
        elif name in commands.DROPPED:
            return
        elif name in commands.DROPPED_WITH_ARGUMENT:
            if brace := _BRACE.match(self.text, self.position, self.end):
                self.position = argument_end(self.text, brace.end() - 1, self.end)
        elif name in commands.TEX_REDUCTIONS:
            self._add("RED", commands.REDUCTIONS[name], start)
        elif name in commands.OPERATORS:
            self._add("NAME", name, start, "upright")
        elif name in commands.TEX_FUNCTIONS:
            self._add("FUNC", commands.FUNCTIONS[name], start)
        else:
            self._special(name, start)

    def _special(self, name: str, start: int) -> None:
        match name:
            case "lvert" | "rvert" | "vert" | "mid":
                self.side = {"lvert": "open", "rvert": "close"}.get(name, self.side)
                self._bar(start)
            case "|" | "lVert" | "rVert" | "Vert" | "parallel":
                side = {"lVert": "open", "rVert": "close"}.get(name, self.side)
                self.out.bar(side, start, self.position, "NORM")
                self.side = ""
            case "begin" | "end":
                self._environment(name, start)
            case "substack" if not self.out.expected and self._next(_BRACE):
                self.out.open_substack()
                self.environments.append("substack")
            case "not" if self._next(_EQUAL):
                self._add("REL", "!=", start)
            case "stackrel" | "overset" if self._next(_OVER_EQUAL):
                self._add("DEF", "=", start)
            case "bullet" if self.out.in_braces:
                self._add("CDOT", "\\bullet", start)
            case "uparrow" | "downarrow" if self.out.in_subscript:
                self._add("NAME", name.removesuffix("arrow"), start, "upright")
            case "infty":
                self._add("NAME", "inf", start)
            case "arg" if what := self._next(_MAX):
                self._add("RED", commands.ARGMAX[what[1]], start)
            case _ if name in self.failed:
                self._refuse(start, *self.failed[name])
            case _ if name in commands.REFUSED:
                self._refuse(start, *commands.REFUSED[name])
            case _:
                self._refuse(
                    start,
                    f"`\\{name}` {commands.UNKNOWN}",
                    "write out what it stands for, or define it with `\\newcommand`",
                )

    def _stands_above(self) -> bool:
        """Whether the sign is all that stands above a name, in braces or without."""
        kinds = [t.type for t in self.out.tokens[-2:]]
        is_braced = (
            kinds == ["SUP", "LBRACE"] and self.text[self.position : self.end].lstrip()[:1] == "}"
        )
        return is_braced or (bool(self.out.expected) and kinds[-1:] == ["SUP"])

    def _is_above_number(self) -> bool:
        before = [t.type for t in self.out.tokens if t.type not in ("SUP", "LBRACE", "THIN")]
        return before[-1:] == ["NUM"]

    def _begins_subscript(self) -> bool:
        kinds = [t.type for t in self.out.tokens[-2:]]
        return kinds[-1:] == ["SUB"] or kinds == ["SUB", "LBRACE"]

    def _bar(self, start: int) -> None:
        if double := _DOUBLE_BAR.match(self.text, start, self.end):
            kind = self._side_of_norm(double)
            if kind:
                self.position = double.end()
                self.out.bar(kind, start, self.position, "NORM")
                self.side = ""
                return
        if self.side == "close" and self.out.is_open_at_dot:
            self.out.bracket("RPAR", "|", start, self.position)
        elif not self.side and self.out.in_subscript and self._is_only_bar():
            self._add("GIVEN", "|", start)
        else:
            self.out.bar(self.side, start, self.position, "BAR")
        self.side = ""

    def _side_of_norm(self, double: re.Match[str]) -> str:
        """Which side of a norm two bars are, `||x||`, where they are one: not of `|x||y|`, and not the sign of `D(p||q)`."""
        in_bars = self.out.innermost in ("BAR_L", "NORM_L")
        after_operand = bool(self.out.tokens) and self.out.tokens[-1].type in ENDS_OPERAND
        if in_bars and after_operand:
            return "close" if self.out.innermost == "NORM_L" else ""
        depth = 0
        for sign in _BRACKET_OR_BAR.finditer(self.text, double.end(), self.end):
            if "|" not in sign[0]:
                depth += 1 if sign[0] in _OPENING else -1
                if depth < 0:
                    return ""
            elif depth == 0:
                return "open" if _DOUBLE_BAR.match(self.text, sign.start(), self.end) else ""
        return ""

    def _ends_with_bar_and_subscript(self) -> bool:
        r"""Whether the `\left.` before this place is that of `\left. \frac{\partial u}{\partial x} \right|_i`."""
        level = 1
        for side in _SIDE.finditer(self.text, self.position, self.end):
            level += 1 if side[1] == "left" else -1
            if level == 0:
                return side[2] is not None
        return False

    def _is_only_bar(self) -> bool:
        """Whether no other `|` stands in the braces around: `u_{j|i}`, but not `u_{i|j-k|}`."""
        close = self.text.find("}", self.position, self.end)
        rest = self.text[self.position : close]
        return close >= 0 and "|" not in rest and r"\mid" not in rest and r"\vert" not in rest

    def _symbol(self, kind: str, value: str, start: int) -> None:
        if kind in commands.RELATIONS:
            self._add("REL", kind, start)
        elif kind in OPENERS or kind in CLOSERS:
            self.out.bracket(kind, value, start, self.position)
        elif kind == "FORALL" and self.out.begins_condition:
            self._add("IF", value, start)
        else:
            self._add(kind, value, start)
        if kind in ("FRAC", "BINOM"):
            self.out.expected = 2
        elif kind == "SQRT":
            self.out.expected = 1
            if option := self._next(_OPTION):
                self.out.open_degree(option.end() - 1, option.end())
        self.side = ""

    def _environment(self, command: str, start: int) -> None:
        environment = self._next(_ENVIRONMENT)
        name = "" if environment is None else environment[1]
        enclosing = self.environments[-1] if self.environments else ""
        if name in commands.WITH_COLUMNS and command == "begin":
            self._next(_COLUMNS)
        is_cases = name in ("cases", "dcases") or (
            name in _LISTS_OF_CASES and self._array_is_cases(name, command)
        )
        if is_cases and command == "begin":
            self.environments.append("cases")
            self.out.open_cases(start, self.position)
        elif is_cases:
            while self.environments and self.environments.pop() != "cases":
                pass
            self.out.close_cases(start, self.position)
        elif name == "matrix" and (command == "end" or self._matrix_lists_ranges()):
            return  # its rows end as those of a display do
        elif name not in commands.LAYOUTS and name not in commands.DISPLAYS:
            fact = f"the environment `{name}` is not read in formulas"
            self._refuse(start, fact, "write elements with their subscripts")
        elif command == "begin":
            self.environments.append("layout")
        elif enclosing == "layout":
            self.environments.pop()

    def _matrix_lists_ranges(self) -> bool:
        r"""Whether each row up to `\end{matrix}` is a range, `0 \le p \le M-1`."""
        end = self.text.find(r"\end{matrix}", self.position, self.end)
        rows = self.text[self.position : max(end, self.position)].split(r"\\")
        return all(_RELATION.search(row) and "&" not in row for row in rows)

    def _array_is_cases(self, name: str, command: str) -> bool:
        r"""After `\left\{` an array lists cases, as before there was an environment for them; and `aligned` behind an equality sign,
        where it is no system of equations.
        """
        if command == "end":
            return self.environments[-1:] == ["cases"]
        kinds = [t.type for t in self.out.tokens[-2:]]
        is_open = kinds[-1:] == ["LPAR"] and "{" in self.out.tokens[-1].value
        return is_open and (name == "array" or kinds in (["EQ", "LPAR"], ["DEF", "LPAR"]))
