"""PDFs for tests, written by hand: what is on their pages, and what no program would write."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

# A page of these, in points.
WIDTH, HEIGHT = 420, 595


def pdf_of(objects: Mapping[int, bytes], trailer: bytes = b"/Root 1 0 R") -> bytes:
    """A file of objects by their numbers, of which 1 is the catalogue."""
    out = bytearray(b"%PDF-1.7\n")
    places = {}
    for number, content in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(out)
    size = max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        used = number in places
        out += b"%010d %05d %c \n" % (places.get(number, 0), 0 if used else 65535, b"fn"[used])
    out += b"trailer\n<< /Size %d %b >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start)
    return bytes(out)


def stream(content: bytes, entries: bytes = b"", packed: bool = True) -> bytes:
    """An object that is a stream."""
    if packed:
        content, entries = zlib.compress(content, 9), entries + b" /Filter /FlateDecode"
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), entries, content)


def show(text: str, x: float, y: float, size: float = 10) -> bytes:
    """What draws a text from a point on, Latin 1 letters only."""
    letters = text.encode("cp1252").replace(b"\\", b"\\\\")
    letters = letters.replace(b"(", b"\\(").replace(b")", b"\\)")
    return b"BT /F1 %g Tf %g %g Td (%b) Tj ET\n" % (size, x, y, letters)


def pages_pdf(pages: Sequence[bytes], trailer: bytes = b"/Root 1 0 R") -> bytes:
    """A file of pages, each what draws it."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    kids = []
    for place, content in enumerate(pages):
        number = 4 + 2 * place
        kids.append(b"%d 0 R" % number)
        objects[number] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (WIDTH, HEIGHT, number + 1)
        )
        objects[number + 1] = stream(content)
    objects[2] = b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(kids), b" ".join(kids))
    return pdf_of(dict(sorted(objects.items())), trailer)


def lines_pdf(*pages: Sequence[str]) -> bytes:
    """A file whose pages have lines of one size."""
    drawn = [
        b"".join(show(line, 50, 500 - 12 * row) for row, line in enumerate(page)) for page in pages
    ]
    return pages_pdf(drawn)
