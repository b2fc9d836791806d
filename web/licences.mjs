// The licences of what others wrote: of every package of npm that a bundle has parts of, and of the runtimes.
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const LICENCE = /^(licen[cs]e|copying|notice)\b/i;
// Those that packages bring without; wasm/LICENSES/README.md says where they are from.
const KEPT = join(root, "wasm/LICENSES");

/** Names of the packages of npm whose files esbuild has put into a bundle. */
export function packagesIn(metafile) {
  const names = Object.keys(metafile.inputs).map((path) => /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** Copies a package's licences into a folder, as NAME-LICENSE. Throws where there is none. */
export function copyLicence(name, to, modules = join(root, "node_modules")) {
  const own = join(modules, name);
  const files = readdirSync(own).filter((file) => LICENCE.test(file));
  const kept = join(KEPT, name);
  if (!files.length && !existsSync(kept)) throw new Error(`${name} has no licence: put its text into wasm/LICENSES/${name}`);
  mkdirSync(to, { recursive: true });
  for (const file of files) cpSync(join(own, file), join(to, `${name.replace("/", "-")}-${file}`));
  if (existsSync(kept)) cpSync(kept, to, { recursive: true });
}
