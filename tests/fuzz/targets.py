"""What is fuzzed: each target reads what others made, and may end in a typed error only."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
import zipfile
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ValidationError

from dragoman.catalogue.models import Catalogue
from dragoman.config import Limits
from dragoman.documents.kinds import DocumentKind
from dragoman.documents.passage import Translated
from dragoman.documents.read import DocumentOptions, read_document
from dragoman.engines.bundle import parse_manifest
from dragoman.engines.onnx_file import read_onnx
from dragoman.engines.student import is_runnable, read_student
from dragoman.html import HtmlPage
from dragoman.marian.layout import published_file
from dragoman.marian.model import parse_marian, read_items
from dragoman.marian.published import graph_of
from dragoman.marian.vocabulary import vocabulary_of
from dragoman.native.bundles import FoundBundle, read_manifest
from dragoman.native.glossary import Glossary
from dragoman.native.memory import TranslationMemory
from dragoman.server.processes.batch_parts import split
from dragoman.server.schema import BatchBody, GraphBody, StreamBody, TranslateBody
from dragoman.store.carry import export, take
from dragoman.store.store import Store
from dragoman.student.architecture import Architecture
from dragoman.text.terms.compounds import CompoundFinder
from dragoman.text.terms.lexicon import LexiconFinder
from dragoman.text.terms.names import NameFinder, read_names
from dragoman.text.terms.word_table import packed
from dragoman.types import Element, ElementKind, PlacedElement, Span, TranslationRequest
from dragoman.wire.requests import read_graph, read_limits, read_options, read_request
from tests.support.cases.markup_cases import echo, own_content, respond
from tests.support.cases.mutations import MUTATIONS, PARTS
from tests.support.documents import pdf_samples, samples
from tests.support.helpers import CharacterTokenizer, manifest_data, pipeline
from tests.support.pdf import lines_pdf, pages_pdf, show
from tests.support.published import make_model

# Parts of an archive that have text; others are pictures, styles and the like.
_ENDINGS = (".xml", ".xhtml", ".opf", ".rels", ".ncx", "mimetype")


@dataclass(frozen=True)
class Case:
    """An input.

    Attributes:
        label: what it is of a target's kinds of inputs; is not changed.
    """

    label: str
    content: bytes


@dataclass(frozen=True)
class Target:
    """Args:
    read: reads a case; its typed errors are caught by who calls.
    seeds: good cases.
    words: of the format, to be put anywhere.
    """

    read: Callable[[Case], object]
    seeds: Callable[[], list[Case]]
    words: tuple[bytes, ...] = ()


# --- models --------------------------------------------------------------------------------------


def _names(case: Case) -> None:
    table = read_names(case.content)
    sentence = "Die Bundesregierung sah Golfturniers und GitHub-Listen in Ulm."
    NameFinder(table, "de").find(sentence)
    LexiconFinder(table.lexicon).find(sentence)
    finder = CompoundFinder(table.lexicon, table.firsts, table.heads, table.wholes)
    finder.find(sentence)
    table.formulas.translation("Auf Lager")
    table.alone.translation("Mann")


def _name_tables() -> list[Case]:
    entries = {"Bundesregierung": "Federal Government", "Listen": "lists", "Ulm und um": "a"}
    tables = {
        "lexicon": entries,
        "firsts": {"Golf": "golf"},
        "heads": {"Turniers": "tournament"},
        "formulas": {"Auf Lager": "In stock", "Grüße": "Regards,"},
        "alone": {"Mann": "man"},
    }
    parts = [*map(packed, tables.values())]
    header = {"format": 4, "bits": 4, "scale": 0.1, "bias": -1, "names": ["Ulm"], "words": ["Die"]}
    sizes = dict(zip(tables, map(len, parts), strict=True))
    return [
        Case(label, json.dumps(data).encode() + b"\n" + b"".join((bytes(range(16)), *behind)))
        for label, data, behind in (
            ("tables", {**header, "tables": sizes}, parts),
            ("first", {**header, "format": 1, "lexicon": entries}, ()),
        )
    ]


def _manifest(case: Case) -> None:
    parse_manifest(case.content.decode("utf-8", "replace"))


def _manifests() -> list[Case]:
    return [Case("manifest", json.dumps(manifest_data()).encode())]


@cache
def _published() -> bytes:
    return make_model(Architecture(300, 16, 16, 2, 1, 1)).model


def _marian(case: Case) -> None:
    if case.label == "bin":
        published_file(case.content).layout()
    parse_marian(case.content)


def _marians() -> list[Case]:
    return [Case("bin", _published()), Case("npz", _npz())]


def _npz() -> bytes:
    import numpy as np

    out = io.BytesIO()
    arrays = {item.name: np.frombuffer(item.data, np.int8) for item in read_items(_published())}
    np.savez(out, allow_pickle=False, **arrays)
    return out.getvalue()


def _onnx(case: Case) -> None:
    file = read_onnx(case.content)
    if is_runnable(file):
        read_student(file)


def _graphs() -> list[Case]:
    made = make_model(Architecture(300, 16, 16, 2, 1, 1))
    vocabulary = vocabulary_of(made.vocabulary, made.target_vocabulary, made.config)
    return [Case("published", graph_of(made.model, vocabulary, 64))]


# --- pages and elements --------------------------------------------------------------------------


def _html(case: Case) -> None:
    page = HtmlPage(case.content.decode("utf-8", "replace"), "de", Limits())
    page.write(page.text.swapcase()[: len(page.text)], own_content(page.elements), "en")


def _pages() -> list[Case]:
    found = sorted((Path(__file__).parents[1] / "fixtures" / "pages").glob("*.html"))
    small = [path.read_bytes() for path in found if path.stat().st_size < 20_000]
    texts = [*(source.encode() for source in MUTATIONS), *small]
    return [Case("html", text) for text in texts]


_TEXT = "Der Hund, der z. B. 3,5 kg wiegt, läuft 😀 zu a@b.de. Ja? <x> {name}\n\nNein! " * 3


def _elements(case: Case) -> None:
    """Each element is four bytes: where it begins, its length, its kind, its parent."""
    numbers = array("B", case.content[: len(case.content) // 4 * 4])
    kinds = tuple(ElementKind)
    found = [
        Element(
            Span(start, start + length),
            kinds[kind % len(kinds)],
            None if parent >= 128 else parent,
        )
        for start, length, kind, parent in zip(*[iter(numbers)] * 4, strict=True)
    ]
    request = TranslationRequest(_TEXT, "de", "en", elements=tuple(found))
    respond(pipeline(CharacterTokenizer()), request, echo)


def _element_runs() -> list[Case]:
    return [
        Case("elements", bytes(numbers))
        for numbers in ([0, 9, 0, 255, 4, 4, 1, 0, 20, 0, 2, 255], [0, 200, 0, 255] * 3, [])
    ]


# --- the wire ------------------------------------------------------------------------------------

_BODIES: dict[str, type[BaseModel]] = {
    "translate": TranslateBody,
    "batch": BatchBody,
    "graph": GraphBody,
    "stream": StreamBody,
}


def _wire(case: Case) -> None:
    text = case.content.decode("utf-8", "surrogateescape")
    if case.label in _BODIES:
        split(case.content, 2)
        try:
            body = _BODIES[case.label].model_validate_json(case.content)
        except ValidationError:
            return
        if isinstance(body, TranslateBody):
            body.request()
        return
    readers: dict[str, Callable[[str], object]] = {
        "request": read_request,
        "options": read_options,
        "bridge": read_graph,
        "limits": read_limits,
    }
    readers[case.label](text)


def _messages() -> list[Case]:
    pair = {"source": "de", "target": "en"}
    element = {"range": [0, 2], "kind": "inline", "parent": None}
    glossary = [{"source": "Rechner", "target": None}]
    text = {"text": "Ja 😀", "elements": [element], "glossary": glossary, "deadline": 1.5, **pair}
    graph = {
        "variables": {"a": "Ja"},
        "requests": [{"template": ["# ", {"input": "a"}, {"output": "b"}], **pair}],
    }
    found = {
        "translate": text, "request": text, "options": pair, "batch": {"texts": ["Ja"], **pair},
        "graph": graph, "bridge": graph, "stream": {"text": "Ja", **pair},
        "limits": {"elements": 5},
    }  # fmt: skip
    return [Case(label, json.dumps(data).encode()) for label, data in found.items()]


def _glossary(case: Case) -> None:
    with tempfile.NamedTemporaryFile(suffix=case.label, dir=_memory()) as file:
        file.write(case.content)
        file.flush()
        Glossary.read(file.name, "de", "en")


def _glossaries() -> list[Case]:
    term = (
        "<termEntry><langSet xml:lang='de'><tig><term>Rechner</term></tig></langSet>"
        "<langSet xml:lang='en'><tig><term>computer</term></tig></langSet></termEntry>"
    )
    tbx = f"<?xml version='1.0'?><martif><text><body>{term}</body></text></martif>"
    return [Case(".tsv", b"# x\nRechner\tcomputer\nHabicht\t\n"), Case(".tbx", tbx.encode())]


def _translation_memory(case: Case) -> None:
    with tempfile.NamedTemporaryFile(suffix=case.label, dir=_memory()) as file:
        file.write(case.content)
        file.flush()
        TranslationMemory.read(file.name, "de", "en")


def _translation_memories() -> list[Case]:
    unit = (
        "<tu><tuv xml:lang='de-DE'><seg>Ein <bpt i='1'>b</bpt><hi>Haus</hi><ph/>.</seg></tuv>"
        "<tuv xml:lang='en'><seg>A house.</seg></tuv></tu>"
    )
    tmx = f"<?xml version='1.0'?><tmx version='1.4'><header/><body>{unit}</body></tmx>"
    return [Case(".tsv", b"de\ten\nJa.\tYes.\nNein.\t\n"), Case(".tmx", tmx.encode())]


# --- archives and documents ----------------------------------------------------------------------


def _memory() -> str | None:
    """A folder in memory, where there is one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108


