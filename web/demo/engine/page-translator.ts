/** What the page needs of a translator, whoever computes. */

import type { Translator } from "../../src/api/translator.ts";
import type { DocumentTranslator } from "../documents/queue.ts";

/** Without streams a long text comes in one piece. */
export type PageTranslator = Pick<Translator, "translateDetailed" | "destroy"> & DocumentTranslator &
  Partial<Pick<Translator, "translateStreamingDetailed">>;
