/** What an error means for the person in front of the screen. */

import { DragomanError, QuotaError } from "../src/wire/errors.ts";
import type { ErrorCode } from "../src/wire/protocol.ts";
import { formatBytes, formatNumber } from "./format.ts";

export interface ErrorMessage {
  readonly title: string;
  readonly advice: string;
  /** For a report of the fault. */
  readonly technical: string;
}

const DAMAGED = "A file of the model is damaged or does not fit. Try again to download it anew.";
const LATER = "What has come is kept: the next try goes on there.";
const TEXTS: Partial<Record<ErrorCode, readonly [title: string, advice: string]>> = {
  network: ["A file could not be loaded", "Check the connection, then try again."],
  "not-supported": ["This browser cannot run the translator", "A current Chrome, Edge, Firefox or Safari can."],
  "worker-gone": ["The translator stopped", "The browser may have been short of memory. Try again to restart it."],
  engine: ["The translation failed", "The translator starts anew when you try again."],
  "language-pair": ["There is no model for these languages", "Choose another pair."],
  "text-too-long": ["The text is too long", "Shorten it, or translate it in parts."],
  "queue-full": ["Too much is waiting to be translated", "Try again in a moment."],
  bundle: ["The model cannot be used", DAMAGED],
  "bundle-missing-file": ["The model is incomplete", "A file of it is not on the server."],
  "bundle-corrupt": ["The model is damaged", DAMAGED],
  "bundle-mismatch": ["The model cannot be used", DAMAGED],
  store: ["The model cannot be kept or read", "Fetch it again. A private window may not be able to keep files."],
  fetch: ["The model cannot be fetched", LATER],
  "fetch-network": ["No connection", LATER],
  "fetch-status": ["The server does not have the model", LATER],
  "fetch-corrupt": ["What came is not the model", "Nothing of it was kept. Try again, or tell whoever runs this site."],
  "no-room": ["There is no room for the model", "Delete models that you do not need, or free room on the disk."],
  archive: ["These files are no model", "Drop a file of dragoman models export, or all files of a published model."],
};

export function errorMessage(error: unknown): ErrorMessage {
  if (!(error instanceof DragomanError)) {
    return { title: "Something went wrong", advice: "Try again.", technical: String(error) };
  }
  const [title, advice] = TEXTS[error.code] ?? ["Something went wrong", "Try again."];
  return { title, advice: adviceFor(error, advice), technical: `${error.code}: ${error.message}` };
}

function adviceFor(error: DragomanError, advice: string): string {
  if (!(error instanceof QuotaError)) return advice;
  if (error.code === "no-room") {
    const missing = formatBytes(error.requested - error.quota);
    return `${formatBytes(error.requested)} are needed, ${missing} are missing. ${advice}`;
  }
  return `${advice} It has ${formatNumber(error.requested)} of ${formatNumber(error.quota)} allowed.`;
}
