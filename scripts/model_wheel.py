"""A model of `models/` as a Python package: python -m scripts.model_wheel BUNDLE... --output DIR

    dragoman_model_de_en/__init__.py, manifest.json, model.onnx, vocabulary.spm, MODEL_CARD.md
    entry point dragoman.models: de-en = dragoman_model_de_en

Name and version are the manifest's, the card is the description, the licence is the model's own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dragoman.native.bundles import open_bundle
from dragoman.native.installed import GROUP, package_of
from dragoman.signing.bundles import SIGNATURE
from scripts.data_wheel import DataWheel

ROOT = Path(__file__).resolve().parents[1]
CARD = "MODEL_CARD.md"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("bundles", nargs="+", type=Path, metavar="BUNDLE")
    parser.add_argument("--output", required=True, type=Path, metavar="DIR")
    arguments = parser.parse_args()
    for bundle in arguments.bundles:
        print(wheel_of(bundle).build(arguments.output))
    return 0


def wheel_of(bundle: Path) -> DataWheel:
    """The wheel of a bundle, whose files are checked first.

    Raises:
        BundleError: the bundle cannot be used, or names no licence whose text is in `models/`.
    """
    manifest = open_bundle(bundle).manifest
    pair, licence = f"{manifest.source}-{manifest.target}", str(manifest.data["licence"])
    names = ["manifest.json", CARD, *(file.path for file in manifest.files.values())]
    if (bundle / SIGNATURE).is_file():
        names.append(SIGNATURE)
    return DataWheel(
        name=package_of(pair),
        version=manifest.version,
        description=f"A model of Dragoman: {manifest.source} to {manifest.target}, "
        "on the user's own machine",
        licence=licence,
        needs="dragoman",
        group=GROUP,
        entry=pair,
        docstring=f"A model of Dragoman: {manifest.name} {manifest.version}. Read, not imported.",
        readme=(bundle / CARD).read_text("utf-8"),
        files={name: bundle / name for name in names},
        licences={"LICENSE": ROOT / "models" / "LICENSES" / f"{licence}.txt"},
    )


if __name__ == "__main__":
    sys.exit(main())
