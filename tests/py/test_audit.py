"""`make audit` never says that all is well where it could not ask."""

from __future__ import annotations

import sys

import pytest

from scripts.audit import of_npm, of_python, run, unknown_of_python, verdict

ANSWER = {
    "dependencies": [
        {"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2", "3"]}]},
        {"name": "b", "version": "1", "vulns": [{"id": "PYSEC-2", "fix_versions": []}]},
        {"name": "c", "version": "1", "vulns": []},
        {"name": "d", "skip_reason": "Dependency not found on PyPI"},
    ]
}


def test_what_pip_audit_found() -> None:
    assert of_python(ANSWER) == [
        "a 1: PYSEC-1, repaired in 2, 3", "b 1: PYSEC-2, repaired in no version",
    ]  # fmt: skip


def test_what_the_service_told_nothing_about_is_counted() -> None:
    assert unknown_of_python(ANSWER) == "the service told nothing about 1 of 4"
    assert unknown_of_python({"dependencies": ANSWER["dependencies"][:3]}) == ""


def test_what_npm_found() -> None:
    options = {"e": {"name": "e", "range": "<2", "severity": "high"}}
    assert of_npm({"vulnerabilities": options}) == ["e <2: high"]


@pytest.mark.parametrize(
    ("printed", "code"),
    [
        ("", 1),
        ("no connection", 1),
        ('{"message": "405 Method Not Allowed"}', 1),
        ('{"dependencies": []}', 2),
        ("[]", 0),
    ],
)
def test_a_service_that_does_not_answer(printed: str, code: int) -> None:
    program = f"import sys; print({printed!r}); sys.exit({code})"
    assert run([sys.executable, "-c", program]) is None


def test_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    assert [verdict(*state) for state in ((False, False), (False, True), (True, True))] == [0, 3, 1]
    assert capsys.readouterr().out.splitlines() == [
        "audit: no advisory is known about anything that is locked",
        "audit: no result: not everything could be asked about",
        "audit: there are advisories",
    ]
