"""What is said in one way only comes from the bundle's list, and not from the model."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.engines.fake import EchoEngine
from dragoman.text.terms.names import NameTable
from dragoman.text.terms.word_table import WordTable, packed
from dragoman.types import (
    AlignmentKind,
    Element,
    ElementKind,
    Glossary,
    LanguagePair,
    MemoryEntry,
    PlacedElement,
    SentenceTranslation,
    Span,
    Term,
    TranslationMemory,
    TranslationResponse,
)
from tests.support.helpers import assert_covers, request, service

LIST = {
    "Auf Lager": "In stock",
    "Auf Wiedersehen": "Goodbye",
    "Wie geht es Ihnen?": "How are you?",
    "Grüße": "Regards,",
    "Bitte warten": "Please wait",
    "Mitte Mai": "in the middle of May",
}
ALONE = {"Mann": "man", "Männer": "men", "gehen": "go"}
NAMES = NameTable(bytes(2), 1.0, -1.0, formulas=WordTable.of(LIST), alone=WordTable.of(ALONE))


async def translated(text: str, **options: Any) -> TranslationResponse:
    """By a model that copies."""
    async with service(EchoEngine(), names=NAMES) as made:
        return await made.translate(request(text, **options))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Auf Lager", "In stock"),
        ("Auf  Lager\n", "In stock\n"),
        ("Auf Wiedersehen!", "Goodbye!"),
        ("Auf Lager: drei Stühle.", "Auf Lager: drei Stühle."),
        ("Auf Wiedersehen. Wie geht es Ihnen?", "Goodbye. How are you?"),
        ("Auf Lager...", "In stock..."),
        ("Auf\xad Lager\ufeff", "In stock"),
        # as a label, and in a sentence
        ("Mitte Mai", "In the middle of May"),
        ("Ja. Mitte Mai", "Ja. in the middle of May"),
        # a word that is all there is
        ("Mann", "Man"),
        ("gehen", "go"),
        ("MÄNNER", "MEN"),
        ("Mann!", "Mann!"),
        ("Mann.", "Mann."),
        ("Gehen", "Gehen"),
        # in capitals
        ("BITTE WARTEN!", "PLEASE WAIT!"),
        ("BITTE WARTEN: AUTOS", "BITTE WARTEN: AUTOS"),
        # not what the list has
        ("Auf Lager?", "Auf Lager?"),
        ("auf lager", "auf lager"),
        ("Wie geht es Ihnen", "Wie geht es Ihnen"),
        # its translation has an end of its own
        ("Grüße", "Regards,"),
        ("Grüße!", "Grüße!"),
    ],
)
async def test_a_text(text: str, expected: str) -> None:
    response = await translated(text)
    assert response.text == expected
    assert_covers(response)


async def test_a_table_without_a_translation_says_nothing() -> None:
    table = packed({"Auf Lager": "-"}).replace(b"\t-\n", b"\t\n")  # `packed` itself refuses it
    names = NameTable(bytes(2), 1.0, -1.0, formulas=WordTable(table))
    async with service(EchoEngine(), names=names) as made:
        response = await made.translate(request("Auf Lager. Auf Lager"))
    assert response.text == "Auf Lager. Auf Lager"


async def test_each_word_stands_for_each() -> None:
    response = await translated("Auf Wiedersehen!")
    assert response.sentences == (SentenceTranslation(Span(0, 16), Span(0, 8), 1.0),)
    assert response.alignment.links == ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1))
    assert response.alignment.scores == (1.0, 1.0)


@pytest.mark.parametrize(
    "options",
    [{"alternatives": 2}, {"prefix": "Auf"}, {"alignment": AlignmentKind.SOFT}],
)
async def test_who_asks_the_model_hears_the_model(options: dict[str, Any]) -> None:
    assert (await translated("Auf Lager", **options)).text == "Auf Lager"


async def test_what_a_client_brings_goes_before_it() -> None:
    memory = TranslationMemory((MemoryEntry("Auf Lager", "Available"),))
    assert (await translated("Auf Lager", memory=memory)).text == "Available"
    glossary = Glossary((Term("Lager", "camp"),))
    assert (await translated("Auf Lager", glossary=glossary)).text == "Auf camp"
    assert (await translated("Auf Wiedersehen", glossary=glossary)).text == "Goodbye"


async def test_an_element_inside_goes_to_the_model() -> None:
    def bold(start: int, end: int) -> tuple[Element, ...]:
        return (Element(Span(start, end), ElementKind.INLINE),)

    around = await translated("Auf Lager", elements=bold(0, 9))
    assert around.text == "In stock"
    assert around.content == (PlacedElement(0, (Span(0, 8),)),)
    inside = await translated("Auf Lager", elements=bold(4, 9))
    assert inside.text == "Auf Lager"


async def test_a_capital_makes_no_other_word_where_nouns_have_none() -> None:
    names = NameTable(bytes(2), 1.0, -1.0, alone=WordTable.of({"table": "Tisch", "Bill": "Bill"}))
    pair = LanguagePair("en", "de")
    async with service(EchoEngine(), names=names, pair=pair) as made:
        found = [
            (await made.translate(request(text, source="en", target="de"))).text
            for text in ("table", "Table", "TABLE", "Bill", "bill")
        ]
    assert found == ["Tisch", "Tisch", "TISCH", "Bill", "bill"]
