/**
 * Workers for tests: the same protocol, no browser. Text comes back in upper case, aligned word by
 * word, so that what was translated can be seen.
 *
 *     FakeWorkers.spawn() --> a WorkerPair for `Connection`; each spawn is kept in `pairs`
 *     pair.language.say(message)     the worker's side, for what the fake does not do by itself
 *     pair.hold = true               translations wait; `release()` answers them
 *     documents                      plain text, of one sentence
 *     streams                        a sentence ends with ".", graphs run in their order; an input of
 *                                    the value "fail" fails
 */

import { upperCased } from "./blocks.ts";
import type { WorkerPair, WorkerPort } from "../api/connection.ts";
import type { Manifest } from "../wire/bundle.ts";
import type {
  EngineToPage,
  Graph,
  LanguageToPage,
  LoadOutcome,
  Outcome,
  PageToEngine,
  PageToLanguage,
  Range,
  Statistics,
  StreamPiece,
  TranslationRequest,
  TranslationResponse,
} from "../wire/protocol.ts";

/** One end of a worker that does not exist. */
class FakePort<In, Out> extends EventTarget implements WorkerPort<Out> {
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

class FakePair implements WorkerPair {
  readonly names: WorkerPair["names"];
  readonly language: FakePort<LanguageToPage, PageToLanguage>;
  readonly engine: FakePort<EngineToPage, PageToEngine>;
  hold = false;
  /** How the next loads of models end, if not well; undefined: not by themselves. */
  readonly loads: (LoadOutcome | undefined)[] = [];
  #settled = 0;
  #isKeeping = false;
  readonly #held = new Map<number, TranslationRequest>();
  readonly #streams = new Map<number, FakeStream>();

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
      case "prepare":
        this.language.say({ type: "started" });
        break;
      case "open":
        this.#isKeeping = message.persistentCache ?? false;
        this.language.say({ type: "loading", stage: "model", loaded: 5, total: 5 });
        this.language.say({ type: "ready", bundle: manifest });
        break;
      case "load":
        this.#load(message.id);
        break;
      case "translate":
        if (this.hold) this.#held.set(message.id, message.request);
        else this.#settle(message.id, message.request);
        break;
      case "graph":
        this.#graph(message.id, message.graph);
        break;
      case "document":
        void this.#document(message.id, message.content, message.file.name);
        break;
      case "stream":
        this.#streams.set(message.id, new FakeStream());
        break;
      case "feed":
      case "finish":
        this.#streams.get(message.id)?.feed(message.type === "feed" ? message.text : undefined);
        this.#moveOn(message.id);
        break;
      case "pull":
        this.#streams.get(message.id)?.pull();
        this.#moveOn(message.id);
        break;
      case "cancel":
        this.#held.delete(message.id);
        this.#streams.delete(message.id);
        break;
      case "prioritize":
      case "unload":
        break;
      case "statistics":
        this.language.say({
          ...{ type: "statistics", id: message.id, statistics: this.#statistics() },
          persistentCache: { state: this.#isKeeping ? "on" : "off" },
        });
        break;
      case "clear-cache":
        this.language.say({ type: "cleared", id: message.id });
    }
  }

  #load(id: number): void {
    const outcome = this.loads.length ? this.loads.shift() : { ok: true as const };
    if (outcome) this.language.say({ type: "loaded", id, outcome });
  }

