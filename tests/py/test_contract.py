"""What both sides must know alike is written down as Python says it (`web/contract.py`)."""

import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"


def test_the_contract_is_current() -> None:
    command = [sys.executable, str(WEB / "contract.py"), "--check"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
