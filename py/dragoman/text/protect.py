"""Stages 3 and 7: text that is to be kept is hidden from the model, and put back.

    "Schreiben Sie an a@b.de." --hidden--> "Schreiben Sie an X1."
                                                    | model
    "Write to a@b.de."     <--revealed--   "Write to X1."

Hidden are the literals (`literals`), and what the vocabulary at hand has no piece for: a sign with
the word that it belongs to, a name with foreign letters. A model would have to spell such a
character in bytes. Marks that have a plain twin („–“, "‚") are shown as that; soft hyphens and
other characters without a width are not shown at all.

Invariant: each of these is in the translation as often as in the source, to the letter, a quantity
as the target language writes it. A model copies the stand-in most of the time, in the right place;
where it drops one, the literal goes where it stood in proportion, and stand-ins too many are left
out. No sign is in the translation that the vocabulary lacks and the source has not.

    >>> hidden("a@b.de").text
    'X1'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from dragoman.text.counterparts import SpanAttention, counterparts, in_order
from dragoman.text.literals import is_worded, literal_matches
from dragoman.text.numbers import has_several_numbers
from dragoman.text.pairs import lost_marks
from dragoman.text.quantities import written
from dragoman.types import STAND_IN, DetokenizedText, Piece, Span

# A model may go on counting: "X12".
_COPIES = re.compile(r"(?<![A-Za-z0-9])[Xx]1\d*(?:st|nd|rd|th|e[nrs]?|s)?(?![A-Za-z0-9])")
# In lower case too: so may a translation have it.
_SAID = re.compile(r"(?<![A-Za-z0-9])[Xx]1\d*(?![A-Za-z0-9])")
_CLOSING = re.compile(r"[\s.,;:!?…)\]»“\"]*$")

_FIGURES = re.compile(r"[\d\s.,’'-]+")
_MARK = re.compile("[\u0300-\u036f]")
_CLUSTER = re.compile("(?s).[\u0300-\u036f]{0,4}")
_MOST_HAD = 10_000
# What a vocabulary may lack, and a reader takes for the same.
_TWINS = {
    **dict.fromkeys("‚‘’‛`´′", "'"),
    **dict.fromkeys("„“”‟«»″", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
}
_WORDS = re.compile(r"\w(?:\w|['’&.-](?=\w)|[\u0300-\u036f])*")
# Letters of a language beside those of ASCII; of others not all words with an odd letter are names.
_OWN_LETTERS = {"de": frozenset("äöüßÄÖÜẞ"), "en": frozenset()}


@dataclass(frozen=True, slots=True)
class Protection:
    """What is to be known of a model to protect text from it.

    Attributes:
        source, target: languages, BCP 47.
        has_piece: whether the vocabulary has a character, with the marks on it.
        had: characters that it was found to have.
    """

    source: str = ""
    target: str = ""
    has_piece: Callable[[str], bool] = lambda _: True
    had: set[str] = field(default_factory=set, compare=False, repr=False)

    def lacking(self, text: str) -> frozenset[str]:
        """Characters of a text, with the marks on them, that the vocabulary has no piece for."""
        unknown = _clusters(text) - self.had
        if not unknown:  # nearly all sentences
            return frozenset()
        lacking = frozenset(
            cluster for cluster in unknown if not cluster.isspace() and not self.has_piece(cluster)
        )
        if len(self.had) > _MOST_HAD:
            self.had.clear()
        self.had.update(unknown - lacking)
        return lacking


def _clusters(text: str) -> set[str]:
    """Different characters of a text, with the marks on them."""
    return set(_CLUSTER.findall(text)) if _MARK.search(text) else set(text)


@dataclass(frozen=True, slots=True)
class Hiding:
    """A literal of the source.

    Attributes:
        glued: whether a space was put before, and after, its stand-in: the model is to see a word.
        text: what is put back.
    """

    span: Span
    glued: tuple[bool, bool]
    text: str


@dataclass(frozen=True, slots=True)
class HiddenText:
    """A text as the model sees it.

    Attributes:
        source: without.
        text: with stand-ins.
        hidings: in order.
        origins: of each place in `text`, its end included, the place in the source; empty if
            nothing is hidden. A stand-in's first character has all of the literal.
        in_capitals: whether the source is all in capitals and `text` is not (`letter_case`).
    """

    source: str
    text: str
    hidings: tuple[Hiding, ...] = ()
    origins: tuple[int, ...] = ()
    in_capitals: bool = False

    @property
    def is_rewritten(self) -> bool:
        """Whether something is put back in another form; figures alone may be of any kind."""
        return any(
            hiding.text != (own := hiding.span.of(self.source)) and not _FIGURES.fullmatch(own)
            for hiding in self.hidings
        )

    @property
    def needs_attention(self) -> bool:
        """Whether order alone does not say what of the translation is what of the source."""
        return len(self.hidings) > 1 or has_several_numbers(self.text)

    @property
    def bare(self) -> str:
        """What is left for a model: no stand-ins."""
        return _COPIES.sub(" ", self.text) if self.hidings else self.text

    def in_source(self, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        """Pieces of `text` with their spans in the source."""
        if not self.origins:
            return tuple(pieces)
        at = self.origins
        return tuple(
            Piece(piece.id, Span(at[piece.span.start], at[piece.span.end])) for piece in pieces
        )

    def revealed(
        self, target: DetokenizedText, attention: SpanAttention | None = None
    ) -> DetokenizedText:
        """The translation of `text` with its marks (`pairs`) and the literals; pieces keep their
        places.

        Args:
            attention: between `source` and the target, to tell several stand-ins apart; without
                it, they are taken in order.
        """
        for at, mark in lost_marks(self.text, target.text):
            target = replaced(target, Span(at, at), mark)
        if not self.hidings:
            return target
        copies = [Span(*match.span()) for match in _COPIES.finditer(target.text)]
        chosen = self._chosen(target, copies, attention)
        for index in range(len(copies) - 1, -1, -1):
            if index in chosen:
                hiding = self.hidings[chosen[index]]
                target = _put_back(target, copies[index], hiding)
            else:
                target = replaced(target, _with_space(target.text, copies[index]), "")
        kept = set(chosen.values())
        for index, hiding in enumerate(self.hidings):
            if index not in kept:
                target = _put_in(target, self, hiding)
        return target

    def _chosen(
        self, target: DetokenizedText, copies: list[Span], attention: SpanAttention | None
    ) -> dict[int, int]:
        """Index of the hiding of each copy."""
        if attention is None or not copies:
            return in_order(len(copies), len(self.hidings))
        sources = [hiding.span for hiding in self.hidings]
        return counterparts(attention.weights(target.spans, copies, sources))


def hidden(
    source: str,
    protection: Protection = Protection(),
    terms: Sequence[tuple[Span, str]] = (),
    *,
    worded: bool = True,
) -> HiddenText:
    """The source with a stand-in for each literal.

    Args:
        terms: what is hidden too, in order, and what is put back; none begins or ends in a literal.
        worded: also for literals that are words of the language.
    """
    lacking = protection.lacking(source)
    hidings = _with_terms(_literal_hidings(source, protection, lacking, worded), terms)
    if not any(span.of(source) != STAND_IN for span, _ in hidings) and not lacking:
        return HiddenText(source, source)
    writer = _Writer(source, lacking)
    for span, text in hidings:
        writer.hide(span, text)
    return writer.hidden_text()


class _Writer:
    """Writes what a model sees, with the origin of each character."""

    def __init__(self, source: str, lacking: frozenset[str]) -> None:
        self._source = source
        self._plain = {cluster: _plain(cluster) for cluster in lacking}
        self._parts: list[str] = []
        self._hidings: list[Hiding] = []
        self._origins: list[int] = []
        self._read = 0

    def hide(self, span: Span, text: str) -> None:
        source = self._source
        between = source[self._read : span.start]
        # Beside a literal: the space after that one serves both.
        before = between[-1:].isalnum() or bool(self._hidings and not between)
        after = source[span.end : span.end + 1].isalnum()
        self._show(span.start)
        self._parts += [" " * before, STAND_IN, " " * after]
        self._origins += [*[span.start] * before, span.start]
        self._origins += [span.end] * (len(STAND_IN) - 1 + after)
        self._hidings.append(Hiding(span, (before, after), text))
        self._read = span.end

    def hidden_text(self) -> HiddenText:
        self._show(len(self._source))
        self._origins.append(len(self._source))
        text = "".join(self._parts)
        return HiddenText(self._source, text, tuple(self._hidings), tuple(self._origins))

    def _show(self, end: int) -> None:
        """The text up to `end`, the characters that the vocabulary lacks as their twins."""
        if not self._plain:
            self._parts.append(self._source[self._read : end])
            self._origins += range(self._read, end)
            return
        for cluster in _CLUSTER.finditer(self._source, self._read, end):
            part = self._plain.get(cluster.group(), cluster.group())
            self._parts.append(part)
            self._origins += [min(cluster.start() + n, cluster.end()) for n in range(len(part))]


def _plain(cluster: str) -> str:
    if unicodedata.category(cluster[0]) in ("Cf", "Cc"):
        return ""
    return _TWINS.get(cluster, cluster)


def _literal_hidings(
    source: str, protection: Protection, lacking: frozenset[str], worded: bool
) -> list[tuple[Span, str]]:
    """What is to be hidden, in order, never overlapping, and what is put back."""
    spans = [
        (Span(*match.span()), text)
        for match in literal_matches(source)
        if (worded or not is_worded(match))
        and (text := written(protection.source, protection.target, match)) is not None
    ]
    spans += [(span, span.of(source)) for span in stand_ins(source)]
    spans += [(span, span.of(source)) for span in _odd(source, protection.source, lacking)]
    merged: list[tuple[Span, str]] = []
    for span, text in sorted(spans, key=lambda item: (item[0].start, -item[0].end)):
        if merged and span.start < merged[-1][0].end:
            if span.end > merged[-1][0].end:
                whole = Span(merged.pop()[0].start, span.end)
                merged.append((whole, whole.of(source)))
            continue
        merged.append((span, text))
    return merged


def _with_terms(
    hidings: list[tuple[Span, str]], terms: Sequence[tuple[Span, str]]
) -> list[tuple[Span, str]]:
    """Terms too, in order: with what they are in ("Windows®"), without what is in them."""
    if not terms:
        return hidings
    around = [_with_surroundings(term, hidings) for term in terms]
    left = [item for item in hidings if not any(item[0].overlaps(span) for span, _ in around)]
    return sorted([*left, *around])


def _with_surroundings(
    term: tuple[Span, str], hidings: Sequence[tuple[Span, str]]
) -> tuple[Span, str]:
    span, text = term
    for whole, put_back in hidings:
        if whole.start <= span.start and span.end <= whole.end and whole != span:
            first, last = span.start - whole.start, span.end - whole.start
            return whole, put_back[:first] + text + put_back[last:]
    return term


def stand_ins(source: str) -> Iterator[Span]:
    """What a text has of the model's stand-ins, of its own or for opaque elements."""
    return (Span(*match.span()) for match in _SAID.finditer(source))


