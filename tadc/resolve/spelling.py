"""The language of a place, `.idx` or LaTeX, and remedies in both."""

from __future__ import annotations

from tadc.errors import Span

__all__ = ["declared", "spelled", "written_by_user"]


def spelled(span: Span, idx: str, tex: str) -> str:
    """The remedy for the place: `.idx` for a `%!tadc` line of a document, LaTeX for all else there."""
    return tex if _is_tex(span) else idx


def declared(span: Span, declaration: str) -> str:
    """A declaration as it stands in the file of the place."""
    return f"`%!tadc {declaration}`" if span.source.lang == "tex" else f"`{declaration}`"


def written_by_user(span: Span, name: str) -> bool:
    """Whether the name is a word of the text: those that tadc invents avoid them all."""
    text, at = span.source.text, -1
    while (at := text.find(name, at + 1)) >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(c.isalnum() or c == "_" for c in around):
            return True
    return False


def _is_tex(span: Span) -> bool:
    begin = span.source.text.rfind("\n", 0, span.start) + 1
    return span.source.lang == "tex" and "%!tadc" not in span.source.text[begin : span.start]
