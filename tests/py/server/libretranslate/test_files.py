"""Documents as LibreTranslate's clients send and fetch them."""

from __future__ import annotations

import asyncio
import dataclasses
import shutil
import tempfile
from pathlib import Path

import httpx
import pytest

from dragoman.server import Settings, create_app
from dragoman.server.libretranslate.kept import KeptFiles
from dragoman.server.problems import ProblemError
from tests.support.documents import capital_parts, parts_of, samples
from tests.support.paths import ROOT
from tests.support.serving import WORKER, client, serving

BY_NAME = {sample.name: sample.content for sample in samples()}
PAIR = {"source": "de", "target": "en", "api_key": ""}


async def sent(name: str, content: bytes, made: httpx.AsyncClient, **fields: str) -> httpx.Response:
    return await made.post("/translate_file", data=PAIR | fields, files={"file": (name, content)})


async def test_there_and_back() -> None:
    async with client(lambda *_: capital_parts()) as made:
        answer = await sent("Mein Brief.docx", BY_NAME["letter.docx"], made)
        assert (answer.status_code, set(answer.json())) == (200, {"translatedFileUrl"})
        address = answer.json()["translatedFileUrl"]
        assert address.startswith("http://localhost/download_file/")
        assert address.endswith(".Mein%20Brief.en.docx")
        fetched = await made.get(address)
    assert fetched.status_code == 200
    assert "LIEBE ANNA, " in dict(parts_of(fetched.content))["word/document.xml"].decode()
    told = {name: fetched.headers[name] for name in HEADERS}
    assert told == HEADERS


HEADERS = {
    "content-type": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "content-disposition": "attachment; filename*=utf-8''Mein%20Brief.en.docx",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "cache-control": "no-store",
}


async def test_all_columns_of_a_table_unless_some_are_named() -> None:
    async with client(lambda *_: capital_parts()) as made:
        whole = (await sent("a.csv", b"id,Titel\n1,Haus\n", made)).json()["translatedFileUrl"]
        some = (await sent("a.csv", b"a,b\nx y,Haus\n", made, columns="b")).json()
        assert (await made.get(whole)).text == "ID,TITEL\n1,HAUS\n"
        assert (await made.get(some["translatedFileUrl"])).text == "a,b\nx y,HAUS\n"


async def test_the_language_is_found_out() -> None:
    text = "Heute gehen wir in den Laden, um Brot zu kaufen."
    async with client(lambda *_: capital_parts()) as made:
        answer = await sent("a.txt", text.encode(), made, source="auto")
        assert (await made.get(answer.json()["translatedFileUrl"])).text == text.upper()


@pytest.mark.parametrize(
    ("name", "content", "fields", "error"),
    [
        ("a.rtf", b"{\\rtf1}", {}, "known formats"),
        ("a.pdf", b"%PDF-1.7", {}, ""),
        ("a.txt", b"x", {"source": ""}, "source: Field required"),
        ("a.txt", b"x", {"target": ""}, "target: Field required"),
        ("a.txt", b"x", {"source": "x" * 40}, "source: String should have at most 35 characters"),
        ("a.txt", b"x", {"q": "y" * 10_001}, "q: 10,001 bytes requested, 10,000 allowed"),
    ],
)
async def test_errors_are_sentences(
    name: str, content: bytes, fields: dict[str, str], error: str
) -> None:
    async with client(lambda *_: capital_parts()) as made:
        answer = await sent(name, content, made, **fields)
    assert (answer.status_code, set(answer.json())) == (400, {"error"})
    if error == "known formats":
        assert answer.json()["error"].endswith(
            ": txt, md, html, docx, odt, pptx, epub, srt, vtt, po, xliff, json, csv, tsv, pdf"
        )
    else:
        assert error in answer.json()["error"]


