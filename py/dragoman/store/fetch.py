"""Files over HTTP: resumed, from one source after the other, verified before they get a name.

    sources of a file, in turn
      partial/SHA256-n.part   packed bytes as they came; a killed process leaves them
      partial/SHA256-n.json   which address they are of, and its validator (ETag, Last-Modified)
        --Range, If-Range--> the rest        206: appended    200: from zero, it has changed
      --unpack--> size, SHA-256 --keep--> files/SHA256

What fails for a moment (no connection, a broken one, 408, 425, 429, 5xx) is tried again after a
pause that doubles; what came meanwhile counts. What fails for good (404, wrong bytes) sends to the
next source.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx

from dragoman import __version__
from dragoman.catalogue.models import PublishedFile, Source
from dragoman.errors import (
    FetchCorruptError,
    FetchError,
    FetchNetworkError,
    FetchStatusError,
    NoRoomError,
)
from dragoman.store.store import Store
from dragoman.store.unpack import unpack

TIMEOUT = httpx.Timeout(30.0, connect=15.0)
AGENT = f"dragoman/{__version__}"
ATTEMPTS = 5  # without a byte of progress between them
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds
PASSING = {408, 425, 429}
MOST_REDIRECTS = 5
# A source may hold a file packed worse than the catalogue says; beyond this it is another file.
SLACK = 1_000_000
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")

Listener = Callable[[int], None]
"""Gets the bytes of a file that have come, of its `download`; may fall when a source changes."""


def new_client() -> httpx.Client:
    """A client that follows redirects and the environment's proxies (HTTPS_PROXY, NO_PROXY ...).

    Raises:
        FetchNetworkError: the environment names a proxy or certificates that cannot be used.
    """
    try:
        return httpx.Client(
            timeout=TIMEOUT,
            follow_redirects=True,
            max_redirects=MOST_REDIRECTS,
            # Packed files are fetched as they are: a range is one of those bytes.
            headers={"User-Agent": AGENT, "Accept-Encoding": "identity"},
        )
    except (ImportError, OSError, ValueError, httpx.InvalidURL) as error:
        raise FetchNetworkError(
            "the proxy (HTTPS_PROXY, ALL_PROXY ...) or the certificates (SSL_CERT_FILE ...) that "
            f"the environment names cannot be used: {error}"
        ) from error


class _PassingError(Exception):
    """What may be over in a moment, and the seconds that a server asks to wait."""

    def __init__(self, error: FetchError, pause: float | None = None) -> None:
        super().__init__(error.message)
        self.error, self.pause = error, pause


class Fetcher:
    """Args:
    sleep: waits so many seconds.
    mirror: an address that is asked instead of the publisher: it has ``files/SHA256``, as
        `export` lays a folder out, or the publisher's own paths.

    Raises:
        FetchNetworkError: the mirror is no address.
    """

    def __init__(
        self,
        store: Store,
        client: httpx.Client,
        sleep: Callable[[float], None],
        mirror: str | None = None,
    ) -> None:
        if mirror is not None:
            _check_address(mirror)
        self.store, self.client, self.sleep, self.mirror = store, client, sleep, mirror
        self._resumed = False  # whether the file under way was put together of several requests

    def fetch(self, file: PublishedFile, listener: Listener, anew: bool = False) -> None:
        """Bring a file into the store, unless it is there.

        Args:
            anew: though it is there: it is damaged, and stays until the right one has come.

        Raises:
            FetchNetworkError, FetchStatusError, FetchCorruptError: what the last source failed
                with; the message names them all. What has come is kept for the next try.
            NoRoomError: the disk is full.
        """
        if not anew and self.store.has(file):
            return
        failures: list[FetchError] = []
        for number, source in enumerate(self.sources(file)):
            part = self.store.partial(f"{file.sha256}-{number}.part")
            try:
                self._from(source, file, part, listener)
            except FetchError as error:
                failures.append(error)
            except OSError as error:
                raise _no_room(error, file, self.store) from error
            else:
                self._drop_partials(file)
                return
        raise _together(file, failures)

    def sources(self, file: PublishedFile) -> Sequence[Source]:
        """Where a file is looked for."""
        if self.mirror is None:
            return file.sources
        base = self.mirror.rstrip("/")
        kept = Source(f"{base}/files/{file.sha256}", "none", file.size, file.sha256)
        paths = [(source, httpx.URL(source.url).path) for source in file.sources]
        # The bucket's name is no part of its mirror's paths.
        paths += [(s, "/models/" + p.partition("/models/")[2]) for s, p in paths if "/models/" in p]
        mirrored = [Source(base + p, s.compression, s.size, s.sha256) for s, p in paths]
        return (kept, *mirrored)

    def _drop_partials(self, file: PublishedFile) -> None:
        for path in self.store.partial("x").parent.glob(f"{file.sha256}-*"):
            path.unlink(missing_ok=True)

    def _from(self, source: Source, file: PublishedFile, part: Path, listener: Listener) -> None:
        """The whole file from one source; wrong bytes that were put together are fetched anew."""
        self._resumed = False
        try:
            self._whole(source, file, part, listener)
        except FetchCorruptError:
            _forget(part)
            if not self._resumed:
                raise
            self._whole(source, file, part, listener)

    def _whole(self, source: Source, file: PublishedFile, part: Path, listener: Listener) -> None:
        self._until_it_came(source, file, part, listener)
        unpacked = part.with_suffix(".unpacked")
        try:
            unpack(part, unpacked, file.size, file.name)
            self.store.keep(unpacked, file)
        except FetchCorruptError:
            _forget(part)
            raise

    def _until_it_came(
        self, source: Source, file: PublishedFile, part: Path, listener: Listener
    ) -> None:
        failed, had = 0, _size(part)
        while True:
            try:
                self._request(source, file, part, listener)
            except _PassingError as passing:
                now = _size(part)
                failed, had = (1 if now > had else failed + 1), now
                if failed >= ATTEMPTS:
                    raise passing.error from passing
                pause = min(FIRST_PAUSE * 2 ** (failed - 1), LONGEST_PAUSE)
                self.sleep(pause if passing.pause is None else passing.pause)
            else:
                return

    def _request(self, source: Source, file: PublishedFile, part: Path, listener: Listener) -> None:
        """One request; returns when the part is whole."""
        validator = _validator(part, source.url)
        start = _size(part) if validator else 0
        headers: dict[str, str] = {}
        if start and validator:
            headers = {"Range": f"bytes={start}-", "If-Range": validator}
            self._resumed = True
        try:
            host = httpx.URL(source.url).host
            with self.client.stream("GET", source.url, headers=headers) as response:
                if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and start:
                    if _total(response) == start:
                        return  # it had come to its last byte
                    _forget(part)
                    raise _PassingError(
                        FetchCorruptError(f"{file.name} has changed at {host}"), 0.0
                    )
                _check_status(response, file)
                start = _place(response, part, validator, start)
                _remember(part, source.url, response)
                self._append(response, file, source, part, start, listener)
        except httpx.TooManyRedirects as error:
            raise FetchStatusError(f"{host} redirects {file.name} in circles") from error
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise FetchNetworkError(f"{source.url} is no address: {error}") from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            reason = str(error) or type(error).__name__
            raise _PassingError(
                FetchNetworkError(f"no connection to {host} for {file.name}: {reason}", host=host)
            ) from error

    def _append(
        self,
        response: httpx.Response,
        file: PublishedFile,
        source: Source,
        part: Path,
        start: int,
        listener: Listener,
    ) -> None:
        most = max(file.size, source.size) + SLACK
        expected = start + int(response.headers.get("Content-Length", 0) or source.size)
        came = start
        with part.open("r+b" if part.exists() else "wb") as sink:
            sink.truncate(start)
            sink.seek(start)
            for block in response.iter_raw():  # as they come: gathered ones would be lost
                came += len(block)
                if came > most:
                    raise FetchCorruptError(
                        f"{file.name} is not the published file: more than {most:,} bytes come",
                        expected=most,
                        found=came,
                    )
                sink.write(block)
                sink.flush()  # what is written survives the end of this process
                listener(min(file.download, file.download * came // max(expected, came)))


def _check_address(mirror: str) -> None:
    try:
        url = httpx.URL(mirror)
    except httpx.InvalidURL as error:
        raise FetchNetworkError(f"the source {mirror!r} is no address: {error}") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise FetchNetworkError(
            f"the source {mirror!r} is no address such as https://example.org/models; a folder is "
            "taken in by dragoman models import"
        )


def _check_status(response: httpx.Response, file: PublishedFile) -> None:
    status = response.status_code
    if status in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
        return
    error = FetchStatusError(
        f"{response.url.host} answers {status} for {file.name}",
        status=status,
        host=response.url.host,
    )
    if status >= 500 or status in PASSING:
        raise _PassingError(error, _retry_after(response))
    raise error


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds that a server asks for, as many as anyone waits."""
    value = response.headers.get("Retry-After", "")
    if value.isascii() and value.isdigit():
        return min(float(value[:6]), LONGEST_PAUSE)
    return None


