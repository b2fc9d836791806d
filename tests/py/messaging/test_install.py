"""What is written where, and that nothing else is touched."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from dragoman.errors import InvalidRequestError
from dragoman.messaging.extension import CHROMIUM_ID, FIREFOX_ID
from dragoman.messaging.install import (
    Browser,
    HostOptions,
    install,
    launcher_path,
    manifest_of,
    place_of,
    present_browsers,
    remove,
)

MANIFESTS = {
    Browser.CHROME: ".config/google-chrome/NativeMessagingHosts/dragoman.host.json",
    Browser.CHROMIUM: ".config/chromium/NativeMessagingHosts/dragoman.host.json",
    Browser.EDGE: ".config/microsoft-edge/NativeMessagingHosts/dragoman.host.json",
    Browser.FIREFOX: ".mozilla/native-messaging-hosts/dragoman.host.json",
}
LAUNCHER = ".local/share/dragoman/host/dragoman-host"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folders are those of Linux")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def files(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


def written(home: Path, *browsers: Browser, options: HostOptions | None = None) -> list[str]:
    told: list[Path] = []
    install(browsers, options or HostOptions(), told.append)
    return [str(path.relative_to(home)) for path in told]


def test_each_browser_is_told_in_its_own_folder(home: Path) -> None:
    told = written(home, *Browser)
    assert told == [LAUNCHER, *MANIFESTS.values()]
    assert files(home) == sorted(told)
    for browser, path in MANIFESTS.items():
        assert json.loads((home / path).read_text()) == manifest_of(browser)
    assert os.access(home / LAUNCHER, os.X_OK)


def test_the_manifest_of_each_kind(home: Path) -> None:
    shared = {
        "name": "dragoman.host",
        "description": "Dragoman: translation on this computer",
        "path": str(home / LAUNCHER),
        "type": "stdio",
    }
    other, mail = "a" * 32, "mine@example.org"
    assert manifest_of(Browser.EDGE, [other, mail]) == shared | {
        "allowed_origins": [f"chrome-extension://{CHROMIUM_ID}/", f"chrome-extension://{other}/"]
    }
    assert manifest_of(Browser.FIREFOX, [other, mail]) == shared | {
        "allowed_extensions": [FIREFOX_ID, mail]
    }


def test_the_launcher_passes_on_what_it_was_given(home: Path) -> None:
    models = home / "my models"
    written(home, Browser.FIREFOX, options=HostOptions(("mine",), (models,)))
    _, note, command = (home / LAUNCHER).read_text().splitlines()
    assert note == "# Written by `dragoman install-host`, which removes it with --remove."
    assert command == (
        f"exec {sys.executable} -P -m dragoman host --extension-id mine "
        f"""--models '{models}' -- "$@\""""
    )


def test_browsers_that_were_started_once_are_found(home: Path) -> None:
    assert present_browsers() == ()
    (home / ".config" / "chromium").mkdir(parents=True)
    (home / ".mozilla").mkdir()
    assert present_browsers() == (Browser.CHROMIUM, Browser.FIREFOX)


def test_a_second_time_it_is_written_anew(home: Path) -> None:
    written(home, Browser.CHROME, options=HostOptions(("mine",)))
    written(home, Browser.CHROME)
    assert json.loads((home / MANIFESTS[Browser.CHROME]).read_text()) == manifest_of(Browser.CHROME)


@pytest.mark.parametrize("theirs", ['{"path": "/opt/other"}', "no JSON", "[]"])
def test_what_somebody_else_wrote_is_left_alone(home: Path, theirs: str) -> None:
    manifest = home / MANIFESTS[Browser.FIREFOX]
    manifest.parent.mkdir(parents=True)
    manifest.write_text(theirs)
    with pytest.raises(InvalidRequestError, match="was not written by dragoman install-host"):
        written(home, Browser.CHROMIUM, Browser.FIREFOX)
    assert files(home) == [MANIFESTS[Browser.FIREFOX]]
    remove(list(Browser), lambda path: pytest.fail(f"{path} was removed"))
    assert manifest.read_text() == theirs


def test_the_launcher_goes_with_the_last_browser(home: Path) -> None:
    written(home, Browser.CHROMIUM, Browser.FIREFOX)
    gone: list[Path] = []
    remove([Browser.CHROMIUM], gone.append)
    assert gone == [home / MANIFESTS[Browser.CHROMIUM]]
    assert files(home) == sorted([LAUNCHER, MANIFESTS[Browser.FIREFOX]])
    remove(list(Browser), gone.append)
    assert files(home) == []
    assert gone[1:] == [home / MANIFESTS[Browser.FIREFOX], launcher_path()]


@pytest.mark.usefixtures("home")
def test_on_macos_the_folders_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert place_of(Browser.EDGE).home.name == "Microsoft Edge"
    assert place_of(Browser.FIREFOX).folder.parts[-2:] == ("Mozilla", "NativeMessagingHosts")


def test_on_another_system_it_says_that_it_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(InvalidRequestError, match="knows Linux and macOS, not win32"):
        place_of(Browser.CHROME)
