/**
 * What the page does to itself, heard before it is painted; what we write to it is not heard.
 *
 *     MutationObserver --> Dirty --(the next frame)--> onchanges
 *           ^
 *           | write: records of the page's own are taken before it, those of ours thrown away after it
 */

import { Dirty, type Changes } from "./dirty.ts";
import { SCOPE_ATTRIBUTES, TEXT_ATTRIBUTES } from "./nodes/rules.ts";

export interface ChangeEvents {
  /** At once, and again before the next paint by `onchanges`. */
  onchildren(parent: Node, removed: NodeList): void;
  /** In a frame, before the browser paints. */
  onchanges(changes: Changes): void;
}

const OBSERVED: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
  attributeFilter: [...TEXT_ATTRIBUTES, ...SCOPE_ATTRIBUTES],
};

export class ChangeWatch {
  readonly #view: Window | null;
  readonly #events: ChangeEvents;
  readonly #observer: MutationObserver;
  readonly #dirty = new Dirty();
  #count = 0;
  #pending = false;
  #stopped = false;

  /** Frames are those of `view`. */
  constructor(view: Window | null, events: ChangeEvents) {
    this.#view = view;
    this.#events = events;
    this.#observer = new MutationObserver((records) => { this.#hear(records); });
  }

  /** Whether something was heard that `onchanges` has not told. */
  get pending(): boolean {
    return this.#pending;
  }

  /** Times that something was heard. */
  get count(): number {
    return this.#count;
  }

  observe(root: Node): void {
    this.#observer.observe(root, OBSERVED);
  }

  /** Hear at once what the browser has not told yet. */
  catchUp(): void {
    this.#hear(this.#observer.takeRecords());
  }

  /** Change the page unheard. */
  write<T>(change: () => T): T {
    this.catchUp();
    try {
      return change();
    } finally {
      this.#observer.takeRecords();
    }
  }

  /** The lines of text of a node are to be looked at as if they had changed. */
  lookAgain(node: Node): void {
    this.#dirty.addRun(node);
    this.#request();
  }

  stop(): void {
    this.#stopped = true;
    this.#observer.disconnect();
  }

  #hear(records: readonly MutationRecord[]): void {
    if (records.length === 0) return;
    this.#count += 1;
    for (const record of records) {
      if (record.type === "characterData") this.#dirty.addText(record.target as Text);
      else if (record.type === "attributes") this.#hearAttribute(record.target as Element, record.attributeName ?? "");
      else this.#hearChildren(record);
    }
    this.#request();
  }

  #hearChildren({ target, addedNodes, removedNodes }: MutationRecord): void {
    this.#dirty.addChildren(target, addedNodes);
    this.#events.onchildren(target, removedNodes);
  }

  #hearAttribute(element: Element, name: string): void {
    if (SCOPE_ATTRIBUTES.includes(name)) this.#dirty.addScope(element);
    else this.#dirty.addAttribute(element);
  }

  #request(): void {
    if (this.#pending || this.#stopped) return;
    this.#pending = true;
    this.#view?.requestAnimationFrame(() => {
      this.#pending = false;
      if (!this.#stopped) this.#events.onchanges(this.#dirty.take());
    });
  }
}
