// The packages for npm, of the built site: node web/package.mjs [--web build/web] [--models models] [--out build/npm]
//
//     OUT/dragoman/               dist/ index.js, polyfill.js, their types; dist/dragoman-files/ workers, runtime
//     OUT/dragoman-model-PAIR/    a bundle, and index.js, which puts it on the page's list
//
// Every file is named by `new URL("./...", import.meta.url)`, written out: bundlers find them, and put them where
// they like. Nothing is minified: who uses a bundler has it do that.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { copyLicence, packagesIn } from "./licences.mjs";
import { version } from "./version.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values: options } = parseArgs({
  options: {
    web: { type: "string", default: join(root, "build/web") },
    models: { type: "string", default: join(root, "models") },
    out: { type: "string", default: join(root, "build/npm") },
  },
});
const web = resolve(options.web);
const out = resolve(options.out);

const SHARED = {
  type: "module",
  author: "The Dragoman authors",
  keywords: ["translation", "offline", "webassembly", "privacy", "machine-translation"],
};
// For graphs that no model that ships has: 14 MB. Who needs it serves a built site (`baseUrl`).
const LEFT_OUT = /^runtime\/ort\//;

function fail(message) {
  console.error(`web/package.mjs: ${message}`);
  process.exit(1);
}

function walk(folder, from = folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? walk(path, from) : [relative(from, path)];
    })
    .sort();
}

