import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifestOf } from "../../web/manifest.mjs";
import { DOCUMENTS } from "../../web/src/wire/contract.ts";
import contract from "../../web/src/wire/contract.json";

const TEXT = readFileSync(join(import.meta.dirname, "../../web/demo/manifest.webmanifest"), "utf8");

describe("manifestOf", () => {
  it("opens the documents of the table, and is sent them", () => {
    const { file_handlers, share_target, start_url } = manifestOf(TEXT, { "text/csv": ["csv"], "text/plain": ["text", "txt"] });
    expect(file_handlers).toEqual([
      { action: start_url, accept: { "text/csv": [".csv"], "text/plain": [".text", ".txt"] }, launch_type: "single-client" },
    ]);
    expect(share_target.params).toEqual({
      title: "title",
      text: "text",
      url: "url",
      files: [{ name: "documents", accept: ["text/csv", ".csv", "text/plain", ".text", ".txt"] }],
    });
  });

  it("opens what the page takes, and nothing else", () => {
    const [handler] = manifestOf(TEXT, contract.documents.mediaTypes).file_handlers;
    const endings = Object.values(handler?.accept ?? {}).flat();
    expect(endings.sort()).toEqual(DOCUMENTS.endings.map((ending) => `.${ending}`).sort());
    expect(endings).toContain(".docx");
  });
});
