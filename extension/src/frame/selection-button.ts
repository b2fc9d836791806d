/** A button beside what is selected: a click translates it. */

import { Overlay } from "../../../web/src/ui/overlay.ts";
import { hasLetters } from "../../../web/src/dom/nodes/rules.ts";
import { message, ownLanguage } from "../api.ts";

/** Milliseconds that a selection has to rest: it grows while it is made. */
const REST = 250;

class SelectionButton {
  readonly #doc: Document;
  readonly #onclick: () => void;
  #overlay: Overlay | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #isPressed = false;
  #isHeld = false;

  constructor(doc: Document, onclick: () => void) {
    this.#doc = doc;
    this.#onclick = onclick;
    doc.addEventListener("selectionchange", () => { this.#wait(); });
    doc.addEventListener("pointerdown", (event) => {
      this.#isPressed = !this.#overlay?.contains(event);
      if (this.#isPressed) this.#close();
    }, { capture: true });
    doc.addEventListener("pointerup", () => {
      this.#isPressed = false;
      this.#wait();
    }, { capture: true });
    doc.addEventListener("keydown", (event) => { if (event.key === "Escape") this.#close(); }, { capture: true });
    doc.addEventListener("scroll", () => { this.#close(); }, { capture: true, passive: true });
    this.#wait(); // Something may have been selected before this script came.
  }

  /** While it is held back, it does not come. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (isHeld) this.#close();
  }

  #wait(): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => { if (!this.#isPressed) this.#look(); }, REST);
  }

  #look(): void {
    const selection = this.#doc.getSelection();
    const text = selection?.toString() ?? "";
    const place = selection && selection.rangeCount > 0 ? selection.getRangeAt(0).getBoundingClientRect() : undefined;
    if (this.#isHeld || !hasLetters(text) || !place || (place.width === 0 && place.height === 0)) this.#close();
    else if (!this.#overlay) this.#open(place);
  }

  #open(place: DOMRect): void {
    const overlay = new Overlay(this.#doc, { role: "toolbar", label: message("name"), language: ownLanguage() });
    overlay.box.classList.add("small");
    const button = overlay.button(message("translateThis"), () => {
      this.#close();
      this.#onclick();
    }, { main: true });
    // What is selected stays so while the button is pressed.
    button.addEventListener("mousedown", (event) => { event.preventDefault(); });
    overlay.moveTo({ left: place.right, top: place.top, bottom: place.bottom });
    this.#overlay = overlay;
  }

  #close(): void {
    this.#overlay?.close();
    this.#overlay = undefined;
  }
}

/** Shared by our scripts in a frame. */
const scope = globalThis as { dragomanSelectionButton?: SelectionButton };

/** In a page once, whichever of our scripts asks. */
export function showSelectionButton(doc: Document, onclick: () => void): void {
  scope.dragomanSelectionButton ??= new SelectionButton(doc, onclick);
}

/** Hold it back while what it would open is open. */
export function holdSelectionButton(isHeld: boolean): void {
  scope.dragomanSelectionButton?.hold(isHeld);
}
