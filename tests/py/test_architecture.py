"""Who may import whom, and that the protocol names every error (architecture.md, protocol.md)."""

import ast
import json
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import dragoman
from dragoman import errors
from tests.support.paths import ROOT

PACKAGE = ROOT / "py" / "dragoman"
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}

# A room imports itself, and rooms of the lines above its own: nothing points upwards, so that no
# two rooms can need each other. A room is a folder, or a file beside the folders.
PLAN = """
errors  config
types
graphemes  edits
student
marian  catalogue
text  markup  placement
html  documents  detection
engines
pipeline
service
routing
wire
bridge
native
dragoman
store  signing
corpus
server
messaging
app
models.data  models.network
models.packing
models.training  models.synthesis
models.distillation
models.detection
models.alignment
models.export
models.marian
models.measures
cli
__main__
"""
LINE = {room: number for number, line in enumerate(PLAN.split("\n")) for room in line.split()}
# What runs under Pyodide: plain Python, and SentencePiece in one file.
CORE = {
    "errors", "config", "types", "graphemes", "text", "markup", "placement", "engines", "pipeline",
    "service", "routing", "wire", "bridge", "detection", "edits", "documents", "html",
}  # fmt: skip
FOREIGN = {
    "dragoman.text.tokenizer": {"sentencepiece"},
    "dragoman.student.pieces": {"numpy"},  # natively only
    "dragoman.documents.text.markdown": {"markdown_it"},
    "dragoman.documents.charset": {"charset_normalizer"},
    "dragoman.documents.pdf.pages": {"pypdf"},
    **{
        f"dragoman.html{name}": {"justhtml"}
        for name in ("", ".parser", ".same", ".serialize", ".source", ".tags", ".units")
    },
    "dragoman.engines.kernel": {"numpy"},
    "dragoman.engines.kernel_model": {"numpy"},
    "dragoman.engines.beam_search": {"numpy"},
    "dragoman.engines.sampling": {"numpy"},
    "dragoman.engines.ensemble": {"numpy"},
    "dragoman.engines.stepwise": {"numpy", "onnxruntime"},
    "dragoman.engines.onnx_steps": {"numpy", "onnx", "onnxruntime"},
    "dragoman.engines.onnxruntime": {"numpy", "onnxruntime"},
    "dragoman.bridge": {"pyodide", "pyodide_js", "js"},
    "dragoman.marian.vocabulary": {"sentencepiece"},
    "dragoman.signing.keys": {"cryptography"},
    "dragoman.signing.signatures": {"cryptography"},
    "dragoman.marian.config": {"yaml"},  # only where models are written
}
SHELLS = {"bridge", "server", "messaging", "app", "cli"}
NOT_IN_THE_CORE = {"threading", "socket", "urllib", "http", "subprocess", "multiprocessing"}


def room_of(module: str) -> str:
    """The room of a module: "text" of "dragoman.text.split"."""
    names = module.split(".")[1:3]
    if not names:
        return "dragoman"
    return ".".join(names) if names[0] == "models" and len(names) > 1 else names[0]


def imports(path: Path) -> set[str]:
    """Full names of the modules that a file imports, in functions too."""
    seen = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            seen |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
            seen |= names or {node.module or ""}
    return seen


IMPORTS = {module: imports(path) for module, path in MODULES.items()}


def own(module: str) -> set[str]:
    """The modules of the package that one imports."""
    return {name for name in IMPORTS[module] if name.partition(".")[0] == "dragoman"}


def test_every_room_is_on_the_plan() -> None:
    rooms = {room_of(module) for module in MODULES} - {"models"}
    assert rooms == LINE.keys()


def test_the_drawing_of_the_rooms_is_the_plan() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    drawing = text.partition("py/dragoman   ")[2].partition("```")[0]
    rooms = re.findall(r"^  ([a-z/]+(?:  [a-z]+)*)   ", drawing, re.MULTILINE)
    drawn = [room for line in rooms for room in line.split("  ")]
    planned = [room for room in LINE if "." not in room and room not in ("dragoman", "__main__")]
    assert sorted({*drawn} - {"models/"}) == sorted(planned)


@pytest.mark.parametrize("module", sorted(MODULES.keys() - {"dragoman"}))
def test_nothing_imports_upwards(module: str) -> None:
    here = room_of(module)
    for name in own(module):
        there = room_of(name)
        assert there == here or LINE[there] < LINE[here], f"{module} imports {name}"


def test_modules_import_each_other_in_no_circle() -> None:
    order = TopologicalSorter({module: own(module) - {module} for module in MODULES})
    order.prepare()  # raises CycleError, with the circle


