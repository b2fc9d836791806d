"""No translation means what its page did not: see `tests/support/cases/mutations.py`."""

from collections import Counter

import justhtml
import pytest

from dragoman.errors import InvalidRequestError
from dragoman.html import HtmlPage
from dragoman.html.serialize import nodes_below
from tests.support.cases.markup_cases import shouted
from tests.support.cases.mutations import MUTATIONS, mixed, written


def handlers(source: str) -> Counter[tuple[str, str]]:
    """Elements that a browser would make with a handler, whatever holds them."""
    nodes = nodes_below(HtmlPage(source, "de").root)
    return Counter(
        (node.name, name)
        for node in nodes
        if isinstance(node, justhtml.Element)
        for name in node.attrs
        if name.startswith("on")
    )


@pytest.mark.parametrize("source", MUTATIONS)
def test_what_was_text_is_no_element(source: str) -> None:
    output = written(source)
    assert output is None or handlers(output) <= handlers(source)


def test_nor_is_it_in_anything_made_of_such_parts() -> None:
    for source in mixed(2_000, seed=1):
        output = written(source)
        assert output is None or handlers(output) <= handlers(source), source


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="nested as no HTML can say") as caught:
        shouted(MUTATIONS[2])
    assert caught.value.details == {"reason": "mutation"}


def test_a_page_in_which_nothing_is_translated_stays_as_it_is() -> None:
    assert shouted(MUTATIONS[2], str) == MUTATIONS[2]
