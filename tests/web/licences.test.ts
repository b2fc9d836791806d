import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyLicence, packagesIn } from "../../web/licences.mjs";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-licences-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function installed(name: string, files: Record<string, string>): string {
  mkdirSync(join(folder, name), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
  return join(folder, "out");
}

describe("licences", () => {
  it("knows the packages of a bundle, those within others and those of a scope too", () => {
    const paths = ["web/src/index.ts", "node_modules/idb/build/index.js", "node_modules/@a/b/c.js", "node_modules/idb/node_modules/d/e.js"];
    const inputs = Object.fromEntries(paths.map((path) => [path, {}]));
    expect(packagesIn({ inputs })).toEqual(["@a/b", "d", "idb"]);
  });

  it("copies every text of a package, and nothing else of it", () => {
    const out = installed("@a/b", { "LICENSE.md": "free", "NOTICE": "thanks", "licenser.js": "", "index.js": "" });
    copyLicence("@a/b", out, folder);
    expect(readdirSync(out).sort()).toEqual(["@a-b-LICENSE.md", "@a-b-NOTICE"]);
    expect(readFileSync(join(out, "@a-b-LICENSE.md"), "utf8")).toBe("free");
  });

  it("takes what is kept here of a package that brings none", () => {
    const out = installed("pyodide", { "index.js": "" });
    copyLicence("pyodide", out, folder);
    expect(readdirSync(out).sort()).toEqual(["cpython-INCORPORATED", "cpython-LICENSE", "pyodide-LIBRARIES"]);
  });

  it("refuses a package without any", () => {
    const out = installed("bare", { "index.js": "" });
    expect(() => { copyLicence("bare", out, folder); }).toThrow("bare has no licence: put its text into wasm/LICENSES/bare");
  });
});
