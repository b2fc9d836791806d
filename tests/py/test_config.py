import dataclasses

from dragoman.config import Limits


def test_defaults() -> None:
    assert Limits() == Limits(
        text_characters=500_000,
        queued_sentences=100_000,
        queued_characters=10_000_000,
        batch_pieces=1_024,
        batch_rows=64,
        filler_percent=25,
        patience=8,
        gather_milliseconds=5,
        elements=50_000,
        element_depth=256,
        slice_sentences=16,
        deadline_seconds=86_400,
        engine_seconds=120,
        cache_bytes=32_000_000,
    )


def test_every_limit_is_documented() -> None:
    for limit in dataclasses.fields(Limits):
        assert f"{limit.name}:" in (Limits.__doc__ or "")
