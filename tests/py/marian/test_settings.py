"""Settings as Marian writes them."""

from __future__ import annotations

import pytest

from dragoman.errors import ModelFileError
from dragoman.marian.settings import read_settings


def test_values_and_lists_are_kept_as_they_are_written() -> None:
    text = (
        "---\n# a comment\ndim-emb: 256\ndim-vocabs:\n  - 32000\n  - 16000\ninput-types:\n  []\n"
        'preprocess: ""\ntied:\n- 1\n- "1"\nflow: [a, b]\nempty:\nversion: v1.9 7f1 2021-10-21\r\n'
    )
    assert read_settings(text) == {
        "dim-emb": "256",
        "dim-vocabs": ["32000", "16000"],
        "input-types": [],
        "preprocess": "",
        "tied": ["1", "1"],
        "flow": ["a", "b"],
        "empty": "",
        "version": "v1.9 7f1 2021-10-21",
    }


def test_names_may_be_quoted() -> None:
    text = "\"dim-vocabs\":\n  - 32000\n- 16000\n'input-types':\n  []\n"
    assert read_settings(text) == {"dim-vocabs": ["32000", "16000"], "input-types": []}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\na: 2", 2),
        ("a: 1\n'a': 2", 2),
        ("a: {b: 1}", 1),
        ("a: &x 1", 1),
        ("a:\n  b: 1", 2),
        ("a: |\n  text", 1),
        ("a: 1\n  - 2", 2),
        ("- 1", 1),
        ("a: 'b", 1),
        ('a: "\\n"', 1),
        ("a: [[1], 2]", 1),
        ("a: 1 # one", 1),
        ("words", 1),
    ],
)
def test_what_goes_further_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ModelFileError, match=f"line {line}$"):
        read_settings(text)
