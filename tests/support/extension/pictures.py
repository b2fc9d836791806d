"""Pictures of what people see, where DRAGOMAN_PICTURES names a folder for them."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.extension.firefox import FirefoxHost
from tests.support.extension.host import Host

PICTURES = os.environ.get("DRAGOMAN_PICTURES")


def keep(picture: bytes, page: str, host: Host, state: str) -> None:
    folder = Path(PICTURES or ".")
    folder.mkdir(parents=True, exist_ok=True)
    browser = "firefox" if isinstance(host, FirefoxHost) else "chromium"
    (folder / f"{Path(page).stem}-{browser}-{state}.png").write_bytes(picture)
