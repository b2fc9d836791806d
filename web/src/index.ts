/** Everything that users of the built `dragoman.js` may import. */

export { DragomanError, QuotaError } from "./errors.ts";
export { CreateMonitor, DownloadProgressEvent, LoadingEvent } from "./monitor.ts";
export { Translator } from "./translator.ts";
export type { ModelEngine } from "./connection.ts";
export type {
  Availability,
  LanguagePair,
  TranslateDetailedOptions,
  TranslateOptions,
  TranslatorCreateOptions,
  TranslatorStatistics,
} from "./translator.ts";
export type {
  AlignmentKind,
  EnginePreference,
  EngineState,
  ErrorCode,
  LoadingStage,
  OverlongPolicy,
  Priority,
  Range,
  SentenceTranslation,
  SoftAlignment,
  Statistics,
  TranslationResponse,
  TranslationWarning,
  WhenFull,
  WordAlignment,
} from "./protocol.ts";
export type { Submission, TranslationProgress } from "./rpc.ts";
