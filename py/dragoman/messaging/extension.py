"""The extension that may call, by its id in each kind of browser.

`extension/manifest.mjs` has them too; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dragoman.errors import InvalidRequestError

# The name by which the extension asks for the host; `nativeHost` of the contract.
HOST = "dragoman.host"
# Of the manifest's `key`: the first 16 bytes of its SHA-256, half a byte a letter from "a" to "p".
CHROMIUM_ID = "pipjjgdijoakcoebilamoliplidmlkcl"
FIREFOX_ID = "{7a59718a-d663-4453-b6b7-15b0f9cafe94}"
_SCHEME = "chrome-extension://"


def origin_of(extension: str) -> str:
    """How Chromium names an extension."""
    return f"{_SCHEME}{extension}/"


def check_caller(arguments: Sequence[str], others: Iterable[str] = ()) -> None:
    """See that the browser started the host for an extension that may use it.

    Args:
        arguments: what the browser gives: Chromium the origin, Firefox the manifest and the id.
        others: ids that the user has named besides ours.

    Raises:
        InvalidRequestError: it is another extension, or none: the host was started by hand.
    """
    allowed = {CHROMIUM_ID, FIREFOX_ID, *others}
    named = {argument.removeprefix(_SCHEME).removesuffix("/") for argument in arguments[:2]}
    if not named & allowed:
        caller = " ".join(arguments[:2]) or "nobody"
        raise InvalidRequestError(f"the host is for Dragoman's extension, not for {caller:.200}")
