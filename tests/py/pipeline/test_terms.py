"""Terms on their way: said by the model, put in place of its words, or shown as stand-ins."""

from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine
from dragoman.errors import GlossaryTooLargeError
from dragoman.text.align import LinkedWords, linked
from dragoman.text.terms.names import NameTable
from dragoman.text.terms.word_table import WordTable
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    DetokenizedText,
    Element,
    ElementKind,
    EngineOutput,
    Glossary,
    Hypothesis,
    MiniBatch,
    Piece,
    Segment,
    Span,
    Term,
    TermOutcome,
    TermUse,
    Timings,
)
from tests.support.helpers import (
    ScriptedEngine,
    WordTokenizer,
    hypothesis,
    output,
    pipeline,
    request,
    service,
)

RECHNER = Glossary((Term("Rechner", "computer"),))


class Model:
    """A pipeline, and what a model is to answer, in words."""

    def __init__(self, text: str, **options: Any) -> None:
        self.tokenizer = options.pop("tokenizer", None) or WordTokenizer()
        pieces, names = options.pop("source_pieces", 80), options.pop("names", None)
        self.pipeline = pipeline(self.tokenizer, source_pieces=pieces, names=names)
        self.draft = self.pipeline.draft(1, request(text, **options))
        ((part,),) = [step.parts for step in self.pipeline.slices(self.draft)]
        assert isinstance(part, Segment)
        self.part = part

    @property
    def shown(self) -> str:
        """What the model is shown."""
        return " ".join(self.tokenizer.words[piece.id - 2] for piece in self.part.pieces)

    def says(
        self, text: str, looks: Sequence[int] | None = None, sure: Sequence[float] | None = None
    ) -> AlignedSegment:
        """The end of the sentence; `sure` is how probable each word was."""
        aligned, again = self._answer(text, looks, sure)
        assert again is None
        return aligned

    def is_asked_again(self, text: str) -> bool:
        """Whether the sentence is to be translated once more, as it is then `shown`."""
        _, again = self._answer(text, None, None)
        self.part = again or self.part
        return again is not None

    def _answer(
        self, text: str, looks: Sequence[int] | None, sure: Sequence[float] | None
    ) -> tuple[AlignedSegment, Segment | None]:
        (pieces,) = self.tokenizer.encode([text])
        columns = self.part.width
        rows = [[1 / columns] * columns for _ in pieces]
        if looks is not None:
            rows = [[float(column == look) for column in range(columns)] for look in looks]
        scores = sure and [*map(log, sure), 0.0]
        made = hypothesis(self.part, [piece.id for piece in pieces], rows, scores)
        (aligned,) = self.pipeline.finish(self.draft, [made])
        return aligned, self.pipeline.again(self.draft, aligned)


def test_a_term_that_the_model_says_is_left_alone() -> None:
    model = Model("Der Rechner läuft", glossary=RECHNER)
    aligned = model.says("Computers run here")
    assert aligned.target.text == "Computers run here"
    assert aligned.terms == (
        TermUse(Term("Rechner", "computer"), TermOutcome.SAID, Span(4, 11), Span(0, 9)),
    )


@pytest.mark.parametrize("kind", list(AlignmentKind))
def test_a_term_takes_the_place_of_the_words_that_look_at_it(kind: AlignmentKind) -> None:
    model = Model("Der Rechner läuft", alignment=kind, glossary=RECHNER)
    assert model.pipeline.needs_attention(model.draft, model.part)
    aligned = model.says("The big machine runs", [0, 1, 1, 2])
    assert aligned.target.text == "The big computer runs"  # of at most 3 letters: an article
    assert aligned.terms[0].outcome is TermOutcome.FORCED
    assert aligned.terms[0].target == Span(8, 16)


