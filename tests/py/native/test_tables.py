from io import BytesIO

import pytest

from dragoman.errors import InvalidGlossaryError
from dragoman.native.tables import numbered_lines


def test_lines_that_say_something_with_their_numbers() -> None:
    file = BytesIO("\ufeffHaus\thouse\n\n \t\nBär\tbear".encode())
    assert list(numbered_lines(file, InvalidGlossaryError)) == [
        (1, "Haus\thouse\n"),
        (4, "Bär\tbear"),
    ]


def test_a_line_that_is_not_utf_8_is_named() -> None:
    with pytest.raises(InvalidGlossaryError, match="line 2 is not UTF-8"):
        list(numbered_lines(BytesIO(b"Haus\n\xff\n"), InvalidGlossaryError))
