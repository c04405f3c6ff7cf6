"""A text that two programs share if and only if they are equal: the key under which results for a program are cached."""

from __future__ import annotations

from tadc.ir.expr import Comparison, Expr, Node
from tadc.ir.program import Program
from tadc.ir.walk import postorder

__all__ = ["fingerprint"]


def fingerprint(program: Program) -> str:
    """Every node once, its operands by their numbers."""
    numbers: dict[Expr, int] = {}
    lines = [
        repr((program.name, program.sizes, program.derived_sizes, program.facts, program.inputs, program.outputs,
              len(program.given), sorted(program.offsets), program.usual, program.is_section))
    ]  # fmt: skip
    statements = (*program.given, *program.statements)
    for node in postorder(s.body for s in statements):
        numbers[node] = len(numbers)
        fields = (_field(getattr(node, f), numbers) for f in type(node).__match_args__)
        lines.append(f"{type(node).__name__}({', '.join(fields)})")
    lines += [repr((s.target, s.indices, s.derived, numbers[s.body])) for s in statements]
    return "\n".join(lines)


def _field(value: object, numbers: dict[Expr, int]) -> str:
    match value:
        case Node():
            return str(numbers[value])  # type: ignore[index]
        case tuple() if value and isinstance(value[0], Node):
            return str([numbers[v] for v in value])
        case Comparison(relation, left, right):
            return f"{numbers[left]} {relation} {numbers[right]}"
        case _:
            return repr(value)
