"""What the tensors of a student are called here and in Marian."""

from __future__ import annotations

from dragoman.marian.config import MarianConfig
from dragoman.marian.names import (
    MatrixName,
    NormName,
    embedding_names,
    matrix_names,
    norm_names,
    output_alphas,
)
from dragoman.student.architecture import Architecture

# One layer of the encoder, two of the decoder.
SMALL = MarianConfig(Architecture(400, 64, 128, 4, 1, 2), 400)
SPLIT = MarianConfig(Architecture(400, 64, 128, 4, 1, 2), 300, shared=False)


def test_products_of_the_encoder() -> None:
    assert list(matrix_names(SMALL))[:6] == [
        MatrixName("encoder.0.attention.query", "encoder_l1_self_Wq", "encoder_l1_self_bq"),
        MatrixName("encoder.0.attention.key", "encoder_l1_self_Wk", "encoder_l1_self_bk"),
        MatrixName("encoder.0.attention.value", "encoder_l1_self_Wv", "encoder_l1_self_bv"),
        MatrixName("encoder.0.attention.output", "encoder_l1_self_Wo", "encoder_l1_self_bo"),
        MatrixName("encoder.0.feed_forward.inner", "encoder_l1_ffn_W1", "encoder_l1_ffn_b1"),
        MatrixName("encoder.0.feed_forward.outer", "encoder_l1_ffn_W2", "encoder_l1_ffn_b2"),
    ]


def test_products_of_the_decoder() -> None:
    names = list(matrix_names(SMALL))
    assert len(names) == 6 + 2 * 8
    assert names[14:17] == [
        MatrixName("decoder.1.recurrence.candidate", "decoder_l2_rnn_W", None),
        MatrixName("decoder.1.recurrence.forget", "decoder_l2_rnn_Wf", "decoder_l2_rnn_bf"),
        MatrixName("decoder.1.attention.query", "decoder_l2_context_Wq", "decoder_l2_context_bq"),
    ]
    assert names[15].alpha == "decoder_l2_rnn_Wf_QuantMultA"


def test_tied_layers_of_the_decoder_have_one_name() -> None:
    tied = MarianConfig(SMALL.sizes, 400, tied=(1, 1))
    assert {name.weight for name in matrix_names(tied) if name.ours.startswith("decoder.1")} == {
        name.weight for name in matrix_names(tied) if name.ours.startswith("decoder.0")
    }


def test_normalizations() -> None:
    assert list(norm_names(SMALL))[:5] == [
        NormName("encoder.0.attention.norm", "encoder_l1_self_Wo_ln"),
        NormName("encoder.0.feed_forward.norm", "encoder_l1_ffn_ffn_ln"),
        NormName("decoder.0.recurrence.norm", "decoder_l1_rnn_ffn_ln"),
        NormName("decoder.0.attention.norm", "decoder_l1_context_Wo_ln"),
        NormName("decoder.0.feed_forward.norm", "decoder_l1_ffn_ffn_ln"),
    ]
    assert len(list(norm_names(SMALL))) == 2 + 2 * 3


def test_embeddings_and_the_scales_of_the_output_layer() -> None:
    assert embedding_names(SMALL) == {"embedding": "Wemb"}
    assert output_alphas(SMALL) == ("Wemb_QuantMultA", "none_QuantMultA")
    assert embedding_names(SPLIT) == {
        "source_embedding": "encoder_Wemb",
        "embedding": "decoder_Wemb",
    }
    assert output_alphas(SPLIT) == ("decoder_Wemb_QuantMultA",)
