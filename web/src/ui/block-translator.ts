/** The public `Translator` as a translator of blocks. */

import { termsFor } from "../glossary/terms.ts";
import type { Term } from "../wire/protocol.ts";
import { DragomanError } from "../wire/errors.ts";
import type { Submission, TranslateDetailedOptions } from "../api/options.ts";
import type { Block, BlockHandle, BlockTranslator, Priority } from "../dom/units/blocks.ts";

/** The part of a `Translator` that is used. */
export interface TextEngine {
  submit(
    text: string,
    options: Pick<TranslateDetailedOptions, "alignment" | "priority" | "elements" | "alternatives" | "prefix" | "glossary">,
  ): Submission;
}

/** With a person's terms: to each text go those that it may have. */
export function withTerms(engine: TextEngine, terms: readonly Term[]): TextEngine {
  if (terms.length === 0) return engine;
  return {
    submit(text, options) {
      const glossary = termsFor(text, terms);
      return engine.submit(text, glossary.length > 0 ? { ...options, glossary } : options);
    },
  };
}

export function blockTranslator(translator: TextEngine): BlockTranslator {
  return {
    submit({ text, elements }: Block, priority: Priority): BlockHandle {
      const { result, prioritize, cancel } = translator.submit(text, { alignment: "none", priority, elements });
      return {
        result: result.then((response) => {
          const content = elements.length === 0 ? [[0, response.text.length] as const] : response.content;
          if (!content) throw new DragomanError("error", "the translation does not say where the elements are");
          const doubts = response.sentences.filter(({ doubtful }) => doubtful).map(({ score }) => score);
          return { text: response.text, content, ...(doubts.length > 0 && { doubt: Math.min(...doubts) }) };
        }),
        prioritize,
        cancel,
      };
    },
  };
}
