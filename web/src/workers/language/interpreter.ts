/** The Python interpreter: Pyodide with the memory that the build left (ADR 7). */

import type { loadPyodide, PyodideAPI } from "pyodide";
import { addressOf, type Place } from "../../base/addresses.ts";
import { streamOf } from "../../base/packed.ts";
import { timed } from "../../base/stages.ts";
import { Snapshot } from "./snapshot.ts";

/** Not public, but what Pyodide calls on a fatal error, and the only sign of one. */
interface PyodideInternals {
  _api: { on_fatal?: (reason: unknown) => void };
}

const WASM = "pyodide.asm.wasm";

type CreateModule = NonNullable<NonNullable<Parameters<typeof loadPyodide>[0]>["createPyodideModule"]>;

/** Nor is a module's memory. */
interface ModuleInternals {
  readonly HEAPU8: Uint8Array;
}

/**
 * What does not come is the caller's to name (`watchingFetches`).
 *
 * @param onfatal is called when the interpreter dies: nothing that was awaited of it settles then.
 */
export async function loadRuntime(
  place: Place,
  onfatal: (reason: unknown) => void,
): Promise<PyodideAPI> {
  const indexURL = new URL("runtime/pyodide/", place.base).href;
  const compiled = WebAssembly.compileStreaming(fetch(`${indexURL}${WASM}`));
  const snapshot = openSnapshot(place.base);
  for (const early of [compiled, snapshot]) early.catch(() => undefined); // The scripts may fail first.
  const imported = (name: string): Promise<unknown> => import(addressOf(place, `runtime/pyodide/${name}`));
  const scripts = () => Promise.all([imported("pyodide.mjs"), imported("pyodide.asm.mjs")]);
  const [loader, module] = (await timed("runtime's scripts", scripts)) as [
    { loadPyodide: typeof loadPyodide },
    { default: CreateModule },
  ];
  const pyodide = await timed("interpreter", async () => {
    const memory = await snapshot;
    const load = () => loader.loadPyodide({
      indexURL,
      createPyodideModule: withMemory(module.default, memory),
      _loadSnapshot: memory.head,
    });
    return withCompiled(self, `${indexURL}${WASM}`, compiled, load);
  });
  (pyodide as PyodideAPI & PyodideInternals)._api.on_fatal = onfatal;
  return pyodide;
}

/**
 * Run `load` with what Pyodide would fetch and compile once its scripts are there: it has no option for a module that is
 * compiled beside them.
 *
 * @throws what `compiled` rejects with: Pyodide would wait for good.
 */
async function withCompiled<T>(
  scope: Pick<WindowOrWorkerGlobalScope, "fetch">,
  url: string,
  compiled: Promise<WebAssembly.Module>,
  load: () => Promise<T>,
): Promise<T> {
  const { fetch } = scope;
  const { instantiateStreaming } = WebAssembly;
  scope.fetch = (input, init) => {
    const asked = input instanceof Request ? input.url : String(input);
    return asked === url ? Promise.resolve(new Response()) : fetch.call(scope, input, init);
  };
  WebAssembly.instantiateStreaming = async (_none, imports) => {
    const module = await compiled;
    return { module, instance: await WebAssembly.instantiate(module, imports) };
  };
  try {
    const [loaded] = await Promise.all([load(), compiled]);
    return loaded;
  } finally {
    scope.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/**
 * Makes a module whose memory is there before Pyodide looks. It takes the head for the whole: it checks that, goes on
 * from it, and writes the memory that comes after, which is none.
 */
function withMemory(create: CreateModule, snapshot: Snapshot): CreateModule {
  return async (settings) => {
    const module = await create(Object.assign(settings, { INITIAL_MEMORY: snapshot.size }));
    await timed("snapshot, restored", () => snapshot.restore((module as unknown as ModuleInternals).HEAPU8));
    return module;
  };
}

/** The interpreter's memory with the core imported (`web/snapshot.mjs`, ADR 7). */
async function openSnapshot(base: string): Promise<Snapshot> {
  const response = await fetch(new URL(SNAPSHOT, base));
  // An answer without a body ends at once.
  return Snapshot.open(streamOf(response.body ?? new Blob().stream(), response, SNAPSHOT));
}
