/**
 * Finds the units of a page.
 *
 *     element whose insides are inline by computed style     one unit
 *     any other                                              runs of inline neighbours, and the blocks
 *                                                            between them, each looked at in turn
 *
 * The walk keeps its own stack and stops after each child, so that its caller can let the browser
 * breathe. The tree may change meanwhile: what has gone is passed over, what has come is told of by
 * mutations.
 */

import { OPAQUE } from "../../wire/contract.ts";
import { isElement, isText } from "../nodes/kinds.ts";
import type { Originals } from "../nodes/originals.ts";
import {
  ATOMIC_DISPLAYS, ATOMS, attributesOf, BLOCKS, CLOSED, hasLetters, ICON_FONT, IGNORED, IMMOVABLE, INLINE_DISPLAYS,
  primary,
} from "../nodes/rules.ts";
import { attributeUnit, textUnit, type RunItem, type Unit } from "./units.ts";

export type Root = Document | ShadowRoot;

export type Discovery =
  | { readonly type: "unit"; readonly unit: Unit }
  /** A tree with mutations of its own: a shadow root, or the document of a frame. */
  | { readonly type: "root"; readonly root: Root }
  /** A frame of the same origin, which may load another document. */
  | { readonly type: "frame"; readonly frame: HTMLIFrameElement }
  /** An element that may yet get a shadow root. */
  | { readonly type: "host"; readonly element: Element }
  /** An element that says it is in the source language. */
  | { readonly type: "language"; readonly element: Element };

export interface CollectOptions {
  /** BCP 47. Elements in another language are left alone. */
  readonly sourceLanguage: string;
  /** Whether documents in frames of the same origin belong to the page. */
  readonly frames: boolean;
}

/** What holds for an element and all in it, until something in it says otherwise. */
interface Scope {
  readonly translate: boolean;
  /** `translate="no"` can be taken back in a part; the others cannot. */
  readonly final: boolean;
}

interface Visit {
  readonly node: ParentNode & Node;
  readonly scope: Scope;
  /** Go into the blocks of this node as well. */
  readonly deep: boolean;
}

/** Elements of a run that are looked at apart from its text. */
interface Line {
  /** Atoms, whose insides are translated for themselves. */
  readonly inside: Element[];
  /** The others, for their attributes. */
  readonly elements: Element[];
}

type Kind = "ignored" | "inline" | "opaque" | "atom" | "block";

