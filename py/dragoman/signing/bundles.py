"""Who signed a bundle: `manifest.json.minisig` beside the manifest, which names all other files.

`minisign -Vm manifest.json -p KEY.pub` checks the same signature; the SHA-256 of the manifest then
vouch for the files. The trusted comment says which model it is; so does the manifest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.engines.bundle import MANIFEST
from dragoman.errors import BundleMissingFileError, SignatureError
from dragoman.native.bundles import checked_file, read_manifest
from dragoman.signing.keys import PublicKey, SecretKey, read_public_key
from dragoman.signing.lines import LONGEST_FILE
from dragoman.signing.signatures import Verdict, judge, read_signature, sign

SIGNATURE = f"{MANIFEST}.minisig"


@dataclass(frozen=True, slots=True)
class SignedBy:
    """What a bundle's signature is worth.

    Attributes:
        key: name of the key that it names, "ADF55EC4A689283C"; "" where there is none.
    """

    verdict: Verdict
    key: str = ""

    def __str__(self) -> str:
        return {
            Verdict.SIGNED: f"signed by {self.key}",
            Verdict.UNKNOWN: f"signed by {self.key}, which is no trusted key: not checked",
            Verdict.WRONG: f"the signature in the name of {self.key} does not fit",
            Verdict.UNSIGNED: "unsigned",
        }[self.verdict]


def check_bundle(folder: Path) -> None:
    """Read every file of a bundle, and compare it with the manifest.

    Raises:
        BundleError: it cannot be read, or differs.
    """
    manifest = read_manifest(folder)
    for role in manifest.files:
        checked_file(folder, manifest, role)


def sign_bundle(folder: Path, key: SecretKey) -> Path:
    """Write the signature of a bundle, whose files are checked first.

    Raises:
        BundleError: the bundle is not whole.
    """
    check_bundle(folder)
    manifest = read_manifest(folder)
    named = f"{manifest.name} {manifest.version}, {manifest.source}-{manifest.target}"
    comment = " ".join(named.split())
    written = folder / SIGNATURE
    written.write_bytes(sign((folder / MANIFEST).read_bytes(), key, comment))
    return written


def signed_by(folder: Path, trusted: Sequence[PublicKey]) -> SignedBy:
    """Who signed a bundle's manifest; its other files are `check_bundle`'s.

    Raises:
        BundleMissingFileError: there is no manifest.
        SignatureError: the signature cannot be read.
    """
    if not (folder / MANIFEST).is_file():
        raise BundleMissingFileError(f"{folder / MANIFEST} is missing", path=str(folder))
    path = folder / SIGNATURE
    if not path.is_file():
        return SignedBy(Verdict.UNSIGNED)
    signature = read_signature(_small(path))
    manifest = (folder / MANIFEST).read_bytes()
    return SignedBy(judge(manifest, signature, trusted), signature.key_name)


def read_trusted_keys(paths: Iterable[Path]) -> tuple[PublicKey, ...]:
    """Public keys of files.

    Raises:
        SignatureError: a file is none; it is named.
        OSError: it cannot be read.
    """
    return tuple(_public_key(path) for path in paths)


def _public_key(path: Path) -> PublicKey:
    try:
        return read_public_key(_small(path))
    except SignatureError as error:
        raise SignatureError(f"{path}: {error.message}", path=str(path)) from error


def _small(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(LONGEST_FILE + 1)
