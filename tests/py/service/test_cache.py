"""What is kept, what goes, and that a hit is never wrong."""

import gc
import tracemalloc
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dragoman.service.cache import Journal, News, SentenceCache
from dragoman.service.sentence_line import write_line
from dragoman.text.align import align
from dragoman.types import AlignedSegment, DetokenizedText, Segment, Span
from tests.support.helpers import hypothesis, segment

LARGE = 10_000_000


def key(text: str) -> tuple[str, str, str]:
    return "model", "hard", text


def aligned(text: str, request: int = 1, index: int = 0) -> AlignedSegment:
    """A sentence "translated" to itself, a piece a character."""
    ids = [ord(char) for char in text]
    of = segment(ids, request=request, index=index)
    diagonal = [[float(t == s) for s in range(len(ids) + 1)] for t in range(len(ids))]
    spans = tuple(Span(at, at + 1) for at in range(len(ids)))
    return align(hypothesis(of, ids, diagonal), text, DetokenizedText(text, spans))


def test_a_hit_is_placed_where_it_is_wanted() -> None:
    cache = SentenceCache(LARGE)
    cache.put(key("ja"), aligned("ja"), owner=1)
    wanted = replace(segment([ord("j"), ord("a")], request=7, index=3), span=Span(20, 22))
    entry = cache.find(key("ja"), wanted)
    assert entry is not None
    assert entry.hypothesis.segment is wanted
    assert entry == replace(aligned("ja"), hypothesis=entry.hypothesis)
    assert entry.hypothesis.ids == (ord("j"), ord("a"))


def test_misses() -> None:
    cache = SentenceCache(LARGE)
    cache.put(key("ja"), aligned("ja"), owner=1)
    same = aligned("ja").hypothesis.segment
    assert cache.find(key("Ja"), same) is None
    assert cache.find(("model", "soft", "ja"), same) is None
    assert cache.find(("another", "hard", "ja"), same) is None
    assert cache.find(key("ja"), replace(same, limit=3)) is None
    assert cache.find(key("ja"), segment([1, 2])) is None


def test_the_least_recently_used_goes() -> None:
    size = SentenceCache(LARGE)
    size.put(key("aa"), aligned("aa"), owner=1)
    cache = SentenceCache(3 * size.bytes)
    for text in ("aa", "bb", "cc"):
        cache.put(key(text), aligned(text), owner=1)
    assert cache.find(key("aa"), aligned("aa").hypothesis.segment) is not None
    cache.put(key("dd"), aligned("dd"), owner=2)
    kept = [
        t for t in ("aa", "bb", "cc", "dd") if cache.find(key(t), aligned(t).hypothesis.segment)
    ]
    assert kept == ["aa", "cc", "dd"]
    assert cache.bytes == 3 * size.bytes


def test_what_is_too_large_by_itself_is_not_kept() -> None:
    cache = SentenceCache(2_000)
    cache.put(key("a" * 50), aligned("a" * 50), owner=1)
    assert (len(cache), cache.bytes, cache.owners) == (0, 0, 0)


def test_owners() -> None:
    cache = SentenceCache(LARGE)
    for text, owner in (("aa", 1), ("bb", 1), ("cc", 2), ("aa", 2)):
        cache.put(key(text), aligned(text), owner)
    assert cache.owners == 2
    cache.find(key("bb"), aligned("bb").hypothesis.segment)  # now it belongs to nobody
    cache.forget(1)
    cache.forget(1)
    cache.release(2)
    cache.forget(2)
    assert [t for t in ("aa", "bb", "cc") if cache.find(key(t), aligned(t).hypothesis.segment)] == [
        "bb",
        "cc",
    ]
    assert cache.owners == 0
    cache.clear()
    assert (len(cache), cache.bytes) == (0, 0)


def test_bytes_are_about_what_the_entries_take() -> None:
    texts = [f"Ein Satz der Nummer {number}, wie er im Buche steht." for number in range(100)]
    gc.collect()
    tracemalloc.start()
    cache = SentenceCache(LARGE)
    for text in texts:
        cache.put(key(text), aligned(text), owner=1)
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.5 < cache.bytes / taken < 2.5


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["keep", "find", "release", "forget"]),
        st.text("ab", min_size=1, max_size=3),
        st.integers(0, 3),
    ),
    max_size=60,
)