def test_where_links_are_not_sure_the_model_is_shown_a_stand_in() -> None:
    model = Model("Der Rechner läuft", glossary=RECHNER)
    assert model.shown == "Der Rechner läuft"
    assert model.is_asked_again("The thing runs")
    assert model.shown == "Der X1 läuft"
    aligned = model.says("The X1 runs")
    assert aligned.target.text == "The computer runs"
    assert aligned.terms[0].outcome is TermOutcome.FORCED


def test_a_stand_in_that_the_model_drops_is_put_in() -> None:
    model = Model("Der Rechner läuft", glossary=RECHNER)
    assert model.is_asked_again("It runs")
    assert model.says("It runs now").target.text == "It computer runs now"


def test_what_was_said_without_stand_ins_and_is_lost_beside_one_gets_one_too() -> None:
    both = RECHNER | Glossary((Term("Haus", "house"),))
    model = Model("Der Rechner im Haus", glossary=both)
    assert model.is_asked_again("The thing in the house")
    assert model.shown == "Der X1 im Haus"
    assert model.is_asked_again("The X1 in the home")
    assert model.shown == "Der X1 im X1"
    assert model.says("The X1 in the X1").target.text == "The computer in the house"


def test_a_kept_word_stays_as_it_stands() -> None:
    model = Model("Herr Schwarz sah Schwarzens Haus", glossary=Glossary.keeping(["Schwarz"]))
    aligned = model.says("Mr Black saw Black's house", [0, 1, 2, 3, 4])
    assert aligned.target.text == "Mr Schwarz saw Black's house"


def test_a_term_at_the_start_begins_with_a_capital_as_the_source_does() -> None:
    model = Model("Rechner laufen", glossary=RECHNER)
    assert model.says("Machines run", [0, 1]).target.text == "Computer run"
    model = Model("Rechner laufen", glossary=Glossary((Term("Rechner", "iMac"),)))
    assert model.says("Machines run", [0, 1]).target.text == "iMac run"


def test_a_term_in_a_literal_is_none_and_one_with_a_literal_is() -> None:
    model = Model("Auf rechner.de steht Rechner", glossary=Glossary((Term("rechner", "box"),)))
    assert model.says("Read computer at X1").terms == ()
    model = Model("Nimm Modell AB12 heute", glossary=Glossary((Term("Modell AB12", "type A"),)))
    assert model.is_asked_again("Take model X1 today")
    assert model.says("Take X1 today").target.text == "Take type A today"


def test_a_term_that_markup_cuts_gets_no_stand_in() -> None:
    elements = (Element(Span(8, 14), ElementKind.INLINE),)
    glossary = Glossary((Term("große Rechner", "mainframe"),))
    model = Model("Der große Rechner läuft", elements=elements, glossary=glossary)
    aligned = model.says("The big computer runs", [0, 1, 2, 3])
    assert aligned.terms[0].outcome is TermOutcome.MISSED
    response = model.pipeline.respond(model.draft, [aligned], (), Timings())
    assert [(notice.code, notice.span) for notice in response.warnings] == [
        ("term-missed", Span(0, 23))
    ]


def test_a_sentence_that_stand_ins_make_too_long_is_left_as_it_is() -> None:
    glossary = Glossary((Term("東京", "Tokyo"),))
    model = Model("das東京都に ja", glossary=glossary, source_pieces=2)
    aligned = model.says("that yes")  # "das X1 都に ja" has four pieces
    assert (aligned.target.text, aligned.terms[0].outcome) == ("that yes", TermOutcome.MISSED)
    assert aligned.hypothesis.segment is model.part


def test_a_sentence_without_a_letter_of_the_language_is_translated_for_its_terms() -> None:
    model = Model("東京", glossary=Glossary((Term("東京", "Tokyo"),)))
    assert model.shown == "X1"
    assert model.says("X1").target.text == "Tokyo"


