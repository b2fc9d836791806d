import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.text.literals import (
    _ANY,
    _LITERAL,
    _SIGN,
    is_worded,
    literal_matches,
    literals,
    without_literals,
)
from dragoman.text.protect import Protection, hidden
from dragoman.text.quantities import written
from dragoman.types import Span


def found(text: str) -> list[str]:
    return [span.of(text) for span in literals(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Siehe https://www.example.com/a?b=c#d.", ["https://www.example.com/a?b=c#d"]),
        ("(www.example.org/x)", ["www.example.org/x"]),
        ("Auf example.com gibt es mehr.", ["example.com"]),
        ("Das ist ein Satz.Der nächste", []),
        ("mailto:a@b.de, +x.de, C:\\a-b, é-C:\\a", ["mailto:a@b.de", "x.de", "C:\\a-b", "C:\\a"]),
        ("Mail an max.muster+x@mail.example.de!", ["max.muster+x@mail.example.de"]),
        ("Click <b>here</b> or <x/>", ["<b>", "</b>", "<x/>"]),
        ("a < b and c > d", []),
        ("Tom &amp; Co", ["&amp;"]),
        ("{name} hat {0} von {{count}} und ${VAR}", ["{name}", "{0}", "{{count}}", "${VAR}"]),
        ("%s von %d, %1$s, %(num)s, %.2f", ["%s", "%d", "%1$s", "%(num)s", "%.2f"]),
        ("%1 löschen", ["%1"]),
        ("50 % der Leute, 20% sind", ["50 %", "20%"]),
        ("100 %s", ["%s"]),
        ('Mit `git commit -m "x"` und `a`.', ['`git commit -m "x"`', "`a`"]),
        ("``so'' und `dies' oder `das'", []),
        ("IBAN DE89 3704 0044 0532 0130 00 an", ["DE89 3704 0044 0532 0130 00"]),
        ("BE68 5390 0754 7034 BIC", ["BE68 5390 0754 7034"]),
        ("GB29 NWBK 6016 1331 9268 19.", ["GB29 NWBK 6016 1331 9268 19"]),
        ("FR14 2004 1010 0505 0001 3M02 606", ["FR14 2004 1010 0505 0001 3M02 606"]),
        ('Ein 27"-Monitor, 15,6" und 28″.', ['27"', '15,6"', "28″"]),
        ('Er ist 6\'2" groß und trägt 32".', ["6'2\"", '32"']),
        ('"Fahrenheit 451" und "um 5,5" in 27"', ["5,5", '27"']),
        ("Die BLZ ist 370 400 44.", ["370 400 44"]),
        ("%USER% und $HOME", ["%USER%", "$HOME"]),
        ("Preis: $20 oder $5", ["$20", "$5"]),
        ("Nimm --force oder --output=x", ["--force", "--output=x"]),
        ("in /usr/local/bin und ~/bin/x", ["/usr/local/bin", "~/bin/x"]),
        ("und/oder 1/2 km/h", ["1/2"]),
        (r"C:\Windows\System32", [r"C:\Windows\System32"]),
        ("Öffne bericht_2024.pdf.", ["bericht_2024.pdf"]),
        ("#Wetter mit @anna_b", ["#Wetter", "@anna_b"]),
        ("Platz #1", []),
        ("Version 2.10.3-beta1 und v3", ["2.10.3-beta1", "v3"]),
        ("am 24.12.2025 um 3.5", ["24.12.2025", "3.5"]),
        ("Artikel XJ-900 und A12345-6, COVID-19", ["XJ-900", "A12345-6", "COVID-19"]),
        ("DIN A4, die USA, NATO", []),
        ("Hallo 😀👍🏽 👨‍👩‍👧 🇩🇪!", ["😀👍🏽", "👨‍👩‍👧", "🇩🇪"]),
        ("I ❤️ it ⭐", ["❤️", "⭐"]),
        ("© 2024 → weiter", ["©"]),
        ("请写信到a@b.cn。见https://a.cn/x?b=1。你好", ["a@b.cn", "https://a.cn/x?b=1"]),
        ("詳しくはexample.comを見て", ["example.com"]),
        ("https://de.wikipedia.org/wiki/Größe", ["https://de.wikipedia.org/wiki/Größe"]),
        ("Windows® und A™®, im km²-Netz", ["Windows®", "A™", "®", "km²"]),
        ("Die Variable x1 und x_2, Seite5", ["x1"]),
        ("arm64, utf8mb4 und myVar2 Größe1", ["arm64", "utf8mb4"]),
        ("covid19, h1, mp3s: 5g, 1st, 7th", ["covid19", "h1", "mp3s", "5g"]),
        ("100 m2 je m2 bei 5 km/h", ["100 m2", "m2", "5 km/h"]),
        ("md5 d41d8cd98f00b204e9800998ecf8427e.", ["md5", "d41d8cd98f00b204e9800998ecf8427e"]),
        ("im Commit 9e107d9d37 von 1234567 defaced", ["9e107d9d37"]),
        ("123e4567-e89b-12d3-a456-426614174000", ["123e4567-e89b-12d3-a456-426614174000"]),
        ("Siehe bild1.png, a1@b2.de und web2.de", ["bild1.png", "a1@b2.de", "web2.de"]),
        ("", []),
    ],
)
def test_literals(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hallo {{ name | upper }}, ja", ["{{ name | upper }}"]),
        ("{% if a % 2 %}ja{% endif %}!", ["{% if a % 2 %}", "{% endif %}"]),
        ("Text {{ 'Guten Tag' | t }}.", ["{{ 'Guten Tag' | t }}"]),
        ("{{#if x}}Neu{{/if}} {{> teil}}", ["{{#if x}}", "{{/if}}", "{{> teil}}"]),
        ("{{{raw}}} und {# Notiz #}", ["{{{raw}}}", "{# Notiz #}"]),
        ("Lieber <%= name %>, <?php echo $x; ?>", ["<%= name %>", "<?php echo $x; ?>"]),
        ("${a ? 'b' : 'c'} und #{user.name}", ["${a ? 'b' : 'c'}", "#{user.name}"]),
        ("{$name|upper} {#if x}a{/if}", ["{$name|upper}", "{#if x}", "{/if}"]),
        (
            "{name!r} {0:>10} {0: >10} {row[2]:.1%}",
            ["{name!r}", "{0:>10}", "{0: >10}", "{row[2]:.1%}"],
        ),
        ("Hallo %name%, %first-name%!", ["%name%", "%first-name%"]),
        ("100%ig und 50%ig, 10 %bis 20 %mehr", []),
        ("50 % und 30 % mehr", ["50 %", "30 %"]),
        ("M%C3%BCnchen", []),
        ("{n, plural, one {# Datei} other {# Dateien}}", []),
        ("eins {#} zwei {#} drei", []),
        ("{{ ohne Ende! {Hallo!\n}} {%\n%}", []),
        ("{{" + 300 * "a-" + "}}", []),
    ],
)
def test_templates(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BIC: COBADEFF, SWIFT COBADEFF370", ["COBADEFF", "COBADEFF370"]),
        ("Sie lautet COBADEFFXXX.", ["COBADEFFXXX"]),
        ("ABSOLUTE ACHTUNG, DONAUDAMPF", []),
        ("Use code SUMMERSALE at checkout.", ["SUMMERSALE"]),
        ("Mit dem Gutscheincode: SOMMER sparen", ["SOMMER"]),
        ('Enter the coupon "WELCOME" here.', ["WELCOME"]),
        ("Bitte Code SOFORT EINGEBEN, der Code NICHT", []),
        ("patterns and code: USWDS components; Mode CHANEL", []),
        ("nach DIN EN ISO 9001:2015 und ISO/IEC 27001", ["DIN EN ISO 9001:2015", "ISO/IEC 27001"]),
        ("RFC 2119, EN 60204-1, BS EN 1090.", ["RFC 2119", "EN 60204-1", "BS EN 1090"]),
        ("IEEE 802.11ax und 802.11ac", ["IEEE 802.11ax", "802.11ac"]),
        ("DIN A4, EN 2019, ISO 100–400", ["100–400"]),
    ],
)
def test_codes_of_capitals(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bahnhofstr. 7, 70173 Stuttgart", ["Bahnhofstr. 7, 70173 Stuttgart"]),
        ("in der Hauptstr. 12.", ["Hauptstr. 12"]),
        ("Schillerstraße 3a, 04109 Leipzig.", ["Schillerstraße 3a, 04109 Leipzig"]),
        (
            "Karl-Marx-Straße 12 und Berliner Allee 5-7",
            ["Karl-Marx-Straße 12", "Berliner Allee 5-7"],
        ),
        ("Mühlenweg 3, 12345 Bad Homburg", ["Mühlenweg 3, 12345 Bad Homburg"]),
        ("Potsdamer Platz 1, 10785 Berlin", ["Potsdamer Platz 1, 10785 Berlin"]),
        ("nach 80331 München und D-12345 Kleinstadt", ["80331 München", "D-12345 Kleinstadt"]),
        ("60311 Frankfurt am Main", ["60311 Frankfurt am Main"]),
        ("Hauptstr. 12, 85000 Menschen", ["Hauptstr. 12"]),
        ("Er wohnt am Platz 3, in Ring 2 und der Straße 5.", []),
        ("Tabellenplatz 3, Radweg 7, Hering 2, Frühling 2019", []),
        ("Die Bundesstraße 7 und die Landstraße 12", []),
        ("vor 12345 Kindern und 10000 Menschen, 50000 Essen", []),
        ("seit 2010 Wien", []),
    ],
)
def test_german_addresses(text: str, expected: list[str]) -> None:
    assert found(text) == expected
    written_ = [written("de", "en", match) for match in literal_matches(text)]
    assert written_ == expected
    elsewhere = [written("fr", "en", match) for match in literal_matches(text)]
    assert elsewhere == [None] * len(expected)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Die IP ist 192.168.178.254.", "192.168.178.254"),
        ("255.255.255.0 und", "255.255.255.0"),
        ("1.000.000.000 Leute", "1,000,000,000"),
        ("300.168.178.254 Leute", "300,168,178,254"),
        ("1.234.123.100,5 Leute", "1,234,123,100.5"),
        ("1.234.123.100 €", "€1,234,123,100"),
        ("1.234.123.100 Euro", "1,234,123,100\xa0euros"),
        ("1.2.3.4.5", "1.2.3.4.5"),
    ],
)
def test_internet_addresses_are_no_numbers(text: str, english: str) -> None:
    assert [written("de", "en", match) for match in literal_matches(text)] == [english]


