// Loads the wheel into Pyodide under node and compares it with the native sentencepiece.
//
//   node wasm/test_wheel_node.mjs [--import-only] [--native PYTHON] [--model SPM] PYODIDE_DIR [WHEEL]
//
// PYODIDE_DIR is the npm package's folder (node_modules/pyodide); WHEEL defaults to wasm/wheels/*.whl.
// Without --native the pieces are only checked for themselves (spans in order, cut from the text).
// Prints the pieces, the times and what differs; exits with 1 when anything does.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "import-only": { type: "boolean", default: false },
    native: { type: "string" },
    model: { type: "string", default: join(here, "../tests/fixtures/tiny.spm") },
  },
});
const [pyodideDir, wheelPath = vendoredWheel()] = positionals;
if (!pyodideDir) {
  console.error("usage: test_wheel_node.mjs [--import-only] [--native PYTHON] [--model SPM] PYODIDE_DIR [WHEEL]");
  process.exit(2);
}

function vendoredWheel() {
  const folder = join(here, "wheels");
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".whl")));
}

async function timed(label, work) {
  const start = performance.now();
  const value = await work();
  console.log(`${label}: ${(performance.now() - start).toFixed(0)} ms`);
  return value;
}

/** Every place where two JSON values differ, as `path: native | wasm`. */
function differences(native, wasm, path = "") {
  const isTree = (value) => typeof value === "object" && value !== null;
  if (!isTree(native) || !isTree(wasm)) {
    return native === wasm ? [] : [`${path}: ${JSON.stringify(native)} | ${JSON.stringify(wasm)}`];
  }
  const keys = new Set([...Object.keys(native), ...Object.keys(wasm)]);
  return [...keys].flatMap((key) => differences(native[key], wasm[key], `${path}/${key}`));
}

const { loadPyodide } = await import(pathToFileURL(join(resolve(pyodideDir), "pyodide.mjs")));
const py = await timed("pyodide start", () => loadPyodide({ indexURL: resolve(pyodideDir) }));
const heapMB = () => (py._module.HEAPU8.length / 1e6).toFixed(1);
console.log(`heap: ${heapMB()} MB`);

await timed("loadPackage(wheel)", () => py.loadPackage(resolve(wheelPath), { messageCallback() {} }));
await timed("import sentencepiece", () => py.runPythonAsync("import sentencepiece"));
console.log(`heap: ${heapMB()} MB`);

py.FS.writeFile("/wheel_cases.py", readFileSync(join(here, "wheel_cases.py"), "utf8"));
py.runPython("import sys; sys.path.insert(0, '/')");
// A Uint8Array, not node's Buffer: Pyodide's conversions know only the former.
py.globals.set("model", py.toPy(new Uint8Array(readFileSync(options.model))));
py.runPython("model = bytes(model)");

const failed = [];
if (options["import-only"]) {
  const found = py.runPython(`
import json, wheel_cases
sp = sentencepiece.SentencePieceProcessor(model_proto=model)
text = "The reader u\\u0308bersetzt 翻译 👍🏽."
found = wheel_cases.pieces(sp, text)
json.dumps({"pieces": found, "decoded": sp.decode([p[1] for p in found])})`);
  const { pieces, decoded } = JSON.parse(found);
  if (decoded !== "The reader übersetzt 翻译 👍🏽.") failed.push(`decoded: ${decoded}`);
  console.log(`${pieces.length} pieces, decoded: ${decoded}`);
} else {
  py.globals.set("memory", () => py._module.HEAPU8.length); // the heap only grows: its size is its peak
  const figures = JSON.parse(py.runPython("import json, wheel_cases; json.dumps(wheel_cases.measure(model, memory))"));
  const wasm = JSON.parse(py.runPython("json.dumps(wheel_cases.run(model))"));
  for (const [name, pieces] of Object.entries(wasm.pieces)) {
    console.log(`${name}: ${pieces.map(([piece, , begin, end]) => `${piece}[${begin},${end})`).join(" ")}`);
  }
  console.log("measured, wasm:", figures);
  console.log(`heap at the end: ${heapMB()} MB`);
  for (const [name, problems] of Object.entries(wasm["bad spans"])) failed.push(...problems.map((p) => `${name}: ${p}`));
  if (options.native) {
    const script = [join(here, "wheel_cases.py"), options.model];
    const native = JSON.parse(execFileSync(options.native, script, { maxBuffer: 2 ** 28 }));
    console.log("measured, native:", native.measure);
    const found = differences(native.run, wasm);
    failed.push(...found);
    console.log(found.length ? `NOT identical, ${found.length} differences` : "identical in both hosts");
  }
}
for (const line of failed) console.error(`FAILED ${line}`.slice(0, 300));
process.exit(failed.length ? 1 : 0);
