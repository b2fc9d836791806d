// The browser host's core in node: its TypeScript, Pyodide with the core's wheel, the kernel.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { loadPyodide } from "pyodide";

/** This folder. */
export const parity = fileURLToPath(new URL(".", import.meta.url));
const root = resolve(parity, "../..");

/** The browser host's own parts, out of its TypeScript. */
export async function loadHost() {
  const folder = mkdtempSync(join(tmpdir(), "dragoman-host-"));
  const outfile = join(folder, "host.mjs");
  await build({
    entryPoints: [join(parity, "node_host.ts")],
    outfile,
    bundle: true,
    format: "esm",
    logLevel: "error",
    define: { SNAPSHOT: '""', SENTENCEPIECE: "[]" },
  });
  const host = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true });
  return host;
}

export async function loadPython(wheel) {
  const py = await loadPyodide({ indexURL: join(root, "node_modules/pyodide") });
  const vendored = readdirSync(join(root, "wasm/wheels")).find((name) => name.endsWith(".whl"));
  const wheels = [join(root, "wasm/wheels", vendored), resolve(wheel)];
  await py.loadPackage(wheels, { messageCallback: () => undefined });
  return py;
}

export const kernelBytes = () => new Uint8Array(readFileSync(join(root, "kernel/dist/plain-one.wasm")));
