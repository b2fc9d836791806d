import { beforeEach, expect, it } from "vitest";
import { ModelHost, type ModelPort } from "../../../../extension/src/engine/model-host.ts";
import type { FromModels, ToModels } from "../../../../extension/src/messages.ts";
import type { Offer } from "../../../../web/src/api/offers.ts";
import { downloadOf, type PublishedModel } from "../../../../web/src/published/catalogue.ts";
import { PublishedStore } from "../../../../web/src/published/store.ts";
import { FakeShelf, publishedHost } from "../../support/fakes.ts";
import { FakeMirror, lively } from "../../support/mirror.ts";

/** A page's end of a port. */
class FakePage {
  readonly said: FromModels[] = [];
  readonly #listeners: ((message: ToModels) => void)[] = [];
  readonly #closing: (() => void)[] = [];
  readonly host: ModelPort = {
    onMessage: { addListener: (listener) => this.#listeners.push(listener) },
    onDisconnect: { addListener: (listener) => this.#closing.push(listener) },
    postMessage: (message) => this.said.push(structuredClone(message)),
  };

  post(message: ToModels): void {
    for (const listener of this.#listeners) listener(message);
  }

  close(): void {
    for (const listener of this.#closing) listener();
  }

  get states(): readonly string[] {
    const names = this.said.flatMap((message) => (message.type === "download" ? [message.state.name] : []));
    return names.filter((name, at) => name !== names[at - 1]);
  }
}

const ROUTE = { source: "fr", target: "de" };
let mirror: FakeMirror;
let store: PublishedStore;
let host: ModelHost;
let busy: boolean[];
let changes: number;

beforeEach(() => {
  mirror = new FakeMirror();
  const shelf = new FakeShelf();
  store = new PublishedStore(publishedHost({ openShelf: () => Promise.resolve(shelf), fetch: mirror.fetch }));
  const models = [
    mirror.model("fr", "en", [mirror.file("model", lively(1000)), mirror.file("vocab", "pieces")]),
    mirror.model("en", "de", [mirror.file("model", lively(2000)), mirror.file("vocab", "others")]),
  ];
  [busy, changes] = [[], 0];
  host = new ModelHost({
    store,
    offers: () => Promise.all(models.map(offerOf)),
    onbusy: (isBusy) => busy.push(isBusy),
    onchanged: () => (changes += 1),
  });
});

async function offerOf(model: PublishedModel): Promise<Offer> {
  const { source, target, files } = model;
  const download = files.reduce((sum, file) => sum + downloadOf(file), 0);
  const isKept = await store.isKept(model);
  return { bundle: "", name: "", version: "", bytes: 0, source, target, published: model, isKept, download };
}

function open(): FakePage {
  const page = new FakePage();
  host.accept(page.host);
  return page;
}

it("says the sum of both legs and fetches nothing", async () => {
  const page = open();
  page.post({ type: "offer", ...ROUTE });
  await expect.poll(() => page.said).toEqual([{ type: "download", ...ROUTE, state: { name: "offered", loaded: 0, total: expect.any(Number) as number } }]);
  expect(mirror.asked).toEqual([]);
});

it("fetches both legs when it is told, and tells all pages", async () => {
  const [page, other] = [open(), open()];
  page.post({ type: "fetch", ...ROUTE });
  await expect.poll(() => other.states).toEqual(["fetching", "done"]);
  expect(page.states).toEqual(["fetching", "done"]);
  expect(other.said.at(-1)).toEqual({ type: "changed" });
  expect((await store.models()).map(({ source, target }) => `${source}-${target}`)).toEqual(["en-de", "fr-en"]);
  expect([busy.includes(true), busy.at(-1), changes]).toEqual([true, false, 1]);
});

it("goes on when the page is closed that asked", async () => {
  const page = open();
  mirror.onchunk = (sent) => { if (sent >= 300) page.close(); };
  page.post({ type: "fetch", ...ROUTE });
  await expect.poll(async () => (await store.models()).length).toBe(2);
  expect(page.states).toEqual(["fetching"]);
});

it("tells a page that comes later how far it is", async () => {
  const page = open();
  page.post({ type: "offer", ...ROUTE });
  await expect.poll(() => page.said.length).toBe(1);
  expect(open().said).toEqual(page.said);
});

it("pauses, goes on, and throws away what has come", async () => {
  const page = open();
  mirror.onchunk = (sent) => { if (sent >= 300) page.post({ type: "pause", ...ROUTE }); };
  page.post({ type: "fetch", ...ROUTE });
  await expect.poll(() => page.states).toEqual(["fetching", "paused"]);
  mirror.onchunk = () => undefined;
  page.post({ type: "discard", ...ROUTE });
  await expect.poll(() => page.said.at(-1)).toMatchObject({ state: { name: "offered", loaded: 0 } });
});

it("fetches once, and pauses all of it, where two ask at the same time", async () => {
  const page = open();
  mirror.onchunk = (sent) => { if (sent >= 300) page.post({ type: "pause", ...ROUTE }); };
  page.post({ type: "fetch", ...ROUTE });
  page.post({ type: "fetch", ...ROUTE }); // The background, when the permission is given, and the panel.
  await expect.poll(() => page.states).toEqual(["fetching", "paused"]);
  await new Promise((resolve) => { setTimeout(resolve, 100); });
  expect(await store.models()).toEqual([]);
});

it("deletes a model", async () => {
  const page = open();
  await host.fetch({ source: "fr", target: "en" });
  page.post({ type: "remove", source: "fr", target: "en" });
  await expect.poll(() => store.models()).toEqual([]);
  await expect.poll(() => changes).toBe(2);
});

it("says so where no models connect two languages", async () => {
  const page = open();
  page.post({ type: "fetch", source: "fr", target: "eo" });
  await expect.poll(() => page.said).toMatchObject([{ type: "failed", error: { code: "language-pair" } }]);
});
