"""The program as it is run: rewritten so that nothing is computed twice, without another meaning."""

from __future__ import annotations

from functools import lru_cache

from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.normalize.live import live
from tadc.normalize.reductions import separate_inner_reductions
from tadc.normalize.simplify import simplify
from tadc.schedule.rewrite.common import common
from tadc.schedule.rewrite.factor import factored
from tadc.schedule.rewrite.inline import in_readers, inlined
from tadc.schedule.rewrite.running import separate_running
from tadc.schedule.rewrite.shared import shared

__all__ = ["scheduled"]


@lru_cache(maxsize=128)
def scheduled(program: Program, recomputed: frozenset[str] = frozenset()) -> Program:
    """Factors stand outside of sums; running sums, and sums that were computed too often, are tensors; equal ones are
    one.

    Those of `recomputed` are none: they are computed where they are read.
    """
    program = common(simplify(factored(inlined(program))))
    program = separate_running(program, Names((*program.tensors, *program.symbols)))
    program = separate_inner_reductions(program, Names((*program.tensors, *program.symbols)))
    program = shared(live(common(program)))
    return in_readers(program, recomputed)
