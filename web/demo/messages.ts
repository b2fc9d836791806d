/** What an error means for the person in front of the screen. */

import { DragomanError, QuotaError } from "../src/wire/errors.ts";
import type { ErrorCode } from "../src/wire/protocol.ts";
import { formatNumber } from "./format.ts";

export interface ErrorMessage {
  readonly title: string;
  readonly advice: string;
  /** For a report of the fault. */
  readonly technical: string;
}

const DAMAGED = "A file of the model is damaged or does not fit. Try again to download it anew.";
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
  return `${advice} It has ${formatNumber(error.requested)} of ${formatNumber(error.quota)} allowed.`;
}
