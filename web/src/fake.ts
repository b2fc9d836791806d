/**
 * Workers for tests: the same protocol, no browser. Text comes back in upper case, aligned word by
 * word, so that what was translated can be seen.
 *
 *     FakeWorkers.spawn() --> a WorkerPair for `Connection`; each spawn is kept in `pairs`
 *     pair.language.say(message)     the worker's side, for what the fake does not do by itself
 *     pair.hold = true               translations wait; `release()` answers them
 */

import { upperCased } from "./dom/fake.ts";
import type { WorkerPair, WorkerPort } from "./connection.ts";
import type {
  EngineToPage,
  LanguageToPage,
  Manifest,
  PageToEngine,
  PageToLanguage,
  Range,
  Statistics,
  TranslationRequest,
  TranslationResponse,
} from "./protocol.ts";

/** One end of a worker that does not exist. */
export class FakePort<In, Out> extends EventTarget implements WorkerPort<Out> {
  readonly posted: Out[] = [];
  terminated = false;
  readonly #answer: (message: Out) => void;

  constructor(answer: (message: Out) => void) {
    super();
    this.#answer = answer;
  }

  postMessage(message: Out, transfer: Transferable[] = []): void {
    for (const item of transfer) if (item instanceof MessagePort) item.close();
    this.posted.push(message);
    queueMicrotask(() => {
      if (!this.terminated) this.#answer(message);
    });
  }

  terminate(): void {
    this.terminated = true;
  }

  /** As the worker: post a message to the page. */
  say(message: In): void {
    if (!this.terminated) this.dispatchEvent(new MessageEvent("message", { data: message }));
  }
}

export class FakePair implements WorkerPair {
  readonly names: WorkerPair["names"];
  readonly language: FakePort<LanguageToPage, PageToLanguage>;
  readonly engine: FakePort<EngineToPage, PageToEngine>;
  hold = false;
  #settled = 0;
  readonly #held = new Map<number, TranslationRequest>();

  constructor(id: number, manifest: Manifest) {
    this.names = { language: `language-${id}`, engine: `engine-${id}` };
    this.language = new FakePort((message) => {
      this.#answer(message, manifest);
    });
    this.engine = new FakePort(() => {
      this.engine.say({ type: "started" });
    });
  }

  /** Answer what was held. */
  release(): void {
    this.hold = false;
    for (const [id, request] of this.#held) this.#settle(id, request);
    this.#held.clear();
  }

  #answer(message: PageToLanguage, manifest: Manifest): void {
    switch (message.type) {
      case "open":
        this.language.say({ type: "started" });
        this.language.say({ type: "loading", stage: "model", loaded: 5, total: 5 });
        this.language.say({ type: "ready", bundle: manifest });
        break;
      case "translate":
        if (this.hold) this.#held.set(message.id, message.request);
        else this.#settle(message.id, message.request);
        break;
      case "cancel":
        this.#held.delete(message.id);
        break;
      case "prioritize":
        break;
      case "statistics":
        this.language.say({ type: "statistics", id: message.id, statistics: this.#statistics() });
        break;
      case "close":
        this.language.terminate();
    }
  }

  #statistics(): Statistics {
    const nothing = { failed: 0, cancelled: 0, queued_characters: 0, running_sentences: 0 };
    const engine = { mini_batches: 0, rows: 0, padded_pieces: 0, engine_seconds: 0 };
    const waiting = this.#held.size;
    const counted = { submitted: this.#settled + waiting, done: this.#settled };
    const cache = { cache_hits: 0, cache_misses: 0, cache_entries: 0, cache_bytes: 0 };
    return { ...counted, ...nothing, ...engine, ...cache, open_requests: waiting, queued_sentences: waiting };
  }

  #settle(id: number, request: TranslationRequest): void {
    this.#settled++;
    this.language.say({ type: "settled", id, outcome: { ok: true, response: upperCase(request) } });
  }
}

export class FakeWorkers {
  readonly pairs: FakePair[] = [];
  readonly #manifest: Manifest;

  constructor(manifest: Manifest) {
    this.#manifest = manifest;
  }

  readonly spawn = (): FakePair => {
    const pair = new FakePair(this.pairs.length + 1, this.#manifest);
    this.pairs.push(pair);
    return pair;
  };
}

/** One sentence, word by word; ASCII, so that upper case keeps every range. */
export function upperCase({ text, alignment, elements }: TranslationRequest): TranslationResponse {
  const words = [...text.matchAll(/\w+/g)].map(({ index, 0: word }): Range => [index, index + word.length]);
  return {
    text: text.toUpperCase(),
    sentences: text ? [{ source: [0, text.length], target: [0, text.length], score: 0.5 }] : [],
    alignment:
      alignment === "none"
        ? null
        : {
            sourceWords: words,
            targetWords: words,
            links: words.map((_, index) => [index, index]),
            scores: words.map(() => 0.5),
          },
    soft: null,
    content: elements ? upperCased({ text, elements }, false).content : null,
    warnings: [],
    timings: { queued: 0, tokenize: 0, engine: 0, assemble: 0, total: 0 },
  };
}
