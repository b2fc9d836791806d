"""Translation memories from files."""

from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.config import Limits
from dragoman.errors import InvalidTranslationMemoryError, TranslationMemoryTooLargeError
from dragoman.native import memory as module
from dragoman.types import MemoryEntry

TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="de" datatype="plaintext" segtype="sentence"/><body>
{units}
</body></tmx>"""


def tmx(*units: str) -> str:
    return TMX.format(units="\n".join(f"<tu>{unit}</tu>" for unit in units))


def tuv(language: str, content: str, name: str = "xml:lang") -> str:
    return f'<tuv {name}="{language}"><seg>{content}</seg></tuv>'


def read(
    tmp_path: Path, name: str, content: str | bytes, *arguments: Any, **options: Any
) -> list[tuple[str, str]]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    memory = dragoman.TranslationMemory.read(path, *arguments, **options)
    return [(entry.source, entry.target) for entry in memory.entries]


def test_tsv(tmp_path: Path) -> None:
    text = "\ufeffGuten Tag!\tHello!\ta note\r\n\n  Ja.  \t Yes.\nNein.\t\n\tNo.\n"
    assert read(tmp_path, "a.tsv", text) == [("Guten Tag!", "Hello!"), ("Ja.", "Yes.")]
    assert read(tmp_path, "b.tsv", "") == []
    assert read(tmp_path, "c.tsv", "10\u00a0 %\t10\u00a0%") == [("10\u00a0 %", "10\u00a0%")]


@pytest.mark.parametrize(
    ("header", "pair", "expected"),
    [
        ("de\ten\tfr", ("de", "en"), ("A.", "B.")),
        ("de\ten\tfr", ("fr", "de-AT"), ("C.", "A.")),
        ("de-DE\ten_GB\tfr", ("de", "en"), ("A.", "B.")),
        ("id\tde\ten", ("de", "en"), ("B.", "C.")),
    ],
)
def test_a_first_row_that_names_the_languages(
    tmp_path: Path, header: str, pair: tuple[str, str], expected: tuple[str, str]
) -> None:
    assert read(tmp_path, "a.tsv", f"{header}\nA.\tB.\tC.\n", *pair) == [expected]


def test_a_first_row_may_stand_behind_empty_lines(tmp_path: Path) -> None:
    assert read(tmp_path, "a.tsv", "\n \nen\tde\nB.\tA.\n", "de", "en") == [("A.", "B.")]


def test_a_first_row_that_does_not_is_an_entry(tmp_path: Path) -> None:
    assert read(tmp_path, "a.tsv", "ja\tyes\n", "de", "en") == [("ja", "yes")]
    assert read(tmp_path, "a.tsv", "de\ten\n") == [("de", "en")]


def test_tmx(tmp_path: Path) -> None:
    memory = tmx(
        tuv("de-DE", "Guten  Tag,\n Welt!") + tuv("en-GB", "Hello,\u00a0world!"),
        tuv("DE", "Ja.", "lang") + tuv("fr", "Oui.", "lang") + tuv("EN", "Yes.", "lang"),
        tuv("de", "Nein.") + tuv("fr", "Non."),
        tuv("de", " ") + tuv("en", "Nothing."),
        '<tuv xml:lang="de"/>' + tuv("en", "No sentence."),
    )
    assert read(tmp_path, "a.tmx", memory, "de", "en") == [
        ("Guten Tag, Welt!", "Hello,\u00a0world!"),
        ("Ja.", "Yes."),
    ]
    assert read(tmp_path, "a.xml", memory, "fr", "de-CH") == [("Oui.", "Ja."), ("Non.", "Nein.")]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [("pt-BR", "brasileiro"), ("pt-PT", "europeu"), ("pt", "português"), ("pt-AO", "português")],
)
def test_the_variant_whose_tag_is_nearest(tmp_path: Path, wanted: str, expected: str) -> None:
    texts = {"pt-PT": "europeu", "pt": "português", "pt-BR": "brasileiro"}
    memory = tmx(tuv("de", "A.") + "".join(tuv(*text) for text in texts.items()))
    assert read(tmp_path, "a.tmx", memory, "de", wanted) == [("A.", expected)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('Das <bpt i="1">&lt;b&gt;</bpt>Haus<ept i="1">&lt;/b&gt;</ept>.', "Das Haus."),
        ('Das <hi type="x">große <it pos="begin">*</it>Haus</hi>.', "Das große Haus."),
        ("Das <!-- sic --> Haus.", "Das Haus."),
        ("Das Haus<ph/>.", None),
        ("Das Haus<ph>{name}</ph>.", None),
        ("Das <ut>x</ut> Haus.", None),
        ('Das <bpt i="1">a<sub>Titel</sub></bpt>Haus<ept i="1"/>.', None),
        ("Das <hi>Haus<ph/></hi>.", None),
        ("Das <what>Haus</what>.", None),
    ],
)
def test_what_is_marked_within_a_sentence(
    tmp_path: Path, content: str, expected: str | None
) -> None:
    memory = tmx(tuv("de", content) + tuv("en", "a"), tuv("de", "b") + tuv("en", "b"))
    known = [] if expected is None else [(expected, "a")]
    assert read(tmp_path, "a.tmx", memory, "de", "en") == [*known, ("b", "b")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"Ja.\tYes.\n\xff\tb\n", "a.tsv: line 2 is not UTF-8"),
        ("a.tsv", "Ja.\tYes.\nNein, no.", "a.tsv: line 2 has no tabulator"),
        ("a.tsv", "Ja.\ta\x00b", "a.tsv: entry 0: the target has a line break or another control"),
        ("a.tmx", "<tmx>", "a.tmx: it is not XML: no element found"),
        ("a.tmx", tmx(), "a.tmx: it has no entry from 'de' to 'en'"),
        ("a.tmx", tmx(tuv("de", "a") + tuv("fr", "b")), "it has no entry from 'de' to 'en'"),
        (
            "a.tmx",
            '<!DOCTYPE tmx [<!ENTITY a "b">]><tmx>&a;</tmx>',
            "a.tmx: it declares entities, which no such file needs",
        ),
        (
            "a.tmx",
            '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/hostname">]><tmx>&a;</tmx>',
            "a.tmx: it declares entities, which no such file needs",
        ),
        (
            "a.tmx",
            '<?xml version="1.0" encoding="foo"?><tmx/>',
            "a.tmx: its encoding cannot be read: unknown encoding: foo",
        ),
        (
            "a.tmx",
            '<?xml version="1.0" encoding="shift_jis"?><tmx/>',
            "a.tmx: its encoding cannot be read: multi-byte encodings are not supported",
        ),
        (
            "a.tmx",
            '<?xml version="1.0" encoding="undefined"?><tmx/>',
            "a.tmx: its encoding cannot be read: ",
        ),
    ],
)
def test_a_file_that_cannot_be_used(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(InvalidTranslationMemoryError) as caught:
        read(tmp_path, name, content, "de", "en")
    assert message in str(caught.value)
    assert caught.value.details["file"] == name


def test_tmx_needs_its_languages_and_a_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidTranslationMemoryError, match="say from which to which"):
        read(tmp_path, "a.tmx", tmx())
    with pytest.raises(InvalidTranslationMemoryError, match=r"none\.tsv: No such file"):
        dragoman.TranslationMemory.read(tmp_path / "none.tsv")
    with pytest.raises(InvalidTranslationMemoryError, match="null"):
        dragoman.TranslationMemory.read("a\0b.tsv")


def test_a_billion_laughs_are_none(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(10))
    with pytest.raises(InvalidTranslationMemoryError, match="entities"):
        read(tmp_path, "a.tmx", f"<!DOCTYPE tmx [{laughs}]><tmx>&l9;</tmx>", "de", "en")


def test_units_behind_many_other_elements(tmp_path: Path) -> None:
    """Each was looked for behind all of them: 40,000 took 34 s."""
    unit = f"<tu>{tuv('de', 'Ja.')}{tuv('en', 'Yes.')}</tu>"
    memory = f"<tmx><body>{'<note/>' * 40_000}{'<tu/>' * 40_000}{unit}</body></tmx>"
    assert read(tmp_path, "a.tmx", memory, "de", "en") == [("Ja.", "Yes.")]


def test_levels_of_elements(tmp_path: Path) -> None:
    deep = tmx(tuv("de", "<hi>" * 100 + "a" + "</hi>" * 100) + tuv("en", "a"))
    with pytest.raises(TranslationMemoryTooLargeError) as caught:
        read(tmp_path, "a.tmx", deep, "de", "en")
    assert caught.value.details == {
        "requested": 65,
        "allowed": 64,
        "counted": "levels of elements",
    }


def test_a_file_over_its_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TranslationMemoryTooLargeError, match="entries: 2 requested, 1 allowed"):
        read(tmp_path, "a.tsv", "a\tb\nc\td\ne\tf", limits=Limits(memory_entries=1))
    with pytest.raises(TranslationMemoryTooLargeError, match="characters: 4 requested, 3 allowed"):
        read(tmp_path, "a.tsv", "a\tb\nc\td", limits=Limits(memory_characters=3))
    monkeypatch.setattr(module, "LARGEST_FILE", 2)
    with pytest.raises(TranslationMemoryTooLargeError, match="bytes: 3 requested, 2 allowed"):
        read(tmp_path, "a.tsv", "a\tb")


def test_a_memory_of_a_file_is_one_as_any(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("Ja.\tYes.\n")
    memory = dragoman.TranslationMemory.read(path)
    assert (memory | memory).entries == (MemoryEntry("Ja.", "Yes."),) * 2
