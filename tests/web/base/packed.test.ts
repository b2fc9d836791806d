import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { contentOf, isPacked, unpacked, UNPACKED_HEADER } from "../../../web/src/base/packed.ts";

const PLAIN = new TextEncoder().encode("Guten Morgen");
const PACKED = new Uint8Array(gzipSync(PLAIN));

async function content(response: Response, path: string): Promise<string> {
  return new TextDecoder().decode(await contentOf(response, path));
}

describe("contentOf", () => {
  test("unpacks what a file server gives of a packed file", async () => {
    expect(await content(new Response(PACKED), "runtime/core.snapshot.gz")).toBe("Guten Morgen");
  });

  test("takes what was unpacked before as it is", async () => {
    const kept = new Response(await unpacked(PACKED.buffer), { headers: { [UNPACKED_HEADER]: "" } });
    expect(await content(kept, "runtime/core.snapshot.gz")).toBe("Guten Morgen");
  });

  test("leaves other files alone, packed or not", async () => {
    expect(await content(new Response(PLAIN), "runtime/pyodide.mjs")).toBe("Guten Morgen");
    expect(new Uint8Array(await contentOf(new Response(PACKED), "documents.zip"))).toEqual(PACKED);
  });

  test("rejects where the packed file was cut off", async () => {
    await expect(content(new Response(PACKED.slice(0, 20)), "core.snapshot.gz")).rejects.toThrow();
  });

  test("an empty answer is empty", async () => {
    expect(await content(new Response(null), "core.snapshot.gz")).toBe("");
  });
});

test("packed files are told by their names", () => {
  expect([isPacked("https://a.example/b.so.gz"), isPacked("b.gz.map")]).toEqual([true, false]);
});