@pytest.mark.parametrize("module", sorted(m for m in MODULES if room_of(m) in CORE))
def test_the_core_is_plain_python(module: str) -> None:
    roots = {name.partition(".")[0] for name in IMPORTS[module]}
    plain = {*sys.stdlib_module_names, "dragoman"} - NOT_IN_THE_CORE
    assert roots <= plain | FOREIGN.get(module, set())


def test_what_the_browsers_door_needs_is_plain_python() -> None:
    """In rooms that are not all of the core too: the reader of published files."""
    needed, more = set(), {"dragoman.bridge"}
    while more:
        needed |= more
        more = {name for module in more for name in own(module)} - needed
    plain = {*sys.stdlib_module_names, "dragoman"} - NOT_IN_THE_CORE
    for module in needed - {"dragoman"}:
        roots = {name.partition(".")[0] for name in IMPORTS[module]}
        assert roots <= plain | FOREIGN.get(module, set()), module


def test_the_core_names_one_engine_only_in_its_door() -> None:
    for module in MODULES:
        engines = {name for name in own(module) if room_of(name) == "engines"}
        concrete = engines - {"dragoman.engines.port", "dragoman.engines.bundle"}
        if room_of(module) in CORE - {"engines", "bridge"}:
            assert not concrete, module
    assert "dragoman.engines.onnxruntime" not in own("dragoman.bridge")


def test_shells_stand_side_by_side() -> None:
    for module in MODULES:
        if room_of(module) in SHELLS - {"app", "cli"}:
            assert not {room_of(name) for name in own(module)} & (SHELLS - {room_of(module)})


def test_nothing_but_the_command_imports_models() -> None:
    for module in MODULES:
        if room_of(module) != "cli" and not module.startswith("dragoman.models"):
            assert not any(name.startswith("dragoman.models") for name in own(module)), module


def test_utf16_is_met_in_one_place() -> None:
    """The language core counts code points; only the doors convert."""
    users = {room_of(module) for module in MODULES if "dragoman.wire.utf16" in own(module)}
    assert users <= {"wire", "bridge", "server", "corpus", "cli"}


def test_no_test_imports_another() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        tests = {name for name in imports(path) if re.fullmatch(r"tests\..*\btest_\w+", name)}
        assert not tests, path


def test_public_names_are_sorted_and_there() -> None:
    assert dragoman.__all__ == sorted(dragoman.__all__)
    assert set(dir(dragoman)) >= set(dragoman.__all__)
    for name in dragoman.__all__:
        assert getattr(dragoman, name) is not None


def test_modules_have_a_docstring() -> None:
    for module, path in MODULES.items():
        assert ast.get_docstring(ast.parse(path.read_text())), module


# --- the protocol --------------------------------------------------------------------------------


def error_classes(
    base: type[errors.DragomanError] = errors.DragomanError,
) -> list[type[errors.DragomanError]]:
    folders = [base]
    for child in base.__subclasses__():
        folders += error_classes(child)
    return [
        c for c in folders if c.__module__ == errors.__name__ and not c.__name__.startswith("_")
    ]


def wire_codes() -> set[str]:
    """Codes that a request or a bundle can meet; those of model building stay in the workshop."""
    workshop = set(error_classes(errors.WorkshopError))
    return {cls.code for cls in error_classes() if cls not in workshop}


def test_the_contract_of_typescript_names_every_code() -> None:
    contract = json.loads((ROOT / "web" / "src" / "wire" / "contract.json").read_text())
    assert contract["errors"].keys() == wire_codes()


def test_the_protocol_names_every_code() -> None:
    """In a table whose rows begin with a code: | `engine` | ... |"""
    text = (ROOT / "docs" / "protocol.md").read_text()
    browser = {"worker-gone", "not-supported", "network"}
    # Rows of two columns; those of the server have a status between.
    table = set(re.findall(r"^\| `([a-z-]+)` \|(?! \d)", text, re.MULTILINE))
    assert table >= wire_codes()
    assert {code for code in table if code in browser} == browser
    assert table - browser <= wire_codes()


def test_the_protocol_names_every_code_of_the_server() -> None:
    """In a table of code, status and when: | `internal` | 500 | ... |"""
    text = (ROOT / "docs" / "protocol.md").read_text()
    table = set(re.findall(r"^\| `([a-z-]+)` \| \d{3} \|", text, re.MULTILINE))
    server = "".join(path.read_text() for path in (PACKAGE / "server").rglob("*.py"))
    used = set(re.findall(r"Problem\(\s*\d{3},\s*\"([a-z-]+)\"", server))
    used |= set(re.findall(r"\b40\d: \"([a-z-]+)\"", server))
    assert {"internal", "server-busy", "not-found"} <= used
    assert table == used
