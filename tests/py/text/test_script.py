import pytest

from dragoman.text.script import any_letter, letters_of


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Öl", True),
        ("de", "ß", True),
        ("de", "ẞ", True),
        ("de-AT", "a", True),
        ("DE", "a", True),
        ("de", "", False),
        ("de", "123 ,.- 😀", False),
        ("de", "你好", False),
        ("de", "Привет", False),
        ("de", "שלום", False),
        ("de", "×÷", False),  # between Ö and ø, but no letters
        ("vi", "ệ", True),
        ("ru", "Привет", True),
        ("ru", "hello", False),
        ("el", "Ωραίο", True),
        ("zh", "你好", True),
        ("zh-Hant", "臺灣", True),
        ("ja", "ひらがな", True),
        ("ko", "안녕", True),
        ("ar", "مرحبا", True),
        ("he", "שלום", True),
        ("hi", "नमस्ते", True),
        ("zh_hant", "臺灣", True),
        ("be", "Прывітанне", True),
        ("sr", "Здраво", True),
        ("sr", "Zdravo", True),
        ("az", "Salam", True),
        ("bn", "হ্যালো", True),
        ("gu", "નમસ્તે", True),
        ("kn", "ನಮಸ್ಕಾರ", True),
        ("ml", "നമസ്കാരം", True),
        ("ta", "வணக்கம்", True),
        ("te", "నమస్కారం", True),
        ("th", "สวัสดี", True),
        ("fa", "سلام", True),
        ("th", "hello", False),
        ("xx", "abc", True),  # unknown: taken for Latin
    ],
)
def test_letters_of(language: str, text: str, expected: bool) -> None:
    assert bool(letters_of(language).search(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"), [("", False), (" 12.😀", False), ("1a", True), ("你", True)]
)
def test_any_letter(text: str, expected: bool) -> None:
    assert any_letter(text) is expected
