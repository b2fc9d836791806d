import { describe, expect, it } from "vitest";
import { Snapshot } from "../../../../web/src/workers/language/snapshot.ts";

/** 20 bytes of memory, of which 4 to 8 and 12 to 16 are no zeros; a head of four bytes. */
const FILE = [
  ...[20, 0, 0, 0],
  ...[4, 0, 0, 0],
  ...[2, 0, 0, 0],
  ...[4, 0, 0, 0, 4, 0, 0, 0],
  ...[12, 0, 0, 0, 4, 0, 0, 0],
  ...[9, 9, 9, 9],
  ...[1, 2, 3, 4],
  ...[5, 6, 7, 8],
];

/** In chunks of so many bytes. */
function stream(bytes: readonly number[], chunk: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunk) controller.enqueue(new Uint8Array(bytes.slice(at, at + chunk)));
      controller.close();
    },
  });
}

describe("a snapshot without zeros", () => {
  it("says how large the memory is, and what Pyodide keeps before it", async () => {
    const { size, head } = await Snapshot.open(stream(FILE, 100));
    expect(size).toBe(20);
    expect([...head]).toEqual([9, 9, 9, 9]);
  });

  it.each([1, 3, 4, 31, 100])("becomes the memory that it was made of, in chunks of %i", async (chunk) => {
    const memory = new Uint8Array(20);
    await (await Snapshot.open(stream(FILE, chunk))).restore(memory);
    expect([...memory]).toEqual([0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0]);
  });

  it("leaves nothing of what a new instance had there", async () => {
    const memory = new Uint8Array(24).fill(7);
    await (await Snapshot.open(stream(FILE, 10))).restore(memory);
    expect([...memory]).toEqual([0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it("that ends early is an error of the network, wherever it ends", async () => {
    const early = { code: "network", message: "the interpreter's memory ends early" };
    await expect(Snapshot.open(stream([], 1))).rejects.toMatchObject(early);
    await expect(Snapshot.open(stream(FILE.slice(0, 30), 7))).rejects.toMatchObject(early);
    const cut = await Snapshot.open(stream(FILE.slice(0, 36), 7));
    await expect(cut.restore(new Uint8Array(20))).rejects.toMatchObject(early);
  });
});