const OPEN: Scope = { translate: true, final: false };
const SHUT: Scope = { translate: false, final: true };
/** Deeper than any page that people read; keeps recursion safe. */
const DEEPEST = 200;
/** Of what is passed over, those that hold what is asked for: title and description; text that our own boxes show with its markup. */
const SHOWN_IN: ReadonlySet<string> = new Set(["head", "meta", "dragoman-overlay"]);
const SENTENCE_END = /[.!?…:;]["'”’“‘»«›‹)\]]*\s*$/;
const SVG_INLINE: ReadonlySet<string> = new Set(["tspan", "textPath", "a"]);
const CONTINUES = /^\s*\p{Ll}/u;

export class Collector {
  readonly #originals: Originals;
  readonly #options: CollectOptions;
  readonly #language: string;

  constructor(originals: Originals, options: CollectOptions) {
    this.#originals = originals;
    this.#options = options;
    this.#language = primary(options.sourceLanguage);
  }

  /**
   * What is in a node: `deep` all of it; else only its own runs, for blocks that are known already.
   * Yields `undefined` where the caller may stop for a while.
   */
  *collect(start: ParentNode & Node, deep: boolean): Generator<Discovery | undefined, void> {
    if (isUnread(start)) return;
    const walk = new Walk(this.#originals, this.#options, this.#language);
    const stack: Visit[] = [{ node: start, scope: walk.scopeAround(start), deep }];
    for (let visit = stack.pop(); visit; visit = stack.pop()) {
      if (visit.node.isConnected) {
        const nested: Visit[] = [];
        yield* walk.visit(visit, nested);
        for (const next of nested.reverse()) stack.push(next);
      }
      yield undefined;
    }
  }

  /** The node whose runs a node is part of: the nearest that is not itself in a line of text. */
  containerOf(node: Node): (ParentNode & Node) | null {
    const walk = new Walk(this.#originals, this.#options, this.#language);
    let at: Node | null = isElement(node) ? node : node.parentNode;
    while (at && isElement(at) && walk.isInLine(at)) at = at.parentNode;
    return at as (ParentNode & Node) | null;
  }
}

/** One walk; what it learns of styles holds only that long. */
class Walk {
  readonly #originals: Originals;
  readonly #options: CollectOptions;
  readonly #language: string;
  readonly #kinds = new Map<Element, Kind>();

  constructor(originals: Originals, options: CollectOptions, language: string) {
    this.#originals = originals;
    this.#options = options;
    this.#language = language;
  }

  *visit({ node, scope: outer, deep }: Visit, nested: Visit[]): Generator<Discovery | undefined, void> {
    if (node.nodeType === node.DOCUMENT_NODE) {
      const { documentElement } = node as Document;
      const [head, body] = partsOf(documentElement);
      if (!head || !body) return;
      yield* this.#ofElement(documentElement, OPEN);
      yield* this.#visitHead(head, this.#scopeOf(documentElement, OPEN), nested);
      nested.push({ node: body, scope: this.#scopeOf(documentElement, OPEN), deep });
      return;
    }
    let scope = outer;
    if (isElement(node)) {
      scope = this.#scopeOf(node, outer);
      yield* this.#ofElement(node, scope);
      if (CLOSED.has(node.localName) || OPAQUE.has(node.localName)) return;
      if (node.childElementCount === 0 && this.#isIcon(node)) return;
      if (scope.final && !scope.translate) return;
      if (node.shadowRoot) {
        yield { type: "root", root: node.shadowRoot };
        if (deep) nested.push({ node: node.shadowRoot, scope, deep });
      }
    }
    yield* this.#visitChildren(node, scope, deep, nested);
  }

  /** Scope of a node from all that it stands in, across shadow hosts. */
  scopeAround(node: Node): Scope {
    const above: Element[] = [];
    for (let at = parentAcross(node); at; at = parentAcross(at)) if (isElement(at)) above.push(at);
    return above.reverse().reduce((scope, element) => this.#scopeOf(element, scope), OPEN);
  }

  isInLine(element: Element): boolean {
    const kind = this.#kindOf(element, 0);
    return kind === "inline" || kind === "opaque";
  }

  // --- Elements ---------------------------------------------------------------------------------

  #scopeOf(element: Element, outer: Scope): Scope {
    if (outer.final) return outer;
    if (element.classList.contains("notranslate") || isEditable(element)) return SHUT;
    const lang = this.#originals.attributeOf(element, "lang");
    if (lang && lang.trim() !== "" && element !== element.ownerDocument.documentElement) {
      if (primary(lang) !== this.#language) return SHUT;
    }
    const translate = element.getAttribute("translate")?.toLowerCase();
    if (translate === "no") return { translate: false, final: false };
    if (translate === "yes" || translate === "") return OPEN;
    return outer;
  }

  *#ofElement(element: Element, scope: Scope): Generator<Discovery, void> {
    if (!scope.translate) return;
    for (const name of attributesOf(element)) {
      const source = this.#originals.attributeOf(element, name) ?? "";
      if (hasLetters(source)) yield { type: "unit", unit: attributeUnit(element, name, source) };
    }
    const lang = this.#originals.attributeOf(element, "lang");
    if (lang && element !== element.ownerDocument.documentElement && primary(lang) === this.#language) {
      yield { type: "language", element };
    }
    if (element.localName.includes("-") && !element.shadowRoot) yield { type: "host", element };
    if (this.#options.frames && element.localName === "iframe") {
      const frame = element as HTMLIFrameElement;
      yield { type: "frame", frame };
    }
  }

  *#visitHead(head: Element, outer: Scope, nested: Visit[]): Generator<Discovery, void> {
    const scope = this.#scopeOf(head, outer);
    for (const child of head.children) {
      if (child.localName === "title") nested.push({ node: child, scope, deep: true });
      else if (child.localName === "meta") yield* this.#ofElement(child, this.#scopeOf(child, scope));
    }
  }

  // --- Runs -------------------------------------------------------------------------------------

  *#visitChildren(
    parent: ParentNode & Node,
    scope: Scope,
    deep: boolean,
    nested: Visit[],
  ): Generator<Discovery | undefined, void> {
    const run: RunItem[] = [];
    const line: Line = { inside: [], elements: [] };
    const preserved = this.#isPreserved(parent);
    const children = this.#originals.childrenOf(parent);
    for (const [place, child] of children.entries()) {
      if (isText(child)) {
        run.push({ type: "text", node: child, source: this.#originals.textOf(child), preserved });
        continue;
      }
      if (!isElement(child)) continue;
      if (child.localName === "br" && !this.#joins(children, place)) {
        yield* this.#flush(parent, run, line, scope);
        yield undefined;
        continue;
      }
      const kind = this.#kindOf(child, 0);
      if (kind === "ignored") continue;
      if (kind === "block") {
        yield* this.#flush(parent, run, line, scope);
        if (deep) nested.push({ node: child, scope, deep });
        yield undefined;
        continue;
      }
      run.push(this.#find(child, kind, line, 0));
      yield undefined;
    }
    yield* this.#flush(parent, run, line, scope);
    for (const element of line.inside) nested.push({ node: element, scope: this.scopeAround(element), deep: true });
  }

  /** A run is complete: a unit, or several, where it is a row of things rather than a sentence. */
  *#flush(
    parent: ParentNode & Node,
    run: RunItem[],
    line: Line,
    scope: Scope,
  ): Generator<Discovery | undefined, void> {
    const complete = run.splice(0);
    for (const element of line.elements.splice(0)) {
      yield* this.#ofElement(element, this.#scopeOf(element, this.scopeAround(element)));
      yield undefined;
    }
    if (!scope.translate) return;
    for (const part of splitRow(complete)) {
      const [container, inner] = unwrap(parent, part);
      if (!hasText(inner)) continue;
      yield { type: "unit", unit: textUnit(container, inner) };
    }
  }

  #find(element: Element, kind: Kind, line: Line, depth: number): RunItem {
    if (kind === "atom") {
      line.inside.push(element);
      return { type: "void", node: element, box: this.#isBox(element), breaks: false };
    }
    if (element.localName === "br") return { type: "void", node: element, box: false, breaks: true };
    line.elements.push(element);
    if (kind === "opaque") return { type: "opaque", node: element, text: element.textContent };
    const preserved = this.#isPreserved(element);
    const children: RunItem[] = [];
    for (const child of this.#originals.childrenOf(element)) {
      if (isText(child)) {
        children.push({ type: "text", node: child, source: this.#originals.textOf(child), preserved });
      } else if (isElement(child)) {
        const childKind = this.#kindOf(child, depth + 1);
        if (childKind !== "ignored") children.push(this.#find(child, childKind, line, depth + 1));
      }
    }
    if (children.some((child) => itemText(child).trim() !== "")) {
      return { type: "inline", node: element, children };
    }
    const box = children.some((child) => child.type === "void" && child.box);
    return { type: "void", node: element, box, breaks: false };
  }

  /** Whether the lines before and after the `<br>` at a place are one sentence. */
  #joins(siblings: readonly ChildNode[], place: number): boolean {
    let before = "";
    for (let at = place - 1; at >= 0 && before.trim() === ""; at -= 1) {
      const node = siblings[at];
      if (!node || (isElement(node) && (node.localName === "br" || this.#kindOf(node, 0) === "block"))) break;
      before = this.#sourceOf(node) + before;
    }
    if (before.trim() === "" || SENTENCE_END.test(before)) return false;
    for (let at = place + 1; at < siblings.length; at += 1) {
      const node = siblings[at];
      if (!node || (!isElement(node) && this.#sourceOf(node).trim() === "")) continue;
      return isText(node) && CONTINUES.test(this.#originals.textOf(node));
    }
    return false;
  }

  #sourceOf(node: Node): string {
    if (isText(node)) return this.#originals.textOf(node);
    return isElement(node) ? this.#originals.childrenOf(node).map((child) => this.#sourceOf(child)).join("") : "";
  }

  // --- Styles -----------------------------------------------------------------------------------

  #kindOf(element: Element, depth: number): Kind {
    const known = this.#kinds.get(element);
    if (known) return known;
    const kind = this.#classify(element, depth);
    this.#kinds.set(element, kind);
    return kind;
  }

  #classify(element: Element, depth: number): Kind {
    const name = element.localName;
    if (IGNORED.has(name)) return "ignored";
    if (IMMOVABLE.has(name) || BLOCKS.has(name) || depth > DEEPEST) return "block";
    if (name === "br") return "inline";
    if (ATOMS.has(name)) return "atom";
    if (isSvg(element) && !flowsInSvg(element)) return "block";
    const display = this.#display(element);
    if (ATOMIC_DISPLAYS.has(display)) return "atom";
    if (!INLINE_DISPLAYS.has(display)) return "block";
    if (element.shadowRoot) return "atom";
    if (OPAQUE.has(name) || !this.#scopeOf(element, OPEN).translate || this.#isIcon(element)) return "opaque";
    // Not `children`, which in a form may be a field that is called so.
    const isBlock = (child: Node): boolean => isElement(child) && this.#kindOf(child, depth + 1) === "block";
    if ([...element.childNodes].some(isBlock)) return "block";
    return this.#isBroken(element) ? "block" : "inline";
  }

  /** Whether a `<br>` ends a line in it. */
  #isBroken(element: Element): boolean {
    if (!element.querySelector(":scope > br")) return false;
    const children = this.#originals.childrenOf(element);
    return children.some((child, place) => isElement(child) && child.localName === "br" && !this.#joins(children, place));
  }

  #style(element: Element): CSSStyleDeclaration | undefined {
    return element.ownerDocument.defaultView?.getComputedStyle(element);
  }

  #display(element: Element): string {
    return this.#style(element)?.display ?? "block";
  }

  #isBox(element: Element): boolean {
    return element.localName !== "wbr" && this.#display(element) !== "none";
  }

  #isIcon(element: Element): boolean {
    const family = this.#style(element)?.fontFamily.split(",")[0] ?? "";
    return ICON_FONT.test(family);
  }

  #isPreserved(node: Node): boolean {
    const element = isElement(node) ? node : null;
    const space = element && this.#style(element)?.whiteSpace;
    return typeof space === "string" && /^(?:pre|break-spaces)/.test(space);
  }
}

// --- Runs as they are found -----------------------------------------------------------------------

function itemText(item: RunItem): string {
  switch (item.type) {
    case "text":
      return item.source;
    case "inline":
      return item.children.map(itemText).join("");
    case "opaque":
      return item.text;
    case "void":
      return "";
  }
}

/** Whether there is something to translate: opaque elements alone are not. */
function hasText(run: readonly RunItem[]): boolean {
  return run.some((item) => {
    if (item.type === "text") return hasLetters(item.source);
    return item.type === "inline" && hasText(item.children);
  });
}

/** A run that is one element is that element's own. */
function unwrap(container: ParentNode & Node, run: readonly RunItem[]): [ParentNode & Node, readonly RunItem[]] {
  const held = run.filter((item) => item.type !== "text" || item.source.trim() !== "");
  const [only] = held;
  return only?.type === "inline" && held.length === 1 ? unwrap(only.node, only.children) : [container, run];
}

/**
 * The sentences of a run. Elements side by side with no word between them, as in a row of links, are
 * each a sentence; any other run is one.
 *
 *     <a>Start</a> | <a>Kontakt</a>       two
 *     <b>Ur</b><i>laub</i>                one: nothing keeps them apart
 *     Das <b>ist</b> <i>gut</i>           one
 *     <span>Neu</span> Es wird kalt.      two, if the span is a box (inline-block)
 */
function splitRow(run: readonly RunItem[]): readonly RunItem[][] {
  const texts = run.filter((item) => item.type === "text");
  const elements = run.filter((item) => item.type === "inline" || item.type === "opaque");
  if (texts.some(({ source }) => hasLetters(source))) return withoutBadges(run);
  if (elements.length < 2) return [[...run]];
  const parts: RunItem[][] = [];
  let apart = true;
  for (const item of run) {
    if (item.type === "inline" || item.type === "opaque") {
      if (apart) parts.push([item]);
      else parts.at(-1)?.push(item);
      apart = isApart(item);
    } else {
      apart = true;
    }
  }
  return parts;
}

/** A box before a sentence, or after it, is no part of it: a badge, a button-like link. */
function withoutBadges(run: readonly RunItem[]): readonly RunItem[][] {
  const isBadge = (item: RunItem): boolean => isApart(item) || itemText(item).trim() === "";
  const start = run.findIndex((item) => !isBadge(item));
  const end = run.findLastIndex((item) => !isBadge(item)) + 1;
  if (!run.slice(0, start).some(isApart) && !run.slice(end).some(isApart)) return [[...run]];
  const badges = [...run.slice(0, start), ...run.slice(end)].filter(isApart);
  return [run.slice(start, end), ...badges.map((badge) => [badge])];
}

/** Boxes stand apart even with no white space between them. */
function isApart(item: RunItem): boolean {
  if (item.type !== "inline" && item.type !== "opaque") return false;
  const view = item.node.ownerDocument.defaultView;
  return view?.getComputedStyle(item.node).display === "inline-block";
}

// --- Nodes ------------------------------------------------------------------------------------------

/**
 * Head and body, by where they stand: a form, frame or picture that is called so is what the document itself would give.
 * A page of SVG or plain XML has neither.
 */
function partsOf(root: Element): readonly [head: Element | undefined, body: Element | undefined] {
  const named = (...names: string[]): Element | undefined => [...root.children].find(({ localName }) => names.includes(localName));
  return [named("head"), named("body", "frameset")];
}

/** Whether a node is what nobody reads, such as a style, or stands in it, in code or in a closed element. */
function isUnread(node: Node): boolean {
  for (let at: Node | null = node; at; at = parentAcross(at)) {
    if (!isElement(at)) continue;
    const { localName: name } = at;
    if (IGNORED.has(name) && !SHOWN_IN.has(name)) return true;
    if (at !== node && (CLOSED.has(name) || OPAQUE.has(name))) return true;
  }
  return false;
}

function isSvg(element: Element): boolean {
  return element.namespaceURI === "http://www.w3.org/2000/svg";
}

/** The parts of a line of SVG text; one with a place of its own begins another line. */
function flowsInSvg(element: Element): boolean {
  if (!SVG_INLINE.has(element.localName) || !element.closest("text")) return false;
  return !["x", "y", "dx", "dy"].some((place) => element.hasAttribute(place));
}

function isEditable(element: Element): boolean {
  const value = element.getAttribute("contenteditable");
  return value !== null && value.toLowerCase() !== "false";
}

function parentAcross(node: Node): Node | null {
  return node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null;
}
