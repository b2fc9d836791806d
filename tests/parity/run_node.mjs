// The browser host's half of the parity suite, in node: Pyodide, onnxruntime-web, and `Session` of
// web/src/worker/python.ts around them, as in the language worker.
//
//   node run_node.mjs --bundle DIR --wheel DRAGOMAN_WHEEL --cases CASES_JSON --out FOUND_JSON
//
// CASES_JSON: [{id, text}]; FOUND_JSON: [{id, outcome, parts, runs}], where runs are what went into
// the engine and came out of it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import * as ort from "onnxruntime-web/wasm";
import { loadPyodide } from "pyodide";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = resolve(here, "../..");
const { values: options } = parseArgs({
  options: Object.fromEntries(["bundle", "wheel", "cases", "out"].map((name) => [name, { type: "string" }])),
});

/** The browser host's own class, out of its TypeScript. */
async function loadSessionClass() {
  const folder = mkdtempSync(join(tmpdir(), "dragoman-parity-"));
  const outfile = join(folder, "python.mjs");
  await build({
    entryPoints: [join(root, "web/src/worker/python.ts")],
    outfile,
    bundle: true,
    format: "esm",
    logLevel: "error",
    define: { WHEELS: "[]" },
  });
  const { Session } = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true });
  return Session;
}

async function loadPython() {
  const py = await loadPyodide({ indexURL: join(root, "node_modules/pyodide") });
  const vendored = readdirSync(join(root, "wasm/wheels")).find((name) => name.endsWith(".whl"));
  const wheels = [join(root, "wasm/wheels", vendored), resolve(options.wheel)];
  await py.loadPackage(wheels, { messageCallback: () => undefined });
  py.FS.writeFile("/inspection.py", readFileSync(join(here, "inspection.py"), "utf8"));
  py.runPython("import sys; sys.path.insert(0, '/')");
  return py;
}

async function loadEngine(graph) {
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(graph, { executionProviders: ["wasm"] });
  const runs = [];
  const base64 = ({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength).toString("base64");
  async function run({ ids, lengths, limits, rows, width, attention }) {
    const output = await session.run(
      {
        source_ids: new ort.Tensor("int32", ids, [rows, width]),
        lengths: new ort.Tensor("int32", lengths, [rows]),
        limits: new ort.Tensor("int32", limits, [rows]),
      },
      ["target_ids", "log_probabilities", ...(attention ? ["attention"] : [])],
    );
    const { target_ids: targetIds, log_probabilities: logProbabilities } = output;
    const steps = targetIds.dims[1];
    const weights = attention ? output.attention.data : new Float32Array(0);
    runs.push({
      source: base64(ids),
      steps,
      ids: base64(targetIds.data),
      logProbabilities: base64(logProbabilities.data),
      attention: base64(weights),
    });
    return { steps, ids: targetIds.data, logProbabilities: logProbabilities.data, attention: weights };
  }
  return { run, takeRuns: () => runs.splice(0) };
}

const bytes = (name) => new Uint8Array(readFileSync(join(options.bundle, name)));
const manifestText = readFileSync(join(options.bundle, "manifest.json"), "utf8");
const manifest = JSON.parse(manifestText);
const vocabulary = bytes(manifest.files.vocabulary.path);
const [Session, py, engine] = await Promise.all([
  loadSessionClass(),
  loadPython(),
  loadEngine(bytes(manifest.files.graph.path)),
]);
const session = new Session(py, manifestText, vocabulary, engine.run);

// The same core a second time, to ask for the pieces of a text.
py.globals.set("given", py.toPy({ manifest: manifestText, vocabulary }));
py.runPython(`
import inspection, json
from dragoman.bundle import parse_manifest
from dragoman.config import Limits
from dragoman.pipeline import Pipeline
from dragoman.tokenizer import SentencePieceTokenizer
pipeline = Pipeline(
    parse_manifest(given["manifest"]), SentencePieceTokenizer(bytes(given["vocabulary"])), Limits()
)
def parts(text_json):
    return json.dumps(inspection.parts(pipeline, json.loads(text_json)))
`);
const partsOf = py.globals.get("parts");

const results = [];
for (const [index, { id, text }] of JSON.parse(readFileSync(options.cases, "utf8")).entries()) {
  const request = { text, source: manifest.source, target: manifest.target, alignment: "soft", overlong: "wrap" };
  const outcome = await session.translate(index, request, () => undefined);
  const parts = JSON.parse(partsOf(JSON.stringify(text)));
  results.push({ id, outcome, parts, runs: engine.takeRuns() });
}
await session.close();
writeFileSync(options.out, JSON.stringify(results));
process.exit(0);
