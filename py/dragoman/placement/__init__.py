"""Stage 9, placement: the elements of a sentence go where its words went.

    tree          the markup of the sentence, and what may be moved in it
    renditions    what the model made of the stand-ins for opaque text
    atoms         words, and the parts of words that markup tells apart, with their links
    path          where the tags go: the cheapest way through the translation
    weave         the translation with its tags, white space where it stood, opaque text as it was

Whatever model and alignment say: each element comes out once, properly nested; one that had words
has words, not punctuation alone; opaque text is byte-identical, neither lost nor doubled; elements
that go on beyond the sentence stay whole.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from dragoman.placement.atoms import Atom, WordPart, atoms_of, graphemes_of, parts_of
from dragoman.placement.path import Costs, Sentence
from dragoman.placement.path import place as place_events
from dragoman.placement.renditions import renditions
from dragoman.placement.tree import ROOT, Inset, Tree, tree
from dragoman.placement.weave import Rendition, Texts, Woven, weave
from dragoman.types import (
    AlignedSegment,
    AnnotatedText,
    CopyReason,
    DetokenizedText,
    Span,
    Tag,
    TagKind,
)

__all__ = ["copy_with_markup", "place"]


def place(annotated: AnnotatedText, run: Sequence[Tag], aligned: AlignedSegment) -> AlignedSegment:
    """The segment with markup in its translation: its `tags`, and opaque text in its place.

    Args:
        run: the tags of the segment, from its first text to its last (`AnnotatedText.run`).

    A translation with fewer characters than elements that need one gives way to the source text:
    `copied` is then set. It has a word: the pipeline keeps the source of one that has none.
    """
    if all(tag.kind is TagKind.TEXT for tag in run):
        end = len(aligned.target.text)
        return replace(aligned, tags=(Tag(TagKind.TEXT, -1, Span(0, end)),))
    start = aligned.hypothesis.segment.span.start
    source = aligned.hypothesis.segment.span.of(annotated.text)
    local = [replace(tag, span=tag.span.shifted(-start)) for tag in run]

    def real(tag: Tag) -> str:
        return annotated.origin(tag.span.shifted(start)).of(annotated.original)

    texts = Texts(aligned.target.text, source, local, real)
    placed = _Placing(local, source, aligned).placed(texts)
    return placed or copy_with_markup(annotated, run, _copy(aligned))


def copy_with_markup(
    annotated: AnnotatedText, run: Sequence[Tag], copy: AlignedSegment
) -> AlignedSegment:
    """The sentence as the client wrote it, markup and all, in place of a translation.

    Args:
        run: as for `place`.
        copy: of the annotated text, aligned with itself word by word; opaque text is one word.
    """
    span = copy.hypothesis.segment.span
    begin = annotated.origin(span).start
    return replace(
        copy,
        target=DetokenizedText(annotated.origin(span).of(annotated.original), ()),
        target_words=tuple(
            annotated.origin(word.shifted(span.start)).shifted(-begin) for word in copy.source_words
        ),
        tags=tuple(replace(tag, span=annotated.origin(tag.span).shifted(-begin)) for tag in run),
    )


def _copy(aligned: AlignedSegment) -> AlignedSegment:
    """Of the annotated source: its words linked to themselves, none of it the model's guess."""
    words = aligned.source_words
    return replace(
        aligned,
        hypothesis=replace(aligned.hypothesis, attention=array("f")),
        links=tuple((index, index) for index in range(len(words))),
        word_scores=(1.0,) * len(words),
        score=1.0,
        copied=CopyReason.MARKUP,
    )


# In characters a word is not far from the next one.
_CUT = Costs(far=Costs().astray)


class _Placing:
    """One sentence; all spans are relative to its own texts."""

    def __init__(self, run: Sequence[Tag], source: str, aligned: AlignedSegment) -> None:
        self._run, self._source, self._aligned = run, source, aligned
        self._tree = tree(run, source)
        self._opaque = [
            item
            for node in self._tree.nodes
            for item in node.items
            if isinstance(item, Inset) and item.opaque
        ]
        self._opaque.sort(key=lambda inset: inset.at)
        cuts = sorted({tag.span.start for tag in run} | {tag.span.end for tag in run})
        self._parts = parts_of(aligned.source_words, cuts)

    def placed(self, texts: Texts) -> AlignedSegment | None:
        """None if the translation is too short for the elements."""
        spans = [Span(inset.at, inset.end) for inset in self._opaque]
        laid = renditions(spans, self._source, self._aligned)
        without = sorted([span for span in laid.targets if span] + list(laid.spare))
        atoms = atoms_of(self._aligned, self._source, self._parts, without)
        graphemes = graphemes_of(atoms, self._aligned.target.text)
        for smaller, costs in ((atoms, Costs()), (graphemes, _CUT)):
            where = {
                inset: _rendition(span, smaller)
                for inset, span in zip(self._opaque, laid.targets, strict=True)
            }
            gaps = place_events(self._sentence(smaller, where), costs)
            if gaps is not None:
                woven = weave(gaps, smaller, texts, where)
                return self._rewritten(woven, smaller, where)
        return None

    def _sentence(self, atoms: Sequence[Atom], where: dict[Inset, Rendition | None]) -> Sentence:
        places = {
            inset: rendition.atoms if rendition else None for inset, rendition in where.items()
        }
        return Sentence(
            self._tree, self._parts, _owners(self._parts, self._tree), atoms, places, self._source
        )

    def _rewritten(
        self, woven: Woven, atoms: Sequence[Atom], where: dict[Inset, Rendition | None]
    ) -> AlignedSegment:
        """The segment with its words and pieces where they are now."""
        words = _new_words(self._aligned, woven, atoms)
        words += [self._opaque_word(inset, woven, where[inset]) for inset in self._opaque]
        words.sort()
        links = {(source, index) for index, word in enumerate(words) for source in word[1]}
        return replace(
            self._aligned,
            target=DetokenizedText(woven.text, self._pieces(woven, atoms, where)),
            target_words=tuple(word[0] for word in words),
            word_scores=tuple(word[2] for word in words),
            links=tuple(sorted(links)),
            tags=woven.tags,
        )

    def _opaque_word(self, inset: Inset, woven: Woven, rendition: Rendition | None) -> _Word:
        """Its score is the model's; 0 where the model dropped it."""
        own = Span(inset.at, inset.end)
        words = enumerate(self._aligned.source_words)
        sources = tuple(index for index, word in words if word.overlaps(own))
        scores = [
            score
            for word, score in zip(
                self._aligned.target_words, self._aligned.word_scores, strict=True
            )
            if rendition is not None and word.overlaps(rendition.span)
        ]
        return woven.opaque[inset], sources, min(scores, default=0.0)

    def _pieces(
        self, woven: Woven, atoms: Sequence[Atom], where: dict[Inset, Rendition | None]
    ) -> tuple[Span, ...]:
        """Spans of the target's pieces: each where the word is that it is of."""
        moves = [(atom.span, now) for atom, now in zip(atoms, woven.atoms, strict=True)]
        moves += [
            (rendition.span, woven.opaque[inset]) for inset, rendition in where.items() if rendition
        ]
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


def _owners(parts: Sequence[WordPart], markup: Tree) -> list[int]:
    """The node that each part is in."""
    starts = [start for start, _ in markup.texts]
    owners = []
    for part in parts:
        index = bisect_right(starts, part.span.start) - 1
        owners.append(markup.texts[index][1] if index >= 0 else ROOT)
    return owners
