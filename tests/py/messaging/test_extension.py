"""Who may call, and that the extension's manifest says the same of who it is."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess

import pytest

from dragoman.errors import InvalidRequestError
from dragoman.messaging.extension import CHROMIUM_ID, FIREFOX_ID, HOST, check_caller
from tests.support.paths import ROOT

CHROMIUM = [f"chrome-extension://{CHROMIUM_ID}/"]
FIREFOX = ["/home/anna/.mozilla/native-messaging-hosts/dragoman.host.json", FIREFOX_ID]


@pytest.mark.parametrize("arguments", [CHROMIUM, [*CHROMIUM, "--parent-window=0"], FIREFOX])
def test_our_extension_may_call(arguments: list[str]) -> None:
    check_caller(arguments)


@pytest.mark.parametrize(
    ("arguments", "caller"),
    [
        ([], "nobody"),
        (["chrome-extension://other/"], "chrome-extension://other/"),
        (["/a/manifest.json", "other@example.org"], "/a/manifest.json other@example.org"),
        ([f"https://{CHROMIUM_ID}/"], f"https://{CHROMIUM_ID}/"),
    ],
)
def test_nobody_else_may(arguments: list[str], caller: str) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        check_caller(arguments)
    assert raised.value.message == f"the host is for Dragoman's extension, not for {caller}"


def test_one_more_may_that_the_user_has_named() -> None:
    check_caller(["chrome-extension://mine/"], ["mine"])


def test_the_manifests_have_the_same_ids() -> None:
    script = (
        'import { manifestOf } from "./extension/manifest.mjs";'
        'console.log(JSON.stringify(["chrome", "firefox"].map((b) => manifestOf(b, "1", []))))'
    )
    node = ["node", "--input-type=module", "--eval", script]
    run = subprocess.run(node, cwd=ROOT, capture_output=True, text=True, check=True)
    chrome, firefox = json.loads(run.stdout)
    digest = hashlib.sha256(base64.b64decode(chrome["key"], validate=True)).hexdigest()[:32]
    assert "".join(chr(ord("a") + int(digit, 16)) for digit in digest) == CHROMIUM_ID
    assert firefox["browser_specific_settings"]["gecko"]["id"] == FIREFOX_ID
    for manifest in chrome, firefox:
        assert "nativeMessaging" in manifest["optional_permissions"]
        assert "nativeMessaging" not in manifest["permissions"]


def test_browsers_take_the_name() -> None:
    """Chrome: lower case, digits, underscores and dots, none of them at an end or doubled."""
    assert re.fullmatch(r"\w+(\.\w+)*", HOST)
    assert HOST.islower()
