/** Bytes over the network, counted as they come, and given back. */

export type OnBytes = (loaded: number, total: number) => void;

/** The body as one buffer. */
export async function readBody(
  response: Response,
  onchunk: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await countBody(response, onchunk).arrayBuffer());
}

/** The same response, whose body is counted while somebody reads it; `onerror`: it broke off. */
export function countBody(
  response: Response,
  onchunk: (bytes: number) => void,
  onerror: (error: unknown) => void = () => undefined,
): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const counted = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return;
        }
        onchunk(value.length);
        controller.enqueue(value);
      } catch (error) {
        onerror(error);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}

/**
 * Empties a buffer: its memory is free at once, whoever still refers to it.
 *
 * It is sent to nobody. After `transfer(0)`, or as a clone's, Chromium would keep what was fetched until it looks for
 * garbage, which a worker that has little to do hardly ever does.
 */
export function release(buffer: ArrayBuffer): void {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.postMessage(null, [buffer]);
  port1.close();
}
