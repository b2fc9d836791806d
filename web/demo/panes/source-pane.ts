/**
 * The field to type in, with words that can be lit.
 *
 *     .editor (one grid cell, as high as its text)
 *       .mirror     the same text in the same type, transparent: its words carry the light
 *       textarea    above it, with a transparent background: an ordinary field, with the browser's own
 *                   undo, paste, input methods and spelling
 *
 * The mirror gives the cell its height, so the field never scrolls by itself and the two cannot part.
 */

import type { Range } from "../../src/wire/protocol.ts";
import { wordAt } from "../../src/ui/words/words.ts";
import { WordLayer } from "../../src/ui/words/word-layer.ts";

/** Gives the last line of the mirror its height when it is empty. */
const LINE_END = "\u200b";

export class SourcePane {
  readonly field: HTMLTextAreaElement;
  readonly layer: WordLayer;
  #words: readonly Range[] = [];

  constructor(field: HTMLTextAreaElement, mirror: HTMLElement) {
    this.field = field;
    this.layer = new WordLayer(mirror);
    this.setWords([]);
  }

  get text(): string {
    return this.field.value;
  }

  /** The words of the text as it stands; none while they are not known. */
  setWords(words: readonly Range[]): void {
    this.#words = words;
    this.layer.render(this.text, words, {}, LINE_END);
  }

  /** The word at the caret, unless a stretch is selected. */
  wordAtCaret(): number | undefined {
    const { selectionStart, selectionEnd } = this.field;
    return selectionStart === selectionEnd ? wordAt(this.#words, selectionStart) : undefined;
  }

  /** Put another text in, as typing would: it can be undone. */
  replaceText(text: string): void {
    this.field.focus();
    this.field.select();
    // Nothing else keeps a field's undo history, and all browsers have it.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const done = document.execCommand(text ? "insertText" : "delete", false, text);
    if (done) return;
    this.field.value = text;
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