def _odd(source: str, language: str, lacking: frozenset[str]) -> Iterator[Span]:
    """Words and signs that the vocabulary cannot say."""
    letters = {cluster for cluster in lacking if cluster[0].isalpha()}
    if letters:
        for match in _WORDS.finditer(source):
            word = match.group()
            if _is_foreign(word, language) and not letters.isdisjoint(_CLUSTER.findall(word)):
                yield Span(*match.span())
    signs = [cluster for cluster in lacking - letters if _plain(cluster) == cluster]
    if signs:
        alternatives = "|".join(map(re.escape, sorted(signs)))
        yield from (Span(*match.span()) for match in re.finditer(f"(?:{alternatives})+", source))


def _is_foreign(word: str, language: str) -> bool:
    """Whether a word with a letter that the vocabulary lacks is a name, or of another language."""
    own = _OWN_LETTERS.get(language.partition("-")[0].lower())
    if own is not None:
        return not all(letter.isascii() or letter in own for letter in word)
    return word[0].isupper()


def without_inventions(
    source: str, target: DetokenizedText, protection: Protection
) -> DetokenizedText:
    """The target without signs that the vocabulary lacks and the source has not, or has less often.

    They were spelled in bytes, by mistake: so was U+FFFD, which stands for bytes that are no
    character (and which a vocabulary that takes it for a space does not count as lacking).
    """
    if target.text.isascii():
        return target
    for match in reversed(list(re.finditer("[^\x00-\x7f]", target.text))):
        sign = match.group()
        invented = target.text.count(sign) > source.count(sign)
        spelled = sign == "\ufffd" or (_is_sign(sign) and not protection.has_piece(sign))
        if invented and spelled:
            alone = target.text[match.end() : match.end() + 1] in ("", " ")
            span = Span(*match.span())
            target = replaced(target, _with_space(target.text, span) if alone else span, "")
    return target