def _place(response: httpx.Response, part: Path, validator: str | None, start: int) -> int:
    """Where the bytes of a response belong: at the end of those that are there, or at zero."""
    if response.status_code != httpx.codes.PARTIAL_CONTENT:
        return 0
    range_given = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
    same = _validator_of(response) in (None, validator)
    if range_given is None or int(range_given[1]) != start or not same:
        _forget(part)
        raise _PassingError(
            FetchCorruptError("the server sent another range than was asked for"), 0.0
        )
    return start


def _total(response: httpx.Response) -> int | None:
    """Of a 416: how long the file is."""
    value = response.headers.get("Content-Range", "").rpartition("/")[2]
    return int(value) if value.isascii() and value.isdigit() else None


# --- what is known of a part ---------------------------------------------------------------------


def _validator_of(response: httpx.Response) -> str | None:
    """What says that a file is still the same: a strong ETag, or when it was last changed."""
    tag = response.headers.get("ETag", "")
    if tag and not tag.startswith("W/"):
        return str(tag)
    modified = response.headers.get("Last-Modified")
    if modified is None:
        return None
    try:
        parsedate_to_datetime(modified)
    except ValueError:
        return None
    return str(modified)


def _remember(part: Path, url: str, response: httpx.Response) -> None:
    """Before the bytes, so that no bytes are there of an unknown file."""
    record = json.dumps({"url": url, "validator": _validator_of(response)})
    path = part.with_suffix(".json")
    if path.exists() and path.read_text(encoding="utf-8") == record:
        return
    if response.status_code == httpx.codes.OK:
        part.unlink(missing_ok=True)
    written = part.with_suffix(".new")
    written.write_text(record, encoding="utf-8")
    written.replace(path)


def _validator(part: Path, url: str) -> str | None:
    """The validator of the bytes that are there; None where they cannot be gone on with."""
    try:
        record = json.loads(part.with_suffix(".json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    if not isinstance(record, dict) or record.get("url") != url:
        return None
    return record.get("validator")


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    part.with_suffix(".json").unlink(missing_ok=True)


def _together(file: PublishedFile, failures: Sequence[FetchError]) -> FetchError:
    """One error of all sources; of the kind of the last one."""
    last = failures[-1]
    reasons = "; ".join(dict.fromkeys(error.message for error in failures))
    return type(last)(f"{file.name} could not be fetched: {reasons}", **last.details)


def _no_room(error: OSError, file: PublishedFile, store: Store) -> Exception:
    import errno
    import shutil

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoRoomError(file.size, shutil.disk_usage(store.root).free, str(store.root))
    return error
