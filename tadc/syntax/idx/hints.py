"""Explanations why a statement does not parse, with a suggestion.

The words around the place where the parser stopped usually tell what was meant: the first row of the table whose test holds
explains the error. Without one, what the grammar expects is listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from lark import UnexpectedInput

from tadc.errors import Source, SyntaxError
from tadc.syntax.idx.expected import expected
from tadc.syntax.idx.load import is_spelled_as
from tadc.syntax.idx.stop import CLOSING, REDUCED, RENAMED, Place, Stop, is_name

__all__ = ["explained"]


def explained(error: UnexpectedInput, source: Source, start: int, end: int) -> SyntaxError:
    """The error of the statement from `start` to `end`, in the words of the language."""
    stop = Stop.of(error, source, start, end)
    for hint in _HINTS:
        if hint.applies(stop):
            fact, fix = stop.filled(hint.fact), stop.filled(hint.fix)
            return SyntaxError(stop.span(hint.place), fact, fix=fix)
    fact = f"{stop.shown} cannot stand here"
    return SyntaxError(stop.span("found"), fact, fix=expected(stop.accepts))


class _Hint(NamedTuple):
    """A row of the table. `<found>`, `<last>` and such in its sentences are words of the `Stop`."""

    applies: Callable[[Stop], bool]
    fact: str
    fix: str
    place: Place = "found"


_MODULES = frozenset(("np", "numpy", "torch", "jnp", "jax", "math", "tf", "cp", "scipy", "F", "nn"))
_REDUCTIONS = frozenset(("sum", "prod", "product", "max", "min", "mean"))
_SUBSCRIPTS = re.compile(r"[\w\s,+*/%-]+")
_RELATIONS = frozenset({"=", "==", "!=", "<", "<=", ">", ">="})


def _is_function(text: str) -> bool:
    return is_spelled_as("FUNCTION", text)


def _is_reduction(text: str) -> bool:
    return is_spelled_as("REDUCTION", text)


def _in_ranges(stop: Stop) -> bool:
    return stop.opened == "{" and _is_reduction(stop.opener)


def _operand_missing(stop: Stop) -> bool:
    return {"NAME", "MINUS"} <= stop.accepts and "PLUS" not in stop.accepts


def _condition_ended(stop: Stop) -> bool:
    return "AND" in stop.accepts and "PLUS" not in stop.accepts


def _side_by_side(stop: Stop) -> bool:
    return stop.after_operand and stop.operand_found


_DEFINITION = "write `name[indices] = expression`, or a declaration: size, input, output, require, base, einstein"
_CHOICE = "write `if condition then a else b`"

_HINTS: tuple[_Hint, ...] = (
    # mistakes that make all that follows wrong
    _Hint(lambda s: s.begins_statement,
          "this line is indented deeper than the statement above, and so continues it",
          "begin it in the column where that statement begins"),
    _Hint(lambda s: s.found.text in ("\\", "$"),
          "`<found>` belongs to LaTeX", "give LaTeX in a .tex file, or with `lang=\"tex\"`"),
    _Hint(lambda s: s.found.text == "{" and s.touching and len(s.last) > 1 and s.last.endswith("_")
              and not _is_reduction(s.last[:-1]) and bool(s.inside),
          "subscripts stand in brackets, and `<last>{` is LaTeX",
          "write `<name>[<inside>]`, or give the whole as LaTeX: in a .tex file, or with `lang=\"tex\"`"),

    # brackets, and the parts of `if`
    _Hint(lambda s: bool(s.found.text) and (s.found.text.isspace() or not s.found.text.isprintable()),
          "<shown> is no sign of the language", "write an ordinary blank or newline"),
    _Hint(lambda s: not s.found.text and s.opened in CLOSING,
          "`<opened>` is never closed", "write the missing `<closing>`", "opened"),
    _Hint(lambda s: s.found.text in CLOSING.values() and not any(s.words[at].text in CLOSING for at in s.open),
          "`<found>` closes nothing", "remove it, or write what it should close"),
    _Hint(lambda s: s.found.text in CLOSING.values() and s.opened in CLOSING and s.found.text != CLOSING[s.opened],
          "`<opened>` cannot be closed by `<found>`", "write `<closing>`"),
    _Hint(lambda s: s.opened == "then" and s.after_operand and s.entry_ends,
          "this `then` has no `else`", _CHOICE, "opened"),
    _Hint(lambda s: s.opened == "if" and s.found.text == "then" and s.after_operand,
          "`if` needs a condition, but nothing is compared here", "write a comparison, such as `<condition> != 0`", "condition"),
    _Hint(lambda s: s.opened == "if" and "THEN" in s.accepts
              and (_side_by_side(s) or "PLUS" not in s.accepts or s.found.text == ":"),
          "`then` does not follow the condition", _CHOICE),

    # lists
    _Hint(lambda s: s.last in (",", ";") and s.entry_ends,
          "nothing follows this `<last>`", "remove it", "last"),
    _Hint(lambda s: s.last in CLOSING and s.found.text in (",", ";"),
          "a list begins with an entry, not with `<found>`", "remove the `<found>`"),

    # the beginning of a statement
    _Hint(lambda s: bool(s.einsum),
          "a formula names its tensors, and this is the notation of `einsum`", "write `<einsum>`", "statement"),
    _Hint(lambda s: not s.words and s.found.text in ("%", "//"),
          "`<found>` begins no statement", "begin a comment with `#`"),
    _Hint(lambda s: not s.words and s.found.text not in ("_", "\\", "$"),
          "a statement begins with a name", _DEFINITION),
    _Hint(lambda s: s.found.text == "=" and s.last == ":" and s.touching,
          "a definition is written with `=`, not with `:=`", "write `=`"),
    _Hint(lambda s: s.found.text == "=" and s.last == "=" and s.touching,
          "`==` compares, and a definition is written with `=`", "write `=`"),
    _Hint(lambda s: s.on_the_left and not s.open and s.found.text in ("+", "-", "*", "/", "**", "//") and s.rest[:1] == "=",
          "a tensor is defined once and never changed, so there is no `<found>=`", "define another tensor with `=`"),
    _Hint(lambda s: s.on_the_left and not s.open and s.found.text == "(" and len(s.words) == 1 and bool(s.inside),
          "the indices of a tensor stand in brackets", "write `<last>[<inside>]` for an element, or `<last>` alone: inputs are not listed"),
    _Hint(lambda s: s.on_the_left and s.opened == "[" and s.last.isdigit() and s.found.text == ":",
          "there are no slices", "write an index, `<opener>[i: N]`, which runs from 0"),
    _Hint(lambda s: s.on_the_left and s.opened == "[" and s.last in ("[", ",", ";") and s.found.text in (":", ".."),
          "the indices of a tensor have names", "write one here, and the same one on the right: `y[i, j] = x[i, j]`"),
    _Hint(lambda s: s.on_the_left and s.opened == "[" and (s.found.text == ".." or (s.found.text == "=" and ".." in s.rest)),
          "an index on the left runs from 0, and its range is an extent", "write `<opener>[i: 4]` for 0 to 3"),
    _Hint(lambda s: s.on_the_left and s.opened == "[" and s.found.text in _RELATIONS - {"="} and is_name(s.opener),
          "nothing is compared on the left side", "write an extent, `<opener>[i: N]`, or `if a < b then c else d` on the right"),
    _Hint(lambda s: s.first == "size" and len(s.words) > 1 and s.declares and not s.open and s.after_operand and (s.found.text == ":" or s.found.text.isdigit()),
          "a size gets its number by `=`", "write `size <last> = 3`"),
    _Hint(lambda s: s.declares and not s.open and s.found.text == "(" and bool(s.inside),
          "a shape stands in brackets", "write `<last>[<inside>]`"),
    _Hint(lambda s: s.declares and not s.open and s.found.text == "[" and s.before(2) == ":",
          "the element type follows the shape", "write `x[<inside>]: <last>`"),
    _Hint(lambda s: s.first == "repeat" and len(s.words) == 1 and s.found.text == "{",
          "`repeat` is followed by the number of rounds", "write `repeat T { .. }`, and `step { .. }` for one round"),
    _Hint(lambda s: s.first == "repeat" and len(s.words) == 1 and (s.found.text[:1].isdigit() or is_name(s.found.text)),
          "`repeat` and its `{` stand on one line", "write `repeat <found> {`"),
    _Hint(lambda s: s.first == "for" and len(s.words) == 1,
          "there are no loops: the indices on the left run over the whole shape", "write `y[i] = x[i]` alone"),
    _Hint(lambda s: s.first in ("let", "var", "const", "auto", "return", "local", "float", "double", "real", "int", "def") and len(s.words) == 1
              and is_name(s.found.text),
          "no statement begins with `<first>`", "write the name that is defined first, `y[i] = x[i]`, and shapes as `input x[N]`", "last"),
    _Hint(lambda s: s.first in ("import", "from") and len(s.words) == 1 and is_name(s.found.text),
          "nothing is imported: the functions of the language are there", "remove this line", "last"),
    _Hint(lambda s: s.first == "base" and len(s.words) == 1,
          "`base` is followed by the first index", "write `base 0` or `base 1`"),
    _Hint(lambda s: s.first == "einstein" and s.declares,
          "`einstein` stands alone", "remove what follows it"),
    _Hint(lambda s: s.first == "require" and s.declares and len(s.words) == 1,
          "`require` is followed by a condition on sizes", "write one, such as `require o + n <= N`"),
    _Hint(lambda s: s.first == "size" and s.declares and s.last in ("<", "<=", ">", ">="),
          "the only bound of a size in its declaration is `>= 0`", "write others as `require n <= N`"),
    _Hint(lambda s: s.declares and len(s.words) == 1,
          "`<first>` is followed by names", "write `<first>` and one or several names"),
    _Hint(lambda s: s.on_the_left and len(s.words) == 1 and is_name(s.found.text),
          "no statement begins with `<first> <found>`", _DEFINITION),
    _Hint(lambda s: s.on_the_left and not s.open and not s.found.text,
          "a statement defines something, but there is no `=`", _DEFINITION),
    _Hint(lambda s: s.first == "output" and s.declares and s.found.text in ("[", "("),
          "outputs are named without their indices", "write `output <last>`"),
    _Hint(lambda s: s.declares and not s.open and s.after_operand and is_name(s.found.text),
          "there is no `,` before `<found>`", "write `, <found>`"),

    # signs of other languages
    _Hint(lambda s: s.found.text == "^",
          "`^` is not a power", "write `**`"),
    _Hint(lambda s: s.found.text == "&",
          "`&` joins no conditions", "write `and`"),
    _Hint(lambda s: s.found.text == "|" and s.rest[:1] == "|" and s.after_operand,
          "`||` joins no conditions", "write `or`"),
    _Hint(lambda s: s.found.text == "|" and not s.after_operand,
          "`|` begins no absolute value", "write `abs(...)`"),
    _Hint(lambda s: s.found.text == "|",
          "a condition after `|` belongs in the braces of a reduction", "write `sum{k | condition} ...`"),
    _Hint(lambda s: s.found.text == "!" and s.after_operand,
          "there is no factorial `!`", "write `exp(lgamma(n + 1))`"),
    _Hint(lambda s: s.found.text in ("!", "~"),
          "`<found>` negates no condition", "write `not`"),
    _Hint(lambda s: s.found.text == "@",
          "there is no matrix product `@`", "write the sum, `sum{k} a[i, k]*b[k, j]`"),
    _Hint(lambda s: s.found.text == "'" and s.touching and s.after_operand,
          "a name has no prime, and `'` does not transpose", "write another name, or exchange the subscripts"),
    _Hint(lambda s: s.found.text in ("'", '"', "`"),
          "there are no strings in the language", "remove the quotes"),
    _Hint(lambda s: s.found.text == "?",
          "there is no `? :`", _CHOICE),
    _Hint(lambda s: s.found.text == "*" and s.last == "*",
          "two factors have one `*` between them, and `**` is written without a blank", "write `**` for a power"),

    # numbers and names
    _Hint(lambda s: s.found.text == "." and s.last == ".." and s.touching,
          "a range has two points, `low..high`", "remove the third"),
    _Hint(lambda s: s.found.text == ".." and s.rest[:1] == "." and s.opened in CLOSING,
          "there is no `...` for the other indices", "write all of them"),
    _Hint(lambda s: s.found.text == "." and s.rest[:1].isdigit() and not s.after_operand,
          "a number has a digit before its point", "write a 0 before it"),
    _Hint(lambda s: s.found.text == "." and s.last.isdigit() and s.touching,
          "a number has a digit after its point", "write `<last>.0`"),
    _Hint(lambda s: s.found.text == "." and s.last in _MODULES,
          "functions have no module before them", "write `<following>` without `<last>.`"),
    _Hint(lambda s: s.found.text == "." and s.following == "T",
          "there is no transpose `.T`", "exchange the subscripts, `x[j, i]`"),
    _Hint(lambda s: s.found.text == "." and s.after_operand and _is_reduction(s.following),
          "there is no method `.<following>`", "write `<following>{k} x[k]`"),
    _Hint(lambda s: s.found.text == "." and is_name(s.last),
          "a name has no point in it", "write `_`, as in `<last>_1`"),
    _Hint(lambda s: s.found.text == "_" and s.last == "}",
          "bounds follow the brace without a blank", "write `sum{k}_0^4`"),
    _Hint(lambda s: s.found.text == "_" and s.last.isdigit() and s.touching,
          "digits are not grouped by `_`", "write the number without it"),
    _Hint(lambda s: s.found.text == "_",
          "a name begins with a letter, not with `_`", "write a letter first"),

    # reductions
    _Hint(lambda s: s.found.text == "{" and _is_reduction(s.last) and (_is_function(s.before(2)) or s.before(2) == "**"),
          "a reduction after `<second>` needs parentheses", "write `<second> (<last>{...} ...)`", "last"),
    _Hint(lambda s: s.found.text == "{" and s.last.endswith("_") and _is_reduction(s.last[:-1]),
          "the braces of a reduction follow its name without `_`", "write `sum{k} ...`"),
    _Hint(lambda s: s.opened in ("(", "[") and s.opener.lower() in _REDUCTIONS and s.found.text in ("..", "in", "for", "{"),
          "the range of a reduction stands in braces", "write `sum{k=0..4} x[k]`, with the last index included"),
    _Hint(lambda s: s.found.text == "{" and _is_function(s.last),
          "the argument of a function stands in parentheses", "write `<last>(...)`"),
    _Hint(lambda s: s.found.text == "{" and is_name(s.last) and not s.on_the_left and _SUBSCRIPTS.fullmatch(s.inside) is not None
              and not s.applies_braces,
          "subscripts stand in brackets", "write `<last>[<inside>]`"),
    _Hint(lambda s: s.found.text == "{" and s.last[:1] in ("Σ", "Π"),
          "a sum is written with `sum`", "write `sum{k} x[k]`"),
    _Hint(lambda s: s.found.text == "{" and s.last == "1" and s.compares_inside,
          "1 or 0 by a condition stands in brackets", "write `[<inside>]`"),
    _Hint(lambda s: s.found.text == "{" and s.last in REDUCED,
          "there is no reduction `<last>`", "write `<reduced>`", "last"),
    _Hint(lambda s: s.found.text == "{" and s.after_operand,
          "braces follow a reduction, and `<last>` is none", "write sum, prod, max, min, mean, logsumexp, argmax or argmin"),
    _Hint(lambda s: s.found.text == "{",
          "braces hold the ranges of a reduction, or a condition", "write parentheses to group"),
    _Hint(lambda s: "CIRCUMFLEX" in s.accepts,
          "the upper bound does not follow the lower one", "write `sum{k}_low^high`, other bounds than names and numbers in parentheses"),
    _Hint(lambda s: s.last == "_" or (s.before(2) == "_" and s.last == "-"),
          "this is no bound", "write a number, a name, or parentheses around it"),
    _Hint(lambda s: _in_ranges(s) and s.found.text == "in",
          "a range is not written with `in`", "write `<last>=low..high`, inclusive, or `<last>: extent`"),
    _Hint(lambda s: _in_ranges(s) and "DOTS" in s.accepts,
          "a range between bounds is `low..high`, inclusive", "write `..` and the last index"),
    _Hint(lambda s: _in_ranges(s) and s.found.text in _RELATIONS and is_name(s.last) and len(s.words) - 2 in s.open,
          "a condition on the range stands after `|`", "write `<opener>{<last> | <last> <found> ..}`"),
    _Hint(lambda s: _in_ranges(s) and s.found.text in _RELATIONS,
          "a condition on the range stands after `|`", "write `<opener>{k | condition}`"),
    _Hint(lambda s: _in_ranges(s) and s.last == "{" and s.found.text == "}",
          "the braces name no index", "write `<opener>{k} ...`"),
    _Hint(lambda s: _in_ranges(s) and s.last in ("{", ",", ";"),
          "the braces hold indices, and `<found>` is none", "write `<opener>{k} ...`"),
    _Hint(lambda s: _in_ranges(s) and s.found.text in ("(", "[") and is_name(s.last),
          "the braces hold indices, and `<last><found>` begins a value", "write `<opener>{k} ...`"),
    _Hint(lambda s: _side_by_side(s) and _is_reduction(s.head),
          "the indices of a reduction stand in braces", "write `<head>{k} ...`"),
    _Hint(lambda s: _side_by_side(s) and "_" in s.last and _is_reduction(s.last.partition("_")[0]),
          "the indices of a reduction stand in braces, so `<last>` is a name", "write `sum{k} ...`"),

    # functions without parentheses
    _Hint(lambda s: s.found.text == "**" and s.after_operand,
          "the power of a function without parentheses could be that of its argument", "write `exp(x)**2` or `exp(x**2)`"),
    _Hint(lambda s: s.opened == "[" and s.found.text == "=" and s.on_the_left,
          "`[` is not closed before `=`", "write `]`", "opened"),
    _Hint(lambda s: s.opened == "[" and s.found.text in _RELATIONS and _is_function(s.opener),
          "`<opener> [` begins an element of a tensor `<opener>`, where nothing is compared", "write `<opener>([...])`"),

    # subscripts and brackets
    _Hint(lambda s: s.opened == "[" and s.found.text in _RELATIONS and is_name(s.opener),
          "`<opener>[` begins an element of a tensor, where nothing is compared", "write `<opener> * [...]` for a bracket"),
    _Hint(lambda s: s.found.text == "[" and s.last in ("]", ")") and s.compares_inside,
          "there is no operator between `<last>` and `[`", "write <product>"),
    _Hint(lambda s: s.found.text == "[" and s.last == "]" and s.touching,
          "an element has one pair of brackets", "write `x[i, j]`"),
    _Hint(lambda s: s.found.text == "[" and s.last == ")" and s.touching,
          "only the name of a tensor takes subscripts", "define a tensor by a statement of its own, and write its name with the subscripts"),
    _Hint(lambda s: s.opened == "(" and not is_name(s.opener) and s.found.text in (",", ";"),
          "parentheses that follow no name hold one value", "write one value, or a function before them"),
    _Hint(lambda s: s.opened == "[" and s.found.text == ":" and not s.on_the_left,
          "there are no slices", "write an index, `x[i]`, and give it a range on the left, `f[i: N]`"),
    _Hint(lambda s: s.opened == "[" and not is_name(s.opener) and s.found.text in ("]", ",", ";") and s.after_operand and not s.joins,
          "brackets that follow no name hold a condition", "write `(...)` to group, `[a = b]` for 1 or 0"),

    # conditions and values
    _Hint(lambda s: not s.open and s.found.text in ("=", "==") and s.after_operand,
          "a statement has one `=`", "write `[a = b]` for 1 or 0, or two statements"),
    _Hint(lambda s: s.found.text in _RELATIONS and s.after_operand,
          "a comparison is no value", "write `[a < b]` for 1 or 0, or `if a < b then c else d`"),
    _Hint(lambda s: _condition_ended(s) and not s.operand_found,
          "a condition is no value", "write `[condition]` for 1 or 0, or `if condition then a else b`"),
    _Hint(lambda s: s.found.text in ("and", "or") and s.after_operand,
          "`<found>` joins conditions, but `<last>` ends a value", "write a comparison, such as `<left> != 0`"),
    _Hint(lambda s: "RELATION" in s.accepts and "AND" not in s.accepts and s.entry_ends,
          "a condition is expected, but nothing is compared here", "write a comparison, such as `i < j`"),

    # two operands side by side
    _Hint(lambda s: s.opened == "{" and _side_by_side(s) and not s.is_closed,
          "`{` is never closed", "write the missing `}`", "opened"),
    _Hint(lambda s: s.found.text == "if" and s.after_operand,
          "`if` stands before both values", _CHOICE),
    _Hint(lambda s: s.found.text == "where" and s.after_operand,
          "no condition follows a formula", "write `if condition then a else b`, or a range on the left, `f[i: N]`"),
    _Hint(lambda s: s.found.text == "for" and s.after_operand,
          "there are no loops: indices run over the whole shape", "write `sum{k} x[k]` for a sum"),
    _Hint(lambda s: s.found.text == "mod" and s.after_operand,
          "the remainder of index expressions is written with `%`", "write `i % 3`"),
    _Hint(lambda s: s.last in RENAMED and s.operand_found,
          "there is no function `<last>`", "write `<renamed>(...)`"),
    _Hint(lambda s: s.last[:1] in ("Σ", "Π") and s.operand_found,
          "a sum is written with `sum`", "write `sum{k} x[k]`"),
    _Hint(lambda s: s.last[:1].isdigit() and is_name(s.found.text),
          "a product is written with `*`", "write <product>"),
    _Hint(lambda s: s.on_the_left and not s.open and s.after_operand,
          "`=` does not follow the left side", _DEFINITION),
    _Hint(lambda s: _side_by_side(s) and s.opened == "[",
          "there is nothing between `<last>` and `<found>`", "write `,` between indices, <product> for a product"),
    _Hint(lambda s: _side_by_side(s) and bool(s.elements),
          "there is no operator between `<last>` and `<found>`", "write <product> for a product of numbers, or `<elements>` for one of elements"),
    _Hint(_side_by_side,
          "there is no operator between `<last>` and `<found>`", "write <product> for a product"),
    _Hint(lambda s: not s.open and s.found.text == "," and s.after_operand and not s.on_the_left and not s.declares,
          "a statement defines one tensor by one expression", "remove the `,`, or write two statements"),

    # the rest
    _Hint(lambda s: s.on_the_left and s.opened == "[" and s.found.text == ":",
          "an extent follows a bare index", "write `f[i: extent]`"),
    _Hint(lambda s: s.found.text == "..",
          "`..` stands only between the bounds of a range", "write `sum{k=low..high} ...`"),
    _Hint(lambda s: s.found.text == "+" and _operand_missing(s),
          "there is no unary `+`", "remove it"),
    _Hint(lambda s: _operand_missing(s) and bool(s.last),
          "a value is missing after `<last>`", "write a name, a number, or an expression in parentheses"),
)  # fmt: skip
