/**
 * Where the workers live: Chrome's offscreen document, Firefox's background page.
 *
 *     port of a frame --> block, text, id --> an engine of the pair --> block | text | failed, id
 *                     --> prioritize, cancel, id
 *     port closed         all that came over it is cancelled
 *
 * Asked is the engine of this computer, where the user has switched it on and it serves the pair; whatever it
 * does not answer, the one in the browser does, so that no translation breaks when it goes. Where a translation memory is
 * on for the pair, the one in the browser is asked at once: a memory goes to workers, not with each request. Terms do: those
 * for everywhere, and those of the site that asks.
 *
 * A pair's translator is made for its first request and given back when nobody has asked for a while,
 * for it holds a hundred megabytes; the process of the other engine ends then too. The host owns both; a port
 * owns its calls.
 */

import type { Environment } from "../../../web/src/api/environment.ts";
import { toWire } from "../../../web/src/wire/errors.ts";
import type { GlossaryStore } from "../../../web/src/stores/glossary-store.ts";
import type { MemoryStore } from "../../../web/src/stores/memory-store.ts";
import { withTerms } from "../../../web/src/ui/block-translator.ts";
import type { MemoryEntry, Term } from "../../../web/src/wire/protocol.ts";
import { Translator } from "../../../web/src/api/translator.ts";
import type { FromEngine, Pair, ToEngine } from "../messages.ts";
import type { NativeEngine } from "../native/native-engine.ts";
import { EngineCall, type Asked } from "./engine-call.ts";

/** The part of `runtime.Port` that is used. */
export interface EnginePort {
  readonly onMessage: { addListener(listener: (message: ToEngine) => void): void };
  readonly onDisconnect: { addListener(listener: () => void): void };
  postMessage(message: FromEngine): void;
}

/** What a person has brought. */
export interface OwnFiles {
  readonly memories: Pick<MemoryStore, "of">;
  readonly glossaries: Pick<GlossaryStore, "of">;
}

/** Milliseconds without a request until the workers are given back. */
const IDLE = 5 * 60_000;

export class EngineHost {
  readonly #environment: Environment;
  readonly #native: Pick<NativeEngine, "forPair" | "close">;
  readonly #memories: Pick<MemoryStore, "of">;
  readonly #translators = new Map<string, Promise<Translator>>();
  readonly #glossaries: Pick<GlossaryStore, "of">;
  readonly #entries = new Map<string, Promise<readonly MemoryEntry[]>>();
  readonly #terms = new Map<string, Promise<readonly Term[]>>();
  /** Made before models came or went; they end when nothing is asked any more. */
  readonly #retired = new Set<Promise<Translator>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #open = 0;

  constructor(environment: Environment, native: Pick<NativeEngine, "forPair" | "close">, own: OwnFiles) {
    this.#environment = environment;
    this.#memories = own.memories;
    this.#glossaries = own.glossaries;
    this.#native = native;
  }

  /** @param site whose terms hold too: the host of the page that asks, or `EVERYWHERE`. */
  accept(port: EnginePort, site: string): void {
    const calls = new Map<number, EngineCall>();
    port.onMessage.addListener((message) => {
      switch (message.type) {
        case "block":
        case "text":
          void this.#serve(port, calls, message, site);
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

  /** Models have come or gone, or the other engine was switched on or off: who asks from now on gets what there is. */
  renew(): void {
    this.#native.close();
    for (const translator of this.#translators.values()) this.#retired.add(translator);
    this.#translators.clear();
    this.#entries.clear();
    this.#terms.clear();
    this.#waitForIdle();
  }

  /** Always answered, unless it was cancelled: then nobody listens. */
  async #serve(port: EnginePort, calls: Map<number, EngineCall>, message: Asked, site: string): Promise<void> {
    const { id, pair } = message;
    const call = new EngineCall(message);
    calls.set(id, call);
    this.#open += 1;
    let answer: FromEngine;
    try {
      answer = await this.#answer(call, pair, site);
    } catch (error) {
      answer = { type: "failed", id, error: toWire(error, "error") };
    } finally {
      calls.delete(id);
      this.#open -= 1;
      this.#waitForIdle();
    }
    if (!call.isCancelled) port.postMessage(answer);
  }

  async #answer(call: EngineCall, pair: Pair, site: string): Promise<FromEngine> {
    const terms = await this.#termsOn(site, pair);
    const native = (await this.#remembered(pair)).length > 0 ? null : await this.#native.forPair(pair);
    call.throwIfCancelled();
    if (native) {
      try {
        return await call.ask(withTerms(native, terms), "computer");
      } catch {
        call.throwIfCancelled(); // Whatever went wrong there, the browser's own engine is asked the same.
      }
    }
    return call.ask(withTerms(await this.#translator(pair), terms), "browser");
  }

  /** What a person's translation memories have for a pair, read once until something changes. */
  #remembered(pair: Pair): Promise<readonly MemoryEntry[]> {
    const key = `${pair.source}-${pair.target}`;
    // Where the browser keeps nothing, nothing is remembered: pages are translated all the same.
    const found = this.#entries.get(key) ?? this.#memories.of(pair).catch(() => []);
    this.#entries.set(key, found);
    return found;
  }

  /** The same of their terms. */
  #termsOn(site: string, pair: Pair): Promise<readonly Term[]> {
    const key = `${pair.source}-${pair.target} ${site}`;
    const found = this.#terms.get(key) ?? this.#glossaries.of(pair, site).catch(() => []);
    this.#terms.set(key, found);
    return found;
  }

  #translator({ source, target }: Pair): Promise<Translator> {
    const key = `${source}-${target}`;
    const known = this.#translators.get(key);
    if (known) return known;
    const created = this.#remembered({ source, target }).then((memory) => Translator.create(
      { sourceLanguage: source, targetLanguage: target, ...(memory.length > 0 && { memory }) },
      this.#environment,
    ));
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
      this.#entries.clear();
      this.#terms.clear();
      this.#native.close();
    }, IDLE);
  }
}

function giveBack(translator: Promise<Translator>): void {
  translator.then((ready) => { ready.destroy(); }, () => undefined); // One that was not made holds nothing.
}
