#!/usr/bin/env python3
"""Trains `tests/fixtures/tiny.spm`, the model of the wheel's test: `wasm/make_tiny_spm.py [OUT]`.

Needs the native sentencepiece 0.2.1. The text is written here, so the fixture has no other source.
The model has the form of the project's vocabularies (unigram, 0 `</s>`, 1 `<unk>`, no BOS, dummy
prefix, byte fallback) but for its normalizer: nmt_nfkc alone is 240 KB, so a few rules in its
manner, one or more of each kind: deleted, replaced, composed, shortened, lengthened. Training is
deterministic: one thread, no sampling.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import tempfile
from pathlib import Path

import sentencepiece

OUT = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "tiny.spm"

# language: subjects, verbs, objects, separator, full stop. A sentence is one of each.
PHRASES: dict[str, tuple[list[str], list[str], list[str], str, str]] = {
    "en": (
        ["The old translator", "A small model", "My sister", "Nobody here", "The reader"],
        ["reads", "carries", "forgets", "translates", "understands"],
        [
            "the letter from the harbour",
            "a page without pictures",
            "every word of it",
            "the next sentence",
        ],
        " ",
        ".",
    ),
    "de": (
        [
            "Der alte Dolmetscher",
            "Ein kleines Modell",
            "Meine Schwester",
            "Niemand hier",
            "Die Leserin",
        ],
        ["liest", "trägt", "vergisst", "übersetzt", "versteht"],
        [
            "den Brief aus dem Hafen",
            "eine Seite ohne Bilder",
            "jedes größere Wort",
            "den nächsten Satz",
        ],
        " ",
        "!",
    ),
    "fr": (
        ["Le vieil interprète", "Un petit modèle", "Ma sœur", "Personne ici", "La lectrice"],
        ["lit", "porte", "oublie", "traduit", "comprend"],
        ["la lettre du port", "une page sans images", "chaque mot déjà écrit", "la phrase d'après"],
        " ",
        " ?",
    ),
    "zh": (
        ["老翻译", "小模型", "我妹妹", "这里没有人", "读者"],
        ["读", "带来", "忘记", "翻译", "明白"],
        ["港口来的信", "没有图片的一页", "每一个字", "下一个句子"],
        "",
        "。",
    ),
}

# Code points in hexadecimal, source, tab, target: SentencePiece's normalization_rule_tsv.
_SPACES = "\t\n\r\u00a0\u200b\u3000\ufeff"
_FULL_WIDTH = range(0x21, 0x7F)  # at 0xFEE0 above ASCII
_COMPOSED = {
    "a\u0308": "ä",
    "o\u0308": "ö",
    "u\u0308": "ü",
    "e\u0301": "é",
    "e\u0300": "è",
    "o\u0302": "ô",
}
_CONTROLS = [*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F]  # all but NUL
_OTHER = {"ﬁ": "fi", "ﬃ": "ffi", "…": "...", "½": "1⁄2", "㍿": "株式会社"}

# What is normalized, to what.
RULES: dict[str, str] = {
    **{chr(code): "" for code in _CONTROLS},
    **dict.fromkeys(_SPACES, " "),
    **{chr(0xFEE0 + code): chr(code) for code in _FULL_WIDTH},
    **_COMPOSED,
    **_OTHER,
}


def sentences() -> list[str]:
    """Every combination of the phrases, all languages."""
    return [
        separator.join(parts) + stop
        for subjects, verbs, objects, separator, stop in PHRASES.values()
        for parts in itertools.product(subjects, verbs, objects)
    ]


def rule_line(source: str, target: str) -> str:
    """The rule as SentencePiece's normalization_rule_tsv wants it: code points in hexadecimal."""
    return "\t".join(" ".join(f"{ord(char):X}" for char in side) for side in (source, target))


def main() -> None:
    out = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else OUT
    # The trainer writes its settings, paths among them, into the model: relative ones are the same
    # everywhere.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("text").write_text("\n".join(sentences()) + "\n", encoding="utf-8")
        Path("rules").write_text(
            "\n".join(rule_line(*rule) for rule in RULES.items()) + "\n", encoding="utf-8"
        )
        sentencepiece.SentencePieceTrainer.train(
            input="text",
            model_prefix="tiny",
            model_type="unigram",
            vocab_size=520,
            eos_id=0,
            unk_id=1,
            bos_id=-1,
            byte_fallback=True,
            character_coverage=1.0,
            normalization_rule_tsv="rules",
            num_threads=1,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        model = Path("tiny.model").read_bytes()
    out.write_bytes(model)
    print(f"{out.name}: {len(model)} bytes")


if __name__ == "__main__":
    main()
