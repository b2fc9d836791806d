import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { beforeEach, expect, it } from "vitest";
import type { PublishedModel } from "../../../web/src/published/catalogue.ts";
import { takeFiles } from "../../../web/src/published/imports.ts";
import { manifestText } from "../../../web/src/published/bundle.ts";
import { PublishedStore } from "../../../web/src/published/store.ts";
import { FakeShelf, publishedHost } from "../support/fakes.ts";
import { FakeMirror, lively } from "../support/mirror.ts";

const MODEL = lively(1000);
const CONTENTS: Readonly<Record<string, string>> = { model: MODEL, vocab: "pieces", lex: "shortlist" };

let shelf: FakeShelf;
let store: PublishedStore;
/** As the site's list of what was published has it: without sources. */
let frEn: PublishedModel;

beforeEach(() => {
  const mirror = new FakeMirror();
  shelf = new FakeShelf();
  store = new PublishedStore(publishedHost({ openShelf: () => Promise.resolve(shelf) }));
  const files = (["model", "vocab", "lex"] as const).map((type) => mirror.file(type, CONTENTS[type] ?? ""));
  frEn = mirror.model("fr", "en", files.map((file) => ({ ...file, sources: [] })));
});

const known = (): Promise<readonly PublishedModel[]> => Promise.resolve([frEn]);
const take = (files: readonly File[]) => takeFiles(store, files, known);
const plain = (type: string): File => new File([CONTENTS[type] ?? ""], `${type}.bin`);

/** What `dragoman models export` writes; `contents` by the name in the archive. */
async function exported(change: (contents: Map<string, string>) => void = () => undefined): Promise<File> {
  const contents = new Map(frEn.files.map(({ type, sha256 }) => [`files/${sha256}`, CONTENTS[type] ?? ""]));
  contents.set("fr-en/manifest.json", manifestText(frEn));
  change(contents);
  const entries = [...contents].sort().map(([name, text]) => ({ header: { name, size: text.length }, body: text }));
  return new File([await packTar(entries)], "models.tar");
}

it("takes what the desktop has exported", async () => {
  expect(await take([await exported()])).toEqual([frEn]);
  expect(await store.models()).toEqual([frEn]);
  const { contents } = await store.read("fr-en");
  expect(new TextDecoder().decode(contents.get("model"))).toBe(MODEL);
});

it("takes published files, packed or not, and does without the shortlist", async () => {
  await take([plain("model"), new File([gzipSync("pieces")], "vocab.spm.gz")]);
  expect((await store.models())[0]?.files.map(({ type }) => type)).toEqual(["model", "vocab"]);
  expect(await store.isKept({ ...frEn, files: frEn.files.slice(0, 2) })).toBe(true);
});

it("names what a model needs besides", async () => {
  await expect(take([plain("model")])).rejects.toMatchObject({ code: "archive", details: { missing: "vocab.bin" } });
});

it("names files that no published model has", async () => {
  await expect(take([new File(["letter"], "letter.txt")])).rejects.toMatchObject({
    code: "archive",
    message: "no published model has these files: letter.txt",
  });
});

it.each<[string, (contents: Map<string, string>) => void, string]>([
  ["a file with other bytes", (c) => c.set(`files/${frEn.files[0]?.sha256 ?? ""}`, `${MODEL.slice(1)}x`), "fetch-corrupt"],
  ["a file too few", (c) => c.delete(`files/${frEn.files[1]?.sha256 ?? ""}`), "store"],
  ["no manifest", (c) => c.delete("fr-en/manifest.json"), "archive"],
  ["a manifest that is none", (c) => c.set("fr-en/manifest.json", "{}"), "archive"],
  ["a file that is named like another folder's", (c) => {
    c.set("fr-en/manifest.json", manifestText(frEn).replace("model.bin", "../model.bin"));
  }, "archive"],
])("keeps nothing of an archive with %s", async (_, change, code) => {
  await expect(take([await exported(change)])).rejects.toMatchObject({ code });
  expect([...shelf.files.keys()]).toEqual([]);
});

it("says that an archive is cut off", async () => {
  const whole = await exported();
  await expect(take([new File([whole.slice(0, 900)], "models.tar")])).rejects.toMatchObject({ code: "archive" });
});

it("spares what was there when a drop fails", async () => {
  await take([await exported()]);
  await expect(take([await exported((c) => c.set("de-en/manifest.json", "{}"))])).rejects.toMatchObject({ code: "archive" });
  expect(await store.isKept(frEn)).toBe(true);
});
