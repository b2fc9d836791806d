/** What is selected with its formatting, translated block by block. */

import { Originals } from "../../../web/src/dom/nodes/originals.ts";
import { Collector } from "../../../web/src/dom/units/collect.ts";
import { place } from "../../../web/src/dom/units/place.ts";
import type { BlockTranslator } from "../../../web/src/dom/units/blocks.ts";
import type { Pair } from "../messages.ts";

const BLOCKS = "p ul ol li dl dt dd blockquote pre h1 h2 h3 h4 h5 h6 table thead tbody tr th td div br";
/** What makes a text worth more than its letters. */
const FORMATS = "b strong i em u s del ins mark code kbd sub sup a h1 h2 h3 h4 h5 h6 li th td";
const KEPT: ReadonlySet<string> = new Set(`${BLOCKS} ${FORMATS}`.split(" "));
const LEFT_OUT: ReadonlySet<string> = new Set(["script", "style", "template", "noscript", "dragoman-overlay"]);

/**
 * A copy of what is selected: elements that format, and nothing that loads or runs.
 *
 * @returns undefined where it has no formatting.
 */
export function formattedCopy(doc: Document, selection: Selection | null): HTMLElement | undefined {
  if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return undefined;
  const copy = doc.createElement("div");
  append(copy, selection.getRangeAt(0).cloneContents());
  return copy.querySelector(FORMATS.replaceAll(" ", ",")) ? copy : undefined;
}

function append(to: Element, from: Node): void {
  for (const child of from.childNodes) {
    if (child.nodeType === child.TEXT_NODE) to.append(child.nodeValue ?? "");
    if (child.nodeType !== child.ELEMENT_NODE) continue;
    const { localName } = child as Element;
    if (LEFT_OUT.has(localName)) continue;
    if (!KEPT.has(localName)) {
      append(to, child);
      continue;
    }
    const made = to.ownerDocument.createElement(localName);
    const href = localName === "a" ? (child as HTMLAnchorElement).href : "";
    if (/^(?:https?|mailto):/.test(href)) made.setAttribute("href", href);
    to.append(made);
    append(made, child);
  }
}

/**
 * Translate a copy where it stands: in the page, so that it has styles.
 *
 * @returns its HTML.
 */
export async function translateFormatted(copy: HTMLElement, translator: BlockTranslator, pair: Pair, signal: AbortSignal): Promise<string> {
  copy.translate = true; // The box around it is not.
  const originals = new Originals();
  const found = [...new Collector(originals, { sourceLanguage: pair.source, frames: false }).collect(copy, true)];
  const units = found.flatMap((discovery) => (discovery?.type === "unit" && discovery.unit.type === "text" ? [discovery.unit] : []));
  const handles = units.map(({ block }) => translator.submit(block, "visible"));
  signal.addEventListener("abort", () => { for (const handle of handles) handle.cancel(); }, { once: true });
  const translated = await Promise.all(handles.map(({ result }) => result));
  for (const [index, unit] of units.entries()) {
    const block = translated[index];
    if (block) Array.from(place(originals, unit, block));
  }
  return copy.innerHTML;
}
