/**
 * What the parts of the extension say to each other. Types only.
 *
 *     page's frame (content.ts) ---- port "engine" ----> engine host   offscreen document (Chrome),
 *     popup, options                                                   background page (Firefox)
 *                  `---- "wake", "translate-tab" ----> background
 *
 * An AbortSignal does not cross a port: the client says "cancel", and a port that closes cancels all
 * that came over it.
 */

import type { Block, Priority, TranslatedBlock } from "../../web/src/dom/units/blocks.ts";
import type { TranslationResponse, WireError } from "../../web/src/wire/protocol.ts";

export const ENGINE_PORT = "engine";

export interface Pair {
  readonly source: string;
  readonly target: string;
}

export type ToEngine =
  | { readonly type: "block"; readonly id: number; readonly pair: Pair; readonly block: Block; readonly priority: Priority }
  | { readonly type: "text"; readonly id: number; readonly pair: Pair; readonly text: string }
  | { readonly type: "prioritize"; readonly id: number; readonly priority: Priority }
  | { readonly type: "cancel"; readonly id: number }
  /** Keeps a background page awake that a browser would put to sleep. */
  | { readonly type: "ping" };

export type FromEngine =
  | { readonly type: "block"; readonly id: number; readonly translated: TranslatedBlock }
  | { readonly type: "text"; readonly id: number; readonly response: TranslationResponse }
  | { readonly type: "failed"; readonly id: number; readonly error: WireError };

export type ToBackground =
  /** Answered by `true` when the engine host listens. */
  | { readonly type: "wake" }
  /** Answered by how many frames took it up. */
  | ({ readonly type: "translate-tab"; readonly tab: number | null } & Pair)
  /** Answered by a `Found`. */
  | { readonly type: "detect"; readonly text: string }
  /** The permission for all sites was given or taken, or the offers were switched. */
  | { readonly type: "settings-changed" };

/** What a frame says of itself when it is asked. */
export interface FrameState {
  readonly phase: "translating" | "translated" | "paused" | "restoring" | "restored" | "off";
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly error: string | null;
  readonly pair: Pair | null;
}

/** What is looked at of a page to tell its language. */
export interface Sample {
  readonly text: string;
  /** Its `lang`; may be empty. */
  readonly declared: string;
  /** What the reader has selected. */
  readonly selected: string;
}

export interface Detection {
  /** BCP 47, or null where nobody can tell. */
  readonly language: string | null;
  /** 0 to 1. */
  readonly confidence: number;
}
