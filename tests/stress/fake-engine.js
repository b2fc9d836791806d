/* global self, navigator, FAULTS, DIES_AFTER */
// Stands in for the engine worker: it copies, and throws, hangs, gives nonsense or dies now and then.
//
// `FAULTS` (share of the mini-batches) and `DIES_AFTER` (mini-batches; 0: never) are put in front of
// this script. The messages are those of docs/protocol.md; others need no answer.
let runs = 0;

self.onmessage = ({ data: { base }, ports: [port] }) => {
  port.onmessage = ({ data: message }) => {
    if (message.type === "load") load(base, message).then((loaded) => port.postMessage(loaded));
    if (message.type === "run") setTimeout(() => run(port, message), Math.random() * 4);
  };
};

navigator.locks
  .request(self.name, () => {
    self.postMessage({ type: "started" });
    return new Promise(() => undefined);
  })
  .catch(() => undefined); // Firefox rejects it when the worker closes.

async function load(base, { model, bundle }) {
  const folder = new URL(`models/${bundle}/`, base);
  const manifestText = await (await fetch(new URL("manifest.json", folder))).text();
  const { path } = JSON.parse(manifestText).files.vocabulary;
  const vocabulary = new Uint8Array(await (await fetch(new URL(path, folder))).arrayBuffer());
  return { type: "loaded", model, manifestText, vocabulary };
}

function run(port, message) {
  const { ticket } = message;
  if (++runs === DIES_AFTER) return self.close();
  if (Math.random() >= FAULTS) return port.postMessage({ type: "output", ticket, ...copy(message) });
  switch (Math.floor(Math.random() * 5)) {
    case 0:
      return undefined; // It hangs; others go on.
    case 1:
      return port.postMessage({ type: "output", ticket, ...copy(message), logProbabilities: new Float32Array(1) });
    case 2: {
      const output = copy(message);
      output.logProbabilities.fill(NaN);
      return port.postMessage({ type: "output", ticket, ...output });
    }
    case 3: {
      const output = copy(message);
      output.ids.fill(2 ** 31 - 1);
      return port.postMessage({ type: "output", ticket, ...output });
    }
    default: {
      const error = { code: "engine", message: "out of memory", details: {} };
      return port.postMessage({ type: "failed", ticket, error });
    }
  }
}

/** Of a search with a beam it gives back one hypothesis a row, as it is asked for here. */
function copy({ ids, lengths, rows, width, attention, beams }) {
  const matrix = new Float32Array(attention ? rows * width * width : 0);
  for (let cell = 0; attention && cell < rows * width; cell++) {
    matrix[cell * width + Math.min(cell % width, lengths[Math.floor(cell / width)] - 1)] = 1;
  }
  const logProbabilities = new Float32Array(rows * width);
  const scores = beams && { scores: new Float32Array(rows) };
  return { steps: width, ids: ids.slice(), logProbabilities, attention: matrix, ...scores };
}
