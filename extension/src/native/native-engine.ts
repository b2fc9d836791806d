/**
 * The engine of this computer, if there is one: a process that the browser starts (`dragoman install-host`).
 *
 *     closed --(asked)--> opening --> open --(it ends, close)--> closed
 *                            `--> absent --(a minute, close)--> closed
 *
 * It is never in the way: whoever asks and gets null goes on with the engine in the browser.
 */

import type { TextEngine } from "../../../web/src/ui/block-translator.ts";
import type { Pair } from "../messages.ts";
import { NativeConnection } from "./connection.ts";
import type { NativePort } from "./messages.ts";

/** Milliseconds until it is looked for again where it was not there. */
const ABSENCE = 60_000;

export class NativeEngine {
  readonly #connect: () => Promise<NativePort | null>;
  readonly #now: () => number;
  #opening: Promise<NativeConnection | null> | undefined;
  #open: NativeConnection | undefined;
  /** Counts what was closed: what opens meanwhile is not wanted any more. */
  #closed = 0;
  /** When it is looked for again. */
  #absentUntil = 0;

  /**
   * @param connect a port to it; null where the user has not switched it on. It may turn out that nobody is there.
   * @param now milliseconds of a clock that only goes forward.
   */
  constructor(connect: () => Promise<NativePort | null>, now: () => number = () => performance.now()) {
    this.#connect = connect;
    this.#now = now;
  }

  /** What translates a direction; null where there is no host, or it has no models for it. Never rejects. */
  async forPair(pair: Pair): Promise<TextEngine | null> {
    const connection = await this.#connection();
    if (!connection?.serves(pair)) return null;
    return { submit: (text, options) => connection.submit(pair, text, options) };
  }

  /** Let the process end; what is under way rejects with "worker-gone". It is looked for anew when it is asked. */
  close(): void {
    this.#closed += 1;
    this.#open?.close();
    this.#open = this.#opening = undefined;
    this.#absentUntil = 0;
  }

  #connection(): Promise<NativeConnection | null> {
    if (this.#open?.isClosed) this.#open = this.#opening = undefined;
    if (!this.#opening && this.#now() < this.#absentUntil) return Promise.resolve(null);
    this.#opening ??= this.#start();
    return this.#opening;
  }

  async #start(): Promise<NativeConnection | null> {
    const closed = this.#closed;
    let opened: NativeConnection | undefined;
    try {
      const port = await this.#connect();
      opened = port ? await NativeConnection.open(port) : undefined;
    } catch {
      // Nobody is there: that is no failure, for there is another engine.
    }
    if (closed !== this.#closed) {
      opened?.close();
      return null;
    }
    if (!opened) {
      this.#absentUntil = this.#now() + ABSENCE;
      this.#opening = undefined;
      return null;
    }
    this.#open = opened;
    return opened;
  }
}
