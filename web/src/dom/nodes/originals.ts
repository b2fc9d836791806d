/**
 * The page as its author has it, while it shows something else.
 *
 * Every write to a page goes through here and is remembered with what was there before:
 *
 *     a text node        its data                     original, written
 *     an attribute       its value, or none           original, written
 *     the children of a node that were moved          the order they had
 *     a text node of ours, where there was none       removed again
 *
 * Invariant: what the page itself has changed since (the data is not what was written) belongs to
 * the page: it is the new original, and restoring leaves it alone. Nodes are never replaced, so
 * `restore` gives back the same nodes in the same order.
 *
 * A page that throws parts of itself away gets their memory back: see `release`.
 */

import { placeInOrder } from "./reorder.ts";

interface Written<T> {
  readonly original: T;
  readonly written: string;
}

/**
 * A map from nodes that can be walked. Nodes in the page are held; those that the page has taken out
 * are held weakly after `release`, for it may put them back.
 */
class NodeTable<K extends Node, V> {
  readonly #values = new WeakMap<K, V>();
  readonly #held = new Set<K>();
  readonly #released = new Set<WeakRef<K>>();

  get(key: K): V | undefined {
    return this.#values.get(key);
  }

  set(key: K, value: V): void {
    this.#held.add(key);
    this.#values.set(key, value);
  }

  delete(key: K): void {
    this.#held.delete(key);
    this.#values.delete(key);
  }

  release(): void {
    for (const ref of this.#released) {
      if (!ref.deref()) this.#released.delete(ref);
    }
    for (const key of this.#held) {
      if (key.isConnected) continue;
      this.#held.delete(key);
      this.#released.add(new WeakRef(key));
    }
  }

  keys(): K[] {
    const released = [...this.#released].map((ref) => ref.deref()).filter((key) => key !== undefined);
    return [...new Set([...this.#held, ...released.filter((key) => this.#values.has(key))])];
  }
}

export class Originals {
  readonly #texts = new NodeTable<Text, Written<string>>();
  readonly #attributes = new NodeTable<Element, Map<string, Written<string | null>>>();
  readonly #orders = new NodeTable<Node, readonly ChildNode[]>();
  readonly #inserted = new NodeTable<Text, true>();

  // --- Reading ----------------------------------------------------------------------------------

  /** The text that the page means to show. */
  textOf(node: Text): string {
    const record = this.#texts.get(node);
    return record?.written === node.data ? record.original : node.data;
  }

  /** Whether something else than the page's text was written to the node. */
  isRewritten(node: Text): boolean {
    return this.#texts.get(node) !== undefined;
  }

  attributeOf(element: Element, name: string): string | null {
    const value = element.getAttribute(name);
    const record = this.#attributes.get(element)?.get(name);
    return record?.written === value ? record.original : value;
  }

  isInserted(node: Node): boolean {
    return this.#inserted.get(node as Text) === true;
  }

  /** Whether children of the node stand elsewhere than the page put them. */
  isMoved(parent: Node): boolean {
    return this.#orders.get(parent) !== undefined;
  }

  /** The children in the page's order, without nodes of ours. */
  childrenOf(parent: Node): readonly ChildNode[] {
    const current = [...parent.childNodes].filter((child) => !this.isInserted(child));
    const order = this.#orders.get(parent);
    if (!order) return current;
    const kept = order.filter((child) => child.parentNode === parent);
    const known = new Set<Node>(kept);
    current.forEach((child, index) => {
      if (known.has(child)) return;
      const before = current[index - 1];
      kept.splice(before ? kept.indexOf(before) + 1 : 0, 0, child);
      known.add(child);
    });
    return kept;
  }

  // --- Writing ----------------------------------------------------------------------------------

  writeText(node: Text, data: string): void {
    const original = this.textOf(node);
    if (node.data !== data) node.data = data;
    if (data === original) this.#texts.delete(node);
    else this.#texts.set(node, { original, written: data });
  }

  /** A text node where the page has none. */
  insertText(parent: Node, data: string, before: ChildNode | null): Text {
    const owner = parent.ownerDocument ?? (parent as Document);
    const node = owner.createTextNode(data);
    this.#inserted.set(node, true);
    parent.insertBefore(node, before);
    return node;
  }

  writeAttribute(element: Element, name: string, value: string): void {
    const original = this.attributeOf(element, name);
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
    const records = this.#attributes.get(element) ?? new Map<string, Written<string | null>>();
    records.set(name, { original, written: value });
    this.#attributes.set(element, records);
  }

  /** Put children in an order; others stay where they are. In steps, between which all is well, too. */
  *moveChildren(parent: ParentNode & Node, order: readonly ChildNode[]): Generator<undefined, void> {
    if (!this.#orders.get(parent)) this.#orders.set(parent, this.childrenOf(parent));
    yield* placeInOrder(parent, order);
  }

  /** Hold nodes that are no longer in the page only weakly. */
  release(): void {
    for (const table of [this.#texts, this.#attributes, this.#orders, this.#inserted]) table.release();
  }

  // --- Restoring --------------------------------------------------------------------------------

  restoreText(node: Text): void {
    if (this.isInserted(node)) {
      node.remove();
      this.#inserted.delete(node);
      return;
    }
    const record = this.#texts.get(node);
    if (record?.written === node.data) node.data = record.original;
    this.#texts.delete(node);
  }

  restoreAttribute(element: Element, name: string): void {
    const records = this.#attributes.get(element);
    const record = records?.get(name);
    if (!record) return;
    if (element.getAttribute(name) === record.written) {
      if (record.original === null) element.removeAttribute(name);
      else element.setAttribute(name, record.original);
    }
    records?.delete(name);
    if (records?.size === 0) this.#attributes.delete(element);
  }

  *restoreOrder(parent: ParentNode & Node): Generator<undefined, void> {
    if (!this.#orders.get(parent)) return;
    const order = this.childrenOf(parent);
    this.#orders.delete(parent);
    yield* placeInOrder(parent, order);
  }

  /** Everything, of every node that is still alive; as tasks, for a caller that does it in slices. */
  *restoreAll(): Generator<undefined, void> {
    for (const node of this.#inserted.keys()) {
      this.restoreText(node);
      yield;
    }
    for (const parent of this.#orders.keys()) {
      yield* this.restoreOrder(parent as ParentNode & Node);
      yield;
    }
    for (const node of this.#texts.keys()) {
      this.restoreText(node);
      yield;
    }
    for (const element of this.#attributes.keys()) {
      for (const name of [...(this.#attributes.get(element)?.keys() ?? [])]) this.restoreAttribute(element, name);
      yield;
    }
  }
}
