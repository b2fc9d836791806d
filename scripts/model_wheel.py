#!/usr/bin/env python3
"""A model of `models/` as a Python package: scripts/model_wheel.py BUNDLE... --output DIR

    dragoman_model_de_en/__init__.py, manifest.json, model.onnx, vocabulary.spm, MODEL_CARD.md
    entry point dragoman.models: de-en = dragoman_model_de_en

Name and version are the manifest's, the card is the description, the licence is the model's own.
Equal bundles give equal bytes.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

from dragoman.native.bundles import open_bundle
from dragoman.native.installed import GROUP, package_of
from dragoman.signing.bundles import SIGNATURE

ROOT = Path(__file__).resolve().parents[1]
CARD = "MODEL_CARD.md"

PROJECT = """\
[build-system]
requires = ["hatchling==1.33.0"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"
description = "A model of Dragoman: {source} to {target}, on the user's own machine"
readme = "{card}"
license = "{licence}"
license-files = ["LICENSE"]
requires-python = ">=3.11"
dependencies = ["dragoman"]

[project.entry-points."{group}"]
{pair} = "{module}"

[tool.hatch.build.targets.wheel]
packages = ["{module}"]
core-metadata-version = "2.4"
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("bundles", nargs="+", type=Path, metavar="BUNDLE")
    parser.add_argument("--output", required=True, type=Path, metavar="DIR")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for bundle in arguments.bundles:
        print(build(bundle, arguments.output))
    return 0


def build(bundle: Path, output: Path) -> Path:
    """The wheel of a bundle, whose files are checked first.

    Raises:
        BundleError: the bundle cannot be used, or names no licence whose text is in `models/`.
    """
    manifest = open_bundle(bundle).manifest
    pair = f"{manifest.source}-{manifest.target}"
    name, licence = package_of(pair), str(manifest.data["licence"])
    module = name.replace("-", "_")
    with tempfile.TemporaryDirectory() as folder:
        project, package = Path(folder), Path(folder) / module
        package.mkdir()
        for file in ("manifest.json", CARD, *(f.path for f in manifest.files.values())):
            shutil.copyfile(bundle / file, package / file)
        if (bundle / SIGNATURE).is_file():
            shutil.copyfile(bundle / SIGNATURE, package / SIGNATURE)
        shutil.copyfile(bundle / CARD, project / CARD)
        shutil.copyfile(ROOT / "models" / "LICENSES" / f"{licence}.txt", project / "LICENSE")
        (package / "__init__.py").write_text(
            f'"""A model of Dragoman: {manifest.name} {manifest.version}. Read, not imported."""\n'
        )
        described = {
            "name": name, "version": manifest.version, "source": manifest.source,
            "target": manifest.target, "card": CARD, "licence": licence, "group": GROUP,
            "pair": pair, "module": module,
        }  # fmt: skip
        (project / "pyproject.toml").write_text(PROJECT.format(**described))
        (built,) = WheelBuilder(str(project)).build(directory=str(output), versions=["standard"])
    return Path(built)


if __name__ == "__main__":
    sys.exit(main())
