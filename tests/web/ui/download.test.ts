import { beforeEach, expect, it } from "vitest";
import type { PublishedModel } from "../../../web/src/published/catalogue.ts";
import { PublishedStore } from "../../../web/src/published/store.ts";
import { Download, type DownloadState } from "../../../web/src/ui/download.ts";
import { FakeShelf, publishedHost } from "../support/fakes.ts";
import { FakeMirror, lively } from "../support/mirror.ts";

let mirror: FakeMirror;
let download: Download;
let seen: DownloadState[];

beforeEach(() => {
  mirror = new FakeMirror();
  const shelf = new FakeShelf();
  const store = new PublishedStore(publishedHost({ openShelf: () => Promise.resolve(shelf), fetch: mirror.fetch }));
  const model: PublishedModel = mirror.model("fr", "en", [mirror.file("model", lively(1000)), mirror.file("vocab", "pieces")]);
  seen = [];
  download = new Download(store, [model], (state) => seen.push(state));
});

const names = (): readonly string[] => seen.map(({ name }) => name).filter((name, at, all) => name !== all[at - 1]);

it("fetches nothing before it is started", async () => {
  await download.offer();
  expect(seen).toEqual([{ name: "offered", loaded: 0, total: 1023 + 29 }]);
  expect(mirror.asked).toEqual([]);
});

it("is done when all of it is there", async () => {
  await download.offer();
  await Promise.all([download.start(), download.start()]); // a person clicks twice
  expect(names()).toEqual(["offered", "fetching", "done"]);
  expect(mirror.asked.length).toBe(2);
});

it("pauses and goes on where it was", async () => {
  mirror.onchunk = (sent) => {
    if (sent >= 300) download.pause();
  };
  await download.start();
  expect(seen.at(-1)).toMatchObject({ name: "paused", loaded: 300 });
  mirror.onchunk = () => undefined;
  await download.start();
  expect(names()).toEqual(["fetching", "paused", "fetching", "done"]);
  expect(mirror.asked[1]?.range).toBe("bytes=300-");
});

it("says what went wrong, and can be tried again", async () => {
  mirror.isReachable = false;
  await download.start();
  expect(seen.at(-1)).toMatchObject({ name: "failed", error: { code: "fetch-network" } });
  mirror.isReachable = true;
  await download.start();
  expect(seen.at(-1)).toEqual({ name: "done" });
});
