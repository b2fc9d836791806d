"""Each case is what Word and PowerPoint write themselves for text of that direction."""

from __future__ import annotations

import pytest

from dragoman.config import DocumentLimits
from dragoman.documents.xml.office import NAMESPACES
from dragoman.documents.xml.office_direction import directed
from dragoman.documents.xml.tree import tree_of

_SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)


def turned(inside: str, leftwards: bool = True) -> str:
    text = f"<root {_SPACES}>{inside}</root>"
    made = directed(text, tree_of(text, NAMESPACES, DocumentLimits()), leftwards)
    return made.removeprefix(f"<root {_SPACES}>").removesuffix("</root>")


def paragraph(run: str, properties: str = "") -> str:
    return f"<w:p>{properties}<w:r>{run}</w:r></w:p>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "<w:pPr><w:bidi/></w:pPr>"),
        ("<w:pPr/>", "<w:pPr><w:bidi/></w:pPr>"),
        ('<w:pPr><w:bidi w:val="0"/></w:pPr>', "<w:pPr><w:bidi/></w:pPr>"),
        (
            '<w:pPr><w:pStyle w:val="a"/><w:ind w:left="7"/><w:jc w:val="right"/></w:pPr>',
            '<w:pPr><w:pStyle w:val="a"/><w:bidi/><w:ind w:left="7"/><w:jc w:val="right"/></w:pPr>',
        ),
        (
            "<w:pPr><w:numPr/><w:rPr><w:b/></w:rPr></w:pPr>",
            "<w:pPr><w:numPr/><w:bidi/><w:rPr><w:b/></w:rPr></w:pPr>",
        ),
    ],
)
def test_a_paragraph_runs_from_right_to_left(before: str, after: str) -> None:
    said = "<w:t>שלום</w:t>"
    assert turned(paragraph(said, before)) == paragraph(f"<w:rPr><w:rtl/></w:rPr>{said}", after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<w:b/>", "<w:b/><w:bCs/><w:rtl/>"),
        ('<w:b w:val="0"/><w:i/>', '<w:b w:val="0"/><w:bCs w:val="0"/><w:i/><w:iCs/><w:rtl/>'),
        ("<w:b/><w:bCs/>", "<w:b/><w:bCs/><w:rtl/>"),
        (
            '<w:sz w:val="28"/><w:u w:val="single"/><w:lang w:val="he"/>',
            '<w:sz w:val="28"/><w:szCs w:val="28"/><w:u w:val="single"/><w:rtl/>'
            '<w:lang w:val="he"/>',
        ),
        ('<w:rtl w:val="0"/><w:lang w:val="he"/>', '<w:rtl/><w:lang w:val="he"/>'),
    ],
)
def test_a_run_keeps_its_look(before: str, after: str) -> None:
    said = "<w:t>שלום</w:t>"
    made = turned(paragraph(f"<w:rPr>{before}</w:rPr>{said}"))
    assert f"<w:rPr>{after}</w:rPr>{said}" in made


def test_words_of_the_other_direction_and_what_was_not_translated_stay() -> None:
    english = "<w:r><w:t>API</w:t></w:r>"
    kept = f"<w:p>{english}</w:p>"
    figures = "<w:r><w:t>25.</w:t></w:r>"
    made = turned(f"<w:p><w:r><w:t>שלום</w:t></w:r>{english}{figures}</w:p>{kept}")
    assert made == (
        "<w:p><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:rtl/></w:rPr><w:t>שלום</w:t></w:r>"
        f"{english}<w:r><w:rPr><w:rtl/></w:rPr><w:t>25.</w:t></w:r></w:p>{kept}"
    )


def test_a_paragraph_in_a_text_box_is_none_of_that_around_it() -> None:
    box = "<w:txbxContent><w:p><w:r><w:t>Nein</w:t></w:r></w:p></w:txbxContent>"
    made = turned(f"<w:p><w:r><w:t>שלום</w:t></w:r><w:r><w:pict>{box}</w:pict></w:r></w:p>")
    assert made.startswith("<w:p><w:pPr><w:bidi/></w:pPr>")
    assert box in made


def test_english_of_hebrew_runs_from_left_to_right() -> None:
    before = paragraph(
        "<w:rPr><w:bCs/><w:rtl/></w:rPr><w:t>Peace</w:t>", "<w:pPr><w:bidi/></w:pPr>"
    )
    assert turned(before, leftwards=False) == paragraph(
        '<w:rPr><w:b/><w:bCs/><w:rtl w:val="0"/></w:rPr><w:t>Peace</w:t>',
        '<w:pPr><w:bidi w:val="0"/></w:pPr>',
    )


def test_the_first_column_of_a_table_stands_on_the_right() -> None:
    cell = "<w:tr><w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc></w:tr>"
    table = '<w:tbl><w:tblPr><w:tblStyle w:val="a"/><w:tblW w:w="0"/></w:tblPr>{}</w:tbl>'
    made = turned(table.format(cell.format("שלום")))
    assert '<w:tblPr><w:tblStyle w:val="a"/><w:bidiVisual/><w:tblW w:w="0"/></w:tblPr>' in made
    kept = table.format(cell.format("Nein"))
    assert turned(kept) == kept


def shape(properties: str, place: str = "", styles: str = "") -> str:
    about = f"<p:nvSpPr><p:nvPr>{place}</p:nvPr></p:nvSpPr>"
    said = f"<a:p>{properties}<a:r><a:t>שלום</a:t></a:r></a:p>"
    return f"<p:sp>{about}<p:txBody>{styles}{said}</p:txBody></p:sp>"


@pytest.mark.parametrize(
    ("before", "after", "place", "styles"),
    [
        ("", '<a:pPr rtl="1" algn="r"/>', "", ""),
        ("", '<a:pPr rtl="1" algn="r"/>', '<p:ph idx="1"/>', "<a:lstStyle/>"),
        ("", '<a:pPr rtl="1"/>', '<p:ph type="ctrTitle"/>', ""),
        ("", '<a:pPr rtl="1"/>', "", '<a:lstStyle><a:lvl1pPr algn="ctr"/></a:lstStyle>'),
        ('<a:pPr algn="r" rtl="0"/>', '<a:pPr algn="l" rtl="1"/>', "", ""),
        ('<a:pPr algn="ctr"/>', '<a:pPr rtl="1" algn="ctr"/>', "", ""),
    ],
)
def test_a_paragraph_of_a_slide_begins_on_the_right(
    before: str, after: str, place: str, styles: str
) -> None:
    assert turned(shape(before, place, styles)) == shape(after, place, styles)


def test_titles_of_charts_stay_where_they_are() -> None:
    made = turned("<c><a:p><a:r><a:t>שלום</a:t></a:r></a:p></c>")
    assert made == '<c><a:p><a:pPr rtl="1"/><a:r><a:t>שלום</a:t></a:r></a:p></c>'
