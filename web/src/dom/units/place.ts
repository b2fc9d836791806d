/**
 * Puts a translated unit into the page: the data of text nodes is changed in place, elements move
 * only where the order of words needs it, and never out of their parent.
 *
 *     page     t0 "Ich habe " <b> t1 " ein " <i> t2 " gelesen."
 *     target   "I read " <i> " " <b> "."
 *
 * The elements that keep their order among each other stay (<i>, say); the others go to their places
 * between them. Text nodes never move: each region between two elements that stay has a row of text
 * nodes and a row of texts to show, which are dealt out in order.
 *
 *     page     t0 "I read " t1 "" <i> t2 " " <b> + "."      + is a node of ours, taken out again later
 */

import { isRange, type ContentItem, type TranslatedBlock } from "./blocks.ts";
import type { Originals } from "../nodes/originals.ts";
import { longestIncreasing } from "../nodes/reorder.ts";
import { hasLetters } from "../nodes/rules.ts";
import type { Branch, Leaf, Piece, TextUnit } from "./units.ts";

type Steps = Generator<undefined, void>;

/** What one parent shows: texts and elements in turn, no two texts side by side. */
type Target = string | { readonly branch: Branch; readonly content: readonly ContentItem[] };

/** A translation that does not fit its unit; the page is left as it is. */
export class MisplacedError extends Error {
  override readonly name = "MisplacedError";
}

/**
 * In steps, a node or so each. Between two of them the originals know all that was written, so that
 * `unplace` takes back what is half done; who goes on sees to it that the unit is still what it was.
 *
 * @throws MisplacedError before anything is changed.
 */
export function* place(originals: Originals, unit: TextUnit, translated: TranslatedBlock): Steps {
  const plan: Plan = [];
  yield* planChildren(unit.container, unit.pieces, translated.content, translated.text, plan);
  for (const row of plan) yield* placeChildren(originals, row);
}

/** Take a unit's translation back, and the order of its parents with it: see `isMoved`. */
export function unplace(originals: Originals, unit: TextUnit): void {
  for (const parent of parentsOf(unit.container, unit.pieces)) {
    for (const child of [...parent.childNodes]) if (originals.isInserted(child)) originals.restoreText(child as Text);
    Array.from(originals.restoreOrder(parent));
  }
  for (const { node } of unit.leaves) originals.restoreText(node);
}

function* parentsOf(container: ParentNode & Node, pieces: readonly Piece[]): Generator<ParentNode & Node> {
  yield container;
  for (const piece of pieces) if (piece.type === "element" && piece.children) yield* parentsOf(piece.node, piece.children);
}

// --- The plan: is the translation what it should be? -------------------------------------------------

interface Row {
  readonly parent: ParentNode & Node;
  readonly pieces: readonly Piece[];
  readonly targets: readonly Target[];
}

type Plan = Row[];

function* planChildren(
  parent: ParentNode & Node,
  pieces: readonly Piece[],
  content: readonly ContentItem[],
  text: string,
  plan: Plan,
): Steps {
  const branches = new Map(pieces.filter((piece) => piece.type === "element").map((branch) => [branch.index, branch]));
  const targets: Target[] = [];
  for (const item of content) {
    yield;
    if (isRange(item)) {
      const part = text.slice(...item);
      const last = targets.at(-1);
      if (typeof last === "string") targets[targets.length - 1] = last + part;
      else targets.push(part);
      continue;
    }
    const branch = branches.get(item.element);
    if (!branch) throw new MisplacedError(`element ${item.element} is not in its parent, or there twice`);
    branches.delete(item.element);
    targets.push({ branch, content: item.content ?? [] });
  }
  if (branches.size > 0) throw new MisplacedError(`elements ${[...branches.keys()].join(", ")} are missing`);
  plan.push({ parent, pieces, targets });
  for (const target of targets) {
    if (typeof target !== "string" && target.branch.children) {
      yield* planChildren(target.branch.node, target.branch.children, target.content, text, plan);
    }
  }
}

// --- Carrying it out ----------------------------------------------------------------------------------

/** Between two elements that stay. */
interface Region {
  readonly leaves: Leaf[];
  readonly targets: Target[];
  /** The element that ends it. */
  end: Element | null;
}

