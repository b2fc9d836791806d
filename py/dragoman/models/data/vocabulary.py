"""SentencePiece vocabulary, as the Marian students use it: one for both languages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import sentencepiece

from dragoman.errors import CorpusError

# Stands before a source that a model made: the piece of a byte that no text has.
TAG = "<0x01>"


def train_vocabulary(
    sentences: Iterable[str], size: int, path: Path, *, threads: int = 2
) -> sentencepiece.SentencePieceProcessor:
    """Train a unigram vocabulary and write it to `path`.

    The special ids are Marian's: 0 is ``</s>``, 1 is ``<unk>``, there is no BOS and no padding.
    Bytes are pieces too, so that an emoji or a letter of another script can be copied.

    Raises:
        CorpusError: the text is too little, or too uniform, for so many pieces.
    """
    try:
        _train(sentences, size, path, threads)
    except RuntimeError as error:  # such as a size that the text has not enough pieces for
        raise CorpusError(f"no vocabulary of {size} pieces can be trained: {error}") from error
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def read_vocabulary(path: Path) -> sentencepiece.SentencePieceProcessor:
    """A vocabulary on disk.

    Raises:
        CorpusError: the file is missing, or is none.
    """
    try:
        return sentencepiece.SentencePieceProcessor(model_file=str(path))
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} is not a vocabulary: {error}") from error


def _train(sentences: Iterable[str], size: int, path: Path, threads: int) -> None:
    with path.open("wb") as model:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences),
            model_writer=model,
            vocab_size=size,
            model_type="unigram",
            eos_id=0,
            unk_id=1,
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
