import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.protect import Protection, hidden
from dragoman.text.quantities import QUANTITY, number, written


def forms(source: str, target: str, text: str) -> list[str]:
    found = [written(source, target, match) for match in QUANTITY.finditer(text)]
    return [form for form in found if form is not None]


def test_the_number_of_a_thing_has_the_marks_of_the_language_unless_it_is_a_code() -> None:
    assert forms("en", "de", "patent no. 3,711,262") == ["Nr. 3.711.262"]
    assert forms("de", "en", "Nr. 1.234 und Nr. 1430/2019") == ["No. 1,234", "No. 1430/2019"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("19,99 € inkl.", ["€19.99"]),
        ("2,3 Mio. € oder 5,– €", ["€2.3 million", "€5"]),
        ("€5, £5, US$ 30, 1.000,50 EUR", ["€5", "£5", "US$30", "1,000.50\xa0EUR"]),
        ("−7,20 € und -5 %", ["−€7.20", "-5%"]),
        ("25 % von 3,5 kg bei 5 °C", ["25%", "3.5 kg", "5 °C"]),
        ("am 21.11.2026, vom 21.–23.11.2026", ["21.11.2026", "21.–23.11.2026"]),
        ("am 21.11. und am 22.11.", ["21.11.", "22.11"]),
        ("5 Euro, 1 Euro, 2,5 Mio. Euro", ["5\xa0euros", "1\xa0euro", "2.5\xa0million\xa0euros"]),
        ("3. Oktober 2024, 3.-5. Mai", ["3 October 2024", "3–5 May"]),
        ("1. Jan. 2020", ["1 January 2020"]),
        ("14:30 Uhr, 8 Uhr, 18 Uhr", ["14:30", "8 o’clock", "18:00"]),
        ("10-12 Uhr, 9–17 Uhr", ["10–12 o’clock", "9:00–17:00"]),
        ("9 bis 18 Uhr, 2 oder 3 Uhr", ["9:00 to 18:00", "2 or 3 o’clock"]),
        ("Raum 5 bis 18 Uhr, Tisch für 4 und 19 Uhr", ["18:00", "19:00"]),
        ("42 bis 18 Uhr, für 8 Uhr", ["18:00", "8 o’clock"]),
        ("jeden Tag 9 bis 17 Uhr", ["9:00 to 17:00"]),
        ("um 8 und 16 Uhr, 9 bis 10 Uhr 15.", ["8:00 and 16:00", "9:00 to 10:15"]),
        ("14 Uhr 30, um 8 Uhr 15 kam", ["14:30", "8:15"]),
        ("8–10 Uhr 15.", ["8:00–10:15"]),
        ("Um 14 Uhr 30 Leute", ["14:00"]),
        ("am 5. 11. 2026, am 5. 11. kam", ["5. 11. 2026", "5. 11."]),
        ("der 1. 2. und 3. Platz", []),
        ('15,6" und 1.000"', ['15.6"', '1,000"']),
        ("+49 30 123456, 030/123456", ["+49 30 123456", "030/123456"]),
        ("1.400 Menschen, 55 000, 2,3, 3.5", ["1,400", "55,000", "2.3", "3.5"]),
        ("1.234.567 und 1.234,5", ["1,234,567", "1,234.5"]),
        ("1990–1995, 2024/25, 5-7", ["1990–1995", "2024/25", "5-7"]),
        ("½ Liter, 1½ Tassen, 3/4", ["½", "1½", "3/4"]),
        ("Friedrich II. und XIV", ["II", "XIV"]),
        ("§ 5, 2:1", ["§ 5", "2:1"]),
        ("4 x 100 m, 3,5 × 2 cm, 1920x1080", ["4 x 100 m", "3.5 × 2 cm", "1920x1080"]),
        ("2x täglich, 3 x", []),
        ("nach 30s und 1990–95", ["30s", "1990–95"]),
        ("1990, 42 Kinder, 17.", []),
        ("CD, MIX, I, DIN", []),
        ("", []),
    ],
)  # fmt: skip
def test_german_to_english(text: str, expected: list[str]) -> None:
    assert forms("de", "en", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("€19.99 incl. $1,234.50", ["19,99\xa0€", "1.234,50\xa0$"]),
        ("$1.5bn, £500k", ["1,5\xa0Mrd.\xa0$", "500\xa0Tsd.\xa0£"]),
        ("5 euros, 1.5 million euros", ["5\xa0Euro", "1,5\xa0Mio.\xa0Euro"]),
        ("25% of 3.5 kg", ["25\xa0%", "3,5 kg"]),
        ("October 3, 2024 and 3rd of May", ["3. Oktober 2024", "3. Mai"]),
        ("March 15-20", ["15.–20. März"]),
        ("at 2:30 p.m. on", ["14:30 Uhr"]),
        ("at 5 p.m.", ["17 Uhr"]),
        ("9 a.m.–5 p.m., or (at 6 p.m.)", ["9–17 Uhr", "18 Uhr"]),
        ("11 AM - 1 PM, 10 p.m.–12 a.m.", ["11–13 Uhr", "22–0 Uhr"]),
        ("12 am, 12 pm, 9-11 am", ["0 Uhr", "12 Uhr", "9–11 Uhr"]),
        ("11/21/2026 and 2026-11-21", ["11/21/2026", "2026-11-21"]),
        ("1,400 people", ["1.400"]),
        ("in 3.5 years", ["3,5"]),
        ("Python 3.11 and version 3.5", ["3.11", "3.5"]),
        ("may 3 people", []),
        ("World War II, World War III, Elizabeth II", ["II"]),
        ("In the 1990s, late 1980s, in her 30s, 1980-90s", []),
        ("50 s, 5s, 0.50s, 100 ms", ["50 s", "5s", "0,50s", "100 ms"]),
        ("between 2 and 3 p.m.", ["14 und 15 Uhr"]),
        ("at 2 or 3:30 pm", ["14 oder 15:30 Uhr"]),
        ("9 to 5 p.m., 9-5pm", ["9 bis 17 Uhr", "9–17 Uhr"]),
        ("11-12pm, 11-12am", ["11–12 Uhr", "11–12 Uhr"]),
        ("10–12 a.m. or", ["10–12 Uhr"]),
        ("11 to 12 a.m. or", ["11 bis 12 Uhr"]),
        ("10:30–12:15 a.m. or", ["10:30–12:15 Uhr"]),
        ("12–12:30 a.m. or 20–12 a.m.", ["0–0:30 Uhr", "20–0 Uhr"]),
        ("10–12 p.m. or", ["10–12 Uhr"]),
        ("12-2 pm, 2:00-2:30 pm", ["12–14 Uhr", "14:00–14:30 Uhr"]),
        ("14 to 15 pm, 20 to 5 pm", ["14 bis 15 Uhr", "20 bis 17 Uhr"]),
        ("2 and 3 o’clock, 5-6 o’clock", ["2 und 3 Uhr", "5–6 Uhr"]),
        ("2 and 3 people", []),
        ("About 3.5 million people", ["3,5"]),
        ("Nearly 2.5 and only 3.5", ["2,5", "3,5"]),
        ("Inflation 2.5 times, Roughly 3.5 of", ["2,5", "3,5"]),
        ("iOS 17.4, macOS 14.5, Chapter 3.2, C++ 1.5", ["17.4", "14.5", "3.2", "1.5"]),
    ],
)
def test_english_to_german(text: str, expected: list[str]) -> None:
    assert forms("en", "de", text) == expected


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("1.1 Introduction", ["1.1"]),
        ("# 1.2. Goal", ["1.2"]),
        ("see section 1.1 and 1.2", ["1.1", "1.2"]),
        ("in figures 2.1, 2.2 and 2.3", ["2.1", "2.2", "2.3"]),
        ("Go to step 2.5 or paragraph 7.3", ["2.5", "7.3"]),
        ("from Python 3.11 to 3.12", ["3.11", "3.12"]),
        ("1.5 Liters of water", ["1,5"]),
        ("2.5 Percent of all, 4.5 Stars", ["2,5", "4,5"]),
        ("3.5 million people", ["3,5"]),
        ("It rose by 1.1 and 1.2", ["1,1", "1,2"]),
        ("In Android 4.4, 2.5 of them", ["4.4", "2,5"]),
        ("He ran 1.1 Introduction", ["1,1"]),
    ],
)
def test_numbers_of_chapters(text: str, german: list[str]) -> None:
    assert forms("en", "de", text) == german


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kontonummer 39 35 3 bei der Bank", ["39 35 3"]),
        ("Please enter 34 44 31 10 42 26.", ["34 44 31 10 42 26"]),
        ("3, 12, 7, 49 und 5", ["3, 12, 7, 49"]),
        ("1; 2; 3; 4", ["1; 2; 3; 4"]),
        ("01 23 45 67 89, 370 400 44", ["01 23 45 67 89", "370 400 44"]),
        ("12 30 Leute, 1, 2, 3 und 4", []),
        ("1 234 567 Leute", ["1,234,567"]),
        ("2020 15 000 und 5 10 000 Leute", ["15,000", "10,000"]),
        ("10 20 30 €, 1 2 3 4 5 kg", ["€30", "1 2 3 4", "5 kg"]),
        ("4, 5, 6, 7. Klasse, 1 2 3. Mai", ["3 May"]),
        ("1.000, 2.000, 3.000, 4.000", ["1,000", "2,000", "3,000", "4,000"]),
    ],
)
def test_plain_numbers_in_a_row(text: str, expected: list[str]) -> None:
    assert forms("de", "en", text) == expected


