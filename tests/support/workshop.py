"""What the tests of the model workshop share."""

from __future__ import annotations

import io
import lzma
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch

from dragoman.marian.file import Item, Kind
from dragoman.marian.model import floats
from dragoman.models.data.batches import NO_TAG, PreparedData, Ragged
from dragoman.models.data.prepared import load_prepared
from dragoman.models.export.quantized import QuantizedStudent, of_model
from dragoman.models.network.student import Architecture, Student
from dragoman.models.training.reporting import Lines
from dragoman.models.training.settings import TrainSettings
from dragoman.models.training.train import Trainer, translate

ENGLISH = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
GERMAN = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]

RECIPE = """
name = "toy"
columns = ["en", "de"]
vocabulary_size = 340
max_pieces = 40
"""

MANIFEST = """pair\tname\tpairs\tclass\tlicence\tnote
en-de\tdigits\t300\tfree\tCC0-1.0\t"numbers", reversed
en-de\tnoise\t5\tcopyleft\tGPL-3.0\ttext to drop
en-de\tsecret\t1\tnc\tno use\tnot admitted
en-fr\tdigits\t1\tfree\tCC0-1.0\tanother pair
"""

NOISE = [
    "one two\tzwei eins und so weiter und so fort und so weiter und so fort",  # length ratio
    "123 456\t654 321",  # no letters
    "the same four words\tthe same four words",  # untranslated
    "one column",
    "only one\t",
]


SILENT = Lines(lambda _: None)


def toy_pairs(count: int, seed: int = 1) -> list[tuple[str, str]]:
    """("one two five", "fünf zwei eins"): English, German, all different."""
    rng = random.Random(seed)
    by_text: dict[str, str] = {}
    while len(by_text) < count:
        digits = [rng.randrange(10) for _ in range(rng.randrange(2, 6))]
        english = " ".join(ENGLISH[digit] for digit in digits)
        by_text[english] = " ".join(GERMAN[digit] for digit in reversed(digits))
    return list(by_text.items())


def write_data(folder: Path) -> Path:
    (folder / "train" / "en-de").mkdir(parents=True)
    (folder / "train" / "manifest.tsv").write_text(MANIFEST, encoding="utf-8")
    lines = ["\t".join(pair) for pair in toy_pairs(300)]
    for name, text in (("digits", [*lines, lines[0]]), ("noise", NOISE)):
        with lzma.open(folder / "train" / "en-de" / f"{name}.tsv.xz", "wt", encoding="utf-8") as f:
            f.write("\n".join(text) + "\n")
    rows = ["\t".join(pair) for pair in toy_pairs(24, seed=2)]
    (folder / "dev.tsv").write_text("\n".join(["en\tde", *rows]) + "\n", encoding="utf-8")
    return folder


def toy_sizes(vocabulary_size: int = 340) -> Architecture:
    return Architecture(vocabulary_size, 32, 64, 4, 2, 2)


def toy_student(vocabulary_size: int = 340, seed: int = 7) -> Student:
    """A random model with sharp attention."""
    torch.manual_seed(seed)
    model = Student(toy_sizes(vocabulary_size))
    with torch.no_grad():
        model.embedding.mul_(2)
        model.output_bias.normal_()
        for name, parameter in model.named_parameters():
            if name.endswith(("query.weight", "key.weight", "value.weight")):
                parameter.mul_(2)
    return model


def toy_trainer(
    folder: Path,
    prepared: Path,
    validation: list[tuple[str, str]] | None = None,
    carried: Path | None = None,
    **settings: Any,
) -> Trainer:
    import sentencepiece

    values: dict[str, Any] = {
        "steps": 12, "cooldown": 4, "batch_pieces": 200, "warm_up": 4, "validate_every": 6,
        "save_every": 5, "log_every": 1, "bfloat16": False, **settings,
    }  # fmt: skip
    data = load_prepared(prepared, "en", "de")
    vocabulary = sentencepiece.SentencePieceProcessor(model_file=str(prepared / "vocabulary.spm"))
    rows = toy_pairs(8, seed=2) if validation is None else validation
    chosen = TrainSettings(**values)
    sizes = toy_sizes(data.vocabulary_size)
    return Trainer(folder, data, vocabulary, rows, sizes, chosen, carried=carried)


