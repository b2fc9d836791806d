// What the library asks of a browser, in Node: `web/package.mjs` puts these in the place of the globals of these
// names, in the package's entry for Node alone. No global of the program is touched.
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
const ASKS = new Set(["open", "translate", "graph", "feed", "finish", "pull", "statistics", "clear-cache"]);
const ANSWERS = new Set(["ready", "failed", "settled", "outputs", "fed", "piece", "ended", "statistics", "cleared"]);

/** A browser's worker, as a thread that ends with the program when nothing is asked of it any more. */
export class Worker extends EventTarget {
  #thread;
  #asked = 0;

  constructor(address, { name }) {
    super();
    const script = new URL("./dragoman-files/node-worker.mjs", import.meta.url);
    // The program's own flags (`--eval`, `--input-type`) are not the thread's.
    this.#thread = new Thread(script, { name, workerData: { address, name }, execArgv: [] });
    this.#thread.on("message", (data) => {
      if (ANSWERS.has(data.type)) this.#count(-1);
      this.dispatchEvent(Object.assign(new Event("message"), { data }));
    });
    this.#thread.on("messageerror", () => this.dispatchEvent(new Event("messageerror")));
    this.#thread.on("error", ({ message }) => this.#gone(message));
    this.#thread.on("exit", (code) => this.#gone(`it ended with ${code}`));
    this.#count(0); // After the listeners: each one has Node wait for the thread again.
  }

  postMessage(message, transfer) {
    if (ASKS.has(message.type)) this.#count(1);
    this.#thread.postMessage(message, transfer);
  }

  terminate() {
    void this.#thread.terminate();
  }

  #count(by) {
    this.#asked = Math.max(0, this.#asked + by);
    if (this.#asked) this.#thread.ref();
    else this.#thread.unref();
  }

  #gone(message) {
    this.dispatchEvent(Object.assign(new Event("error", { cancelable: true }), { message }));
  }
}
