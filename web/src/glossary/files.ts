/**
 * Glossaries as files: TSV, and TBX, which terminology programs exchange. What is read is what
 * `py/dragoman/native/glossary.py` reads.
 */

import { decoded, readXml } from "../base/reading.ts";
import type { Pair } from "../memory/tags.ts";
import { DragomanError, QuotaError } from "../wire/errors.ts";
import type { Term } from "../wire/protocol.ts";
import { checkCount, checkTerm, termOf } from "./terms.ts";

/** Bytes. */
const LARGEST_FILE = 64_000_000;
const GONE = /deprecated|superseded/i;

/**
 * `.tbx` and `.xml` are TBX, anything else is TSV.
 *
 * @throws DragomanError "invalid-glossary": it cannot be read, has no term, or one that cannot be used; QuotaError
 * "glossary-too-large".
 */
export async function readGlossaryFile(file: File, pair: Pair): Promise<readonly Term[]> {
  const figures = { requested: file.size, allowed: LARGEST_FILE, counted: "bytes" };
  if (file.size > LARGEST_FILE) throw new QuotaError("glossary-too-large", `the file has ${file.size} bytes`, figures);
  const text = decoded(await file.arrayBuffer());
  if (text === undefined) throw invalid("encoding", "it is not UTF-8, nor UTF-16 that says so");
  const terms = /\.(?:tbx|xml)$/i.test(file.name) ? readTbx(text, pair) : readTerms(text);
  if (terms.length === 0) throw invalid("empty", `it has no term from ${pair.source} to ${pair.target}`);
  checkCount(terms.length);
  return terms;
}

/** TSV: source, tabulator, target; without a target the term stays as it is. Further columns are notes. */
export function readTerms(text: string): readonly Term[] {
  const terms: Term[] = [];
  text.replace(/^\uFEFF/, "").split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "") return;
    const [source = "", target = ""] = line.split("\t");
    const term = termOf(source, target);
    checkTerm(term, index + 1);
    terms.push(term);
  });
  return terms;
}

export function writeTerms(terms: readonly Term[]): string {
  return terms.map(({ source, target }) => (target == null ? `${source}\n` : `${source}\t${target}\n`)).join("");
}

/** Each concept gives its terms in the source language the first one in the target language that is not deprecated. */
export function readTbx(text: string, { source, target }: Pair): readonly Term[] {
  const concepts = named(readXml(text, invalid), "termEntry", "conceptEntry");
  const terms = concepts.flatMap((concept) => {
    const [own, [other]] = [termsIn(concept, source), termsIn(concept, target)];
    return other === undefined ? [] : own.map((one) => termOf(one, other));
  });
  for (const term of terms) checkTerm(term);
  return terms;
}

function termsIn(concept: Element, language: string): readonly string[] {
  return named(concept, "langSet", "langSec")
    .filter((section) => primary(languageOf(section)) === primary(language))
    .flatMap((section) => named(section, "tig", "ntig", "termSec"))
    .filter((group) => !named(group, "termNote", "administrativeStatus").some((note) => GONE.test(note.textContent)))
    .flatMap((group) => named(group, "term"))
    .map((term) => term.textContent.split(/\s+/).filter(Boolean).join(" "))
    .filter(Boolean);
}

function named(parent: Document | Element, ...names: readonly string[]): readonly Element[] {
  return [...parent.getElementsByTagNameNS("*", "*")].filter(({ localName }) => names.includes(localName));
}

function languageOf(section: Element): string {
  return section.getAttributeNS("http://www.w3.org/XML/1998/namespace", "lang") ?? section.getAttribute("lang") ?? "";
}

function primary(language: string): string {
  return language.split(/[-_]/)[0]?.toLowerCase() ?? "";
}

function invalid(reason: string, message: string): DragomanError {
  return new DragomanError("invalid-glossary", message, { reason });
}
