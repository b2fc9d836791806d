"""Documents at the door that JavaScript uses: bytes and JSON in, a file and JSON out."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from dragoman.bridge import Session
from dragoman.config import Limits
from dragoman.engines.fake import HeldEngine
from dragoman.wire.documents import LIMITS
from tests.support.documents import capital_parts, samples
from tests.support.door import session

DOCX = next(sample.content for sample in samples() if sample.name == "letter.docx")
ASKED = {"source": "de", "target": "en", "alignment": "none", "whenFull": "wait"}


class Given:
    """A typed array, as Pyodide shows it."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def to_bytes(self) -> bytes:
        return self._content


class Told:
    """What the host hears of a document."""

    def __init__(self) -> None:
        self.progress: list[tuple[str, int, int]] = []
        self.beginnings: list[str] = []
        self.contents: list[bytes] = []

    def ask(self, made: Session, content: bytes, name: str, **file: object) -> Any:
        asked = json.dumps({"file": {"name": name, **file}, "options": ASKED})
        return made.document(
            1,
            Given(content),
            asked,
            lambda *progress: self.progress.append(progress),
            lambda text: self.beginnings.append(json.loads(text)),
            self.contents.append,
        )


async def outcome(told: Told, content: bytes, name: str, **file: object) -> dict[str, Any]:
    parts = capital_parts()
    made = Session(parts.pipeline, parts.engine, Limits())
    answer = await asyncio.wait_for(told.ask(made, content, name, **file), 60)
    data: dict[str, Any] = json.loads(answer)
    return data


async def test_a_document_comes_before_its_outcome() -> None:
    told = Told()
    answer = await outcome(told, b"Guten Morgen!\n", "notiz.de.txt")
    assert answer == {
        "ok": True,
        "document": {
            "name": "notiz.en.txt",
            "kind": "txt",
            "mediaType": "text/plain",
            "sentences": 1,
            "doubtful": 0,
            "warnings": {},
        },
    }
    assert told.contents == [b"GUTEN MORGEN!\n"]
    assert told.beginnings == ["Guten Morgen!\n"]
    assert told.progress == [("running", 0, 14), ("running", 14, 14)]


async def test_archives_and_pages() -> None:
    told = Told()
    assert (await outcome(told, DOCX, "letter.docx"))["ok"] is True
    assert told.contents[0].startswith(b"PK")
    assert "Liebe Anna" in told.beginnings[0]
    page = Told()
    await outcome(page, b"<p title=Ja>Eins <b>zwei</b></p>", "a.html")
    assert page.contents == [b'<p title="JA">EINS <b>ZWEI</b></p>']
    assert page.beginnings[0].split("\n") == ["Ja", "Eins zwei"]


@pytest.mark.parametrize(
    ("content", "name", "file", "code"),
    [
        (b"{\\rtf1}", "a.rtf", {}, "unsupported-format"),
        (b"%PDF-1.7", "a.pdf", {}, "document"),
        (b"nonsense", "a.docx", {}, "document"),
        (b"a,b\n", "a.csv", {}, "document"),
        (b"a", "a.txt", {"kind": "nonsense"}, "invalid-request"),
        (b"a", "a.txt", {"columns": 3}, "invalid-request"),
        (b"[" * 1_000, "a.json", {}, "document-too-large"),
    ],
)
async def test_errors_are_typed(
    content: bytes, name: str, file: dict[str, int | str], code: str
) -> None:
    told = Told()
    answer = await outcome(told, content, name, **file)
    assert (answer["ok"], answer["error"]["code"], told.contents) == (False, code, [])


async def test_the_columns_that_there_are_are_told() -> None:
    answer = await outcome(Told(), b"Titel,Text\nja,nein\n", "a.csv")
    details = answer["error"]["details"]
    assert (details["reason"], json.loads(details["columns"])) == ("columns", ["Titel", "Text"])


async def test_a_document_is_refused_over_the_limit_of_a_browser() -> None:
    answer = await outcome(Told(), b"x" * (LIMITS.bytes + 1), "a.txt")
    assert answer["error"]["details"] == {
        "requested": 50_000_001,
        "allowed": 50_000_000,
        "counted": "bytes",
    }


async def test_cancelling_takes_back_what_is_under_way() -> None:
    engine = HeldEngine()
    made = session(engine)
    told = Told()
    task = asyncio.ensure_future(told.ask(made, b"Eins. Zwei.", "a.txt"))
    while not told.progress:
        await asyncio.sleep(0)
    made.cancel(1)
    answer = json.loads(await asyncio.wait_for(task, 20))
    assert (answer["error"]["code"], told.contents) == ("cancelled", [])
    assert json.loads(made.statistics())["open_requests"] == 0
