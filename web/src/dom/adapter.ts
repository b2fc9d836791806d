/** The public `Translator` as a translator of blocks. */

import type { Submission } from "../rpc.ts";
import type { Translator } from "../translator.ts";
import { translateParts } from "./parts.ts";
import type { Block, BlockHandle, BlockTranslator, Priority } from "./contract.ts";

export function blockTranslator(translator: Pick<Translator, "submit">): BlockTranslator {
  return {
    submit(block: Block, priority: Priority): BlockHandle {
      const submissions: Submission[] = [];
      const translate = async (text: string): Promise<string> => {
        const submission = translator.submit(text, { alignment: "none", priority });
        submissions.push(submission);
        return (await submission.result).text;
      };
      return {
        result: translateParts(block, translate),
        prioritize(next) {
          for (const submission of submissions) submission.prioritize(next);
        },
        cancel() {
          for (const submission of submissions) submission.cancel();
        },
      };
    },
  };
}
