"""Made-up examples of what real text seldom shows: things to copy, capitals, marks, single tokens.

Students of this size double short input, drop emoji and loop on capitals when they never saw any
(mozilla/translations issues 215, 843, 891). A few per cent of such examples prevent it. What is to
be copied stands in them before, after and, in place of a name or number that both sides share,
within the sentence: that is where it teaches most. Names give way to other names, of the text's own
or blended of two of them, so that a name which was never seen is copied piece by piece.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from dragoman.models.data.corpus import MADE_UP, Pair
from dragoman.types import STAND_IN

EMOJI = "😀😂🙂😉😍😎😢😡👍👎👏🙏💪❤🔥⭐✅❌⚠📧📅🎉🚀🐶🐱🌍☕🍕🚗🏠📱💡🔒🇩🇪🤔🙈💶"
WORDS = "alpha beta shop mail news info test data cloud green blue kira müller novak berlin otto"
PLACEHOLDERS = (
    "%s", "%1", "%2", "%d", "%1$s", "{name}", "{0}", "{1}", "{count}", "{{count}}", "<x/>", "<br/>",
    "$USER", "${APP}", "%(num)s",
)  # fmt: skip
ENDINGS = ["pdf", "txt", "json", "html", "docx", "csv", "png", "zip", "conf", "py"]
LONGEST = 160  # characters of a pair that is worth varying
TOP_LEVEL = ("de", "com", "org", "net", "eu", "io")
ENCLOSURES = (("(", ")"), ("[", "]"), ("<b>", "</b>"), ("<i>", "</i>"), ("- ", ""), ("* ", ""))
# Quotation marks by language, that of most texts first.
QUOTES = {"de": ("„“", '""', "»«"), "en": ('""', "“”", "''"), "fr": ("«»", '""', "“”")}
# A name, a number or an abbreviation that both sides may share.
_NAME = re.compile(r"[A-ZÄÖÜ][a-zäöüß]{3,15}")
_SHARED = re.compile(r"(?<![\w.,:/-])(?:[A-ZÄÖÜ]\w+|\d+)(?![\w:/-]|[.,]\d)")


def _word(rng: random.Random) -> str:
    return rng.choice(WORDS.split())


def _host(rng: random.Random) -> str:
    return f"{_word(rng)}.{rng.choice(TOP_LEVEL)}"


def _emoji(rng: random.Random) -> str:
    return "".join(rng.choice(EMOJI) for _ in range(rng.choice((1, 1, 1, 2, 3))))


def _address(rng: random.Random) -> str:
    rest = rng.choice(("", f"/{_word(rng)}", f"/{_word(rng)}.html", f"/?{_word(rng)}={_word(rng)}"))
    return f"{rng.choice(('https://', 'https://www.', 'http://', 'www.'))}{_host(rng)}{rest}"


def _number(rng: random.Random) -> str:
    return str(rng.randrange(10 ** rng.randrange(1, 9)))


def _name(rng: random.Random) -> str:
    """Of a file, a folder, a version, an article, a topic, a person."""
    word, number = _word(rng), rng.randrange(100)
    return rng.choice(
        (
            f"{word}_{number}.{rng.choice(ENDINGS)}",
            f"/{_word(rng)}/{word}",
            f"v{rng.randrange(9)}.{number}.{rng.randrange(20)}",
            f"{rng.choice('ABCDEFGHKX')}{rng.randrange(100, 99999)}-{rng.randrange(10)}",
            f"#{word}",
            f"@{word}{number}",
            f"--{word}",
        )
    )


TOKENS: tuple[Callable[[random.Random], str], ...] = (
    _emoji,
    _address,
    lambda rng: f"{_word(rng)}{rng.randrange(100)}@{_host(rng)}",
    _number,
    lambda rng: rng.choice(PLACEHOLDERS),
    _name,
    lambda _: STAND_IN,
)


def copied_token(rng: random.Random) -> str:
    """A token that a translation must keep as it is."""
    return rng.choice(TOKENS)(rng)


def _with_token(pair: Pair, rng: random.Random) -> Pair:
    token = copied_token(rng)
    if rng.random() < 0.7:
        return replace(pair, first=f"{pair.first} {token}", second=f"{pair.second} {token}")
    return replace(pair, first=f"{token} {pair.first}", second=f"{token} {pair.second}")


def _shared_words(pair: Pair) -> list[str]:
    """Words that stand once on either side, in the order of the first."""
    words = [match.group() for match in _SHARED.finditer(pair.first)]
    return [
        word
        for word in dict.fromkeys(words)
        if words.count(word) == 1 and _occurrences(word, pair.second) == 1
    ]


def _token_inside(pair: Pair, rng: random.Random) -> Pair:
    """A token in place of a word that stands once on either side; a number for a number."""
    shared = _shared_words(pair)
    if not shared:
        return pair
    word = rng.choice(shared)
    token = _number(rng) if word.isdigit() and rng.random() < 0.7 else copied_token(rng)
    return _with(pair, word, token)


def names_of(pairs: Iterable[Pair]) -> tuple[str, ...]:
    """Capitalized words that are the same on both sides of some pair, sorted."""
    words = {word for pair in pairs for word in _shared_words(pair)}
    return tuple(sorted(word for word in words if _NAME.fullmatch(word)))


def _name_inside(names: Sequence[str], pair: Pair, rng: random.Random) -> Pair:
    """Another name in place of one that stands once on either side."""
    shared = [word for word in _shared_words(pair) if _NAME.fullmatch(word)]
    if not shared or not names:
        return pair
    one, other = rng.choice(names), rng.choice(names)
    name = one if rng.random() < 0.5 else one[: (len(one) + 1) // 2] + other[len(other) // 2 :]
    return _with(pair, rng.choice(shared), name)


def _with(pair: Pair, word: str, other: str) -> Pair:
    """The pair with another word in place of one that both sides have."""
    first, second = _swapped(word, other, pair.first), _swapped(word, other, pair.second)
    return replace(pair, first=first, second=second)


def _occurrences(word: str, text: str) -> int:
    return sum(match.group() == word for match in _SHARED.finditer(text))


def _swapped(word: str, token: str, text: str) -> str:
    return _SHARED.sub(lambda match: token if match.group() == word else match.group(), text)


def _upper(pair: Pair, _: random.Random) -> Pair:
    return replace(pair, first=pair.first.upper(), second=pair.second.upper())


def _without_full_stop(pair: Pair, _: random.Random) -> Pair:
    return replace(pair, first=pair.first.rstrip("."), second=pair.second.rstrip("."))


def _enclosed(pair: Pair, rng: random.Random) -> Pair:
    before, after = rng.choice(ENCLOSURES)
    return replace(pair, first=before + pair.first + after, second=before + pair.second + after)


def _quoted(columns: Sequence[str], pair: Pair, rng: random.Random) -> Pair:
    """As somebody's words: few texts have them, and news has many."""
    first, second = (_in_quotes(language, rng) for language in columns)
    return replace(pair, first=pair.first.join(first), second=pair.second.join(second))


