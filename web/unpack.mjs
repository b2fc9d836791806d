// Unpacks a wheel for the browser: node web/unpack.mjs WHEEL OUT
//
//     PACKAGE/*.pyc      compiled by the interpreter that will import them: it need not parse them
//     PACKAGE/*.so.gz    packed, as a plain file server would not do it
//     licenses/*
//
// Prints the paths of what is imported, a JSON list.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const [wheel, out] = process.argv.slice(2);
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel", { extractDir: "/packages" });
const files = python
  .runPython(
    `
import compileall, pathlib, py_compile
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
if not compileall.compile_dir("/packages", quiet=2, legacy=True, invalidation_mode=unchecked):
    raise SystemExit("the wheel's Python does not compile")
[str(path.relative_to("/packages")) for path in sorted(pathlib.Path("/packages").rglob("*")) if path.is_file()]
`,
  )
  .toJs();

function write(path, bytes) {
  const to = join(out, path);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, bytes);
}

const imported = [];
for (const file of files) {
  const [, license] = /\.dist-info\/licenses\/(.+)$/.exec(file) ?? [];
  if (license) write(`licenses/${license}`, python.FS.readFile(`/packages/${file}`));
  if (!/\.(pyc|so)$/.test(file)) continue;
  const bytes = python.FS.readFile(`/packages/${file}`);
  const isLibrary = file.endsWith(".so");
  write(isLibrary ? `${file}.gz` : file, isLibrary ? gzipSync(bytes, { level: 9 }) : bytes);
  imported.push(isLibrary ? `${file}.gz` : file);
}
console.log(JSON.stringify(imported));
process.exit(0); // The interpreter keeps node alive.
