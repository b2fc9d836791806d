/** What the page needs of a translator, whoever computes. */

import type { LanguagePair } from "../../src/api/models.ts";
import type { LoadingEvent } from "../../src/api/monitor.ts";
import type { Translator } from "../../src/api/translator.ts";
import type { MemoryEntry } from "../../src/wire/protocol.ts";
import type { DocumentTranslator } from "../documents/queue.ts";

/** Without streams a long text comes in one piece. */
export type PageTranslator = Pick<Translator, "translateDetailed" | "destroy"> & DocumentTranslator &
  Partial<Pick<Translator, "translateStreamingDetailed">>;

/** Makes one, and tells of its loading. */
export type CreateTranslator = (pair: LanguagePair, signal: AbortSignal, onloading: (event: LoadingEvent) => void) => Promise<PageTranslator>;

/** Of a translation memory: what is on for a direction. */
export type Remembered = (pair: LanguagePair) => Promise<readonly MemoryEntry[]>;
