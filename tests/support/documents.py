"""Documents for tests, made by other programs and libraries than the ones that read them.

Those in `tests/fixtures/documents` were made by pandoc from two short texts, and by LibreOffice
from those of pandoc; units of XLIFF are by hand, and the others are made here. Those in
`tests/fixtures/pdf` were printed by LibreOffice from a docx and by Chromium from a page.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import docx
import polib
import pptx
import srt
import webvtt
from docx.enum.text import WD_BREAK
from docx.shared import RGBColor
from lxml import etree
from odf import draw as odf_draw
from odf import opendocument
from odf import style as odf_style
from odf import table as odf_table
from odf import text as odf_text
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from dragoman.config import Limits
from dragoman.documents.kinds import DocumentKind
from dragoman.documents.passage import Document, Translated
from dragoman.documents.read import DocumentOptions, read_document
from dragoman.engines.fake import EchoEngine
from dragoman.native.bundles import Parts
from dragoman.native.pages import PageReader
from dragoman.pipeline.pipeline import Pipeline
from tests.support.helpers import CharacterTokenizer, manifest
from tests.support.hosts import capital
from tests.support.paths import TESTS

FOLDER = TESTS / "fixtures" / "documents"
PDFS = TESTS / "fixtures" / "pdf"
PARTS = TESTS / "fixtures" / "document_parts"


class Sample(NamedTuple):
    """A document; `name` says what it is."""

    name: str
    content: bytes

    @property
    def kind(self) -> DocumentKind:
        return DocumentKind({"xlf": "xliff", "odp": "odt"}.get(self.ending, self.ending))

    @property
    def ending(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def options(self) -> DocumentOptions:
        return DocumentOptions(self.kind, "de", columns=("all",))


def read(kind: str, text: str, **options: Any) -> Document:
    """A German document in UTF-8."""
    return read_document(text.encode(), DocumentOptions(DocumentKind(kind), "de", **options))


def written(kind: str, text: str, *translations: str | Translated, **options: Any) -> str:
    """It in English, with a translation for each of its passages."""
    made = [Translated(t) if isinstance(t, str) else t for t in translations]
    return read(kind, text, **options).write(made, "en").decode()


def samples() -> list[Sample]:
    made = [Sample(path.name, path.read_bytes()) for path in sorted(FOLDER.iterdir())]
    return made + [Sample(name, make()) for name, make in _MADE.items()]


def pdf_samples() -> list[Sample]:
    """What is not written back as what it was."""
    return [Sample(path.name, path.read_bytes()) for path in sorted(PDFS.glob("*.pdf"))]


def echo_parts() -> Parts:
    """A model that gives every sentence back as it is."""
    return Parts(_pipeline(), EchoEngine())


def capital_parts() -> Parts:
    """A model that gives every sentence back in capitals."""
    return Parts(_pipeline(), EchoEngine(capital))


def _pipeline() -> Pipeline:
    tokenizer = CharacterTokenizer()
    return Pipeline(manifest(tokenizer.size, 2_000), tokenizer, Limits(), PageReader(Limits()))


def capitals(text: str) -> str:
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)


# --- texts ---------------------------------------------------------------------------------------

_MARKDOWN = {
    "readme": (
        "+++\ntitle = 'Nicht dies'\n+++\nTitel\n=====\n\n"
        "Ein Satz mit <kbd>Strg</kbd> und <b>Fettem</b>.\n"
        "Zweite Zeile, mit [Verweis][eins] und [zwei].\n\n* eins\n* zwei  \n  mit Umbruch\n\n"
        "    eingerückter Code\n\n---\n\n~~weg~~ und ***beides***, ![Bild](b.png) im Text.\n\n"
        "[eins]: https://example.org/1\n[zwei]: https://example.org/2 'Zwei'\n"
    ),
    "dialects": (
        "> [!NOTE]\n> Ein Hinweis über\n> zwei Zeilen.\n\n- [ ] offen\n- [x] fertig\n\n"
        "::: warning\nVorsicht hier.\n:::\n\nEin {{ name }} und :smile: hier.\n\n"
        "| a | b |\n|---|---|\n| eins \\| zwei | `x` |\n"
    ),
    "crlf": "# Titel\r\n\r\nErste Zeile\r\nzweite Zeile.\r\n\r\n- Punkt\r\n",
    "empty": "",
}
_HTML = {
    "page": (
        "<!DOCTYPE html>\n<html lang=de><head><title>Titel</title></head><body><p class=x>Ein "
        "<b>fettes</b> Wort.<!-- bleibt --></p><script>let a = 'nein';</script></body></html>\n"
    ),
}
_JSON: dict[str, Any] = {
    "app": {
        "title": "Guten Morgen",
        "id": "abc-def",
        "list": ["Willkommen, {name}!", "%d Dateien gewählt", 3, None, "https://example.org/x"],
        "html": 'Bitte <a href="/x">hier</a> klicken.<br>Danke.',
        "plural": "{n, plural, one {# Datei} other {# Dateien}}",
        "@title": {"description": "Nur für Übersetzer"},
    },
    "deep": [[[{"text": "Ganz tief unten."}]]],
    "string": "Nur ein Satz.",
}


def _letter() -> bytes:
    document = docx.Document()
    document.core_properties.title = "Brief"
    document.add_heading("Ein Brief", 1)
    paragraph = document.add_paragraph("Liebe Anna, ")
    paragraph.add_run("heute").bold = True
    paragraph.add_run(" war es ")
    run = paragraph.add_run("sehr warm")
    run.italic, run.font.color.rgb = True, RGBColor(200, 0, 0)
    paragraph.add_run(".")
    paragraph.add_run().add_break(WD_BREAK.LINE)
    paragraph.add_run("Eine neue Zeile.\tNach dem Tabulator.")
    document.add_comment(paragraph.runs[1:2], text="Stimmt das so?", author="Bert", initials="B")
    section = document.sections[0]
    section.header.paragraphs[0].text = "Kopfzeile mit Text"
    section.footer.paragraphs[0].text = "Fußzeile mit Text"
    return _saved(document.save)


def _tables() -> bytes:
    document = docx.Document()
    table = document.add_table(rows=2, cols=2, style="Table Grid")
    table.cell(0, 0).text = "Erste Zelle"
    cell = table.cell(1, 1)
    cell.text = "Äußere Zelle"
    inner = cell.add_table(rows=1, cols=1)
    inner.cell(0, 0).paragraphs[0].add_run("Innere Zelle").underline = True
    document.add_paragraph("Punkt eins", style="List Bullet")
    document.add_paragraph("Punkt zwei", style="List Number")
    document.add_page_break()
    document.add_paragraph("Auf der zweiten Seite.")
    return _saved(document.save)


def _fields() -> bytes:
    document = docx.Document()
    body = document.element.body
    body.insert(0, etree.fromstring((PARTS / "fields.xml").read_text()))
    return _saved(document.save)


def _strict() -> bytes:
    """A docx whose prefix is not "w", and whose part says nothing of an encoding."""
    saved = _tables()
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved)) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename == "word/document.xml":
                text = content.decode().replace("<w:", "<v1:").replace("</w:", "</v1:")
                text = re.sub(r"\bw:", "v1:", text).replace("xmlns:w=", "xmlns:v1=")
                content = text.partition("?>")[2].strip().encode("utf-16")
            new.writestr(info, content)
    return out.getvalue()


def _slides() -> bytes:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = "Ein Titel"
    frame = slide.placeholders[1].text_frame
    frame.text = "Erster Punkt"
    paragraph = frame.add_paragraph()
    paragraph.level = 1
    paragraph.add_run().text = "Ein "
    run = paragraph.add_run()
    run.text, run.font.bold = "fettes", True
    paragraph.add_run().text = " Wort"
    paragraph.add_line_break()
    run = paragraph.add_run()
    run.text = "und ein Verweis"
    run.hyperlink.address = "https://example.org"
    slide.notes_slide.notes_text_frame.text = "Eine Notiz dazu."
    return _saved(presentation.save)


def _slide_tables() -> bytes:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "Tabelle"
    table = slide.shapes.add_table(2, 2, 0, 0, 4_000_000, 1_000_000).table
    for number, word in enumerate(["Monat", "Wetter", "Tag", "warm"]):
        table.cell(number // 2, number % 2).text = word
    data = CategoryChartData()
    data.categories = ["Eins", "Zwei"]
    data.add_series("Reihe", (1, 2))
    place = 0, 2_000_000, 3_000_000, 3_000_000
    chart = slide.shapes.add_chart(XL_CHART_TYPE.PIE, *place, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Ein Diagramm"
    return _saved(presentation.save)


def _open_text() -> bytes:
    document = opendocument.OpenDocumentText()
    bold = odf_style.Style(name="Fett", family="text")
    bold.addElement(odf_style.TextProperties(fontweight="bold"))
    document.automaticstyles.addElement(bold)
    document.text.addElement(odf_text.H(outlinelevel=1, text="Überschrift"))
    paragraph = odf_text.P(text="Ein ")
    paragraph.addElement(odf_text.Span(stylename=bold, text="fettes"))
    paragraph.addText(" Wort, ")
    paragraph.addElement(odf_text.A(href="https://example.org", text="ein Verweis"))
    note = odf_text.Note(noteclass="footnote", id="ftn1")
    note.addElement(odf_text.NoteCitation(text="1"))
    body = odf_text.NoteBody()
    body.addElement(odf_text.P(text="Eine Fußnote."))
    note.addElement(body)
    paragraph.addElement(note)
    paragraph.addText(" und")
    paragraph.addElement(odf_text.S(c=3))
    paragraph.addText("Platz,")
    paragraph.addElement(odf_text.Tab())
    paragraph.addText("Seite ")
    paragraph.addElement(odf_text.PageNumber(text="1"))
    paragraph.addText(".")
    document.text.addElement(paragraph)
    return _saved(document.write)


def _open_tables() -> bytes:
    document = opendocument.OpenDocumentText()
    table = odf_table.Table(name="T")
    table.addElement(odf_table.TableColumn(numbercolumnsrepeated=2))
    for words in (("Haus", "Baum"), ("groß", "grün und hoch")):
        row = odf_table.TableRow()
        for word in words:
            cell = odf_table.TableCell()
            cell.addElement(odf_text.P(text=word))
            row.addElement(cell)
        table.addElement(row)
    document.text.addElement(table)
    items = odf_text.List()
    item = odf_text.ListItem()
    item.addElement(odf_text.P(text="Ein Punkt in der Liste"))
    items.addElement(item)
    document.text.addElement(items)
    holder = odf_text.P(text="Vor dem Rahmen ")
    frame = odf_draw.Frame(width="5cm", height="2cm", anchortype="as-char")
    box = odf_draw.TextBox()
    box.addElement(odf_text.P(text="Im Rahmen steht etwas."))
    frame.addElement(box)
    holder.addElement(frame)
    holder.addText(" danach.")
    document.text.addElement(holder)
    return _saved(document.write)


def _book() -> bytes:
    """A book of EPUB 2, as small as it may be."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        for path in sorted(path for path in (PARTS / "book").rglob("*") if path.is_file()):
            name = path.relative_to(PARTS / "book").as_posix()
            book.writestr(name, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _saved(save: Callable[[Any], object]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


def _catalogue(wrap: int, *, done: bool) -> Callable[[], bytes]:
    def make() -> bytes:
        catalogue = polib.POFile(wrapwidth=wrap)
        catalogue.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Language": ""}
        entries: list[dict[str, Any]] = [
            {"msgid": "Das Haus ist %s.", "comment": "Kommentar", "flags": ["c-format"]},
            {"msgid": "Datei", "msgctxt": "menu", "msgstr": "File" if done else ""},
            {
                "msgid": "%d Datei",
                "msgid_plural": "%d Dateien",
                "msgstr_plural": {0: "", 1: ""},
                "occurrences": [("a.c", "12")],
            },
            {"msgid": "Eine lange Nachricht, die über viele, viele Wörter geht, bis sie endet.\n"},
            {"msgid": 'Ein "Wort" mit \\ und\tTab'},
            {"msgid": "Alt", "msgstr": "Old", "obsolete": True},
        ]
        catalogue.extend(polib.POEntry(**entry) for entry in entries)
        return str(catalogue).encode() + b"\n"

    return make


_CUES = [
    "Das ist der Anfang",
    "eines <i>langen</i> Satzes, der weitergeht.",
    "- Kommst du heute?\n- Nein, leider nicht.",
    "Wir wohnen seit drei Jahren\nin diesem alten Haus.",
    "♪ Ein altes Lied ♪",
]


def _srt() -> bytes:
    cues = [
        srt.Subtitle(
            number + 1, timedelta(seconds=3 * number), timedelta(seconds=3 * number + 2), text
        )
        for number, text in enumerate(_CUES)
    ]
    content: str = srt.compose(cues)
    return content.encode()


def _vtt() -> bytes:
    subtitles = webvtt.WebVTT()
    for number, text in enumerate(_CUES):
        start, end = f"00:00:{3 * number:02}.000", f"00:00:{3 * number + 2:02}.000"
        subtitles.captions.append(webvtt.Caption(start, end, text))
    return subtitles.content.encode()


_VTT = """WEBVTT - Titel

NOTE Das bleibt so.

STYLE
::cue { color: red }

eins
00:01.000 --> 00:03.000 align:start
<v Anna>Guten Morgen, <c.laut>Bert</c>!

00:03.500 --> 00:05.000
Wie geht es dir <00:04.000>heute?
"""

_MADE: dict[str, Callable[[], bytes]] = {
    "letter.docx": _letter,
    "tables.docx": _tables,
    "fields.docx": _fields,
    "prefix.docx": _strict,
    "slides.pptx": _slides,
    "tables.pptx": _slide_tables,
    "text.odt": _open_text,
    "tables.odt": _open_tables,
    "book.epub": _book,
    "open.po": _catalogue(78, done=False),
    "done.po": _catalogue(78, done=True),
    "wide.po": _catalogue(200, done=True),
    "said.srt": _srt,
    "windows.srt": lambda: _srt().replace(b"\n", b"\r\n"),
    "mark.srt": lambda: b"\xef\xbb\xbf" + _srt(),
    "said.vtt": _vtt,
    "styled.vtt": _VTT.encode,
    "comma.csv": lambda: b'id,Titel,Text\n1,Haus,"Das Haus, ""alt"" und gro\xc3\x9f."\n2,Baum,\n',
    "semicolon.csv": lambda: "a;b\r\nEin Wort;Noch eins, ja\r\n".encode("utf-8-sig"),
    "tabs.tsv": lambda: b'a\tb\nEin "Wort"\tzwei\n\n',
    **{f"{name}.md": text.encode for name, text in _MARKDOWN.items()},
    **{f"{name}.html": text.encode for name, text in _HTML.items()},
    **{
        f"{name}.json": lambda data=data: json.dumps(data, indent=1, ensure_ascii=False).encode()  # type: ignore[misc]
        for name, data in _JSON.items()
    },
    "escaped.json": lambda: json.dumps(_JSON["app"]).encode(),
    "plain.txt": lambda: "Ein Satz. Noch einer.\n\n  Eingerückt.\r\n".encode(),
}


# --- what can be seen of a document in XML -------------------------------------------------------

# What is written anew without it, as it says nothing that can be seen.
_UNSEEN = frozenset(["proofErr", "lastRenderedPageBreak", "lang", "language"])


def seen(content: bytes) -> list[tuple[str, str]]:
    """Each character of a part in XML, with all that is around it; white space may differ."""
    root = etree.fromstring(content)
    clear = _clear_styles(root)
    runs: list[tuple[str, str]] = []

    def walk(element: Any, around: str) -> None:
        name = etree.QName(element).localname if isinstance(element.tag, str) else "comment"
        if name in _UNSEEN or name in ("rPr", "pPr"):
            return
        style = element.get(_STYLE_NAME)
        own = around if name == "span" and style in clear else f"{around}/{_shown(element, name)}"
        if not len(element) and not (element.text or "").strip() and name not in _HOLDERS:
            runs.append(("", own))
        add(element.text, own)
        for child in element:
            walk(child, own)
            add(child.tail, own)

    def add(text: str | None, around: str) -> None:
        runs.extend((character, around) for character in text or "" if not character.isspace())

    walk(root, "")
    return runs


_STYLE_NAME = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}style-name"
_HOLDERS = frozenset(["r", "t", "p", "span"])


def _clear_styles(root: Any) -> set[str]:
    names = set()
    for element in root.iter("{*}style"):
        inside = [name for child in element for name in child.attrib]
        if all("openoffice.org" in name or "libreoffice" in name for name in inside):
            names.add(element.get("{urn:oasis:names:tc:opendocument:xmlns:style:1.0}name"))
    return names


def _shown(element: Any, name: str) -> str:
    """An element with its attributes; a run with its properties."""
    skipped = ("rsid", "lang", "dirty", "err", "space", "country", "alt")
    attributes = sorted(
        f"{etree.QName(key).localname}={value}"
        for key, value in element.attrib.items()
        if not etree.QName(key).localname.startswith(skipped)
    )
    properties = ""
    for child in element:
        if isinstance(child.tag, str) and etree.QName(child).localname == "rPr" and name != "p":
            properties = _shown_properties(child)
    return f"{name}[{','.join(attributes)}]{properties}"


def _shown_properties(element: Any) -> str:
    parts = []
    for child in element.iter():
        if isinstance(child.tag, str) and etree.QName(child).localname not in _UNSEEN:
            parts.append(_shown(child, etree.QName(child).localname))
    return (
        "{" + " ".join(parts[1:] + parts[:1]) + "}" if len(parts) > 1 or parts[0] != "rPr[]" else ""
    )


def parts_of(content: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            yield info.filename, archive.read(info)
