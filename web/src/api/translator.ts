/**
 * The public API, with the names of https://webmachinelearning.github.io/translation-api/ where it
 * has one for a thing.
 *
 *     create() --> Lease 1 --(a worker dies)--> none --(next call)--> Lease 2 ...
 *                  calls in flight reject          opens again, transparently
 *     destroy() -> the lease is given back; everything rejects with AbortError, for good
 *
 * A translator owns its lease of a connection, which others may have one of too; the last one that is given
 * back ends the workers (`pool.ts`).
 */

import { browserEnvironment, type Environment } from "./environment.ts";
import { DragomanError, fromWire, toWire } from "../wire/errors.ts";
import type { Lease } from "./pool.ts";
import { documentFile, type TranslateDocumentOptions } from "./documents.ts";
import { GraphCall, type GraphResult } from "../calls/graph-call.ts";
import { deleteModel, downloadModels, findLegs, listModels, noModel, publishedOf } from "./models.ts";
import type { Availability, DownloadOptions, LanguagePair, ModelInfo } from "./models.ts";
import { CreateMonitor } from "./monitor.ts";
import type { Offer, SourceOptions } from "./offers.ts";
import type {
  GraphSubmission,
  Submission,
  TranslateDetailedOptions,
  TranslateGraphOptions,
  TranslateOptions,
  TranslateStreamingDetailedOptions,
  TranslateStreamingOptions,
  TranslationGraph,
  TranslatorCreateOptions,
  TranslatorStatistics,
} from "./options.ts";
import type {
  Graph,
  LoadingMessage,
  OfferedModel,
  StreamOptions,
  StreamPiece,
  TranslatedDocument,
  TranslationRequest,
  TranslationResponse,
} from "../wire/protocol.ts";
import { countCharacters } from "../base/characters.ts";
import { LIMITS } from "../wire/contract.ts";
import { checkPriority } from "../calls/priority.ts";
import type { CallTable } from "../calls/table.ts";
import { Ticket } from "../calls/ticket.ts";
import { abortable } from "../base/signals.ts";
import { translatedStream, type StreamInput } from "./streaming.ts";

/** In the tags of the models. */
type Direction = Pick<Offer, "source" | "target">;

// eslint-disable-next-line no-restricted-syntax -- The browsers' names, and ours beside them: each forwards.
export class Translator {
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  /** The longest text, in Unicode characters (code points). */
  readonly inputQuota: number;

  readonly #environment: Environment;
  /** One, or two over another language; the first is loaded at once. */
  readonly #legs: readonly Offer[];
  /** Those that may be loaded on demand. */
  readonly #models: readonly Offer[];
  readonly #options: TranslatorCreateOptions;
  readonly #onloading: (message: LoadingMessage) => void;
  readonly #destroyed = new AbortController();
  #lease: Lease | undefined;

  /**
   * Whether `create` would work, and whether it would download. Never downloads a model itself.
   *
   * @throws DragomanError "not-supported": not here at all; "network", and those of a `source`.
   */
  static async availability(
    pair: LanguagePair & SourceOptions,
    environment: Environment = browserEnvironment(pair.baseUrl),
  ): Promise<Availability> {
    const { legs } = await findLegs(environment, pair);
    if (!legs.length) return "unavailable";
    return legs.every(({ isKept }) => isKept) ? "available" : "downloadable";
  }

  /** The models that there are and those that can be had, with sizes and licences. Never downloads a model. */
  static async models(
    options: SourceOptions = {},
    environment: Environment = browserEnvironment(options.baseUrl),
  ): Promise<readonly ModelInfo[]> {
    return listModels(environment, options);
  }

  /**
   * Fetch the published models of a pair without loading them; what an earlier time has brought is not fetched
   * again.
   *
   * @throws DragomanError "language-pair", "no-room", "store", "fetch", "fetch-network", "fetch-status",
   *   "fetch-corrupt"; the signal's reason.
   */
  static async download(options: DownloadOptions, environment: Environment = browserEnvironment(options.baseUrl)): Promise<void> {
    return downloadModels(environment, options);
  }

