/**
 * A translation as a `ReadableStream`, of a text that may itself still be arriving.
 *
 *     input --chunk--> StreamCall.feed ... worker ... StreamCall.next --piece--> ReadableStream
 *            (waits while too much is under way)     (asked for when there is room in the queue)
 *
 * Ends: the input's end, then the last piece, closes it. An abort, an error of the input, of a
 * sentence or of the worker makes it fail; a reader that cancels ends it. Each of these takes back what
 * is under way and cancels the input.
 */

import type { StreamPiece } from "../wire/protocol.ts";
import { follow } from "../base/signals.ts";
import type { StreamCall } from "../calls/stream-call.ts";

/** A text, or its parts in order, cut anywhere. */
export type StreamInput = string | ReadableStream<string> | Iterable<string> | AsyncIterable<string>;

/** UTF-16 code units of a message to the worker. */
const CHUNK = 16_384;

/**
 * @param open what the text is fed to, once the workers are ready.
 * @param as what becomes of a piece.
 * @throws TypeError the input is none, or a stream that somebody else reads.
 */
export function translatedStream<T>(
  input: StreamInput,
  open: (signal: AbortSignal) => Promise<StreamCall>,
  as: (piece: StreamPiece) => T,
  signal: AbortSignal | undefined,
): ReadableStream<T> {
  const chunks = chunksOf(input);
  const control = new AbortController();
  const forget = follow(signal, control);
  const end = (reason: unknown): void => {
    forget();
    control.abort(reason);
    void chunks.cancel(reason);
  };
  let opening: Promise<StreamCall>;
  return new ReadableStream<T>({
    start(controller) {
      control.signal.addEventListener("abort", () => {
        controller.error(control.signal.reason);
        end(control.signal.reason);
      });
      opening = open(control.signal);
      opening.then((call) => feed(call, chunks)).catch(end);
    },
    async pull(controller) {
      try {
        const piece = await (await opening).next();
        if (piece) controller.enqueue(as(piece));
        else controller.close();
        if (!piece) forget();
      } catch (error) {
        end(error);
        throw error;
      }
    },
    cancel: end,
  });
}

/** Until the input has ended, or the stream takes no more: then its pieces say why. */
async function feed(call: StreamCall, chunks: Chunks): Promise<void> {
  for (;;) {
    const chunk = await chunks.next();
    if (chunk === undefined) break;
    for (let at = 0; at < chunk.length; at += CHUNK) {
      if (!(await call.feed(chunk.slice(at, at + CHUNK)))) return;
    }
  }
  await call.finish();
}

interface Chunks {
  /** Undefined at the end. */
  next(): Promise<string | undefined>;
  /** Never rejects. */
  cancel(reason: unknown): Promise<void>;
}

function chunksOf(input: StreamInput): Chunks {
  if (typeof input === "string") return iterated([input][Symbol.iterator]());
  if ("getReader" in input) return read(input.getReader());
  if (Symbol.asyncIterator in input) return iterated(input[Symbol.asyncIterator]());
  return iterated(input[Symbol.iterator]());
}

function read(reader: ReadableStreamDefaultReader<string>): Chunks {
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? undefined : checked(value);
    },
    async cancel(reason) {
      await reader.cancel(reason).catch(() => undefined);
    },
  };
}

function iterated(iterator: Iterator<string> | AsyncIterator<string>): Chunks {
  return {
    async next() {
      const result = await iterator.next();
      return result.done ? undefined : checked(result.value);
    },
    async cancel() {
      try {
        await iterator.return?.();
      } catch {
        // It was to end, and it has.
      }
    },
  };
}

function checked(chunk: unknown): string {
  if (typeof chunk === "string") return chunk;
  throw new TypeError(`a chunk of the text is no string but ${chunk === null ? "null" : typeof chunk}`);
}
