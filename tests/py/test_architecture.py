"""Who may import whom, and that the protocol names every error (architecture.md, protocol.md)."""

import ast
import re
import sys
from pathlib import Path

import pytest

from dragoman import errors

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "py" / "dragoman"
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.name != "__init__.py"
}

GROUND = {"types", "errors", "config"}
STAGES = {
    "abbreviations", "align", "assemble", "batching", "carry", "compose", "elements",
    "literals", "markup", "numbers", "protect",
    "script", "search", "split", "tokenizer", "turns", "utf16", "wrap",
}  # fmt: skip
# Each with its reason; keep them few.
STAGE_EXCEPTIONS = {
    ("align", "literals"),  # each is one word
    ("assemble", "align"),  # copied sentences have the words of translated ones
    ("split", "abbreviations"),  # the data of its rules
    ("protect", "literals"),  # what is to be kept
    ("batching", "turns"),  # which priority leads
}
PLACEMENT = PACKAGE / "placement"  # a stage that is a package
# What the service is made of, beside the stages.
SERVICE = {"cache", "counters", "handle", "job", "kept", "preparation", "service"}
CORE = GROUND | STAGES | SERVICE | {"bridge", "bundle", "engine", "pipeline", "wire"}
# What serves several models, and requests that depend on each other.
GRAPH = {"graph", "reading", "registry", "router", "session", "stream"}
CORE |= GRAPH
FOREIGN_TO_THE_CORE = {
    "js", "pyodide", "pyodide_js", "torch", "onnx", "onnxruntime", "numpy", "fastapi", "uvicorn",
    "typer", "rich", "threading", "socket", "urllib", "http", "subprocess", "multiprocessing",
}  # fmt: skip
STANDARD_ONLY = (
    GROUND | (STAGES - {"tokenizer"}) | SERVICE | {"bundle", "engine", "pipeline", "wire"}
)
STANDARD_ONLY |= GRAPH
SHELLS = {"bridge", "server", "cli"}
# What the shells of the native host share.
NATIVE = {
    "bundles", "native", "corpus", "_console", "_corpus_command", "_corpus_plan", "_executors",
    "_files", "_progress", "_shards", "_streaming", "_translate", "submission",
}  # fmt: skip