def made_data(
    rows: list[tuple[list[int], list[int], list[tuple[int, int]]]],
    weights: list[float] | None = None,
    swapped: bool = False,
) -> PreparedData:
    """Prepared data by hand: source ids, target ids, links as they are stored."""
    import numpy as np

    values = np.array(weights or [1.0] * len(rows))
    return PreparedData(
        source=Ragged.of([row[0] for row in rows], np.uint16),
        target=Ragged.of([row[1] for row in rows], np.uint16),
        links=Ragged.of([[i for link in row[2] for i in link] for row in rows], np.uint8),
        links_swapped=swapped,
        source_of=np.arange(len(rows), dtype=np.uint8),
        weights=values,
        tags=np.full(len(rows), NO_TAG),
        vocabulary_size=100,
    )


def engine_sizes(vocabulary_size: int = 344) -> Architecture:
    """The smallest student that the reference engine has kernels for."""
    return Architecture(vocabulary_size, 64, 64, 4, 2, 2)


def quantized_student(sizes: Architecture | None = None, seed: int = 7) -> QuantizedStudent:
    """A random int8 student."""
    torch.manual_seed(seed)
    model = Student(sizes or engine_sizes())
    with torch.no_grad():
        model.output_bias.normal_()
    names = [n.removesuffix(".weight") for n in model.state_dict() if n.endswith(".weight")]
    ranges = {name: 4.0 + number / 8 for number, name in enumerate([*names, "output"])}
    return of_model(model, ranges)


class Digits:
    """A vocabulary of the ten digits, with what a trainer needs of SentencePiece."""

    first = 2  # piece id of "0"; below are EOS and the unknown piece

    def encode(self, texts: list[str]) -> list[list[int]]:
        return [[self.first + int(digit) for digit in text] for text in texts]

    def decode(self, rows: list[list[int]]) -> list[str]:
        return ["".join(str(piece - self.first) for piece in row) for row in rows]


def reversed_digits(count: int, seed: int, held_out: bool) -> list[tuple[str, str]]:
    """Strings of 1 to 12 digits, and the same from back to front; all different.

    Every tenth string, by a checksum, is for the held-out set, and in no other.
    """
    rng = random.Random(seed)
    by_text: dict[str, str] = {}
    while len(by_text) < count:
        text = "".join(rng.choice("0123456789") for _ in range(rng.randrange(1, 13)))
        if (crc32(text.encode()) % 10 == 0) == held_out:
            by_text[text] = text[::-1]
    return list(by_text.items())


def reversal_learned(encoder: str, decoder: str, folder: Path) -> float:
    """Share of 500 strings that a small model of these kinds reverses, after 20,000 others."""
    vocabulary: Any = Digits()
    train, held_out = reversed_digits(20_000, 1, False), reversed_digits(500, 2, True)
    sources, targets = (vocabulary.encode(list(side)) for side in zip(*train, strict=True))
    rows: list[Any] = [(a, b, []) for a, b in zip(sources, targets, strict=True)]
    data = replace(made_data(rows), vocabulary_size=Digits.first + 10)
    sizes = Architecture(Digits.first + 10, 64, 128, 4, 3, 1, encoder, decoder, width=5)
    settings = TrainSettings(
        steps=1_600, cooldown=600, batch_pieces=1_200, warm_up=200, smoothing=0.0, guide_weight=0.0,
        average=0.99, validate_every=9_999, save_every=9_999, bfloat16=False,
    )  # fmt: skip
    trainer = Trainer(folder, data, vocabulary, held_out, sizes, settings)
    trainer.run(SILENT)
    with trainer.averaged():
        translations = translate(trainer.model, vocabulary, [source for source, _ in held_out])
    right = sum(text == target for text, (_, target) in zip(translations, held_out, strict=True))
    return right / len(held_out)


def archive(items: Sequence[Item]) -> bytes:
    """An .npz of float32 weights, as Marian's trainer writes it."""
    arrays: dict[str, Any] = {}
    for item in items:
        if item.name.startswith("special"):
            arrays[item.name] = np.frombuffer(item.data, np.int8)
        elif item.kind is Kind.INTGEMM8 and "Wemb" not in item.name:
            arrays[item.name] = floats(item).reshape(item.shape[::-1]).T
        else:
            arrays[item.name] = floats(item).reshape(item.shape)
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()
