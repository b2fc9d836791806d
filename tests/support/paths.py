"""Where tests find what they read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
MODELS = ROOT / "models"  # the bundles that ship
SHARED = ROOT.parent / "shared" / "data"  # beside the checkout, on some machines
