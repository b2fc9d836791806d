"""Sentences of the languages that models come for, each case written for this test."""

import pytest

from dragoman.text.split import SentenceSplitter, split_sentences

CASES = [
    ("en", ["See No. 5 on p. 7.", "Sept. 11 was a Tuesday.", "On Mon. 5 Jan. 2020 it rained."]),
    ("en", ["He paid Rs. 500 for it.", "J. K. Rowling wrote it.", "George W. Bush won."]),
    ("en", ["This is true.1", "Another one follows.2", "The end."]),
    ("en", ["He said “no.”3", "She left."]),
    ("en", ["Version 2.1 Beta is out.", "It has e.g. Windows."]),
    ("en", ['"I came."', '"You left."', "– Yes.", "– No."]),
    ("de", ["Der 2. Weltkrieg endete 1945.", "Am 3. Oktober ist frei."]),
    ("de", ["Er wohnt im 4. Stock.", "Die 1. Mannschaft gewann.", "Beim 2. Versuch klappte es."]),
    ("de", ["Das stimmt.1", "Die Quelle fehlt.2", "Ende."]),
    ("de", ["„Ich komme.“", "„Du gehst.“", "– Ja.", "– Nein."]),
    ("de", ["J. S. Bach schrieb es.", "A. Merkel kam."]),
    ("de", ["Es gibt Gr. M, Gr. XL und Gr. 38.", "Das passt.", "Fa. Meier liefert."]),
    (
        "de",
        [
            "Ein Golf (Bj. 2015).",
            "Es begann Anf. Mai.",
            "Es waren 3 (i. Vj. 2).",
            "Dr. h. c. mult. Meier kam.",
        ],
    ),
    ("es", ["Costó Bs. 300 en total.", "Pagó S/. 50 ayer.", "Nació en feb. 1990."]),
    ("es", ["Ver fig. 3 y tab. 4.", "Abrió a las 5 p. m. del lunes."]),
    ("es", ["¿Qué hora es?", "¡Hola!", "—No sé.", "—Ven."]),
    ("es", ["El Sr. Pérez vive en la Av. 5 de Mayo.", "Son aprox. 20 personas."]),
    ("fr", ["M. Dupont est né en janv. 1990.", "Voir p. 5.", "« Oui. »", "Il part."]),
    ("it", ["Il sig. Rossi è qui.", "È nato il 3 gen. 1990.", "Chi è?"]),
    ("pt", ["O Sr. Silva chegou.", "Custou R$ 5.", "Veja pág. 3."]),
    ("nl", ["Dit is een huis.", "Dhr. Jansen woont op nr. 5.", "Hij kwam."]),
    ("pl", ["To jest dom.", "Urodził się w 1990 r. w Warszawie.", "A. Mickiewicz pisał."]),
    ("cs", ["To je dům.", "Narodil se 5. května 1990.", "K. Čapek psal."]),
    ("ru", ["Это дом.", "Он купил 5 кг.", "В 1990 г. он умер.", "А. С. Пушкин писал."]),
    ("el", ["Αυτό είναι σπίτι.", "Τι κάνεις;", "Ο κ. Παππάς ήρθε.", "Καλά."]),
    ("ar", ["هذا بيت.", "كيف حالك؟", "أنا بخير."]),
    ("hi", ["यह एक घर है।", "तुम कैसे हो?", "मैं ठीक हूँ।"]),
    ("ur", ["یہ گھر ہے۔", "آپ کیسے ہیں؟", "میں ٹھیک ہوں۔"]),
    ("ko", ["이것은 집입니다.", "어떻게 지내요?", "저는 잘 지내요."]),
    ("th", ["นี่คือบ้าน ฉันรักมัน"]),
]
WITHOUT_SPACES = [
    ("zh", ["这是房子。", "你好吗？", "“我很好！”", "再见。"]),
    ("zh", ["“再见!”她说道。", "“你好.”他说。", "“好!”", "走吧!"]),
    ("ja", ["これは家です。", "元気ですか？", "はい！"]),
]


def sentences(text: str, language: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text, language)]


@pytest.mark.parametrize(("language", "expected"), CASES)
def test_sentences_with_spaces_between(language: str, expected: list[str]) -> None:
    assert sentences(" ".join(expected), language) == expected


@pytest.mark.parametrize(("language", "expected"), WITHOUT_SPACES)
def test_sentences_without_spaces_between(language: str, expected: list[str]) -> None:
    assert sentences("".join(expected), language) == expected


@pytest.mark.parametrize(("language", "expected"), CASES)
def test_the_same_in_pieces(language: str, expected: list[str]) -> None:
    text = " ".join(expected)
    splitter = SentenceSplitter(language)
    spans = [span for character in text for span in splitter.feed(character)]
    assert [span.of(text) for span in (*spans, *splitter.finish())] == expected
