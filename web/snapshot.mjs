// Writes the memory of a Python interpreter that has imported the core: node web/snapshot.mjs WHEEL OUT
//
// Restoring it takes a quarter of the time that starting Python and importing the core take (ADR 7).
// What it cannot hold: extension modules (SentencePiece is imported when a vocabulary is loaded) and
// files (nothing of the core is read again). The same wheel gives the same bytes: what an interpreter draws
// at random and what it takes from the clock is made fixed, as all who restore it have the same anyway.
import crypto from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const [wheel, out] = process.argv.slice(2);

const PAGE = 4096; // What an operating system gives memory by.

/** As `web/src/workers/language/snapshot.ts` reads it; Pyodide's has its head's bytes in the second figure. */
function withoutZeros(whole) {
  const headBytes = new DataView(whole.buffer, whole.byteOffset).getUint32(4, true);
  const memory = Buffer.from(whole.buffer, whole.byteOffset + headBytes, whole.length - headBytes);
  const runs = [];
  for (let start = 0; start < memory.length; start += PAGE) {
    const end = Math.min(start + PAGE, memory.length);
    if (memory.subarray(start, end).every((byte) => byte === 0)) continue;
    const last = runs.at(-1);
    if (last?.end === start) last.end = end;
    else runs.push({ start, end });
  }
  const figures = [memory.length, headBytes, runs.length, ...runs.flatMap(({ start, end }) => [start, end - start])];
  return Buffer.concat([
    Buffer.from(Uint32Array.from(figures).buffer),
    whole.subarray(0, headBytes),
    ...runs.map(({ start, end }) => memory.subarray(start, end)),
  ]);
}

/** Fills an array with numbers that are no secret. */
function fill(array) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  bytes.forEach((_, index) => {
    bytes[index] = (index * 7) % 256;
  });
  return array;
}

Object.defineProperty(globalThis.crypto, "getRandomValues", { value: fill });
crypto.randomFillSync = fill;
Date.now = () => Date.UTC(2020, 0);
performance.now = () => 0;
const env = { HOME: "/home/pyodide", PYTHONHASHSEED: "0" };
// Else it would be the path of this script, on the machine that built it.
const python = await loadPyodide({ _makeSnapshot: true, env, _sysExecutable: "python" });
python.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel", { extractDir: "/core" });
python.runPython(`
import sys
sys.path.append("/core")
import dragoman.bridge
# Needed the first time that anything waits, and by SentencePiece, which looks for its own folder: what it asks
# of the standard library would be compiled from source then.
import asyncio, csv, importlib.resources
import importlib.readers, importlib.resources._adapters, importlib.resources.readers
sys.path.remove("/core")
sys.path_importer_cache.clear()
assert "sentencepiece" not in sys.modules
`);
writeFileSync(out, gzipSync(withoutZeros(python.makeMemorySnapshot()), { level: 9 }));
process.exit(0); // The interpreter keeps node alive.