_CATALOGUE = Catalogue("2026-01-01", "somebody", "", "", ())


def _archive(case: Case) -> None:
    with tempfile.TemporaryDirectory(dir=_memory()) as name:
        path = Path(name) / f"model.{case.label}"
        path.write_bytes(case.content)
        take(Store(Path(name) / "store"), _CATALOGUE, [path], ("de", "en"))


def _archives() -> list[Case]:
    """A model as translateLocally packs it, and as we do; all of them can be taken."""
    made = make_model(Architecture(300, 16, 16, 2, 1, 1))
    settings = b"models:\n  - model.bin\nvocabs:\n  - v.spm\n  - v.spm\n"
    members = {
        "model/model_info.json": b'{"modelName":"a","src":"de","trg":"en","type":"tiny"}',
        "model/config.intgemm8bitalpha.yml": settings,
        "model/model.bin": made.model,
        "model/v.spm": made.vocabulary,
    }
    packed = [Case(label, _tar(members, label)) for label in ("tar", "tar.gz")]
    with tempfile.TemporaryDirectory(dir=_memory()) as name:
        folder = Path(name)
        (folder / "model.tar").write_bytes(packed[0].content)
        store = Store(folder / "store")
        (taken,) = take(store, _CATALOGUE, [folder / "model.tar"], ("de", "en"))
        bundle = FoundBundle(taken.folder, read_manifest(taken.folder))
        export(store, [bundle], folder / "out.tar")
        return [*packed, Case("tar", (folder / "out.tar").read_bytes())]


