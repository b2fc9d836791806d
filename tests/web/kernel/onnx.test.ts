import { describe, expect, it } from "vitest";
import { readModel } from "../../../web/src/kernel/onnx.ts";

/** Fields of the protobuf wire format. */
const varint = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]);
const number = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)];
const bytes = (field: number, content: readonly number[]): number[] => [
  ...varint(field * 8 + 2),
  ...varint(content.length),
  ...content,
];
const text = (field: number, value: string): number[] => bytes(field, [...new TextEncoder().encode(value)]);

const RAW = Array.from({ length: 300 }, (_, index) => index % 256);
const TENSOR = [...number(1, 2), ...number(1, 150), ...number(2, 3), ...text(8, "wäre"), ...bytes(9, RAW)];
const MODEL = [
  ...number(1, 10),
  ...bytes(7, [...text(2, "translation"), ...bytes(5, TENSOR)]),
  ...bytes(14, [...text(1, "dragoman.kind"), ...text(2, "student-int8")]),
];

describe("readModel", () => {
  it("finds tensors and metadata", () => {
    const { tensors, metadata } = readModel(Uint8Array.from(MODEL));
    expect([...tensors.keys()]).toEqual(["wäre"]);
    expect(tensors.get("wäre")).toMatchObject({ type: 3, shape: [2, 150] });
    expect([...(tensors.get("wäre")?.bytes ?? [])]).toEqual(RAW);
    expect([...metadata]).toEqual([["dragoman.kind", "student-int8"]]);
  });

  it("reads packed dimensions", () => {
    const packed = [...bytes(1, [...varint(2), ...varint(150)]), ...number(2, 3), ...text(8, "w"), ...bytes(9, RAW)];
    expect(readModel(Uint8Array.from(bytes(7, bytes(5, packed)))).tensors.get("w")?.shape).toEqual([2, 150]);
  });

  it("reads more dimensions than a call has room for", () => {
    const packed = [...bytes(1, Array.from({ length: 300_000 }, () => 1)), ...number(2, 3), ...text(8, "w"), ...bytes(9, RAW)];
    expect(readModel(Uint8Array.from(bytes(7, bytes(5, packed)))).tensors.get("w")?.shape).toHaveLength(300_000);
  });

  it("copies nothing", () => {
    const model = Uint8Array.from(MODEL);
    expect(readModel(model).tensors.get("wäre")?.bytes.buffer).toBe(model.buffer);
  });

  it.each([
    ["nothing", []],
    ["a web page", [...new TextEncoder().encode("<!doctype html><title>404</title>")]],
    ["a graph without tensors", bytes(7, text(2, "translation"))],
  ])("refuses %s", (_, content) => {
    expect(() => readModel(Uint8Array.from(content))).toThrow(expect.objectContaining({ code: "bundle-corrupt" }));
  });

  it("either reads a cut model or says that it is none", () => {
    for (let length = 0; length < MODEL.length; length++) {
      try {
        readModel(Uint8Array.from(MODEL.slice(0, length)));
      } catch (error) {
        expect(error).toMatchObject({ code: "bundle-corrupt" });
      }
    }
  });
});
