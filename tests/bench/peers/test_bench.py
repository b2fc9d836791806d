"""The parts of the benchmark that can be wrong without anyone noticing."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.bench.peers import report, throughput
from tests.bench.peers.isolated_site import Site
from tests.bench.peers.published_peers import cut
from tests.bench.peers.throughput import (
    OURS_1,
    OURS_2,
    SETTINGS,
    THEIRS,
    Series,
    percentile,
    ratio,
    spread,
)
from tests.bench.texts import Supply, made_up, words


def test_no_sentence_is_handed_out_twice() -> None:
    supply = Supply(None)
    assert supply.source == "made up"
    page = supply.page(300)
    taken = [*supply.sentences(5_000), *supply.twenty_words(50)]
    assert len(taken) == 5_050
    assert len(set(taken)) == len(taken)
    assert not [sentence for sentence in taken if sentence in page]
    assert 300 <= words([page]) < 330
    assert all(18 <= words([text]) <= 22 for text in taken[5_000:])


def test_the_same_seed_gives_the_same_sentences() -> None:
    first, second, other = Supply(None, 1), Supply(None, 1), Supply(None, 2)
    expected = first.sentences(20)
    assert second.sentences(20) == expected
    assert other.sentences(20) != expected


def test_made_up_sentences_are_many_and_whole() -> None:
    sentences = made_up()
    assert len(set(sentences)) == len(sentences) > 20_000
    assert "Gestern las meine Schwester ein Buch über die Stadt, weil es regnete." in sentences


def test_a_data_folder_takes_the_place_of_made_up_text(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    rows = "en\tde\n" + "".join(f"x\tDas ist der Satz {n}.\n" for n in range(9))
    (tmp_path / "dev" / "tatoeba-dev.en-de.tsv").write_text(rows, encoding="utf-8")
    supply = Supply(tmp_path)
    assert supply.source == "development sets"
    assert sorted(supply.sentences(99)) == [f"Das ist der Satz {n}." for n in range(9)]


def test_ratios_are_taken_round_by_round() -> None:
    """A round in which the machine was slow for both does not move the ratio."""
    ours = Series(speeds=[200.0, 20.0, 220.0], token_speeds=[10.0, 1.0, 11.0])
    theirs = Series(speeds=[100.0, 10.0, 100.0], token_speeds=[10.0, 1.0, 10.0])
    assert ratio(ours, theirs) == {"median": 2.0, "quartiles": [2.0, 2.1], "target_pieces": 1.0}
    assert spread([3.0]) == [3.0, 3.0]
    assert [percentile([4.0, 1.0, 3.0, 2.0], share) for share in (50, 95, 100)] == [2.0, 4.0, 4.0]


def test_the_figures_have_the_names_that_are_asked_for(tmp_path: Path) -> None:
    series = {name: Series([100.0], [120.0], [5.0]) for name in (OURS_1, OURS_2, THEIRS)}
    found = throughput.summary({setting.name: series for setting in SETTINGS})
    assert {"ratio_64_1t", "ratio_64_2t", "ratio_1_1t", "ratio_page_1t"} <= found.keys()
    about = {"date": "2026-01-01T00:00:00", "processor": "P", "cores": 2, "browser": "B",
             "commit": "c", "text": "made up", "quick": True, "without_vnni": True}  # fmt: skip
    results = json.loads(json.dumps({"about": about, **found}))
    text = report.markdown(results)
    assert "| 64 sentences a call, 1 thread: ours to bergamot | 1.0 |" in text
    assert "A quick run" in text
    assert "Chromium without VNNI." in text
    report.picture(results, tmp_path / "bench.json")
    assert (tmp_path / "bench.svg").stat().st_size > 1_000
    assert (tmp_path / "bench.png").read_bytes().startswith(b"\x89PNG")


def test_texts_of_published_sizes_have_the_same_number_of_pieces() -> None:
    class Letters:
        def encode(self, text: str) -> list[str]:
            return list(text)

        def decode(self, pieces: list[str]) -> str:
            return "".join(pieces)

    texts = ["a" * 25, "b" * 20, "c" * 19, "a" * 30, "d" * 9 + "." + "d" * 20]
    assert list(cut(texts, Letters())) == ["a" * 20, "b" * 20]


def test_the_site_serves_its_mounts_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.mjs").write_text("1")
    (tmp_path / "secret").write_text("2")
    with Site({"/b.bin": b"3", "/m/": tmp_path / "in"}) as site:
        with urllib.request.urlopen(f"{site.url}/m/a.mjs") as answer:
            assert answer.read() == b"1"
            assert answer.headers["Content-Type"] == "text/javascript"
            assert answer.headers["Cross-Origin-Embedder-Policy"] == "require-corp"
        with urllib.request.urlopen(f"{site.url}/b.bin?x=1") as answer:
            assert answer.read() == b"3"
        for path in ("/m/../secret", "/m/%2e%2e/secret", "/none", "/m/"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(site.url + path)
