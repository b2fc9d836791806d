/**
 * What crosses between the language worker, the engine worker and its threads: message types only
 * (`docs/protocol.md`).
 */

import type { EnginePreference, LoadingMessage, WireError } from "./protocol.ts";

// --- Engine worker and its threads --------------------------------------------------------------

export type EngineToThread =
  | {
      readonly type: "join";
      readonly module: WebAssembly.Module;
      readonly memory: WebAssembly.Memory;
      readonly model: PlacedModel;
    }
  | ({ readonly type: "run"; readonly ticket: number; readonly parts: Parts } & EngineInput)
  | { readonly type: "stop"; readonly ticket: number };

export type ThreadToEngine =
  | { readonly type: "joined" }
  | { readonly type: "output"; readonly ticket: number; readonly outputs: [part: number, output: EngineOutput][] }
  | { readonly type: "failed"; readonly ticket?: number; readonly error: WireError };

/** Of a mini-batch, whose rows are cut into `count` parts. */
export interface Parts {
  readonly count: number;
  /** [1], in memory that the threads share: which is the next; `count` or more once all are taken. */
  readonly taken: Int32Array;
}

/** A model in the kernel's memory. */
export interface PlacedModel {
  readonly address: number;
  readonly encoderLayers: number;
  /** Most pieces of a row on either side, EOS included. */
  readonly positions: number;
  readonly sourcePieces: number;
  /** What each piece of the target side is called outside; absent: the same. */
  readonly names?: Int32Array<ArrayBuffer>;
  /** Each row chooses among the pieces of a shortlist. */
  readonly hasShortlist?: true;
}

// --- Language worker and engine worker ---------------------------------------------------------

/** Beam search, as `Search` of `py/dragoman/types/search.py`, which explains it. */
export interface BeamInput {
  readonly beam: number;
  readonly kept: number;
  readonly branching: boolean;
  readonly normalize: number;
  readonly wordPenalty: number;
  /** How the translation of each row begins, as `flat_prefixes` there; of length 0 if none has a prefix. */
  readonly prefixes: Int32Array<ArrayBuffer>;
}

export interface EngineInput {
  /** [rows, width], row-major. */
  readonly ids: Int32Array<ArrayBuffer>;
  /** [rows] */
  readonly lengths: Int32Array<ArrayBuffer>;
  /** [rows] */
  readonly limits: Int32Array<ArrayBuffer>;
  readonly rows: number;
  readonly width: number;
  readonly attention: boolean;
  /** Without it the search is greedy. */
  readonly beams?: BeamInput;
}

/** Of greedy search there is one hypothesis a row; else as many as `kept`. */
export interface EngineOutput {
  readonly steps: number;
  /** [rows, kept, steps] */
  readonly ids: Int32Array;
  /** [rows, kept, steps] */
  readonly logProbabilities: Float32Array;
  /** [rows, kept, steps, width], or of length 0. */
  readonly attention: Float32Array;
  /** [rows, kept], best first; -1e30 where there are fewer. Absent for greedy search. */
  readonly scores?: Float32Array;
}

export interface LoadOptions {
  readonly bundle: string;
  readonly threads: number;
  readonly measureThreads: boolean;
  readonly engine: EnginePreference;
  /** Absent: where it costs next to nothing. */
  readonly shortlist?: boolean;
}

/** What the core needs of a bundle whose graph the engine has. */
export interface ModelText {
  /** As it was read: the core parses it for itself. */
  readonly manifestText: string;
  readonly vocabulary: Uint8Array<ArrayBuffer>;
  readonly nameTable?: Uint8Array<ArrayBuffer> | undefined;
}

/** `StudentLayout` of `py/dragoman/student/layout.py`, which explains it: places in a file are in bytes. */
export interface StudentLayout {
  readonly vocabulary: number;
  readonly dimension: number;
  readonly inner: number;
  readonly heads: number;
  readonly encoder_layers: number;
  readonly decoder_layers: number;
  readonly factor: number;
  readonly source: { readonly rows: number; readonly pieces: number; readonly factor: number } | null;
  readonly never: number;
  readonly denses: readonly DenseLayout[];
  readonly norms: readonly NormLayout[];
}

export interface DenseLayout {
  readonly product: number;
  readonly layer: number;
  readonly weights: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly bias: number;
  readonly input: number;
  readonly scale: number;
  readonly after_relu: boolean;
}

export interface NormLayout {
  readonly normalization: number;
  readonly layer: number;
  readonly scale: number;
  readonly bias: number;
}

/** What the core makes of a published model for the engine. */
export interface PublishedLayout {
  readonly layout: StudentLayout;
  /** Most pieces of a row on either side, EOS included. */
  readonly positions: number;
  readonly names?: Int32Array<ArrayBuffer>;
}

/** Published files, verified: the core reads them. */
export interface PublishedText extends ModelText {
  /** Of the model. */
  readonly file: Uint8Array<ArrayBuffer>;
  readonly targetVocabulary?: Uint8Array<ArrayBuffer>;
}

/** `model` is a number that the language worker never uses twice. */
export type LanguageToEngine =
  | ({ readonly type: "load"; readonly model: number } & LoadOptions)
  /** Answers "published", with the same file; "unload" answers it too. */
  | ({ readonly type: "place"; readonly model: number; readonly file: Uint8Array<ArrayBuffer> } & PublishedLayout)
  | { readonly type: "unload"; readonly model: number }
  | ({ readonly type: "run"; readonly ticket: number; readonly model: number } & EngineInput)
  /** Answered by "failed", code "cancelled", unless the run has ended. */
  | { readonly type: "stop"; readonly ticket: number };

export type EngineToLanguage =
  | LoadingMessage
  | ({ readonly type: "loaded"; readonly model: number } & ModelText)
  /** Published files, which the core is to read before they can be placed. */
  | ({ readonly type: "published"; readonly model: number } & PublishedText)
  /** A published model is loaded. */
  | { readonly type: "placed"; readonly model: number }
  | ({ readonly type: "output"; readonly ticket: number } & EngineOutput)
  /** With a ticket: that run failed. With a model: it was not loaded. Else the engine cannot go on. */
  | { readonly type: "failed"; readonly ticket?: number; readonly model?: number; readonly error: WireError };
