import math
from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, DrawFn

from dragoman.text.align import (
    LinkThresholds,
    align,
    geometric_mean,
    hard_links,
    linked,
    unaligned,
    words,
)
from dragoman.types import DetokenizedText, Hypothesis, Piece, Segment, Span
from tests.support.helpers import hypothesis, segment


def texts(text: str) -> list[str]:
    return [span.of(text) for span in words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t", []),
        ("Ich fahre gern.", ["Ich", "fahre", "gern", "."]),
        ("„Nein“, sagte er!", ["„", "Nein", "“", ",", "sagte", "er", "!"]),
        ("z.B. 3,5 Mio.", ["z.B.", "3,5", "Mio", "."]),
        ("E-Mail don't O’Neill", ["E-Mail", "don't", "O’Neill"]),
        ("a@b.de 12:30 und/oder", ["a@b.de", "12:30", "und/oder"]),
        ("Windows® und A®©", ["Windows®", "und", "A®", "©"]),
        ("-5 % (x)", ["-5 %", "(", "x", ")"]),
        ("Was... nun?!", ["Was", "...", "nun", "?", "!"]),  # runs of one mark
        ("u\u0308ber e\u0301 a\u0323\u0302", ["u\u0308ber", "e\u0301", "a\u0323\u0302"]),
        ("x😀y", ["x", "😀", "y"]),
        ("👩\u200d👩\u200d👧 da", ["👩\u200d👩\u200d👧", "da"]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("❤\ufe0f🇩🇪🇫🇷", ["❤\ufe0f", "🇩🇪", "🇫🇷"]),
        ("1\ufe0f\u20e3 #\ufe0f\u20e3", ["1\ufe0f\u20e3", "#\ufe0f\u20e3"]),
        ("🏳\ufe0f\u200d🌈", ["🏳\ufe0f\u200d🌈"]),
        ("😀😀", ["😀😀"]),
        ("你好，世界", ["你好", "，", "世界"]),
        ("สวัสดี นะ", ["สวัสดี", "นะ"]),
        ("नमस्ते!", ["नमस्ते", "!"]),
        ("מָה? 3\u0301x", ["מָה", "?", "3\u0301x"]),
        ("Donau\u00addampf", ["Donau\u00addampf"]),
        ("\ud83d", ["\ud83d"]),
        ("\u0308", ["\u0308"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["我们", "是", "学生", "。"], ["我们", "是", "学生", "。"]),
        (["東京", "に", "行きます", "！"], ["東京", "に", "行きます", "！"]),
        (["ฉัน", "ไป", "ตลาด"], ["ฉัน", "ไป", "ตลาด"]),
        (["ที", "\u0e48นี่"], ["ที่นี่"]),  # no cut before a mark
        (["我用", "Pyt", "hon", "写"], ["我用", "Python", "写"]),
        (["见", "a@b.de", "吧"], ["见", "a@b.de", "吧"]),
        (["العر", "بية", " he", "llo", " של", "ום"], ["العربية", "hello", "שלום"]),
        (["안녕", "하세요"], ["안녕하세요"]),
    ],
)
def test_words_without_spaces_are_those_of_the_vocabulary(
    pieces: list[str], expected: list[str]
) -> None:
    text = "".join(pieces)
    ends = [sum(map(len, pieces[: n + 1])) for n in range(len(pieces))]
    spans = [Span(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    assert [span.of(text) for span in words(text, spans)] == expected


def test_words_without_spaces_are_linked_one_by_one() -> None:
    pieces = tuple(Piece(n, Span(*span)) for n, span in enumerate([(0, 2), (2, 3), (3, 5)], 5))
    given_segment = Segment(1, 0, Span(0, 5), pieces, 9)
    rows = [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0]]
    target = DetokenizedText("We are students", (Span(0, 2), Span(2, 6), Span(6, 15)))
    aligned = align(hypothesis(given_segment, [1, 2, 3], rows), "我们是学生", target)
    assert [word.of("我们是学生") for word in aligned.source_words] == ["我们", "是", "学生"]
    assert aligned.links == ((0, 0), (1, 1), (2, 2))


@example("\xaa0\xb20")  # the second literal ends before the word that it shares with the first
@given(st.text(st.characters(exclude_categories=())))
def test_words_cover_all_but_white_space(text: str) -> None:
    last = 0
    for word in words(text):
        assert last <= word.start < word.end
        assert not text[last : word.start].strip()
        assert not any(character.isspace() for character in word.of(text))
        last = word.end
    assert not text[last:].strip()


def test_a_long_word_is_linear() -> None:
    assert texts("a" * 300_000) == ["a" * 300_000]
    assert len(words("a-" * 100_000)) == 2  # the word and the last hyphen
    assert len(words("!?" * 100_000)) == 200_000


@pytest.mark.parametrize(
    ("weights", "links"),
    [
        ([], ()),
        ([[]], ()),
        ([[1.0]], ((0, 0),)),
        ([[0.1]], ()),
        ([[0.9, 0.1], [0.1, 0.9]], ((0, 0), (1, 1))),
        ([[0.1, 0.9], [0.9, 0.1]], ((0, 1), (1, 0))),
        # Two target words of one source word; the other source word was looked at enough.
        ([[0.6, 0.4], [0.9, 0.1]], ((0, 0), (0, 1), (1, 0))),
        ([[0.9, 0.1], [0.85, 0.15]], ((0, 0), (0, 1))),
        # A target word that looks at EOS is not linked.
        ([[0.9, 0.0], [0.05, 0.1], [0.0, 1.0]], ((0, 0), (1, 2))),
        # Neither is heavy enough for the target word; for the source words, both are.
        ([[0.5, 0.5]], ((0, 0), (1, 0))),
        # The first of equals.
        ([[0.3], [0.3]], ((0, 0),)),
    ],
)
def test_hard_links(weights: list[list[float]], links: tuple[tuple[int, int], ...]) -> None:
    """Rows are target words, columns source words; a link is (source, target)."""
    assert hard_links(weights) == links


def sentence(text: str, *pieces: tuple[int, int]) -> Segment:
    made = tuple(Piece(9, Span(*piece)) for piece in pieces)
    return Segment(1, 0, Span(0, len(text)), made, 99)


def target(text: str, *pieces: tuple[int, int]) -> DetokenizedText:
    return DetokenizedText(text, tuple(Span(*piece) for piece in pieces))


def test_align_words_of_several_pieces() -> None:
    """Target [fah|ren] of source [to][drive]: columns sum over a word's pieces, rows are averaged.

    Columns: to, drive, EOS. Rows: fah, ren.
    """
    of = sentence("to drive", (0, 2), (2, 8))
    aligned = align(
        hypothesis(
            of,
            [4, 5],
            [[0.5, 0.25, 0.25], [0.25, 0.75, 0.0]],
            [math.log(0.25), math.log(1.0), math.log(0.5)],
        ),
        "to drive",
        target("fahren", (0, 3), (3, 6)),
    )
    assert aligned.source_words == (Span(0, 2), Span(3, 8))
    assert aligned.target_words == (Span(0, 6),)
    assert aligned.links == ((0, 0), (1, 0))  # 0.375 and 0.5: drive was chosen, to looked at
    assert aligned.word_scores == pytest.approx((0.5,))  # sqrt(0.25 * 1)
    assert aligned.score == pytest.approx(0.5)  # cube root of 0.25 * 1 * 0.5


def test_align_crosses() -> None:
    """ "gern fahren" and "like driving", bergamot's way: the heaviest column of each row."""
    of = sentence("gern fahren.", (0, 4), (4, 11), (11, 12))
    aligned = align(
        hypothesis(
            of,
            [4, 5, 6],
            [[0.1, 0.8, 0.0, 0.1], [0.7, 0.2, 0.0, 0.1], [0.0, 0.0, 0.9, 0.1]],
        ),
        "gern fahren.",
        target("drive gladly.", (0, 5), (5, 12), (12, 13)),
    )
    assert aligned.links == ((0, 1), (1, 0), (2, 2))
    assert aligned.word_scores == (1.0, 1.0, 1.0)


def test_a_piece_with_a_quote_belongs_to_the_word() -> None:
    """SentencePiece may join an opening quote and a word; both have the piece's score."""
    of = sentence("„Ja", (0, 3))
    aligned = align(
        hypothesis(of, [4], [[0.9, 0.1]], [math.log(0.5), 0.0]), "„Ja", target('"Yes', (0, 4))
    )
    assert aligned.target_words == (Span(0, 1), Span(1, 4))
    assert aligned.links == ((1, 1),)
    assert aligned.word_scores == pytest.approx((0.5, 0.5))


def test_a_piece_with_a_full_stop_belongs_to_the_number() -> None:
    of = sentence("1. Öffnen!", (0, 2), (2, 9), (9, 10))
    aligned = align(
        hypothesis(of, [4, 5, 6], [[0.9, 0.1, 0, 0], [0.1, 0.9, 0, 0], [0, 0, 0.9, 0.1]]),
        "1. Öffnen!",
        target("1. Open!", (0, 2), (2, 7), (7, 8)),
    )
    assert aligned.source_words[:2] == aligned.target_words[:2] == (Span(0, 1), Span(1, 2))
    assert aligned.links == ((0, 0), (2, 2), (3, 3))


def test_of_marks_alone_the_last_has_the_weight_of_a_piece() -> None:
    of = sentence("ja.“", (0, 2), (2, 4))
    aligned = align(
        hypothesis(of, [4, 5], [[0.9, 0.1, 0], [0, 0.9, 0.1]]),
        "ja.“",
        target('yes."', (0, 3), (3, 5)),
    )
    assert aligned.links == ((0, 0), (2, 2))


def test_bytes_of_an_emoji_are_its_pieces() -> None:
    """Byte fallback: all but the last byte have an empty span where the character begins."""
    of = sentence("a 😀", (0, 1), (1, 2), (2, 2), (2, 2), (2, 2), (2, 3))
    row = [0.0, 0.0, 0.25, 0.25, 0.25, 0.25, 0.0]
    aligned = align(
        hypothesis(
            of,
            [1, 2, 3, 4, 5, 6],
            [[1.0, *[0.0] * 6], [0.0, 1.0, *[0.0] * 5], row, row, row, row],
            [0.0, 0.0, math.log(0.0625), 0.0, 0.0, 0.0, 0.0],
        ),
        "a 😀",
        target("a 😀", (0, 1), (1, 2), (2, 2), (2, 2), (2, 2), (2, 3)),
    )
    assert aligned.source_words == aligned.target_words == (Span(0, 1), Span(2, 3))
    assert aligned.links == ((0, 0), (1, 1))
    assert aligned.word_scores == pytest.approx((1.0, 0.5))


def test_empty_translation() -> None:
    of = segment([5, 6])
    aligned = align(hypothesis(of, [], [], [math.log(0.5)]), "ab", target(""))
    assert (aligned.source_words, aligned.target_words) == ((Span(0, 2),), ())
    assert (aligned.links, aligned.word_scores) == ((), ())
    assert aligned.score == pytest.approx(0.5)


def test_unaligned() -> None:
    aligned = unaligned(
        hypothesis(segment([5]), [4], [], [math.log(0.25), 0.0]), target("a", (0, 1))
    )
    assert (aligned.source_words, aligned.target_words, aligned.links) == ((), (), ())
    assert aligned.score == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("values", "score"),
    [
        ((), 1.0),
        ((0.0, 0.0), 1.0),
        ((math.log(0.5),), 0.5),
        ((-math.inf, 0.0), 0.0),
        ((1e-6,), 1.0),
        ((3e38, 3e38), 1.0),  # nonsense, but no OverflowError
        ((-3e38,), 0.0),
    ],
)
def test_geometric_mean(values: Sequence[float], score: float) -> None:
    assert geometric_mean(values) == pytest.approx(score)


@given(st.lists(st.floats(-50, 0), min_size=1), st.floats(0, 5), st.data())
def test_scores_are_monotone(values: Sequence[float], less: float, data: DataObject) -> None:
    worse = list(values)
    worse[data.draw(st.integers(0, len(values) - 1))] -= less
    assert 0.0 <= geometric_mean(worse) <= geometric_mean(values) + 1e-12 <= 1.0 + 1e-12


@st.composite
def aligned_pairs(draw: DrawFn) -> tuple[Hypothesis, str, DetokenizedText]:
    """Texts of letters and marks, cut into pieces anywhere, with any attention."""
    letters = st.text("ab.,! 😀\u0301", max_size=12)

    def cut(text: str) -> list[Span]:
        cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
        edges = [0, *cuts, len(text)]
        return [Span(*edge) for edge in pairwise(edges)]

    source, goal = draw(letters), draw(letters)
    pieces, spans = cut(source), cut(goal)
    columns = len(pieces) + 1
    weight = st.floats(0, 1, width=32)
    size = len(spans) * columns
    matrix = array("f", draw(st.lists(weight, min_size=size, max_size=size)))
    of = Segment(1, 0, Span(0, len(source)), tuple(Piece(9, piece) for piece in pieces), 99)
    made = hypothesis(of, [4] * len(spans), [matrix])
    return made, source, DetokenizedText(goal, tuple(spans))


@given(aligned_pairs())
def test_any_pieces_give_links_between_words(case: Any) -> None:
    aligned = align(*case)
    assert aligned.links == tuple(sorted(set(aligned.links)))
    assert all(0 <= s < len(aligned.source_words) for s, _ in aligned.links)
    assert all(0 <= t < len(aligned.target_words) for _, t in aligned.links)
    assert len(aligned.word_scores) == len(aligned.target_words)


@given(
    st.lists(st.floats(-20, 0), min_size=1, max_size=12),
    st.integers(1, 4),
    st.lists(st.floats(0, 5), min_size=13, max_size=13),
)
def test_a_surer_model_never_has_lower_scores(
    log_probabilities: list[float], length: int, gains: list[float]
) -> None:
    """Words of `length` letters, a piece a letter; the last value is that of EOS."""
    ids = list(range(2, 2 + len(log_probabilities)))
    letters = ["x" if at % (length + 1) < length else " " for at in range(len(ids))]
    target = DetokenizedText("".join(letters), tuple(Span(at, at + 1) for at in range(len(ids))))
    of = segment(3)
    attention = [[0.25] * 4] * len(ids)
    values = [*log_probabilities, -1.0]
    better = [min(0.0, value + gain) for value, gain in zip(values, gains, strict=False)]
    before = align(hypothesis(of, ids, attention, values), "abc", target)
    after = align(hypothesis(of, ids, attention, better), "abc", target)
    for low, high in zip(
        (before.score, *before.word_scores), (after.score, *after.word_scores), strict=True
    ):
        assert 0.0 <= low <= high + 1e-12 <= 1.0 + 1e-12


def cell_by_cell(weights: Sequence[Sequence[float]]) -> tuple[tuple[int, int], ...]:
    """As the rule of `hard_links` says it."""
    limits = LinkThresholds()
    links: set[tuple[int, int]] = set()
    for row, cells in enumerate(weights):
        best = max(range(len(cells)), key=cells.__getitem__, default=-1)
        if best >= 0 and cells[best] >= limits.target:
            links.add((best, row))
    chosen = {column for column, _ in links}
    for column in range(len(weights[0]) if weights else 0):
        best = max(range(len(weights)), key=lambda row: weights[row][column])
        if column not in chosen and weights[best][column] >= limits.source:
            links.add((column, best))
    return tuple(sorted(links))


CELL = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.6]) | st.floats(0, 1, width=32)


