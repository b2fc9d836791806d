import { describe, expect, it } from "vitest";
import { closest, nameOf } from "../../../web/src/base/tags.ts";

const TAGS = ["de", "en", "hbs", "he", "no", "pt", "zh-Hans", "zh-Hant"];

describe("closest", () => {
  it.each([
    ["de", "de"],
    ["de-AT", "de"],
    ["pt-BR", "pt"],
    ["zh", "zh-Hans"],
    ["zh-CN", "zh-Hans"],
    ["zh-TW", "zh-Hant"],
    ["zh-HK", "zh-Hant"],
    ["iw", "he"],
    ["nb", "no"],
    ["hr", "hbs"],
    ["hbs", "hbs"],
    ["fr", undefined],
    ["not a tag", undefined],
    ["", undefined],
  ])("%s is served by %s", (wanted, tag) => {
    expect(closest(wanted, TAGS)).toBe(tag);
  });

  it("takes the exact one where both are there", () => {
    expect(closest("nb", ["no", "nb"])).toBe("nb");
    expect(closest("no", ["nb"])).toBe("nb");
  });
});

describe("nameOf", () => {
  it("is in the language that is asked for", () => {
    expect(nameOf("fr", "de")).toBe("Französisch");
    expect(nameOf("hbs", "en")).toBe("Bosnian, Croatian, Serbian");
  });
});
