"""A command without a model."""

from __future__ import annotations

import pytest

from dragoman.cli import app as cli
from dragoman.native.translator import Translator
from tests.support.hosts import capital_parts


@pytest.fixture
def capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command translates into capitals."""
    monkeypatch.setattr(cli, "open_translator", lambda *_: Translator(capital_parts()))
