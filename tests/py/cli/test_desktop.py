import sys

import pytest
from typer.testing import CliRunner

from dragoman.cli.app import app
from dragoman.cli.desktop import has_display

NAMES = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize("name", NAMES)
def test_a_display_is_known_by_its_name(bare: pytest.MonkeyPatch, name: str) -> None:
    assert not has_display("linux")
    bare.setenv(name, "x")
    assert has_display("linux")


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_elsewhere_there_is_always_one(platform: str) -> None:
    assert has_display(platform)


def test_what_is_missing_is_named_with_how_to_install_it(bare: pytest.MonkeyPatch) -> None:
    bare.setitem(sys.modules, "PySide6", None)
    bare.setitem(sys.modules, "PySide6.QtCore", None)
    bare.delitem(sys.modules, "dragoman.app.run", raising=False)
    result = CliRunner().invoke(app, ["app"])
    assert result.exit_code == 1
    assert "pip install 'dragoman[app]'" in result.output
