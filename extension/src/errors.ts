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
  const name = `error_${error.code.replaceAll("-", "_")}`;
  const text = message(name);
  return text === name ? message("error_other") : text;
}
