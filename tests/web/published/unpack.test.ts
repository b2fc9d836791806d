import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unpack } from "../../../web/src/published/unpack.ts";

const PLAIN = Buffer.from("Guten Morgen");
const WANTED = { name: "a.bin", size: 12, sha256: createHash("sha256").update(PLAIN).digest("hex") };

async function unpacked(content: Uint8Array, changes: Partial<typeof WANTED> = {}): Promise<string> {
  const blob = new Blob([new Uint8Array(content)]);
  return new TextDecoder().decode(await unpack(blob, { ...WANTED, ...changes }, crypto.subtle));
}

it("takes gzip, and what a server has unpacked on its way", async () => {
  expect(await unpacked(gzipSync(PLAIN))).toBe("Guten Morgen");
  expect(await unpacked(PLAIN)).toBe("Guten Morgen");
});

describe("refuses", () => {
  it.each([
    ["another file", Buffer.from("Guten Abend!"), {}, "a.bin is not the published file: SHA-256"],
    ["less", Buffer.from("Guten"), {}, "bytes 12 expected, 5 found"],
    ["more, at once", gzipSync(Buffer.alloc(10_000_000)), {}, "a.bin is not the published file: bytes 12 expected"],
    ["what is damaged", gzipSync(PLAIN).fill(0, 12), {}, "a.bin is damaged"],
    ["what is cut off", gzipSync(PLAIN).subarray(0, 20), {}, "a.bin is damaged"],
    ["nothing", Buffer.alloc(0), {}, "bytes 12 expected, 0 found"],
  ])("%s", async (_, content, changes, message) => {
    await expect(unpacked(content, changes)).rejects.toMatchObject({
      code: "fetch-corrupt",
      message: expect.stringContaining(message) as string,
      details: { path: "a.bin" },
    });
  });
});
