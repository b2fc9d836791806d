// What the core's Python takes under Pyodide: the same sentences over and over, the engine's answers remembered.
//
//   node tests/bench/core_python.mjs --bundle DIR --wheel DRAGOMAN_WHEEL --texts FILE [--rounds 6] [--profile 64|1]
//
// FILE: a sentence a line, in the bundle's language. Prints milliseconds a sentence, the fastest and the median round, for
// 64 requests at once and for one after the other; --profile: the functions that take them, as cProfile sees it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { kernelBytes, loadHost, loadPython } from "../parity/node_core.mjs";

const AT_ONCE = 64;
const PROFILED_ROUNDS = 3;

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(["bundle", "wheel", "texts", "profile"].map((name) => [name, { type: "string" }])),
    rounds: { type: "string", default: "6" },
  },
});
const bytes = (name) => new Uint8Array(readFileSync(join(options.bundle, name)));
const manifestText = readFileSync(join(options.bundle, "manifest.json"), "utf8");
const { files, source, target } = JSON.parse(manifestText);
const texts = readFileSync(options.texts, "utf8").split("\n").filter(Boolean);
const [host, py] = await Promise.all([loadHost(), loadPython(options.wheel)]);

async function loadOwn() {
  const nameTable = files.names && bytes(files.names.path);
  const run = await host.kernelRun(bytes(files.graph.path), files.shortlist && bytes(files.shortlist.path), kernelBytes());
  return { run, text: { manifestText, vocabulary: bytes(files.vocabulary.path), nameTable } };
}

async function loadPublished() {
  const [file, vocabulary] = [bytes(files.model.path), bytes(files.vocabulary.path)];
  const { text, layout } = host.readPublished(py, { manifestText, vocabulary, file });
  return { run: await host.publishedRun(layout, file, bytes(files.shortlist.path), kernelBytes()), text };
}

/** Runs a mini-batch once. */
function remembering(run) {
  const known = new Map();
  return async (input) => {
    const key = `${input.attention} ${input.width} ${input.ids.join()}`;
    if (!known.has(key)) known.set(key, await run(input));
    return known.get(key);
  };
}

const loaded = await (files.model ? loadPublished() : loadOwn());
const engine = { run: remembering(loaded.run), stop: () => undefined, close: () => undefined };
const session = new host.CoreSession(py, { ...loaded.text, engine });

let id = 0;
const translate = (text) => {
  const request = { text, source, target, alignment: "none", beam: 1, cache: false, overlong: "wrap" };
  return session.translate(id++, request, () => undefined);
};
async function round(atOnce) {
  const start = performance.now();
  for (let at = 0; at < texts.length; at += atOnce) await Promise.all(texts.slice(at, at + atOnce).map(translate));
  return (performance.now() - start) / texts.length;
}

for (const atOnce of [AT_ONCE, 1]) {
  await round(atOnce);
  await round(atOnce);
  const found = [];
  for (let left = Number(options.rounds); left > 0; left--) found.push(await round(atOnce));
  found.sort((one, other) => one - other);
  const median = found[Math.floor(found.length / 2)];
  console.log(`${atOnce} at once: ${found[0].toFixed(2)} ms a sentence, median ${median.toFixed(2)}`);
}
if (options.profile) {
  py.runPython("import cProfile; profile = cProfile.Profile(); profile.enable()");
  for (let left = PROFILED_ROUNDS; left > 0; left--) await round(Number(options.profile));
  console.log(
    py.runPython(`
import io, pstats
profile.disable()
told = io.StringIO()
pstats.Stats(profile, stream=told).sort_stats("tottime").print_stats(60)
told.getvalue()`),
  );
}
process.exit(0);
