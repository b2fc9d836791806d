/** The public `Translator` as a translator of blocks. */

import { DragomanError } from "../wire/errors.ts";
import type { Submission, TranslateDetailedOptions } from "../api/options.ts";
import type { Block, BlockHandle, BlockTranslator, Priority } from "../dom/units/blocks.ts";

/** The part of a `Translator` that is used. */
export interface TextEngine {
  submit(
    text: string,
    options: Pick<TranslateDetailedOptions, "alignment" | "priority" | "elements" | "alternatives" | "prefix">,
  ): Submission;
}

export function blockTranslator(translator: TextEngine): BlockTranslator {
  return {
    submit({ text, elements }: Block, priority: Priority): BlockHandle {
      const { result, prioritize, cancel } = translator.submit(text, { alignment: "none", priority, elements });
      return {
        result: result.then((response) => {
          const content = elements.length === 0 ? [[0, response.text.length] as const] : response.content;
          if (!content) throw new DragomanError("error", "the translation does not say where the elements are");
          return { text: response.text, content };
        }),
        prioritize,
        cancel,
      };
    },
  };
}
