/**
 * The language worker's end of the channel to the engine worker.
 *
 *     load(bundle)      --> "load", model ... "loaded", model    one promise a model
 *                           or "published", model --> read --> "place", model ... "placed", model
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
  LoadOptions,
  ModelText,
  PublishedLayout,
  PublishedText,
} from "../../wire/engine-protocol.ts";
import type { LoadingMessage } from "../../wire/protocol.ts";
import { inputBuffers, outputOf } from "../transferables.ts";

export interface EngineListener {
  readonly onloading: (message: LoadingMessage) => void;
  readonly onfailed: (error: DragomanError) => void;
}

/** What the core makes of published files. */
export interface ReadPublished {
  readonly text: ModelText;
  readonly layout: PublishedLayout;
}

export type ReadFiles = (published: PublishedText) => Promise<ReadPublished>;

interface Load {
  readonly loaded: Deferred<ModelText>;
  readonly read: ReadFiles;
  /** Of a published model, once it is read. */
  text?: ModelText;
}

export class EngineChannel {
  readonly #port: MessagePort;
  readonly #listener: EngineListener;
  readonly #loads = new Map<number, Load>();
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

  /**
   * Resolves with the model's number, and what the engine has no use for.
   *
   * @param read is given published files, if the model is of such.
   */
  async load(options: LoadOptions, read: ReadFiles): Promise<ModelText & { readonly model: number }> {
    if (this.#failure) throw this.#failure; // The kernel may be missed before any model comes.
    const model = ++this.#lastModel;
    const loaded = deferred<ModelText>();
    this.#loads.set(model, { loaded, read });
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
    this.#post({ type: "run", ticket, model, ...input }, inputBuffers(input));
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
        this.#listener.onloading(message);
        break;
      case "loaded": {
        const { model, manifestText, vocabulary, nameTable } = message;
        this.#takeLoad(model)?.loaded.resolve({ manifestText, vocabulary, ...(nameTable && { nameTable }) });
        break;
      }
      case "published":
        void this.#place(message);
        break;
      case "placed": {
        const load = this.#takeLoad(message.model);
        if (load?.text) load.loaded.resolve(load.text);
        break;
      }
      case "output": {
        this.#take(message.ticket)?.resolve(outputOf(message));
        break;
      }
      case "failed":
        this.#fail(message);
    }
  }

  /** The file goes back whence it came. */
  async #place({ model, file, ...published }: Extract<EngineToLanguage, { type: "published" }>): Promise<void> {
    const load = this.#loads.get(model);
    if (!load) return;
    try {
      const { text, layout } = await load.read({ file, ...published });
      load.text = text;
      this.#post({ type: "place", model, file, ...layout }, [file.buffer]);
    } catch (error) {
      this.#takeLoad(model)?.loaded.reject(error);
      this.unload(model);
    }
  }

  #fail({ ticket, model, error: { code, message, details } }: Extract<EngineToLanguage, { type: "failed" }>): void {
    const error = new DragomanError(code, message, details);
    if (ticket !== undefined) {
      this.#take(ticket)?.reject(error);
      return;
    }
    if (model !== undefined) {
      this.#takeLoad(model)?.loaded.reject(error);
      return;
    }
    this.#failure = error;
    for (const open of [...this.#loads.keys()]) this.#takeLoad(open)?.loaded.reject(error);
    for (const open of [...this.#runs.keys()]) this.#take(open)?.reject(error);
    this.#listener.onfailed(error);
  }

  #take(ticket: number): Deferred<EngineOutput> | undefined {
    const run = this.#runs.get(ticket);
    this.#runs.delete(ticket);
    return run?.output;
  }

  #takeLoad(model: number): Load | undefined {
    const load = this.#loads.get(model);
    this.#loads.delete(model);
    return load;
  }
}
