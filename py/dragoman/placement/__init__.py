"""Stage 9, placement: the elements of a sentence go where its words went.

    tree          the markup of the sentence, and what may be moved in it
    renditions    what the model made of the stand-ins for opaque text
    atoms         words, and the parts of words that markup tells apart, with their links
    path          where the tags go: the cheapest way through the translation
    weave         the translation with its tags, white space where it stood, opaque text as it was

Whatever model and alignment say: each element comes out once, properly nested; one that had words
has words; opaque text is byte-identical, neither lost nor doubled; elements that go on beyond the
sentence stay whole.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from dragoman.placement.atoms import Atom, Part, atoms_of, graphemes_of, parts_of
from dragoman.placement.path import Sentence
from dragoman.placement.path import place as place_events
from dragoman.placement.renditions import renditions
from dragoman.placement.tree import ROOT, Tree, Unit, tree
from dragoman.placement.weave import Rendition, Texts, Woven, weave
from dragoman.types import (
    AlignedSegment,
    AnnotatedText,
    DetokenizedText,
    Hypothesis,
    Kept,
    Span,
    Token,
    TokenKind,
)

__all__ = ["keep", "place"]


def place(
    annotated: AnnotatedText, run: Sequence[Token], aligned: AlignedSegment
) -> AlignedSegment:
    """The segment with markup in its translation: its `tokens`, and opaque text in its place.

    Args:
        run: the tokens of the segment, from its first text to its last (`runs`).

    A translation with fewer characters than elements that need one gives way to the source text:
    `kept` is then set. It has a word: the pipeline keeps the source of one that has none.
    """
    if all(token.kind is TokenKind.TEXT for token in run):
        end = len(aligned.target.text)
        return replace(aligned, tokens=(Token(TokenKind.TEXT, -1, Span(0, end)),))
    start = aligned.hypothesis.segment.span.start
    source = aligned.hypothesis.segment.span.of(annotated.text)
    local = [replace(token, span=token.span.shifted(-start)) for token in run]

    def real(token: Token) -> str:
        return annotated.origin(token.span.shifted(start)).of(annotated.original)

    texts = Texts(aligned.target.text, source, local, real)
    placed = _Placing(local, source, aligned).placed(texts)
    return placed or keep(annotated, run, aligned.hypothesis, Kept.MARKUP)


def keep(
    annotated: AnnotatedText, run: Sequence[Token], hypothesis: Hypothesis, why: Kept
) -> AlignedSegment:
    """The sentence as it was, markup and all, aligned with itself as a whole.

    Its score is 1, as of all that is copied: nothing in it is the model's guess.

    Args:
        run: as for `place`.
    """
    span = hypothesis.segment.span
    parts: list[str] = []
    tokens: list[Token] = []
    written = 0
    for token in run:
        part = annotated.origin(token.span).of(annotated.original)
        tokens.append(replace(token, span=Span(written, written + len(part))))
        parts.append(part)
        written += len(part)
    return AlignedSegment(
        hypothesis=replace(hypothesis, attention=array("f")),
        target=DetokenizedText("".join(parts), ()),
        source_words=(Span(0, len(span)),),
        target_words=(Span(0, written),),
        links=((0, 0),),
        word_scores=(1.0,),
        score=1.0,
        tokens=tuple(tokens),
        kept=why,
    )


class _Placing:
    """One sentence; all spans are relative to its own texts."""

    def __init__(self, run: Sequence[Token], source: str, aligned: AlignedSegment) -> None:
        self._run, self._source, self._aligned = run, source, aligned
        self._tree = tree(run, source)
        self._opaque = [
            item
            for node in self._tree.nodes
            for item in node.items
            if isinstance(item, Unit) and item.opaque
        ]
        self._opaque.sort(key=lambda unit: unit.at)
        cuts = sorted({token.span.start for token in run} | {token.span.end for token in run})
        self._parts = parts_of(aligned.source_words, cuts)

    def placed(self, texts: Texts) -> AlignedSegment | None:
        """None if the translation is too short for the elements."""
        spans = [Span(unit.at, unit.end) for unit in self._opaque]
        found = renditions(spans, self._source, self._aligned)
        without = sorted([span for span in found.found if span] + list(found.spare))
        atoms = atoms_of(self._aligned, self._source, self._parts, without)
        for smaller in (atoms, graphemes_of(atoms, self._aligned.target.text)):
            where = {
                id(unit): _rendition(span, smaller)
                for unit, span in zip(self._opaque, found.found, strict=True)
            }
            gaps = place_events(self._sentence(smaller, where))
            if gaps is not None:
                woven = weave(gaps, smaller, texts, where)
                return self._rewritten(woven, smaller, where)
        return None

    def _sentence(self, atoms: Sequence[Atom], where: dict[int, Rendition | None]) -> Sentence:
        places = {unit: found.atoms if found else None for unit, found in where.items()}
        return Sentence(
            self._tree, self._parts, _owners(self._parts, self._tree), atoms, places, self._source
        )

    def _rewritten(
        self, woven: Woven, atoms: Sequence[Atom], where: dict[int, Rendition | None]
    ) -> AlignedSegment:
        """The segment with its words and pieces where they are now."""
        words = _new_words(self._aligned, woven, atoms)
        words += [self._opaque_word(unit, woven, where[id(unit)]) for unit in self._opaque]
        words.sort()
        links = {(source, index) for index, word in enumerate(words) for source in word[1]}
        return replace(
            self._aligned,
            target=DetokenizedText(woven.text, self._pieces(woven, atoms, where)),
            target_words=tuple(word[0] for word in words),
            word_scores=tuple(word[2] for word in words),
            links=tuple(sorted(links)),
            tokens=woven.tokens,
        )

    def _opaque_word(self, unit: Unit, woven: Woven, rendition: Rendition | None) -> _Word:
        """Its score is the model's; 0 where the model dropped it."""
        own = Span(unit.at, unit.end)
        words = enumerate(self._aligned.source_words)
        sources = tuple(index for index, word in words if word.overlaps(own))
        scores = [
            score
            for word, score in zip(
                self._aligned.target_words, self._aligned.word_scores, strict=True
            )
            if rendition is not None and word.overlaps(rendition.span)
        ]
        return woven.opaque[id(unit)], sources, min(scores, default=0.0)

    def _pieces(
        self, woven: Woven, atoms: Sequence[Atom], where: dict[int, Rendition | None]
    ) -> tuple[Span, ...]:
        """Spans of the target's pieces: each where the word is that it is of."""
        moves = [(atom.span, now) for atom, now in zip(atoms, woven.atoms, strict=True)]
        moves += [(found.span, woven.opaque[unit]) for unit, found in where.items() if found]
        moves.sort()
        starts = [before.start for before, _ in moves]
        pieces: list[Span] = []
        for piece in self._aligned.target.spans:
            last = max(piece.start, piece.end - 1)
            index = max(0, bisect_right(starts, last) - 1)
            if not moves:
                pieces.append(Span(0, 0))
                continue
            before, now = moves[index]
            same = len(before) == len(now)
            first = now.start + max(0, piece.start - before.start) if same else now.start
            end = now.start + min(piece.end, before.end) - before.start if same else now.end
            pieces.append(Span(min(first, now.end), max(min(first, now.end), end)))
        return tuple(pieces)


