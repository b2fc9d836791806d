import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { startEngine } from "../../../../web/src/workers/engine/engine-start.ts";
import type { KernelFiles } from "../../../../web/src/workers/engine/kernel-engine.ts";
import { MANIFEST } from "../../support/values.ts";

it("tells what computes a model once that has started", async () => {
  const graph = new Uint8Array(readFileSync(new URL("../../../../models/de-en/model.onnx", import.meta.url)));
  const kind = Buffer.from(graph.buffer).indexOf("student-int8-aligned");
  graph.set(Buffer.from("teacher"), kind); // Of a kind that only onnxruntime computes, which is not among the files.
  const onstate = vi.fn();
  const options = { bundle: "de-en", threads: 1, measureThreads: false, engine: "auto" } as const;
  const given = { graph, manifest: MANIFEST, shortlist: undefined };
  const place = { base: "http://localhost/" };
  await expect(startEngine(place, {} as KernelFiles, given, options, onstate)).rejects.toMatchObject({ code: "not-supported" });
  expect(onstate).not.toHaveBeenCalled();
});
