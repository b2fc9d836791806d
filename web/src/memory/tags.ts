/** Which of some languages is meant, and white space: what both kinds of file have. */

export interface Pair {
  readonly source: string;
  readonly target: string;
}

/** A run of XML's white space is one space; others, such as that of French marks, stay. */
export function spaced(text: string): string {
  return text.replace(/[ \t\r\n]+/g, " ").trim();
}

/**
 * The place of the tag that has most in common with a language, of its parts from the first on.
 *
 * Of "de-AT" that is "de-AT", else "de", else the first of "de-DE" and "de-CH".
 */
export function nearest(tags: readonly string[], language: string): number | undefined {
  const wanted = parts(language);
  let closest: { readonly at: number; readonly alike: number; readonly length: number } | undefined;
  tags.forEach((tag, at) => {
    const own = parts(tag);
    if (own[0] !== wanted[0]) return;
    const differs = own.findIndex((part, index) => part !== wanted[index]);
    const alike = differs < 0 ? own.length : differs;
    if (!closest || alike > closest.alike || (alike === closest.alike && own.length < closest.length)) {
      closest = { at, alike, length: own.length };
    }
  });
  return closest?.at;
}

function parts(tag: string): readonly string[] {
  return tag.replaceAll("_", "-").toLowerCase().split("-");
}
