from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import InvalidRequestError
from dragoman.text.split import SentenceSplitter, split_sentences, trimmed_sentences
from dragoman.types import Span
from tests.support.paths import TESTS

GOLDEN = TESTS / "golden" / "split.jsonl"
LANGUAGES = ["de", "en", "fr", "cs", "ru", "zh", "ja", "hi", "ar", "xx", ""]
LINE_BREAKS = ["\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"]

# Texts made of what the rules look at, so that they meet in ways nobody thought of.
SNIPPETS = st.sampled_from(
    [
        *(" ", "  ", "\u00a0", "\t", *LINE_BREAKS),
        *(".", "...", "…", "!", "?", "?!", "。", "！", "？", "।", "؟", ". . .", ".[1]", "[...]"),
        *('"', "'", "„", "“", "”", "»", "«", "(", ")", "「", "」", "•", "–", ":)", ";"),
        *("z.B", "z. B", "Dr", "Mr", "U.S", "p.m", "usw", "etc", "Nr", "No", "J", "Str", "II"),
        *("3", "19", "2015", "1.", "2.", "a)", "b)", "1.000", "http://a.de/?b", "a@b.de"),
        *("Der", "The", "Oktober", "Haus", "house", "iPhone", "你好", "と言った", "यह", "ß", "ǅ"),
        *("\u0301", "\u200d", "\ufe0f", "👩", "🏽", "🇩", "🇪", "\ud800", "\0", "\u200b", "\u202e"),
    ]
)
TEXTS = st.one_of(
    st.lists(SNIPPETS, max_size=30).map("".join),
    st.lists(SNIPPETS, max_size=30).map(" ".join),
    st.text(st.characters()),
)


def sentences(text: str, language: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text, language)]


def golden_cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", golden_cases(), ids=lambda c: f"{c['language']}: {c['name']}")
def test_golden(case: dict[str, Any]) -> None:
    assert sentences(case["text"], case["language"]) == case["sentences"]


def test_golden_file_is_large_enough() -> None:
    assert len(golden_cases()) >= 80


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("", ()),
        (" ", ()),
        ("\r\n\t\u00a0", ()),
        ("hi", (Span(0, 2),)),
        (" hi. Ho ", (Span(1, 4), Span(5, 7))),
        ("a\r\nb", (Span(0, 1), Span(3, 4))),
        (".", (Span(0, 1),)),
        ("\ud800. A\0", (Span(0, 2), Span(3, 5))),
    ],
)
def test_spans(text: str, spans: tuple[Span, ...]) -> None:
    assert split_sentences(text, "en") == spans


def test_a_tab_ends_a_sentence() -> None:
    text = "Titel\tPreis \t z. B.\t Ja.\tNein"
    assert sentences(text, "de") == ["Titel", "Preis", "z. B.", "Ja.", "Nein"]


@pytest.mark.parametrize("line_break", LINE_BREAKS)
def test_every_line_break_ends_a_sentence(line_break: str) -> None:
    assert sentences(f"one{line_break}two {line_break} three", "en") == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("de", ["Am 3. Oktober."]),
        ("de-AT", ["Am 3. Oktober."]),
        ("DE_ch", ["Am 3. Oktober."]),
        ("en", ["Am 3.", "Oktober."]),
        ("und", ["Am 3.", "Oktober."]),
    ],
)
def test_only_the_first_subtag_counts(tag: str, expected: list[str]) -> None:
    assert sentences("Am 3. Oktober.", tag) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Das ist die 1.-3. Auflage.",
        "Die 12./13. Sitzung findet statt.",
        "Er wohnt im 3. Stock links.",
        "Der Dr. h. c. Müller sprach.",
        "Das gilt s. o. Kapitel Drei.",
        "Sie kam m. E. Montag.",
        "Das kostet max. Hundert.",
        "Der Verein (e. V.) Musterstadt lädt ein.",
        "Lt. Polizei war es so.",
        "Hier wohnt die Fam. Huber.",
        "Er bestellte Schrauben u. Ä. Teile.",
    ],
)
def test_german_stays_whole(text: str) -> None:
    assert sentences(text, "de") == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Er landete auf Platz 3. Bayern gewann.", ["Er landete auf Platz 3.", "Bayern gewann."]),
        ("Siehe Nr. 5. Danke.", ["Siehe Nr. 5.", "Danke."]),
        ("Es war um 1990. Karl kam.", ["Es war um 1990.", "Karl kam."]),
        ("Das ist gut.  – Ja!", ["Das ist gut.", "– Ja!"]),
        ("Nimm die CD. Karl hat sie.", ["Nimm die CD.", "Karl hat sie."]),
        ("Komm! Ohne dich geht es nicht.", ["Komm!", "Ohne dich geht es nicht."]),
        ("Er hat Recht, sog. Experten auch.", ["Er hat Recht, sog. Experten auch."]),
        ("(Siehe unten.) Das hilft.", ["(Siehe unten.)", "Das hilft."]),
    ],
)
def test_german_boundaries(text: str, expected: list[str]) -> None:
    assert sentences(text, "de") == expected


