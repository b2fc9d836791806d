// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";
import { DocumentsPanel } from "../../../../web/demo/documents/panel.ts";
import type { ShownDocument } from "../../../../web/demo/documents/queue.ts";
import { DragomanError } from "../../../../web/src/wire/errors.ts";

const flush = () => new Promise((resolve) => { setTimeout(resolve, 0); });
const translateDocument = vi.fn<(...asked: unknown[]) => Promise<ShownDocument>>();
let root: HTMLElement;
let panel: DocumentsPanel;

function one(selector: string): HTMLElement {
  const found = root.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`there is no ${selector}`);
  return found;
}

/** Whether the browser asks before the page goes. */
function asks(): boolean {
  return !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

async function take(sentences: number): Promise<void> {
  translateDocument.mockResolvedValueOnce({ file: new File(["Good morning"], "letter.en.txt"), kind: "text", sentences, doubtful: 0 });
  panel.take([new File(["Guten Morgen"], "letter.txt")]);
  await flush();
}

beforeEach(() => {
  translateDocument.mockReset();
  Object.assign(URL, { createObjectURL: () => "blob:letter", revokeObjectURL: () => undefined });
  root = document.createElement("section");
  root.innerHTML = `<button class="choose"></button><input type="file" class="files"><ul class="jobs"></ul>`;
  root.scrollIntoView = () => undefined;
  document.body.replaceChildren(root);
  panel = new DocumentsPanel(root, {
    place: () => ({ source: "de", target: "en", translator: Promise.resolve({ translateDocument }), release: () => undefined }),
    doubt: () => Promise.resolve({ name: "none" }),
    onswitch: () => undefined,
  });
});

it("asks before a translation is lost that nobody has downloaded", async () => {
  expect(asks()).toBe(false);
  await take(1);
  expect(asks()).toBe(true);
  one(".actions a").addEventListener("click", (event) => { event.preventDefault(); }); // jsdom follows no links.
  one(".actions a").click();
  expect(asks()).toBe(false);
  await take(1);
  expect(asks()).toBe(true);
  one("li:last-child .actions button").click();
  expect(asks()).toBe(false);
});

it("asks nothing of a document without anything to translate", async () => {
  await take(0);
  expect(asks()).toBe(false);
});

it("translates the columns of a table once some are chosen", async () => {
  const columns = JSON.stringify(["Number", "Text"]);
  translateDocument.mockRejectedValueOnce(new DragomanError("invalid-request", "which?", { reason: "columns", columns }));
  panel.take([new File(["Number,Text"], "table.csv")]);
  await flush();
  const go = one("form button") as HTMLButtonElement;
  expect(go.disabled).toBe(true);
  one("form label:nth-of-type(2) input").click();
  expect(go.disabled).toBe(false);
});
