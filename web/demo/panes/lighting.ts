/**
 * One word and the words that belong to it, lit in both panes.
 *
 * What the pointer is on comes before what the keyboard is on; when the pointer leaves, the
 * keyboard's word is lit again.
 */

import type { WordAlignment } from "../../src/wire/protocol.ts";
import { say } from "../texts/texts.ts";
import type { SourcePane } from "./source-pane.ts";
import type { TargetPane } from "./target-pane.ts";
import type { WordLayer } from "../../src/ui/words/word-layer.ts";
import { Links, OTHER, type Side } from "../../src/ui/words/words.ts";

interface Place {
  readonly side: Side;
  readonly word: number;
}

export class Lighting {
  readonly #layers: Readonly<Record<Side, WordLayer>>;
  readonly #tell: (text: string) => void;
  #links = new Links([]);
  #pointer: Place | undefined;
  #keyboard: Place | undefined;

  /** `tell` tells a screen reader of the word that the keyboard is on. */
  constructor(source: SourcePane, target: TargetPane, tell: (text: string) => void) {
    this.#layers = { source: source.layer, target: target.layer };
    this.#tell = tell;
    this.#followPointer(source.field, "source", (event) =>
      source.layer.wordAtPoint(event.clientX, event.clientY),
    );
    this.#followPointer(target.layer.element, "target", (event) => target.layer.wordOf(event.target));
    this.#followFocus(target.layer);
    this.#followCaret(source);
  }

  /** For what is shown now; `null` when the panes do not belong together (yet). */
  setAlignment(alignment: WordAlignment | null): void {
    this.#links = new Links(alignment?.links ?? []);
    this.#pointer = this.#keyboard = undefined;
    this.#paint();
  }

  /** Put the light out, until the pointer or the caret moves. */
  clear(): void {
    this.#pointer = this.#keyboard = undefined;
    this.#paint();
  }

  #followPointer(element: HTMLElement, side: Side, find: (event: PointerEvent) => number | undefined): void {
    const follow = (event: PointerEvent): void => {
      this.#pointer = place(side, find(event));
      this.#paint();
    };
    element.addEventListener("pointermove", follow);
    element.addEventListener("pointerdown", follow); // A finger does not hover.
    element.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "touch") return; // The light stays where the finger was.
      this.#pointer = undefined;
      this.#paint();
    });
  }

  #followFocus(layer: WordLayer): void {
    layer.element.addEventListener("focusin", (event) => {
      this.#setKeyboard(place("target", layer.wordOf(event.target)));
    });
    layer.element.addEventListener("focusout", () => {
      this.#setKeyboard(undefined);
    });
  }

  #followCaret(source: SourcePane): void {
    const follow = (): void => {
      if (document.activeElement === source.field) this.#setKeyboard(place("source", source.wordAtCaret()));
    };
    document.addEventListener("selectionchange", follow);
    source.field.addEventListener("keyup", follow); // Firefox: no selectionchange inside of fields, long ago.
    source.field.addEventListener("blur", () => {
      this.#setKeyboard(undefined);
    });
  }

  #setKeyboard(next: Place | undefined): void {
    const before = this.#keyboard;
    if (before?.side === next?.side && before?.word === next?.word) return;
    this.#keyboard = next;
    this.#paint();
    if (!next) return;
    this.#layers[OTHER[next.side]].reveal();
    this.#tell(this.#describe(next));
  }

  #paint(): void {
    const lit = this.#pointer ?? this.#keyboard;
    this.#layers[lit?.side ?? "source"].light(lit ? [lit.word] : [], "own");
    const other = OTHER[lit?.side ?? "source"];
    this.#layers[other].light(lit ? this.#links.of(lit.side, lit.word) : [], "linked");
  }

  #describe({ side, word }: Place): string {
    const other = this.#layers[OTHER[side]];
    const linked = this.#links.of(side, word).map((index) => other.textOf(index));
    return `${this.#layers[side].textOf(word)}: ${linked.join(" ") || say("target.no-counterpart")}`;
  }
}

function place(side: Side, word: number | undefined): Place | undefined {
  return word === undefined ? undefined : { side, word };
}