def test_other_languages_copy_what_they_might_write_in_another_way() -> None:
    assert forms("fr", "xx", "12,50 € le 3. Oktober à 14 Uhr") == ["12,50 €"]
    assert forms("fr", "en", "12,50 €, 1 400,5") == ["12.50 €", "1,400.5"]


@pytest.mark.parametrize(
    ("text", "languages", "expected"),
    [
        ("1.400", ("de", "en"), "1,400"),
        ("1.400,5", ("de", "en"), "1,400.5"),
        ("3.5", ("de", "en"), "3.5"),
        ("1,400", ("en", "de"), "1.400"),
        ("3,5", ("en", "de"), "3,5"),
        ("1.2.3", ("en", "de"), "1.2.3"),
        ("1 400", ("de", "en-GB"), "1,400"),
        ("1’400.50", ("de", "en"), "1’400.50"),
        ("1,5", ("tlh", "en"), "1,5"),
    ],
)
def test_numbers(text: str, languages: tuple[str, str], expected: str) -> None:
    assert number(text, *languages) == expected


@given(whole=st.integers(0, 10**9), rest=st.integers(0, 99) | st.none())
def test_there_and_back(whole: int, rest: int | None) -> None:
    english = f"{whole:,}" + ("" if rest is None else f".{rest:02}")
    german = number(english, "en", "de")
    assert number(german, "de", "en") == english
    assert [c for c in german if c.isdigit()] == [c for c in english if c.isdigit()]


