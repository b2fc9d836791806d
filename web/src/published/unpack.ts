/** Packed files, unpacked and checked. */

import { sha256 } from "../base/hash.ts";
import { DragomanError } from "../wire/errors.ts";

/** What a file must be. */
export interface Expected {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * What is in a file: gzip, or as it is. What it begins with decides, not what a list says of it: servers unpack
 * gzip on their way.
 *
 * @throws DragomanError "fetch-corrupt": it is damaged, cut off, or another file.
 */
export async function unpack(
  packed: Blob,
  expected: Expected,
  subtle: Pick<SubtleCrypto, "digest">,
): Promise<Uint8Array<ArrayBuffer>> {
  const start = new Uint8Array(await packed.slice(0, 2).arrayBuffer());
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  const stream: ReadableStream<Uint8Array> = isGzip
    ? packed.stream().pipeThrough(new DecompressionStream("gzip"))
    : packed.stream();
  const content = await filled(stream, expected);
  await check(content, expected, subtle);
  return content;
}

/** @throws DragomanError "fetch-corrupt" */
export async function check(
  content: Uint8Array<ArrayBuffer>,
  { name, size, sha256: wanted }: Expected,
  subtle: Pick<SubtleCrypto, "digest">,
): Promise<void> {
  if (content.length !== size) throw corrupt(name, "bytes", size, content.length);
  const computed = await sha256(content, subtle);
  if (computed !== wanted) throw corrupt(name, "SHA-256", wanted, computed);
}

/** Never more than is expected, whatever comes. */
async function filled(stream: ReadableStream<Uint8Array>, { name, size }: Expected): Promise<Uint8Array<ArrayBuffer>> {
  const content = new Uint8Array(size);
  const reader = stream.getReader();
  let end = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return content.subarray(0, end);
      if (end + value.length > size) throw corrupt(name, "bytes", size, end + value.length);
      content.set(value, end);
      end += value.length;
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined); // It may have failed.
    if (error instanceof DragomanError) throw error;
    throw new DragomanError("fetch-corrupt", `${name} is damaged: ${String(error)}`, { path: name });
  }
}

function corrupt(name: string, what: string, expected: number | string, found: number | string): DragomanError {
  const message = `${name} is not the published file: ${what} ${expected} expected, ${found} found`;
  return new DragomanError("fetch-corrupt", message, { path: name, expected, found });
}
