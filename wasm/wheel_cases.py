"""The cases of the wheel's test: the same code runs under Pyodide and under CPython.

`test_wheel_node.mjs` imports it into Pyodide, and starts it natively as a script
(`wheel_cases.py MODEL`); both give `run(model)` as JSON. It needs sentencepiece, nothing else.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sentencepiece

TEXTS: dict[str, str] = {
    "plain": "The reader translates every word of it.",
    "empty": "",
    "space": " ",
    "spaces": "  The   letter \t\n from \u00a0 the\u3000harbour  ",
    "german": "Jedes größere Wort übersetzt meine Schwester, STRASSE straße.",
    "chinese": "这里没有人翻译港口来的信。𠮷野家",
    "japanese": "株式会社㍿、ﾊﾝｶｸとｶﾞ",
    "full width": "ＡＢＣ１２３！",
    "ligatures": "ﬁnd the oﬃce… ½",
    "combining": "u\u0308bersetzt e\u0301crit a\u0308\u0301 Z\u0351\u0334algo \u0301alone",
    "emoji": "👩\u200d👩\u200d👧 👍🏽 🇩🇪 ☺\ufe0f 1\ufe0f\u20e3",
    "only emoji": "👍🏽",
    "hebrew arabic": "שלום עולם، مرحبا بالعالم",
    "thai hindi": "ภาษาไทย हिन्दी क्षि",
    "zero width": "a\u200bb\u200cc\u200dd\ufeffe\u2060f\u00adg",
    "controls": "a\x01b\x1fc\x7fd\x85e",
    "nul inside": "every\x00word",
    "nul alone": "\x00",
    "nul first": "\x00word",
    "nul last": "word\x00",
    "piece mark": "the\u2581letter \u2581",
    "byte piece text": "<0x41> <unk> </s>",
    "noncharacters": "\ufffe\uffff\U0010ffff",
    "replacement": "\ufffd",
    "private use": "\ue000\U000f0000",
    "line ends": "one\r\ntwo\rthree\u2028four",
}
# Long inputs: too much to compare piece by piece, so a digest of all pieces and spans.
LONG: dict[str, str] = {
    "word of 5,000": "translation" * 455,
    "one letter 5,000 times": "a" * 5000,
    "5,000 unknown": "𝔘" * 5000,
}
MEGABYTE = (
    "The old translator reads the letter from the harbour, größere Wörter 翻译 👍🏽. " * 12500
)
RANDOM_LINES = 3000


def random_texts(count: int) -> list[str]:
    """Random mixtures of all the scripts above; the seed fixes them in both hosts."""
    rng = random.Random(20250812)
    letters = sorted(set("".join(TEXTS.values())) | set("abcdefghijklmnopqrstuvwxyz  ."))
    return ["".join(rng.choices(letters, k=rng.randrange(60))) for _ in range(count)]


def pieces(sp: sentencepiece.SentencePieceProcessor, text: str) -> list[list[Any]]:
    """[piece, id, begin, end, surface] of each piece; begin and end are code points of `text`."""
    proto = sp.encode(text, out_type="immutable_proto")
    return [[p.piece, p.id, p.begin, p.end, p.surface] for p in proto.pieces]


def outcome(function: Callable[[], Any]) -> Any:
    """The function's value, or the name of what it raised: hosts must agree on errors as well."""
    try:
        return function()
    except Exception as error:
        return {"raised": type(error).__name__}


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=True).encode()).hexdigest()[:16]


def uncovered(text: str, cut: list[list[Any]]) -> list[str]:
    """Where the spans fail to be in order, to touch, and to be cut from `text`."""
    end, problems = 0, []
    for piece, _, begin, stop, surface in cut:
        if begin < end or stop < begin or stop > len(text):
            problems.append(f"{piece!r} at [{begin}, {stop}) after {end}")
        if surface != text[begin:stop]:
            problems.append(f"{piece!r}: surface {surface!r} is not text[{begin}:{stop}]")
        end = stop
    return problems


def run(model: bytes) -> dict[str, Any]:
    """Everything that must be equal in both hosts."""
    sp = sentencepiece.SentencePieceProcessor(model_proto=model)
    cut = {name: pieces(sp, text) for name, text in TEXTS.items()}
    return {
        "version": sentencepiece.__version__,
        "size": sp.get_piece_size(),
        "pieces": cut,
        "decoded": {name: sp.decode(sp.encode(text)) for name, text in TEXTS.items()},
        "long": {name: digest(pieces(sp, text)) for name, text in LONG.items()},
        "megabyte": digest(pieces(sp, MEGABYTE)),
        "random": [digest(pieces(sp, text)) for text in random_texts(RANDOM_LINES)],
        "errors": {
            "lone surrogate": outcome(lambda: pieces(sp, "a\ud800b")),
            "not a text": outcome(lambda: pieces(sp, None)),  # type: ignore[arg-type]
            "not a model": outcome(lambda: sentencepiece.SentencePieceProcessor(model_proto=b"no")),
            "cut model": outcome(
                lambda: sentencepiece.SentencePieceProcessor(model_proto=model[:-9])
            ),
            "no such id": outcome(lambda: sp.decode([sp.get_piece_size()])),
            "negative id": outcome(lambda: sp.decode([-1])),
        },
        "bad spans": {name: uncovered(TEXTS[name], f) for name, f in cut.items()},
    }


def measure(model: bytes, memory: Callable[[], int]) -> dict[str, dict[str, float]]:
    """Time and growth of memory of the long inputs; `memory` gives bytes in use at its peak."""
    sp = sentencepiece.SentencePieceProcessor(model_proto=model)
    figures = {}
    for name, text in {**LONG, "1 MB": MEGABYTE}.items():
        before, start = memory(), time.perf_counter()
        count = len(sp.encode(text))
        ids_time, start = time.perf_counter() - start, time.perf_counter()
        proto = sp.encode(text, out_type="immutable_proto")
        proto_time, start = time.perf_counter() - start, time.perf_counter()
        spans = [(p.id, p.begin, p.end) for p in proto.pieces]
        figures[name] = {
            "pieces": count,
            "ids ms": round(ids_time * 1000, 1),
            "proto ms": round(proto_time * 1000, 1),
            "spans to Python ms": round((time.perf_counter() - start) * 1000, 1),
            "memory +MB": round((memory() - before) / 1e6, 1),
        }
        del proto, spans
    return figures


def native_peak() -> int:
    """Peak resident memory of this process in bytes (CPython on a Unix only)."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    content = Path(sys.argv[1]).read_bytes()
    figures = measure(content, native_peak)  # first: a peak only grows
    json.dump({"measure": figures, "run": run(content)}, sys.stdout)
