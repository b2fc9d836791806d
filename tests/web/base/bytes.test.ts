import { describe, expect, it, vi } from "vitest";
import { countBody, readBody, release } from "../../../web/src/base/bytes.ts";

describe("readBody", () => {
  it("gives the bytes and counts them", async () => {
    let counted = 0;
    const content = await readBody(new Response("schön"), 6, (bytes) => {
      counted += bytes;
    });
    expect([...content]).toEqual([115, 99, 104, 195, 182, 110]);
    expect(counted).toBe(6);
  });

  it.each([5, 6, 7, 0, -1, 1.5, NaN, 2 ** 60])("takes what comes where %s bytes were expected, and gives the chunks back", async (expected) => {
    const chunks = [[1, 2], [3], [4, 5, 6]].map((bytes) => Uint8Array.from(bytes));
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    const content = await readBody({ body: stream } as Response, expected, () => undefined);
    expect([...content]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(content.buffer.byteLength).toBe(6);
    expect(chunks.map(({ byteLength }) => byteLength)).toEqual([0, 0, 0]);
  });

  it("leaves alone what is a part of a larger buffer", async () => {
    const whole = Uint8Array.from([1, 2, 3, 4]);
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        controller.enqueue(whole.subarray(1, 3));
        controller.close();
      },
    });
    expect([...(await readBody({ body: stream } as Response, 2, () => undefined))]).toEqual([2, 3]);
    expect([...whole]).toEqual([1, 2, 3, 4]);
  });

  it("rejects with what the body breaks off with", async () => {
    const broken = new ReadableStream({ pull: (controller) => { controller.error(new TypeError("network error")); } });
    await expect(readBody({ body: broken } as Response, 6, () => undefined)).rejects.toThrow("network error");
  });

  it("takes a response without a body", async () => {
    expect(await readBody(new Response(null), 0, () => undefined)).toHaveLength(0);
  });
});

describe("countBody", () => {
  it("keeps status and headers, for WebAssembly streaming looks at them", async () => {
    const headers = { "content-type": "application/wasm" };
    const onchunk = vi.fn();
    const response = countBody(new Response("abc", { status: 203, headers }), onchunk);
    expect(response.status).toBe(203);
    expect(response.headers.get("content-type")).toBe("application/wasm");
    expect(await response.text()).toBe("abc");
    expect(onchunk.mock.calls).toEqual([[3]]);
  });

  it("tells when the body breaks off", async () => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new TypeError("connection lost"));
      },
    });
    const onerror = vi.fn();
    const response = countBody(new Response(broken), () => undefined, onerror);
    await expect(response.text()).rejects.toThrow("connection lost");
    expect(onerror).toHaveBeenCalledOnce();
  });
});

describe("release", () => {
  it("empties a buffer for all who refer to it", () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const part = bytes.subarray(1);
    release(bytes.buffer);
    expect([bytes.length, part.length, bytes.buffer.byteLength]).toEqual([0, 0, 0]);
  });
});
