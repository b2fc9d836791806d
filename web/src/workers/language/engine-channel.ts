/**
 * The language worker's end of the channel to the engine worker.
 *
 *     load(bundle)      --> "load", model ... "loaded", model    one promise a model
 *     run(model, input) --> "run", ticket ... "output", ticket   one promise a ticket
 *     stop()      --> "stop", ticket                      the run rejects, code "cancelled"
 *     "failed" with neither: the engine cannot go on  everything open rejects, `onfailed` is called
 *
 * The channel and both workers belong to the page: nothing is closed here.
 */

import { deferred, type Deferred } from "../../base/deferred.ts";
import { DragomanError } from "../../wire/errors.ts";
import type {
  EngineInput,
  EngineOutput,
  EngineToLanguage,
  LanguageToEngine,
  LoadingStage,
  LoadOptions,
  ModelText,
} from "../../wire/protocol.ts";

export interface EngineListener {
  readonly onloading: (stage: LoadingStage, loaded: number, total: number) => void;
  readonly onfailed: (error: DragomanError) => void;
}

export class EngineChannel {
  readonly #port: MessagePort;
  readonly #listener: EngineListener;
  readonly #loads = new Map<number, Deferred<ModelText>>();
  readonly #runs = new Map<number, { readonly model: number; readonly output: Deferred<EngineOutput> }>();
  #lastModel = 0;
  #lastTicket = 0;
  #failure: DragomanError | undefined;

  constructor(port: MessagePort, listener: EngineListener) {
    this.#port = port;
    this.#listener = listener;
    port.onmessage = (event: MessageEvent<EngineToLanguage>) => {
      this.#receive(event.data);
    };
  }

  /** Resolves with the model's number, and what the engine has no use for. */
  async load(options: LoadOptions): Promise<ModelText & { readonly model: number }> {
    if (this.#failure) throw this.#failure; // The kernel may be missed before any model comes.
    const model = ++this.#lastModel;
    const loaded = deferred<ModelText>();
    this.#loads.set(model, loaded);
    this.#post({ type: "load", model, ...options });
    return { model, ...(await loaded.promise) };
  }

  /** Give a model's memory back. */
  unload(model: number): void {
    this.#post({ type: "unload", model });
  }

  run(model: number, input: EngineInput): Promise<EngineOutput> {
    const ticket = ++this.#lastTicket;
    const output = deferred<EngineOutput>();
    this.#runs.set(ticket, { model, output });
    const { ids, lengths, limits } = input;
    this.#post({ type: "run", ticket, model, ...input }, [ids.buffer, lengths.buffer, limits.buffer]);
    return output.promise;
  }

  /** End what of a model is running. */
  stop(model: number): void {
    for (const [ticket, run] of this.#runs) if (run.model === model) this.#post({ type: "stop", ticket });
  }

  #post(message: LanguageToEngine, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #receive(message: EngineToLanguage): void {
    switch (message.type) {
      case "loading":
        this.#listener.onloading(message.stage, message.loaded, message.total);
        break;
      case "loaded": {
        const { model, manifestText, vocabulary } = message;
        this.#takeLoad(model)?.resolve({ manifestText, vocabulary });
        break;
      }
      case "output": {
        const { steps, ids, logProbabilities, attention } = message;
        this.#take(message.ticket)?.resolve({ steps, ids, logProbabilities, attention });
        break;
      }
      case "failed":
        this.#fail(message);
    }
  }

  #fail({ ticket, model, error: { code, message, details } }: Extract<EngineToLanguage, { type: "failed" }>): void {
    const error = new DragomanError(code, message, details);
    if (ticket !== undefined) {
      this.#take(ticket)?.reject(error);
      return;
    }
    if (model !== undefined) {
      this.#takeLoad(model)?.reject(error);
      return;
    }
    this.#failure = error;
    for (const open of [...this.#loads.keys()]) this.#takeLoad(open)?.reject(error);
    for (const open of [...this.#runs.keys()]) this.#take(open)?.reject(error);
    this.#listener.onfailed(error);
  }

  #take(ticket: number): Deferred<EngineOutput> | undefined {
    const run = this.#runs.get(ticket);
    this.#runs.delete(ticket);
    return run?.output;
  }

  #takeLoad(model: number): Deferred<ModelText> | undefined {
    const load = this.#loads.get(model);
    this.#loads.delete(model);
    return load;
  }
}
