from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def bundle() -> Path:
    """The bundle whose translations are compared."""
    folder = Path(os.environ.get("DRAGOMAN_TEST_BUNDLE", ROOT / "models" / "de-en")).resolve()
    if not (folder / "manifest.json").is_file():
        pytest.fail(f"no bundle in {folder}: set DRAGOMAN_TEST_BUNDLE")
    return folder
