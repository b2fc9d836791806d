/** A small bar on the page: how far its translation is, and the way back. */

import { Overlay } from "../../../web/src/ui/overlay.ts";
import { message, ownLanguage } from "../api.ts";
import { progressText } from "../progress.ts";
import type { FrameState } from "../messages.ts";

/** Milliseconds for which a finished bar stays, and again while it is pointed at or has the focus. */
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
  }

  show(state: FrameState): void {
    if (!this.#overlay.isOpen) return;
    const { phase, total, done, failed, error } = state;
    // It was finished once, and goes: what a page changes by and by, such as a clock, is not told of.
    if (this.#leaving !== undefined && phase === "translating") return;
    const text = [progressText(state), phase === "translated" && error !== null ? error : ""].filter(Boolean).join(" ");
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#progress.hidden = phase !== "translating";
    this.#progress.max = Math.max(1, total);
    if (done + failed > 0) this.#progress.value = done + failed;
    else this.#progress.removeAttribute("value"); // The engine starts.
    this.#overlay.moveTo({ left: innerWidth, top: 0, bottom: 0 });
    if (phase !== "translated" || failed > 0) this.#stay();
    else if (done > 0 && this.#leaving === undefined) this.#leave();
  }

  #leave(): void {
    this.#leaving = setTimeout(() => {
      if (this.#overlay.box.matches(":hover, :focus-within")) this.#leave();
      else this.close();
    }, REST);
  }

  #stay(): void {
    clearTimeout(this.#leaving);
    this.#leaving = undefined;
  }

  close(): void {
    this.#stay();
    this.#overlay.close();
  }
}
