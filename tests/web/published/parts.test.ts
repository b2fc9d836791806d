import { beforeEach, expect, it } from "vitest";
import { Parts } from "../../../web/src/published/parts.ts";
import type { Shelf } from "../../../web/src/published/shelf.ts";
import { FakeShelf } from "../support/fakes.ts";

const ORIGIN = { url: "https://example.org/a", validator: '"1"' };
let shelf: Shelf;
let parts: Parts;

beforeEach(() => {
  shelf = new FakeShelf();
  parts = new Parts(shelf, "aa");
});

async function content(): Promise<string> {
  return (await parts.content()).text();
}

it("count while each begins where the one before it ends", async () => {
  await parts.begin(ORIGIN);
  await parts.add(0, new Blob(["eins"]));
  await parts.add(4, new Blob(["zwei"]));
  await parts.add(9, new Blob(["drei"])); // There is a gap before it.
  expect(await content()).toBe("einszwei");
  expect(await parts.origin()).toEqual(ORIGIN);
});

it("are none where none have come", async () => {
  expect(await content()).toBe("");
  expect(await parts.origin()).toBeUndefined();
});

it("are begun anew where what is said of them is damaged", async () => {
  await shelf.put("partial", "aa.json", "{");
  expect(await parts.origin()).toBeUndefined();
});

it("begin without those of before", async () => {
  await parts.begin(ORIGIN);
  await parts.add(0, new Blob(["alt"]));
  await parts.begin({ ...ORIGIN, validator: '"2"' });
  expect(await content()).toBe("");
  expect(await parts.origin()).toEqual({ ...ORIGIN, validator: '"2"' });
});

it("leave those of other files", async () => {
  const other = new Parts(shelf, "aab");
  await other.begin(ORIGIN);
  await other.add(0, new Blob(["anders"]));
  await parts.begin(ORIGIN);
  await parts.drop();
  expect(await (await other.content()).text()).toBe("anders");
  expect(await parts.origin()).toBeUndefined();
});
