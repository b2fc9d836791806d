/**
 * A unit: a run of neighbours in one parent that are a line of text together, and what is sent of it.
 *
 *     <p>\n  Ich <b>habe</b> <!-- x --> ein&shy;en <img> Hund.\n</p>
 *
 *     text       "Ich habe einen  Hund."     white space as the browser shows it, no soft hyphens
 *     elements   b [4, 8) inline, img [15, 15) void
 *     leaves     "\n  Ich " lead "\n  ", "habe", " ", " ein­en ", " Hund.\n" trail "\n"
 *
 * The comment stays where it is and is not sent. The white space at both ends is not sent; the
 * nodes that hold it keep it.
 */

import type { Block, MarkedElement } from "./blocks.ts";

/** What of a run is sent: its text nodes and elements, in the page's order. */
export type Piece = Leaf | Branch;

export interface Leaf {
  readonly type: "text";
  readonly node: Text;
  /** The data that the page means. */
  readonly source: string;
  /** White space at the ends of the unit, which stays in the node. */
  lead: string;
  trail: string;
}

export interface Branch {
  readonly type: "element";
  readonly node: Element;
  /** In `block.elements`. */
  readonly index: number;
  /** Of an inline element; opaque and void ones are not entered. */
  readonly children: readonly Piece[] | null;
}

export interface TextUnit {
  readonly type: "text";
  readonly container: ParentNode & Node;
  readonly pieces: readonly Piece[];
  readonly block: Block;
  readonly leaves: readonly Leaf[];
}

export interface AttributeUnit {
  readonly type: "attribute";
  readonly container: Element;
  readonly name: string;
  readonly block: Block;
}

export type Unit = TextUnit | AttributeUnit;

/** A run as it was found, before its text is put together. */
export type RunItem =
  | { readonly type: "text"; readonly node: Text; readonly source: string; readonly preserved: boolean }
  | { readonly type: "inline"; readonly node: Element; readonly children: readonly RunItem[] }
  | { readonly type: "opaque"; readonly node: Element; readonly text: string }
  /**
   * `box`: it takes a place in the line, so that white space on both sides of it is seen.
   * `breaks`: it ends the line, which keeps the words on both sides of it apart.
   */
  | { readonly type: "void"; readonly node: Element; readonly box: boolean; readonly breaks: boolean };

const SPACES = /[ \t\n\r\f]+/g;
const SPACE = /^[ \t\n\r\f]$/;
const SOFT_HYPHENS = /\u00ad/g;
const LEAD = /^[ \t\n\r\f]*/;
const TRAIL = /[ \t\n\r\f]*$/;

export function textUnit(container: ParentNode & Node, run: readonly RunItem[]): TextUnit {
  const builder = new Builder();
  const pieces = builder.addAll(run);
  return { type: "text", container, pieces, block: builder.finish(), leaves: builder.leaves };
}

export function attributeUnit(container: Element, name: string, source: string): AttributeUnit {
  const text = source.replace(SPACES, " ").trim();
  return { type: "attribute", container, name, block: { text, elements: [] } };
}

class Builder {
  readonly leaves: Leaf[] = [];
  #text = "";
  /** Whether white space here would be seen. */
  #open = false;
  readonly #elements: { start: number; end: number; kind: MarkedElement["kind"]; parent: number }[] = [];
  /** Index of the element that is being read, or -1. */
  #parent = -1;

  addAll(run: readonly RunItem[]): Piece[] {
    return run.map((item) => this.#add(item));
  }

  finish(): Block {
    const text = this.#text.replace(TRAIL, "");
    this.#trimLeaves();
    const elements = this.#elements.map(({ start, end, kind, parent }): MarkedElement => {
      const range = [Math.min(start, text.length), Math.min(end, text.length)] as const;
      return parent < 0 ? { range, kind } : { range, kind, parent };
    });
    return { text, elements };
  }

  #add(item: RunItem): Piece {
    if (item.type === "text") return this.#addText(item.node, item.source, item.preserved);
    if (item.type === "void" && item.breaks && this.#open && this.#text !== "") this.#append(" ");
    const index = this.#elements.length;
    const parent = this.#parent;
    const element = { start: this.#text.length, end: 0, kind: item.type, parent };
    this.#elements.push(element);
    this.#parent = index;
    let children: Piece[] | null = null;
    if (item.type === "inline") children = this.addAll(item.children);
    else if (item.type === "opaque") this.#append(item.text.replace(SPACES, " ").trim());
    else if (item.box) this.#open = true;
    this.#parent = parent;
    element.end = this.#text.length;
    return { type: "element", node: item.node, index, children };
  }

  #addText(node: Text, source: string, preserved: boolean): Leaf {
    const leaf: Leaf = { type: "text", node, source, lead: "", trail: "" };
    this.leaves.push(leaf);
    const text = source.replace(SOFT_HYPHENS, "");
    const shown = preserved ? text : text.replace(SPACES, " ");
    const seen = this.#text !== "" && (preserved || this.#open);
    this.#append(seen ? shown : shown.replace(LEAD, ""));
    return leaf;
  }

  #append(text: string): void {
    if (text === "") return;
    this.#text += text;
    this.#open = !SPACE.test(text.slice(-1));
  }

  /** The outermost leaves that hold text keep the white space at the ends of the unit. */
  #trimLeaves(): void {
    const first = this.leaves.find(({ source }) => source.trim() !== "");
    const last = this.leaves.findLast(({ source }) => source.trim() !== "");
    if (first) first.lead = LEAD.exec(first.source)?.[0] ?? "";
    if (last) last.trail = TRAIL.exec(last.source)?.[0] ?? "";
  }
}
