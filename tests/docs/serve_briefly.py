"""`dragoman serve` until it answers, then Ctrl-C: python -m tests.docs.serve_briefly serve ..."""

from __future__ import annotations

import signal
import subprocess
import sys


def main() -> int:
    """The server's own exit code; 1 if it never listened."""
    command = [sys.executable, "-m", "dragoman", *sys.argv[1:], "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        listening = any("Application startup complete" in line for line in server.stderr)
        server.send_signal(signal.SIGINT)
        server.stderr.read()
    return server.returncode if listening else 1


if __name__ == "__main__":
    sys.exit(main())
