import { expect, it } from "vitest";
import { bundleOf, manifestText, publishedPair } from "../../../web/src/published/bundle.ts";
import type { PublishedModel } from "../../../web/src/published/catalogue.ts";

const MODEL: PublishedModel = {
  id: "en-ja/tiny/0123", source: "en", target: "ja", architecture: "tiny", status: "Release", version: null, score: 0.8,
  licence: "MPL-2.0", publisher: "Testers", home: "https://example.org",
  files: [
    { type: "model", name: "model.bin", size: 3, sha256: "a", sources: [] },
    { type: "srcvocab", name: "src.spm", size: 2, sha256: "b", sources: [] },
    { type: "trgvocab", name: "trg.spm", size: 1, sha256: "c", sources: [] },
  ],
};

it("tells published models from folders of the site", () => {
  expect(bundleOf(MODEL)).toBe("published/en-ja");
  expect(publishedPair("published/en-ja")).toBe("en-ja");
  expect(publishedPair("de-en")).toBeUndefined();
});

it("has the manifest that the desktop's store writes", () => {
  expect(JSON.parse(manifestText(MODEL))).toEqual({
    format: 1,
    name: "en-ja-tiny",
    version: "not numbered",
    source: "en",
    target: "ja",
    files: {
      model: { path: "model.bin", bytes: 3, sha256: "a" },
      vocabulary: { path: "src.spm", bytes: 2, sha256: "b" },
      target_vocabulary: { path: "trg.spm", bytes: 1, sha256: "c" },
    },
    precision: "int8",
    licence: "MPL-2.0",
    scores: { "flores200-plus": { comet22: 0.8 } },
    published: { id: "en-ja/tiny/0123", publisher: "Testers", home: "https://example.org", status: "Release" },
  });
});

it("names no shortlist that is not to be used", () => {
  const model = { ...MODEL, files: [...MODEL.files, { type: "lex", name: "lex.bin", size: 4, sha256: "d", sources: [] } as const] };
  expect(JSON.parse(manifestText(model))).toHaveProperty("files.shortlist.path", "lex.bin");
  expect(manifestText(model, ["lex"])).not.toContain("lex.bin");
});
