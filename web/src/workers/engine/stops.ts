/** Runs that may be stopped between two slices of work. */

import { DragomanError } from "../../wire/errors.ts";
import type { Pause } from "../../kernel/batch.ts";

export class Stops {
  readonly #stopped = new Set<number>();
  readonly #open = new Set<number>();
  readonly #turn = new Turn();

  /** Run `work` under a ticket; its pauses reject once the ticket is stopped. */
  async run<T>(ticket: number, work: (pause: Pause) => Promise<T>): Promise<T> {
    this.#open.add(ticket);
    try {
      return await work(async () => {
        await this.#turn.next();
        this.throwIfStopped(ticket);
      });
    } finally {
      this.#open.delete(ticket);
      this.#stopped.delete(ticket);
    }
  }

  throwIfStopped(ticket: number): void {
    if (this.#stopped.has(ticket)) throw new DragomanError("cancelled", "the run was stopped", {});
  }

  /** Does nothing for a run that has ended. */
  stop(ticket: number): void {
    if (this.#open.has(ticket)) this.#stopped.add(ticket);
  }
}

/** The next turn of the event loop, without the four milliseconds that a timer may take. */
export class Turn {
  readonly #channel = new MessageChannel();
  #resolve: (() => void) | undefined;

  constructor() {
    this.#channel.port1.onmessage = () => {
      this.#resolve?.();
    };
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      const earlier = this.#resolve;
      this.#resolve = () => {
        earlier?.();
        this.#resolve = undefined;
        resolve();
      };
      this.#channel.port2.postMessage(null);
    });
  }
}
