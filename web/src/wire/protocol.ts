/**
 * What crosses each boundary: message types only (`docs/protocol.md`).
 *
 * Every range counts UTF-16 code units and is half-open.
 */

import type { Manifest } from "./bundle.ts";
import type { LimitName, Priority, PythonErrorCode } from "./contract.ts";

export type { Priority };

/** `text.slice(start, end)`. */
export type Range = readonly [start: number, end: number];

// --- Errors ------------------------------------------------------------------------------------

export type Detail = string | number | boolean | null;

/** What can only go wrong in a browser. */
export type BrowserErrorCode = "worker-gone" | "not-supported" | "network";

export type ErrorCode = PythonErrorCode | BrowserErrorCode;

export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, Detail>>;
}

// --- Request and outcome -----------------------------------------------------------------------

export type AlignmentKind = "none" | "hard" | "soft";
export type OverlongPolicy = "wrap" | "refuse";

/** What a request does that finds no room in the queue. */
export type WhenFull = "refuse" | "wait";
export type TextFormat = "text" | "html";

/** What may become of an element: see "Markup" in `docs/protocol.md`. */
export type ElementKind = "inline" | "style" | "opaque" | "void";

/** An element of a text. They come in document order and are properly nested. */
export interface MarkupElement {
  /** What it encloses; empty for "void". */
  readonly range: Range;
  readonly kind: ElementKind;
  /**
   * Index of the element around it. Needed only for an empty range at the very end of the element
   * around it: without `parent` it stands after that element.
   */
  readonly parent?: number;
}

/** A term of a glossary; without `target` it is not translated. */
export interface Term {
  readonly source: string;
  readonly target?: string | null;
}

/** A sentence that was translated before. */
export interface MemoryEntry {
  readonly source: string;
  readonly target: string;
}

export interface TranslationRequest {
  readonly text: string;
  readonly source: string;
  readonly target: string;
  readonly alignment: AlignmentKind;
  readonly overlong: OverlongPolicy;
  /** Default "interactive". */
  readonly priority?: Priority;
  /** Seconds to the response, from when the worker has the request. Default: no deadline. */
  readonly deadline?: number;
  /** Default "refuse". */
  readonly whenFull?: WhenFull;
  /** Whether sentences may come from the cache, and go into it. Default true. */
  readonly cache?: boolean;
  /** Default "text". "html" works on the desktop only. */
  readonly format?: TextFormat;
  /** Of format "text" only. */
  readonly elements?: readonly MarkupElement[];
  /** Of two terms for the same source the later one counts. */
  readonly glossary?: readonly Term[];
  /** Whether sentences of the translation memory that "open" has brought are taken as they are. Default false. */
  readonly memory?: boolean;
  /** Hypotheses that the search follows at a time, 1 to 16. Default: what the model's bundle says, or what `alternatives` needs. */
  readonly beam?: number;
  /** Most other translations of each sentence, less than the beam. Default 0. */
  readonly alternatives?: number;
  /** What the translation begins with, to the letter; alternatives then differ in the word after it. */
  readonly prefix?: string;
}

/** An element in its place: `content` is absent for "opaque" and "void". */
export interface PlacedElement {
  /** Index in the request's `elements`; twice in a response only if of kind "style". */
  readonly element: number;
  readonly content?: Content;
}

/** In order: ranges of the response's text, and elements, nested. */
export type Content = readonly (Range | PlacedElement)[];

export interface SentenceTranslation {
  readonly source: Range;
  readonly target: Range;
  readonly score: number;
  /** The score is below what the model's manifest calls good: the translation is likely to be bad. */
  readonly doubtful: boolean;
  /** Those of a memory, the most similar first, then the most probable first; only where some were asked for. */
  readonly alternatives?: readonly Alternative[];
  /** The translation is the memory's, as it is: its words have no links. Only of a request with a memory. */
  readonly fromMemory?: boolean;
}

/** Another translation of a sentence. Ranges are in its own text; of alignment "none" there are none. */
export interface Alternative {
  readonly text: string;
  readonly score: number;
  readonly doubtful: boolean;
  readonly targetWords?: readonly Range[];
  /** Index in the response's `alignment.sourceWords`, index in `targetWords` here. */
  readonly links?: readonly (readonly [source: number, target: number])[];
  /** One a target word, 0 to 1. */
  readonly scores?: readonly number[];
  /** Of a memory: the sentence that it translates; then `score` is its similarity, and there are no links. */
  readonly memorySource?: string;
}

