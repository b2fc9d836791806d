import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from dragoman.types import Span
from dragoman.wire.utf16 import Utf16Index

ANY_TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from("aä\u0308😀👩\u200d👧🏽🇩🇪𝒳\ud83d\ude00\ufe0f\uffff\U00010000"),
    )
)


def units(text: str) -> int:
    """Length in JavaScript, by Python's own encoder."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def sliced(text: str, start: int, end: int) -> str:
    """JavaScript's text.slice(start, end)."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    return encoded[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("", [0]),
        ("ab", [0, 1, 2]),
        ("a😀b", [0, 1, 3, 4]),
        ("😀😀", [0, 2, 4]),
        ("u\u0308", [0, 1, 2]),
        ("👩\u200d👧", [0, 2, 3, 5]),
        ("👍🏽", [0, 2, 4]),
        ("🇩🇪!", [0, 2, 4, 5]),
        ("1\ufe0f\u20e3", [0, 1, 2, 3]),
        ("\ud800a", [0, 1, 2]),
        ("\uffff\U00010000", [0, 1, 3]),
    ],
)
def test_units_of_each_point(text: str, offsets: list[int]) -> None:
    index = Utf16Index(text)
    assert [index.unit(point) for point in range(len(text) + 1)] == offsets
    assert [index.point(unit) for unit in offsets] == list(range(len(text) + 1))
    assert index.units == offsets[-1]


def test_inside_a_pair_is_its_start() -> None:
    index = Utf16Index("a😀b😀")
    assert [index.point(unit) for unit in range(index.units + 1)] == [0, 1, 1, 2, 3, 3, 4]


def test_range_and_span() -> None:
    index = Utf16Index("a😀b")
    assert index.range(Span(1, 2)) == [1, 3]
    assert index.span(1, 3) == Span(1, 2)
    assert Utf16Index("abc").range(Span(1, 2)) == [1, 2]


@given(ANY_TEXT, st.data())
def test_agrees_with_the_utf16_encoder(text: str, data: DataObject) -> None:
    index = Utf16Index(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert index.units == units(text)
    assert index.unit(start) == units(text[:start])
    first, last = index.range(Span(start, end))
    assert sliced(text, first, last) == sliced(text[start:end], 0, last - first)
    assert index.span(first, last) == Span(start, end)


def test_a_long_text_of_astral_characters() -> None:
    index = Utf16Index("😀" * 200_000)
    assert index.range(Span(199_999, 200_000)) == [399_998, 400_000]
