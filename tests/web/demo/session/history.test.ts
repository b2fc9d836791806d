import { describe, expect, it } from "vitest";
import { History, MOST_ENTRIES } from "../../../../web/demo/session/history.ts";

function memory(room = Infinity) {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > room) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
    removeItem: (key: string) => void kept.delete(key),
  };
}

const entry = (text: string, target = "en") => ({ source: "de", target, text, translation: text.toUpperCase() });
const texts = (history: History): string[] => history.entries.map(({ text }) => text);

describe("History", () => {
  it("keeps the newest first, and what is typed on as one", () => {
    const history = new History(memory());
    for (const text of ["Gu", "Guten", "Guten Morgen", "Hallo", "Guten Morgen"]) history.add(entry(text));
    expect(texts(history)).toEqual(["Guten Morgen", "Hallo"]);
    history.add(entry("Guten", "fr"));
    expect(texts(history)).toEqual(["Guten", "Guten Morgen", "Hallo"]);
    history.remove(entry("Hallo"));
    expect(texts(history)).toEqual(["Guten", "Guten Morgen"]);
  });

  it("keeps a long text when another one begins with its first letters", () => {
    const history = new History(memory());
    for (const text of ["Die Sonne scheint.", "Die Sonne schein", "Die", "Die Katze"]) history.add(entry(text));
    expect(texts(history)).toEqual(["Die Katze", "Die Sonne schein"]);
  });

  it("keeps nothing while it is off, and what was kept goes", () => {
    const store = memory();
    const history = new History(store);
    history.add(entry("Hallo"));
    history.keep(false);
    history.add(entry("Guten Morgen"));
    expect([history.isKept, texts(history)]).toEqual([false, []]);
    expect([...store.kept.values()].join()).not.toContain("Hallo");
    history.keep(true);
    history.add(entry("Guten Morgen"));
    expect(texts(history)).toEqual(["Guten Morgen"]);
  });

  it("is bounded, passes over long texts, and makes room", () => {
    const history = new History(memory());
    for (let at = 0; at < MOST_ENTRIES + 5; at++) history.add(entry(`${at}.`));
    history.add(entry("x".repeat(5_001)));
    expect(texts(history)).toHaveLength(MOST_ENTRIES);
    expect(texts(history)[0]).toBe(`${MOST_ENTRIES + 4}.`);
    const small = new History(memory(200));
    for (const text of ["eins", "zwei", "drei", "vier"]) small.add(entry(text));
    expect(texts(small)[0]).toBe("vier");
    expect(texts(small).length).toBeLessThan(4);
  });

  it("reads what somebody else wrote as nothing", () => {
    const store = memory();
    store.kept.set("dragoman-history", "{");
    expect(new History(store).entries).toEqual([]);
    store.kept.set("dragoman-history", '[1, {"text": 3}, null]');
    expect(new History(store).entries).toEqual([]);
  });
});
