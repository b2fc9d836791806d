/** Where a box goes beside a word. Pure; all in CSS pixels of the viewport. */

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Placed {
  readonly left: number;
  readonly top: number;
  readonly maxHeight: number;
}

/** To the word, and to the edges. */
const GAP = 8;
const HIGHEST = 480;

/**
 * Below the word where there is room for the highest, else where there is more. The side does not depend on the box, so
 * it stays while the box grows.
 */
export function placed(word: Box, box: Size, view: Size): Placed {
  const below = view.height - word.bottom - 2 * GAP;
  const above = word.top - 2 * GAP;
  const isBelow = below >= Math.min(HIGHEST, above);
  const maxHeight = Math.max(0, Math.min(HIGHEST, isBelow ? below : above));
  const height = Math.min(box.height, maxHeight);
  const left = Math.max(GAP, Math.min(word.left, view.width - box.width - GAP));
  return { left, top: isBelow ? word.bottom + GAP : word.top - GAP - height, maxHeight };
}
