/** What a page has changed and nobody has looked at yet. */

import { isElement } from "./nodes/kinds.ts";

export interface Changes {
  /** Nodes whose lines of text changed. */
  readonly runs: ReadonlySet<Node>;
  readonly added: ReadonlySet<Element>;
  readonly attributes: ReadonlySet<Element>;
  /** Those of them whose data changed. */
  readonly texts: ReadonlySet<Text>;
  /** Elements in which it was changed what is translated at all. */
  readonly scopes: ReadonlySet<Element>;
}

export class Dirty {
  #runs = new Set<Node>();
  #added = new Set<Element>();
  #attributes = new Set<Element>();
  #texts = new Set<Text>();
  #scopes = new Set<Element>();

  addRun(node: Node): void {
    this.#runs.add(node);
  }

  addText(node: Text): void {
    this.#runs.add(node);
    this.#texts.add(node);
  }

  addChildren(parent: Node, added: Iterable<Node>): void {
    this.#runs.add(parent);
    for (const node of added) if (isElement(node)) this.#added.add(node);
  }

  addAttribute(element: Element): void {
    this.#attributes.add(element);
  }

  addScope(element: Element): void {
    this.#scopes.add(element);
    this.#runs.add(element);
    this.#added.add(element);
  }

  /** All of it, which is then forgotten. */
  take(): Changes {
    const taken: Changes = {
      runs: this.#runs,
      added: this.#added,
      attributes: this.#attributes,
      texts: this.#texts,
      scopes: this.#scopes,
    };
    [this.#runs, this.#texts] = [new Set(), new Set()];
    [this.#added, this.#attributes, this.#scopes] = [new Set(), new Set(), new Set()];
    return taken;
  }
}
