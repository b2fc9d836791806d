import { describe, expect, it } from "vitest";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import de from "../../../../web/demo/texts/de.json";
import en from "../../../../web/demo/texts/en.json";

const DEMO = join(import.meta.dirname, "../../../../web/demo");
const PAGE = readFileSync(join(DEMO, "index.html"), "utf8");
const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = { de, en };

describe("the page's texts", () => {
  it("are the same in every language, with the same values put in", () => {
    const values = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort();
    for (const table of Object.values(TABLES)) {
      expect(Object.keys(table).sort()).toEqual(Object.keys(en).sort());
      for (const [key, text] of Object.entries(en)) expect([key, ...values(table[key] ?? "")]).toEqual([key, ...values(text)]);
    }
  });

  it("has every text that the page names", () => {
    const named = [...PAGE.matchAll(/data-text(?:-\w+)?="([\w.-]+)"/g)].map(([, key]) => key ?? "");
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((key) => !(key in en))).toEqual([]);
  });

  it("has no place in a text that is said without values: a person would read its name", () => {
    const sources = readdirSync(DEMO, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
    const said = sources.flatMap((path) => [...readFileSync(join(DEMO, path), "utf8").matchAll(/\bsay\("([\w.-]+)"\)/g)])
      .map(([, key]) => key ?? "");
    expect(said).toContain("documents.first-fetch");
    expect(said.filter((key) => TABLES["en"]?.[key]?.includes("{"))).toEqual([]);
  });
});
