/**
 * Translation memories as TMX 1.4, which programs for translators exchange. What is read is what
 * `py/dragoman/native/memory.py` reads: of what is marked within a sentence the text of `hi` counts, `bpt`, `ept` and `it`
 * are left out, and a unit with anything else gives nothing.
 */

import { readXml } from "../base/reading.ts";
import { DragomanError, QuotaError } from "../wire/errors.ts";
import type { MemoryEntry } from "../wire/protocol.ts";
import { nearest, spaced, type Pair } from "./tags.ts";

/** Levels of elements. */
const DEEPEST = 64;
const CODES: ReadonlySet<string> = new Set(["bpt", "ept", "it"]);

/**
 * @throws DragomanError "invalid-translation-memory": it is no XML, or declares entities; QuotaError
 * "translation-memory-too-large": it is too deep.
 */
export function readTmx(text: string, pair: Pair): readonly MemoryEntry[] {
  const xml = readXml(text, invalid);
  checkDepth(xml.documentElement);
  return [...xml.getElementsByTagNameNS("*", "tu")].flatMap((unit) => entryOf(unit, pair) ?? []);
}

export function writeTmx(entries: readonly MemoryEntry[], { source, target }: Pair): string {
  const variant = (language: string, text: string): string =>
    `<tuv xml:lang="${escaped(language)}"><seg>${escaped(spaced(text))}</seg></tuv>`;
  const units = entries.map((entry) => `    <tu>${variant(source, entry.source)}${variant(target, entry.target)}</tu>\n`);
  const header = `creationtool="Dragoman" creationtoolversion="1" segtype="sentence" o-tmf="Dragoman" adminlang="en" \
srclang="${escaped(source)}" datatype="plaintext"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n  <header ${header}/>\n  <body>\n${units.join("")}  </body>\n</tmx>\n`;
}

function entryOf(unit: Element, pair: Pair): MemoryEntry | undefined {
  const variants = [...unit.children].filter(({ localName }) => localName === "tuv");
  const tags = variants.map((variant) =>
    variant.getAttributeNS("http://www.w3.org/XML/1998/namespace", "lang") ?? variant.getAttribute("lang") ?? "");
  const sides = [pair.source, pair.target].map((language) => {
    const at = nearest(tags, language);
    const segment = at === undefined ? undefined : [...(variants[at]?.children ?? [])].find(({ localName }) => localName === "seg");
    return segment && textOf(segment);
  });
  const [source, target] = sides.map((side) => spaced(side ?? ""));
  return source && target ? { source, target } : undefined;
}

/** What a sentence says; undefined if something in it is not said. */
function textOf(element: Element): string | undefined {
  if (element.getElementsByTagNameNS("*", "sub").length > 0) return undefined;
  const texts = [...element.childNodes].map((node) => {
    if (!("localName" in node)) return node.nodeName === "#comment" ? "" : (node.textContent ?? "");
    const child = node as Element;
    if (child.localName === "hi") return textOf(child);
    return CODES.has(child.localName) ? "" : undefined;
  });
  return texts.includes(undefined) ? undefined : texts.join("");
}

function checkDepth(root: Element): void {
  let level: readonly Element[] = [root];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > DEEPEST) {
      const figures = { requested: depth, allowed: DEEPEST, counted: "levels of elements" };
      throw new QuotaError("translation-memory-too-large", `${depth} levels of elements, up to ${DEEPEST} are read`, figures);
    }
    level = level.flatMap((element) => [...element.children]);
  }
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function invalid(reason: string, message: string): DragomanError {
  return new DragomanError("invalid-translation-memory", message, { reason });
}
