import json

import pytest

from dragoman.app.addresses import is_own, page_of, typing

SERVER = "http://127.0.0.1:8766"


def test_the_page_translates_with_the_servers_engine() -> None:
    assert page_of(SERVER) == "http://127.0.0.1:8766/?engine=server"


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("http://127.0.0.1:8766/v1/translate", True),
        ("http://127.0.0.1:8766/?engine=server", True),
        ("blob:http://127.0.0.1:8766/3f1c", True),
        ("data:image/svg+xml,%3Csvg/%3E", True),
        ("http://127.0.0.1:87660/", False),
        ("http://127.0.0.1:8766@example.org/", False),
        ("blob:https://example.org/3f1c", False),
        ("https://example.org/http://127.0.0.1:8766/", False),
        ("file:///etc/hostname", False),
    ],
)
def test_requests_to_others_are_not_the_windows_own(address: str, own: bool) -> None:
    assert is_own(address, SERVER) is own


def test_a_text_cannot_end_the_string_that_it_stands_in() -> None:
    text = 'Er sagte: "Ja"\\\n\'`${x}`\u2028</script>'
    script = typing(text)
    literal = script.partition("field.value = ")[2].partition("; field.dispatchEvent")[0]
    assert json.loads(literal) == text
    assert "\n" not in script
    assert "\u2028" not in script
