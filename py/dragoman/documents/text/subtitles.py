"""Subtitles (srt, vtt): what is said, in the same cues, at the same times, in lines as long.

1                                    one passage a sentence: it may run over several cues,
00:00:01,000 --> 00:00:03,000        of which each is an element then
Das ist der Anfang
                                     "Das ist der Anfang eines Satzes."
2                                     [0, 18) a cue, [19, 33) the next
00:00:03,000 --> 00:00:05,000
eines Satzes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from dragoman.documents.passage import (
    EventKind,
    Marked,
    PassageBuilder,
    Translated,
    has_words,
    is_said,
)
from dragoman.documents.text.lines import balanced
from dragoman.documents.text.source import TextBlock, TextDocument, TextSource
from dragoman.documents.text.tagged import TagMark, add_tagged
from dragoman.errors import DocumentError

_TIME = r"(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}"
_LINE = (
    r"(?![ \t]*(?:\r?\n|\Z))"
    # The next cue, though no empty line is before it.
    rf"(?![ \t]*(?:\d+[ \t]*\r?\n[ \t]*)?{_TIME}[ \t]*-->)"
    r".+(?:\r?\n|\Z)"
)
_HEAD = rf"^[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}.*(?:\r?\n|\Z)"
_CUE = re.compile(rf"{_HEAD}(?P<text>(?:{_LINE})*)", re.MULTILINE)
# In srt text behind an empty line belongs to the cue before: players show it. In vtt it is none.
_LOOSE_CUE = re.compile(
    rf"{_HEAD}(?P<text>(?:{_LINE}(?:(?:[ \t]*\r?\n)+(?={_LINE}))?)*)", re.MULTILINE
)
_SENTENCE_END = re.compile(r"[.!?…♪:;)\]\"”“»«。！？]\W*$|[-–—]\s*$")
_OWN_SENTENCE = re.compile(r"^\W*[-–—♪(\[]")
_UNBROKEN = "\0"  # a space in a tag; no text has this character
_TAGS = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
_SPEAKER = re.compile(r"\s*[-–—]\s*\S")
# What begins a line that is no part of the one before: another voice (VTT), a name in capitals, a
# song. A noise has lines of its own.
_OWN_LINE = re.compile(r"\s*(?:<v[\s.]|(?:<[^<>]*>)*(?:[A-ZÀ-ÖØ-Þ][A-ZÀ-ÖØ-Þ0-9 .'’-]+:\s|♪))")
_NOISE = re.compile(r"\s*(?:<[^<>]*>)*(?:\[[^\[\]]*\]|\([^()]*\))(?:</[^<>]*>)*\s*")
# Cues of one sentence, at most; more are several passages.
_LONGEST = 4
# Characters that a line may have wherever subtitles are shown, however short those of a file are.
_USUAL = 42


@dataclass(frozen=True, slots=True)
class _Cue:
    """The text of a cue, at [start, end) of the source, and the line break of the file."""

    text: str
    start: int
    end: int
    line_break: str

    @property
    def lines(self) -> list[str]:
        return [line for line in re.split(r"\r?\n", self.text) if line.strip()]


@dataclass(frozen=True, slots=True)
class CueMark(TagMark):
    """A tag in a cue, or the cue itself, by its place among those of the passage."""

    cue: int = -1


def read_subtitles(source: TextSource) -> TextDocument:
    """Subtitles as a document.

    Raises:
        DocumentError: there is no cue in them.
    """
    cues = list(_cues(source.text))
    if not cues and has_words(source.text.removeprefix("WEBVTT")):
        raise DocumentError("damaged", "there are no subtitles: no line has times (-->)")
    width = max((_seen(line) for cue in cues for line in cue.lines), default=0)
    blocks = []
    for group in _sentences(cues):
        marked = _marked(group)
        if is_said(marked.passage.text):
            write = partial(_written, marked, group, max(width, _USUAL))
            blocks.append(
                TextBlock(marked, group[0].start, group[-1].end, _between(source, group, write))
            )
    return TextDocument(source, blocks)


def _cues(text: str) -> Iterator[_Cue]:
    cue = _CUE if text.startswith("WEBVTT") else _LOOSE_CUE
    for match in cue.finditer(text):
        said = match["text"].rstrip("\r\n")
        start = match.start("text")
        line_break = "\r\n" if "\r\n" in match.group() else "\n"
        if said.strip():
            yield _Cue(said, start, start + len(said), line_break)


def _sentences(cues: Sequence[_Cue]) -> Iterator[list[_Cue]]:
    """Cues together that one sentence runs over."""
    group: list[_Cue] = []
    for cue in cues:
        plain = _TAGS.sub("", cue.text)
        if group and (_OWN_SENTENCE.search(plain) or len(group) >= _LONGEST):
            yield group
            group = []
        group.append(cue)
        if _SENTENCE_END.search(plain):
            yield group
            group = []
    if group:
        yield group


def _marked(group: Sequence[_Cue]) -> Marked[TagMark]:
    builder = PassageBuilder[TagMark]()
    for index, cue in enumerate(group):
        if index:
            builder.text(" ")
        if len(group) > 1:
            builder.open(CueMark("", "", index))
        add_tagged(builder, _in_one_line(cue.lines))
        if len(group) > 1:
            builder.close()
    return builder.built()


def _in_one_line(lines: Sequence[str]) -> str:
    """Lines of one speaker; another speaker's are a sentence of their own."""
    text = lines[0].strip()
    for before, line in pairwise(lines):
        other = _SPEAKER.match(_TAGS.sub("", line)) or _OWN_LINE.match(line)
        parted = other or _NOISE.fullmatch(line) or _NOISE.fullmatch(before)
        text += ("\n" if parted else " ") + line.strip()
    return text


