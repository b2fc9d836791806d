from __future__ import annotations

import pytest

from dragoman.documents.text.markdown_blocks import opens_box
from tests.support.documents import read, written


@pytest.mark.parametrize(
    "source",
    [
        "EINS\n: ZWEI\n: DREI\n",
        "EINS\n\n:   ZWEI\n\n    DREI\n",
        "[^1]: EINS\n[^zwei]: ZWEI\n\n    DREI\n",
        "*[eins]: ZWEI DREI\n*[vier]: FÜNF\n",
        '!!! note "EINS"\n    ZWEI\n\n    - DREI\n\nVIER\n',
        '??? tip\n    EINS\n\n=== "ZWEI"\n\n    DREI\n',
        "- EINS\n\n    !!! note\n        ZWEI\n",
        ":::note[EINS]\nZWEI\n:::\n",
        "::: tip EINS ZWEI\nDREI\n:::\n",
        "::: warning\nEINS\n:::\n",
    ],
)
def test_blocks_of_dialects_keep_their_lines(source: str) -> None:
    """Each text is a passage of its own, which is written in its place."""
    small = source.lower()
    passages = read("md", small).passages
    assert passages
    assert written("md", small, *[passage.text.upper() for passage in passages]) == source


def test_what_is_indented_by_more_is_code() -> None:
    text = "!!! note\n    Ja.\n\n        let a = 1;\n\n[^1]: Nein.\n\n        let b = 2;\n"
    assert [passage.text for passage in read("md", text).passages] == ["Ja.", "Nein."]


def test_a_title_between_quotation_marks_has_none() -> None:
    assert written("md", '!!! note "Ja"\n', 'The "yes"') == "!!! note \"The 'yes'\"\n"


def test_blocks_in_blocks_end_somewhere() -> None:
    assert read("md", ": " * 20_000 + "a\n").passages == []


@pytest.mark.parametrize(
    ("line", "opens"),
    [
        ("::: tip Titel", True),
        (":::note[Titel]", True),
        ("??? note", True),
        ('=== "Reiter"', True),
        ("::: warning", False),
        ("::: {.note}", False),
        (":::", False),
        ("===", False),
    ],
)
def test_lines_that_open_a_box_with_text(line: str, opens: bool) -> None:
    assert opens_box(line) is opens


def test_options_of_a_box_are_no_text() -> None:
    text = ":::{admonition} Titel\n:class: tip\n:name: kasten\nEin Text.\n:::\n\n:smile: Ja.\n"
    assert [passage.text for passage in read("md", text).passages] == ["Ein Text.", " Ja."]
