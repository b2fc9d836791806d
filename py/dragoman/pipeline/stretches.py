"""Very long sentences in stretches, which are cut before they are tokenized."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dragoman.text.wrap import wrap
from dragoman.types import AnnotatedText, Span

# No model takes so much at a time.
STRETCH_CHARACTERS = 2_000


def stretches(annotated: AnnotatedText, sentence: Span) -> Iterator[Span]:
    """A sentence in stretches of at most `STRETCH_CHARACTERS`; each next one is as a sentence."""
    text, start = annotated.text, sentence.start
    while sentence.end - start > STRETCH_CHARACTERS:
        stretch = first_stretch(text, Span(start, sentence.end), annotated)
        if len(stretch):
            yield stretch
        start = stretch.end
        while start < sentence.end and text[start].isspace():
            start += 1
    if start < sentence.end:
        yield Span(start, sentence.end)


def first_stretch(text: str, sentence: Span, annotated: AnnotatedText | None = None) -> Span:
    """The start of a longer sentence, of at most `STRETCH_CHARACTERS`, cut as `wrap` cuts.

    Of the sentence, only twice as many code points are looked at. A grapheme of more than that is
    cut all the same; empty where there is nothing but white space.
    """
    window = Span(sentence.start, min(sentence.end, sentence.start + 2 * STRETCH_CHARACTERS))
    ends: Sequence[int] = range(window.start + 1, window.end + 1)
    if annotated is not None:
        ends = annotated.outside_stand_ins(ends)
    stretches = wrap(text, window, ends, STRETCH_CHARACTERS)
    return stretches[0] if stretches else Span(window.end, window.end)
