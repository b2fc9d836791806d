"""What a server is told."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from pathlib import Path

from dragoman.config import Limits
from dragoman.errors import InvalidRequestError

ANY = "*"
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

# A page of ten million characters as JSON; a text at its limit, each character as an escaped
# surrogate pair (12 bytes), and the other fields, is less.
BODY_BYTES = 16_000_000

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^\s/?#@\[\]:]+|\[[0-9a-f:]+\])(?::\d{1,5})?")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a server.

    Attributes:
        host: address that it listens at; other names than its own and `LOCAL_NAMES` are refused.
        models: folders with bundles; None for the usual ones (`native.bundles.search_path`).
        web: folder of static files, served at /.
        allow_origins: other origins whose pages may use the API, such as "https://example.org";
            "*" for all.
        allow_hosts: other names by which the server may be called.
        threads: processor cores of an engine; 0 leaves the choice to it, or with several
            workers gives each its share.
        shortlist: whether models choose among the pieces of their shortlists; None: see
            `native.bundles.takes_shortlist`.
        workers: processes that translate; 1: the server's own.
        limits: of each model's service.
        body_bytes: longest body of a request.
        batch_texts: most texts of one batch.
        open_requests: requests to translate that may be open at a time, over all connections.
        token: a secret that every request must carry (`middleware.TOKEN_HEADER`); None: anybody of
            this machine may ask.

    Raises:
        ValueError: an origin is not one.
        InvalidRequestError: `web` is not a folder.
    """

    host: str = "127.0.0.1"
    models: tuple[Path, ...] | None = None
    web: Path | None = None
    allow_origins: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    threads: int = 0
    shortlist: bool | None = None
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    body_bytes: int = BODY_BYTES
    batch_texts: int = 1_000
    open_requests: int = 256
    token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for origin in self.allow_origins:
            if origin != ANY and not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is not an origin, such as https://example.org")
        if self.web is not None and not self.web.is_dir():
            raise InvalidRequestError(f"there is no folder {self.web}", path=str(self.web))

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches the server."""
        return self.host == "localhost" or (
            is_address(self.host) and _address(self.host).is_loopback
        )

    def allows_host(self, name: str) -> bool:
        """Whether a request may call the server by this name.

        A page that rebinds its own name to this machine keeps its name; an address cannot be
        rebound, so a server for other machines answers to each of its addresses.
        """
        if name in LOCAL_NAMES or name == self.host.lower() or name in self.allow_hosts:
            return True
        return not self.is_local and is_address(name)

    def allows_origin(self, origin: str) -> bool:
        return ANY in self.allow_origins or origin in self.allow_origins


def is_address(name: str) -> bool:
    """Whether a name is an IP address."""
    try:
        _address(name)
    except ValueError:
        return False
    return True


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(name)
