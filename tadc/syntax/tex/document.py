r"""The mathematics in a LaTeX document: displays, formulas in the prose, and `%!tadc` lines.

A text without any display or `\begin{document}` is itself a formula, or one on each line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tadc.errors import Source, Span, SyntaxError
from tadc.syntax.tex.commands import DISPLAYS, WITH_COLUMNS

__all__ = ["Document", "Region", "scanned", "without_comments"]


@dataclass(frozen=True, slots=True)
class Region:
    """The characters `start` to `end`: those between the marks of a formula, or after `%!tadc`."""

    kind: Literal["display", "inline", "bare", "directive"]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    r"""The regions in order. `macros` are the commands that the document defines, such as `\vx`."""

    regions: tuple[Region, ...]
    macros: frozenset[str]
    errors: tuple[SyntaxError, ...]


def scanned(source: Source) -> Document:
    """Find the regions in one pass over the text."""
    text = source.text
    macros = frozenset(match[1] for match in _MACRO.finditer(text))
    begin = _BEGIN_DOCUMENT.search(text)
    scan = _Scan(source)
    start = 0 if begin is None else begin.end()
    if begin is not None:
        scan.directives_before(start)
    scan.run(start)
    mathematics = [r for r in scan.regions if r.kind != "directive"]
    if begin is None and not scan.errors and not any(r.kind == "display" for r in mathematics):
        bare = _bare(text, mathematics)
        if bare is not None:
            directives = [r for r in scan.regions if r.kind == "directive"]
            return Document((*directives, bare), macros, ())
    return Document(tuple(scan.regions), macros, tuple(scan.errors))


_COMMENT = re.compile(r"^[ \t]*%[^\n]*\n?|(?P<kept>\\.)|%[^\n]*", re.MULTILINE)


def without_comments(text: str) -> str:
    """The text with blanks for comments, and for the ends of lines that are nothing else."""
    return _COMMENT.sub(lambda m: m["kept"] or " " * len(m[0]), text)


_BEGIN_DOCUMENT = re.compile(r"^[^%\n]*?\\begin\{document\}", re.MULTILINE)
_MACRO = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareMathOperator|DeclareRobustCommand|def|let)\*?\s*\{?\s*(\\[A-Za-z]+)"
)
_VERBATIM = "verbatim|Verbatim|lstlisting|comment|minted|filecontents"
_DISPLAYED = "|".join(sorted(DISPLAYS))
_OWN = re.compile(  # `\\newcommand{\\be}{\\begin{equation}}`, as authors abbreviate displays
    r"\\(?:(?:re)?newcommand|providecommand|def)\*?\s*\{?\s*\\(?P<name>[A-Za-z]+)\s*\}?\s*"
    rf"\{{\s*\\(?P<side>begin|end)\{{(?P<environment>{_DISPLAYED})\*?\}}\s*\}}"
)
_MARK = rf"""
      (?P<escaped>  \\\\ | \\[$%&\#_{{}}\ ] )
    | (?P<comment>  %[^\n]* )
    | (?P<verb>     \\verb\*?(?P<delimiter>[^A-Za-z\s*])[^\n]{{0,200}}?(?P=delimiter) | \\begin\{{(?P<verbatim>{_VERBATIM})(?P<star>\*?)\}} )
    | (?P<skipped>  \\iffalse(?![A-Za-z]) | \\if0(?=\s) )
    | (?P<begin>    \\begin\{{(?P<environment>{_DISPLAYED})\*?\}} | \\(?P<own_begin>BEGINS)(?![A-Za-z]) )
    | (?P<end>      \\end\{{(?P<ended>{_DISPLAYED}|document)\*?\}} | \\(?P<own_end>ENDS)(?![A-Za-z]) )
    | (?P<open>     \\\[ | \\\( )
    | (?P<close>    \\\] | \\\) )
    | (?P<dollar>   \$\$? )
    | (?P<blank>    \n[ \t\r]*(?=\n) )
    """
_NO_NAME = "(?!)"


class _Marks:
    """What begins and ends displays in a document; `own` are the environments of its abbreviations, by name."""

    def __init__(self, text: str) -> None:
        found = [*_OWN.finditer(text)]
        self.own = {m["name"]: m["environment"] for m in found}
        self.definitions = [m.span() for m in found]
        pattern = _MARK
        for side in ("begin", "end"):
            names = "|".join(sorted({m["name"] for m in found if m["side"] == side}))
            pattern = pattern.replace(f"{side.upper()}S", names or _NO_NAME)
        self.pattern = re.compile(pattern, re.VERBOSE)

    def definition_around(self, place: int) -> int | None:
        """The end of the definition of an abbreviation that the place is in."""
        return next((end for start, end in self.definitions if start <= place < end), None)

    def begun(self, mark: re.Match[str]) -> str | None:
        """The environment that begins here."""
        return mark["environment"] or self.own.get(mark["own_begin"] or "")

    def ended(self, mark: re.Match[str]) -> str | None:
        """The environment that ends here."""
        return mark["ended"] or self.own.get(mark["own_end"] or "")


_COMMENT_LINE = re.compile(r"^[ \t]*(%[^\n]*)", re.MULTILINE)
_COLUMNS = re.compile(r"\{[^{}\n]*\}")
_DIRECTIVE = re.compile(r"%!tadc(?![^\W_])[ \t]*")
_CLOSED_BY = {r"\[": r"\]", r"\(": r"\)", "$": "$", "$$": "$$"}


class _Scan:
    """One pass from mark to mark. `opened` is the mark of the formula that is open, `closer` its end."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.marks = _Marks(source.text)
        self.regions: list[Region] = []
        self.errors: list[SyntaxError] = []
        self.opened: re.Match[str] | None = None
        self.content = 0
        self.closer = ""
        self.outer = ""  # the end of the mark around a display, `$$\begin{equation}`

    def directives_before(self, end: int) -> None:
        for comment in _COMMENT_LINE.finditer(self.source.text, 0, end):
            self._directive(comment.start(1), comment.end())

    def run(self, start: int) -> None:
        text, position = self.source.text, start
        while (mark := self.marks.pattern.search(text, position)) is not None:
            position = mark.end()
            if (behind := self.marks.definition_around(mark.start())) is not None:
                position = behind
            elif mark["comment"]:
                self._directive(mark.start(), mark.end())
            elif mark["escaped"]:
                continue
            elif self.opened is None and self.outer and mark.group() == self.outer:
                self.outer = ""
            elif self.opened is None and mark["close"]:
                continue
            elif mark["verb"]:
                if mark["verbatim"] and self.opened is None:
                    end = text.find(f"\\end{{{mark['verbatim']}{mark['star']}}}", position)
                    position = len(text) if end < 0 else end
            elif mark["skipped"]:
                position = position if self.opened else _behind_condition(text, position)
            elif self.marks.ended(mark) == "document":
                break
            elif mark["blank"]:
                self._paragraph()
            elif self.opened is not None and self._closes(mark):
                self._close(mark)
            elif not mark["end"] and (
                self.opened is None or mark["begin"] or mark["open"] == r"\["
            ):
                self._open(mark)
        if self.opened is not None:
            self._unclosed()

    def _directive(self, start: int, end: int) -> None:
        if directive := _DIRECTIVE.match(self.source.text, start, end):
            said = self.source.text[directive.end() : end].rstrip()
            start = directive.end()
            self.regions.append(Region("directive", start, start + len(said)))

    def _open(self, mark: re.Match[str]) -> None:
        if self.opened is not None and mark["begin"] and self._is_outer(mark.start()):
            self.outer = self.closer  # `$$\begin{equation} .. \end{equation}$$`
        elif self.opened is not None:
            self._unclosed()
        columns = _COLUMNS.match(self.source.text, mark.end())
        environment = self.marks.begun(mark)
        has_columns = columns is not None and environment in WITH_COLUMNS
        self.opened, self.content = mark, columns.end() if columns and has_columns else mark.end()
        self.closer = environment or _CLOSED_BY[mark.group()]

    def _is_outer(self, place: int) -> bool:
        r"""Whether the open `$$` or `\[` holds nothing but blanks in front of an environment."""
        is_pair = self.closer in ("$$", r"\]")
        return is_pair and not self.source.text[self.content : place].strip()

    def _closes(self, mark: re.Match[str]) -> bool:
        if self.closer == "$" and mark["dollar"]:
            return True  # `$a$$b$` closes one and opens the next
        return self.closer in (self.marks.ended(mark), mark["close"], mark["dollar"])

    def _close(self, mark: re.Match[str]) -> None:
        kind: Literal["display", "inline"] = "inline" if self.closer in ("$", r"\)") else "display"
        self.regions.append(Region(kind, self.content, mark.start()))
        if self.closer == "$" and mark.group() == "$$":
            self.content = mark.end()
        else:
            self.opened = None

    def _paragraph(self) -> None:
        """TeX ends a formula at a blank line: so a lone `$` in the prose swallows no more than its paragraph."""
        if self.closer in ("$", r"\)"):
            self.opened = None
        elif self.closer == "$$" and self.opened is not None:
            self._unclosed()

    def _unclosed(self) -> None:
        assert self.opened is not None, "a formula is open"
        if self.closer not in ("$", r"\)"):
            mark = self.opened
            name = mark.group()
            closer = rf"\end{{{self.closer}}}" if mark["own_begin"] else self.closer
            closer = name.replace("begin", "end") if mark["environment"] else closer
            span = Span(self.source, mark.start(), mark.end())
            self.errors.append(
                SyntaxError(span, f"the display `{name}` is not closed", fix=f"add `{closer}`")
            )
        self.opened = None


_CONDITION = re.compile(r"\\\\|\\(?P<word>if(?!f(?![A-Za-z]))[A-Za-z]*|else|fi)(?![A-Za-z])")


def _behind_condition(text: str, start: int) -> int:
    r"""The place behind what TeX skips after `\iffalse`: its `\else` or `\fi`, or the end."""
    depth = 0
    for mark in _CONDITION.finditer(text, start):
        word = mark["word"] or ""
        if depth == 0 and word in ("else", "fi"):
            return mark.end()
        depth += word.startswith("if")
        depth -= word == "fi"
    return len(text)


def _bare(text: str, inline: list[Region]) -> Region | None:
    """The whole text as a formula, where no prose stands around formulas."""
    if not inline:
        return Region("bare", 0, len(text))
    if len(inline) == 1:
        region = inline[0]
        around = re.sub(r"%[^\n]*", "", f"{text[: region.start]}\n{text[region.end :]}")
        if not re.sub(r"[\s$]|\\[()]", "", around):
            return Region("bare", region.start, region.end)
    return None
