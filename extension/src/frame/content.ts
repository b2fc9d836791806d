/**
 * In every frame of a tab that the user has asked something of: the page library, and the small boxes
 * for a selection and for typing. It does nothing by itself; see `ContentApi`.
 */

import type { Detection as DetectorResult } from "../../../web/src/detection/detector.ts";
import { OriginalOnHover } from "../../../web/src/ui/hover.ts";
import { PageTranslation } from "../../../web/src/dom/page.ts";
import { api, message } from "../api.ts";
import { errorText } from "../errors.ts";
import { sampleOf } from "../page-language.ts";
import { Bar } from "./bar.ts";
import { sayOnPage } from "./notice.ts";
import { HostClient } from "../host-client.ts";
import { connectToEngine } from "../engine-port.ts";
import type { FrameState, Pair, Sample, ToBackground } from "../messages.ts";
import { closedParts, foreignFrames } from "./reach.ts";
import { readSettings } from "../settings.ts";
import { SelectionBox } from "./selection-box.ts";
import { showSelectionButton } from "./selection-button.ts";
import type { ContentApi, StartOptions } from "../tabs.ts";
import { TypingBox } from "./typing-box.ts";

const OFF: FrameState = { phase: "off", total: 0, done: 0, failed: 0, error: null, pair: null, foreign: [], closed: 0, engine: null };

class Content implements ContentApi {
  readonly #engine = new HostClient(connectToEngine);
  #page: PageTranslation | undefined;
  #hover: OriginalOnHover | undefined;
  #bar: Bar | undefined;
  #pair: Pair | undefined;
  /** The phase that the background knows of. */
  #said: FrameState["phase"] = "off";
  /** Looked for once, when the page is ready: it takes a while. */
  #closed: number | undefined;
  #selection: SelectionBox | undefined;
  #typing: TypingBox | undefined;
  /** Until then what was translated is on the page yet, and would be taken for its original. */
  #restoring: Promise<void> | undefined;
  /** What begins after it: the latest that was asked for. */
  #next: (() => void) | undefined;

  constructor() {
    // A page that was put aside and comes back has lost its port and its badge, and is told of neither.
    addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      this.#engine.close();
      this.#said = "off";
      this.#report();
    });
  }

  start(pair: Pair, options: StartOptions, began: number | null): boolean {
    if (self === top && began !== null && began !== performance.timeOrigin) return false;
    if (this.#page && this.#pair?.source === pair.source && this.#pair.target === pair.target) return true;
    if (this.#page) void this.restore();
    if (this.#restoring) this.#next = () => { this.#begin(pair, options); };
    else this.#begin(pair, options);
    return true;
  }

  #begin(pair: Pair, options: StartOptions): void {
    this.#pair = pair;
    this.#closed = undefined;
    // Each frame has a content script of its own.
    const page = new PageTranslation(document, this.#engine.forPair(pair), {
      sourceLanguage: pair.source,
      targetLanguage: pair.target,
      frames: false,
      onprogress: () => { this.#report(); },
    });
    this.#page = page;
    if (options.hover) {
      this.#hover = new OriginalOnHover(page, document, {
        label: message("original"),
        sourceLanguage: pair.source,
        doubtful: (translation) => message("doubtfulHover", translation),
      });
    }
    if (options.bar && self === top) this.#bar = new Bar(document, () => void this.#restoreAll());
    page.start();
    this.#report();
    void offerSelections();
  }

  async restore(): Promise<void> {
    this.#next = undefined;
    const page = this.#page;
    if (page) {
      this.#page = undefined;
      this.#hover?.stop();
      this.#bar?.close();
      this.#bar = undefined;
      this.#report();
      this.#restoring = this.#giveBack(page);
    }
    await this.#restoring;
  }

  async #giveBack(page: PageTranslation): Promise<void> {
    await page.restore();
    this.#restoring = undefined;
    const next = this.#next;
    this.#next = undefined;
    if (next) next();
    else this.#engine.release();
  }

  state(): FrameState {
    return this.#page ? { ...this.#progress(this.#page), foreign: foreignFrames(document) } : OFF;
  }

  sample(): Sample {
    return sampleOf(document);
  }

  say(text: string): void {
    sayOnPage(document, text);
  }

  translateSelection(pair: Pair): void {
    this.#selection?.close();
    this.#selection = SelectionBox.open(document, this.#engine, pair);
  }

  translateTyping(pair: Pair): void {
    this.#typing?.close();
    this.#typing = TypingBox.open(document, this.#engine, pair, detect);
  }

  /** Without what takes a look at the page's layout. */
  #progress(page: PageTranslation): FrameState {
    const { phase, total, done, failed, error } = page.progress;
    const pair = this.#pair ?? null;
    return { phase, total, done, failed, error: error ? errorText(error) : null, pair, foreign: [], closed: this.#closed ?? 0, engine: this.#engine.engine };
  }

  /** To the bar, and to the background when the phase is another one. */
  #report(): void {
    const state = this.#page ? this.#progress(this.#page) : OFF;
    this.#bar?.show(state);
    if (state.phase === this.#said) return;
    this.#said = state.phase;
    if (state.phase === "translated") this.#closed ??= closedParts(document);
    void tell({ type: "page-state", state });
  }

  /** In all frames: the background reaches them. Where it may not any more, this one goes back by itself. */
  async #restoreAll(): Promise<void> {
    if ((await tell({ type: "restore-tab" })) !== true) await this.restore();
  }
}

async function offerSelections(): Promise<void> {
  const { selectionButton } = await readSettings();
  if (selectionButton) showSelectionButton(document, () => void translateSelected());
}

async function translateSelected(): Promise<void> {
  // What a click on the button in the toolbar allows ends when the tab goes elsewhere; this page may have come back since.
  if ((await tell({ type: "translate-selection" })) === false) sayOnPage(document, message("moved"));
}

/** By the background: the table is a file of ours, which a page's frame cannot read. */
async function detect(text: string): Promise<DetectorResult> {
  const found: DetectorResult | false = await api.runtime.sendMessage({ type: "detect-text", text } satisfies ToBackground);
  if (!found) throw new Error("the table of languages cannot be read");
  return found;
}

/** @returns what the background answers; undefined: the extension has been updated or taken away meanwhile, which throws at once. */
async function tell(request: ToBackground): Promise<unknown> {
  try {
    return await api.runtime.sendMessage(request);
  } catch {
    return undefined;
  }
}

// Injected again by each click; the first one stays.
const scope = globalThis as { dragomanContent?: ContentApi };
if (api.runtime.id) scope.dragomanContent ??= new Content();
