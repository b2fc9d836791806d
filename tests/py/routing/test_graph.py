"""Templates become chains, and every mistake in a graph is named before anything starts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import (
    GraphCycleError,
    GraphError,
    InvalidRequestError,
    UnboundVariableError,
    WrittenTwiceError,
)
from dragoman.routing.graph import Chain, Constant, DependentRequest, Input, Output, chains, plan
from tests.support.helpers import dependent, request


def test_a_template_is_read_as_chains_that_end_in_an_output() -> None:
    read = dependent("# ", "<title", ">heading", "<body", "\n", "<body", ">text")
    assert list(chains(read)) == [
        Chain("heading", (Constant("# "), Input("title")), read.options),
        Chain("text", (Input("body"), Constant("\n"), Input("body")), read.options),
    ]
    assert [chain.inputs for chain in chains(read)] == [("title",), ("body",)]


def test_constants_alone_make_an_output() -> None:
    (chain,) = chains(dependent("Hallo", ">y"))
    assert chain.inputs == ()


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ([">y"], "the output 'y' has nothing before it"),
        (["<x", ">y", ">z"], "the output 'z' has nothing before it"),
        (["<x"], "leads to no output"),
        (["<x", ">y", "."], "leads to no output"),
    ],
)
def test_templates_that_lead_nowhere(template: list[str], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        plan([dependent(*template)], {"x"})


@pytest.mark.parametrize("name", ["", "x" * 101])
@pytest.mark.parametrize("mark", ["<", ">"])
def test_names_that_cannot_be(name: str, mark: str) -> None:
    with pytest.raises(InvalidRequestError, match=f"not {len(name)}"):
        list(chains(dependent("a", mark + name)))


def test_a_prefix_is_of_one_text() -> None:
    begun = DependentRequest((Input("x"), Output("y")), request("", prefix="The"))
    with pytest.raises(InvalidRequestError, match="a prefix is of one text"):
        plan([begun], {"x"})


def test_no_requests_are_a_plan() -> None:
    assert plan([], {"x"}) == ()


def test_a_chain_comes_after_those_it_needs() -> None:
    requests = [dependent("<en", ">fr"), dependent("<de", ">en"), dependent("<fr", "<de", ">es")]
    assert [chain.output for chain in plan(requests, {"de"})] == ["en", "fr", "es"]


def test_a_later_chain_of_the_same_template_may_need_an_earlier_one() -> None:
    there_and_back = dependent("<de", ">en", "<en", ">back")
    assert [chain.output for chain in plan([there_and_back], {"de"})] == ["en", "back"]


def test_an_unbound_name() -> None:
    with pytest.raises(UnboundVariableError) as caught:
        plan([dependent("<de", "<x", ">en")], {"de"})
    assert caught.value.details == {"variable": "x", "output": "en"}


@pytest.mark.parametrize(
    ("requests", "name"),
    [
        ([["<de", ">en"], ["<de", ">en"]], "en"),
        ([["<de", ">en", "<de", ">en"]], "en"),
        ([["<de", ">de"]], "de"),
    ],
)
def test_a_variable_written_twice(requests: list[list[str]], name: str) -> None:
    with pytest.raises(WrittenTwiceError) as caught:
        plan([dependent(*template) for template in requests], {"de"})
    assert caught.value.details == {"variable": name}


@pytest.mark.parametrize(
    ("requests", "cycle"),
    [
        ([["<a", ">a"]], "a -> a"),
        ([["<a", ">b"], ["<b", ">a"]], "a -> b -> a"),
        ([["<de", "<c", ">a"], ["<a", ">b"], ["<b", ">c"], ["<c", ">d"]], "a -> b -> c -> a"),
        ([["<de", ">x"], ["<x", "<b", ">a"], ["<x", "<a", ">b"]], "a -> b -> a"),
    ],
)
def test_a_cycle_is_named(requests: list[list[str]], cycle: str) -> None:
    with pytest.raises(GraphCycleError) as caught:
        plan([dependent(*template) for template in requests], {"de"})
    assert caught.value.details == {"variables": cycle}


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdefxy"), max_size=3)),
        max_size=6,
        unique_by=lambda node: node[0],
    )
)
def test_any_graph_is_put_in_order_or_named_as_wrong(nodes: list[tuple[str, list[str]]]) -> None:
    requests = [dependent("-", *(f"<{name}" for name in needs), f">{out}") for out, needs in nodes]
    outputs, needs = {out for out, _ in nodes}, dict(nodes)
    try:
        order = plan(requests, {"x"})
    except UnboundVariableError as error:
        unbound = error.details["variable"]
        assert unbound not in outputs | {"x"}
    except GraphCycleError as error:
        names = str(error.details["variables"]).split(" -> ")
        assert names[0] == names[-1]
        assert all(before in needs[after] for before, after in pairwise(names))
    else:
        assert sorted(chain.output for chain in order) == sorted(outputs)
        known = {"x"}
        for chain in order:
            assert known.issuperset(chain.inputs)
            known.add(chain.output)
