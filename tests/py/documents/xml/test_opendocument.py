from __future__ import annotations

import io
import zipfile

import pytest

from dragoman.config import DocumentLimits
from dragoman.documents.xml.opendocument import read_opendocument
from dragoman.documents.xml.parts import ArchiveDocument

_SPACES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'
)


def document(paragraph: str) -> ArchiveDocument:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(
            "content.xml",
            f"<office:document-content {_SPACES}><office:body><office:text><text:p>{paragraph}"
            "</text:p></office:text></office:body></office:document-content>",
        )
    return read_opendocument(out.getvalue(), "de", DocumentLimits())


@pytest.mark.parametrize(
    ("paragraph", "text", "kinds"),
    [
        (
            'Siehe <text:bookmark-ref text:ref-name="a">Abbildung 1</text:bookmark-ref> dort',
            "Siehe Abbildung 1 dort",
            ["opaque"],
        ),
        ("<text:user-field-get>Max</text:user-field-get> kauft", "Max kauft", ["opaque"]),
        ("Seite <text:page-number>3</text:page-number>", "Seite 3", ["opaque"]),
        ('<text:bookmark text:name="a"/>Ja<text:line-break/>', "Ja", []),
        (
            "Ein <loext:content-control>ganzer</loext:content-control> Satz",
            "Ein ganzer Satz",
            ["inline"],
        ),
    ],
)
def test_what_is_a_word_of_the_sentence(paragraph: str, text: str, kinds: list[str]) -> None:
    (passage,) = document(paragraph).passages
    assert passage.text == text
    assert [str(element.kind) for element in passage.elements] == kinds


def test_a_paragraph_of_fields_only_is_none() -> None:
    assert document("<text:user-field-get>Max</text:user-field-get>.").passages == []
