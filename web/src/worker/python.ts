/** The Python core under Pyodide: loading it, and the bridge's session as JavaScript sees it. */

import type { loadPyodide, PyodideAPI } from "pyodide";
import type { PyBuffer, PyCallable, PyProxy } from "pyodide/ffi";
import { DragomanError } from "../errors.ts";
import type {
  EngineInput,
  EngineOutput,
  Limits,
  Outcome,
  Priority,
  ProgressState,
  Statistics,
  TranslationRequest,
  WireError,
} from "../protocol.ts";

/** What runs mini-batches; `stop` ends those that are running. */
export interface EngineHost {
  run(input: EngineInput): Promise<EngineOutput>;
  stop(): void;
}

export type OnProgress = (state: ProgressState, done: number, total: number) => void;

/** `dragoman.bridge.Session`. */
interface PySession extends PyProxy {
  translate(id: number, requestJson: string, onProgress: OnProgress): Promise<string> & PyProxy;
  cancel(id: number): void;
  prioritize(id: number, priority: Priority): void;
  statistics(): string;
  close(): Promise<void> & PyProxy;
}

interface Bridge {
  open_session: (
    manifestJson: string,
    vocabulary: PyProxy,
    run: unknown,
    limitsJson: string | undefined,
  ) => PySession;
  error_data: PyCallable;
}

/** Not public, but what Pyodide calls on a fatal error, and the only sign of one. */
interface PyodideInternals {
  _api: { on_fatal?: (reason: unknown) => void };
}

/** `onfatal` is called when the interpreter dies: nothing that was awaited of it settles then. */
export async function loadRuntime(
  base: string,
  onfatal: (reason: unknown) => void,
): Promise<PyodideAPI> {
  const indexURL = new URL("runtime/pyodide/", base).href;
  const loader = (await import(`${indexURL}pyodide.mjs`)) as { loadPyodide: typeof loadPyodide };
  const pyodide = await loader.loadPyodide({ indexURL });
  (pyodide as PyodideAPI & PyodideInternals)._api.on_fatal = onfatal;
  return pyodide;
}

export async function loadWheels(pyodide: PyodideAPI, base: string): Promise<void> {
  const urls = WHEELS.map((path) => new URL(path, base).href);
  await pyodide.loadPackage(urls, { messageCallback: () => undefined });
}

/** What takes time is over when the model comes. */
export function importCore(pyodide: PyodideAPI): void {
  pyodide.pyimport("dragoman.bridge");
}

/** A loaded model; as its Python half, it never rejects for anything that a client can cause. */
export class Session {
  readonly #session: PySession;

  constructor(
    pyodide: PyodideAPI,
    manifestText: string,
    vocabulary: Uint8Array,
    engine: EngineHost,
    limits?: Limits,
  ) {
    const bridge = pyodide.pyimport("dragoman.bridge") as unknown as Bridge;
    const bytes = pyodide.toPy(vocabulary) as PyProxy;
    try {
      this.#session = bridge.open_session(
        manifestText,
        bytes,
        engineFunction(engine),
        limits && JSON.stringify(limits),
      );
    } catch (error) {
      throw pythonError(pyodide, bridge) ?? error;
    } finally {
      bytes.destroy();
    }
  }

  async translate(id: number, request: TranslationRequest, onProgress: OnProgress): Promise<Outcome> {
    const coroutine = this.#session.translate(id, JSON.stringify(request), onProgress);
    try {
      return JSON.parse(await coroutine) as Outcome;
    } finally {
      coroutine.destroy();
    }
  }

  cancel(id: number): void {
    this.#session.cancel(id);
  }

  prioritize(id: number, priority: Priority): void {
    this.#session.prioritize(id, priority);
  }

  statistics(): Statistics {
    return JSON.parse(this.#session.statistics()) as Statistics;
  }

  async close(): Promise<void> {
    const coroutine = this.#session.close();
    await coroutine;
    coroutine.destroy();
    this.#session.destroy();
  }
}

/** What the bridge calls: Python buffers in, typed arrays out. */
function engineFunction(engine: EngineHost) {
  const run = (
    ids: PyBuffer,
    lengths: PyBuffer,
    limits: PyBuffer,
    rows: number,
    width: number,
    attention: boolean,
  ): Promise<EngineOutput> =>
    engine.run({
      ids: takeInts(ids),
      lengths: takeInts(lengths),
      limits: takeInts(limits),
      rows,
      width,
      attention,
    });
  return Object.assign(run, {
    stop: () => {
      engine.stop();
    },
  });
}

/** A copy outside of Python's memory, which can be transferred. */
function takeInts(proxy: PyBuffer): Int32Array<ArrayBuffer> {
  const view = proxy.getBuffer("i32");
  try {
    return new Int32Array(view.data as Int32Array);
  } finally {
    view.release(); // The proxy is Pyodide's: it is destroyed when the promise settles, not before.
  }
}

/** The DragomanError that Python raised last, with its code. */
function pythonError(pyodide: PyodideAPI, bridge: Bridge): DragomanError | undefined {
  const sys = pyodide.pyimport("sys") as unknown as { last_exc?: PyProxy & { code?: unknown } };
  if (typeof sys.last_exc?.code !== "string") return undefined;
  const data = bridge.error_data(sys.last_exc) as PyProxy;
  const { code, message, details } = data.toJs({ dict_converter: Object.fromEntries }) as WireError;
  return new DragomanError(code, message, details);
}