  /**
   * Delete the published model of a direction; files that another one uses stay.
   *
   * @throws DragomanError "language-pair": there is none.
   */
  static async deleteModel(
    pair: LanguagePair & SourceOptions,
    environment: Environment = browserEnvironment(pair.baseUrl),
  ): Promise<void> {
    return deleteModel(environment, pair);
  }

  /**
   * Load a model, downloading what is not kept.
   *
   * @throws DragomanError "language-pair", "not-supported", "network", "bundle-...", "engine",
   *   "worker-gone", those of `download`; the signal's reason.
   */
  static async create(
    options: TranslatorCreateOptions,
    environment: Environment = browserEnvironment(options.baseUrl),
  ): Promise<Translator> {
    const { signal, monitor } = options;
    signal?.throwIfAborted();
    environment.check(); // Before anybody is told of progress.
    const progress = new CreateMonitor();
    monitor?.(progress);
    const onloading = (message: LoadingMessage): void => {
      progress.report(message);
    };
    const { offers, legs } = await abortable(findLegs(environment, options), signal);
    if (!legs.length) throw noModel(offers, options);
    await environment.published.fetch(publishedOf(legs), { signal, onprogress: progress.fetching(legs) });
    // The first of a direction is the one that is taken.
    const models = [...legs, ...offers.filter((one) => !legs.includes(one) && (!one.published || one.isKept))];
    const translator = new Translator(environment, legs, models, options, onloading);
    try {
      await abortable(translator.#opened(), signal);
    } catch (error) {
      translator.destroy();
      throw error;
    }
    return translator;
  }

  private constructor(
    environment: Environment,
    legs: readonly Offer[],
    models: readonly Offer[],
    options: TranslatorCreateOptions,
    onloading: (message: LoadingMessage) => void,
  ) {
    this.#environment = environment;
    this.#legs = legs;
    this.#models = models;
    this.#options = options;
    this.#onloading = onloading;
    this.sourceLanguage = options.sourceLanguage;
    this.targetLanguage = options.targetLanguage;
    this.inputQuota = options.limits?.text_characters ?? LIMITS.text_characters;
  }

  /** The translation alone. */
  async translate(text: string, options: TranslateOptions = {}): Promise<string> {
    const response = await this.translateDetailed(text, { ...options, alignment: "none" });
    return response.text;
  }

  /**
   * The translation with sentence and word ranges in UTF-16, scores, warnings and timings.
   *
   * @throws DragomanError with the codes of `py/dragoman/errors.py`, or "worker-gone": the next call
   *   starts new workers. The signal's reason; AbortError after `destroy`.
   */
  async translateDetailed(
    text: string,
    options: TranslateDetailedOptions = {},
  ): Promise<TranslationResponse> {
    return this.submit(text, options).result;
  }

  /**
   * As `translateDetailed`, with a hand on the request while it waits: `prioritize` when it comes into
   * view, `cancel` when nobody wants it any more.
   *
   * @throws TypeError there is no such priority; RangeError the deadline is not above 0.
   */
  submit(text: string, options: TranslateDetailedOptions = {}): Submission {
    const ticket = new Ticket(options);
    const request = this.#request(text, options);
    return {
      result: this.#run(ticket, (calls) => calls.translate(request, ticket)),
      prioritize: (priority) => {
        ticket.prioritize(priority);
      },
      cancel: (reason) => {
        ticket.cancel(reason);
      },
    };
  }

  /**
   * A document with its layout: docx, odt, pptx, epub, html, md, txt, srt, vtt, po, xliff, json, csv, tsv;
   * of a pdf its text, as html. It is read in the worker, which fetches what reads documents (1.7 MB, from where the
   * workers are) for the first one.
   *
   * @throws DragomanError "unsupported-format", "document", "document-too-large", "invalid-request", "network", and
   *   those of `translateDetailed`. The signal's reason; AbortError after `destroy`.
   */
  async translateDocument(content: Blob, options: TranslateDocumentOptions = {}): Promise<TranslatedDocument> {
    const file = documentFile(content, options);
    const { signal, overlong = "wrap", priority = "background", cache, glossary } = options;
    const own = { overlong, priority, ...(cache !== undefined && { cache }), ...(glossary && { glossary }) };
    const asked = this.#shared({ ...own, alignment: "none", whenFull: "wait" });
    const ticket = new Ticket({ signal });
    return this.#run(ticket, (calls) =>
      calls.translateDocument(content, file, asked, options, ticket.signal));
  }

