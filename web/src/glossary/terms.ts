/** Terms of a glossary: which can be used, as in `py/dragoman/types/glossary.py`, and which go with a text. */

import { countCharacters } from "../base/characters.ts";
import { LIMITS } from "../wire/contract.ts";
import { DragomanError, QuotaError } from "../wire/errors.ts";
import type { Term } from "../wire/protocol.ts";

/** Without a translation, or with the same, it stays as it is. */
export function termOf(source: string, target: string): Term {
  const [own, other] = [source.trim(), target.trim()];
  return other === "" || other === own ? { source: own } : { source: own, target: other };
}

/** "Rechner → workstation"; of what stays as it is the word alone. */
export function termText({ source, target }: Term): string {
  return target == null || target === source ? source : `${source} → ${target}`;
}

/**
 * @param line of a file, from 1.
 * @throws DragomanError "invalid-glossary"; QuotaError "glossary-too-large": a side is too long. Both name the line.
 */
export function checkTerm({ source, target }: Term, line?: number): void {
  const place = line === undefined ? {} : { line };
  const named = line === undefined ? "" : `line ${line}: `;
  for (const [side, text] of [["source", source], ["target", target ?? source]] as const) {
    if (!/[\p{L}\p{N}]/u.test(text) || text !== text.trim()) {
      throw new DragomanError("invalid-glossary", `${named}the ${side} needs a letter or figure, and no space around it`, { reason: "term", ...place });
    }
    if (/[\p{C}\p{Z}]/u.test(text.replaceAll(" ", ""))) {
      throw new DragomanError("invalid-glossary", `${named}the ${side} has a line break or another control character`, { reason: "term", ...place });
    }
    const [requested, allowed] = [countCharacters(text), LIMITS.term_characters];
    if (requested > allowed) {
      const figures = { requested, allowed, counted: "characters of a term", ...place };
      throw new QuotaError("glossary-too-large", `${named}a term has ${requested} characters, up to ${allowed} are taken`, figures);
    }
  }
}

/** @throws QuotaError "glossary-too-large": too many are used together. */
export function checkCount(requested: number): void {
  const allowed = LIMITS.glossary_terms;
  if (requested <= allowed) return;
  throw new QuotaError("glossary-too-large", `the glossary has ${requested} terms, up to ${allowed} are taken`, { requested, allowed, counted: "terms" });
}

/**
 * Those that a text may have: a block of a page would take the whole glossary with it otherwise. The core finds words
 * with endings, and with a capital where a sentence begins; so the first word is looked for, without the -y that
 * becomes -ies. A term too many does no harm.
 */
export function termsFor(text: string, terms: readonly Term[]): readonly Term[] {
  const known = folded(text);
  return terms.filter(({ source }) => {
    const word = /[\p{L}\p{M}\p{N}]+|\S/u.exec(folded(source))?.[0] ?? "";
    return known.includes(word.replace(/y$/, ""));
  });
}

function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
