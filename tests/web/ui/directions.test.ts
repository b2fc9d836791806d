import { describe, expect, it } from "vitest";
import type { Offer } from "../../../web/src/api/offers.ts";
import type { PublishedFile, PublishedModel } from "../../../web/src/published/catalogue.ts";
import { Directions } from "../../../web/src/ui/directions.ts";

const file = (sha256: string, size: number): PublishedFile => ({
  type: "model", name: sha256, size, sha256, sources: [{ url: "", compression: "none", size }],
});

function published(source: string, target: string, isKept: boolean, ...files: PublishedFile[]): Offer {
  const model = { source, target, files } as unknown as PublishedModel;
  const bundle = `published/${source}-${target}`;
  return { bundle, name: "", version: "", source, target, bytes: 0, download: 0, isKept, published: model };
}

const OWN: Offer = { bundle: "de-en", name: "", version: "", source: "de", target: "en", bytes: 9, download: 9, isKept: false };
const SHARED = file("shared", 5);
const OFFERS = [
  published("fr", "en", true, file("fr-en", 100), SHARED),
  OWN,
  published("en", "de", false, file("en-de", 20), SHARED),
  published("en", "es", false, file("en-es", 30)),
  published("es", "en", false, file("es-en", 40)),
];
const directions = new Directions(OFFERS, "en");

describe("route", () => {
  it("has what is missing of it, each file once, without what is kept", () => {
    expect(directions.route("fr", "en")?.missing).toBe(0);
    expect(directions.route("de", "en")?.missing).toBe(0); // the site's own
    expect(directions.route("en", "de")?.missing).toBe(20);
    expect(directions.route("es", "de")).toMatchObject({ over: "en", missing: 60 });
    expect(directions.route("es", "de-AT")?.missing).toBe(60);
    expect(directions.route("de", "ja")).toBeUndefined();
  });
});

describe("choices", () => {
  it("are at hand first, by name, and then the others", () => {
    expect(directions.targets("fr").map(({ name, missing }) => [name, missing])).toEqual([
      ["English", 0],
      ["German", 20],
      ["Spanish", 30],
    ]);
    expect(directions.sources("en").map(({ name, missing }) => [name, missing])).toEqual([
      ["French", 0],
      ["German", 0],
      ["English", 20], // to the language that is the nearest to have
      ["Spanish", 40],
    ]);
  });

  it("are named in the user's language", () => {
    expect(new Directions(OFFERS, "fr").targets("fr").map(({ name }) => name)).toEqual(["anglais", "allemand", "espagnol"]);
  });

  it("keep the language that was chosen where that is possible", () => {
    const targets = directions.targets("fr");
    expect(Directions.best(targets, "es")).toBe("es");
    expect(Directions.best(targets, "de-AT")).toBe("de");
    expect(Directions.best(targets, "fr")).toBe("en");
    expect(Directions.best([], "fr")).toBe("");
  });
});