  /**
   * The translation sentence by sentence, each with the white space before it, as soon as it is sure
   * and translated; put together they are the translation of the whole text.
   *
   * @param input a text, or its parts while they arrive, cut anywhere. It is read no faster than the
   *   translation is.
   * @returns a stream that fails with the errors of `translateDetailed`, or with one of `input`.
   */
  translateStreaming(input: StreamInput, options: TranslateStreamingOptions = {}): ReadableStream<string> {
    return this.#stream(input, { ...options, alignment: "none" }, ({ text }) => text);
  }

  /** The same with the details of each piece, all ranges in the whole texts. */
  translateStreamingDetailed(
    input: StreamInput,
    options: TranslateStreamingDetailedOptions = {},
  ): ReadableStream<StreamPiece> {
    return this.#stream(input, options, (piece) => piece);
  }

  /**
   * Translate with requests that depend on each other: an output of one is an input of others.
   *
   * @returns how each output ended: a failure reaches those that depend on it, and no others.
   * @throws DragomanError "graph", "graph-cycle", "unbound-variable", "written-twice",
   *   "graph-too-large": nothing was started. The signal's reason; AbortError after `destroy`.
   */
  async translateGraph(graph: TranslationGraph, options: TranslateGraphOptions = {}): Promise<GraphResult> {
    return this.submitGraph(graph, options).result;
  }

  /** As `translateGraph`, with a hand on it while it runs. */
  submitGraph(graph: TranslationGraph, options: TranslateGraphOptions = {}): GraphSubmission {
    const ticket = new Ticket({ signal: options.signal });
    const call = new GraphCall(options.onoutput);
    const asked: Graph = {
      variables: graph.variables ?? {},
      requests: graph.requests.map(({ template, source, target, ...other }) => ({
        ...this.#shared(other, { source, target }),
        template,
      })),
    };
    return {
      result: this.#run(ticket, (calls) => calls.translateGraph(asked, call, ticket.signal)),
      cancelOutput: (name) => {
        call.cancelOutput(name);
      },
      cancel: (reason) => {
        ticket.cancel(reason);
      },
    };
  }

  /**
   * Figures of what the workers have done, since they were started, and of what is under way: for all translators
   * that share them, but for `pending`.
   */
  async statistics(): Promise<TranslatorStatistics> {
    this.#destroyed.signal.throwIfAborted();
    const { calls, connection } = await this.#opened();
    const { statistics, persistentCache } = await calls.statistics();
    return { ...statistics, pending: calls.size, engines: connection.engines, persistentCache };
  }

  /**
   * Forget all translated sentences: those in memory, and those that `persistentCache` has kept, of all
   * models. Other pages of this site that are open keep what they have in memory.
   */
  async clearCache(): Promise<void> {
    this.#destroyed.signal.throwIfAborted();
    const { calls } = await this.#opened();
    await calls.clearCache();
  }

  /** How much of `inputQuota` a text takes. */
  async measureInputUsage(text: string, options: TranslateOptions = {}): Promise<number> {
    this.#destroyed.signal.throwIfAborted();
    return abortable(Promise.resolve(countCharacters(text)), options.signal);
  }

  /**
   * Give back the workers and their memory, unless another translator uses them; what is under way rejects with
   * AbortError.
   */
  destroy(): void {
    if (this.#destroyed.signal.aborted) return;
    const reason = new DOMException("the translator was destroyed", "AbortError");
    this.#destroyed.abort(reason);
    this.#lease?.release(reason);
  }

  /** In the tags of the models: "de" where "de-AT" was asked for. */
  get #direction(): Direction {
    const [first, last] = [this.#legs[0], this.#legs.at(-1)];
    return { source: first?.source ?? this.sourceLanguage, target: last?.target ?? this.targetLanguage };
  }

  #request(text: string, options: TranslateDetailedOptions): TranslationRequest {
    const { elements = [], prefix } = options;
    return {
      text,
      ...this.#shared(options),
      ...(elements.length > 0 && { elements }),
      ...(prefix !== undefined && { prefix }),
    };
  }

