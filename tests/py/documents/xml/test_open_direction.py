from __future__ import annotations

import re

import pytest

from dragoman.config import DocumentLimits
from dragoman.documents.xml.open_direction import directed
from dragoman.documents.xml.opendocument import NAMESPACES
from dragoman.documents.xml.tree import tree_of

_SPACES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" '
    'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
)
_OWN_SPACES = re.compile(r' xmlns:(?:style|fo)="[^"]*"')


def turned(styles: str, leftwards: bool = True) -> str:
    text = f"<office:styles {_SPACES}>{styles}</office:styles>"
    root = tree_of(text, NAMESPACES, DocumentLimits())
    made = directed(text, root, leftwards, re.compile("Code"))
    made = made.removeprefix(f"<office:styles {_SPACES}>").removesuffix("</office:styles>")
    return _OWN_SPACES.sub("", made)


def default(properties: str) -> str:
    inside = f"{properties}<style:text-properties/>"
    return f'<style:default-style style:family="paragraph">{inside}</style:default-style>'


def properties(said: str) -> str:
    return f"<style:paragraph-properties{said}/>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", properties(' fo:text-align="right" style:writing-mode="rl-tb"')),
        (
            properties(' fo:text-align="justify" style:writing-mode="page"'),
            properties(' fo:text-align="justify" style:writing-mode="rl-tb"'),
        ),
        (
            properties(' style:writing-mode="lr-tb" fo:text-align="start"'),
            properties(' style:writing-mode="rl-tb" fo:text-align="right"'),
        ),
    ],
)
def test_all_paragraphs_run_from_right_to_left(before: str, after: str) -> None:
    assert turned(default(before)) == default(after)


def test_a_document_that_says_nothing_of_all_paragraphs_says_it() -> None:
    said = properties(' fo:text-align="right" style:writing-mode="rl-tb"')
    made = f'<style:default-style style:family="paragraph">{said}</style:default-style>'
    assert turned("<style:style/>") == f"{made}<style:style/>"
    empty = f"<office:styles {_SPACES}/>"
    root = tree_of(empty, NAMESPACES, DocumentLimits())
    assert made in _OWN_SPACES.sub("", directed(empty, root, True, re.compile("Code")))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('paragraph-properties fo:text-align="end"', 'paragraph-properties fo:text-align="left"'),
        ('paragraph-properties fo:text-align="center"', None),
        (
            'page-layout-properties style:writing-mode="lr-tb"',
            'page-layout-properties style:writing-mode="rl-tb"',
        ),
        (
            'table-properties table:align="left" style:writing-mode="lr-tb"',
            'table-properties table:align="right" style:writing-mode="rl-tb"',
        ),
    ],
)
def test_styles_with_a_side_of_their_own_have_the_other_one(before: str, after: str | None) -> None:
    rest = turned(default("")).removesuffix("</style:default-style>")
    made = turned(default("") + f"<style:{before}/>")
    assert made == f"{rest}</style:default-style><style:{after or before}/>"


def test_code_runs_as_before() -> None:
    code = '<style:style style:name="Code" style:family="paragraph"/>'
    said = properties(' fo:text-align="left" style:writing-mode="lr-tb"')
    assert turned(default("") + code).endswith(f"{code[:-2]}>{said}</style:style>")


def test_english_of_arabic_runs_from_left_to_right() -> None:
    before = default(properties(' fo:text-align="end" style:writing-mode="rl-tb"'))
    after = default(properties(' fo:text-align="left" style:writing-mode="lr-tb"'))
    assert turned(before, leftwards=False) == after