function* placeChildren(originals: Originals, { parent, pieces, targets }: Row): Steps {
  const regions = divide(pieces, targets);
  const order: ChildNode[] = [];
  let moved = false;
  for (const { leaves, targets: row, end } of regions) {
    let used = 0;
    const texts = row.filter((target) => typeof target === "string" && target !== "").length;
    let left = texts;
    for (const target of row) {
      if (typeof target !== "string") {
        order.push(target.branch.node);
        moved = true;
      } else if (target !== "") {
        left -= 1;
        // A leaf a text; the last text has all that are left.
        const given = left === 0 ? leaves.slice(used) : leaves.slice(used, used + 1);
        used += given.length;
        order.push(...(yield* show(originals, parent, target, given, order.at(-1), end)));
      }
      yield;
    }
    for (const leaf of leaves.slice(used)) {
      blank(originals, leaf);
      order.push(leaf.node);
      yield;
    }
    if (end) order.push(end);
  }
  if (moved) yield* originals.moveChildren(parent, order);
}

/** Regions of the elements that keep their order: a longest increasing run. */
function divide(pieces: readonly Piece[], targets: readonly Target[]): Region[] {
  const elements = pieces.filter((piece) => piece.type === "element");
  const wanted = targets.filter((target) => typeof target !== "string").map(({ branch }) => branch);
  const places = new Map(elements.map((branch, at) => [branch, at]));
  const fixed = new Set(longestIncreasing(wanted.map((branch) => places.get(branch) ?? -1)).map((at) => wanted[at]));
  const regions: Region[] = [{ leaves: [], targets: [], end: null }];
  for (const piece of pieces) {
    const region = regions.at(-1);
    if (piece.type === "text") region?.leaves.push(piece);
    else if (region && fixed.has(piece)) {
      region.end = piece.node;
      regions.push({ leaves: [], targets: [], end: null });
    }
  }
  let at = 0;
  for (const target of targets) {
    if (typeof target !== "string" && fixed.has(target.branch)) at += 1;
    else regions[at]?.targets.push(target);
  }
  return regions;
}

function blank(originals: Originals, leaf: Leaf): void {
  if (leaf.source.trim() !== "") originals.writeText(leaf.node, leaf.lead + leaf.trail);
}

/** Write a text to text nodes that follow each other; the nodes that now hold it. */
function* show(
  originals: Originals,
  parent: ParentNode & Node,
  text: string,
  leaves: readonly Leaf[],
  before: ChildNode | undefined,
  end: Element | null,
): Generator<undefined, ChildNode[]> {
  if (leaves.length === 0) {
    const next = before ? before.nextSibling : end;
    return [originals.insertText(parent, text, next)];
  }
  for (const [index, part] of deal(text, leaves).entries()) {
    const leaf = leaves[index];
    // White space at an end of the unit is the page's own; a blank node that got nothing keeps its own.
    if (!leaf || (part === "" && leaf.source.trim() === "")) continue;
    originals.writeText(leaf.node, leaf.lead + part + leaf.trail);
    yield;
  }
  return leaves.map(({ node }) => node);
}

/**
 * Deal a text out to the nodes that held its source, so that a figure that a page keeps in a node of
 * its own stays in that node: the page will change it.
 *
 *     ["Seite ", "3", " von ", "10"], "Page 3 of 10"     ["Page ", "3", " of ", "10"]
 *     ["Hallo ", "Welt"], "Hello world"                  ["Hello world", ""]
 */
export function deal(text: string, leaves: readonly Pick<Leaf, "source">[]): string[] {
  const parts = leaves.map(() => "");
  const give = (from: number, to: number, part: string): void => {
    if (part === "") return;
    const worded = leaves.findIndex(({ source }, at) => at >= from && at < to && source.trim() !== "");
    const at = worded >= 0 ? worded : from < to ? from : from > 0 ? from - 1 : to;
    parts[at] = at < to ? (parts[at] ?? "") + part : part + (parts[at] ?? "");
  };
  let from = 0;
  let read = 0;
  leaves.forEach(({ source }, index) => {
    const figure = source.trim();
    const at = figure === "" || hasLetters(figure) ? -1 : text.indexOf(figure, read);
    if (at < 0 || text.includes(figure, at + 1)) return;
    parts[index] = figure;
    give(from, index, text.slice(read, at));
    from = index + 1;
    read = at + figure.length;
  });
  give(from, leaves.length, text.slice(read));
  return parts;
}
