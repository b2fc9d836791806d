import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SCRIPT = join(import.meta.dirname, "../../web/build.mjs");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-build-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("build", () => {
  it("says what is missing and how to get it", () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [SCRIPT, "--out", join(folder, "web"), "--wheel", join(folder, "wheel")],
      { encoding: "utf8" },
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/^web\/build\.mjs: one \^dragoman-.* is needed in .*: build the core's wheel first/);
  });
});
