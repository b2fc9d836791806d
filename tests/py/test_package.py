"""What `import dragoman` gives, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dragoman


def test_every_public_name_is_there() -> None:
    for name in dragoman.__all__:
        assert getattr(dragoman, name) is not None
        assert name in dir(dragoman)
    assert len(set(dragoman.__all__)) == len(dragoman.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = dragoman.nothing


def test_the_import_is_light() -> None:
    heavy = ["numpy", "onnxruntime", "typer", "fastapi", "sentencepiece", "asyncio", "rich"]
    code = f"import sys, dragoman; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_types_do_not_bring_the_engine() -> None:
    code = (
        "import sys; from dragoman import Limits, Span, TranslationService, TextTooLongError;"
        "print('onnxruntime' in sys.modules, 'numpy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False False\n"
