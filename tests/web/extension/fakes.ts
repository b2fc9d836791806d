/** The browser's extension API, as far as the tests of the extension need it. */

import { vi } from "vitest";

type Listener = (...values: never[]) => unknown;

class FakeEvent {
  readonly #listeners: Listener[] = [];

  addListener(listener: Listener): void {
    this.#listeners.push(listener);
  }

  fire(...values: unknown[]): void {
    for (const listener of this.#listeners) (listener as (...given: unknown[]) => unknown)(...values);
  }
}

/** What is read is a copy of what was kept, and comes later. */
class FakeArea {
  readonly kept = new Map<string, unknown>();
  readonly changed = new FakeEvent();

  async get(names: string | readonly string[]): Promise<Record<string, unknown>> {
    await Promise.resolve();
    return Object.fromEntries([names].flat().filter((name) => this.kept.has(name)).map((name) => [name, structuredClone(this.kept.get(name))]));
  }

  async set(values: Record<string, unknown>): Promise<void> {
    await Promise.resolve();
    for (const [name, value] of Object.entries(values)) this.kept.set(name, structuredClone(value));
    this.changed.fire(values);
  }

  async remove(name: string): Promise<void> {
    await Promise.resolve();
    this.kept.delete(name);
  }
}

/** A page's end of a port. */
class FakePort {
  readonly onMessage = new FakeEvent();
  readonly onDisconnect = new FakeEvent();
  readonly said: { readonly type: string }[] = [];
  readonly #answer: (message: { readonly type: string }) => void;

  constructor(answer: (message: { readonly type: string }) => void) {
    this.#answer = answer;
  }

  postMessage(message: { readonly type: string }): void {
    this.said.push(message);
    this.#answer(message);
  }

  disconnect(): void {
    // Who closes a port does not hear of it.
  }
}

export class FakeBrowser {
  readonly local = new FakeArea();
  readonly session = new FakeArea();
  /** Origins that the user has allowed. */
  readonly allowed = new Set<string>();
  /** What was asked for, and is answered by. */
  readonly asked: unknown[] = [];
  gives: () => Promise<boolean> = () => Promise.resolve(true);
  readonly said: { readonly type: string }[] = [];
  answer: (request: { readonly type: string }) => Promise<unknown> = () => Promise.resolve(true);
  /** Calls of scripts in tabs. */
  readonly executed: { readonly target: unknown; readonly args?: readonly unknown[] }[] = [];
  /** What the content script of the tab answers. */
  inTab: (method: string, values: readonly unknown[]) => unknown = () => null;
  /** Of a panel: the tab below it. */
  tab: { readonly id: number; url: string; incognito: boolean } | undefined = { id: 7, url: "https://example.org/", incognito: false };
  /** Models that there are. */
  offers: readonly unknown[] = [];
  readonly ports: FakePort[] = [];
  readonly registered: { readonly id: string }[] = [];
  readonly added = new FakeEvent();
  readonly removed = new FakeEvent();
  readonly connected = new FakeEvent();
  readonly menuClicked = new FakeEvent();
  /** Texts of the button in the toolbar. */
  readonly badges: string[] = [];
  /** Frames that the user has not allowed. */
  readonly shut = new Set<number>();

  readonly api = {
    runtime: {
      id: "dragoman",
      getURL: (path: string) => `chrome-extension://dragoman${path}`,
      getManifest: () => ({ version: "1.2.3" }),
      onConnect: this.connected,
      onInstalled: new FakeEvent(),
      onStartup: new FakeEvent(),
      onMessage: new FakeEvent(),
      connect: () => {
        const port = new FakePort((message) => {
          if (message.type === "list") port.onMessage.fire({ type: "offers", offers: this.offers });
        });
        this.ports.push(port);
        return port;
      },
      sendMessage: (request: { type: string }) => {
        this.said.push(request);
        return this.answer(request);
      },
    },
    contextMenus: { onClicked: this.menuClicked },
    action: {
      setBadgeBackgroundColor: () => Promise.resolve(),
      setBadgeText: ({ text }: { text: string }) => Promise.resolve(void this.badges.push(text)),
    },
    tabs: {
      onRemoved: new FakeEvent(),
      query: () => Promise.resolve(this.tab ? [this.tab] : []),
      get: () => Promise.resolve(this.tab),
    },
    commands: { onCommand: new FakeEvent(), getAll: () => Promise.resolve([]) },
    storage: { local: this.local, session: this.session, onChanged: this.local.changed },
    permissions: {
      onAdded: this.added,
      onRemoved: this.removed,
      contains: ({ origins = [] }: { origins?: string[] }) => Promise.resolve(origins.every((origin) => this.allowed.has(origin))),
      request: async (wanted: { origins?: string[] }) => {
        this.asked.push(wanted);
        const isGiven = await this.gives();
        if (isGiven) for (const origin of wanted.origins ?? []) this.allowed.add(origin);
        return isGiven;
      },
      remove: ({ origins = [] }: { origins?: string[] }) => Promise.resolve(origins.map((origin) => this.allowed.delete(origin)).includes(true)),
    },
    scripting: {
      executeScript: (call: { target: { frameIds?: number[] }; args?: [string, unknown[]] }) => {
        if (call.target.frameIds?.some((frame) => this.shut.has(frame))) return Promise.reject(new Error("Cannot access contents of the page"));
        this.executed.push(call);
        return Promise.resolve(call.args ? [{ result: this.inTab(...call.args) }] : []);
      },
      getRegisteredContentScripts: () => Promise.resolve([...this.registered]),
      registerContentScripts: (scripts: { id: string }[]) => Promise.resolve(void this.registered.push(...scripts)),
      unregisterContentScripts: () => Promise.resolve(void this.registered.splice(0)),
    },
    i18n: {
      getMessage: (name: string, values: readonly string[] = []) => (name === "language" ? "en" : [name, ...values].join(" ")),
      getUILanguage: () => "en",
      getAcceptLanguages: () => Promise.resolve(["en"]),
    },
  };

  /** Where the extension's modules find it, which are imported afterwards. */
  install(): void {
    vi.stubGlobal("chrome", this.api);
    vi.resetModules();
  }
}

/** What was set off has happened: a handful of turns, not a time. */
export async function flush(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => { setTimeout(resolve, 0); });
}
