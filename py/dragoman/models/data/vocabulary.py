"""SentencePiece vocabulary, as the Marian students use it: one for both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import sentencepiece

from dragoman.errors import BundleCorruptError, CorpusError
from dragoman.student.architecture import EOS, UNK
from dragoman.student.pieces import check_pieces
from dragoman.text.openings import Openings, openings_of, with_openings

# Stands before a source that a model made: the piece of a byte that no text has.
TAG = "<0x01>"


class Vocabulary(sentencepiece.SentencePieceProcessor):  # type: ignore[misc]
    """SentencePiece's own, which takes texts as a tokenizer does: marks that open stand apart."""

    def __init__(self, model: bytes) -> None:
        check_pieces(model)
        super().__init__(model_proto=model)
        self._openings = openings_of(model)

    def encode(self, texts: Any, **options: Any) -> Any:
        """Pieces of a text, or of each of several; as `SentencePieceProcessor.encode`."""
        marks = self._openings
        if marks is not None:
            texts = _each(lambda text: marks.apart(text).text, texts)
        return super().encode(texts, **options)

    def decode(self, ids: Any, **options: Any) -> Any:
        """Text of a row of ids, or of each of several; as `SentencePieceProcessor.decode`."""
        texts = super().decode(ids, **options)
        marks = self._openings
        return texts if marks is None else _each(lambda text: marks.together(text).text, texts)


def _each(change: Callable[[str], str], texts: Any) -> Any:
    return change(texts) if isinstance(texts, str) else [change(text) for text in texts]


def train_vocabulary(
    sentences: Iterable[str], size: int, path: Path, *, threads: int = 2, openings: str = ""
) -> Vocabulary:
    """Train a unigram vocabulary and write it to `path`.

    Args:
        sentences: texts to learn from.
        size: number of pieces.
        openings: marks that it wants apart from the words behind them (`text.openings`).

    The special ids are Marian's: 0 is ``</s>``, 1 is ``<unk>``, there is no BOS and no padding.
    Bytes are pieces too, so that an emoji or a letter of another script can be copied.

    Raises:
        CorpusError: the text is too little, or too uniform, for so many pieces.
    """
    try:
        _train(_apart(sentences, openings), size, path, threads)
    except RuntimeError as error:  # such as a size that the text has not enough pieces for
        raise CorpusError(f"no vocabulary of {size} pieces can be trained: {error}") from error
    path.write_bytes(with_openings(path.read_bytes(), openings))
    return Vocabulary(path.read_bytes())


def _apart(sentences: Iterable[str], openings: str) -> Iterable[str]:
    marks = Openings(openings) if openings else None
    return sentences if marks is None else (marks.apart(text).text for text in sentences)


def read_vocabulary(path: Path) -> Vocabulary:
    """A vocabulary on disk.

    Raises:
        CorpusError: the file is missing, or is none, or its special ids are not Marian's.
    """
    try:
        read = Vocabulary(path.read_bytes())
    except (OSError, BundleCorruptError, RuntimeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} is not a vocabulary: {error}") from error
    if (read.eos_id(), read.unk_id()) != (EOS, UNK):  # as SentencePiece itself numbers them
        raise CorpusError(
            f"{path}: </s> must be piece {EOS} and <unk> piece {UNK}, they are {read.eos_id()} and "
            f"{read.unk_id()}"
        )
    return read


def _train(sentences: Iterable[str], size: int, path: Path, threads: int) -> None:
    with path.open("wb") as model:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences),
            model_writer=model,
            vocab_size=size,
            model_type="unigram",
            eos_id=EOS,
            unk_id=UNK,
            bos_id=-1,
            pad_id=-1,
            byte_fallback=True,
            character_coverage=0.9999,
            normalization_rule_name="nmt_nfkc",
            num_threads=threads,
            input_sentence_size=0,
            max_sentence_length=4000,
            minloglevel=1,
        )
