/** Working on a tab: the content script is put into every frame and then called there. */

import { api } from "./api.ts";
import type { FrameState, Pair, Sample } from "./messages.ts";

export interface StartOptions {
  /** A translated place shows what it said before. */
  readonly hover: boolean;
  /** A bar on the page tells how far it is: nothing else is open that does. */
  readonly bar: boolean;
}

/** What `content.ts` offers to the rest of the extension, in each frame. */
export interface ContentApi {
  /** @returns false: another page than the one that `began` then has come into the tab. */
  start(pair: Pair, options: StartOptions, began: number | null): boolean;
  restore(): Promise<void>;
  state(): FrameState;
  sample(): Sample;
  /** A sentence on the page; it goes when it is closed, or Escape is pressed. */
  say(text: string): void;
  translateSelection(pair: Pair): void;
  translateTyping(pair: Pair): void;
}

const CONTENT = "content.js";
/** In the storage of the session: tabs that stay translated. */
const STAYING = "staying";

/** Frames of other origins can only be reached with the permission for all sites. */
function targetOf(tabId: number, frameId?: number): chrome.scripting.InjectionTarget {
  return frameId === undefined ? { tabId, allFrames: true } : { tabId, frameIds: [frameId] };
}

/** @throws where the browser lets no extension in: its own pages, its store, files. */
export async function inject(tabId: number, frameId?: number): Promise<void> {
  await api.scripting.executeScript({ target: targetOf(tabId, frameId), files: [CONTENT] });
}

/** Call a method in the frames of a tab; the answers of those that have the content script. */
export async function call<M extends keyof ContentApi>(
  tabId: number,
  method: M,
  values: Parameters<ContentApi[M]>,
  frameId?: number,
): Promise<Awaited<ReturnType<ContentApi[M]>>[]> {
  const results = await api.scripting.executeScript({
    target: targetOf(tabId, frameId),
    // A page that is loading has no content script yet, and says so at once.
    injectImmediately: true,
    // Runs in the frame: it may use nothing of this module.
    func: (name: string, given: unknown[]) => {
      const content = (globalThis as { dragomanContent?: Record<string, (...values: unknown[]) => unknown> }).dragomanContent;
      return content?.[name]?.(...given) ?? null;
    },
    args: [method, values],
  });
  return results.flatMap(({ result }) => (result == null ? [] : [result as Awaited<ReturnType<ContentApi[M]>>]));
}

/**
 * @param began which of the tab's pages; see `InTab`.
 * @returns whether that is there yet.
 */
export async function translateTab(tabId: number, pair: Pair, options: StartOptions, began: number | null): Promise<boolean> {
  await inject(tabId);
  // Its top frame knows which page it is; those below follow.
  const [isThere] = await call(tabId, "start", [pair, options, began], 0);
  if (isThere === false) return false;
  await call(tabId, "start", [pair, options, began]);
  return true;
}

export async function stayingTabs(): Promise<readonly number[]> {
  const { [STAYING]: tabs = [] } = await api.storage.session.get(STAYING);
  return tabs as readonly number[];
}

export async function keepStaying(tabs: readonly number[]): Promise<void> {
  await api.storage.session.set({ [STAYING]: tabs });
}

/** All frames together. */
export async function tabState(tabId: number): Promise<FrameState> {
  return merged(await call(tabId, "state", []));
}

export function merged(states: readonly FrameState[]): FrameState {
  const active = states.filter(({ phase }) => phase !== "off" && phase !== "restored");
  const phases = active.map(({ phase }) => phase);
  const phase =
    (["restoring", "translating", "paused", "translated"] as const).find((name) => phases.includes(name)) ?? "off";
  const sum = (count: (state: FrameState) => number): number => active.reduce((total, state) => total + count(state), 0);
  return {
    phase,
    total: sum(({ total }) => total),
    done: sum(({ done }) => done),
    failed: sum(({ failed }) => failed),
    error: active.find(({ error }) => error)?.error ?? null,
    pair: active.find(({ pair }) => pair)?.pair ?? null,
    foreign: [...new Set(active.flatMap(({ foreign }) => foreign))],
    closed: sum(({ closed }) => closed),
    engine: active.find(({ engine }) => engine)?.engine ?? null,
  };
}
