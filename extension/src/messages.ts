/**
 * What the parts of the extension say to each other. Types only.
 *
 *     page's frame (content.ts) ---- port "engine" ----> engine host   offscreen document (Chrome),
 *     popup, options ------------- port "models" ----->                background page (Firefox)
 *                  `---- "wake", "translate-tab", "fetch-wanted" ----> background
 *
 * An AbortSignal does not cross a port: the client says "cancel", and a port that closes cancels all
 * that came over it.
 */

import type { Block, Priority, TranslatedBlock } from "../../web/src/dom/units/blocks.ts";
import type { Offer } from "../../web/src/api/offers.ts";
import type { DownloadState } from "../../web/src/ui/download.ts";
import type { TranslationResponse, WireError } from "../../web/src/wire/protocol.ts";
import type { Rule } from "./settings.ts";

export const ENGINE_PORT = "engine";
export const MODELS_PORT = "models";
/** Chrome: from the service worker to the offscreen document, what it says to the engine of this computer. */
export const NATIVE_PORT = "native";

/** In workers of the browser; or in a process of this computer, which the user has installed and switched on. */
export type EngineName = "browser" | "computer";

export interface Pair {
  readonly source: string;
  readonly target: string;
}

/** What else is asked for of a text: as `TranslateDetailedOptions` has them. */
export interface TextOptions {
  readonly alternatives?: number;
  readonly prefix?: string;
}

export type ToEngine =
  | { readonly type: "block"; readonly id: number; readonly pair: Pair; readonly block: Block; readonly priority: Priority }
  | { readonly type: "text"; readonly id: number; readonly pair: Pair; readonly text: string; readonly options?: TextOptions }
  | { readonly type: "prioritize"; readonly id: number; readonly priority: Priority }
  | { readonly type: "cancel"; readonly id: number }
  /** Keeps a background page awake that a browser would put to sleep. */
  | { readonly type: "ping" };

export type FromEngine =
  | { readonly type: "block"; readonly id: number; readonly translated: TranslatedBlock; readonly engine: EngineName }
  | { readonly type: "text"; readonly id: number; readonly response: TranslationResponse; readonly engine: EngineName }
  | { readonly type: "failed"; readonly id: number; readonly error: WireError };

/** Of a route: one model, or two over another language. */
export type ToModels =
  /** Answered by "offers". */
  | { readonly type: "list" }
  /** Answered by "download"s: what there is to fetch. Fetches nothing. */
  | ({ readonly type: "offer" } & Pair)
  | ({ readonly type: "fetch" } & Pair)
  | ({ readonly type: "pause" } & Pair)
  /** Pause, and delete what has come. */
  | ({ readonly type: "discard" } & Pair)
  /** Delete the one model of a direction. */
  | ({ readonly type: "remove" } & Pair)
  /** A page has brought models by itself. */
  | { readonly type: "changed" };

export type FromModels =
  | { readonly type: "offers"; readonly offers: readonly Offer[] }
  /** To all who listen, at each change. */
  | ({ readonly type: "download"; readonly state: SaidState } & Pair)
  /** The offers are others now. */
  | { readonly type: "changed" }
  /** What was asked could not be done. */
  | { readonly type: "failed"; readonly error: WireError };

/** A state of a download as it crosses a port. */
export type SaidState =
  | Exclude<DownloadState, { name: "failed" }>
  | { readonly name: "failed"; readonly error: WireError; readonly loaded: number; readonly total: number };

/** The page of a tab, which may show another one by now. */
export interface InTab {
  readonly tab: number;
  /**
   * When the page began, by its own clock (`performance.timeOrigin`), by which the pages of a tab differ; null: nobody
   * knows, whichever is there. Firefox has the browsers' own name of a page, `documentId`, from 153 on only.
   */
  readonly began: number | null;
}

/** What a click wants that needs a permission first. */
export type Wish =
  | { readonly name: "offer" }
  /** An "always", and the page that is translated with it. */
  | { readonly name: "rule"; readonly rule: Rule; readonly item: string; readonly page: (Pair & InTab) | null }
  | { readonly name: "stay"; readonly tab: number };

export type ToBackground =
  /** Answered by `true` when the engine host listens. */
  | { readonly type: "wake" }
  /** The sender's tab, where none is named. Answered by whether the page was there yet. */
  | ({ readonly type: "translate-tab"; readonly tab: number | null; readonly began: number | null } & Pair)
  /** All frames of the sender's tab as they were. */
  | { readonly type: "restore-tab" }
  /** A page came that the user has allowed us to look at; answered by a `Welcome`. */
  | { readonly type: "arrived"; readonly sample: Sample }
  /** The language of what was typed; answered by the detector's result. */
  | { readonly type: "detect-text"; readonly text: string }
  /** What is selected in the sender's frame is to be translated. */
  | { readonly type: "translate-selection" }
  /** A frame's page is in another state. */
  | { readonly type: "page-state"; readonly state: FrameState }
  /** Whether a tab is to stay translated while links are followed in it; answered by it. Null: asked only. */
  | { readonly type: "stay"; readonly tab: number; readonly on: boolean | null }
  /**
   * A route is to be fetched once the publisher's permission is given, whether or not the page that asks for it is
   * still there then; null: it was refused.
   */
  | { readonly type: "fetch-wanted"; readonly pair: Pair | null }
  /** The same of what else needs a permission, which is for some origins. */
  | { readonly type: "wish"; readonly wish: Wish | null; readonly origins: readonly string[] }
  /** Chrome's offscreen document wants a port to the engine of this computer; answered by whether it gets one. */
  | { readonly type: "open-native" }
  /** A permission was given or taken, or the settings were changed. */
  | { readonly type: "settings-changed" };

/** What a page that came is told. */
export interface Welcome {
  /** It is offered to be translated; `missing` bytes are to be fetched first. */
  readonly offer: (Pair & { readonly missing: number }) | null;
  /** It is to be translated at once. */
  readonly translate: Pair | null;
  readonly selectionButton: boolean;
  /** Its window is private: nothing of it is kept, so no rule is offered. */
  readonly isPrivate: boolean;
}

/** What a frame says of itself when it is asked. */
export interface FrameState {
  readonly phase: "translating" | "translated" | "paused" | "restoring" | "restored" | "off";
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** In words for the reader. */
  readonly error: string | null;
  readonly pair: Pair | null;
  /** Origins of frames in sight that only a permission opens. */
  readonly foreign: readonly string[];
  /** Parts of the page that the page itself has closed. */
  readonly closed: number;
  /** What has translated the latest part; null: nothing yet. */
  readonly engine: EngineName | null;
}

/** What is looked at of a page to tell its language. */
export interface Sample {
  readonly text: string;
  /** Its `lang`; may be empty. */
  readonly declared: string;
  /** What the reader has selected. */
  readonly selected: string;
  readonly isPdf: boolean;
  /** It says that it is not to be translated. */
  readonly declines: boolean;
  /** See `InTab`. */
  readonly began: number | null;
}

export interface Detection {
  /** BCP 47, or null where nobody can tell. */
  readonly language: string | null;
  /** 0 to 1. */
  readonly confidence: number;
}
