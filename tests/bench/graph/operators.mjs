// The browser's half of operators.py: median microseconds an operator.
import * as ort from "/ort/ort.wasm.min.mjs";

ort.env.wasm.wasmPaths = "/ort/";
ort.env.wasm.numThreads = 1;

export async function measure({ widths, rows, run, repeats }) {
  const measured = {};
  for (const [name, width] of Object.entries(widths)) {
    const session = await ort.InferenceSession.create(`/${name}.onnx`);
    measured[name] = {};
    for (const count of rows) {
      const values = Float32Array.from({ length: count * width }, () => Math.random());
      const x = new ort.Tensor("float32", values, [count, width]);
      for (const end = performance.now() + run; performance.now() < end; ) await session.run({ x });
      const times = [];
      for (const end = performance.now() + run; performance.now() < end; ) {
        const start = performance.now();
        await session.run({ x });
        times.push(performance.now() - start);
      }
      measured[name][count] = (times.sort((a, b) => a - b)[times.length >> 1] / repeats) * 1000;
    }
    await session.release();
  }
  return measured;
}
