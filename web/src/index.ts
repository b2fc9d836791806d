/** Everything that users of the built `dragoman.js` may import. */

export { DragomanError, QuotaError } from "./errors.ts";
export { CreateMonitor, DownloadProgressEvent, LoadingEvent } from "./monitor.ts";
export { Translator } from "./translator.ts";
export type { ModelEngine } from "./connection.ts";
export type {
  Availability,
  GraphRequest,
  GraphSubmission,
  LanguagePair,
  TranslateDetailedOptions,
  TranslateGraphOptions,
  TranslateOptions,
  TranslateStreamingDetailedOptions,
  TranslateStreamingOptions,
  TranslationGraph,
  TranslatorCreateOptions,
  TranslatorStatistics,
} from "./translator.ts";
export type { GraphResult, OnOutput, OutputEnd } from "./graph-call.ts";
export type {
  AlignmentKind,
  Chunk,
  EnginePreference,
  EngineState,
  ErrorCode,
  LoadingStage,
  OverlongPolicy,
  PersistentCacheFault,
  PersistentCacheState,
  Priority,
  Range,
  SentenceTranslation,
  SoftAlignment,
  Statistics,
  StreamPiece,
  TranslationResponse,
  TranslationWarning,
  WhenFull,
  WordAlignment,
} from "./protocol.ts";
export type { Submission, TranslationProgress } from "./rpc.ts";
export type { StreamInput } from "./streaming.ts";
