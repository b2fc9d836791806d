"""The synchronous translator."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.errors import (
    DeadlineError,
    EngineError,
    InvalidRequestError,
    LanguageNotSureError,
    RequestCancelledError,
    SentenceTooLongError,
    TextTooLongError,
)
from dragoman.native.bundles import (
    Parts,
)
from dragoman.native.submission import Submission
from dragoman.native.translator import Translator
from dragoman.service.service import Progress, RequestState, Ticket
from dragoman.types import Element, ElementKind, LanguagePair, Span
from tests.support.helpers import assert_covers, pipeline
from tests.support.hosts import capital_parts
from tests.support.paths import ROOT
from tests.support.waiting import until


@pytest.fixture
def translator() -> Iterator[Translator]:
    with Translator(capital_parts()) as made:
        yield made


def test_translate(translator: Translator) -> None:
    response = translator.translate(" Guten Tag.\n\nWie geht's? 😀 ")
    assert response.text == " GUTEN TAG.\n\nWIE GEHT'S? 😀 "
    assert response.alignment.links[:2] == ((0, 0), (1, 1))
    assert_covers(response)


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("", ""),
        (" \t\n ", " \t\n "),
        ("a\x00b", "A\x00B"),
        ("a\ud800b", "A\ud800B"),
        ("\x00\x07", "\x00\x07"),
        ("e\u0301 👩‍👩‍👧 x", "E\u0301 👩‍👩‍👧 X"),
        ("שלום", "שלום"),
        ("中文。", "中文。"),
        ("x" * 5000, "X" * 5000),
    ],
)
def test_any_text_gives_a_translation(translator: Translator, text: str, translation: str) -> None:
    response = translator.translate(text)
    if "\x00" in text or "\ud800" in text:
        # What no model can take is not brought back; nothing else is lost.
        assert len(response.text) == len(translation)
    else:
        assert response.text == translation
    assert_covers(response)


def test_a_text_over_the_limit_is_a_typed_error() -> None:
    limits = Limits(text_characters=10)
    with (
        Translator(capital_parts(limits), limits) as translator,
        pytest.raises(TextTooLongError) as caught,
    ):
        translator.translate("12345678901")
    assert (caught.value.requested, caught.value.allowed) == (11, 10)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (None, {}, "text is of type NoneType, not a str"),
        (b"Ja.", {}, "text is of type bytes, not a str"),
        ("Ja.", {"glossary": {"Ja": "yes"}}, "glossary is of type dict, not a Glossary"),
        ("Ja.", {"memory": "a.tmx"}, "memory is of type str, not a TranslationMemory"),
        ("Ja.", {"beam": "4"}, "beam is of type str, not a whole number"),
        ("Ja.", {"beam": 2.5}, "beam is of type float, not a whole number"),
        ("Ja.", {"alternatives": None}, "alternatives is of type NoneType, not a whole number"),
        ("Ja.", {"prefix": 5}, "prefix is of type int, not a str"),
        ("Ja.", {"elements": [(0, 2)]}, "element is of type tuple, not an Element"),
    ],
)
def test_what_is_of_another_kind_is_a_typed_error(
    text: Any, options: dict[str, Any], words: str
) -> None:
    """A text that was none was met in the translator's thread, whose `close` never ended then."""
    with Translator(capital_parts()) as translator:
        with pytest.raises(InvalidRequestError, match=words):
            translator.translate(text, **options)
        assert translator.translate("Ja.").text == "JA."


def test_an_over_long_sentence_is_wrapped_or_refused(translator: Translator) -> None:
    text = "wort " * 100
    response = translator.translate(text, overlong="wrap")
    assert response.text == text.upper()
    assert [warning.code for warning in response.warnings] == ["sentence-wrapped"]
    with pytest.raises(SentenceTooLongError):
        translator.translate(text, overlong="refuse")


