from __future__ import annotations

import pytest

from dragoman.errors import DocumentError
from tests.support.documents import read, written

TABLE = 'id;Titel;Text\n1;Haus;"Ein ""altes"" Haus"\n2;Baum;3,5\n'


def passages(text: str, *columns: str, kind: str = "csv") -> list[str]:
    return [passage.text for passage in read(kind, text, columns=columns).passages]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["Titel"], ["Haus", "Baum"]),
        (["Text"], ['Ein "altes" Haus']),  # a number has no words
        (["2"], ["Titel", "Haus", "Baum"]),  # no name: the first row is one of the table
        (["Text", "Titel"], ["Haus", 'Ein "altes" Haus', "Baum"]),
        (["all"], ["id", "Titel", "Text", "Haus", 'Ein "altes" Haus', "Baum"]),
    ],
)
def test_columns_by_name_and_number(columns: list[str], expected: list[str]) -> None:
    assert passages(TABLE, *columns) == expected


def test_all_columns_of_a_wide_table_and_of_a_row_wider_than_the_first() -> None:
    wide = ";".join(["1"] * 10_001) + ";Haus"
    assert passages(f"id;n\n{wide}\n", "all") == ["id", "n", "Haus"]


@pytest.mark.parametrize("column", ["0", "4", "titel", "²", "9" * 5_000])
def test_a_column_that_is_not_there(column: str) -> None:
    with pytest.raises(DocumentError, match=r"there is no column .* there are id, Titel, Text"):
        passages(TABLE, column)


def test_cells_are_quoted_where_they_must_be() -> None:
    changed = written("csv", TABLE, 'a "b"', "c; d", "e", columns=["Titel", "Text"])
    assert changed == 'id;Titel;Text\n1;"a ""b""";"c; d"\n2;e;3,5\n'


def test_a_tabulator_in_a_translation_is_a_space() -> None:
    changed = written("tsv", "a\tb\nja\tnein\n", "y\tes", "no\n", columns=["a", "b"])
    assert changed == "a\tb\ny es\tno \n"


def test_a_cell_of_several_lines() -> None:
    assert passages('a,b\r\n"eins\r\nzwei",3\r\n', "a") == ["eins\r\nzwei"]


def test_a_quotation_mark_that_a_cell_does_not_end_with_is_text() -> None:
    table = 'Nr\tSatz\tLand\n2\t"Wer ist da?\tDE\n3\t"Ich bin es.\tAT\n4\t"Zitat" sagt er\tCH\n'
    assert passages(table, "Satz", kind="tsv") == [
        '"Wer ist da?', '"Ich bin es.', '"Zitat" sagt er',
    ]  # fmt: skip
    changed = written("tsv", table, '"Who?', '"Me.', '"Quote" he says', columns=["Satz"])
    assert changed == ('Nr\tSatz\tLand\n2\t"Who?\tDE\n3\t"Me.\tAT\n4\t"Quote" he says\tCH\n')
    assert passages('a,b\n"Ja" und "nein",2\n"Ja" ,3\n', "a") == ['"Ja" und "nein"', "Ja"]


def test_a_line_for_excel_is_no_row() -> None:
    table = "sep=;\r\nid;Titel, kurz\r\n1;Ja, gut\r\n"
    assert passages(table, "Titel, kurz") == passages("\ufeff" + table, "2")[1:] == ["Ja, gut"]
    changed = written("csv", table, "Yes", columns=["Titel, kurz"])
    assert changed == table.replace("Ja, gut", "Yes")


def test_formulas_are_computed() -> None:
    table = 'a\n=SUMME(A1:A9)\n"=HYPERLINK(""https://a.de"";""Ja"")"\n=+A1*B2\n= gleich\n=) Ja\n'
    assert passages(table, "a") == ["= gleich", "=) Ja"]
