/**
 * A shortlist in the kernel's memory, beside its model: `py/dragoman/marian/shortlist.py` explains the file. The
 * kernel checks what the lists hold.
 */

import type { PlacedModel } from "../wire/engine-protocol.ts";
import { LEAST_COLUMNS } from "../wire/contract.ts";
import { DragomanError } from "../wire/errors.ts";
import type { Address, Kernel } from "./kernel.ts";

const MAGIC = 0xf11a48d5013417f5n;
const HEADER = { magic: 0, first: 2, offsets: 4, targets: 5 };
const HEADER_BYTES = 48;
/** The kernel's own numbers have 32 bits, and end with the vocabulary. */
const MOST_FIRST = 2 ** 31 - 1;

/**
 * The model, as it is without a shortlist; with one each row chooses among some of its pieces.
 *
 * @throws DragomanError "bundle-mismatch": it is none of this model; "engine": there is no memory.
 */
export function withShortlist(
  kernel: Kernel,
  model: PlacedModel,
  content: Uint8Array<ArrayBuffer> | undefined,
): PlacedModel {
  if (!content) return model;
  const { first, targets } = readHead(content, model.sourcePieces);
  const { address, sourcePieces, names } = model;
  const keep = (bytes: Uint8Array): Address => {
    const at = kernel.need(kernel.functions.model_take(address, bytes.length));
    kernel.bytes(at, bytes.length).set(bytes);
    return at;
  };
  const middle = HEADER_BYTES + 8 * (sourcePieces + 1);
  const lists = [keep(content.subarray(HEADER_BYTES, middle)), keep(content.subarray(middle)), targets] as const;
  const copies = names ? keep(new Uint8Array(copiesOf(names, sourcePieces).buffer)) : 0;
  if (!kernel.functions.model_lists(address, ...lists, copies, sourcePieces, first, LEAST_COLUMNS)) {
    throw unfit("the shortlist names pieces that the model does not have");
  }
  kernel.need(kernel.functions.model_common(address));
  return { ...model, hasShortlist: true };
}

function readHead(content: Uint8Array, sources: number): { first: number; targets: number } {
  if (content.length < HEADER_BYTES) throw unfit(`this is no shortlist: ${content.length} bytes`);
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const number = (place: number): bigint => view.getBigUint64(8 * place, true);
  if (number(HEADER.magic) !== MAGIC) throw unfit("this is no binary shortlist");
  const [offsets, targets] = [Number(number(HEADER.offsets)), Number(number(HEADER.targets))];
  if (HEADER_BYTES + 8 * offsets + 4 * targets !== content.length) throw unfit("the shortlist is cut off or damaged");
  if (offsets !== sources + 1) throw unfit(`the shortlist is of ${offsets - 1} pieces, the model's source has ${sources}`);
  return { first: Math.min(Number(number(HEADER.first)), MOST_FIRST), targets };
}

/** Of each source piece the target's with the same text, or -1. */
function copiesOf(names: Int32Array, sources: number): Int32Array<ArrayBuffer> {
  const copies = new Int32Array(sources).fill(-1);
  names.forEach((name, piece) => {
    if (name < sources) copies[name] = piece;
  });
  return copies;
}

function unfit(message: string): DragomanError {
  return new DragomanError("bundle-mismatch", message, {});
}