export interface WordAlignment {
  readonly sourceWords: readonly Range[];
  readonly targetWords: readonly Range[];
  /** Index in `sourceWords`, index in `targetWords`. */
  readonly links: readonly (readonly [source: number, target: number])[];
  /** One a target word, 0 to 1. */
  readonly scores: readonly number[];
}

/** Of one sentence. Row-major, target pieces by source pieces; each row sums to 1. */
export interface SoftAlignment {
  readonly source: readonly Range[];
  readonly target: readonly Range[];
  readonly matrix: readonly number[];
}

export interface TranslationWarning {
  readonly code: string;
  readonly message: string;
  readonly span: Range | null;
}

/** "said": by the model itself; "forced": put where it had put something else; "missed": not there. */
export type TermOutcome = "said" | "forced" | "missed";

/** What became of a term of the glossary that the text has. */
export interface TermUse {
  readonly term: { readonly source: string; readonly target: string };
  readonly outcome: TermOutcome;
  /** In whatever form it stands there; `null` where ranges mean nothing (HTML). */
  readonly source: Range | null;
  /** `null` too if it was missed. */
  readonly target: Range | null;
}

/** Seconds. */
export interface Timings {
  readonly queued: number;
  readonly tokenize: number;
  readonly engine: number;
  readonly assemble: number;
  readonly total: number;
}

export interface TranslationResponse {
  readonly text: string;
  readonly sentences: readonly SentenceTranslation[];
  /** `null` for the request's "none". */
  readonly alignment: WordAlignment | null;
  /** One an entry of `sentences`, `null` for a copied one; `null` as a whole unless asked for. */
  readonly soft: readonly (SoftAlignment | null)[] | null;
  /** The whole of `text` with the elements in it; `null` for a request without `elements`. */
  readonly content: Content | null;
  /** In order; `null` for a request without `glossary`. */
  readonly terms: readonly TermUse[] | null;
  readonly warnings: readonly TranslationWarning[];
  readonly timings: Timings;
}

/** `Statistics` of `py/dragoman/counters.py`, which explains the figures. */
export interface Statistics {
  readonly submitted: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly open_requests: number;
  readonly queued_sentences: number;
  readonly queued_characters: number;
  readonly running_sentences: number;
  readonly mini_batches: number;
  readonly rows: number;
  readonly padded_pieces: number;
  readonly engine_seconds: number;
  readonly cache_hits: number;
  readonly cache_misses: number;
  readonly cache_entries: number;
  readonly cache_bytes: number;
  /** Times that the service failed as a whole and began anew. */
  readonly restarts: number;
  /** Of the worker's tables (`bridge.py`). */
  readonly open_streams: number;
  readonly open_graphs: number;
  /** Of `cache_hits`, those that an earlier visit kept. */
  readonly kept_hits: number;
}

/** Why sentences are no longer kept for later visits. */
export interface PersistentCacheFault {
  /**
   * "not-supported": there is no IndexedDB, or this page may not use it. "blocked": it did not open or
   * answer in time. "quota": the disk, or the site's share of it, is full. "newer": a later release has written it.
   * "closed": another page or the browser closed it.
   */
  readonly why: "not-supported" | "blocked" | "quota" | "newer" | "closed" | "failed";
  readonly detail: string;
}

/** How it stands with sentences that are kept for later visits. */
export type PersistentCacheState =
  | { readonly state: "off" }
  | { readonly state: "on" }
  | ({ readonly state: "failed" } & PersistentCacheFault);

export type Outcome =
  | { readonly ok: true; readonly response: TranslationResponse }
  | { readonly ok: false; readonly error: WireError };

// --- Streams ---------------------------------------------------------------------------------

/** The request that each sentence of a stream becomes, but for its text. */
export type StreamOptions = Omit<TranslationRequest, "text" | "format" | "elements" | "prefix">;

/** A translated sentence with the white space before it; all its ranges are in the whole texts. */
export interface StreamPiece extends TranslationResponse {
  /** Where the piece stands. */
  readonly source: Range;
  readonly target: Range;
}

// --- Documents ---------------------------------------------------------------------------------

