/**
 * Random pages, and what must hold of each when it is translated and taken back; in jsdom and in real
 * browsers alike. Each check gives what is wrong: nothing, if all is well.
 */

import fc from "fast-check";
import { Collector } from "../../../web/src/dom/units/collect.ts";
import type { ContentItem, TranslatedBlock } from "../../../web/src/dom/units/blocks.ts";
import { FakeBlockTranslator, upperCased } from "../../../web/src/fakes/blocks.ts";
import { Originals } from "../../../web/src/dom/nodes/originals.ts";
import { PageTranslation } from "../../../web/src/dom/page.ts";
import { place, unplace } from "../../../web/src/dom/units/place.ts";
import { browserClock, type Clock } from "../../../web/src/dom/slices.ts";
import type { Piece, TextUnit } from "../../../web/src/dom/units/units.ts";
import type { MakeVisibility } from "../../../web/src/dom/visibility.ts";
import { sameNodes, snapshot } from "./snapshot.ts";

// --- Pages ----------------------------------------------------------------------------------------

const words = fc.constantFrom("Haus", " ", "ein ", " und\n  ", "5", "<", "Ä", "\u00ad", "", " . ", "😀", "\t");
const text = fc.array(words, { maxLength: 4 }).map((parts) => parts.join("").replaceAll("<", "&lt;"));
const INLINE = ["b", "i", "a", "span", "u", "span style='display: inline-block'", "x-teil", "span lang=de", "ruby", "label"];
const BLOCKS = ["p", "div", "li", "h2", "span style='display: block'", "div style='white-space: pre'", "div translate=no"];
const THINGS = [
  "<img>", "<img alt='Ein Bild'>", "<br>", "<!-- x -->", "<code>x y</code>", "<wbr>", "<button>Los <b>jetzt</b></button>",
  "<script>1</script>", "<span translate=no>Bob</span>", "<select><option>Rot<option>Blau</select>", "<rt>lies</rt>",
  "<input placeholder=Name value=5>", "<svg><text>Ein <tspan>Bild</tspan></text></svg>", "<b hidden>fort</b>",
  "<table><tr><th abbr=Nr>Nummer<td>Haus</table>", "<span contenteditable>Notiz</span>",
];

const element = (tags: readonly string[], inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...tags), inner).map(([tag, held]) => `<${tag}>${held}</${tag.split(" ")[0] ?? ""}>`);

/** The insides of a body. */
export const { html } = fc.letrec<{ html: string; node: string }>((tie) => ({
  node: fc.oneof(
    { weight: 4, arbitrary: text },
    { weight: 3, arbitrary: element(INLINE, tie("html")) },
    { weight: 1, arbitrary: element(BLOCKS, tie("html")) },
    { weight: 1, arbitrary: fc.constantFrom(...THINGS) },
  ),
  html: fc.array(tie("node"), { maxLength: 5, depthIdentifier: "html" }).map((parts) => parts.join("")),
}));

// --- One step after another -------------------------------------------------------------------------

export function unitsOf(body: HTMLElement, originals: Originals): TextUnit[] {
  const collector = new Collector(originals, { sourceLanguage: "de", frames: false });
  const units: TextUnit[] = [];
  for (const discovery of collector.collect(body, true)) {
    if (discovery?.type === "unit" && discovery.unit.type === "text") units.push(discovery.unit);
  }
  return units;
}

/** The pieces of each parent in an order that the seed gives, words in upper case. */
function shuffled(unit: TextUnit, seed: number): TranslatedBlock {
  let translated = "";
  let state = seed;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31);
  const render = (pieces: readonly Piece[]): ContentItem[] =>
    [...pieces]
      .map((piece) => ({ piece, key: next() }))
      .sort((one, other) => one.key - other.key)
      .map(({ piece }): ContentItem => {
        if (piece.type === "element") {
          return piece.children ? { element: piece.index, content: render(piece.children) } : { element: piece.index };
        }
        const start = translated.length;
        translated += piece.source.trim().toUpperCase();
        return [start, translated.length];
      });
  const content = render(unit.pieces);
  return { text: translated, content };
}

/** Words that the reader sees, whatever their order. */
const letters = (node: Node): string => Array.from((node.textContent ?? "").toUpperCase().replace(/[\s\u00ad]/g, "")).sort().join("");

/** Each unit put in an order by chance: nodes, parents and words are kept, and all of it comes back. */
export function wrongWhenPlaced(body: HTMLElement, source: string, seed: number): string[] {
  const wrong: string[] = [];
  body.innerHTML = source;
  const originals = new Originals();
  const before = snapshot(body);
  const seen = letters(body);
  const elements = [...body.querySelectorAll("*")];
  const parents = elements.map(({ parentNode }) => parentNode);
  const units = unitsOf(body, originals);
  for (const unit of units) Array.from(place(originals, unit, shuffled(unit, seed)));
  if (!elements.every(({ parentNode }, at) => parentNode === parents[at])) wrong.push("an element has left its parent");
  if (letters(body) !== seen) wrong.push("words are lost or doubled");
  const blocks = (texts: readonly TextUnit[]): string => JSON.stringify(texts.map(({ block }) => block));
  // Seen through the originals, nothing has changed.
  if (blocks(unitsOf(body, originals)) !== blocks(units)) wrong.push("other units are found again");
  if (seed % 2) for (const unit of units) unplace(originals, unit);
  Array.from(originals.restoreAll());
  if (!sameNodes(before, snapshot(body))) wrong.push("it is not as it was");
  return wrong;
}