@given(STEPS, st.integers(1_000, 20_000))
def test_bounds_and_books_whatever_happens(steps: list[Any], limit: int) -> None:
    cache = SentenceCache(limit)
    for name, text, owner in steps:
        if name == "keep":
            cache.put(key(text), aligned(text), owner)
        elif name == "find":
            entry = cache.find(key(text), aligned(text, request=9).hypothesis.segment)
            assert entry is None or (entry.target.text == text)
        elif name == "release":
            cache.release(owner)
        else:
            cache.forget(owner)
        assert cache.bytes <= limit
        assert (cache.bytes == 0) == (len(cache) == 0)
        assert cache.owners <= min(4, len(cache))
    for owner in range(4):
        cache.release(owner)
    assert cache.owners == 0


# --- a host that keeps sentences -----------------------------------------------------------------


def of(text: str) -> Segment:
    return aligned(text).hypothesis.segment


def kept(*texts: str) -> list[tuple[tuple[str, str, str], str]]:
    return [(key(text), write_line(key(text), aligned(text))) for text in texts]


def test_without_a_journal_there_is_nothing_to_tell() -> None:
    cache = SentenceCache(LARGE)
    cache.put(key("ja"), aligned("ja"), owner=1)
    cache.release(1)
    assert cache.news(10) == []


def test_news_wait_for_the_end_of_their_request_and_are_told_once() -> None:
    cache = SentenceCache(LARGE, Journal())
    cache.put(key("ja"), aligned("ja"), owner=1)
    cache.put(key("nein"), aligned("nein"), owner=2)
    assert cache.news(10) == []
    cache.release(1)
    cache.forget(2)
    assert cache.news(10) == [News(key("ja"), write_line(key("ja"), aligned("ja")))]
    assert cache.news(10) == []


def test_news_come_in_batches() -> None:
    cache = SentenceCache(LARGE, Journal())
    for text in ("a", "b", "c"):
        cache.put(key(text), aligned(text), owner=1)
    cache.release(1)
    assert [len(cache.news(2)) for _ in range(3)] == [2, 1, 0]


def test_what_was_kept_is_a_hit_and_the_host_hears_that_it_was_used() -> None:
    journal = Journal()
    cache = SentenceCache(LARGE, journal)
    cache.restore(kept("ja", "nein"))
    assert len(cache) == 2
    assert cache.news(10) == []
    assert cache.find(key("ja"), of("ja")) == aligned("ja")
    assert cache.find(key("ja"), of("ja")) == aligned("ja")
    assert (journal.hits, cache.news(10)) == (2, [News(key("ja"))])


def test_a_line_that_does_not_validate_is_dropped() -> None:
    journal = Journal()
    cache = SentenceCache(LARGE, journal)
    ((name, line),) = kept("ja")
    cache.restore([(name, line[:-1]), (key("nein"), line)])
    assert cache.find(key("ja"), of("ja")) is None
    assert cache.find(key("nein"), of("nein")) is None
    assert (len(cache), cache.bytes, journal.hits) == (0, 0, 0)
    assert cache.news(10) == [News(key("ja"), dropped=True), News(key("nein"), dropped=True)]
    cache.put(key("ja"), aligned("ja"), owner=1)
    cache.release(1)
    assert [news.line for news in cache.news(10)] == [line]


def test_a_line_of_other_pieces_is_dropped() -> None:
    cache = SentenceCache(LARGE, Journal())
    cache.restore(kept("ja"))
    assert cache.find(key("ja"), replace(of("ja"), limit=3)) is None
    assert cache.news(10) == [News(key("ja"), dropped=True)]


def test_what_is_restored_takes_the_room_that_there_is() -> None:
    line_bytes = SentenceCache(LARGE)
    line_bytes.restore(kept("aa"))
    new = SentenceCache(LARGE)
    new.put(key("aa"), aligned("aa"), owner=1)
    limit = new.bytes + 2 * line_bytes.bytes
    cache = SentenceCache(limit, Journal())
    cache.put(key("xx"), aligned("xx"), owner=1)
    cache.restore(kept("aa", "bb", "cc"))  # the last is too much
    assert len(cache) == 3
    assert cache.find(key("cc"), of("cc")) is None
    cache.put(key("yy"), aligned("yy"), owner=1)  # those used longest ago go first
    assert cache.find(key("bb"), of("bb")) is None
    assert cache.find(key("yy"), of("yy")) is not None
    assert cache.bytes <= limit


def test_clearing_leaves_nothing_to_tell() -> None:
    cache = SentenceCache(LARGE, Journal())
    cache.restore(kept("ja"))
    cache.put(key("nein"), aligned("nein"), owner=1)
    cache.find(key("ja"), of("ja"))
    cache.clear()
    cache.release(1)
    assert (len(cache), cache.bytes, cache.news(10)) == (0, 0, [])