@pytest.mark.parametrize(
    "text",
    [
        "The U.S. Commission met.",
        "See Fig. 3 and Sec. II for more.",
        "He came on Jan. 5 and left.",
        "Roe v. Wade was decided.",
        "It grew by approx. Five percent.",
        "Turn to pp. 12 and 13.",
        "Sgt. Pepper and Rev. Green met.",
        "The Ave. Q show closed.",
        "Visit a.b.c.Example.COM now.",
        "I saw 'Who?' there.",
        "Wow! he cried.",
        "She is 5 ft. tall.",
    ],
)
def test_english_stays_whole(text: str) -> None:
    assert sentences(text, "en") == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is on Main St. The shop is open.", ["It is on Main St.", "The shop is open."]),
        ("He said no. I agreed.", ["He said no.", "I agreed."]),
        ("“Stop!” She ran.", ["“Stop!”", "She ran."]),
        ("It is 5 p.m. Everyone left.", ["It is 5 p.m.", "Everyone left."]),
        ("Use HTML. CSS is optional.", ["Use HTML.", "CSS is optional."]),
        ("I agree. [...] But why?", ["I agree.", "[...] But why?"]),
        ("A 😀. B", ["A 😀.", "B"]),
        ("One . Two", ["One .", "Two"]),
    ],
)
def test_english_boundaries(text: str, expected: list[str]) -> None:
    assert sentences(text, "en") == expected


@pytest.mark.parametrize(
    "whole",
    ["https://a.de/b.c?d=e!f#G.H", "3.14", "1.000,50", "v1.2.3-rc.1", "a.b@c.de", "x.tar.gz"],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_addresses_and_numbers_are_never_cut(whole: str, language: str) -> None:
    for text in (whole, f"{whole} {whole}", f"A. {whole}. B", f"你好！{whole}！再见。"):
        for span in split_sentences(text, language):
            for start in (i for i in range(len(text)) if text.startswith(whole, i)):
                assert not start < span.start < start + len(whole)
                assert not start < span.end < start + len(whole)


def test_address_in_text_without_spaces() -> None:
    assert sentences("见http://a.cn/问?你好。再见。", "zh") == ["见http://a.cn/问?你好。", "再见。"]


@settings(deadline=None)
@given(TEXTS, st.sampled_from(LANGUAGES))
def test_sentences_and_gaps_are_the_text(text: str, language: str) -> None:
    position = 0
    for span in split_sentences(text, language):
        assert position <= span.start < span.end <= len(text)
        gap, sentence = text[position : span.start], span.of(text)
        assert not gap.strip()
        assert sentence == sentence.strip()
        assert len(sentence.splitlines()) == 1 or not set(sentence) & set("".join(LINE_BREAKS))
        position = span.end
    assert not text[position:].strip()


@settings(deadline=None)
@given(TEXTS, st.sampled_from(LANGUAGES))
def test_graphemes_are_not_cut(text: str, language: str) -> None:
    for span in split_sentences(text, language)[1:]:
        # Nothing extends a control character (UAX 29, GB4).
        before = text[: span.start].rstrip(" \u00a0")
        at_line_start = not before or before.endswith((*LINE_BREAKS, "\t"))
        first = text[span.start]
        assert at_line_start or not (unicodedata.category(first)[0] == "M" or first in "\u200d🏽")
        if "🇩" in first or "🇪" in first:
            assert text[span.start - 1] not in "🇩🇪"


@settings(deadline=None)
@given(TEXTS, st.sampled_from(LANGUAGES))
def test_each_line_is_split_alone(text: str, language: str) -> None:
    doubled = [*sentences(text, language), *sentences(text, language)]
    assert sentences(text + "\n" + text, language) == doubled


@pytest.mark.parametrize(
    "unit",
    [
        *("Das ist am 3. Mai in der Str. 5 gut. ", "So it is, e.g. in the U.S. Army. "),
        *(".", ". ", " ", '."', ".)", "([", "[...] ", "1. Foo 2. Bar ", "•", "好。", "\u0301", "x"),
    ],
)
def test_time_is_linear(unit: str) -> None:
    """Far more than is needed, far less than anything quadratic takes."""
    text = (unit * 300_000)[:300_000]
    start = time.process_time()
    split_sentences(text, "de")
    assert time.process_time() - start < 5


# --- sentences that somebody else has found -------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("", [], []),
        ("", [(0, 0)], []),
        (" a. ", [(0, 4)], [(1, 3)]),
        ("a. b.", [(0, 2), (3, 5)], [(0, 2), (3, 5)]),
        ("a.  b.", [(0, 3), (3, 4), (4, 6)], [(0, 2), (4, 6)]),
        ("a. b.", [(3, 5)], [(3, 5)]),
    ],
)
def test_given_sentences_are_trimmed(
    text: str, given: list[tuple[int, int]], expected: list[tuple[int, int]]
) -> None:
    spans = [Span(*edges) for edges in given]
    assert trimmed_sentences(text, spans) == tuple(Span(*edges) for edges in expected)


