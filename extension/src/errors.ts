/** What an error means for the person in front of the screen, in the strings `error_CODE`. */

import { DragomanError, QuotaError } from "../../web/src/wire/errors.ts";
import { formatSize, message } from "./api.ts";

export function errorText(error: unknown): string {
  if (!(error instanceof DragomanError)) return message("error_other");
  if (error instanceof QuotaError && error.code === "no-room") {
    return message("error_no_room", formatSize(error.requested), formatSize(error.requested - error.quota));
  }
  const name = `error_${error.code.replaceAll("-", "_")}`;
  const text = message(name);
  return text === name ? message("error_other") : text;
}