function hashed(name) {
  const files = readdirSync(web).filter((file) => new RegExp(`^${name}-[A-Z0-9]+\\.js$`).test(file));
  if (files.length !== 1) fail(`one ${name}-HASH.js is needed in ${relative(root, web)}, ${files.length} found: run make build`);
  return files[0];
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
// A name that is not taken where somebody copies the folder to.
const FILES = "dragoman-files";
const address = (path) => `new URL(${JSON.stringify(`./${path}`)}, import.meta.url).href`;
const withoutMap = (text) => text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");

/** `web/src/api/place.ts` of the package: a table of all files, by the addresses that they have on a site. */
function placeModule(files) {
  const rows = files.map((path) => `    [${JSON.stringify(path)}, ${address(`${FILES}/${path}`)}],`).join("\n");
  return `
export const isPackage = true;
export function builtFiles() {
  const base = new URL("/dragoman/", location.href).href;
  const files = [\n${rows}\n  ];
  return { base, urls: Object.fromEntries(files.map(([path, url]) => [new URL(path, base).href, url])) };
}`;
}

/**
 * The same in Node, where no bundler moves a file. What renders pages on a server (Next.js) puts this entry through a
 * bundler too, and that would look for a module in a folder's `new URL`.
 */
const NODE_PLACE = `
export const isPackage = true;
export const builtFiles = () => ({ base: import.meta.url.replace(/[^/]*$/, "${FILES}/") });`;

async function bundleScripts(dist, workers, files) {
  const plugin = (contents) => ({
    name: "place",
    setup: ({ onLoad, onResolve }) => {
      onLoad({ filter: /web\/src\/api\/place\.ts$/ }, () => ({ contents, loader: "js" }));
      // One copy of the library, whichever of the two entries came first.
      onResolve({ filter: /^\.\/index\.ts$/ }, () => ({ path: "./index.js", external: true }));
    },
  });
  const common = {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
    metafile: true,
    outdir: dist,
    define: {
      LANGUAGE_WORKER: JSON.stringify(`./${workers[0]}`),
      ENGINE_WORKER: JSON.stringify(`./${workers[1]}`),
    },
  };
  const entryPoints = { index: "web/src/index.ts", polyfill: "web/src/polyfill.ts" };
  const page = await build({ ...common, entryPoints, plugins: [plugin(placeModule(files))] });
  const node = await build({
    ...common,
    entryPoints: { node: "web/src/index.ts" },
    plugins: [plugin(NODE_PLACE)],
    platform: "node",
    inject: ["web/node/globals.mjs"],
  });
  for (const { metafile } of [page, node]) {
    for (const name of packagesIn(metafile)) copyLicence(name, join(dist, FILES, "runtime/licenses"));
  }
  cpSync(join(root, "web/node/worker.mjs"), join(dist, FILES, "node-worker.mjs"));
}

async function bundleTypes(dist) {
  const bundle = await rollup({
    input: join(root, "web/src/index.ts"),
    plugins: [dts({ tsconfig: join(root, "tsconfig.json"), compilerOptions: { noEmit: false } })],
    onwarn: (warning) => fail(warning.message),
  });
  await bundle.write({ file: join(dist, "index.d.ts"), format: "es" });
  await bundle.close();
  write(join(dist, "polyfill.d.ts"), "export {};\n");
}

async function library() {
  const folder = join(out, "dragoman");
  const dist = join(folder, "dist");
  const workers = ["language", "engine", "engine-thread"].map(hashed);
  for (const worker of workers) write(join(dist, FILES, worker), withoutMap(readFileSync(join(web, worker), "utf8")));
  const runtime = walk(join(web, "runtime")).map((path) => `runtime/${path}`).filter((path) => !LEFT_OUT.test(path));
  for (const path of runtime) write(join(dist, FILES, path), readFileSync(join(web, path)));
  const asked = runtime.filter((path) => !path.includes("/licenses/"));
  await bundleScripts(dist, workers, [...workers, ...asked]);
  await bundleTypes(dist);
  for (const file of ["LICENSE", "docs/javascript.md"]) {
    cpSync(join(root, file), join(folder, file === "LICENSE" ? file : "README.md"));
  }
  write(
    join(folder, "package.json"),
    json({
      name: "dragoman",
      version,
      description: "Translation of text and web pages on the user's own machine, in browsers and in Node",
      license: "MPL-2.0",
      ...SHARED,
      engines: { node: ">=20" },
      exports: {
        ".": { types: "./dist/index.d.ts", node: "./dist/node.js", default: "./dist/index.js" },
        "./polyfill": { types: "./dist/polyfill.d.ts", default: "./dist/polyfill.js" },
        "./package.json": "./package.json",
      },
      sideEffects: ["./dist/polyfill.js"],
      files: ["dist"],
    }),
  );
}

/** Registers itself, so that `import "dragoman-model-de-en"` is all that an application says. */
function modelModule(entry, bundle, files) {
  const rows = files.map((path) => `    ${JSON.stringify(path)}: ${address(`${bundle}/${path}`)},`).join("\n");
  const fields = Object.entries(entry).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`).join("\n");
  return `// The list of models that all copies of "dragoman" on a page share.
const LIST = Symbol.for("dragoman.models");
const model = Object.freeze({
${fields}
  files: {\n${rows}\n  },
});
globalThis[LIST] = [...(globalThis[LIST] ?? []).filter(({ bundle }) => bundle !== model.bundle), model];
export default model;
`;
}

const MODEL_TYPES = `export interface ModelPackage {
  readonly bundle: string;
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly target: string;
  readonly bytes: number;
  readonly files: Readonly<Record<string, string>>;
}
declare const model: ModelPackage;
export default model;
`;

function model(bundle) {
  const from = join(resolve(options.models), bundle);
  const manifest = JSON.parse(readFileSync(join(from, "manifest.json"), "utf8"));
  const name = `dragoman-model-${manifest.source}-${manifest.target}`.toLowerCase();
  const folder = join(out, name);
  const paths = Object.values(manifest.files).map(({ path }) => path);
  const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
  for (const path of ["manifest.json", ...paths]) write(join(folder, bundle, path), readFileSync(join(from, path)));
  const entry = { bundle, name: manifest.name, version: manifest.version, source: manifest.source, target: manifest.target, bytes };
  write(join(folder, "index.js"), modelModule(entry, bundle, ["manifest.json", ...paths]));
  write(join(folder, "index.d.ts"), MODEL_TYPES);
  cpSync(join(from, "MODEL_CARD.md"), join(folder, "README.md"));
  cpSync(join(resolve(options.models), "LICENSES", `${manifest.licence}.txt`), join(folder, "LICENSE"));
  write(
    join(folder, "package.json"),
    json({
      name,
      version: manifest.version,
      description: `A model of Dragoman: ${manifest.source} to ${manifest.target}`,
      license: manifest.licence,
      ...SHARED,
      exports: { ".": { types: "./index.d.ts", default: "./index.js" }, "./package.json": "./package.json" },
      sideEffects: true,
      peerDependencies: { dragoman: ">=0.1.0" },
      files: ["index.js", "index.d.ts", bundle],
    }),
  );
}

if (!existsSync(join(web, "models/index.json"))) fail(`${relative(root, web)} is not built: run make build`);
rmSync(out, { recursive: true, force: true });
await library();
for (const name of readdirSync(resolve(options.models)).sort()) {
  if (existsSync(join(resolve(options.models), name, "manifest.json"))) model(name);
}
