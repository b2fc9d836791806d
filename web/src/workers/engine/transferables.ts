import type { EngineOutput } from "../../wire/engine-protocol.ts";

/** The buffers of an output, which need not be copied. */
export function transferables(output: EngineOutput): Transferable[] {
  return [output.ids, output.logProbabilities, output.attention].map(({ buffer }) => buffer as ArrayBuffer);
}
