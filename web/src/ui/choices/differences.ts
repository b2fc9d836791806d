/** What one translation says and another one does not. Pure. */

/**
 * Indexes of the words of `other` that are not in a longest common subsequence of both.
 *
 *     said                            other
 *     The weather is beautiful.       The weather is nice.      3, "nice"
 *     It is nice today                Today it is nice          0 and 1, "Today" and "it"
 *
 * Time and memory grow with the product of both lengths: for sentences.
 */
export function differing(said: readonly string[], other: readonly string[]): ReadonlySet<number> {
  const lengths = commonLengths(said, other);
  const common = (one: number, two: number): number => lengths[one]?.[two] ?? 0;
  const indexes = new Set<number>();
  let one = 0;
  other.forEach((word, two) => {
    // Words of the first that the longest one goes without.
    while (said[one] !== word && one < said.length && common(one + 1, two) === common(one, two)) one += 1;
    if (one < said.length && said[one] === word) one += 1;
    else indexes.add(two);
  });
  return indexes;
}

/** Of the ends of both, from one word and the other on: how many words they have in common. */
function commonLengths(said: readonly string[], other: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: said.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  for (let one = said.length - 1; one >= 0; one--) {
    const [row = [], next = []] = [lengths[one], lengths[one + 1]];
    for (let two = other.length - 1; two >= 0; two--) {
      row[two] = said[one] === other[two] ? (next[two + 1] ?? 0) + 1 : Math.max(next[two] ?? 0, row[two + 1] ?? 0);
    }
  }
  return lengths;
}