async def test_what_is_too_large_is_named() -> None:
    settings = Settings(body_bytes=1_000)
    async with client(lambda *_: capital_parts(), settings) as made:
        answer = await sent("a.txt", b"x" * 2_000, made)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(" bytes requested, 1,000 allowed")


@pytest.mark.parametrize(
    "path", ["/download_file/x.txt", "/download_file/.", "/download_file/%2e%2e%2fetc%2fpasswd"]
)
async def test_other_names_are_not_found(path: str) -> None:
    async with client(lambda *_: capital_parts()) as made:
        answer = await made.get(path)
    assert answer.status_code == 404


async def test_a_file_goes_by_its_own_name_only() -> None:
    async with client(lambda *_: capital_parts()) as made:
        address = (await sent("a.txt", b"Haus", made)).json()["translatedFileUrl"]
        assert (await made.get(address.removesuffix("txt") + "html")).status_code == 404


def test_worker_processes_translate_and_the_front_keeps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("DRAGOMAN_TEST_FOLDER", str(tmp_path))
    with serving(create_app(Settings(workers=2), command=WORKER)) as address:
        answer = httpx.post(
            f"{address}/translate_file",
            data=PAIR,
            files={"file": ("a.txt", b"Guten Tag.")},
            timeout=60,
        )
        url = answer.json()["translatedFileUrl"]
        assert url.startswith(f"{address}/download_file/")
        assert httpx.get(url).text == "GUTEN TAG."


async def test_the_oldest_makes_room() -> None:
    kept = KeptFiles(most=2, bytes_=10)
    keys = [await kept.keep(content, "text/plain", "a") for content in (b"1", b"2", b"3")]
    assert [kept.find(key) is not None for key in keys] == [False, True, True]
    last = await kept.keep(b"123456789", "text/plain", "a")
    assert (len(kept), kept.find(keys[1]), kept.find(last) is None) == (2, None, False)
    kept.close()


async def test_files_go_by_age_and_at_the_end() -> None:
    kept = KeptFiles(seconds=0)
    key = await kept.keep(b"1", "text/plain", "a")
    path = path_of(kept, key)
    while kept.find(key):
        await asyncio.sleep(0)
    assert not path.exists()
    assert path.parent.exists()
    kept.close()
    assert not path.parent.exists()


async def test_a_folder_that_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no room")

    async with client(lambda *_: capital_parts()) as made:
        monkeypatch.setattr(Path, "write_bytes", full)
        answer = await sent("a.txt", b"Haus", made)
    assert answer.status_code == 507
    assert answer.json() == {
        "error": "the translation cannot be kept: the temporary folder takes no file"
    }


async def test_of_a_file_that_could_not_be_written_nothing_is_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(path: Path, content: bytes) -> None:
        with path.open("wb") as file:
            file.write(content[:1])
        raise OSError("no room")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept = KeptFiles()
    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", full)
        with pytest.raises(ProblemError):
            await kept.keep(b"123", "text/plain", "a")
    assert len(list(tmp_path.glob("dragoman-*"))) == 1
    assert list(tmp_path.glob("dragoman-*/*")) == []
    assert len(kept) == 0
    kept.close()


async def test_a_folder_that_was_cleaned_away_is_made_anew() -> None:
    kept = KeptFiles()
    first = await kept.keep(b"1", "text/plain", "a")
    gone = path_of(kept, first).parent
    shutil.rmtree(gone)
    second = await kept.keep(b"2", "text/plain", "a")
    assert path_of(kept, second).read_bytes() == b"2"
    assert path_of(kept, second).parent != gone
    assert kept.find(first) is None
    kept.close()


def path_of(kept: KeptFiles, key: str) -> Path:
    file = kept.find(key)
    assert file is not None
    assert dataclasses.asdict(file) == {
        "path": file.path, "media_type": "text/plain", "name": "a", "size": 1,
    }  # fmt: skip
    assert file.path.stat().st_mode & 0o077 == 0 or file.path.parent.stat().st_mode & 0o077 == 0
    return file.path
