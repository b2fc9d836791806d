/**
 * How the translations of rows begin, flat (`flat_prefixes` of `py/dragoman/types/search.py`): of each row a
 * count of pieces; of each of these the piece, a count, and so many pieces that are allowed.
 */

import { DragomanError } from "../wire/errors.ts";

/** Of each row the part that is its own. */
export function prefixRows(prefixes: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer>[] {
  const rows: Int32Array<ArrayBuffer>[] = [];
  for (let at = 0; at < prefixes.length; ) {
    const start = at++;
    for (let left = prefixes[start] ?? 0; left > 0; left--) at += 2 + (prefixes[at + 1] ?? 0);
    rows.push(prefixes.subarray(start, at));
  }
  return rows;
}

export function joined(rows: readonly Int32Array[]): Int32Array<ArrayBuffer> {
  const all = new Int32Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const row of rows) {
    all.set(row, at);
    at += row.length;
  }
  return all;
}

/**
 * By the names that pieces have in the kernel; what has none there is not allowed. They take no more room.
 *
 * @param insideOf what a piece is called there; `undefined`: it is not.
 * @throws DragomanError "engine": the target's vocabulary lacks a piece of a prefix.
 */
export function prefixesInside(
  prefixes: Int32Array,
  insideOf: (name: number) => number | undefined,
): Int32Array<ArrayBuffer> {
  const inner: number[] = [];
  for (let at = 0; at < prefixes.length; ) {
    let left = prefixes[at++] ?? 0;
    for (inner.push(left); left > 0; left--) {
      const [name = 0, count = 0] = prefixes.subarray(at, at + 2);
      const piece = insideOf(name);
      if (piece === undefined) {
        throw new DragomanError("engine", `a prefix has piece ${name}, which the model cannot say`, {});
      }
      const allowed = [...prefixes.subarray(at + 2, at + 2 + count)].flatMap((one) => insideOf(one) ?? []);
      inner.push(piece, allowed.length, ...allowed.sort((a, b) => a - b));
      at += 2 + count;
    }
  }
  return Int32Array.from(inner);
}
