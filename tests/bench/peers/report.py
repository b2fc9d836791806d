"""build/bench.json as a table and a picture."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.bench.peers import start_stages

COLOURS = ("#1f6f78", "#58b2a5", "#d0873e")
HEADLINES = (
    ("ratio_64_1t", "64 sentences a call, 1 thread: ours to bergamot"),
    ("ratio_64_2t", "64 sentences a call, 2 threads: ours to bergamot"),
    ("ratio_1_1t", "one sentence a call, 1 thread: ours to bergamot"),
    ("ratio_page_1t", "a page of 3,000 words, 1 thread: ours to bergamot"),
    ("published.ratio_64_1t", "published sizes without VNNI, 64 a call, 1 thread"),
    ("published.ratio_64_2t", "the same, 2 threads"),
    ("published.ratio_1_1t", "the same, one sentence a call, 1 thread"),
    ("published_vnni.ratio_64_1t", "published sizes with VNNI, 64 a call, 1 thread"),
    ("published_vnni.ratio_64_2t", "the same, 2 threads"),
    ("published_vnni.ratio_1_1t", "the same, one sentence a call, 1 thread"),
    ("native_wps", "native, 1 thread, 32 a batch: source words a second"),
    ("cold_ms", "navigation to first translation, fresh profile, ms"),
    ("warm_ms", "navigation to first translation, second visit, ms"),
    ("bergamot_cold_ms", "the same for bergamot on an empty page, ms"),
    ("bergamot_warm_ms", "the same, second visit, ms"),
    ("peak_mb", "peak footprint of the page's process with workers, MB"),
    ("bergamot_peak_mb", "the same for bergamot, MB"),
    ("growth_mb", "growth over the second half of the sentences, sentence cache off, MB"),
    ("share_identical", "sentences translated identically"),
    ("share_explained", "differences that NumPy reproduces"),
)


def markdown(results: Mapping[str, Any]) -> str:
    """The figures for a reader."""
    about = results["about"]
    lines = [
        "# Benchmark",
        "",
        f"{about['date']}, {about['processor']}, {about['cores']} cores, {about['browser']}; "
        f"commit {about['commit']}, text: {about['text']}."
        + (" Chromium without VNNI." if about["without_vnni"] else "")
        + (" **A quick run: the figures mean little.**" if about["quick"] else ""),
        "",
        "| what | figure |",
        "|---|---:|",
        *(
            f"| {what} | {results[name]:,} |"
            for name, what in HEADLINES
            if results.get(name) is not None
        ),
    ]
    if "models_mb" in results:
        lines += ["", "| models loaded | the page's process, MB |", "|---|---:|"]
        lines += [f"| {models} | {mb:,} |" for models, mb in results["models_mb"].items()]
    if "translators" in results:
        lines += [
            "",
            "| translators of a page | MB | the last one was made in ms |",
            "|---|---:|---:|",
        ]
        lines += [
            f"| {name} | {f['mb']:,} | {f['last_made_ms']:,} |"
            for name, f in results["translators"].items()
        ]
    if "start_stages" in results:
        lines += ["", *start_stages.table(results["start_stages"])]
    if "throughput" in results:
        lines += ["", *_throughput(results["throughput"])]
    if "agreement" in results:
        causes = results["agreement"]["causes"]
        lines += ["", "| cause of a difference | sentences |", "|---|---:|"]
        lines += [f"| {cause} | {count} |" for cause, count in causes.items()]
    if "kernel" in results:
        lines += [
            "",
            "| kernel, 1 thread, 32 rows | ms a mini-batch | share | GFLOP/s | of the ceiling |",
        ]
        lines += ["|---|---:|---:|---:|---:|"]
        lines += [
            f"| {name} | {f.get('ms_a_mini_batch', '')} | {f.get('share', '')} | {f['gflop_s']} | "
            f"{f['of_ceiling']:.0%} |"
            for name, f in results["kernel"].items()
        ]
    for where, groups in results.get("profile", {}).items():
        for group, shares in groups.items():
            lines += ["", f"| {where}: {group} | share |", "|---|---:|"]
            lines += [f"| {name} | {share:.1%} |" for name, share in shares.items()]
    return "\n".join(lines) + "\n"


def _throughput(settings: Mapping[str, Any]) -> list[str]:
    lines = [
        "| a call | translator | words/s | quartiles | target pieces/s | p50 ms | p95 ms |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for setting, contenders in settings.items():
        for name, f in contenders.items():
            low, high = f["quartiles"]
            lines.append(
                f"| {setting} | {name} | {f['words_per_second']:,} | {low:,.0f} to {high:,.0f} | "
                f"{f['target_pieces_per_second']:,} | {f['p50_ms']:,} | {f['p95_ms']:,} |"
            )
    return lines


def picture(results: Mapping[str, Any], output: Path) -> None:
    """An .svg and a .png beside the JSON: throughput, start-up, memory, and where the time goes."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    panels = [(key, draw) for key, draw in PANELS if key in results]
    figure, axes = pyplot.subplots(
        -(-len(panels) // 2) or 1, 2, figsize=(12, 4 * (-(-len(panels) // 2) or 1)),
        layout="constrained", squeeze=False,
    )  # fmt: skip
    for axis, panel in itertools.zip_longest(axes.flat, panels):
        if panel is None:
            axis.set_axis_off()
        else:
            panel[1](axis, results)
    about = results["about"]
    quick = ", quick run" if about["quick"] else ""
    figure.suptitle(f"{about['processor']}, {about['browser']}, {about['date'][:10]}{quick}")
    for suffix in ("svg", "png"):
        figure.savefig(output.with_suffix(f".{suffix}"), dpi=120)
    pyplot.close(figure)


def _draw_throughput(axis: Any, results: Mapping[str, Any]) -> None:
    settings = results["throughput"]
    axis.set_title("Source words a second (median, quartiles)")
    for place, contenders in enumerate(settings.values()):
        for number, (name, f) in enumerate(contenders.items()):
            value, (low, high) = f["words_per_second"], f["quartiles"]
            errors = [[max(0, value - low)], [max(0, high - value)]]
            axis.bar(
                place + (number - 1) * 0.27, value, 0.25, yerr=errors, color=COLOURS[number],
                label=name if place == 0 else None, capsize=2,
            )  # fmt: skip
        axis.set_xticks(range(len(settings)), list(settings))
    axis.legend(frameon=False)


def _draw_startup(axis: Any, results: Mapping[str, Any]) -> None:
    axis.set_title("Navigation to the first translation, ms")
    bars = [(name, results.get(f"{name}_ms")) for name in
            ("cold", "warm", "bergamot_cold", "bergamot_warm")]  # fmt: skip
    known = [(name.replace("_", " "), value) for name, value in bars if value is not None]
    colours = [COLOURS[2] if "bergamot" in name else COLOURS[0] for name, _ in known]
    axis.barh([name for name, _ in known], [value for _, value in known], color=colours)
    axis.invert_yaxis()


def _draw_memory(axis: Any, results: Mapping[str, Any]) -> None:
    curves = results["memory"]
    axis.set_title("Memory of the page, MB")
    for number, (name, found) in enumerate(curves.items()):
        places = [row["sentences"] for row in found["curve"]]
        values = [row["mb"] for row in found["curve"]]
        axis.plot(places, values, color=COLOURS[number], label=name)
    axis.set_xlabel("sentences")
    axis.set_ylim(bottom=0)
    axis.legend(frameon=False)


def _draw_profile(axis: Any, results: Mapping[str, Any]) -> None:
    profile = results["profile"]
    axis.set_title("Where the time goes")
    rows = [(f"{where.split(',')[0]}: {group}", shares)
            for where, groups in profile.items() for group, shares in groups.items()
            if group != "operators"]  # fmt: skip
    for place, (_, shares) in enumerate(rows):
        left = 0.0
        for name, share in shares.items():
            axis.barh(place, share, left=left, edgecolor="white")
            if share > 0.07:
                axis.text(left + share / 2, place, name, ha="center", va="center", fontsize=7)
            left += share
    axis.set_yticks(range(len(rows)), [name for name, _ in rows])
    axis.set_xlim(0, 1)


# By the key of the results that a panel draws.
PANELS = (
    ("throughput", _draw_throughput),
    ("startup", _draw_startup),
    ("memory", _draw_memory),
    ("profile", _draw_profile),
)