def _is_sign(character: str) -> bool:
    return unicodedata.category(character) in (
        "Sc", "So", "Sm", "Sk", "No", "Cf", "Cc", "Co", "Cn", "Po",
    )  # fmt: skip


def _put_back(target: DetokenizedText, copy: Span, hiding: Hiding) -> DetokenizedText:
    """The literal in place of its stand-in, without spaces that the source has not."""
    start, end = copy.start, copy.end
    if hiding.glued[0] and target.text[:start].endswith(" "):
        start -= 1
    if hiding.glued[1] and target.text.startswith(" ", end):
        end += 1
    return replaced(target, Span(start, end), _before(hiding.text, target.text[end:]))


def _before(literal: str, rest: str) -> str:
    """A literal before the rest of a translation: one stop is enough for "31.12." and both."""
    return literal[:-1] if literal.endswith(".") and re.match(r"\.(?!\.)", rest) else literal


def _put_in(target: DetokenizedText, shown: HiddenText, hiding: Hiding) -> DetokenizedText:
    """A literal that was dropped: at the start, before the closing marks, or in proportion."""
    source, literal, span, text = shown.source, hiding.text, hiding.span, target.text
    closing = _CLOSING.search(text)
    end = closing.start() if closing else len(text)
    if not source[: span.start].strip():
        return replaced(target, Span(0, 0), f"{literal} " if text else literal)
    if _CLOSING.fullmatch(source[span.end :]):
        literal = _before(literal, text[end:])
        return replaced(target, Span(end, end), f" {literal}" if end else literal)
    wanted = end * span.start // max(1, len(source))
    spaces = _spaces(text[:end], [other.text for other in shown.hidings]) or [end]
    at = min(spaces, key=lambda place: abs(place - wanted))
    return replaced(target, Span(at, at), f" {literal}" if at else literal)


