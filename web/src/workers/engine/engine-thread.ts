/**
 * A thread of the engine: an instance of the kernel over the engine worker's memory.
 *
 *     join --> "joined";   run, ticket --> "output" | "failed", ticket;   stop, ticket
 */

import { toWire } from "../../wire/errors.ts";
import { runBatch } from "../../kernel/batch.ts";
import { Kernel } from "../../kernel/kernel.ts";
import { takeParts } from "../../kernel/parts.ts";
import type { EngineToThread, PlacedModel, ThreadToEngine } from "../../wire/engine-protocol.ts";
import { Stops } from "./stops.ts";
import { buffersOf } from "../transferables.ts";

declare const self: DedicatedWorkerGlobalScope;

const stops = new Stops();
let joined: Promise<{ kernel: Kernel; model: PlacedModel }> | undefined;

self.onmessage = ({ data: message }: MessageEvent<EngineToThread>) => {
  switch (message.type) {
    case "join":
      joined = join(message);
      joined.then(
        () => {
          post({ type: "joined" });
        },
        (error: unknown) => {
          post({ type: "failed", error: toWire(error, "engine") });
        },
      );
      break;
    case "run":
      void run(message);
      break;
    case "stop":
      stops.stop(message.ticket);
  }
};

function post(message: ThreadToEngine, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}

async function join({ module, memory, model }: Extract<EngineToThread, { type: "join" }>) {
  return { kernel: await Kernel.join(module, memory), model };
}

async function run(message: Extract<EngineToThread, { type: "run" }>): Promise<void> {
  const { ticket, parts } = message;
  try {
    if (!joined) throw new Error(`run ${ticket} came before "join"`);
    const { kernel, model } = await joined;
    const outputs = await stops.run(ticket, (pause) =>
      takeParts(message, parts, pause, (part, rest) => runBatch(kernel, model, part, rest)),
    );
    const buffers = outputs.flatMap(([, output]) => buffersOf(output));
    post({ type: "output", ticket, outputs }, buffers);
  } catch (error) {
    post({ type: "failed", ticket, error: toWire(error, "engine") });
  }
}
