from __future__ import annotations

from dataclasses import replace

import pytest

from dragoman.student.layout import EmbeddingLayout, StudentLayout

LAYOUT = StudentLayout(
    vocabulary=32_000, dimension=256, inner=1_536, heads=8, encoder_layers=6, decoder_layers=2,
    factor=16.0, source=None, never=-1, denses=(), norms=(),
)  # fmt: skip


@pytest.mark.parametrize(
    "sizes",
    [
        {"vocabulary": 32_001},
        {"inner": 1_540},
        {"dimension": 264},  # 33 a head
        {"heads": 64},
        {"encoder_layers": 17},
        {"decoder_layers": 17},
        {"vocabulary": (1 << 20) + 8},
        {"inner": (1 << 13) + 8},
        {"source": EmbeddingLayout(0, (1 << 20) + 1, 1.0)},
    ],
)
def test_sizes_that_the_kernel_cannot_have(sizes: dict[str, int]) -> None:
    assert LAYOUT.fits
    assert not replace(LAYOUT, **sizes).fits  # type: ignore[arg-type]


def test_a_source_may_have_an_embedding_of_its_own() -> None:
    assert LAYOUT.source_pieces == 32_000
    other = replace(LAYOUT, source=EmbeddingLayout(0, 8_001, 1.0))
    assert (other.source_pieces, other.fits) == (8_001, True)
