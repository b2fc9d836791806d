/**
 * Something of ours over a page: a box in a closed shadow root, which neither the page's styles nor
 * its scripts reach, and which a page under translation passes over.
 *
 * It has no markup of its own: what is shown is built of elements and text.
 */

/** Its element's name is in the rules as one that is never text. */
export const OVERLAY = "dragoman-overlay";

const STYLE = `
:host { all: initial; }
.box, .beside {
  --panel: #ffffff; --ink: #1b1b1f; --muted: #5c5f66; --line: #c9ccd3; --accent: #0d675f; --on-accent: #fff; --own: #ffd978;
  --linked: #bfe8dc; --uncertain: #9a5b0c; --radius: .5rem; --shadow: 0 .3rem 1.2rem rgb(0 0 0 / .25);
  color: var(--ink); font: 15px/1.45 system-ui, sans-serif; text-align: start;
}
.box {
  position: fixed; z-index: 2147483647; box-sizing: border-box; max-width: min(26rem, calc(100vw - 1rem));
  max-height: 60vh; overflow: auto; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: var(--radius);
  background: var(--panel); box-shadow: var(--shadow);
}
.beside.beside { position: fixed; z-index: 2147483647; }
.box p { margin: 0 0 .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.box p:last-child { margin-bottom: 0; }
.faint { color: var(--muted); font-size: 13px; }
.box.small { padding: .15rem; border-radius: 1rem; }
.box.small button { border-radius: 1rem; }
.said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[hidden] { display: none !important; }
progress { width: 100%; accent-color: var(--accent); }
.row { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: .5rem; }
button { font: inherit; font-size: 13px; padding: .25rem .7rem; border: 1px solid var(--line); border-radius: .4rem;
  background: transparent; color: inherit; cursor: pointer; }
button:disabled { opacity: .5; cursor: default; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button:focus-visible, .word:focus-visible, .word[aria-expanded="true"] { outline: 2px solid var(--accent); outline-offset: 1px; }
.word { border-radius: .2rem; }
.word.remembered { text-decoration: underline solid var(--accent) 2px; text-underline-offset: 4px; }
.opens .word { cursor: pointer; }
.word.own, .word.linked { background: var(--own); color: #1b1b1f; }
.word.linked { background: var(--linked); }
@media (prefers-color-scheme: dark) {
  .box, .beside {
    --panel: #24262b; --ink: #ececf1; --muted: #a3a7b0; --line: #4a4d55; --accent: #63cbbb; --on-accent: #0c1c1a; --own: #8a6413;
    --linked: #1d5c53; --uncertain: #e2a354;
  }
  .word.own, .word.linked { color: #fff; }
}
@media (prefers-reduced-motion: no-preference) { .box { animation: come .12s ease-out; } }
@keyframes come { from { opacity: 0; transform: translateY(.2rem); } }
`;

/** A place in the window, in its pixels. */
export interface Place {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

export class Overlay {
  readonly box: HTMLElement;
  readonly #host: HTMLElement;
  readonly #root: ShadowRoot;
  readonly #open = new AbortController();

  constructor(doc: Document, { role, label, language }: { role: string; label: string; language: string }) {
    // Made in a document without scripts: a page that defines an element of this name would be given the root.
    this.#host = doc.implementation.createHTMLDocument("").createElement(OVERLAY);
    this.#host.setAttribute("translate", "no");
    this.#root = this.#host.attachShadow({ mode: "closed" });
    // What is done with keys in here is not for the page.
    this.#host.addEventListener("keydown", (event) => { event.stopPropagation(); });
    const style = doc.createElement("style");
    style.textContent = STYLE;
    this.box = doc.createElement("div");
    this.box.className = "box";
    this.box.setAttribute("role", role);
    this.box.setAttribute("aria-label", label);
    this.box.lang = language;
    this.#root.append(style, this.box);
    doc.documentElement.append(this.#host);
  }

  /** An element of its own over the box, with a style of its own, such as a box beside a word. */
  beside(style: string): HTMLElement {
    const doc = this.#host.ownerDocument;
    const [sheet, element] = [doc.createElement("style"), doc.createElement("div")];
    sheet.textContent = style;
    this.#root.append(sheet, element);
    element.classList.add("beside");
    return element;
  }

  get isOpen(): boolean {
    return this.#host.isConnected;
  }

  /** Below a place where there is room, else above it. */
  moveTo({ left, top, bottom }: Place): void {
    const view = this.#host.ownerDocument.defaultView;
    if (!view) return;
    const { width, height } = this.box.getBoundingClientRect();
    const gap = 6;
    const below = bottom + gap + height <= view.innerHeight;
    this.box.style.left = `${Math.max(gap, Math.min(left, view.innerWidth - width - gap))}px`;
    this.box.style.top = `${below ? bottom + gap : Math.max(gap, top - gap - height)}px`;
  }

  close(): void {
    this.#open.abort();
    this.#host.remove();
  }

  /** Escape closes it from now on, wherever the focus is. */
  closeByEscape(): void {
    const close = (event: KeyboardEvent): void => { if (event.key === "Escape") this.close(); };
    this.#host.ownerDocument.addEventListener("keydown", close, { capture: true, signal: this.#open.signal });
  }

  contains(event: Event): boolean {
    return event.composedPath().includes(this.#host);
  }

  element<K extends keyof HTMLElementTagNameMap>(
    name: K,
    { text = "", className = "", parent = this.box }: { text?: string; className?: string; parent?: HTMLElement } = {},
  ): HTMLElementTagNameMap[K] {
    const element = this.#host.ownerDocument.createElement(name);
    element.textContent = text;
    element.className = className;
    parent.append(element);
    return element;
  }

  button(text: string, onclick: () => void, { main = false, parent = this.box } = {}): HTMLButtonElement {
    const button = this.element("button", { text, className: main ? "main" : "", parent });
    button.type = "button";
    button.addEventListener("click", onclick);
    return button;
  }
}
