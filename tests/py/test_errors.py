import inspect
import json
import pickle
import re
from typing import Any

import pytest

from dragoman import errors
from dragoman.errors import (
    DeadlineError,
    DragomanError,
    LanguagePairError,
    QueueFullError,
    RequestError,
    SentenceTooLongError,
    TextTooLongError,
    typed,
)

CLASSES = [
    value
    for name, value in inspect.getmembers(errors, inspect.isclass)
    if issubclass(value, DragomanError) and not name.startswith("_")
]


def test_codes_are_unique() -> None:
    codes = [cls.code for cls in CLASSES]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes)


def test_the_drawing_is_the_tree() -> None:
    lines = re.findall(r"^([| ]*)(?:[|`]-- )?(\w+Error)\b", errors.__doc__ or "", re.MULTILINE)
    assert {name for _, name in lines} == {cls.__name__ for cls in CLASSES}
    parents = {"DragomanError": "Exception"}
    path: list[str] = []
    for indent, name in lines:
        # The root stands alone; each level below it is four columns deep.
        depth = 0 if name == "DragomanError" else len(indent) // 4 + 1
        path[depth:] = [name]
        if depth:
            parents[name] = path[depth - 1]
    for cls in CLASSES:
        drawn = getattr(errors, parents[cls.__name__], Exception)
        assert issubclass(cls, drawn), cls
        public = [base for base in cls.__mro__[1:] if not base.__name__.startswith("_")]
        assert public[0] is drawn, cls


def test_the_drawing_names_the_codes() -> None:
    for name, code in re.findall(r"(\w+Error) +\"([a-z-]+)\"", errors.__doc__ or ""):
        assert getattr(errors, name).code == code


def test_a_full_queue_says_what_is_counted() -> None:
    error = QueueFullError(600_000, 500_000, "characters")
    assert error.details == {"requested": 600_000, "allowed": 500_000, "counted": "characters"}
    assert str(error) == "too many characters wait: 600,000 requested, 500,000 allowed"


def test_a_deadline_carries_what_was_done() -> None:
    error = DeadlineError(1.5, 3, 1_200)
    assert error.details == {"deadline": 1.5, "done": 3, "total": 1_200}
    assert str(error) == "not ready within 1.5 s: 3 of 1,200 sentences were done"


@pytest.mark.parametrize("cls", [TextTooLongError, SentenceTooLongError])
def test_limits_carry_both_figures(
    cls: type[TextTooLongError | SentenceTooLongError],
) -> None:
    error = cls(600_000, 500_000)
    assert (error.requested, error.allowed) == (600_000, 500_000)
    assert isinstance(error, RequestError)
    assert error.details == {"requested": 600_000, "allowed": 500_000}
    assert "600,000 requested, 500,000 allowed" in str(error)


def test_details_are_plain_data() -> None:
    error = LanguagePairError("de", "fr", "de-en")
    assert error.message == str(error) == "there is no model from 'de' to 'fr'; available: de-en"
    assert json.loads(json.dumps(error.details)) == {"source": "de", "target": "fr"}


def made(cls: type[DragomanError]) -> DragomanError:
    """One of a class, its constructor given what it asks for."""
    parameters = inspect.signature(cls).parameters.values()
    asked = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    values: dict[str, Any] = {
        "int": 3,
        "float": 2.5,
        "str": "wort",
        "Sequence[tuple[str, float]]": [("de", 0.5)],
    }
    return cls(*(values[p.annotation] for p in asked))


@pytest.mark.parametrize("cls", CLASSES)
def test_each_crosses_processes_with_its_cause(cls: type[DragomanError]) -> None:
    error = made(cls)
    error.message = f"a.txt, line 2: {error.message}"
    error.__cause__ = cause = LanguagePairError("de", "fr", "de-en")
    cause.__cause__ = OSError(2, "No such file", "a.bin")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(copy) is cls
    assert (str(copy), copy.message) == (str(error), error.message)
    assert (copy.details, vars(copy)) == (error.details, vars(error))
    assert str(copy.__cause__) == "there is no model from 'de' to 'fr'; available: de-en"
    assert copy.__cause__ is not None
    assert str(copy.__cause__.__cause__) == "[Errno 2] No such file: 'a.bin'"


def test_a_cause_that_cannot_be_pickled_is_told() -> None:
    class LocalError(Exception):
        pass

    error = DragomanError("broken")
    error.__cause__ = LocalError("why")
    restored, parts = error.__reduce__()  # what pickle asks, where no library asks in its place
    found = restored(*pickle.loads(pickle.dumps(parts)))  # noqa: S301
    assert repr(found.__cause__) == "RuntimeError(\"LocalError('why')\")"


def test_what_nobody_foresaw_is_said_without_our_insides() -> None:
    cause = KeyError("Geheimnis")
    error = typed(cause)
    assert error.message == "it failed for an unforeseen reason, which is a mistake of the program"
    assert error.__cause__ is cause
    known = DragomanError("as it is")
    assert typed(known) is known
