/** A translation memory from a file, within the limits. */

import { countCharacters } from "../base/characters.ts";
import { decoded } from "../base/reading.ts";
import { LIMITS } from "../wire/contract.ts";
import { DragomanError, QuotaError } from "../wire/errors.ts";
import type { MemoryEntry } from "../wire/protocol.ts";
import { readTsv } from "./tables.ts";
import type { Pair } from "./tags.ts";
import { readTmx } from "./tmx.ts";

/** Bytes. */
const LARGEST_FILE = 256_000_000;

/**
 * `.tmx` and `.xml` are TMX, anything else is TSV.
 *
 * @throws DragomanError "invalid-translation-memory": it cannot be read, or has no entry of the pair; QuotaError
 * "translation-memory-too-large": it is over a limit.
 */
export async function readMemoryFile(file: File, pair: Pair): Promise<readonly MemoryEntry[]> {
  if (file.size > LARGEST_FILE) throw tooLarge(file.size, LARGEST_FILE, "bytes");
  const text = decoded(await file.arrayBuffer());
  if (text === undefined) {
    throw new DragomanError("invalid-translation-memory", "it is not UTF-8, nor UTF-16 that says so", { reason: "encoding" });
  }
  const entries = /\.(?:tmx|xml)$/i.test(file.name) ? readTmx(text, pair) : readTsv(text, pair);
  if (entries.length === 0) {
    throw new DragomanError("invalid-translation-memory", `it has no entry from ${pair.source} to ${pair.target}`, { reason: "empty" });
  }
  checkMemory(entries);
  return entries;
}

/** @throws QuotaError "translation-memory-too-large" */
export function checkMemory(entries: readonly MemoryEntry[]): void {
  const { memory_entries: most, memory_sentence_characters: longest, memory_characters: all } = LIMITS;
  if (entries.length > most) throw tooLarge(entries.length, most, "entries");
  let sum = 0;
  for (const side of entries.flatMap(({ source, target }) => [source, target])) {
    // Code points, which the limits count: a text has as many or fewer of them as UTF-16 units.
    const length = side.length > longest ? countCharacters(side) : side.length;
    if (length > longest) throw tooLarge(length, longest, "characters of a sentence");
    sum += length;
  }
  if (sum > all) throw tooLarge(sum, all, "characters");
}

function tooLarge(requested: number, allowed: number, counted: string): QuotaError {
  const message = `the memory has ${requested} ${counted}, up to ${allowed} are taken`;
  return new QuotaError("translation-memory-too-large", message, { requested, allowed, counted });
}
