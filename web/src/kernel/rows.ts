/** Parts of a mini-batch, which are rows of it, and their outputs put together again. */

import type { EngineInput, EngineOutput } from "../wire/engine-protocol.ts";
import { joined, prefixRows } from "./prefixes.ts";

/** Rows `part`, `part + count`, `part + 2 count` ... */
export function partOf(input: EngineInput, part: number, count: number): EngineInput {
  return count === 1 ? input : rowsOf(input, part, count);
}

function rowsOf(input: EngineInput, first: number, step: number): EngineInput {
  const { width, attention, beams } = input;
  const rows = Math.ceil((input.rows - first) / step);
  const part = {
    ids: new Int32Array(rows * width),
    lengths: new Int32Array(rows),
    limits: new Int32Array(rows),
  };
  for (let row = 0; row < rows; row++) {
    const from = first + row * step;
    part.ids.set(input.ids.subarray(from * width, (from + 1) * width), row * width);
    part.lengths[row] = input.lengths[from] ?? 0;
    part.limits[row] = input.limits[from] ?? 0;
  }
  const prefixes = beams && joined(prefixRows(beams.prefixes).filter((_, row) => row % step === first));
  return {
    ...part,
    rows,
    width,
    attention,
    ...(beams && prefixes && { beams: { ...beams, prefixes } }),
  };
}

/** The output of a mini-batch from those of all its parts, in their order. */
export function gather(input: EngineInput, parts: readonly EngineOutput[]): EngineOutput {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const { width, beams } = input;
  const kept = beams?.kept ?? 1;
  const rows = input.rows * kept;
  const steps = Math.max(...parts.map((part) => part.steps));
  const ids = new Int32Array(rows * steps);
  const logProbabilities = new Float32Array(rows * steps);
  const attention = new Float32Array(input.attention ? rows * steps * width : 0);
  const scores = new Float32Array(beams ? rows : 0);
  parts.forEach((part, first) => {
    for (let from = 0; from < part.ids.length / part.steps; from++) {
      const to = (Math.floor(from / kept) * parts.length + first) * kept + (from % kept);
      const own = from * part.steps;
      ids.set(part.ids.subarray(own, own + part.steps), to * steps);
      logProbabilities.set(part.logProbabilities.subarray(own, own + part.steps), to * steps);
      if (beams) scores[to] = part.scores?.[from] ?? 0;
      if (!input.attention) continue;
      attention.set(part.attention.subarray(own * width, (own + part.steps) * width), to * steps * width);
    }
  });
  return { steps, ids, logProbabilities, attention, ...(beams && { scores }) };
}
