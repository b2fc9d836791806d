import { expect, it, vi } from "vitest";
import { addressOf, fetchFrom } from "../../../web/src/base/addresses.ts";

const BASE = "https://a.example/site/";
const URLS = { "https://a.example/site/runtime/x.wasm": "https://a.example/assets/x-1234.wasm" };

it("finds a file below the base, or where a bundler put it", () => {
  expect(addressOf({ base: BASE }, "runtime/x.wasm")).toBe("https://a.example/site/runtime/x.wasm");
  expect(addressOf({ base: BASE, urls: URLS }, "runtime/x.wasm")).toBe("https://a.example/assets/x-1234.wasm");
  expect(addressOf({ base: BASE, urls: URLS }, "./worker.js")).toBe("https://a.example/site/worker.js");
});

it("has what is fetched come from there, and all else from where it was asked for", async () => {
  const asked = vi.fn<typeof fetch>(() => Promise.resolve(new Response("")));
  const scope = { fetch: asked };
  fetchFrom({ base: BASE, urls: URLS }, scope);
  await scope.fetch(new URL("runtime/x.wasm", BASE));
  await scope.fetch(new Request("https://a.example/site/runtime/x.wasm"));
  await scope.fetch("https://a.example/site/other", { cache: "no-store" });
  expect(asked.mock.calls).toEqual([
    ["https://a.example/assets/x-1234.wasm", undefined],
    ["https://a.example/assets/x-1234.wasm", undefined],
    ["https://a.example/site/other", { cache: "no-store" }],
  ]);
});

it("changes nothing where all is below the base", () => {
  const scope = { fetch };
  fetchFrom({ base: BASE }, scope);
  expect(scope.fetch).toBe(fetch);
});
