"""Callbacks of a loop whose own turns are counted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from dragoman.bridge.turns import TURN_SECONDS, Turns, take_turns


class Browser:
    """Gives a turn when told to."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.asked: list[Callable[[], None]] = []
        self.turns = Turns(self.loop, self.asked.append)

    def turn(self) -> None:
        self.asked.pop(0)()


@pytest.fixture
def browser() -> Browser:
    return Browser()


def test_one_turn_calls_all_in_order(browser: Browser) -> None:
    called: list[str] = []
    browser.turns.call_soon(called.append, "a")
    browser.turns.call_soon(called.append, "b")
    assert called == []
    assert len(browser.asked) == 1
    browser.turn()
    assert called == ["a", "b"]
    assert browser.asked == []


def test_what_a_callback_asks_for_comes_in_the_same_turn(browser: Browser) -> None:
    called: list[str] = []
    browser.turns.call_soon(browser.turns.call_soon, called.append, "inner")
    browser.turns.call_soon(called.append, "outer")
    browser.turn()
    assert called == ["outer", "inner"]
    assert browser.asked == []


def test_a_cancelled_callback_is_not_called(browser: Browser) -> None:
    called: list[str] = []
    browser.turns.call_soon(called.append, "never").cancel()
    browser.turn()
    assert called == []


def test_the_browser_has_its_turn_when_time_is_over(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    called: list[int] = []

    def slow(number: int) -> None:
        called.append(number)
        clock[0] += TURN_SECONDS

    for number in range(3):
        browser.turns.call_soon(slow, number)
    browser.turn()
    assert called == [0]
    browser.turn()
    browser.turn()
    assert called == [0, 1, 2]
    assert browser.asked == []


def test_an_exit_leaves_the_others_for_the_next_turn(browser: Browser) -> None:
    def leave() -> None:
        raise SystemExit(3)

    called: list[str] = []
    browser.turns.call_soon(leave)
    browser.turns.call_soon(called.append, "after")
    with pytest.raises(SystemExit):
        browser.turn()
    browser.turn()
    assert called == ["after"]


def test_a_failing_callback_is_told_and_holds_up_none(browser: Browser) -> None:
    told: list[object] = []
    browser.loop.set_exception_handler(lambda _, context: told.append(context["exception"]))
    error, called = ValueError("broken"), list[str]()

    def fail() -> None:
        raise error

    browser.turns.call_soon(fail)
    browser.turns.call_soon(called.append, "after")
    browser.turn()
    assert told == [error]
    assert called == ["after"]


def test_tasks_run_on_a_loop_that_takes_turns() -> None:
    async def main() -> list[int]:
        loop = asyncio.get_running_loop()
        take_turns(loop)
        own = loop.call_soon
        take_turns(loop)
        assert loop.call_soon == own
        assert type(loop.create_future()) is asyncio.Future

        async def double(number: int) -> int:
            await asyncio.sleep(0)
            return 2 * number

        return await asyncio.gather(*map(double, range(4)))

    assert asyncio.run(main()) == [0, 2, 4, 6]
