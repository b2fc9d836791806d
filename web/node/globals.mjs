// What the library asks of a browser, in Node: `web/package.mjs` puts these in the place of the globals of these
// names, in the package's entry for Node alone. No global of the program is touched.
import { File } from "node:buffer";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker as Thread } from "node:worker_threads";

export const isSecureContext = true;
// The kernel runs in one thread: what is shared between workers is a browser's.
export const crossOriginIsolated = false;
export const navigator = { hardwareConcurrency: availableParallelism(), userAgent: `Node ${process.version}` };
// Not `new URL("./", ...)`: a bundler that makes pages on a server would look for a module there.
export const location = { href: import.meta.url.replace(/[^/]*$/, ""), origin: "null", protocol: "file:" };
/** Nothing is kept: the files are on the disk already. */
export const caches = { keys: () => Promise.resolve([]), open: () => Promise.reject(new Error("nothing is kept in Node")) };

/** Files of packages are read, not fetched. */
export async function fetch(input, init) {
  const url = String(input instanceof Request ? input.url : input);
  if (!url.startsWith("file:")) return globalThis.fetch(input, init);
  const type = url.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(await readFile(fileURLToPath(url)), { headers: { "content-type": type } });
}

// Each question to a worker, and what of it answers. One that has been asked keeps the program running.
const ASKS = new Set(["open", "load", "translate", "graph", "document", "feed", "finish", "pull", "statistics", "clear-cache"]);
const ANSWERS = new Set([
  ...["ready", "failed", "loaded", "settled", "outputs", "document-settled", "fed", "piece", "ended", "statistics", "cleared"],
]);

/** A translated document as a browser gives it: its name comes beside it (`worker.mjs`). */
function withFile({ fileName, ...data }) {
  if (fileName === undefined) return data;
  const { document } = data.outcome;
  const file = new File([document.file], fileName, { type: document.file.type });
  return { ...data, outcome: { ok: true, document: { ...document, file } } };
}

/** A browser's worker, as a thread that ends with the program when nothing is asked of it any more. */
export class Worker extends EventTarget {
  #thread;
  /** How many questions are open, by the id of their call. */
  #asked = new Map();

  constructor(address, { name }) {
    super();
    const script = new URL("./dragoman-files/node-worker.mjs", import.meta.url);
    // The program's own flags (`--eval`, `--input-type`) are not the thread's.
    this.#thread = new Thread(script, { name, workerData: { address, name }, execArgv: [] });
    this.#thread.on("message", (data) => {
      if (ANSWERS.has(data.type)) this.#count(data.id, -1);
      this.dispatchEvent(Object.assign(new Event("message"), { data: withFile(data) }));
    });
    this.#thread.on("messageerror", () => this.dispatchEvent(new Event("messageerror")));
    this.#thread.on("error", ({ message }) => this.#gone(message));
    this.#thread.on("exit", (code) => this.#gone(`it ended with ${code}`));
    this.#hold(); // After the listeners: each one has Node wait for the thread again.
  }

  postMessage(message, transfer) {
    if (ASKS.has(message.type)) this.#count(message.id, 1);
    if (message.type === "cancel" && message.output === undefined) this.#forget(message.id);
    this.#thread.postMessage(message, transfer);
  }

  terminate() {
    void this.#thread.terminate();
  }

  #count(id, by) {
    const left = (this.#asked.get(id) ?? 0) + by;
    if (left > 0) this.#asked.set(id, left);
    else this.#asked.delete(id);
    this.#hold();
  }

  /** Nobody waits for an answer any more, and there need not be one. */
  #forget(id) {
    this.#asked.delete(id);
    this.#hold();
  }

  #hold() {
    if (this.#asked.size) this.#thread.ref();
    else this.#thread.unref();
  }

  #gone(message) {
    this.dispatchEvent(Object.assign(new Event("error", { cancelable: true }), { message }));
  }
}
