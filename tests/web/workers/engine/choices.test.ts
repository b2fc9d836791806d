import { describe, expect, it } from "vitest";
import { Choices, type Circumstances } from "../../../../web/src/workers/engine/choices.ts";
import { FakeCache } from "../../support/fakes.ts";

const HERE: Circumstances = { graph: "c44a", threads: 2, adapter: "vendor chip", browser: "Browser/1" };

describe("choices", () => {
  it("are found again under the same circumstances only", async () => {
    const choices = new Choices<number | null>(new FakeCache().storage, "gpu");
    expect(await choices.find(HERE)).toBeUndefined();
    await choices.keep(HERE, 8);
    expect(await choices.find(HERE)).toBe(8);
    for (const other of [{ graph: "c44b" }, { threads: 1 }, { adapter: "other chip" }, { browser: "Browser/2" }, { week: 2 }]) {
      expect(await choices.find({ ...HERE, ...other })).toBeUndefined();
    }
  });

  it("tell a GPU that is slower from one that was not measured", async () => {
    const choices = new Choices<number | null>(new FakeCache().storage, "gpu");
    await choices.keep(HERE, null);
    expect(await choices.find(HERE)).toBeNull();
    await choices.forget(HERE);
    expect(await choices.find(HERE)).toBeUndefined();
  });

  it("answer the question that was asked", async () => {
    const cache = new FakeCache();
    await new Choices<number | null>(cache.storage, "gpu").keep(HERE, 8);
    const threads = new Choices<number>(cache.storage, "threads");
    expect(await threads.find(HERE)).toBeUndefined();
    await threads.keep(HERE, 2);
    expect(await new Choices<number | null>(cache.storage, "gpu").find(HERE)).toBe(8);
  });

  it("take the place of the one for another adapter", async () => {
    const cache = new FakeCache();
    const choices = new Choices<number | null>(cache.storage, "gpu");
    await choices.keep(HERE, 8);
    await choices.keep({ ...HERE, adapter: "other chip" }, 1);
    expect(cache.entries.size).toBe(1);
  });

  it("are measured again where they cannot be kept or read", async () => {
    const cache = new FakeCache();
    cache.full = true;
    const choices = new Choices<number | null>(cache.storage, "gpu");
    await choices.keep(HERE, 1);
    expect(await choices.find(HERE)).toBeUndefined();
    const none = new Choices<number | null>({ open: () => Promise.reject(new DOMException("private", "SecurityError")) }, "gpu");
    await none.keep(HERE, 1);
    expect(await none.find(HERE)).toBeUndefined();
  });
});
