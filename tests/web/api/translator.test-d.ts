/** The public API, as types. */

import { describe, expectTypeOf, it } from "vitest";
import {
  Translator,
  type Availability,
  type CreateMonitor,
  type DownloadProgressEvent,
  type DragomanError,
  type ErrorCode,
  type GraphResult,
  type GraphSubmission,
  type QuotaError,
  type Priority,
  type Range,
  type StreamInput,
  type StreamPiece,
  type Submission,
  type TranslateOptions,
  type TranslationProgress,
  type TranslationResponse,
  type TranslatorStatistics,
} from "../../../web/src/index.ts";

describe("Translator", () => {
  it("is made by create alone", () => {
    // @ts-expect-error the constructor is private
    new Translator();
    expectTypeOf<typeof Translator.create>().returns.resolves.toEqualTypeOf<Translator>();
    expectTypeOf<typeof Translator.create>()
      .parameter(0)
      .toExtend<{ sourceLanguage: string; targetLanguage: string; signal?: AbortSignal }>();
    // @ts-expect-error both languages are needed
    void Translator.create({ sourceLanguage: "de" });
  });

  it("says whether a pair is there", () => {
    expectTypeOf<typeof Translator.availability>().returns.resolves.toEqualTypeOf<Availability>();
    expectTypeOf<Availability>().toEqualTypeOf<"unavailable" | "downloadable" | "available">();
  });

  it("translates", () => {
    expectTypeOf<Translator["translate"]>().returns.resolves.toBeString();
    expectTypeOf<Translator["translate"]>().parameter(1).toEqualTypeOf<TranslateOptions | undefined>();
    expectTypeOf<TranslateOptions>().toExtend<{ readonly signal?: AbortSignal; readonly deadline?: number }>();
    expectTypeOf<Translator["translateDetailed"]>().returns.resolves.toEqualTypeOf<TranslationResponse>();
    expectTypeOf<Translator["measureInputUsage"]>().returns.resolves.toBeNumber();
    expectTypeOf<Translator["destroy"]>().returns.toBeVoid();
  });

  it("gives a hand on a request", () => {
    expectTypeOf<Translator["submit"]>().returns.toEqualTypeOf<Submission>();
    expectTypeOf<Submission["result"]>().resolves.toEqualTypeOf<TranslationResponse>();
    expectTypeOf<Submission["prioritize"]>().parameter(0).toEqualTypeOf<Priority>();
    expectTypeOf<Priority>().toEqualTypeOf<"interactive" | "visible" | "near" | "background">();
    expectTypeOf<Translator["statistics"]>().returns.resolves.toEqualTypeOf<TranslatorStatistics>();
  });

  it("streams", () => {
    expectTypeOf<Translator["translateStreaming"]>().returns.toEqualTypeOf<ReadableStream<string>>();
    expectTypeOf<Translator["translateStreamingDetailed"]>().returns.toEqualTypeOf<ReadableStream<StreamPiece>>();
    expectTypeOf<StreamPiece["source"]>().toEqualTypeOf<Range>();
    expectTypeOf<string>().toExtend<StreamInput>();
    expectTypeOf<ReadableStream<string>>().toExtend<StreamInput>();
    expectTypeOf<AsyncGenerator<string>>().toExtend<StreamInput>();
    expectTypeOf<ReadableStream<Uint8Array>>().not.toExtend<StreamInput>();
  });

  it("runs graphs", () => {
    expectTypeOf<Translator["translateGraph"]>().returns.resolves.toEqualTypeOf<GraphResult>();
    expectTypeOf<Translator["submitGraph"]>().returns.toEqualTypeOf<GraphSubmission>();
    const end = (result: GraphResult): string => {
      const output = result.outputs["a"];
      if (!output) return "";
      return output.ok ? output.response.text : output.error.message;
    };
    expectTypeOf(end).returns.toBeString();
  });

  it("has properties that cannot be set", () => {
    expectTypeOf<Translator["inputQuota"]>().toBeNumber();
    expectTypeOf<Translator["sourceLanguage"]>().toBeString();
    const set = (translator: Translator): void => {
      // @ts-expect-error it is read-only
      translator.inputQuota = 1;
    };
    expectTypeOf(set).toBeFunction();
  });

  it("types the monitor's events and the progress", () => {
    const listen = (monitor: CreateMonitor): void => {
      monitor.addEventListener("downloadprogress", (event) => {
        expectTypeOf(event).toEqualTypeOf<DownloadProgressEvent>();
      });
      monitor.addEventListener("loading", ({ stage }) => {
        expectTypeOf(stage).toEqualTypeOf<"runtime" | "core" | "model" | "engine">();
      });
    };
    expectTypeOf(listen).toBeFunction();
    expectTypeOf<TranslationProgress["state"]>().toEqualTypeOf<"queued" | "running">();
  });
});

describe("TranslationResponse", () => {
  it("has ranges as pairs, and no alignment where none was asked for", () => {
    expectTypeOf<Range>().toEqualTypeOf<readonly [start: number, end: number]>();
    expectTypeOf<TranslationResponse["sentences"][number]["source"]>().toEqualTypeOf<Range>();
    expectTypeOf<null>().toExtend<TranslationResponse["alignment"]>();
  });
});

describe("DragomanError", () => {
  it("has a code from a closed set", () => {
    expectTypeOf<DragomanError["code"]>().toEqualTypeOf<ErrorCode>();
    expectTypeOf<"worker-gone">().toExtend<ErrorCode>();
    expectTypeOf<QuotaError["quota"]>().toBeNumber();
  });
});
