"""Models on a disk for tests: the real one, and folders that look like one."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support.helpers import manifest_data
from tests.support.hosts import TINY_SIZE, TINY_VOCABULARY, MakeBundle
from tests.support.paths import MODELS

# What decides whether a change may land tries the same cases each time (`make test`); the long runs
# look for new ones.
settings.register_profile("same", derandomize=True, deadline=None)  # speed is no test


@pytest.fixture(scope="session")
def real_bundle() -> Path:
    """The embedded German to English bundle."""
    embedded = MODELS / "de-en"
    folder = embedded if embedded.is_dir() else Path(os.environ.get("DRAGOMAN_TEST_BUNDLE", ""))
    if not (folder / "manifest.json").is_file():
        pytest.fail("no models/de-en: set DRAGOMAN_TEST_BUNDLE to the folder of a de-en bundle")
    return folder.resolve()


@pytest.fixture
def make_bundle(tmp_path: Path) -> MakeBundle:
    """Writes a bundle whose files fit their hashes; its graph is no model."""

    def make(
        name: str = "de-en",
        graph: bytes = b"no graph",
        vocabulary: bytes | None = None,
        **changes: Any,
    ) -> Path:
        folder = tmp_path / "bundles" / name
        folder.mkdir(parents=True)
        contents = {"graph": graph, "vocabulary": vocabulary or TINY_VOCABULARY.read_bytes()}
        paths = {"graph": "model.onnx", "vocabulary": "vocabulary.spm"}
        entries = {}
        for role, content in contents.items():
            (folder / paths[role]).write_bytes(content)
            digest = hashlib.sha256(content).hexdigest()
            entries[role] = {"path": paths[role], "bytes": len(content), "sha256": digest}
        architecture = {"vocabulary_size": TINY_SIZE, "dimension": 256}
        data = manifest_data(files=entries, architecture=architecture) | changes
        (folder / "manifest.json").write_text(json.dumps(data))
        return folder

    return make
