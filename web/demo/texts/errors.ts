/** What an error means for the person in front of the screen. */

import { DragomanError, QuotaError } from "../../src/wire/errors.ts";
import en from "./en.json";
import { formatBytes, formatNumber } from "./format.ts";
import { say, type TextKey } from "./texts.ts";

export interface ErrorMessage {
  readonly title: string;
  readonly advice: string;
  /** For a report of the fault. */
  readonly technical: string;
}

const SHEETS = ["xls", "xlsx", "ods", "numbers"];
const HOSTILE = ["entities", "path"];

export function errorMessage(error: unknown): ErrorMessage {
  if (!(error instanceof DragomanError)) {
    return { title: say("error.odd.title"), advice: say("error.odd.advice"), technical: String(error) };
  }
  const code = `error.${error.code}.title` in en ? error.code : "odd";
  return {
    title: say(`error.${code}.title` as TextKey),
    advice: code === "invalid-glossary" ? adviceOnTerms(error) : withFigures(error, say(adviceOf(error, code))),
    technical: `${error.code}: ${error.message}`,
  };
}

function adviceOf({ details }: DragomanError, code: string): TextKey {
  if (code === "unsupported-format") {
    const format = String(details["format"]);
    if (SHEETS.includes(format)) return "error.unsupported-sheet.advice";
    if (format === "zip") return "error.unsupported-zip.advice";
  }
  if (code === "document") {
    const reason = String(details["reason"]);
    if (reason === "encrypted") return "error.document-encrypted.advice";
    if (reason === "no-text") return "error.document-no-text.advice";
    if (reason === "limit") return "error.document-too-large.advice";
    if (HOSTILE.includes(reason)) return "error.document-hostile.advice";
  }
  return `error.${code}.advice` as TextKey;
}

/** Of a file of terms the line, where one is to blame. */
function adviceOnTerms({ details }: DragomanError): string {
  const { line, reason } = details;
  if (line !== undefined) return say("error.invalid-glossary-line.advice", { line: formatNumber(Number(line)) });
  return say(reason === "term" || reason === "empty" ? `error.invalid-glossary-${reason}.advice` : "error.invalid-glossary.advice");
}

function figuresOfTerms({ requested, quota, details: { counted, line } }: QuotaError): string {
  const figures = { requested: formatNumber(requested), allowed: formatNumber(quota) };
  if (counted === "terms") return `${say("error.glossary-terms", figures)} ${say("error.glossary-too-large.advice")}`;
  const place = line === undefined ? "" : `${say("error.glossary-line", { line: formatNumber(Number(line)) })} `;
  return `${place}${say("error.glossary-characters", figures)}`;
}

function withFigures(error: DragomanError, advice: string): string {
  if (!(error instanceof QuotaError)) return advice;
  const { requested, quota, details } = error;
  if (error.code === "glossary-too-large" && details["counted"] !== "bytes") return figuresOfTerms(error);
  if (error.code === "no-room") {
    return `${say("error.room", { requested: formatBytes(requested), missing: formatBytes(requested - quota) })} ${advice}`;
  }
  const isBytes = String(details["counted"]).endsWith("bytes");
  const figure = isBytes ? formatBytes : formatNumber;
  const key = isBytes ? "error.bytes" : "error.figures";
  return `${advice} ${say(key, { requested: figure(requested), allowed: figure(quota) })}`;
}
