// Builds the site: node web/build.mjs [--out build/web] [--models models] [--wheel build/wheel]
//
//     index.html, sw.js, dragoman.js     fixed names: they are what is asked for first
//     manifest.webmanifest               of the installed app; with the documents that it opens (manifest.mjs)
//     *-HASH.js, *-HASH.css              the demo and the workers
//     runtime/                           Pyodide and its snapshot with the core, SentencePiece, the kernel,
//                                        what reads documents, onnxruntime-web; beside each its licences
//     models/index.json, models/*/       every bundle
//     models/published.json              what published files are, for those that are brought by hand
//     published/                         an empty mirror: dragoman models mirror fills it
//
// sw.js comes last: it names every other file of the shell with its SHA-256.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { build } from "esbuild";
import { copyLicence, packagesIn } from "./licences.mjs";
import { manifestOf } from "./manifest.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: join(root, "build/web") },
    models: { type: "string", default: join(root, "models") },
    wheel: { type: "string", default: join(root, "build/wheel") },
  },
});
const out = resolve(options.out);

const PYODIDE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];
const KERNEL = ["relaxed-shared.wasm", "plain-shared.wasm", "relaxed-one.wasm", "plain-one.wasm"];
const ORT = ["ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"];
// What the runtimes get by fetch: the rest they import, and nobody can count that.
const FETCHED = ["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json", "core.snapshot.gz"];
// The service worker does not keep these: the model store does, or nobody needs them offline.
const NOT_SHELL = [/^runtime\/ort\//, /\/licenses\//, /^published\//, /^screenshots\//, /^models\/[^/]+\/(?!manifest\.json$)/, /\.map$/, /^dragoman\.js$/, /^sw\.js$/];

function fail(message) {
  console.error(`web/build.mjs: ${message}`);
  process.exit(1);
}

function need(path, how) {
  if (!existsSync(path)) fail(`${relative(root, path)} is missing: ${how}`);
  return path;
}

/** Every file below a folder, by its path from there, in order. */
function walk(folder, from = folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? walk(path, from) : [relative(from, path)];
    })
    .sort();
}

const sha256 = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");
/** What the service worker keeps of a file. */
const keptBytes = (path) => (path.endsWith(".gz") ? gunzipSync(readFileSync(path)).length : statSync(path).size);
const bytesOf = (paths) => paths.reduce((sum, path) => sum + statSync(join(out, path)).size, 0);

function copy(from, to) {
  mkdirSync(dirname(join(out, to)), { recursive: true });
  cpSync(from, join(out, to));
  return to;
}

function copyDetection() {
  copy(join(root, "py/dragoman/detection/ngrams.bin"), "runtime/detection/ngrams.bin");
}

function copyRuntimes() {
  const modules = join(root, "node_modules");
  const how = "run npm ci";
  const pyodide = PYODIDE.map((file) => copy(need(join(modules, "pyodide", file), how), `runtime/pyodide/${file}`));
  for (const file of ORT) copy(need(join(modules, "onnxruntime-web/dist", file), how), `runtime/ort/${file}`);
  copyLicence("pyodide", join(out, "runtime/pyodide/licenses"));
  copyLicence("onnxruntime-web", join(out, "runtime/ort/licenses"));
  const kernel = KERNEL.map((file) => copy(need(join(root, "kernel/dist", file), "see kernel/"), `runtime/kernel/${file}`));
  return { pyodide, kernel };
}

function findWheel(folder, pattern, how) {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : [];
  if (files.length !== 1) {
    fail(`one ${pattern.source} is needed in ${relative(root, folder)}, ${files.length} found: ${how}`);
  }
  return join(folder, files[0]);
}

/** Paths of its parts below `runtime/packages`, as its interpreter wants them. */
function unpackSentencePiece() {
  const wheel = findWheel(join(root, "wasm/wheels"), /^sentencepiece-.*\.whl$/, "see wasm/");
  const packages = join(out, "runtime/packages");
  const paths = execFileSync(process.execPath, [join(root, "web/unpack.mjs"), wheel, packages], { encoding: "utf8" });
  return JSON.parse(paths).map((path) => `runtime/packages/${path}`);
}

/** In a process of its own: an interpreter that gave its snapshot is of no more use. */
function makeSnapshot(wheel) {
  const path = "runtime/pyodide/core.snapshot.gz";
  execFileSync(process.execPath, [join(root, "web/snapshot.mjs"), wheel, join(out, path)], { stdio: "inherit" });
  return path;
}

/** What the core reads documents with; in a process of its own, as it imports what the worker must not have yet. */
function packDocuments(wheel) {
  const libraries = need(join(root, "build/documents/libraries.zip"), "run make build");
  const folder = "runtime/documents";
  execFileSync(process.execPath, [join(root, "web/documents.mjs"), wheel, libraries, join(out, folder)], { stdio: "inherit" });
  return `${folder}/documents.zip`;
}

function copyModels() {
  const folder = need(resolve(options.models), "it holds the model bundles");
  const bundles = readdirSync(folder).filter((name) => existsSync(join(folder, name, "manifest.json"))).sort();
  if (!bundles.length) fail(`${relative(root, folder)} holds no bundle (a folder with manifest.json)`);
  const models = bundles.map((bundle) => {
    const manifest = JSON.parse(readFileSync(join(folder, bundle, "manifest.json"), "utf8"));
    copy(join(folder, bundle, "manifest.json"), `models/${bundle}/manifest.json`);
    const files = Object.values(manifest.files);
    for (const { path } of files) {
      copy(need(join(folder, bundle, path), "the manifest names it"), `models/${bundle}/${path}`);
    }
    const { name, version, source, target } = manifest;
    return { bundle, name, version, source, target, bytes: files.reduce((sum, file) => sum + file.bytes, 0) };
  });
  writeFileSync(join(out, "models/index.json"), `${JSON.stringify({ models }, null, 2)}\n`);
}

