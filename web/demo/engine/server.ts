/**
 * The engine of the server that the page is from, in place of the browser's: the window of `dragoman app` opens the
 * page as `./?engine=server`.
 */

import type { TranslateDetailedOptions } from "../../src/api/options.ts";
import type { Offer } from "../../src/api/offers.ts";
import { DragomanError, fromWire } from "../../src/wire/errors.ts";
import type { TranslationResponse, WireError } from "../../src/wire/protocol.ts";
import { askedColumns, type ShownDocument } from "../documents/queue.ts";
import type { CreateTranslator, FindKnown } from "./page-translator.ts";

type Choices = Pick<TranslateDetailedOptions, "alternatives" | "prefix">;

export function isOfServer(search: string): boolean {
  return new URLSearchParams(search).get("engine") === "server";
}

/**
 * What the server's machine has.
 *
 * @throws DragomanError "network", or what the server answers.
 */
export async function serverOffers(): Promise<readonly Offer[]> {
  const { models } = (await (await asked("v1/models")).json()) as { readonly models: readonly Omit<Offer, "bundle" | "isKept" | "download">[] };
  return models.map(({ name, version, source, target, bytes }) =>
    ({ bundle: name, name, version, source, target, bytes, isKept: true, download: 0 }));
}

/** Loads the pair's model in the server; the answer to an empty text says that it is there. Documents know of no memory and no glossary. */
export const serverCreator = (find: FindKnown): CreateTranslator => async ({ sourceLanguage, targetLanguage }, signal) => {
  const pair = { source: sourceLanguage, target: targetLanguage };
  const { memory, glossary } = await find({ sourceLanguage, targetLanguage });
  const known = { ...(memory.length > 0 && { memory }), ...(glossary.length > 0 && { glossary }) };
  const translate = async (text: string, own?: AbortSignal, choices: Choices = {}): Promise<TranslationResponse> => {
    const { alternatives, prefix } = choices;
    const body = JSON.stringify({ ...pair, ...known, text, alignment: "hard", ranges: "utf16", alternatives, prefix });
    const headers = { "Content-Type": "application/json" };
    return (await asked("v1/translate", { method: "POST", body, headers, ...(own && { signal: own }) })).json() as Promise<TranslationResponse>;
  };
  await translate("", signal);
  return {
    translateDetailed: (text, options) => translate(text, options?.signal, options),
    translateDocument: async (content, options): Promise<ShownDocument> => {
      const { signal: own, columns = [], name } = options ?? {};
      const called = name ?? (content instanceof File ? content.name : "");
      const query = new URLSearchParams({ ...pair, name: called, columns: inOneLine(columns, namesOf.get(content)) });
      try {
        return await documentOf(await asked(`v1/documents?${query}`, { method: "POST", body: content, ...(own && { signal: own }) }));
      } catch (error) {
        const names = askedColumns(error);
        if (names?.length) namesOf.set(content, names);
        throw error;
      }
    },
    destroy: () => undefined,
  };
};

/** What the columns of a table are called, once the server has asked which are meant. */
const namesOf = new WeakMap<Blob, readonly string[]>();

/** The server parts them at commas: a column with one in its name goes by its number. */
function inOneLine(columns: readonly string[], names: readonly string[] = []): string {
  return columns.map((column) => {
    const number = String(names.indexOf(column) + 1);
    // "0": it is not known; and a name goes before a number.
    return !column.includes(",") || number === "0" || names.includes(number) ? column : number;
  }).join(",");
}

async function documentOf(answer: Response): Promise<ShownDocument> {
  const { headers } = answer;
  const name = /filename\*=UTF-8''([^;]+)/.exec(headers.get("Content-Disposition") ?? "")?.[1] ?? "";
  const content = await answer.blob();
  return {
    file: new File([content], decodeURIComponent(name), { type: content.type }),
    kind: headers.get("Dragoman-Kind") ?? "",
    sentences: Number(headers.get("Dragoman-Sentences")),
    doubtful: Number(headers.get("Dragoman-Doubtful")),
  };
}

async function asked(path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException) throw error; // It was taken back.
    throw new DragomanError("network", "the server of this window does not answer");
  }
  if (answer.ok) return answer;
  const { error } = (await answer.json()) as { readonly error: WireError };
  throw fromWire(error);
}
