"""Keys of minisign: public ones, which tell who signed, and secret ones, which sign.

    public     "Ed"  number 8  key 32
    secret     "Ed"  KDF 2  "B2"  salt 32  operations 8  memory 8  {number 8  key 64  checksum 32}

KDF is "Sc" where a password hides what is in braces (XOR with scrypt's output), else two zeros. The
checksum is BLAKE2b-256 of "Ed", the number and the key, and zeros where there is no password; the
key is its seed and its public half. Figures are little-endian, lengths in bytes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from dragoman.errors import SignatureError
from dragoman.signing.lines import decoded, key_name, lines_of

ED25519 = b"Ed"
SCRYPT, NO_PASSWORD, BLAKE2B = b"Sc", b"\0\0", b"B2"

NUMBER, PUBLIC, SECRET, SUM = 8, 32, 64, 32  # bytes
PLAIN = NUMBER + SECRET + SUM

# What `minisign -G` takes, and the most that is taken here: 1 GiB for some seconds.
MOST_OPERATIONS, MOST_MEMORY = 1 << 25, 1 << 30
BLOCK = 8  # scrypt's r


@dataclass(frozen=True, slots=True)
class PublicKey:
    """Who may be trusted.

    Attributes:
        number: 8 bytes that a signature names its key by.
        key: of Ed25519, 32 bytes.
    """

    number: bytes
    key: bytes

    @property
    def name(self) -> str:
        """As minisign writes it, "ADF55EC4A689283C"."""
        return key_name(self.number)


@dataclass(frozen=True, slots=True)
class SecretKey:
    """Who signs. It is shown nowhere.

    Attributes:
        seed: of Ed25519, 32 bytes.
    """

    number: bytes
    seed: bytes = field(repr=False)

    @property
    def name(self) -> str:
        return key_name(self.number)


def read_public_key(content: bytes) -> PublicKey:
    """A key file, or the one line of base64 that `minisign -P` takes.

    Raises:
        SignatureError: it is neither.
    """
    what = "a public key"
    text = content.strip()
    line = text.decode("ascii", "replace") if b"\n" not in text else lines_of(content, what)[0]
    data = decoded(line, 2 + NUMBER + PUBLIC, what)
    if data[:2] != ED25519:
        raise SignatureError("the public key is not of Ed25519")
    return PublicKey(data[2 : 2 + NUMBER], data[2 + NUMBER :])


def needs_password(content: bytes) -> bool:
    """Whether a secret key is hidden behind a password.

    Raises:
        SignatureError: see `read_secret_key`.
    """
    return _fields(content)[2:4] == SCRYPT


def read_secret_key(content: bytes, password: str = "") -> SecretKey:
    """A secret key file.

    Args:
        password: of a key that has one.

    Raises:
        SignatureError: it is no such file, wants more than `MOST_MEMORY`, or has another password.
    """
    data = _fields(content)
    kdf, salt = data[2:4], data[6:38]
    plain = data[-PLAIN:]
    if kdf == SCRYPT:
        operations, memory = (int.from_bytes(data[at : at + 8], "little") for at in (38, 46))
        stream = _scrypt(password, salt, operations, memory)
        plain = bytes(a ^ b for a, b in zip(plain, stream, strict=True))
    number, key, check = plain[:NUMBER], plain[NUMBER:-SUM], plain[-SUM:]
    if kdf == SCRYPT and hashlib.blake2b(ED25519 + number + key, digest_size=SUM).digest() != check:
        raise SignatureError("the password is not that of the key")
    seed, public = key[:PUBLIC], key[PUBLIC:]
    if _public_half(seed) != public:
        raise SignatureError("the key is damaged")
    return SecretKey(number, seed)


def _public_half(seed: bytes) -> bytes:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def _fields(content: bytes) -> bytes:
    what = "a secret key"
    data = decoded(lines_of(content, what)[0], 54 + PLAIN, what)
    known = data[:2] == ED25519 and data[2:4] in (SCRYPT, NO_PASSWORD) and data[4:6] == BLAKE2B
    if not known:
        raise SignatureError("the secret key is of a kind that is not known here")
    return data


def _scrypt(password: str, salt: bytes, operations: int, memory: int) -> bytes:
    """libsodium's choice of scrypt's figures (crypto_pwhash_scryptsalsa208sha256)."""
    if operations > MOST_OPERATIONS or memory > MOST_MEMORY:
        raise SignatureError(
            f"the secret key wants {memory:,} bytes and {operations:,} operations; at most "
            f"{MOST_MEMORY:,} and {MOST_OPERATIONS:,} are allowed",
            requested=memory, allowed=MOST_MEMORY,
        )  # fmt: skip
    operations = max(operations, 1 << 15)
    small = operations < memory // 32
    rows = operations // (BLOCK * 4) if small else memory // (BLOCK * 128)
    bits = next((n for n in range(1, 63) if 1 << n > rows // 2), 63)
    parallel = 1 if small else (operations // 4 >> bits) // BLOCK
    try:
        return hashlib.scrypt(
            password.encode(), salt=salt, n=1 << bits, r=BLOCK, p=parallel,
            maxmem=MOST_MEMORY + (1 << 26), dklen=PLAIN,
        )  # fmt: skip
    except (ValueError, MemoryError) as error:
        raise SignatureError("the secret key cannot be opened with so little memory") from error
