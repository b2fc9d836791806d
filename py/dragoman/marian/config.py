"""The settings inside a Marian model, ``special:model.yml``: which network its tensors belong to.

Marian has many networks; one can be used here, the student of the published browser models. A model
of another kind is refused with the setting that makes it so, never half understood.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dragoman.errors import ModelFileError, TrainingError
from dragoman.marian.settings import read_settings
from dragoman.student.architecture import Architecture

# No network is larger, by Marian's names of the sizes; others are numbers of pieces.
MOST: Mapping[str, int] = {
    "dim-emb": 1 << 13, "transformer-dim-ffn": 1 << 15, "transformer-heads": 1 << 8,
    "enc-depth": 64, "dec-depth": 64, "transformer-tied-layers": 64,
}  # fmt: skip
MOST_PIECES = 1 << 20
LONGEST = 65_536  # characters of the settings; the published ones have 2,000

# By our names, in the order of `Architecture` after its vocabulary.
SIZES = {
    "dimension": "dim-emb",
    "feed_forward": "transformer-dim-ffn",
    "heads": "transformer-heads",
    "encoder_layers": "enc-depth",
    "decoder_layers": "dec-depth",
}
# Settings that must have one value; what a file does not say has Marian's default, which is this.
REQUIRED: Mapping[str, str] = {
    "type": "transformer",
    "dec-cell": "ssru",
    "transformer-decoder-autoreg": "rnn",
    "transformer-postprocess": "dan",
    "transformer-preprocess": "",
    "transformer-postprocess-emb": "d",
    "transformer-postprocess-top": "",
    "transformer-ffn-activation": "relu",
    "transformer-ffn-depth": "2",
    "transformer-no-projection": "false",
    "transformer-train-position-embeddings": "false",
    "transformer-rnn-projection": "false",
    "transformer-depth-scaling": "false",
    "output-omit-bias": "false",
    "right-left": "false",
    "ulr": "false",
    "lemma-dim-emb": "0",
    "input-types": "[]",
    "dec-cell-base-depth": "2",
    "dec-cell-high-depth": "1",
}
# Marian's default is another network: a file must say it.
MUST_BE_SAID = ("type", "dec-cell", "transformer-decoder-autoreg", "transformer-postprocess")
# The decoder layer, from 1, whose attention was taught to find links; or "last".
GUIDED = "transformer-guided-alignment-layer"
# Written, never asked for: the engine wants them, the network does not depend on them.
UNUSED: Mapping[str, Any] = {
    "bert-train-type-embeddings": True, "bert-type-vocab-size": 2, "dim-rnn": 1024,
    "enc-cell": "gru", "enc-cell-depth": 1, "enc-type": "bidirectional",
    "factors-combine": "sum", "factors-dim-emb": 0, "layer-normalization": False, "skip": False,
    "transformer-aan-activation": "swish", "transformer-aan-depth": 2,
    "transformer-aan-nogate": False, "transformer-dim-aan": 2048,
    GUIDED: "last", "ulr-dim-emb": 0,
    "ulr-trainable-transformation": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MarianConfig:
    """What the file says of the network.

    Attributes:
        sizes: of the network; `vocabulary_size` is that of the target side.
        source_vocabulary_size: that of the source side: the same, with a shared vocabulary.
        shared: one embedding for both languages (``Wemb``), else one a side.
        tied: the 1-based number of the decoder layer whose parameters each decoder layer uses;
            empty: each has its own. (Marian ties decoder layers only.)
    """

    sizes: Architecture
    source_vocabulary_size: int
    shared: bool = True
    tied: tuple[int, ...] = ()

    def decoder_layer(self, index: int) -> int:
        """The number in tensor names, from 1, of the decoder layer `index`, from 0."""
        return self.tied[index] if self.tied else index + 1


def read_config(text: str) -> MarianConfig:
    """The network that a ``special:model.yml`` describes.

    Raises:
        ModelFileError: it cannot be read, lacks a size, or describes another kind of network.
    """
    if len(text) > LONGEST:
        raise ModelFileError(
            f"special:model.yml has {len(text):,} characters, {LONGEST:,} are allowed",
            requested=len(text),
            allowed=LONGEST,
        )
    settings = read_settings(text)
    _check_kind(settings)
    vocabularies = settings.get("dim-vocabs")
    if not isinstance(vocabularies, list) or len(vocabularies) != 2:
        raise ModelFileError(f"dim-vocabs is {vocabularies!r}: a source and a target are needed")
    source, target = (_size("dim-vocabs", value) for value in vocabularies)
    dimension, inner, heads, encoder, decoder = (
        _size(name, settings.get(name)) for name in SIZES.values()
    )
    try:
        sizes = Architecture(target, dimension, inner, heads, encoder, decoder)
    except TrainingError as error:
        raise ModelFileError(f"special:model.yml: {error.message}") from error
    return MarianConfig(sizes, source, _shared(settings, source, target), _tied(settings, sizes))


def _check_kind(settings: Mapping[str, object]) -> None:
    for name, wanted in REQUIRED.items():
        if name not in settings and name not in MUST_BE_SAID:
            continue
        kind = _word(settings.get(name))
        if kind != wanted:
            raise ModelFileError(
                f"this kind of network is not supported: {name} is {kind!r}, not {wanted!r}",
                setting=name,
            )
    decoder_ffn = settings.get("transformer-decoder-dim-ffn")
    if decoder_ffn not in (None, "0", settings.get("transformer-dim-ffn")):
        raise ModelFileError(
            f"this kind of network is not supported: transformer-decoder-dim-ffn {decoder_ffn!r}",
            setting="transformer-decoder-dim-ffn",
        )
    # Links of words are read off the last layer; another one was taught to find them.
    guided = _word(settings.get(GUIDED, "last"))
    if guided not in ("last", settings.get("dec-depth")):
        raise ModelFileError(
            f"this kind of network is not supported: {GUIDED} is {guided!r}, not 'last'",
            setting=GUIDED,
        )


def _word(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return "" if value is None else str(value)


def _size(name: str, value: object) -> int:
    text, most = str(value), MOST.get(name, MOST_PIECES)
    # Zeros in front count: they could hide any number of digits behind them.
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 0 < int(text) <= most):
        raise ModelFileError(f"special:model.yml: {name} is {value!r}", setting=name)
    return int(text)


def _tied(settings: Mapping[str, object], sizes: Architecture) -> tuple[int, ...]:
    value = settings.get("transformer-tied-layers") or []
    if not isinstance(value, list):
        raise ModelFileError(f"special:model.yml: transformer-tied-layers is {value!r}")
    tied = tuple(_size("transformer-tied-layers", item) for item in value)
    if any(number > index + 1 for index, number in enumerate(tied)):
        raise ModelFileError(f"special:model.yml: transformer-tied-layers is {list(tied)}")
    if tied and len(tied) != sizes.decoder_layers:
        raise ModelFileError(
            f"special:model.yml: transformer-tied-layers names {len(tied)} of "
            f"{sizes.decoder_layers} decoder layers"
        )
    return tied


def _shared(settings: Mapping[str, object], source: int, target: int) -> bool:
    said = {name: _word(settings.get(name)) == "true" for name in
            ("tied-embeddings-all", "tied-embeddings-src", "tied-embeddings")}  # fmt: skip
    # With both of the others all embeddings are tied too.
    if said["tied-embeddings-all"] or (said["tied-embeddings"] and said["tied-embeddings-src"]):
        if source != target:
            raise ModelFileError(f"one embedding for vocabularies of {source:,} and {target:,}")
        return True
    if said["tied-embeddings"]:
        return False
    raise ModelFileError(
        "this kind of network is not supported: its output layer is not tied to the embedding "
        "(tied-embeddings-all or tied-embeddings)",
        setting="tied-embeddings",
    )


def write_config(config: MarianConfig) -> str:
    """``special:model.yml`` of a network, as the reference engine wants it."""
    import yaml  # only who writes models needs it

    sizes = config.sizes
    settings: dict[str, Any] = {
        **UNUSED,
        **{name: _plain(value) for name, value in REQUIRED.items()},
        **{theirs: getattr(sizes, ours) for ours, theirs in SIZES.items()},
        "dim-vocabs": [config.source_vocabulary_size, sizes.vocabulary_size],
        "transformer-tied-layers": list(config.tied),
        "tied-embeddings": not config.shared,
        "tied-embeddings-all": config.shared,
        "tied-embeddings-src": False,
        "version": "v1.9.56 dragoman",
    }
    return str(yaml.safe_dump(settings, sort_keys=True, default_flow_style=False))


def _plain(value: str) -> object:
    known: dict[str, object] = {"true": True, "false": False, "[]": []}
    return known.get(value, int(value) if value.isdigit() else value)
