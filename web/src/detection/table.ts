/**
 * The table of n-grams: which languages know an n-gram, and how much it speaks for each of them. The
 * file's layout is told in `py/dragoman/detection/table.py`, which reads the same file.
 */

/** Bytes of the longest n-gram. */
const WIDEST = 6;

interface Head {
  readonly languages: readonly string[];
  readonly letters: string;
  readonly simplified: string;
  readonly traditional: string;
  readonly ngrams: number;
  readonly unit: number;
  readonly temperature: number;
  readonly unknown: number;
  readonly relatives: Readonly<Record<string, readonly string[]>>;
}

export class NgramTable {
  readonly head: Head;
  /** Of the n-grams, in order; [n]. Whole numbers of 48 bits. */
  readonly #numbers: Float64Array;
  /** Where the entries of each begin; [n + 1]. */
  readonly #starts: Uint32Array;
  /** Indexes of languages, and the weights of the same entries; [entries]. */
  readonly #entries: Uint8Array;
  readonly #weights: Uint8Array;

  /** @param content of the unpacked file. */
  constructor(content: Uint8Array) {
    const end = content.indexOf(10);
    this.head = JSON.parse(new TextDecoder().decode(content.subarray(0, end))) as Head;
    const n = this.head.ngrams;
    const body = content.subarray(end + 1);
    const counts = body.subarray(WIDEST * n, (WIDEST + 1) * n);
    const rest = body.subarray((WIDEST + 1) * n);
    this.#numbers = new Float64Array(n);
    for (let plane = 0; plane < WIDEST; plane += 1) {
      for (let at = 0; at < n; at += 1) {
        this.#numbers[at] = (this.#numbers[at] ?? 0) * 256 + (body[plane * n + at] ?? 0);
      }
    }
    this.#starts = new Uint32Array(n + 1);
    for (let at = 0; at < n; at += 1) this.#starts[at + 1] = (this.#starts[at] ?? 0) + (counts[at] ?? 0);
    const entries = this.#starts[n] ?? 0;
    this.#entries = rest.subarray(0, entries);
    this.#weights = rest.subarray(entries);
  }

  /** Add the weights of an n-gram to the sums of the languages; [languages]. */
  add(number: number, sums: number[]): void {
    const at = this.#find(number);
    if (at === undefined) return;
    for (let entry = this.#starts[at] ?? 0; entry < (this.#starts[at + 1] ?? 0); entry += 1) {
      const language = this.#entries[entry] ?? 0;
      sums[language] = (sums[language] ?? 0) + (this.#weights[entry] ?? 0);
    }
  }

  /** Whether a language has an n-gram; by the language's index. */
  knows(language: number, number: number): boolean {
    const at = this.#find(number);
    return at !== undefined && this.#entries.subarray(this.#starts[at], this.#starts[at + 1]).includes(language);
  }

  #find(number: number): number | undefined {
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return this.#numbers[low] === number ? low : undefined;
  }
}

/** The table of a site or an extension; `url` is that of `ngrams.bin`. */
export async function fetchTable(url: string): Promise<NgramTable> {
  const response = await fetch(url);
  if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
  const unpacked = response.body.pipeThrough(new DecompressionStream("deflate"));
  return new NgramTable(new Uint8Array(await new Response(unpacked).arrayBuffer()));
}
