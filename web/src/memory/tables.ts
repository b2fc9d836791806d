/** Translation memories as TSV: UTF-8, an entry a line. What is read is what `py/dragoman/native/memory.py` reads. */

import { DragomanError } from "../wire/errors.ts";
import type { MemoryEntry } from "../wire/protocol.ts";
import { nearest, spaced, type Pair } from "./tags.ts";

const TAG = /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$/;

/** @throws DragomanError "invalid-translation-memory": a line has no tabulator. */
export function readTsv(text: string, pair: Pair): readonly MemoryEntry[] {
  let columns: readonly [number, number] = [0, 1];
  const entries: MemoryEntry[] = [];
  text.replace(/^\uFEFF/, "").split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "") return;
    const cells = line.split("\t").map(spaced);
    const named = index === 0 ? columnsOf(cells, pair) : undefined;
    if (named) {
      columns = named;
      return;
    }
    if (cells.length < 2) {
      throw new DragomanError("invalid-translation-memory", `line ${index + 1} has no tabulator`, { reason: "line", line: index + 1 });
    }
    const [source = "", target = ""] = columns.map((at) => cells[at] ?? "");
    if (source && target) entries.push({ source, target });
  });
  return entries;
}

/** With a first row that names the languages. */
export function writeTsv(entries: readonly MemoryEntry[], { source, target }: Pair): string {
  const rows = [[source, target], ...entries.map((entry) => [spaced(entry.source), spaced(entry.target)])];
  return rows.map((cells) => `${cells.join("\t")}\n`).join("");
}

/** Which columns are the source's and the target's, by a row that names languages. */
function columnsOf(cells: readonly string[], pair: Pair): readonly [number, number] | undefined {
  if (!cells.every((cell) => cell === "" || TAG.test(cell))) return undefined;
  const [source, target] = [nearest(cells, pair.source), nearest(cells, pair.target)];
  return source === undefined || target === undefined ? undefined : [source, target];
}
