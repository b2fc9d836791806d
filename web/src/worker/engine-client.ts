/**
 * The language worker's end of the channel to the engine worker.
 *
 *     load(graph) --> "load" ... "loaded"                 one promise
 *     run(input)  --> "run", ticket ... "output", ticket  one promise a ticket
 *     stop()      --> "stop", ticket                      the run rejects, code "cancelled"
 *     "failed" without a ticket: the engine cannot go on  everything open rejects, `onfailed` is called
 *
 * The channel and both workers belong to the page: nothing is closed here.
 */

import { deferred, type Deferred } from "../deferred.ts";
import { DragomanError } from "../errors.ts";
import type { OnBytes } from "../bytes.ts";
import type { EngineInput, EngineOutput, EngineToLanguage, LanguageToEngine, WireError } from "../protocol.ts";

export interface EngineListener {
  readonly onloading: OnBytes;
  readonly onfailed: (error: DragomanError) => void;
}

export class EngineClient {
  readonly #port: MessagePort;
  readonly #listener: EngineListener;
  readonly #loaded = deferred<undefined>();
  readonly #runs = new Map<number, Deferred<EngineOutput>>();
  #lastTicket = 0;

  constructor(port: MessagePort, listener: EngineListener) {
    this.#port = port;
    this.#listener = listener;
    this.#loaded.promise.catch(() => undefined); // It may fail before `load` is called.
    port.onmessage = (event: MessageEvent<EngineToLanguage>) => {
      this.#receive(event.data);
    };
  }

  async load(graph: ArrayBuffer, threads: number): Promise<void> {
    this.#post({ type: "load", graph, threads }, [graph]);
    await this.#loaded.promise;
  }

  run(input: EngineInput): Promise<EngineOutput> {
    const ticket = ++this.#lastTicket;
    const run = deferred<EngineOutput>();
    this.#runs.set(ticket, run);
    const { ids, lengths, limits } = input;
    this.#post({ type: "run", ticket, ...input }, [ids.buffer, lengths.buffer, limits.buffer]);
    return run.promise;
  }

  /** End what is running. */
  stop(): void {
    for (const ticket of this.#runs.keys()) this.#post({ type: "stop", ticket });
  }

  #post(message: LanguageToEngine, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #receive(message: EngineToLanguage): void {
    switch (message.type) {
      case "loading":
        this.#listener.onloading(message.loaded, message.total);
        break;
      case "loaded":
        this.#loaded.resolve(undefined);
        break;
      case "output": {
        const { steps, ids, logProbabilities, attention } = message;
        this.#take(message.ticket)?.resolve({ steps, ids, logProbabilities, attention });
        break;
      }
      case "failed":
        this.#fail(message.ticket, message.error);
    }
  }

  #fail(ticket: number | undefined, { code, message, details }: WireError): void {
    const error = new DragomanError(code, message, details);
    if (ticket !== undefined) {
      this.#take(ticket)?.reject(error);
      return;
    }
    this.#loaded.reject(error);
    for (const open of [...this.#runs.keys()]) this.#take(open)?.reject(error);
    this.#listener.onfailed(error);
  }

  #take(ticket: number): Deferred<EngineOutput> | undefined {
    const run = this.#runs.get(ticket);
    this.#runs.delete(ticket);
    return run;
  }
}
