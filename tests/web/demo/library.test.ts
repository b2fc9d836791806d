// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";
import { Library } from "../../../web/demo/library.ts";
import type { Environment } from "../../../web/src/api/environment.ts";
import type { Offer } from "../../../web/src/api/offers.ts";
import type { PublishedModel } from "../../../web/src/published/catalogue.ts";

const flush = () => new Promise((resolve) => { setTimeout(resolve, 0); });
let kept: Set<string>;
let begun: Set<string>;
let dialog: HTMLDialogElement;
let library: Library;

function one(selector: string): HTMLElement {
  const found = dialog.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`there is no ${selector}`);
  return found;
}

/** As a keyboard does it. */
async function press(selector: string): Promise<void> {
  one(selector).focus();
  one(selector).click();
  await flush();
}

function offer(source: string): Offer {
  const published = { source, target: "en", publisher: "Testers", licence: "MPL-2.0", home: "", score: null } as unknown as PublishedModel;
  return { bundle: source, source, target: "en", bytes: 1, download: 1, isKept: kept.has(source), published } as unknown as Offer;
}

beforeEach(async () => {
  kept = new Set(["fr", "es"]);
  begun = new Set(["it"]);
  document.body.innerHTML = `<dialog><button class="close"></button><p class="total"></p><p class="problem"></p><ul class="kept"></ul>
    <input class="filter"><ul class="offered"></ul><p class="none"></p><div class="drop"><button class="choose"></button>
    <input type="file" class="files"></div></dialog>`;
  dialog = document.querySelector("dialog") ?? document.createElement("dialog");
  dialog.showModal = () => { dialog.setAttribute("open", ""); };
  const published = {
    remove: ({ source }: PublishedModel) => {
      kept.delete(source);
      begun.delete(source);
      return Promise.resolve();
    },
    missing: ([model]: readonly PublishedModel[]) =>
      Promise.resolve({ files: [], download: 3, begun: model && begun.has(model.source) ? 2 : 0, room: 0 }),
  };
  library = new Library(dialog, { published } as unknown as Environment, () => Promise.resolve(["fr", "es", "it", "pl"].map(offer)));
  await library.open();
  await flush();
});

it("goes on with the next model that can be deleted, then with the button that closes", async () => {
  await press("[aria-label='Delete French to English']");
  expect(document.activeElement).toBe(one("[aria-label='Delete Spanish to English']"));
  await press("[aria-label='Delete Spanish to English']");
  expect(document.activeElement).toBe(one(".close"));
});

it("offers the model next of which what had come was discarded", async () => {
  await press("[aria-label='Delete what has come of Italian to English']");
  expect(document.activeElement).toBe(one("[aria-label='Fetch: Italian to English']"));
});

it("stays with a row that has moved", async () => {
  one("[aria-label='Delete Spanish to English']").focus();
  kept.add("pl"); // It comes before Spanish.
  await library.take([]);
  expect(document.activeElement).toBe(one("[aria-label='Delete Spanish to English']"));
});

it("finds a language in a browser whose own language has other capitals", () => {
  // As Turkish has them.
  const lower = vi.spyOn(String.prototype, "toLocaleLowerCase").mockImplementation(function (this: string) {
    return this.replaceAll("I", "ı").toLowerCase();
  });
  const filter = one(".filter") as HTMLInputElement;
  filter.value = "it";
  filter.dispatchEvent(new Event("input"));
  const shown = [...dialog.querySelectorAll(".offered li:not([hidden]) .name")].map(({ textContent }) => textContent);
  lower.mockRestore();
  expect(shown).toEqual(["Italian to English"]);
});

it("offers to find a language only where there are some", async () => {
  expect(one(".filter").hidden).toBe(false);
  for (const source of ["it", "pl"]) kept.add(source);
  await library.take([]);
  expect(one(".filter").hidden).toBe(true);
});
