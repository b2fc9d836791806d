/** The size of a text as the core counts it. */

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
