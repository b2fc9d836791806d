/**
 * Short texts of an interface whose translation is far below what is called good: they stay in their language, and are
 * marked. A sentence that went wrong is still told from its neighbours; "Los" that became noise is not, and is clicked.
 *
 *     <button data-dragoman-doubtful="text title" title="Auf geht's">Los</button>
 */

import type { Entries, Entry } from "./entries.ts";
import { isElement } from "./nodes/kinds.ts";
import type { Originals } from "./nodes/originals.ts";
import { isInterfaceText } from "./units/interface.ts";
import type { TranslatedBlock } from "./units/blocks.ts";
import type { Unit } from "./units/units.ts";

/** Scores from here on are shown, 0 to 1 (ADR 48). */
export const LEAST_SCORE = 0.35;
/** What of an element stayed as it was: "text", names of attributes. */
export const DOUBTFUL = "data-dragoman-doubtful";

/** Of attributes, those that are seen. */
const STYLE = ["text", "value", "placeholder"].map((part) => `[${DOUBTFUL}~="${part}"]`).join(",") +
  "{text-decoration:underline dotted light-dark(#9a5b0c,#e2a354) 2px!important;text-underline-offset:3px!important}";

/** Whether a unit stays in its language. */
export function isDoubted(unit: Unit, { doubt }: TranslatedBlock): boolean {
  return doubt !== undefined && doubt < LEAST_SCORE && isInterfaceText(unit);
}

export class DoubtMarks {
  readonly #originals: Originals;
  readonly #entries: Entries;
  readonly #styles = new Map<Document, Element>();

  constructor(originals: Originals, entries: Entries) {
    this.#originals = originals;
    this.#entries = entries;
  }

  /** Mark a node as its units stand now. */
  update(container: Node): void {
    if (!isElement(container)) return;
    const doubted = [...this.#entries.within(container), ...this.#entries.attributesOf(container)].filter(isKept);
    const parts = new Set(doubted.map(({ unit }) => (unit.type === "text" ? "text" : unit.name)));
    if (parts.size === 0) this.#originals.restoreAttribute(container, DOUBTFUL);
    else {
      this.#originals.writeAttribute(container, DOUBTFUL, [...parts].join(" "));
      this.#addStyle(container.ownerDocument);
    }
  }

  /** The page's style is its own again; the marks themselves are restored with all else. */
  stop(): void {
    for (const host of this.#styles.values()) host.remove();
    this.#styles.clear();
  }

  #addStyle(doc: Document): void {
    if (this.#styles.has(doc)) return;
    const [host, style] = [doc.createElement("dragoman-overlay"), doc.createElement("style")];
    style.textContent = STYLE;
    host.append(style);
    doc.documentElement.append(host);
    this.#styles.set(doc, host);
  }
}

function isKept({ isKept: kept }: Entry): boolean {
  return kept;
}
