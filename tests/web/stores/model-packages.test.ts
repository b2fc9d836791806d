import { afterEach, expect, it } from "vitest";
import { modelPackages, packageUrls } from "../../../web/src/stores/model-packages.ts";

const LIST = Symbol.for("dragoman.models");
const MODEL = {
  bundle: "de-en", name: "de-en-tiny", version: "0.4.0", source: "de", target: "en", bytes: 3,
  files: { "manifest.json": "https://a.example/m-1.json", "model.onnx": "https://a.example/m-2.onnx" },
};

afterEach(() => {
  Reflect.deleteProperty(globalThis, LIST);
});

it("lists what was imported, for all copies of the library on a page", () => {
  expect(modelPackages()).toEqual([]);
  Object.assign(globalThis, { [LIST]: [MODEL] });
  expect(modelPackages()).toEqual([MODEL]);
});

it("names each file as a site would have it", () => {
  expect(packageUrls([MODEL], "https://a.example/dragoman/")).toEqual({
    "https://a.example/dragoman/models/de-en/manifest.json": "https://a.example/m-1.json",
    "https://a.example/dragoman/models/de-en/model.onnx": "https://a.example/m-2.onnx",
  });
});
