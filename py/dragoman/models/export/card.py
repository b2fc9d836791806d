"""The model card: what a manifest says, for a reader (Mitchell et al. 2019)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

LANGUAGES = {"de": "German", "en": "English", "es": "Spanish", "fr": "French"}

# True of every student of this size; a card can add its own.
WEAKNESSES = (
    "A small model: rare words, names, idioms and long or nested sentences are often wrong, and a "
    "fluent translation is not always a true one.",
    "Each sentence is translated alone: what a pronoun refers to, and formal or informal address, "
    "are guesses.",
    "Its text is mostly short everyday sentences and software documentation; other fields (law, "
    "medicine, literature, dialect) are weaker. Do not rely on it where a mistake does harm.",
    "Biases of the sources are in the translations, for example in the gender given to a "
    "profession.",
)

UNRECORDED = (
    "The settings of its training were not recorded. These commands make a model of its kind, not "
    "this very one; `best.pt` is the best model of the run that they start."
)


def model_card(manifest: Mapping[str, Any]) -> str:
    """The text of ``MODEL_CARD.md``: nothing is in it that the manifest does not say.

    Two fields of the manifest are there for the card alone: ``weaknesses``, what is known of this
    model beyond those of all small ones, and ``reproduce``, commands in order.
    """
    direction = f"{_language(manifest['source'])} to {_language(manifest['target'])}"
    parts = [
        f"# {manifest['name']} {manifest['version']}: {direction}",
        "Translates sentences on the user's own machine. Made by `dragoman model`.",
        _facts(manifest),
        "## Scores",
        _scores(manifest.get("scores", {})),
        *_reliability(manifest.get("reliability")),
        "## Training",
        _training(manifest.get("training", {})),
        "## Sources",
        _sources(manifest.get("sources", ())),
        "## Known weaknesses",
        "\n".join(f"- {line}" for line in (*manifest.get("weaknesses", ()), *WEAKNESSES)),
        "## How to reproduce it",
        _commands(manifest.get("reproduce", ()), manifest.get("training", {})),
    ]
    return "\n\n".join(parts) + "\n"


def _language(code: str) -> str:
    return LANGUAGES.get(code, code)


def _facts(manifest: Mapping[str, Any]) -> str:
    sizes, limits, files = manifest["architecture"], manifest["limits"], manifest["files"]
    total = sum(entry["bytes"] for entry in files.values())
    rows = [
        ("direction", f"{manifest['source']} → {manifest['target']}"),
        ("licence", manifest["licence"]),
        (
            "architecture",
            f"Transformer encoder of {sizes['encoder_layers']} layers, SSRU decoder of "
            f"{sizes['decoder_layers']}, dimension {sizes['dimension']}, feed-forward "
            f"{sizes['feed_forward']}, {sizes['heads']} heads" + _head(sizes),
        ),
        ("vocabulary", f"{sizes['vocabulary_size']:,} SentencePiece pieces, both languages"),
        ("parameters", f"{parameters(sizes):,}"),
        ("precision", str(manifest.get("precision", "not recorded"))),
        ("search", _search(manifest.get("search", {}))),
        ("size", f"{total / 1e6:.1f} MB"),
        (
            "longest sentence",
            f"{limits['source_pieces']} pieces; longer ones are translated in parts",
        ),
    ]
    return _table(("", ""), rows)


def _search(search: Mapping[str, Any]) -> str:
    beam = f"beam {search.get('beam', 1)}"
    if "length_reward" not in search:
        return beam
    reward, ratio = search["length_reward"], search["length_ratio"]
    return f"{beam}, up to {reward:g} for length, full at {ratio:g} times the source's characters"


def _head(sizes: Mapping[str, int]) -> str:
    size = sizes.get("alignment", 0)
    return f", an alignment head of {size}" if size else ""


def parameters(sizes: Mapping[str, int]) -> int:
    """Number of parameters of a student (`network.Student`)."""
    head = sizes.get("alignment", 0)
    d, inner = sizes["dimension"], sizes["feed_forward"]
    attention = 4 * (d * d + d) + 2 * d
    feed_forward = 2 * d * inner + inner + d + 2 * d
    recurrence = 2 * d * d + d + 2 * d
    return (
        sizes["vocabulary_size"] * (d + 1)
        + sizes["encoder_layers"] * (attention + feed_forward)
        + sizes["decoder_layers"] * (recurrence + attention + feed_forward)
        + 2 * (d * head + head)
    )


def _scores(scores: Mapping[str, Mapping[str, Any]]) -> str:
    if not scores:
        return "Not measured."
    names = ("bleu", "chrf", "aer", "sentences")
    rows = [
        (data, *(str(values.get(name, "")) for name in names)) for data, values in scores.items()
    ]
    first = next(iter(scores.values()))
    signature = first.get("bleu_signature")
    note = f"\n\nThrough the product's own pipeline. sacrebleu: `{signature}`." if signature else ""
    return _table(("data", "BLEU", "chrF", "AER", "sentences"), rows) + note


def _reliability(reliability: Mapping[str, Any] | None) -> list[str]:
    if not reliability:
        return []
    return [
        f"Sentences with a score below {reliability['good_from']} are marked as doubtful:"
        f" {100 * reliability['marked']:.0f} % of {', '.join(reliability['data'])}. Of the others"
        f" {100 * reliability['share']:.0f} % have a chrF above 40."
    ]


def _training(training: Mapping[str, Any]) -> str:
    if not training:
        return "Not recorded."
    rows = [(name.replace("_", " "), _figure(value)) for name, value in training.items()]
    return _table(("", ""), rows)


def _figure(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    if isinstance(value, list):
        return "; ".join(map(_figure, value))
    return str(value)


def _made(source: Mapping[str, Any]) -> str:
    for key, side in (("synthetic", "source"), ("distilled", "target")):
        if source.get(key):
            return f" (its {side} made by a model)"
    author = source.get("author")
    return f" (both sides written by {author})" if author else ""


def _sources(sources: Sequence[Mapping[str, Any]]) -> str:
    if not sources:
        return "Not recorded."
    total = sum(source["pairs"] for source in sources)
    rows = [
        (
            source["name"] + _made(source),
            str(source.get("licence") or "not recorded"),
            str(source.get("licence_class") or ""),
            f"{source['pairs']:,}",
            f"{source['weight']:g}",
        )
        for source in sorted(sources, key=lambda source: -source["pairs"] * source["weight"])
    ]
    heading = f"{total:,} sentence pairs. Weight: copies of each pair in an epoch, on average.\n\n"
    return heading + _table(("source", "licence", "class", "pairs", "weight"), rows)


def _commands(commands: Sequence[str], training: Mapping[str, Any]) -> str:
    if not commands:
        return "See `docs/models.md`."
    block = "```sh\n" + "\n".join(commands) + "\n```"
    return block if training.get("settings") else f"{UNRECORDED}\n\n{block}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines
    )
