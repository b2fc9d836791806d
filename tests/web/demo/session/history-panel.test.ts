// @vitest-environment jsdom
import { beforeEach, expect, it } from "vitest";
import { History } from "../../../../web/demo/session/history.ts";
import { HistoryPanel } from "../../../../web/demo/session/history-panel.ts";

let dialog: HTMLDialogElement;

function button(selector: string): HTMLButtonElement {
  const found = dialog.querySelector<HTMLButtonElement>(selector);
  if (!found) throw new Error(`there is no ${selector}`);
  return found;
}

/** As a keyboard does it. */
function press(selector: string): void {
  button(selector).focus();
  button(selector).click();
}

beforeEach(() => {
  document.body.innerHTML = `<dialog><button class="close"></button><p class="note"></p><label class="keep"><input type="checkbox"></label>
    <p class="none"></p><ul class="entries"></ul><button class="forget"></button></dialog>`;
  dialog = document.querySelector("dialog") ?? document.createElement("dialog");
  dialog.showModal = () => { dialog.setAttribute("open", ""); };
  const kept = new Map<string, string>();
  const history = new History({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => { kept.set(key, value); },
    removeItem: (key) => { kept.delete(key); },
  });
  for (const text of ["eins", "zwei", "drei"]) history.add({ source: "de", target: "en", text, translation: text });
  new HistoryPanel(dialog, history, () => undefined).open();
});

it("keeps the focus on what removes: of the next entry, of the one before the last, then on the button that closes", () => {
  press("[aria-label='Remove “zwei”']");
  expect(document.activeElement).toBe(button("[aria-label='Remove “eins”']"));
  press("[aria-label='Remove “eins”']");
  expect(document.activeElement).toBe(button("[aria-label='Remove “drei”']"));
  press("[aria-label='Remove “drei”']");
  expect(document.activeElement).toBe(button(".close"));
});

it("closes next, once the history is cleared", () => {
  press(".forget");
  expect(document.activeElement).toBe(button(".close"));
});
