from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import ModelFileError
from dragoman.marian.config import MarianConfig, read_config, write_config
from dragoman.student.architecture import Architecture

TINY = Architecture(32_000, 256, 1536, 8, 6, 2)
# As the published tiny students have it, shortened.
PUBLISHED = """
dec-cell: ssru
dec-depth: 2
dim-emb: 256
dim-vocabs:
  - 32000
  - 32000
enc-depth: 6
input-types:
  []
lemma-dim-emb: 0
tied-embeddings: false
tied-embeddings-all: true
tied-embeddings-src: false
transformer-decoder-autoreg: rnn
transformer-dim-ffn: 1536
transformer-ffn-activation: relu
transformer-heads: 8
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-preprocess: ""
transformer-tied-layers:
  []
type: transformer
version: v1.9.56 7f1ed11a3 2021-10-21
"""


def changed(name: str, value: str) -> str:
    kept = re.sub(rf"^{name}:.*\n(  .*\n)*", "", PUBLISHED, flags=re.MULTILINE)
    return f"{kept}{name}: {value}\n"


def test_a_published_configuration() -> None:
    assert read_config(PUBLISHED) == MarianConfig(TINY, 32_000)


def test_split_vocabularies() -> None:
    text = PUBLISHED.replace("tied-embeddings: false", "tied-embeddings: true")
    text = text.replace("tied-embeddings-all: true", "tied-embeddings-all: false")
    text = text.replace("  - 32000\n", "  - 16000\n", 1)
    config = read_config(text)
    assert (config.shared, config.source_vocabulary_size) == (False, 16_000)
    assert config.sizes == TINY


def test_embeddings_are_shared_where_they_are_tied_one_by_one() -> None:
    """As Marian names them: `EncoderDecoderLayerBase`, and the output layer of a decoder."""
    text = PUBLISHED.replace("tied-embeddings: false", "tied-embeddings: true")
    text = text.replace("tied-embeddings-src: false", "tied-embeddings-src: true")
    text = text.replace("tied-embeddings-all: true", "tied-embeddings-all: false")
    assert read_config(text) == MarianConfig(TINY, 32_000)
    with pytest.raises(ModelFileError, match="one embedding for vocabularies of 16,000"):
        read_config(text.replace("  - 32000\n", "  - 16000\n", 1))
    with pytest.raises(ModelFileError, match="its output layer is not tied"):
        read_config(text.replace("tied-embeddings: true", "tied-embeddings: false"))


def test_tied_decoder_layers_use_the_parameters_of_an_earlier_one() -> None:
    config = read_config(PUBLISHED.replace("layers:\n  []", "layers:\n  - 1\n  - 1"))
    assert [config.decoder_layer(index) for index in range(2)] == [1, 1]
    assert [read_config(PUBLISHED).decoder_layer(index) for index in range(2)] == [1, 2]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("type", "s2s", "type is 's2s', not 'transformer'"),
        ("dec-cell", "gru", "dec-cell is 'gru', not 'ssru'"),
        ("transformer-decoder-autoreg", "self-attention", "'self-attention', not 'rnn'"),
        ("transformer-postprocess", "dn", "'dn', not 'dan'"),
        ("transformer-preprocess", "n", "transformer-preprocess is 'n'"),
        ("transformer-ffn-activation", "swish", "'swish', not 'relu'"),
        ("transformer-train-position-embeddings", "true", "position-embeddings is 'true'"),
        ("tied-embeddings-all", "false", "its output layer is not tied"),
        ("dim-emb", "-5", "dim-emb is '-5'"),
        ("dim-emb", "99999999999999999999", "dim-emb is"),
        ("enc-depth", "000000001999999999", "enc-depth is '000000001"),
        ("enc-depth", "000000001" + "9" * 5_000, "enc-depth is '000000001"),
        ("dim-emb", "250", "multiple of the 8 heads"),
        ("dim-vocabs", "[32000]", "a source and a target are needed"),
        ("dim-vocabs", "[32000, 16000]", "one embedding for vocabularies of 32,000 and 16,000"),
        ("transformer-tied-layers", "[1]", "names 1 of 2 decoder layers"),
        ("transformer-tied-layers", "[2, 2]", r"tied-layers is \[2, 2\]"),
        ("transformer-decoder-dim-ffn", "2048", "transformer-decoder-dim-ffn '2048'"),
        ("transformer-guided-alignment-layer", "1", "alignment-layer is '1', not 'last'"),
        ("transformer-guided-alignment-layer", "[2]", r"alignment-layer is '\[2\]', not 'last'"),
    ],
)
def test_another_network_is_refused_by_the_setting_that_makes_it_so(
    name: str, value: str, words: str
) -> None:
    with pytest.raises(ModelFileError, match=words):
        read_config(changed(name, value))


@pytest.mark.parametrize("layer", ["last", "2"])
def test_links_come_from_the_last_of_two_layers(layer: str) -> None:
    text = changed("transformer-guided-alignment-layer", layer)
    assert read_config(text) == MarianConfig(TINY, 32_000)


@pytest.mark.parametrize("missing", ["type", "dec-cell", "dim-emb", "enc-depth", "dim-vocabs"])
def test_what_is_not_said_is_missed(missing: str) -> None:
    with pytest.raises(ModelFileError, match=missing):
        read_config(changed(missing, "").replace(f"{missing}: \n", ""))


@pytest.mark.parametrize("shared", [True, False])
def test_round_trip(shared: bool) -> None:
    config = MarianConfig(TINY, 32_000 if shared else 8_000, shared, (1, 1))
    assert read_config(write_config(config)) == config


def test_a_text_that_is_too_long_is_not_parsed() -> None:
    with pytest.raises(ModelFileError, match="100,003 characters, 65,536 are allowed"):
        read_config("a: " + "[" * 100_000)


@settings(deadline=None)
@given(st.text() | st.just("a: " + "[" * 2_000) | st.just("&a [*a, *a]") | st.just("? a"))
def test_any_text_is_a_typed_error(text: str) -> None:
    with pytest.raises(ModelFileError):
        read_config(text)


def test_aliases_are_refused() -> None:
    """Nine lines of nine aliases each stand for 387 million words."""
    lines = ["a0: &a0 [lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    text = "\n".join([*lines, "input-types: *a9"])
    with pytest.raises(ModelFileError, match=r"is not a list of settings: line 1"):
        read_config(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [("dim-emb", 200_000), ("transformer-dim-ffn", 40_000), ("enc-depth", 65), ("dec-depth", 99)],
)
def test_no_size_is_larger_than_a_network(name: str, value: int) -> None:
    text = re.sub(
        rf"^{name}: .*$",
        f"{name}: {value}",
        write_config(MarianConfig(TINY, 32_000)),
        flags=re.MULTILINE,
    )
    with pytest.raises(ModelFileError, match=f"{name} is '{value}'"):
        read_config(text)
