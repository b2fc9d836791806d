"""XML as a tree that knows where each of its elements is in the source."""

from __future__ import annotations

import codecs

import pytest

from dragoman.config import DocumentLimits
from dragoman.documents.xml.tree import Node, Text, XmlSource, escaped, read_flat_xml, read_xml
from dragoman.errors import DocumentError, DocumentTooLargeError

SPACES = {"urn:a": "a", "urn:b": ""}


def read(content: bytes | str, depth: int = 500) -> XmlSource:
    content = content.encode() if isinstance(content, str) else content
    return read_xml(content, "part.xml", SPACES, DocumentLimits(depth=depth))


def test_places_of_elements_and_texts() -> None:
    source = read('<x xmlns="urn:b">Ja <i k="v">so</i><br/></x>')
    root = source.root
    assert [source.of(child) for child in root.children] == ["Ja ", '<i k="v">so</i>', "<br/>"]
    italic = root.child("i")
    assert italic is not None
    assert source.text[italic.inside : italic.outside] == "so"
    assert (italic.attributes, italic.parent) == ({"k": "v"}, root)
    line = root.child("br")
    assert line is not None
    assert (line.inside, line.outside, line.end) == (line.end, line.end, root.outside)
    assert root.child("b") is None


def test_names_have_the_prefixes_of_this_package() -> None:
    root = read('<p:x xmlns:p="urn:a"><y xmlns="urn:b"/><z/><q:w xmlns:q="urn:c"/></p:x>').root
    assert [node.name for node in root.walk()] == ["a:x", "y", "?:z", "?:w"]
    assert [node.written for node in root.walk()] == ["p:x", "y", "z", "q:w"]


def test_a_namespace_is_in_force_inside_its_element_only() -> None:
    root = read('<x><y xmlns="urn:a"><z/></y><z/></x>').root
    assert [node.name for node in root.walk()] == ["?:x", "a:y", "a:z", "?:z"]


def test_texts_are_read_without_references() -> None:
    source = read("<x>a &lt; b&#x20AC;\r\n<![CDATA[<c> &amp;]]><!-- d --><?e f?></x>")
    assert [child.data for child in source.root.children if isinstance(child, Text)] == [
        "a < b€\n",
        "<c> &amp;",
    ]
    assert source.root.words() == "a < b€\n<c> &amp;"


def test_attributes_by_local_name() -> None:
    root = read("""<x xml:lang='de' title="a &quot;b&quot; > c"/>""").root
    assert (root.get("lang"), root.get("title"), root.get("id")) == ("de", 'a "b" > c', "")


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("<x>ü</x>".encode(), "utf-8"),
        (codecs.BOM_UTF8 + "<x>ü</x>".encode(), "utf-8-sig"),
        ("<x>ü</x>".encode("utf-16"), "utf-16"),
        ("<?xml version='1.0' encoding='ISO-8859-1'?><x>ü</x>".encode("latin-1"), "ISO-8859-1"),
    ],
)
def test_a_source_is_written_in_the_encoding_that_it_had(content: bytes, encoding: str) -> None:
    source = read(content)
    assert (source.root.words(), source.encoding) == ("ü", encoding)
    assert source.encoded(source.text) == content


def test_what_an_encoding_lacks_becomes_a_reference() -> None:
    source = read(b"<?xml version='1.0' encoding='us-ascii'?><x/>")
    assert source.encoded("5 €") == b"5 &#8364;"


@pytest.mark.parametrize(
    ("content", "reason", "message"),
    [
        (b"<x>", "damaged", "part.xml is no XML: no element found, line 1"),
        (b"<x>\n</y>", "damaged", "part.xml is no XML: mismatched tag, line 2"),
        (b"<x>\xff</x>", "damaged", "part.xml is not in utf-8, as it says"),
        (b"<?xml version='1.0' encoding='what'?><x/>", "damaged", "part.xml is not in what"),
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", "entities", "0 are allowed"),
    ],
)
def test_what_is_refused(content: bytes, reason: str, message: str) -> None:
    for reads in (read, lambda content: read_flat_xml(content, "part.xml")):
        with pytest.raises(DocumentError) as caught:
            reads(content)
        assert caught.value.details["reason"] == reason
        assert message in str(caught.value)


def test_flat_xml_has_its_text_and_no_elements() -> None:
    source = read_flat_xml("<x>ü</x>".encode("utf-16"), "part.xml")
    assert (source.text, source.encoding) == ("<x>ü</x>", "utf-16")
    assert source.root.children == []


def test_a_document_type_without_declarations_is_none_to_refuse() -> None:
    assert read("<!DOCTYPE html><x>ja</x>").root.words() == "ja"
    quoted = """<!DOCTYPE x PUBLIC "-//'a" "urn:</x>"><x>ja</x>"""
    assert read(quoted).root.words() == "ja"


def test_levels_are_limited() -> None:
    assert len(list(read("<x>" * 3 + "</x>" * 3, depth=3).root.walk())) == 3
    with pytest.raises(DocumentTooLargeError) as caught:
        read("<x>" * 5 + "</x>" * 5, depth=3)
    assert (caught.value.details["requested"], caught.value.details["allowed"]) == (5, 3)


def test_walking_goes_in_document_order() -> None:
    root = read("<a><b><c/></b><d/></a>").root
    assert [node.written for node in root.walk()] == ["a", "b", "c", "d"]
    assert all(isinstance(node, Node) for node in root.elements())


def test_text_as_xml_says_it() -> None:
    assert escaped("a < b & c > d") == "a &lt; b &amp; c &gt; d"
    assert escaped("a\x00b\ud800c\uffffd\t\n") == "abcd\t\n"
