/**
 * Where the workers live: Chrome's offscreen document, Firefox's background page.
 *
 *     port of a frame --> block, text, id --> the pair's translator --> block | text | failed, id
 *                     --> prioritize, cancel, id
 *     port closed         all that came over it is cancelled
 *
 * A pair's translator is made for its first request and given back when nobody has asked for a while,
 * for it holds a hundred megabytes. The host owns translators; a port owns its calls.
 */

import { blockTranslator } from "../../../web/src/ui/block-translator.ts";
import type { BlockHandle, Priority } from "../../../web/src/dom/units/blocks.ts";
import type { Environment } from "../../../web/src/api/environment.ts";
import { toWire } from "../../../web/src/wire/errors.ts";
import { Translator } from "../../../web/src/api/translator.ts";
import type { FromEngine, Pair, ToEngine } from "../messages.ts";

/** The part of `runtime.Port` that is used. */
export interface EnginePort {
  readonly onMessage: { addListener(listener: (message: ToEngine) => void): void };
  readonly onDisconnect: { addListener(listener: () => void): void };
  postMessage(message: FromEngine): void;
}

interface Call {
  prioritize(priority: Priority): void;
  cancel(): void;
}

/** Milliseconds without a request until the workers are given back. */
const IDLE = 5 * 60_000;

export class EngineHost {
  readonly #environment: Environment;
  readonly #translators = new Map<string, Promise<Translator>>();
  /** Made before models came or went; they end when nothing is asked any more. */
  readonly #retired = new Set<Promise<Translator>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #open = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  accept(port: EnginePort): void {
    const calls = new Map<number, Call>();
    port.onMessage.addListener((message) => {
      switch (message.type) {
        case "block":
        case "text":
          void this.#serve(port, calls, message);
          break;
        case "prioritize":
          calls.get(message.id)?.prioritize(message.priority);
          break;
        case "cancel":
          calls.get(message.id)?.cancel();
          break;
        case "ping":
      }
    });
    port.onDisconnect.addListener(() => {
      for (const call of calls.values()) call.cancel();
    });
  }

  /** Models have come or gone: who asks from now on gets translators of those that there are. */
  renew(): void {
    for (const translator of this.#translators.values()) this.#retired.add(translator);
    this.#translators.clear();
    this.#waitForIdle();
  }

  /** Always answered, unless it was cancelled: then nobody listens. */
  async #serve(port: EnginePort, calls: Map<number, Call>, message: ToEngine & { type: "block" | "text" }): Promise<void> {
    const { id } = message;
    const taken = new AbortController();
    let handle: BlockHandle | undefined;
    let priority = message.type === "block" ? message.priority : "interactive";
    calls.set(id, {
      prioritize(next) {
        priority = next;
        handle?.prioritize(next);
      },
      cancel() {
        taken.abort();
        handle?.cancel();
      },
    });
    this.#open += 1;
    let answer: FromEngine;
    try {
      const translator = await this.#translator(message.pair);
      taken.signal.throwIfAborted();
      if (message.type === "text") {
        const response = await translator.translateDetailed(message.text, { signal: taken.signal });
        answer = { type: "text", id, response };
      } else {
        handle = blockTranslator(translator).submit(message.block, priority);
        answer = { type: "block", id, translated: await handle.result };
      }
    } catch (error) {
      answer = { type: "failed", id, error: toWire(error, "error") };
    } finally {
      calls.delete(id);
      this.#open -= 1;
      this.#waitForIdle();
    }
    if (!taken.signal.aborted) port.postMessage(answer);
  }

  #translator({ source, target }: Pair): Promise<Translator> {
    const key = `${source}-${target}`;
    const known = this.#translators.get(key);
    if (known) return known;
    const created = Translator.create({ sourceLanguage: source, targetLanguage: target }, this.#environment);
    this.#translators.set(key, created);
    created.catch(() => {
      // The next request tries again.
      if (this.#translators.get(key) === created) this.#translators.delete(key);
      this.#retired.delete(created);
    });
    return created;
  }

  #waitForIdle(): void {
    clearTimeout(this.#timer);
    if (this.#open > 0) return;
    for (const translator of this.#retired) giveBack(translator);
    this.#retired.clear();
    this.#timer = setTimeout(() => {
      for (const translator of this.#translators.values()) giveBack(translator);
      this.#translators.clear();
    }, IDLE);
  }
}

function giveBack(translator: Promise<Translator>): void {
  translator.then((ready) => { ready.destroy(); }, () => undefined); // One that was not made holds nothing.
}
