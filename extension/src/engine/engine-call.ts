/** A question of a frame, whichever engine it is put to: what changes meanwhile holds for the next one too. */

import type { BlockHandle, Priority } from "../../../web/src/dom/units/blocks.ts";
import { blockTranslator, type TextEngine } from "../../../web/src/ui/block-translator.ts";
import type { EngineName, FromEngine, ToEngine } from "../messages.ts";

export type Asked = ToEngine & { type: "block" | "text" };

export class EngineCall {
  readonly #asked: Asked;
  #priority: Priority;
  #handle: Pick<BlockHandle, "prioritize" | "cancel"> | undefined;
  #isCancelled = false;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#priority = asked.type === "block" ? asked.priority : "interactive";
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** @throws AbortError */
  throwIfCancelled(): void {
    if (this.#isCancelled) throw new DOMException("cancelled", "AbortError");
  }

  /** @throws DragomanError what the engine says; AbortError it was cancelled. */
  async ask(engine: TextEngine, name: EngineName): Promise<FromEngine> {
    this.throwIfCancelled();
    const asked = this.#asked;
    if (asked.type === "text") {
      const submission = engine.submit(asked.text, { ...asked.options, priority: this.#priority });
      this.#handle = submission;
      return { type: "text", id: asked.id, response: await submission.result, engine: name };
    }
    const handle = blockTranslator(engine).submit(asked.block, this.#priority);
    this.#handle = handle;
    return { type: "block", id: asked.id, translated: await handle.result, engine: name };
  }

  prioritize(priority: Priority): void {
    this.#priority = priority;
    this.#handle?.prioritize(priority);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#handle?.cancel();
  }
}
