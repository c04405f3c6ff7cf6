"""Sizes that become numbers in a kernel that is scheduled already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Condition, Derived, Domain, Looked
from tadc.ir.expr import Node
from tadc.ir.range import Range
from tadc.ir.walk import substitute

__all__ = ["with_sizes"]

Part = TypeVar("Part")


def with_sizes(part: Part, values: Mapping[Symbol, Affine]) -> Part:
    """A kernel, or any part of one, with these values of sizes: what has no form of sizes is as it was."""
    match part:
        case Affine() | Condition() | Domain() | Derived() | Looked() | Range():
            return cast("Part", part.substitute(values))
        case Node():
            return cast("Part", substitute(part, values))  # type: ignore[arg-type]
        case tuple():
            return cast("Part", tuple(with_sizes(each, values) for each in part))
        case _ if is_dataclass(part) and not isinstance(part, type):
            old = {f.name: getattr(part, f.name) for f in fields(part)}
            new = {name: with_sizes(each, values) for name, each in old.items()}
            changed = {name: each for name, each in new.items() if each is not old[name]}
            return replace(part, **changed) if changed else part
        case _:
            return part
