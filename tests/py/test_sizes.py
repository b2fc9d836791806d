"""Files, folders and classes are of a size to be read, in sources and tests alike."""

import ast
from pathlib import Path

import pytest

from tests.support.paths import ROOT

FOLDERS = ("py", "tests", "scripts", "web", "extension", "kernel", "wasm", "examples", "image")
KINDS = {".py", ".ts", ".js", ".mjs", ".css", ".c", ".h", ".sh"}
# What is built, and what others wrote or would write: data.
NOT_OURS = {"node_modules", "dist", "fixtures", "golden", "__pycache__", "public"}
SOURCES = [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in KINDS and not NOT_OURS & set(path.parts)
]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_files_are_of_a_length_to_be_read() -> None:
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in SOURCES}
    assert {name: length for name, length in lengths.items() if length > 500} == {}


@pytest.mark.parametrize("folder", sorted({path.parent for path in SOURCES}), ids=name_of)
def test_no_folder_is_too_full(folder: Path) -> None:
    files = [path for path in SOURCES if path.parent == folder and path.name != "__init__.py"]
    assert len(files) <= 20


def test_a_class_of_many_methods_says_why() -> None:
    """Those of TypeScript: eslint.config.js."""
    many = [
        f"{name_of(path)}: {cls.name} has {len(methods)} methods"
        for path in SOURCES
        if path.suffix == ".py"
        for cls in classes(path)
        if len(methods := methods_of(cls)) > 20 and "methods" not in (ast.get_docstring(cls) or "")
    ]
    assert many == []


def classes(path: Path) -> list[ast.ClassDef]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return [node for node in nodes if isinstance(node, ast.ClassDef)]


def methods_of(cls: ast.ClassDef) -> list[ast.stmt]:
    return [node for node in cls.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
