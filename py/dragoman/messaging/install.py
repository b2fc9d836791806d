"""Tells browsers where the host is: a manifest in a folder of each, and a launcher that all name.

    ~/.config/chromium/NativeMessagingHosts/dragoman.host.json ----.
    ~/.mozilla/native-messaging-hosts/dragoman.host.json ----------+--> launcher --> dragoman host
                                                                        in the user's data folder

All of it is the user's own. What bears our name and names another launcher was written by somebody
else: it is neither replaced nor removed.

https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging
https://developer.mozilla.org/docs/Mozilla/Add-ons/WebExtensions/Native_manifests
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path

from dragoman.errors import InvalidRequestError
from dragoman.messaging.extension import CHROMIUM_ID, FIREFOX_ID, HOST, origin_of

_NOTE = "# Written by `dragoman install-host`, which removes it with --remove.\n"


class Browser(StrEnum):
    CHROME = "chrome"
    CHROMIUM = "chromium"
    EDGE = "edge"
    FIREFOX = "firefox"


# Of Linux and of macOS, in the user's folder of settings.
_CHROMIUM_FOLDERS = {
    Browser.CHROME: {"linux": "google-chrome", "darwin": "Google/Chrome"},
    Browser.CHROMIUM: {"linux": "chromium", "darwin": "Chromium"},
    Browser.EDGE: {"linux": "microsoft-edge", "darwin": "Microsoft Edge"},
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a browser looks for manifests.

    Attributes:
        home: its own folder, which is there when the user has started it once.
        folder: of manifests, in it; it may not exist yet.
    """

    browser: Browser
    home: Path
    folder: Path

    @property
    def manifest(self) -> Path:
        return self.folder / f"{HOST}.json"


@dataclass(frozen=True, slots=True)
class HostOptions:
    """What the launcher passes on.

    Attributes:
        extensions: ids that may call besides those of our own extension.
        models: folders to look for models in; none: where the command looks.
    """

    extensions: tuple[str, ...] = ()
    models: tuple[Path, ...] = ()


def place_of(browser: Browser) -> Place:
    """Where a browser of this user looks.

    Raises:
        InvalidRequestError: this system is neither Linux nor macOS.
    """
    if sys.platform not in ("linux", "darwin"):
        raise InvalidRequestError(
            f"install-host knows Linux and macOS, not {sys.platform}: there browsers find hosts by "
            "the registry, which it does not write"
        )
    if browser is not Browser.FIREFOX:
        home = user_config_path() / _CHROMIUM_FOLDERS[browser][sys.platform]
        return Place(browser, home, home / "NativeMessagingHosts")
    if sys.platform == "darwin":
        home = user_config_path() / "Mozilla"
        return Place(browser, home, home / "NativeMessagingHosts")
    home = Path.home() / ".mozilla"
    return Place(browser, home, home / "native-messaging-hosts")


def present_browsers() -> tuple[Browser, ...]:
    """Those that the user has started once.

    Raises:
        InvalidRequestError: as `place_of`.
    """
    return tuple(browser for browser in Browser if place_of(browser).home.is_dir())


def launcher_path() -> Path:
    """What every manifest names."""
    return user_data_path("dragoman", appauthor=False) / "host" / "dragoman-host"


def launcher_text(options: HostOptions) -> str:
    """A script for the shell that starts this installation's `dragoman host`."""
    words = [sys.executable, "-P", "-m", "dragoman", "host"]  # -P: nothing of where the browser is
    for extension in options.extensions:
        words += ["--extension-id", extension]
    for folder in options.models:
        words += ["--models", str(folder.resolve())]
    return f'#!/bin/sh\n{_NOTE}exec {shlex.join(words)} -- "$@"\n'


def manifest_of(browser: Browser, extensions: Iterable[str] = ()) -> dict[str, Any]:
    """What a browser is told: where the launcher is, and which extensions may have it started."""
    shared = {
        "name": HOST,
        "description": "Dragoman: translation on this computer",
        "path": str(launcher_path()),
        "type": "stdio",
    }
    # An id of Firefox has an @ or braces, one of Chromium is letters.
    others = [name for name in extensions if name.isalpha() is (browser is not Browser.FIREFOX)]
    if browser is Browser.FIREFOX:
        return shared | {"allowed_extensions": [FIREFOX_ID, *others]}
    return shared | {"allowed_origins": [origin_of(name) for name in (CHROMIUM_ID, *others)]}


def install(
    browsers: Sequence[Browser], options: HostOptions, tell: Callable[[Path], object]
) -> None:
    """Write the launcher and a manifest for each browser; those of before are written anew.

    Args:
        tell: hears of each file that was written.

    Raises:
        InvalidRequestError: a manifest of that name is somebody else's; nothing was written.
        OSError: a file cannot be written.
    """
    places = [place_of(browser) for browser in browsers]
    for place in places:
        if place.manifest.exists() and not _is_ours(place.manifest):
            raise InvalidRequestError(
                f"{place.manifest} was not written by dragoman install-host: it is left as it is",
                path=str(place.manifest),
            )
    launcher = launcher_path()
    _write(launcher, launcher_text(options), 0o700)
    tell(launcher)
    for place in places:
        _write(place.manifest, manifest_text(place.browser, options), 0o600)
        tell(place.manifest)


def manifest_text(browser: Browser, options: HostOptions) -> str:
    """The file for a browser."""
    return json.dumps(manifest_of(browser, options.extensions), indent=2) + "\n"


def remove(browsers: Sequence[Browser], tell: Callable[[Path], object]) -> None:
    """Remove what `install` wrote for some browsers; the launcher too, once no browser names it.

    Args:
        tell: hears of each file that was removed.

    Raises:
        InvalidRequestError: as `place_of`.
        OSError: a file cannot be removed.
    """
    for browser in browsers:
        manifest = place_of(browser).manifest
        if manifest.exists() and _is_ours(manifest):
            manifest.unlink()
            tell(manifest)
    launcher = launcher_path()
    is_named = any(_is_ours(place_of(browser).manifest) for browser in Browser)
    if launcher.exists() and not is_named:
        launcher.unlink()
        launcher.parent.rmdir()
        tell(launcher)


def _is_ours(manifest: Path) -> bool:
    """Whether it is a manifest that names our launcher."""
    try:
        data = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and data.get("path") == str(launcher_path())


def _write(path: Path, text: str, mode: int) -> None:
    """Whole or not at all: a browser may look at any time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.chmod(mode)
    part.replace(path)
