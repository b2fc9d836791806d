/** Who may import whom, and who may touch the page. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const WEB = join(import.meta.dirname, "../../web");

function sources(folder: string): string[] {
  return readdirSync(join(WEB, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${folder}/${path}`);
}

function imports(path: string): string[] {
  const text = readFileSync(join(WEB, path), "utf8");
  return [...text.matchAll(/^(?:import|export)[^;]*?from "([^"]+)"/gm)].map((match) => match[1] ?? "");
}

describe("imports", () => {
  it("protocol imports nothing", () => {
    expect(imports("src/protocol.ts")).toEqual([]);
  });

  it.each(sources("src"))("%s: nothing of the demo, no document", (path) => {
    expect(imports(path).filter((name) => name.includes("demo"))).toEqual([]);
    expect(readFileSync(join(WEB, path), "utf8")).not.toMatch(/\b(?:document|window)\.\w/);
  });

  it.each(sources("src").filter((path) => !path.includes("worker/")))("%s: nothing of the workers", (path) => {
    expect(imports(path).filter((name) => name.includes("worker/"))).toEqual([]);
  });
});