def test_the_limits_of_a_glossary() -> None:
    made = pipeline(limits=Limits(glossary_terms=2, term_characters=8))
    made.draft(1, request("a", glossary=Glossary.keeping(["abcdefgh", "b"])))
    with pytest.raises(GlossaryTooLargeError) as caught:
        made.draft(1, request("a", glossary=Glossary.keeping(["a", "b", "c"])))
    assert caught.value.details == {"requested": 3, "allowed": 2, "counted": "terms"}
    with pytest.raises(GlossaryTooLargeError) as caught:
        made.draft(1, request("a", glossary=Glossary.keeping(["abcdefghi"])))
    assert caught.value.details["counted"] == "characters of a term"


# --- through the service -------------------------------------------------------------------------


async def test_a_sentence_goes_back_into_the_queue_once() -> None:
    tokenizer = WordTokenizer()

    def answer(batch: MiniBatch, attention: bool) -> EngineOutput:
        """A model that says "was" for everything but marks of stand-ins."""
        (was,) = tokenizer.encode(["was"])
        rows = [
            [p.id if tokenizer.words[p.id - 2] == "X1" else was[0].id for p in segment.pieces]
            for segment in batch.segments
        ]
        cell = [1 / batch.width] * batch.width
        attended = [[cell] * (batch.width - 1) for _ in rows] if attention else ()
        return output(rows, attention=attended)

    engine = ScriptedEngine(answer)
    async with service(engine, tokenizer=tokenizer) as made:
        asked = request("Der Rechner läuft", glossary=RECHNER)
        response = await made.translate(asked)
        assert response.text == "Was computer was"
        assert engine.runs == 2
        assert [(use.outcome, use.target) for use in response.terms] == [("forced", Span(4, 12))]
        assert (await made.translate(asked)).terms == response.terms
        assert engine.runs == 3  # the stand-in's sentence is in the cache


async def test_sentences_without_a_term_share_the_cache_with_those_of_no_glossary() -> None:
    engine = EchoEngine()
    async with service(engine) as made:
        await made.translate(request("Ja. Nein."))
        response = await made.translate(request("Ja. Nein.", glossary=Glossary.keeping(["Nein"])))
        assert [len(batch.segments) for batch in engine.batches] == [2, 1]
        assert response.terms[0].source == response.terms[0].target == Span(4, 8)


JEFF = NameTable(bytes(2), 1.0, -1.0, frozenset({"Jeff"}))


def test_a_name_that_the_model_spells_anew_is_shown_as_a_stand_in_and_is_no_term() -> None:
    model = Model("Gestern sah Jeff uns", names=JEFF)
    assert model.pipeline.needs_attention(model.draft, model.part)
    assert model.shown == "Gestern sah Jeff uns"
    assert model.is_asked_again("Yesterday thief saw us")
    assert model.shown == "Gestern sah X1 uns"
    aligned = model.says("Yesterday X1 saw us")
    assert aligned.target.text == "Yesterday Jeff saw us"
    assert aligned.terms == ()


def test_a_name_takes_the_place_of_the_word_that_looks_at_it() -> None:
    model = Model("Gestern sah Jeff uns", names=JEFF)
    aligned = model.says("Yesterday thief saw us", [0, 2, 1, 3])
    assert aligned.target.text == "Yesterday Jeff saw us"


def test_a_glossary_goes_before_names() -> None:
    glossary = Glossary((Term("Jeff", "Geoffrey"),))
    model = Model("Gestern sah Jeff uns", names=JEFF, glossary=glossary)
    aligned = model.says("Yesterday Jeff saw us", [0, 2, 1, 3])
    assert aligned.target.text == "Yesterday Geoffrey saw us"
    assert [use.outcome for use in aligned.terms] == [TermOutcome.FORCED]


def test_without_names_nothing_is_looked_for() -> None:
    model = Model("Gestern sah Jeff uns")
    assert model.says("Yesterday thief saw us").target.text == "Yesterday thief saw us"


RUNWAY = NameTable(bytes(2), 1.0, -1.0, lexicon=WordTable.of({"Startbahn": "runway"}))


