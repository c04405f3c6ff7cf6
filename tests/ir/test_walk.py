from functools import reduce
from operator import add

import pytest

from tadc.ir.affine import constant, symbol
from tadc.ir.domain import Derived, Domain, between
from tadc.ir.expr import Call, Comparison, Const, IndexValue, Read, Reduce, Select, call
from tadc.ir.walk import descend, postorder, rewrite, rewrite_in, substitute

i, j, k, q, N = map(symbol, ["i", "j", "k", "q", "N"])
x = Read("x", (i,))


def sum_over(index, body, extent=5, derived=()):
    return Reduce("sum", (index,), derived, Domain.of(between(0, symbol(index), extent - 1)), body)


def test_operands_come_before_users_and_shared_nodes_once():
    e = call("exp", x)

    assert list(postorder(e * e + x)) == [x, e, e * e, e * e + x]


def test_a_rewrite_that_changes_nothing_returns_the_same_node():
    e = sum_over("k", Select(Comparison("<", x, Const(0)), x + 1, x * 2))

    assert rewrite(e, lambda node: node) is e


def test_a_rule_sees_operands_that_are_rewritten_already():
    def rule(e):
        match e:
            case Call("add", (Const(a), Const(b))):
                return Const(a + b)
            case _:
                return e

    assert rewrite(Const(1) + Const(2) + 3, rule) is Const(6)


def test_a_long_sum_is_rewritten_without_recursion():
    total = reduce(add, (Const(n) * x for n in range(10_000)))

    doubled = rewrite(total, lambda e: Read("y", e.subscripts) if isinstance(e, Read) else e)

    assert {e.tensor for e in postorder(doubled) if isinstance(e, Read)} == {"y"}


def test_substitution_reaches_subscripts_conditions_domains_and_values():
    e = Select(
        Domain.of(between(0, i, 3)), Read("x", (i + 1,)) + IndexValue(i), sum_over("k", x, N + i)
    )

    result = substitute(e, {"i": 2 * j})

    assert result is Select(
        Domain.of(between(0, 2 * j, 3)),
        Read("x", (2 * j + 1,)) + IndexValue(2 * j),
        sum_over("k", Read("x", (2 * j,)), N + 2 * j),
    )


def test_bound_names_are_not_substituted():
    e = sum_over("k", Read("x", (k + i,)))

    assert substitute(e, {"k": constant(7)}) is e


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_bound_name_makes_way_for_a_form_that_uses_it(depth):
    e = Read("x", (i + k,))
    for _ in range(depth):
        e = sum_over("k", e)  # nested reductions of one name: the inner hides the outer

    result = substitute(e, {"i": k})

    assert result.symbols == {"k"}
    inner = [node for node in postorder(result) if isinstance(node, Read)]
    assert len(inner) == 1 and inner[0].subscripts[0].coefficient("k") == 1


def test_a_bound_name_makes_way_without_meeting_a_name_of_the_body():
    e = sum_over("k", Read("x", (i + k + symbol("k_"),)))

    result = substitute(e, {"i": k})

    assert result.symbols == {"k", "k_"}
    assert result.indices[0] not in ("k", "k_")


def test_derived_indices_make_way_too():
    e = sum_over("k", Read("x", (i + q,)), derived=(Derived("q", k + i, 2),))

    result = substitute(e, {"i": q})

    (derived,) = result.derived
    assert derived.name != "q" and derived.form == k + q
    assert result.body is Read("x", (q + symbol(derived.name),))


def test_a_shared_node_is_substituted_under_each_of_its_binders():
    e = sum_over("i", x) + x

    assert substitute(e, {"i": j}) is sum_over("i", x) + Read("x", (j,))


def test_recursion_by_generators_is_not_bounded_by_the_stack():
    def depth(n):
        return 0 if not n else 1 + (yield depth(n - 1))

    assert descend(depth(5000)) == 5000


def counted(e, depth):
    """The context is how many reductions are around."""
    return e, [depth + isinstance(e, Reduce)] * len(e.operands)


def test_a_node_is_rewritten_once_in_each_context():
    visited = []

    def rule(e, depth):
        visited.append((e, depth))
        return IndexValue(constant(depth)) if e is x else e

    outer, inner = IndexValue(constant(0)), IndexValue(constant(1))

    result = rewrite_in(sum_over("k", x * x) + x, 0, counted, rule)

    assert result is sum_over("k", inner * inner) + outer
    assert [place for place in visited if place[0] is x] == [(x, 1), (x, 0)]


def test_what_is_entered_without_contexts_stays_as_it_is():
    inner = sum_over("k", x)

    def enter(e, context):
        return (e, ()) if isinstance(e, Reduce) else (e, [context] * len(e.operands))

    def rule(e, _):
        return Const(1) if e is x else e

    assert rewrite_in(inner + x, None, enter, rule) is inner + Const(1)


def test_a_long_sum_is_rewritten_in_its_context_without_recursion():
    total = reduce(add, (Const(n) * x for n in range(10_000)))

    assert rewrite_in(total, 0, counted) is total
