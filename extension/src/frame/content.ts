/**
 * In every frame of a tab that the user has asked something of: the page library, and the small boxes
 * for a selection and for typing. It does nothing by itself; see `ContentApi`.
 */

import { OriginalOnHover } from "../../../web/src/ui/hover.ts";
import { PageTranslation } from "../../../web/src/dom/page.ts";
import { api, message } from "../api.ts";
import { sampleOf } from "../page-language.ts";
import { sayOnPage } from "./notice.ts";
import { HostClient } from "./host-client.ts";
import { connectToEngine } from "./engine-port.ts";
import type { FrameState, Pair, Sample } from "../messages.ts";
import { SelectionBox } from "./selection-box.ts";
import type { ContentApi } from "../tabs.ts";
import { TypingBox } from "./typing-box.ts";

const OFF: FrameState = { phase: "off", total: 0, done: 0, failed: 0, error: null, pair: null };

class Content implements ContentApi {
  readonly #engine = new HostClient(connectToEngine);
  #page: PageTranslation | undefined;
  #hover: OriginalOnHover | undefined;
  #pair: Pair | undefined;
  #selection: SelectionBox | undefined;
  #typing: TypingBox | undefined;

  start(pair: Pair, { hover }: { hover: boolean }): void {
    if (this.#page) {
      if (this.#pair?.source === pair.source && this.#pair.target === pair.target) return;
      void this.restore().then(() => { this.start(pair, { hover }); });
      return;
    }
    this.#pair = pair;
    // Each frame has a content script of its own.
    const page = new PageTranslation(document, this.#engine.forPair(pair), {
      sourceLanguage: pair.source,
      targetLanguage: pair.target,
      frames: false,
    });
    this.#page = page;
    if (hover) {
      this.#hover = new OriginalOnHover(page, document, { label: message("original"), sourceLanguage: pair.source });
    }
    page.start();
  }

  async restore(): Promise<void> {
    const page = this.#page;
    this.#page = undefined;
    this.#hover?.stop();
    await page?.restore();
    this.#engine.close();
  }

  state(): FrameState {
    if (!this.#page) return OFF;
    const { phase, total, done, failed, error } = this.#page.progress;
    return { phase, total, done, failed, error: error instanceof Error ? error.message : null, pair: this.#pair ?? null };
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
    this.#typing = TypingBox.open(document, this.#engine, pair);
  }
}

// Injected again by each click; the first one stays.
const scope = globalThis as { dragomanContent?: ContentApi };
if (api.runtime.id) scope.dragomanContent ??= new Content();
