// The browser's half of decoding_loop.py: medians of both designs in milliseconds.
import * as ort from "/ort/ort.wasm.min.mjs";

ort.env.wasm.wasmPaths = "/ort/";
ort.env.wasm.numThreads = 1;

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

async function timed(run, { warmUp, run: length }) {
  for (const end = performance.now() + warmUp; performance.now() < end; ) await run();
  const times = [];
  for (const end = performance.now() + length; performance.now() < end; ) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return median(times);
}

function inputs(rows, { pieces, steps }) {
  const ids = Int32Array.from({ length: rows * pieces }, (_, i) =>
    (i + 1) % pieces ? 300 + ((i * 7919) % 7700) : 0,
  );
  const filled = (value) => new ort.Tensor("int32", new Int32Array(rows).fill(value), [rows]);
  return {
    source_ids: new ort.Tensor("int32", ids, [rows, pieces]),
    lengths: filled(pieces),
    limits: filled(steps),
  };
}

export async function measure(given) {
  const [loop, encoder, step] = await Promise.all(
    ["loop", "encoder", "step"].map((name) => ort.InferenceSession.create(`/${name}.onnx`)),
  );

  async function driven(given_, rows) {
    const { source_ids, lengths } = given_;
    const memory = await encoder.run({ source_ids, lengths });
    let ids = new ort.Tensor("int32", new Int32Array(rows).fill(-1), [rows]);
    const zeros = new Float32Array(rows * given.dimension);
    let first = new ort.Tensor("float32", zeros, [rows, given.dimension]);
    let second = first;
    for (let number = 0n; number < BigInt(given.steps); number++) {
      const results = await step.run({
        ...memory,
        ids,
        step: new ort.Tensor("int64", new BigInt64Array([number]), []),
        "state.0": first,
        "state.1": second,
      });
      ids = results.best;
      first = results["next_state.0"];
      second = results["next_state.1"];
    }
  }

  const measured = { loop: {}, step: {} };
  for (const rows of given.rows) {
    const batch = inputs(rows, given);
    measured.loop[rows] = await timed(() => loop.run(batch), given);
    measured.step[rows] = await timed(() => driven(batch, rows), given);
  }
  return measured;
}
