/** Buffers of the messages between the workers. */

import type { EngineInput, EngineOutput } from "../wire/engine-protocol.ts";

/** The buffers of an output, which need not be copied. */
export function buffersOf({ ids, logProbabilities, attention, scores }: EngineOutput): ArrayBuffer[] {
  const arrays = [ids, logProbabilities, attention, ...(scores ? [scores] : [])];
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}

/** Without what is around it in a message. */
export function outputOf({ steps, ids, logProbabilities, attention, scores }: EngineOutput): EngineOutput {
  return { steps, ids, logProbabilities, attention, ...(scores && { scores }) };
}

/** The buffers of an input. */
export function inputBuffers({ ids, lengths, limits, beams }: EngineInput): Transferable[] {
  return [ids, lengths, limits, ...(beams ? [beams.prefixes] : [])].map(({ buffer }) => buffer);
}
