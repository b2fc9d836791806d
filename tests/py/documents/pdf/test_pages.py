"""Lines of a PDF, and files that are damaged, encrypted, or made to take for ever."""

from __future__ import annotations

import io
from itertools import count

import pypdf
import pytest

from dragoman.config import DocumentLimits
from dragoman.documents.pdf.line import Line
from dragoman.documents.pdf.pages import read_lines
from dragoman.errors import DocumentError, DocumentTooLargeError
from tests.support.pdf import lines_pdf, pages_pdf, pdf_of, show, stream

LIMITS = DocumentLimits()
CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"


def test_lines_have_their_places_in_points() -> None:
    scaled = b"q 2 0 0 2 10 20 cm " + show("Groß", 50, 100, 12) + b"Q "
    first = scaled + show("• Über", 50, 60) + show("uns", 90, 60)
    assert read_lines(pages_pdf([first, show("Ende", 5, 6)]), LIMITS) == [
        Line("Groß", 0, 110.0, 220.0, 24.0),
        Line("• Über uns", 0, 50.0, 60.0, 10.0),
        Line("Ende", 1, 5.0, 6.0, 10.0),
    ]


def test_the_size_is_that_of_most_letters() -> None:
    drawn = show("*", 40, 63, 6) + show("Eine Fußnote", 50, 60)
    assert [(line.x, line.y, line.size) for line in read_lines(pages_pdf([drawn]), LIMITS)] == [
        (40.0, 60.0, 10.0)
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"%PDF-1.7",
        b"kein PDF",
        lines_pdf(["Guten Morgen!"])[:300],
        pdf_of({1: b"<< /Type /Catalog >>"}),
        pdf_of({1: CATALOGUE, 2: b"<< /Type /Pages /Count 1 /Kids [2 0 R] >>"}),
        pdf_of({1: CATALOGUE, 2: b"<< /Type /Pages /Kids [3 0 R] >>", 3: b"<< /Kids [2 0 R] >>"}),
        pdf_of({1: b"<< /Pages 2 0 R /X " + b"[" * 100_000 + b" >>", 2: b"<< /Kids [] >>"}),
        pages_pdf([b"[" * 100_000]),
    ],
    ids=["empty", "head", "text", "cut", "no-pages", "loop", "loops", "deep", "deep-drawing"],
)
def test_what_is_damaged(content: bytes) -> None:
    with pytest.raises(DocumentError, match="it is damaged, or no PDF") as caught:
        read_lines(content, LIMITS)
    assert caught.value.reason == "damaged"


def test_what_is_encrypted() -> None:
    writer = pypdf.PdfWriter(io.BytesIO(lines_pdf(["Geheim"])))
    writer.encrypt("kennwort", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    with pytest.raises(DocumentError, match="save it without a password") as caught:
        read_lines(out.getvalue(), LIMITS)
    assert caught.value.reason == "encrypted"


def test_too_many_pages() -> None:
    kids = b"3 0 R " * 5_001
    pages = b"<< /Type /Pages /Count 1 /Kids [%b] >>" % kids
    content = pdf_of({1: CATALOGUE, 2: pages, 3: b"<< /Type /Page /Parent 2 0 R >>"})
    with pytest.raises(DocumentTooLargeError, match="too many pages: 5,001 requested, 5,000"):
        read_lines(content, LIMITS)


@pytest.mark.parametrize(
    "drawing",
    [b" " * 2_000_001, b"0 0 m " * 1_000_000],
    ids=["unpacked", "operands"],
)
def test_what_draws_too_much_names_the_limits(drawing: bytes) -> None:
    limits = DocumentLimits(stream_bytes=2_000_000 if drawing.isspace() else 10_000_000)
    with pytest.raises(DocumentError, match=r"bytes unpacked and 1,000,000 operands") as caught:
        read_lines(pages_pdf([drawing]), limits)
    assert caught.value.reason == "limit"
    assert f"{limits.stream_bytes:,} bytes" in caught.value.message


def with_form(drawing: bytes, form: bytes) -> bytes:
    """A page that draws a form, /X, which may draw itself."""
    resources = b"/Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >>"
    return pdf_of(
        {
            1: CATALOGUE,
            2: b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
            3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            4: b"<< /Type /Page /Parent 2 0 R /Contents 5 0 R %b >>" % resources,
            5: stream(drawing),
            6: stream(form, b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] " + resources),
        }
    )


def test_a_form_that_draws_itself_is_drawn_once() -> None:
    content = with_form(b"/X Do", show("Ja", 10, 10) + b"/X Do")
    assert [line.text for line in read_lines(content, LIMITS)] == ["Ja"]


def test_much_text_of_a_small_file() -> None:
    limits = DocumentLimits(part_bytes=100_000)
    content = with_form(b"/X Do " * 200, show("a" * 1_000, 10, 10))
    assert len(content) < 2_000
    with pytest.raises(DocumentTooLargeError, match=r"bytes of text: .* 100,000 allowed"):
        read_lines(content, limits)


@pytest.mark.parametrize("drawing", [b"/X Do", b"n " * 200], ids=["form", "page"])
def test_the_time_is_bounded_before_each_thing_that_is_drawn(drawing: bytes) -> None:
    seconds = count()
    with pytest.raises(DocumentTooLargeError) as caught:
        read_lines(with_form(drawing, b"n " * 200), LIMITS, lambda: next(seconds))
    assert caught.value.details == {
        "requested": 121,
        "allowed": 120,
        "counted": "seconds of reading",
    }


def test_nothing_of_what_it_mends_is_told(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    content = (
        lines_pdf(["Geheim"]).replace(b"/Count 1", b"/Count 9").replace(b"xref\n0", b"xref\n1")
    )
    assert [line.text for line in read_lines(content, LIMITS)] == ["Geheim"]
    assert (caplog.text, capfd.readouterr()) == ("", ("", ""))
