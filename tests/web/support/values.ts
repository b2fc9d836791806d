/** Values that several tests need. */

import type { StudentLayout } from "../../../web/src/wire/engine-protocol.ts";
import type { Statistics, TranslationRequest, TranslationResponse } from "../../../web/src/wire/protocol.ts";

export const REQUEST: TranslationRequest = {
  text: "Guten Tag",
  source: "de",
  target: "en",
  alignment: "hard",
  overlong: "wrap",
};

export const RESPONSE: TranslationResponse = {
  text: "GUTEN TAG",
  sentences: [{ source: [0, 9], target: [0, 9], score: 0.5, doubtful: false }],
  alignment: {
    sourceWords: [
      [0, 5],
      [6, 9],
    ],
    targetWords: [
      [0, 5],
      [6, 9],
    ],
    links: [
      [0, 0],
      [1, 1],
    ],
    scores: [0.5, 0.5],
  },
  soft: null,
  content: null,
  terms: null,
  warnings: [],
  timings: { queued: 0, tokenize: 0, engine: 0, assemble: 0, total: 0 },
};

export const STATISTICS: Statistics = {
  submitted: 3,
  done: 1,
  failed: 1,
  cancelled: 1,
  open_requests: 0,
  queued_sentences: 0,
  queued_characters: 0,
  running_sentences: 0,
  mini_batches: 2,
  rows: 5,
  padded_pieces: 60,
  engine_seconds: 0.5,
  cache_hits: 1,
  cache_misses: 5,
  cache_entries: 5,
  cache_bytes: 20_000,
  restarts: 0,
  open_streams: 0,
  open_graphs: 0,
  kept_hits: 0,
};

export const MODEL = {
  bundle: "de-en",
  name: "de-en-fake",
  version: "0.0.0",
  source: "de",
  target: "en",
  bytes: 5,
};

/** Of the graph "abc" and the vocabulary "de"; the first hash is the example of FIPS 180-2. */
export const MANIFEST = {
  format: 1,
  name: "de-en-fake",
  version: "0.0.0",
  source: "de",
  target: "en",
  files: {
    graph: {
      path: "model.onnx",
      bytes: 3,
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    },
    vocabulary: {
      path: "vocabulary.spm",
      bytes: 2,
      sha256: "959a45d44e6fcf58361ed004681556fe50129f2109e817dec098c00c9e5d2578",
    },
  },
};

/** Of nothing: no engine places it. */
export const LAYOUT: StudentLayout = {
  vocabulary: 8,
  dimension: 8,
  inner: 8,
  heads: 1,
  encoder_layers: 1,
  decoder_layers: 1,
  factor: 1,
  source: null,
  never: 1,
  denses: [],
  norms: [],
};
