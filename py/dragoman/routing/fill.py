"""Text whose lines were filled, as text without: a mail, or what is copied from a PDF.

A line break ends a sentence, so a model would be shown halves. It is shown paragraphs instead, and
their translations are filled again, to the same width:

    text with soft breaks  -->  text whose paragraphs are one line each
    response, filled       <--  response

Invariant: the translation is the response's, but for white space; no word is parted in it, and no
line of it begins with what looks like the marker of an item.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dragoman.markup.bits import Work
from dragoman.routing.edited import Edit, Edited, edited_bit_by_bit
from dragoman.routing.soft_breaks import Paragraph, may_have_soft_breaks, paragraphs_bit_by_bit
from dragoman.types import Span, TextFormat, TranslationRequest, TranslationResponse

_WORD = re.compile(r"[^ \r\n]+")
_PARAGRAPHS = 20  # before others have their turn
_MARKER = re.compile(r"[-*+#>•–—]+|\(?(?:\d{1,3}|\w)[.)]+")


@dataclass(frozen=True, slots=True)
class Fill:
    """How the lines of a request are filled.

    Attributes:
        asked: the request with its soft breaks.
        request: the same without.
        paragraphs: of `asked`, in order.
    """

    asked: TranslationRequest
    request: TranslationRequest
    paragraphs: tuple[Paragraph, ...]

    def returned_bit_by_bit(self, response: TranslationResponse) -> Work[TranslationResponse]:
        """The response to `asked`, made of the one to `request`."""
        if not self.paragraphs:
            return replace(response, request=self.asked)
        source: list[Edit] = []
        target: list[Edit] = []
        ends = [sentence.source.end for sentence in response.sentences]
        shorter = 0  # the text of `request`, so far
        for count, paragraph in enumerate(self.paragraphs, 1):
            start = paragraph.span.start - shorter
            for joint in paragraph.joints:
                at = joint.span.start - shorter
                was = joint.span.of(self.asked.text)
                source.append(Edit(Span(at, at + len(joint.text)), was))
                shorter -= joint.longer
            end = paragraph.span.end - shorter
            inside = response.sentences[bisect_right(ends, start) : bisect_right(ends, end)]
            if inside:
                span = Span(inside[0].target.start, inside[-1].target.end)
                column = paragraph.indent + inside[0].source.start - start
                target += filled(response.text, span, column, paragraph.width, paragraph.line_break)
            if not count % _PARAGRAPHS:
                yield
        return (yield from edited_bit_by_bit(response, self.asked, Edited(source), Edited(target)))


def may_be_filled(request: TranslationRequest) -> bool:
    """Whether a request is to be looked through: a plain text of several lines."""
    is_plain = request.format is TextFormat.TEXT and not request.elements
    is_free = request.sentences is None and request.prefix is None
    return is_plain and is_free and may_have_soft_breaks(request.text)


def fill_bit_by_bit(request: TranslationRequest) -> Work[Fill]:
    """How the lines of a request are filled that may be."""
    paragraphs = yield from paragraphs_bit_by_bit(request.text)
    joints = [joint for paragraph in paragraphs for joint in paragraph.joints]
    bare = Edited(joints).text(request.text)
    return Fill(request, replace(request, text=bare), paragraphs)


def filled(text: str, span: Span, column: int, width: int, line_break: str) -> Iterator[Edit]:
    """The spaces of a paragraph at which its lines are full.

    Args:
        text: where `span` is all of the paragraph, in one line.
        column: where in its line it begins, from 0.
        width: most code points of a line, unless one word has more.
        line_break: goes in the place of the spaces; what it ends with counts as part of the line.
    """
    indented = len(line_break.lstrip("\r\n"))
    end: int | None = None
    for word in _WORD.finditer(text, span.start, span.end):
        if end is None:
            column += len(word[0])
        else:
            gap = Span(end, word.start())
            column += len(gap) + len(word[0])
            if column > width and not _MARKER.fullmatch(word[0]):
                yield Edit(gap, line_break)
                column = indented + len(word[0])
        end = word.end()
