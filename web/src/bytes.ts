/** Bytes over the network, counted as they come. */

export type OnBytes = (loaded: number, total: number) => void;

/** The body as one buffer. */
export async function readBody(
  response: Response,
  onchunk: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await countBody(response, onchunk).arrayBuffer());
}

/** The same response, whose body is counted while somebody reads it. */
export function countBody(response: Response, onchunk: (bytes: number) => void): Response {
  if (!response.body) return response;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      onchunk(chunk.length);
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}
