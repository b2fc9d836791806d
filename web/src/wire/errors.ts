/**
 * Errors of the public API, with the codes of `py/dragoman/errors.py`.
 *
 *     DragomanError          .code crosses every wire; .details are plain data
 *     `-- QuotaError         a figure over a limit: .requested and .quota
 *
 * What the caller took back rejects with an "AbortError" DOMException instead, as the platform does.
 */

import { LIMIT_CODES } from "./contract.ts";
import type { Detail, ErrorCode, WireError } from "./protocol.ts";

export class DragomanError extends Error {
  override readonly name: string = "DragomanError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, Detail>>;

  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, Detail>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** @internal */
  toWire(): WireError {
    return { code: this.code, message: this.message, details: this.details };
  }
}

export class QuotaError extends DragomanError {
  override readonly name = "QuotaError";
  readonly requested: number;
  readonly quota: number;

  constructor(
    code: ErrorCode,
    message: string,
    details: Readonly<Record<string, Detail>> & { requested: number; allowed: number },
  ) {
    super(code, message, details);
    this.requested = details.requested;
    this.quota = details.allowed;
  }
}

/** The error that a wire error stands for; "cancelled" is the platform's AbortError. */
export function fromWire({ code, message, details }: WireError): DragomanError | DOMException {
  if (code === "cancelled") return new DOMException(message, "AbortError");
  const { requested, allowed } = details;
  if (LIMIT_CODES.has(code) && typeof requested === "number" && typeof allowed === "number") {
    return new QuotaError(code, message, { ...details, requested, allowed });
  }
  return new DragomanError(code, message, details);
}

/** Any thrown value as a wire error; what has no code of its own gets `fallback`. */
export function toWire(thrown: unknown, fallback: ErrorCode): WireError {
  if (thrown instanceof DragomanError) return thrown.toWire();
  return { code: fallback, message: thrown instanceof Error ? thrown.message : String(thrown), details: {} };
}
