// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";
import type { Term } from "../../../../web/src/wire/protocol.ts";
import { GlossaryPanel } from "../../../../web/src/ui/glossary/glossary-panel.ts";
import type { GlossaryStore, KeptTerm } from "../../../../web/src/stores/glossary-store.ts";

const PLACE = { source: "de", target: "en", site: "" };
let kept: KeptTerm[];
let asked: unknown[];
let box: HTMLElement;
let panel: GlossaryPanel;
let place: typeof PLACE | undefined;
const onchange = vi.fn();

const flush = () => new Promise((resolve) => { setTimeout(resolve, 0); });
/** As if it were a field, whatever it is: only what elements have in common is used of others. */
function one(selector: string): HTMLInputElement {
  const found = box.querySelector<HTMLInputElement>(selector);
  if (!found) throw new Error(`there is no ${selector}`);
  return found;
}
const rows = () => [...box.querySelectorAll(".terms li > span .name")].map(({ textContent }) => textContent);

beforeEach(async () => {
  kept = [{ id: 1, ...PLACE, term: { source: "Zug", target: "train" } }, { id: 2, ...PLACE, term: { source: "Habicht" } },
    { id: 3, ...PLACE, site: "example.org", term: { source: "Rechner" } }];
  asked = [];
  place = PLACE;
  onchange.mockClear();
  box = document.createElement("div");
  document.body.replaceChildren(box);
  const store = {
    list: () => Promise.resolve(kept),
    add: (_: unknown, site: string, terms: readonly Term[], edited?: number) => {
      asked.push({ site, terms, edited });
      return terms.some(({ source }) => source === "bad") ? Promise.reject(new Error("no")) : Promise.resolve();
    },
    remove: (id: number) => {
      asked.push({ id });
      kept = kept.filter((term) => term.id !== id);
      return Promise.resolve();
    },
  } as unknown as GlossaryStore;
  panel = new GlossaryPanel(box, store, {
    say: (text) => text, field: (side, language) => `${side} ${language}`, taken: (count) => `${count} taken`, more: (count) => `${count} more`,
    editOf: (term) => `edit ${term}`, removeOf: (term) => `remove ${term}`, problem: String,
  }, () => place, onchange);
  await panel.show();
});

async function submit(source: string, target: string): Promise<void> {
  one(".field input").value = source;
  one(".field:nth-of-type(2) input").value = target;
  one("form").dispatchEvent(new Event("submit", { cancelable: true }));
  await flush();
}

it("has no fields before there are languages", async () => {
  place = undefined;
  await panel.show();
  expect([one("form").hidden, one(".find").hidden, one(".export").hidden]).toEqual([true, true, true]);
  place = PLACE;
  await panel.show();
  expect([one("form").hidden, one(".export").hidden, one(".field").textContent]).toEqual([false, false, "source de"]);
});

it("lists what there is in one place, in order, and says what stays as it is", () => {
  expect(rows()).toEqual(["Habicht", "Zug → train"]);
  expect(one(".terms .facts").textContent).toBe("left");
  expect(one(".find").hidden).toBe(true);
});

it("adds a term, and clears the fields for the next one", async () => {
  await submit("Rechner", "workstation");
  expect(asked).toEqual([{ site: "", terms: [{ source: "Rechner", target: "workstation" }], edited: undefined }]);
  expect(one(".fine").textContent).toBe("Rechner → workstation: added");
  expect(one(".field input").value).toBe("");
  expect(document.activeElement).toBe(one(".field input"));
  expect(onchange).toHaveBeenCalledTimes(1);
});

it("keeps what was typed where it cannot be used", async () => {
  await submit("bad", "worse");
  expect(one(".problem").textContent).toBe("Error: no");
  expect(one(".field input").value).toBe("bad");
});

it("leaves a word as it is only where that is said", async () => {
  expect(one(".field:nth-of-type(2) input").required).toBe(true);
  one(".check input").click();
  expect(one(".field:nth-of-type(2) input").disabled).toBe(true);
  await submit("Habicht", "hawk");
  expect(asked).toEqual([{ site: "", terms: [{ source: "Habicht" }], edited: undefined }]);
});

it("edits one in the place of the old, or not", async () => {
  one("[aria-label='edit Habicht']").click();
  expect([one(".field input").value, one(".check input").checked, one(".add").textContent]).toEqual(["Habicht", true, "save"]);
  one(".add + button").click();
  expect([one(".field input").value, one(".check input").checked, one(".add").textContent]).toEqual(["", false, "add"]);
  one("[aria-label='edit Zug']").click();
  await submit("Zug", "railway");
  expect(asked).toEqual([{ site: "", terms: [{ source: "Zug", target: "railway" }], edited: 1 }]);
});

it("removes one", async () => {
  one("[aria-label='remove Zug']").click();
  await flush();
  expect(asked).toEqual([{ id: 1 }]);
  expect(rows()).toEqual(["Habicht"]);
});

it("shows a hundred of many, and finds the others", async () => {
  kept = Array.from({ length: 130 }, (_, at) => ({ id: at, ...PLACE, term: { source: `Wort${String(at).padStart(3, "0")}` } }));
  await panel.show();
  expect(rows()).toHaveLength(100);
  expect(one(".terms .none").textContent).toBe("30 more");
  one(".find").value = "wort12";
  one(".find").dispatchEvent(new Event("input"));
  expect(rows()).toEqual(["Wort120", "Wort121", "Wort122", "Wort123", "Wort124", "Wort125", "Wort126", "Wort127", "Wort128", "Wort129"]);
});