def _in_quotes(language: str, rng: random.Random) -> str:
    marks = QUOTES.get(language, ('""',))
    return marks[0] if rng.random() < 0.7 else rng.choice(marks)


Variant = Callable[[Pair, random.Random], Pair]

# And how often each is tried.
VARIANTS: tuple[tuple[Variant, int], ...] = (
    (_with_token, 4),
    (_token_inside, 8),  # half of the pairs have no word for it
    (_upper, 3),
    (_without_full_stop, 3),
    (_enclosed, 1),
)
NAMES_SHARE = 0.5  # of the variants, where a pair has a name


def augmented(
    pairs: Sequence[Pair],
    share: float,
    seed: int,
    weight: Callable[[str], float] = lambda _: 1.0,
    columns: Sequence[str] = (),
    one_way: Collection[str] = (),
) -> Iterator[Pair]:
    """Made-up variants of about `share` of the pairs (the pairs themselves are not repeated).

    Args:
        columns: the languages of either side, for quotation marks around pairs; (): none.
        weight: of a source, by name: pairs that training sees more often are varied more often.
        one_way: sources of which a model made a side. Their variants stay theirs: what serves one
            direction only must not teach the other one.
    """
    rng = random.Random(seed)
    mean = sum(weight(pair.source) for pair in pairs) / max(1, len(pairs))
    names = names_of(pairs)
    quoted = [(partial(_quoted, columns), 3)] if columns else []
    makers, shares = zip(*VARIANTS, *quoted, strict=True)
    for pair in pairs:
        if rng.random() >= share * weight(pair.source) / max(mean, 1e-9):
            continue
        if len(pair.first) > LONGEST:
            continue
        varied = _name_inside(names, pair, rng) if rng.random() < NAMES_SHARE else pair
        if varied == pair:
            (make,) = rng.choices(makers, weights=shares)
            varied = make(pair, rng)
        if varied != pair:
            yield varied if pair.source in one_way else replace(varied, source=MADE_UP)
        if rng.random() < 0.1:
            token = copied_token(rng)
            yield Pair(token, token, MADE_UP)