def _tar(members: Mapping[str, bytes], label: str) -> bytes:
    out = io.BytesIO()
    mode = "w:gz" if label == "tar.gz" else "w"
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


@cache
def _samples() -> dict[str, bytes]:
    return {sample.name: sample.content for sample in samples()}


_KINDS = {"xlf": "xliff", "odp": "odt"}


def _document(case: Case) -> None:
    """The label names a sample, and the part of it that was changed."""
    name, _, part = case.label.partition(":")
    content = _with_part(_samples()[name], part, case.content) if part else case.content
    ending = name.rpartition(".")[2]
    kind = DocumentKind(_KINDS.get(ending, ending))
    document = read_document(content, DocumentOptions(kind, "de", columns=("all",)))
    answers = [
        Translated(passage.text.upper()[: len(passage.text)], _same(passage.text))
        for passage in document.passages
    ]
    if not any(passage.elements for passage in document.passages):
        document.write(answers, "en")


_MADE = 5  # small files for each that an office wrote


def _pdf(case: Case) -> None:
    document = read_document(case.content, DocumentOptions(DocumentKind.PDF, "de"))
    document.write([Translated(passage.text) for passage in document.passages], "en")


def _pdfs() -> list[Case]:
    texts = lines_pdf(["Ein Absatz, der wei-", "ter geht."], ["Zwei", "Drei"])
    drawn = pages_pdf([b"q 1 0 0 1 5 5 cm " + show("Groß", 50, 500, 24) + b"Q"])
    made = [Case("made", texts), Case("made", drawn)]
    printed = [Case("printed", sample.content) for sample in pdf_samples()]
    return [*made * _MADE, *printed]  # which take twenty times as long


