r"""TeX mathematics as a list of tokens for `grammar/tex.lark`.

A tokenizer by hand, because TeX's reading depends on what came before: `x_12` is `x_1 2`, `\frac12` a half, `|` opens or
closes, `\\` ends a row or a case. It braces arguments of one token, and drops sizes of brackets and whatever is only
layout. It never fails: what it does not know becomes an ERROR token, which counts if the formula around it does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

from tadc.errors import Source
from tadc.syntax import tex_commands as commands

__all__ = ["CLOSERS", "ENDS_OPERAND", "OPENERS", "STARTS_OPERAND", "Token", "tokenize"]


@dataclass(frozen=True, slots=True)
class Token:
    """Characters `start` to `end` of the source. `note`: of a NAME its style, of an ERROR what to write instead."""

    type: str
    value: str
    start: int
    end: int
    note: str = ""


OPENERS = frozenset("LPAR LSQB LBRACE LGROUP BAR_L FLOOR_L CEIL_L CASES_B".split())
CLOSERS = frozenset("RPAR RSQB RBRACE RGROUP BAR_R FLOOR_R CEIL_R CASES_E".split())
ENDS_OPERAND = frozenset("NAME NUM PRIME INDICATOR".split()) | CLOSERS
STARTS_OPERAND = frozenset("NAME NUM FUNC CALLED RED FRAC SQRT INDICATOR".split()) | OPENERS - {
    "LBRACE"
}


def tokenize(source: Source, start: int, end: int) -> list[Token]:
    """The tokens of the formula, or formulas, between `start` and `end`."""
    tokenizer = _Tokenizer(source.text, start, end)
    while tokenizer.position < end:
        tokenizer.step()
    return tokenizer.tokens


_BLANK = re.compile(r"(?:\s|~|%[^\n]*)+")
_COMMAND = re.compile(r"\\(?:(?:operatorname|tag|hspace|vspace)\*|[A-Za-z]+|.)", re.DOTALL)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+", re.ASCII)
_ROW = re.compile(r"\\\\\*?(?:\[\s*-?[0-9.]+\s*[a-z]{2}\s*\])?")
_WORD = re.compile(r"\s*\{\s*((?:[^\W_]|\\?_)(?:\w|\\_)*)\s*\}")
_TEXT = re.compile(r"\s*\{([^{}]*)\}")
_ENVIRONMENT = re.compile(r"\s*\{([A-Za-z]+)\*?\}(?:\s*\[[a-z]\])?")
_COLUMNS = re.compile(r"\s*\{[^{}]*\}")
_OPTION = re.compile(r"\s*\[")
_PLAIN_ARGUMENT = frozenset("NAME NUM PRIME TOP CDOT PLUS MINUS".split())
_BRACKETS = {"LPAR": "RPAR", "LSQB": "RSQB", "FLOOR_L": "FLOOR_R", "CEIL_L": "CEIL_R"}
_CLOSING = {close: opened for opened, close in _BRACKETS.items()}
_RELATIONS = frozenset(("<", "<=", ">", ">=", "!="))


@dataclass(slots=True)
class _Open:
    """A bracket that is open: its opening token's type, or `limits`, `substack`, `degree` (of a root)."""

    kind: str
    pending: int = 0  # how many arguments are still expected after it closes
    base: str = ""  # what the script that it is belongs to