def test_a_rare_word_takes_the_place_of_the_models_own_and_is_no_term() -> None:
    model = Model("Gestern sah Startbahn uns", names=RUNWAY)
    assert model.pipeline.needs_attention(model.draft, model.part)
    aligned = model.says("Yesterday start saw us", [0, 2, 1, 3], [1, 0.59, 1, 1])
    assert aligned.target.text == "Yesterday runway saw us"
    assert aligned.terms == ()


def test_a_compound_is_put_together_of_its_parts() -> None:
    firsts, heads = WordTable.of({"Golf": "golf"}), WordTable.of({"Turnier": "event"})
    names = NameTable(bytes(2), 1.0, -1.0, firsts=firsts, heads=heads)
    model = Model("Gestern sah Golfturnier uns", names=names)
    aligned = model.says("Yesterday start saw us", [0, 2, 1, 3], [1, 0.59, 1, 1])
    assert aligned.target.text == "Yesterday golf event saw us"


def test_a_word_that_the_model_is_sure_of_stays_and_a_name_does_not() -> None:
    model = Model("Gestern sah Startbahn uns", names=RUNWAY)
    aligned = model.says("Yesterday airstrip saw us", [0, 2, 1, 3], [0.1, 0.61, 0.1, 0.1])
    assert aligned.target.text == "Yesterday airstrip saw us"
    model = Model("Gestern sah Jeff uns", names=JEFF)
    aligned = model.says("Yesterday thief saw us", [0, 2, 1, 3], [1, 0.99, 1, 1])
    assert aligned.target.text == "Yesterday Jeff saw us"


def test_a_compound_repeats_nothing_that_stands_beside_it() -> None:
    firsts, heads = WordTable.of({"Golf": "golf"}), WordTable.of({"Turnier": "event"})
    names = NameTable(bytes(2), 1.0, -1.0, firsts=firsts, heads=heads)
    model = Model("Gestern sah Golfturnier uns", names=names)
    aligned = model.says("Yesterday golf start saw us", [0, 0, 2, 1, 3], [1, 1, 0.59, 1, 1])
    assert aligned.target.text == "Yesterday golf event saw us"


NO_NAMES = NameTable(bytes(2), 1.0, -1.0)


class RareWords(WordTokenizer):
    """A word that is asked about by itself has no piece of its own."""

    def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
        return [row * 2 if len(row) == 1 else row for row in super().encode(sentences)]


@pytest.mark.parametrize(
    ("tokenizer", "sure", "said"),
    [
        (RareWords(), 0.49, "Wiese"),
        (RareWords(), 0.51, "meadow"),
        (WordTokenizer(), 0.1, "meadow"),  # a common word, which the model knows
    ],
)
def test_what_stands_behind_a_first_name_stays_where_the_model_is_not_sure(
    tokenizer: WordTokenizer, sure: float, said: str
) -> None:
    model = Model("Gestern sah Tim Wiese uns", names=NO_NAMES, tokenizer=tokenizer)
    aligned = model.says("Yesterday Tim meadow saw us", [0, 2, 3, 1, 4], [1, 1, sure, 1, 1])
    assert aligned.target.text == f"Yesterday Tim {said} saw us"
    assert aligned.terms == ()


SYRIA = NameTable(bytes(2), 1.0, -1.0, lexicon=WordTable.of({"Syriens": "Syria's"}))


@pytest.mark.parametrize(
    ("said", "sure", "expected"),
    [
        ("the army Syrisch came", 0.3, "the army of Syria came"),
        ("the army Syria came", 0.9, "the army of Syria came"),  # sure of it, but no English
        ("the army Syriens came", 0.9, "the army of Syria came"),
        ("the army Syrian came", 0.9, "the army Syrian came"),
        ("army of Syrisch came", 0.3, "army of Syria came"),
    ],
)
def test_a_name_in_the_genitive_has_one_of(said: str, sure: float, expected: str) -> None:
    model = Model("die Armee Syriens kam", names=SYRIA)
    aligned = model.says(said, [0, 1, 2, 3], [1, 1, sure, 1])
    assert aligned.target.text == expected