@pytest.mark.parametrize(
    "given", [[(0, 2), (1, 3)], [(3, 2)], [(0, 6)], [(-1, 2)], [(3, 4), (0, 2)]]
)
def test_given_sentences_that_do_not_fit(given: list[tuple[int, int]]) -> None:
    with pytest.raises(InvalidRequestError, match="do not fit the text"):
        trimmed_sentences("a. b.", [Span(*edges) for edges in given])


# --- in pieces ------------------------------------------------------------------------------------


def in_pieces(pieces: Iterable[str], language: str) -> list[Span]:
    splitter = SentenceSplitter(language)
    spans = [span for piece in pieces for span in splitter.feed(piece)]
    return spans + splitter.finish()


def cut_up(text: str, cuts: list[int]) -> list[str]:
    edges = [0, *sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


@given(
    st.lists(SNIPPETS | st.just(" ") | st.text(max_size=3), max_size=60).map("".join),
    st.sampled_from(LANGUAGES),
    st.none() | st.lists(st.integers(0, 10_000), max_size=8),
)
@settings(max_examples=500, deadline=None)
def test_a_text_in_pieces_has_the_same_sentences(
    text: str, language: str, cuts: list[int] | None
) -> None:
    pieces = list(text) if cuts is None else cut_up(text, cuts)
    assert in_pieces(pieces, language) == list(split_sentences(text, language))


def test_the_golden_texts_in_pieces() -> None:
    for line in GOLDEN.read_text().splitlines():
        case = json.loads(line)
        text, language = case["text"], case["language"]
        for pieces in (list(text), [text], text.splitlines(keepends=True)):
            assert in_pieces(pieces, language) == list(split_sentences(text, language)), case


@pytest.mark.parametrize(
    ("pieces", "given"),
    [
        (["Ja.", " ", "Nein", " das ", "nicht"], [0, 0, 0, 1, 0]),
        (["Ja. Nein\n"], [2]),
        (["Ja", "\n"], [0, 1]),
        (["Das ist Dr.", " Meier aus Köln "], [0, 0]),
        (["Wir sahen z. B", ". Katzen. Und ", "dann ", "Hunde "], [0, 0, 1, 0]),
        (["你好。", "你", "好吗？我今天很好，谢谢你们。"], [0, 0, 1]),
    ],
)
def test_a_sentence_is_given_as_soon_as_it_is_sure(pieces: list[str], given: list[int]) -> None:
    splitter = SentenceSplitter("zh" if "你" in pieces[-1] else "de")
    assert [len(splitter.feed(piece)) for piece in pieces] == given


def test_little_is_kept_of_what_was_read() -> None:
    splitter = SentenceSplitter("de")
    for _ in range(2_000):
        splitter.feed("Das ist ein ganz gewöhnlicher Satz. ")
        assert splitter.held < 250
    assert splitter.begin > 70_000


def test_a_list_goes_on_over_what_was_read() -> None:
    text = "".join(f"{n}. Das ist der Punkt Nummer eins. Und noch einer " for n in range(1, 12))
    assert in_pieces(list(text), "de") == list(split_sentences(text, "de"))


def test_cutting_where_there_is_no_end() -> None:
    splitter = SentenceSplitter("de")
    assert splitter.feed("wort " * 100) == []
    splitter.cut(250)
    assert (splitter.begin, splitter.pending) == (250, "wort " * 50)
    assert splitter.finish() == [Span(250, 499)]
    assert (splitter.begin, splitter.pending) == (500, "")
