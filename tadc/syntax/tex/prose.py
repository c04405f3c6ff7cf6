r"""Definitions in the prose behind a formula: "where $\bar{x} = \frac{1}{n} \sum_{i=1}^n x_i$ is the mean"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from tadc.syntax.tex.calls import calls_in, listed
from tadc.syntax.tex.ranges import said_ranges
from tadc.syntax.tex.script_tokens import (
    Guess,
    bound_names,
    left_indices,
    numbers_in_bounds,
    scripted,
)
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.statements import with_ranges_of_prose
from tadc.syntax.tex.token_list import OPENERS, Token, behind_scripts, closing_brackets

__all__ = [
    "applying",
    "defines",
    "formulas_among",
    "says_case",
    "says_condition",
    "says_for",
    "says_where",
    "spoken_definitions",
    "with_prose",
]

LONGEST_SENTENCE = 1500  # characters before a formula that are looked at

_SENTENCE = re.compile(r"[.;]\s|:\s(?!\s*(?:\$|\\\())|\n\s*\n|\\end\{\w+\*?\}|\\\]|\$\$")
_DEFINES = re.compile(
    r"\b(?:where|with|here|let|setting|writing|abbreviating|introducing|us(?:es|ing)|similarly|likewise|analogously|define[sd]?|denotes?|denoted)\b",
    re.IGNORECASE,
)
_NAMES = re.compile(
    r"(?:\$|\\\))[\s~]*(?:denot\w+|represents?|stands?\s+for|(?:is|are)\s+the)\b", re.IGNORECASE
)
_IS = re.compile(
    r"\b(?:the|its|their)\b[^$]*\b(?:is|are)(?:\s+given\s+by)?[\s~:]*(?:\$|\\\()$", re.IGNORECASE
)
_CHOOSES = re.compile(
    r"\b(?:alternativ\w*|another|other|instead|special|cho[io]\w*|cases?|examples?|constraints?|minimi\w+|maximi\w+|optim\w+"
    r"|solutions?|limit\w*|default|then|one|may|can|could|might|for|under|e\.g|approximat\w+|estimat\w+|equal\w*|conditions?)\b",
    re.IGNORECASE,
)
_APPOSITION = re.compile(
    r"\b(?:the|its|their)\s+((?:[A-Za-z-]+[\s~]+){1,6})(?:\$|\\\()$", re.IGNORECASE
)  # `the minimum cost $\\rho = \\min_k S_k$`
_OF_APPOSITION = re.compile(
    r"\bof\s+(?:the|its|their)\s+((?:(?!(?:the|its|their)\b)[A-Za-z-]+[\s~]+){1,3})(?:\$|\\\()$",
    re.IGNORECASE,
)  # `a function of the linear predictor $\\eta_i = ..$`
_NO_NAME = re.compile(
    r"\b(?:paths?|process\w*|models?|sequences?|constraints?|conditions?|equations?|identit\w+|relations?|equalit\w+|cases?|cho\w+|optim\w+|solutions?|limits?|formulas?|approximations?"
    r"|estimat\w+|assumptions?|propert\w+|facts?|ansatz|with|by|at|when|if|for|is|are|update|form|rule|law|that|to|of|in|and|or)\b",
    re.IGNORECASE,
)
_FOR = re.compile(r"\b(?:for|over)(?:\s+(?:all|each|every|any))?\s*(?:\$|\\\()$", re.IGNORECASE)
_LEADS = re.compile(r"(?:\$|\\\))?(?:[\s,:]|[A-Za-z]+\b|\\begin\{\w+\*?\}|\\\[|\$\$){0,40}")
_WHOLE_CHOICE = re.compile(r"\bif\b.{0,80}?\b(?:otherwise|else)\b", re.IGNORECASE | re.DOTALL)
_SUPPOSES = re.compile(
    r"\b(?:if|when|whenever|since|because|such|assum\w*|suppos\w*|unless|iff|impl(?:y|ies|ied|ying)|note|satisf\w+|without)\b",
    re.IGNORECASE,
)


_RETRACTS = re.compile(
    r"\b(?:in\s+contrast|contrary|unlike|rather\s+than|instead\s+of|would|for\s+(?:the|a)\s+moment|for\s+now|first\s+consider|unless|unknown"
    r"|treated\s+(?:before|above|earlier)|formerly|previously|in\s+(?:Sections?|Sec\.|Chapters?|the\s+(?:last|next|previous|preceding)\s+section))(?!\w)",
    re.IGNORECASE,
)
_CASE = re.compile(
    r"\b(?:if|when|whenever|for\s+(?:example|instance)|such\s+as|in\s+the\s+(?:special\s+)?(?:case|limit)|special\s+case|unlike|suppos\w*"
    r"|one\s+(?:may|can|could|might)|instead|alternatively|would|in\s+contrast|contrary|rather\s+than|for\s+the\s+moment|not)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:where|here|let)\b", re.IGNORECASE
)  # what is in front is about something else
_EXAMPLE = re.compile(r"\be\.\s?g\.[\s~,\\]*(?:[A-Za-z-]+[\s~]+){0,4}(?:\$|\\\()$")


def says_case(before: str, behind: str) -> bool:
    """Whether the sentence around a formula is about a case or an example of it: "when $f(x) = x$, this is the mean"."""
    behind = _END.split(behind, maxsplit=1)[0]
    sentence = _CLAUSE.split(_WHOLE_CHOICE.sub("", _sentence(before)))[-1]
    is_case = _CASE.search(f"{_without_formulas(sentence)} {behind}") is not None
    return is_case or _EXAMPLE.search(before[-LONGEST_SENTENCE:]) is not None


def says_where(before: str, behind: str) -> bool:
    """Whether the sentence around a formula, of which `before` is what stands in front of it, introduces what a letter
    stands for, and supposes nothing: "where .. is the mean", or ".. denotes the mean".
    """
    sentence = _WHOLE_CHOICE.sub("", _sentence(before))
    is_others = _BY_OTHERS.search(before[-LONGEST_SENTENCE:]) is not None
    rest = _END.split(behind, maxsplit=1)[0]
    whole = f"{sentence} {rest}"
    is_others = is_others or _ONE_CASE.match(rest) is not None
    is_others = is_others or _HABIT.search(before[-LONGEST_SENTENCE:]) is not None
    if is_others or _OF_OTHERS.search(whole) or _SUPPOSES.search(sentence) is not None:
        return False
    if (named := _APPOSITION.search(sentence)) is not None and not _NO_NAME.search(named[1]):
        return True
    behind = _END.split(behind, maxsplit=1)[0]
    if _RETRACTS.search(f"{sentence} {behind}") is not None:
        return False
    is_told = (
        _NAMES.match(behind) is not None or _IS.search(_without_formulas(sentence)) is not None
    )
    named = _OF_APPOSITION.search(sentence)
    is_told = is_told or (named is not None and not _NO_NAME.search(named[1]))
    is_choice = _CHOOSES.search(f"{sentence} {behind}") is not None
    return _DEFINES.search(sentence) is not None or (is_told and not is_choice)


_OF_OTHERS = re.compile(  # what is defined elsewhere, or for once
    r"\b(?:in\s+contrast|et\s+al|some\s+authors|baselines?\s+(?:has|have|uses?)|the\s+case|first\s+iteration|(?:the|our)\s+code|by\s+default)\b"
    r"|^\s*setting\b.*\b(?:gives|yields|recovers|leads|reduces)\b",
    re.IGNORECASE | re.DOTALL,
)


_ONE_CASE = re.compile(  # behind a formula that is not the only one
    r"(?:\$|\\\))[\s~,(]*(?:in\s+the\s+\w+\s+case\b|or\b,?\s+more\s+generally\b|for\b[^.]*\botherwise\b)",
    re.IGNORECASE,
)
_HABIT = re.compile(
    r"\b(?:typically|usually|commonly|often|for\s+example|for\s+instance|e\.\s?g\.)[\s~,\\]*(?:\$|\\\()$",
    re.IGNORECASE,
)
_BY_OTHERS = re.compile(r"\bet\s+al\.?,?\s+(?:define|use|set|take|choose|write)\w*\b[^.]*$")


def defines(statement: Statement) -> bool:
    r"""Whether the sign says that it is a definition: `\coloneqq`, `:=` or `\triangleq`; or the right side, `\operatorname{diag}(w)`."""
    sign = statement.tokens[statement.equal : statement.equal + 1]
    is_sign = bool(sign) and sign[0].type == "DEF" and sign[0].value not in _OF_VALUES
    is_diagonal = [t.value for t in statement.right[:1]] == [r"\diag"]
    return statement.kind == "definition" and (is_sign or is_diagonal)


_OF_VALUES = (r"\equiv", r"\gets", r"\leftarrow", r"\longleftarrow")


_END = re.compile(r"[.;]\s")
_FORMULA = re.compile(r"\$[^$]*\$")


def _without_formulas(sentence: str) -> str:
    """The sentence with a letter for each formula that is closed in it, as its last one is not."""
    return _FORMULA.sub("x", sentence[:-1]) + sentence[-1:]


def _sentence(before: str) -> str:
    """The last sentence of a text, without its end."""
    last = before[-LONGEST_SENTENCE:]
    end = max((m.end() for m in _SENTENCE.finditer(last)), default=0)
    return last[end:]


def says_for(before: str, behind: str) -> bool:
    """Whether a formula between these is the range of the display that follows: "for .. let", in one sentence."""
    is_for = _FOR.search(before[-LONGEST_SENTENCE:]) is not None
    return is_for and _LEADS.fullmatch(behind) is not None


def says_condition(behind: str, following: Sequence[Token]) -> bool:
    """Whether the formula holds under a condition only: "if" and what follows, or "for" and an equation that is no range."""
    word = _CONDITION.match(behind)
    if word is None:
        return False
    kinds = {t.type for t in following}
    is_range = bool(kinds & {"DOTS", "IN", "FORALL"}) or not kinds & {"EQ", "REL"}
    return word[1] != "for" or not is_range


_CONDITION = re.compile(
    r"(?:\\\)|[\s,;$])*(if|for|when|whenever|unless|otherwise)\s*(?:\$|\\\(|otherwise|$|[.,;])"
)


def says_ranges(before: str, tokens: Sequence[Token]) -> bool:
    """Whether tokens behind `before` are whole ranges, from 0 or 1 on, in a sentence that supposes nothing; those up to a number
    where it introduces something, or speaks of indices.
    """
    said = said_ranges(tokens)
    is_whole = said is not None and all(
        [t.value for t in s.low] in (["0"], ["1"]) and s.high for s in said
    )
    sentence = _sentence(before)
    is_number = any({t.type for t in s.high} == {"NUM"} for s in said or ())
    is_told = not is_number or _RANGES.search(sentence) is not None
    return is_whole and is_told and _SUPPOSES.search(sentence) is None


_RANGES = re.compile(  # "we train for $k = 1, \\dots, 100$ epochs" is about no index of a formula
    r"\b(?:where|with|here|let|ind(?:ex|ices|exes)|runs?|running|ranges?|ranging|takes?|values?|components?|coordinates?|axes|sum\w*)\b",
    re.IGNORECASE,
)


def with_prose(
    displays: Sequence[Sequence[Statement]],
    said: Sequence[Sequence[Token]],
    guesses: list[Guess],
) -> list[list[Statement]]:
    """The displays with the ranges that the prose says once of an index, anywhere; each that is used is a guess."""
    counts = Counter(s.name.value for tokens in said for s in said_ranges(tokens) or ())
    once = [
        tokens
        for tokens in said
        if all(counts[s.name.value] == 1 for s in said_ranges(tokens) or ())
    ]
    result = [with_ranges_of_prose(display, once) for display in displays]
    used = {id(t) for new in result for s in new for t in s.ranges}
    for tokens in once:
        before = {id(t) for display in displays for s in display for t in s.ranges}
        if id(tokens[0]) in used - before:
            names = ", ".join(f"`{s.name.value}`" for s in said_ranges(tokens) or ())
            guesses.append(
                Guess(f"{names} has the range that the prose says", tokens[0].start, tokens[-1].end)
            )
    return result


def spoken_definitions(
    displays: Sequence[Sequence[Statement]],
    spoken: Sequence[Statement],
    ranks: Mapping[str, int],
    shaped: Mapping[str, int],
    functions: Sequence[Statement],
) -> list[Statement]:
    r"""The definitions among `spoken` of what displays and `functions` read and do not define, from elements of tensors; the first of each.
    What a line declares with such an element is an input, whatever the prose says of where it comes from; `ranks` are those of lines,
    `shaped` those of the prose too.

    `\mu_x = ..` and `\mu_y = ..` are two, since their right sides have no such index.
    """
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    arguments = {name for s in definitions for name in _arguments(s)}
    definitions += functions
    defined = {s.target for s in definitions}
    spoken = _told(spoken, definitions, arguments, ranks, shaped)
    read = {name for s in definitions for name in _names_read(s) - {*_arguments(s)}}
    sizes = numbers_in_bounds(s.tokens for s in definitions)
    found: dict[tuple[str, ...], Statement] = {}
    more = True
    while more:
        more = False
        for s in spoken:
            is_new = s.target in read - defined or _is_twin(s, definitions)
            is_new = is_new and _key(s) not in found
            is_known = {t.value for t in s.right if t.type == "NAME"} <= read | defined
            is_formula = _is_formula(s) and not (s.is_scalar and s.target in sizes)
            is_formula = is_formula or (is_known and _is_of_functions(s))
            is_formula = is_formula or _is_of_sizes(s, sizes)
            is_formula = is_formula or _is_beside(s, found)
            is_formula = is_formula and not (_lists_components(s, read) or _is_of_event(s))
            if s.kind == "definition" and is_new and is_formula:
                found[_key(s)] = _with_other(s, spoken)
                read |= {t.value for t in s.tokens[s.equal :] if t.type == "NAME"}
                more = True
    return list(found.values())


def formulas_among(
    spoken: Sequence[Statement],
    definitions: Sequence[Statement],
    ranks: Mapping[str, int],
    shaped: Mapping[str, int],
) -> list[Statement]:
    """Those among `spoken` that are formulas for what `definitions` read: no data with noise, no event and no list of components, no residuals
    `r_i = y_i - f(x_i)` of a model that nothing defines, and nothing that is given.
    """
    arguments = {name for s in definitions for name in _arguments(s)}
    known = {s.target for s in definitions}
    return [
        s
        for s in _told(spoken, definitions, arguments, ranks, shaped)
        if s.kind == "definition" and _is_formula(s)
        if not _is_of_event(s) and not _lists_components(s, set())
        if not any(
            t.type == "NAME" and after.type == "LPAR" and t.value not in known
            for t, after in pairwise(s.right)
        )
    ]


def _told(
    spoken: Sequence[Statement],
    definitions: Sequence[Statement],
    arguments: Set[str],
    ranks: Mapping[str, int],
    shaped: Mapping[str, int],
) -> list[Statement]:
    """The statements in the prose without those of what is given to the formulas, and those about something else of the same letter."""
    return [
        s
        for s in spoken
        if not _is_declared(s, ranks) and not (s.is_scalar and s.target in arguments)
        if not _is_model(s, shaped) and not _is_of_whole(s, definitions, shaped)
        if not _has_fewer_indices(s, definitions, shaped)
    ]


def _with_other(statement: Statement, spoken: Sequence[Statement]) -> Statement:
    """The definition with an error behind it where the prose says something else of the same name, too."""
    own = [t.value for t in statement.right]
    for other in spoken:
        is_same = other.kind == "definition" and _key(other) == _key(statement)
        if is_same and [t.value for t in other.right] != own and _is_formula(other):
            fact = "the prose defines this in two ways, and nothing tells which one a formula reads"
            fix = f"declare what is given, `%!tadc input {statement.target}[{'N' * (not statement.is_scalar)}]`, or write the definition as a display"
            error = Token("ERROR", fact, other.start, other.end, fix)
            return replace(statement, tokens=(*statement.tokens, error))
    return statement


def _is_beside(statement: Statement, found: Iterable[tuple[str, ...]]) -> bool:
    r"""Whether it is the `w_2 = t` beside `w_1 = 1 - t`: another name for a number, behind a formula for a name with another label."""
    name, *labels = _name_of(statement)
    is_alias = [t.type for t in statement.right] == ["NAME"]
    return is_alias and bool(labels) and any(other[0] == name for other in found)


def _is_declared(statement: Statement, ranks: Mapping[str, int]) -> bool:
    r"""Whether it is the `d_i = \mathrm{R}(x_i) - \mathrm{R}(y_i)` of a declared `d[N]`, or the `B = A + I` of a declared `B[N, N]`; not the
    `r_{ij} = r_i - r_j` of an `r[N, 3]`.
    """
    count = len(left_indices(statement.tokens))
    reads_itself = any(t.value == statement.target for t in statement.right)
    is_whole = statement.is_scalar or ranks.get(statement.target) in (0, count)
    return statement.target in ranks and bool(is_whole) and not reads_itself


def _is_model(statement: Statement, shaped: Mapping[str, int]) -> bool:
    r"""Whether it is the `y_i = x_i^\top \beta + \varepsilon_i` that says how data come about, with noise: they are given."""
    terms: list[list[Token]] = [[]]
    for token, depth in depths(statement.right):
        if depth == 0 and token.type in ("PLUS", "MINUS"):
            terms.append([])
        terms[-1].append(token)
    noise = [t[1:] for t in terms[1:] if [x.value for x in t[1:2]] in _NOISE]
    alone = [t for t in noise if len(t) == 1 or behind_scripts(t, 1, closing_brackets(t)) == len(t)]
    return any(len(t) > 1 or shaped.get(statement.target, 0) > 0 for t in alone)


_NOISE = (["epsilon"], ["varepsilon"], ["xi"])


def _is_of_whole(
    statement: Statement, definitions: Sequence[Statement], shaped: Mapping[str, int]
) -> bool:
    """Whether it defines a number by numbers, and formulas read elements of that name alone: it is about one of them."""
    if not statement.is_scalar or any(shaped.get(t.value) for t in statement.right):
        return False
    followers = [
        after.type
        for d in definitions
        for t, after in pairwise((*d.right, Token("END", "", 0, 0)))
        if t.type == "NAME" and t.value == statement.target
    ]
    return bool(followers) and all(kind == "SUB" for kind in followers)


def _has_fewer_indices(
    statement: Statement, definitions: Sequence[Statement], shaped: Mapping[str, int]
) -> bool:
    r"""Whether it is the `\theta_i = 2 \pi n_i / q` of numbers beside formulas that read `\theta_{i,j}` alone: it is about another set of them."""
    count = len(left_indices(statement.tokens))
    has_vectors = any(t.note == "bold" for t in statement.tokens) or any(
        shaped.get(name.value, 0) > sum(t.type == "NAME" for t in inner)
        for name, _, inner in scripted(statement.right, "SUB")
    )
    reads = [
        len(inner) if {t.type for t in inner} == {"NAME"} else len(listed(inner))
        for d in definitions
        for name, _, inner in scripted(d.right, "SUB")
        if name.value == statement.target
    ]
    return count > 0 and not has_vectors and bool(reads) and all(n > count for n in reads)


def _arguments(definition: Statement) -> Iterator[str]:
    r"""The `\mu` of `I(\mu) = ..`, which is given whatever the prose says of where it comes from."""
    for call in calls_in(definition.tokens[: definition.equal]):
        for part in listed(call.inner):
            if [t.type for t in part] == ["NAME"]:
                yield part[0].value


def _is_twin(statement: Statement, definitions: Sequence[Statement]) -> bool:
    r"""Whether it is the `s_y^2 = ..` of displays that define `s_x^2` and read `s_y`: one letter with different labels."""
    same = [d for d in definitions if d.target == statement.target]
    own = [_name_of(d) for d in same if statement.is_scalar or not _is_applied(d)]
    name = _name_of(statement)
    are_labels = all(len(n) > 1 for n in own) and name not in own
    if statement.is_scalar:  # the `\sigma^2 = ..` beside a `\sigma_x^2`
        is_read_alone = any(_reads_alone(statement.target, d) for d in definitions)
        return bool(own) and are_labels and is_read_alone
    return (
        len(name) > 1
        and are_labels
        and any(
            read.value == statement.target and [t.value for t in inner] == [*name[1:]]
            for d in definitions
            for read, _, inner in scripted(d.right, "SUB")
        )
    )


def _is_applied(definition: Statement) -> bool:
    """Whether it is the `U(r) = ..` of a function."""
    return any(t.type == "LPAR" for t in definition.tokens[: definition.equal])


def _reads_alone(name: str, definition: Statement) -> bool:
    """Whether the name stands on the right side without a subscript."""
    below = {id(base) for base, _, _ in scripted(definition.right, "SUB")}
    return any(
        t.type == "NAME" and t.value == name and id(t) not in below for t in definition.right
    )


def _names_read(definition: Statement) -> set[str]:
    """The names on the right side that the definition does not bind; the `a` of `U(s, a) = P(s, a)` is an index, and is not read."""
    right = definition.right
    listed = {t.value for t in definition.tokens[1 : definition.equal] if t.type == "NAME"}
    in_lists = {
        place
        for call in calls_in(right)
        if {t.type for t in call.inner} <= {"NAME", "COMMA"}
        and ("COMMA" in {t.type for t in call.inner})
        for place in range(call.start + 1, call.end)
    }
    outside = {t.value for n, t in enumerate(right) if t.type == "NAME" and n not in in_lists}
    every = {t.value for t in right if t.type == "NAME"}
    return every - bound_names(definition.tokens) - (listed - outside)


def applying(in_prose: Sequence[Statement], functions: Set[str]) -> list[Statement]:
    """The definitions in the prose that apply one of these functions: what a document is about that displays functions alone."""
    names = {f.split("_")[0] for f in functions} | {*functions}
    return [
        s
        for s in in_prose
        if s.kind == "definition" and s.target not in names and _is_formula(s)
        if any(t.value in names for t in s.right)
    ]


def _key(statement: Statement) -> tuple[str, ...]:
    r"""What is defined: `K_j = ..` and their total `K = \sum_j K_j` are two."""
    return (*_name_of(statement), *(("total",) if _is_total(statement) else ()))


def _name_of(statement: Statement) -> tuple[str, ...]:
    """The name that is defined, with what stands below it where that is a label: a number, a capital, or a letter of no index."""
    left = statement.tokens[: statement.equal]
    below = [t for _, _, inner in scripted(left, "SUB") for t in inner]
    numbers = [t.value for t in below if t.type == "NUM"]
    letters = [t.value for t in left_indices(statement.tokens)]
    elements = [(name.value, inner) for name, _, inner in scripted(statement.right, "SUB")]
    inside = {t.value for _, inner in elements for t in inner} - {name for name, _ in elements}
    are_labels = not inside & {n for n in letters if not n.isupper()}
    style = "bold" if statement.tokens[0].note == "bold" else ""
    return (f"{statement.target} {style}", *(letters if are_labels else ()), *numbers)


def _is_formula(statement: Statement) -> bool:
    r"""Whether the right side sums or reads elements, and none of what is defined: `x_{ij} = x_{ji}` is a property, and
    `Z = [z_1, \dots, z_n]` says how its rows are called.
    """
    right = statement.tokens[statement.equal :]
    is_square = any(t.type == "SUP" for t in statement.tokens[: statement.equal])
    reads_itself = not is_square and _reads_itself(statement) and not _is_total(statement)
    has_elements = any(t.type == "SUB" for t in right)
    is_list = right[1:2] and right[1].type in OPENERS and any(t.type == "DOTS" for t in right)
    is_plain = all(t.type != "LPAR" for t in statement.tokens[: statement.equal])
    is_formula = has_elements or (is_plain and _is_composed(right))
    is_formula = is_formula and not _has_inverse(right)
    return not (reads_itself or is_list) and is_formula and all(t.type != "ERROR" for t in right)


def _is_total(statement: Statement) -> bool:
    r"""Whether it is the `\beta = \sum_i \beta_i` of a number and of what it is the sum of."""
    own = [t.value for t in statement.right].count(statement.target)
    elements = [name.value for name, _, _ in scripted(statement.right, "SUB")]
    is_sum = any(t.type == "RED" and t.value == "sum" for t in statement.right)
    return statement.is_scalar and is_sum and elements.count(statement.target) == own


def _has_inverse(right: Sequence[Token]) -> bool:
    r"""Whether it is the `K_y^{-1} y` of a matrix, which no formula computes: what it defines is given."""
    return any(
        name.value.isupper() and [t.value for t in inner] == ["-", "1"]
        for name, place, inner in scripted(right, "SUP")
        if [t.type for t in right[place + 5 : place + 6]] == ["NAME"]
    )


def _is_of_event(statement: Statement) -> bool:
    r"""Whether it is the `p_i = \Pr(X = x_i)` that says of which event something is the probability."""
    right = statement.right
    is_call = [t.type for t in right[:2]] == ["NAME", "LPAR"] and right[-1].type == "RPAR"
    return is_call and any(t.type == "EQ" for t in right)


def _lists_components(statement: Statement, read: Set[str]) -> bool:
    r"""Whether it is the `\mathbf{v}_i = (x_i, y_i)` of points whose components no formula reads."""
    right = statement.right
    is_list = (
        bool(right)
        and right[0].type in OPENERS
        and closing_brackets(right).get(0) == len(right) - 1
    )
    has_parts = is_list and any(t.type == "COMMA" and d == 1 for t, d in depths(right))
    below = {t.value for _, _, inner in scripted(right, "SUB") for t in inner}
    components = {t.value for t in right if t.type == "NAME"} - below
    return has_parts and not components & read


def _is_of_sizes(statement: Statement, sizes: Set[str]) -> bool:
    """Whether it is `N = an`, a number made of sizes that the formulas sum up to."""
    names = {t.value for t in statement.right if t.type == "NAME"}
    is_plain = [t.type for t in statement.tokens[: statement.equal]] == ["NAME"]
    are_sizes = len(names) > 1 and names <= sizes and statement.target not in sizes
    return is_plain and are_sizes and {t.type for t in statement.right} <= _ARITHMETIC


_ARITHMETIC = frozenset(("NAME", "NUM", "PLUS", "MINUS", "CDOT", "THIN"))


def _is_of_functions(statement: Statement) -> bool:
    r"""Whether it is `k = 1/\ln(n)`: a function of names, which are numbers of the formulas."""
    kinds = {t.type for t in statement.right}
    is_plain = [t.type for t in statement.tokens[: statement.equal]] == ["NAME"]
    return is_plain and "FUNC" in kinds and "NAME" in kinds and "ERROR" not in kinds


def _reads_itself(statement: Statement) -> bool:
    r"""Whether the right side has the name that is defined, with as many letters below it: `p_x(i) = \sum_j p(i, j)` reads another
    `p`, and so do `\alpha_{ij} = \sqrt{\alpha_i \alpha_j}` and `\alpha_0 = \sum_k \alpha_k`; the `s` of `K_k = K_s e^{a_k}` is a label.
    """
    left = statement.tokens[: statement.equal]
    if not left:
        return False
    below = [inner for name, _, inner in scripted(left, "SUB") if name == left[0]]
    if not below:
        return any(t.value == statement.target and t.note == left[0].note for t in statement.right)
    count = sum(t.type == "NAME" for t in below[0])
    is_number = not count and statement.has_reduction
    letters = Counter(t.value for t in statement.tokens if t.type == "NAME")
    return any(
        name.value == statement.target and sum(t.type == "NAME" for t in inner) == count
        for name, _, inner in scripted(statement.right, "SUB")
        if name.note == left[0].note and not (is_number and any(t.type == "NAME" for t in inner))
        if not ([t.type for t in inner] == ["NAME"] and letters[inner[0].value] == 1)
    )


def _is_composed(right: Sequence[Token]) -> bool:
    r"""Whether it is a formula of numbers or matrices, `(b - a)/n` or `I - \frac{1}{n} \mathbf{1} \mathbf{1}^\top`: no value, and no
    other name for one number.
    """
    names = {t.value for t in right if t.type == "NAME"}
    is_composed = any(t.type in _COMPOSING for t in right[1:]) or _is_product(right[1:])
    return bool(names) and is_composed


def _is_product(tokens: Sequence[Token]) -> bool:
    r"""Whether it is a product of names and numbers such as `2 \pi f`; capitals side by side, `NLG`, may be one word."""
    factors = [t for t in tokens if t.type in ("NAME", "NUM")]
    is_word = any(
        a.value.isupper() and b.value.isupper() and a.end == b.start for a, b in pairwise(factors)
    )
    are_factors = {t.type for t in tokens} <= {"NAME", "NUM", "CDOT", "THIN"}
    return len(factors) > 1 and are_factors and not is_word


_COMPOSING = frozenset(("PLUS", "MINUS", "FRAC", "SLASH", "FUNC", "SQRT", "SUP", "TOP"))
