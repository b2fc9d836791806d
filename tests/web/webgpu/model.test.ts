/** How weights are packed for the device. What shaders make of them: `tests/e2e/test_webgpu.py`. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dense } from "../../../web/src/kernel/student.ts";
import { packDense } from "../../../web/src/webgpu/model.ts";

function dense(inputs: number, weights: readonly number[], bias: readonly number[], afterRelu: boolean): Dense {
  return {
    weights: new Uint8Array(Int8Array.from(weights).buffer),
    steps: { input: bias.length, output: 1 },
    inputs,
    outputs: bias.length,
    bias: new Uint8Array(Float32Array.from(bias).buffer),
    inputScale: 1,
    weightScale: 1,
    afterRelu,
  };
}

describe("packDense", () => {
  it("puts sixteen inputs of a column side by side, zeros beyond the last", () => {
    // 3 inputs, 2 outputs: column 0 is 1, 3, 5 and column 1 is 2, -4, 6.
    const { weights, columns } = packDense(dense(3, [1, 2, 3, -4, 5, 6], [0.5, -1], false));
    expect([...new Int8Array(weights.buffer)]).toEqual([
      ...[1, 3, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      ...[2, -4, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]);
    expect([...new Int32Array(columns.buffer)].filter((_, index) => index % 2 === 0)).toEqual([0, 0]);
    expect([...new Float32Array(columns.buffer)].filter((_, index) => index % 2 === 1)).toEqual([0.5, -1]);
  });

  it("reads a matrix that lies the other way round", () => {
    const embedding = { ...dense(2, [1, 2, 3, 4], [0, 0], false), steps: { input: 1, output: 2 } };
    const { weights } = packDense(embedding); // Row 0 of the embedding is column 0.
    expect([...weights.subarray(0, 2), ...weights.subarray(16, 18)]).toEqual([1, 2, 3, 4]);
  });

  it("corrects for the 128 that bytes after a relu lack", () => {
    const bytes = fc.integer({ min: -128, max: 127 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 9 }), fc.infiniteStream(bytes), (inputs, outputs, stream) => {
        const weights = [...stream.take(inputs * outputs)];
        const activations = [...stream.take(inputs)].map((byte) => byte + 128); // 0 to 255
        const packed = packDense(dense(inputs, weights, new Array<number>(outputs).fill(0), true));
        const bytesOf = new Int8Array(packed.weights.buffer);
        const corrections = new Int32Array(packed.columns.buffer);
        for (let n = 0; n < outputs; n++) {
          let sum = corrections[2 * n] ?? 0;
          for (let k = 0; k < inputs; k++) {
            const weight = bytesOf[(k - (k % 16)) * outputs + n * 16 + (k % 16)] ?? 0;
            sum += ((activations[k] ?? 0) - 128) * weight;
          }
          expect(sum).toBe(activations.reduce((total, activation, k) => total + activation * (weights[k * outputs + n] ?? 0), 0));
        }
      }),
    );
  });
});
