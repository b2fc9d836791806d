/**
 * The engine worker's end of the channel to the language worker: models by their numbers, runs one at a
 * time in the order in which they came.
 *
 *     load, model    --> bundle, verified --> engine -- loaded | failed, model -->
 *                        published: the core reads it -- published -->
 *     place, model   --> engine                         -- placed | failed, model -->
 *     run, ticket    --> after the run before it     -- output | failed, ticket -->
 *     stop, ticket   --> heard between two slices of work
 *     unload, model  --> after the run before it: its memory and threads go
 *
 * A kernel that cannot be loaded is final: "failed" with neither a ticket nor a model.
 */

import { DragomanError, toWire } from "../../wire/errors.ts";
import type { EngineToLanguage, LanguageToEngine, LoadOptions, PublishedLayout } from "../../wire/engine-protocol.ts";
import type { Manifest } from "../../wire/bundle.ts";
import type { EngineState, LoadingStage } from "../../wire/protocol.ts";
import type { OnBytes } from "../../base/bytes.ts";
import type { Bundle, OwnBundle, PublishedBundle } from "../../stores/model-store.ts";
import { deferred, type Deferred } from "../../base/deferred.ts";
import { Stops } from "./stops.ts";
import { buffersOf } from "../transferables.ts";
import type { Engine, OnState } from "./two-engines.ts";

/** What the worker stands on; tests give fakes. */
export interface EngineSurroundings {
  readonly post: (message: EngineToLanguage, transfer?: Transferable[]) => void;
  /** Tell the page what computes a model; `undefined`: it was unloaded. */
  readonly onstate: (bundle: string, state: EngineState | undefined) => void;
  /** Once: the kernel. All engines wait for it. */
  readonly loadKernel: (onbytes: OnBytes) => Promise<StartEngine>;
  readonly loadBundle: (options: Pick<LoadOptions, "bundle" | "shortlist">, onbytes: OnBytes) => Promise<Bundle>;
}

/** A published model that the core has read. */
export interface ReadModel extends PublishedLayout {
  readonly manifest: Manifest;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly shortlist: Uint8Array<ArrayBuffer> | undefined;
}

export type StartEngine = (
  model: Pick<OwnBundle, "graph" | "manifest" | "shortlist"> | ReadModel,
  options: LoadOptions,
  onstate: OnState,
) => Promise<Engine>;

type Message<T extends LanguageToEngine["type"]> = Extract<LanguageToEngine, { readonly type: T }>;

export class EngineWorker {
  readonly #around: EngineSurroundings;
  readonly #kernel: Promise<StartEngine>;
  readonly #stops = new Stops();
  readonly #models = new Map<number, { readonly bundle: string; readonly engine: Promise<Engine> }>();
  /** Published models that the core is reading. */
  readonly #reading = new Map<number, Deferred<Message<"place">>>();
  /** The run, or the unloading, that the next one waits for. */
  #last: Promise<void> = Promise.resolve();

  constructor(around: EngineSurroundings) {
    this.#around = around;
    this.#kernel = around.loadKernel(this.#loading("engine"));
    this.#kernel.catch((error: unknown) => {
      around.post({ type: "failed", error: toWire(error, "engine") });
    });
  }

  receive(message: LanguageToEngine): void {
    switch (message.type) {
      case "load":
        this.#load(message);
        break;
      case "place":
        this.#takeReading(message.model)?.resolve(message);
        break;
      case "unload":
        this.#takeReading(message.model)?.reject(new DragomanError("cancelled", "the model was unloaded"));
        this.#unload(message.model);
        break;
      case "run":
        this.#run(message);
        break;
      case "stop":
        this.#stops.stop(message.ticket);
    }
  }

  #load({ model, ...options }: Message<"load">): void {
    const bundle = this.#around.loadBundle(options, this.#loading("model", options.bundle));
    const engine = this.#start(model, bundle, options);
    this.#models.set(model, { bundle: options.bundle, engine });
    Promise.all([bundle, engine]).then(
      ([loaded]) => {
        if ("model" in loaded) {
          this.#around.post({ type: "placed", model });
          return;
        }
        const { manifestText, vocabulary, nameTable } = loaded;
        const text = { manifestText, vocabulary, ...(nameTable && { nameTable }) };
        this.#around.post({ type: "loaded", model, ...text }, [
          vocabulary.buffer,
          ...(nameTable ? [nameTable.buffer] : []),
        ]);
      },
      (error: unknown) => {
        this.#models.delete(model);
        this.#around.post({ type: "failed", model, error: toWire(error, "engine") });
      },
    );
  }

  async #start(model: number, loading: Promise<Bundle>, options: LoadOptions): Promise<Engine> {
    const [start, bundle] = await Promise.all([this.#kernel, loading]);
    const readable = "model" in bundle ? await this.#read(model, bundle) : bundle;
    return start(readable, options, reporter(this.#around, options.bundle));
  }

  /** The core has the file meanwhile, and gives it back with what it has read. */
  async #read(model: number, bundle: PublishedBundle): Promise<ReadModel> {
    const { manifest, manifestText, model: file, vocabulary, targetVocabulary, shortlist } = bundle;
    const read = deferred<Message<"place">>();
    this.#reading.set(model, read);
    const published = { manifestText, vocabulary, file, ...(targetVocabulary && { targetVocabulary }) };
    this.#around.post({ type: "published", model, ...published }, [file.buffer]);
    return { ...(await read.promise), manifest, shortlist };
  }

  #takeReading(model: number): Deferred<Message<"place">> | undefined {
    const read = this.#reading.get(model);
    this.#reading.delete(model);
    return read;
  }

  #unload(model: number): void {
    const leaving = this.#models.get(model);
    this.#models.delete(model);
    // Nothing of it runs any more, and a model that never came holds nothing. What fails to close is no run's fault.
    this.#last = Promise.all([leaving?.engine, this.#last]).then(([engine]) => engine?.close()).catch(() => undefined);
    if (leaving) this.#around.onstate(leaving.bundle, undefined);
  }

  #run(message: Message<"run">): void {
    const { ticket } = message;
    this.#last = this.#output(message, this.#last).then(
      (output) => {
        this.#around.post({ type: "output", ticket, ...output }, buffersOf(output));
      },
      (error: unknown) => {
        this.#around.post({ type: "failed", ticket, error: toWire(error, "engine") });
      },
    );
  }

  #output({ ticket, model, ...input }: Message<"run">, before: Promise<void>) {
    return this.#stops.run(ticket, async (pause) => {
      await before;
      this.#stops.throwIfStopped(ticket);
      const engine = await this.#models.get(model)?.engine;
      if (!engine) throw new DragomanError("engine", `the engine has no model ${model}`, { model });
      return engine.run(input, pause);
    });
  }

  #loading(stage: LoadingStage, bundle?: string): OnBytes {
    return (loaded, total) => {
      this.#around.post({ type: "loading", stage, loaded, total, ...(bundle !== undefined && { bundle }) });
    };
  }
}

/** Outlives the loading: it must not share a scope with the model's file, or it would keep it. */
function reporter({ onstate }: EngineSurroundings, bundle: string): OnState {
  return (state) => {
    onstate(bundle, state);
  };
}
