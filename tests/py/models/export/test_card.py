from __future__ import annotations

from typing import Any

from dragoman.models.export.card import model_card, parameters
from dragoman.models.network.student import Architecture, Student

MANIFEST: dict[str, Any] = {
    "name": "de-en-tiny", "version": "0.2.0", "source": "de", "target": "en",
    "files": {"graph": {"bytes": 11_000_000}, "vocabulary": {"bytes": 400_000}},
    "architecture": {
        "vocabulary_size": 8000, "dimension": 256, "feed_forward": 1536, "heads": 8,
        "encoder_layers": 6, "decoder_layers": 2,
    },
    "precision": "int8",
    "limits": {"source_pieces": 80, "target_factor": 2.0, "target_extra": 12},
    "licence": "CC-BY-SA-4.0",
    "scores": {"tatoeba-dev": {"bleu": 43.21, "chrf": 60.1, "sentences": 2000,
                               "bleu_signature": "nrefs:1|case:mixed"}},
    "training": {"steps": 9000, "hours": 1.9, "hardware": "2 threads", "validation": {"bleu": 43}},
    "sources": [
        {"name": "little", "pairs": 100, "weight": 0.1, "licence": "GPL-3.0",
         "licence_class": "copyleft"},
        {"name": "much", "pairs": 1000, "weight": 1.0, "licence": "CC-BY 2.0",
         "licence_class": "free"},
    ],
}  # fmt: skip


def test_parameters_are_those_of_the_network() -> None:
    for sizes in (
        Architecture(),
        Architecture(300, 32, 64, 4, 3, 1),
        Architecture(300, 32, 64, 4, 3, 1, alignment=8),
    ):
        student = Student(sizes)
        expected = sum(parameter.numel() for parameter in student.parameters())
        assert parameters(vars(sizes)) == expected


def test_a_card_says_what_the_manifest_says() -> None:
    card = model_card(
        {**MANIFEST, "reproduce": ["make model"], "weaknesses": ["Negation is lost."]}
    )
    lines = card.splitlines()
    assert lines[0] == "# de-en-tiny 0.2.0: German to English"
    for line in (
        "| licence | CC-BY-SA-4.0 |",
        "| precision | int8 |",
        "| size | 11.4 MB |",
        "| tatoeba-dev | 43.21 | 60.1 |  | 2000 |",
        "| steps | 9,000 |",
        "| validation | bleu 43 |",
        "- Negation is lost.",
        "make model",
        "1,100 sentence pairs. Weight: copies of each pair in an epoch, on average.",
    ):
        assert line in lines
    assert "sacrebleu: `nrefs:1|case:mixed`" in card
    assert card.index("| much | CC-BY 2.0 | free | 1,000 | 1 |") < card.index("| little | GPL-3.0")


def test_a_card_names_the_alignment_head() -> None:
    sizes = {**MANIFEST["architecture"], "alignment": 64}
    card = model_card({**MANIFEST, "architecture": sizes})
    assert "feed-forward 1536, 8 heads, an alignment head of 64 |" in card


def test_what_is_not_known_is_not_made_up() -> None:
    bare = {**MANIFEST, "scores": {}, "training": {}, "sources": [], "source": "xx"}
    card = model_card(bare)
    assert "Not measured." in card
    assert card.count("Not recorded.") == 2
    assert "xx to English" in card


def test_commands_of_a_model_without_settings_make_one_of_its_kind() -> None:
    bare = {**MANIFEST, "reproduce": ["make model"]}
    known = {**bare, "training": {"steps": 1, "settings": {"rate": 0.002}}}
    note = "These commands make a model of its kind, not this very one"
    assert note in model_card(bare)
    assert note not in model_card(known)
    assert "See `docs/models.md`." in model_card(MANIFEST)
