"""Bundles are signed and verified, as people type it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dragoman.cli.app import app
from dragoman.errors import BundleCorruptError, BundleMissingFileError, SignatureError
from dragoman.signing.bundles import read_trusted_keys, sign_bundle, signed_by
from dragoman.signing.keys import read_secret_key
from dragoman.signing.signatures import Verdict, read_signature
from tests.support.minisign import HIDDEN, HIDDEN_PUBLIC, PASSWORD, PUBLIC, SECRET
from tests.support.paths import MODELS

NAME = "ADF55EC4A689283C"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MODELS / "de-en", tmp_path / "de-en"))


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A folder with a.pub, a.key, b.pub, b.key; b has a password."""
    a, b = {"a.pub": PUBLIC, "a.key": SECRET}, {"b.pub": HIDDEN_PUBLIC, "b.key": HIDDEN}
    for name, content in {**a, **b}.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def dragoman(*words: str | Path, stdin: str = "", **environment: str) -> Result:
    return CliRunner().invoke(app, list(map(str, words)), input=stdin, env=environment)


def test_a_signed_bundle(bundle: Path, keys: Path) -> None:
    done = dragoman("model", "sign", bundle, "--key", keys / "a.key")
    assert (done.exit_code, done.stdout) == (0, f"{bundle}/manifest.json.minisig\n")
    signature = read_signature((bundle / "manifest.json.minisig").read_bytes())
    version = json.loads((bundle / "manifest.json").read_bytes())["version"]
    assert signature.comment == f"de-en-tiny {version}, de-en"
    ran = dragoman("models", "verify", bundle, "--trusted-key", keys / "a.pub")
    assert (ran.exit_code, ran.output) == (0, f"{bundle}: signed by {NAME}\n")


def test_a_key_with_a_password_is_asked_for_it(bundle: Path, keys: Path) -> None:
    done = dragoman("model", "sign", bundle, "--key", keys / "b.key", stdin=f"{PASSWORD}\n")
    assert done.exit_code == 0
    both = ("--trusted-key", keys / "a.pub", "--trusted-key", keys / "b.pub")
    ran = dragoman("models", "verify", bundle, *both)
    assert (ran.exit_code, ran.output) == (0, f"{bundle}: signed by 2B5966DC78A878DD\n")


def test_a_wrong_password(bundle: Path, keys: Path) -> None:
    done = dragoman("model", "sign", bundle, "--key", keys / "b.key", stdin="no\n")
    assert (done.exit_code, done.stderr) == (1, "dragoman: the password is not that of the key\n")
    assert not (bundle / "manifest.json.minisig").exists()


def test_unsigned_is_said_and_refused_where_a_key_was_named(bundle: Path, keys: Path) -> None:
    ran = dragoman("models", "verify", bundle)
    assert (ran.exit_code, ran.output) == (0, f"{bundle}: unsigned\n")
    ran = dragoman("models", "verify", bundle, DRAGOMAN_TRUSTED_KEYS=str(keys / "a.pub"))
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == (
        f"dragoman: {bundle}: unsigned\ndragoman: 1 of 1 bundles are not to be trusted\n"
    )


def test_a_key_that_is_not_trusted(bundle: Path, keys: Path) -> None:
    sign_bundle(bundle, read_secret_key(SECRET))
    told = f"{bundle}: signed by {NAME}, which is no trusted key: not checked\n"
    assert dragoman("models", "verify", bundle).output == told
    ran = dragoman("models", "verify", bundle, "--trusted-key", keys / "b.pub")
    assert (ran.exit_code, ran.stderr.startswith(f"dragoman: {told}")) == (1, True)


def test_a_manifest_that_was_changed_afterwards(bundle: Path, keys: Path) -> None:
    sign_bundle(bundle, read_secret_key(SECRET))
    manifest = bundle / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"beam": 4', '"beam": 5'))
    ran = dragoman("models", "verify", bundle, "--trusted-key", keys / "a.pub")
    assert ran.exit_code == 1
    assert f"{bundle}: the signature in the name of {NAME} does not fit\n" in ran.stderr


def test_a_file_that_was_changed_afterwards(bundle: Path, keys: Path) -> None:
    sign_bundle(bundle, read_secret_key(SECRET))
    content = bytearray((bundle / "vocabulary.spm").read_bytes())
    content[1000] ^= 1
    (bundle / "vocabulary.spm").write_bytes(content)
    ran = dragoman("models", "verify", bundle, "--trusted-key", keys / "a.pub")
    assert ran.exit_code == 1
    assert "vocabulary.spm" in ran.stderr
    with pytest.raises(BundleCorruptError):  # nor is it signed anew
        sign_bundle(bundle, read_secret_key(SECRET))


def test_what_cannot_be_read(bundle: Path, keys: Path) -> None:
    with pytest.raises(BundleMissingFileError):
        signed_by(keys, ())
    with pytest.raises(SignatureError, match=r"a\.key: the file is not a public key of minisign"):
        read_trusted_keys([keys / "a.key"])
    (bundle / "manifest.json.minisig").write_bytes(b"nothing")
    ran = dragoman("models", "verify", bundle)
    assert (ran.exit_code, "is not a signature of minisign" in ran.stderr) == (1, True)


def test_verdicts_are_of_the_manifest_alone(bundle: Path) -> None:
    assert signed_by(bundle, ()).verdict is Verdict.UNSIGNED
