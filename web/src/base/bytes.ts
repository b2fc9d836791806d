/** Bytes over the network, counted as they come, and given back. */

export type OnBytes = (loaded: number, total: number) => void;

/** Bytes that are believed before they have come: a manifest may say anything. */
const BELIEVED = 2 ** 28;

/**
 * The body as one buffer.
 *
 * @param expected its bytes, if it is what it should be: there is room for them at once, and each chunk is given back when it
 *   is there. Chunks that are left to be collected are a second copy that a worker has for good.
 */
export async function readBody(
  response: Response,
  expected: number,
  onchunk: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  let content = new Uint8Array(expected >= 0 && expected <= BELIEVED ? Math.floor(expected) : 0);
  let length = 0;
  for await (const chunk of chunksOf(response)) {
    onchunk(chunk.length);
    if (length + chunk.length > content.length) content = grown(content, length + chunk.length);
    content.set(chunk, length);
    length += chunk.length;
    // Elsewhere several share a buffer.
    if (chunk.length === chunk.buffer.byteLength) release(chunk.buffer);
  }
  return length === content.length ? content : content.slice(0, length);
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return;
    yield value;
  }
}

function grown(content: Uint8Array<ArrayBuffer>, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(least, 2 * content.length));
  larger.set(content);
  return larger;
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
 * Empties buffers: their memory is free at once, whoever still refers to them.
 *
 * They are sent to nobody. After `transfer(0)`, or as a clone's, Chromium would keep what was fetched until it looks for
 * garbage, which a worker that has little to do hardly ever does.
 */
export function release(...buffers: ArrayBuffer[]): void {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.postMessage(null, buffers);
  port1.close();
}
