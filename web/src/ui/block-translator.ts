/** The public `Translator` as a translator of blocks. */

import { DragomanError } from "../wire/errors.ts";
import type { Translator } from "../api/translator.ts";
import type { Block, BlockHandle, BlockTranslator, Priority } from "../dom/units/blocks.ts";

export function blockTranslator(translator: Pick<Translator, "submit">): BlockTranslator {
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
