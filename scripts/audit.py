#!/usr/bin/env python3
"""Known advisories about what is locked: python scripts/audit.py --pip-audit COMMAND

Exit codes: 0 nobody knows of any; 1 there are some; 3 it could not all be asked about.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CLEAN, FOUND, UNKNOWN = 0, 1, 3
LOCKS = ("app", "build", "dev", "models", "tools")  # `server` and `dragoman` are in them


def of_python(answer: Mapping[str, Any]) -> list[str]:
    """Lines about what pip-audit wrote, one an advisory."""
    return [
        f"{package['name']} {package['version']}: {advisory['id']}, repaired in "
        f"{', '.join(advisory['fix_versions']) or 'no version'}"
        for package in answer["dependencies"]
        for advisory in package.get("vulns", ())
    ]


def unknown_of_python(answer: Mapping[str, Any]) -> str:
    """How many packages the service told nothing about; "" where that is none.

    pip-audit itself says "No known vulnerabilities found" of these.
    """
    packages = answer["dependencies"]
    skipped = sum("skip_reason" in package for package in packages)
    return f"the service told nothing about {skipped} of {len(packages)}" if skipped else ""


def of_npm(answer: Mapping[str, Any]) -> list[str]:
    """Lines about what `npm audit --json` wrote, one a package."""
    packages = answer["vulnerabilities"].values()
    return [f"{package['name']} {package['range']}: {package['severity']}" for package in packages]


def run(command: Sequence[str | Path]) -> Mapping[str, Any] | None:
    """The JSON that a command wrote; None where it could not ask its service."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return None
    known = isinstance(answer, dict) and ("dependencies" in answer or "vulnerabilities" in answer)
    return answer if known and done.returncode in (CLEAN, FOUND) else None


def told(name: str, lines: Iterable[str]) -> bool:
    """Print lines, if there are any."""
    lines = list(lines)
    for line in lines:
        print(f"{name}: advisory: {line}")
    return bool(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pip-audit", required=True, type=Path, help="The command.")
    pip_audit = parser.parse_args().pip_audit
    advised = unknown = False
    for name in LOCKS:
        lock = f"locks/{name}.txt"
        options = ["--require-hashes", "--disable-pip", "--progress-spinner=off", "--format=json"]
        answer = run([pip_audit, *options, "--requirement", lock])
        if answer is None:
            print(f"{lock}: not known: the advisory service could not be asked")
            unknown = True
            continue
        advised |= told(lock, of_python(answer))
        if skipped := unknown_of_python(answer):
            print(f"{lock}: not known: {skipped}")
            unknown = True
    answer = run(["npm", "audit", "--json", "--package-lock-only"])
    if answer is None:
        print("package-lock.json: not known: the registry gives no advisories")
        unknown = True
    else:
        advised |= told("package-lock.json", of_npm(answer))
    return verdict(advised, unknown)


def verdict(advised: bool, unknown: bool) -> int:
    """The exit code; what it means is printed."""
    if advised:
        print("audit: there are advisories")
        return FOUND
    if unknown:
        print("audit: no result: not everything could be asked about")
        return UNKNOWN
    print("audit: no advisory is known about anything that is locked")
    return CLEAN


if __name__ == "__main__":
    sys.exit(main())