def test_alignment_that_is_not_asked_for_is_not_made(translator: Translator) -> None:
    assert translator.translate("Guten Tag.", alignment="none").alignment.links == ()
    (soft,) = translator.translate("ab", alignment="soft").sentences
    assert soft.soft is not None
    assert list(soft.soft.matrix) == [1, 0, 0, 0, 1, 0]
    with pytest.raises(ValueError, match="'fuzzy'"):
        translator.translate("ab", alignment="fuzzy")


def test_progress_comes_in_the_callers_thread(translator: Translator) -> None:
    seen: list[tuple[Progress, bool]] = []
    here = threading.current_thread()
    translator.translate(
        "Eins. Zwei. Drei.",
        on_progress=lambda p: seen.append((p, threading.current_thread() is here)),
    )
    assert all(in_thread for _, in_thread in seen)
    assert [(p.done, p.total) for p, _ in seen] == [(0, 3), (3, 3)]
    assert seen[0][0].state is RequestState.QUEUED


def test_an_exception_in_on_progress_cancels_and_comes_out() -> None:
    engine = HeldEngine()
    translator = Translator(Parts(pipeline(), engine))

    def fail(_: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        translator.translate("Eins.", on_progress=fail)
    _release(translator, engine)
    until(lambda: [use.leases for use in translator._running.registry.models] == [0])
    translator.close()


def test_translate_many_keeps_the_order_and_shares_batches() -> None:
    parts = capital_parts()
    assert isinstance(parts.engine, EchoEngine)
    with Translator(parts) as translator:
        texts = ["eins", "", "zwei", "drei " * 10, "vier"]
        found = [response.text for response in translator.translate_many(texts)]
    assert found == ["EINS", "", "ZWEI", "DREI " * 10, "VIER"]
    assert len(parts.engine.batches) < 4


def test_translate_many_takes_texts_as_they_are_needed(translator: Translator) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield "wort. " * 10_000  # 60,000 characters: two fill the window

    responses = translator.translate_many(endless(), alignment="none")
    assert next(responses).text.startswith("WORT. WORT.")
    assert taken == 2
    responses.close()


def test_translate_many_stops_at_the_first_error() -> None:
    limits = Limits(text_characters=10)
    with Translator(capital_parts(limits), limits) as translator:
        responses = translator.translate_many(["eins", "viel zu lang", "drei"])
        assert next(responses).text == "EINS"
        with pytest.raises(TextTooLongError):
            next(responses)
        assert next(responses, None) is None


def test_a_text_whose_language_is_not_sure_comes_after_those_before_it(
    translator: Translator,
) -> None:
    texts = ["Guten Morgen, wie geht es dir heute?", "xx", "Und was machst du morgen?"]
    responses = translator.translate_many(texts, source="auto")
    assert next(responses).text == "GUTEN MORGEN, WIE GEHT ES DIR HEUTE?"
    with pytest.raises(LanguageNotSureError):
        next(responses)
    assert next(responses, None) is None


def test_progress_of_many_adds_up(translator: Translator) -> None:
    seen: list[tuple[int, int]] = []
    texts = ["Eins. Zwei.", "Drei."]
    list(translator.translate_many(texts, on_progress=lambda p: seen.append((p.done, p.total))))
    assert seen[-1] == (3, 3)
    assert all(done <= total for done, total in seen)


def test_a_load_that_is_interrupted_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by Ctrl-C in a notebook, whose process goes on."""
    parts, begun = capital_parts(), threading.Event()
    engine = parts.engine
    assert isinstance(engine, EchoEngine)

    class Slow:
        pairs = (LanguagePair("de", "en"),)

        def size(self, pair: LanguagePair) -> int:  # noqa: ARG002 (it has but one)
            return 0

        async def load(self, pair: LanguagePair) -> Parts:  # noqa: ARG002
            await asyncio.to_thread(begun.wait)
            return parts

    def interrupted(_: Future[object]) -> object:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("dragoman.native.translator.Future.result", interrupted)
        with pytest.raises(KeyboardInterrupt):
            Translator(Slow())
    begun.set()
    until(lambda: engine.closed)


def test_a_loop_that_cannot_begin_is_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where too many files are open: it was waited for without end."""
    ended: list[BaseException] = []

    def no_loop() -> asyncio.AbstractEventLoop:
        raise OSError(24, "Too many open files")

    def load() -> None:
        try:
            Translator(capital_parts())
        except EngineError as error:
            ended.append(error)

    client = threading.Thread(target=load, daemon=True)
    with monkeypatch.context() as patched:
        patched.setattr(asyncio.events, "new_event_loop", no_loop)
        client.start()
        client.join(20)
    assert list(map(str, ended)) == ["the translator's thread cannot begin: Too many open files"]


def test_a_thread_that_cannot_begin_is_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(EngineError, match="thread cannot begin: can't start new thread"):
            Translator(capital_parts())


def test_elements_are_of_one_text(translator: Translator) -> None:
    """Each sentence of a stream got them, by its own characters."""
    elements = [Element(Span(0, 3), ElementKind.INLINE)]
    with pytest.raises(InvalidRequestError, match="elements are of one text"):
        translator.stream("Eins. Zwei.", elements=elements)
    with pytest.raises(InvalidRequestError, match="elements are of one text"):
        next(translator.translate_many(["Eins.", "Zwei."], elements=elements))
    assert translator.translate("Eins.", elements=elements).text == "EINS."


def test_one_text_is_not_taken_letter_by_letter(translator: Translator) -> None:
    with pytest.raises(InvalidRequestError, match="texts is one text: put it into a list"):
        next(translator.translate_many("Eins."))


def test_several_threads_may_translate(translator: Translator) -> None:
    by_text: dict[int, str] = {}

    def work(number: int) -> None:
        by_text[number] = translator.translate(f"Satz {number}.").text

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert by_text == {number: f"SATZ {number}." for number in range(20)}


def test_submit(translator: Translator) -> None:
    submission = translator.submit("Eins. Zwei.", priority="near")
    assert submission.result(20).text == "EINS. ZWEI."
    assert submission.done()
    submission.prioritize("visible")  # too late to matter
    submission.cancel()
    assert submission.result().text == "EINS. ZWEI."
    with pytest.raises(ValueError, match="'soon'"):
        translator.submit("Eins.", priority="soon")
    figures = translator.statistics()
    assert (figures.submitted, figures.done, figures.open_requests) == (1, 1, 0)


def test_a_submission_can_be_cancelled_prioritized_and_dropped() -> None:
    engine = HeldEngine()
    limits = Limits(batch_rows=1)
    with Translator(Parts(pipeline(limits=limits), engine), limits) as translator:
        running = translator.submit("Eins.")
        until(lambda: len(engine.calls) == 1)
        background = [translator.submit(text, priority="background") for text in ("a.", "b.", "c.")]
        background[2].prioritize("visible")
        background[0].cancel()
        with pytest.raises(RequestCancelledError):
            background[0].result(20)
        del background[0]
        dropped = background.pop(0)
        del dropped
        until(lambda: translator.statistics().cancelled == 2)
        _release(translator, engine)
        assert running.result(20).text == "Eins."
        until(lambda: len(engine.calls) == 2)
        _release(translator, engine)
        assert background[0].result(20).text == "c."


def test_a_submission_whose_loop_has_just_ended_has_no_priority() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    submission = Submission(Ticket(), Future(), loop)
    submission.prioritize("near")
    assert not submission.done()


def test_a_failed_submission_that_its_own_error_remembers_is_given_back() -> None:
    def fail(translator: Translator) -> weakref.ref[Submission]:
        submission = translator.submit("Eins.")
        with pytest.raises(TextTooLongError):
            submission.result(20)  # the traceback has this frame, and so the submission
        return weakref.ref(submission)

    limits = Limits(text_characters=1)
    with Translator(Parts(pipeline(limits=limits), EchoEngine()), limits) as translator:
        failed = fail(translator)
        until(lambda: gc.collect() >= 0 and failed() is None)


def test_a_deadline_natively() -> None:
    with Translator(Parts(pipeline(), HeldEngine())) as translator:
        with pytest.raises(DeadlineError):
            translator.translate("Eins.", deadline=0.02)
        with pytest.raises(TimeoutError):
            translator.submit("Eins.").result(0.01)


FORKED = """
import os, sys
from dragoman.config import Limits
from dragoman.errors import DragomanError
from dragoman.native.bundles import Parts
from dragoman.native.translator import Translator
from dragoman.engines.fake import HeldEngine
from tests.support.helpers import pipeline

translator = Translator(Parts(pipeline(), HeldEngine()))
submission = translator.submit("Eins.")
pieces = translator.translate_many(iter(["Eins."]))

def told(work):
    try:
        return work()
    except DragomanError as error:
        return error.code

child = os.fork()
if not child:
    print(told(lambda: translator.translate("Zwei.")), told(submission.result))
    print(told(lambda: next(pieces)), told(translator.statistics), flush=True)
    submission.prioritize("near")
    translator.close()
    os._exit(0)
os.waitpid(child, 0)
translator.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_after_a_fork_every_call_is_a_typed_error() -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKED]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, check=False)
    assert (run.stdout, run.stderr) == ("engine engine\nengine engine\n", "")


def test_what_another_process_asks_for_leaves_no_work_behind(translator: Translator) -> None:
    translator._origin._process += 1
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(EngineError, match="forked"):
            translator.graph({}, [])
        gc.collect()
    translator._origin._process -= 1
    assert [str(one.message) for one in warned] == []


def test_a_listener_that_exits_hangs_nobody() -> None:
    def leave(_progress: Progress) -> None:
        raise SystemExit(3)

    with Translator(capital_parts()) as translator:
        assert translator.submit("Eins.", on_progress=leave).result(20).text == "EINS."
        assert translator.submit("Zwei.").result(20).text == "ZWEI."


def test_closing_settles_what_is_open() -> None:
    engine = HeldEngine()
    translator = Translator(Parts(pipeline(), engine))
    ended: list[BaseException] = []

    def work() -> None:
        try:
            translator.translate("Eins.")
        except RequestCancelledError as error:
            ended.append(error)

    client = threading.Thread(target=work)
    client.start()
    until(lambda: len(engine.calls) == 1)
    closer = threading.Thread(target=translator.close)
    closer.start()
    client.join(20)
    assert [str(error) for error in ended] == ["the service was closed"]
    closer.join(20)
    assert not closer.is_alive()


def test_a_closed_translator_says_so(translator: Translator) -> None:
    translator.close()
    translator.close()
    with pytest.raises(RequestCancelledError, match="the translator is closed"):
        translator.translate("Eins.")


def test_the_engines_failure_comes_out() -> None:
    engine = HeldEngine()
    translator = Translator(Parts(pipeline(), engine))
    threading.Thread(target=lambda: _fail(translator, engine)).start()
    with pytest.raises(EngineError, match="out of memory"):
        translator.translate("Eins.")
    translator.close()


def test_ids_that_the_vocabulary_does_not_have_are_a_typed_error() -> None:
    """A graph that was made for another vocabulary."""
    ended: list[BaseException | str] = []
    translator = Translator(Parts(pipeline(), EchoEngine(lambda _: 10**7)))

    def work() -> None:
        try:
            ended.append(translator.translate("Eins.").text)
        except Exception as error:
            ended.append(error)

    client = threading.Thread(target=work, daemon=True)
    client.start()
    client.join(10)
    assert [type(end) for end in ended] == [EngineError]


def _release(translator: Translator, engine: HeldEngine) -> None:
    until(lambda: len(engine.calls) > 0)
    translator._running.loop.call_soon_threadsafe(engine.release)


def _fail(translator: Translator, engine: HeldEngine) -> None:
    until(lambda: len(engine.calls) > 0)
    translator._running.loop.call_soon_threadsafe(engine.fail, "out of memory")
