/** The n-grams of a text, as `py/dragoman/detection/ngrams.py` cuts them, where it is told how. */

const BYTES = 4;
const STRIDE = 3;
const WORD_BYTES = 70;
const WIDEST = BYTES + 2;
const SPACE = 32;
const encoder = new TextEncoder();

/** What lies between words, for letters as the inside of a character class. */
export function wordPattern(letters: string): RegExp {
  return new RegExp(`[^${letters}]+(?<!['\`\u2019])`, "gu");
}

/** N-grams of a word in lower case, as numbers: their bytes, filled up to six. */
export function wordNgrams(word: string): number[] {
  const data = encoder.encode(word).subarray(0, WORD_BYTES);
  const numbers: number[] = [];
  let start = 0;
  for (; start + BYTES < data.length; start += STRIDE) {
    numbers.push(ngramNumber([...(start ? [] : [SPACE]), ...data.subarray(start, start + BYTES)]));
  }
  numbers.push(ngramNumber([...(start ? [] : [SPACE]), ...data.subarray(Math.max(0, data.length - BYTES)), SPACE]));
  return numbers;
}

/** Its order is that of the bytes. */
export function ngramNumber(bytes: readonly number[]): number {
  let number = 0;
  for (let at = 0; at < WIDEST; at += 1) number = number * 256 + (bytes[at] ?? 0);
  return number;
}