@dataclass(slots=True)
class _Tokenizer:
    text: str
    position: int
    end: int
    tokens: list[Token] = field(default_factory=list)
    opened: list[_Open] = field(default_factory=list)
    environments: list[str] = field(default_factory=list)
    pending: int = 0  # arguments that the last command still expects
    base: str = ""  # type of the token that a script would belong to
    side: str = ""  # "open" after \left, "close" after \right

    # ------------------------------------------------------------------ characters

    def step(self) -> None:
        """Read one token, command, or blank; always moves on."""
        start = self.position
        if blank := _BLANK.match(self.text, start, self.end):
            self.position = blank.end()
            return
        character = self.text[start]
        if character == "\\":
            self._command(start)
        elif number := _NUMBER.match(self.text, start, self.end):
            # TeX takes one digit as an argument: `x_12` is `x_1 2`.
            self.position = start + 1 if self.pending else number.end()
            digits = self.text[start : self.position]
            self.emit("NUM", f"0{digits}" if digits.startswith(".") else digits, start)
        elif character.isalpha():
            self._letter(start)
        else:
            self.position = start + 1
            self._character(character, start)

    def _letter(self, start: int) -> None:
        self.position = start + 1
        while self.position < self.end and unicodedata.combining(self.text[self.position]):
            self.position += 1
        name = unicodedata.normalize("NFKC", self.text[start : self.position])
        if name == "ℝ" or self.text[start] == "ℝ":
            self.emit("RR", name, start)
        elif name.isidentifier():
            self.emit("NAME", name, start)
        else:
            self.error(
                start, f"`{name}` is not a letter that tadc reads", "write a Latin or Greek letter"
            )

    def _character(self, character: str, start: int) -> None:
        rest = self.text[start : min(start + 2, self.end)]
        if character == "{":
            self._open_brace(start)
        elif character == "}":
            self._close_brace(start)
        elif character in "_^":
            self._script("SUB" if character == "_" else "SUP", start)
        elif character in "|∣":
            self._bar(start)
        elif rest == ":=":
            self.position += 1
            self.emit("DEF", rest, start)
        elif rest in ("<=", ">=", "!=", "=="):
            self.error(start, f"`{rest}` is not LaTeX", r"write `\le`, `\ge`, `\ne` or `=`")
            self.position += 1
        elif character == ":" and self.opened and self.opened[-1].kind == "limits":
            self.emit("COMMA", character, start)
        elif character == "&":
            if self.environments and self.environments[-1] == "cases":
                self.emit("AMP", character, start)
        elif character == "'":
            self.emit("PRIME", character, start)
        elif character in ",;":
            self.emit("COMMA", character, start)
        elif character == ".":
            if not self.side:  # `\left.` is no bracket
                self.emit("DOT", character, start)
            self.side = ""
        elif character == ">":
            self.emit("REL", character, start)
        elif character != "!" and character in commands.SYMBOLS:
            self.symbol(commands.SYMBOLS[character], character, start)
        elif character == "$":
            return
        else:
            self.error(start, f"`{character}` has no meaning in a formula", "remove it")

    # ------------------------------------------------------------------ commands

    def _command(self, start: int) -> None:
        if row := _ROW.match(self.text, start, self.end):
            self.position = row.end()
            self._row(start)
            return
        command = _COMMAND.match(self.text, start, self.end)
        if command is None:  # a backslash that ends the text
            self.position = self.end
            self.error(start, "a lone `\\` ends the formula", "remove it")
            return
        self.position = command.end()
        name = command.group()[1:]
        if name in commands.SIZES_OF_BRACKETS:
            self.side = commands.SIZES_OF_BRACKETS[name] or "big"
        elif name in commands.DROPPED:
            return
        elif name in commands.DROPPED_WITH_ARGUMENT:
            self._skip_argument()
        elif name in commands.GREEK or name in commands.ACCENTS or name in commands.WRAPPERS:
            self._name(start)
        elif name in ("lvert", "rvert", "vert", "mid"):
            self.side = {"lvert": "open", "rvert": "close"}.get(name, self.side)
            self._bar(start)
        elif name in ("begin", "end"):
            self._environment(name, start)
        elif name == "substack":
            self._substack(start)
        elif name == "not":
            self._not(start)
        elif name == "infty":
            self.emit("NAME", "inf", start)
        elif name == "arg":
            self._argmax(start)
        elif name in commands.SYMBOLS:
            self.symbol(commands.SYMBOLS[name], command.group(), start)
        elif name in commands.REDUCTIONS and name not in ("mean", "logsumexp", "argmax", "argmin"):
            self.emit("RED", commands.REDUCTIONS[name], start)
        elif name in _TEX_FUNCTIONS:
            self.emit("FUNC", commands.FUNCTIONS[name], start)
        elif name in commands.REFUSED:
            self.error(start, *commands.REFUSED[name])
        else:
            self.error(
                start,
                f"`\\{name}` is not a command that tadc knows",
                "write out what it stands for: own macros are not expanded",
            )

    def _row(self, start: int) -> None:
        inside = self.environments[-1] if self.environments else ""
        self.emit({"cases": "ROW", "substack": "COMMA"}.get(inside, "BREAK"), "\\\\", start)

    def _skip_argument(self) -> None:
        """Over the braces that follow, whatever is in them."""
        option = _OPTION.match(self.text, self.position, self.end)
        if option is None and not self.text.startswith("{", self.position):
            return
        depth = 0
        for brace in re.compile(r"\\.|[{}]", re.DOTALL).finditer(
            self.text, self.position, self.end
        ):
            depth += {"{": 1, "}": -1}.get(brace.group(), 0)
            if depth == 0:
                self.position = brace.end()
                return
        self.position = self.end

    def _substack(self, start: int) -> None:
        opening = re.compile(r"\s*\{").match(self.text, self.position, self.end)
        if opening is None:
            self.error(start, "`\\substack` needs its rows in braces", r"write `\substack{a \\ b}`")
            return
        self.position = opening.end()
        if self.pending:  # `\sum_\substack{..}`
            self._open_brace(start)
            self.opened[-1].kind = "limits substack"
        else:
            self.opened.append(_Open("substack", base=self.base))
        self.environments.append("substack")

    def _not(self, start: int) -> None:
        equal = re.compile(r"\s*=").match(self.text, self.position, self.end)
        if equal is None:
            self.error(
                start, "`\\not` is read before `=` only", r"write `\ne`, or the opposite relation"
            )
            return
        self.position = equal.end()
        self.emit("REL", "!=", start)

    def _argmax(self, start: int) -> None:
        what = re.compile(r"[\s\\,!]*\\(max|min)(?![A-Za-z])").match(
            self.text, self.position, self.end
        )
        if what is None:
            self.error(
                start, "`\\arg` is read before `\\max` and `\\min` only", r"write `\arg\max_k`"
            )
            return
        self.position = what.end()
        self.emit("RED", commands.ARGMAX[what[1]], start)

    def _environment(self, command: str, start: int) -> None:
        environment = _ENVIRONMENT.match(self.text, self.position, self.end)
        name = "" if environment is None else environment[1]
        if environment is not None:
            self.position = environment.end()
        if name == "array" and command == "begin":
            self._array()
        if name in ("cases", "dcases") or (
            command == "end" and name == "array" and self.environments[-1:] == ["cases"]
        ):
            self._cases(command, start)
        elif name in commands.LAYOUTS or name in commands.DISPLAYS:
            if command == "begin":
                if name in ("alignedat", "alignat", "xalignat"):
                    self._columns()
                if self.environments[-1:] != ["cases"] or name != "array":
                    self.environments.append("layout")
            elif self.environments and self.environments[-1] == "layout":
                self.environments.pop()
        else:
            self.error(
                start,
                f"the environment `{name}` is not read in formulas",
                "write elements with their subscripts",
            )

    def _columns(self) -> None:
        if columns := _COLUMNS.match(self.text, self.position, self.end):
            self.position = columns.end()

    def _array(self) -> None:
        r"""After `\left\{` an array lists cases, as before there was an environment for them."""
        self._columns()
        if self.tokens and self.tokens[-1].type == "LPAR" and "{" in self.tokens[-1].value:
            brace = self.tokens.pop()
            self.opened.pop()
            self._cases("begin", brace.start)

    def _cases(self, command: str, start: int) -> None:
        if command == "begin":
            self.emit("CASES_B", "cases", start)
            self.opened.append(_Open("cases"))
            self.environments.append("cases")
            return
        while self.opened and self.opened[-1].kind != "cases":
            self.opened.pop()
        if self.opened:
            self.opened.pop()
        while self.environments and self.environments.pop() != "cases":
            pass
        self.emit("CASES_E", "cases", start)

    # ------------------------------------------------------------------ names

    def _name(self, start: int) -> None:
        """A name in its wrappers and accents, or a word: `start` is the first command's."""
        self.position = start
        accents: list[str] = []
        closing: list[bool] = []  # for each command whether its argument is in braces
        style, words = "", False
        while True:
            command = _COMMAND.match(self.text, self.position, self.end)
            name = "" if command is None else command.group()[1:]
            if command is not None and name in commands.WRAPPERS:
                style, words = commands.WRAPPERS[name] or style, True
            elif command is not None and name in commands.ACCENTS:
                accents.append(commands.ACCENTS[name])
            elif command is not None and name in commands.GREEK:
                self.position = command.end()
                break
            else:
                name = ""
                core = re.compile(r"(?:[^\W_]|\\?_)(?:\w|\\[_,;:!])*" if words else r"[^\W_]")
                if closing and (word := core.match(self.text, self.position, self.end)):
                    name = word.group() if closing[-1] else word.group()[0]
                    self.position += len(name)
                break
            self.position = command.end()
            if words and name in commands.WRAPPERS and self._text(command.start(), name):
                return
            brace = re.compile(r"\s*(\{?)\s*").match(self.text, self.position, self.end)
            assert brace is not None, "a pattern that matches nothing always matches"
            closing.append(bool(brace[1]))
            self.position = brace.end()
        for braced in reversed(closing):
            end = re.compile(r"\s*\}" if braced else "").match(self.text, self.position, self.end)
            if end is None or not name:
                self._not_a_name(start)
                return
            self.position = end.end()
        name = unicodedata.normalize("NFKC", re.sub(r"\\[,;:!]?", "", name))
        self._named("_".join([name, *reversed(accents)]), style, bool(accents), start)

    def _not_a_name(self, start: int) -> None:
        command = _COMMAND.match(self.text, start, self.end)
        assert command is not None, "a name begins with a command"
        self.position = command.end()
        if (
            self.text[self.position : self.position + 1] == "{"
            and command.group()[1:] in commands.WRAPPERS
        ):
            self._skip_argument()
        self.error(
            start,
            f"`{command.group()}` stands around more than a name",
            f"put it around the letter alone: `{command.group()}{{x}}_i`",
        )

    def _text(self, start: int, command: str) -> bool:
        """Words that are no name: `otherwise`, `for all i`, and numbers in wrappers, such as the indicator."""
        if command not in (
            "text",
            "mbox",
            "textrm",
            "textnormal",
            "mathrm",
            "operatorname",
            "textit",
        ):
            return False
        text = _TEXT.match(self.text, self.position, self.end)
        if text is None:
            if command in ("text", "mbox", "textrm", "textnormal") and self.text.startswith(
                "{", self.position
            ):
                begin = self.position + 1
                self._skip_argument()
                self.emit("TEXT", self.text[begin : self.position - 1].strip(), start)
                return True
            return False
        words = text[1].replace("~", " ").strip(" \t\n,.;:")
        if words in commands.WORDS:
            kind = commands.WORDS[words]
        elif not words or (_WORD.fullmatch(f"{{{words}}}") is None and "\\" not in words):
            kind = "TEXT"
        else:
            return False
        self.position = text.end()
        self.emit(kind, words, start)
        return True

    def _named(self, name: str, style: str, accented: bool, start: int) -> None:
        if name == "1" and style in ("bold", "blackboard"):
            self.emit("INDICATOR", name, start)
        elif style == "blackboard" and name == "R":
            self.emit("RR", name, start)
        elif style == "blackboard" and name == "I":
            self.emit("INDICATOR", name, start)
        elif style == "blackboard" and name in ("N", "Z", "C", "Q", "E", "P"):
            self.error(
                start,
                f"`\\mathbb{{{name}}}` is not used in formulas",
                "shapes are given in `\\mathbb{R}`",
            )
        elif name[0].isdigit() or not name.isidentifier():
            self.error(
                start,
                f"`{name}` is not a name",
                "write numbers without a wrapper, names with a letter first",
            )
        elif accented or style not in ("upright", "sans"):
            self.emit("NAME", name, start, style)
        elif name in commands.REDUCTIONS:
            self.emit("RED", name, start)
        elif name in commands.FUNCTIONS:
            self.emit("FUNC", commands.FUNCTIONS[name], start, note=name)
        elif name in commands.CALLED:
            self.emit("CALLED", name, start)
        else:
            self.emit("NAME", name, start, style)

    # ------------------------------------------------------------------ brackets

    def symbol(self, kind: str, value: str, start: int) -> None:
        """A symbol of the table: relations keep their sense as value, brackets are counted."""
        if kind in _BRACKETS:
            self.emit(kind, value, start)
            self.opened.append(_Open(kind))
        elif kind in _CLOSING:
            if self.opened and self.opened[-1].kind == _CLOSING[kind]:
                self.opened.pop()
                self.emit(kind, value, start)
            elif kind == "RSQB" and self.opened and self.opened[-1].kind == "degree":
                self.opened.pop()
                self.emit(kind, value, start)
                self.pending = 1
            else:
                self.emit(kind, value, start)
        elif kind in _RELATIONS:
            self.emit("REL", kind, start)
        else:
            self.emit(kind, value, start)
        if kind == "FRAC":
            self.pending = 2
        elif kind == "SQRT":
            self.pending = 1
            if option := _OPTION.match(self.text, self.position, self.end):
                self.pending = 0
                self.position = option.end()
                self.emit("LSQB", "[", option.end() - 1)
                self.opened.append(_Open("degree"))
        self.side = ""

    def _bar(self, start: int) -> None:
        """`|` closes if the innermost open bracket is one and an operand precedes; in limits it is "such that"."""
        inside = self.opened[-1].kind if self.opened else ""
        after_operand = bool(self.tokens) and self.tokens[-1].type in ENDS_OPERAND
        closes = self.side == "close" or (inside == "BAR_L" and after_operand)
        if closes and self.side != "open":
            if inside == "BAR_L":
                self.opened.pop()
            self.emit("BAR_R", "|", start)
        elif self.side != "open" and after_operand and "limits" in inside:
            self.emit("COMMA", "|", start)
        else:
            self.emit("BAR_L", "|", start)
            self.opened.append(_Open("BAR_L"))
        self.side = ""

    def _script(self, kind: str, start: int) -> None:
        if self.pending:
            self.error(start, "two scripts, one after the other", "put one of them in braces")
            return
        self.tokens.append(Token(kind, self.text[start], start, start + 1))
        self.pending = 1

    def _open_brace(self, start: int) -> None:
        if not self.pending:
            self.tokens.append(Token("LGROUP", "{", start, self.position))
            self.opened.append(_Open("LGROUP"))
            return
        of_reduction = self.base == "RED" and self.tokens[-1].type == "SUB"
        self.tokens.append(Token("LBRACE", "{", start, self.position))
        script = self.tokens[-2].type in ("SUB", "SUP") if len(self.tokens) > 1 else False
        self.opened.append(
            _Open(
                "limits" if of_reduction else "LBRACE",
                self.pending - 1,
                self.base if script else "",
            )
        )
        self.pending, self.base = 0, ""

    def _close_brace(self, start: int) -> None:
        while self.opened and not (
            self.opened[-1].kind in ("LGROUP", "LBRACE", "substack")
            or "limits" in self.opened[-1].kind
        ):
            self.opened.pop()
        if not self.opened:
            self.tokens.append(Token("RGROUP", "}", start, self.position))
            return
        closed = self.opened.pop()
        if "substack" in closed.kind and self.environments:
            self.environments.pop()
        if closed.kind == "substack":
            return
        kind = "RGROUP" if closed.kind == "LGROUP" else "RBRACE"
        self.tokens.append(Token(kind, "}", start, self.position))
        self.pending, self.base = closed.pending, closed.base

    # ------------------------------------------------------------------ output

    def emit(self, kind: str, value: str, start: int, note: str = "") -> None:
        """Append a token that ends here; an argument of one token gets its braces."""
        token = Token(kind, value, start, self.position, note)
        if not self.pending or kind == "PRIME" and self.tokens[-1].type != "SUP":
            self.base = kind
            self.tokens.append(token)
        elif kind in _PLAIN_ARGUMENT:
            self.pending -= 1
            self.tokens += [Token("LBRACE", "", start, start), token]
            self.tokens.append(Token("RBRACE", "", self.position, self.position))
        else:
            self.pending = 0
            self.error(
                start,
                f"`{self.text[start : self.position]}` is not an argument by itself",
                "put the argument in braces",
            )

    def error(self, start: int, fact: str, fix: str) -> None:
        self.pending = 0
        self.tokens.append(Token("ERROR", fact, start, self.position, fix))


_TEX_FUNCTIONS = frozenset("exp log ln lg sin cos tan arcsin arccos arctan sinh cosh tanh".split())
_Handler = Callable[[_Tokenizer, int], None]
