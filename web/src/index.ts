/** Everything that users of the built `dragoman.js` may import. */

export { DragomanError, QuotaError } from "./wire/errors.ts";
export { CreateMonitor, DownloadProgressEvent, LoadingEvent } from "./api/monitor.ts";
export type { CreateMonitorEvents } from "./api/monitor.ts";
export type { PythonErrorCode } from "./wire/contract.ts";
export { LanguageDetector } from "./api/language-detector.ts";
export type { LanguageDetectionResult, LanguageDetectorCreateOptions } from "./api/language-detector.ts";
export type { Candidate, Detection } from "./detection/detector.ts";
export { Translator } from "./api/translator.ts";
export type { ModelEngine } from "./api/connection.ts";
export type { Attribution, Availability, DownloadOptions, LanguagePair, ModelInfo } from "./api/models.ts";
export type { SourceOptions } from "./api/offers.ts";
export type { FetchProgress } from "./published/store.ts";
export type {
  GraphRequest,
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
} from "./api/options.ts";
export type { TranslateDocumentOptions } from "./api/documents.ts";
export type { GraphResult, OnOutput, OutputEnd } from "./calls/graph-call.ts";
export type {
  AlignmentKind,
  Alternative,
  BrowserErrorCode,
  Chunk,
  Content,
  Detail,
  ElementKind,
  EnginePreference,
  EngineState,
  ErrorCode,
  LoadingStage,
  MarkupElement,
  MemoryEntry,
  OverlongPolicy,
  PersistentCacheFault,
  PersistentCacheState,
  PlacedElement,
  Priority,
  ProgressState,
  Range,
  SentenceTranslation,
  SoftAlignment,
  Statistics,
  StreamPiece,
  Term,
  TermOutcome,
  TermUse,
  Timings,
  TranslatedDocument,
  TranslationResponse,
  TranslationWarning,
  WhenFull,
  WordAlignment,
} from "./wire/protocol.ts";
export type { DocumentListener, DocumentProgress } from "./calls/document-call.ts";
export type { TranslationProgress } from "./calls/ticket.ts";
export type { StreamInput } from "./api/streaming.ts";