_LACKING = frozenset("€©·→Łł•‚‘\xad\ufffd")
_PROTECTION = Protection("de", "en", lambda character: character not in _LACKING)


@pytest.mark.parametrize(
    ("text", "shown", "put_back"),
    [
        ("Home · Kontakt", "Home X1 Kontakt", ["·"]),
        ("© 2026 Firma", "X1 2026 Firma", ["©"]),
        ("Łukasz lacht", "X1 lacht", ["Łukasz"]),
        ("Windows® ist da", "X1 ist da", ["Windows®"]),
        ("‚ja‘", "'ja'", []),
        ("Donau\xaddampf", "Donaudampf", []),
        ("in €", "in X1", ["€"]),
        ("Ja.", "Ja.", []),
    ],
)
def test_what_the_vocabulary_lacks(text: str, shown: str, put_back: list[str]) -> None:
    masked = hidden(text, _PROTECTION)
    assert masked.text == shown
    assert [hiding.text for hiding in masked.hidings] == put_back


def test_a_word_with_an_odd_letter_may_be_one_of_its_language() -> None:
    french = Protection("fr", "en", lambda character: character != "œ")
    assert hidden("le cœur de Œuvre", french).hidings == ()


@given(st.text("abŁ€·\xad‚ 12,5%.", max_size=20))
def test_origins_are_in_order_and_end_with_the_text(text: str) -> None:
    hiding = hidden(text, _PROTECTION)
    if hiding.origins:
        assert len(hiding.origins) == len(hiding.text) + 1
        assert list(hiding.origins) == sorted(hiding.origins)
        assert hiding.origins[-1] == len(text)
