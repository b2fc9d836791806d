// Builds the extension from the built web files: node extension/build.mjs [--web build/web] [--out build/extension]
//
//     OUT/chrome/, OUT/firefox/                       to load unpacked
//     OUT/dragoman-BROWSER-VERSION.zip                the same, packed; equal bytes for equal sources
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { zipSync } from "fflate";
import { copyLicence, packagesIn } from "../web/licences.mjs";
import { version } from "../web/version.mjs";
import { browsers, manifestOf } from "./manifest.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "..");
const { values: options } = parseArgs({
  options: {
    web: { type: "string", default: join(root, "build/web") },
    out: { type: "string", default: join(root, "build/extension") },
  },
});
const web = resolve(options.web);
const out = resolve(options.out);
// The same in every build, so that the same sources give the same bytes.
const MTIME = new Date("2000-01-01T00:00:00");

function fail(message) {
  console.error(`extension/build.mjs: ${message}`);
  process.exit(1);
}

/** The one built file of a name with a hash in it. */
function hashed(name) {
  const files = readdirSync(web).filter((file) => new RegExp(`^${name}-[A-Z0-9]+\\.js$`).test(file));
  if (files.length !== 1) fail(`one ${name}-HASH.js is needed in ${relative(root, web)}, ${files.length} found: run make build`);
  return files[0];
}

function walk(folder, from = folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? walk(path, from) : [relative(from, path)];
    })
    .sort();
}

if (!existsSync(join(web, "models/index.json"))) fail(`${relative(root, web)} is not built: run make build`);
const workers = {
  LANGUAGE_WORKER: hashed("language"),
  ENGINE_WORKER: hashed("engine"),
  ENGINE_THREAD: hashed("engine-thread"),
};
/** What was published, with the addresses that a browser can unpack from: a page of a site has none. */
const catalogue = JSON.parse(readFileSync(join(root, "py/dragoman/catalogue/catalogue.json"), "utf8"));
for (const file of catalogue.models.flatMap((model) => model.files)) {
  file.sources = file.sources.filter(({ compression }) => compression !== "zstd");
}
const addresses = catalogue.models.flatMap((model) => model.files).flatMap((file) => file.sources.map(({ url }) => url));
const publishers = [...new Set(addresses.map((url) => new URL(url).origin))];

const shared = {
  absWorkingDir: root,
  bundle: true,
  target: "es2022",
  // Reviewers of the stores read what is packed.
  minify: false,
  logLevel: "warning",
  metafile: true,
  // Our boxes over pages have shadow roots, and their styles in them.
  loader: { ".css": "text" },
  define: {
    ...Object.fromEntries(Object.entries(workers).map(([name, file]) => [name, JSON.stringify(`./${file}`)])),
  },
};

async function bundle(browser, folder) {
  const source = (path) => join(here, "src", `${path}.ts`);
  const modules = {
    background: source(`background/background-${browser}`),
    popup: source("pages/popup"),
    options: source("pages/options"),
    welcome: source("pages/welcome"),
  };
  if (browser === "chrome") modules.host = source("engine/offscreen");
  const built = [await build({ ...shared, format: "esm", outdir: folder, entryPoints: modules })];
  // Content scripts are no modules.
  const scripts = { content: source("frame/content"), arrival: source("frame/arrival") };
  built.push(await build({ ...shared, format: "iife", outdir: folder, entryPoints: scripts }));
  for (const name of built.flatMap(({ metafile }) => packagesIn(metafile))) copyLicence(name, join(folder, "runtime/licenses"));
}

/** What people see: each page's `main` in the frame that all share. */
function copyPages(folder) {
  const read = (name) => readFileSync(join(here, "pages", name), "utf8");
  for (const name of ["popup", "options", "welcome"]) {
    const page = read("frame.html").replaceAll("{name}", name).replace("{main}", () => read(`${name}.html`));
    writeFileSync(join(folder, `${name}.html`), page);
  }
  cpSync(join(here, "pages/pages.css"), join(folder, "pages.css"));
}

function copyFiles(browser, folder) {
  for (const part of ["runtime", "models"]) cpSync(join(web, part), join(folder, part), { recursive: true });
  writeFileSync(join(folder, "models/published.json"), JSON.stringify(catalogue));
  for (const worker of Object.values(workers)) {
    const text = readFileSync(join(web, worker), "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
    writeFileSync(join(folder, worker), text);
  }
  for (const part of ["_locales", "icons"]) cpSync(join(here, part), join(folder, part), { recursive: true });
  copyPages(folder);
  if (browser === "chrome") cpSync(join(here, "pages/offscreen.html"), join(folder, "offscreen.html"));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifestOf(browser, version, publishers), null, 2)}\n`);
}

function pack(browser, folder) {
  const files = Object.fromEntries(walk(folder).map((path) => [path, [readFileSync(join(folder, path)), { mtime: MTIME, level: 9 }]]));
  const path = join(out, `dragoman-${browser}-${version}.zip`);
  writeFileSync(path, zipSync(files));
  console.log(`${relative(process.cwd(), path)}: ${Object.keys(files).length} files, ${(statSync(path).size / 1e6).toFixed(1)} MB`);
}

rmSync(out, { recursive: true, force: true });
for (const browser of browsers) {
  const folder = join(out, browser);
  mkdirSync(folder, { recursive: true });
  await bundle(browser, folder);
  copyFiles(browser, folder);
  pack(browser, folder);
}
