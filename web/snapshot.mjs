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
writeFileSync(out, gzipSync(python.makeMemorySnapshot(), { level: 9 }));
process.exit(0); // The interpreter keeps node alive.