def test_what_is_left_to_translate() -> None:
    assert without_literals("Mail: a@b.de 😀") == "Mail:    "
    assert without_literals("nur Text") == "nur Text"


@given(st.text(max_size=80))
def test_spans_are_in_order_and_never_empty(text: str) -> None:
    last = 0
    for span in literals(text):
        assert last <= span.start < span.end <= len(text)
        assert span.of(text).strip() == span.of(text)
        last = span.end


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "a.",
        "%",
        "{",
        "/a",
        "@a",
        "<a ",
        "www.",
        "1.",
        "1 000 ",
        "1-",
        "1:",
        "€1",
        "XX",
        "A1-",
        "#",
        "{{",
        "{%",
        "{#",
        "<%",
        "<?",
        "{a:",
        "%aa",
        "123 ",
        "Aa-",
        "Aa-Str. 1x ",
        "DIN/EN ",
    ],
)
def test_long_runs_take_no_time(part: str) -> None:
    start = time.process_time()
    literals(part * 3_000)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("part", ["1-", "a1-", "a1+", "VI-", "0-f", "x1", "0a", "fa1deca-"])
def test_parts_of_a_long_run_are_not_looked_through_again_and_again(part: str) -> None:
    def seconds(length: int) -> float:
        start = time.process_time()
        literals(part * (length // len(part)))
        return time.process_time() - start

    # Of a quadratic search 64 times, whenever it is looked at; a busy machine disturbs one look.
    assert any(seconds(80_000) < 20 * seconds(10_000) + 0.1 for _ in range(10))


# What no literal can do without, and what stands around it.
_EVERY = re.compile(_ANY)
_ALPHABET = "®²你abcdewwwhttps:vXIVM12 €½§.,-_/\\@#%${}[]<>&;~*()😀🇩♥⬛\ufe0f\u20e3\u200däß"


@given(st.text(_ALPHABET, max_size=20))
@settings(max_examples=2_000)
def test_no_literal_is_without_a_sign(text: str) -> None:
    matches = [match for match in _LITERAL.finditer(text) if match.group()]
    assert bool(_SIGN.search(text)) or not matches


@given(st.text(_ALPHABET + "USmailFN", max_size=20))
@settings(max_examples=2_000)
def test_a_look_at_the_beginning_misses_no_literal(text: str) -> None:
    every = [match.span() for match in _EVERY.finditer(text) if match.group()]
    assert list(map(_span, literals(text))) == every


def _span(span: Span) -> tuple[int, int]:
    return span.start, span.end


def test_the_same_sentence_is_looked_through_once() -> None:
    text = "Mail an a@b.de, 😀"
    assert literal_matches(text) is literal_matches(text)
    assert literals(text) == (Span(8, 14), Span(16, 17))
    long = text + " x" * 1_000
    assert literal_matches(long) is not literal_matches(long)
    assert literals(long) == literals(text)


def test_words_of_a_language_are_told_from_what_no_language_has() -> None:
    text = "um halb drei, Nr. 5, z. B. Hauptstr. 5 am 3. Mai, a@b.de"
    found = {one.group(): is_worded(one) for one in literal_matches(text)}
    assert found == {
        "halb drei": True, "Nr. 5": True, "z. B.": True, "Hauptstr. 5": True, "3. Mai": False,
        "a@b.de": False,
    }  # fmt: skip
    assert [span.of(text) for span in literals(text, worded=False)] == ["3. Mai", "a@b.de"]
    assert hidden(text, Protection("de", "en"), worded=False).text.startswith("um halb drei, Nr. 5")
