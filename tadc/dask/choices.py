"""The choices about a call on Dask arrays, checked: chunks of results, what is kept, what is split, the memory of a task."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from tadc.errors import ArgumentError
from tadc.ir.expr import Reduce
from tadc.ir.program import Program
from tadc.ir.walk import postorder

__all__ = ["TIMES", "Choices", "kept"]

LIMIT = 256e6  # bytes of a task
TIMES = 4  # a result of a reduction is kept if it is at most so many times as large as inputs and outputs together


@dataclass(frozen=True, slots=True)
class Choices:
    """`chunks` are those of results, as Dask writes them; `keep` names intermediates that become Dask arrays, None are those
    that `kept` chooses; `split` has the indices of a reduction that are computed in parts, by its tensor, the others are
    chosen, or None: nothing is in parts; `limit` is in bytes; with `slices` small pieces of chunks are sent instead of chunks, None: where there are
    processes to send them to.
    """

    chunks: Mapping[str, Any] = field(default_factory=dict)
    keep: tuple[str, ...] | None = None
    split: Mapping[str, tuple[str, ...]] | None = field(default_factory=dict)
    limit: float = LIMIT
    slices: bool | None = None

    @classmethod
    def of(cls, chunks: Any, keep: Any, split: Any, limit: Any, slices: Any) -> Choices:
        """The choices as a user gives them. Raises ArgumentError for what is none."""
        splits_nothing = isinstance(split, (tuple, list)) and not split
        for name, value in (("chunks", chunks), ("split", None if splits_nothing else split)):
            if value is not None and not isinstance(value, Mapping):
                raise ArgumentError(
                    None,
                    f"`{name}` is {value!r:.60}",
                    fix=f"give a dict by tensor: `{name}={{'y': ..}}`",
                )
        if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit > 0:
            raise ArgumentError(None, f"`limit` is {limit!r:.60}", fix="give a number of bytes")
        if slices not in (None, False, True):
            raise ArgumentError(None, f"`slices` is {slices!r:.60}", fix="give True or False")
        parts = {
            t: _names(f"split[{t!r}]", i)
            for t, i in ({} if splits_nothing else split or {}).items()
        }
        names = None if keep is None else _names("keep", keep)
        return cls(dict(chunks or {}), names, None if splits_nothing else parts, limit, slices)

    def memory_limit(self, given: int | None) -> int | None:
        """The bytes that temporaries of a block may take; `given` is the limit of the function, if it has one."""
        least = min(self.limit, inf if given is None else given)
        return None if least == inf else int(least)

    def indices(self, tensor: str) -> tuple[str, ...] | None:
        """The indices of the tensor's reduction that are in parts, if that was chosen."""
        return () if self.split is None else self.split.get(tensor)

    def check(self, programs: Sequence[Program]) -> None:
        """Raises ArgumentError for names of tensors that none of the programs computes."""
        computed = list(dict.fromkeys(s.target.name for p in programs for s in p.statements))
        given = (("chunks", self.chunks), ("keep", self.keep or ()), ("split", self.split or ()))
        for what, names in given:
            for name in names:
                if name not in computed:
                    raise ArgumentError(
                        None,
                        f"`{name}` in `{what}` is no tensor that is computed",
                        fix=f"those are {', '.join(computed)}",
                    )


def _names(what: str, value: Any) -> tuple[str, ...]:
    """A name, or several. Raises ArgumentError for anything else."""
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, Collection) or not all(isinstance(n, str) for n in names):
        raise ArgumentError(None, f"`{what}` is {value!r:.60}", fix="give a name, or several")
    return tuple(names)


def kept(
    program: Program,
    sizes: Mapping[str, int],
    dtype: str,
    choices: Choices,
    residuals: Collection[str],
) -> set[str]:
    """The tensors that become Dask arrays: outputs; results of reductions, and `residuals` that a pullback reads, if they are
    not much larger than all inputs and outputs.

    Others are computed inside of the blocks that read them.
    """
    outputs = set(program.outputs)
    if choices.keep is not None:
        return outputs.union(choices.keep)
    size = program.bytes_at(sizes, dtype)
    outside = sum(size[n] for n in {*(t.name for t in program.inputs), *outputs})
    worth = {
        s.target.name
        for s in program.statements
        if s.target.name in residuals or any(isinstance(e, Reduce) for e in postorder(s.body))
    }
    return outputs | {n for n in worth if size[n] <= TIMES * outside}
