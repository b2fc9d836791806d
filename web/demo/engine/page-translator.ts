/** What the page needs of a translator, whoever computes. */

import type { LanguagePair } from "../../src/api/models.ts";
import type { LoadingEvent } from "../../src/api/monitor.ts";
import type { Translator } from "../../src/api/translator.ts";
import type { MemoryEntry, Term } from "../../src/wire/protocol.ts";
import type { DocumentTranslator } from "../documents/queue.ts";

/** Without streams a long text comes in one piece. */
export type PageTranslator = Pick<Translator, "translateDetailed" | "destroy"> & DocumentTranslator &
  Partial<Pick<Translator, "translateStreamingDetailed">>;

/** Makes one, and tells of its loading. */
export type CreateTranslator = (pair: LanguagePair, signal: AbortSignal, onloading: (event: LoadingEvent) => void) => Promise<PageTranslator>;

/** What a person has brought for a direction. */
export interface Known {
  readonly memory: readonly MemoryEntry[];
  readonly glossary: readonly Term[];
}

export type FindKnown = (pair: LanguagePair) => Promise<Known>;