# --- writing -------------------------------------------------------------------------------------


def _between(source: TextSource, group: Sequence[_Cue], write: partial[list[str]]) -> partial[str]:
    gaps = [source.text[a.end : b.start] for a, b in pairwise(group)]
    return partial(_with_gaps, gaps, write)


def _with_gaps(gaps: Sequence[str], write: partial[list[str]], translated: Translated) -> str:
    """The cues of a passage, with what stands between them: numbers and times."""
    texts = write(translated)
    parts = [texts[0]]
    for gap, text in zip(gaps, texts[1:], strict=True):
        parts += [gap, text]
    return "".join(parts)


def _written(
    marked: Marked[TagMark], group: Sequence[_Cue], width: int, translated: Translated
) -> list[str]:
    """The text of each cue."""
    texts = _by_cue(marked, len(group), translated)
    if len(group) > 1 and not _fits(texts, group, width):
        texts = _shared_out(" ".join(filter(None, texts)), group)
    return [
        cue.line_break.join(_lines(text, cue, width))
        for text, cue in zip(texts, group, strict=True)
    ]


def _by_cue(marked: Marked[TagMark], count: int, translated: Translated) -> list[str]:
    """What the words of each cue have become; words of none go with those before them."""
    texts = [""] * count
    at = 0
    for kind, text, mark in marked.events(translated):
        if isinstance(mark, CueMark):
            at = mark.cue if kind is EventKind.OPEN else at
        elif mark is None:
            texts[at] += text
        else:
            texts[at] += mark.closing if kind is EventKind.CLOSE else mark.opening
    return [re.sub(r" {2,}", " ", text).strip() for text in texts]


def _fits(texts: Sequence[str], group: Sequence[_Cue], width: int) -> bool:
    """Whether each cue has words, in its order, that can be read in its time."""
    return all(
        has_words(_TAGS.sub("", text))
        and _seen(text) <= max(width * len(cue.lines), 1.5 * _seen(cue.text))
        for text, cue in zip(texts, group, strict=True)
    )


def _shared_out(text: str, group: Sequence[_Cue]) -> list[str]:
    """Words by the lengths of the cues, which are about their times."""
    words = text.split(" ")
    lengths = [max(_seen(cue.text), 1) for cue in group]
    texts = []
    for index in range(len(group) - 1):
        share = lengths[index] / sum(lengths[index:])
        wanted, taken = share * sum(len(word) + 1 for word in words), 0
        count = 0
        left = len(group) - index - 1
        while count < len(words) - left and (not count or taken + len(words[count]) / 2 < wanted):
            taken += len(words[count]) + 1
            count += 1
        texts.append(" ".join(words[:count]))
        words = words[count:]
    return [*texts, " ".join(words)]


def _lines(text: str, cue: _Cue, width: int) -> list[str]:
    # No line ends in a tag.
    text = _TAGS.sub(lambda tag: tag.group().replace(" ", _UNBROKEN), text)
    parts = text.split("\n")
    if len(parts) > 1:
        lines = [line for part in parts for line in balanced(part, width, 1, _seen)]
    else:
        lines = balanced(text, width, len(cue.lines) if _seen(text) > _USUAL else 1, _seen)
    return [line.replace(_UNBROKEN, " ") for line in lines]


def _seen(text: str) -> int:
    """Characters that are shown."""
    return len(_TAGS.sub("", text))
