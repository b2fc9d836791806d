import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { serverCreator } from "../../../../web/demo/engine/server.ts";
import type { PageTranslator } from "../../../../web/demo/engine/page-translator.ts";

const PAIR = { sourceLanguage: "de", targetLanguage: "en" };
let asked: string[];

beforeEach(() => {
  asked = [];
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Of a server that asks about the columns of a table with these names. */
async function translatorOf(names: readonly string[]): Promise<PageTranslator> {
  vi.stubGlobal("fetch", (url: string) => {
    if (!url.startsWith("v1/documents")) return Promise.resolve(Response.json({}));
    const columns = new URLSearchParams(url.split("?")[1]).get("columns") ?? "";
    asked.push(columns);
    if (columns) return Promise.resolve(new Response("", { headers: { "Content-Disposition": "filename*=UTF-8''a.en.csv" } }));
    const error = { code: "document", message: "", details: { reason: "columns", columns: JSON.stringify(names) } };
    return Promise.resolve(Response.json({ error }, { status: 422 }));
  });
  return serverCreator(() => Promise.resolve({ memory: [], glossary: [] }))(PAIR, new AbortController().signal, () => undefined);
}

it("names a column with a comma by its number, for the server parts names there", async () => {
  const translator = await translatorOf(["id", "Name, Vorname", "Titel"]);
  const file = new File(["..."], "a.csv");
  await expect(translator.translateDocument(file)).rejects.toMatchObject({ code: "document" });
  await translator.translateDocument(file, { columns: ["Name, Vorname", "Titel"] });
  expect(asked).toEqual(["", "2,Titel"]);
});

it("leaves a name with a comma where another column is called as its number", async () => {
  const translator = await translatorOf(["2", "Name, Vorname"]);
  const file = new File(["..."], "a.csv");
  await expect(translator.translateDocument(file)).rejects.toMatchObject({ code: "document" });
  await translator.translateDocument(file, { columns: ["Name, Vorname"] });
  expect(asked).toEqual(["", "Name, Vorname"]);
});
