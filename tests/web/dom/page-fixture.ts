/** A page in jsdom under translation by the fake, and what can be said of it. */

import { expect, vi } from "vitest";
import { JSDOM } from "jsdom";
import { FakeBlockTranslator } from "../../../web/src/fakes/blocks.ts";
import { PageTranslation, type PageOptions, type PageProgress } from "../../../web/src/dom/page.ts";
import type { Clock } from "../../../web/src/dom/slices.ts";
import type { Nearness, OnNearness, Visibility } from "../../../web/src/dom/visibility.ts";
import { snapshot, type Snapshot } from "./snapshot.ts";

/** What the sources take from the global scope and must be of the page's own window. */
const GLOBALS = ["MutationObserver", "AbortController"] as const;

export class FakeVisibility implements Visibility {
  readonly observed = new Set<Element>();
  readonly #onnearness: OnNearness;
  readonly #rank: (element: Element) => Nearness;

  constructor(onnearness: OnNearness, rank: (element: Element) => Nearness) {
    this.#onnearness = onnearness;
    this.#rank = rank;
  }

  observe(element: Element): void {
    this.observed.add(element);
    queueMicrotask(() => { this.move(element, this.#rank(element)); });
  }

  move(element: Element, nearness: Nearness): void {
    if (this.observed.has(element)) this.#onnearness(element, nearness);
  }

  unobserve(element: Element): void {
    this.observed.delete(element);
  }

  stop(): void {
    this.observed.clear();
  }
}

export class TestPage {
  readonly dom: JSDOM;
  readonly document: Document;
  readonly translator: FakeBlockTranslator;
  readonly page: PageTranslation;
  visibility!: FakeVisibility;
  progress: PageProgress | undefined;

  constructor(
    html: string,
    { reverse = false, rank = () => "visible", ...options }: Partial<PageOptions> & {
      reverse?: boolean;
      rank?: (element: Element) => Nearness;
    } = {},
  ) {
    this.dom = new JSDOM(html, { pretendToBeVisual: true, runScripts: "outside-only" });
    this.document = this.dom.window.document;
    for (const name of GLOBALS) Object.assign(globalThis, { [name]: this.dom.window[name] });
    this.translator = new FakeBlockTranslator({ reverse });
    const clock: Clock = { now: () => performance.now(), soon: (callback) => { setTimeout(callback, 0); } };
    this.page = new PageTranslation(this.document, this.translator, {
      sourceLanguage: "de",
      targetLanguage: "en",
      clock,
      makeVisibility: (onnearness) => (this.visibility = new FakeVisibility(onnearness, rank)),
      onprogress: (progress) => { this.progress = progress; },
      ...options,
    });
  }

  get body(): HTMLElement {
    return this.document.body;
  }

  get(selector: string): HTMLElement {
    const element = this.document.querySelector<HTMLElement>(selector);
    if (!element) throw new Error(`${selector} is not in the page`);
    return element;
  }

  /** Translate, and wait until there is nothing left to do. */
  async translate(): Promise<this> {
    this.page.start();
    await this.settled();
    return this;
  }

  /** Wait until there is nothing left to do: of what the page did just now we hear after this turn. */
  async settled(): Promise<void> {
    await turn();
    const isDone = (): void => { expect(this.page.progress.phase).toBe("translated"); };
    await vi.waitFor(isDone, { timeout: 30_000, interval: 1 });
  }

  /** A frame has been painted, and what was to happen before it has happened. */
  async frame(): Promise<void> {
    await new Promise((resolve) => this.dom.window.requestAnimationFrame(resolve));
    await turn();
  }

  /** Wait until so many texts were sent. */
  async untilSent(count: number): Promise<void> {
    await vi.waitFor(() => { expect(this.sent.length).toBeGreaterThanOrEqual(count); }, { timeout: 30_000 });
  }

  /** The texts that were sent. */
  get sent(): string[] {
    return this.translator.submitted.map(({ block }) => block.text);
  }

  snapshot(): Snapshot {
    return snapshot(this.document);
  }
}

/** The tasks and microtasks that are due now have run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
