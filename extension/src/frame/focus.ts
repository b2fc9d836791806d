/** The focus, where a box of ours goes: without it, keys would begin at the page's end, where the box was. */

import type { Overlay } from "../../../web/src/ui/overlay.ts";

/** To what had it before; if the reader has put it elsewhere meanwhile, it stays there. */
export function giveFocusBack({ box }: Overlay, before: Element | null): void {
  const { activeElement } = box.getRootNode() as ShadowRoot;
  if (activeElement && before?.isConnected) (before as Partial<HTMLElement>).focus?.({ preventScroll: true });
}