_Word = tuple[Span, tuple[int, ...], float]  # where, linked source words, score


def _new_words(aligned: AlignedSegment, woven: Woven, atoms: Sequence[Atom]) -> list[_Word]:
    """Target words after weaving: atoms of one word that still stand together."""
    linked: dict[int, list[int]] = {}
    for source, target in aligned.links:
        linked.setdefault(target, []).append(source)
    words: list[_Word] = []
    last = -1
    for atom, now in zip(atoms, woven.atoms, strict=True):
        if atom.word == last and words[-1][0].end == now.start:
            words[-1] = (Span(words[-1][0].start, now.end), *words[-1][1:])
        else:
            sources = tuple(linked.get(atom.word, ()))
            words.append((now, sources, aligned.word_scores[atom.word]))
        last = atom.word
    return words


def _rendition(span: Span | None, atoms: Sequence[Atom]) -> Rendition | None:
    if span is None:
        return None
    return Rendition(span, sum(atom.span.end <= span.start for atom in atoms))


def _owners(parts: Sequence[Part], markup: Tree) -> list[int]:
    """The node that each part is in."""
    starts = [start for start, _ in markup.texts]
    owners = []
    for part in parts:
        index = bisect_right(starts, part.span.start) - 1
        owners.append(markup.texts[index][1] if index >= 0 else ROOT)
    return owners
