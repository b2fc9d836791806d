/** Limits that this side keeps, and the size of a text as the core counts it. */

/** `text_characters` of `py/dragoman/config.py`: code points. */
export const TEXT_CHARACTERS = 500_000;

/** `persistent_cache_bytes` of the same. */
export const PERSISTENT_CACHE_BYTES = 8_000_000;

/** Code points; a lone surrogate is one. */
export function countCharacters(text: string): number {
  let pairs = 0;
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.codePointAt(i) ?? 0) > 0xffff) {
      pairs++;
      i++;
    }
  }
  return text.length - pairs;
}
