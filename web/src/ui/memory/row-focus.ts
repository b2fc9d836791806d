/**
 * The keyboard's focus in a list that is drawn anew. The element that had it is gone then, and it would fall back to the
 * page's beginning. It goes to the same control of
 *
 *     the same row, by `data-key` --> the row in its place --> those below --> those above
 *
 * or to any of that row's, and to what the caller names where no row is left.
 */

const CONTROLS = "a[href], button, input";

/** Where the focus is. */
interface Place {
  readonly key: string | undefined;
  readonly row: number;
  /** Counted from the row's end: what comes first in a row is missing in some. */
  readonly control: number;
}

export function keepFocus(list: HTMLElement, draw: () => void, otherwise: HTMLElement | null): void {
  const place = placeIn(list);
  draw();
  if (place) (controlAt(list, place) ?? otherwise)?.focus();
}

function placeIn(list: HTMLElement): Place | undefined {
  const focused = list.ownerDocument.activeElement;
  const rows = rowsOf(list);
  const row = rows.find((one) => one.contains(focused));
  if (!row) return undefined;
  const controls = controlsOf(row);
  return { key: row.dataset["key"], row: rows.indexOf(row), control: controls.findIndex((one) => one === focused) - controls.length };
}

function controlAt(list: HTMLElement, { key, row, control }: Place): HTMLElement | undefined {
  const rows = rowsOf(list);
  const same = rows.filter((one) => key !== undefined && one.dataset["key"] === key);
  for (const candidate of [...same, ...rows.slice(row), ...rows.slice(0, row).reverse()]) {
    const controls = controlsOf(candidate);
    const found = [controls.at(control), ...controls.reverse()].find((one) => one && !one.hidden);
    if (found) return found;
  }
  return undefined;
}

/** Those that are shown: a filter hides some. */
function rowsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(":scope > li:not([hidden])")];
}

function controlsOf(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(CONTROLS)];
}