def _spaces(text: str, literals: list[str]) -> list[int]:
    """Places of the spaces that are in none of the literals."""
    parts = re.finditer("|".join([*map(re.escape, literals), " "]), text)
    return [match.start() for match in parts if match.group() == " "]


def _with_space(text: str, span: Span) -> Span:
    return Span(span.start - 1, span.end) if text[: span.start].endswith(" ") else span


def with_marks_joined(source: str, target: DetokenizedText) -> DetokenizedText:
    """Without spaces before combining marks that the source has not: a model that does not know a
    script may write one, and no reader sees a mark without its letter."""
    text = target.text
    if text.isascii():
        return target
    for at in range(len(text) - 1, 0, -1):
        is_alone = text[at - 1] == " " and unicodedata.category(text[at])[0] == "M"
        if is_alone and text[at - 1 : at + 1] not in source:
            target = replaced(target, Span(at - 1, at), "")
    return target


def replaced(target: DetokenizedText, span: Span, text: str) -> DetokenizedText:
    """The piece that the span begins with stands for all of it, others inside for nothing."""
    end, moved = span.start + len(text), len(text) - len(span)

    def place(at: int) -> int:
        if at <= span.start and not (at == span.end == span.start and at):
            return at
        return at + moved if at >= span.end else end

    spans = tuple(
        # Nearly all pieces are before it, or behind it.
        piece
        if piece.end < span.start
        else piece.shifted(moved)
        if piece.start > span.start and piece.start >= span.end
        else Span(place(piece.start), place(piece.end))
        for piece in target.spans
    )
    return DetokenizedText(target.text[: span.start] + text + target.text[span.end :], spans)
