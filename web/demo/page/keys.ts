/** What keys do, wherever the focus is. */

export interface KeyListener {
  readonly onstop: () => void;
  readonly ontranslate: () => void;
  readonly oncopy: () => void;
}

export function acceptKeys(page: Document, { onstop, ontranslate, oncopy }: KeyListener): void {
  page.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      if (!isForOther(event, page)) onstop();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (event.shiftKey) oncopy();
      else ontranslate();
    }
  });
}

/** A dialog is still open when the key that will close it comes by here. */
function isForOther(event: KeyboardEvent, page: Document): boolean {
  return event.defaultPrevented || page.querySelector("dialog[open]") !== null;
}
