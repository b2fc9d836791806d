// Packs what the core reads documents with: node web/documents.mjs WHEEL LIBRARIES.zip OUT
//
//     OUT/documents.zip    of the wheel what the snapshot has not, and the libraries; compiled by the interpreter
//                          that will import them
//     OUT/licenses/*       of the libraries
//
// The language worker fetches it when the first document comes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadPyodide } from "pyodide";

const [wheel, libraries, out] = process.argv.slice(2);
const python = await loadPyodide({ env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0" } });
python.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel", { extractDir: "/core" });
python.unpackArchive(new Uint8Array(readFileSync(libraries)), "zip", { extractDir: "/libraries" });
python.runPython(`
import compileall, importlib, pathlib, py_compile, sys, zipfile
sys.path += ["/core", "/libraries"]
import dragoman.bridge
there = set(sys.modules)
import dragoman.wire.documents, dragoman.documents.pdf.document, dragoman.documents.text.markdown, dragoman.html.short_page
import charset_normalizer
needed = {pathlib.Path(sys.modules[name].__file__) for name in sys.modules.keys() - there if name.startswith("dragoman.")}

unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
if not compileall.compile_dir("/core/dragoman", quiet=2, legacy=True, stripdir="/core", invalidation_mode=unchecked):
    raise SystemExit("the core does not compile")
if not compileall.compile_dir("/libraries", quiet=2, legacy=True, stripdir="/libraries", invalidation_mode=unchecked):
    raise SystemExit("a library does not compile")

with zipfile.ZipFile("/documents.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    def add(path, root):
        # Without a date: the same sources give the same bytes.
        info = zipfile.ZipInfo(str(path.relative_to(root)))
        info.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(info, path.read_bytes())
    for path in sorted(needed):
        add(path.with_suffix(".pyc"), "/core")
    for path in sorted(pathlib.Path("/libraries").rglob("*.pyc")):
        if "__pycache__" not in path.parts:
            add(path, "/libraries")
`);
mkdirSync(join(out, "licenses"), { recursive: true });
writeFileSync(join(out, "documents.zip"), python.FS.readFile("/documents.zip"));
for (const name of python.FS.readdir("/libraries/licenses").filter((name) => !name.startsWith("."))) {
  writeFileSync(join(out, "licenses", name), python.FS.readFile(`/libraries/licenses/${name}`));
}
process.exit(0); // The interpreter keeps node alive.
