/** Everything that users of the built `dragoman.js` may import. */

export { DragomanError, QuotaError } from "./errors.ts";
export { CreateMonitor, DownloadProgressEvent, LoadingEvent } from "./monitor.ts";
export { Translator } from "./translator.ts";
export type {
  Availability,
  LanguagePair,
  TranslateDetailedOptions,
  TranslateOptions,
  TranslatorCreateOptions,
} from "./translator.ts";
export type {
  AlignmentKind,
  ErrorCode,
  LoadingStage,
  OverlongPolicy,
  Range,
  SentenceTranslation,
  SoftAlignment,
  TranslationResponse,
  TranslationWarning,
  WordAlignment,
} from "./protocol.ts";
export type { TranslationProgress } from "./rpc.ts";