/** What no reader sees, and what a line of text goes on over. */
const UNSEEN = /<!--.*?-->|<(noscript|template|script|style)\b.*?<\/\1>/gis;

/**
 * Each unit in capitals, nothing moved: the page differs in nothing else, but for white space, soft hyphens, and
 * where in a line stands what is not seen.
 */
export function wrongWhenShouted(body: HTMLElement, source: string): string[] {
  const seen = (): string => body.innerHTML.replace(UNSEEN, "").toUpperCase().replace(/[\s\u00ad]|&(?:NBSP|SHY);/g, "");
  const unseen = (): string => JSON.stringify(body.innerHTML.match(UNSEEN));
  body.innerHTML = source;
  const before = seen() + unseen();
  const originals = new Originals();
  for (const unit of unitsOf(body, originals)) Array.from(place(originals, unit, upperCased(unit.block, false)));
  return seen() + unseen() === before ? [] : [`in capitals it is\n${body.innerHTML}`];
}

/** Elements are properly nested, in order, with the text that is theirs. */
export function wrongWhenSent(body: HTMLElement, source: string): string[] {
  const wrong: string[] = [];
  body.innerHTML = source;
  for (const { block, pieces } of unitsOf(body, new Originals())) {
    if (block.text !== block.text.trim()) wrong.push("white space at an end");
    const check = (inside: readonly Piece[], from: number, to: number): void => {
      for (const piece of inside) {
        if (piece.type === "text") continue;
        const [start, end] = block.elements[piece.index]?.range ?? [-1, -1];
        if (!(start >= from && end <= to && start <= end)) wrong.push(`element ${piece.index} is out of place`);
        if (piece.children) check(piece.children, start, end);
        from = end;
      }
    };
    check(pieces, 0, block.text.length);
  }
  return wrong;
}

// --- All together, while the page changes -------------------------------------------------------------

/** What a page does to itself: `at` chooses the node. */
export interface Change {
  readonly kind: "text" | "remove" | "fill" | "attribute" | "scope";
  readonly at: number;
  /** Milliseconds that pass before it. */
  readonly pause: number;
}

export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("text" as const, "remove" as const, "fill" as const, "attribute" as const, "scope" as const),
    at: fc.nat(),
    pause: fc.constantFrom(0, 0, 0, 1, 20),
  }),
  { maxLength: 8 },
);

const seenAtOnce: MakeVisibility = (onnearness) => ({
  observe(seen) {
    queueMicrotask(() => { onnearness(seen, "visible"); });
  },
  unobserve: () => undefined,
  stop: () => undefined,
});

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Slices are over when they have hardly begun, so that the page changes at any moment of our work. */
function lateClock(): Clock {
  let now = 0;
  return { ...browserClock(), now: () => (now += 5) };
}

/** Nodes of a tree, in order. */
function nodesOf(root: Node): Node[] {
  return [root, ...[...root.childNodes].flatMap(nodesOf)];
}

/**
 * The page is translated, changes meanwhile and afterwards, and is restored. A twin that nobody
 * translates changes in the same way: at the end both are the same.
 */
export async function wrongWhenTranslated(body: HTMLElement, source: string, given: readonly Change[]): Promise<string[]> {
  body.innerHTML = source;
  const twin = body.cloneNode(true) as HTMLElement;
  const twins = nodesOf(twin);
  const pairs = nodesOf(body).map((node, at) => [node, twins[at] ?? node] as const);
  const before = snapshot(body);
  const page = new PageTranslation(body.ownerDocument, new FakeBlockTranslator({ reverse: true }), {
    sourceLanguage: "de",
    targetLanguage: "en",
    makeVisibility: seenAtOnce,
    ...(source.length % 2 ? { steps: 1, clock: lateClock() } : {}),
  });
  page.start();
  for (const [number, change] of given.entries()) {
    if (change.pause > 0) await pause(change.pause);
    const pair = pairs[1 + (change.at % Math.max(1, pairs.length - 1))];
    for (const node of pair ?? []) carryOut(change, node, number);
  }
  // Sometimes it is taken back while it is translated.
  if (given.length % 3 !== 1) {
    do await pause(1);
    while (page.progress.phase !== "translated");
  }
  await page.restore();
  const wrong: string[] = [];
  if (given.length === 0 && !sameNodes(before, snapshot(body))) wrong.push("it is not as it was");
  if (body.innerHTML !== twin.innerHTML) wrong.push(`it is\n${body.innerHTML}\nand its twin is\n${twin.innerHTML}`);
  if (page.progress.failed > 0) wrong.push(`${page.progress.failed} failed: ${String(page.progress.error)}`);
  return wrong;
}

function carryOut({ kind }: Change, node: Node, number: number): void {
  if (node.nodeType === node.TEXT_NODE) {
    if (kind === "remove") node.parentNode?.removeChild(node);
    else node.nodeValue = `Neu ${number}`;
    return;
  }
  if (node.nodeType !== node.ELEMENT_NODE) return;
  const changed = node as Element;
  if (kind === "remove") changed.remove();
  else if (kind === "attribute") changed.setAttribute("title", `Tipp ${number}`);
  else if (kind === "scope") changed.setAttribute("translate", number % 2 ? "no" : "yes");
  else changed.innerHTML = `Ganz <b>neu ${number}</b> hier`;
}
