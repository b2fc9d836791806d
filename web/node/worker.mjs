// A browser's worker in a thread of Node: gives the script the globals that it knows, and then the messages.
//
// The thread has globals of its own: the program's stay as they are. Without `process` the interpreter takes the
// thread for a browser's worker, and asks for its files by `fetch`.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

const { process } = globalThis;
const elsewhere = globalThis.fetch;
const listeners = { unhandledrejection: [] };

async function fetchFile(input, init) {
  const url = String(input instanceof Request ? input.url : input);
  if (!url.startsWith("file:")) return elsewhere(input, init);
  const type = url.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(await readFile(fileURLToPath(url)), { headers: { "content-type": type } });
}

/** Of a file only its content and its type reach another thread (Node 20): its name goes beside it. */
function withName(message) {
  const isFile = message.type === "document-settled" && message.outcome.ok;
  return isFile ? { ...message, fileName: message.outcome.document.file.name } : message;
}

class WorkerGlobalScope {
  static [Symbol.hasInstance](value) {
    return value === globalThis;
  }
}

const given = {
  self: globalThis,
  WorkerGlobalScope,
  name: workerData.name,
  location: new URL(workerData.address),
  crossOriginIsolated: false,
  isSecureContext: true,
  // The thread's end is told by its "exit"; no lock is needed for that.
  navigator: { userAgent: `Node ${process.version}`, hardwareConcurrency: 1, locks: { request: async (_, held) => held() } },
  caches: { keys: async () => [], open: () => Promise.reject(new Error("nothing is kept in Node")) },
  fetch: fetchFile,
  postMessage: (message, transfer) => parentPort.postMessage(withName(message), transfer),
  addEventListener: (type, listener) => listeners[type]?.push(listener),
  process: undefined,
};
for (const [name, value] of Object.entries(given)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
process.on("unhandledRejection", (reason) => {
  for (const listener of listeners.unhandledrejection) listener({ reason, preventDefault: () => undefined });
});

await import(workerData.address);
parentPort.onmessage = (event) => globalThis.onmessage(event);
