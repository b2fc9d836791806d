/**
 * Files that are built packed (`*.gz`), as a plain file server would not pack them.
 *
 *     server ------ gzip -------> worker unpacks: a third of a second of its thread for the interpreter's memory
 *     server -- gzip --> service worker, once --- as they are, so marked ---> worker
 */

/** On an answer of the service worker: it keeps this file as it is when unpacked. */
export const UNPACKED_HEADER = "x-dragoman-unpacked";

export function isPacked(path: string): boolean {
  return path.endsWith(".gz");
}

/** In one piece: a stream that a cache no longer reads is an error that nobody caught, in Firefox. */
export function unpacked(packed: ArrayBuffer): Promise<ArrayBuffer> {
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** What a file holds, whether its answer is packed or not. */
export async function contentOf(response: Response, path: string): Promise<ArrayBuffer> {
  if (!response.body || !isPackedAnswer(response, path)) return response.arrayBuffer();
  return new Response(streamOf(response.body, response, path)).arrayBuffer();
}

/** The same as it comes; `body` is the answer's. */
export function streamOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  response: Response,
  path: string,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return isPackedAnswer(response, path) ? body.pipeThrough(new DecompressionStream("gzip")) : body;
}

function isPackedAnswer(response: Response, path: string): boolean {
  return isPacked(path) && !response.headers.has(UNPACKED_HEADER);
}
