from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import CorpusError
from dragoman.models.measures.anchors import anchor_scores, score_tables
from dragoman.models.measures.evaluate import Evaluation

REFERENCES = ["the cat sat on the mat", "a dog barks at night"]


@pytest.fixture
def anchors(tmp_path: Path) -> Path:
    rows = ["de-en\tdev\tbig\tbleu\t41.5", "de-en\tdev\tbig\tcomet\t0.8",
            "de-en\tdev\ttiny\tbleu\t30", "en-de\tdev\tbig\tbleu\t1",
            "de-en\tother\tbig\tbleu\t2"]  # fmt: skip
    (tmp_path / "published-scores.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "de-en").mkdir()
    (tmp_path / "de-en" / "dev.tiny.en").write_text("\n".join(REFERENCES) + "\n")
    return tmp_path


def test_what_can_be_scored_here_is(anchors: Path) -> None:
    assert anchor_scores(anchors, "de-en", "dev", REFERENCES) == {"tiny": 100.0, "big": 41.5}
    assert list(anchor_scores(anchors, "de-en", "dev", REFERENCES)) == ["tiny", "big"]
    assert anchor_scores(anchors, "de-en", "none", REFERENCES) == {}


def test_a_system_may_have_a_dot_in_its_name(anchors: Path) -> None:
    for system in ("nllb-1.3b", "nllb-1.3b.beam1"):
        (anchors / "de-en" / f"dev.{system}.en").write_text("\n".join(REFERENCES) + "\n")
    scores = anchor_scores(anchors, "de-en", "dev", REFERENCES)
    assert set(scores) == {"big", "tiny", "nllb-1.3b", "nllb-1.3b.beam1"}


def test_malformed_anchors_are_named(anchors: Path) -> None:
    with pytest.raises(CorpusError, match=r"dev\.tiny\.en has 2 lines, the data 1"):
        anchor_scores(anchors, "de-en", "dev", REFERENCES[:1])
    (anchors / "published-scores.tsv").write_text("de-en\tdev\tbig\tbleu\tmuch\n")
    with pytest.raises(CorpusError, match="line 1 is no score"):
        anchor_scores(anchors, "de-en", "dev", REFERENCES)


def test_tables_by_hand() -> None:
    evaluation = Evaluation(
        data="dev.tsv", bleu=38.34, chrf=54.0, sentences=2_000, seconds=10.0,
        words_per_second=812.5, length_ratio=0.95, token_ratio=0.97, copied=0.001, loops=0.0,
        kept=0.9, aer=0.25, bleu_signature="s", chrf_signature="s",
    )  # fmt: skip
    assert score_tables([evaluation], {"dev.tsv": {"big": 41.5}}) == (
        "| data | sentences | bleu | chrf | aer | length ratio | token ratio | copied | loops "
        "| kept | words per second |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        "| dev.tsv | 2000 | 38.34 | 54 | 0.25 | 0.95 | 0.97 | 0.001 | 0 | 0.9 | 812.5 |\n\n"
        "| BLEU | this model | big |\n|---|---:|---:|\n| dev.tsv | 38.34 | 41.5 |\n"
    )
    assert "this model" not in score_tables([evaluation], {"dev.tsv": {}})