/** What is said of a document. */
export interface DocumentFile {
  /** Its ending says what it is, else its content. */
  readonly name: string;
  /** "docx", for instance: overrules the name. */
  readonly kind?: string;
  /** Of a table: names in its first row, or numbers from 1; "all" for all with text. */
  readonly columns?: readonly string[];
  /** Of a text that does not say it itself; without it, it is found. */
  readonly encoding?: string;
}

export interface TranslatedDocument {
  /** The translated file: "report.en.docx" for "report.docx", "report.en.html" for "report.pdf". */
  readonly file: File;
  readonly kind: string;
  readonly sentences: number;
  /** Those whose translation is likely to be bad. */
  readonly doubtful: number;
  /** How often each was given. */
  readonly warnings: Readonly<Record<string, number>>;
}

export type DocumentOutcome =
  | { readonly ok: true; readonly document: TranslatedDocument }
  | { readonly ok: false; readonly error: WireError };

// --- Dependent requests ------------------------------------------------------------------------

/** Constant text, which is never translated; the place of a variable; a variable that gets what is before it. */
export type Chunk = string | { readonly input: string } | { readonly output: string };

export interface DependentRequest extends StreamOptions {
  readonly template: readonly Chunk[];
}

export interface Graph {
  readonly variables: Readonly<Record<string, string>>;
  readonly requests: readonly DependentRequest[];
}

/** An outcome an output, those that others need first. */
export type GraphOutcome =
  | { readonly ok: true; readonly outputs: Readonly<Record<string, Outcome>> }
  | { readonly ok: false; readonly error: WireError };

// --- Page and workers --------------------------------------------------------------------------

/** From either worker, once it holds the Web Lock that bears its name: see `lifeline.ts`. */
export interface StartedMessage {
  readonly type: "started";
}

export type LoadingStage = "runtime" | "core" | "model" | "engine";

/** Bytes where they are known, else 0 of 0. */
export interface LoadingMessage {
  readonly type: "loading";
  readonly stage: LoadingStage;
  /** Of the stage "model": which one. */
  readonly bundle?: string;
  readonly loaded: number;
  readonly total: number;
}

/** Other limits than the defaults of `py/dragoman/config.py`, by their names there. */
export type Limits = Readonly<Partial<Record<LimitName, number>>>;

/** Comes first, with the port to the engine worker: what every model needs is loaded. */
export interface PrepareMessage {
  readonly type: "prepare";
  /** Address of the built files, with a slash at its end. */
  readonly base: string;
  /** Where files are that are not below the base: `base/addresses.ts`. */
  readonly urls?: Readonly<Record<string, string>>;
}

export interface OpenMessage {
  readonly type: "open";
  /** The model that is loaded at once. */
  readonly bundle: string;
  readonly threads: number;
  /** Whether fewer threads may be used where they turn out to be as fast. */
  readonly measureThreads: boolean;
  /** Default "auto". */
  readonly engine?: EnginePreference;
  /** Whether models choose among the pieces of their shortlists; absent: where that costs next to nothing. */
  readonly shortlist?: boolean;
  readonly limits?: Limits;
  /** Keep translated sentences for later visits. Default: no. */
  readonly persistentCache?: boolean;
  /** The translation memory of requests that say so. */
  readonly memory?: readonly MemoryEntry[];
  /** Those that a request may need: they are loaded on demand. */
  readonly models?: readonly OfferedModel[];
}

/** An entry of `models/index.json`. */
export interface OfferedModel {
  readonly bundle: string;
  readonly source: string;
  readonly target: string;
  readonly bytes: number;
}

/** Load another model, for a translator that shares the workers. Ids are of the same count as those of "translate". */
export interface LoadMessage {
  readonly type: "load";
  readonly id: number;
  /** The direction that is loaded; of `models`, or of those that were there before. */
  readonly source: string;
  readonly target: string;
  /** Those that a request may need from now on as well. */
  readonly models: readonly OfferedModel[];
}

/** No translator asks for this direction any more: its model's memory is given back, unless a request uses it. */
export interface UnloadMessage {
  readonly type: "unload";
  readonly source: string;
  readonly target: string;
}

export type LoadOutcome = { readonly ok: true } | { readonly ok: false; readonly error: WireError };

