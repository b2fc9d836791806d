"""What a release says of itself is the same wherever it is made."""

from __future__ import annotations

from typing import Any

from scripts.release import javascript_sbom


def test_the_bill_of_materials_names_the_package_and_no_folder() -> None:
    bill: Any = javascript_sbom()
    assert bill["metadata"]["component"]["name"] == "dragoman-web"
    assert {part["name"] for part in bill["components"]} >= {"onnxruntime-web", "pyodide"}
    assert "serialNumber" not in bill
    assert "timestamp" not in bill["metadata"]
