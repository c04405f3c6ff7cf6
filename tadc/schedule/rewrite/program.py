"""The program as it is run: rewritten so that nothing is computed twice, without another meaning."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.normalize.live import live
from tadc.normalize.reductions import separate_inner_reductions
from tadc.normalize.simplify import simplify
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.rewrite.common import common
from tadc.schedule.rewrite.common_factors import with_common_factors
from tadc.schedule.rewrite.diagonals import diagonals
from tadc.schedule.rewrite.divisors import with_divisors_before
from tadc.schedule.rewrite.factor import factored
from tadc.schedule.rewrite.half_powers import with_half_powers_as_roots
from tadc.schedule.rewrite.inline import in_readers, inlined
from tadc.schedule.rewrite.inner_sums import inner_sums
from tadc.schedule.rewrite.invariants import invariant_values
from tadc.schedule.rewrite.joined import joined
from tadc.schedule.rewrite.left_out import with_points_left_out
from tadc.schedule.rewrite.looked_up import has_data
from tadc.schedule.rewrite.moments import moments
from tadc.schedule.rewrite.moved import moved_values
from tadc.schedule.rewrite.narrowed import narrowed
from tadc.schedule.rewrite.oriented import oriented
from tadc.schedule.rewrite.quotients import sums_over_quotients
from tadc.schedule.rewrite.running import separate_running
from tadc.schedule.rewrite.shared import shared
from tadc.schedule.rewrite.single_terms import with_quotients_of_results
from tadc.schedule.rewrite.summands import summands
from tadc.schedule.rewrite.windows import windows_from_zero
from tadc.schedule.rewrite.wraps import with_wraps_as_conditions

__all__ = ["BY_ROWS", "MOMENTS", "QUOTIENTS", "rearranged", "recomputing", "scheduled"]

QUOTIENTS = "sums over quotients are nested"
MOMENTS = "sums of powers by distances run"
BY_ROWS = "of two sums the inner one reads rows"


@lru_cache(maxsize=128)
def scheduled(
    program: Program, recomputed: frozenset[str] = frozenset(), choices: Choices = BY_MODEL
) -> Program:
    """Factors stand outside of sums; running sums, and sums that were computed too often, are tensors; equal ones are
    one.

    Those of `recomputed` are none: they are computed where they are read.
    """
    program = with_wraps_as_conditions(with_half_powers_as_roots(program))
    if has_data(program):
        return live(_with_sums_arranged(program, choices))
    program = inlined(narrowed(oriented(program)))
    if choices.whether(MOMENTS, True):
        program = moments(program, Names((*program.tensors, *program.symbols)))
    program = with_quotients_of_results(program)
    if choices.whether(QUOTIENTS, True):
        program = sums_over_quotients(program)
    program = rearranged(common(program), by_rows=choices.whether(BY_ROWS, True))
    if choices.whether("running sums are one pass", True):
        program = separate_running(program, Names((*program.tensors, *program.symbols)))
    if choices.whether("values of combined indices are stored", True):
        program = moved_values(program, Names((*program.tensors, *program.symbols)))
    program = inlined(_with_sums_apart(common(program), choices))  # sums have left some statements
    if choices.whether("invariant values are stored", True):
        program = invariant_values(program, Names((*program.tensors, *program.symbols)))
    if choices.whether("quotients in sums are stored", True):
        program = with_divisors_before(program, Names((*program.tensors, *program.symbols)))
    program = joined(live(common(program)))
    if choices.whether("shared values are stored", True):
        program = shared(program)
    if choices.whether("inner sums are stored in part", True):
        program = inner_sums(program, Names((*program.tensors, *program.symbols)), in_part=True)
    return windows_from_zero(recomputing(program, recomputed))


def _with_sums_arranged(program: Program, choices: Choices) -> Program:
    """A program with data: what follows them is computed where it stands, and the sums of other statements are arranged, each for itself."""
    statements: list[Statement] = []
    for s in program.statements:
        if has_data(replace(program, statements=(s,))):
            statements.append(s)
            continue
        others = [o.target for o in (*statements, *program.statements) if o.target != s.target]
        alone = replace(
            program,
            inputs=(*program.inputs, *dict.fromkeys(others)),
            outputs=(s.target.name,),
            statements=(s,),
        )
        statements += _with_sums_apart(common(rearranged(alone)), choices).statements
    return replace(program, statements=tuple(statements))


def _with_sums_apart(program: Program, choices: Choices) -> Program:
    """Running sums, and sums that were computed too often, are tensors."""
    if choices.whether("running sums are one pass", True):
        program = separate_running(program, Names((*program.tensors, *program.symbols)))
    program = separate_inner_reductions(program, Names((*program.tensors, *program.symbols)))
    if choices.whether("inner sums are stored", True):
        program = inner_sums(program, Names((*program.tensors, *program.symbols)))
    return program


def recomputing(program: Program, recomputed: frozenset[str]) -> Program:
    """A scheduled program in which those temporaries are computed where they are read, in one sum with what shares their values."""
    return joined(with_points_left_out(in_readers(program, recomputed)))


def rearranged(program: Program, by_rows: bool = True) -> Program:
    """Factors stand outside of sums, those of several sums once, and sums on diagonals are tensors."""
    program = summands(program, Names((*program.tensors, *program.symbols)))
    program = simplify(with_common_factors(factored(program, by_rows)))
    return diagonals(program, Names((*program.tensors, *program.symbols)))
