"""What a client asks for."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import NamedTuple

from dragoman.types.glossary import Glossary
from dragoman.types.memory import TranslationMemory
from dragoman.types.spans import Span


class LanguagePair(NamedTuple):
    """What a model translates: BCP 47 languages, such as "de" and "en"."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


class AlignmentKind(StrEnum):
    """What a response tells of the alignment. What is not asked for is not computed."""

    NONE = "none"
    HARD = "hard"  # words and the links between them
    SOFT = "soft"  # the same, and the attention matrix of each sentence


class OverlongPolicy(StrEnum):
    """What to do with a sentence of more pieces than the model takes."""

    WRAP = "wrap"  # cut it at a clause, else a word, else a grapheme; with a warning
    REFUSE = "refuse"  # SentenceTooLongError


class Priority(StrEnum):
    """Who goes first, from first to last."""

    INTERACTIVE = "interactive"  # somebody waits for it: a typed sentence
    VISIBLE = "visible"  # on the screen
    NEAR = "near"  # about to be scrolled to
    BACKGROUND = "background"  # the rest of a page, a file

    @property
    def level(self) -> int:
        """0 for the first."""
        return _LEVELS[self]


_LEVELS = {priority: level for level, priority in enumerate(Priority)}


class WhenFull(StrEnum):
    """What a request does that finds no room in the queue."""

    REFUSE = "refuse"  # QueueFullError
    WAIT = "wait"  # until there is room


class TextFormat(StrEnum):
    """What the text of a request is."""

    TEXT = "text"
    HTML = "html"  # a document or a fragment


class ElementKind(StrEnum):
    """What may become of an element in a translation."""

    INLINE = "inline"  # exactly once, never split
    STYLE = "style"  # once, or twice where its words were parted
    OPAQUE = "opaque"  # what is inside is not translated: one unbreakable word
    VOID = "void"  # nothing inside: a place between two words


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a text.

    Attributes:
        span: what it encloses.
        parent: index of the element around it. Without it the spans say; one that begins where
            another ends is then taken to be after it.
    """

    span: Span
    kind: ElementKind = ElementKind.INLINE
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class PlacedElement:
    """An element in a translation; without `content` if it is opaque or void."""

    element: int
    content: tuple[Span | PlacedElement, ...] | None = None


# In order, nested; adjacent text is one span.
Content = tuple[Span | PlacedElement, ...]


@dataclass(frozen=True, slots=True)
class TranslationRequest:
    """What a client asks for.

    Attributes:
        source, target: BCP 47 languages, such as "de".
        priority: at the start; its ticket can be given another one while it waits.
        deadline: seconds from submitting to the response, or `DeadlineError`; None: no haste.
        when_full: what to do when too much waits at this priority.
        cache: whether sentences may come from the cache, and go into it.
        sentences: where the sentences of `text` stand, when that is known already (the middle of a
            pivot, a stream), in order; what lies between them is copied. None has them found.
        elements: of a plain text, in document order, properly nested.
        glossary: terms that the translation is to use.
        memory: sentences that were translated before; those of the text are taken as they are.
        beam: hypotheses that the search follows at a time; 1 is greedy search. None: as many as the
            model's bundle says, or what `alternatives` needs.
        alternatives: most other translations of each sentence, beside the one in the text; with a
            prefix they differ in the word after it.
        prefix: what the translation is to begin with, to the letter; "" is one too. The text is
            then one sentence, unless `sentences` says otherwise; the prefix is the first one's.
    """

    text: str
    source: str
    target: str
    alignment: AlignmentKind = AlignmentKind.HARD
    overlong: OverlongPolicy = OverlongPolicy.WRAP
    _: KW_ONLY
    priority: Priority = Priority.INTERACTIVE
    deadline: float | None = None
    when_full: WhenFull = WhenFull.REFUSE
    cache: bool = True
    sentences: tuple[Span, ...] | None = None
    format: TextFormat = TextFormat.TEXT
    elements: tuple[Element, ...] = ()
    glossary: Glossary | None = None
    memory: TranslationMemory | None = None
    beam: int | None = None
    alternatives: int = 0
    prefix: str | None = None

    @property
    def needs_alignment(self) -> bool:
        """Whether words must be aligned: for the client, or to place elements."""
        markup = self.elements or self.format is TextFormat.HTML
        return bool(markup) or self.alignment is not AlignmentKind.NONE
