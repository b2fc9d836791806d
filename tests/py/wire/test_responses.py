"""Responses and errors as plain data; the ranges are those of test_bridge, test_cli and server."""

import pytest

from dragoman.errors import LanguagePairError
from dragoman.types import Span
from dragoman.wire.responses import RangeUnit, error_data, length, text_index

TEXT = "aü😀b"


def test_error_data() -> None:
    error = LanguagePairError("de", "fr", "")
    assert error_data(error) == {
        "code": "language-pair",
        "message": "there is no model from 'de' to 'fr'; available: none",
        "details": {"source": "de", "target": "fr"},
    }


@pytest.mark.parametrize(
    ("unit", "expected", "whole"),
    [
        (RangeUnit.CODEPOINT, [1, 3], 4),
        (RangeUnit.UTF16, [1, 4], 5),
        (RangeUnit.BYTE, [1, 7], 8),
    ],
)
def test_units(unit: RangeUnit, expected: list[int], whole: int) -> None:
    """The span is "ü😀": one and one code points, one and two units, two and four bytes."""
    assert text_index(TEXT, unit).range(Span(1, 3)) == expected
    assert length(TEXT, unit) == whole
