"""XLIFF: units that have no translation yet get one, all others stay."""

from __future__ import annotations

import pytest

from dragoman.config import DocumentLimits
from dragoman.documents.passage import Translated
from dragoman.documents.xml.xliff import read_xliff
from dragoman.types import PlacedElement, Span

ONE = (
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="de"{file}><body>'
    "{units}</body></file></xliff>"
)
TWO = (
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="de"><file><unit{unit}>'
    "{units}</unit></file></xliff>"
)


def translated(text: str, word: str = "Yes") -> str:
    document = read_xliff(text.encode(), DocumentLimits())
    answers = [Translated(word, (Span(0, len(word)),)) for _ in document.passages]
    return document.write(answers, "en").decode()


def test_a_unit_without_a_target_gets_one_in_the_same_column() -> None:
    units = "<trans-unit>\n  <source>Ja</source>\n</trans-unit>"
    assert translated(ONE.format(file="", units=units)) == ONE.format(
        file=' target-language="en"',
        units="<trans-unit>\n  <source>Ja</source>\n  <target>Yes</target>\n</trans-unit>",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<target/>", "<target>Yes</target>"),
        ("<target></target>", "<target>Yes</target>"),
        (
            '<target state="new">Ja</target>',
            '<target state="needs-review-translation">Yes</target>',
        ),
        ('<target state="final">Jo</target>', '<target state="final">Jo</target>'),
        ("<target>Jo</target>", "<target>Jo</target>"),
    ],
)
def test_targets(before: str, after: str) -> None:
    named = ' target-language="en"'
    unit = "<trans-unit><source>Ja</source>{}</trans-unit>"
    text = translated(ONE.format(file=named, units=unit.format(before)))
    assert text == ONE.format(file=named, units=unit.format(after))


@pytest.mark.parametrize(
    "unit",
    [
        '<trans-unit approved="yes"><source>Ja</source></trans-unit>',
        '<trans-unit translate="no"><source>Ja</source></trans-unit>',
        '<group translate="no"><trans-unit><source>Ja</source></trans-unit></group>',
        "<trans-unit><source>12</source></trans-unit>",
    ],
)
def test_units_that_are_not_to_be_translated(unit: str) -> None:
    assert read_xliff(ONE.format(file="", units=unit).encode(), DocumentLimits()).passages == []


def test_a_unit_may_be_translated_within_a_group_that_is_not() -> None:
    unit = '<trans-unit translate="yes"><source>Ja</source></trans-unit>'
    units = f'<group translate="no">{unit}</group>'
    document = read_xliff(ONE.format(file="", units=units).encode(), DocumentLimits())
    assert [passage.text for passage in document.passages] == ["Ja"]


def test_version_two_with_a_prefix_free_segment() -> None:
    units = "<segment><source>Ja</source></segment>"
    assert translated(TWO.format(unit="", units=units), "A & B") == TWO.replace(
        'srcLang="de"', 'srcLang="de" trgLang="en"'
    ).format(unit="", units="<segment><source>Ja</source><target>A &amp; B</target></segment>")
    document = read_xliff(
        TWO.format(unit=' translate="no"', units=units).encode(), DocumentLimits()
    )
    assert document.passages == []


def test_a_document_without_a_namespace() -> None:
    units = '<trans-unit id="a"><source>Ja</source></trans-unit>'
    plain = ONE.replace(' xmlns="urn:oasis:names:tc:xliff:document:1.2"', ' version="1.0"')
    assert "<source>Ja</source><target>Yes</target>" in translated(
        plain.format(file="", units=units)
    )


def test_messages_with_forms_are_left_to_people() -> None:
    text = "{VAR, plural, one {vor einer Minute} other {vor <x id='I'/> Minuten}}"
    units = f"<trans-unit><source>{text}</source></trans-unit>"
    document = read_xliff(ONE.format(file="", units=units).encode(), DocumentLimits())
    assert document.passages == []


def test_white_space_that_counts_is_kept() -> None:
    """`xml:space` of an element is that of those in it."""
    for around, text in (
        (' xml:space="preserve"', "Eins.\nZwei  drei."),
        ("", "Eins. Zwei drei."),
    ):
        units = f"<trans-unit{around}><source>Eins.\nZwei  drei.</source></trans-unit>"
        document = read_xliff(ONE.format(file="", units=units).encode(), DocumentLimits())
        assert [passage.text for passage in document.passages] == [text]


SEGMENTS = (
    "<source>Ja. 1. Nein.</source><seg-source><g id='1'><mrk mtype='seg' mid='1'>Ja.</mrk> "
    "<mrk mtype='seg' mid='2'>1.</mrk></g> <mrk mtype='seg' mid='3'>Nein.</mrk></seg-source>"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "",
            "<target><g id='1'><mrk mtype='seg' mid='1'>Yes</mrk> <mrk mtype='seg' mid='2'>1.</mrk>"
            "</g> <mrk mtype='seg' mid='3'>Yes</mrk></target>",
        ),
        (
            "<target><mrk mtype='seg' mid='1'>So.</mrk> <mrk mtype='seg' mid='3'/></target>",
            "<target><mrk mtype='seg' mid='1'>So.</mrk> "
            "<mrk mtype='seg' mid='3'>Yes</mrk></target>",
        ),
        ("<target/>", "<target>Yes</target>"),
        ("<target>So. Doch.</target>", "<target>So. Doch.</target>"),
    ],
)
def test_segments_of_a_source_are_those_of_its_target(before: str, after: str) -> None:
    named = ' target-language="en"'
    units = f"<trans-unit>{SEGMENTS}{{}}</trans-unit>"
    text = ONE.format(file=named, units=units.format(before))
    assert translated(text) == ONE.format(file=named, units=units.format(after))


@pytest.mark.parametrize("said", ['mtype="protected"', 'id="1" translate="no"'])
def test_what_a_source_marks_as_protected_stays(said: str) -> None:
    units = f"<trans-unit><source>Das <mrk {said}>Haus</mrk> da</source></trans-unit>"
    document = read_xliff(ONE.format(file="", units=units).encode(), DocumentLimits())
    (passage,) = document.passages
    assert [str(element.kind) for element in passage.elements] == ["opaque"]
    content = (Span(0, 4), PlacedElement(0), Span(4, 8))
    changed = document.write([Translated("The yes.", content)], "en").decode()
    assert f"<target>The <mrk {said}>Haus</mrk>yes.</target>" in changed


def test_a_segment_of_version_two_has_the_state_of_its_target() -> None:
    units = '<segment state="{}"><source>Ja</source><target>{}</target></segment>'
    for state, target in (("initial", "Yes"), ("translated", "Ja")):
        text = TWO.format(unit="", units=units.format(state, "Ja"))
        assert units.format(state, target) in translated(text)
