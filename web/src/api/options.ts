/** What is asked of a translator, and what is given back. */

import type { GraphResult, OnOutput } from "../calls/graph-call.ts";
import type { TranslationProgress } from "../calls/ticket.ts";
import type {
  AlignmentKind,
  Chunk,
  EnginePreference,
  Limits,
  MarkupElement,
  MemoryEntry,
  OverlongPolicy,
  PersistentCacheState,
  Priority,
  Statistics,
  Term,
  TranslationResponse,
  WhenFull,
} from "../wire/protocol.ts";
import type { ModelEngine } from "./connection.ts";
import type { CreateMonitor } from "./monitor.ts";
import type { LanguagePair } from "./models.ts";
import type { SourceOptions } from "./offers.ts";

export interface TranslatorCreateOptions extends LanguagePair, SourceOptions {
  readonly signal?: AbortSignal;
  /** Called once, at once, with an event target that tells of the loading, later reopening included. */
  readonly monitor?: (monitor: CreateMonitor) => void;
  /**
   * Default: where the page is cross-origin isolated as many as are of use, which is measured on the first
   * mini-batches and remembered; else 1.
   */
  readonly threads?: number;
  /** What computes. Default "auto": WebAssembly, or the GPU once it was measured to be faster here. */
  readonly engine?: EnginePreference;
  /**
   * Whether models choose among the pieces of their shortlists only, which is up to twice as fast. Default: where
   * both languages of a model share their pieces.
   */
  readonly shortlist?: boolean;
  /** Other limits than the defaults of the core, such as `{text_characters: 10_000}`. */
  readonly limits?: Limits;
  /**
   * Keep translated sentences on this machine for later visits (IndexedDB), up to the limit
   * `persistent_cache_bytes`. Default false. Whoever has access to the browser's profile can read them;
   * `clearCache` deletes them.
   */
  readonly persistentCache?: boolean;
  /** Terms that all translations are to use: `docs/glossary.md`. */
  readonly glossary?: readonly Term[];
  /**
   * Sentences that were translated before, from `sourceLanguage` to `targetLanguage`: where a text has one, its
   * translation is taken as it is. See `docs/memory.md`.
   */
  readonly memory?: readonly MemoryEntry[];
}

export interface TranslateOptions {
  readonly signal?: AbortSignal;
  /** Default "interactive". What is not on the screen should say so. */
  readonly priority?: Priority;
  /** Seconds to the response, loading included; then the error "deadline". */
  readonly deadline?: number;
  /** When too much waits at this priority. Default "refuse": the error "queue-full". */
  readonly whenFull?: WhenFull;
  /** Whether sentences may come from the cache, and go into it. Default true. */
  readonly cache?: boolean;
  /** Terms for this translation too; they count before those of `create`. */
  readonly glossary?: readonly Term[];
  /** Hypotheses that the search follows at a time, 1 to 16: more is slower, and a little better. Default: what the model's bundle says. */
  readonly beam?: number;
}

export interface TranslateDetailedOptions extends TranslateOptions {
  readonly onprogress?: (progress: TranslationProgress) => void;
  /** Default "hard": words and links. */
  readonly alignment?: AlignmentKind;
  /** Default "wrap". */
  readonly overlong?: OverlongPolicy;
  /** Elements of the text, which the response places in its `content`: `docs/protocol.md`, Markup. */
  readonly elements?: readonly MarkupElement[];
  /**
   * Most other translations of each sentence, up to 15: `alternatives` of its entry in `sentences`. See
   * `docs/alternatives.md`.
   */
  readonly alternatives?: number;
  /**
   * What the translation of the text, which is one sentence, begins with, to the letter. Alternatives then
   * differ in the word after it; `""` is for the first word.
   */
  readonly prefix?: string;
}

/** A stream has no deadline of its own: `AbortSignal.timeout` is one. */
export type TranslateStreamingOptions = Omit<TranslateOptions, "deadline">;

export interface TranslateStreamingDetailedOptions extends TranslateStreamingOptions {
  readonly alignment?: AlignmentKind;
  readonly overlong?: OverlongPolicy;
  readonly alternatives?: number;
}

/** A request of a graph; its languages are those of the translator unless it names others. */
export interface GraphRequest extends Omit<TranslateStreamingDetailedOptions, "signal"> {
  readonly template: readonly Chunk[];
  readonly source?: string;
  readonly target?: string;
}

/** Requests that depend on each other through variables: `docs/protocol.md`, Dependent requests. */
export interface TranslationGraph {
  readonly variables?: Readonly<Record<string, string>>;
  readonly requests: readonly GraphRequest[];
}

export interface TranslateGraphOptions {
  readonly signal?: AbortSignal;
  /** Hears of each output as soon as it has ended. */
  readonly onoutput?: OnOutput;
}

/** A request under way. */
export interface Submission {
  readonly result: Promise<TranslationResponse>;
  /** Give what still waits another priority. */
  readonly prioritize: (priority: Priority) => void;
  /** Take the request back: `result` rejects with `reason`, if it has not settled. */
  readonly cancel: (reason?: unknown) => void;
}

/** A graph under way. */
export interface GraphSubmission {
  readonly result: Promise<GraphResult>;
  /** Take back one output, and so what depends on it: they end as AbortErrors, the others go on. */
  readonly cancelOutput: (name: string) => void;
  /** Take all back: `result` rejects with `reason`, if it has not settled. */
  readonly cancel: (reason?: unknown) => void;
}

export interface TranslatorStatistics extends Statistics {
  /** Promises of this translator that have not settled. */
  readonly pending: number;
  /** What computes each loaded model now, and why. */
  readonly engines: readonly ModelEngine[];
  /** Whether sentences are kept for later visits; where that fails, why. Translation goes on. */
  readonly persistentCache: PersistentCacheState;
}
