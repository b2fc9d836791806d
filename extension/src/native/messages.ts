/**
 * What crosses native messaging: types only. The other end is `py/dragoman/messaging/host.py`.
 *
 * Progress is not asked for. A message of the host that is longer than browsers let it write comes in parts, nothing between them.
 */

import type { Outcome, Priority, TranslationRequest, WireError } from "../../../web/src/wire/protocol.ts";
import type { Pair } from "../messages.ts";

export type ToNative =
  /** Answered by "ready". */
  | { readonly type: "hello" }
  | { readonly type: "translate"; readonly id: number; readonly request: TranslationRequest }
  | { readonly type: "prioritize"; readonly id: number; readonly priority: Priority }
  | { readonly type: "cancel"; readonly id: number };

export type FromNative =
  | { readonly type: "ready"; readonly release: string; readonly directions: readonly Pair[] }
  /** Exactly one for each "translate". */
  | { readonly type: "settled"; readonly id: number; readonly outcome: Outcome }
  /** What came was no message. */
  | { readonly type: "failed"; readonly error: WireError }
  | { readonly type: "part"; readonly text: string; readonly last: boolean };

/** The part of `runtime.Port` that is used. */
export interface NativePort {
  readonly onMessage: { addListener(listener: (message: FromNative) => void): void };
  readonly onDisconnect: { addListener(listener: () => void): void };
  postMessage(message: ToNative): void;
  disconnect(): void;
}
