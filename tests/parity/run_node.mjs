// The browser host's half of the parity suite, in node: Pyodide, the kernel (onnxruntime-web for graphs
// that it cannot run), and `CoreSession` of web/src/workers/language/python.ts around them, as in the language worker.
//
//   node run_node.mjs --bundle DIR --wheel DRAGOMAN_WHEEL --cases CASES_JSON --out FOUND_JSON [--streams] [--memory MEMORY_JSON]
//
// CASES_JSON: [{id, text, elements?, choices?}], choices being a beam, alternatives, a prefix; FOUND_JSON: [{id, outcome, parts, runs}], where runs are what went into
// the engine and came out of it. With --streams each text is fed one UTF-16 unit at a time, to an engine that
// copies, as companions in a mini-batch are a matter of time there; FOUND_JSON: [{id, pieces}].
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as ort from "onnxruntime-web/wasm";
import { kernelBytes, loadHost, loadPython, parity } from "./node_core.mjs";

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(["bundle", "wheel", "cases", "out", "memory"].map((name) => [name, { type: "string" }])),
    streams: { type: "boolean" },
    shortlist: { type: "boolean" },
  },
});

async function ortRun(graph) {
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(graph, { executionProviders: ["wasm"] });
  return async ({ ids, lengths, limits, rows, width, attention }) => {
    const output = await session.run(
      {
        source_ids: new ort.Tensor("int32", ids, [rows, width]),
        lengths: new ort.Tensor("int32", lengths, [rows]),
        limits: new ort.Tensor("int32", limits, [rows]),
      },
      ["target_ids", "log_probabilities", ...(attention ? ["attention"] : [])],
    );
    const { target_ids: targetIds, log_probabilities: logProbabilities } = output;
    return {
      steps: targetIds.dims[1],
      ids: targetIds.data,
      logProbabilities: logProbabilities.data,
      attention: attention ? output.attention.data : new Float32Array(0),
    };
  };
}

async function loadOwn(host) {
  const { graph: file, vocabulary, names, shortlist } = manifest.files;
  const graph = bytes(file.path);
  const lists = shortlist && bytes(shortlist.path);
  const engine = (await host.kernelRun(graph, lists, kernelBytes())) ?? (await ortRun(graph));
  const nameTable = names && bytes(names.path);
  return { engine, manifestText, vocabulary: bytes(vocabulary.path), nameTable };
}

/** As the language worker and the engine worker do it between them. */
async function loadPublished(host, py) {
  const { model, vocabulary, target_vocabulary: target, shortlist } = manifest.files;
  const file = bytes(model.path);
  const given = { manifestText, vocabulary: bytes(vocabulary.path), ...(target && { targetVocabulary: bytes(target.path) }) };
  const { text, layout } = host.readPublished(py, { ...given, file });
  const lists = options.shortlist && bytes(shortlist.path);
  return { engine: await host.publishedRun(layout, file, lists, kernelBytes()), ...text };
}

function recorded(engine) {
  const runs = [];
  const base64 = ({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength).toString("base64");
  async function run(input) {
    const output = await engine(input);
    const { steps, ids, logProbabilities, attention, scores } = output;
    runs.push({
      source: base64(input.ids),
      steps,
      ids: base64(ids),
      logProbabilities: base64(logProbabilities),
      attention: base64(attention),
      ...(scores && { scores: base64(scores) }),
    });
    return output;
  }
  return { run, stop: () => undefined, close: () => undefined, takeRuns: () => runs.splice(0) };
}

/** As `EchoEngine` of `dragoman/engines/fake.py`. */
function copier() {
  async function run({ ids, lengths, rows, width, attention }) {
    const matrix = new Float32Array(attention ? rows * width * width : 0);
    for (let cell = 0; attention && cell < rows * width; cell++) {
      matrix[cell * width + Math.min(cell % width, lengths[Math.floor(cell / width)] - 1)] = 1;
    }
    return { steps: width, ids: ids.slice(), logProbabilities: new Float32Array(rows * width), attention: matrix };
  }
  return { run, stop: () => undefined, close: () => undefined };
}

/** The pieces of a text that is fed one UTF-16 unit at a time. */
async function streamed(id, text, options) {
  const started = session.startStream(id, options);
  if (!started.ok) throw new Error(started.error.message);
  const feed = async () => {
    for (const unit of text.split("")) await session.feed(id, unit);
    await session.finish(id);
  };
  const feeding = feed();
  const pieces = [];
  for (;;) {
    const outcome = await session.nextPiece(id);
    if (!outcome.ok) throw new Error(outcome.error.message);
    if (!outcome.piece) break;
    pieces.push(outcome.piece);
  }
  await feeding;
  return pieces;
}

const bytes = (name) => new Uint8Array(readFileSync(join(options.bundle, name)));
const manifestText = readFileSync(join(options.bundle, "manifest.json"), "utf8");
const manifest = JSON.parse(manifestText);
const [host, py] = await Promise.all([loadHost(), loadPython(options.wheel)]);
py.FS.writeFile("/inspection.py", readFileSync(join(parity, "inspection.py"), "utf8"));
py.runPython("import sys; sys.path.insert(0, '/')");
const loaded = await (manifest.files.model ? loadPublished(host, py) : loadOwn(host));
const engine = options.streams ? copier() : recorded(loaded.engine);
const memory = options.memory && JSON.parse(readFileSync(options.memory, "utf8"));
const session = new host.CoreSession(py, { ...loaded, engine }, undefined, memory);

// The same core a second time, to ask for the pieces of a text.
const { manifestText: text, vocabulary: pieces, nameTable } = loaded;
py.globals.set("given", py.toPy({ manifest: text, vocabulary: pieces, names: nameTable ?? null }));
py.runPython(`
import inspection, json
from dragoman.engines.bundle import parse_manifest
from dragoman.config import Limits
from dragoman.pipeline.pipeline import Pipeline
from dragoman.text.terms.names import read_names
from dragoman.text.tokenizer import SentencePieceTokenizer
pipeline = Pipeline(
    parse_manifest(given["manifest"]),
    SentencePieceTokenizer(bytes(given["vocabulary"])),
    Limits(),
    names=read_names(bytes(given["names"])) if given["names"] else None,
)
def parts(text_json):
    return json.dumps(inspection.parts(pipeline, json.loads(text_json)))
`);
const partsOf = py.globals.get("parts");

const results = [];
for (const [index, { id, text, elements, choices }] of JSON.parse(readFileSync(options.cases, "utf8")).entries()) {
  const { source, target } = manifest;
  const shared = { source, target, alignment: "soft", overlong: "wrap" };
  if (options.streams) {
    results.push({ id, pieces: await streamed(index, text, { ...shared, beam: 1 }) });
    continue;
  }
  const request = { text, elements, ...choices, ...shared, ...(memory && { memory: true }) };
  const outcome = await session.translate(index, request, () => undefined);
  const parts = JSON.parse(partsOf(JSON.stringify(text)));
  results.push({ id, outcome, parts, runs: engine.takeRuns() });
}
await session.close();
writeFileSync(options.out, JSON.stringify(results));
process.exit(0);
