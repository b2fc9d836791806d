/** A small bar on the page: how far its translation is, and the way back. */

import { Overlay } from "../../../web/src/ui/overlay.ts";
import { message, ownLanguage } from "../api.ts";
import { progressText } from "../progress.ts";
import type { FrameState } from "../messages.ts";

/** Milliseconds for which a finished bar stays, unless it is pointed at. */
const REST = 8_000;

export class Bar {
  readonly #overlay: Overlay;
  readonly #text: HTMLElement;
  readonly #progress: HTMLProgressElement;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  constructor(doc: Document, onrestore: () => void) {
    const overlay = new Overlay(doc, { role: "region", label: message("name"), language: ownLanguage() });
    this.#overlay = overlay;
    this.#text = overlay.element("p");
    this.#text.setAttribute("role", "status");
    this.#progress = overlay.element("progress");
    this.#progress.setAttribute("aria-label", message("progress"));
    const row = overlay.element("div", { className: "row" });
    overlay.button(message("restore"), onrestore, { main: true, parent: row });
    overlay.button(message("close"), () => { this.close(); }, { parent: row });
    overlay.box.addEventListener("pointerenter", () => { clearTimeout(this.#leaving); });
    overlay.box.addEventListener("focusin", () => { clearTimeout(this.#leaving); });
  }

  show(state: FrameState): void {
    if (!this.#overlay.isOpen) return;
    const { phase, total, done, failed, error } = state;
    const text = [progressText(state), phase === "translated" && error !== null ? error : ""].filter(Boolean).join(" ");
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#progress.hidden = phase !== "translating";
    this.#progress.max = Math.max(1, total);
    if (done + failed > 0) this.#progress.value = done + failed;
    else this.#progress.removeAttribute("value"); // The engine starts.
    this.#overlay.moveTo({ left: innerWidth, top: 0, bottom: 0 });
    clearTimeout(this.#leaving);
    if (phase === "translated" && failed === 0 && done > 0) this.#leaving = setTimeout(() => { this.close(); }, REST);
  }

  close(): void {
    clearTimeout(this.#leaving);
    this.#overlay.close();
  }
}