  /** A text file, of one sentence. */
  async #document(id: number, content: Blob, name: string): Promise<void> {
    const text = await content.text();
    this.language.say({ type: "beginning", id, text });
    this.language.say({ type: "progress", id, state: "running", done: text.length, total: text.length });
    const document = { file: new File([text.toUpperCase()], name), kind: "txt", sentences: 1, doubtful: 0, warnings: {} };
    this.language.say({ type: "document-settled", id, outcome: { ok: true, document } });
  }

  /** Answer what was asked of a stream, as far as there is an answer. */
  #moveOn(id: number): void {
    const stream = this.#streams.get(id);
    if (!stream) return;
    const piece = stream.pulled && !this.hold ? stream.next() : undefined;
    if (piece) this.language.say({ type: "piece", id, piece });
    else if (stream.pulled && stream.finished) this.language.say({ type: "ended", id });
    if (stream.hasRoom()) this.language.say({ type: "fed", id, open: true });
  }

  #graph(id: number, { variables, requests }: Graph): void {
    const values = new Map(Object.entries(variables));
    const outputs: Record<string, Outcome> = {};
    for (const { template, ...options } of requests) {
      let text = "";
      for (const chunk of template) {
        if (typeof chunk === "string") text += chunk;
        else if ("input" in chunk) text += values.get(chunk.input) ?? "";
        else {
          const outcome = graphOutcome({ ...options, text });
          outputs[chunk.output] = outcome;
          values.set(chunk.output, outcome.ok ? outcome.response.text : "fail");
          this.language.say({ type: "output", id, name: chunk.output, outcome });
          text = "";
        }
      }
    }
    this.language.say({ type: "outputs", id, outcome: { ok: true, outputs } });
  }

  #statistics(): Statistics {
    const nothing = { failed: 0, cancelled: 0, queued_characters: 0, running_sentences: 0, restarts: 0 };
    const engine = { mini_batches: 0, rows: 0, padded_pieces: 0, engine_seconds: 0 };
    const waiting = this.#held.size;
    const counted = { submitted: this.#settled + waiting, done: this.#settled };
    const cache = { cache_hits: 0, cache_misses: 0, cache_entries: 0, cache_bytes: 0, kept_hits: 0 };
    const tables = { open_requests: waiting, open_streams: this.#streams.size, open_graphs: 0 };
    return { ...counted, ...nothing, ...engine, ...cache, ...tables, queued_sentences: waiting };
  }

  #settle(id: number, request: TranslationRequest): void {
    this.#settled++;
    this.language.say({ type: "settled", id, outcome: { ok: true, response: upperCase(request) } });
  }
}

/** Sentences end with "."; text that no sentence has waits. One that waits leaves no room for more. */
class FakeStream {
  pulled = false;
  finished = false;
  #fed = false;
  #text = "";
  #at = 0;

  feed(text: string | undefined): void {
    this.#fed = true;
    this.#text += text ?? "";
    this.finished ||= text === undefined;
  }

  pull(): void {
    this.pulled = true;
  }

  /** Whether what was fed can be answered; it is then. */
  hasRoom(): boolean {
    const room = this.#fed && !this.#text.includes(".");
    this.#fed &&= !room;
    return room;
  }

  next(): StreamPiece | undefined {
    const stop = this.#text.indexOf(".") + 1;
    const length = stop || (this.finished ? this.#text.length : 0);
    if (!length) return undefined;
    const [text, start] = [this.#text.slice(0, length), this.#at];
    this.#text = this.#text.slice(length);
    this.#at += length;
    this.pulled = false;
    const options = { source: "de", target: "en", alignment: "none", overlong: "wrap" } as const;
    const range: Range = [start, this.#at];
    return { ...upperCase({ text, ...options }), source: range, target: range };
  }
}

function graphOutcome(request: TranslationRequest): Outcome {
  if (request.text !== "fail") return { ok: true, response: upperCase(request) };
  return { ok: false, error: { code: "engine", message: "the engine failed", details: {} } };
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
function upperCase({ text, alignment, elements }: TranslationRequest): TranslationResponse {
  const words = [...text.matchAll(/\w+/g)].map(({ index, 0: word }): Range => [index, index + word.length]);
  return {
    text: text.toUpperCase(),
    sentences: text ? [{ source: [0, text.length], target: [0, text.length], score: 0.5, doubtful: false }] : [],
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
    terms: null,
    warnings: [],
    timings: { queued: 0, tokenize: 0, engine: 0, assemble: 0, total: 0 },
  };
}