def test_a_translation_that_begins_with_of_is_no_genitive() -> None:
    names = NameTable(bytes(2), 1.0, -1.0, lexicon=WordTable.of({"freilich": "of course"}))
    model = Model("freilich kam er", names=names)
    aligned = model.says("fairly he came", [0, 2, 1], [0.3, 1, 1])
    assert aligned.target.text == "of course he came"


@pytest.mark.parametrize(
    ("sure", "others"),
    [(0.3, ["We saw runway us"]), (0.7, ["We saw strip us", "They saw start us"])],
)
def test_alternatives_have_the_word_of_the_list_where_the_best_has_it(
    sure: float, others: list[str]
) -> None:
    model = Model("Sie sahen Startbahn uns", names=RUNWAY, alternatives=3)

    def heard(text: str, probability: float) -> Hypothesis:
        (pieces,) = model.tokenizer.encode([text])
        looks = [[float(step == column) for column in range(model.part.width)] for step in range(4)]
        scores = [0.0, 0.0, log(probability), 0.0, 0.0]
        return hypothesis(model.part, [piece.id for piece in pieces], looks, scores)

    found = (heard("We saw strip us", 0.2), heard("They saw start us", 0.1))
    best = replace(heard("They saw road us", sure), others=found)
    (aligned,) = model.pipeline.finish(model.draft, [best])
    assert aligned.target.text == f"They saw {'runway' if sure < 0.6 else 'road'} us"
    assert [one.target.text for one in aligned.alternatives] == others


def test_a_rare_word_that_the_model_says_in_another_form_stays() -> None:
    model = Model("Gestern sah Startbahn uns", names=RUNWAY)
    aligned = model.says("Yesterday runways saw us", [0, 2, 1, 3], [1, 0.1, 1, 1])
    assert aligned.target.text == "Yesterday runways saw us"


def test_a_rare_word_is_not_worth_a_stand_in() -> None:
    model = Model("Gestern sah Startbahn uns", names=RUNWAY)
    assert not model.is_asked_again("Yesterday saw us")
    assert model.shown == "Gestern sah Startbahn uns"


def test_beside_a_term_that_was_missed_a_rare_word_is_shown_as_it_is() -> None:
    model = Model("Jeff sah Startbahn uns", names=RUNWAY, glossary=Glossary.keeping(["Jeff"]))
    assert model.is_asked_again("thief saw start us")
    assert model.shown == "X1 sah Startbahn uns"


def test_glossary_and_rare_words_each_have_their_place() -> None:
    glossary = Glossary((Term("Startbahn", "airstrip"),))
    model = Model("Gestern sah Startbahn uns", names=RUNWAY, glossary=glossary)
    aligned = model.says("Yesterday start saw us", [0, 2, 1, 3])
    assert aligned.target.text == "Yesterday airstrip saw us"


@pytest.mark.parametrize(("said", "times"), [("airstrip", 1), ("start", 2)])
def test_a_sentence_is_aligned_once_where_nothing_is_exchanged(
    said: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def counted(one: Hypothesis, source: str, target: DetokenizedText) -> LinkedWords:
        made.append(target.text)
        return linked(one, source, target)

    monkeypatch.setattr("dragoman.pipeline.terms.linked", counted)
    monkeypatch.setattr("dragoman.text.align.linked", counted)
    model = Model("Gestern sah Startbahn uns", names=RUNWAY, alignment=AlignmentKind.HARD)
    sure = 0.59 if said == "start" else 0.9
    aligned = model.says(f"Yesterday {said} saw us", [0, 2, 1, 3], [1, sure, 1, 1])
    assert aligned.links == ((0, 0), (1, 2), (2, 1), (3, 3))
    assert len(made) == times
    assert made[-1] == aligned.target.text
