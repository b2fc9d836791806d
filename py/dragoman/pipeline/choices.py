"""What a request says of the search: a beam, alternatives, a start that the translation is to have.

no prefix      alternatives are the n-best list of the sentence
a prefix       they differ in the word after it, and each goes on by itself
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dragoman.config import Limits
from dragoman.errors import InvalidRequestError
from dragoman.text.align import words
from dragoman.text.prefix import next_word
from dragoman.types import (
    GREEDY,
    AlignedSegment,
    Search,
    TextFormat,
    TranslationRequest,
    TranslationResponse,
)

# What alternatives are searched with at least, where no beam is named: with fewer, the second best
# is often lost on the way.
ALTERNATIVES_BEAM = 4
# It has no UTF-8. In a text U+FFFD stands for it; a prefix is kept to the letter.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def check_choices(request: TranslationRequest, limits: Limits) -> None:
    """Whether the search can be done.

    Raises:
        InvalidRequestError: a figure is over its limit, or something does not go together.
    """
    beam, most = request.beam, limits.beam
    if beam is not None and not 1 <= beam <= most:
        raise _over("the beam is", beam, f"1 to {most}", most)
    most_others = (beam or most) - 1
    if not 0 <= request.alternatives <= most_others:
        why = f"0 to {most_others}, one less than the beam"
        raise _over("the alternatives are", request.alternatives, why, most_others)
    prefix = request.prefix
    if prefix is not None and len(prefix) > limits.prefix_characters:
        allowed = limits.prefix_characters
        raise _over("the characters of the prefix are", len(prefix), f"up to {allowed:,}", allowed)
    if request.format is not TextFormat.TEXT and (prefix is not None or request.alternatives):
        raise InvalidRequestError("alternatives and prefixes are of plain text")
    if request.elements and prefix is not None:
        raise InvalidRequestError("a prefix is of a text without elements")
    if prefix is not None and _LONE_SURROGATE.search(prefix):
        raise InvalidRequestError("a prefix has whole characters: no half of a surrogate pair")


def without_prefix(options: TranslationRequest) -> TranslationRequest:
    """Options of several texts.

    Raises:
        InvalidRequestError: they have a prefix, which is of one.
    """
    if options.prefix is not None:
        raise InvalidRequestError("a prefix is of one text: batches, streams and graphs have none")
    return options


def _over(what: str, requested: int, range_: str, allowed: int) -> InvalidRequestError:
    message = f"{what} {requested:,}, not {range_}"
    return InvalidRequestError(message, requested=requested, allowed=allowed)


def search_of(request: TranslationRequest, usual: int, *, weighed: bool = False) -> Search:
    """How the sentences of a request are searched.

    Args:
        usual: the beam of the model, for a request that names none.
        weighed: whether all that is found is looked at to choose from it (`Finishing`).
    """
    count = request.alternatives
    beam = request.beam or (max(ALTERNATIVES_BEAM, usual, count + 1) if count else usual)
    if beam == 1:
        return GREEDY
    is_free = request.prefix is None
    kept = beam if count or (weighed and is_free) else 1
    return Search(beam, kept, branching=bool(count) and not is_free)


def choices_key(request: TranslationRequest, usual: int) -> str:
    """What becomes of a sentence depends on this; "" for greedy search.

    Args:
        usual: the beam of the model, for a request that names none.
    """
    search = search_of(request, usual)
    if search == GREEDY and request.prefix is None:
        return ""
    return f" search {search.beam} {request.alternatives} {request.prefix!r}"


def distinct(
    best: AlignedSegment, others: Iterable[AlignedSegment], request: TranslationRequest
) -> tuple[AlignedSegment, ...]:
    """The alternatives that a client gets: none twice, the most probable first."""

    def said(one: AlignedSegment) -> str:
        text = one.target.text
        return text if request.prefix is None else next_word(text, request.prefix, words(text))

    known = {said(best)}
    kept: list[AlignedSegment] = []
    for other in sorted(others, key=lambda one: -one.score):
        if other.copied is None and said(other) not in known:
            known.add(said(other))
            kept.append(other)
    return tuple(kept[: request.alternatives])


def whole_texts(response: TranslationResponse) -> Iterator[str]:
    """The whole text, best first: that of rank n has each sentence's n-th, or its first one."""
    sentences = response.sentences
    for rank in range(max((len(one.alternatives) for one in sentences), default=0) + 1):
        made, at = "", 0
        for one in sentences:
            best = response.text[one.target.start : one.target.end]
            others = (best, *(other.text for other in one.alternatives))
            chosen = others[rank] if rank < len(others) else best
            made += response.text[at : one.target.start] + chosen
            at = one.target.end
        yield made + response.text[at:]
