"""The left sides of a document in the form of the grammar, and the functions that some of them define."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from tadc.syntax import ast
from tadc.syntax.tex.brackets import applied_subscripts
from tadc.syntax.tex.found import Found, declared_ranks, ranks_of
from tadc.syntax.tex.function_heads import (
    OwnFunction,
    own_functions,
    with_labelled_functions,
)
from tadc.syntax.tex.left_functions import with_left_functions
from tadc.syntax.tex.logarithms import with_logarithms
from tadc.syntax.tex.script_tokens import left_indices, scripted
from tadc.syntax.tex.sides import is_about_probabilities, without_named_functions
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.targets import at_points, with_plain_targets

__all__ = ["Lists", "drop_named_functions", "make_targets_plain", "take_functions"]


class Lists(NamedTuple):
    """The names that left sides have with lists: all, those whose lists are indices, and those of lists of elements."""

    headed: set[str]
    indexed: set[str]
    at_points: set[str]


def make_targets_plain(
    found: Found, states: frozenset[str], functions: Sequence[OwnFunction]
) -> Lists:
    """Bring left sides to the form of the grammar."""
    printed = [s for display in found.displays for s in display if s.kind == "definition"]
    declared = {i.name.name for i in found.items if isinstance(i, ast.TensorDeclaration)}
    plain = with_plain_targets(
        with_left_functions(with_logarithms(printed), declared),
        states,
        ranks_of(found),
        {f.name for f in functions},
        {f.name for f in functions if f.has_tensor_below},
        found.guesses,
    )
    pairs = list(zip(printed, plain, strict=True))
    by_place = {id(old): new for old, new in pairs}
    found.displays = [[by_place.get(id(s), s) for s in display] for display in found.displays]
    has_list = [any(t.type in ("LPAR", "LSQB") for t in d.tokens[: d.equal]) for d in printed]
    headed = {
        old.target
        for (old, new), listed in zip(pairs, has_list, strict=True)
        if listed and (old.is_scalar or new.target == old.target)  # `p_x(i) =` has an index
        if not _has_more_indices(old, new)
    }
    return Lists(
        headed,
        {
            new.target
            for old, new in pairs
            if (old.is_scalar and not new.is_scalar) or _has_more_indices(old, new)
        },
        {new.target for old, new in pairs if at_points(old) and not at_points(new)},
    )


def _has_more_indices(old: Statement, new: Statement) -> bool:
    r"""Whether `a_t(s) =` became an element with both indices, or `C_{\mathrm{out}}[n] =` one of a name with a label."""
    before, after = len(left_indices(old.tokens)), len(left_indices(new.tokens))
    is_labelled = not old.is_scalar and not at_points(old)
    return (old.target == new.target and 0 < before < after) or (
        is_labelled and 0 == before < after
    )


def take_functions(found: Found) -> list[OwnFunction]:
    """The functions that displays and prose define and that others apply; their displays are no definitions any more."""
    displayed = [s for display in found.displays for s in display if s.kind == "definition"]
    ranks = declared_ranks(found)
    declared = {i.name.name for i in found.items if isinstance(i, ast.TensorDeclaration)}
    prose = (s for s in found.in_prose if s.kind == "definition" and s.target not in declared)
    candidates = [*displayed, *prose]
    in_displays = {
        n
        for n, below in applied_subscripts(displayed).items()
        if any(not any(part.isdigit() for part in parts) for parts in below)
    }
    own = {s.target for s in displayed if _is_at_own_elements(s)} - in_displays
    applied = {n: x for n, x in applied_subscripts(candidates).items() if n not in own}
    functions = own_functions(candidates, applied, ranks)
    heads = {id(f.printed) for f in functions}
    found.displays = [
        with_labelled_functions([s for s in display if id(s) not in heads], functions)
        for display in found.displays
    ]
    found.spoken = [s for s in found.spoken if id(s) not in heads]
    bodies = with_labelled_functions([f.statement for f in functions], functions)
    return [replace(f, statement=body) for f, body in zip(functions, bodies, strict=True)]


def _is_at_own_elements(definition: Statement) -> bool:
    r"""Whether it is `t_a(x_a) = ..`, which defines elements `t_a` where no display applies it to others."""
    left = definition.tokens[: definition.equal]
    below = [tuple(t.value for t in inner) for _, _, inner in scripted(left, "SUB")]
    return len(below) > 1 and len(set(below)) == 1


def drop_named_functions(found: Found, functions: Set[str]) -> None:
    """Leave out what only names the function that something is the value of."""
    tensors = {i.name.name for i in found.items if isinstance(i, ast.TensorDeclaration)}
    others = tensors | {name.rpartition("_")[0] for name in tensors if "_" in name}
    definitions = [s for d in found.displays for s in d if s.kind == "definition"]
    kept = {id(s) for s in without_named_functions(definitions, others, functions)}
    found.displays = [
        [s for s in d if s.kind != "definition" or id(s) in kept] for d in found.displays
    ]
    found.spoken = without_named_functions(found.spoken, others, functions)
    _skip_probabilities(found)


def _skip_probabilities(found: Found) -> None:
    """Skip definitions by conditional probabilities where others define something, and read none of what these define."""
    definitions = [s for d in found.displays for s in d if s.kind == "definition"]
    formulas = [s for s in definitions if not is_about_probabilities(s)]
    read = {t.value for s in formulas for t in s.right if t.type == "NAME"}
    if formulas:
        found.displays = [
            [
                replace(s, kind="skipped")
                if is_about_probabilities(s) and s.target not in read
                else s
                for s in d
            ]
            for d in found.displays
        ]