export type PageToLanguage =
  | PrepareMessage
  | OpenMessage
  | LoadMessage
  | UnloadMessage
  /** Whoever wants to hear of its progress says so: each message takes time of both threads. */
  | { readonly type: "translate"; readonly id: number; readonly request: TranslationRequest; readonly progress?: boolean }
  | { readonly type: "graph"; readonly id: number; readonly graph: Graph }
  | { readonly type: "stream"; readonly id: number; readonly options: StreamOptions }
  /** The content goes as a handle: it is read by the worker, never by the page. */
  | {
      readonly type: "document";
      readonly id: number;
      readonly content: Blob;
      readonly file: DocumentFile;
      readonly options: StreamOptions;
    }
  /** Of a stream; one at a time: the next after "fed". */
  | { readonly type: "feed"; readonly id: number; readonly text: string }
  | { readonly type: "finish"; readonly id: number }
  /** The same: the next after "piece". */
  | { readonly type: "pull"; readonly id: number }
  /** With an output: of a graph that one, and what depends on it. */
  | { readonly type: "cancel"; readonly id: number; readonly output?: string }
  | { readonly type: "prioritize"; readonly id: number; readonly priority: Priority }
  /** Ids are of the same count as those of "translate". */
  | { readonly type: "statistics"; readonly id: number }
  /** Forget all translated sentences, those kept for later visits included; the same count of ids. */
  | { readonly type: "clear-cache"; readonly id: number };

export type ProgressState = "queued" | "running";

export type LanguageToPage =
  | StartedMessage
  | LoadingMessage
  | { readonly type: "ready"; readonly bundle: Manifest }
  | { readonly type: "failed"; readonly error: WireError }
  | { readonly type: "loaded"; readonly id: number; readonly outcome: LoadOutcome }
  | {
      readonly type: "progress";
      readonly id: number;
      readonly state: ProgressState;
      readonly done: number;
      readonly total: number;
    }
  | { readonly type: "settled"; readonly id: number; readonly outcome: Outcome }
  /** Of a document: the beginning of its text, once it is read. Progress counts its characters. */
  | { readonly type: "beginning"; readonly id: number; readonly text: string }
  | { readonly type: "document-settled"; readonly id: number; readonly outcome: DocumentOutcome }
  /** Of a graph, as soon as the output has ended. */
  | { readonly type: "output"; readonly id: number; readonly name: string; readonly outcome: Outcome }
  | { readonly type: "outputs"; readonly id: number; readonly outcome: GraphOutcome }
  /** Answers "feed" and "finish"; `open`: whether the stream takes more. */
  | { readonly type: "fed"; readonly id: number; readonly open: boolean }
  | { readonly type: "piece"; readonly id: number; readonly piece: StreamPiece }
  | { readonly type: "ended"; readonly id: number; readonly error?: WireError }
  | {
      readonly type: "statistics";
      readonly id: number;
      readonly statistics: Statistics;
      readonly persistentCache: PersistentCacheState;
    }
  | { readonly type: "cleared"; readonly id: number };

/** Comes with the port to the language worker; the engine starts to load its runtime at once. */
export interface ConnectMessage {
  readonly type: "connect";
  readonly base: string;
  readonly urls?: Readonly<Record<string, string>>;
}

/**
 * "wasm" is the kernel. "webgpu" is the GPU from the first mini-batch on, and an error where there is
 * none. "auto" begins with the kernel, measures both when nothing is to be done, and takes the GPU for
 * mini-batches that it is faster with.
 */
export type EnginePreference = "auto" | "wasm" | "webgpu";

/** What computes a model's mini-batches now, and why. */
export type EngineState =
  | {
      readonly name: "wasm";
      /**
       * "beams": requests have them, and the GPU's search is greedy. "failed": the GPU did, and what it
       * was computing was computed again.
       */
      readonly why: "asked" | "unmeasured" | "no-gpu" | "beams" | "slower" | "failed";
      readonly detail?: string;
    }
  | {
      readonly name: "webgpu";
      readonly why: "asked" | "faster";
      readonly adapter: string;
      /** Smaller mini-batches are the kernel's. */
      readonly fromRows: number;
    }
  /** onnxruntime-web, for graphs that neither can run. */
  | { readonly name: "onnxruntime"; readonly why: "graph" };

/** Sent at each change; `state` is absent when the model is unloaded. */
export interface EngineStateMessage {
  readonly type: "engine";
  readonly bundle: string;
  readonly state?: EngineState;
}

export type PageToEngine = ConnectMessage;
export type EngineToPage = StartedMessage | EngineStateMessage;