def imports(path: Path) -> set[str]:
    """Full names of what a file imports, in functions too; of the package, its modules."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            found.add(node.module or "")
            if node.module == "dragoman" or f"{node.module}" in ("dragoman.engines",):
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def own(names: set[str]) -> set[str]:
    """First name below the package: "engines", "types" ..."""
    return {name.split(".")[1] for name in names if name.startswith("dragoman.")}


def core_module(name: str) -> Path:
    return PACKAGE / f"{name}.py"


def test_every_module_is_assigned_here():
    direct = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    known = CORE | SHELLS | NATIVE
    assert direct <= known, f"say what these may import: {direct - known}"
    assert all(core_module(name).exists() for name in CORE)


@pytest.mark.parametrize("name", sorted(GROUND))
def test_the_ground_imports_only_the_standard_library(name):
    roots = {found.partition(".")[0] for found in imports(core_module(name))}
    assert roots <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("name", sorted(STAGES))
def test_stages_import_the_ground_and_never_each_other(name):
    allowed = GROUND | {other for stage, other in STAGE_EXCEPTIONS if stage == name}
    assert own(imports(core_module(name))) <= allowed


@pytest.mark.parametrize("path", sorted(PLACEMENT.glob("*.py")), ids=lambda path: path.stem)
def test_placement_imports_the_ground_and_itself(path):
    found = imports(path)
    assert own(found) <= GROUND | {"placement"}
    assert {name.partition(".")[0] for name in found} <= {*sys.stdlib_module_names, "dragoman"}


def test_the_exceptions_are_needed():
    for stage, other in STAGE_EXCEPTIONS:
        assert other in own(imports(core_module(stage)))


@pytest.mark.parametrize("name", sorted(CORE))
def test_the_core_is_plain_python(name):
    found = imports(core_module(name))
    roots = {root.partition(".")[0] for root in found}
    assert not roots & FOREIGN_TO_THE_CORE
    assert not own(found) & ({"models", "server", "cli", "html"} | NATIVE)
    if name in STANDARD_ONLY:
        assert roots <= {*sys.stdlib_module_names, "dragoman"}


def test_the_core_names_one_engine_only_in_its_door():
    for name in CORE:
        engines = {f for f in imports(core_module(name)) if f.startswith("dragoman.engines")}
        assert name == "bridge" or not engines
    assert "dragoman.engines.onnxruntime" not in imports(core_module("bridge"))


def test_the_browser_engine_is_plain_python():
    found = imports(PACKAGE / "engines" / "browser.py")
    roots = {root.partition(".")[0] for root in found}
    assert roots <= {*sys.stdlib_module_names, "dragoman"}


def test_shells_stand_side_by_side():
    for module, path in MODULES.items():
        shell = module.split(".")[1]
        if shell in {"bridge", "server"} | NATIVE:
            assert not own(imports(path)) & (SHELLS - {shell}), module
    inner = CORE - SHELLS
    for name in inner:
        assert not own(imports(core_module(name))) & SHELLS


def test_nothing_but_the_command_imports_models():
    for module, path in MODULES.items():
        if module.split(".")[1] not in ("models", "cli"):
            assert "models" not in own(imports(path)), module


def test_utf16_is_met_in_one_place():
    """The language core counts code points; only the doors convert."""
    users = {m.split(".")[1] for m, path in MODULES.items() if "utf16" in own(imports(path))}
    assert not users & (GROUND | STAGES | SERVICE | {"pipeline", "bundle", "engine"})


def test_modules_have_a_docstring():
    for module, path in MODULES.items():
        assert ast.get_docstring(ast.parse(path.read_text())), module


# --- the protocol --------------------------------------------------------------------------------


def error_classes(base: type = errors.DragomanError) -> list[type]:
    found = [base]
    for child in base.__subclasses__():
        found += error_classes(child)
    return [c for c in found if c.__module__ == errors.__name__ and not c.__name__.startswith("_")]


def wire_codes() -> set[str]:
    """Codes that a request or a bundle can meet; those of model building stay in the workshop."""
    workshop = set(error_classes(errors.WorkshopError))
    return {cls.code for cls in error_classes() if cls not in workshop}


def test_the_protocol_of_typescript_names_every_code():
    source = (ROOT / "web" / "src" / "protocol.ts").read_text()
    union = re.search(r"type PythonErrorCode =(.*?);", source, re.DOTALL)
    assert union is not None
    assert set(re.findall(r'"([a-z-]+)"', union[1])) == wire_codes()


def test_the_protocol_names_every_code():
    """In a table whose rows begin with a code: | `engine` | ... |"""
    text = (ROOT / "docs" / "protocol.md").read_text()
    browser = {"worker-gone", "not-supported", "network"}
    # Rows of two columns; those of the server have a status between.
    table = set(re.findall(r"^\| `([a-z-]+)` \|(?! \d)", text, re.MULTILINE))
    assert table >= wire_codes()
    assert {code for code in table if code in browser} == browser
    assert table - browser <= wire_codes()


def test_the_protocol_names_every_code_of_the_server():
    """In a table of code, status and when: | `internal` | 500 | ... |"""
    text = (ROOT / "docs" / "protocol.md").read_text()
    table = set(re.findall(r"^\| `([a-z-]+)` \| \d{3} \|", text, re.MULTILINE))
    server = "".join(path.read_text() for path in (PACKAGE / "server").glob("*.py"))
    used = set(re.findall(r"Problem\(\s*\d{3},\s*\"([a-z-]+)\"", server))
    used |= set(re.findall(r"\b40\d: \"([a-z-]+)\"", server))
    assert {"internal", "server-busy", "not-found"} <= used
    assert table == used
