"""Words a second of the server with one process and with several.

    python -m tests.bench.server_workers [--seconds 15] [--clients 16] [--workers 1 2]

Clients in a process of their own each post a text of three sentences, wait, and post again; JSON on
standard output. With one worker the engine has as many threads as there are cores, and one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import time
from statistics import median, quantiles
from typing import Any

import httpx

from tests.support.paths import ROOT

TEXT = (
    "Gestern habe ich im Park eine alte Freundin getroffen, die ich lange nicht gesehen hatte. "
    "Wir haben Kaffee getrunken und über die Schule geredet. Es war schön."
)
BODY = {"text": TEXT, "source": "de", "target": "en"}
WARM_UP_SECONDS = 3


def measure(workers: int, threads: int, clients: int, seconds: float) -> dict[str, Any]:
    command = [
        sys.executable, "-m", "dragoman", "serve", "--port", "0", "--models", str(ROOT / "models"),
        "--workers", str(workers), "--threads", str(threads),
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as server:
        assert server.stderr is not None
        found = re.search(rb"http://127\.0\.0\.1:\d+", server.stderr.readline())
        assert found is not None
        try:
            times = asyncio.run(_load(found[0].decode(), clients, seconds))
        finally:
            server.terminate()
    cuts = quantiles(times, n=20)
    return {
        "workers": workers,
        "threads": threads,
        "clients": clients,
        "words_per_second": round(len(times) * len(TEXT.split()) / seconds),
        "p50_ms": round(median(times) * 1000),
        "p95_ms": round(cuts[18] * 1000),
    }


async def _load(base: str, clients: int, seconds: float) -> list[float]:
    """Seconds of each request that ended in the time that counts."""
    times: list[float] = []
    async with httpx.AsyncClient(base_url=base, timeout=120) as client:
        while (await client.get("/healthz/ready")).status_code != 200:
            await asyncio.sleep(0.1)
        counted = time.perf_counter() + WARM_UP_SECONDS
        end = counted + seconds

        async def ask() -> None:
            while (start := time.perf_counter()) < end:
                response = await client.post("/v1/translate", json=BODY)
                response.raise_for_status()
                if counted < time.perf_counter() < end:
                    times.append(time.perf_counter() - start)

        await asyncio.gather(*(ask() for _ in range(clients)))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--workers", type=int, nargs="*", default=[2])
    wanted = parser.parse_args()
    cores = os.cpu_count() or 1
    settings = [(1, 1), (1, cores), *((workers, 1) for workers in wanted.workers)]
    results = [measure(*setting, wanted.clients, wanted.seconds) for setting in settings]
    print(json.dumps({"cores": cores, "results": results}, indent=1))


if __name__ == "__main__":
    main()
