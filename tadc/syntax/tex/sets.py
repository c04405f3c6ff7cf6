r"""Sets in the limits of a reduction: an interval is a chain of relations, a set with a name all that there is.

i \in \{1, \dots, N\}     1 \le i \le N          i \in \mathrm{visible}     i
i \in [N]                 1 \le i \le N          \sum_{ij}^{\text{occ}}     \sum_{ij}
i \in [0, N]              0 \le i \le N             c \in \{R, G, B\}         c, and 3 above

A word may name a part, too: it stands for all where it says so, `\sum_i^{\text{all}}`, or where a formula has words for several
sets, whose tensors it tells apart then: of `\varepsilon_i` and `\varepsilon_a` the parts are `varepsilon_occ` and `varepsilon_virt`.
A word that is a declared size is a bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.commands import words
from tadc.syntax.tex.label_sets import number_of_labels
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, scripted
from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token
from tadc.syntax.tex.told_sets import set_name

__all__ = ["without_sets"]


def without_sets(tokens: Sequence[Token], sizes: Set[str], guesses: list[Guess]) -> list[Token]:
    """The tokens of a definition with limits that name sets written as relations, or as the index alone."""
    closing = closing_braces(tokens)
    indices = {t.value for _, _, inner in scripted(tokens, "SUB") for t in inner}
    equal = next((n for n, t in enumerate(tokens) if t.type in ("EQ", "DEF")), 0)
    of_all = {t.value for t in tokens[1:equal] if t.type == "NAME"}  # the `G` of `E(G) = ..`
    result: list[Token] = []
    sets: dict[str, str] = {}  # of indices: the words above their sums
    place = 0
    while place < len(tokens):
        token = tokens[place]
        result.append(token)
        place += 1
        if token.type != "RED":
            continue
        last = len(result)
        while place + 1 in closing and tokens[place].type in ("SUB", "SUP"):
            end = closing[place + 1]
            inner = tokens[place + 2 : end]
            if tokens[place].type == "SUB" and _is_in_declared(inner, sizes):
                result += [*tokens[place : place + 2], inner[0], tokens[end], *_count(inner[2])]
            elif tokens[place].type == "SUB" and (count := number_of_labels(inner, tokens)):
                result += [*tokens[place : place + 2], inner[0], tokens[end], *_count(count)]
            elif tokens[place].type == "SUB":
                limits = _limits(inner, indices, sets, guesses, of_all)
                result += [*tokens[place : place + 2], *limits, tokens[end]]
            elif {t.type for t in inner} <= {"NAME", "TEXT"} and _is_phrase(inner):
                words_above = " ".join(t.value for t in inner)
                below = [t.value for t in result[last:] if t.type == "NAME"]
                sets |= dict.fromkeys(below, words_above)
            elif not (len(inner) == 1 and _is_word(inner[0])) or inner[0].value in sizes:
                result += tokens[place : end + 1]
            else:
                text = f"the label `{inner[0].value}` above a sum stands for all that the indices can be"
                guesses.append(Guess(text, inner[0].start, inner[0].end))
                below = [t.value for t in result[last:] if t.type == "NAME"]
                sets |= dict.fromkeys(below, inner[0].value)
            place = end + 1
    return _refused_mixture(_parts_apart(result, sets, guesses), sets)


def _is_in_declared(inner: Sequence[Token], sizes: Set[str]) -> bool:
    r"""Whether it is the `i \in R` of a document that declares the size `R`, how many elements there are."""
    return [t.type for t in inner] == ["NAME", "IN", "NAME"] and inner[2].value in sizes


def _is_phrase(inner: Sequence[Token]) -> bool:
    r"""Whether it is `\text{on } a`: words, and more than one."""
    return len(inner) > 1 and any(_is_word(t) for t in inner)


def _count(size: Token) -> list[Token]:
    """The size above a sum."""
    start, end = size.start, size.end
    opening, closing = Token("LBRACE", "", start, start), Token("RBRACE", "", end, end, "RED")
    return [Token("SUP", "^", start, start), opening, size, closing]


_WHOLE = words("all grid data samples pixels voxels total")


def _parts_apart(tokens: list[Token], sets: Mapping[str, str], guesses: list[Guess]) -> list[Token]:
    r"""The tokens with names of their own for the parts of vectors that are read at indices of several sets, each of one word."""
    found: dict[str, set[str]] = {}
    for name, _, inner in scripted(tokens, "SUB"):
        is_plain = [t.type for t in inner] == ["NAME"]
        found.setdefault(name.value, set()).add(sets.get(inner[0].value, "") if is_plain else "")
    parted = {
        name
        for name, labels in found.items()
        if len(labels) > 1 and all(label.isalpha() for label in labels)
    }
    labels = {id(n): sets[i[0].value] for n, _, i in scripted(tokens, "SUB") if n.value in parted}
    for whole in sorted(parted):
        both = " and ".join(f"`{whole}_{label}`" for label in sorted(found[whole]))
        text = f"{both} are the parts of `{whole}` that the sums are over"
        place = next(t for t in tokens if t.value == whole)
        guesses.append(Guess(text, place.start, place.end))
    return [
        replace(t, value=f"{t.value}_{labels[id(t)]}") if id(t) in labels else t for t in tokens
    ]


def _refused_mixture(tokens: list[Token], sets: Mapping[str, str]) -> list[Token]:
    r"""The tokens, with an error for `\varepsilon_i - \varepsilon_a` of an `i` in one set and an `a` in another."""
    names = [*dict.fromkeys(sets.values())]
    if len(names) == 1 and names[0] not in _WHOLE:
        fact = f"`{names[0]}` may be all that the index can be, or a part of it"
        fix = (
            "say how many there are, in a document that counts from the first one: "
            f"`%!tadc size {names[0]}`, and write it above the sum; or leave it out, if it is all"
        )
        place = next(n for n, t in enumerate(tokens) if t.type == "RED")
        return [*tokens, Token("ERROR", fact, tokens[place].start, tokens[place].end, fix)]
    if len(names) < 2:
        return tokens
    found: dict[tuple[str, int], str] = {}
    for name, place, inner in scripted(tokens, "SUB"):
        indices = [t for t in inner if t.type == "NAME"]
        for n, index in enumerate(indices):
            other = found.setdefault((name.value, n), index.value)
            if sets.get(index.value, "") != sets.get(other, ""):
                fact = f"`{other}` and `{index.value}` are of different sets, and both stand below `{name.value}`"
                fix = (
                    "give the parts of the tensor names of their own, "
                    r"`\varepsilon^{\text{occ}}_i` and `\varepsilon^{\text{virt}}_a`"
                )
                error = Token("ERROR", fact, name.start, tokens[place].end, fix)
                return [*tokens, error]
    return tokens


_LISTED = frozenset(("LPAR", "NAME", "COMMA", "RPAR"))


def _limits(
    inner: Sequence[Token],
    indices: Set[str],
    sets: dict[str, str],
    guesses: list[Guess],
    of_all: Set[str],
) -> list[Token]:
    result: list[Token] = []
    for entry in _entries(inner):
        if result:
            result.append(Token("COMMA", "", entry[0].start, entry[0].start))
        entry = [t for t in entry if t.type != "FORALL"]
        entry = _without_common_set(entry, guesses, of_all)
        kinds = [t.type for t in entry]
        if "IN" in kinds and set(kinds[: kinds.index("IN")]) == {"NAME"}:
            result += _members(entry, kinds.index("IN"), indices, sets, guesses)
        elif kinds[:1] == ["LPAR"] and "IN" in kinds and {*kinds[: kinds.index("IN")]} == _LISTED:
            place = kinds.index("IN")
            fact = "the set that the indices run over is not told by the document"
            members = [t for t in entry[:place] if t.type == "NAME"]
            fix = _told(members, entry[place + 1 :]) or "write limits for each of them"
            result.append(Token("ERROR", fact, entry[0].start, entry[-1].end, fix))
        else:
            result += entry
    return result


def _without_common_set(entry: list[Token], guesses: list[Guess], of_all: Set[str]) -> list[Token]:
    r"""The `i \neq j` of `i \neq j \in G`: pairs of all that there is, where the left side is about all of `G`."""
    kinds = [t.type for t in entry]
    is_pair = kinds == ["NAME", "REL", "NAME", "IN", "NAME"] and entry[4].value in of_all
    if not is_pair:
        return entry
    text = f"the sum over `{entry[0].value}` and `{entry[2].value}` in `{entry[4].value}` is over all that they can be"
    guesses.append(Guess(text, entry[0].start, entry[4].end))
    return entry[:3]


def _entries(tokens: Sequence[Token]) -> list[list[Token]]:
    entries: list[list[Token]] = [[]]
    for token, depth in depths(tokens):
        if token.type == "COMMA" and depth == 0:
            entries.append([])
        else:
            entries[-1].append(token)
    return [e for e in entries if e]


def _members(
    entry: list[Token],
    place: int,
    indices: Set[str],
    sets: dict[str, str],
    guesses: list[Guess],
) -> list[Token]:
    """The limits that say which values the names before `place`, where the sign stands, have; `indices` stand below names."""
    names, said = entry[:place], entry[place + 1 :]
    if len(said) == 1 and _is_word(said[0]):
        for name in names:
            text = f"the sum over `{name.value}` in `{said[0].value}` is over all that `{name.value}` can be"
            guesses.append(Guess(text, name.start, said[0].end))
        return [t for n, name in enumerate(names) for t in ([_comma(name)] if n else []) + [name]]
    ends = _ends(said)
    if ends is None and {t.value for t in names} <= indices:
        ends = _ends_of_interval(said)
    if ends is None:
        fact = "the set that the index runs over is not told by the document"
        fix = (
            _told(names, said)
            or r"write its limits, `\sum_{k=1}^{K}`, a condition, `\sum_{k \mid k < i}`, or `\sum_k` for all"
        )
        if [t.type for t in said] == ["NAME"]:
            fix = f"if it is all that `{names[0].value}` can be, say how many there are: `%!tadc size {said[0].value}`; else {fix}"
        return [Token("ERROR", fact, entry[0].start, entry[-1].end, fix)]
    result: list[Token] = []
    for name in names:
        less = Token("REL", "<=", name.start, name.start)
        chain = [*ends[0], less, name, less, *ends[1]]
        result += [_comma(name), *chain] if result else chain
    return result


def _told(members: Sequence[Token], said: Sequence[Token]) -> str:
    r"""What says which members the set has, `$\mathcal{N}(i) = \{j \mid A_{ij} = 1\}$`; empty for what is no name of a set."""
    named = set_name(said, 0)
    behind = said[named.end :] if named is not None else ()
    if named is None or (behind and behind[0].type != "ERROR"):  # `\cup \{i\}`
        return ""
    style = {"calligraphic": r"\mathcal{%s}", "bold": r"\mathbf{%s}"}.get(said[0].note, "%s")
    name = style % named.name if len(named.name) == 1 else "\\" + named.name
    if named.of:
        name += f"({named.of})" if said[1].type == "LPAR" else f"_{named.of}"
    letters = [t.value for t in members]
    member = f"({', '.join(letters)})" if len(letters) > 1 else letters[0]
    below = "".join((named.of if named.of.islower() else "", *letters))
    return rf"say who is in it, in the prose: `${name} = \{{{member} \mid A_{{{below}}} = 1\}}$`; or for all `\sum_{{{', '.join(letters)}}}`"


def _ends(said: Sequence[Token]) -> tuple[list[Token], list[Token]] | None:
    r"""The first and the last of `\{a, \dots, b\}`, `\{a..b\}` or `[n]`."""
    if len(said) < 3 or said[0].type not in OPENERS or said[-1].type not in CLOSERS:
        return None
    inner = list(said[1:-1])
    kinds = [t.type for t in inner]
    dots = [n for n, kind in enumerate(kinds) if kind == "DOTS"]
    if not dots:
        one = Token("NUM", "1", said[0].start, said[0].end)
        is_count = said[0].type == "LSQB" and "COMMA" not in kinds
        return ([one], inner) if is_count else None
    first, last = inner[: dots[0]], inner[dots[-1] + 1 :]
    first = first[: next((n for n, t in enumerate(first) if t.type == "COMMA"), len(first))]
    last = last[1:] if last and last[0].type == "COMMA" else last
    return (first, last) if first and last else None


def _ends_of_interval(said: Sequence[Token]) -> tuple[list[Token], list[Token]] | None:
    """The ends of the `[1, k]` that an index is in: the integers between them, both included."""
    if [t.type for t in said[:1]] != ["LSQB"] or said[-1].type != "RSQB":
        return None
    parts = listed(said[1:-1])
    return (parts[0], parts[1]) if len(parts) == 2 and all(parts) else None


def _is_word(token: Token) -> bool:
    return token.type == "TEXT" or (
        token.type == "NAME" and token.note == "upright" and len(token.value) > 1
    )


def _comma(at: Token) -> Token:
    return Token("COMMA", "", at.start, at.start)