def _same(text: str) -> tuple[Span | PlacedElement, ...]:
    return (Span(0, len(text)),)


def _documents() -> list[Case]:
    return [case for name, content in _samples().items() for case in _parts(name, content)]


def _parts(name: str, content: bytes) -> Iterator[Case]:
    if len(content) < 60_000:
        yield Case(name, content)
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for info in archive.infolist():
                if info.filename.endswith(_ENDINGS) and info.file_size < 30_000:
                    yield Case(f"{name}:{info.filename}", archive.read(info))


def _with_part(content: bytes, changed: str, part: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as new:
        for name, old in _unpacked(content).items():
            new.writestr(name, part if name == changed else old)
    return out.getvalue()


@cache
def _unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


_XML = (
    b"<w:p>",
    b"</w:p>",
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    b"&b;",
    b"&#0;",
    b"<![CDATA[",
    b"]]>",
)
_JSON = (b"1e999", b"NaN", b"null", b"[", b"{", b'"', b"\\ud800", b"-1", b"1" * 5_000, b'"\\u0000"')
_PDF = (
    b"<<", b">>", b"[" * 200, b"]", b"stream\n", b"endstream", b"endobj", b"1 0 R", b"9 0 obj",
    b"/Kids [2 0 R]", b"/Filter /LZWDecode", b"/Length 99999999", b"/Prev 0", b"/Encrypt 3 0 R",
)  # fmt: skip
_HTML = tuple(part.encode() for part in PARTS)

TARGETS = {
    "names": Target(_names, _name_tables, (*_JSON, b"\n", b"\t")),
    "manifest": Target(_manifest, _manifests, _JSON),
    "marian": Target(_marian, _marians, (b"special:model.yml", b"&a", b"*a", b"dim-emb: 9999999")),
    "onnx": Target(_onnx, _graphs),
    "html": Target(_html, _pages, _HTML),
    "elements": Target(_elements, _element_runs),
    "wire": Target(_wire, _messages, _JSON),
    "glossary": Target(_glossary, _glossaries, (b"\t", b"\n", *_XML)),
    "memory": Target(_translation_memory, _translation_memories, (b"\t", b"\n", *_XML)),
    "archives": Target(_archive, _archives, (b"../", b"/", b"\0" * 512)),
    "pdf": Target(_pdf, _pdfs, _PDF),
    "documents": Target(_document, _documents, (*_XML, *_JSON, *_HTML[:20], b"\n", b"-->")),
}
