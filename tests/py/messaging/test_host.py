"""What the extension's messages do; a fake model gives back what it gets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.errors import BundleError
from dragoman.messaging import host as messaging
from dragoman.messaging.host import MessagingHost
from dragoman.types import LanguagePair
from tests.support.helpers import DE_EN, FakeSource
from tests.support.waiting import until_told

EN_FR = LanguagePair("en", "fr")


class Extension:
    """The other end, with all that it was told."""

    def __init__(self, source: FakeSource) -> None:
        self.told: list[dict[str, Any]] = []
        self.host = MessagingHost(source, "1.2.3", Limits(), self.told.append)

    def say(self, **message: Any) -> None:
        self.host.receive(message)

    def translate(self, id_: int, text: str = "Hallo.", **request: Any) -> None:
        request = {"text": text, "source": "de", "target": "en", **request}
        self.say(type="translate", id=id_, request=request)

    async def outcome(self, id_: int) -> dict[str, Any]:
        def settled() -> list[dict[str, Any]]:
            return [m for m in self.told if (m["type"], m.get("id")) == ("settled", id_)]

        await until_told(settled)
        (message,) = settled()
        outcome: dict[str, Any] = message["outcome"]
        return outcome

    async def error(self, id_: int) -> str:
        return str((await self.outcome(id_))["error"]["code"])


@pytest.fixture
def source() -> FakeSource:
    return FakeSource({DE_EN: 1, EN_FR: 1})


@pytest.fixture
async def extension(source: FakeSource) -> AsyncIterator[Extension]:
    made = Extension(source)
    yield made
    await made.host.close()


async def test_it_says_its_release_and_every_direction_it_reaches(extension: Extension) -> None:
    extension.say(type="hello")
    directions = [("de", "en"), ("de", "fr"), ("en", "fr")]
    assert extension.told == [
        {
            "type": "ready",
            "release": "1.2.3",
            "directions": [{"source": one, "target": two} for one, two in directions],
        }
    ]


async def test_a_text_with_an_element_comes_back_in_utf_16(extension: Extension) -> None:
    elements = [{"range": [0, 2], "kind": "inline"}]
    extension.translate(7, "🐕 da.", elements=elements, alignment="none")
    outcome = await extension.outcome(7)
    assert outcome["ok"] is True
    assert outcome["response"]["text"] == "🐕 da."
    assert outcome["response"]["content"] == [{"element": 0, "content": [[0, 2]]}, [2, 6]]
    assert outcome["response"]["alignment"] is None


async def test_a_narrower_language_is_served(extension: Extension) -> None:
    extension.translate(1, source="de-AT")
    assert (await extension.outcome(1))["ok"] is True


async def test_progress_is_told_if_it_was_asked_for(extension: Extension) -> None:
    request = {"text": "Eins. Zwei.", "source": "de", "target": "en"}
    extension.say(type="translate", id=1, request=request, progress=True)
    await extension.outcome(1)
    progress = [m for m in extension.told if m["type"] == "progress"]
    assert progress[-1] == {"type": "progress", "id": 1, "state": "running", "done": 2, "total": 2}
    extension.told.clear()
    extension.translate(2)
    await extension.outcome(2)
    assert [m["type"] for m in extension.told] == ["settled"]


async def test_what_was_cancelled_is_settled_once(extension: Extension, source: FakeSource) -> None:
    source.hold()
    extension.translate(1)
    extension.say(type="cancel", id=1)
    assert await extension.error(1) == "cancelled"
    extension.say(type="cancel", id=1)
    extension.say(type="prioritize", id=1, priority="visible")
    source.release()
    extension.translate(1)
    await until_told(lambda: len(extension.told) == 2)
    assert extension.told[1]["outcome"]["ok"] is True


async def test_a_deadline_ends_a_request(extension: Extension, source: FakeSource) -> None:
    source.hold()
    extension.translate(1, deadline=0.01)
    assert await extension.error(1) == "deadline"


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"source": "fi"}, "language-pair"),
        ({"text": 1}, "invalid-request"),
        ({"priority": "now"}, "invalid-request"),
        ({"deadline": -1}, "invalid-request"),
        ({"elements": [{"range": [0, 99], "kind": "inline"}]}, "invalid-elements"),
        ({"text": "a" * 500_001}, "text-too-long"),
    ],
)
async def test_a_request_that_cannot_be_served_says_why(
    extension: Extension, request_: dict[str, Any], code: str
) -> None:
    extension.translate(1, **request_)
    assert await extension.error(1) == code


async def test_a_model_that_cannot_be_loaded_is_an_error_of_its_request(
    extension: Extension, source: FakeSource
) -> None:
    source.failures[DE_EN] = BundleError("damaged")
    extension.translate(1)
    assert await extension.error(1) == "bundle"


@pytest.mark.parametrize(
    "message",
    [
        None,
        [],
        "hello",
        {},
        {"type": "stop"},
        {"type": "translate", "id": "1", "request": {}},
        {"type": "translate", "id": 1, "request": []},
        {"type": "cancel"},
        {"type": "prioritize", "id": 1, "priority": "now"},
    ],
)
async def test_what_is_no_message_is_told_without_a_word_of_it(
    extension: Extension, message: object
) -> None:
    extension.host.receive(message)
    (told,) = extension.told
    assert told["type"] == "failed"
    assert told["error"]["code"] == "invalid-request"
    extension.translate(5)
    assert (await extension.outcome(5))["ok"] is True


async def test_an_id_in_use_and_too_many_requests_are_refused(
    extension: Extension, source: FakeSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messaging, "OPEN_REQUESTS", 2)
    source.hold()
    extension.translate(1)
    extension.translate(1)
    assert extension.told[0]["error"]["message"] == "the id 1 is in use"
    extension.translate(2)
    extension.translate(3)
    error = (await extension.outcome(3))["error"]
    assert error["code"] == "queue-full"
    assert error["details"] == {"requested": 3, "allowed": 2, "counted": "requests"}
    source.release()
    assert (await extension.outcome(1))["ok"] is True


async def test_closing_settles_what_is_open(extension: Extension, source: FakeSource) -> None:
    source.hold()
    extension.translate(1)
    await extension.host.close()
    assert await extension.error(1) == "cancelled"
