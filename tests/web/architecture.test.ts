/** Who may import whom, by path; what only types say is an import too. */

import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
// A room imports itself and rooms of the lines above its own, so no two can need each other.
const LINES = `
wire
base
memory
glossary
detection kernel stores dom/nodes
published webgpu calls dom/units
dom
workers
workers/engine workers/language
api
ui/words ui/panel
ui/choices ui/memory ui/glossary
ui
fakes
index.ts
polyfill.ts
web/demo/page
web/demo/texts
web/demo/documents web/demo/panes web/demo/session
web/demo/engine
web/demo extension/src
extension/src/native
extension/src/frame extension/src/engine extension/src/pages
extension/src/background`.trim().split("\n").map((line) => line.split(" "));
const inWorker = (path: string): boolean => path.startsWith("web/src/workers");
const FILES = ["web/src", "web/demo", "extension/src"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
    .map((path) => `${folder}/${path}`),
);
const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const IMPORTS = new Map(
  FILES.map((path) => {
    const names = ts.preProcessFile(textOf(path)).importedFiles.map(({ fileName }) => fileName);
    return [path, names.filter((name) => name.endsWith(".ts")).map((name) => join(dirname(path), name))];
  }),
);
const roomOf = (path: string): string => (dirname(path) === "web/src" ? basename(path) : dirname(path).replace("web/src/", ""));
const lineOf = (path: string): number => LINES.findIndex((rooms) => rooms.includes(roomOf(path)));

it.each(FILES)("%s imports nothing upwards or beside it, nor what runs in another thread", (path) => {
  expect(lineOf(path)).toBeGreaterThanOrEqual(0);
  const isAllowed = (other: string): boolean =>
    roomOf(other) === roomOf(path) || (lineOf(other) < lineOf(path) && (!inWorker(other) || inWorker(path)));
  expect((IMPORTS.get(path) ?? []).filter((other) => !isAllowed(other))).toEqual([]);
  if (path.startsWith("web/src")) expect(textOf(path)).not.toMatch(/\b(?:document|window)\.\w/);
});

it("has no circle", () => {
  const left = new Map(IMPORTS);
  for (let count = -1; count !== left.size; ) {
    count = left.size;
    for (const [path, others] of left) if (!others.some((other) => left.has(other))) left.delete(path);
  }
  expect([...left.keys()]).toEqual([]);
});

it.each([...new Set(FILES.map(dirname))])("%s has at most 20 files", (folder) => {
  expect(FILES.filter((path) => dirname(path) === folder).length).toBeLessThanOrEqual(20);
});