  /** What requests of every kind have. */
  #shared(options: TranslateStreamingDetailedOptions, pair: { [key in keyof Direction]?: string | undefined } = {}): StreamOptions {
    const { alignment = "hard", overlong = "wrap", priority, whenFull, cache, beam, alternatives } = options;
    if (priority !== undefined) checkPriority(priority);
    const own = this.#direction;
    const { source = own.source, target = own.target } = pair;
    // The translator's own terms and memory are of its own languages.
    const isOwn = source === own.source && target === own.target;
    const terms = [isOwn ? this.#options.glossary : undefined, options.glossary];
    const glossary = terms.every((some) => some === undefined) ? undefined : terms.flatMap((some) => some ?? []);
    return {
      source,
      target,
      alignment,
      overlong,
      ...(priority !== undefined && { priority }),
      ...(whenFull !== undefined && { whenFull }),
      ...(cache !== undefined && { cache }),
      ...(glossary !== undefined && { glossary }),
      ...(isOwn && this.#options.memory && { memory: true }),
      ...(beam !== undefined && { beam }),
      ...(alternatives !== undefined && { alternatives }),
    };
  }

  #stream<T>(
    input: StreamInput,
    options: TranslateStreamingDetailedOptions,
    as: (piece: StreamPiece) => T,
  ): ReadableStream<T> {
    const shared = this.#shared(options);
    const open = async (signal: AbortSignal) => {
      const { calls } = await this.#ready(signal);
      return calls.openStream(shared, signal);
    };
    return translatedStream(input, open, as, options.signal);
  }

  /** What works for a ticket, once the workers are ready. */
  async #run<T>(ticket: Ticket, work: (calls: CallTable) => Promise<T>): Promise<T> {
    try {
      const { calls } = await this.#ready(ticket.signal);
      return await work(calls);
    } finally {
      ticket.end();
    }
  }

  async #ready(signal: AbortSignal): Promise<Lease> {
    this.#destroyed.signal.throwIfAborted();
    signal.throwIfAborted();
    // Waiting for what is there would leave more to be collected than the request itself.
    return this.#lease?.isReady ? this.#lease : abortable(this.#opened(), signal);
  }

  /** The lease, once it is ready. Loading that stood still begins again, once; what failed for another one, too. */
  async #opened(): Promise<Lease> {
    for (let hasStoodStill = false; ; ) {
      const lease = this.#lease ?? this.#open();
      try {
        await lease.ready;
        return lease;
      } catch (error) {
        this.#drop(lease, error);
        if (lease.isOthersFault) continue; // The next one is its own, unless another one was faster again.
        if (hasStoodStill || !(error instanceof DragomanError && "silent" in error.details)) throw error;
        hasStoodStill = true;
      }
    }
  }

  /** The next call tries again. */
  #drop(lease: Lease, error: unknown): void {
    if (this.#lease === lease) this.#lease = undefined;
    lease.release(error instanceof DOMException ? error : fromWire(toWire(error, "error")));
  }

  #open(): Lease {
    this.#destroyed.signal.throwIfAborted();
    const { threads } = this.#environment;
    const { limits, engine, shortlist, persistentCache, memory } = this.#options;
    const lease = this.#environment.connections.lease({
      host: this.#environment,
      onloading: this.#onloading,
      legs: this.#legs.map(offered),
      models: this.#models.map(offered),
      open: {
        threads: this.#options.threads ?? threads,
        measureThreads: this.#options.threads === undefined,
        ...(engine && { engine }),
        ...(shortlist !== undefined && { shortlist }),
        ...(limits && { limits }),
        ...(persistentCache && { persistentCache }),
        ...(memory && { memory }),
      },
    });
    this.#lease = lease;
    void lease.connection.closed.then(() => {
      if (this.#lease === lease) this.#lease = undefined;
    });
    return lease;
  }
}

/** As the workers take it. */
function offered({ bundle, source, target, bytes }: Offer): OfferedModel {
  return { bundle, source, target, bytes };
}
