// @vitest-environment jsdom
import { expect, it, vi } from "vitest";
import { OwnFiles } from "../../../web/demo/own-files.ts";

/** A dialog, open already, for a panel. */
function dialog(): HTMLDialogElement {
  const made = document.createElement("dialog");
  made.innerHTML = `<button class="close"></button><div class="own-files"></div>`;
  made.setAttribute("open", "");
  return made;
}

it("says so where the browser keeps nothing for the page", async () => {
  const indexedDB = { open: () => { throw new DOMException("blocked", "SecurityError"); } };
  vi.stubGlobal("indexedDB", indexedDB);
  const elements = {
    memory: dialog(), openMemory: document.createElement("button"), glossary: dialog(), openGlossary: document.createElement("button"),
  };
  const ownFiles = new OwnFiles(elements, () => ({ source: "de", target: "en" }), () => undefined);
  ownFiles.glossary.open();
  ownFiles.memory.open();
  await vi.waitFor(() => {
    for (const { textContent } of [elements.glossary, elements.memory]) {
      expect(textContent).toContain("This browser keeps nothing for this page.");
    }
  });
  expect(await ownFiles.known({ sourceLanguage: "de", targetLanguage: "en" })).toEqual({ memory: [], glossary: [] });
});