@given(st.integers(0, 5).flatmap(lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n))))
def test_links_are_those_of_a_look_at_each_cell(weights: list[list[float]]) -> None:
    assert hard_links(weights) == cell_by_cell(weights)


@given(st.data())
def test_weights_of_words_are_added_piece_by_piece(data: DataObject) -> None:
    """To the last bit: a word's cells are added in the order of its pieces, row by row."""
    sizes = st.lists(st.integers(1, 3), min_size=1, max_size=5)
    source_sizes, target_sizes = data.draw(sizes), data.draw(sizes)

    def side(sizes: list[int]) -> tuple[str, list[tuple[int, int]], list[int]]:
        text, pieces, owners = "", [], []
        for word, size in enumerate(sizes):
            text += " " if text else ""
            for _ in range(size):
                pieces.append((len(text), len(text) + 1))
                owners.append(word)
                text += "a"
        return text, pieces, owners

    (source, columns, source_of), (text, rows, target_of) = side(source_sizes), side(target_sizes)
    width = len(columns) + 1
    attention = data.draw(
        st.lists(CELL, min_size=width * len(rows), max_size=width * len(rows)).map(
            lambda cells: array("f", cells)
        )
    )
    weights = [[0.0] * len(source_sizes) for _ in target_sizes]
    for row, word in enumerate(target_of):
        for column, owner in enumerate(source_of):
            weights[word][owner] += attention[row * width + column]
    means = [
        [cell / size for cell in cells] for size, cells in zip(target_sizes, weights, strict=True)
    ]
    of = sentence(source, *columns)
    made = Hypothesis(of, (5,) * len(rows), (0.0,) * len(rows), attention, finished=True)
    assert align(made, source, target(text, *rows)).links == cell_by_cell(means)


def test_known_links_are_not_made_again() -> None:
    of = sentence("gern fahren", (0, 4), (4, 11))
    made = hypothesis(of, [4, 5], [[0.1, 0.8, 0.1], [0.7, 0.2, 0.1]], [math.log(0.5), 0.0, 0.0])
    text = target("drive gladly", (0, 5), (5, 12))
    known = linked(made, "gern fahren", text)
    assert align(made, "gern fahren", text, known) == align(made, "gern fahren", text)
    assert align(made, "gern fahren", text, known).links is known.links
