import { describe, expect, it } from "vitest";
import { checkRoom, withRoom } from "../../../web/src/published/room.ts";

const host = (free: number | undefined) => ({ room: () => Promise.resolve(free) });
const MISSING = {
  code: "no-room",
  message: "there is no room for the models: 20.0 MB are needed, 12.5 MB are free, 7.5 MB are missing",
};

describe("checkRoom", () => {
  it("says how much is missing", async () => {
    await expect(checkRoom(host(12_500_000), 20_000_000)).rejects.toMatchObject(MISSING);
  });

  it.each([20_000_000, undefined])("lets pass what fits, or where nobody knows: %s", async (free) => {
    await expect(checkRoom(host(free), 20_000_000)).resolves.toBeUndefined();
  });
});

describe("withRoom", () => {
  it("says so where the browser has refused", async () => {
    const refused = Promise.reject(new DOMException("full", "QuotaExceededError"));
    await expect(withRoom(host(12_500_000), refused, 20_000_000)).rejects.toMatchObject(MISSING);
  });

  it("leaves other errors, and results, as they are", async () => {
    const error = new DOMException("gone", "AbortError");
    await expect(withRoom(host(0), Promise.reject(error), 1)).rejects.toBe(error);
    expect(await withRoom(host(0), Promise.resolve("ja"), 1)).toBe("ja");
  });
});
