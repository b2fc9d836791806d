"""Paragraphs of Office Open XML: what is a word of the sentence, and what stands beside it."""

from __future__ import annotations

import pytest

from dragoman.config import DocumentLimits
from dragoman.documents.passage import Translated
from dragoman.documents.xml.office import NAMESPACES, WORDS
from dragoman.documents.xml.parts import Part, XmlDocument
from dragoman.documents.xml.runs import ParagraphReader
from dragoman.documents.xml.tree import read_xml
from dragoman.types import PlacedElement, Span

_SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


def document(paragraph: str) -> XmlDocument:
    content = f"<w:body {_SPACES}><w:p>{paragraph}</w:p></w:body>".encode()
    source = read_xml(content, "a part", NAMESPACES, DocumentLimits())
    return XmlDocument(content, Part("", source, tuple(ParagraphReader(source, WORDS).blocks())))


def run(text: str, properties: str = "") -> str:
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def field(instruction: str, text: str) -> str:
    def edge(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    says = f"<w:r><w:instrText> {instruction} </w:instrText></w:r>"
    return edge("begin") + says + edge("separate") + run(text) + edge("end")


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        (field("MERGEFIELD Name", "«Name»") + run(" hat bestellt."), "«Name» hat bestellt."),
        (run("Siehe ") + field("REF _Ref1", "Abbildung 1"), "Siehe Abbildung 1"),
        ('<w:fldSimple w:instr="PAGE">' + run("3") + "</w:fldSimple>" + run(" Seiten"), "3 Seiten"),
        ("<w:r><w:tab/></w:r>" + run("Ja") + "<w:r><w:br/></w:r>", "Ja"),
        (
            run("foo()", '<w:rPr><w:rStyle w:val="HTMLCode"/></w:rPr>') + run(" gibt nichts"),
            "foo() gibt nichts",
        ),
    ],
)
def test_a_field_at_an_end_is_a_word_of_the_sentence(paragraph: str, text: str) -> None:
    (passage,) = document(paragraph).passages
    assert passage.text == text


def test_a_paragraph_of_fields_only_is_none() -> None:
    assert document(field("REF _Ref1", "Abbildung 1") + run(".")).passages == []


def test_what_has_its_reading_above_is_translated() -> None:
    def ruby(base: str) -> str:
        above = f"<w:rt>{run('kanji')}</w:rt>"
        return f"<w:r><w:ruby><w:rubyPr/>{above}<w:rubyBase>{base}</w:rubyBase></w:ruby></w:r>"

    paragraph = ruby(run("Schrift")) + run(" ist schön")
    (passage,) = document(paragraph).passages
    assert passage.text == "Schrift ist schön"
    content = (PlacedElement(0, (Span(0, 7),)), Span(7, 15))
    changed = document(paragraph).write([Translated("Writing is nice", content)], "en").decode()
    assert ruby(run("Writing")) + run(" is nice") in changed


def test_an_amount_alone_is_a_passage_and_figures_are_none() -> None:
    made = document(run("12,50 €") + "</w:p><w:p>" + run("31.12.2026"))
    assert [passage.text for passage in made.passages] == ["12,50 €"]