/** The catalogue's facts without addresses: this site asks its own mirror only. */
function writePublished() {
  const catalogue = JSON.parse(readFileSync(join(root, "py/dragoman/catalogue/catalogue.json"), "utf8"));
  const models = catalogue.models.map((model) => ({
    ...model,
    files: model.files.map((file) => ({ ...file, sources: [] })),
  }));
  writeFileSync(join(out, "models/published.json"), JSON.stringify({ ...catalogue, models }));
  mkdirSync(join(out, "published"));
  writeFileSync(join(out, "published/catalogue.json"), `${JSON.stringify({ ...catalogue, models: [] })}\n`);
}

const shared = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2022",
  sourcemap: true,
  minify: false,
  logLevel: "warning",
  metafile: true,
};

/** Bundles, with the licences of the packages that they have parts of. */
async function bundle(how) {
  const { metafile } = await build({ ...shared, outdir: out, ...how });
  for (const name of packagesIn(metafile)) copyLicence(name, join(out, "runtime/licenses"));
  return metafile;
}

/** Hashed bundles; resolves to their names by entry. */
async function bundleHashed(entries, define = {}) {
  const { outputs } = await bundle({ entryPoints: entries, entryNames: "[name]-[hash]", define });
  const names = Object.entries(outputs)
    .filter(([, output]) => output.entryPoint)
    .map(([path, output]) => [output.entryPoint, basename(path)]);
  return Object.fromEntries(names);
}

function strings(constants) {
  return Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]));
}

async function bundleScripts({ pyodide, kernel, core, snapshot, sentencepiece, documents }) {
  const fetched = (paths) => paths.filter((path) => FETCHED.includes(basename(path)));
  const thread = "web/src/workers/engine/engine-thread.ts";
  const threads = await bundleHashed([thread]);
  const workers = await bundleHashed(
    ["web/src/workers/language/language.ts", "web/src/workers/engine/engine.ts"],
    strings({
      ENGINE_THREAD: `./${threads[thread]}`,
      CORE: core,
      SNAPSHOT: snapshot,
      SENTENCEPIECE: sentencepiece,
      DOCUMENTS: documents,
      // A page fetches two of the kernel's four variants.
      STAGE_BYTES: { runtime: bytesOf(fetched([...pyodide, snapshot])), core: bytesOf(sentencepiece), engine: bytesOf(kernel.slice(0, 2)) },
    }),
  );
  const define = strings({
    LANGUAGE_WORKER: `./${workers["web/src/workers/language/language.ts"]}`,
    ENGINE_WORKER: `./${workers["web/src/workers/engine/engine.ts"]}`,
  });
  await bundle({ entryPoints: { dragoman: "web/src/index.ts" }, define });
  return bundleHashed(["web/demo/main.ts", "web/demo/demo.css"], define);
}

/** English, until the script knows the reader's language. */
function withTexts(page) {
  const texts = JSON.parse(readFileSync(join(root, "web/demo/texts/en.json"), "utf8"));
  const said = (key) => (texts[key] ?? fail(`web/demo/texts/en.json has no ${key}`)).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return page
    .replace(/data-text="([\w.-]+)"[^>]*>/g, (tag, key) => `${tag}${said(key)}`)
    .replace(/data-text-(label|placeholder|content)="([\w.-]+)"/g, (attribute, what, key) =>
      `${attribute} ${what === "label" ? "aria-label" : what}="${said(key)}"`);
}

function writePage(names) {
  const page = withTexts(readFileSync(join(root, "web/demo/index.html"), "utf8"))
    .replaceAll("{{script}}", names["web/demo/main.ts"])
    .replaceAll("{{style}}", names["web/demo/demo.css"]);
  writeFileSync(join(out, "index.html"), page);
  const { mediaTypes } = JSON.parse(readFileSync(join(root, "web/src/wire/contract.json"), "utf8")).documents;
  const manifest = manifestOf(readFileSync(join(root, "web/demo/manifest.webmanifest"), "utf8"), mediaTypes);
  writeFileSync(join(out, "manifest.webmanifest"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of walk(join(root, "web/demo/public"))) copy(join(root, "web/demo/public", file), file);
}

async function writeServiceWorker() {
  const files = walk(out).filter((path) => !NOT_SHELL.some((pattern) => pattern.test(path)));
  const precache = files.map((path) => ({ path, sha256: sha256(join(out, path)) }));
  const version = createHash("sha256").update(JSON.stringify(precache)).digest("hex").slice(0, 12);
  await bundle({
    entryPoints: { sw: "web/src/workers/service-worker.ts" },
    format: "iife",
    define: strings({ PRECACHE: precache, VERSION: version }),
  });
  return { files: precache.length, bytes: files.reduce((sum, path) => sum + keptBytes(join(out, path)), 0), version };
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const runtimes = copyRuntimes();
copyDetection();
const wheel = findWheel(resolve(options.wheel), /^dragoman-.*\.whl$/, "build the core's wheel first (make build)");
const parts = { ...runtimes, core: sha256(wheel), snapshot: makeSnapshot(wheel), sentencepiece: unpackSentencePiece(), documents: packDocuments(wheel) };
copyModels();
writePublished();
writePage(await bundleScripts(parts));
const shell = await writeServiceWorker();
const megabytes = (shell.bytes / 1e6).toFixed(1);
console.log(`${relative(process.cwd(), out) || "."}: version ${shell.version}, ${shell.files} files kept offline, ${megabytes} MB`);
