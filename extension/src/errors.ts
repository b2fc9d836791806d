/** What an error means for the person in front of the screen, in the strings `error_CODE`. */

import { DragomanError, QuotaError } from "../../web/src/wire/errors.ts";
import { formatSize, message, ownLanguage } from "./api.ts";

export function errorText(error: unknown): string {
  if (!(error instanceof DragomanError)) return message("error_other");
  if (error instanceof QuotaError && error.code === "no-room") {
    return message("error_no_room", formatSize(error.requested), formatSize(error.requested - error.quota));
  }
  if (error instanceof QuotaError && error.code === "translation-memory-too-large") {
    const [requested, quota] = [error.requested, error.quota].map((figure) => figure.toLocaleString(ownLanguage()));
    return message("error_translation_memory_too_large", requested ?? "", quota ?? "");
  }
  if (error.code === "invalid-glossary") return termsText(error);
  if (error instanceof QuotaError && error.code === "glossary-too-large") return tooManyText(error);
  const name = `error_${error.code.replaceAll("-", "_")}`;
  const text = message(name);
  return text === name ? message("error_other") : text;
}

/** Of a file of terms the line, where one is to blame. */
function termsText({ details: { line, reason } }: DragomanError): string {
  if (line !== undefined) return message("error_glossary_line", Number(line).toLocaleString(ownLanguage()));
  return message(reason === "term" || reason === "empty" ? `error_glossary_${reason}` : "error_invalid_glossary");
}

function tooManyText({ requested, quota, details: { counted, line } }: QuotaError): string {
  const figures = [requested, quota].map((figure) => figure.toLocaleString(ownLanguage()));
  if (counted === "terms") return message("error_glossary_terms", ...figures);
  if (counted === "bytes") return message("error_glossary_bytes", formatSize(requested), formatSize(quota));
  const text = message("error_glossary_characters", ...figures);
  return line === undefined ? text : `${message("error_glossary_in_line", Number(line).toLocaleString(ownLanguage()))} ${text}`;
}
