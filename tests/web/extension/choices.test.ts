import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { combine, selectedText, textOf } from "../../../extension/src/page-language.ts";
import type { FrameState } from "../../../extension/src/messages.ts";
import type { Detection } from "../../../web/src/detection/detector.ts";
import { withItem } from "../../../extension/src/settings.ts";
import { merged } from "../../../extension/src/tabs.ts";

const detected = (isSure: boolean, ...likely: [string, number][]): Detection => ({
  language: isSure ? (likely[0]?.[0] ?? null) : null,
  confidence: likely[0]?.[1] ?? 0,
  candidates: likely.map(([language, confidence]) => ({ language, confidence })),
});

describe("the language of a page", () => {
  it.each([
    [detected(true, ["de", 0.95]), "en", "de", 0.95],
    [detected(true, ["zh-Hans", 0.9], ["ja", 0.1]), "", "zh", 0.9],
    [detected(true, ["zh-Hant", 0.9], ["ja", 0.1]), "zh-TW", "zh-Hant", 0.9],
    [detected(false, ["de", 0.7]), "de-AT", "de", 0.8],
    [detected(false, ["de", 0.7]), "fr", "fr", 0.5],
    [detected(false, ["de", 0.7]), "", null, 0.4],
    [detected(false, ["und", 1]), "", null, 0],
    [null, "de_DE", "de", 0.5],
    [null, "none at all", null, 0],
    [null, "", null, 0],
  ])("%j of a page that says %j: %s, %d", (found, declared, language, confidence) => {
    expect(combine(found, declared, 300)).toEqual({ language, confidence });
  });

  it.each([
    ["en", null, 0.5],
    ["ja", "ja", 0.95],
    ["ja-JP", "ja", 0.95],
    ["", "ja", 0.95],
  ])("of little text is not sure where the page says another: %s", (declared, language, confidence) => {
    expect(combine(detected(true, ["ja", 0.95]), declared, 299)).toEqual({ language, confidence });
  });

  it("is looked for in what people read", () => {
    const { document } = new JSDOM(
      `<script>var langer = "Text im Skript";</script><a>Start</a><p>Das  ist ein\n langer Satz.</p><code>let x = 1000000;</code>`,
    ).window;
    expect(textOf(document)).toBe("Das ist ein langer Satz.");
  });
});

describe("what is selected", () => {
  const page = (html: string): { document: Document; field: HTMLInputElement } => {
    const { document } = new JSDOM(html).window;
    const field = document.querySelector("input");
    if (!field) throw new Error("there is no field");
    return { document, field };
  };

  it("in a text field is the part there: Firefox's selection knows nothing of it", () => {
    const { document, field } = page(`<p>Text of the page</p><input value="Guten Morgen">`);
    field.focus();
    field.setSelectionRange(6, 12);
    expect(selectedText(document)).toBe("Morgen");
  });

  it("elsewhere is the page's own, and of a password nothing", () => {
    const { document, field } = page(`<p> Text of the page </p><input type="password" value="geheim">`);
    document.getSelection()?.selectAllChildren(document.querySelector("p") as Element);
    expect(selectedText(document)).toBe("Text of the page");
    field.focus();
    field.setSelectionRange(0, 6);
    expect(selectedText(document)).toBe("");
  });
});

describe("the code of a language", () => {
  it.each([["nb", "no"], ["no", "nb"], ["he", "iw"]])("of a page, %s, may be an older one in the detector, %s", (declared, found) => {
    expect(combine(detected(true, [found, 0.95]), declared, 100)).toEqual({ language: found, confidence: 0.95 });
    expect(combine(detected(false, [found, 0.7]), declared, 100)).toEqual({ language: found, confidence: 0.8 });
  });
});

describe("the strings", () => {
  type Messages = Readonly<Record<string, { readonly message: string; readonly placeholders?: object }>>;
  const read = (code: string): Messages =>
    JSON.parse(readFileSync(new URL(`../../../extension/_locales/${code}/messages.json`, import.meta.url), "utf8")) as Messages;

  it("are the same in both languages, with the same places to fill", () => {
    const shape = (messages: Messages): unknown =>
      Object.entries(messages).map(([name, { message, placeholders = {} }]) => [
        name, Object.keys(placeholders), [...message.matchAll(/\$\w+\$?/g)].map(([place]) => place.toLowerCase()).sort(),
      ]);
    expect(shape(read("de"))).toEqual(shape(read("en")));
  });

  it("say which language they are in", () => {
    for (const code of ["de", "en"]) expect(read(code)["language"]?.message).toBe(code);
  });
});

describe("lists", () => {
  it("hold each item once, in order", () => {
    expect(withItem(["b"], "a", true)).toEqual(["a", "b"]);
    expect(withItem(["a", "b"], "a", true)).toEqual(["a", "b"]);
    expect(withItem(["a", "b"], "a", false)).toEqual(["b"]);
  });
});

describe("the frames of a tab", () => {
  const state = (phase: FrameState["phase"], total: number, done: number): FrameState => ({
    phase, total, done, failed: 0, error: null, pair: null, foreign: [], closed: 0, engine: null,
  });
  it("are one page to the reader", () => {
    expect(merged([state("translated", 5, 5), state("translating", 3, 1), state("off", 0, 0)])).toMatchObject({
      phase: "translating", total: 8, done: 6,
    });
    expect(merged([state("translated", 5, 5), state("translated", 3, 3)])).toMatchObject({ phase: "translated", done: 8 });
    expect(merged([])).toMatchObject({ phase: "off", total: 0 });
  });
});
