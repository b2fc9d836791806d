import { describe, expect, it } from "vitest";
import { findRoute } from "../../../web/src/stores/models.ts";

const MODELS = [["de", "en"], ["en", "de"], ["pt", "en"], ["en", "pt"], ["zh-Hans", "en"], ["en", "zh-Hant"]].map(
  ([source = "", target = ""]) => ({ source, target }),
);
const route = (source: string, target: string): readonly string[] =>
  findRoute(MODELS, source, target).map((model) => `${model.source}-${model.target}`);

describe("findRoute", () => {
  it.each([
    ["de", "en", ["de-en"]],
    ["de-AT", "en-GB", ["de-en"]],
    ["de", "pt-BR", ["de-en", "en-pt"]],
    ["zh-CN", "zh-TW", ["zh-Hans-en", "en-zh-Hant"]],
  ])("%s to %s: %j", (source, target, legs) => {
    expect(route(source, target)).toEqual(legs);
  });

  it.each([["de", "de"], ["de", "de-DE"], ["de-AT", "de-CH"], ["pt-BR", "pt-PT"], ["en", "en-GB"], ["de", "ja"]])(
    "%s to %s: none, where there is no other language to go to",
    (source, target) => {
      expect(route(source, target)).toEqual([]);
    },
  );
});
