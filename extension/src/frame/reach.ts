/** What of a page a content script does not reach. */

import { OVERLAY } from "../../../web/src/ui/overlay.ts";
import { hasLetters } from "../../../web/src/dom/nodes/rules.ts";

/** Smaller frames show no text: they count and measure. */
const SMALL = 60;

/** Origins of frames in sight that are of other sites. */
export function foreignFrames(doc: Document): string[] {
  const frames = [...doc.querySelectorAll<HTMLIFrameElement>("iframe[src], frame[src]")];
  const origins = frames.filter(isShut).flatMap((frame) => originOf(frame.src));
  return [...new Set(origins)];
}

function isShut(frame: HTMLIFrameElement): boolean {
  const { width, height } = frame.getBoundingClientRect();
  return frame.contentDocument === null && width >= SMALL && height >= SMALL;
}

function originOf(src: string): string[] {
  if (!URL.canParse(src)) return [];
  const { protocol, origin } = new URL(src);
  return protocol === "http:" || protocol === "https:" ? [origin] : [];
}

interface Opener {
  readonly dom?: { openOrClosedShadowRoot(element: Element): ShadowRoot | null };
}

/** How many parts of a page with text are closed: shadow roots that the page gives nobody. */
export function closedParts(doc: Document): number {
  const scope = globalThis as unknown as { readonly chrome?: Opener };
  let count = 0;
  for (const element of doc.querySelectorAll<HTMLElement>("*")) {
    if (element.shadowRoot || element.localName === OVERLAY) continue;
    const root = closedRoot(element, scope.chrome?.dom);
    if (root && hasLetters(root.textContent)) count += 1;
  }
  return count;
}

/** Firefox has it on elements, Chrome in its own place. */
function closedRoot(element: HTMLElement, dom: Opener["dom"]): ShadowRoot | null {
  const { openOrClosedShadowRoot } = element as { readonly openOrClosedShadowRoot?: ShadowRoot | null };
  if (openOrClosedShadowRoot !== undefined) return openOrClosedShadowRoot;
  return dom?.openOrClosedShadowRoot(element) ?? null;
}
