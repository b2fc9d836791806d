/** The worker of Node, with a script that answers as the language worker does. */

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const NODE = join(import.meta.dirname, "../../../web/node");

/** It answers after a while, and a document that was taken back not at all. */
const SCRIPT = `
const ANSWERS = {
  load: ({ id }) => ({ type: "loaded", id, outcome: { ok: true } }),
  document: ({ id }) => {
    const file = new File(["A letter"], "brief.en.txt", { type: "text/plain" });
    return { type: "document-settled", id, outcome: { ok: true, document: { file, kind: "txt" } } };
  },
};
const takenBack = new Set();
self.onmessage = ({ data }) => {
  if (data.type === "cancel") takenBack.add(data.id);
  setTimeout(() => {
    if (ANSWERS[data.type] && !takenBack.has(data.id)) self.postMessage(ANSWERS[data.type](data));
  }, 100);
};
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-node-"));
  mkdirSync(join(folder, "dragoman-files"));
  cpSync(join(NODE, "globals.mjs"), join(folder, "globals.mjs"));
  cpSync(join(NODE, "worker.mjs"), join(folder, "dragoman-files/node-worker.mjs"));
  writeFileSync(join(folder, "language.mjs"), SCRIPT);
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** What a program says that has a worker, once it has ended by itself. */
function said(program: string): Promise<string> {
  const start = `
    import { Worker } from "./globals.mjs";
    const worker = new Worker(new URL("./language.mjs", import.meta.url).href, { name: "language" });
  `;
  writeFileSync(join(folder, "program.mjs"), start + program);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["program.mjs"], { cwd: folder, timeout: 20_000 });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => { output += chunk.toString(); });
    child.on("error", reject);
    child.on("close", (code) => { resolve(code === 0 ? output : `${output}ended with ${code ?? "a signal"}`); });
  });
}

describe("Worker", () => {
  it.each(["load", "document"])("keeps the program running until its question is answered: %s", async (type) => {
    expect(await said(`
      worker.addEventListener("message", ({ data }) => console.log(data.type, data.id));
      worker.postMessage({ type: "${type}", id: 1 });
    `)).toBe(`${type === "load" ? "loaded" : "document-settled"} 1\n`);
  });

  it("hands a file over with its name and its type", async () => {
    expect(await said(`
      worker.addEventListener("message", async ({ data }) => {
        const { file, kind } = data.outcome.document;
        console.log(file instanceof File, file.name, file.type, kind, await file.text());
      });
      worker.postMessage({ type: "document", id: 1 });
    `)).toBe("true brief.en.txt text/plain txt A letter\n");
  });

  it("does not wait for what was taken back", async () => {
    expect(await said(`
      worker.addEventListener("message", ({ data }) => console.log(data.type, data.id));
      for (const id of [1, 2]) worker.postMessage({ type: "document", id });
      worker.postMessage({ type: "cancel", id: 1 });
    `)).toBe("document-settled 2\n");
  });
});
