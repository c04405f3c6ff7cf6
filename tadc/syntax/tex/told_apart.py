"""Elements, labels and indices of a whole document told apart, by what stands in brackets, below and above its letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax import ast
from tadc.syntax.base import declared_base
from tadc.syntax.tex.bare_arguments import with_unclear_arguments
from tadc.syntax.tex.bare_logarithms import with_whole_logarithms
from tadc.syntax.tex.brackets import Brackets, bare_elements, bare_names, indexed_names
from tadc.syntax.tex.declared_sets import with_rows_of_sets
from tadc.syntax.tex.found import Found
from tadc.syntax.tex.function_heads import (
    OwnFunction,
)
from tadc.syntax.tex.integrals import with_integrals
from tadc.syntax.tex.left_sides import Lists
from tadc.syntax.tex.points import (
    functions_at_points,
)
from tadc.syntax.tex.primes import with_primes
from tadc.syntax.tex.same_letters import letters_apart
from tadc.syntax.tex.script_tokens import names_in_bounds
from tadc.syntax.tex.scripts import Scripts
from tadc.syntax.tex.sets import without_sets
from tadc.syntax.tex.shapes import (
    extents_of,
    place_of_in,
    rank_of,
)
from tadc.syntax.tex.statement import Statement

__all__ = ["with_scripts"]


def with_scripts(
    found: Found,
    statements: Sequence[Statement],
    shapes: Sequence[Statement],
    functions: Sequence[OwnFunction],
    lists: Lists,
    rows: Mapping[str, int],
    *,
    text: str,
    has_kernels: bool,
) -> list[Statement]:
    """The statements with elements, labels and indices told apart; `rows` are the ranks of tensors whose rows have shapes; `text` is what
    tokens are places of; `has_kernels`: it speaks of some.
    """
    guesses = found.guesses
    tensors = [i for i in found.items if isinstance(i, ast.TensorDeclaration)]
    ranks = {i.name.name: len(i.extents) for i in tensors if i.extents is not None}
    ranks |= {s.tokens[0].value: rank_of(s) for s in shapes}
    sizes = {i.name.name for i in found.items if isinstance(i, ast.SizeDeclaration)}
    sizes |= {t.value for s in shapes for t in s.tokens[place_of_in(s) :] if t.type == "NAME"}
    names = {f.name for f in functions}
    indexed = (indexed_names(statements) | lists.indexed) - names
    known = indexed | names | lists.headed | lists.at_points | {*ranks, *sizes, "delta"}
    places = sizes | names_in_bounds(s.tokens for s in statements)
    brackets = Brackets(
        indexed,
        names,
        {f.name: f.letters_below for f in functions if f.has_index},
        ranks,
        places,
        lists.headed,
        lists.at_points | functions_at_points(statements, known, ranks, places, guesses),
        bare_names(statements),
        bare_elements(statements),
        has_kernels,
    )
    vectors = {name for name, rank in {**rows, **ranks}.items() if rank}
    unnamed = {name for name, rank in ranks.items() if rank == 4}
    statements = with_integrals(statements, unnamed, guesses)
    statements = [brackets(s) for s in statements]
    statements = [replace(s, tokens=tuple(with_whole_logarithms(s.tokens))) for s in statements]
    statements = [
        replace(s, tokens=tuple(with_unclear_arguments(s.tokens, text, vectors)))
        for s in statements
    ]
    statements = [
        replace(s, tokens=tuple(with_rows_of_sets(s.tokens, ranks, guesses))) for s in statements
    ]
    statements = [
        replace(s, tokens=tuple(without_sets(s.tokens, sizes, guesses))) for s in statements
    ]
    parameters = {f.statement.start: {t.value for t in f.parameters} for f in functions}
    statements = with_primes(statements, {**rows, **ranks}, parameters, guesses)
    scripts = Scripts(
        statements,
        declared={*ranks, *sizes},
        ranks=ranks,
        scalars={name for name, rank in ranks.items() if rank == 0},
        sizes=sizes,
        is_upper=found.is_upper,
        is_einstein=any(isinstance(i, ast.EinsteinDeclaration) for i in found.items),
        longer=_longer(tensors, shapes),
        extents=extents_of(tensors, shapes),
        in_intervals=found.in_intervals,
        base=declared_base(found.items),
        parameters=parameters,
    )
    statements = scripts.run()
    guesses += scripts.guesses.values()
    return letters_apart(statements, ranks, guesses)


def _longer(tensors: Sequence[ast.TensorDeclaration], shapes: Sequence[Statement]) -> set[str]:
    r"""The names of `\beta \in \mathbb{R}^{p+1}`, which have one element more than something else."""
    declared = {
        i.name.name
        for i in tensors
        if any(isinstance(e, ast.Binary) and e.operator == "+" for e in i.extents or ())
    }
    said = {s.tokens[0].value for s in shapes if any(t.type == "PLUS" for t in s.tokens)}
    return declared | said
